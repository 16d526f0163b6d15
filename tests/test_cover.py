"""What cover guarantees, against naive counts, on random inputs and on real questions."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import OptionValueError
from compsplit.extractors import prepared
from compsplit.model import Column, Grouping, Rows, Split, Targets, bagged, crossed
from compsplit.readers import inputs
from compsplit.registry import plugin
from compsplit.splitters import Problem

MASK = (1 << 64) - 1


@dataclass
class Group:
    name: str
    rows: list[tuple[list[int], str | None]]
    stays: bool = False

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def concepts(self) -> set[int]:
        return {c for row, _ in self.rows for c in row}

    @property
    def strata(self) -> Counter[str]:
        return Counter(stratum for _, stratum in self.rows if stratum)


def rank(name: str, seed: int) -> int:
    def hashed(text: str) -> int:
        return int(hashlib.blake2b(text.encode(), digest_size=8).hexdigest(), 16)

    z = hashed(name) ^ hashed(f"seed {seed}")
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def covered(
    groups: list[Group], share: Fraction, seed: int = 0, k: int = 1, strata: bool = True
) -> tuple[set[str], Split]:
    rows = [(g.name, *row) for g in groups for row in g.rows]
    names = Column.of(name for name, *_ in rows)
    stays = {g.name: g.stays for g in groups}
    grouping = Grouping.of("group", names, np.array([stays[name] for name in names.names], dtype=bool))
    bags = np.arange(len(rows), dtype=np.int32)
    incidence = bagged("concepts", bags, [row for _, row, _ in rows], tuple(f"c{i}" for i in range(10)))
    targets = Targets({"train": 1 - share, "test": share})
    column = Column.of(stratum for *_, stratum in rows) if strata else None
    split = plugin("splitter", "cover").make(Problem(grouping, targets, seed, incidence, column), k=k)
    return {grouping.names[g] for g in grouping.group_of_row[split.rows_in("test")].tolist()}, split


def holders(groups: list[Group]) -> Counter[int]:
    return Counter(c for g in groups for c in g.concepts)


def naive_first_pass(groups: list[Group], target: int, seed: int, k: int) -> int:
    """Return the rows that move while every stratum keeps its quota."""
    totals = sum((g.strata for g in groups), Counter[str]())
    n = sum(g.size for g in groups)
    room = {stratum: target * total // n for stratum, total in totals.items()}
    train = list(groups)
    reached = 0
    for g in sorted(groups, key=lambda g: rank(g.name, seed)):
        keeps = all(holders(train)[c] - 1 >= k for c in g.concepts)
        in_quota = all(count <= room[stratum] for stratum, count in g.strata.items())
        if not g.stays and keeps and in_quota and reached + g.size <= target:
            train.remove(g)
            reached += g.size
            for stratum, count in g.strata.items():
                room[stratum] -= count
    return reached


GROUPS = st.lists(
    st.builds(
        Group,
        name=st.text(alphabet="abcxyz", min_size=1, max_size=3),
        rows=st.lists(
            st.tuples(st.lists(st.integers(0, 9), max_size=3), st.sampled_from(["s", "t", "u", None])),
            min_size=1,
            max_size=5,
        ),
        stays=st.sampled_from([False, False, False, False, True]),
    ),
    min_size=1,
    max_size=16,
    unique_by=lambda g: g.name,
)
SHARES = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])


@pytest.mark.large
@settings(max_examples=n_shown(500), deadline=None)
@given(GROUPS, SHARES, st.integers(-3, 3), st.integers(1, 3))
def test_every_test_concept_is_in_k_train_groups_and_the_facts_are_true(groups, share, seed, k):
    test, split = covered(groups, share, seed, k)
    train = [g for g in groups if g.name not in test]
    n = sum(g.size for g in groups)
    target = n * share.numerator // share.denominator
    assert all(holders(train)[c] >= k for g in groups if g.name in test for c in g.concepts)
    assert split.sizes["test"] == sum(g.size for g in groups if g.name in test) <= target
    assert not any(g.stays for g in groups if g.name in test)

    # No group that is left could still move by itself.
    for g in train:
        keeps = all(holders(train)[c] - 1 >= k for c in g.concepts)
        assert g.stays or not keeps or split.sizes["test"] + g.size > target

    rare = {c for c, count in holders(groups).items() if count <= k}
    stuck = [g for g in groups if g.stays or g.concepts & rare]
    assert split.facts["rows_that_cannot_move"] == sum(g.size for g in stuck)
    assert split.facts["ceiling"] == n - sum(g.size for g in stuck) >= split.sizes["test"]
    assert split.facts["cannot_move"] == sum((g.strata for g in stuck), Counter[str]())
    assert list(split.facts["cannot_move"]) == sorted(split.facts["cannot_move"])
    kept = {c: sum(g.size for g in groups if c in g.concepts) for c in rare}
    worst = sorted(kept, key=lambda c: (-kept[c], c))
    assert split.facts["in_the_way"] == [[f"c{c}", kept[c]] for c in worst]
    # Exchanges within strata only ever add to what the first pass moved.
    assert naive_first_pass(groups, target, seed, k) <= split.facts["rows_moved_within_quotas"] <= target


@settings(deadline=None)
@given(GROUPS, SHARES, st.integers(0, 3))
def test_rows_may_come_in_any_order(groups, share, seed):
    backwards = [Group(g.name, g.rows[::-1], g.stays) for g in groups[::-1]]
    one, split = covered(groups, share, seed)
    other, again = covered(backwards, share, seed)
    assert one == other
    assert split.facts == again.facts


def groups_of(*sizes: int) -> list[Group]:
    return [Group(f"g{i}", [([0], None)] * size) for i, size in enumerate(sizes)]


def test_a_gap_that_large_groups_leave_is_closed_by_exchange():
    # 3 of 10 rows: where the group of 2 is visited first, it leaves a gap of 1, which only the group of 3 closes.
    for seed in range(20):
        _, split = covered(groups_of(2, 3, 5), Fraction(3, 10), seed)
        assert split.sizes["test"] == 3


def test_an_exchange_takes_the_pair_that_closes_most_of_the_gap():
    # 9 of 40 rows: where both groups of 4 are visited first, one of them makes place for the group of 5.
    for seed in range(20):
        _, split = covered(groups_of(4, 4, 5, 27), Fraction(9, 40), seed)
        assert split.sizes["test"] == 9


def test_groups_that_an_exchange_sets_free_fill_up_what_is_left():
    # 4 of 12 rows. If out is visited first, into (3 rows) does not fit any more, and small, the only other group with
    # concept 1, must stay; once out is exchanged for into, small can follow.
    groups = [
        Group("out", [([1], None)] * 2),
        Group("small", [([1], None)]),
        Group("into", [([0], None)] * 3),
        Group("rest", [([0], None)] * 6),
    ]
    first = {min((g.name for g in groups), key=lambda name: rank(name, seed)) for seed in range(20)}
    assert "out" in first
    for seed in range(20):
        test, _ = covered(groups, Fraction(1, 3), seed)
        assert test == {"small", "into"}


def test_sixteen_exchanges_are_tried_at_most():
    groups = groups_of(*[50] * 60, *[51] * 40)
    _, split = covered(groups, Fraction(1540, 5040))
    # Any 30 groups fit and leave no place for another; each exchange of a 50 for a 51 gains a row.
    large = {f"g{i}" for i in range(60, 100)}
    first = sorted((g.name for g in groups), key=lambda name: rank(name, 0))[:30]
    n_large = sum(name in large for name in first)
    assert n_large + 16 <= 30
    assert split.sizes["test"] == 1500 + n_large + 16


def test_an_exchange_never_uncovers_a_concept():
    # b is larger by the gap, but alone with its concept.
    groups = [Group("a", [([0], None)] * 2), Group("b", [([1], None)] * 3), Group("c", [([0], None)] * 5)]
    test, split = covered(groups, Fraction(3, 10))
    assert test == {"a"}
    assert split.facts["in_the_way"] == [["c1", 3]]


def test_types_are_spread_by_their_quotas():
    groups = [Group(f"{s}{i}", [([0], s)]) for s, count in (("s", 60), ("t", 30), ("u", 9)) for i in range(count)]
    test, split = covered(groups, Fraction(1, 3))
    assert Counter(name[0] for name in test) == {"s": 20, "t": 10, "u": 3}
    assert split.facts["rows_moved_within_quotas"] == 33


def test_what_quotas_round_off_is_spread_over_the_types():
    # A third of 5 rows each is 1.67: four floors make 4 of 6, and the other two come from two different types.
    groups = [Group(f"{s}{i}", [([0], s)]) for s in "stuv" for i in range(5)]
    for seed in range(10):
        test, _ = covered(groups, Fraction(1, 3), seed)
        assert sorted(Counter(name[0] for name in test).values()) == [1, 1, 2, 2]


def test_without_strata_the_target_is_reached_and_nothing_is_said_of_types():
    groups = [Group(f"g{i}", [([0], "s")]) for i in range(9)]
    test, split = covered(groups, Fraction(1, 3), strata=False)
    assert len(test) == 3
    assert split.facts["cannot_move"] == {}


def test_k_is_at_least_one():
    with pytest.raises(OptionValueError, match=r"split\.k is 0; expected a whole number of at least 1"):
        covered(groups_of(1, 1), Fraction(1, 2), k=0)


def test_many_groups_of_many_sizes_are_exchanged_in_linear_passes():
    # Sizes of 1 to 300 in 20,000 groups; a quadratic search for pairs would look at 10 ** 8 of them.
    sizes = (np.arange(20_000) * 7919 % 300 + 1).tolist()
    column = Column(np.repeat(np.arange(20_000, dtype=np.int32), sizes), tuple(map(str, range(20_000))))
    rows = len(column)
    incidence = bagged("concepts", np.zeros(rows, dtype=np.int32), [[0]], ("c",))
    targets = Targets({"train": "2/3", "test": "1/3"})
    split = plugin("splitter", "cover").make(Problem(Grouping.of("group", column), targets, 0, incidence))
    assert split.sizes["test"] == rows // 3


# --- real questions


@cache
def real(shared: Path, name: str) -> Rows:
    data = shared / "data"
    table = {
        "daquar": lambda: plugin("reader", "daquar").make(inputs([data / "daquar/all_qa_pairs.txt"])),
        "vqa-med": lambda: plugin("reader", "table").make(
            inputs([data / "vqa_med_2019/trainset.json", data / "vqa_med_2019/testset.json"]), id_scope="file"
        ),
        "easy-vqa": lambda: plugin("reader", "easy-vqa").make(
            inputs([data / "easy_vqa/train/questions.json", data / "easy_vqa/test/questions.json"])
        ),
    }[name]()
    rows: Rows = prepared(table, plugin("reducer", "lexical").make())
    return rows


def split_by(splitter: str, rows: Rows, seed: int) -> tuple[Split, Grouping]:
    grouping = plugin("grouper", "question-answer").make(rows)
    strata = crossed(rows.column("question_type"), rows.column("answer_type")) if splitter == "cover" else None
    targets = Targets({"train": "2/3", "test": "1/3"})
    return plugin("splitter", splitter).make(Problem(grouping, targets, seed, rows.concepts, strata)), grouping


def off(column: Column, split: Split) -> Any:
    """Return the total variation of test against the whole."""
    n_names = len(column.names)
    test = np.bincount(column.codes[split.rows_in("test")], minlength=n_names) / split.sizes["test"]
    return np.abs(test - np.bincount(column.codes, minlength=n_names) / len(column)).sum() / 2


@pytest.mark.large
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "target", "short"), [("daquar", 4156, 0), ("vqa-med", 4930, 0), ("easy-vqa", 16082, 32)]
)
def test_real_questions_are_covered_whole_at_the_size_of_c_vqa(shared, name, target, short, seed):
    rows = real(shared, name)
    split, grouping = split_by("cover", rows, seed)
    in_test = split.rows_in("test")
    assert split.asked["test"] == target
    assert target - short <= split.sizes["test"] <= target
    assert not set(grouping.group_of_row[in_test].tolist()) & set(grouping.group_of_row[~in_test].tolist())
    occurs_in_test = rows.concepts.occurrences(in_test) > 0
    assert (rows.concepts.occurrences(~in_test)[occurs_in_test] > 0).all()


@pytest.mark.large
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["daquar", "vqa-med", "easy-vqa"])
def test_real_types_are_spread_no_worse_than_by_chance(shared, name, seed):
    rows = real(shared, name)
    cover, _ = split_by("cover", rows, seed)
    chance, _ = split_by("random", rows, seed)
    questions, answers = rows.column("question_type"), rows.column("answer_type")
    assert off(questions, cover) <= off(questions, chance)
    assert off(answers, cover) <= off(answers, chance)

"""What the random splitter promises: any unit, any number of parts, no part empty, no group torn."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compsplit.errors import ImpossibleError, MissingValueError, TooFewGroupsError, UnknownNameError
from compsplit.extractors import prepared
from compsplit.model import Column, Grouping, Rows, Split, Targets
from compsplit.readers import inputs
from compsplit.registry import plugin
from compsplit.splitters import Problem

HALF = Targets({"train": "1/2", "test": "1/2"})


def rows_of(case: Path) -> Rows:
    rows: Rows = prepared(plugin("reader", "table").make(inputs([case])))
    return rows


def expected(folder: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
    return said


def by(rows: Rows, column: str) -> Grouping:
    grouping: Grouping = plugin("grouper", "column").make(rows, column=column)
    return grouping


def random(grouping: Grouping, targets: Targets, seed: int = 0, strata: Column | None = None) -> Split:
    split: Split = plugin("splitter", "random").make(Problem(grouping, targets, seed, strata=strata))
    return split


def assert_whole(split: Split, grouping: Grouping) -> None:
    assert all(split.sizes.values())
    torn = {(g, p) for g, p in zip(grouping.group_of_row.tolist(), split.part_of_row.tolist(), strict=True)}
    assert len(torn) == grouping.n_groups


# --- inputs that broke users' jobs


def test_a_share_of_rows_by_image_is_met_within_what_is_acceptable(shared):
    folder = shared / "cases" / "29-split-group-ratio"
    rows, said = rows_of(folder / "questions.csv"), expected(folder)
    assert (len(rows), by(rows, "image").n_groups) == (said["questions"], said["images"])
    low, high = said["acceptable_test_questions"]
    for seed in range(50):
        split = random(by(rows, "image"), Targets({"train": "0.8", "test": "0.2"}), seed)
        assert low <= split.sizes["test"] <= high
        assert split.asked["test"] == said["best_test_questions"]
        assert_whole(split, by(rows, "image"))


def test_more_parts_than_images_are_refused(shared):
    folder = shared / "cases" / "30-split-too-few-groups"
    three = Targets({"train": "0.6", "val": "0.2", "test": "0.2"})
    with pytest.raises(TooFewGroupsError, match="3 parts need at least 3 images, there are 2") as refused:
        random(by(rows_of(folder / "two_images.csv"), "image"), three)
    assert refused.value.exit_code == 3


def test_rows_without_an_image_are_refused_by_id(shared):
    folder = shared / "cases" / "30-split-too-few-groups"
    with pytest.raises(MissingValueError, match="2 rows have no value in image") as refused:
        by(rows_of(folder / "missing_image.csv"), "image")
    ids = list(map(str, expected(folder)["missing_image"]["rows_without_group"]))
    assert refused.value.facts == {"rows": ids, "count": 2}


def test_the_rows_that_have_an_image_are_divided_once_the_others_are_left_out(shared):
    folder = shared / "cases" / "30-split-too-few-groups"
    table = plugin("reader", "table").make(inputs([folder / "missing_image.csv"]))
    kept = table.keep(table.images.codes >= 0, "no image", "rows without image left out")
    rows = prepared(kept)
    split = random(by(rows, "image"), Targets({"train": "1/3", "val": "1/3", "test": "1/3"}))
    assert split.sizes == {"train": 1, "val": 1, "test": 1}
    assert [name for name, _ in kept.left_out] == ["9500012", "9500013"]


def test_an_answer_that_occurs_once_stays_in_train_and_is_listed(shared):
    folder = shared / "cases" / "31-split-singleton-answer"
    rows, said = rows_of(folder / "questions.csv"), expected(folder)
    answers = rows.column("answer")
    for seed in range(20):
        split = random(plugin("grouper", "row").make(rows), HALF, seed, answers)
        for part in ("train", "test"):
            held = Counter(v for v, there in zip(answers.values(), split.rows_in(part), strict=True) if there)
            assert held == said[part]
        assert split.facts["strata_of_one_group"] == said["rare_answers"]


# --- promises

KEYS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=25)
WEIGHTS = st.lists(st.integers(1, 9), min_size=2, max_size=4)


def targets_of(weights: list[int]) -> Targets:
    return Targets({f"p{i}": Fraction(w, sum(weights)) for i, w in enumerate(weights)})


def first_fit(grouping: Grouping, asked: Mapping[str, int], seed: int) -> dict[int, int]:
    """Return the part of each group when each in its order goes to the first part, the reference last, that it fits."""
    gaps = list(asked.values())
    dealt = {}
    for group in grouping.order(seed).tolist():
        size = int(grouping.sizes[group])
        fits = [] if grouping.stays[group] else [p for p in range(1, len(gaps)) if size <= gaps[p]]
        dealt[group] = fits[0] if fits else 0
        gaps[dealt[group]] -= size
    return dealt


@settings(deadline=None)
@given(KEYS, WEIGHTS, st.integers(-2, 5), st.sets(st.sampled_from("abcdefghij")))
def test_groups_stay_whole_no_part_is_empty_and_no_target_is_passed_but_to_fill_a_part(keys, weights, seed, stay):
    column = Column.of(keys)
    grouping = Grouping.of("letter", column, np.array([name in stay for name in column.names]))
    targets = targets_of(weights)
    free = [g for g in range(grouping.n_groups) if not grouping.stays[g]]
    if grouping.n_groups < len(weights) or len(free) < len(weights) - 1:
        with pytest.raises(ImpossibleError):
            random(grouping, targets, seed)
        return
    split = random(grouping, targets, seed)
    assert_whole(split, grouping)
    in_reference = set(grouping.group_of_row[split.rows_in("p0")].tolist())
    assert not any(grouping.stays[g] for g in range(grouping.n_groups) if g not in in_reference)
    for part in targets.parts[1:]:
        groups = set(grouping.group_of_row[split.rows_in(part)].tolist())
        assert split.sizes[part] <= split.asked[part] or len(groups) == 1
    naive = first_fit(grouping, split.asked, seed)
    if len(set(naive.values())) == len(weights):
        assert naive == dict(zip(grouping.group_of_row.tolist(), split.part_of_row.tolist(), strict=True))


@settings(deadline=None)
@given(KEYS, WEIGHTS, st.integers(0, 3), st.data())
def test_a_part_holds_at_most_its_share_of_each_stratum_rounded_up(keys, weights, seed, data):
    grouping = Grouping.of("row", Column.of(map(str, range(len(keys)))))
    if grouping.n_groups < len(weights):
        return
    strata = Column.of([key if data.draw(st.booleans()) else None for key in keys])
    targets = targets_of(weights)
    split = random(grouping, targets, seed, strata)
    assert_whole(split, grouping)
    totals = Counter(strata.values())
    for part in targets.parts[1:]:
        held = Counter(v for v, there in zip(strata.values(), split.rows_in(part), strict=True) if there)
        for stratum, count in held.items():
            share = targets.fractions[part] * totals[stratum]
            assert stratum is None or split.sizes[part] == 1 or count < share + 1
    if all(split.sizes[part] > 1 for part in targets.parts[1:]):
        kept = {v for v, there in zip(strata.values(), split.rows_in("p0"), strict=True) if there}
        assert kept >= {stratum for stratum in totals if stratum}
    assert split.facts["strata_of_one_group"] == sorted(s for s in totals if s and totals[s] == 1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("stuv")), min_size=3, max_size=20), st.data())
def test_rows_may_come_in_any_order(rows, data):
    order = data.draw(st.permutations(range(len(rows))))

    def parts(which: list[int]) -> dict[int, int]:
        names = [str(i) for i in which]
        grouping = Grouping.of("row", Column.of(names))
        strata = Column.of(rows[i][1] for i in which)
        split = random(grouping, Targets({"train": "0.4", "val": "0.3", "test": "0.3"}), 1, strata)
        return dict(zip(which, split.part_of_row.tolist(), strict=True))

    assert parts(list(range(len(rows)))) == parts(list(order))


def test_equal_remainders_are_given_by_name_and_not_by_place():
    # Two of four strata of 3 rows get a second row in half of 12: whichever rows come first, s and t.
    for names in ("stuv", "vuts", "utvs"):
        values = [name for name in names for _ in range(3)]
        grouping = Grouping.of("row", Column.of(f"{name}{i}" for i, name in enumerate(values)))
        split = random(grouping, HALF, 0, Column.of(values))
        held = Counter(v for v, there in zip(values, split.rows_in("test"), strict=True) if there)
        assert held == {"s": 2, "t": 2, "u": 1, "v": 1}


def test_strata_of_one_group_take_no_row_from_those_that_have_several():
    values = ["a", "b", *"sss", *"ttt"]
    for seed in range(5):
        split = random(Grouping.of("row", Column.of(map(str, range(8)))), HALF, seed, Column.of(values))
        held = Counter(v for v, there in zip(values, split.rows_in("test"), strict=True) if there)
        assert held == {"s": 2, "t": 2}


def test_every_unit_divides():
    values = ["x", "x", "y", "z", "z", "z"]
    rows = Rows(
        np.array(list("123456"), dtype=np.dtypes.StringDType()),
        {"id": Column.of("123456"), "image": Column.of("aabbcc"), "origin": Column.of(values)},
        None,
        np.zeros(6, dtype=bool),
    )
    assert plugin("grouper", "row").make(rows).n_groups == 6
    for column, n_groups in (("image", 3), ("origin", 3), ("id", 6)):
        grouping = by(rows, column)
        assert (grouping.unit, grouping.n_groups) == (column, n_groups)
        assert_whole(random(grouping, HALF), grouping)
    with pytest.raises(UnknownNameError, match=r'no column "imge".*"image"'):
        by(rows, "imge")


def test_groups_that_must_stay_leave_too_few_for_the_other_parts():
    column = Column.of("abcd")
    grouping = Grouping.of("image", column, np.array([True, True, True, False]))
    with pytest.raises(ImpossibleError, match="val, test need at least 2 images that may leave train, there are 1"):
        random(grouping, Targets({"train": "1/2", "val": "1/4", "test": "1/4"}))


def test_a_part_that_nothing_fits_gets_the_smallest_group_that_can_be_spared():
    # Five groups stay; both others fit val, none fits test, and train, with most groups, has none to give.
    column = Column.of("aabcdefg")
    stays = np.array([name in "cdefg" for name in column.names])
    split = random(Grouping.of("image", column, stays), Targets({"train": "0.5", "val": "0.45", "test": "0.05"}))
    assert split.asked == {"train": 5, "val": 3, "test": 0}
    assert split.sizes == {"train": 5, "val": 2, "test": 1}


def test_another_seed_gives_another_split():
    grouping = Grouping.of("row", Column.of(map(str, range(40))))
    assert len({random(grouping, HALF, seed).part_of_row.tobytes() for seed in range(10)}) == 10

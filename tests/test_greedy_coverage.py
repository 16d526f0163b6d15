"""greedy-coverage against a naive twin, written from the wording of the procedure ("a turn") and from nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import UsageError
from compsplit.kernels.bit_tree import add, bit_tree, discard, next_member
from compsplit.model import Column, Grouping, Targets, bagged
from compsplit.registry import plugin
from compsplit.splitters import Problem

MASK = (1 << 64) - 1
THIRD = Targets({"train": "2/3", "test": "1/3"})


@dataclass
class Group:
    name: str
    rows: list[list[int]]
    stays: bool = False

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def concepts(self) -> set[int]:
        return {c for row in self.rows for c in row}


def rank(name: str, seed: int) -> int:
    def hashed(text: str) -> int:
        return int(hashlib.blake2b(text.encode(), digest_size=8).hexdigest(), 16)

    z = hashed(name) ^ hashed(f"seed {seed}")
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def naive_turns(groups: list[Group], target: int, seed: int, covering: bool = True) -> tuple[set[str], int]:
    """Return the names of the test groups and the number of covering turns."""
    order = sorted(groups, key=lambda g: rank(g.name, seed))
    train = [g for g in order if g.stays]
    test: list[Group] = []
    needed: set[int] = set()
    turns = 0

    def covered() -> set[int]:
        return {c for g in train for c in g.concepts}

    for visited in order:
        if visited in train or visited in test:
            continue
        if sum(g.size for g in test) + visited.size > target:
            train.append(visited)
            needed -= visited.concepts
            continue
        test.append(visited)
        needed |= visited.concepts - covered()
        if not covering:
            continue
        best: Group | None = None
        for candidate in order:
            if candidate in train or candidate in test or not candidate.concepts & needed:
                continue
            if best is None or len(candidate.concepts & needed) > len(best.concepts & needed):
                best = candidate
        if best is not None:
            train.append(best)
            needed -= best.concepts
            turns += 1
    return {g.name for g in test}, turns


def problem(groups: list[Group], targets: Targets = THIRD, seed: int = 0) -> Problem:
    rows = [(g.name, row) for g in groups for row in g.rows]
    names = Column.of(name for name, _ in rows)
    stays = {g.name: g.stays for g in groups}
    grouping = Grouping.of("group", names, np.array([stays[name] for name in names.names], dtype=bool))
    bags = np.arange(len(rows), dtype=np.int32)
    incidence = bagged("concepts", bags, [row for _, row in rows], tuple(f"c{i}" for i in range(10)))
    return Problem(grouping, targets, seed, incidence)


def in_test(groups: list[Group], targets: Targets = THIRD, seed: int = 0, covering: bool = True) -> set[str]:
    made = problem(groups, targets, seed)
    split = plugin("splitter", "greedy-coverage").make(made, covering=covering)
    return {made.grouping.names[g] for g in made.grouping.group_of_row[split.rows_in("test")].tolist()}


def in_order(names: list[str], seed: int = 0) -> list[str]:
    return sorted(names, key=lambda name: rank(name, seed))


GROUPS = st.lists(
    st.builds(
        Group,
        name=st.text(alphabet="abcxyz", min_size=1, max_size=3),
        rows=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=3),
        stays=st.sampled_from([False, False, False, False, True]),
    ),
    min_size=1,
    max_size=14,
    unique_by=lambda g: g.name,
)
SHARES = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1, 10), Fraction(9, 10)])


@settings(max_examples=n_shown(500), deadline=None)  # the first example compiles the kernel
@given(GROUPS, SHARES, st.integers(-3, 3), st.booleans())
def test_the_kernel_deals_as_the_wording_does(groups, share, seed, covering):
    targets = Targets({"train": 1 - share, "test": share})
    made = problem(groups, targets, seed)
    split = plugin("splitter", "greedy-coverage").make(made, covering=covering)
    target = targets.sizes(sum(g.size for g in groups))["test"]
    expected, turns = naive_turns(groups, target, seed, covering)
    got = {made.grouping.names[g] for g in made.grouping.group_of_row[split.rows_in("test")].tolist()}
    assert got == expected
    assert split.facts["covering_turns"] == turns
    assert split.sizes["test"] == sum(g.size for g in groups if g.name in expected) <= target
    assert split.asked["test"] == target


# --- made examples, in which g0, g1, ... are visited in this order


def visited(*rows_of_groups: list[list[int]], stays: tuple[int, ...] = ()) -> tuple[list[Group], list[str]]:
    names = in_order([f"g{i}" for i in range(len(rows_of_groups))])
    groups = [Group(n, rows, i in stays) for i, (n, rows) in enumerate(zip(names, rows_of_groups, strict=True))]
    return groups, names


def test_the_covering_step_raises_coverage():
    groups, names = visited([[0]], [[0]], [[1]], [[1]], [[2]], [[2]])

    def coverage(test: set[str]) -> Fraction:
        concepts = {c for g in groups if g.name in test for c in g.concepts}
        shown = {c for g in groups if g.name not in test for c in g.concepts}
        return Fraction(len(concepts & shown), len(concepts))

    # With it, each tested group's twin goes to train at once; without it both are tested, and train lacks concept 0.
    assert in_test(groups) == {names[0], names[2]}
    assert in_test(groups, covering=False) == {names[0], names[1]}
    assert coverage(in_test(groups)) == 1
    assert coverage(in_test(groups, covering=False)) == 0


def test_test_stops_at_its_target():
    groups, _ = visited(*[[[i % 10]] for i in range(20)])
    assert len(in_test(groups)) == 20 // 3


def test_a_group_that_does_not_fit_goes_to_train_and_covers_without_a_turn():
    # Target 2 of 6 rows: g0 fits, g1 (3 rows) does not and covers concept 5 before g2 needs it, so no turn takes g3.
    groups, names = visited([[0]], [[5], [5], [5]], [[5]], [[5]])
    made = problem(groups)
    split = plugin("splitter", "greedy-coverage").make(made)
    assert in_test(groups) == {names[0], names[2]}
    assert split.facts["covering_turns"] == 0


def test_of_equally_good_groups_the_earliest_covers():
    groups, names = visited([[0, 1]], [[0]], [[1]], [[2]], [[3]], [[4]])
    assert in_test(groups) == {names[0], names[2]}


def test_a_group_with_more_needed_concepts_covers_before_an_earlier_one():
    groups, names = visited([[0, 1]], [[0]], [[0, 1]], [[2]], [[3]], [[4]])
    assert in_test(groups) == {names[0], names[1]}


def test_a_repeated_concept_is_needed_once():
    # g1 holds concept 0 three times, g2 two different needed concepts.
    groups, names = visited([[0, 0, 1]], [[0, 0, 0]], [[0, 1]], [[2]], [[3]], [[4]])
    assert in_test(groups) == {names[0], names[1]}


def test_groups_that_stay_are_in_train_and_cover_from_the_start():
    # g3 stays and shows concept 0, so g0 needs nothing, and g1, which could cover it, is still free to be tested.
    groups, names = visited([[0]], [[0]], [[1]], [[0]], [[2]], [[3]], stays=(3,))
    assert in_test(groups) == {names[0], names[1]}


@settings(deadline=None)
@given(GROUPS, st.integers(0, 3))
def test_no_group_is_torn_and_rows_may_come_in_any_order(groups, seed):
    one = in_test(groups, seed=seed)
    backwards = [Group(g.name, g.rows[::-1], g.stays) for g in groups[::-1]]
    assert in_test(backwards, seed=seed) == one


def test_more_than_two_parts_are_refused_by_name():
    three = Targets({"train": "1/3", "val": "1/3", "test": "1/3"})
    with pytest.raises(UsageError, match="greedy-coverage makes two parts, got train, val, test"):
        plugin("splitter", "greedy-coverage").make(problem([Group("a", [[0]])], three))


def test_without_concepts_there_is_nothing_to_cover():
    made = problem([Group("a", [[0]])])
    with pytest.raises(UsageError, match="looks at concepts"):
        plugin("splitter", "greedy-coverage").make(Problem(made.grouping, made.targets))


# --- the set of whole numbers that the kernel waits in


@settings(deadline=None)
@given(st.integers(1, 5000), st.data())
def test_the_bit_tree_finds_the_next_member_as_a_sorted_list_does(n, data):
    few = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6))
    words, floors = bit_tree(n)
    members: set[int] = set()
    for member in data.draw(st.lists(st.sampled_from(few), max_size=20)):
        (discard if member in members else add)(words, floors, member)
        members ^= {member}
        for start in (0, member, *few):
            assert next_member(words, floors, start) == min((m for m in members if m >= start), default=-1)


def test_a_bit_tree_of_several_floors_is_searched_across_its_words():
    words, floors = bit_tree(64**3 + 1)
    assert len(floors) == 4
    full, its_floors = bit_tree(64**2)
    add(full, its_floors, 5)
    assert next_member(full, its_floors, 64**2 - 1) == -1
    for member in (0, 63, 64, 64**2, 64**3):
        add(words, floors, member)
    assert [next_member(words, floors, start) for start in (0, 1, 64, 65, 64**2 + 1, 64**3)] == [
        0, 63, 64, 64**2, 64**3, 64**3,
    ]  # fmt: skip

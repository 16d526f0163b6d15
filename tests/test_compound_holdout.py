"""Compounds held out of train: what is promised, held against audits and naive twins; real files; one command."""

from __future__ import annotations

import csv
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import ImpossibleError, OptionValueError, UsageError
from compsplit.model import Column, Grouping, Rows, Split, Targets, texts
from compsplit.model.compounds import Compounds, ObjectPairs, combined, counted_by_row, occurring
from compsplit.order import name_hashes, seeded_order
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import Stage
from compsplit.recipe.readings import asked_by
from compsplit.recipe.reporting import audited, grouped
from compsplit.registry import plugin
from compsplit.splitters import Fold, Problem
from compsplit.splitters.listing import listed_compounds

HOLDOUT = plugin("splitter", "compound-holdout")

Pair = tuple[str, str]
Row = tuple[str, tuple[Pair, ...]]
"""The group of a row, and its pairs of a colour and a shape."""


def pairs_of(rows: Sequence[Row]) -> Compounds:
    """Return the pairs of rows as compounds."""
    owners = np.array([i for i, (_, pairs) in enumerate(rows) for _ in pairs], dtype=np.int64)
    members = [Column.of([pair[k] for _, pairs in rows for pair in pairs]) for k in (0, 1)]
    atoms = [occurring(name, len(rows), owners, c) for name, c in zip(("color", "shape"), members, strict=True)]
    return combined("color+shape", "combination", len(rows), owners, members, (0, 1), atoms, {})


def objects_of(rows: Sequence[Sequence[str]]) -> ObjectPairs:
    """Return the pairs of the objects of rows."""
    owners = np.array([i for i, row in enumerate(rows) for _ in row], dtype=np.int64)
    return ObjectPairs(occurring("object classes", len(rows), owners, Column.of([c for row in rows for c in row])))


def problem_of(
    compounds: Compounds | ObjectPairs,
    groups: Sequence[str],
    share: str = "1/2",
    seed: int = 0,
    fold: Fold | None = None,
    stays: Iterable[str] = (),
) -> Problem:
    ids = Column.of([f"r{i:04}" for i in range(len(groups))])
    image = Column.of(groups)
    rows = Rows(
        texts(ids.names), {"id": ids, "image": image}, None, np.zeros(len(groups), dtype=bool),
        compounds={compounds.of: compounds},
    )  # fmt: skip
    grouping = Grouping.of("image", image, np.array([name in set(stays) for name in image.names], dtype=bool))
    targets = Targets({"train": f"{1 - Fraction(share)}", "test": share})
    return Problem(grouping, targets, seed, None, None, rows, fold)


def held_out(rows: Sequence[Row], share: str = "1/2", seed: int = 0, **options: Any) -> tuple[Split, Problem]:
    fold = options.pop("fold", None)
    stays = options.pop("stays", ())
    problem = problem_of(pairs_of(rows), [group for group, _ in rows], share, seed, fold, stays)
    return HOLDOUT.make(problem, **options), problem


def names_held(split: Split) -> set[str]:
    assert split.held is not None
    return set(split.held.names)


def single(*pairs: str) -> list[Row]:
    """Return one row a pair, such as "red cube", each its own group."""
    return [(f"g{i:03}", ((pair.split()[0], pair.split()[1]),)) for i, pair in enumerate(pairs)]


GRID = [f"{color} {shape}" for color in ("red", "blue", "gray") for shape in ("cube", "ball", "cone")]

# --- by hand


def test_rows_with_a_held_out_combination_are_test_and_no_others():
    split, _ = held_out(single(*GRID, *GRID), "1/3")
    assert split.sizes == {"train": 12, "test": 6}
    assert split.facts["combinations held out"] == 3
    in_test = [pair for pair, part in zip(GRID * 2, split.part_of_row.tolist(), strict=True) if part == 1]
    assert Counter(Counter(in_test).values()) == {2: 3}
    assert {pair.replace(" ", " | ") for pair in in_test} == names_held(split)


def test_a_combination_whose_atom_nobody_else_shows_stays_in_train():
    # pink is in one group only: it can never be held out, and a share that only it could fill is not reached.
    rows = single("pink cube", "red cube", "red ball", "blue ball", "blue cube")
    for seed in range(10):
        split, _ = held_out(rows, "4/5", seed)
        assert split.part_of_row[0] == 0
        assert split.facts["rows_that_cannot_move"] == 1
        assert split.facts["in_the_way"] == [["pink", 1]]
        assert split.facts["ceiling"] == 4


def test_each_atom_of_test_keeps_k_groups_of_train():
    # Three groups show each colour and each shape; with k = 2 one of them may go, with k = 3 none.
    assert held_out(single(*GRID), "1/2", k=2)[0].sizes["test"] == 3
    with pytest.raises(
        ImpossibleError, match=r"9 would leave an atom of test in fewer than 3 train groups \("
    ) as refused:
        held_out(single(*GRID), "1/2", k=3)
    assert refused.value.exit_code == 3


def test_the_rarest_or_the_commonest_come_first():
    rows = single(*GRID * 3, *["red cube"] * 5, *["blue ball"] * 2)
    rare, _ = held_out(rows, "1/8", choose="rarest")
    common, _ = held_out(rows, "1/4", choose="commonest")
    assert "red | cube" in names_held(common)
    assert common.sizes["test"] == 8
    assert not names_held(rare) & {"red | cube", "blue | ball"}
    assert rare.facts["held_out"] == [[name, 3] for name in sorted(names_held(rare))]


def test_a_group_goes_whole_and_takes_all_groups_of_the_combination_along():
    rows: list[Row] = [
        ("i", (("red", "cube"), ("blue", "ball"))), ("i", (("gray", "cone"),)),
        ("j", (("red", "cube"),)), ("k", (("blue", "ball"),)), ("k", (("gray", "cone"), ("red", "ball"))),
        ("l", (("blue", "cube"), ("gray", "ball"), ("red", "cone"))), ("m", ()),
    ]  # fmt: skip
    split, _ = held_out(rows, "1/2", choose="pattern", pattern="red | cube")
    assert split.part_of_row.tolist() == [1, 1, 1, 0, 0, 0, 0]
    left, _ = held_out(rows, "1/2", choose="pattern", pattern="red | cube", extra="leave-out")
    assert left.part_of_row.tolist() == [1, -1, 1, 0, 0, 0, 0]
    assert left.left_out is not None
    assert left.left_out[1] == "in a group of test without a held-out combination"


def test_a_group_that_must_stay_in_train_keeps_its_combinations_there():
    rows = single(*GRID)
    for seed in range(5):
        split, _ = held_out(rows, "1/3", seed, stays=["g000"])
        assert split.part_of_row[0] == 0
    with pytest.raises(ImpossibleError, match="1 are in a group that stays in train"):
        held_out(rows, "1/3", choose="pattern", pattern="red | cube", stays=["g000"])


def test_what_is_too_large_is_passed_over_for_smaller_ones():
    rows = single(*GRID, *["red cube"] * 20)
    for seed in range(10):
        split, _ = held_out(rows, "1/9", seed)
        assert split.sizes["test"] == 3
        assert "red | cube" not in names_held(split)


def test_one_that_shares_groups_with_others_takes_only_those_that_are_left():
    # red cube is in groups a to d and blue ball in a to c: both are in 4 rows, as many as test has room for.
    rows: list[Row] = [(g, (("red", "cube"), ("blue", "ball"))) for g in "abc"]
    rows += [("d", (("red", "cube"),)), ("e", (("red", "ball"),)), ("f", (("blue", "cube"),))]
    rows += [(g, (("red", "ball"), ("blue", "cube"))) for g in "gh"]
    for seed in range(6):
        split, _ = held_out(rows, "1/2", seed, choose="pattern", pattern=["red | cube", "blue | ball"])
        assert names_held(split) == {"red | cube", "blue | ball"}
        assert split.sizes["test"] == 4


# --- lists and patterns


def listed(tmp_path: Path, text: str) -> str:
    path = tmp_path / "unseen.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "red | cube\nblue | ball\n", "red,cube\nblue,ball", "red cube\r\nblue ball\r\n", "red\tcube\nblue\tball\n",
        "cube red\nball blue\n", "color,shape\nred,cube\nblue,ball\n", "\ufeffred , cube\n\n  blue | ball \n",
    ],
)  # fmt: skip
def test_a_list_names_combinations_in_any_of_the_usual_ways(tmp_path, text):
    split, _ = held_out(single(*GRID), "1/2", choose="list", held_out=listed(tmp_path, text))
    assert names_held(split) == {"red | cube", "blue | ball"}
    assert split.sizes["test"] == 2
    assert split.facts["listed"] == 2


def test_parts_with_spaces_commas_and_bars_are_told_by_quotes(tmp_path):
    rows: list[Row] = [
        (f"g{i}", ((a, b),)) for i, (a, b) in enumerate((a, b) for a in ("dark red", "a|b") for b in ("big, cube", "x"))
    ]
    split, _ = held_out(rows, "1/2", choose="list", held_out=listed(tmp_path, 'dark red,"big, cube"\na|b,x\n'))
    assert names_held(split) == {"dark red | big, cube", "a\\|b | x"}


def test_entries_that_no_row_has_stop_or_are_counted(tmp_path):
    text = "red cube\nred cub\nblue ball\nred cube\npink cone\n"
    with pytest.raises(UsageError) as refused:
        held_out(single(*GRID), "1/2", choose="list", held_out=listed(tmp_path, text))
    assert refused.value.message == (
        "unseen.txt: 2 of 5 entries are no combination of these rows (line 2: red cub, line 5: pink cone). "
        'Did you mean "red | cube"? Mend the list, or pass over such entries with --set split.absent=pass-over, which '
        "counts them."
    )
    assert refused.value.record == 2
    assert refused.value.facts["absent"] == ["red cub", "pink cone"]
    file = listed(tmp_path, text)
    split, _ = held_out(single(*GRID), "1/2", choose="list", held_out=file, absent="pass-over")
    assert names_held(split) == {"red | cube", "blue | ball"}
    assert (split.facts["listed_but_absent"], split.facts["listed_twice"]) == (2, 1)


def test_a_list_that_leaves_atoms_unseen_says_which_and_what_could_be(tmp_path):
    text = "red cube\nred ball\nred cone\nblue ball\n"
    with pytest.raises(ImpossibleError) as refused:
        held_out(single(*GRID), "1/2", choose="list", held_out=listed(tmp_path, text))
    assert refused.value.facts["not held out"] == ["red | cone"]
    assert refused.value.facts["atoms in the way"] == ["red"]
    assert refused.value.facts["largest"] == 3
    assert "1 would leave an atom of test in fewer than 1 train group (red)" in refused.value.message
    assert "split.blocked=train" in refused.value.message
    kept, _ = held_out(single(*GRID), "1/2", choose="list", held_out=listed(tmp_path, text), blocked="train")
    assert names_held(kept) == {"red | cube", "red | ball", "blue | ball"}
    assert kept.facts["kept_in_train"] == 1


def test_a_list_larger_than_the_target_says_which_share_would_do(tmp_path):
    text = "red cube\nblue ball\ngray cone\n"
    with pytest.raises(
        ImpossibleError, match=r"take test past its target of 2 rows.*ask for a share of 3/9"
    ) as refused:
        held_out(single(*GRID), "2/9", choose="list", held_out=listed(tmp_path, text))
    assert refused.value.facts["largest"] == 3
    assert held_out(single(*GRID), "3/9", choose="list", held_out=listed(tmp_path, text))[0].sizes["test"] == 3


def test_a_pattern_narrows_down_what_is_chosen():
    split, _ = held_out(single(*GRID * 2), "1/9", choose="commonest", pattern=["red | c?be", "[bx]lue | *"])
    assert len(names_held(split)) == 1
    assert all(name.startswith(("blue", "red | cube")) for name in names_held(split))
    with pytest.raises(UsageError, match=r"has a name like pink \| \*; they are called"):
        held_out(single(*GRID), choose="random", pattern="pink | *")


def test_a_pattern_that_would_never_end_as_a_regular_expression_ends():
    rows = single("a" * 40 + "! cube", "red ball", "red cube", "blue ball")
    started = time.monotonic()
    with pytest.raises(UsageError, match="has a name like"):
        held_out(rows, pattern="*a*a*a*a*a*a*a*a*a*a*a*b")
    assert time.monotonic() - started < 5


def test_scenes_fold_case_and_so_do_patterns(shared):
    path = shared / "data/vrd/annotations_test.json"
    runs = [api.run("holdout_hoi", path, settings=[f"split.pattern={name}"]) for name in ("Person |  *", "person | *")]
    assert runs[0].parts == runs[1].parts


def test_what_only_rows_that_are_not_divided_have_is_absent(tmp_path):
    rows = single(*GRID)
    whole = problem_of(pairs_of(rows), [group for group, _ in rows])
    part = whole.taken(np.flatnonzero([pair != "red cube" for pair in GRID]))
    with pytest.raises(UsageError, match="line 1: red cube"):
        HOLDOUT.make(part, choose="list", held_out=listed(tmp_path, "red cube\nblue ball\n"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"choose": "list"}, "say which file"),
        ({"held_out": "x.txt"}, 'choose is "random"'),
        ({"choose": "pattern"}, r"takes names with \*"),
        ({"choose": "list", "held_out": "x.txt", "pattern": "red"}, "has no use"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options, told):
    with pytest.raises(UsageError, match=told):
        held_out(single(*GRID), **options)


def test_k_is_at_least_one():
    with pytest.raises(OptionValueError, match=r"split\.k is 0; expected a whole number of at least 1"):
        held_out(single(*GRID), k=0)


def test_without_anything_to_hold_out_the_error_says_so():
    with pytest.raises(ImpossibleError, match="The rows have no combination"):
        held_out([("g", ()), ("h", ())])


def test_where_nothing_fits_the_smallest_that_would_is_named():
    with pytest.raises(
        ImpossibleError, match=r"The smallest that could is .* in 2 rows: ask for a share of at least 2/18"
    ):
        held_out(single(*GRID * 2), "1/18")


# --- promises

ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcdefghijkl"),
        st.lists(st.tuples(st.sampled_from("rbg"), st.sampled_from("xyz")), max_size=3).map(tuple),
    ),
    min_size=4,
    max_size=24,
)
OBJECTS = st.lists(st.lists(st.sampled_from("vwxyz"), max_size=4), min_size=4, max_size=20)
SHARES = st.sampled_from(["1/10", "1/4", "1/2", "3/4"])
CHOICES = st.sampled_from(["random", "rarest", "commonest"])


def broken_promises(problem: Problem, split: Split, options: dict[str, Any]) -> list[str]:
    """Return the checks of the guarantee that the audits find broken."""
    assert problem.rows is not None
    placed = np.flatnonzero(split.placed)
    rows = grouped(problem.rows, problem.grouping).taken(placed)
    checks = guaranteed(Stage(HOLDOUT, options), rows, split.parts)
    measures = audited(rows, split.taken(placed), further=asked_by(checks)).measures
    assert len(checks) == 3  # torn groups, what is novel, what is shown
    return [check.written for check in checks if check.broken(measures)]


class Naive:
    """Rows as sets, by group."""

    def __init__(self, groups: Sequence[str], pairs: Sequence[set[str]], atoms: Sequence[set[str]], moved: set[str]):
        self.groups = sorted(set(groups))
        self.size = Counter(groups)
        self.pairs = {g: set().union(*(p for h, p in zip(groups, pairs, strict=True) if h == g)) for g in self.groups}
        self.atoms = {g: set().union(*(a for h, a in zip(groups, atoms, strict=True) if h == g)) for g in self.groups}
        self.moved = moved

    def could_move(self, pair: str, room: int, k: int) -> bool:
        further = {g for g in self.groups if pair in self.pairs[g]} - self.moved
        if not further or sum(self.size[g] for g in further) > room:
            return False
        train = set(self.groups) - self.moved - further
        needed = set().union(*(self.atoms[g] for g in further))
        return all(sum(a in self.atoms[g] for g in train) >= k for a in needed)

    def every_pair(self) -> set[str]:
        return set().union(*self.pairs.values())


def naive_of(problem: Problem, split: Split | None) -> Naive:
    assert problem.rows is not None
    compounds = listed_compounds(next(iter(problem.rows.compounds.values())))
    groups = problem.rows.column("image").values()
    kinds = compounds.atoms.each if hasattr(compounds.atoms, "each") else (compounds.atoms,)

    def of_row(incidence: Any, row: int) -> set[str]:
        bag = incidence.bag_of_row[row]
        return {incidence.names[c] for c in incidence.concepts[incidence.starts[bag] : incidence.starts[bag + 1]]}

    pairs = [of_row(compounds.rows, i) for i in range(len(groups))]
    atoms = [{f"{k} {a}" for k, kind in enumerate(kinds) for a in of_row(kind, i)} for i in range(len(groups))]
    moved = set() if split is None else {g for g, part in zip(groups, split.part_of_row.tolist(), strict=True) if part}
    return Naive(groups, pairs, atoms, moved)


def check_promises(problem: Problem, options: dict[str, Any]) -> None:
    target = problem.targets.sizes(len(problem.grouping.group_of_row))["test"]
    k = options["k"]
    before = naive_of(problem, None)
    try:
        split = HOLDOUT.make(problem, **options)
    except ImpossibleError:
        assert not any(before.could_move(pair, target, k) for pair in before.every_pair())
        return
    assert broken_promises(problem, split, options) == []
    assert split.sizes["test"] <= target
    after = naive_of(problem, split)
    room = target - sum(after.size[g] for g in after.moved)
    assert not any(after.could_move(pair, room, k) for pair in after.every_pair())
    held = names_held(split)
    in_train = set().union(*(after.pairs[g] for g in after.groups if g not in after.moved))
    assert held
    assert not held & in_train
    assert all(held & after.pairs[g] for g in after.moved)
    if options.get("extra") == "leave-out":
        assert split.held is not None
        assert (np.diff(split.held.starts)[split.held.bag_of_row[split.rows_in("test")]] > 0).all()


@settings(max_examples=n_shown(200))
@given(ROWS, SHARES, st.integers(0, 3), CHOICES, st.integers(1, 2), st.sampled_from(["test", "leave-out"]))
def test_the_audits_find_the_guarantee_kept_and_no_combination_is_left_that_could_be_held_out(
    rows, share, seed, choose, k, extra
):
    problem = problem_of(pairs_of(rows), [group for group, _ in rows], share, seed)
    check_promises(problem, {"choose": choose, "k": k, "extra": extra})


@settings(max_examples=n_shown(200))
@given(OBJECTS, SHARES, st.integers(0, 3), CHOICES, st.integers(1, 2))
def test_the_audits_find_the_guarantee_kept_for_pairs_of_objects(scenes, share, seed, choose, k):
    groups = [f"s{i:02}" for i in range(len(scenes))]
    check_promises(problem_of(objects_of(scenes), groups, share, seed), {"choose": choose, "k": k})


@settings(max_examples=n_shown(60))
@given(ROWS, SHARES, st.randoms())
def test_the_order_of_rows_changes_nothing(rows, share, shuffling):
    named = [(f"{i:02}", *row) for i, row in enumerate(rows)]
    shuffled = named.copy()
    shuffling.shuffle(shuffled)
    results = []
    for each in (named, shuffled):
        try:
            split, _ = held_out([row[1:] for row in each], share)
        except ImpossibleError as error:
            results.append(error.message)
            continue
        parts = dict(zip((row[0] for row in each), split.part_of_row.tolist(), strict=True))
        results.append((parts, json.dumps(dict(split.facts))))
    assert results[0] == results[1]


@given(OBJECTS)
def test_listed_pairs_are_those_of_the_objects(scenes):
    listing = listed_compounds(objects_of(scenes))
    rows = listing.rows
    for i, scene in enumerate(scenes):
        bag = rows.bag_of_row[i]
        found = {rows.names[c] for c in rows.concepts[rows.starts[bag] : rows.starts[bag + 1]]}
        assert found == {" | ".join(sorted(pair)) for pair in combinations(scene, 2)}
    names = listing.atoms.names
    for c, name in enumerate(rows.names):
        assert name == " | ".join(names[a] for a in listing.parts[2 * c : 2 * c + 2])


# --- the kernel


def naive_hold_out(candidates, holders, sizes, stays, atoms, k, gap, every, trial):
    """Try compounds one by one on sets."""
    from compsplit.kernels import holdout

    moved: set[int] = set()
    outcome = {}
    for c in candidates:
        further = [g for g in holders[c] if g not in moved]
        if any(stays[g] for g in further):
            outcome[c] = holdout.STAYS
        elif not further:
            outcome[c] = holdout.HELD if every else holdout.BESIDES
        elif sum(sizes[g] for g in further) > gap:
            outcome[c] = holdout.TOO_LARGE
        else:
            left = [g for g in range(len(sizes)) if g not in moved and g not in further]
            needed = {a for g in further for a in atoms[g]}
            if all(sum(a in atoms[g] for g in left) >= k for a in needed):
                outcome[c] = holdout.HELD
                if not trial:
                    moved |= set(further)
                    gap -= sum(sizes[g] for g in further)
            else:
                outcome[c] = holdout.BLOCKED
    return moved, outcome, gap


def ragged(lists: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    starts = np.append(0, np.cumsum([len(each) for each in lists])).astype(np.int64)
    return starts, np.array([x for each in lists for x in each], dtype=np.int32)


@settings(max_examples=n_shown(150))
@given(st.data())
def test_the_kernel_does_what_its_naive_twin_does(data):
    from compsplit.kernels.holdout import BLOCKED, hold_out

    n = data.draw(st.integers(1, 8))
    members = st.lists(st.integers(0, n - 1), max_size=4, unique=True).map(sorted)
    holders = data.draw(st.lists(members, min_size=1, max_size=7))
    atoms = data.draw(
        st.lists(st.lists(st.integers(0, 5), max_size=4, unique=True).map(sorted), min_size=n, max_size=n)
    )
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    stays = data.draw(st.lists(st.sampled_from([False, False, False, True]), min_size=n, max_size=n))
    candidates = data.draw(st.permutations(range(len(holders))))
    k, gap = data.draw(st.integers(1, 2)), data.draw(st.integers(0, 12))
    every, trial = data.draw(st.booleans()), data.draw(st.booleans())
    starts, flat = ragged(atoms)
    shown = np.bincount(flat, minlength=6).astype(np.int64)
    moved = np.zeros(n, dtype=bool)
    outcome, way = np.zeros(len(holders), dtype=np.int8), np.full(len(holders), -1, dtype=np.int32)
    left = hold_out(
        np.array(candidates, dtype=np.int64), *ragged(holders), np.array(sizes, dtype=np.int64),
        np.array(stays), starts, flat, shown, k, gap, every, trial, moved, outcome, way,
    )  # fmt: skip
    their_moved, their_outcome, their_left = naive_hold_out(
        candidates, holders, sizes, stays, atoms, k, gap, every, trial
    )
    assert set(np.flatnonzero(moved).tolist()) == their_moved
    assert dict(enumerate(outcome.tolist())) == their_outcome
    assert left == their_left
    assert shown.tolist() == [sum(a in atoms[g] for g in range(n) if not moved[g]) for a in range(6)]
    for c in np.flatnonzero(outcome == BLOCKED).tolist():
        assert any(way[c] in atoms[g] for g in holders[c])


# --- folds


def test_folds_deal_each_combination_to_one_fold_and_rows_evenly():
    rows = single(*GRID * 4)
    splits = [held_out(rows, "1/2", 3, fold=Fold(i, 3))[0] for i in (1, 2, 3)]
    held = [names_held(split) for split in splits]
    assert [len(names) for names in held] == [3, 3, 3]
    assert set().union(*held) == {pair.replace(" ", " | ") for pair in GRID}
    assert (sum((split.part_of_row for split in splits), np.zeros(36, dtype=np.int16)) == 1).all()


@settings(max_examples=n_shown(60))
@given(ROWS, st.integers(2, 4), st.integers(0, 2))
def test_no_combination_is_held_out_in_two_folds(rows, k, seed):
    held = []
    for number in range(1, k + 1):
        try:
            split, problem = held_out(rows, "1/2", seed, fold=Fold(number, k))
        except ImpossibleError:
            continue
        held.append(names_held(split))
        assert broken_promises(problem, split, {}) == []
    assert all(not one & other for one, other in combinations(held, 2))


# --- real files


def triples_of(shared: Path) -> dict[str, set[tuple[int, int, int]]]:
    """Return the triples of each VRD image as the file has them, but for those of an object with itself."""
    images = json.loads((shared / "data/vrd/annotations_test.json").read_text())

    def same(each: Any) -> bool:
        return (each["subject"]["category"], each["subject"]["bbox"]) == (
            each["object"]["category"], each["object"]["bbox"],
        )  # fmt: skip

    return {
        name: {
            (each["subject"]["category"], each["predicate"], each["object"]["category"])
            for each in relations
            if not same(each)
        }
        for name, relations in images.items()
    }


@pytest.mark.large
@pytest.mark.parametrize(("recipe", "k"), [("holdout_triples_vrd", 1), ("holdout_triples_vrd", 3), ("holdout_hoi", 1)])
def test_every_test_image_of_vrd_shows_a_triple_that_train_shows_only_in_parts(shared, recipe, k):
    names = json.loads((shared / "data/vrd/objects.json").read_text())
    person = names.index("person")
    run = api.run(recipe, shared / "data/vrd/annotations_test.json", settings=[f"split.k={k}"])
    triples = triples_of(shared)
    assert {part: len(ids) for part, ids in run.parts.items()} == {"train": 800, "test": 200}
    stem = {name.rsplit(".", 1)[0]: name for name in triples}
    shown = [triples[stem.get(name, name)] for name in run.parts["train"]]
    seen = set().union(*shown)
    classes = Counter(a for image in shown for a in {a for s, _, o in image for a in (s, o)})
    predicates = Counter(p for image in shown for p in {p for _, p, _ in image})
    for name in run.parts["test"]:
        asked = triples[stem.get(name, name)]
        new = {t for t in asked if t not in seen and (recipe != "holdout_hoi" or t[0] == person)}
        assert new
        assert min([*(classes[a] for s, _, o in asked for a in (s, o)), *(predicates[p] for _, p, _ in asked)]) >= k
    assert not [finding for finding in run.report.findings if finding.level == "fail"]


@pytest.mark.large
def test_every_test_scene_of_clevr_has_a_pair_of_objects_that_train_lacks(shared):
    path = shared / "data/clevr/too_clevr/CLEVR_train_scenes_1000.json"
    run = api.run("holdout_pairs_clevr", path)
    pairs = {
        scene["image_filename"].rsplit(".", 1)[0]: {
            tuple(sorted(pair)) for pair in combinations([f"{o['shape']} {o['color']}" for o in scene["objects"]], 2)
        }
        for scene in json.loads(path.read_text())["scenes"]
    }
    seen = set().union(*(pairs[name] for name in run.parts["train"]))
    classes = {c for pair in seen for c in pair}
    assert 195 <= len(run.parts["test"]) <= 200
    assert all(pairs[name] - seen for name in run.parts["test"])
    assert {c for name in run.parts["test"] for pair in pairs[name] for c in pair} <= classes
    # A pair hold-out tells by novel pairs, not by AvgCoPair, which stays near the 20.8 pairs of a scene.
    measures = {m.name: m.number for m in run.report.measures if m.of == "object pairs"}
    assert measures["novel-compounds-a-row"] >= 1
    assert measures["avg-co-pair"] > 15


def zappos(shared: Path) -> list[Path]:
    return [shared / f"data/ut_zappos_czsl/{part}_pairs.txt" for part in ("train", "val", "test")]


def test_unseen_pairs_of_ut_zappos_have_attributes_and_objects_that_train_shows(shared):
    run = api.run("czsl_utzappos", *zappos(shared))
    pairs = [tuple(line.split()) for path in zappos(shared) for line in path.read_text().split("\n") if line]
    assert len(pairs) == 149
    parts = {part: [tuple(name.split(":", 1)[1].split()) for name in ids] for part, ids in run.parts.items()}
    assert {part: len(held) for part, held in parts.items()} == {"train": 100, "test": 49}
    assert not set(parts["train"]) & set(parts["test"])
    assert Counter(parts["train"] + parts["test"]) == Counter(pairs)
    for k in (0, 1):
        assert {pair[k] for pair in parts["test"]} <= {pair[k] for pair in parts["train"]}


def test_the_published_unseen_pairs_of_ut_zappos_can_be_asked_for(shared, tmp_path):
    # Unseen in the published lists: in val or test, but not in train. All of their atoms are in train.
    train, val, test = (set(path.read_text().split("\n")) - {""} for path in zappos(shared))
    unseen = sorted((val | test) - train)
    assert len(unseen) == 33
    (tmp_path / "unseen.txt").write_text("\n".join(unseen), encoding="utf-8")
    asked = ["split.choose=list", f"split.held_out={tmp_path / 'unseen.txt'}"]
    run = api.run("czsl_utzappos", *zappos(shared), settings=asked)
    got = {part: {name.split(":", 1)[1] for name in ids} for part, ids in run.parts.items()}
    assert got == {"train": train, "test": set(unseen)}
    assert run.split.facts["listed"] == 33


def test_czsl_lists_and_samples_are_written_and_agree(shared, tmp_path):
    api.run("czsl_utzappos", *zappos(shared), out=tmp_path / "out")
    for part in ("train", "test"):
        lines = (tmp_path / f"out/{part}_pairs.txt").read_text().split("\n")[:-1]
        samples = pandas.read_csv(tmp_path / f"out/{part}.csv", dtype=str)
        assert lines == sorted(set(samples["attribute"] + " " + samples["object"]))


def test_validation_pairs_are_held_out_too_and_are_not_those_of_test(shared):
    run = api.run("czsl_utzappos", *zappos(shared), settings=["validate.val-ood=0.4", "validate.val-iid=0.1"])
    pairs = {part: {name.split(":", 1)[1] for name in ids} for part, ids in run.parts.items()}
    assert all(pairs.values())
    assert not pairs["val-ood"] & pairs["test"]
    assert not (pairs["val-ood"] | pairs["test"]) & (pairs["train"] | pairs["val-iid"])
    assert not [finding for finding in run.report.findings if finding.level == "fail"]


def test_questions_are_held_out_with_images_apart(shared):
    path = shared / "data/daquar/all_qa_pairs.txt"
    asked = ["extract.of=answer-given-type", "group.by=image", "split.choose=rarest", "split.extra=leave-out"]
    run = api.run("holdout", path, settings=asked, share={"test": 0.1})
    table = api.read(path)
    images = dict(zip(table.ids.tolist(), table.images.values(), strict=True))
    parts = {part: {images[name] for name in ids} for part, ids in run.parts.items()}
    assert not parts["train"] & parts["test"]
    # The other questions of the test images are in no part.
    left = {name for name, _ in run.table.left_out}
    assert left
    assert {images[name] for name in left} <= parts["test"]
    assert len(run.parts["test"]) + len(left) <= 1246
    assert not [finding for finding in run.report.findings if finding.level == "fail"]


# --- one command


@pytest.mark.large
def test_a_users_own_table_of_80_000_rows_is_one_command(command, tmp_path):
    generator = random.Random(7)
    colors, shapes = [f"color {i}" for i in range(12)], [f"shape {i}" for i in range(9)]
    with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "color", "shape", "note"])
        for i in range(80_000):
            writer.writerow([f"n{i:05}", generator.choice(colors), generator.choice(shapes), "a, b" if i % 3 else ""])
    ran = command("run", "holdout", "data.csv", "--set", "extract.of=color+shape", "--out", "x")
    assert ran.code == 0, ran
    given = pandas.read_csv(tmp_path / "data.csv", dtype=str, keep_default_na=False)
    parts = {
        part: pandas.read_csv(tmp_path / f"x/{part}.csv", dtype=str, keep_default_na=False)
        for part in ("train", "test")
    }
    pairs = {part: set(zip(frame["color"], frame["shape"], strict=True)) for part, frame in parts.items()}
    assert not pairs["train"] & pairs["test"]
    assert {c for c, _ in pairs["test"]} <= {c for c, _ in pairs["train"]}
    assert {s for _, s in pairs["test"]} <= {s for _, s in pairs["train"]}
    # 108 combinations of about 741 rows each: the gap is smaller than the smallest of them.
    smallest = given.groupby(["color", "shape"]).size().min()
    assert 16_000 - smallest < len(parts["test"]) <= 16_000
    both = pandas.concat(parts.values()).sort_values("id", ignore_index=True)
    assert both.equals(given)
    report = json.loads((tmp_path / "x/report.json").read_text())
    assert report["subject"]["splitter"]["combinations in all"] == 108
    assert command("verify", "x", "--input", "data.csv").code == 0


@pytest.mark.large
def test_scenes_of_uoucs_size_are_held_out_in_seconds():
    generator = np.random.default_rng(5)
    n = 100_000
    owners = np.repeat(np.arange(n), generator.integers(4, 7, n))
    codes = generator.integers(0, 380, len(owners)).astype(np.int32)
    names = tuple(f"class {i:03}" for i in range(380))
    pairs = ObjectPairs(counted_by_row("object classes", n, owners, codes, names))
    problem = problem_of(pairs, [f"s{i}" for i in range(n)], "1/5")
    HOLDOUT.make(problem_of(objects_of([["a", "b"]] * 4 + [["a"], ["b"]]), list("abcdef"), "4/5"))  # compiled before
    started = time.monotonic()
    split = HOLDOUT.make(problem, choose="rarest")
    assert time.monotonic() - started < 10
    assert split.sizes["test"] == 20_000


def test_the_seeded_order_is_that_of_the_names():
    rows = single(*GRID)
    names = sorted(pair.replace(" ", " | ") for pair in GRID)
    first = names[seeded_order(name_hashes(names, len(names)), 4, names)[0]]
    assert names_held(held_out(rows, "1/9", 4)[0]) == {first}


def test_a_list_with_old_line_ends_or_endless_lines_is_no_crash(command, tmp_path):
    lines = [f"{i},{['red', 'blue', 'green'][i % 3]},{['cube', 'ball', 'cone', 'ring'][i % 4]}" for i in range(120)]
    (tmp_path / "rows.csv").write_text("id,color,shape\n" + "\n".join(lines) + "\n")
    listed = ("--set", "split.choose=list", "--set", "split.held_out=list.txt")
    for text in ("red,cube\rblue,ball\r", "x" * 140_000 + ",cube\n"):
        (tmp_path / "list.txt").write_bytes(text.encode())
        ran = command("run", "holdout", "rows.csv", "--of", "color+shape", "--out", "d", *listed)
        assert ran.code == 2
        assert len(ran.message) < 4100


def test_more_folds_than_compounds_say_how_many_there_are(command, tmp_path):
    lines = [f"{i},{['red', 'blue', 'green'][i % 3]},{['cube', 'ball', 'cone', 'ring'][i % 4]}" for i in range(120)]
    (tmp_path / "rows.csv").write_text("id,color,shape\n" + "\n".join(lines) + "\n")
    refused = command("run", "holdout", "rows.csv", "--of", "color+shape", "--folds", "40", "--plan")
    assert refused.code == 3
    assert "40 folds need as many compounds that can be held out, there are 12" in refused.message

"""The group rule of UOUC: train rows hold objects of one group of classes, test rows of pairwise different groups.

Source: UOUC, section 4. A row with objects of one group goes to train, so does one without a pair (0 or 1 object). A
row in which no two objects are of one group, so that no class is there twice, goes to test. Every other row is left
out. Then no pair of classes is in both parts, and AvgCoPair is 0 by construction.

The unit is what the rows are: scenes with ``object-pairs``, questions with ``mentioned-classes`` (then the image still
shows the other objects). With swapped roles train has the rows across groups and test those inside one; several
objects of one class are a pair inside a group, and so in test. Questions mention a class once, so that those about one
class have no pair, and stay in train. How classes get their groups: ``class_groups``.

Decided where the paper is silent:
* Rows that stay together are judged together: a group (of rows) goes to train if all its pairs are such as train may
  have, to test if all are such as test may have, and is left out if it has both.
* ``disjoint = "image"``: no image is in both parts. Of an image with rows for both one side is left out. Images are
  taken for test in the order of the share of their rows that test gains, until test keeps as large a share of its rows
  as train does of its own (ties: seeded order).
* Pairs of test hang together through their rows, so that nothing is said of what a row was held out for: a validation
  part made like test is new to train, and shares pairs with test.

Guarantee: no compound of test occurs in train; what is left out breaks the rule. Cost: O(non-zeros); ``search`` and
``spectral`` see ``class_groups``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, MissingValueError, UsageError, counted
from compsplit.model.compounds import ObjectPairs
from compsplit.model.incidence import Incidence
from compsplit.model.split import Split
from compsplit.order import name_hashes, seeded_order
from compsplit.registry import UserFile, register
from compsplit.splitters.class_groups import ClassGroups, Partition, groups_of_file, in_groups, ungrouped
from compsplit.splitters.problem import Problem

_K = 10
_MOST_TRIED = 20

_INSIDE, _ACROSS, _NO_GROUP, _MIXED, _TWICE = 1, 2, 4, 8, 16
"""What a row, or rows that stay together, have: a pair inside a group of classes, a pair across groups, a class without
a group, both kinds of pairs in one row, and both only since a class is there twice."""


@register(
    "splitter",
    "co-occurrence-groups",
    source="UOUC, section 4",
    guarantee="No pair of classes of test occurs in train, so AvgCoPair is 0; only rows that break the rule are left "
    "out.",
    cost="O(non-zeros); search: times k and the objects of a row, a round",
    keeps=("common-compounds[{of}][{train}->{test}] == 0",),
    parts=("train", "test"),
)
def assign(
    problem: Problem,
    *,
    of: str = "",
    k: int | None = None,
    groups: UserFile | None = None,
    partition: Partition = "seeded",
    swapped: bool = False,
    disjoint: str = "",
    unlisted: Literal["stop", "leave-out"] = "stop",
) -> Split:
    """Train inside groups of object classes, test across them (UOUC), or the other way round.

    Args:
        problem: Rows with pairs of classes.
        of: The pairs, where several kinds of compounds are extracted.
        k: How many groups of classes; 10 as in the paper where nothing is said.
        groups: CSV with the columns class and group, in place of k and partition.
        partition: How classes are put into groups: dealt with similar make-up, by spectral clustering, or by a search.
        swapped: Train has the rows across groups, test those inside one.
        disjoint: A column, such as image, of which no value may be in both parts.
        unlisted: Whether rows with a class that the file gives no group stop the run, or are left out.

    Raises:
        UsageError: The rows have no pairs of classes, options do not fit together, or the file lacks classes.
        ImpossibleError: There are too few classes, or a part would be empty.
        MissingValueError: A row has no value of the column that parts must not share.
    """
    pairs = problem.compounds(of)
    if not isinstance(pairs, ObjectPairs):
        raise UsageError(
            f"co-occurrence-groups divides classes of objects, and {pairs.of} have none. Extract object-pairs of "
            "scenes, or mentioned-classes of questions.",
            field="extract.of",
        )
    classes = pairs.atoms
    if groups is None:
        divided = in_groups(classes, _K if k is None else k, problem.seed, partition)
    else:
        divided = _given(groups, classes, k, partition, unlisted)
    rows = _kinds(classes, divided)[classes.bag_of_row]
    order = problem.order()
    kinds = np.zeros(len(order), dtype=np.uint8)
    np.bitwise_or.at(kinds, problem.grouping.group_of_row, rows)
    kinds = kinds[order]

    train, test = problem.targets.parts
    mixed = (kinds & (_INSIDE | _ACROSS)) == (_INSIDE | _ACROSS)
    in_test = (kinds & (_INSIDE if swapped else _ACROSS)) > 0
    stuck = in_test & problem.grouping.stays[order]
    reasons = {
        "holds a class without a group": (kinds & _NO_GROUP) > 0,
        "pairs inside a group of classes and across groups": (kinds & _MIXED) > 0,
        "a class twice beside classes of other groups": (kinds & _TWICE) > 0,
        f"{problem.grouping.unit} with pairs inside a group of classes and across groups": mixed,
        f"must stay in {train}, which may not have its pairs": stuck,
    }
    part = np.where(in_test, 1, 0).astype(np.int8)
    part[np.any(list(reasons.values()), axis=0)] = -1
    kept_by_rule = int(problem.grouping.sizes[order][part >= 0].sum())
    if disjoint:
        taken = _apart(problem, disjoint, order, part)
        reasons[f"{disjoint} is in {test}"] = taken & (part == 0)
        reasons[f"{disjoint} is in {train}"] = taken & (part == 1)
        part[taken] = -1
    sizes = [int(problem.grouping.sizes[order][part == number].sum()) for number in (0, 1)]
    if not all(sizes):
        raise _empty(problem, classes, divided, swapped, sizes, given=groups is not None, alone=not disjoint)
    there = np.where(rows & _NO_GROUP, _NO_GROUP, rows & (_INSIDE | _ACROSS))
    return problem.split(
        part,
        order,
        left_out={reason: holds for reason, holds in reasons.items() if holds.any()},
        groups_of_classes=len(divided),
        classes_with_a_group=int((divided.group_of_class >= 0).sum()),
        rows_without_a_pair=int((there == 0).sum()),
        rows_inside_a_group=int((there == _INSIDE).sum()),
        rows_across_groups=int((there == _ACROSS).sum()),
        rows_kept_by_the_rule=kept_by_rule,
        rows_kept=sum(sizes),
        share_left_out=round(1 - sum(sizes) / len(rows), 6),
        class_groups=_told(divided, classes),
    )


def _given(path: str, classes: Incidence, k: int | None, partition: Partition, unlisted: str) -> ClassGroups:
    """Return the groups of a file.

    Raises:
        UsageError: It does not fit the other options, or lacks a class.
    """
    name = Path(path).name
    divided = groups_of_file(path, classes)
    if k is not None and k != len(divided):
        raise UsageError(f"{name} has {len(divided)} groups and split.k is {k}: leave k out.", field="split.k")
    if partition != "seeded":
        raise UsageError(
            f"{name} says the groups of classes, so split.partition ({partition}) cannot: leave one out.",
            field="split.partition",
        )
    held = classes.rows_with(np.ones(classes.n_rows, dtype=bool)) > 0
    if unlisted == "stop" and (held & (divided.group_of_class < 0)).any():
        raise ungrouped(divided, classes, name)
    return divided


def _kinds(classes: Incidence, divided: ClassGroups) -> NDArray[np.uint8]:
    """Return what each bag has, shape (n_bags,)."""
    group = divided.group_of_class[classes.concepts].astype(np.int64)
    n_classes = np.diff(classes.starts)
    bag = np.repeat(np.arange(classes.n_bags, dtype=np.int64), n_classes)
    n_objects = np.bincount(bag, weights=classes.counts, minlength=classes.n_bags).astype(np.int64)
    kinds = np.zeros(classes.n_bags, dtype=np.uint8)
    ungrouped_bags = np.bincount(bag[group < 0], minlength=classes.n_bags) > 0
    # One object alone is no pair, whatever its class.
    kinds[ungrouped_bags & (n_objects > 1)] = _NO_GROUP
    met = np.unique(bag * (len(divided) + 1) + group + 1) // (len(divided) + 1)
    n_groups = np.bincount(met, minlength=classes.n_bags)
    inside, across = n_groups < n_objects, n_groups > 1
    kinds[inside] |= _INSIDE
    kinds[across] |= _ACROSS
    both = inside & across
    kinds[both & (n_groups == n_classes)] |= _TWICE
    kinds[both & (n_groups < n_classes)] |= _MIXED
    return kinds


def _apart(problem: Problem, name: str, order: NDArray[np.int64], part: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which groups of rows are taken out, by place, so that no value of a column is in both parts."""
    column = problem.column(name)
    group_of_row = problem.grouping.group_of_row
    assert problem.rows is not None
    if (column.codes < 0).any():
        lacking = sorted(problem.rows.ids[column.codes < 0].tolist())
        raise MissingValueError(name, lacking, mend="leave such rows out of the data")
    value = np.zeros(len(order), dtype=np.int64)
    value[group_of_row] = column.codes
    if (value[group_of_row] != column.codes).any():
        raise UsageError(
            f"Rows are grouped by {problem.grouping.unit}, and rows of one group differ in {name}, so {name} cannot be "
            f"kept apart without tearing groups. Group by row, or by {name} alone.",
            field="split.disjoint",
        )
    value = value[order]
    sizes = problem.grouping.sizes[order]
    n = len(column.names)
    ours, theirs = (np.bincount(value[part == number], sizes[part == number], n).astype(np.int64) for number in (0, 1))
    names = list(column.names)
    seeded = seeded_order(name_hashes(names, n), problem.seed, names)
    both = seeded[(ours[seeded] > 0) & (theirs[seeded] > 0)]
    # Whole numbers instead of shares, since ties must be ties everywhere.
    gain = (theirs[both] << 32) // (ours[both] + theirs[both])
    both = both[np.argsort(-gain, kind="stable")]
    lost = np.append(0, np.cumsum(ours[both]))
    won = np.append(0, np.cumsum(theirs[both])) + theirs.sum() - theirs[both].sum()
    share_of_test = [int(each) * int(ours.sum()) for each in won]
    share_of_train = [int(ours.sum() - each) * int(theirs.sum()) for each in lost]
    enough = next((i for i, (a, b) in enumerate(zip(share_of_test, share_of_train, strict=True)) if a >= b), len(both))
    to_test = np.zeros(n, dtype=bool)
    to_test[both[:enough]] = True
    shared = np.zeros(n, dtype=bool)
    shared[both] = True
    taken: NDArray[np.bool_] = shared[value] & (((part == 0) & to_test[value]) | ((part == 1) & ~to_test[value]))
    return taken


def _told(divided: ClassGroups, classes: Incidence) -> list[list[str]]:
    """Return each class that rows hold with its group, in alphabetical order."""
    held = classes.rows_with(np.ones(classes.n_rows, dtype=bool)) > 0
    there = np.flatnonzero(held & (divided.group_of_class >= 0)).tolist()
    return sorted([classes.names[code], divided.names[divided.group_of_class[code]]] for code in there)


def _empty(
    problem: Problem,
    classes: Incidence,
    divided: ClassGroups,
    swapped: bool,
    sizes: list[int],
    *,
    given: bool,
    alone: bool,
) -> ImpossibleError:
    """Return the error that says what would be in both parts with another number of groups."""
    noun = problem.rows.noun if problem.rows is not None else "row"
    empty, *_ = (name for name, size in zip(problem.targets.parts, sizes, strict=True) if not size)
    n_held = int((classes.rows_with(np.ones(classes.n_rows, dtype=bool)) > 0).sum())
    most = 0 if given else min(n_held, _MOST_TRIED)
    best = (0, 0, 0)
    for k in range(2, most + 1):
        kinds = _kinds(classes, in_groups(classes, k, problem.seed))[classes.bag_of_row] & (_INSIDE | _ACROSS)
        test = int((kinds == (_INSIDE if swapped else _ACROSS)).sum())
        train = int(((kinds == (_ACROSS if swapped else _INSIDE)) | (kinds == 0)).sum())
        if min(train, test) > min(best[1:]):
            best = (k, train, test)
    if best[0]:
        by_itself = "" if alone and problem.grouping.unit == "row" else f", each {noun} by itself"
        possible = f"Seeded groups with split.k={best[0]} give train {best[1]:,} and test {best[2]:,}{by_itself}."
    else:
        possible = "Try other groups of classes." if given else f"No k from 2 to {most} fills both parts."
    return ImpossibleError(
        f"{empty} would be empty: with {len(divided)} groups of classes {sizes[0]:,} of "
        f"{counted(len(classes.bag_of_row), noun)} fit {problem.targets.parts[0]}, and {sizes[1]:,} "
        f"{problem.targets.parts[1]}. {possible} Fewer classes (extract.commonest) leave more, and so do questions in "
        "place of scenes (mentioned-classes). Nothing was written.",
        facts={"groups of classes": len(divided), "sizes": dict(zip(problem.targets.parts, sizes, strict=True))},
    )

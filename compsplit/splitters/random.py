"""A random split of groups: rows, images, question-answer groups, or the values of any column.

Source: compsplit. Groups are visited in the seeded order; each goes to the first part, reference part last, whose
target it fits, so that a part lacks fewer rows than the smallest group left in the reference part has. With strata,
each part takes of each stratum at most the floor of its share, and one row more of those with the largest remainders
(ties: by name) until the parts' floors add up; a stratum of one group stays in the reference part, which keeps a row of
each stratum. Then a part may lack more rows, as many as such groups and groups of several rows leave over. A part that
nothing fits gets the smallest group that can be spared, the only case in which a target is passed.

With ``shares_of = "groups"`` a group counts as one, however many rows it has: the first groups in the seeded order go
to the second part until it has the floor of its share of the *groups*, the next to the third, what is left to the
reference part (GQA's split of images, Hudson and Manning 2019, arXiv 1902.09506, section 3.4). How many rows that comes
to is reported, and not asked for.

A fold of k is a stretch of the seeded order, cut where the middle of a group lies, so that stretches differ by less
than two groups in rows. With strata, each group in the order goes to the fold with the fewest rows of its stratum (that
of most of its rows), then the fewest rows, then the lowest number. Each group that may leave the reference part is in
one fold exactly; a stratum of one group stays in the reference part in every fold.

Guarantee: no group torn, no part empty; shares of groups are exact, but for parts too small to have one. Cost:
O(groups x parts), and O(parts x strata) memory for quotas.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, TooFewGroupsError, UsageError, counted
from compsplit.model.column import Codes
from compsplit.model.split import Split
from compsplit.model.targets import Targets
from compsplit.registry import register
from compsplit.splitters.problem import Fold, Problem


@register(
    "splitter",
    "random",
    source="compsplit",
    guarantee="No group is torn, no part is empty; shares of groups, where asked for, are exact.",
    cost="O(groups x parts)",
    folds=True,
)
def assign(problem: Problem, *, shares_of: Literal["rows", "groups"] = "rows") -> Split:
    """Divide groups at random, in any number of parts, with strata spread evenly where they are given.

    Args:
        problem: Groups, targets, strata, and the fold that is test.
        shares_of: What the parts have shares of: rows, or groups however many rows each has.

    Raises:
        TooFewGroupsError: There are fewer groups than parts.
        ImpossibleError: Too few of them may leave the reference part.
        UsageError: Strata, which are of rows, are to be spread over shares of groups.
    """
    from compsplit.kernels.quota import deal

    by_groups = shares_of == "groups"
    if by_groups and problem.strata is not None:
        raise UsageError("Strata are spread over shares of rows; split.shares_of = groups takes none.", field="strata")
    if problem.fold is not None:
        return _folded(problem, problem.fold, by_groups)
    parts = problem.targets.parts
    grouping = problem.grouping
    if grouping.n_groups < len(parts):
        raise TooFewGroupsError(len(parts), grouping.n_groups, grouping.unit)
    free = grouping.n_groups - int(grouping.stays.sum())
    order = problem.order()
    sizes = np.ones(grouping.n_groups, dtype=np.int64) if by_groups else grouping.sizes[order]
    asked = problem.targets.sizes(int(sizes.sum()))
    need = sum(max(asked[part], 1) for part in parts[1:]) if by_groups else len(parts) - 1
    if free < need:
        raise ImpossibleError(
            f"{', '.join(parts[1:])} need at least {need:,} {grouping.unit}s that may leave {parts[0]}, "
            f"there are {free:,}. Nothing was written.",
            facts={"parts": len(parts), "groups": grouping.n_groups, "free": free, "unit": grouping.unit},
        )
    strata_starts, strata, counts, n_strata = problem.group_strata(order)
    gaps = np.array([asked[part] for part in parts], dtype=np.int64)
    room = _quotas(problem, strata, counts, n_strata)
    part = deal(sizes, grouping.stays[order], strata_starts, strata, counts, room, gaps)
    _fill_empty(part, sizes, ~grouping.stays[order], len(parts))
    split = problem.split(part, order, strata_of_one_group=_alone(problem, strata, n_strata))
    if not by_groups:
        return split
    got = np.bincount(part, minlength=len(parts)).tolist()
    shares = [[name, asked[name], n] for name, n in zip(parts, got, strict=True)]
    # No number of rows was asked for.
    return dataclasses.replace(split, asked={}, facts={**split.facts, "shares_of_groups": shares})


def _alone(problem: Problem, strata: Codes, n_strata: int) -> list[str]:
    """Return the names of strata that one group only has rows of."""
    names = problem.strata.names if problem.strata else ()
    alone = np.flatnonzero(np.bincount(strata, minlength=n_strata) == 1) if n_strata else np.zeros(0, np.int64)
    return sorted(names[s] for s in alone.tolist())


def _folded(problem: Problem, fold: Fold, by_groups: bool) -> Split:
    """Return the split whose test part is one of k folds, of rows or of groups."""
    parts = problem.targets.parts
    if len(parts) != 2:
        raise UsageError(f"A fold is the second of two parts, got {', '.join(parts)}.", field="split.parts")
    shares = Targets({parts[0]: Fraction(fold.k - 1, fold.k), parts[1]: Fraction(1, fold.k)})
    problem = dataclasses.replace(problem, targets=shares)
    order = problem.order()
    sizes = np.ones(len(order), dtype=np.int64) if by_groups else problem.grouping.sizes[order]
    starts, strata, counts, n_strata = problem.group_strata(order)
    free = ~problem.grouping.stays[order]
    if n_strata:
        several = np.bincount(strata, minlength=n_strata) > 1
        alone = np.repeat(np.arange(len(order)), np.diff(starts))[~several[strata]]
        free[alone] = False
        main = _main_strata(problem, starts, strata, counts, len(order))
        number = _by_stratum(sizes, free, main, fold.k)
    else:
        number = _stretches(sizes, free, fold.k)
    n_free = int(free.sum())
    if (np.bincount(number[free], minlength=fold.k) == 0).any():
        unit = problem.grouping.unit
        raise ImpossibleError(
            f"{fold.k} folds cannot each have a {unit}: {n_free:,} of {counted(len(order), unit)} may leave "
            f"{parts[0]}, the largest of {int(problem.grouping.sizes.max()):,} rows. Ask for fewer folds, or "
            "smaller groups.",
            facts={"folds": fold.k, "groups": len(order), "free": n_free, "unit": unit},
        )
    in_fold = free & (number == fold.number - 1)
    split = problem.split(in_fold, order, fold=str(fold), strata_of_one_group=_alone(problem, strata, n_strata))
    return dataclasses.replace(split, asked={}) if by_groups else split


def _stretches(sizes: NDArray[np.int64], free: NDArray[np.bool_], k: int) -> NDArray[np.int64]:
    """Return the fold, from 0, that the middle of each group lies in, among the rows of free groups in their order."""
    rows = np.where(free, sizes, 0)
    ends = np.cumsum(rows)
    return (2 * ends - rows) * k // max(2 * int(ends[-1]), 1) if len(ends) else ends


def _main_strata(
    problem: Problem, starts: NDArray[np.int64], strata: Codes, counts: NDArray[np.int64], n_groups: int
) -> list[int]:
    """Return the stratum that most rows of each group have, ties by name; -1 for a group without one."""
    assert problem.strata is not None
    names = problem.strata.names
    place = np.zeros(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    owners = np.repeat(np.arange(n_groups), np.diff(starts))
    ranked = np.lexsort((place[strata], -counts, owners))
    main = np.full(n_groups, -1, dtype=np.int64)
    first = ranked[starts[:-1][np.diff(starts) > 0]]
    main[owners[first]] = strata[first]
    return main.tolist()


def _by_stratum(sizes: NDArray[np.int64], free: NDArray[np.bool_], main: list[int], k: int) -> NDArray[np.int64]:
    """Return the fold, from 0, of each free group: the one with the fewest rows of its stratum, then in all."""
    number = np.zeros(len(sizes), dtype=np.int64)
    in_all = [0] * k
    of_stratum: dict[int, list[int]] = {}
    for g in np.flatnonzero(free).tolist():
        mine = of_stratum.setdefault(main[g], [0] * k)
        least = min(range(k), key=lambda f: (mine[f], in_all[f]))
        number[g] = least
        mine[least] += int(sizes[g])
        in_all[least] += int(sizes[g])
    return number


def _quotas(problem: Problem, strata: NDArray[np.int32], counts: NDArray[np.int64], n_strata: int) -> NDArray[np.int64]:
    """Return the rows that each part may take of each stratum, shape (n_parts, n_strata)."""
    totals = np.bincount(strata, weights=counts, minlength=n_strata).astype(np.int64)
    several = np.bincount(strata, minlength=n_strata) > 1
    names = problem.strata.names if problem.strata else ()
    room = np.zeros((len(problem.targets.parts), n_strata), dtype=np.int64)
    left = totals - 1  # the reference part keeps a row of each stratum
    for p, part in enumerate(problem.targets.parts[1:], 1):
        share: Fraction = problem.targets.fractions[part]
        exact = [share * total for total in totals.tolist()]
        floors = np.array([int(value) for value in exact], dtype=np.int64)
        missing = int(share * int(totals.sum())) - int(floors.sum())
        remainders = [
            (int(value) - value, names[s], s) for s, value in enumerate(exact) if several[s] and value > int(value)
        ]
        for _, _, s in sorted(remainders)[:missing]:
            floors[s] += 1
        room[p] = np.minimum(floors, left)
        left = left - room[p]
    return room


def _fill_empty(part: NDArray[np.int16], sizes: NDArray[np.int64], free: NDArray[np.bool_], n_parts: int) -> None:
    """Give each part that stayed empty the smallest free group of the part that has most of them to spare."""
    for p in np.flatnonzero(np.bincount(part, minlength=n_parts) == 0).tolist():
        # With as many groups as parts, the giver keeps one: a second free group, or one that stays.
        giver = np.bincount(part[free], minlength=n_parts).argmax()
        candidates = np.flatnonzero((part == giver) & free)
        part[candidates[sizes[candidates].argmin()]] = p

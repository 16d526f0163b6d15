"""A random split of groups: rows, images, question-answer groups, or the values of any column.

Source: compsplit. Groups are visited in the seeded order; each goes to the first part, reference part last, whose
target it fits, so that a part lacks fewer rows than the smallest group left in the reference part has. With strata,
each part takes of each stratum at most the floor of its share, and one row more of those with the largest remainders
(ties: by name) until the parts' floors add up; a stratum of one group stays in the reference part, which keeps a row of
each stratum. Then a part may lack more rows, as many as such groups and groups of several rows leave over. A part that
nothing fits gets the smallest group that can be spared, the only case in which a target is passed.

Guarantee: no group torn, no part empty. Cost: O(groups x parts), and O(parts x strata) memory for quotas.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, TooFewGroupsError
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem


@register(
    "splitter",
    "random",
    source="compsplit",
    guarantee="No group is torn, no part is empty.",
    cost="O(groups x parts)",
)
def assign(problem: Problem) -> Split:
    """Divide groups at random, in any number of parts, with strata spread evenly where they are given.

    Args:
        problem: Groups, targets, and strata.

    Raises:
        TooFewGroupsError: There are fewer groups than parts.
        ImpossibleError: Too few of them may leave the reference part.
    """
    from compsplit.kernels.quota import deal

    parts = problem.targets.parts
    grouping = problem.grouping
    if grouping.n_groups < len(parts):
        raise TooFewGroupsError(len(parts), grouping.n_groups, grouping.unit)
    free = grouping.n_groups - int(grouping.stays.sum())
    if free < len(parts) - 1:
        raise ImpossibleError(
            f"{', '.join(parts[1:])} need at least {len(parts) - 1} {grouping.unit}s that may leave {parts[0]}, "
            f"there are {free}. Nothing was written.",
            facts={"parts": len(parts), "groups": grouping.n_groups, "free": free, "unit": grouping.unit},
        )
    order = problem.order()
    sizes = grouping.sizes[order]
    strata_starts, strata, counts, n_strata = problem.group_strata(order)
    asked = problem.targets.sizes(int(sizes.sum()))
    gaps = np.array([asked[part] for part in parts], dtype=np.int64)
    room = _quotas(problem, strata, counts, n_strata)
    part = deal(sizes, grouping.stays[order], strata_starts, strata, counts, room, gaps)
    _fill_empty(part, sizes, ~grouping.stays[order], len(parts))
    alone = np.flatnonzero(np.bincount(strata, minlength=n_strata) == 1) if n_strata else np.zeros(0, np.int64)
    names = problem.strata.names if problem.strata else ()
    return problem.split(part, order, strata_of_one_group=sorted(names[s] for s in alone.tolist()))


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

"""Full coverage: every test concept in at least k train groups, and types spread as in the whole.

Source: compsplit (beyond the paper of C-VQA, whose test leaves 26.5 % of its distinct concepts unseen in train).
Everything starts in train. Groups are visited in the seeded order, and one moves to test if each of its concepts
keeps k train groups, the target is not passed, and the quota of each stratum that it has rows in (the floor of target
times the stratum's share) is not passed. A second pass fills up without quotas; a last step closes the gap that large
groups leave, by exchanging one test group for a larger one.

Guarantee: coverage 1, no group torn. Groups that hold a concept of at most k groups can never move: they bound the
size of test from above, and are counted. Cost: O(non-zeros), the last step O(groups x tries).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem, two_parts


@register("splitter", "cover", source="compsplit, SPEC section 1b")
def assign(problem: Problem, *, k: int = 1) -> Split:
    """Fill test so that every concept of it stays in at least k train groups.

    Args:
        problem: Groups, concepts, targets of two parts, and strata to spread.
        k: Train groups that must hold each test concept.
    """
    from compsplit.kernels.quota import fill

    if k < 1:
        raise OptionValueError("splitter.k", k, "a whole number of at least 1")
    _, target = two_parts(problem, "cover")
    order = problem.order()
    sizes = problem.grouping.sizes[order]
    starts, concepts, n_concepts = problem.group_concepts(order)
    holders = np.bincount(concepts, minlength=n_concepts).astype(np.int64)
    stays = problem.grouping.stays[order]
    stuck = _stuck(starts, concepts, holders, k) | stays
    strata_starts, strata, counts, n_strata = problem.group_strata(order)
    totals = np.bincount(strata, weights=counts, minlength=n_strata).astype(np.int64)
    room = totals * target // max(int(sizes.sum()), 1)
    moved = np.zeros(len(order), dtype=bool)
    state = (sizes, moved, ~stuck, starts, concepts, holders, k, strata_starts, strata, counts, room)
    gap = fill(*state, target, True)
    in_quota = target - gap
    gap = fill(*state, gap, False)
    gap = _exchanged(state, gap)
    return problem.split(
        moved,
        order,
        ceiling=int(sizes[~stuck].sum()),
        rows_that_cannot_move=int(sizes[stuck].sum()),
        rows_moved_within_quotas=int(in_quota),
        cannot_move=_by_stratum(problem, order[stuck]),
        in_the_way=_in_the_way(problem, holders_of(concepts, n_concepts), sizes, starts, concepts, k),
    )


def holders_of(concepts: NDArray[np.int32], n_concepts: int) -> NDArray[np.int64]:
    """Return how many groups hold each concept, shape (n_concepts,)."""
    return np.bincount(concepts, minlength=n_concepts).astype(np.int64)


def _stuck(
    starts: NDArray[np.int64], concepts: NDArray[np.int32], holders: NDArray[np.int64], k: int
) -> NDArray[np.bool_]:
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    stuck = np.zeros(len(starts) - 1, dtype=bool)
    stuck[owners[holders[concepts] <= k]] = True
    return stuck


def _exchanged(state: tuple[Any, ...], gap: int) -> int:
    """Close the gap by taking a group back and moving one that is larger by at most the gap."""
    from compsplit.kernels.quota import can_move, shift

    sizes, moved, open_to_move, starts, concepts, holders, k, *_ = state
    tries = 0
    while gap and tries < 64:
        tries += 1
        best: tuple[int, int, int] | None = None
        waiting = np.flatnonzero(open_to_move & ~moved)
        by_size = {int(size): waiting[sizes[waiting] == size] for size in np.unique(sizes[waiting])}
        back = np.flatnonzero(moved)
        for size in np.unique(sizes[back]).tolist():
            for larger in sorted((s for s in by_size if size < s <= size + gap), reverse=True):
                if best is not None and larger - size <= best[0]:
                    break
                pair = _pair(back[sizes[back] == size][:32], by_size[larger][:32], starts, concepts, holders, k, can_move, shift)
                if pair:
                    best = (larger - size, *pair)
                    break
        if best is None:
            return gap
        gain, out, into = best
        moved[out], moved[into] = False, True
        shift(out, starts, concepts, holders, 1)
        shift(into, starts, concepts, holders, -1)
        gap -= gain
    return gap


def _pair(outs: Any, intos: Any, starts: Any, concepts: Any, holders: Any, k: int, can_move: Any, shift: Any) -> tuple[int, int] | None:
    for out in outs.tolist():
        shift(out, starts, concepts, holders, 1)
        found = next((into for into in intos.tolist() if can_move(into, starts, concepts, holders, k)), None)
        shift(out, starts, concepts, holders, -1)
        if found is not None:
            return out, found
    return None


def _by_stratum(problem: Problem, groups: NDArray[np.int64]) -> dict[str, int]:
    """Return the rows of groups that cannot move, by stratum."""
    if problem.strata is None:
        return {}
    rows = np.isin(problem.grouping.group_of_row, groups)
    counts = np.bincount(problem.strata.codes[rows] + 1, minlength=len(problem.strata.names) + 1)[1:]
    return {name: int(n) for name, n in sorted(zip(problem.strata.names, counts.tolist(), strict=True)) if n}


def _in_the_way(
    problem: Problem,
    holders: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    k: int,
) -> list[list[Any]]:
    """Return the concepts that keep the most rows in train, with their rows."""
    assert problem.concepts is not None
    rows = np.bincount(concepts, weights=np.repeat(sizes, np.diff(starts)), minlength=len(holders)).astype(np.int64)
    rare = np.flatnonzero((holders > 0) & (holders <= k))
    names = problem.concepts.names
    worst = sorted(rare.tolist(), key=lambda c: (-int(rows[c]), names[c]))[:20]
    return [[names[c], int(rows[c])] for c in worst]

"""Full coverage: every test concept in at least k train groups, and types spread as in the whole.

Source: compsplit (beyond the paper of C-VQA, whose test leaves 26.5 % of its distinct concepts unseen in train).
Everything starts in train. Groups are visited in the seeded order, and one moves to test if each of its concepts
keeps k train groups, the target is not passed, and the quota of each stratum that it has rows in (the floor of target
times the stratum's share) is not passed. Then, within each stratum, a test group is taken back for a larger one as long
as that fills the quota better. A second pass allows each stratum one row more, a third one fills up without quotas. A
last step closes the gap that large groups leave: it takes one test group back for a larger one that only its size kept
out, so that the gap shrinks most (ties: the smallest, then the earliest groups), and fills up again. Both kinds of
exchange end after 16 rounds at most.

Guarantee: coverage 1, no group torn, target not passed, no group left that could still move by itself. Groups that
hold a concept of at most k groups can never move: they bound the size of test from above, and are counted. Cost:
O(non-zeros) a pass; the exchanges take at most 16 passes each, with a sort of the groups' sizes besides (within strata:
O(groups) for each stratum with room).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError
from compsplit.model.column import Codes
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem, rows_for_test

_EXCHANGES = 16
_SHOWN = 20


@register(
    "splitter",
    "cover",
    source="compsplit, beyond the paper of C-VQA",
    guarantee="Every concept of test is in at least k train groups; no group is torn; test holds at most its target.",
    cost="O(non-zeros) a pass",
    shows="k",
    keeps=("coverage[{concepts}][{train}->{test}] == 1",),
)
def assign(problem: Problem, *, k: int = 1) -> Split:
    """Fill test so that every concept of it stays in at least k train groups.

    Args:
        problem: Groups, concepts, targets of two parts, and strata to spread.
        k: Train groups that must hold each test concept.
    """
    if k < 1:
        raise OptionValueError("split.k", k, "a whole number of at least 1")
    target = rows_for_test(problem, "cover")
    order = problem.order()
    sizes = problem.grouping.sizes[order]
    starts, concepts, n_concepts = problem.group_concepts(order)
    holders = np.bincount(concepts, minlength=n_concepts).astype(np.int64)
    owners = np.repeat(np.arange(len(order)), np.diff(starts))
    rare = holders <= k
    stuck = _holding(rare, owners, concepts, len(order)) | problem.grouping.stays[order]
    in_the_way, n_in_the_way = _in_the_way(
        problem, rare, np.bincount(concepts, sizes[owners], n_concepts).astype(np.int64)
    )

    strata = problem.group_strata(order)
    totals = np.bincount(strata[1], strata[2], strata[3]).astype(np.int64)
    room = totals * target // max(int(sizes.sum()), 1)
    moved = np.zeros(len(order), dtype=bool)
    test = _Test(sizes, ~stuck, starts, concepts, owners, holders, k, strata[:3], room, target, moved)
    test.fill(by_quota=True)
    test.exchange_within_strata()
    within_quotas = target - test.gap
    test.room += 1
    test.fill(by_quota=True)
    test.fill(by_quota=False)
    test.exchange()
    return problem.split(
        test.moved,
        order,
        ceiling=int(sizes[~stuck].sum()),
        rows_that_cannot_move=int(sizes[stuck].sum()),
        rows_moved_within_quotas=within_quotas,
        cannot_move=_by_stratum(problem, order[stuck]),
        in_the_way=in_the_way,
        concepts_in_the_way=n_in_the_way,
    )


@dataclass(slots=True, eq=False)
class _Test:
    """The test part while it fills; groups are numbered by their place in the order."""

    sizes: NDArray[np.int64]
    open_to_move: NDArray[np.bool_]
    starts: NDArray[np.int64]
    concepts: Codes
    owners: NDArray[np.int64]
    holders: NDArray[np.int64]
    k: int
    strata: tuple[NDArray[np.int64], Codes, NDArray[np.int64]]
    room: NDArray[np.int64]
    gap: int
    moved: NDArray[np.bool_]

    def fill(self, by_quota: bool) -> None:
        """Move every group that may move and fits, in the order."""
        from compsplit.kernels.quota import fill

        left = fill(
            self.sizes, self.moved, self.open_to_move, self.starts, self.concepts, self.holders, self.k,
            *self.strata, self.room, self.gap, by_quota,
        )  # fmt: skip
        self.gap = int(left)  # a numpy number where the kernel is not compiled

    def exchange(self) -> None:
        """Close the gap by taking one group back for a larger one, a few times."""
        for _ in range(_EXCHANGES):
            pair = _best_exchange(self.sizes, np.flatnonzero(self.moved), np.flatnonzero(self._waiting()), self.gap)
            if pair is None or not self._exchanged(*pair):
                return
            self.fill(by_quota=False)

    def exchange_within_strata(self) -> None:
        """Fill quotas that large groups leave open, by exchanges among the groups of one stratum, a few rounds."""
        strata_starts, strata, counts = self.strata
        alone = np.flatnonzero(np.diff(strata_starts) == 1)
        stratum = np.full(len(self.sizes), -1, dtype=np.int64)
        stratum[alone] = strata[strata_starts[alone]]
        for _ in range(_EXCHANGES):
            waiting = self._waiting()
            better = False
            for s in np.flatnonzero(self.room > 0).tolist():
                among = stratum == s
                room = min(int(self.room[s]), self.gap)
                pair = _best_exchange(
                    self.sizes, np.flatnonzero(among & self.moved), np.flatnonzero(among & waiting), room
                )
                if pair is not None and self._exchanged(*pair):
                    self.room[s] -= int(counts[strata_starts[pair[1]]] - counts[strata_starts[pair[0]]])
                    better = True
            if not better:
                return

    def _waiting(self) -> NDArray[np.bool_]:
        """Return which groups could move by themselves, shape (n_groups,)."""
        blocked = _holding(self.holders <= self.k, self.owners, self.concepts, len(self.sizes))
        return self.open_to_move & ~self.moved & ~blocked

    def _exchanged(self, back: int, moving: int) -> bool:
        """Take one group back and move another, unless a concept of it would be left uncovered."""
        mine, other = (self.concepts[self.starts[g] : self.starts[g + 1]] for g in (back, moving))
        self.holders[mine] += 1
        if (self.holders[other] <= self.k).any():
            self.holders[mine] -= 1
            return False
        self.holders[other] -= 1
        self.moved[back], self.moved[moving] = False, True
        self.gap += int(self.sizes[back] - self.sizes[moving])
        return True


def _best_exchange(
    sizes: NDArray[np.int64], inside: NDArray[np.int64], waiting: NDArray[np.int64], gap: int
) -> tuple[int, int] | None:
    """Return the group to take back and the larger one to move, whose sizes differ most but by at most the gap."""
    small, first_small = np.unique(sizes[inside], return_index=True)
    large, first_large = np.unique(sizes[waiting], return_index=True)
    at = np.searchsorted(small, large - gap)
    there = at < len(small)
    at, large, first_large = at[there], large[there], first_large[there]
    gains = large - small[at]
    if not (gains > 0).any():
        return None
    best = int(gains.argmax())
    return int(inside[first_small[at[best]]]), int(waiting[first_large[best]])


def _holding(marked: NDArray[np.bool_], owners: NDArray[np.int64], concepts: Codes, n_groups: int) -> NDArray[np.bool_]:
    """Return which groups hold a marked concept."""
    holding = np.zeros(n_groups, dtype=bool)
    holding[owners[marked[concepts]]] = True
    return holding


def _by_stratum(problem: Problem, groups: NDArray[np.int64]) -> dict[str, int]:
    """Return the rows of groups that cannot move, by stratum."""
    if problem.strata is None:
        return {}
    among = np.zeros(problem.grouping.n_groups, dtype=bool)
    among[groups] = True
    codes = problem.strata.codes[among[problem.grouping.group_of_row]]
    counts = np.bincount(codes + 1, minlength=len(problem.strata.names) + 1)[1:].tolist()
    return dict(sorted((name, n) for name, n in zip(problem.strata.names, counts, strict=True) if n))


def _in_the_way(problem: Problem, rare: NDArray[np.bool_], rows: NDArray[np.int64]) -> tuple[list[list[Any]], int]:
    """Return the rare concepts that keep the most rows in train, with their rows, and how many there are in all."""
    assert problem.concepts is not None
    names = problem.concepts.names
    found = np.flatnonzero(rare & (rows > 0)).tolist()
    worst = sorted(found, key=lambda c: (-rows[c], names[c]))[:_SHOWN]
    return [[names[c], int(rows[c])] for c in worst], len(found)

"""Move all groups that hold a compound out of train, as long as atoms stay shown there and test has room.

Also lists the pairs of classes that bags of objects hold. Cost: for each compound the atoms of its groups that are
still in train, at most; a compound is given up at its first group that does not fit. O(n_atoms) memory besides.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

WAITING, HELD, BESIDES, TOO_LARGE, BLOCKED, STAYS = range(6)
"""What became of a compound: not tried, held out, out of train only because others are, more rows than test has room
for, an atom of its groups would be shown too seldom, a group of it must stay in train."""


@numba.njit(cache=True, nogil=True)
def hold_out(
    candidates: NDArray[np.int64],
    holder_starts: NDArray[np.int64],
    holder: NDArray[np.int32],
    sizes: NDArray[np.int64],
    stays: NDArray[np.bool_],
    starts: NDArray[np.int64],
    atoms: NDArray[np.int32],
    shown: NDArray[np.int64],
    k: int,
    gap: int,
    every: bool,
    trial: bool,
    moved: NDArray[np.bool_],
    outcome: NDArray[np.int8],
    way: NDArray[np.int32],
) -> int:
    """Try compounds in turn and move the groups of each that may be held out; return the rows that are left to fill.

    Args:
        candidates: Compounds in their order, each once.
        holder_starts: Compound c is in groups ``holder[holder_starts[c]:holder_starts[c + 1]]``.
        holder: Those groups.
        sizes: Rows of each group, shape (n_groups,).
        stays: Groups that must stay in train.
        starts: Group g holds atoms ``atoms[starts[g]:starts[g + 1]]``, all different.
        atoms: Those atoms.
        shown: Train groups that show each atom; changed in place.
        k: Train groups that must go on showing each atom of a moved group.
        gap: Rows that may still move.
        every: Whether a compound whose groups have all moved already is held out, too.
        trial: Whether each compound is tried by itself: nothing moves.
        moved: Groups that have moved; changed in place.
        outcome: What became of each compound; changed in place.
        way: An atom that is in the way of each blocked compound; changed in place.
    """
    lost = np.zeros(len(shown), np.int64)
    for c in candidates:
        rows = np.int64(0)
        fits = True
        for entry in range(holder_starts[c], holder_starts[c + 1]):
            g = holder[entry]
            if moved[g]:
                continue
            if stays[g]:
                outcome[c] = STAYS
                fits = False
                break
            rows += sizes[g]
        if not fits:
            continue
        if rows == 0:
            outcome[c] = HELD if every else BESIDES
            continue
        if rows > gap:
            outcome[c] = TOO_LARGE
            continue
        last = holder_starts[c]
        while fits and last < holder_starts[c + 1]:
            g = holder[last]
            last += 1
            if moved[g]:
                continue
            for place in range(starts[g], starts[g + 1]):
                a = atoms[place]
                lost[a] += 1
                if shown[a] - lost[a] < k and fits:
                    fits = False
                    way[c] = a
        outcome[c] = HELD if fits else BLOCKED
        for entry in range(holder_starts[c], last):
            g = holder[entry]
            if moved[g]:
                continue
            for place in range(starts[g], starts[g + 1]):
                lost[atoms[place]] = 0
                if fits and not trial:
                    shown[atoms[place]] -= 1
            if fits and not trial:
                moved[g] = True
        if fits and not trial:
            gap -= int(rows)
    return gap


@numba.njit(cache=True, nogil=True)
def pairs_by_bag(starts: NDArray[np.int64], counts: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many different pairs of classes each bag of objects holds; shape (n_bags,)."""
    pairs = np.zeros(len(starts) - 1, np.int64)
    for bag in range(len(starts) - 1):
        m = np.int64(starts[bag + 1] - starts[bag])
        pairs[bag] = m * (m - 1) // 2
        for place in range(starts[bag], starts[bag + 1]):
            if counts[place] > 1:
                pairs[bag] += 1
    return pairs


@numba.njit(cache=True, nogil=True)
def packed_pairs(
    starts: NDArray[np.int64], concepts: NDArray[np.int32], counts: NDArray[np.int32], n_classes: int, n_pairs: int
) -> NDArray[np.int64]:
    """Return the pairs (a, b >= a) of each bag as ``a * n_classes + b``, bag by bag, ascending in each."""
    pairs = np.empty(n_pairs, np.int64)
    at = 0
    for bag in range(len(starts) - 1):
        for i in range(starts[bag], starts[bag + 1]):
            for j in range(i, starts[bag + 1]):
                if i == j and counts[i] < 2:
                    continue
                pairs[at] = np.int64(concepts[i]) * n_classes + concepts[j]
                at += 1
    return pairs

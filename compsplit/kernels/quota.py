"""Move groups out of train one by one, as long as concepts stay covered and quotas are kept. O(n_entries)."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def fill(
    sizes: NDArray[np.int64],
    moved: NDArray[np.bool_],
    open_to_move: NDArray[np.bool_],
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    holders: NDArray[np.int64],
    k: int,
    strata_starts: NDArray[np.int64],
    strata: NDArray[np.int32],
    strata_counts: NDArray[np.int64],
    room: NDArray[np.int64],
    gap: int,
    by_quota: bool,
) -> int:
    """Visit groups in their order and move each that may move and fits; return the gap that is left.

    Args:
        sizes: Rows of each group, shape (n_groups,).
        moved: Groups that have moved; changed in place.
        open_to_move: Groups that may be tried.
        starts, concepts: The different concepts of each group.
        holders: Train groups that hold each concept; changed in place.
        k: Train groups that every concept of a moved group must keep.
        strata_starts, strata, strata_counts: The rows that each group has in each stratum.
        room: Rows that each stratum may still take; changed in place, and negative where it is passed.
        gap: Rows that may still move.
        by_quota: Whether ``room`` is respected.
    """
    for g in range(len(sizes)):
        if moved[g] or not open_to_move[g] or sizes[g] > gap:
            continue
        fits = True
        if by_quota:
            for entry in range(strata_starts[g], strata_starts[g + 1]):
                fits = fits and strata_counts[entry] <= room[strata[entry]]
        for entry in range(starts[g], starts[g + 1]):
            fits = fits and holders[concepts[entry]] > k
        if fits:
            moved[g] = True
            gap -= sizes[g]
            for entry in range(starts[g], starts[g + 1]):
                holders[concepts[entry]] -= 1
            for entry in range(strata_starts[g], strata_starts[g + 1]):
                room[strata[entry]] -= strata_counts[entry]
    return gap


@numba.njit(cache=True, nogil=True)
def deal(
    sizes: NDArray[np.int64],
    stays: NDArray[np.bool_],
    strata_starts: NDArray[np.int64],
    strata: NDArray[np.int32],
    strata_counts: NDArray[np.int64],
    room: NDArray[np.int64],
    gaps: NDArray[np.int64],
) -> NDArray[np.int16]:
    """Deal groups in their order to the first part that they fit; part 0 takes what fits nowhere.

    Args:
        sizes: Rows of each group, shape (n_groups,).
        stays: Groups that belong in part 0.
        strata_starts, strata, strata_counts: The rows that each group has in each stratum.
        room: Rows that part p may still take of stratum s; shape (n_parts, n_strata), changed in place.
        gaps: Rows that part p may still take, shape (n_parts,); changed in place.
    """
    part = np.zeros(len(sizes), dtype=np.int16)
    for g in range(len(sizes)):
        if stays[g]:
            continue
        for p in range(1, len(gaps)):
            fits = sizes[g] <= gaps[p]
            for entry in range(strata_starts[g], strata_starts[g + 1]):
                fits = fits and strata_counts[entry] <= room[p, strata[entry]]
            if fits:
                part[g] = p
                gaps[p] -= sizes[g]
                for entry in range(strata_starts[g], strata_starts[g + 1]):
                    room[p, strata[entry]] -= strata_counts[entry]
                break
    return part

"""How alike two symbols are by their neighbours, and for pairs that are new the most alike pair that is known.

A pair differs from a known one in one place only: either the left symbol is another, or the right one. Two symbols
are as alike as the sets of their neighbours, right and left: shared neighbours / neighbours of either, the mean of the
sides on which one of them has any. No set is larger than the other by more than the overlap allows, so most candidates
are passed over by the sizes of their sets alone.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import distinct


def most_alike_pairs(
    left: NDArray[np.int64], right: NDArray[np.int64], new_left: NDArray[np.int64], new_right: NDArray[np.int64], n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return how alike each new pair and the known one most like it are, and the left and right of that one.

    Ties: a pair with another left symbol, then the lower symbol. Where no known pair has one of the symbols in the same
    place, or none is alike at all: 0, and -1 for both symbols.

    Args:
        left: Left symbol of each known pair, in [0, n); pairs are all different.
        right: Right symbol of each.
        new_left: Left symbol of each new pair.
        new_right: Right symbol of each.
        n: Number of symbols.
    """
    after_starts, after = _lists(left, right, n)
    before_starts, before = _lists(right, left, n)
    found: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]] = _search(
        after_starts, after, before_starts, before, new_left, new_right
    )
    return found


def _lists(owner: NDArray[np.int64], member: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the members of each owner, ascending, as starts and members."""
    packed, _ = distinct(owner * max(n, 1) + member)
    owners, members = np.divmod(packed, max(n, 1))
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=n), out=starts[1:])
    return starts, members


@numba.njit(cache=True, nogil=True)
def _most(starts, x, y):  # type: ignore[no-untyped-def]  # compiled; typed by its callers
    """Return the greatest that shared / either can be, by sizes; -1 where neither has a member."""
    a, b = starts[x + 1] - starts[x], starts[y + 1] - starts[y]
    if a == 0 and b == 0:
        return -1.0
    return min(a, b) / max(a, b)


@numba.njit(cache=True, nogil=True)
def _shared(starts, members, x, y):  # type: ignore[no-untyped-def]  # compiled; typed by its callers
    """Return shared / either of two sets of which one has a member."""
    i, j, shared = starts[x], starts[y], 0
    while i < starts[x + 1] and j < starts[y + 1]:
        if members[i] == members[j]:
            shared += 1
            i += 1
            j += 1
        elif members[i] < members[j]:
            i += 1
        else:
            j += 1
    return shared / (starts[x + 1] - starts[x] + starts[y + 1] - starts[y] - shared)


@numba.njit(cache=True, nogil=True)
def _alike(after_starts, after, before_starts, before, x, y, at_least):  # type: ignore[no-untyped-def]  # compiled; typed by its callers
    """Return how alike two symbols are, or -1 where it cannot be more than ``at_least``."""
    a, b = _most(after_starts, x, y), _most(before_starts, x, y)
    if a < 0 and b < 0:
        return 0.0 if at_least < 0 else -1.0
    most = b if a < 0 else a if b < 0 else (a + b) / 2
    if most <= at_least:
        return -1.0
    if a >= 0:
        a = _shared(after_starts, after, x, y)
    if b >= 0:
        b = _shared(before_starts, before, x, y)
    return b if a < 0 else a if b < 0 else (a + b) / 2


@numba.njit(cache=True, nogil=True)
def _search(after_starts, after, before_starts, before, new_left, new_right):  # type: ignore[no-untyped-def]  # compiled; typed by its one caller
    n = len(new_left)
    best = np.zeros(n, dtype=np.float64)
    best_left = np.full(n, -1, dtype=np.int64)
    best_right = np.full(n, -1, dtype=np.int64)
    for k in range(n):
        x, y = new_left[k], new_right[k]
        for place in range(before_starts[y], before_starts[y + 1]):
            other = before[place]
            found = _alike(after_starts, after, before_starts, before, x, other, best[k])
            if found > best[k]:
                best[k], best_left[k], best_right[k] = found, other, y
        for place in range(after_starts[x], after_starts[x + 1]):
            other = after[place]
            found = _alike(after_starts, after, before_starts, before, y, other, best[k])
            if found > best[k]:
                best[k], best_left[k], best_right[k] = found, x, other
    return best, best_left, best_right

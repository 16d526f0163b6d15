"""Lower the counts of a group's answers until the bounds of a smoothing hold. O(k m) a pass, exact whole numbers.

``smooth`` is the one implementation. Compiled it works on int64, which ``smooth_groups`` asks for only where no product
can overflow; not compiled (``smooth_exactly``) it works on Python's own numbers, however large.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def smooth(
    x: Any,
    c: Any,
    first: int,
    stop: int,
    m: int,
    b: tuple[int, int],
    r_min: tuple[int, int],
    r_max: tuple[int, int],
    floor: int,
) -> int:
    """Lower the counts of one group until a pass changes nothing; return the number of passes that changed something.

    Every product is of at most two counts and one number of a fraction, or of one count and the group's size.

    Args:
        x: Counts of all groups, an int64 array or a list; those of this one from ``first`` to ``stop``; at least 1,
            falling. Changed in place.
        c: The same before the first pass.
        first, stop: Where the group stands; it has two answers or more.
        m: How many of its answers can be the head.
        b, r_min, r_max: Numerator and denominator of the bounds.
        floor: Rows that an answer keeps, or all that it has.
    """
    k = stop - first
    passes = 0
    while True:
        changed = False
        total = x[first]
        for j in range(first + 1, stop):
            total += x[j]
        head = x[first] * 0
        for i in range(1, k):
            at = first + i
            head += x[at - 1]
            if i <= m:
                # The bound is not below i / (k - i), what equal counts have.
                up, down = b[0], b[1]
                if b[0] * (k - i) < i * b[1]:
                    up, down = i, k - i
                tail = total - head
                if head * down > up * tail:
                    whole = head
                    for j in range(first, at):
                        kept = max(min(x[j], floor), x[j] * up * tail // (down * whole))
                        head -= x[j] - kept
                        changed = changed or kept != x[j]
                        x[j] = kept
                    total = head + tail
                if x[at] * r_min[1] < r_min[0] * x[at - 1]:
                    last = x[at - 1]
                    lower = head
                    for j in range(first, at):
                        kept = max(min(x[j], floor), x[j] * x[at] * r_min[1] // (r_min[0] * last))
                        lower -= x[j] - kept
                        changed = changed or kept != x[j]
                        x[j] = kept
                    total -= head - lower
                    head = lower
            # The cap is not below the ratio that was there.
            up, down = r_max[0], r_max[1]
            if c[at] * down > up * c[at - 1]:
                up, down = c[at], c[at - 1]
            if x[at] * down > up * x[at - 1]:
                kept = max(min(x[at], floor), up * x[at - 1] // down)
                total -= x[at] - kept
                changed = changed or kept != x[at]
                x[at] = kept
        if not changed:
            return passes
        passes += 1


smooth_exactly = getattr(smooth, "py_func", smooth)
"""The same on lists of Python's whole numbers."""


@numba.njit(cache=True, nogil=True)
def smooth_groups(
    starts: NDArray[np.int64],
    c: NDArray[np.int64],
    heads: NDArray[np.int64],
    b: tuple[int, int],
    r_min: tuple[int, int],
    r_max: tuple[int, int],
    floor: int,
) -> NDArray[np.int64]:
    """Return the smoothed counts of many groups, shape (n_answers,).

    Args:
        starts: Where the answers of each group begin, and the end; shape (n_groups + 1,).
        c: Counts of the answers, falling within a group; shape (n_answers,).
        heads: How many answers of each group can be its head, 0 for a group that is left alone; shape (n_groups,).
        b, r_min, r_max, floor: As for ``smooth``.
    """
    x = c.copy()
    for g in range(len(heads)):
        if heads[g] > 0:
            smooth(x, c, starts[g], starts[g + 1], heads[g], b, r_min, r_max, floor)
    return x

"""Smooth the answer counts of groups: the head is lowered against the tail, neighbours are kept in proportion.

For counts c_1 >= ... >= c_k, with H_i = x_1 + ... + x_i, T_i = x_(i+1) + ... + x_k, m = min(k - 1, max(1, floor(head
k))), b_i = max(b, i / (k - i)), u_i = max(r_max, c_(i+1) / c_i) and cut(x, s) = max(min(x, floor), floor of x s),
passes over i = 1 .. k - 1 are repeated until one changes nothing:

1. i <= m and H_i > b_i T_i: x_j = cut(x_j, b_i T_i / H_i) for j <= i;
2. i <= m and x_(i+1) < r_min x_i: x_j = cut(x_j, x_(i+1) / (r_min x_i)) for j <= i;
3. x_(i+1) > u_i x_i: x_(i+1) = cut(x_(i+1), u_i x_i / x_(i+1)).

Nobody gains, nobody vanishes, ranks stay (two answers may become equal), the bounds hold but for answers at their
floor, and the result smoothed again is itself.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.4, whose supplement is not public. Deviations from the
pseudo-code that is told of it: answers are lowered only, never raised; the head ends at m; the bounds are never tighter
than what equal counts, or the counts that were there, have; passes are repeated; and counts stay whole numbers.
Cost: O(k m) a pass, whatever the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.bounds import Bounds

_GREATEST = (1 << 63) - 1


def smoothed(counts: Sequence[int], bounds: Bounds) -> list[int]:
    """Return the smoothed counts of one group.

    Args:
        counts: Rows of each answer, at least 1, falling.
        bounds: What is asked.

    Example:
        >>> smoothed([40, 30, 4, 1], Bounds())
        [35, 30, 4, 1]
    """
    from compsplit.kernels.smoothing import smooth_exactly

    x = [int(count) for count in counts]
    m = bounds.head_of(len(x))
    if m:
        smooth_exactly(x, tuple(x), 0, len(x), m, *_pairs(bounds), bounds.floor)
    return x


def smoothed_groups(starts: NDArray[np.int64], counts: NDArray[np.int64], bounds: Bounds) -> NDArray[np.int64]:
    """Return the smoothed counts of many groups, shape (n_answers,).

    Args:
        starts: Where the answers of each group begin, and the end; shape (n_groups + 1,).
        counts: Rows of each answer, at least 1, falling within a group; shape (n_answers,).
        bounds: What is asked.
    """
    sizes = np.diff(starts)
    if not len(sizes):
        return counts
    if not fits(int(np.add.reduceat(counts, starts[:-1]).max()), int(sizes.max()), bounds):
        made = [smoothed(counts[a:b].tolist(), bounds) for a, b in pairwise(starts.tolist())]
        return np.array([count for each in made for count in each], dtype=np.int64)
    from compsplit.kernels.smoothing import smooth_groups

    heads = np.minimum(sizes - 1, np.maximum(1, sizes * bounds.head.numerator // bounds.head.denominator))
    # A floor above every count does what one at the greatest count does.
    floor = min(bounds.floor, int(counts.max()))
    return np.asarray(smooth_groups(starts, counts, heads, *_pairs(bounds), floor))


def fits(n_rows: int, k: int, bounds: Bounds) -> bool:
    """Tell whether every product is a 64-bit number, for groups of at most so many rows and answers.

    A product is of two counts at most, each no more than the group's rows, and one number of a bound: its numerator or
    denominator, or one of i / (k - i).
    """
    b, r_min, r_max = _pairs(bounds)
    factor = max(*b, *r_min, *r_max, k)
    head = max(bounds.head.numerator * k, bounds.head.denominator)
    return max(n_rows * max(n_rows, k) * factor, head) <= _GREATEST


def _pairs(bounds: Bounds) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    return (
        bounds.bound.as_integer_ratio(),
        bounds.r_min.as_integer_ratio(),
        bounds.r_max.as_integer_ratio(),
    )

"""Sums over units that are drawn with replacement, for several draws at a time.

O(units + entries) a draw. Sums of whole numbers are exact, so they do not depend on any order.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_U = np.uint64
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_UNIT = 1.0 / (1 << 53)


@numba.njit(cache=True, nogil=True, inline="always")
def _uniform(key: np.uint64, number: np.uint64) -> np.float64:
    """Return the number that ``order.uniforms`` gives at this place of the stream of a key."""
    bits = key + number * _GOLDEN
    bits = (bits ^ (bits >> _U(30))) * _FIRST
    bits = (bits ^ (bits >> _U(27))) * _SECOND
    bits ^= bits >> _U(31)
    return np.float64(bits >> _U(11)) * _UNIT


@numba.njit(cache=True, nogil=True)
def drawn_sums(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    means: NDArray[np.int64],
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    times: NDArray[np.int32],
    total: NDArray[np.float64],
    held: NDArray[np.float64],
) -> None:
    """Draw as many units as there are, once for each key, and add up what the drawn units hold.

    Args:
        keys: The hash of each draw's seed and name; shape (n_draws,).
        starts: Unit u holds the entries ``starts[u]`` to ``starts[u + 1]``; shape (n_units + 1,).
        means: The mean that each entry belongs to; shape (n_entries,).
        sums: What the rows of each entry score; shape (n_entries,).
        counts: How many rows each entry stands for; shape (n_entries,).
        times: Room for how often each unit is drawn; shape (n_draws, n_units).
        total: Room for what each mean's rows score; shape (n_means, n_draws).
        held: Room for how many rows each mean is over; shape (n_means, n_draws).
    """
    n_draws, n_units = times.shape
    times[:] = 0
    total[:] = 0.0
    held[:] = 0.0
    for draw in range(n_draws):
        for i in range(n_units):
            times[draw, int(_uniform(keys[draw], _U(i)) * n_units)] += 1
    drawn = np.empty(n_draws, dtype=np.float64)
    for unit in range(n_units):
        for draw in range(n_draws):
            drawn[draw] = times[draw, unit]
        for entry in range(starts[unit], starts[unit + 1]):
            mean, score, count = means[entry], sums[entry], counts[entry]
            for draw in range(n_draws):
                total[mean, draw] += drawn[draw] * score
                held[mean, draw] += drawn[draw] * count

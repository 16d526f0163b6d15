"""The set that shares the most members with another, out of many sets, without looking at all of them.

A set that shares m members with one of n has one of any n - m + 1 of them. So the members of the one are taken from the
rarest on, and once those that are left are fewer than the best overlap, no further set can be as good.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


def most_alike(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    wanted_starts: NDArray[np.int64],
    wanted: NDArray[np.int32],
    n_members: int,
) -> NDArray[np.int64]:
    """Return, for each wanted set, the known set that shares the most members, -1 where none shares any.

    Ties: the set with the fewest members, then the first.

    Args:
        starts: Known set s holds ``members[starts[s]:starts[s + 1]]``, ascending, all different; shape (n_sets + 1,).
        members: Members of the known sets.
        wanted_starts: The same for the wanted sets.
        wanted: Their members.
        n_members: All members are below it.
    """
    holders = np.argsort(members, kind="stable")
    sets = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))[holders]
    holder_starts = np.zeros(n_members + 1, dtype=np.int64)
    np.cumsum(np.bincount(members, minlength=n_members), out=holder_starts[1:])
    found: NDArray[np.int64] = _search(starts, members, wanted_starts, wanted, holder_starts, sets)
    return found


@numba.njit(cache=True, nogil=True)
def _search(starts, members, wanted_starts, wanted, holder_starts, sets):  # type: ignore[no-untyped-def]  # compiled; typed by its one caller
    n = len(wanted_starts) - 1
    found = np.full(n, -1, dtype=np.int64)
    met = np.full(len(starts) - 1, -1, dtype=np.int64)
    for q in range(n):
        own = wanted[wanted_starts[q] : wanted_starts[q + 1]]
        held = np.empty(len(own), dtype=np.int64)
        for k in range(len(own)):
            held[k] = holder_starts[own[k] + 1] - holder_starts[own[k]]
        rarest_first = np.argsort(held)
        best, fewest, which = 0, 0, -1
        for k in range(len(own)):
            if len(own) - k < best:
                break
            member = own[rarest_first[k]]
            for place in range(holder_starts[member], holder_starts[member + 1]):
                s = sets[place]
                if met[s] == q:
                    continue
                met[s] = q
                i, j, shared = 0, starts[s], 0
                while i < len(own) and j < starts[s + 1]:
                    if own[i] == members[j]:
                        shared += 1
                        i += 1
                        j += 1
                    elif own[i] < members[j]:
                        i += 1
                    else:
                        j += 1
                size = starts[s + 1] - starts[s]
                if shared > best or (shared == best and (size < fewest or (size == fewest and s < which))):
                    best, fewest, which = shared, size, s
        found[q] = which
    return found

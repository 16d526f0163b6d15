"""Search for groups of classes that keep more rows: two classes exchange their groups as long as that helps.

A row is kept where all its objects are of one group, or no two of them. Whether an exchange helps is seen from the bags
that hold one of the two classes alone. O(bags' entries x most objects a bag x classes to exchange with) a round.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def exchange(
    starts: NDArray[np.int64],
    classes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    weights: NDArray[np.int64],
    holder_starts: NDArray[np.int64],
    holders: NDArray[np.int32],
    block_starts: NDArray[np.int64],
    members: NDArray[np.int32],
    group_of_class: NDArray[np.int32],
    n_groups: int,
    rounds: int,
) -> int:
    """Exchange the groups of classes of one block, best exchange of each class first; return the rows gained.

    Args:
        starts, classes: The different classes of each bag.
        sizes: Objects of each bag; more than its classes, where one occurs twice.
        weights: Rows with each bag.
        holder_starts, holders: The bags that hold each class.
        block_starts, members: Classes that may exchange with each other, block by block.
        group_of_class: The group of each class; changed in place.
        n_groups: Groups of classes.
        rounds: How often every class is tried at most; it ends before, where a round gains nothing.
    """
    marks = np.zeros(n_groups, dtype=np.int64)
    turn = 0
    gained = 0
    for _ in range(rounds):
        better = 0
        for block in range(len(block_starts) - 1):
            for i in range(block_starts[block], block_starts[block + 1]):
                one = members[i]
                best = 0
                partner = -1
                for j in range(block_starts[block], block_starts[block + 1]):
                    other = members[j]
                    if group_of_class[one] == group_of_class[other]:
                        continue
                    gain = 0
                    # A bag that holds both has the same groups after; that it is met twice adds nothing.
                    for side in range(2):
                        moving = one if side == 0 else other
                        for entry in range(holder_starts[moving], holder_starts[moving + 1]):
                            bag = holders[entry]
                            turn += 2
                            before = _kept(bag, starts, classes, sizes, group_of_class, marks, turn)
                            _swap(group_of_class, one, other)
                            after = _kept(bag, starts, classes, sizes, group_of_class, marks, turn + 1)
                            _swap(group_of_class, one, other)
                            gain += weights[bag] * (int(after) - int(before))
                    if gain > best:
                        best = gain
                        partner = other
                if partner >= 0:
                    _swap(group_of_class, one, partner)
                    better += best
        gained += better
        if better == 0:
            break
    return gained


@numba.njit(cache=True, nogil=True)
def _kept(bag, starts, classes, sizes, group_of_class, marks, turn):  # type: ignore[no-untyped-def]  # compiled
    met = 0
    for entry in range(starts[bag], starts[bag + 1]):
        group = group_of_class[classes[entry]]
        if marks[group] != turn:
            marks[group] = turn
            met += 1
    return met == 1 or met == sizes[bag]


@numba.njit(cache=True, nogil=True)
def _swap(group_of_class, one, other):  # type: ignore[no-untyped-def]  # compiled
    group_of_class[one], group_of_class[other] = group_of_class[other], group_of_class[one]

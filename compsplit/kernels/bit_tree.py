"""A set of small integers that finds its next member at once: a tree of 64-bit words, each bit saying whether the word
below it is empty. All steps cost O(log64 n)."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_U = np.uint64


def bit_tree(n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return an empty set of integers in [0, n): its words, and where each floor of the tree begins."""
    floors = [0]
    width = max(n, 1)
    while True:
        width = (width + 63) // 64
        floors.append(floors[-1] + width)
        if width == 1:
            return np.zeros(floors[-1], dtype=np.uint64), np.array(floors[:-1], dtype=np.int64)


@numba.njit(cache=True, nogil=True)
def add(words: NDArray[np.uint64], floors: NDArray[np.int64], member: int) -> None:
    """Put a member into the set."""
    for floor in floors:
        at = floor + (member >> 6)
        before = words[at]
        words[at] = before | (_U(1) << _U(member & 63))
        if before:
            return
        member >>= 6


@numba.njit(cache=True, nogil=True)
def discard(words: NDArray[np.uint64], floors: NDArray[np.int64], member: int) -> None:
    """Take a member out of the set."""
    for floor in floors:
        at = floor + (member >> 6)
        words[at] &= ~(_U(1) << _U(member & 63))
        if words[at]:
            return
        member >>= 6


@numba.njit(cache=True, nogil=True)
def lowest(word: np.uint64) -> int:
    """Return the place of the lowest bit of a word that is not 0."""
    place = 0
    for step in (32, 16, 8, 4, 2, 1):
        if not word & ((_U(1) << _U(step)) - _U(1)):
            word >>= _U(step)
            place += step
    return place


@numba.njit(cache=True, nogil=True)
def next_member(words: NDArray[np.uint64], floors: NDArray[np.int64], start: int) -> int:
    """Return the least member that is at least ``start``; -1 if there is none."""
    n_floors = len(floors)
    floor = 0
    at = start
    while floor < n_floors:
        end = floors[floor + 1] if floor + 1 < n_floors else len(words)
        word_at = floors[floor] + (at >> 6)
        if word_at >= end:
            return -1
        word = words[word_at] & ~((_U(1) << _U(at & 63)) - _U(1))
        if word:
            at = ((at >> 6) << 6) + lowest(word)
            while floor:
                floor -= 1
                at = (at << 6) + lowest(words[floors[floor] + at])
            return at
        at = (at >> 6) + 1
        floor += 1
    return -1

"""The greedy covering loop of C-VQA, exactly, in time linear in the non-zeros.

A concept turns needed once and covered once, so every group's score (its needed concepts) changes at most twice for
each of its concepts. Groups wait in one bit tree, a stretch of it for each score; group g has a place in the stretches
1 to its number of concepts, so the tree has as many places as there are non-zeros, and the earliest group of the
highest score is found at once.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.bit_tree import add, bit_tree, discard, next_member

TRAIN, TEST = 0, 1
_FREE = -1
_UNSEEN, _NEEDED, _COVERED = 0, 1, 2


def greedy_cover(
    sizes: NDArray[np.int64],
    stays: NDArray[np.bool_],
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    n_concepts: int,
    target: int,
    covering: bool = True,
) -> tuple[NDArray[np.int8], int, int]:
    """Deal groups, numbered by their place in the order, to TRAIN and TEST.

    Args:
        sizes: Rows of each group, shape (n_groups,).
        stays: Groups that are in train from the start.
        starts: Group g holds entries ``starts[g]`` to ``starts[g + 1]``; shape (n_groups + 1,).
        concepts: The different concepts of each group, shape (n_entries,).
        n_concepts: Number of concepts.
        target: Rows that test may hold at most.
        covering: Whether covering turns are taken; without them every group that fits goes to test.

    Returns:
        The part of each group, the rows in test, and the covering turns taken.
    """
    by_concept = np.argsort(concepts, kind="stable")
    holder = np.repeat(np.arange(len(sizes), dtype=np.int32), np.diff(starts))[by_concept]
    holder_starts = np.zeros(n_concepts + 1, dtype=np.int64)
    np.cumsum(np.bincount(concepts, minlength=n_concepts), out=holder_starts[1:])
    words, floors = bit_tree(len(concepts))
    dealt: tuple[NDArray[np.int8], int, int] = _deal(
        sizes, stays, starts, concepts, holder_starts, holder, words, floors, target, covering
    )
    return dealt


@numba.njit(cache=True, nogil=True)
def _deal(sizes, stays, starts, concepts, holder_starts, holder, words, floors, target, covering):  # type: ignore[no-untyped-def]  # compiled; typed by its one caller
    n_groups = len(sizes)
    most = 0
    for g in range(n_groups):
        most = max(most, starts[g + 1] - starts[g])
    # place[starts[g] + s - 1] is where group g waits while its score is s; owner turns a place back into the group
    stretch = np.zeros(most + 2, dtype=np.int64)
    for g in range(n_groups):
        for s in range(1, starts[g + 1] - starts[g] + 1):
            stretch[s + 1] += 1
    for s in range(1, most + 2):
        stretch[s] += stretch[s - 1]
    next_place = stretch.copy()
    place = np.empty(len(concepts), dtype=np.int64)
    owner = np.empty(len(concepts), dtype=np.int32)
    for g in range(n_groups):
        for s in range(1, starts[g + 1] - starts[g] + 1):
            place[starts[g] + s - 1] = next_place[s]
            owner[next_place[s]] = g
            next_place[s] += 1

    part = np.full(n_groups, _FREE, dtype=np.int8)
    score = np.zeros(n_groups, dtype=np.int32)
    waiting = np.zeros(most + 2, dtype=np.int64)
    state = np.zeros(len(holder_starts) - 1, dtype=np.int8)
    for g in range(n_groups):
        if stays[g]:
            part[g] = TRAIN
    for g in range(n_groups):
        if stays[g]:
            _cover(g, starts, concepts, holder_starts, holder, place, part, score, waiting, state, words, floors)

    reached = 0
    turns = 0
    top = 0
    for g in range(n_groups):
        if part[g] != _FREE:
            continue
        _leave(g, starts, place, score, waiting, words, floors)
        if reached + sizes[g] > target:
            part[g] = TRAIN
            _cover(g, starts, concepts, holder_starts, holder, place, part, score, waiting, state, words, floors)
            continue
        part[g] = TEST
        reached += sizes[g]
        for entry in range(starts[g], starts[g + 1]):
            c = concepts[entry]
            if state[c] == _UNSEEN:
                state[c] = _NEEDED
                for k in range(holder_starts[c], holder_starts[c + 1]):
                    h = holder[k]
                    if part[h] == _FREE:
                        _leave(h, starts, place, score, waiting, words, floors)
                        score[h] += 1
                        add(words, floors, place[starts[h] + score[h] - 1])
                        waiting[score[h]] += 1
                        top = max(top, score[h])
        while top and not waiting[top]:
            top -= 1
        if covering and top:
            h = owner[next_member(words, floors, stretch[top])]
            _leave(h, starts, place, score, waiting, words, floors)
            part[h] = TRAIN
            turns += 1
            _cover(h, starts, concepts, holder_starts, holder, place, part, score, waiting, state, words, floors)
    return part, reached, turns


@numba.njit(cache=True, nogil=True)
def _leave(g, starts, place, score, waiting, words, floors):  # type: ignore[no-untyped-def]  # compiled
    if score[g]:
        discard(words, floors, place[starts[g] + score[g] - 1])
        waiting[score[g]] -= 1


@numba.njit(cache=True, nogil=True)
def _cover(g, starts, concepts, holder_starts, holder, place, part, score, waiting, state, words, floors):  # type: ignore[no-untyped-def]  # compiled
    for entry in range(starts[g], starts[g + 1]):
        c = concepts[entry]
        if state[c] == _NEEDED:
            for k in range(holder_starts[c], holder_starts[c + 1]):
                h = holder[k]
                if part[h] == _FREE:
                    _leave(h, starts, place, score, waiting, words, floors)
                    score[h] -= 1
                    if score[h]:
                        add(words, floors, place[starts[h] + score[h] - 1])
                        waiting[score[h]] += 1
        state[c] = _COVERED

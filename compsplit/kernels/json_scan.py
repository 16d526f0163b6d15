"""Find where the records of a JSON array begin and end, without decoding them.

One pass over the bytes, O(n). Brackets are counted by kind, strings are passed over, and the keys of each object are
compared, so that a key which stands twice is noticed. What is inside a record is otherwise left to the decoder.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

OPENED, AFTER_RECORD, AFTER_COMMA = range(3)
"""What stands before the byte at which a scan begins or ends."""

MORE, CLOSED, FULL, STRAY, DEEP = range(5)
"""How a scan ended: the bytes ran out, the array closed, no room for records is left, at a byte that has no place
there, or at a record that is nested too deeply."""

MAX_DEPTH = 256
_MAX_KEYS = 128
_KEY_ROOM = 4096

# Indices are unsigned: numba then leaves out the test for negative ones, which makes the scan three times as fast.
_U = np.uint64


@numba.njit(cache=True, nogil=True)
def _after_space(data: NDArray[np.uint8], i: np.uint64, n: np.uint64) -> np.uint64:
    while i < n and (data[i] == 32 or data[i] == 10 or data[i] == 13 or data[i] == 9):
        i += _U(1)
    return i


@numba.njit(cache=True, nogil=True)
def _after_string(data: NDArray[np.uint8], i: np.uint64, n: np.uint64) -> tuple[np.uint64, bool]:
    """Return the byte after the closing quote (past n if there is none), and whether a backslash was met."""
    escaped = False
    while i < n:
        byte = data[i]
        i += _U(1)
        if byte == 34:
            return i, escaped
        if byte == 92:
            escaped = True
            i += _U(1)
    return n + _U(1), escaped


@numba.njit(cache=True, nogil=True)
def _same(data: NDArray[np.uint8], one: np.uint64, other: np.uint64, length: np.uint64) -> bool:
    for offset in range(length):
        if data[one + _U(offset)] != data[other + _U(offset)]:
            return False
    return True


@numba.njit(cache=True, nogil=True)
def scan(
    data: NDArray[np.uint8],
    start: int,
    before: int,
    closer: int,
    counted: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    doubtful: NDArray[np.bool_],
    lengths: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Find whole records from ``start`` on.

    Args:
        data: The bytes, shape (n,).
        start: Where to begin: between two records.
        before: OPENED, AFTER_RECORD or AFTER_COMMA.
        closer: The byte that ends the array; 0 for records that stand one after the other without commas.
        counted: Key of a record whose list's elements are counted, as written; may be empty.
        starts: Room for the first byte of each record.
        stops: Room for the byte after each record.
        doubtful: Room for whether a key may stand twice in a record (too many keys, or one with an escape, count).
        lengths: Room for the number of elements of each record's list under ``counted``; 0 where it has none.

    Returns:
        Records found, the first byte that is not done with, what stands before it, and how the scan ended.
    """
    n = _U(len(data))
    one = _U(1)
    is_object = np.zeros(MAX_DEPTH + 1, dtype=np.bool_)
    base = np.zeros(MAX_DEPTH + 1, dtype=np.uint64)
    key_starts = np.zeros(_KEY_ROOM, dtype=np.uint64)
    key_lengths = np.zeros(_KEY_ROOM, dtype=np.uint64)
    found = 0
    i = _U(start)
    while True:
        i = _after_space(data, i, n)
        if i >= n:
            return found, np.int64(n), before, MORE
        byte = data[i]
        if byte == closer:
            if before == AFTER_COMMA:
                return found, np.int64(i), before, STRAY
            return found, np.int64(i + one), before, CLOSED
        if closer:
            if byte == 44 and before == AFTER_RECORD:
                before = AFTER_COMMA
                i += one
                continue
            if byte == 44 or before == AFTER_RECORD:
                return found, np.int64(i), before, STRAY
        if byte == 125 or byte == 93:
            return found, np.int64(i), before, STRAY
        if found == len(starts):
            return found, np.int64(i), before, FULL
        first = i
        depth = _U(0)
        top = _U(0)
        doubt = False
        complete = False
        counting = False
        length_of_list = 0
        while i < n and not complete:
            byte = data[i]
            i += one
            if byte == 34:
                opened = i
                i, escaped = _after_string(data, i, n)
                if depth == 0:
                    complete = i < n
                elif is_object[depth]:
                    j = i if i < n and data[i] == 58 else _after_space(data, i, n)
                    if j < n and data[j] == 58:
                        length = i - one - opened
                        i = j + one
                        if escaped or top == _KEY_ROOM or top - base[depth] == _MAX_KEYS:
                            doubt = True
                        else:
                            if depth == 1:
                                counting = length == _U(len(counted))
                                for offset in range(length if counting else _U(0)):
                                    counting = counting and data[opened + _U(offset)] == counted[offset]
                            for k in range(base[depth], top):
                                if key_lengths[k] == length and _same(data, key_starts[k], opened, length):
                                    doubt = True
                            key_starts[top] = opened
                            key_lengths[top] = length
                            top += one
            elif byte == 44:
                if depth == 0:
                    i -= one
                    complete = True
                elif counting and depth == 2:
                    length_of_list += 1
            elif byte == 123 or byte == 91:
                if counting and depth == 1:
                    counting = byte == 91
                    j = _after_space(data, i, n)
                    if counting and j < n and data[j] != 93:
                        length_of_list = 1
                if depth == MAX_DEPTH:
                    return found, np.int64(first), before, DEEP
                depth += one
                is_object[depth] = byte == 123
                base[depth] = top
            elif byte == 125 or byte == 93:
                if depth == 0:
                    i -= one
                    complete = True
                elif is_object[depth] != (byte == 125):
                    return found, np.int64(i - one), before, STRAY
                else:
                    top = base[depth]
                    depth -= one
                    counting = counting and depth > 1
                    complete = depth == 0
            elif depth == 0 and (byte == 32 or byte == 10 or byte == 13 or byte == 9):
                i -= one
                complete = True
        if not complete:
            return found, np.int64(first), before, MORE
        starts[found] = np.int64(first)
        stops[found] = np.int64(i)
        doubtful[found] = doubt
        lengths[found] = length_of_list
        found += 1
        before = AFTER_RECORD

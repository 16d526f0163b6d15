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


@numba.njit(cache=True, nogil=True)
def scan(
    data: NDArray[np.uint8],
    start: int,
    before: int,
    closer: int,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    doubtful: NDArray[np.bool_],
) -> tuple[int, int, int, int]:
    """Find whole records from ``start`` on.

    Args:
        data: The bytes, shape (n,).
        start: Where to begin: between two records.
        before: OPENED, AFTER_RECORD or AFTER_COMMA.
        closer: The byte that ends the array; 0 for records that stand one after the other without commas.
        starts: Room for the first byte of each record.
        stops: Room for the byte after each record.
        doubtful: Room for whether a key may stand twice in a record (too many keys, or one with an escape, count).

    Returns:
        Records found, the first byte that is not done with, what stands before it, and how the scan ended.
    """
    n = len(data)
    is_object = np.zeros(MAX_DEPTH + 1, dtype=np.bool_)
    base = np.zeros(MAX_DEPTH + 1, dtype=np.int64)
    key_starts = np.zeros(_KEY_ROOM, dtype=np.int64)
    key_stops = np.zeros(_KEY_ROOM, dtype=np.int64)
    found = 0
    i = start
    while i < n:
        byte = data[i]
        if byte == 32 or byte == 10 or byte == 13 or byte == 9:
            i += 1
            continue
        if byte == closer:
            if before == AFTER_COMMA:
                return found, i, before, STRAY
            return found, i + 1, before, CLOSED
        if closer:
            if byte == 44 and before == AFTER_RECORD:
                before = AFTER_COMMA
                i += 1
                continue
            if byte == 44 or before == AFTER_RECORD:
                return found, i, before, STRAY
        if byte == 125 or byte == 93:
            return found, i, before, STRAY
        if found == len(starts):
            return found, i, before, FULL
        first = i
        depth = 0
        top = 0
        doubt = False
        complete = False
        while i < n and not complete:
            byte = data[i]
            if byte == 34:
                opened = i + 1
                escaped = False
                i += 1
                while i < n and data[i] != 34:
                    if data[i] == 92:
                        escaped = True
                        i += 1
                    i += 1
                closed = i
                i += 1
                if depth == 0:
                    complete = closed < n
                elif is_object[depth]:
                    j = i
                    while j < n and (data[j] == 32 or data[j] == 10 or data[j] == 13 or data[j] == 9):
                        j += 1
                    if j < n and data[j] == 58:
                        i = j + 1
                        if escaped or top == _KEY_ROOM or top - base[depth] == _MAX_KEYS:
                            doubt = True
                        else:
                            length = closed - opened
                            for k in range(base[depth], top):
                                if key_stops[k] - key_starts[k] == length:
                                    same = True
                                    for offset in range(length):
                                        if data[key_starts[k] + offset] != data[opened + offset]:
                                            same = False
                                            break
                                    doubt = doubt or same
                            key_starts[top] = opened
                            key_stops[top] = closed
                            top += 1
            elif byte == 123 or byte == 91:
                if depth == MAX_DEPTH:
                    return found, first, before, DEEP
                depth += 1
                is_object[depth] = byte == 123
                base[depth] = top
                i += 1
            elif byte == 125 or byte == 93:
                if depth == 0:
                    complete = True
                elif is_object[depth] != (byte == 125):
                    return found, i, before, STRAY
                else:
                    top = base[depth]
                    depth -= 1
                    i += 1
                    complete = depth == 0
            elif depth == 0 and (byte == 44 or byte == 32 or byte == 10 or byte == 13 or byte == 9):
                complete = True
            else:
                i += 1
        if not complete:
            return found, first, before, MORE
        starts[found] = first
        stops[found] = i
        doubtful[found] = doubt
        found += 1
        before = AFTER_RECORD
    return found, n, before, MORE

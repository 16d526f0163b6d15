"""Number the distinct texts of a column as they come, without making Python objects of them.

What is known is kept as one run of bytes, the *arena*, in which text k ends at ``ends[k + 1]``, and as a table of
hashes with open addressing. O(bytes); the caller makes room.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.words import PAD, word_at

_U = np.uint64
_MIX = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(cache=True, nogil=True)
def _hash(data: NDArray[np.uint8], start: np.uint64, length: np.uint64) -> np.uint64:
    n_words = length >> _U(3)
    mixed = length
    for k in range(n_words):
        mixed = (mixed ^ word_at(data, start + (_U(k) << _U(3)))) * _MIX
        mixed ^= mixed >> _U(29)
    tail = word_at(data, start + (n_words << _U(3))) & ((_U(1) << (_U(8) * (length & _U(7)))) - _U(1))
    return ((mixed ^ tail) * _MIX) >> _U(32)


@numba.njit(cache=True, nogil=True)
def _same(
    one: NDArray[np.uint8], start: np.uint64, other: NDArray[np.uint8], begin: np.uint64, length: np.uint64
) -> Any:
    n_words = length >> _U(3)
    for k in range(n_words):
        if word_at(one, start + (_U(k) << _U(3))) != word_at(other, begin + (_U(k) << _U(3))):
            return False
    last = n_words << _U(3)
    mask = (_U(1) << (_U(8) * (length & _U(7)))) - _U(1)
    return (word_at(one, start + last) ^ word_at(other, begin + last)) & mask == _U(0)


@numba.njit(cache=True, nogil=True)
def number_texts(
    data: NDArray[np.uint8],
    starts: NDArray[np.int32],
    stops: NDArray[np.int32],
    first: int,
    codes: NDArray[np.int32],
    n_known: int,
    arena: NDArray[np.uint8],
    ends: NDArray[np.int64],
    table: NDArray[np.int32],
) -> tuple[int, int]:
    """Number spans of bytes; those that are new are appended to what is known.

    Args:
        data: The bytes, and ``PAD`` more; shape (n_bytes + PAD,).
        starts: First byte of each span, -1 for none; shape (n,).
        stops: The byte after each; shape (n,).
        first: The span to go on with.
        codes: Room for the number of each span, -1 for none; shape (n,).
        n_known: How many texts are known.
        arena: Their bytes, with room for more and for ``PAD`` after them.
        ends: Where they end, from position 1 on, with room for more.
        table: A power of two of places, -1 where there is none.

    Returns:
        How many spans are done with and how many texts are known; room is lacking where the first is not n.
    """
    mask = _U(len(table) - 1)
    for i in range(first, len(starts)):
        if starts[i] < 0:
            codes[i] = -1
            continue
        start = _U(starts[i])
        length = _U(stops[i]) - start
        at = _hash(data, start, length) & mask
        while True:
            code = table[at]
            if code < 0:
                end = ends[n_known]
                if 2 * n_known >= len(table) or n_known + 1 >= len(ends) or end + np.int64(length) + PAD > len(arena):
                    return i, n_known
                for k in range(length):
                    arena[_U(end) + _U(k)] = data[start + _U(k)]
                ends[n_known + 1] = end + np.int64(length)
                table[at] = n_known
                codes[i] = n_known
                n_known += 1
                break
            begin = _U(ends[code])
            if _U(ends[code + 1]) - begin == length and _same(data, start, arena, begin, length):
                codes[i] = code
                break
            at = (at + _U(1)) & mask
    return len(starts), n_known


@numba.njit(cache=True, nogil=True)
def fill_table(arena: NDArray[np.uint8], ends: NDArray[np.int64], n_known: int, table: NDArray[np.int32]) -> None:
    """Enter the known texts in an empty table."""
    mask = _U(len(table) - 1)
    for code in range(n_known):
        start = _U(ends[code])
        at = _hash(arena, start, _U(ends[code + 1]) - start) & mask
        while table[at] >= 0:
            at = (at + _U(1)) & mask
        table[at] = code

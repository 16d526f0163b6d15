"""Find the records of a JSON array, and the values of their fields, without decoding them.

One pass over the bytes, O(n), that follows the grammar of RFC 8259. Records are cut by their brackets alone. One that
breaks the grammar, that may hold a key twice, or whose field has a value of another type than was asked for is
*doubtful*: its end is right, everything else is for a slower look to decide. A record without doubt is JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numba
import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.words import PAD, word_at

OPENED, AFTER_RECORD, AFTER_COMMA, AFTER_KEY, AFTER_COLON = range(5)
"""What stands before the byte at which a scan begins or ends."""

MORE, CLOSED, FULL, STRAY, DEEP = range(5)
"""How a scan ended: the bytes ran out, the array closed, no room for records is left, at a byte that has no place
there, or at a record that is nested too deeply."""

TEXT, TEXT_OR_WHOLE, ANYTHING = range(3)
"""What a field may hold, besides null: a string; a string or a whole number; any value."""

MAX_DEPTH = 256
Flag: TypeAlias = Any
"""A bool, of Python or of numpy."""

_MAX_KEYS = 128
_KEY_ROOM = 4096
_MAX_DIGITS = 300

# What may come next inside a record.
_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COMMA_OR_END = range(5)

# Indices are unsigned: numba then leaves out the test for negative ones, which makes the scan three times as fast.
_U = np.uint64
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_QUOTES = np.uint64(0x2222222222222222)
_BACKSLASHES = np.uint64(0x5C5C5C5C5C5C5C5C)
_SPACES = np.uint64(0x2020202020202020)


@numba.njit(cache=True, nogil=True, inline="always")
def _is_space(byte: np.uint8) -> Flag:
    return byte == 32 or byte == 10 or byte == 13 or byte == 9


@numba.njit(cache=True, nogil=True)
def _after_space(data: NDArray[np.uint8], i: np.uint64, n: np.uint64) -> np.uint64:
    while i < n and _is_space(data[i]):
        i += _U(1)
    return i


@numba.njit(cache=True, nogil=True, inline="always")
def _first_stop(word: np.uint64) -> np.uint64:
    """Return how many bytes stand before the first quote, backslash or control character; 8 if there is none."""
    quotes = word ^ _QUOTES
    slashes = word ^ _BACKSLASHES
    # Each term has the top bit set in the first byte that is meant; those after it may be wrong.
    met = ((quotes - _ONES) & ~quotes) | ((slashes - _ONES) & ~slashes) | ((word - _SPACES) & ~word)
    met &= _TOPS
    if met == _U(0):
        return _U(8)
    lowest = (met & (~met + _U(1))) >> _U(7)
    return (((lowest - _U(1)) & _ONES) * _ONES) >> _U(56)


@numba.njit(cache=True, nogil=True)
def _is_hex(byte: np.uint8) -> Flag:
    return (byte >= 48 and byte <= 57) or (byte >= 65 and byte <= 70) or (byte >= 97 and byte <= 102)


@numba.njit(cache=True, nogil=True)
def _after_string(data: NDArray[np.uint8], i: np.uint64, n: np.uint64) -> tuple[np.uint64, Flag, Flag]:
    """Return the byte after the closing quote (past n if there is none), and whether it has escapes and is sound."""
    escaped = False
    sound: Flag = True
    while True:
        stop = _first_stop(word_at(data, i))
        i += stop
        if i >= n:
            return n + _U(1), escaped, sound
        if stop == _U(8):
            continue
        byte = data[i]
        i += _U(1)
        if byte == 34:
            return i, escaped, sound
        if byte != 92:
            sound = False
            continue
        escaped = True
        if i >= n:
            return n + _U(1), escaped, sound
        byte = data[i]
        i += _U(1)
        if byte == 117:  # u
            if i + _U(4) > n:
                return n + _U(1), escaped, sound
            for k in range(_U(4)):
                sound &= _is_hex(data[i + _U(k)])
        elif not (
            byte == 34
            or byte == 92
            or byte == 47
            or byte == 98
            or byte == 102
            or byte == 110
            or byte == 114
            or byte == 116
        ):
            sound = False


@numba.njit(cache=True, nogil=True)
def _digits(data: NDArray[np.uint8], i: np.uint64, n: np.uint64) -> np.uint64:
    while i < n and data[i] >= 48 and data[i] <= 57:
        i += _U(1)
    return i


@numba.njit(cache=True, nogil=True)
def _spelled(data: NDArray[np.uint8], i: np.uint64, stop: np.uint64, letters: tuple[int, ...]) -> bool:
    if stop - i != _U(len(letters)):
        return False
    for letter in letters:
        if data[i] != letter:
            return False
        i += _U(1)
    return True


@numba.njit(cache=True, nogil=True)
def _plain(data: NDArray[np.uint8], first: np.uint64, n: np.uint64) -> tuple[np.uint64, Flag, Flag]:
    """Return the byte after a value without quotes or brackets, whether it is JSON, and whether a whole number."""
    one = _U(1)
    i = first
    if data[i] == 45:
        i += one
    start = i
    i = _digits(data, i, n)
    sound = i > start and (data[start] != 48 or i == start + one) and i - start < _U(_MAX_DIGITS)
    whole = sound and not (data[first] == 45 and data[start] == 48)  # -0 is no way to write an id
    if sound and i < n and data[i] == 46:
        whole = False
        start = i + one
        i = _digits(data, start, n)
        sound = i > start
    if sound and i < n and (data[i] == 101 or data[i] == 69):
        whole = False
        start = i + one
        if start < n and (data[start] == 43 or data[start] == 45):
            start += one
        i = _digits(data, start, n)
        sound = i > start
    stop = i
    while stop < n and not _is_space(data[stop]):
        byte = data[stop]
        if byte == 44 or byte == 93 or byte == 125 or byte == 34 or byte == 91 or byte == 123:
            break
        stop += one
    if sound and stop == i:
        return stop, True, whole
    sound = (
        _spelled(data, first, stop, (116, 114, 117, 101))
        or _spelled(data, first, stop, (102, 97, 108, 115, 101))
        or _spelled(data, first, stop, (110, 117, 108, 108))
    )
    return stop, sound, False


@numba.njit(cache=True, nogil=True)
def scan(
    data: NDArray[np.uint8],
    start: int,
    before: int,
    closer: int,
    keys: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    counted: int,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    doubtful: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    cells: NDArray[np.int32],
) -> tuple[int, np.int64, int, int]:
    """Find whole records from ``start`` on.

    Args:
        data: The bytes, and ``PAD`` more; shape (n + PAD,).
        start: Where to begin: between two records.
        before: OPENED, AFTER_RECORD or AFTER_COMMA; in an object AFTER_KEY or AFTER_COLON, too.
        closer: The byte that ends the array; 0 for records that stand one after the other without commas. A closing
            brace ends an object, whose keys and values are found in turn, each as a record.
        keys: The fields that are wanted, as ``packed_keys`` gives them; shape (n_fields, 4).
        kinds: What each may hold; shape (n_fields,).
        counted: The field whose list's elements are counted; -1 for none.
        starts: Room for the first byte of each record.
        stops: Room for the byte after each record.
        doubtful: Room for whether a record needs a slower look.
        lengths: Room for the number of elements of each record's counted list; 0 where it has none.
        cells: Room for where each value begins and ends, a string without its quotes; begins at -1 where the field
            is absent or null; shape (room, n_fields, 2).

    Returns:
        Records found, the first byte that is not done with, what stands before it, and how the scan ended.
    """
    is_object = np.zeros(MAX_DEPTH + 1, dtype=np.bool_)
    base = np.zeros(MAX_DEPTH + 1, dtype=np.uint64)
    met = np.zeros((_KEY_ROOM, 3), dtype=np.uint64)
    return _scan(
        data, start, before, closer, keys, kinds, counted, starts, stops, doubtful, lengths, cells, is_object, base, met
    )


@numba.njit(cache=True, nogil=True)
def scan_lists(
    data: NDArray[np.uint8],
    lists: NDArray[np.int64],
    ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    doubtful: NDArray[np.bool_],
    cells: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> int:
    """Find the records of many lists, and the values of their fields.

    Args:
        data: The bytes, and ``PAD`` more.
        lists: First byte of each list, -1 for none; shape (n_lists,).
        ends: The byte after each.
        keys: The fields that are wanted, as ``packed_keys`` gives them.
        kinds: What each may hold.
        doubtful: Room for whether a record needs a slower look.
        cells: Room for where each value begins and ends; shape (room, n_fields, 2).
        counts: Room for the records of each list, -1 where it is no list that ends where it should; shape (n_lists,).

    Returns:
        Records found; -1 if there is no room for all of them.
    """
    is_object = np.zeros(MAX_DEPTH + 1, dtype=np.bool_)
    base = np.zeros(MAX_DEPTH + 1, dtype=np.uint64)
    met = np.zeros((_KEY_ROOM, 3), dtype=np.uint64)
    room = len(doubtful)
    starts = np.empty(room, np.int64)
    stops = np.empty(room, np.int64)
    lengths = np.empty(room, np.int64)
    total = 0
    for i in range(len(lists)):
        counts[i] = 0
        if lists[i] < 0:
            continue
        if data[lists[i]] != 91:
            counts[i] = -1
            continue
        found, done, _, ended = _scan(
            data, lists[i] + 1, OPENED, 93, keys, kinds, -1, starts[total:], stops[total:], doubtful[total:],
            lengths[total:], cells[total:], is_object, base, met,
        )  # fmt: skip
        if ended == FULL:
            return -1
        if ended != CLOSED or done != ends[i]:
            counts[i] = -1
            continue
        counts[i] = found
        total += found
    return total


@numba.njit(cache=True, nogil=True)
def scan_each(
    data: NDArray[np.uint8],
    objects: NDArray[np.int64],
    keys: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    doubtful: NDArray[np.bool_],
    cells: NDArray[np.int32],
) -> None:
    """Find the values of the fields of objects that stand anywhere in a text that is JSON.

    Args:
        data: The bytes, and ``PAD`` more.
        objects: First byte of each object, -1 for none; shape (n,).
        keys: The fields that are wanted, as ``packed_keys`` gives them.
        kinds: What each may hold.
        doubtful: Room for whether an object needs a slower look, or is none; shape (n,).
        cells: Room for where each value begins and ends; shape (n, n_fields, 2).
    """
    is_object = np.zeros(MAX_DEPTH + 1, dtype=np.bool_)
    base = np.zeros(MAX_DEPTH + 1, dtype=np.uint64)
    met = np.zeros((_KEY_ROOM, 3), dtype=np.uint64)
    stand = np.empty((3, 1), np.int64)
    for i in range(len(objects)):
        cells[i, :, 0] = -1
        doubtful[i] = False
        if objects[i] < 0:
            continue
        if data[objects[i]] != 123:
            doubtful[i] = True
            continue
        # There is room for one record, so that the scan ends behind the object, whatever comes there.
        _scan(
            data, objects[i], OPENED, 0, keys, kinds, -1, stand[0], stand[1], doubtful[i : i + 1], stand[2],
            cells[i : i + 1], is_object, base, met,
        )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def list_texts(
    data: NDArray[np.uint8],
    starts: NDArray[np.int32],
    stops: NDArray[np.int32],
    firsts: NDArray[np.int32],
    lasts: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> int:
    """Find the texts of lists of texts.

    Args:
        data: The bytes, known to be JSON.
        starts: First byte of each list, -1 for none; shape (n,).
        stops: The byte after each; shape (n,).
        firsts: Room for the first byte of each text, without its quote.
        lasts: Room for the byte after each.
        counts: Room for the texts of each list, -1 where it is no list of texts alone; shape (n,).

    Returns:
        Texts found; -1 if there is no room for all of them.
    """
    total = 0
    for i in range(len(starts)):
        counts[i] = 0
        if starts[i] < 0:
            continue
        if data[starts[i]] != 91:
            counts[i] = -1
            continue
        at = _U(starts[i] + 1)
        stop = _U(stops[i] - 1)
        found = 0
        while at < stop:
            byte = data[at]
            if byte == 34:
                if total + found == len(firsts):
                    return -1
                after, _, _ = _after_string(data, at + _U(1), stop)
                firsts[total + found] = np.int32(at + _U(1))
                lasts[total + found] = np.int32(after - _U(1))
                found += 1
                at = after
            elif byte == 44 or _is_space(byte):
                at += _U(1)
            else:
                found = -1
                break
        counts[i] = found
        if found > 0:
            total += found
    return total


@numba.njit(cache=True, nogil=True)
def _scan(
    data: NDArray[np.uint8],
    start: int,
    before: int,
    closer: int,
    keys: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
    counted: int,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    doubtful: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    cells: NDArray[np.int32],
    is_object: NDArray[np.bool_],
    base: NDArray[np.uint64],
    met: NDArray[np.uint64],
) -> tuple[int, np.int64, int, int]:
    """As ``scan``, with room for the objects that are open and the keys met in them."""
    n = _U(len(data) - PAD)
    one = _U(1)
    n_fields = len(kinds)
    found = 0
    i = _U(start)
    while True:
        i = _after_space(data, i, n)
        if i >= n:
            return found, np.int64(n), before, MORE
        byte = data[i]
        if closer and byte == closer:
            if before >= AFTER_COMMA:
                return found, np.int64(i), before, STRAY
            return found, np.int64(i + one), before, CLOSED
        if closer:
            if byte == 44 and before == AFTER_RECORD:
                before = AFTER_COMMA
                i += one
                continue
            if byte == 58 and before == AFTER_KEY:
                before = AFTER_COLON
                i += one
                continue
            if byte == 44 or before in (AFTER_RECORD, AFTER_KEY):
                return found, np.int64(i), before, STRAY
        is_key = closer == 125 and before != AFTER_COLON
        if is_key and byte != 34:
            return found, np.int64(i), before, STRAY
        if byte == 125 or byte == 93:
            return found, np.int64(i), before, STRAY
        if found == len(starts):
            return found, np.int64(i), before, FULL
        first = i
        depth = _U(0)
        top = _U(0)
        expected = _VALUE
        doubt: Flag = False
        complete: Flag = False
        field = -1
        opened = i
        counting = False
        length_of_list = 0
        for k in range(n_fields):
            cells[found, k, 0] = -1
        while not complete:
            while i < n and _is_space(data[i]):
                i += one
            if i >= n:
                break
            byte = data[i]
            if byte == 34:
                opened = i
                i, escaped, sound = _after_string(data, i + one, n)
                if i > n:
                    break
                doubt |= not sound
                if expected in (_KEY, _KEY_OR_END):
                    size = i - opened - _U(2)
                    while i < n and _is_space(data[i]):
                        i += one
                    if i >= n:
                        break
                    expected = _VALUE
                    if data[i] != 58:
                        doubt = True
                        continue
                    i += one
                    if escaped or top == _U(_KEY_ROOM) or top - base[depth] == _U(_MAX_KEYS):
                        doubt = True
                        continue
                    # A key is its length and the eight bytes at either end. Longer ones may only seem the same.
                    head = word_at(data, opened + one)
                    tail = _U(0)
                    if size < _U(8):
                        head &= (one << (_U(8) * size)) - one
                    else:
                        tail = word_at(data, opened + one + size - _U(8))
                    for k in range(base[depth], top):
                        if met[k, 0] == head and met[k, 1] == tail and met[k, 2] == size:
                            doubt = True
                    met[top, 0] = head
                    met[top, 1] = tail
                    met[top, 2] = size
                    top += one
                    if depth == one:
                        field = -1
                        for k in range(n_fields):
                            same = keys[k, 0] == head and keys[k, 1] == tail and keys[k, 2] == size
                            if same and (size <= _U(16) or keys[k, 3] == word_at(data, opened + _U(9))):
                                field = k
                    continue
                doubt |= expected > _VALUE_OR_END
                expected = _COMMA_OR_END
                if depth == one and field >= 0:
                    cells[found, field, 0] = opened + one
                    cells[found, field, 1] = i - one
                    if kinds[field] == ANYTHING:
                        cells[found, field, 0] = opened
                        cells[found, field, 1] = i
                    field = -1
                complete = depth == 0
            elif byte == 44:
                if depth == 0:
                    doubt = True
                    break
                doubt |= expected != _COMMA_OR_END
                expected = _KEY if is_object[depth] else _VALUE
                if counting and depth == _U(2):
                    length_of_list += 1
                i += one
            elif byte == 123 or byte == 91:
                doubt |= expected > _VALUE_OR_END
                if depth == _U(MAX_DEPTH):
                    return found, np.int64(first), before, DEEP
                if depth == one and field >= 0:
                    cells[found, field, 0] = i
                    doubt |= kinds[field] != ANYTHING
                    counting = field == counted and byte == 91
                    if counting:
                        j = _after_space(data, i + one, n)
                        length_of_list = 1 if j < n and data[j] != 93 else 0
                depth += one
                is_object[depth] = byte == 123
                base[depth] = top
                expected = _KEY_OR_END if byte == 123 else _VALUE_OR_END
                i += one
            elif byte == 125 or byte == 93:
                if is_object[depth] != (byte == 125):
                    return found, np.int64(i), before, STRAY
                doubt |= expected != _COMMA_OR_END and expected != (_KEY_OR_END if byte == 125 else _VALUE_OR_END)
                expected = _COMMA_OR_END
                top = base[depth]
                depth -= one
                i += one
                if depth == one and field >= 0:
                    cells[found, field, 1] = i
                    field = -1
                    counting = False
                complete = depth == 0
            else:
                opened = i
                i, sound, whole = _plain(data, i, n)
                if not sound or expected > _VALUE_OR_END:
                    doubt = True
                expected = _COMMA_OR_END
                if depth == one and field >= 0:
                    if data[opened] != 110:  # null
                        cells[found, field, 0] = opened
                        cells[found, field, 1] = i
                        if kinds[field] == TEXT or (kinds[field] == TEXT_OR_WHOLE and not whole):
                            doubt = True
                    field = -1
                # What ends at the last byte may go on in those that are not read yet.
                complete = depth == 0 and i < n
                if depth == 0 and i >= n:
                    break
        if not complete:
            return found, np.int64(first), before, MORE
        starts[found] = np.int64(first)
        stops[found] = np.int64(i)
        doubtful[found] = doubt
        lengths[found] = length_of_list
        found += 1
        before = AFTER_KEY if is_key else AFTER_RECORD


def packed_keys(names: Sequence[str]) -> NDArray[np.uint64]:
    """Return keys as ``scan`` compares them, shape (n, 4): the first and last eight bytes, length, and bytes 8 to 15.

    Raises:
        ValueError: A key has more than 24 bytes.
    """
    keys = np.zeros((len(names), 4), dtype=np.uint64)
    for k, name in enumerate(map(str.encode, names)):
        if len(name) > 24:
            raise ValueError(f"a field's name must have at most 24 bytes, {name.decode()} has {len(name)}")
        last = name[-8:] if len(name) >= 8 else b""
        keys[k] = [int.from_bytes(part, "little") for part in (name[:8], last)] + [len(name), 0]
        keys[k, 3] = int.from_bytes(name[8:16], "little") if len(name) > 16 else 0
    return keys


@numba.njit(cache=True, nogil=True)
def whole_numbers(
    data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32], out: NDArray[np.int64]
) -> bool:
    """Write the spans' whole numbers to ``out``, shape (n,); False if one is a string or has over 18 characters."""
    for i in range(len(starts)):
        start, stop = starts[i], stops[i]
        if start < 1 or stop - start > 18 or data[start - 1] == 34:
            return False
        negative = data[start] == 45
        value = np.int64(0)
        for k in range(start + (1 if negative else 0), stop):
            value = value * 10 + np.int64(data[k] - 48)
        out[i] = -value if negative else value
    return True

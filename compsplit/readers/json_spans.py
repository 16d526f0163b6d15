"""Where the records of a JSON file stand, block by block.

Four layouts are known by content: a list of records, an object that holds a list of records under a known key, an
object whose members are the records, and one record after the other (JSON lines). A kernel finds the records and
checks their grammar; those that it doubts are read again one by one by Python's own decoder with every check, which
gives their values or says what is wrong.

Cost: O(bytes); memory follows the block size, not the file size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, EmptyFileError, Problem, RecordsError, TruncatedError
from compsplit.files import BLOCK, Bytes
from compsplit.kernels.json_scan import (
    AFTER_COMMA,
    AFTER_RECORD,
    ANYTHING,
    CLOSED,
    DEEP,
    FULL,
    MAX_DEPTH,
    MORE,
    OPENED,
    STRAY,
    packed_keys,
    scan,
)
from compsplit.kernels.words import PAD, wrapping
from compsplit.model.table import Input

_ROOM = 1 << 15
_LARGEST_RECORD = 64 << 20
_LARGEST_FIRST_LINE = 2 << 20
_SPACE = b" \t\r\n"
_PADDING = b"\0" * PAD
_KEPT_PROBLEMS = 1000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Spans:
    """Consecutive records of a file, not decoded; offsets count in ``data``.

    Attributes:
        data: Bytes of the file, ``PAD`` more behind them.
        base: Offset of ``data`` in the decompressed file.
        first_number: Number of the first record, from 1.
        in_list: Whether commas stand between the records.
        starts: The first byte of each record; shape (n,).
        stops: The byte after each; shape (n,).
        lengths: Elements of each record's list under the counted field; shape (n,).
        doubtful: Whether a record needs a slower look; shape (n,).
        cells: Where each field's value begins and ends, -1 for none; shape (n, n_fields, 2).
        keys: Where each record's key begins and ends, with its quotes, where the records are members of an object;
            shape (n, 2), else (0, 2).
    """

    data: bytes
    base: int
    first_number: int
    in_list: bool
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    doubtful: NDArray[np.bool_]
    cells: NDArray[np.int32]
    keys: NDArray[np.int64]


@dataclass(slots=True)
class Header:
    """What an object around the records says: its members as raw JSON, in file order, records left out."""

    members: list[tuple[str, bytes]] = field(default_factory=list)
    key: str | None = None
    layout: str = "list"

    def value(self, name: str) -> Any:
        """Return a member decoded, None where there is none."""
        return next((json.loads(raw) for key, raw in self.members if key == name), None)


class _Fields:
    """The fields that are wanted, as the kernel takes them, and room for what it finds."""

    def __init__(self, fields: Mapping[str, int], counted: str | None, room: int) -> None:
        names = list(fields)
        self.keys = packed_keys(names)
        self.kinds = np.array(list(fields.values()), dtype=np.uint8)
        self.counted = names.index(counted) if counted else -1
        self.starts = np.empty(room, dtype=np.int64)
        self.stops = np.empty(room, dtype=np.int64)
        self.doubtful = np.empty(room, dtype=np.bool_)
        self.lengths = np.empty(room, dtype=np.int64)
        self.cells = np.empty((room, len(names), 2), dtype=np.int32)

    def scan(self, data: bytes, start: int, before: int, closer: int) -> tuple[int, int, int, int]:
        view = np.frombuffer(data, dtype=np.uint8)
        with wrapping():
            found, done, before, ended = scan(
                view, start, before, closer, self.keys, self.kinds, self.counted,
                self.starts, self.stops, self.doubtful, self.lengths, self.cells,
            )  # fmt: skip
        return found, int(done), before, ended


class _Window:
    """A buffer over a stream; offsets are those of the decompressed file."""

    def __init__(self, stream: Bytes) -> None:
        self.stream = stream
        self.data = _PADDING
        self.at = 0
        self.ended = False
        self.n_records = 0

    @property
    def size(self) -> int:
        return len(self.data) - PAD

    @property
    def base(self) -> int:
        """Offset of the first byte of ``data``."""
        return self.stream.offset - self.size

    @property
    def offset(self) -> int:
        """Offset of the byte at ``at``."""
        return self.base + self.at

    def more(self) -> bool:
        """Drop what is done with and read on; False at the end of the file."""
        if self.ended:
            return False
        left = self.size - self.at
        if left > _LARGEST_RECORD:
            raise BrokenFileError(
                self.stream.name, f"a record is larger than {_LARGEST_RECORD >> 20} MiB", byte=self.offset
            )
        # A record that spans many blocks is scanned anew after each read, so reads grow with it.
        block = self.stream.read(max(BLOCK, left))
        if not block:
            self.ended = True
            return False
        self.data = b"".join((memoryview(self.data)[self.at : self.size], block, _PADDING))
        self.at = 0
        return True

    def peek(self) -> int:
        """Return the next byte that is not white space, standing on it; -1 at the end of the file."""
        while True:
            while self.at < self.size:
                byte = self.data[self.at]
                if byte not in _SPACE:
                    return byte
                self.at += 1
            if not self.more():
                return -1

    def truncated(self) -> TruncatedError:
        return TruncatedError(self.stream.name, self.stream.offset, self.n_records)

    def stray(self, expected: str) -> BrokenFileError | TruncatedError:
        """Return the error for what stands here in place of what was expected."""
        if self.peek() == -1:
            return self.truncated()
        shown = self.data[self.at : min(self.at + 12, self.size)].decode("utf-8", "replace")
        return BrokenFileError(self.stream.name, f"expected {expected}, found {shown!r}", byte=self.offset)

    def take(self, wanted: bytes, expected: str) -> None:
        """Step over one byte that must come next."""
        if self.peek() != wanted[0]:
            raise self.stray(expected)
        self.at += 1

    def value(self) -> bytes:
        """Step over one whole JSON value and return its bytes."""
        one = _Fields({}, None, 1)
        self.peek()
        while True:
            found, done, _, ended = one.scan(self.data, self.at, OPENED, 0)
            if found:
                self.at = int(one.stops[0])
                return self.data[int(one.starts[0]) : self.at]
            if ended in (STRAY, DEEP):
                self.at = done
                raise self.stray("a JSON value")
            if not self.more():
                raise self.truncated()


class JsonSpans:
    """Walks one JSON file; what is common to all ways of decoding its records.

    Args:
        source: The file.
        fields: Fields whose values are to be found -> what they may hold (``TEXT``, ``TEXT_OR_WHOLE``, ``ANYTHING``).
        keys: Keys under which an object may hold the list of records.
        counted: The field whose list's elements are counted.
        keyed: Whether an object is one whose members are the records.

    After the iteration ``header`` is complete, ``not_numbers`` holds the numbers of records with NaN or Infinity in a
    field that nobody uses, and ``problems`` what could not be taken; ``finish`` raises them together.
    """

    def __init__(
        self,
        source: Input,
        fields: Mapping[str, int],
        keys: Sequence[str] = (),
        counted: str | None = None,
        keyed: bool = False,
    ) -> None:
        self.source = source
        self.header = Header()
        self.problems: list[Problem] = []
        self.n_problems = 0
        self.not_numbers: list[int] = []
        self._keys = keys
        self._wanted = dict(fields)
        self._counted = counted
        self._keyed = keyed
        self._float: Callable[[str], float | str] = float
        self._taken: list[str] = []

    def spans(self) -> Iterator[Spans]:
        """Yield the records, block by block.

        Raises:
            EmptyFileError, TruncatedError, BrokenFileError, EncodingError: The file is not whole JSON.
        """
        with Bytes(self.source) as stream:
            window = _Window(stream)
            first = window.peek()
            if first == -1:
                raise EmptyFileError(self.source.name)
            if first == ord("["):
                window.at += 1
                yield from self._array(window, ord("]"))
            elif first == ord("{") and self._is_object(window):
                yield from self._object(window)
            elif first == ord("{") and self._keyed:
                self.header.layout = "keyed"
                window.at += 1
                yield from self._array(window, ord("}"))
            elif first == ord("{"):
                self.header.layout = "lines"
                yield from self._array(window, 0)
            else:
                raise window.stray("a JSON list or object")
            if window.peek() != -1:
                raise window.stray("the end of the file")

    def finish(self) -> None:
        """Raise one error for all bad records.

        Raises:
            RecordsError: There were bad records.
        """
        if self.problems:
            raise RecordsError(sorted(self.problems, key=lambda problem: problem.record), self.n_problems)

    def note(self, number: int, name: str | None, what: str) -> None:
        """Note what is wrong with a record, and go on."""
        self.n_problems += 1
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(Problem(self.source.name, number, name, what))

    def _is_object(self, window: _Window) -> bool:
        """Tell whether the object that begins here holds the records in a list."""
        return bool(self._keys) and not _is_lines(window, self._keys)

    def _takes(self, key: str) -> bool:
        """Tell whether the list under a key holds records; the first that is known does."""
        return key in self._keys and not self._taken

    def _object(self, window: _Window) -> Iterator[Spans]:
        self.header.layout = "object"
        window.take(b"{", "an object")
        while True:
            if window.peek() != ord('"'):
                raise window.stray("a key")
            key = self._header_value(window, "a key")
            window.take(b":", "a colon")
            if any(key == name for name, _ in self.header.members) or key in self._taken:
                raise BrokenFileError(self.source.name, f'the key "{key}" stands twice', byte=window.offset)
            if self._takes(key) and window.peek() == ord("["):
                self._taken.append(key)
                self.header.key = key
                window.n_records = 0
                window.at += 1
                yield from self._array(window, ord("]"))
            else:
                window.peek()
                at = window.offset
                raw = window.value()
                self._checked(raw, f'the value of "{key}"', at)
                self.header.members.append((key, raw))
            if window.peek() == ord("}"):
                window.at += 1
                if self.header.key is None:
                    raise BrokenFileError(self.source.name, f"holds no list of {' or '.join(self._keys)}")
                return
            window.take(b",", "a comma or a closing brace")

    def _header_value(self, window: _Window, what: str) -> Any:
        at = window.offset
        return self._checked(window.value(), what, at)

    def _checked(self, raw: bytes, what: str, at: int) -> Any:
        try:
            return json.loads(raw.decode(), object_pairs_hook=_pairs)
        except (ValueError, RecursionError) as error:
            said = re.sub(r": line .*", "", str(error))
            raise BrokenFileError(self.source.name, f"{what} is not JSON ({said})", byte=at) from error

    def _array(self, window: _Window, closer: int) -> Iterator[Spans]:
        room = _Fields(self._wanted, self._counted, _ROOM)
        before = OPENED
        while True:
            found, done, before, ended = room.scan(window.data, window.at, before, closer)
            if closer == ord("}") and found % 2 and ended in (MORE, FULL):
                # A key whose value is not whole yet is found again with it.
                found -= 1
                done, before = int(room.starts[found]), AFTER_COMMA
            if found > (closer == ord("}")):
                every = slice(1, found, 2) if closer == ord("}") else slice(found)
                spans = Spans(
                    data=window.data,
                    base=window.base,
                    first_number=window.n_records + 1,
                    in_list=closer != 0,
                    starts=room.starts[every].copy(),
                    stops=room.stops[every].copy(),
                    lengths=room.lengths[every].copy(),
                    doubtful=room.doubtful[every].copy(),
                    cells=room.cells[every].copy(),
                    keys=self._keys_of(room, found) if closer == ord("}") else np.zeros((0, 2), dtype=np.int64),
                )
                yield spans
                window.n_records += len(spans.starts)
            window.at = int(done)
            if ended == CLOSED:
                return
            if ended == STRAY:
                raise window.stray("a comma and a record" if before == AFTER_RECORD and closer else "a record")
            if ended == DEEP:
                raise BrokenFileError(
                    self.source.name,
                    f"record {window.n_records + 1} is nested more than {MAX_DEPTH} deep",
                    byte=window.offset,
                    record=window.n_records + 1,
                )
            if ended == FULL or window.more():
                continue
            if closer or window.peek() != -1:
                raise window.truncated()
            return

    def _keys_of(self, room: _Fields, found: int) -> NDArray[np.int64]:
        """Return where the keys stand; a record whose key is in doubt is looked at slowly with it."""
        room.doubtful[1:found:2] |= room.doubtful[0 : found - 1 : 2]
        n = found // 2
        return np.stack([room.starts[0:found:2][:n], room.stops[0:found:2][:n]], axis=1)

    def _slowly(self, spans: Spans, i: int) -> Any:
        """Return record i decoded with every check but those of its fields; None, and a note, if it fails them."""
        start, stop = int(spans.starts[i]), int(spans.stops[i])
        number = spans.first_number + i
        odd: list[str] = []
        try:
            value = json.loads(
                spans.data[start:stop].decode(),
                object_pairs_hook=_pairs,
                parse_constant=lambda name: NotANumber(odd, name),
                parse_float=self._float,
            )
        except RepeatedKeyError as error:
            self.note(number, error.key, "this key stands twice in one object")
            return None
        except (ValueError, RecursionError) as error:
            what = re.sub(r": line .*", "", str(error))
            self.note(number, None, f"is not JSON at byte {spans.base + start}: {what}")
            return None
        if odd:
            self.not_numbers.append(number)
        if self._counted and isinstance(value, dict):
            listed = value.get(self._counted)
            spans.lengths[i] = len(listed) if isinstance(listed, list) else 0
        return value


class RepeatedKeyError(ValueError):
    """A key that stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(f'the key "{key}" stands twice')
        self.key = key


class NotANumber:
    """Stands for NaN or Infinity: no field that is used takes it."""

    def __init__(self, seen: list[str], name: str) -> None:
        self.name = name
        seen.append(name)


def type_name(value: Any) -> str:
    """Return what JSON calls a decoded value."""
    if isinstance(value, NotANumber):
        return f"{value.name}, which is no value"
    kinds = {bool: "a truth value", int: "a whole number", float: "a number", str: "a string", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")


def wrong_type(value: Any, kind: int) -> str | None:
    """Return what is wrong with a field's value, None if nothing is."""
    if value is None or kind == ANYTHING or type(value) is str or (kind and type(value) is int):
        return None
    return f"is {type_name(value)}, expected {'a string or a whole number' if kind else 'a string'}"


def is_text(value: str) -> bool:
    """Tell whether text is whole: half of a surrogate pair is none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(key)
            seen.add(key)
    return value


def _is_lines(window: _Window, keys: Sequence[str]) -> bool:
    """Tell whether the file is one record after the other, and not an object that holds a list of them."""
    room = _Fields({}, None, 2)
    while True:
        found, _, _, ended = room.scan(window.data, window.at, OPENED, 0)
        if found == 2 or (found == 1 and ended == STRAY):
            return True
        if window.size > _LARGEST_FIRST_LINE:
            return False
        if not window.more():
            return found == 1 and not _holds_list(window.data[int(room.starts[0]) : int(room.stops[0])], keys)


def _holds_list(raw: bytes, keys: Sequence[str]) -> bool:
    try:
        return any(key in keys and isinstance(value, list) for key, value in json.loads(raw.decode()).items())
    except (ValueError, RecursionError):
        return True  # the error is told where the object is read

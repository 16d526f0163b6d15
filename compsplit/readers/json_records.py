"""Records of JSON files, block by block: typed values, and where each record's bytes stand.

Three layouts are known by content: a list of records, an object that holds a list of records under a known key, and
one record after the other (JSON lines). The fast path scans for record boundaries in a kernel and decodes whole
blocks with typed structs; a block that it cannot take is read again record by record by the slow path (Python's own
decoder with every check), which either gives the same values or says what is wrong.

Cost: O(bytes); memory follows the block size, not the file size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, EmptyFileError, Problem, RecordsError, TruncatedError
from compsplit.files import BLOCK, Bytes
from compsplit.kernels.json_scan import AFTER_RECORD, CLOSED, DEEP, FULL, MAX_DEPTH, OPENED, STRAY, scan
from compsplit.model.table import Input

R = TypeVar("R")
T = TypeVar("T")

_ROOM = 1 << 18
_LARGEST_RECORD = 64 << 20
_SPACE = b" \t\r\n"
_KEPT_PROBLEMS = 1000
_NO_KEY = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Block(Generic[R]):
    """Consecutive records of a file.

    Attributes:
        records: The decoded records.
        starts: The first byte of each in the decompressed file; shape (n,).
        stops: The byte after each; shape (n,).
        lengths: Elements of each record's list under the counted key; shape (n,).
    """

    records: list[R]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spans:
    """Where the records of one block are, not decoded yet; offsets count in ``data``, which begins at ``base``."""

    data: bytes
    base: int
    first_number: int
    in_list: bool
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    doubtful: bool


@dataclass(slots=True)
class Header:
    """What an object around the records says: its members as raw JSON, in file order, records left out."""

    members: list[tuple[str, bytes]] = field(default_factory=list)
    key: str | None = None
    layout: str = "list"

    def value(self, name: str) -> Any:
        """Return a member decoded, None where there is none."""
        return next((json.loads(raw) for key, raw in self.members if key == name), None)


class _Window:
    """A buffer over a stream; offsets are those of the decompressed file."""

    def __init__(self, stream: Bytes) -> None:
        self.stream = stream
        self.data = b""
        self.at = 0
        self.ended = False
        self.n_records = 0

    @property
    def offset(self) -> int:
        """Offset of the byte at ``at``."""
        return self.stream.offset - len(self.data) + self.at

    def more(self) -> bool:
        """Drop what is done with and read on; False at the end of the file."""
        if self.ended:
            return False
        if len(self.data) - self.at > _LARGEST_RECORD:
            raise BrokenFileError(
                self.stream.name, f"a record is larger than {_LARGEST_RECORD >> 20} MiB", byte=self.offset
            )
        block = self.stream.read(BLOCK)
        if not block:
            self.ended = True
            return False
        self.data = self.data[self.at :] + block
        self.at = 0
        return True

    def peek(self) -> int:
        """Return the next byte that is not white space, standing on it; -1 at the end of the file."""
        while True:
            while self.at < len(self.data):
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
        shown = self.data[self.at : self.at + 12].decode("utf-8", "replace")
        return BrokenFileError(self.stream.name, f"expected {expected}, found {shown!r}", byte=self.offset)

    def take(self, wanted: bytes, expected: str) -> None:
        """Step over one byte that must come next."""
        if self.peek() != wanted[0]:
            raise self.stray(expected)
        self.at += 1

    def value(self) -> bytes:
        """Step over one whole JSON value and return its bytes."""
        room = starts, stops, _, _ = _room(1)
        self.peek()
        while True:
            view = np.frombuffer(self.data, dtype=np.uint8)
            found, _, _, ended = scan(view, self.at, OPENED, 0, _NO_KEY, *room)
            if found and stops[0] < len(self.data):
                raw = self.data[starts[0] : stops[0]]
                self.at = int(stops[0])
                return raw
            if ended in (STRAY, DEEP):
                raise self.stray("a JSON value")
            if not self.more():
                raise self.truncated()


def _room(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    whole = np.int64
    return np.empty(n, whole), np.empty(n, whole), np.empty(n, np.bool_), np.empty(n, whole)


class JsonRecords(Generic[R]):
    """The records of one JSON file, each decoded to a msgspec struct.

    Args:
        source: The file.
        record: The struct; fields that it does not name are passed over.
        keys: Keys under which an object may hold the list of records.
        counted: Key of the records' list whose elements are counted.

    After the iteration ``header`` is complete, ``n_not_numbers`` counts records with NaN or Infinity in a field that
    nobody uses, and ``problems`` holds what the slow path could not take; ``finish`` raises them together.
    """

    def __init__(
        self,
        source: Input,
        record: type[R],
        keys: Sequence[str] = (),
        counted: str = "",
    ) -> None:
        self.source = source
        self.header = Header()
        self.problems: list[Problem] = []
        self.n_problems = 0
        self.not_numbers: list[int] = []
        self._record = record
        self._keys = keys
        self._counted = np.frombuffer(counted.encode(), dtype=np.uint8)
        self._many: msgspec.json.Decoder[list[R]] = msgspec.json.Decoder(list[record])  # type: ignore[valid-type]

    def __iter__(self) -> Iterator[Block[R]]:
        for spans in ahead(self._scanned()):
            yield self._decoded(spans)

    def _scanned(self) -> Iterator[_Spans]:
        with Bytes(self.source) as stream:
            window = _Window(stream)
            first = window.peek()
            if first == -1:
                raise EmptyFileError(self.source.name)
            if first == ord("["):
                window.at += 1
                yield from self._array(window, ord("]"))
            elif first == ord("{") and self._keys and not _is_lines(window):
                yield from self._object(window)
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
            raise RecordsError(self.problems, self.n_problems)

    def _object(self, window: _Window) -> Iterator[_Spans]:
        self.header.layout = "object"
        window.take(b"{", "an object")
        if window.peek() == ord("}"):
            window.at += 1
            return
        while True:
            if window.peek() != ord('"'):
                raise window.stray("a key")
            key = json.loads(window.value())
            window.take(b":", "a colon")
            if any(key == name for name, _ in self.header.members) or key == self.header.key:
                raise BrokenFileError(self.source.name, f'the key "{key}" stands twice', byte=window.offset)
            if key in self._keys and window.peek() == ord("[") and self.header.key is None:
                self.header.key = key
                window.at += 1
                yield from self._array(window, ord("]"))
            else:
                raw = window.value()
                try:
                    json.loads(raw, object_pairs_hook=_pairs)
                except ValueError as error:
                    raise BrokenFileError(self.source.name, f'"{key}" is not JSON ({error})') from error
                self.header.members.append((key, raw))
            if window.peek() == ord("}"):
                window.at += 1
                return
            window.take(b",", "a comma or a closing brace")

    def _array(self, window: _Window, closer: int) -> Iterator[_Spans]:
        starts, stops, doubtful, lengths = _room(_ROOM)
        before = OPENED
        while True:
            view = np.frombuffer(window.data, dtype=np.uint8)
            found, done, before, ended = scan(
                view, window.at, before, closer, self._counted, starts, stops, doubtful, lengths
            )
            if found:
                yield _Spans(
                    data=window.data,
                    base=window.stream.offset - len(window.data),
                    first_number=window.n_records + 1,
                    in_list=closer != 0,
                    starts=starts[:found].copy(),
                    stops=stops[:found].copy(),
                    lengths=lengths[:found].copy(),
                    doubtful=bool(doubtful[:found].any()),
                )
                window.n_records += found
            window.at = done
            if ended == CLOSED:
                return
            if ended == STRAY:
                raise window.stray("a comma and a record" if before == AFTER_RECORD else "a record")
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

    def _decoded(self, spans: _Spans) -> Block[R]:
        base, starts, stops = spans.base, spans.starts, spans.stops
        records = self._fast(spans)
        if records is not None:
            return Block(records, starts + base, stops + base, spans.lengths)
        records = []
        kept = np.zeros(len(starts), dtype=bool)
        for i, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            value = self._slowly(spans.data[start:stop], spans.first_number + i, base + start)
            if value is not None:
                records.append(value)
                kept[i] = True
        return Block(records, starts[kept] + base, stops[kept] + base, spans.lengths[kept])

    def _fast(self, spans: _Spans) -> list[R] | None:
        """Return the records of a block decoded in one go, None where any of them needs the slow path."""
        if spans.doubtful:
            return None
        text = memoryview(spans.data)[int(spans.starts[0]) : int(spans.stops[-1])]
        try:
            records = self._many.decode(b"[%b]" % text) if spans.in_list else self._many.decode_lines(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return records if len(records) == len(spans.starts) else None

    def _slowly(self, raw: bytes, number: int, offset: int) -> R | None:
        """Decode one record with every check; note what is wrong and return None."""
        odd: list[str] = []
        try:
            value = json.loads(raw, object_pairs_hook=_pairs, parse_constant=lambda name: _NotNumber(odd, name))
        except _RepeatedKeyError as error:
            self.note(number, error.key, "this key stands twice in one object")
            return None
        except (ValueError, RecursionError) as error:
            what = re.sub(r": line .*", "", str(error))
            self.note(number, None, f"is not JSON at byte {offset}: {what}")
            return None
        try:
            record = msgspec.convert(value, self._record)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at `$")
            name = re.search(r"\.(\w+)", path) or re.search(r"field `(\w+)`", what)
            if "_NotNumber" in what:
                what = f"is {odd[0]}, which is no value"
            self.note(number, name.group(1) if name else None, what[:1].lower() + what[1:])
            return None
        try:
            msgspec.json.encode(record)
        except UnicodeEncodeError:
            self.note(number, None, "holds half of a surrogate pair, which is no text")
            return None
        if odd:
            self.not_numbers.append(number)
        return record

    def note(self, number: int, name: str | None, what: str) -> None:
        """Note what is wrong with a record, and go on."""
        self.n_problems += 1
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(Problem(self.source.name, number, name, what))


def ahead(values: Iterator[T]) -> Iterator[T]:
    """Yield the values, each made in a second thread while the one before is in use."""
    end = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, values, end)
        while (value := waiting.result()) is not end:
            waiting = pool.submit(next, values, end)
            yield value  # type: ignore[misc]  # not the end, so a value


class _RepeatedKeyError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(f'the key "{key}" stands twice')
        self.key = key


class _NotNumber:
    """Stands for NaN or Infinity: no field that is used takes it."""

    def __init__(self, seen: list[str], name: str) -> None:
        seen.append(name)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key)
            seen.add(key)
    return value


def _is_lines(window: _Window) -> bool:
    """Tell whether the file goes on with a second value after the first object closes."""
    room = _room(2)
    while True:
        view = np.frombuffer(window.data, dtype=np.uint8)
        found, _, _, ended = scan(view, window.at, OPENED, 0, _NO_KEY, *room)
        if found == 2 or ended == STRAY:
            return found >= 1
        if len(window.data) > 2 * BLOCK or not window.more():
            return False

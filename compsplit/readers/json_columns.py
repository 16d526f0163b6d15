"""Fields of JSON records as columns, block by block: only distinct values become Python objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.json_scan import ANYTHING, TEXT, TEXT_OR_WHOLE, whole_numbers
from compsplit.kernels.numbering import fill_table, number_texts
from compsplit.kernels.words import PAD, wrapping
from compsplit.model.column import Codes, Column, texts
from compsplit.model.table import Input
from compsplit.readers.json_spans import JsonSpans, Spans, is_text, wrong_type

_CHUNK = 1 << 14
Value: TypeAlias = int | str | bytes | None

__all__ = ["ANYTHING", "TEXT", "TEXT_OR_WHOLE", "Cells", "Ids", "JsonColumns", "Names"]


class Cells:
    """The fields of consecutive records: bytes in the file, or values that were looked at one by one.

    Attributes:
        first_number: Number of the first record, from 1.
        starts: The first byte of each record in the decompressed file; shape (n,).
        stops: The byte after each; shape (n,).
        lengths: Elements of each record's list under the counted field; shape (n,).
    """

    def __init__(self, spans: Spans, fields: Sequence[str]) -> None:
        self.first_number = spans.first_number
        self.starts = spans.starts + spans.base
        self.stops = spans.stops + spans.base
        self.lengths = spans.lengths
        self.data = spans.data
        self._fields = {name: np.ascontiguousarray(spans.cells[:, k].T) for k, name in enumerate(fields)}
        self.values: dict[str, dict[int, Value]] = {name: {} for name in fields}

    def __len__(self) -> int:
        return len(self.starts)

    def where(self, name: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return where the field's values begin, -1 for none, and end in ``data``; shape (n,) each."""
        starts, stops = self._fields[name]
        return starts, stops

    def put(self, name: str, row: int, value: Value) -> None:
        """Set a value in place of the bytes."""
        self._fields[name][0, row] = -1
        self.values[name][row] = value

    def move(self, source: str, target: str, rows: NDArray[np.bool_]) -> None:
        """Set the target field of the marked records to what the source field holds."""
        self._fields[target][:, rows] = self._fields[source][:, rows]
        self.values[target] |= {row: value for row, value in self.values[source].items() if rows[row]}

    def there(self, name: str) -> NDArray[np.bool_]:
        """Return which records have a value; shape (n,)."""
        mask: NDArray[np.bool_] = self._fields[name][0] >= 0
        for row, value in self.values[name].items():
            mask[row] = value is not None
        return mask

    def raw(self, name: str, row: int) -> bytes:
        """Return a value's bytes; of a string, without its quotes."""
        value = self.values[name].get(row)
        if isinstance(value, bytes):
            return value
        start, stop = self._fields[name][:, row].tolist()
        return self.data[start:stop]


class JsonColumns(JsonSpans):
    """The fields of one JSON file's records.

    A record that cannot be taken keeps its place, without values; ``finish`` raises all problems together.
    """

    def __init__(
        self, source: Input, fields: Mapping[str, int], keys: Sequence[str] = (), counted: str | None = None
    ) -> None:
        super().__init__(source, fields, keys, counted)
        self.escaped = False

    def __iter__(self) -> Iterator[Cells]:
        for spans in self.spans():
            cells = Cells(spans, list(self._wanted))
            self.escaped |= b"\\" in spans.data
            for i in np.flatnonzero(spans.doubtful).tolist():
                self._look(spans, i, cells)
            yield cells

    def require(self, cells: Cells, *names: str) -> None:
        """Note the records that lack one of these fields."""
        lacking = {name: ~cells.there(name) for name in names}
        bad = {problem.record for problem in self.problems}
        for i in np.flatnonzero(np.any(list(lacking.values()), axis=0)).tolist():
            number = cells.first_number + i
            if number not in bad:
                self.note(number, next(name for name in names if lacking[name][i]), "is missing")

    def _look(self, spans: Spans, i: int, cells: Cells) -> None:
        value = self._slowly(spans, i)
        number = spans.first_number + i
        for name, kind in self._wanted.items():
            given = value.get(name) if isinstance(value, dict) else None
            wrong = wrong_type(given, kind)
            if wrong is None and isinstance(given, str) and not is_text(given):
                wrong = "holds half of a surrogate pair, which is no text"
            if wrong is not None:
                self.note(number, name, wrong)
                given = None
            if kind == ANYTHING and given is not None:
                given = json.dumps(given, default=repr).encode()
            cells.put(name, i, given)


class Names:
    """Numbers the texts of one field as blocks come; whole numbers are texts as they are written.

    Equal texts share a number unless one is written with escapes: ``merged`` brings those together.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.n = 0
        self._arena = np.zeros(1 << 12, dtype=np.uint8)
        self._ends = np.zeros(1 << 8, dtype=np.int64)
        self._table = np.full(1 << 9, -1, dtype=np.int32)
        self._blocks: list[Codes] = []

    def add(self, cells: Cells) -> None:
        """Add the values of further records."""
        codes = self._numbered(np.frombuffer(cells.data, dtype=np.uint8), *cells.where(self.name))
        given = {row: value for row, value in cells.values[self.name].items() if value is not None}
        if given:
            written = [json.dumps(str(value), ensure_ascii=False)[1:-1].encode() for value in given.values()]
            ends = np.cumsum([0, *map(len, written)], dtype=np.int32)
            data = np.frombuffer(b"".join(written) + b"\0" * PAD, dtype=np.uint8)
            codes[list(given)] = self._numbered(data, ends[:-1], ends[1:])
        self._blocks.append(codes)

    def number(self, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]) -> Codes:
        """Return the numbers of spans of bytes, new ones numbered; -1 where a span begins at -1."""
        return self._numbered(data, starts, stops)

    def since(self, first: int) -> list[str]:
        """Return the texts from that number on."""
        if first == self.n:
            return []
        ends = self._ends[first : self.n + 1]
        return _texts(self._arena[ends[0] : ends[-1]].tobytes(), pairwise((ends - ends[0]).tolist()))

    @property
    def codes(self) -> Codes:
        """The number of each record's text, -1 where it has none; shape (n_records,)."""
        if len(self._blocks) != 1:
            self._blocks = [np.concatenate([np.zeros(0, np.int32), *self._blocks])]
        return self._blocks[0]

    def names(self) -> tuple[list[str], bool]:
        """Return the texts by number, and whether one is written with escapes, so that it may equal another."""
        found: list[str] = []
        escaped = False
        for first in range(0, self.n, _CHUNK):
            ends = self._ends[first : min(first + _CHUNK, self.n) + 1]
            raw = self._arena[ends[0] : ends[-1]].tobytes()
            found += _texts(raw, pairwise((ends - ends[0]).tolist()))
            escaped |= b"\\" in raw
        return found, escaped

    def _numbered(self, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]) -> Codes:
        codes = np.empty(len(starts), dtype=np.int32)
        done = 0
        while True:
            with wrapping():
                done, self.n = number_texts(
                    data, starts, stops, done, codes, self.n, self._arena, self._ends, self._table
                )
            if done == len(starts):
                return codes
            self._grow(int(stops[done] - starts[done]))

    def _grow(self, n_bytes: int) -> None:
        if self._ends[self.n] + n_bytes + PAD > len(self._arena):
            self._arena = np.concatenate([self._arena, np.zeros(len(self._arena) + n_bytes, dtype=np.uint8)])
        if self.n + 1 >= len(self._ends):
            self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
        if 2 * self.n >= len(self._table):
            self._table = np.full(2 * len(self._table), -1, dtype=np.int32)
            with wrapping():
                fill_table(self._arena, self._ends, self.n, self._table)

    def check(self, stream: JsonColumns) -> None:
        """Note the records whose text is none."""
        names, escaped = self.names() if stream.escaped else ([], False)
        if escaped:
            for code in (code for code, name in enumerate(names) if not is_text(name)):
                for i in np.flatnonzero(self.codes == code).tolist():
                    stream.note(i + 1, self.name, "holds half of a surrogate pair, which is no text")

    @classmethod
    def merged(cls, columns: Sequence[Names]) -> Column:
        """Return the column of all values, one file after the other.

        The first takes in the texts of the others, so that no third copy of them is in memory.
        """
        whole, *others = columns
        codes = whole.codes
        if others:
            tables = [whole._numbered(each._arena, *each._spans()) for each in others]
            further = [_looked_up(table, each.codes) for table, each in zip(tables, others, strict=True)]
            codes = np.concatenate([codes, *further])
        names, escaped = whole.names()
        if not escaped:
            return Column(codes, tuple(names))
        told_apart = Column.of(names)
        return Column(_looked_up(told_apart.codes, codes), told_apart.names)

    def _spans(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        ends = self._ends[: self.n + 1].astype(np.int32)
        return ends[:-1], ends[1:]


def _looked_up(table: Codes, codes: Codes) -> Codes:
    """Return ``table[codes]``, -1 for -1."""
    return np.append(table, np.int32(-1)).astype(np.int32)[codes]


class Ids:
    """Collects ids as blocks come: int64 where all are whole numbers of that size, else packed text."""

    def __init__(self, stream: JsonSpans, name: str) -> None:
        self._name = name
        self._stream = stream
        self._blocks: list[NDArray[Any] | list[str]] = []

    def add(self, cells: Cells) -> None:
        """Add the ids of further records."""
        starts, stops = cells.where(self._name)
        whole = np.empty(len(starts), dtype=np.int64)
        if whole_numbers(np.frombuffer(cells.data, dtype=np.uint8), starts, stops, whole):
            self._blocks.append(whole)
            return
        names = _texts(cells.data, zip(starts.tolist(), stops.tolist(), strict=True))
        for row, value in cells.values[self._name].items():
            names[row] = "" if value is None else str(value)
        for i in (i for i, name in enumerate(names) if not is_text(name)):
            self._stream.note(cells.first_number + i, self._name, "holds half of a surrogate pair, which is no text")
            names[i] = ""
        self._blocks.append(names)

    def ids(self) -> NDArray[Any]:
        """Return all ids, shape (n,)."""
        whole = [block for block in self._blocks if isinstance(block, np.ndarray)]
        if len(whole) == len(self._blocks):
            return np.concatenate([np.zeros(0, np.int64), *whole])
        return texts(
            name for block in self._blocks for name in (block if isinstance(block, list) else map(str, block.tolist()))
        )


def texts_at(data: bytes, starts: NDArray[np.int32], stops: NDArray[np.int32]) -> list[str]:
    """Return spans of UTF-8 as text, escapes of JSON resolved; where they are few, the rest is not looked at."""
    names = Names()
    numbers = names.number(np.frombuffer(data, dtype=np.uint8), starts, stops)
    found = names.since(0)
    return found if len(found) == len(numbers) else [found[number] for number in numbers.tolist()]


def _texts(data: bytes, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return spans of UTF-8 as text, escapes of JSON resolved; a span that begins at -1 is empty."""
    if data.isascii():
        whole = data.decode("ascii")
        found = [whole[start:stop] if start >= 0 else "" for start, stop in spans]
    else:
        found = [data[start:stop].decode() if start >= 0 else "" for start, stop in spans]
    if b"\\" in data:
        return [json.loads(f'"{text}"') if "\\" in text else text for text in found]
    return found

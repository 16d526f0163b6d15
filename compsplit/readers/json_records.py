"""Records of JSON files as Python values, block by block, typed by msgspec.

A block without a doubtful record is decoded in one go while the next one is scanned; any other record by record.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import RepeatedKeysError
from compsplit.kernels.json_scan import ANYTHING
from compsplit.model.table import Input
from compsplit.readers.json_columns import texts_at
from compsplit.readers.json_spans import JsonSpans, Spans

R = TypeVar("R")
T = TypeVar("T")

MAY_BE_HALF = (b"\\ud", b"\\uD")
"""How an escaped half of a surrogate pair begins: alone it is no text."""


@dataclass(frozen=True, slots=True)
class Block(Generic[R]):
    """Consecutive records of a file.

    Attributes:
        records: The decoded records.
        numbers: The number of each in the file, from 1; shape (n,).
        starts: The first byte of each in the decompressed file, of its key where it has one; shape (n,).
        stops: The byte after each; shape (n,).
        lengths: Elements of each record's list under the counted key; shape (n,).
        keys: The key of each record, where the records are members of an object; else empty.
    """

    records: list[R]
    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    keys: list[str]


class JsonRecords(JsonSpans, Generic[R]):
    """The records of one JSON file, each decoded to a msgspec struct or another type that msgspec knows.

    Args:
        source: The file.
        record: The type; fields that a struct does not name are passed over.
        keys: Keys under which an object may hold the list of records.
        counted: Key of the records' list whose elements are counted.
        as_written: Give numbers that are not whole as text, as they are written, where the type leaves it open.
        keyed: Whether an object is one whose members are the records.

    Records with a problem are left out of the blocks; ``finish`` raises them together.
    """

    def __init__(
        self,
        source: Input,
        record: type[R],
        keys: Sequence[str] = (),
        counted: str = "",
        as_written: bool = False,
        keyed: bool = False,
    ) -> None:
        super().__init__(source, {counted: ANYTHING} if counted else {}, keys, counted or None, keyed)
        self._all_keys: list[list[str]] = []
        self._record = record
        self._float = hook = str if as_written else float
        self._many: msgspec.json.Decoder[list[R]] = msgspec.json.Decoder(list[record], float_hook=hook)  # type: ignore[valid-type]  # a type by value
        self._members: msgspec.json.Decoder[dict[str, R]] = msgspec.json.Decoder(dict[str, record], float_hook=hook)  # type: ignore[valid-type]  # a type by value
        self._lines = msgspec.json.Decoder(record, float_hook=hook)

    def __iter__(self) -> Iterator[Block[R]]:
        for spans in ahead(self.spans()):
            yield self.decoded(spans)

    def finish(self) -> None:
        """Raise one error for all bad records.

        Raises:
            RepeatedKeyError: A key of an object stands twice.
            RecordsError: There were bad records.
        """
        n_keys = sum(map(len, self._all_keys))
        if len(set(chain.from_iterable(self._all_keys))) < n_keys:
            counts = Counter(chain.from_iterable(self._all_keys))
            raise RepeatedKeysError(self.source.name, sorted(key for key, n in counts.items() if n > 1), n_keys)
        super().finish()

    def _keys_at(self, spans: Spans) -> list[str]:
        """Return the keys of a block's records, and keep them, to find those that stand twice."""
        try:
            starts, stops = (spans.keys + (1, -1)).T.astype(np.int32)
            keys = self._keys_in_doubt(spans) if _in_doubt(spans) else texts_at(spans.data, starts, stops)
        except ValueError:
            # A key with an escape that JSON does not know: which one it is, a look at each tells.
            keys = self._keys_in_doubt(spans)
        self._all_keys.append(keys)
        return keys

    def _keys_in_doubt(self, spans: Spans) -> list[str]:
        keys = []
        for i, (start, stop) in enumerate(spans.keys.tolist()):
            try:
                key = json.loads(spans.data[start:stop].decode())
                key.encode()
            except (ValueError, UnicodeEncodeError):
                self.note(spans.first_number + i, None, "has a key that is no text")
                key = ""
            keys.append(key)
        return keys

    def decoded(self, spans: Spans) -> Block[R]:
        """Return the records of a block; those with a problem are noted and left out."""
        keys = self._keys_at(spans)
        records = self._fast(spans)
        kept = np.ones(len(spans.starts), dtype=bool)
        if records is None:
            records = []
            for i in range(len(spans.starts)):
                record = self._one(spans, i)
                kept[i] = record is not None
                if record is not None:
                    records.append(record)
        return Block(
            records,
            np.flatnonzero(kept) + spans.first_number,
            (spans.keys[:, 0] if keys else spans.starts)[kept] + spans.base,
            spans.stops[kept] + spans.base,
            spans.lengths[kept],
            [key for key, there in zip(keys, kept.tolist(), strict=True) if there] if keys else [],
        )

    def _fast(self, spans: Spans) -> list[R] | None:
        """Return the records of a block decoded in one go, None where any of them needs a slower look."""
        if spans.doubtful.any():
            return None
        first = int(spans.keys[0, 0]) if len(spans.keys) else int(spans.starts[0])
        text = memoryview(spans.data)[first : int(spans.stops[-1])]
        if len(spans.keys):
            try:
                members = self._members.decode(b"".join((b"{", text, b"}")))
            except (msgspec.DecodeError, UnicodeDecodeError):
                return None
            return list(members.values()) if len(members) == len(spans.starts) else None
        try:
            records = (
                self._many.decode(b"".join((b"[", text, b"]"))) if spans.in_list else self._lines.decode_lines(text)
            )
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return records if len(records) == len(spans.starts) else None

    def _one(self, spans: Spans, i: int) -> R | None:
        value = self._slowly(spans, i)
        if value is None:
            return None
        number = spans.first_number + i
        try:
            record = msgspec.convert(value, self._record)
            msgspec.json.encode(record, enc_hook=repr)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at `$")
            name = re.search(r"\.(\w+)", path) or re.search(r"field `(\w+)`", what)
            what = what[:1].lower() + what[1:].replace("`NotANumber`", "NaN or Infinity, which is no value")
            self.note(number, name.group(1) if name else None, what)
            return None
        except UnicodeEncodeError:
            self.note(number, None, "holds half of a surrogate pair, which is no text")
            return None
        return record


def _in_doubt(spans: Spans) -> bool:
    """Tell whether a key may be no text: unsound, or with an escaped half of a surrogate pair."""
    return bool(spans.doubtful.any()) or (b"\\" in spans.data and any(half in spans.data for half in MAY_BE_HALF))


def ahead(values: Iterator[T]) -> Iterator[T]:
    """Yield the values, each made in a second thread while the one before is in use."""
    end = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, values, end)
        while (value := waiting.result()) is not end:
            waiting = pool.submit(next, values, end)
            yield value  # type: ignore[misc]  # not the end, so a value

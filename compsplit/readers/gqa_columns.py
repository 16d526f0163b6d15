"""GQA questions without their programs as numbers, block by block, without making Python objects of them.

A block is *usual* if its records are members of an object, nothing in them is doubtful, and every field that is wanted
is a text, a truth value, or an object or list of texts, as it is in all published files. Any other block is decoded
record by record, which names what is wrong; both give the same values. Cost: O(bytes), twice: once for the questions
and once for what is in their objects and lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.json_scan import ANYTHING, TEXT
from compsplit.model.column import Codes, ColumnBuilder
from compsplit.model.lists import Lists
from compsplit.model.table import Input
from compsplit.programs.steps import official_steps_counting
from compsplit.readers.json_inside import Numbered, members_of, records_in, texts_in
from compsplit.readers.json_records import MAY_BE_HALF, Block, JsonRecords, ahead
from compsplit.readers.json_spans import Spans

_TEXTS = ("question", "imageId", "image", "question_id", "answer")
_MEMBERS = {
    "groups": {"local": "group_local", "global": "group_global"},
    "types": {"structural": "structural", "semantic": "semantic", "detailed": "detailed"},
}
"""Field of a record that is an object -> its member -> the column."""

_STEP = {"operation": TEXT, "argument": TEXT}
_QUOTE, _FIRST_OF_TRUE, _FIRST_OF_FALSE = b'"tf'

USUAL_LISTS = ("entailed", "equivalent")
"""Lists that hold texts alone."""

_Cells: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Where values begin, -1 for none, and end; shape (n,) each."""

_Lists: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]
"""Where the texts of lists begin and end, and how many each list has."""


class ListBuilder:
    """Collects a list for each row."""

    def __init__(self) -> None:
        self.values = ColumnBuilder()
        self._lengths: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]

    def extend(self, lists: Sequence[Sequence[str | int]]) -> None:
        """Add the lists of further rows."""
        self._lengths.append(np.fromiter(map(len, lists), dtype=np.int64, count=len(lists)))
        self.values.extend(chain.from_iterable(lists))

    def extend_numbered(self, lengths: NDArray[np.int64], numbers: Codes) -> None:
        """Add the lists of further rows by the numbers of their values."""
        self._lengths.append(lengths)
        self.values.extend_numbered(numbers)

    def lists(self) -> Lists:
        """Return the lists of all rows."""
        return Lists(np.cumsum(np.concatenate(self._lengths)), self.values.column())


class GqaColumns(JsonRecords[Any]):
    """The questions of one file; those of usual blocks go to the columns at once, and their blocks have no records.

    Args:
        source: The file.
        record: What a question of another block is decoded to.
        builders: The columns.
        lists: The lists that are kept, of ``USUAL_LISTS``.
        numbered: How texts were numbered in the files before; filled.
    """

    def __init__(
        self,
        source: Input,
        record: type[Any],
        builders: Mapping[str, ColumnBuilder],
        lists: Mapping[str, ListBuilder],
        numbered: dict[str, Numbered],
    ) -> None:
        super().__init__(source, record, keyed=True)
        self._wanted = dict.fromkeys((*_TEXTS, "isBalanced", *_MEMBERS, "semantic", *lists), ANYTHING)
        self._builders = builders
        self._lists = lists
        self._numbered = numbered

    def __iter__(self) -> Iterator[Block[Any]]:
        # Programs are half of the bytes: with their steps counted ahead, both threads have as much to do.
        for spans, steps in ahead((spans, self._steps(spans)) for spans in self.spans()):
            found = None if steps is None else self._usual(spans)
            if steps is None or found is None:
                yield self.decoded(spans)
            else:
                yield self._given(spans, steps, *found)

    def _given(
        self, spans: Spans, steps: list[int | None], cells: dict[str, _Cells], lists: dict[str, _Lists]
    ) -> Block[Any]:
        """Return a usual block, its values given to the columns."""
        data = np.frombuffer(spans.data, dtype=np.uint8)
        for name, builder in self._builders.items():
            if name == "steps":
                builder.extend(steps)
            elif name in cells:
                builder.extend_numbered(self._codes(name, builder, data, cells[name]))
            else:
                builder.extend_numbered(np.full(len(spans.starts), -1, dtype=np.int32))
        for name, (starts, stops, lengths) in lists.items():
            kept = self._lists[name]
            kept.extend_numbered(lengths, self._codes(f"list {name}", kept.values, data, (starts, stops)))
        keys = self._keys_at(spans)
        numbers = np.arange(len(keys)) + spans.first_number
        return Block([], numbers, spans.keys[:, 0] + spans.base, spans.stops + spans.base, spans.lengths, keys)

    def _codes(self, name: str, builder: ColumnBuilder, data: NDArray[np.uint8], cells: _Cells) -> Codes:
        return self._numbered.setdefault(name, Numbered(builder)).codes(data, *cells)

    def _steps(self, spans: Spans) -> list[int | None] | None:
        """Return the counted steps of each program, None where there is none; None if the block is not usual."""
        if not len(spans.keys) or spans.doubtful.any():
            return None
        if b"\\" in spans.data and any(half in spans.data for half in MAY_BE_HALF):
            return None
        starts, stops = spans.cells[:, list(self._wanted).index("semantic")].T.astype(np.int64)
        doubtful, cells, counts = records_in(np.frombuffer(spans.data, dtype=np.uint8), starts, stops, _STEP)
        if doubtful.any() or (counts < 0).any() or (cells[:, :, 0] < 0).any():
            return None
        before = np.append(0, np.cumsum(official_steps_counting(spans.data, cells)))
        ends = np.cumsum(counts)
        n_counting = (before[ends] - before[ends - counts]).tolist()
        return [n if there else None for n, there in zip(n_counting, (starts >= 0).tolist(), strict=True)]

    def _usual(self, spans: Spans) -> tuple[dict[str, _Cells], dict[str, _Lists]] | None:
        """Return where the values of columns and the texts of lists stand; None if the block is not usual."""
        data = np.frombuffer(spans.data, dtype=np.uint8)
        fields: dict[str, _Cells] = {
            name: (np.ascontiguousarray(spans.cells[:, k, 0]), np.ascontiguousarray(spans.cells[:, k, 1]))
            for k, name in enumerate(self._wanted)
        }
        for name in _TEXTS:
            starts, stops = fields[name]
            there = starts >= 0
            if (data[starts[there]] != _QUOTE).any():
                return None
            fields[name] = np.where(there, starts + 1, -1).astype(np.int32), stops - np.int32(1)
        by_id, by_name = fields["imageId"], fields["image"]
        image = tuple(np.where(by_id[0] >= 0, one, other) for one, other in zip(by_id, by_name, strict=True))
        if (image[0] < 0).any() or (fields["question"][0] < 0).any():
            return None
        balanced = fields["isBalanced"]
        firsts = data[balanced[0][balanced[0] >= 0]]
        if not ((firsts == _FIRST_OF_TRUE) | (firsts == _FIRST_OF_FALSE)).all():
            return None
        found = {
            "image": (image[0], image[1]),
            "question": fields["question"],
            "answer": fields["answer"],
            "balanced": balanced,
        }
        for name, columns in _MEMBERS.items():
            doubtful, cells = members_of(data, fields[name][0].astype(np.int64), dict.fromkeys(columns, TEXT))
            if doubtful.any():
                return None
            for k, column in enumerate(columns.values()):
                starts, stops = cells[:, k].T
                # An empty text is no value.
                found[column] = np.where(starts < stops, starts, np.int32(-1)), np.ascontiguousarray(stops)
        lists = {name: texts_in(data, *fields[name]) for name in self._lists}
        return None if any((counts < 0).any() for _, _, counts in lists.values()) else (found, lists)

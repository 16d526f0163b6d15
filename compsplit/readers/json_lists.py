"""Records of several lists that stand in one JSON object, list by list, whatever their order.

Each list is read block by block like a file of its own; records are numbered from 1 in each. Cost: O(bytes), once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compsplit.errors import BrokenFileError, Problem, RecordsError
from compsplit.model.table import Input
from compsplit.readers.json_records import Block, JsonRecords, ahead
from compsplit.readers.json_spans import JsonSpans, Spans


class JsonLists(JsonSpans):
    """The records of the lists of one JSON object, each decoded to its list's type.

    Args:
        source: The file.
        lists: Key -> type of the list's records; each must be there.
        others: Type of the records of lists under any other key; such lists are passed over without it.

    Records with a problem are left out of the blocks; ``finish`` raises them together.
    """

    def __init__(self, source: Input, lists: Mapping[str, type[Any]], others: type[Any] | None = None) -> None:
        super().__init__(source, {}, tuple(lists))
        self._types = dict(lists)
        self._others = others
        self._streams: dict[str, JsonRecords[Any]] = {}

    def __iter__(self) -> Iterator[tuple[str, Block[Any]]]:
        for key, spans in ahead(self._spans_by_key()):
            if key not in self._streams:
                self._streams[key] = JsonRecords(self.source, self._types.get(key) or self._others)  # type: ignore[arg-type]  # a list without a type is passed over
            yield key, self._streams[key].decoded(spans)

    def finish(self) -> None:
        """Raise one error for all bad records.

        Raises:
            BrokenFileError: A list is not there.
            RecordsError: There were bad records.
        """
        for key in self._types:
            if key not in self._taken:
                raise BrokenFileError(
                    self.source.name, f'holds no list "{key}", only {", ".join(self._held()) or "nothing"}'
                )
        problems = [
            Problem(each.file, each.record, f"{key}.{each.field}" if each.field else key, each.what)
            for key, stream in self._streams.items()
            for each in stream.problems
        ]
        if problems:
            raise RecordsError(problems, sum(stream.n_problems for stream in self._streams.values()))
        self.not_numbers = [number for stream in self._streams.values() for number in stream.not_numbers]

    def _held(self) -> list[str]:
        return [*self._taken, *(name for name, _ in self.header.members)]

    def _is_object(self, window: Any) -> bool:
        return True

    def _takes(self, key: str) -> bool:
        return key in self._types or self._others is not None

    def _spans_by_key(self) -> Iterator[tuple[str, Spans]]:
        for spans in self.spans():
            if not self._taken:
                what = "is a list, expected an object that holds lists"
                raise BrokenFileError(self.source.name, f"{what} ({', '.join(self._types)})" if self._types else what)
            # The list that is being read is the last whose key was met.
            yield self._taken[-1], spans

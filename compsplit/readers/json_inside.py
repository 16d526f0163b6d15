"""What stands inside the lists and objects of JSON records, found without decoding it, and names numbered as they come.

Cost: O(bytes) of those lists and objects, once more after the records were found.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.json_scan import list_texts, packed_keys, scan_each, scan_lists
from compsplit.kernels.words import wrapping
from compsplit.model.column import Codes, ColumnBuilder
from compsplit.readers.json_columns import Names


def records_in(
    data: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64], wanted: Mapping[str, int]
) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int64]]:
    """Return doubt and cells of the records of lists, and how many each list has, -1 for what is no list."""
    keys, kinds = packed_keys(list(wanted)), np.array(list(wanted.values()), dtype=np.uint8)
    counts = np.zeros(len(starts), dtype=np.int64)
    room = max(int((stops - starts)[starts >= 0].sum()) // 80, 16)
    while True:
        doubtful = np.empty(room, dtype=np.bool_)
        cells = np.empty((room, len(wanted), 2), dtype=np.int32)
        with wrapping():
            n = scan_lists(data, starts, stops, keys, kinds, doubtful, cells, counts)
        if n >= 0:
            return doubtful[:n], cells[:n], counts
        room *= 2


def members_of(
    data: NDArray[np.uint8], starts: NDArray[np.int64], wanted: Mapping[str, int]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Return doubt and cells of objects; one that begins at -1 has no member, what is no object is doubtful."""
    keys, kinds = packed_keys(list(wanted)), np.array(list(wanted.values()), dtype=np.uint8)
    doubtful = np.empty(len(starts), dtype=np.bool_)
    cells = np.empty((len(starts), len(wanted), 2), dtype=np.int32)
    with wrapping():
        scan_each(data, starts, keys, kinds, doubtful, cells)
    return doubtful, cells


def texts_in(
    data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return where the texts of lists begin and end, and how many each list has, -1 for no list of texts alone."""
    counts = np.zeros(len(starts), dtype=np.int64)
    room = max(2 * len(starts), 16)
    while True:
        firsts, lasts = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        with wrapping():
            n = list_texts(data, starts, stops, firsts, lasts, counts)
        if n >= 0:
            return firsts[:n], lasts[:n], counts
        room *= 2


class Numbered:
    """Numbers names of a kind as the builder numbers them."""

    def __init__(self, builder: ColumnBuilder) -> None:
        self._builder = builder
        self._names = Names()
        self._table = np.zeros(0, dtype=np.int32)

    def codes(self, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]) -> Codes:
        """Return the builder's numbers of spans of bytes, -1 for none."""
        found = self._names.number(data, starts, stops)
        fresh = self._names.since(len(self._table))
        if fresh:
            self._table = np.append(self._table, self._builder.numbers_of(fresh))
        return np.append(self._table, np.int32(-1)).astype(np.int32)[found]

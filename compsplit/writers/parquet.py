"""Rows of any format as Parquet, some at a time.

All columns are text. Scenes have two columns of lists: ``objects``, each with ``class`` and ``attributes`` (and ``id``
and ``names`` where some object has any), and ``relations`` where a scene has any, each with ``subject``,
``predicate`` and ``object``, whose ends are places in the list of objects. Cost: O(entries).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable, starts_of
from compsplit.writers.rows import columns_of
from compsplit.writers.scenes import check_names

_ROWS = 1 << 16
"""Rows of a block."""


class RowArrow:
    """A table's rows as Arrow tables.

    Args:
        table: The rows.

    Raises:
        UsageError: A column of scenes is called like one of the lists.
    """

    def __init__(self, table: RowTable) -> None:
        self._table = table
        self._columns = columns_of(table)
        if isinstance(table, SceneTable):
            check_names(self._columns, "image")

    @cached_property
    def schema(self) -> Any:
        """The columns and their types, the same for all parts."""
        return self.block(np.zeros(0, dtype=np.int64)).schema

    def write(self, rows: NDArray[np.int64], path: Path) -> int:
        """Write rows as a Parquet file, and return how many bytes they take in memory."""
        import pyarrow.parquet

        n_bytes = 0
        with pyarrow.parquet.ParquetWriter(path, self.schema) as file:
            for first in range(0, len(rows), _ROWS):
                block = self.block(rows[first : first + _ROWS])
                n_bytes += block.nbytes
                file.write_table(block)
        return n_bytes

    def block(self, rows: NDArray[np.int64]) -> Any:
        """Return these rows, in their order."""
        import pyarrow

        made: dict[str, Any] = {}
        columns = dict(self._columns)
        if "source" in columns:
            made["source"] = _text(columns.pop("source").take(rows))
        made["id"] = pyarrow.array(self._table.ids[rows].tolist(), type=pyarrow.string())
        made |= {name: _text(column.take(rows)) for name, column in columns.items()}
        if isinstance(self._table, SceneTable):
            made["objects"] = self._objects(self._table, rows)
            if self._table.n_relations:
                made["relations"] = self._relations(self._table, rows)
        return pyarrow.table(made)

    @cached_property
    def _further(self) -> Mapping[int, list[str]]:
        """Further names of the objects that have any."""
        assert isinstance(self._table, SceneTable)
        further: dict[int, list[str]] = {}
        names = self._table.further_names.values()
        for place, name in zip(self._table.further_objects.tolist(), names, strict=True):
            further.setdefault(place, []).append(str(name))
        return further

    def _objects(self, table: SceneTable, rows: NDArray[np.int64]) -> Any:
        import pyarrow

        objects = _within(table.object_starts, rows)
        attributes = _text(table.attributes.take(_within(table.attribute_starts, objects)))
        members = {
            "class": _text(table.classes.take(objects)),
            "attributes": _lists(np.diff(table.attribute_starts)[objects], attributes),
        }
        if table.object_ids is not None:
            members["id"] = pyarrow.array(table.object_ids[objects].tolist(), type=pyarrow.string())
        if self._further:
            names = [self._further.get(place, []) for place in objects.tolist()]
            members["names"] = pyarrow.array(names, type=pyarrow.list_(pyarrow.string()))
        return _lists(np.diff(table.object_starts)[rows], _struct(members))

    def _relations(self, table: SceneTable, rows: NDArray[np.int64]) -> Any:
        import pyarrow

        n = np.diff(table.relation_starts)[rows]
        relations = _within(table.relation_starts, rows)
        first = np.repeat(table.object_starts[rows], n)
        members = {
            "subject": pyarrow.array((table.subjects[relations] - first).astype(np.int32)),
            "predicate": _text(table.predicates.take(relations)),
            "object": pyarrow.array((table.objects[relations] - first).astype(np.int32)),
        }
        return _lists(n, _struct(members))


def _within(starts: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the entries of these rows, row by row.

    Example:
        >>> _within(np.array([0, 2, 2, 3]), np.array([2, 0])).tolist()
        [2, 0, 1]
    """
    n = np.diff(starts)[rows].astype(np.int64)
    shifts = np.repeat(starts[rows] - (np.cumsum(n) - n), n)
    return np.asarray(np.arange(n.sum(), dtype=np.int64) + shifts)


def _text(column: Column) -> Any:
    import pyarrow

    return pyarrow.array(column.values(), type=pyarrow.string())


def _lists(lengths: NDArray[Any], entries: Any) -> Any:
    import pyarrow

    return pyarrow.ListArray.from_arrays(pyarrow.array(starts_of(lengths), type=pyarrow.int32()), entries)


def _struct(members: Mapping[str, Any]) -> Any:
    import pyarrow

    return pyarrow.StructArray.from_arrays(list(members.values()), names=list(members))

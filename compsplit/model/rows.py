"""What splitters and audits see of a data set: named columns and concepts, whatever they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingValueError, UnknownNameError, counted
from compsplit.model.column import Column, Texts, frozen
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows with everything that can be grouped, split or audited.

    Attributes:
        ids: The rows' ids, shape (n_rows,).
        columns: What each row is, by aspect: ``"image"``, ``"question (reduced)"``, ``"qa (exact)"`` ...
        concepts: The concepts of each row, None where the data have none.
        blank: Rows whose text reduced to nothing; shape (n_rows,).
        counts: Further whole numbers of each row, such as ``"answers"``; shape (n_rows,) each.
        facts: What was counted while the rows were prepared, as JSON values.
        compounds: What a split may keep apart, by what was extracted: pairs, triples, n-grams ...
        noun: What a row is called.
    """

    ids: Texts
    columns: Mapping[str, Column]
    concepts: Incidence | None
    blank: NDArray[np.bool_]
    counts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    compounds: Mapping[str, Compounds | ObjectPairs] = field(default_factory=dict)
    noun: str = "row"

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        lengths |= {name: found.n_rows for name, found in self.compounds.items()}
        lengths |= {name: len(numbers) for name, numbers in self.counts.items()} | {"blank": len(self.blank)}
        for name, length in lengths.items():
            if length != len(self.ids):
                raise ValueError(f"{name} has {length} entries for {len(self.ids)} rows")
        for whole in (self.ids, self.blank, *self.counts.values()):
            frozen(whole)
        for field_name in ("columns", "compounds", "counts", "facts"):
            object.__setattr__(self, field_name, MappingProxyType(dict(getattr(self, field_name))))

    def __repr__(self) -> str:
        concepts = "no concepts" if self.concepts is None else counted(len(self.concepts.names), "concept")
        return f"Rows({counted(len(self), 'row')}, {counted(len(self.columns), 'column')}, {concepts})"

    def __len__(self) -> int:
        return len(self.ids)

    def taken(self, rows: NDArray[Any]) -> Rows:
        """Return these rows, by place; a row may be taken more than once. Facts stay those of all rows."""
        return Rows(
            self.ids[rows],
            {name: column.take(rows) for name, column in self.columns.items()},
            None if self.concepts is None else self.concepts.taken(rows),
            self.blank[rows],
            {name: numbers[rows] for name, numbers in self.counts.items()},
            self.facts,
            {of: found.taken(rows) for of, found in self.compounds.items()},
            self.noun,
        )

    def column(self, aspect: str) -> Column:
        """Return the column of an aspect.

        Raises:
            UnknownNameError: There is none of that name.
        """
        if aspect not in self.columns:
            raise UnknownNameError("column", aspect, self.columns)
        return self.columns[aspect]

    def key(self, aspect: str) -> Column:
        """Return the column of an aspect by which rows are grouped.

        Raises:
            UnknownNameError: There is none of that name.
            MissingValueError: A row has no value there.
        """
        column = self.column(aspect)
        without = column.codes < 0
        if without.any():
            raise MissingValueError(aspect, sorted(self.ids[without].tolist()))
        return column

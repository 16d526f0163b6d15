"""Groupings: rows that stay together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Codes, Column, frozen
from compsplit.order import name_hashes, seeded_order


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Rows in groups, none of which may be torn.

    Attributes:
        unit: What a group is, such as ``"group"`` or ``"image"``.
        group_of_row: The group of each row; shape (n_rows,).
        names: The groups' keys, all different.
        hashes: 64 bits of each key; shape (n_groups,).
        stays: Groups that must go to the reference part (train); shape (n_groups,).
    """

    unit: str
    group_of_row: Codes
    names: Sequence[str] = field(repr=False)
    hashes: NDArray[np.uint64]
    stays: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.hashes) == len(self.stays):
            raise ValueError("names, hashes and stays must have one entry for each group")
        if len(self.group_of_row) and not 0 <= self.group_of_row.min() <= self.group_of_row.max() < self.n_groups:
            raise ValueError("every row needs a group in [0, n_groups)")
        for array in (self.group_of_row, self.hashes, self.stays):
            frozen(array)

    def __repr__(self) -> str:
        return f"Grouping({counted(len(self.group_of_row), 'row')} in {counted(self.n_groups, 'group')} by {self.unit})"

    @classmethod
    def of(cls, unit: str, column: Column, stays: NDArray[np.bool_] | None = None) -> Grouping:
        """Return the grouping by a column in which every row has a value.

        Args:
            unit: What a group is.
            column: The key of each row.
            stays: Which of the column's names must go to the reference part; shape (n_names,).
        """
        if (column.codes < 0).any():
            raise ValueError(f"a row without {unit} is in no group")
        used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.names)))
        renumbered = np.full(len(column.names), -1, dtype=np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        everyone = len(used) == len(column.names)
        names = column.names if everyone else tuple(column.names[code] for code in used.tolist())
        free = np.zeros(len(names), dtype=bool)
        return cls(
            unit,
            renumbered[column.codes],
            names,
            name_hashes(names, len(names)),
            free if stays is None else stays[used],
        )

    def taken(self, rows: NDArray[Any]) -> Grouping:
        """Return the grouping of these rows, by place; groups that none of them is in are gone."""
        groups = self.group_of_row[rows]
        used = np.flatnonzero(np.bincount(groups, minlength=self.n_groups))
        if len(used) == self.n_groups:
            return Grouping(self.unit, groups, self.names, self.hashes, self.stays)
        renumbered = np.full(self.n_groups, -1, dtype=np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        names = tuple(self.names[g] for g in used.tolist())
        return Grouping(self.unit, renumbered[groups], names, self.hashes[used], self.stays[used])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows in each group, shape (n_groups,)."""
        return np.bincount(self.group_of_row, minlength=self.n_groups).astype(np.int64)

    def order(self, seed: int) -> NDArray[np.int64]:
        """Return the groups in the order of a seed, shape (n_groups,); it never depends on the rows' order."""
        return seeded_order(self.hashes, seed, self.names)

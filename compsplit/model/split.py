"""Splits: the assignment of all rows to parts, or out of all of them with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError
from compsplit.model.column import Column, frozen
from compsplit.model.incidence import Incidence


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Split:
    """A part for every row, or the reason why it has none.

    Attributes:
        parts: Names of the parts; the first is the reference part, usually train.
        part_of_row: A position in ``parts`` for each row, -1 for one that is left out; shape (n_rows,).
        asked: Rows asked for in each part, where sizes were asked for.
        facts: What the splitter counted while it worked, as JSON values.
        left_out: Why a row is left out; a value for each such row and for no other. None where every row has a part.
        held: What each row was held out for (pairs, triples, a word), where the splitter knows; rows that share none
            can be told apart further without showing each other what is tested.
    """

    parts: tuple[str, ...]
    part_of_row: NDArray[np.int16]
    asked: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    left_out: Column | None = None
    held: Incidence | None = None

    def __post_init__(self) -> None:
        if len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts must have different names, got {', '.join(self.parts)}")
        if len(self.part_of_row) and not -1 <= self.part_of_row.min() <= self.part_of_row.max() < len(self.parts):
            raise ValueError("every row needs a part")
        reasoned = np.zeros(len(self.part_of_row), dtype=bool) if self.left_out is None else self.left_out.codes >= 0
        if not np.array_equal(reasoned, self.part_of_row < 0):
            raise ValueError("every row without a part, and no other, needs a reason")
        frozen(self.part_of_row)
        object.__setattr__(self, "asked", MappingProxyType(dict(self.asked)))
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))

    def __repr__(self) -> str:
        return f"Split({', '.join(f'{part} {n:,}' for part, n in self.sizes.items())})"

    @property
    def sizes(self) -> dict[str, int]:
        """Rows got in each part."""
        got = np.bincount(self.part_of_row[self.placed], minlength=len(self.parts)).tolist()
        return dict(zip(self.parts, got, strict=True))

    @property
    def placed(self) -> NDArray[np.bool_]:
        """Which rows have a part, shape (n_rows,)."""
        return np.asarray(self.part_of_row >= 0)

    def taken(self, rows: NDArray[Any]) -> Split:
        """Return the split of these rows, by place."""
        return Split(
            self.parts,
            self.part_of_row[rows],
            self.asked,
            self.facts,
            None if self.left_out is None else self.left_out.take(rows),
            None if self.held is None else self.held.taken(rows),
        )

    def rows_in(self, part: str) -> NDArray[np.bool_]:
        """Return which rows are in a part, shape (n_rows,).

        Raises:
            UnknownNameError: There is no such part.
        """
        if part not in self.parts:
            raise UnknownNameError("part", part, self.parts)
        return np.asarray(self.part_of_row == self.parts.index(part))

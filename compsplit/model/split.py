"""Splits: the assignment of all rows to parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError
from compsplit.model.column import frozen


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Split:
    """A part for every row.

    Attributes:
        parts: Names of the parts; the first is the reference part, usually train.
        part_of_row: A position in ``parts`` for each row; shape (n_rows,).
        asked: Rows asked for in each part, where sizes were asked for.
        facts: What the splitter counted while it worked, as JSON values.
    """

    parts: tuple[str, ...]
    part_of_row: NDArray[np.int16]
    asked: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts must have different names, got {', '.join(self.parts)}")
        if len(self.part_of_row) and not 0 <= self.part_of_row.min() <= self.part_of_row.max() < len(self.parts):
            raise ValueError("every row needs a part")
        frozen(self.part_of_row)
        object.__setattr__(self, "asked", MappingProxyType(dict(self.asked)))
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))

    def __repr__(self) -> str:
        return f"Split({', '.join(f'{part} {n:,}' for part, n in self.sizes.items())})"

    @property
    def sizes(self) -> dict[str, int]:
        """Rows got in each part."""
        got = np.bincount(self.part_of_row, minlength=len(self.parts)).tolist()
        return dict(zip(self.parts, got, strict=True))

    def rows_in(self, part: str) -> NDArray[np.bool_]:
        """Return which rows are in a part, shape (n_rows,).

        Raises:
            UnknownNameError: There is no such part.
        """
        if part not in self.parts:
            raise UnknownNameError("part", part, self.parts)
        return np.asarray(self.part_of_row == self.parts.index(part))

"""Columns: one field of all rows as integer codes, and row ids as packed text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
Texts: TypeAlias = NDArray[np.str_]
"""A numpy array of variable-width text (``StringDType``), 16 bytes an entry as long as it has at most 15 bytes."""


def texts(values: Iterable[str]) -> Texts:
    """Return frozen packed text, shape (n,)."""
    packed = np.array(list(values), dtype=np.dtypes.StringDType())
    return frozen(packed)  # type: ignore[arg-type, return-value]  # numpy's stubs type StringDType apart from str_


def frozen(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the array, closed for writing."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One field of all rows.

    Attributes:
        codes: A position in ``names`` for each row, or -1 where the row has no value; shape (n_rows,).
        names: The distinct values.
    """

    codes: Codes
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.codes.dtype != np.int32 or self.codes.ndim != 1:
            raise ValueError(f"codes must be a vector of int32, got {self.codes.dtype} of {self.codes.ndim} dimensions")
        if len(self.codes) and (self.codes.min() < -1 or self.codes.max() >= len(self.names)):
            raise ValueError("codes must lie in [-1, n_names)")
        frozen(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Column:
        """Return the column of these values; None is no value.

        Example:
            >>> Column.of(["red", None, "red"]).codes
            array([ 0, -1,  0], dtype=int32)
        """
        builder = ColumnBuilder()
        builder.extend(values)
        return builder.column()

    @classmethod
    def absent(cls, n_rows: int) -> Column:
        """Return a column without any value."""
        return cls(np.full(n_rows, -1, dtype=np.int32), ())

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]

    def values(self) -> list[str | None]:
        """Return the value of each row."""
        names: list[str | None] = [*self.names, None]
        return [names[code] for code in self.codes.tolist()]

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Return the column of these rows, the names unchanged."""
        return Column(self.codes[rows], self.names)

    def renamed(self, names: Sequence[str | None]) -> Column:
        """Return the column in which value i is called ``names[i]``; equal names fall together, None is no value."""
        merged = Column.of(names)
        table = np.append(merged.codes, np.int32(-1)).astype(np.int32)
        return Column(table[self.codes], merged.names)

    def or_else(self, other: Column) -> Column:
        """Return the column with the other's value where this one has none."""
        merged = Column.of([*self.names, *other.names])
        mine = np.append(merged.codes[: len(self.names)], np.int32(-1))[self.codes]
        theirs = np.append(merged.codes[len(self.names) :], np.int32(-1))[other.codes]
        return Column(np.where(mine >= 0, mine, theirs).astype(np.int32), merged.names)


def crossed(*columns: Column, joint: str = " | ") -> Column:
    """Return the column of value combinations; a row that lacks one of them has none.

    Example:
        >>> crossed(Column.of(["q", "q"]), Column.of(["a", None])).values()
        ['q | a', None]
    """
    absent = np.zeros(len(columns[0]), dtype=bool)
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        absent |= column.codes < 0
        packed = packed * max(len(column.names), 1) + column.codes
        # Numbering the combinations met so far keeps the product of vocabularies inside 64 bits.
        packed = np.unique(packed, return_inverse=True)[1].astype(np.int64)
    packed[absent] = -1
    _, first, codes = np.unique(packed, return_index=True, return_inverse=True)
    shift = int(absent.any())
    rows = first[shift:].tolist()
    parts = [column.codes.tolist() for column in columns]
    names = tuple(
        joint.join(column.names[codes_of[row]] for column, codes_of in zip(columns, parts, strict=True))
        for row in rows
    )
    return Column((codes - shift).astype(np.int32), names)


class ColumnBuilder:
    """Numbers values as they come, block by block."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str | None, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._none = self._numbers[None]
        self._blocks: list[Codes] = []

    def extend(self, values: Iterable[str | None]) -> None:
        """Add the values of further rows."""
        numbers = self._numbers
        self._blocks.append(np.array([numbers[value] for value in values], dtype=np.int32) - np.int32(1))

    def column(self) -> Column:
        """Return the column of all values given."""
        names = tuple(name for name in self._numbers if name is not None)
        codes = np.concatenate(self._blocks) if self._blocks else np.zeros(0, dtype=np.int32)
        return Column(codes, names)

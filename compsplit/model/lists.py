"""Several values of each row: lists of different lengths that stand one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column, concatenated, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """A list of values for each row; a value may stand in it several times.

    Attributes:
        starts: Row r has the values ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        values: All values, one entry each.
    """

    starts: NDArray[np.int64]
    values: Column

    def __post_init__(self) -> None:
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != len(self.values):
            raise ValueError(f"starts must run from 0 to {len(self.values)}")
        frozen(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"Lists({len(self):,} rows, {len(self.values):,} values)"

    @classmethod
    def of(cls, lists: Iterable[Sequence[str]]) -> Lists:
        """Return the lists of rows.

        Example:
            >>> Lists.of([["red", "blue"], [], ["red"]]).of_row(0)
            ['red', 'blue']
        """
        whole = [list(each) for each in lists]
        return cls(_starts([len(each) for each in whole]), Column.of(chain.from_iterable(whole)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Values of each row, shape (n_rows,)."""
        return np.diff(self.starts)

    @property
    def row_of_value(self) -> NDArray[np.int64]:
        """The row of each value, shape (n_values,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def of_row(self, row: int) -> list[str | None]:
        """Return the values of one row."""
        first, last = int(self.starts[row]), int(self.starts[row + 1])
        return [self.values[place] for place in range(first, last)]

    def take(self, rows: NDArray[np.integer[Any]]) -> Lists:
        """Return the lists of these rows, by place."""
        lengths = self.lengths[rows]
        starts = _starts(lengths)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][rows] - starts[:-1], lengths)
        return Lists(starts, self.values.take(places))


def chained(lists: Sequence[Lists]) -> Lists:
    """Return the lists of some rows, and after them those of others."""
    return Lists(_starts(np.concatenate([each.lengths for each in lists])), concatenated([e.values for e in lists]))


def _starts(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts

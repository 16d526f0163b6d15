"""The incidence: which concepts occur in which row, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Codes, distinct, frozen

_BAGS = 1 << 16
"""Bags that are summed at a time: the vectors made on the way are as long as their entries."""


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Counts of concepts in rows, stored once for each distinct bag of concepts.

    Rows that hold the same bag share it, so that memory follows distinct compositions and not rows.

    Attributes:
        of: What was extracted, such as ``"concepts"``.
        bag_of_row: The bag of each row; shape (n_rows,).
        starts: Bag b holds entries ``starts[b]`` to ``starts[b + 1]``; shape (n_bags + 1,).
        concepts: The different concepts of each bag, ascending; shape (n_entries,).
        counts: How often each occurs in a row of that bag, at least 1; any type of whole numbers; shape (n_entries,).
        names: The concepts' names, in the order of their codes.
    """

    of: str
    bag_of_row: Codes
    starts: NDArray[np.int64]
    concepts: Codes
    counts: NDArray[Any]
    names: Sequence[str] = field(repr=False)

    def __post_init__(self) -> None:
        if self.starts[0] != 0 or self.starts[-1] != len(self.concepts) or len(self.counts) != len(self.concepts):
            raise ValueError("starts must run from 0 to the number of entries")
        if len(self.bag_of_row) and not 0 <= self.bag_of_row.min() <= self.bag_of_row.max() < self.n_bags:
            raise ValueError("every row needs a bag in [0, n_bags)")
        for array in (self.bag_of_row, self.starts, self.concepts, self.counts):
            frozen(array)

    def __repr__(self) -> str:
        return f"Incidence({self.of}, {len(self.names):,} concepts, {self.n_rows:,} rows, {self.n_bags:,} bags)"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.bag_of_row)

    @property
    def n_bags(self) -> int:
        """Number of distinct bags."""
        return len(self.starts) - 1

    def taken(self, rows: NDArray[Any]) -> Incidence:
        """Return the incidence of these rows, by place; a row may be taken more than once."""
        return Incidence(self.of, self.bag_of_row[rows], self.starts, self.concepts, self.counts, self.names)

    def rows_of_bags(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of the marked rows hold each bag, shape (n_bags,)."""
        return np.bincount(self.bag_of_row[rows], minlength=self.n_bags).astype(np.int64)

    def occurrences(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how often each concept occurs in the marked rows, shape (n_concepts,)."""
        return self._summed(self.rows_of_bags(rows), self.counts)

    def rows_with(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of the marked rows hold each concept, shape (n_concepts,)."""
        return self._summed(self.rows_of_bags(rows), None)

    def rows_with_any(self, concepts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows have one of the marked concepts; shape (n_rows,)."""
        bags = np.zeros(self.n_bags, dtype=bool)
        for first in range(0, self.n_bags, _BAGS):
            last = min(first + _BAGS, self.n_bags)
            marked = concepts[self.concepts[self.starts[first] : self.starts[last]]]
            sums = np.append(0, np.cumsum(marked))
            bags[first:last] = np.diff(sums[self.starts[first : last + 1] - self.starts[first]]) > 0
        return bags[self.bag_of_row]

    def _summed(self, weights: NDArray[np.int64], counts: NDArray[Any] | None) -> NDArray[np.int64]:
        """Return the sums of bags' weights, times counts, for each concept; some bags at a time."""
        sums = np.zeros(len(self.names), dtype=np.int64)
        for first in range(0, self.n_bags, _BAGS):
            last = min(first + _BAGS, self.n_bags)
            entries = slice(self.starts[first], self.starts[last])
            each = np.repeat(weights[first:last], np.diff(self.starts[first : last + 1]))
            if counts is not None:
                each = each * counts[entries]
            # float64 sums of integers are exact below 2 ** 53
            sums += np.bincount(self.concepts[entries], weights=each, minlength=len(self.names)).astype(np.int64)
        return sums


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Kinds:
    """Concepts of several kinds in the same rows, each kind an incidence; codes go on from kind to kind.

    Attributes:
        each: One incidence a kind, all of the same rows.
    """

    each: tuple[Incidence, ...]

    def __repr__(self) -> str:
        return f"Kinds({', '.join(map(repr, self.each))})"

    @property
    def of(self) -> str:
        """What the kinds are."""
        return " and ".join(kind.of for kind in self.each)

    @property
    def names(self) -> Sequence[str]:
        """The names of all kinds, in the order of their codes."""
        return tuple(name for kind in self.each for name in kind.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.each[0].n_rows

    def taken(self, rows: NDArray[Any]) -> Kinds:
        """Return the kinds of these rows, by place."""
        return Kinds(tuple(kind.taken(rows) for kind in self.each))

    def occurrences(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how often each concept occurs in the marked rows, shape (n_concepts,)."""
        return np.concatenate([kind.occurrences(rows) for kind in self.each])

    def rows_with(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of the marked rows hold each concept, shape (n_concepts,)."""
        return np.concatenate([kind.rows_with(rows) for kind in self.each])

    def rows_with_any(self, concepts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows have one of the marked concepts; shape (n_rows,)."""
        found = np.zeros(self.n_rows, dtype=bool)
        first = 0
        for kind in self.each:
            found |= kind.rows_with_any(concepts[first : first + len(kind.names)])
            first += len(kind.names)
        return found


def bagged(
    of: str, bag_of_row: Codes, words: list[list[int]] | list[tuple[int, ...]], names: tuple[str, ...]
) -> Incidence:
    """Return the incidence of bags given as lists of concept codes, a repeated code once for each time.

    Example:
        >>> i = bagged("concepts", np.array([0, 0, 1], dtype=np.int32), [[1, 0, 1], [0]], ("red", "dog"))
        >>> i.occurrences(np.array([True, True, False])).tolist()
        [2, 4]
    """
    lengths = np.fromiter((len(bag) for bag in words), dtype=np.int64, count=len(words))
    flat = np.fromiter((code for bag in words for code in bag), dtype=np.int64, count=int(lengths.sum()))
    bags = np.repeat(np.arange(len(words), dtype=np.int64), lengths)
    packed, counts = distinct(bags * max(len(names), 1) + flat)
    owners, concepts = np.divmod(packed, max(len(names), 1))
    starts = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(words)), out=starts[1:])
    return Incidence(of, bag_of_row, starts, concepts.astype(np.int32), counts.astype(np.int32), names)

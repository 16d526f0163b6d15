"""Shares of types: each type keeps so many rows that all of them have the shares that are asked for.

If every reached share is within the tolerance, nothing changes. Otherwise the total becomes the largest N with
floor(N s_t) <= n_t for all types t, and each keeps its first floor(N s_t) rows of the seeded order. Rows without a type
stay, and count in no share. Cost: O(rows).

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.4 (questions are sampled by type); how, is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, TypeSharesError, UsageError, counted, listed
from compsplit.model.column import Codes, Column


@dataclass(frozen=True, slots=True, eq=False)
class TypeShares:
    """The shares that are asked for of the values of one column.

    Attributes:
        name: What the column is called.
        types: The type of each row, -1 for a row without one.
        shares: Type -> share; 0 or more, summing to 1; every type that some row has.
        tolerance: How far a reached share may be from the one asked for.
    """

    name: str
    types: Column
    shares: Mapping[str, Fraction]
    tolerance: Fraction

    def __post_init__(self) -> None:
        met = np.bincount(self.types.codes[self.types.codes >= 0], minlength=len(self.types.names))
        used = [name for name, n in zip(self.types.names, met.tolist(), strict=True) if n]
        if any(share < 0 for share in self.shares.values()) or sum(self.shares.values(), Fraction(0)) != 1:
            raise TypeSharesError(self.name, self.shares, used)
        unnamed = sorted(set(used) - self.shares.keys())
        if unnamed:
            raise UsageError(
                f"No share is asked for of {counted(len(unnamed), 'type')} of {self.name} that rows have "
                f"({listed(unnamed)}). Give each a share; 0 leaves its rows out.",
                field=self.name,
                facts={"types": unnamed},
            )
        object.__setattr__(self, "shares", MappingProxyType(dict(self.shares)))

    def counts(self, kept: NDArray[np.bool_]) -> dict[str, int]:
        """Return the kept rows of each type that a share is asked for of."""
        codes = self.types.codes[kept]
        met = np.bincount(codes[codes >= 0], minlength=len(self.types.names)).tolist()
        by_name = dict(zip(self.types.names, met, strict=True))
        return {name: by_name.get(name, 0) for name in self.shares}

    def step(self, kept: NDArray[np.bool_], order: NDArray[np.int64]) -> Codes:
        """Return which of the kept rows go.

        Args:
            kept: Which rows are there still, shape (n_rows,).
            order: The rows in the seeded order.

        Raises:
            ImpossibleError: A type that shall have a share has no rows.
        """
        counts = self.counts(kept)
        none = np.zeros(0, dtype=np.int32)
        total = sum(counts.values())
        if not total:
            return none
        self._all_have_rows(counts, counts, "is")
        if all(abs(Fraction(counts[name], total) - share) <= self.tolerance for name, share in self.shares.items()):
            return none
        keeps = kept_of_types(counts, self.shares)
        self._all_have_rows(keeps, counts, "would be")
        limits = np.array([keeps.get(name, 0) for name in self.types.names] or [0], dtype=np.int64)
        rows = order[kept[order] & (self.types.codes[order] >= 0)]
        rows = rows[np.argsort(self.types.codes[rows], kind="stable")]
        codes = self.types.codes[rows]
        sizes = np.bincount(codes, minlength=len(limits))
        place = np.arange(len(rows)) - (np.cumsum(sizes) - sizes)[codes]
        return np.asarray(rows[place >= limits[codes]], dtype=np.int32)

    def _all_have_rows(self, keeps: Mapping[str, int], counts: Mapping[str, int], verb: str) -> None:
        empty = [name for name, share in self.shares.items() if share and not keeps[name]]
        if empty:
            raise ImpossibleError(
                f"{listed(empty)} of {self.name}: no row {verb} left, so a share above 0 cannot be had. Ask for 0, or "
                "for other shares. Nothing was written.",
                facts={"column": self.name, "types": empty, "rows": dict(counts)},
            )


def kept_of_types(counts: Mapping[str, int], shares: Mapping[str, Fraction]) -> dict[str, int]:
    """Return how many rows each type keeps: floor(N s_t) for the largest N that no type is too small for.

    Example:
        >>> kept_of_types({"query": 80, "verify": 10}, {"query": Fraction(3, 4), "verify": Fraction(1, 4)})
        {'query': 32, 'verify': 10}
    """
    # floor(N s) <= n just where N s < n + 1.
    largest = min(-(-(counts[name] + 1) // share) - 1 for name, share in shares.items() if share)
    return {name: int(largest * share) for name, share in shares.items()}

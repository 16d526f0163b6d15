"""Which parts are held against each other, and how many of their rows have each value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column
from compsplit.model.split import Split


def references(split: Split) -> Iterator[tuple[str, str]]:
    """Yield the reference part with each other part."""
    reference = split.parts[0]
    for part in split.parts[1:]:
        yield reference, part


def pairs(split: Split) -> Iterator[tuple[str, str]]:
    """Yield every two parts, the earlier one as reference."""
    for i, reference in enumerate(split.parts):
        for part in split.parts[i + 1 :]:
            yield reference, part


def held(column: Column, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many of the marked rows have each value, shape (n_names,)."""
    return np.bincount(column.codes[rows] + 1, minlength=len(column.names) + 1)[1:].astype(np.int64)

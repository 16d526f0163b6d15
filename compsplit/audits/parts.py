"""Which parts are held against each other, and the culprits that both hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Codes, Column
from compsplit.model.rows import Rows
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


def least_ids(rows: Rows, codes: Codes, marked: NDArray[np.bool_], wanted: NDArray[np.int64]) -> dict[int, str]:
    """Return the least id, as text, of the marked rows with each wanted value."""
    among = np.flatnonzero(marked & np.isin(codes, wanted))
    least: dict[int, str] = {}
    for code, name in zip(codes[among].tolist(), rows.ids[among].tolist(), strict=True):
        if code not in least or name < least[code]:
            least[code] = name
    return least

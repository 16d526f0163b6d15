"""Compounds with the least id of a row that has them, in each of two parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence
from compsplit.model.report import Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SHOWN = 20


def with_examples(
    rows: Rows,
    compounds: Compounds | ObjectPairs,
    split: Split,
    reference: str,
    part: str,
    top: Sequence[tuple[str, int]],
) -> Table:
    """Return compounds and their occurrences in the part, with an example of each part; None where it has none."""
    shown = top[:SHOWN]
    bags = [_bags_with(compounds, name) for name, _ in shown]
    examples = [_least(rows, compounds, split.rows_in(which), bags) for which in (reference, part)]
    lines = tuple((name, n, one, other) for (name, n), one, other in zip(shown, *examples, strict=True))
    columns = (compounds.noun, f"occurrences in {part}", f"example in {reference}", f"example in {part}")
    return Table(columns, lines)


def _bags_with(compounds: Compounds | ObjectPairs, name: str) -> NDArray[np.bool_]:
    """Return which bags have a compound; shape (n_bags,)."""
    if isinstance(compounds, Compounds):
        code = _code(compounds.rows, name)
        return _holding(compounds.rows, code) > 0
    one, _, other = name.partition(" | ")
    held = [_holding(compounds.atoms, _code(compounds.atoms, each)) for each in (one, other)]
    return held[0] > 1 if one == other else (held[0] > 0) & (held[1] > 0)


def _code(incidence: Incidence, name: str) -> int:
    return next(code for code, each in enumerate(incidence.names) if each == name)


def _holding(incidence: Incidence, code: int) -> NDArray[np.int64]:
    """Return how often each bag has a concept; shape (n_bags,)."""
    places = np.flatnonzero(incidence.concepts == code)
    held = np.zeros(incidence.n_bags, dtype=np.int64)
    held[np.searchsorted(incidence.starts, places, side="right") - 1] = incidence.counts[places]
    return held


def _least(
    rows: Rows, compounds: Compounds | ObjectPairs, marked: NDArray[np.bool_], bags: Sequence[NDArray[np.bool_]]
) -> list[str | None]:
    bag_of_row = (compounds.rows if isinstance(compounds, Compounds) else compounds.atoms).bag_of_row
    found = []
    for each in bags:
        ids = rows.ids[marked & each[bag_of_row]]
        found.append(min(ids.tolist()) if len(ids) else None)
    return found

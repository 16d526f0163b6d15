"""Compounds with the least id of a row that has them, in each of two parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.comparing import Top
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence
from compsplit.model.report import Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SHOWN = 20


class Examples:
    """Finds the least ids of rows that have a compound; ids are put in order once."""

    def __init__(self, rows: Rows, split: Split) -> None:
        self._ids = rows.ids
        self._order = np.argsort(rows.ids, kind="stable")
        self._in_part = {part: split.rows_in(part)[self._order] for part in split.parts}

    def table(self, compounds: Compounds | ObjectPairs, reference: str, part: str, top: Sequence[Top]) -> Table:
        """Return compounds and their occurrences in the part, with an example of each part; None where it has none."""
        bag_of_row = (compounds.rows if isinstance(compounds, Compounds) else compounds.atoms).bag_of_row[self._order]
        lines = []
        for each in top[:SHOWN]:
            held = _bags_with(compounds, each.codes)[bag_of_row]
            examples = (self._least(held & self._in_part[which]) for which in (reference, part))
            lines.append((each.name, each.count, *examples))
        columns = (compounds.noun, f"occurrences in {part}", f"example in {reference}", f"example in {part}")
        return Table(columns, tuple(lines))

    def _least(self, marked: NDArray[np.bool_]) -> str | None:
        """Return the id of the first marked row, in the order of ids."""
        place = int(marked.argmax()) if len(marked) else 0
        return str(self._ids[self._order[place]]) if len(marked) and marked[place] else None


def _bags_with(compounds: Compounds | ObjectPairs, codes: Sequence[int]) -> NDArray[np.bool_]:
    """Return which bags have a compound; shape (n_bags,)."""
    if isinstance(compounds, Compounds):
        return _holding(compounds.rows, codes[0]) > 0
    held = [_holding(compounds.atoms, code) for code in codes]
    return held[0] > 1 if codes[0] == codes[1] else (held[0] > 0) & (held[1] > 0)


def _holding(incidence: Incidence, code: int) -> NDArray[np.int64]:
    """Return how often each bag has a concept; shape (n_bags,)."""
    places = np.flatnonzero(incidence.concepts == code)
    held = np.zeros(incidence.n_bags, dtype=np.int64)
    held[np.searchsorted(incidence.starts, places, side="right") - 1] = incidence.counts[places]
    return held

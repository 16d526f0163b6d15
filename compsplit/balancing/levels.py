"""A level: rows in groups, each with an answer; and one step of smoothing all its groups.

A row without a label passes its level untouched. Within a group and answer the rows that stay are the first in the
seeded order. Cost: O(rows) a step, and one sort of the rows at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.bounds import Bounds
from compsplit.balancing.smoothing import smoothed_groups
from compsplit.model.column import Codes, Column, frozen

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Rows by group and answer; a *cell* is one answer of one group that some row has.

    Attributes:
        name: ``"global"`` or ``"local"``.
        groups: The group of each row, -1 for a row without a label.
        cell_of_row: -1 for a row without a label; shape (n_rows,).
        group_of_cell: Ascending; shape (n_cells,).
        answer_of_cell: Codes of answers; shape (n_cells,).
        places: Place of each cell's answer among all answers by text (code points); shape (n_cells,).
        rows: The rows with a label by cell, each cell's in the seeded order.
    """

    name: str
    groups: Column
    cell_of_row: Codes
    group_of_cell: NDArray[np.int64]
    answer_of_cell: NDArray[np.int64]
    places: NDArray[np.int64]
    rows: Codes

    def __post_init__(self) -> None:
        for array in (self.cell_of_row, self.group_of_cell, self.answer_of_cell, self.places, self.rows):
            frozen(array)

    @classmethod
    def of(cls, name: str, groups: Column, answers: Column, order: NDArray[np.int64]) -> Level:
        """Return the level of these rows.

        Args:
            name: What it is called.
            groups: The group of each row; a row with none, or one of white space alone, has no label.
            answers: The answer of each row; a row with none has no label.
            order: The rows in the seeded order.
        """
        groups = groups.renamed([name if name.strip() else None for name in groups.names])
        width = max(len(answers.names), 1)
        there = (groups.codes >= 0) & (answers.codes >= 0)
        packed = groups.codes[there].astype(np.int64) * width + answers.codes[there]
        met, codes = np.unique(packed, return_inverse=True)
        cell_of_row = np.full(len(there), -1, dtype=np.int32)
        cell_of_row[there] = codes
        group_of_cell, answer_of_cell = np.divmod(met, width)
        seeded = order[there[order]]
        rows = seeded[np.argsort(cell_of_row[seeded], kind="stable")].astype(np.int32)
        places = text_places(answers.names)[answer_of_cell]
        return cls(name, groups, cell_of_row, group_of_cell, answer_of_cell, places, rows)

    def counts(self, kept: Mask) -> NDArray[np.int64]:
        """Return the kept rows of each cell, shape (n_cells,)."""
        cells = self.cell_of_row[kept]
        return np.bincount(cells[cells >= 0], minlength=len(self.group_of_cell)).astype(np.int64)

    def ordered(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cells that have rows, group by group, by falling count; equal counts by the answer's text."""
        there = np.flatnonzero(counts)
        return there[np.lexsort((self.places[there], -counts[there], self.group_of_cell[there]))]

    def starts(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where each group begins in cells that stand group by group, and the end; shape (n_groups + 1,)."""
        groups = self.group_of_cell[cells]
        first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(cells) else np.zeros(0, np.int64)
        return np.append(first, len(cells)).astype(np.int64)


def text_places(names: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each name in the order of code points, shape (n,)."""
    places = np.empty(len(names), dtype=np.int64)
    written = list(names)
    places[np.array(sorted(range(len(written)), key=written.__getitem__), dtype=np.int64)] = np.arange(len(written))
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What smoothing the groups of one level did.

    Attributes:
        dropped: The rows that go.
        touched: Codes of the groups that lost rows.
        reversed: Codes of the groups whose order is no longer that of the counts that entered; none, it is promised.
    """

    dropped: Codes
    touched: NDArray[np.int64]
    reversed: NDArray[np.int64]


def smoothing_step(level: Level, kept: Mask, bounds: Bounds) -> Step:
    """Return which of the kept rows go.

    Args:
        level: The level.
        kept: Which rows are there still, shape (n_rows,).
        bounds: What is asked of each group.
    """
    before = level.counts(kept)
    cells = level.ordered(before)
    after = np.zeros_like(before)
    after[cells] = smoothed_groups(level.starts(cells), before[cells], bounds)
    # Rows stand by cell, so what is dropped are those behind the first ``after`` of each cell.
    rows = level.rows[kept[level.rows]]
    begins = np.cumsum(before) - before
    cell = level.cell_of_row[rows]
    dropped = rows[np.arange(len(rows)) - begins[cell] >= after[cell]]
    touched = np.unique(level.group_of_cell[after < before])
    return Step(frozen(dropped), touched, reversed_groups(level, before, after))


def reversed_groups(level: Level, before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes of groups in which an answer had more rows than another, and has fewer.

    Args:
        level: The level.
        before: Rows of each cell, shape (n_cells,).
        after: The same later; an answer that lost all of its rows has 0.
    """
    # By rising count, equal counts by what they became, what they became must nowhere fall.
    cells = np.lexsort((after, before, level.group_of_cell))
    groups = level.group_of_cell[cells]
    falls = (groups[1:] == groups[:-1]) & (after[cells][1:] < after[cells][:-1])
    return np.unique(groups[1:][falls])

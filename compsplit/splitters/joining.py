"""Units in which both the groups and the values of a column stay whole, and which audits measure that."""

from __future__ import annotations

import dataclasses

import numpy as np

from compsplit.errors import MissingValueError
from compsplit.model.column import Column
from compsplit.model.grouping import Grouping
from compsplit.splitters.problem import Problem

OPERATIONS = "program (operations)"
"""The operations of a program without what they are told: a template that is made of the column ``program``."""

_MEASURED = {
    "image": "image-overlap",
    **{f"question ({form})": "question-overlap" for form in ("exact", "normalised", "reduced")},
    **{f"qa ({form})": "qa-overlap" for form in ("exact", "normalised", "reduced")},
    **dict.fromkeys(("program", "query", "template", "family", OPERATIONS), "template-overlap"),
}

MEASURED = tuple(_MEASURED)
"""Columns whose values can be promised to be whole: the others are kept whole by grouping by them."""


def never_shared(column: str) -> str:
    """Return the check that no value of a column is in two parts."""
    return f"{_MEASURED[column]}[{column}][{{train}}->{{test}}] == 0"


def whole_column(problem: Problem, name: str) -> Column:
    """Return a column in which every row has a value.

    Raises:
        UnknownNameError: There is none of that name.
        MissingValueError: Rows have no value there.
    """
    column = problem.column(name)
    without = np.flatnonzero(column.codes < 0)
    if len(without):
        assert problem.rows is not None
        ids = sorted(problem.rows.ids[without].tolist())
        raise MissingValueError(name, ids, mend="leave such rows out before")
    return column


def joined(problem: Problem, column: Column, unit: str) -> Problem:
    """Return the problem whose groups hold whole groups and whole values of a column: what hangs together through them.

    Args:
        problem: What is divided.
        column: A value for each row.
        unit: What a value is called.

    Cost: O(rows), O(n log n) in the distinct values.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    grouping = problem.grouping
    n = grouping.n_groups
    ends = (grouping.group_of_row.astype(np.int64), n + column.codes.astype(np.int64))
    shape = (n + len(column.names),) * 2
    graph = coo_array((np.ones(len(column), dtype=np.int8), ends), shape=shape)
    n_pieces, labels = connected_components(graph, directed=False)
    # A piece is called by the first of its values, so that its name does not depend on the order of rows.
    used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.names)))
    names = [column.names[code] for code in used.tolist()]
    alphabetical = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    value_of_piece = np.zeros(n_pieces, dtype=np.int64)
    value_of_piece[labels[n + used[alphabetical[::-1]]]] = alphabetical[::-1]
    piece_of_row = labels[ends[0]]
    stays = np.zeros(len(names), dtype=bool)
    stays[value_of_piece[labels[:n][grouping.stays]]] = True
    whole = Column(value_of_piece[piece_of_row].astype(np.int32), tuple(names))
    return dataclasses.replace(problem, grouping=Grouping.of(unit, whole, stays))

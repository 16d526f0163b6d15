"""Question-answer pairs in reduced form; atoms are the concepts of the question, and the answer.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.column import Column, JointNames
from compsplit.model.compounds import Compounds
from compsplit.model.incidence import Incidence
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable, starts_of
from compsplit.model.table import QATable
from compsplit.registry import register


def _fits(table: QATable | SceneTable, rows: Rows) -> bool:
    return "qa (reduced)" in rows.columns


@register("extractor", "qa", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1", fits=_fits)
def extract(table: QATable | SceneTable, rows: Rows) -> Compounds:
    """Take each row's reduced question with its answer.

    Raises:
        UsageError: The rows have no questions and answers.
    """
    column = rows.columns.get("qa (reduced)")
    concepts = rows.concepts
    if column is None or concepts is None:
        raise UsageError("Question-answer pairs need rows with a question and an answer.")
    n = len(column.names)
    there = column.codes >= 0
    # Any row of a compound has the question, the answer and the concepts that it is made of.
    row_of = np.zeros(n, dtype=np.int64)
    row_of[column.codes[there]] = np.flatnonzero(there)
    sides = [rows.columns[f"{name} (reduced)"] for name in ("question", "answer")]
    ranks = [_ranks(side)[side.codes[row_of]] for side in sides]
    # Codes in the order of names, so that ties are the same whatever the order of rows.
    order = np.lexsort(ranks[::-1])
    row_of = row_of[order]
    place = np.empty(n + 1, dtype=np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    place[n] = n
    bag_of_row = place[np.where(there, column.codes, n)]
    starts = np.append(np.arange(n + 1, dtype=np.int64), np.int64(n))
    every = np.arange(n, dtype=np.int32)
    names = JointNames([side.names for side in sides], [side.codes[row_of] for side in sides])
    compounds = Incidence("qa (reduced)", bag_of_row, starts, every, np.ones(n, dtype=np.uint8), names)
    bags = concepts.bag_of_row[row_of]
    lengths = np.diff(concepts.starts)[bags]
    made_of = np.arange(int(lengths.sum())) + np.repeat(concepts.starts[bags] - (np.cumsum(lengths) - lengths), lengths)
    return Compounds("question-answer pair", compounds, concepts, starts_of(lengths), concepts.concepts[made_of], {})


def _ranks(column: Column) -> NDArray[np.int32]:
    """Return the place of each name in alphabetical order."""
    ranks = np.empty(len(column.names), dtype=np.int32)
    names = list(column.names)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.int32)
    return ranks

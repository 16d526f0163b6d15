"""Answers given the type of their question: (question type, answer); atoms are the types and the answers.

Source: Agrawal et al. 2018, arXiv 1712.00377 (VQA-CP keeps these apart). Cost: O(rows log rows).
"""

from __future__ import annotations

import numpy as np

from compsplit.errors import UsageError
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "answer-given-type", source="Agrawal et al. 2018, arXiv 1712.00377")
def extract(table: RowTable, rows: Rows) -> Compounds:
    """Take each answer together with the type of its question.

    Raises:
        UsageError: The rows have no answers.
    """
    kinds, answers = rows.columns.get("question_type"), rows.columns.get("answer (exact)")
    if kinds is None or answers is None:
        raise UsageError("Answers given their question's type need rows with a question and an answer.")
    every = np.arange(len(rows))
    atoms = [occurring(name, len(rows), every, c) for name, c in (("question types", kinds), ("answers", answers))]
    return combined("answers given type", "pair", len(rows), every, (kinds, answers), (0, 1), atoms, {})

"""Groups of the same reduced question and the same answer.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (reduced QA grouping). Decided: a row whose question reduces
to nothing is a group of its own and stays in train, unless it is grouped by its answer like any other.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from compsplit.errors import UsageError
from compsplit.model.column import Column, concatenated, crossed
from compsplit.model.grouping import Grouping
from compsplit.model.rows import Rows
from compsplit.registry import register


@register("grouper", "question-answer", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1")
def group(rows: Rows, *, blank: Literal["train", "group"] = "train") -> Grouping:
    """Keep rows of the same reduced question and answer together.

    Args:
        rows: Rows with reduced questions and answers.
        blank: ``"train"``: a row whose question reduces to nothing is its own group and stays in train; ``"group"``:
            such rows are grouped by answer.

    Raises:
        MissingValueError: Rows have no question or no answer.
    """
    if "qa (reduced)" not in rows.columns:
        raise UsageError("Groups of question and answer need questions and answers; the table lacks one of them.")
    compound = rows.key("qa (reduced)")
    if blank == "group" or not rows.blank.any():
        return Grouping.of("group", compound)
    marked = np.flatnonzero(rows.blank)
    both = concatenated([compound, crossed(compound.take(marked), rows.key("id").take(marked))])
    codes = both.codes[: len(rows)].copy()
    codes[marked] = both.codes[len(rows) :]
    stays = np.zeros(len(both.names), dtype=bool)
    stays[codes[marked]] = True
    return Grouping.of("group", Column(codes, both.names), stays)

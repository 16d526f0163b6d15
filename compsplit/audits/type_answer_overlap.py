"""Type-answer overlap: answers of a part that the reference part gives to questions of the same type.

Source: Agrawal et al. 2018, arXiv 1712.00377 (VQA-CP keeps question type and answer apart, so that no answer of a type
can be learned by heart). Given over rows and over distinct pairs. Cost: O(rows log rows).
"""

from __future__ import annotations

import dataclasses

from compsplit.audits.sharing import FORMS, overlaps
from compsplit.model.column import crossed
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "type-answer-overlap",
    source="Agrawal et al. 2018, arXiv 1712.00377",
    unit="fraction",
    bounds=(0, 1),
    better="",
    by_default=False,
    measures=("type-answer-overlap",),
)
def type_answer_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose question type and answer are together in the reference part."""
    kinds = rows.columns.get("question_type")
    if kinds is None:
        return Audited()
    pairs = {
        f"question_type + answer ({form})": crossed(kinds, rows.columns[f"answer ({form})"])
        for form in FORMS
        if f"answer ({form})" in rows.columns
    }
    known = dataclasses.replace(rows, columns={"id": rows.column("id"), **pairs})
    return overlaps(known, split, "type-answer-overlap", list(pairs))

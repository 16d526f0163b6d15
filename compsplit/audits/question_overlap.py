"""Question overlap: questions of a part whose text is in the reference part.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 (46.06 % of the question strings of VQA v1.0 val are in
train). The paper does not say over what: see ``sharing`` for the readings that are given. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.sharing import FORMS, overlaps
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "question-overlap",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 3.2",
    unit="fraction",
    bounds=(0, 1),
    better="lower",
)
def question_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the questions of a part whose text is in the reference part, in three forms."""
    return overlaps(rows, split, "question-overlap", [f"question ({form})" for form in FORMS])

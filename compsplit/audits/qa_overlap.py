"""QA overlap: question-answer pairs of a part that are in the reference part.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 (32.49 % of the pairs of VQA v1.0 val are in train). See
``sharing`` for the readings that are given. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.sharing import FORMS, overlaps
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "qa-overlap",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 3.2",
    unit="fraction",
    bounds=(0, 1),
    better="lower",
)
def qa_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the question-answer pairs of a part that are in the reference part, in three forms."""
    aspects = [f"qa ({form})" for form in FORMS]
    return overlaps(rows, split, "qa-overlap", aspects, finding="shared-question-answer", told="question-answer pairs")

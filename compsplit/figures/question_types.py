"""Shares of the commonest question types in each part.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2. Made of the table ``question types`` of the audit of that
name, which counts every row. Cost: nothing beside it.
"""

from __future__ import annotations

from compsplit.figures.shares import shares
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.registry import register


@register("figure", "question-types", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.2", place=38)
def question_types(report: Report) -> tuple[Figure, ...]:
    """Shares of the commonest question types in each part."""
    return shares(report, "question types", "question types")

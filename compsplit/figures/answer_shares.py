"""Shares of the commonest answers, and of the answer types, in each part (as UOUC's figure 9 has them by data set).

Made of the tables of the audit ``answer-types``, which count every row. Cost: nothing beside them.
"""

from __future__ import annotations

from compsplit.figures.shares import shares
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.registry import register


@register("figure", "answer-shares", source="")
def answer_shares(report: Report) -> tuple[Figure, ...]:
    """Shares of the commonest answers, and of the answer types, in each part."""
    return (*shares(report, "answers", "answers"), *shares(report, "answer types", "answer types"))

"""Shares of the commonest answers, and of the answer types, in each part.

Source: UOUC, figure 9, the balance of answers by part. Made of the tables of the audit ``answer-types``, which count
every row. Cost: nothing beside them.
"""

from __future__ import annotations

from compsplit.figures.shares import shares
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.registry import register


@register("figure", "answer-shares", source="UOUC, figure 9", place=40)
def answer_shares(report: Report) -> tuple[Figure, ...]:
    """Shares of the commonest answers, and of the answer types, in each part."""
    return (*shares(report, "answers", "answers"), *shares(report, "answer types", "answer types"))

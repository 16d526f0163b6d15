"""Accuracy: the share of predictions that are the answer, as exact text.

Source: compsplit's own; GQA's official program scores so (Hudson and Manning 2019, arXiv 1902.09506). Nothing is
trimmed, lower-cased or cleaned, and a number is never a text. Where predictions would be right after outer space,
capitals and end punctuation are taken off, their number is told. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np

from compsplit.errors import counted
from compsplit.metrics.cleaning import cleaned_correct
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.report import Finding
from compsplit.registry import register

_BY = {"question type": "question_type", "answer type": "answer_type"}


def _no_people(answered: Answered) -> bool:
    """Tell whether exact text is the rule of the data: not where several people answered, nor for GQA's own."""
    return "answers" not in answered.table.lists and answered.table.format != "gqa"


@register("metric", "exact", source="compsplit", unit="%", bounds=(0, 100), better="higher", fits=_no_people)
def measure(answered: Answered) -> Scored:
    """Share of the scored rows whose prediction is the answer, as exact text."""
    columns = answered.table.named_columns()
    by = {name: columns[column] for name, column in _BY.items() if columns[column].n_used}
    mean = RowMean(
        name="accuracy",
        of="exact",
        scores=answered.correct.astype(np.float64),
        counted=answered.scored,
        by=by,
    )
    return Scored((mean,), findings=cleaning_would_help(answered))


def cleaning_would_help(answered: Answered) -> tuple[Finding, ...]:
    """Return a finding if predictions fail for outer space, capitals or end punctuation alone."""
    would = cleaned_correct(answered) & ~answered.correct & answered.scored
    n = int(would.sum())
    if not n:
        return ()
    return (
        Finding(
            kind="would-match-cleaned",
            count=n,
            first=tuple(sorted(answered.table.ids[would].tolist())[:5]),
            message=f"{counted(n, 'prediction')} of {int(answered.scored.sum()):,} would match after trimming, "
            "lower-casing and removing end punctuation; the rule compares exact text. The metric `cleaned` counts "
            "them, under its own name.",
        ),
    )

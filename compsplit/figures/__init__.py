"""Figures of reports: specifications in Vega or Vega-Lite, and the numbers behind them."""

from compsplit.figures import (
    answer_shares,
    answers_by_type,
    co_occurrence_matrix,
    common_pairs,
    commonest_pairs,
    coverage,
    object_shares,
    openings,
    question_types,
    type_shares,
    words_a_question,
)

__all__ = [
    "answer_shares",
    "answers_by_type",
    "co_occurrence_matrix",
    "common_pairs",
    "commonest_pairs",
    "coverage",
    "object_shares",
    "openings",
    "question_types",
    "type_shares",
    "words_a_question",
]

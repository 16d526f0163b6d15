"""Groupers: rows that stay together."""

from compsplit.groupers import by_column, question_answer, question_type_answer

__all__ = ["by_column", "question_answer", "question_type_answer"]

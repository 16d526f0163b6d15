"""Words of a text: lower-cased, split at white space, outer punctuation off; words that are nothing else are none."""

from __future__ import annotations

from compsplit.errors import UsageError
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.words import words

__all__ = ["RULES", "text_column", "words"]

RULES = {"words": "lower-cased, split at white space, outer punctuation off"}


def text_column(table: RowTable, which: str) -> Column:
    """Return the column of a text.

    Raises:
        UsageError: The rows have none.
    """
    if isinstance(table, SceneTable):
        raise UsageError("Words are made of questions or answers, and these rows are scenes.")
    column = table.questions if which == "question" else table.answers
    if not column.names:
        raise UsageError(f"No row has {'an answer' if which == 'answer' else 'a question'} to take words from.")
    return column

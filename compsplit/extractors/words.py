"""Words of a text: lower-cased, split at white space, outer punctuation off; words that are nothing else are none."""

from __future__ import annotations

from compsplit.errors import UsageError
from compsplit.extractors.text_forms import OUTER
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable

RULES = {"words": "lower-cased, split at white space, outer punctuation off"}


def words(text: str) -> list[str]:
    """Return the words of a text.

    Example:
        >>> words("Is it 'red', or not ?")
        ['is', 'it', 'red', 'or', 'not']
    """
    stripped = [word.strip(OUTER) for word in text.lower().split()]
    return [word for word in stripped if word]


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

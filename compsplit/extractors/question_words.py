"""Words of questions: each word is a compound of one atom.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 2 (unseen words). Cost: O(words of distinct questions).
"""

from __future__ import annotations

from typing import Literal

from compsplit.extractors.words import RULES, text_column, words
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "question-words", source="Agrawal et al. 2017, arXiv 1704.08243, section 2")
def extract(table: RowTable, rows: Rows, *, text: Literal["question", "answer"] = "question") -> Compounds:
    """Take the words of each question, or answer.

    Args:
        table: Rows with texts.
        rows: The same, prepared.
        text: Which text.

    Raises:
        UsageError: The rows have no such text.
    """
    column = text_column(table, text)
    found = (words(name) for name in column.names)
    taken = (([(word, (word,)) for word in each], each) for each in found)
    return of_texts(f"{text} words", "word", column, taken, RULES, atoms_of=f"{text} words")

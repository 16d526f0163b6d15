"""Neighbouring words of a text: n-grams, whose atoms are the words.

Source: Shaw et al. 2021, arXiv 2010.12725 (TMCD on texts); the dbca program of Keysers et al. takes bigrams. Cost:
O(words of distinct texts).
"""

from __future__ import annotations

from collections.abc import Iterator

from compsplit.errors import MissingFieldError, OptionValueError
from compsplit.extractors.words import RULES, text_column, words
from compsplit.model.column import Column
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.model.table import QATable
from compsplit.registry import register


def _fits(table: RowTable, rows: Rows) -> bool:
    return isinstance(table, QATable) and bool(table.questions.names)


@register("extractor", "word-ngrams", source="Shaw et al. 2021, arXiv 2010.12725", fits=_fits)
def extract(table: RowTable, rows: Rows, *, n: int = 2, text: str = "question") -> Compounds:
    """Take every n neighbouring words of each question, answer (SCAN's actions), or value of a column.

    Args:
        table: Rows with texts.
        rows: The same, prepared.
        n: How many words, at least 2.
        text: Which text: question, answer, or a column by name.

    Raises:
        UsageError: The rows have no question or answer.
        MissingFieldError: There is no such column.
        OptionValueError: n is less than 2.
    """
    if n < 2:
        raise OptionValueError("extract.n", n, "at least 2; single words are question-words")
    column = text_column(table, text) if text in ("question", "answer") else _column(table, rows, text)
    found = (words(name) for name in column.names)
    taken = (([(" ".join(gram), gram) for gram in _grams(each, n)], each) for each in found)
    return of_texts(f"{text} word {n}-grams", f"{n}-gram", column, taken, {**RULES, "n": n}, atoms_of=f"{text} words")


def _column(table: RowTable, rows: Rows, name: str) -> Column:
    known = {**table.named_columns(), **rows.columns}
    if name not in known or not known[name].names:
        there = ["question", "answer", *sorted(n for n, c in known.items() if c.names)]
        raise MissingFieldError(f'column "{name}"', there, file=None, mend="Name another as extract.text")
    return known[name]


def _grams(words_of_text: list[str], n: int) -> Iterator[tuple[str, ...]]:
    """Return every n neighbouring words."""
    return zip(*(words_of_text[k:] for k in range(n)), strict=False)

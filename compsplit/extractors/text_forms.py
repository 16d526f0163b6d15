"""Forms of question and answer texts besides the reduced one, and types where records do not name them."""

from __future__ import annotations

import re

from compsplit.model.column import Column
from compsplit.model.table import QATable
from compsplit.model.words import OUTER, words

_NUMBERS = frozenset(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")


def normalised(text: str) -> str:
    """Return text lower-cased, white space folded, end punctuation off.

    Example:
        >>> normalised("How many  cups are there ?")
        'how many cups are there'
    """
    return " ".join(text.lower().split()).rstrip(".?!,;: ")


def first_words(text: str, n: int) -> str:
    """Return the first n words: lower-cased, split at white space, outer punctuation off.

    Example:
        >>> first_words("What's the color, please?", 3)
        "what's the color"
    """
    first = text.lower().split(None, n)[:n]
    if "".join(first).isalnum():
        return " ".join(first)
    first = [word.strip(OUTER) for word in first]
    if all(first):
        return " ".join(first)
    return " ".join(words(text)[:n])


def first_four_words(text: str) -> str:
    """Return the opening that the C-VQA paper draws: the first four words."""
    return first_words(text, 4)


def question_types(table: QATable, given: Column) -> Column:
    """Return the type of each question: the record's, else the given column's, else its first two words."""
    recorded = table.question_types.or_else(given) if given.names else table.question_types
    if (recorded.codes >= 0).all():
        return recorded
    return recorded.or_else(table.questions.renamed([first_words(name, 2) for name in table.questions.names]))


def answer_types(table: QATable) -> Column:
    """Return the type of each answer: the record's, else yes/no, number (digits, number words to ten) or other."""
    if (table.answer_types.codes >= 0).all():
        return table.answer_types
    return table.answer_types.or_else(table.answers.renamed([answer_type(name) for name in table.answers.names]))


def answer_type(answer: str) -> str:
    """Return yes/no, number or other.

    Example:
        >>> [answer_type(a) for a in ("Yes", "3", "two", "red")]
        ['yes/no', 'number', 'number', 'other']
    """
    text = normalised(answer)
    if text in ("yes", "no"):
        return "yes/no"
    return "number" if text in _NUMBERS or _NUMBER.fullmatch(text) else "other"

"""Words of a text as it is written: lower-cased, split at white space, outer punctuation off."""

from __future__ import annotations

OUTER = "\"'`.,;:!?()[]{}<>*-\u2018\u2019\u201c\u201d\u2026"
"""Punctuation that is no part of a word where it stands before or behind one."""


def words(text: str) -> list[str]:
    """Return the words of a text; what is punctuation alone is none.

    Example:
        >>> words("Is it 'red', or not ?")
        ['is', 'it', 'red', 'or', 'not']
    """
    stripped = [word.strip(OUTER) for word in text.lower().split()]
    return [word for word in stripped if word]

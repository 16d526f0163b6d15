"""Phrases that say only that a question is about a picture, or that someone is asked.

"What size is the pizza in this picture?" asks what "What size pizza is this?" asks. Removing them is an option: on
for questions written by rule, as GQA's, off for C-VQA, whose paper does not.
"""

from __future__ import annotations

import re

_ASKING = r"do you (?:think|see|believe)|would you say|can you (?:please )?(?:tell me|name)"
_PICTURE = r"(?:picture|image|photo|photograph|pic|scene)s?"
_SEEN = r"(?:shown|seen|pictured|depicted|visible|found|present)"
_ABOUT_PICTURE = rf"(?:{_SEEN} )?(?:in|of|from|on) (?:the|this|that|these) {_PICTURE}(?!['-]| frames?\b)"
_PHRASE = re.compile(rf"\b(?:{_ASKING}|{_ABOUT_PICTURE})\b|\bpictured(?=\W*\Z)", re.IGNORECASE)


def without_phrases(text: str) -> str:
    """Return a cleaned question, white space folded, without such phrases.

    A question of nothing else stays whole.

    Example:
        >>> without_phrases("Who is in the picture?")
        'Who is ?'
        >>> without_phrases("What is on the picture frame?")
        'What is on the picture frame?'
    """
    folded = " ".join(text.split())
    shortened = _PHRASE.sub("", folded)
    return shortened if any(map(str.isalnum, shortened)) else folded

"""The official normalisation of VQA answers, step by step, slips and all.

Source: GT-Vision-Lab/VQA, ``vqaEval.py`` of 2017 and of 2021, as run under Python 2.7. Only ASCII digits are digits,
every letter is lower-cased by itself, and what Unicode 5.2 calls white space divides words. Under Python 3 the same
program takes other digits for digits, too, and makes two characters of a dotted capital I. Letters that Unicode got
after 5.2 are lower-cased here; there they were not. Cost: O(characters).
"""

from __future__ import annotations

import re
from typing import Final

_MARKS: Final = ';/[]"{}()=+\\_-><@`,?!'
_REMOVED: Final = str.maketrans("", "", _MARKS)
_SPACED: Final = str.maketrans(_MARKS, " " * len(_MARKS))
_COMMA_IN_NUMBER: Final = re.compile(r"\d,\d", re.ASCII)
# The official look-behind for digits is mistyped and has no effect, so that "5." becomes "5".
_STOP: Final = re.compile(r"\.(?!\d)", re.ASCII)
_STOPS_REMOVED: Final = 32
"""So many full stops go: where the number belongs, the official program passes a flag whose value is 32."""

_OLD_SPACE: Final = "\u180e"
"""White space up to Unicode 6.2, and so for Python 2; Python 3 takes it for none."""
_SPACE: Final = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000" + _OLD_SPACE
)

_NUMBERS: Final = {
    "none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10",
}  # fmt: skip
_ARTICLES: Final = frozenset({"a", "an", "the"})

_WRITTEN: Final = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's
how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've o'clock
oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd
someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's
they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's
where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've
y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""


def _contractions() -> dict[str, str]:
    """Return the table: of each word one apostrophe is missing, and never two.

    Of the official table's 120 entries two say of a word that it is itself, and four have a capital, which no word has
    that is looked up.
    """
    table = {
        word[:place] + word[place + 1 :]: word
        for word in _WRITTEN.split()
        for place, letter in enumerate(word)
        if letter == "'"
    }
    # The official entry is the wrong way round.
    table["somebody'd"] = "somebodyd"
    return table


CONTRACTIONS: Final = _contractions()
"""A word without one of its apostrophes -> the word with it; 114 entries."""


def clean(text: str) -> str:
    r"""Return the text with new lines and tabs as spaces, outer white space off.

    Example:
        >>> clean("\ttwo\ncats ")
        'two cats'
    """
    return text.replace("\n", " ").replace("\t", " ").strip(_SPACE)


def without_punctuation(text: str) -> str:
    """Return the text after the punctuation step.

    A mark goes without a trace if it stands beside a space anywhere in the text, or if the text has a comma between two
    digits; else a space takes its place.

    Example:
        >>> without_punctuation("t-shirt"), without_punctuation("1,000 t-shirts"), without_punctuation("5.")
        ('t shirt', '1000 tshirts', '5')
    """
    if _COMMA_IN_NUMBER.search(text):
        outcome = text.translate(_REMOVED)
    else:
        beside = [mark for mark in set(text).intersection(_MARKS) if f"{mark} " in text or f" {mark}" in text]
        outcome = (text.translate(str.maketrans("", "", "".join(beside))) if beside else text).translate(_SPACED)
    return _STOP.sub("", outcome, count=_STOPS_REMOVED)


def with_digits(text: str) -> str:
    """Return the text after the digit and article step: lower case, number words as digits, no articles.

    Example:
        >>> with_digits("The two cats dont"), with_digits("None")
        ("2 cats don't", '0')
    """
    words = [_NUMBERS.get(word, word) for word in _lowered(text).split()]
    return " ".join([CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES])


def normalised(text: str) -> str:
    """Return the text after both steps, in their order.

    Example:
        >>> normalised("Two.")
        '2'
    """
    return with_digits(without_punctuation(text))


def _lowered(text: str) -> str:
    """Return the text in lower case, letter by letter: a final sigma is like any other, and a letter stays one."""
    if text.isascii():
        return text.lower()
    return "".join([letter.lower()[0] for letter in text]).replace(_OLD_SPACE, " ")

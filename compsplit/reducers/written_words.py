"""From a text as written to its words as written: lower case, one spelling of quotes, accents, clitics and numbers.

Order: HTML entities once; quotes straight; pictures out; NFKD without marks and format characters; "US" to "usa"
before lower case, unless the whole text is in capitals; clitics; then one token pattern. A word holds only letters
and digits, and ``. , : /`` between digits.
"""

from __future__ import annotations

import html
import re
import unicodedata

from compsplit.reducers import tables

_STRAIGHT = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u00b4", "'") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)
_WORD = r"[^\W_]+(?:(?:'|(?<=\d)[.,:/](?=\d))[^\W_]+)*"
_SYMBOL = r"[$%+<>=&#\u20ac\u00a3\u00a5]|(?<![^\W_])-(?=\d)"
_IN_QUESTION = re.compile(_WORD)
_IN_ANSWER = re.compile(f"{_WORD}|{_SYMBOL}")
_COUNTRY = re.compile(r"(?<![^\W_])US(?![^\W_])")
_DOTTED_COUNTRY = re.compile(r"(?<![^\W_])u\.s(?:\.a)?(?![^\W_])")
_BARE_DECIMAL = re.compile(r"(?<![^\W_.])\.(?=\d)")
_LONE_CLITIC = re.compile(r"(?<![^\W_])'(?:s|re|ve|ll|d|m)(?![^\W_]|')")
_CLITIC = re.compile(r"'(?:s|re|ve|ll|d|m)\Z")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,:/])")


def cleaned(text: str) -> str:
    """Return the text without entities, curly quotes, accents, pictures and characters that do not show.

    Case and white space stay.

    Example:
        >>> cleaned("Caf\u00e9 &amp; bar\u2019s \U0001f600")
        "Cafe & bar's  "
    """
    if "&" in text:
        text = html.unescape(text)
    if text.isascii():
        return text
    # Pictures first: NFKD would turn the numero sign into the word "No".
    shown = "".join(" " if unicodedata.category(c) == "So" else c for c in text.translate(_STRAIGHT))
    parts = unicodedata.normalize("NFKD", shown).replace("\u2044", "/")
    return "".join(c for c in parts if unicodedata.category(c) not in ("Mn", "Mc", "Me", "Cf"))


def folded(text: str) -> str:
    """Return a text that holds no word in the one form that tells it from others: lower-cased, white space folded.

    Example:
        >>> folded(" ?\u200b  ! ")
        '? !'
    """
    shown = (c for c in html.unescape(text) if unicodedata.category(c) not in ("Cf", "Mn", "Me"))
    return " ".join("".join(shown).lower().split())


def all_capitals(text: str) -> bool:
    """Tell whether a cleaned text is written in capitals throughout, so that US may be the pronoun.

    A text of nothing but "US" is the country.
    """
    return text.isupper() and _COUNTRY.sub("", text).isupper()


def question_words(chunk: str, *, capitals: bool = False) -> list[str]:
    """Return the words of one piece of a cleaned question, lower-cased.

    Args:
        chunk: Text; what stands between two white spaces is enough, for no word crosses one.
        capitals: The whole question is in capitals.

    Example:
        >>> question_words("isn't")
        ['is', 'not']
        >>> question_words("Port-a-Cath's,")
        ['port', 'a', 'cath']
        >>> question_words("1,200:")
        ['1200']
    """
    return _words(_IN_QUESTION, chunk, capitals)


def answer_words(chunk: str, *, capitals: bool = False) -> list[str]:
    """Return the words of one piece of a cleaned answer, and the symbols that tell answers apart.

    Example:
        >>> answer_words("-$10")
        ['$', '10']
        >>> answer_words("c++")
        ['c', '+', '+']
    """
    return _words(_IN_ANSWER, chunk, capitals)


def _words(pattern: re.Pattern[str], chunk: str, capitals: bool) -> list[str]:
    bare = chunk.rstrip("?.,!;:")
    if bare.isalpha() and bare.isascii() and "US" not in bare:
        # Most pieces are one word with or without an end mark, and go no long way.
        word = bare.lower()
        return list(tables.replacements("contractions").get(word, (word,)))
    if "US" in chunk and not capitals:
        chunk = _COUNTRY.sub("usa", chunk)
    chunk = _BARE_DECIMAL.sub("0.", _DOTTED_COUNTRY.sub("usa", chunk.lower())).replace("`", "'")
    contractions = tables.replacements("contractions")
    found: list[str] = []
    for token in pattern.findall(_LONE_CLITIC.sub(" ", chunk)):
        if token in contractions:
            found += contractions[token]
        elif "'" in token:
            found += _apart(token)
        else:
            found.append(_THOUSANDS.sub(_without_commas, token))
    return found


def _without_commas(number: re.Match[str]) -> str:
    return number[0].replace(",", "")


def _apart(token: str) -> list[str]:
    """Return the words of a token that holds an apostrophe."""
    contractions = tables.replacements("contractions")
    word = token
    while clitic := _CLITIC.search(word):
        word = word[: clitic.start()]
        if clitic[0] == "'s" and word[-1].isdigit():
            word += "s"  # "the 90's" are "the 90s"
    if word in contractions:
        return list(contractions[word])
    if word.endswith("n't"):
        auxiliary = word[:-3].replace("'", "")
        return [auxiliary, "not"] if auxiliary else ["not"]
    return [word.replace("'", "")]

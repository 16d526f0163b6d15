"""Base forms of English words without a tagger: our tables, a frozen lexicon, then rules for what no list knows.

The lexicon is ``tables/lexicon.txt``: what our rules would get wrong among the 57,000 forms of the SPECIALIST Lexicon,
in the lemma table of lemminflect 0.2.3 (MIT), frozen by ``benchmarks/freeze_lexicon.py``. Chosen by numbers
(``python benchmarks/reducer_gold.py`` has the gold questions and the tail; all behind our tables):

====================================  =============  =================  ==========  ==========
lexicon                               gold, of 197   tail wrong, 1,000  first word  memory
====================================  =============  =================  ==========  ==========
rules alone                           192            41                 1 ms        0 MiB
frozen table and rules (this one)     196            13                 4 ms        1 MiB
lemminflect 0.2.3                     196            8                  0.7 s       115 MiB
simplemma 2.0.0                       191            16                 0.2 s       31 MiB
spaCy's lookup table 1.0.5            194            60                 -           -
====================================  =============  =================  ==========  ==========

The table gives what its library gives within 5 words in 1,000, costs no import, needs no package that is no longer
maintained, and cannot change a split by an update. simplemma joins 26 of the 29 pairs that must meet, the others 29:
its English list has "playe" and "growe".
"""

from __future__ import annotations

import re

from compsplit.reducers import tables

LEXICON = "SPECIALIST Lexicon, by lemminflect 0.2.3"
OWN_TABLES = ("keep", "irregular", "spelling")
TABLES = (*OWN_TABLES, "lexicon")

_VOWELS = frozenset("aeiouy")
_F_PLURAL = re.compile(r"(?:elv|alv|olv|oav|iev|arv|oov)es\Z")
# Stems that lost an -e before -ing or -ed (rid-ing, danc-ed), but for those that never had one (eat-ing, air-ed).
_LOST_E = re.compile(
    r"(?:at|iz|[unrai]c|[rlaieo]v|dg|ang|rg|lg|[uaoi]s|[nrlp]s|[uioa]r|[bcdfgkptzs]l|u)(?<!eat|oat)(?<!ear|oar|air|oor|our)\Z"
)


def tabled(word: str) -> str | None:
    """Return the base form that our tables give a word, or None: they stand in front of every lexicon and tagger.

    Comparatives and superlatives stay, so a word in -er or -est is settled here as well; so is one that holds more
    than letters.
    """
    if word in tables.words("keep"):
        return word
    base = tables.base_forms("irregular").get(word) or tables.base_forms("spelling").get(word)
    if base is None and (word.endswith(("er", "est")) or not word.isalpha()):
        return word
    return base


def lexical(word: str) -> str:
    """Return the base form by our tables, the lexicon and the rules."""
    return tabled(word) or tables.base_forms("lexicon").get(word) or by_rule(word)


def by_rule(word: str) -> str:
    """Return the base form of a regular plural, third person, past or -ing form.

    Example:
        >>> [by_rule(word) for word in ("boxes", "puppies", "stopped", "dancing", "grass")]
        ['box', 'puppy', 'stop', 'dance', 'grass']
    """
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("s"):
        return _singular(word)
    if word.endswith("ied"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("ing"):
        return _infinitive(word, word[:-3])
    if word.endswith("ed") and not word.endswith("eed"):
        return _infinitive(word, word[:-2])
    return word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    if _F_PLURAL.search(word):
        return word[:-3] + "f"
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _infinitive(word: str, stem: str) -> str:
    if len(stem) < 2 or _VOWELS.isdisjoint(stem):
        return word
    if stem[-1] == stem[-2] and stem[-1] not in "lzsaeiou":
        return stem[:-1]
    if _LOST_E.search(stem):
        return stem + "e"
    return stem

"""Reducer ``nltk``: NLTK's stop words and WordNet's base forms, as scripts of 2017 had them.

Source: C-VQA, section 3.1 (Agrawal et al. 2017, arXiv 1704.08243) says "lemmatizing" and names no tool. The base form
is that of NLTK's ``WordNetLemmatizer.lemmatize``: of the candidates that WordNet lists, the shortest, and of those the
first.

Deviations from such a script:

* Our tables stand in front, since WordNet alone turns "riding" into "rid" and leaves "men" (``own_tables=False`` takes
  them out).
* A word is looked up as a noun, and as a verb where that changes nothing (``parts="noun"`` leaves verbs as written).
* NLTK's stop list drops "what", "how", "in", "on", "under", "not" and even "won": the words of
  ``tables/nltk_kept.txt`` stay.
* Words are cut by our front end, not by NLTK's tokeniser.

Cost: only WordNet's lists of lemmas and exceptions are read (0.1 s and 32 MiB; NLTK itself takes 1.3 s and 200 MiB to
import). NLTK's own reader loads every sense first, which takes seconds and hundreds of MiB more.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from compsplit.errors import ResourceError
from compsplit.reducers import base_forms, tables
from compsplit.reducers.front_end import FrontEnd, KeyOrder, Manner, Phrases
from compsplit.registry import UserFile, register

_SETTING = "the option data (--set reduce.data=FOLDER) or the environment variable NLTK_DATA"
_NAMES = {"n": "noun", "v": "verb"}


@register("reducer", "nltk", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1; WordNet by NLTK")
class NltkReducer(FrontEnd):
    """Drops NLTK's stop words but for those that tell questions apart, and takes base forms by WordNet.

    Args:
        data: NLTK data folder; None for the places where NLTK itself looks, NLTK_DATA among them.
        stop_words: File of stop words instead of NLTK's; then NLTK's are not needed.
        keep_families: Families of our stop list whose words stay.
        drop_families: Families of our stop list whose words go too: can, for, from, he-she.
        parts: Parts of speech that a word is looked up as.
        own_tables: Whether our tables stand in front of WordNet.
        phrases: Whether "in this picture" and "do you think" are removed.
        key_order: The order of the concepts; ``auto`` sorts unless a relation word is among them.
        which_is_what: Whether "which" counts as "what".

    Raises:
        ResourceError: NLTK, WordNet or the stop list is missing; nothing is downloaded.
    """

    name = "nltk"
    version = "1"

    def __init__(
        self,
        *,
        data: str | None = None,
        stop_words: UserFile | None = None,
        keep_families: Sequence[str] = (),
        drop_families: Sequence[str] = (),
        parts: Literal["noun-verb", "noun"] = "noun-verb",
        own_tables: bool = True,
        phrases: Phrases = "keep",
        key_order: KeyOrder = "ordered",
        which_is_what: bool = False,
    ) -> None:
        wordnet = [_PartOfSpeech(part, data) for part in ("nv" if parts == "noun-verb" else "n")]

        @cache
        def base_form(word: str) -> str:
            settled = base_forms.tabled(word) if own_tables else None
            if settled is not None:
                return settled
            found = (part.lemma(word) for part in wordnet)
            return next((lemma for lemma in found if lemma != word and lemma.isalnum()), word)

        super().__init__(
            stop_words=_stop_words(data, stop_words, keep_families, drop_families),
            base_form=base_form,
            manner=Manner(phrases, key_order, which_is_what),
            options={
                "data": data and Path(data).name,
                "stop_words": stop_words and Path(stop_words).name,
                "keep_families": sorted(keep_families),
                "drop_families": sorted(drop_families),
                "parts": parts,
                "own_tables": own_tables,
            },
            lexicon=f"WordNet, NLTK {version('nltk')}",
            content=[
                *map(tables.text_of, base_forms.OWN_TABLES if own_tables else ()),
                *(part.checksum for part in wordnet),
            ],
        )


class _PartOfSpeech:
    """Lemmas and exceptions of one part of speech, as WordNet lists them."""

    def __init__(self, part: str, data: str | None) -> None:
        try:
            from nltk.corpus.reader.wordnet import WordNetCorpusReader
        except ImportError as error:
            raise ResourceError("NLTK", "the Python environment", "Install the package nltk.") from error
        name = _NAMES[part]
        index = _read(f"wordnet/index.{name}", data)
        exceptions = _read(f"wordnet/{name}.exc", data)
        self._endings: Sequence[tuple[str, str]] = WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS[part]
        # Lines of the licence at the head of an index begin with white space.
        self._lemmas = frozenset(line.partition(" ")[0] for line in index.splitlines() if not line.startswith(" "))
        self._exceptions: Mapping[str, list[str]] = {
            form: bases for form, *bases in map(str.split, exceptions.splitlines())
        }
        self.checksum = tables.checksum([index, exceptions])

    def lemma(self, word: str) -> str:
        """Return what ``WordNetLemmatizer.lemmatize`` returns."""
        by_ending = [word.removesuffix(old) + new for old, new in self._endings if word.endswith(old)]
        candidates = [word, *self._exceptions.get(word, by_ending)]
        return min((c for c in candidates if c in self._lemmas), key=len, default=word)


def _stop_words(
    data: str | None, path: str | None, keep_families: Sequence[str], drop_families: Sequence[str]
) -> frozenset[str]:
    if path is not None:
        return tables.StopList.read(path).dropped(keep_families, drop_families)
    ours = tables.StopList.read(None)
    kept = tables.words("nltk_kept") | ours.words(keep_families, "keep_families")
    listed = frozenset(_read("stopwords/english", data).split())
    return (listed - kept) | ours.words(drop_families, "drop_families")


def _read(name: str, data: str | None) -> str:
    """Return the text of a file of NLTK's data, unpacked or in the zip file that NLTK's downloader leaves.

    Not by ``nltk.data``, which since NLTK 3.9 reads from its own places only, whatever folder it is given.
    """
    package, _, member = name.partition("/")
    for place in _places() if data is None else [data]:
        unpacked = Path(place, "corpora", package, member)
        if unpacked.is_file():
            return unpacked.read_text("utf-8")
        packed = Path(place, "corpora", f"{package}.zip")
        if packed.is_file():
            with zipfile.ZipFile(packed) as archive:
                return archive.read(f"{package}/{member}").decode("utf-8")
    raise ResourceError(
        f"NLTK's data package {package}",
        _SETTING,
        f"Get it where there is a network (python -m nltk.downloader -d FOLDER {package}) and pass that folder.",
    )


def _places() -> list[str]:
    import nltk.data

    return list(nltk.data.path)

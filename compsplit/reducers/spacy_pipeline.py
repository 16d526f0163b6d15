"""Reducer ``spacy``: base forms by a spaCy pipeline of the user's choice, behind our tables.

Source: C-VQA, section 3.1 (Agrawal et al. 2017, arXiv 1704.08243) says "lemmatizing" and names no tool.

Decided: the pipeline sees each distinct word by itself, lower-cased, not the question around it. So a word has one
form whatever else is reduced, in which order and in which batch, and the cost is 2 ms for each distinct word, not for
each word. The price is small: behind our tables, the small English pipeline 3.8.0 gets 194 of the 197 gold questions
right by words alone, and 195 with the question around each word. Of 1,000 rare inflected words by themselves it gets
52 wrong, mostly plurals that it takes for names; the default reducer 13
(``python benchmarks/reducer_gold.py --spacy-model NAME``).

Without a pipeline: spaCy's lookup table for English, if the package spacy-lookups-data is installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from compsplit.errors import ResourceError
from compsplit.reducers import base_forms, tables
from compsplit.reducers.front_end import BaseForm, FrontEnd, KeyOrder, Manner, Phrases
from compsplit.registry import UserFile, register

if TYPE_CHECKING:
    from spacy.language import Language

_SETTING = "the option model (--set reduce.model=NAME, or =FOLDER)"
# Neither changes a base form, and both are most of the time of a pipeline.
_NOT_NEEDED = ("ner", "parser")
_TAGS = {"token.tag", "token.pos"}


@register("reducer", "spacy", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1; spaCy's lemmatisers")
class SpacyReducer(FrontEnd):
    """Drops stop words by our list and takes base forms by an installed spaCy pipeline.

    Args:
        model: Name of an installed pipeline, or its folder; None for spaCy's lookup table.
        stop_words: File of stop words instead of ours; the same layout, or just words.
        keep_families: Families of the stop list that stay.
        drop_families: Families that are kept by default and now go: can, for, from, he-she.
        phrases: Whether "in this picture" and "do you think" are removed.
        key_order: The order of the concepts; ``auto`` sorts unless a relation word is among them.
        which_is_what: Whether "which" counts as "what".

    Raises:
        ResourceError: spaCy, the pipeline, its lemmatiser or the lookup table is missing; nothing is downloaded.
    """

    name = "spacy"
    version = "1"

    def __init__(
        self,
        *,
        model: str | None = None,
        stop_words: UserFile | None = None,
        keep_families: Sequence[str] = (),
        drop_families: Sequence[str] = (),
        phrases: Phrases = "keep",
        key_order: KeyOrder = "ordered",
        which_is_what: bool = False,
    ) -> None:
        lemma, lexicon, content = _lookup() if model is None else _pipeline(model)

        @cache
        def base_form(word: str) -> str:
            return base_forms.tabled(word) or _one_word(lemma(word), word)

        super().__init__(
            stop_words=tables.StopList.read(stop_words).dropped(keep_families, drop_families),
            base_form=base_form,
            manner=Manner(phrases, key_order, which_is_what),
            options={
                "model": model and Path(model).name,
                "stop_words": stop_words and Path(stop_words).name,
                "keep_families": sorted(keep_families),
                "drop_families": sorted(drop_families),
            },
            lexicon=f"{lexicon}, spaCy {version('spacy')}",
            content=[*map(tables.text_of, base_forms.OWN_TABLES), content],
        )


def _one_word(lemma: str, word: str) -> str:
    """Return a lemma as a concept, or the word where the lemma is none (empty, or not one word)."""
    lowered = lemma.lower()
    return lowered if lowered.isalnum() else word


def _lookup() -> tuple[BaseForm, str, str]:
    _require_spacy()
    from spacy.lookups import load_lookups

    try:
        table = load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")
    except ValueError as error:  # how spaCy says that no installed package has the table
        raise ResourceError(
            "spaCy's lookup table for English (package spacy-lookups-data)",
            _SETTING,
            "Install that package, or name a pipeline.",
        ) from error

    def lemma(word: str) -> str:
        found: str = table.get(word, word)
        return found

    return lemma, f"spacy-lookups-data {version('spacy-lookups-data')}", hashlib.sha256(table.to_bytes()).hexdigest()


def _pipeline(model: str) -> tuple[BaseForm, str, str]:
    _require_spacy()
    import spacy
    from spacy.tokens import Doc

    try:
        nlp = spacy.load(model, exclude=list(_NOT_NEEDED))
    except OSError as error:
        raise ResourceError(
            f"The spaCy pipeline {model}",
            _SETTING,
            "Get one where there is a network (python -m spacy download en_core_web_sm) and install it here, or pass "
            "the folder that holds it.",
        ) from error
    _require_lemmatiser(nlp, model)

    def lemma(word: str) -> str:
        # The word as one token: spaCy's own tokeniser would cut some of ours in two.
        return nlp(Doc(nlp.vocab, words=[word]))[0].lemma_

    name = f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    return lemma, name, tables.checksum(_fingerprints(nlp.path))


def _require_spacy() -> None:
    try:
        import spacy as spacy
    except ImportError as error:
        raise ResourceError("spaCy", "the Python environment", "Install the package spacy.") from error


def _require_lemmatiser(nlp: Language, model: str) -> None:
    """Refuse a pipeline whose words would only be their own base forms: spaCy itself warns, and goes on."""
    assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
    # What an attribute ruler assigns is up to its patterns.
    if not nlp.has_pipe("attribute_ruler"):
        if "token.lemma" not in assigned:
            raise _lacking(nlp, model, "lemmatiser")
        if assigned.isdisjoint(_TAGS) and any(getattr(pipe, "mode", None) == "rule" for _, pipe in nlp.pipeline):
            raise _lacking(nlp, model, "tagger")


def _lacking(nlp: Language, model: str, part: str) -> ResourceError:
    return ResourceError(
        f"A {part} in the spaCy pipeline {model}",
        _SETTING,
        f"It has {', '.join(nlp.pipe_names) or 'no component'}; name a pipeline with a tagger and a lemmatiser.",
    )


def _fingerprints(folder: Path) -> Iterator[str]:
    """Yield name and checksum of each file of a pipeline, in one order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix()
            yield hashlib.sha256(path.read_bytes()).hexdigest()

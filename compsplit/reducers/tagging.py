"""Parts of speech of texts, counted by an installed spaCy pipeline with a tagger.

Source: spaCy's universal parts of speech (token.pos). Texts are tagged as they are written, whole, since a tag depends
on the words around; the same texts in the same order give the same counts. Nothing is downloaded. Cost: some
2,500 questions a second and processor with the small English pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ResourceError

if TYPE_CHECKING:
    from spacy.language import Language

PARTS_OF_SPEECH = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip
"""Universal parts of speech."""

HOW_TO_GET = (
    "Get a pipeline where there is a network (python -m spacy download en_core_web_sm) and install it here, or name "
    "the folder that holds one with --tagger."
)
_SETTING = "the option --tagger NAME, or --tagger FOLDER"
_INSTEAD = "Without the option the other measures are taken all the same."
_PREFERRED = "en_core_web_sm"
_NOT_NEEDED = ("ner", "parser", "lemmatizer")
_BATCH = 512
_TOLD_EVERY = 8192
"""Texts between two words on how far it has come."""


class Tagger:
    """Counts the parts of speech of texts.

    Args:
        model: Name of an installed pipeline, or its folder.

    Raises:
        ResourceError: spaCy, the pipeline or its tagger is missing.
    """

    def __init__(self, model: str) -> None:
        try:
            import spacy
        except ImportError as error:
            told = "Install the package spacy."
            raise ResourceError("spaCy", "the Python environment", told, _INSTEAD) from error
        try:
            self._nlp: Language = spacy.load(model, exclude=list(_NOT_NEEDED))
        except OSError as error:
            raise ResourceError(f"The spaCy pipeline {model}", _SETTING, HOW_TO_GET, _INSTEAD) from error
        self._model = model
        meta = self._nlp.meta
        self.name = f"{meta['lang']}_{meta['name']} {meta['version']}, spaCy {version('spacy')}"

    def counts(
        self, texts: Sequence[str], kinds: Mapping[str, Sequence[str]], watch: Callable[[str], None]
    ) -> NDArray[np.int64]:
        """Return how many words of each kind each text has, shape (n_texts, n_kinds).

        Args:
            texts: As written.
            kinds: What is counted -> its parts of speech.
            watch: Told how many texts are done.

        Raises:
            ResourceError: The pipeline gives no word a part of speech.
        """
        from spacy.attrs import POS
        from spacy.parts_of_speech import IDS

        found = np.zeros((len(texts), len(kinds)), dtype=np.int64)
        places: dict[int, list[int]] = {}
        for k, names in enumerate(kinds.values()):
            for name in dict.fromkeys(names):
                places.setdefault(IDS[name], []).append(k)
        tagged = False
        for i, document in enumerate(self._nlp.pipe(texts, batch_size=_BATCH)):
            if i % _TOLD_EVERY == 0:
                watch(f"tagging: {i:,} of {len(texts):,} distinct questions")
            counted: Mapping[int, int] = document.count_by(POS)
            # 0 is the part of speech of a word that has none.
            tagged = tagged or any(counted.keys() - {0})
            for part, n in counted.items():
                for k in places.get(part, ()):
                    found[i, k] += n
        if not tagged and len(texts):
            raise ResourceError(
                f"A tagger in the spaCy pipeline {self._model}", _SETTING,
                f"It has {', '.join(self._nlp.pipe_names) or 'no component'}, and no word got a part of speech; name a "
                "pipeline that assigns them.", _INSTEAD,
            )  # fmt: skip
        return found


def installed_pipeline() -> str | None:
    """Return the name of an installed English pipeline with a tagger: the small web one, else the first by name."""
    try:
        from spacy.util import get_installed_models, get_package_path, load_meta
    except ImportError:
        return None
    fit = []
    for name in sorted(name for name in get_installed_models() if name.startswith("en_")):
        meta: Mapping[str, Any] = load_meta(get_package_path(name) / "meta.json")
        if {"tagger", "morphologizer"} & set(meta.get("pipeline", ())):
            fit.append(name)
    return _PREFERRED if _PREFERRED in fit else next(iter(fit), None)

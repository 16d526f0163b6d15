"""Parts of speech of texts, counted by an installed spaCy pipeline with a tagger.

Source: spaCy's universal parts of speech (token.pos). Texts are tagged as they are written, whole, since a tag depends
on the words around; the same texts in the same order give the same counts. Nothing is downloaded. Cost: some
2,500 questions a second and processor with the small English pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenResourceError, ResourceError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

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
INSTEAD = "Without the option the other measures are taken all the same."
"""What does without a pipeline that was named."""
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
        BrokenResourceError: The pipeline is there and cannot be loaded.
    """

    def __init__(self, model: str) -> None:
        try:
            import spacy
        except ImportError as error:
            told = "Install the package spacy."
            raise ResourceError("spaCy", "the Python environment", told, INSTEAD) from error
        try:
            self._nlp: Language = spacy.load(model, exclude=list(_NOT_NEEDED))
        except Exception as error:  # the code of a pipeline, or of its package, may raise anything
            if isinstance(error, OSError) and not _is_there(model):
                raise ResourceError(f"The spaCy pipeline {model}", _SETTING, HOW_TO_GET, INSTEAD) from error
            raise _broken(model, error) from error
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
            BrokenResourceError: One of its components fails.
        """
        from spacy.attrs import POS
        from spacy.parts_of_speech import IDS

        found = np.zeros((len(texts), len(kinds)), dtype=np.int64)
        places: dict[int, list[int]] = {}
        for k, names in enumerate(kinds.values()):
            for name in dict.fromkeys(names):
                places.setdefault(IDS[name], []).append(k)
        tagged = False
        for i, document in enumerate(self._documents(texts)):
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
                "pipeline that assigns them.", INSTEAD,
            )  # fmt: skip
        return found

    def _documents(self, texts: Sequence[str]) -> Iterator[Doc]:
        try:
            yield from self._nlp.pipe(texts, batch_size=_BATCH)
        except Exception as error:  # components are the code of others, as above
            raise _broken(self._model, error) from error


def _is_there(model: str) -> bool:
    from spacy.util import is_package

    return Path(model).exists() or bool(is_package(model))


def _broken(model: str, error: Exception) -> BrokenResourceError:
    why = f"{type(error).__name__}: {error}"
    return BrokenResourceError(f"The spaCy pipeline {model}", _SETTING, why, f"{HOW_TO_GET} {INSTEAD}")


def installed_pipeline() -> str | None:
    """Return the name of an installed English pipeline with a tagger: the small web one, else the first by name.

    Where there is none, one whose description cannot be read, so that loading it says what is wrong.
    """
    try:
        from spacy.util import get_installed_models, get_package_path, load_meta
    except ImportError:
        return None
    fit, unreadable = [], []
    for name in sorted(name for name in get_installed_models() if name.startswith("en_")):
        try:
            meta: Mapping[str, Any] = load_meta(get_package_path(name) / "meta.json")
        except Exception:  # noqa: BLE001  # the code of a package may raise anything; loading it tells
            unreadable.append(name)
            continue
        if {"tagger", "morphologizer"} & set(meta.get("pipeline", ())):
            fit.append(name)
    return _PREFERRED if _PREFERRED in fit else next(iter((*fit, *unreadable)), None)

"""What all reducers do alike: words as written, stop words out, our tables, then the reducer's own base forms.

Work is done once for each distinct piece between white spaces: a memo holds its concepts, so a question costs one
look-up a word. Stop words go by the word as written, before base forms are taken, so that "doing" stays as "do".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, pairwise
from typing import Literal

from compsplit.errors import NotTextError, UsageError
from compsplit.reducers import tables
from compsplit.reducers.phrases import without_phrases
from compsplit.reducers.written_words import all_capitals, answer_words, cleaned, folded, question_words

_ARTICLES = frozenset({"a", "an", "the"})
_LONGEST_KEPT = 40  # characters; text without white space may be a whole question or a whole book
_MOST_KEPT = 1 << 18  # entries, some 50 MiB; English questions have some 10,000 pieces

Phrases = Literal["keep", "remove"]
KeyOrder = Literal["ordered", "auto", "sorted"]
BaseForm = Callable[[str], str]


class _Memo(dict[str, tuple[str, ...]]):
    """Concepts by piece of text, filled on first sight."""

    def __init__(self, make: Callable[[str], Iterable[str]]) -> None:
        self._make = make

    def __missing__(self, piece: str) -> tuple[str, ...]:
        concepts = tuple(self._make(piece))
        if len(piece) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[piece] = concepts
        return concepts


@dataclass(frozen=True, slots=True)
class Manner:
    """How concepts are put together, whatever the reducer."""

    phrases: Phrases
    key_order: KeyOrder
    which_is_what: bool


class FrontEnd:
    """A reducer but for its base forms.

    Args:
        stop_words: Words dropped from questions.
        base_form: The base form of a word as written; must depend on the word alone.
        manner: How concepts are put together.
        options: What the reducer was asked for, as JSON values.
        lexicon: Name and version of what base forms come from.
        content: Text or checksum of each list that decides base forms.
    """

    name: str
    version: str

    def __init__(
        self,
        *,
        stop_words: frozenset[str],
        base_form: BaseForm,
        manner: Manner,
        options: Mapping[str, object],
        lexicon: str,
        content: Iterable[str],
    ) -> None:
        self._stop_words = frozenset(map(cleaned, stop_words))
        self._base_form = base_form
        self._manner = manner
        self._numbers = tables.replacements("numbers")
        # Whether a text is in capitals throughout decides what "US" is, so there are two memos.
        self._in_questions = [_Memo(partial(self._question_concepts, capitals=capitals)) for capitals in (False, True)]
        self._in_answers = [_Memo(partial(self._answer_concepts, capitals=capitals)) for capitals in (False, True)]
        shared = (tables.text_of(name) for name in ("contractions", "numbers", "relation_words"))
        self._described = {
            "name": self.name,
            "version": self.version,
            "options": {**options, **asdict(manner)},
            "lexicon": lexicon,
            "tables": tables.checksum(chain(shared, [" ".join(sorted(self._stop_words))], content)),
        }

    @property
    def described(self) -> dict[str, object]:
        """What a result depended on: name, version, options, lexicon, and the SHA-256 of all word lists."""
        return dict(self._described)

    def reduce(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the concepts of each question, in the order of the question unless ``key_order`` says otherwise.

        Raises:
            NotTextError: Something that is no text; nothing is turned into text.
            UsageError: One text instead of a list.
        """
        memos = self._in_questions
        shorten = self._manner.phrases == "remove"
        if not shorten and _is_plain(texts):
            known = memos[False].__getitem__
            plain = [tuple(chain.from_iterable(map(known, text.split()))) for text in texts]
            return plain if self._manner.key_order == "ordered" else list(map(self._ordered, plain))
        reduced = []
        for text in _checked("question", texts):
            shown = text if text.isascii() and "&" not in text else cleaned(text)
            memo = memos[shown.isupper() and all_capitals(shown)]
            if shorten:
                shown = without_phrases(shown)
            reduced.append(tuple(chain.from_iterable(map(memo.__getitem__, shown.split()))))
        return reduced if self._manner.key_order == "ordered" else list(map(self._ordered, reduced))

    def answer(self, texts: Sequence[str]) -> list[str]:
        """Return the one concept of each answer; the empty text for a blank one.

        An article is dropped in front of a word only, so that "vitamin a" and "a" stay what they are. What has no
        word falls back to its text, lower-cased and white space folded.

        Raises:
            NotTextError: Something that is no text.
        """
        reduced = []
        for text in _checked("answer", texts):
            shown = cleaned(text)
            memo = self._in_answers[all_capitals(shown)]
            words = list(chain.from_iterable(map(memo.__getitem__, shown.split())))
            kept = [word for word, following in pairwise([*words, ""]) if not _is_article(word, following)]
            reduced.append(" ".join(kept) or folded(text))
        return reduced

    def _question_concepts(self, piece: str, capitals: bool) -> Iterator[str]:
        for word in question_words(piece, capitals=capitals):
            if word not in self._stop_words:
                yield self._concept(word)

    def _answer_concepts(self, piece: str, capitals: bool) -> Iterator[str]:
        return map(self._concept, answer_words(piece, capitals=capitals))

    def _concept(self, word: str) -> str:
        if word in self._numbers:
            return self._numbers[word][0]
        if word == "which" and self._manner.which_is_what:
            return "what"
        return self._base_form(word)

    def _ordered(self, concepts: tuple[str, ...]) -> tuple[str, ...]:
        if self._manner.key_order == "auto" and not tables.words("relation_words").isdisjoint(concepts):
            return concepts
        return tuple(sorted(concepts))


def _is_plain(texts: Sequence[str]) -> bool:
    """Tell whether all texts are ASCII without entities and none is in capitals: then all go the short way."""
    if isinstance(texts, str) or set(map(type, texts)) != {str} or any(map(str.isupper, texts)):
        return False
    whole = "".join(texts)
    return whole.isascii() and "&" not in whole


def _is_article(word: str, following: str) -> bool:
    return word in _ARTICLES and following[:1].isalnum()


def _checked(what: str, texts: Sequence[str]) -> Iterator[str]:
    if isinstance(texts, str):
        raise UsageError(f"Expected a list of {what}s, got one text. Put it in a list.")
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise NotTextError(what, index, type(text).__name__)
        yield text

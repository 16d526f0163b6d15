"""Question profile: length, parts of speech, kinds and vocabulary of one data set, or of two side by side.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 4.1 and the comparison of GQA with VQA 2.0. Every question
counts as often as it is asked. Vocabulary coverage of a data set by another: the share of its questions all of whose
words are words of the other's questions, and of its answers, in normalised form, that are answers there; over questions
as they are asked, and over distinct ones. Spread is the population standard deviation. Decided: which parts of speech
are verbs, nouns, adjectives and prepositions; the paper names no tagger. Cost: one look at each distinct question and
program, and one tagging of each distinct question.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.describing.types import MEANS, Kinds, kinds_of
from compsplit.describing.words import RULE, SPREAD, Words, known_among, mean_and_spread, occurrences
from compsplit.errors import BrokenResourceError, OptionValueError, ResourceError, UnknownNameError, UsageError, counted
from compsplit.extractors.text_forms import normalised
from compsplit.model.column import Column
from compsplit.model.report import Finding, Measure, Report, Table, Undefined, ratio
from compsplit.model.table import QATable
from compsplit.recipe.reporting import decided
from compsplit.recipe.running import Watch, no_watch
from compsplit.reducers.tagging import HOW_TO_GET, INSTEAD, PARTS_OF_SPEECH, Tagger, installed_pipeline

SPEECH: Mapping[str, tuple[str, ...]] = {
    "verbs": ("VERB", "AUX"),
    "nouns": ("NOUN", "PROPN"),
    "adjectives": ("ADJ",),
    "prepositions": ("ADP",),
}
"""What is counted -> its universal parts of speech."""

PROFILE, LENGTHS = "profile", "words a question"
"""Names of tables."""

_COVERED = {
    "questions by their words": "questions all of whose words the other has",
    "question words": "words of questions that the other has",
    "answers": "answers that the other has",
}
"""Vocabulary coverage of what -> what a person reads."""

_MOST_SETS = 2
_NO_TAGGER = f"no spaCy pipeline with a tagger is installed. {HOW_TO_GET}"
_TURNED_OFF = "no tagger was asked for (--tagger none)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging:
    """How parts of speech are counted.

    Attributes:
        tagger: Counts them.
        reason: Why there is none.
        kinds: What is counted -> its universal parts of speech.
        asked_for: Whether a tagger that fails is an error, and not only the reason why these figures are undefined.
    """

    tagger: Tagger | None = None
    reason: str = _NO_TAGGER
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SPEECH)
    asked_for: bool = True

    @classmethod
    def turned_off(cls) -> Tagging:
        """Return that nothing is tagged."""
        return cls(reason=_TURNED_OFF)

    @classmethod
    def installed(cls, kinds: Mapping[str, tuple[str, ...]]) -> Tagging:
        """Return the tagging by an installed English pipeline, or the reason why there is none."""
        name = installed_pipeline()
        if name is None:
            return cls(kinds=kinds)
        try:
            return cls(tagger=Tagger(name), kinds=kinds, asked_for=False)
        except (ResourceError, BrokenResourceError) as error:
            return cls(reason=_why(error), kinds=kinds)


def _why(error: ResourceError | BrokenResourceError) -> str:
    """Return what is wrong with a pipeline that nobody named."""
    return error.message.removesuffix(f" {INSTEAD}")


def speech_of(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what is counted, with what ``KIND=TAG,TAG`` texts say over it.

    Raises:
        UnknownNameError: There is no such kind, or no such part of speech.
        OptionValueError: A text is not of this form.
    """
    kinds = dict(SPEECH)
    for written in given:
        kind, equals, tags = written.partition("=")
        if not equals or not tags:
            raise OptionValueError("--tags", written, "KIND=TAG,TAG, such as verbs=VERB")
        if kind not in SPEECH:
            raise UnknownNameError("kind of word", kind, SPEECH)
        named = tuple(dict.fromkeys(tag.strip().upper() for tag in tags.split(",")))
        for tag in named:
            if tag not in PARTS_OF_SPEECH:
                raise UnknownNameError("part of speech", tag, PARTS_OF_SPEECH)
        kinds[kind] = named
    return kinds


@dataclass(frozen=True, slots=True, eq=False)
class _Profiled:
    """One data set with what its questions tell."""

    name: str
    table: QATable
    words: Words
    kinds: Kinds
    answers: Column
    speech: NDArray[np.int64] | None
    no_speech: str


def profile_tables(tables: Mapping[str, QATable], tagging: Tagging | None = None, *, watch: Watch = no_watch) -> Report:
    """Return the profile of one data set, or of two side by side.

    Args:
        tables: Name -> questions, at most two.
        tagging: How parts of speech are counted; they are undefined without it.
        watch: Told each stage.

    Raises:
        UsageError: There are more, or one has no question.
        ResourceError: The tagger that was asked for assigns no part of speech.
        BrokenResourceError: It fails.
    """
    tagging = tagging or Tagging()
    if not 1 <= len(tables) <= _MOST_SETS:
        raise UsageError(f"A profile is of one data set, or of two, got {len(tables)}: {', '.join(tables) or 'none'}.")
    sets = [_profiled(name, table, tagging, watch) for name, table in tables.items()]
    watch("counting")
    measures = [measure for each in sets for measure in (*_means(each, tagging), *_shares(each), *_sizes(each))]
    for one, other in itertools.permutations(sets, 2):
        measures += _coverage(one, other)
    shown = {
        PROFILE: _profile(sets, measures),
        **_types(sets, "structural"),
        **_types(sets, "semantic"),
        **_types(sets, "steps"),
    }
    lengths = {LENGTHS: _lengths(sets)}
    findings = tuple(finding for each in sets for finding in _findings(each, several=len(sets) > 1))
    subject = {
        "kind": "profile",
        "title": "Question profile",
        "source": "Hudson and Manning 2019, arXiv 1902.09506",
        "sets": {each.name: _told(each) for each in sets},
        "words": RULE,
        "spread": SPREAD,
        "kinds": dict(MEANS),
        "tagger": None if tagging.tagger is None else tagging.tagger.name,
        "parts of speech": {kind: ", ".join(tags) for kind, tags in tagging.kinds.items()},
        "shown tables": [*shown, *lengths],
        "verdict": _verdict(sets, measures),
    }
    return Report(subject, tuple(measures), {**shown, **lengths}, (*findings, *_undefined(measures)))


def _profiled(name: str, table: QATable, tagging: Tagging, watch: Watch) -> _Profiled:
    if not table.questions.n_used:
        raise UsageError(f"{name} holds no questions ({table.format}); a profile is of questions.")
    watch(f"counting words of {name}")
    words = Words.of(table.questions)
    watch(f"looking at labels and programs of {name}")
    kinds = kinds_of(table)
    speech, no_speech = None, tagging.reason
    if tagging.tagger is not None:
        # By text, so that neighbours in a batch do not depend on the order of rows.
        used = np.flatnonzero(words.asked).tolist()
        order = sorted(used, key=lambda code: table.questions.names[code])
        try:
            counts = tagging.tagger.counts([table.questions.names[code] for code in order], tagging.kinds, watch)
        except (ResourceError, BrokenResourceError) as error:
            if tagging.asked_for:
                raise
            no_speech = _why(error)
        else:
            speech = np.zeros((len(words.asked), len(tagging.kinds)), dtype=np.int64)
            speech[order] = counts
    return _Profiled(name, table, words, kinds, table.answers.mapped(normalised), speech, no_speech)


def _told(each: _Profiled) -> dict[str, Any]:
    table = each.table
    return {
        "format": table.format,
        "rows": len(table),
        "questions": int(each.words.asked.sum()),
        "images": table.images.n_used,
        "left out": len(table.left_out),
        "decisions": dict(table.decisions),
        "types told by": dict(each.kinds.told_by),
    }


def _means(each: _Profiled, tagging: Tagging) -> list[Measure]:
    """Return mean and spread of the words of a question, and of those of each kind."""
    asked = each.words.asked
    tagger = tagging.tagger
    measures: list[Measure] = []
    counts: list[tuple[str, NDArray[np.int64] | None, dict[str, Any]]] = [
        ("words", each.words.lengths, {"words": RULE})
    ]
    for k, (kind, tags) in enumerate(tagging.kinds.items()):
        options = {"tags": ", ".join(tags), "tagger": None if tagger is None else tagger.name}
        counts.append((kind, None if each.speech is None else each.speech[:, k], options))
    for kind, values, options in counts:
        none = Undefined(each.no_speech)
        mean: Fraction | Undefined = none
        spread: float | Undefined = none
        if values is not None:
            mean, spread = mean_and_spread(values, asked)
        for name, value, reading in (("", mean, {}), ("-spread", spread, {"spread": SPREAD})):
            measures.append(
                Measure(
                    name=f"{kind}-a-question{name}", of="questions", value=value, n=int(asked.sum()),
                    n_unit="questions", unit=f"{kind} a question", part=each.name, options={**options, **reading},
                )
            )  # fmt: skip
    return measures


def _shares(each: _Profiled) -> list[Measure]:
    """Return the share of each kind of question, and of each type, among the questions of which it is known."""
    measures = []
    for kind, means in MEANS.items():
        marks = each.kinds.marks[kind]
        n, value = int((marks >= 0).sum()), int((marks == 1).sum())
        measures.append(_share(each, kind, value, n, {"means": means}, each.kinds.lacking(kind)))
    for name in ("structural", "semantic", "steps"):
        counts = _counts(each, name)
        for kind, got in counts.items():
            options = {"told by": each.kinds.told_by[name]}
            measures.append(_share(each, f"{name}: {kind}", got, sum(counts.values()), options, ""))
    return measures


def _share(each: _Profiled, of: str, part: int, n: int, options: Mapping[str, Any], reason: str) -> Measure:
    return Measure(
        name="question-share", of=of, value=ratio(part, n, reason), n=n, n_unit="questions", unit="fraction",
        part=each.name, options=options,
    )  # fmt: skip


def _counts(each: _Profiled, name: str) -> dict[str, int]:
    """Return the questions of each type, by name; steps by number."""
    column: Column = getattr(each.kinds, name)
    asked = each.table.questions.codes >= 0
    found = occurrences(Column(np.where(asked, column.codes, np.int32(-1)), column.names)).tolist()
    pairs = [(value, n) for value, n in zip(column.names, found, strict=True) if n]
    return dict(sorted(pairs, key=lambda pair: (int(pair[0]), pair[0]) if name == "steps" else (0, pair[0])))


def _sizes(each: _Profiled) -> list[Measure]:
    """Return the sizes of vocabularies."""
    answers = each.table.answers
    return [
        Measure(name=name, of=of, value=n, n=n, n_unit=unit, unit="count", part=each.name)
        for name, of, n, unit in (
            ("distinct-words", "question words", int((each.words.occurrences > 0).sum()), "distinct words"),
            ("distinct-questions", "questions as written", each.table.questions.n_used, "distinct texts"),
            ("distinct-answers", "answers as written", answers.n_used, "distinct texts"),
            ("distinct-answers", "answers (normalised)", each.answers.n_used, "distinct texts"),
        )
    ]


def _coverage(reference: _Profiled, part: _Profiled) -> list[Measure]:
    """Return how much of the questions, words and answers of a data set the vocabulary of another covers."""
    shown, words = reference.words, part.words
    known = known_among(words.names, shown.names, shown.occurrences)
    answers, theirs = part.answers, reference.answers
    known_answers = known_among(answers.names, theirs.names, occurrences(theirs))
    spoken = words.asked * (words.lengths > 0)
    counts = (
        ("questions by their words", spoken, words.covered(known), "question with a word", {"words": RULE}),
        ("question words", words.occurrences, known, "question with a word", {"words": RULE}),
        ("answers", occurrences(answers), known_answers, "answer", {"form": "normalised"}),
    )
    measures = []
    for of, weights, covered, what, options in counts:
        has_any = bool(theirs.n_used) if of == "answers" else bool(shown.occurrences.any())
        reason = f"{part.name if has_any else reference.name} has no {what}"
        for unit, weighted in (("rows", weights), ("distinct", (weights > 0).astype(np.int64))):
            n = int(weighted.sum()) if has_any else 0
            unit = "occurrences" if of == "question words" and unit == "rows" else unit
            measures.append(
                Measure(
                    name="vocabulary-coverage", of=of, value=ratio(int(weighted[covered].sum()), n, reason), n=n,
                    n_unit=f"{'distinct ' if unit == 'distinct' else ''}{of} of {part.name}", unit="fraction",
                    reference=reference.name, part=part.name, options={**options, "unit": unit},
                )
            )  # fmt: skip
    return measures


def _profile(sets: Sequence[_Profiled], measures: Sequence[Measure]) -> Table:
    """Return what a person reads: one line for each figure, one column for each data set."""
    cells: dict[str, dict[str, str]] = {}
    spreads = {(m.name.removesuffix("-spread"), m.part): m for m in measures if m.name.endswith("-spread")}
    for measure in measures:
        label = _label(measure)
        if label is not None:
            spread = spreads.get((measure.name, measure.part))
            cells.setdefault(label, {})[str(measure.part)] = _cell(measure, spread)
    columns = ("a question has, or is", *(each.name for each in sets))
    return Table(
        columns, tuple((label, *(found.get(each.name, "-") for each in sets)) for label, found in cells.items())
    )


def _label(measure: Measure) -> str | None:
    """Return what a line is called; None for a measure that has no line of its own."""
    if measure.name.endswith("-a-question"):
        return measure.unit
    if measure.name == "question-share" and measure.of in MEANS:
        return f"{measure.of}, %"
    if measure.name.startswith("distinct-"):
        return f"distinct {measure.of}"
    if measure.name == "vocabulary-coverage":
        distinct = ", distinct" if measure.options["unit"] == "distinct" else ""
        return f"{_COVERED[measure.of]}{distinct}, %"
    return None


def _cell(measure: Measure, spread: Measure | None) -> str:
    """Return a value with its spread, and over how many it is taken."""
    if isinstance(measure.value, Undefined):
        return "undefined"
    if measure.unit == "count":
        return f"{measure.number:,}"
    if measure.unit == "fraction":
        return f"{100 * float(measure.number or 0):.1f} (n = {measure.n:,})"
    beside = "" if spread is None else f" ± {spread.number:.2f}"
    return f"{measure.number:.2f}{beside} (n = {measure.n:,})"


def _types(sets: Sequence[_Profiled], name: str) -> dict[str, Table]:
    """Return a table of the questions of each type; none where no data set tells it."""
    found = [_counts(each, name) for each in sets]
    if not any(found):
        return {}
    values = dict.fromkeys(value for counts in found for value in counts)
    ordered = sorted(values, key=lambda value: (int(value), value)) if name == "steps" else sorted(values)
    lines: list[tuple[Any, ...]] = []
    for value in ordered:
        line: list[Any] = [value]
        for counts in found:
            n = counts.get(value, 0)
            line += [n, n / sum(counts.values())] if counts else [None, None]
        lines.append(tuple(line))
    title = "steps (official)" if name == "steps" else f"{name} types"
    return {title: Table((title, *_heads(sets)), tuple(lines))}


def _lengths(sets: Sequence[_Profiled]) -> Table:
    """Return how many questions have each number of words, from the least to the greatest."""
    counts = [np.bincount(each.words.lengths, weights=each.words.asked).astype(np.int64).tolist() for each in sets]
    met = [n for found in counts for n, questions in enumerate(found) if questions]
    lines = []
    for n in range(min(met), max(met) + 1):
        line: list[Any] = [n]
        for found in counts:
            questions = found[n] if n < len(found) else 0
            line += [questions, questions / sum(found)]
        lines.append(tuple(line))
    return Table(("words", *_heads(sets)), tuple(lines))


def _heads(sets: Sequence[_Profiled]) -> list[str]:
    return [f"{each.name}{what}" for each in sets for what in ("", " share")]


def _findings(each: _Profiled, *, several: bool) -> list[Finding]:
    """Return what to know of one data set, by its name where there are several."""
    table = each.table
    found = [*table.findings, *decided(table), *each.kinds.findings]
    without = sorted(table.ids[table.questions.codes < 0].tolist())
    if without:
        message = f"{counted(len(without), 'row has', 'rows have')} no question, and no part in any figure."
        found.append(Finding(kind="no-question", count=len(without), first=tuple(without[:5]), message=message))
    if not several:
        return found
    return [
        Finding(kind=f.kind, level=f.level, count=f.count, first=f.first, message=f"{each.name}: {f.message}")
        for f in found
    ]


def _undefined(measures: Sequence[Measure]) -> list[Finding]:
    """Say what could not be had, and why, one finding a reason."""
    reasons: dict[str, list[str]] = {}
    for measure in measures:
        if isinstance(measure.value, Undefined):
            reasons.setdefault(measure.value.reason, []).append(measure.written)
    return [
        Finding(
            kind="undefined", count=len(written), first=tuple(written[:5]),
            message=f"{counted(len(written), 'figure is', 'figures are')} undefined: {reason.rstrip('.')}.",
        )
        for reason, written in reasons.items()
    ]  # fmt: skip


def _verdict(sets: Sequence[_Profiled], measures: Sequence[Measure]) -> str:
    said = []
    for each in sets:
        mean, spread = (
            next(m for m in measures if m.name == name and m.part == each.name)
            for name in ("words-a-question", "words-a-question-spread")
        )
        n = counted(mean.n, "question")
        said.append(f"{each.name}: {n} of {mean.number:.2f} ± {spread.number:.2f} words")
    for one, other in itertools.permutations(sets, 2):
        shares = [
            f"{_covered(measure)} of the {what}"
            for what, of in (("questions", "questions by their words"), ("answers", "answers"))
            for measure in measures
            if (measure.of, measure.reference, measure.part) == (of, one.name, other.name)
            and measure.options["unit"] == "rows"
        ]
        said.append(f"the vocabulary of {one.name} covers {' and '.join(shares)} of {other.name}")
    return "; ".join(said) + "."


def _covered(measure: Measure) -> str:
    return "an undefined share" if measure.number is None else f"{100 * measure.number:.1f} %"

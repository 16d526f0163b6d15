"""The lines of a report that are read first, as plain text: one place for the terminal and for Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compsplit.model.report import Measure, Report, Undefined

LEAKS, NEW, APART, REST = "what leaks", "what is new", "how far apart", "the rest"
SECTIONS = (LEAKS, NEW, APART, REST)
"""Parts of the table of measures, in the order in which they are read."""

_TOLD = {
    "avg-co-pair": ("AvgCoPair", LEAKS),
    "avg-co-pair-occ": ("AvgCoPairOcc", LEAKS),
    "avg-co-rel": ("AvgCoRel", LEAKS),
    "avg-co-rel-occ": ("AvgCoRelOcc", LEAKS),
    "id-overlap": ("id overlap", LEAKS),
    "image-overlap": ("image overlap", LEAKS),
    "image-qa-overlap": ("image + QA overlap", LEAKS),
    "linked-images": ("linked images", LEAKS),
    "group-overlap": ("torn groups", LEAKS),
    "qa-overlap": ("QA overlap", LEAKS),
    "question-overlap": ("question overlap", LEAKS),
    "template-overlap": ("template overlap", LEAKS),
    "common-compounds": ("common", LEAKS),
    "type-answer-overlap": ("question type with answer overlap", LEAKS),
    "length-overlap": ("length overlap", LEAKS),
    "rows-not-longer": ("no longer than the longest", LEAKS),
    "rows-not-rarer": ("answer no rarer than", LEAKS),
    "adversarial": ("told apart by a classifier (AUC)", LEAKS),
    "coverage": ("coverage", NEW),
    "weighted-coverage": ("weighted coverage", NEW),
    "vocabulary-coverage": ("vocabulary coverage", NEW),
    "novel-compounds": ("novel compounds", NEW),
    "rows-with-novel-compounds": ("with a novel compound", NEW),
    "novel-compounds-a-row": ("novel compounds each", NEW),
    "groups-with-unseen-compounds": ("groups with an unseen compound", NEW),
    "rows-with-unseen-concepts": ("with an unseen concept", NEW),
    "rows-with-lone-words": ("with a word shown by itself only", NEW),
    "least-shown": ("groups that show each, at least", NEW),
    "compounds-with-unseen-atoms": ("compounds with an unseen atom", NEW),
    "rows-with-unseen-atoms": ("with an unseen atom", NEW),
    "reversed-relations": ("reversed relations", NEW),
    "declared-pairs": ("declared pairs", NEW),
    "atom-divergence": ("atom divergence", APART),
    "compound-divergence": ("compound divergence", APART),
    "total-variation": ("total variation", APART),
    "commonest-answer-differs": ("types whose commonest answer differs", APART),
    "divergence": ("divergence (alpha 0.5)", APART),
    "distinct-share": ("distinct", REST),
    "mean-classes": ("different classes each", REST),
    "mean-length": ("mean length", REST),
    "least-length": ("least length", REST),
    "greatest-length": ("greatest length", REST),
}
"""Measure -> what a person reads, and where."""

_ORDER = list(_TOLD)
_COMPOUND_MEASURES = (
    "common-compounds",
    "novel-compounds",
    "novel-compounds-a-row",
    "compounds-with-unseen-atoms",
    "rows-with-novel-compounds",
    "rows-with-unseen-atoms",
    "vocabulary-coverage",
    "atom-divergence",
    "compound-divergence",
    "coverage",
    "weighted-coverage",
    "groups-with-unseen-compounds",
    "rows-with-unseen-concepts",
    "least-shown",
    "length-overlap",
    "rows-not-longer",
    "rows-with-lone-words",
    "mean-length",
    "least-length",
    "greatest-length",
)
"""Measures of whatever was extracted, which is named."""


@dataclass(frozen=True, slots=True)
class Headline:
    """One measure, ready to print.

    Attributes:
        label: What was measured, of what, and how it was counted.
        reference: The part counted against, or ``whole``; empty where there is none.
        part: The part measured; empty where there is none.
        value: As text; ``undefined`` where there is none.
        reason: Why there is none, else empty.
        n: How many units it is taken over.
        n_unit: What they are.
        section: One of ``SECTIONS``.
        measure: The measure itself.
    """

    label: str
    reference: str
    part: str
    value: str
    reason: str
    n: int
    n_unit: str
    section: str
    measure: Measure

    @property
    def parts(self) -> str:
        """Reference and part, as one text."""
        return " → ".join(part for part in (self.reference, self.part) if part)


def headlines(report: Report, *, every: bool = False) -> list[Headline]:
    """Return the measures that are read first (or every one), best order for reading, counts aside."""
    chosen = [m for m in report.measures if m.unit != "count" and (every or _is_headline(m))]
    chosen.sort(key=lambda m: _ORDER.index(m.name) if m.name in _ORDER else len(_ORDER))
    return [_line(measure) for measure in chosen]


_AVERAGES = ("avg-co-pair", "avg-co-pair-occ", "avg-co-rel", "avg-co-rel-occ")


def _is_headline(measure: Measure) -> bool:
    if measure.run is not None or "by" in measure.options:
        return False
    if measure.name in _AVERAGES:
        return True
    if measure.name == "divergence" or "normalised" in measure.of or "first four" in measure.of:
        return measure.name == "image-qa-overlap" and measure.options.get("unit") == "rows"
    if measure.reference == "whole":
        return measure.of in ("question types", "answer types")
    if measure.name == "total-variation":
        return measure.of == "answers"
    return measure.options.get("unit", "rows") in ("rows", "instances") or measure.name in (
        "question-overlap",
        "qa-overlap",
    )


def _line(measure: Measure) -> Headline:
    reason = measure.value.reason if isinstance(measure.value, Undefined) else ""
    return Headline(
        _label(measure),
        measure.reference or "",
        measure.part or "",
        written(measure),
        reason,
        measure.n,
        measure.n_unit,
        _TOLD.get(measure.name, ("", REST))[1],
        measure,
    )


def _label(measure: Measure) -> str:
    told = _TOLD.get(measure.name, (measure.name, ""))[0]
    form = re.fullmatch(r"(.+) \((.+)\)", measure.of)
    if measure.name in ("total-variation", "divergence"):
        told += f" of {measure.of}"
    elif measure.name == "distinct-share":
        told = f"distinct {form[1]}, {form[2]}" if form else f"distinct {measure.of}"
    elif measure.name in _COMPOUND_MEASURES and measure.of != "concepts":
        told += f", {measure.of}"
    elif form:
        told += f", {form[2]}"
    return told + (", distinct" if measure.options.get("unit") == "distinct" else "")


def written(measure: Measure) -> str:
    """Return the value as text: counts with commas, fractions with four digits, ``undefined`` where there is none."""
    if isinstance(measure.value, Undefined):
        return "undefined"
    if measure.unit in ("count", "groups"):
        return f"{measure.number:,}"
    number = float(measure.number or 0)
    if number and number < 0.00005:
        return f"{number:.2e}"
    # Four digits must not make a 1 of what is less.
    text = f"{number:.4f}"
    return "0.9999+" if text == "1.0000" and measure.value != 1 else text

"""The lines of a report that are read first, as plain text: one place for the terminal and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from compsplit.model.report import Measure, Report, Undefined

_TOLD = {
    "coverage": "coverage",
    "weighted-coverage": "coverage by occurrences",
    "question-overlap": "question overlap",
    "qa-overlap": "question-answer overlap",
    "group-overlap": "torn groups",
    "image-overlap": "image overlap",
    "image-qa-overlap": "image + question-answer overlap",
    "id-overlap": "id overlap",
    "commonest-answer-differs": "types with another commonest answer",
    "total-variation": "total variation",
    "divergence": "divergence (alpha 0.5)",
    "distinct-share": "distinct",
}
_ORDER = list(_TOLD)
_FORM = {"exact": "as written", "normalised": "normalised", "reduced": "reduced"}


@dataclass(frozen=True, slots=True)
class Headline:
    """One measure, ready to print.

    Attributes:
        told: What was measured.
        of: What was counted.
        parts: Reference and part.
        value: As text; ``undefined: why`` where there is none.
        n: Units it is taken over, as text.
    """

    told: str
    of: str
    parts: str
    value: str
    n: str


def headlines(report: Report, *, every: bool = False) -> list[Headline]:
    """Return the measures that are read first (or every one), best order for reading, counts aside."""
    chosen = [m for m in report.measures if m.unit != "count" and (every or _is_headline(m))]
    chosen.sort(key=lambda m: _ORDER.index(m.name) if m.name in _ORDER else len(_ORDER))
    return [_line(measure) for measure in chosen]


def _is_headline(measure: Measure) -> bool:
    if measure.name == "divergence" or "normalised" in measure.of or "first four" in measure.of:
        return False
    if measure.reference == "whole":
        return measure.of in ("question types", "answer types")
    if measure.name == "total-variation":
        return measure.of == "answers"
    return measure.options.get("unit", "rows") == "rows" or measure.name in ("question-overlap", "qa-overlap")


def _line(measure: Measure) -> Headline:
    told = _TOLD.get(measure.name, measure.name)
    unit = measure.options.get("unit")
    if unit == "distinct":
        told += ", distinct"
    parts = " → ".join(part for part in (measure.reference, measure.part) if part)
    return Headline(told, measure.of, parts, written(measure), f"{measure.n:,} {measure.n_unit}")


def written(measure: Measure) -> str:
    """Return the value as text: counts with commas, fractions with four digits."""
    if isinstance(measure.value, Undefined):
        return f"undefined: {measure.value.reason}"
    if measure.unit == "count":
        return f"{measure.number:,}"
    number = float(measure.number or 0)
    if number and number < 0.00005:
        return f"{number:.2e}"
    # Four digits must not make a 1 of what is less.
    text = f"{number:.4f}"
    return "0.9999+" if text == "1.0000" and measure.value != 1 else text

"""Measures of a report as a page shows them: in groups, those that are read first in front, no two of one label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.model.report import Measure, Report, Undefined
from compsplit.plain import plain
from compsplit.report.headlines import SECTIONS, headlines
from compsplit.report.page.cells import cell, decimal, is_number

COUNTS, RUNS = "counts", "each random split by itself"
"""Groups of measures beside those of the headlines."""
_OVER_SPLITS = "over random splits"
_SPREAD = ("measure", "reading", "mean", "spread", "least", "largest")
_OF_NO_THINGS = ("fraction", "%", "points", "bits", "ratio", "correlation", "AUC", "index")
"""Units whose values keep their decimals where they happen to be whole."""

Groups = tuple[tuple[str, tuple["ShownMeasure", ...]], ...]
_Spread = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure as a page shows it; ``name`` finds its definition, ``beside`` is a reason, an interval or a range."""

    name: str
    label: str
    parts: str
    value: str
    beside: str
    unit: str
    n: str
    n_unit: str


def measures_shown(report: Report, most: int) -> tuple[Groups, int]:
    """Return measures by what they say, the best read first, and how many are more than ``most``."""
    lines = headlines(report, every=True)
    counts = [each for each in report.measures if each.unit == "count"]
    ordered = [(each.section, each.measure) for each in lines] + [(COUNTS, each) for each in counts]
    by_group: dict[str, list[Measure]] = {group: [] for group in (*SECTIONS, COUNTS, RUNS)}
    for group, measure in ordered:
        by_group[group if measure.run is None else RUNS].append(measure)
    labels, spreads = _labels(report), _spreads(report)
    left, kept = most, []
    for group, measures in by_group.items():
        if chosen := measures[:left]:
            shown = (_measure(each, labels[id(each)], spreads.get(id(each))) for each in chosen)
            kept.append((group, tuple(shown)))
        left -= len(chosen)
    return tuple(kept), len(report.measures) - (most - left)


def read_first(report: Report) -> dict[tuple[str, str], str]:
    """Return the values of the measures that are read first, by label and parts, in the order of reading."""
    labels, spreads = _labels(report), _spreads(report)
    shown = (_measure(each.measure, labels[id(each.measure)], spreads.get(id(each.measure)))
             for each in headlines(report))  # fmt: skip
    return {(each.label, each.parts): each.value for each in shown}


def note_of(report: Report) -> str:
    """Return how values over several random splits are written; empty where there are none."""
    means = [each for each in report.measures if _is_mean(each)]
    if not means or not _spreads(report):
        return ""
    return (
        f"Each value is the mean ± the population standard deviation over {means[0].n:,} random splits; "
        "below it stand the least and the largest."
    )


def _is_mean(measure: Measure) -> bool:
    return measure.options.get("over runs") == "mean"


def _spreads(report: Report) -> dict[int, _Spread]:
    """Return spread, least and largest of each mean over random splits, by its identity."""
    table = report.tables.get(_OVER_SPLITS)
    if table is None or table.columns != _SPREAD:
        return {}
    means = [each for each in report.measures if _is_mean(each)]
    # The table has a row for each mean, in their order.
    return {
        id(measure): (row[3], row[4], row[5])
        for measure, row in zip(means, table.rows, strict=False)
        if row[0] == measure.written and all(map(is_number, row[3:]))
    }


def _labels(report: Report) -> dict[int, str]:
    """Return what each measure is called, by its identity."""
    labels = {id(each.measure): each.label for each in headlines(report, every=True)}
    for each in report.measures:
        if each.unit == "count":
            labels[id(each)] = each.name if each.of in ("", each.name) else f"{each.name}, {each.of}"
    readings = _readings(report.measures, labels)
    return {name: label + readings[name] for name, label in labels.items()}


def _readings(measures: Iterable[Measure], labels: Mapping[int, str]) -> dict[int, str]:
    """Return what tells measures of one label and the same parts apart, for each by its identity; empty mostly."""
    alike: dict[tuple[Any, ...], list[Measure]] = {}
    for measure in measures:
        key = (labels[id(measure)], measure.reference, measure.part, measure.run)
        alike.setdefault(key, []).append(measure)
    said = {}
    for same in alike.values():
        names = sorted({name for measure in same for name in measure.options}) if len(same) > 1 else ()
        apart = [name for name in names if len({repr(measure.options.get(name)) for measure in same}) > 1]
        for measure in same:
            told = [f"{name} {measure.options[name]}" for name in apart if measure.options.get(name) is not None]
            said[id(measure)] = "".join(f", {each}" for each in told)
    return said


def _measure(measure: Measure, label: str, spread: _Spread | None) -> ShownMeasure:
    reason = measure.value.reason if isinstance(measure.value, Undefined) else ""
    run = "" if measure.run is None else f", run {measure.run}"
    value, beside = _written(measure.number, measure.unit), _interval(measure)
    if spread is not None:
        of_spread, least, largest = (_written(number, measure.unit) for number in spread)
        value, beside = f"{value} ± {of_spread}", "" if least == largest else f"{least} to {largest}"
    return ShownMeasure(
        measure.name,
        plain(label + run, 160),
        plain(" → ".join(part for part in (measure.reference, measure.part) if part), 60),
        value,
        plain(reason, 200) or beside,
        "" if measure.unit in ("fraction", "count") else plain(measure.unit, 60),
        f"{measure.n:,}",
        plain(measure.n_unit, 60),
    )


def _written(number: float | int | None, unit: str) -> str:
    """Return a value as text: whole where things are counted, else with four decimals."""
    if number is None:
        return "undefined"
    return decimal(float(number)) if unit in _OF_NO_THINGS else cell(number)


def _interval(measure: Measure) -> str:
    found: Sequence[Any] | Any = measure.note.get("interval")
    if isinstance(found, list | tuple) and len(found) == 2 and all(map(is_number, found)):
        return f"{decimal(found[0])} to {decimal(found[1])}"
    return ""

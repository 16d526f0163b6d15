"""Measures of a report as a page shows them: in groups, those that are read first in front, no two of one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.model.report import Measure, Report, Undefined
from compsplit.report.headlines import SECTIONS, headlines, written
from compsplit.report.page.cells import is_number
from compsplit.report.plain import plain

COUNTS, RUNS = "counts", "each random split by itself"
"""Groups of measures beside those of the headlines."""

Groups = tuple[tuple[str, tuple["ShownMeasure", ...]], ...]


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure as a page shows it; ``name`` finds its definition, ``beside`` is a reason or an interval."""

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
    labels = {id(each.measure): each.label for each in lines}
    labels.update({id(each): f"{each.name}, {each.of}" if each.of else each.name for each in counts})
    ordered = [(each.section, each.measure) for each in lines] + [(COUNTS, each) for each in counts]
    by_group: dict[str, list[Measure]] = {group: [] for group in (*SECTIONS, COUNTS, RUNS)}
    for group, measure in ordered:
        by_group[group if measure.run is None else RUNS].append(measure)
    readings = _readings([measure for _, measure in ordered], labels)
    left, kept = most, []
    for group, measures in by_group.items():
        if chosen := measures[:left]:
            shown = (_measure(each, labels[id(each)] + readings[id(each)]) for each in chosen)
            kept.append((group, tuple(shown)))
        left -= len(chosen)
    return tuple(kept), len(report.measures) - (most - left)


def _readings(measures: Sequence[Measure], labels: Mapping[int, str]) -> dict[int, str]:
    """Return what tells measures of one label and the same parts apart, for each by its identity; empty mostly."""
    alike: dict[tuple[Any, ...], list[Measure]] = {}
    for measure in measures:
        key = (labels[id(measure)], measure.reference, measure.part, measure.run)
        alike.setdefault(key, []).append(measure)
    said = {}
    for same in alike.values():
        names = sorted({name for measure in same for name in measure.options})
        apart = [name for name in names if len({repr(measure.options.get(name)) for measure in same}) > 1]
        for measure in same:
            told = [f"{name} {measure.options[name]}" for name in apart if measure.options.get(name) is not None]
            said[id(measure)] = "".join(f", {each}" for each in told)
    return said


def _measure(measure: Measure, label: str) -> ShownMeasure:
    reason = measure.value.reason if isinstance(measure.value, Undefined) else ""
    run = "" if measure.run is None else f", run {measure.run}"
    return ShownMeasure(
        measure.name,
        plain(label + run, 160),
        plain(" → ".join(part for part in (measure.reference, measure.part) if part), 60),
        written(measure),
        plain(reason, 200) or _interval(measure),
        "" if measure.unit in ("fraction", "count") else plain(measure.unit, 60),
        f"{measure.n:,}",
        plain(measure.n_unit, 60),
    )


def _interval(measure: Measure) -> str:
    found = measure.note.get("interval")
    if isinstance(found, list | tuple) and len(found) == 2 and all(map(is_number, found)):
        return f"{found[0]:.4f} to {found[1]:.4f}"
    return ""

"""What metrics say of predictions, as measures with intervals: over all rows, by type, by part, by novelty."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from compsplit.evaluation.intervals import LEVEL, REPLICATES, Interval, Units, interval, replicated_by
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Column
from compsplit.model.report import Finding, Measure, Table, Undefined
from compsplit.registry import Plugin, plugins


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How intervals are drawn.

    Attributes:
        replicates: Draws; 0 for no interval.
        seed: Of the draws.
        level: The share of draws inside an interval.
    """

    replicates: int = REPLICATES
    seed: int = 0
    level: float = LEVEL


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one model's predictions score.

    Attributes:
        model: Its name.
        means: Every mean of row scores, by metric.
        measures: All measures, those of classes last.
        tables: By name.
        findings: What to know.
    """

    model: str
    means: Mapping[str, tuple[RowMean, ...]]
    measures: tuple[Measure, ...]
    tables: Mapping[str, Table]
    findings: tuple[Finding, ...]


def fitting(answered: Answered) -> list[str]:
    """Return the metrics that say of themselves that they fit the rows, in alphabetical order."""
    return [name for name, found in plugins("metric").items() if found.facts["fits"](answered)]


def scored(
    model: str,
    answered: Answered,
    metrics: Sequence[tuple[Plugin, Mapping[str, Any]]],
    further: Mapping[str, Column],
    units: Units,
    drawing: Drawing,
) -> Found:
    """Return what metrics say of one model's predictions.

    Args:
        model: Its name.
        answered: The rows with its predictions.
        metrics: The metrics with their options.
        further: What each metric's headlines are broken down by, beside what the metric itself names.
        units: What is drawn for intervals.
        drawing: How.
    """
    measures: list[Measure] = []
    of_classes: list[Measure] = []
    tables: dict[str, Table] = {}
    findings: list[Finding] = []
    means: dict[str, tuple[RowMean, ...]] = {}
    for metric, options in metrics:
        said: Scored = metric.make(answered, **options)
        means[metric.name] = said.means
        cells = [(mean, by, column) for k, mean in enumerate(said.means) for by, column in _cells(mean, k, further)]
        bounds = _intervals(cells, units, drawing)
        first = 0
        for mean, by, column in cells:
            names = [None] if column is None else list(column.names)
            held = bounds[first : first + len(names)]
            first += len(names)
            if column is None:
                measures.append(_with(mean.measure(np.ones(len(answered), dtype=bool)), held[0]))
                continue
            made = [
                _with(mean.measure(column.codes == code, by=by, **{"class": name}), bound)
                for code, (name, bound) in enumerate(zip(names, held, strict=True))
            ]
            # Parts and ranges come in an order of their own; the types of a metric do not.
            made = [each for each in (made if by in further else _ordered(made)) if each.n]
            of_classes += made
            if made:
                tables[f"{mean.name} by {by} ({mean.of})"] = _class_table(by, made)
        measures += said.measures
        tables |= said.tables
        findings += said.findings
    return Found(model, means, (*measures, *of_classes), tables, tuple(findings))


_Cell = tuple[RowMean, str, Column | None]


def _cells(mean: RowMean, k: int, further: Mapping[str, Column]) -> list[tuple[str, Column | None]]:
    """Return what a mean is taken over: all rows, then the classes of each column."""
    named = {**mean.by, **(further if k == 0 or mean.headline else {})}
    return [("", None), *((by, column) for by, column in named.items() if column.n_used)]


def _intervals(cells: Sequence[_Cell], units: Units, drawing: Drawing) -> list[Interval | Undefined | None]:
    sizes = [1 if column is None else len(column.names) for _, _, column in cells]
    if not drawing.replicates:
        return [None] * sum(sizes)
    whole = np.zeros(len(units.of_row), dtype=np.int64)
    asked = [
        (mean.scores * (mean.whole or 1), mean.counted, whole if column is None else column.codes, size)
        for (mean, _, column), size in zip(cells, sizes, strict=True)
    ]
    drawn = replicated_by(asked, units, n=drawing.replicates, seed=drawing.seed)
    scales = [
        mean.times / (mean.whole or 1) for (mean, _, _), size in zip(cells, sizes, strict=True) for _ in range(size)
    ]
    return [
        interval(drawn.values[:, k] * scale, units, drawing.level, n)
        for k, (scale, n) in enumerate(zip(scales, drawn.among.tolist(), strict=True))
    ]


def _with(measure: Measure, bound: Interval | Undefined | None) -> Measure:
    """Return the measure with its interval; one that has no value has none."""
    if bound is None or isinstance(measure.value, Undefined):
        return measure
    told: dict[str, Any] = (
        {"interval": None, "interval reason": bound.reason}
        if isinstance(bound, Undefined)
        else {"interval": [bound.low, bound.high]}
    )
    return dataclasses.replace(measure, note={**measure.note, **told})


def _ordered(measures: Sequence[Measure]) -> list[Measure]:
    """Return measures of classes: numbers ascending, else the largest class first."""
    names = [str(each.options["class"]) for each in measures]
    if all(name.isdecimal() for name in names):
        return sorted(measures, key=lambda each: int(str(each.options["class"])))
    return sorted(measures, key=lambda each: (-each.n, str(each.options["class"])))


def bounds_of(measure: Measure) -> tuple[float | None, float | None]:
    """Return the interval of a measure, nothing where it has none."""
    found: Any = measure.note.get("interval")
    return (None, None) if found is None else (found[0], found[1])


def _class_table(by: str, measures: Sequence[Measure]) -> Table:
    lines = tuple((each.options["class"], each.n, each.number, *bounds_of(each)) for each in measures)
    return Table((by, measures[0].n_unit, measures[0].unit, "low", "high"), lines)

"""Coverage: how much of what a part holds the reference shows, and the commonest concepts that it never shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (73.5 % of the unique test concepts; 98.8 % by frequency).
Made of the measures ``coverage`` and ``weighted-coverage`` and the table of unseen concepts beside them, for every kind
of concept of which one is unseen. Cost: nothing beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    REST,
    TIP,
    VEGA_LITE,
    WIDTH,
    in_run,
    percent,
    shortened,
    slug,
    told_apart,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table
from compsplit.registry import register

_BARS = 15
_LEFT = 150


@register("figure", "coverage", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1", place=28)
def coverage(report: Report) -> tuple[Figure, ...]:
    """Shares of concepts and of their occurrences that the reference shows, and the commonest that it never shows."""
    figures = []
    for measure in report.measures:
        if measure.name == "coverage" and isinstance(measure.value, Fraction) and measure.value < 1:
            name = f"{measure.of} of {measure.part} unseen in {measure.reference}{in_run(measure.run)}"
            unseen, weighted = report.tables.get(name), _weighted(report, measure)
            if unseen is not None and unseen.rows and weighted is not None:
                figures.append(_figure(measure, weighted, unseen))
    return tuple(figures)


def _weighted(report: Report, measure: Measure) -> Measure | None:
    """Return the same of occurrences."""
    same = (measure.of, measure.reference, measure.part, measure.run)
    for each in report.measures:
        if each.name == "weighted-coverage" and (each.of, each.reference, each.part, each.run) == same:
            return each if isinstance(each.value, Fraction) else None
    return None


def _shown(measure: Measure) -> int:
    """Return how many of the measure's units the reference shows."""
    assert isinstance(measure.value, Fraction)
    return int(measure.value * measure.n)


def _figure(distinct: Measure, weighted: Measure, unseen: Table) -> Figure:
    of, reference, part = (shortened(each, 40) for each in (distinct.of, distinct.reference, distinct.part))
    lots = [("distinct", distinct.n, _shown(distinct)), ("occurrences", weighted.n, _shown(weighted))]
    (_, n, shown), (_, times, times_shown) = lots
    said = (
        f"{reference} shows {shown:,} of {n:,} distinct {of} of {part} ({percent(shown, n)}), which make up "
        f"{times_shown:,} of {times:,} occurrences ({percent(times_shown, times)})"
    )
    bars = unseen.rows[:_BARS]
    left = n - shown - len(bars)
    below = (
        f"the {len(bars)} commonest of the {n - shown:,} that never occur in {reference}; the other {left:,} occur "
        f"{times - times_shown - sum(row[1] for row in bars):,} times in {part}"
        if left
        else f"the {len(bars)} that never occur in {reference}"
        if len(bars) > 1
        else f"the one that never occurs in {reference}"
    )
    examples = (None,) * (len(unseen.columns) - 2)
    return Figure(
        name=slug("coverage of", of, "of", distinct.part, *([] if distinct.run is None else ["run", distinct.run])),
        title=f"{of[:1].upper()}{of[1:]} of {part}, seen and unseen in {reference}{in_run(distinct.run)}",
        caption=f"Above: {said}. Below: {below}.",
        alt=f"{said}. The commonest unseen one is {shortened(bars[0][0], 40)!r} ({bars[0][1]:,} of {times:,}).",
        spec=_spec(lots, bars, weighted.n, (reference, part)),
        table=Table(
            (distinct.of, "distinct", *unseen.columns[1:]),
            (
                (f"all of {distinct.part}", n, times, *examples),
                (f"all that {distinct.reference} shows", shown, times_shown, *examples),
                (f"all that {distinct.reference} never shows", n - shown, times - times_shown, *examples),
                *((row[0], 1, *row[1:]) for row in unseen.rows),
            ),
            n - shown + 3,
        ),
    )


def _spec(
    lots: Sequence[tuple[str, int, int]], bars: Sequence[tuple[Any, ...]], n_occurrences: int, parts: tuple[str, str]
) -> dict[str, Any]:
    reference, part = parts
    shown, never = f"shown by {shortened(reference, 20)}", "never shown"
    above = [
        {
            "what": what,
            "seen": seen,
            "at": at,
            "count": count,
            "tip": f"{what}: {count:,} of {n:,} ({percent(count, n)}) {seen}",
        }
        for what, n, covered in lots
        for at, (seen, count) in enumerate(((shown, covered), (never, n - covered)))
    ]
    below = [
        {
            "name": label,
            "count": row[1],
            "tip": f"{shortened(row[0], 60)}: {row[1]:,} of {n_occurrences:,} occurrences in {part}",
        }
        for label, row in zip(told_apart([row[0] for row in bars], 25), bars, strict=True)
    ]
    axis = {"minExtent": _LEFT, "maxExtent": _LEFT, "labelLimit": _LEFT - 4, "ticks": False}
    y = {"type": "nominal", "title": None, "sort": None, "axis": axis}
    return {
        "$schema": VEGA_LITE,
        "vconcat": [
            {
                "data": {"values": above},
                "width": WIDTH - _LEFT - 30,
                "height": {"step": 17},
                "mark": "bar",
                "encoding": {
                    "y": {**y, "field": "what"},
                    "x": {
                        "field": "count",
                        "type": "quantitative",
                        "stack": "normalize",
                        "axis": {"format": "%", "title": None, "tickCount": 5},
                    },
                    "color": {
                        "field": "seen",
                        "type": "nominal",
                        "scale": {"domain": [shown, never], "range": [REST, COLOURS[1]]},
                        "legend": {"orient": "top", "title": None, "labelLimit": 190},
                    },
                    "order": {"field": "at", "type": "quantitative"},
                    "description": TIP,
                },
            },
            {
                "data": {"values": below},
                "width": WIDTH - _LEFT - 30,
                "height": {"step": 15},
                "mark": {"type": "bar", "color": COLOURS[1]},
                "encoding": {
                    "y": {**y, "field": "name"},
                    "x": {
                        "field": "count",
                        "type": "quantitative",
                        "axis": {"tickMinStep": 1, "tickCount": 5, "title": f"occurrences in {shortened(part, 20)}"},
                    },
                    "description": TIP,
                },
            },
        ],
    }

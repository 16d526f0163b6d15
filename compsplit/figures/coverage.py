"""Coverage: how much of what a part holds the reference shows, and the commonest concepts that it never shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (73.5 % of the unique test concepts; 98.8 % by frequency). Made
of the measures ``coverage`` and ``weighted-coverage`` and the table of unseen concepts beside them, for every kind of
concept of which one is unseen. Cost: nothing beside them.
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


@register("figure", "coverage", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1")
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
    said = [
        f"{shown:,} of {n:,} {f'distinct {of}' if what == 'distinct' else what} ({percent(shown, n)})" for what, n, shown in lots
    ]
    n_unseen = distinct.n - _shown(distinct)
    bars = unseen.rows[:_BARS]
    n_rest = weighted.n - _shown(weighted) - sum(row[1] for row in bars)
    left = (
        f" The other {n_unseen - len(bars):,} unseen ones occur {n_rest:,} times and are not drawn."
        if n_unseen > len(bars)
        else ""
    )
    run = in_run(distinct.run)
    return Figure(
        name=slug("coverage of", of, "of", distinct.part, *([] if distinct.run is None else ["run", distinct.run])),
        title=f"Coverage: {of} of {part} that {reference} shows, and those that it never shows{run}",
        caption=(
            f"Above: {reference} shows {' and '.join(said)} of {part}. Below: the {len(bars)} commonest of {n_unseen:,} "
            f"{of} that never occur in {reference}, with their occurrences in {part}.{left}"
        ),
        alt=(
            f"{reference} shows {' and '.join(said)} of {part}. The commonest unseen is {shortened(bars[0][0], 40)!r} with "
            f"{bars[0][1]:,} occurrences."
        ),
        spec=_spec(lots, bars, weighted.n, (reference, part)),
        table=Table(
            ("concept", *unseen.columns[1:]),
            (
                *((f"all that {reference} shows, {what}", shown, *_nothing(unseen)) for what, _, shown in lots),
                *((f"all that {reference} never shows, {what}", n - shown, *_nothing(unseen)) for what, n, shown in lots),
                *unseen.rows,
            ),
            None if unseen.total is None else unseen.total + 2 * len(lots),
        ),
    )


def _nothing(unseen: Table) -> tuple[None, ...]:
    return (None,) * (len(unseen.columns) - 2)


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
    axis = {"minExtent": _LEFT, "maxExtent": _LEFT, "ticks": False}
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
                        "legend": {"orient": "top", "title": None},
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
                        "axis": {"tickMinStep": 1, "tickCount": 5, "title": f"occurrences in {shortened(part, 30)}"},
                    },
                    "description": TIP,
                },
            },
        ],
    }

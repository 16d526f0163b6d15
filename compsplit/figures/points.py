"""Points with their intervals: a line a name, a point a series, a rule from the low to the high end of the interval.

Series differ by colour and by shape. What has no value has no point, and what has no interval has no rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.figures.drawing import LINE, TIP, VEGA_LITE, WIDTH, colour_scale, room_for
from compsplit.model.report import Measure, Report

SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
_THICK = 12
"""Units between the points of one line."""
_SYMBOL = 12
"""Units that the symbol of a legend takes, besides its label."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value.

    Attributes:
        name: Label of its line.
        series: Label of its series.
        value: The value.
        bounds: Its interval; None where it has none.
        tip: What is told of it.
    """

    name: str
    series: str
    value: float
    bounds: tuple[float, float] | None
    tip: str


def interval_of(measure: Measure) -> tuple[float, float] | None:
    """Return the interval of a measure; None where it has none."""
    found = measure.note.get("interval")
    if not isinstance(found, list | tuple) or len(found) != 2:
        return None
    return float(found[0]), float(found[1])


def within(bounds: tuple[float, float] | None) -> str:
    """Return an interval as text that follows a value; nothing where there is none."""
    return "" if bounds is None else f" ({bounds[0]:.2f} to {bounds[1]:.2f})"


def spanned(sizes: Sequence[int]) -> str:
    """Return how many there are where counts differ.

    Example:
        >>> spanned([150, 149, 150]), spanned([1200, 1200])
        ('149 to 150', '1,200')
    """
    least, most = min(sizes), max(sizes)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def intervals_told(report: Report) -> str:
    """Return a sentence on what the rules of a report's figures are; that there are none where there are none."""
    how = report.subject.get("intervals")
    if not isinstance(how, Mapping) or not isinstance(how.get("level"), int | float):
        return "No intervals were drawn."
    method = str(how.get("method", "")).replace("percentile bootstrap", "bootstrap")
    return f"Rules are {100 * how['level']:.0f} % intervals ({method}, {how.get('replicates', 0):,} draws)."


def scales(series: Sequence[str], width: int) -> dict[str, Any]:
    """Return the channels that tell series apart, with one legend for both, which is at most so wide."""
    columns = max(1, min(len(series), width // (room_for(series, width) + _SYMBOL)))
    legend = {"orient": "bottom", "title": None, "columns": columns}
    shapes = {"domain": list(series), "range": [SHAPES[at % len(SHAPES)] for at in range(len(series))]}
    shown = legend if len(series) > 1 else None
    return {
        "color": {"field": "series", "type": "nominal", "scale": colour_scale(series), "legend": shown},
        "shape": {"field": "series", "type": "nominal", "scale": shapes, "legend": shown},
    }


def chart(labels: Sequence[str], series: Sequence[str], points: Sequence[Point], unit: str) -> dict[str, Any]:
    """Return a specification with its data: lines from above to below, series in the order of their colours.

    Args:
        labels: Of the lines, each once.
        series: Labels of the series, each once.
        points: The points.
        unit: What the axis counts.
    """
    room = room_for(labels, 220)
    told = scales(series, WIDTH - room)
    y = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(labels), "paddingInner": 0.3, "paddingOuter": 0.2},
        "axis": {"minExtent": room, "maxExtent": room, "labelPadding": 6, "ticks": False, "domain": False},
    }
    offset = {"field": "series", "type": "nominal", "scale": {"domain": list(series)}}
    x = {"type": "quantitative", "scale": {"zero": True, "nice": True}}
    axis = {"title": unit, "tickCount": 5}
    values = [_datum(each) for each in points]
    zero = {"data": {"values": [{"at": 0}]}, "mark": {"type": "rule", "color": LINE, "aria": False},
            "encoding": {"x": {"field": "at", "type": "quantitative"}}}  # fmt: skip
    bounded = [each for each in values if "low" in each]
    rules = {
        "data": {"values": bounded},
        "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
        "encoding": {
            "y": y, "yOffset": offset, "x": {"field": "low", **x, "axis": axis}, "x2": {"field": "high"},
            "color": told["color"],
        },
    }  # fmt: skip
    dots = {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 46, "opacity": 1},
        "encoding": {
            "y": y, "yOffset": offset, "x": {"field": "value", **x, "axis": axis}, **told, "description": TIP,
        },
    }  # fmt: skip
    return {
        "$schema": VEGA_LITE,
        "width": WIDTH - room - 24,
        "height": {"step": len(series) * _THICK + 8, "for": "position"},
        "layer": [zero, *([rules] if bounded else []), dots],
    }


def _datum(point: Point) -> dict[str, Any]:
    bounds = {} if point.bounds is None else {"low": point.bounds[0], "high": point.bounds[1]}
    return {"name": point.name, "series": point.series, "value": point.value, **bounds, "tip": point.tip}

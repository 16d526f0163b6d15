"""What each probe answers rightly after learning from ever more of train, on the old and on the new split.

Made of the table ``points of the curves`` of a probe report. Sizes are halved, so axes are logarithmic, and each split
has its own: one may hold many times the rows of the other.
Source: compsplit. Cost: nothing beside the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compsplit.errors import counted
from compsplit.figures.drawing import TIP, VEGA_LITE, shortened, told_apart
from compsplit.figures.points import intervals_told, scales, within
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLE = "points of the curves"
_WIDTH, _HEIGHT = 180, 200
_SPLITS = 2
_PROBE, _SPLIT, _SIZE, _VALUE, _LOW, _HIGH, _N = range(7)


@register("figure", "learning-curves", source="compsplit", place=18)
def learning_curves(report: Report) -> tuple[Figure, ...]:
    """Accuracy of each probe by the rows it learned from, on the old and on the new split, with intervals."""
    table = report.tables.get(_TABLE)
    if report.subject.get("kind") != "probe" or table is None or len(table.columns) != _N + 1:
        return ()
    # A logarithm of no rows is not defined.
    drawn = [row for row in table.rows if row[_VALUE] is not None and row[_SIZE]]
    return (_figure(report, table, drawn),) if drawn else ()


def _figure(report: Report, table: Table, drawn: list[tuple[Any, ...]]) -> Figure:
    probes = list(dict.fromkeys(row[_PROBE] for row in drawn))
    splits = list(dict.fromkeys(row[_SPLIT] for row in drawn))[:_SPLITS]
    n = {row[_SPLIT]: row[_N] for row in drawn}
    series = dict(zip(probes, told_apart(probes, 26), strict=True))
    panels = dict(
        zip(
            splits,
            told_apart([f"{shortened(each, 18)} ({counted(n[each], 'test row')})" for each in splits], 40),
            strict=True,
        )
    )
    data = [_datum(row, panels, series) for row in drawn if row[_SPLIT] in panels]
    gone = len(table.rows) - len(data)
    left = f" Not drawn, since undefined: {gone:,}." if gone else ""
    return Figure(
        name="learning-curves",
        title="Learning curves of the probes",
        caption="Share of test rows that each probe answers rightly, by the rows of train that it learned from (1 / "
        f"2^N of train; each split has its own logarithmic axis). {intervals_told(report)}{left}",
        alt=f"Learning curves of the probes. {_alt(drawn, probes, splits)}",
        spec=_spec(data, list(panels.values()), list(series.values())),
        table=table,
    )


def _datum(row: tuple[Any, ...], panels: Mapping[str, str], series: Mapping[str, str]) -> dict[str, Any]:
    bounds = None if row[_LOW] is None or row[_HIGH] is None else (row[_LOW], row[_HIGH])
    tip = (
        f"{shortened(row[_PROBE], 60)}, {shortened(row[_SPLIT], 60)}, {counted(row[_SIZE], 'row')}: {row[_VALUE]:.2f} %"
        f"{within(bounds)}, n = {row[_N]:,}"
    )
    found = {"panel": panels[row[_SPLIT]], "series": series[row[_PROBE]], "size": row[_SIZE], "value": row[_VALUE]}
    return {**found, **({} if bounds is None else {"low": bounds[0], "high": bounds[1]}), "tip": tip}


def _alt(drawn: list[tuple[Any, ...]], probes: list[str], splits: list[str]) -> str:
    """Return the first and last point of the probe that gains most, on each split."""
    said = []
    for split in splits:
        ends = {}
        for probe in probes:
            mine = sorted((row[_SIZE], row[_VALUE]) for row in drawn if (row[_PROBE], row[_SPLIT]) == (probe, split))
            if mine:
                ends[probe] = (mine[0], mine[-1])
        best = max(ends, key=lambda probe: ends[probe][1][1] - ends[probe][0][1])
        (few, low), (many, high) = ends[best]
        said.append(
            f"On {shortened(split, 40)}, {shortened(best, 40)} gains most: {low:.2f} % from "
            f"{counted(few, 'row')}, {high:.2f} % from {many:,}."
        )
    return " ".join(said)


def _spec(data: list[dict[str, Any]], panels: list[str], series: list[str]) -> dict[str, Any]:
    told = scales(series, 2 * _WIDTH)
    return {
        "$schema": VEGA_LITE,
        "hconcat": [
            _panel([each for each in data if each["panel"] == panel], panel, told, is_first=not at)
            for at, panel in enumerate(panels)
        ],
        "spacing": 24,
        "resolve": {"scale": {"y": "shared", "color": "shared", "shape": "shared"}},
    }


def _panel(data: list[dict[str, Any]], panel: str, told: Mapping[str, Any], *, is_first: bool) -> dict[str, Any]:
    """Return a split's curves over an axis whose ticks are its own sizes."""
    sizes = sorted({each["size"] for each in data})
    x = {
        "field": "size",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 8},
        "axis": {
            "title": "rows learned from",
            "values": sizes,
            "format": ",d" if sizes[-1] < 100_000 else ".3~s",
            "grid": False,
            "labelOverlap": True,
        },
    }
    axis = {"tickCount": 5, "title": "accuracy, %" if is_first else None, "labels": is_first}
    y = {"type": "quantitative", "scale": {"zero": True}, "axis": axis}
    # A line that is one mark would take the tip of its first point.
    line = {"mark": {"type": "line", "strokeWidth": 1.5, "aria": False}, "encoding": {
        "x": x, "y": {"field": "value", **y}, "color": told["color"]}}  # fmt: skip
    rule = {"mark": {"type": "rule", "strokeWidth": 1, "aria": False}, "encoding": {
        "x": x, "y": {"field": "low", **y}, "y2": {"field": "high"}, "color": told["color"]}}  # fmt: skip
    dots = {"mark": {"type": "point", "filled": True, "size": 36, "opacity": 1}, "encoding": {
        "x": x, "y": {"field": "value", **y}, **told, "description": TIP}}  # fmt: skip
    rules = [rule] if all("low" in each for each in data) else []
    return {
        "data": {"values": data},
        "width": _WIDTH,
        "height": _HEIGHT,
        "title": {"text": panel, "anchor": "middle"},
        "layer": [*rules, line, dots],
    }

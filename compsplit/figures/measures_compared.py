"""Two splits compared: the shares that differ most, a point for each split and a rule between them.

Made of the table ``shares that differ most`` of a comparison; measures of other units are not of one scale and stand in
the table ``measures of both``. Source: compsplit. Cost: nothing beside the table.
"""

from __future__ import annotations

import re
from typing import Any

from compsplit.figures.drawing import LINE, TIP, VEGA_LITE, WIDTH, room_for, shortened, told_apart
from compsplit.figures.points import scales
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLE = "shares that differ most"
_MOST = 12
_ROOM = 236


@register("figure", "measures-compared", source="compsplit", place=12)
def measures_compared(report: Report) -> tuple[Figure, ...]:
    """The shares that differ most between two splits."""
    table = report.tables.get(_TABLE)
    if report.subject.get("kind") != "comparison" or table is None or not table.rows:
        return ()
    return (_figure(report, table),)


def _figure(report: Report, table: Table) -> Figure:
    shown = table.rows[:_MOST]
    ending = _shared_ending([row[0] for row in shown])
    names = [_named(row, ending) for row in shown]
    labels = told_apart(names, 37)
    names_of = report.subject.get("splits") or {}
    series = [f"{letter}: {shortened((names_of.get(letter) or {}).get('name', letter), 24)}" for letter in "AB"]
    data = [
        {"name": label, "series": series[which], "value": row[1 + which],
         "tip": f"{shortened(name, 60)}: A {row[1]:.4f}, B {row[2]:.4f}, B - A {row[3]:+.4f}"}
        for row, label, name in zip(shown, labels, names, strict=True)
        for which in (0, 1)
    ]  # fmt: skip
    rules = [{"name": label, "a": row[1], "b": row[2]} for row, label in zip(shown, labels, strict=True)]
    total = len(table.rows) if table.total is None else table.total
    parts = f" All are of {shortened(ending[1:-1].replace('->', ' to '), 60)}." if ending else ""
    left = f" The {len(shown)} of {total:,} shares that differ, by how far." if len(shown) < total else ""
    first = shown[0]
    return Figure(
        name="measures-compared",
        title="Shares that differ most between the two splits",
        caption=f"Each measure that is a share, in A and in B; a rule joins them.{parts}{left} Measures that one split "
        "alone has, or that are undefined for one, are not drawn; what each is taken over (n) is in the table of the "
        "measures of both.",
        alt=f"Pairs of points. {shortened(names[0], 60)} differs most: {first[1]:.3f} in A, {first[2]:.3f} in B.",
        spec=_spec(list(labels), series, data, rules),
        table=table,
    )


def _shared_ending(names: list[str]) -> str:
    """Return the parts in brackets that every name ends with; nothing where they differ."""
    endings = {found[0] if (found := re.search(r"\[[^\[\]]*\]\Z", name)) else "" for name in names}
    return endings.pop() if len(endings) == 1 else ""


def _named(row: tuple[Any, ...], ending: str) -> str:
    """Return a measure's name without that ending, and with the unit that its reading counts."""
    name = row[0].removesuffix(ending).replace("[", " [")
    unit = re.search(r"\bunit (\w+)", row[4])
    return f"{name}, {unit[1]}" if unit else name


def _spec(
    labels: list[str], series: list[str], data: list[dict[str, Any]], rules: list[dict[str, Any]]
) -> dict[str, Any]:
    room = room_for(labels, _ROOM)
    y = {
        "field": "name", "type": "nominal", "title": None, "scale": {"domain": labels},
        "axis": {"minExtent": room, "maxExtent": room, "labelPadding": 7, "ticks": False, "domain": False},
    }  # fmt: skip
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"title": "share", "tickCount": 5}}
    return {
        "$schema": VEGA_LITE,
        "width": WIDTH - room - 24,
        "height": {"step": 22},
        "layer": [
            {"data": {"values": rules}, "mark": {"type": "rule", "color": LINE, "strokeWidth": 3, "aria": False},
             "encoding": {"y": y, "x": {"field": "a", **x}, "x2": {"field": "b"}}},
            {"data": {"values": data}, "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
             "encoding": {"y": y, "x": {"field": "value", **x}, **scales(series, WIDTH - room), "description": TIP}},
        ],
    }  # fmt: skip

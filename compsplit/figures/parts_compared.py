"""Two splits compared: how many rows are in each part of one and of the other, as a table that is shaded.

Shades are shares of the part in A, so that every line is read by itself. Made of the table ``rows by part`` of a
comparison. Source: compsplit. Cost: nothing beside the table.
"""

from __future__ import annotations

from typing import Any

from compsplit.errors import counted
from compsplit.figures.drawing import TIP, WIDTH, percent, room_for, shortened, spec, told_apart
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLE = "rows by part"
_PARTS = 8
_CELL = 40
"""Units of a cell's height."""
_SHADES = ["#e8eef6", "#7aa6dc"]
_TEXT = "#1c1c1c"
"""On cells, which are light in a dark page, too; 6 to 1 on the darkest of them."""
_LETTER = 6.6
"""Units of a digit."""


@register("figure", "parts-compared", source="compsplit", place=10)
def parts_compared(report: Report) -> tuple[Figure, ...]:
    """How many rows are in each part of one split and of the other."""
    table = report.tables.get(_TABLE)
    if report.subject.get("kind") != "comparison" or table is None or not any(row[2] for row in table.rows):
        return ()
    return (_figure(report, table),)


def _figure(report: Report, table: Table) -> Figure:
    rows = {(row[0], row[1]): row[2] for row in table.rows}
    a = {
        part: sum(n for key, n in rows.items() if key[0] == part)
        for part in dict.fromkeys(row[0] for row in table.rows)
    }
    b = {
        part: sum(n for key, n in rows.items() if key[1] == part)
        for part in dict.fromkeys(row[1] for row in table.rows)
    }
    lines, columns = list(a)[:_PARTS], list(b)[:_PARTS]
    down = dict(zip(lines, told_apart([f"{shortened(part, 16)} ({a[part]:,})" for part in lines], 28), strict=True))
    across = dict(
        zip(columns, told_apart([f"{shortened(part, 9)} ({b[part]:,})" for part in columns], 20), strict=True)
    )
    data = [
        {
            "down": down[one],
            "across": across[other],
            "share": rows[one, other] / a[one],
            "rows": _written(rows[one, other], len(columns)),
            "percent": percent(rows[one, other], a[one]),
            "tip": f"{shortened(one, 40)} in A, {shortened(other, 40)} in B: {rows[one, other]:,} of "
            f"{counted(a[one], 'row')} ({percent(rows[one, other], a[one])})",
        }
        for one in lines
        for other in columns
        if a[one]
    ]
    most = max(rows, key=lambda key: rows[key])
    n = sum(rows.values())
    names = report.subject.get("splits") or {}
    called = [shortened((names.get(letter) or {}).get("name", letter), 40) for letter in "AB"]
    empty = [part for part in lines if not a[part]]
    left = (
        f" Parts of A without rows have no line: {', '.join(shortened(each, 24) for each in empty)}." if empty else ""
    )
    hidden = "" if len(a) <= _PARTS and len(b) <= _PARTS else f" The first {_PARTS} parts of each are drawn."
    return Figure(
        name="parts-compared",
        title="Rows by part in both splits",
        caption=f"Rows of each part of A ({called[0]}), from above, that are in each part of B ({called[1]}), from the "
        f"left; {counted(n, 'row')} in both, in brackets those of the part. Per cent, and shades, are of the part in A."
        f"{left}{hidden}",
        alt=f"A table of rows by part in A and in B. Most rows, {rows[most]:,} of {n:,}, are in "
        f"{shortened(most[0], 40)} of A and {shortened(most[1], 40)} of B.",
        spec=_spec(data, list(down.values()), list(across.values())),
        table=table,
    )


def _written(n: int, n_columns: int) -> str:
    """Return a count, in thousands or millions where cells are too narrow for it."""
    whole = f"{n:,}"
    if len(whole) * _LETTER < 260 / n_columns:
        return whole
    return f"{n / 1e6:.1f}M" if n >= 1_000_000 else f"{n / 1e3:.0f}k"


def _spec(data: list[dict[str, Any]], down: list[str], across: list[str]) -> dict[str, Any]:
    room = room_for(down, 180)
    width = min(WIDTH - room - 40, 110 * len(across))
    order = {"paddingInner": 0.04, "paddingOuter": 0}
    y = {"field": "down", "type": "nominal", "title": "part in A", "scale": {"domain": down, **order},
         "axis": {"minExtent": room, "maxExtent": room, "ticks": False, "domain": False}}  # fmt: skip
    angle = 0 if max(map(len, across)) * 6 < width / len(across) else -45
    x = {"field": "across", "type": "nominal", "title": "part in B", "scale": {"domain": across, **order},
         "axis": {"orient": "top", "labelAngle": angle, "ticks": False, "domain": False}}  # fmt: skip
    text = {"type": "text", "baseline": "middle", "aria": False, "color": _TEXT}
    return spec(
        data,
        width=width,
        height=_CELL * len(down),
        layer=[
            {"mark": {"type": "rect"}, "encoding": {
                "x": x, "y": y, "description": TIP,
                "color": {"field": "share", "type": "quantitative", "legend": None,
                          "scale": {"domain": [0, 1], "range": _SHADES}}}},
            {"mark": {**text, "dy": -7, "fontSize": 12}, "encoding": {
                "x": x, "y": y, "text": {"field": "rows", "type": "nominal"}}},
            {"mark": {**text, "dy": 8}, "encoding": {
                "x": x, "y": y, "text": {"field": "percent", "type": "nominal"}}},
        ],
    )  # fmt: skip

"""Two splits compared: the shares that differ most, a point for each split and a rule between them.

Made of the table ``shares that differ most`` of a comparison; measures of other units are not of one scale and stand in
the table ``measures of both``. Source: compsplit. Cost: nothing beside the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.figures.drawing import LINE, TIP, VEGA_LITE, WIDTH, room_for, shortened, told_apart
from compsplit.figures.points import scales
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLE = "shares that differ most"
_MOST = 12
_ROOM = 236
_SMALL = 44
"""Characters of a small line of a label."""
_LINES = ((12, 0), (10, 13), (10, 25))
"""Size of each line of a label, and how far below the first it stands."""


@register("figure", "measures-compared", source="compsplit", place=12)
def measures_compared(report: Report) -> tuple[Figure, ...]:
    """The shares that differ most between two splits."""
    table = report.tables.get(_TABLE)
    if report.subject.get("kind") != "comparison" or table is None or not table.rows:
        return ()
    return (_figure(report, table),)


def _figure(report: Report, table: Table) -> Figure:
    shown = table.rows[:_MOST]
    named = [_Named.of(row) for row in shown]
    ending = _shared_ending(named)
    names = [each.written(ending) for each in named]
    keys = told_apart(names, 120)
    labels = dict(zip(keys, _labels(named, ending), strict=True))
    names_of = report.subject.get("splits") or {}
    series = [f"{letter}: {shortened((names_of.get(letter) or {}).get('name', letter), 24)}" for letter in "AB"]
    data = [
        {"name": key, "series": series[which], "value": row[1 + which],
         "tip": f"{shortened(name, 140)}: A {row[1]:.4f}, B {row[2]:.4f}, B - A {row[3]:+.4f}"}
        for row, key, name in zip(shown, keys, names, strict=True)
        for which in (0, 1)
    ]  # fmt: skip
    rules = [{"name": key, "a": row[1], "b": row[2]} for row, key in zip(shown, keys, strict=True)]
    total = len(table.rows) if table.total is None else table.total
    parts = f" All are of {shortened(ending, 60)}." if ending else ""
    left = f" The {len(shown)} of {total:,} shares that differ, by how far." if len(shown) < total else ""
    first = shown[0]
    return Figure(
        name="measures-compared",
        title="Shares that differ most between the two splits",
        caption=f"Each measure that is a share, in A and in B; a rule joins them.{parts}{left} Measures that one split "
        "alone has, or that are undefined for one, are not drawn; what each is taken over (n) is in the table of the "
        "measures of both.",
        alt=f"Pairs of points. {shortened(names[0], 90)} differs most: {first[1]:.3f} in A, {first[2]:.3f} in B.",
        spec=_spec(labels, series, data, rules),
        table=table,
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """A measure's name, what stands behind it in brackets, and the readings it was taken by."""

    measure: str
    brackets: tuple[str, ...]
    readings: str

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> _Named:
        behind = re.search(r"(\[[^\[\]]*\])*\Z", row[0])
        told = behind[0] if behind else ""
        brackets = tuple(each.replace("->", " to ") for each in re.findall(r"\[([^\[\]]*)\]", told))
        return cls(row[0].removesuffix(told), brackets, re.sub(r"\bunit ", "", row[4]))

    def written(self, ending: str) -> str:
        about = "".join(f" [{each}]" for each in self._before(ending))
        return f"{self.measure}{about}, {self.readings}".removesuffix(", ")

    def about(self, ending: str) -> list[str]:
        """Return what tells measures of one name apart, readings first."""
        return [each for each in (*self.readings.split(", "), *self._before(ending)) if each]

    def _before(self, ending: str) -> tuple[str, ...]:
        return self.brackets[:-1] if ending else self.brackets


def _shared_ending(named: Sequence[_Named]) -> str:
    """Return the parts that every name ends with; nothing where they differ."""
    endings = {each.brackets[-1] if each.brackets else "" for each in named}
    return endings.pop() if len(endings) == 1 else ""


def _labels(named: Sequence[_Named], ending: str) -> list[tuple[str, str, str]]:
    """Return three lines for each, the last two small; those that are cut to the same get `` (2)`` and so on."""
    found: dict[tuple[str, str, str], None] = {}
    for each in named:
        measure, (about, last) = shortened(each.measure, 36), _lines(each.about(ending))
        label, number = (measure, about, last), 1
        while label in found:
            number += 1
            label = (measure, f"{shortened(about, _SMALL - 5)} ({number})", last)
        found[label] = None
    return list(found)


def _lines(pieces: Sequence[str]) -> tuple[str, str]:
    """Return pieces in one line if they fit, else in two; what one has no room for is cut, the longest first."""
    n = len(pieces)
    while n > 1 and len(", ".join(pieces[:n])) > _SMALL:
        n -= 1
    return _fitted(pieces[:n]), _fitted(pieces[n:])


def _fitted(pieces: Sequence[str]) -> str:
    cap = _SMALL
    while cap > 1 and sum(min(len(each), cap) + 2 for each in pieces) - 2 > _SMALL:
        cap -= 1
    return ", ".join(shortened(each, cap) for each in pieces)


def _spec(
    labels: Mapping[str, tuple[str, str, str]],
    series: list[str],
    data: list[dict[str, Any]],
    rules: list[dict[str, Any]],
) -> dict[str, Any]:
    lines = list(zip(*labels.values(), strict=True))
    n_lines = max(at for at, line in enumerate(lines, 1) if any(line))
    lowest = _LINES[n_lines - 1][1]
    room = max(room_for(line, _ROOM) for line in lines)
    # The labels of an axis are of one line, so these are texts beside it; the axis keeps their room.
    y = {
        "field": "name", "type": "nominal", "title": None, "scale": {"domain": list(labels)},
        "axis": {"minExtent": room, "maxExtent": room, "labels": False, "ticks": False, "domain": False},
    }  # fmt: skip
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"title": "share", "tickCount": 5}}
    text = {"type": "text", "align": "right", "baseline": "middle", "aria": False}
    return {
        "$schema": VEGA_LITE,
        "width": WIDTH - room - 24,
        "height": {"step": lowest + 18},
        "layer": [
            {"data": {"values": rules}, "mark": {"type": "rule", "color": LINE, "strokeWidth": 3, "aria": False},
             "encoding": {"y": y, "x": {"field": "a", **x}, "x2": {"field": "b"}}},
            {"data": {"values": data}, "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
             "encoding": {"y": y, "x": {"field": "value", **x}, **scales(series, WIDTH - room), "description": TIP}},
            *[
                {"data": {"values": [{"name": key, "text": each} for key, each in zip(labels, line, strict=True)]},
                 "mark": {**text, "fontSize": size, "dy": below - lowest / 2}, "encoding": {
                     "y": y, "x": {"value": -9}, "text": {"field": "text", "type": "nominal"}}}
                for line, (size, below) in zip(lines[:n_lines], _LINES, strict=False)
            ],
        ],
    }  # fmt: skip

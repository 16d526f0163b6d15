"""What all figures share: colours, labels of a bounded length, and how a report's tables are found.

Figures are drawn for a column of 480 units, so that they can be read on a phone. Colours stand out from a white and
from a dark page alike (3 to 1), and white text can be read on them (4.5 to 1). Names from data are shortened by count
of characters and axes keep a fixed room for them, so that no layout depends on the fonts of a platform.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from compsplit.model.report import Report, Table
from compsplit.plain import plain

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"
VEGA = "https://vega.github.io/schema/vega/v5.json"
FONT = "Liberation Sans"
"""vl-convert brings it along, so that text is as wide on every platform."""
WIDTH = 480
"""Of a whole figure, axes and legend included."""
COLOURS = (
    "#2c6eba", "#b34e14", "#1a7a4a", "#8e4ebc", "#c8324b", "#14778a", "#697114", "#b43c8c", "#906337", "#656c76",
)  # fmt: skip
"""In the order in which parts, and other kinds, take them; the last is grey, for the rest."""
REST = COLOURS[-1]
INK, LINE = "#222222", "#b8bcc4"
"""Text and lines; a page puts its own in their place."""
TIP = {"field": "tip", "type": "nominal"}
"""The channel ``description`` of every mark: the datum's ``tip`` is shown when a pointer rests on it."""


def colour_scale(names: Sequence[str]) -> dict[str, Any]:
    """Return the scale that gives each name its colour; names in the order of parts."""
    return {"domain": list(names), "range": [COLOURS[at % (len(COLOURS) - 1)] for at in range(len(names))]}


def shortened(name: Any, most: int = 24) -> str:
    """Return a name for an axis: one line, what steers text escaped, at most so many columns wide.

    Example:
        >>> shortened("what is the color of the big cone", 20)
        'what is the color o…'
    """
    shown: list[str] = []
    room = most
    # What is so long is cut in any case.
    for one in map(plain, " ".join(str(name)[: 4 * most + 1].split())):
        shown.append(one)
        room -= _columns(one)
        if room < 0:
            break
    else:
        return "".join(shown)
    while shown and room < 1:
        room += _columns(shown.pop())
    return "".join(shown) + "…"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def tables_called(report: Report, beginning: str = "", ending: str = "") -> dict[str, Table]:
    """Return the tables whose names begin and end so, in the report's order, with what stands between.

    The key is that middle of the name.
    """
    return {
        name[len(beginning) : len(name) - len(ending)]: table
        for name, table in report.tables.items()
        if name.startswith(beginning) and name.endswith(ending) and len(name) >= len(beginning) + len(ending)
    }


def called(name: Any) -> Any:
    """Return what a name is called where it must be seen: as it is, an empty one ``(empty)``."""
    return name if str(name).strip() else "(empty)"


def slug(*words: Any) -> str:
    """Return words as a figure's name.

    Example:
        >>> slug("answers by type", "train", "test")
        'answers-by-type-train-test'
    """
    text = "-".join(map(str, words)).lower()
    kept = "".join(each if each.isascii() and each.isalnum() else "-" for each in text)
    return "-".join(word for word in kept.split("-") if word)[:60].strip("-") or "figure"


def percent(part: float | Fraction, whole: float | Fraction = 1) -> str:
    """Return a share as ``12.3 %``; one that is not all or nothing is not rounded to it.

    Example:
        >>> percent(4207, 4209), percent(1, 4209), percent(0, 5)
        ('> 99.9 %', '< 0.1 %', '0.0 %')
    """
    if not whole:
        return "-"
    share = 100 * float(part) / float(whole)
    if share != 100 and round(share, 1) == 100:
        return "> 99.9 %" if share < 100 else "> 100.0 %"
    return "< 0.1 %" if share > 0 and round(share, 1) == 0 else f"{share:.1f} %"


def spec(data: Sequence[Mapping[str, Any]], **members: Any) -> dict[str, Any]:
    """Return a Vega-Lite specification with its data inline."""
    return {"$schema": VEGA_LITE, "data": {"values": [dict(each) for each in data]}, **members}


def greyed(colour: str, share: float) -> str:
    """Return a colour with some of its colourfulness taken away, as light as before: text on it is read as well.

    Example:
        >>> greyed("#2c6eba", 1.0)
        '#6d6d6d'
    """
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    mixed = [each + share * (light - each) for each in linear]
    back = [each * 12.92 if each <= 0.0031308 else 1.055 * each ** (1 / 2.4) - 0.055 for each in mixed]
    return "#" + "".join(f"{round(255 * each):02x}" for each in back)


def told_apart(names: Sequence[Any], most: int = 24) -> tuple[str, ...]:
    """Return shortened names, no two alike: of names that begin alike, the second gets `` (2)`` and so on.

    Example:
        >>> told_apart(["traffic light of a street", "traffic light of a road", "car"], 10)
        ('traffic l…', 'traff… (2)', 'car')
    """
    found: dict[str, None] = {}
    for name in names:
        label, number = shortened(name, most), 1
        while label in found:
            number += 1
            ending = f" ({number})"
            label = shortened(name, most - len(ending)) + ending
        found[label] = None
    return tuple(found)


def without_run(name: str) -> tuple[str, int | None]:
    """Return a table's name without the number of the random split that it ends with, and that number.

    Example:
        >>> without_run("richness (run 0)")
        ('richness', 0)
    """
    found = re.search(r" \(run ([0-9]{1,9})\)\Z", name)
    return (name[: found.start()], int(found[1])) if found else (name, None)


def in_run(run: int | None) -> str:
    """Return what a title says of a random split: nothing where there is only one split."""
    return "" if run is None else f" (run {run})"


def room_for(labels: Sequence[str], most: int = 180) -> int:
    """Return the units that labels of an axis need, at most so many: by their length, so that no font decides it."""
    columns = max((2 * len(each) - sum(map(str.isascii, each)) for each in labels), default=0)
    return min(most, 12 + 6 * columns)


def grouped_bars(labels: Sequence[str], series: Sequence[str], unit: str) -> dict[str, Any]:
    """Return the members of a chart of bars that lie in groups: fields ``name``, ``series``, ``share`` and ``tip``.

    Args:
        labels: Of the groups, in the order in which they are drawn.
        series: Labels of the bars of a group, in the order of their colours.
        unit: What the shares are shares of.
    """
    room = room_for(labels)
    thick = 9 if len(series) < 3 else 7
    return {
        "width": WIDTH - room - 24,
        "height": {"step": len(series) * thick + 5, "for": "position"},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "name",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(labels), "paddingInner": 0.25, "paddingOuter": 0.15},
                "axis": {"minExtent": room, "maxExtent": room, "labelLimit": room - 6, "ticks": False},
            },
            "yOffset": {"field": "series", "type": "nominal", "scale": {"domain": list(series)}},
            "x": {
                "field": "share",
                "type": "quantitative",
                "scale": {"zero": True},
                "axis": {"format": "~%", "title": unit, "tickCount": 5},
            },
            "color": {
                "field": "series",
                "type": "nominal",
                "scale": colour_scale(series),
                "legend": {"orient": "bottom", "title": None},
            },
            "description": TIP,
        },
    }

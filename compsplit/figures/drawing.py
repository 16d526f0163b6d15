"""What all figures share: colours, labels of a bounded length, and how a report's tables are found.

Figures are drawn for a column of 480 units, so that they can be read on a phone. Colours stand out from a white and
from a dark page alike (3 to 1), and white text can be read on them (4.5 to 1). Names from data are shortened by count
of characters and axes keep a fixed room for them, so that no layout depends on the fonts of a platform.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from compsplit.model.report import Report, Table

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"
VEGA = "https://vega.github.io/schema/vega/v5.json"
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
    for character in " ".join(str(name).split()):
        one = character
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            one = character.encode("unicode_escape").decode()
        width = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in one)
        if width > room - 1:
            rest = len(str(name)) > len("".join(shown)) + 1 or width > room
            return "".join(shown) + ("…" if rest else one)
        shown.append(one)
        room -= width
    return "".join(shown)


def tables_called(report: Report, beginning: str = "", ending: str = "") -> dict[str, Table]:
    """Return the tables whose names begin and end so, in the report's order, with what stands between.

    The key is that middle of the name.
    """
    return {
        name[len(beginning) : len(name) - len(ending)]: table
        for name, table in report.tables.items()
        if name.startswith(beginning) and name.endswith(ending) and len(name) >= len(beginning) + len(ending)
    }


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
    """Return a share as ``12.3 %``."""
    return f"{100 * float(part) / float(whole):.1f} %" if whole else "-"


def spec(data: Sequence[Mapping[str, Any]], **members: Any) -> dict[str, Any]:
    """Return a Vega-Lite specification with its data inline."""
    return {"$schema": VEGA_LITE, "data": {"values": [dict(each) for each in data]}, **members}

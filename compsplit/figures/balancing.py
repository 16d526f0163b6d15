"""Answers of the largest groups before and after balancing, the ten commonest of each told apart: GQA's figure 5.

A pair of bars a group, a segment an answer, its length the answer's share of the group's rows: flatter is more
balanced. Made of the tables ``answers of LEVEL groups`` and ``LEVEL groups that lost most rows`` of a balance; groups
that lost no row are not in the latter. Source: Hudson and Manning 2019, arXiv 1902.09506, figure 5. Cost: nothing
beside the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    REST,
    TIP,
    VEGA_LITE,
    WIDTH,
    percent,
    shortened,
    slug,
    tables_called,
    told_apart,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_GROUPS = 6
_ANSWERS = 10
_TENTH = "#5f6bc0"
"""Stands out and carries white text as ``COLOURS`` do."""
_ROOM, _BAR, _LINE = 104, 18, 66
"""Units left of the bars; thickness of a bar; from one group to the next."""
_LETTER = 6.2
"""Units of a character, so that a segment that has room for its answer shows it."""
_OTHERS = "others"


@dataclass(frozen=True, slots=True)
class _Group:
    """A group, its rows before and after, and its commonest answers: (answer, rows before, rows after)."""

    name: str
    rows: tuple[int, int]
    answers: tuple[tuple[str, int, int], ...]


@register("figure", "balancing", source="Hudson and Manning 2019, arXiv 1902.09506, figure 5", place=22)
def balancing(report: Report) -> tuple[Figure, ...]:
    """Answers of the largest groups before and after balancing, the ten commonest of each told apart."""
    if report.subject.get("kind") != "balance":
        return ()
    figures = []
    for level, answers in tables_called(report, "answers of ", " groups").items():
        sizes = report.tables.get(f"{level} groups that lost most rows")
        groups = [] if sizes is None else _groups(answers, sizes)
        if sizes is not None and groups:
            figures.append(_figure(report, level, groups, len(sizes.rows) if sizes.total is None else sizes.total))
    return tuple(figures)


def _groups(answers: Table, sizes: Table) -> list[_Group]:
    """Return the largest groups of which both tables tell, largest first."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for group, answer, before, after in answers.rows:
        found.setdefault(group, []).append((answer, before, after))
    known = [(row[0], (row[1], row[2])) for row in sizes.rows if row[0] in found and row[1]]
    known.sort(key=lambda each: (-each[1][0], each[0]))
    return [_Group(name, rows, tuple(found[name][:_ANSWERS])) for name, rows in known[:_GROUPS]]


def _figure(report: Report, level: str, groups: Sequence[_Group], n_groups: int) -> Figure:
    first = groups[0]
    answer, before, after = first.answers[0]
    left = f" The {len(groups)} largest of the {n_groups:,} groups that lost rows." if len(groups) < n_groups else ""
    gone = [group for group in groups if not group.rows[1]]
    undrawn = f" {len(gone)} of them lost all rows and have no lower bar." if gone else ""
    entropy = _entropy(report, level)
    return Figure(
        name=slug("balancing", level),
        title=f"Answers of {shortened(level, 24)} groups before and after balancing",
        caption="Share of each answer among the rows of its group, before (upper bar) and after (lower bar) "
        f"balancing. Colours are places by rows before: at most the {_ANSWERS} commonest that the report lists are "
        f"told apart, the others are grey. Beside the bars: rows.{left}{undrawn}{entropy}",
        alt=f"Pairs of bars, a segment an answer. In the largest group, {shortened(first.name, 40)}, the commonest "
        f"answer {shortened(answer, 40)} has {percent(before, first.rows[0])} of {first.rows[0]:,} rows before and "
        f"{percent(after, first.rows[1]) if first.rows[1] else 'none'} of {first.rows[1]:,} after.{entropy}",
        spec=_spec(groups),
        table=_table(groups),
    )


def _entropy(report: Report, level: str) -> str:
    """Return what a sentence says of the entropy of a level, before and after."""
    table = report.tables.get("entropy in bits")
    row = next((row for row in table.rows if row[0] == level and row[1] == "weighted by rows"), None) if table else None
    if row is None:
        return ""
    values = [each if isinstance(each, int | float) else None for each in row[2:5]]
    if values[0] is None or values[1] is None:
        return " The mean entropy of answers is undefined."
    rise = "" if values[2] is None else f" ({values[2]:+.1f} %)"
    return f" Mean entropy of answers, weighted by rows: {values[0]:.2f} bits before, {values[1]:.2f} after{rise}."


def _segments(group: _Group, which: int) -> list[tuple[str, int, int]]:
    """Return (answer, place, rows) of a bar; the last is of the other answers, where there are any."""
    told = [(name, place, (before, after)[which]) for place, (name, before, after) in enumerate(group.answers)]
    rest = group.rows[which] - sum(n for _, _, n in told)
    return [*told, *([(_OTHERS, _ANSWERS, rest)] if rest > 0 else [])]


def _table(groups: Sequence[_Group]) -> Table:
    rows = []
    for group in groups:
        after = {place: n for _, place, n in _segments(group, 1)}
        for answer, place, n in _segments(group, 0):
            m = after.get(place, 0)
            shares = [got / whole if whole else None for got, whole in zip((n, m), group.rows, strict=True)]
            rows.append((group.name, answer, n, m, *shares))
    columns = ("group", "answer", "rows before", "rows after", "share before", "share after")
    return Table(columns, tuple(rows))


def _spec(groups: Sequence[_Group]) -> dict[str, Any]:
    width = WIDTH - _ROOM - 20
    bars, words, names = [], [], []
    for at, (group, label) in enumerate(zip(groups, told_apart([each.name for each in groups], 60), strict=True)):
        top = at * _LINE
        names.append({"y": top + 10, "text": label})
        for which, when in enumerate(("before", "after")):
            whole, y = group.rows[which], top + 18 + which * (_BAR + 3)
            words.append({"y": y + _BAR / 2, "text": f"{when} ({whole:,})"})
            bars += _bar(group, which, when, y, width) if whole else []
    places = [_ordinal(place) for place in range(_ANSWERS)]
    colours = {"domain": [*places, _OTHERS], "range": [*COLOURS[:-1], _TENTH, REST]}
    # An axis without anything on it keeps the room for the words.
    empty = {"labels": False, "ticks": False, "domain": False, "grid": False, "title": None,
             "minExtent": _ROOM, "maxExtent": _ROOM}  # fmt: skip
    scale = {"domain": [0, len(groups) * _LINE], "reverse": True, "nice": False}
    vertical: dict[str, Any] = {"type": "quantitative", "axis": empty, "scale": scale}
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    axis = {"title": "share of the group's rows", "format": "~%", "tickCount": 5, "grid": False}
    text = {"type": "text", "baseline": "middle", "aria": False, "fontSize": 11}
    labels = [each for each in bars if "text" in each]
    return {
        "$schema": VEGA_LITE,
        "width": width,
        "height": len(groups) * _LINE,
        "layer": [
            {
                "data": {"values": [{key: each[key] for key in each if key != "text"} for each in bars]},
                "mark": {"type": "rect"},
                "encoding": {
                    "x": {"field": "from", **x, "axis": axis}, "x2": {"field": "to"},
                    "y": {"field": "y", **vertical}, "y2": {"field": "below"},
                    "color": {"field": "place", "type": "nominal", "scale": colours,
                              "legend": {"orient": "bottom", "columns": 6, "title": "answers by rows before"}},
                    "description": TIP,
                },
            },
            {"data": {"values": labels}, "mark": {**text, "align": "center", "color": "#ffffff"}, "encoding": {
                "x": {"field": "middle", **x}, "y": {"field": "centre", **vertical}, "text": {"field": "text"}}},
            {"data": {"values": words}, "mark": {**text, "align": "right"}, "encoding": {
                "x": {"value": -6}, "y": {"field": "y", **vertical}, "text": {"field": "text"}}},
            {"data": {"values": names}, "mark": {**text, "align": "left", "fontSize": 12}, "encoding": {
                "x": {"value": 0}, "y": {"field": "y", **vertical}, "text": {"field": "text"}}},
        ],
    }  # fmt: skip


def _bar(group: _Group, which: int, when: str, y: float, width: int) -> list[dict[str, Any]]:
    """Return the segments of a bar from the left, a little apart; each shows its answer where it has room."""
    made, start = [], 0
    whole = group.rows[which]
    for answer, place, n in _segments(group, which):
        if not n:
            continue
        low, high = start / whole, (start + n) / whole
        start += n
        one: dict[str, Any] = {
            "from": low, "to": max(high - 1.2 / width, (low + high) / 2), "y": y, "below": y + _BAR,
            "middle": (low + high) / 2, "centre": y + _BAR / 2,
            "place": _OTHERS if place == _ANSWERS else _ordinal(place),
            "tip": f"{shortened(group.name, 60)}, {when}: {shortened(answer, 60)} {percent(n, whole)} "
            f"({n:,} of {whole:,})",
        }  # fmt: skip
        room = int((high - low) * width / _LETTER)
        label = shortened(answer, max(room, 3))
        if place < _ANSWERS and room >= 3 and (label == answer or room >= 5):
            one["text"] = label
        made.append(one)
    return made


def _ordinal(place: int) -> str:
    return ("1st", "2nd", "3rd")[place] if place < 3 else f"{place + 1}th"

"""Answers of the largest groups before and after balancing, the ten commonest of each told apart: GQA's figure 5.

A pair of bars a group, a segment an answer, its length the answer's share of the group's rows: flatter is more
balanced. Made of the table ``largest LEVEL groups before and after`` of a balance, which holds groups that lost rows
alone; ``LEVEL groups that lost most rows`` says how many those are. Source: Hudson and Manning 2019, arXiv 1902.09506,
figure 5. Cost: nothing beside the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.errors import counted
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

_ANSWERS = 10
_TENTH = "#5f6bc0"
"""Stands out and carries white text as ``COLOURS`` do."""
_ROOM, _BAR, _LINE = 104, 18, 66
"""Units left of the bars; thickness of a bar; from one group to the next."""
_LETTER = 6.2
"""Units of a character, so that a segment that has room for its answer shows it."""
_EDGES = 4
"""Units that stay free beside an answer in its segment."""
_OTHERS = "others"


@dataclass(frozen=True, slots=True)
class _Group:
    """A group.

    Attributes:
        name: Its name.
        rows: Before and after.
        answers: The commonest: (answer, rows before, rows after).
        others: How the other answers are called, nothing where there are none.
    """

    name: str
    rows: tuple[int, int]
    answers: tuple[tuple[str, int, int], ...]
    others: str


@register("figure", "balancing", source="Hudson and Manning 2019, arXiv 1902.09506, figure 5", place=22)
def balancing(report: Report) -> tuple[Figure, ...]:
    """Answers of the largest groups before and after balancing, the ten commonest of each told apart."""
    if report.subject.get("kind") != "balance":
        return ()
    figures = []
    for level, table in tables_called(report, "largest ", " groups before and after").items():
        lost = report.tables.get(f"{level} groups that lost most rows")
        groups = _groups(table)
        if groups:
            n_lost = len(groups) if lost is None else lost.total or len(lost.rows)
            figures.append(_figure(report, level, groups, n_lost))
    return tuple(figures)


def _groups(table: Table) -> list[_Group]:
    """Return the groups in the table's order."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for group, *line in table.rows:
        found.setdefault(group, []).append(tuple(line))
    return [
        _Group(
            name,
            (sum(line[2] for line in lines), sum(line[3] for line in lines)),
            tuple(line[1:] for line in lines if line[0] is not None),
            next((line[1] for line in lines if line[0] is None), ""),
        )
        for name, lines in found.items()
    ]


def _figure(report: Report, level: str, groups: Sequence[_Group], n_lost: int) -> Figure:
    first = groups[0]
    answer, before, after = first.answers[0]
    which = (
        f" The {len(groups)} that had most rows of the {n_lost:,} groups that lost rows."
        if len(groups) < n_lost
        else f" {counted(n_lost, 'group')} lost rows; others are not drawn."
    )
    n_gone = sum(not group.rows[1] for group in groups)
    undrawn = f" {counted(n_gone, 'of them has', 'of them have')} no row left, and no lower bar." if n_gone else ""
    entropy = _entropy(report, level)
    return Figure(
        name=slug("balancing", level),
        title=f"Answers of {shortened(level, 24)} groups before and after balancing",
        caption="Share of each answer among the rows of its group, before (upper bar) and after (lower bar) "
        f"balancing. Colours are places by rows before: the {_ANSWERS} commonest answers are told apart, the others "
        f"are grey. Beside the bars: rows.{which}{undrawn}{entropy}",
        alt=f"Pairs of bars, a segment an answer. In the largest group, {shortened(first.name, 40)}, the commonest "
        f"answer {shortened(answer, 40)} has {percent(before, first.rows[0])} of {counted(first.rows[0], 'row')} "
        f"before and {percent(after, first.rows[1]) if first.rows[1] else 'none'} of {first.rows[1]:,} after.{entropy}",
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
    return [*told, *([(group.others, _ANSWERS, rest)] if group.others else [])]


def _table(groups: Sequence[_Group]) -> Table:
    rows = []
    for group in groups:
        for (answer, _, n), (_, _, m) in zip(_segments(group, 0), _segments(group, 1), strict=True):
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
        room = int(((high - low) * width - _EDGES) / _LETTER)
        label = shortened(answer, max(room, 3))
        if place < _ANSWERS and room >= 3 and (label == answer or room >= 5):
            one["text"] = label
        made.append(one)
    return made


def _ordinal(place: int) -> str:
    return ("1st", "2nd", "3rd")[place] if place < 3 else f"{place + 1}th"

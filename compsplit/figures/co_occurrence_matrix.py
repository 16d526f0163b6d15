"""Which classes are together in scenes: the reference part below the diagonal, another part above it.

Source: UOUC, section 4, which has groups of classes: scenes of train stay in a group, pairs of test go across groups;
ordered by groups, the matrix shows it. Made of the table ``classes together in scenes``; cost: nothing beside it. Every
cell that holds something is a mark of a page, so that the rarest classes are left out until there are at most 380.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    INK,
    LINE,
    TIP,
    WIDTH,
    in_run,
    room_for,
    shortened,
    slug,
    spec,
    told_apart,
    without_run,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_NAME = "classes together in "
_MARKS = 380
"""Of all matrices of a table together."""
_ROOM, _GROUP_ROOM = 108, 62
"""Units for the names of classes, left and above, and of groups, right; at most."""
_BEFORE = 4
"""Columns before those of the parts."""
_GAP = 5
"""Between groups."""
_CELL = 24
"""Units of a cell, at most."""


@dataclass(frozen=True, slots=True)
class _Class:
    """A class with its place: ``start`` is where its row and its column begin."""

    name: str
    label: str
    group: Any
    start: int


@dataclass(frozen=True, slots=True)
class _Matrix:
    """What is drawn.

    Attributes:
        holders: What holds classes: scenes or questions.
        classes: In the table's order, by group.
        cell: Units of a cell.
        room: Units for the names of classes.
        counts: Two classes -> how many scenes of each part hold both; either order.
        drawn: Columns of the counts: of the part below the diagonal, then of the one above it, if there is one.
        parts: Their names.
        in_all: How many classes there are.
    """

    holders: str
    classes: tuple[_Class, ...]
    cell: int
    room: int
    counts: Mapping[tuple[str, str], Sequence[int]]
    drawn: tuple[int, ...]
    parts: tuple[str, ...]
    in_all: int

    @property
    def size(self) -> int:
        return self.classes[-1].start + self.cell

    @property
    def grouped(self) -> bool:
        return any(each.group is not None for each in self.classes)

    @property
    def width(self) -> int:
        return self.room + self.size + (_GROUP_ROOM if self.grouped else 0)

    def pairs(self) -> Iterator[tuple[_Class, _Class, Sequence[int]]]:
        """Yield every two different classes that are together somewhere, the first in order first, with the counts."""
        for at, one in enumerate(self.classes):
            for other in self.classes[at + 1 :]:
                counts = self.of(one, other)
                if any(counts):
                    yield one, other, counts

    def of(self, one: _Class, other: _Class) -> list[int]:
        """Return how many scenes of each drawn part hold both."""
        found = self.counts.get((one.name, other.name))
        return [0 if found is None else found[at] for at in self.drawn]

    def told(self, counts: Sequence[int]) -> str:
        """Return counts as a tip has them: ``123 scenes of train, 40 of test``."""
        told = (f"{n:,} of {part}" for n, part in zip(counts[1:], self.parts[1:], strict=True))
        return ", ".join((f"{counts[0]:,} {self.holders} of {self.parts[0]}", *told))


@register("figure", "co-occurrence-matrix", source="UOUC, section 4", place=30)
def co_occurrence_matrix(report: Report) -> tuple[Figure, ...]:
    """Scenes of each part that hold two classes, classes ordered by their groups."""
    figures = []
    for name, table in report.tables.items():
        called, run = without_run(name)
        if called.startswith(_NAME) and len(table.columns) > _BEFORE and table.rows:
            others = range(1, len(table.columns) - _BEFORE)
            pairs: list[tuple[int, ...]] = [(0, other) for other in others] or [(0,)]
            marks = _MARKS // len(pairs)
            figures += [_figure(_matrix(called.removeprefix(_NAME), table, each, marks), table, run) for each in pairs]
    return tuple(figures)


def _figure(matrix: _Matrix, table: Table, run: int | None) -> Figure:
    most = [max((counts[at] for _, _, counts in matrix.pairs()), default=0) for at in range(len(matrix.drawn))]
    where = [f"{part}, {'above' if at else 'below'}" for at, part in enumerate(matrix.parts)]
    parts = [table.columns[_BEFORE + at] for at in matrix.drawn]
    return Figure(
        name=slug("classes in", matrix.holders, *parts, *([] if run is None else ["run", run])),
        title=f"Classes together in {matrix.holders} of {' and '.join(matrix.parts)}{in_run(run)}",
        caption=_caption(matrix, most),
        alt=f"Matrix of {len(matrix.classes)} classes. {_alt(matrix)}",
        spec=spec(
            [],
            width=matrix.width,
            height=matrix.room + matrix.size,
            layer=[
                _lines(matrix),
                *(_squares(matrix, at, n, where) for at, n in enumerate(most)),
                *_names(matrix),
                *([_groups(matrix)] if matrix.grouped else []),
            ],
        ),
        table=table,
    )


def _matrix(holders: str, table: Table, drawn: tuple[int, ...], marks: int) -> _Matrix:
    """Return what is drawn of a table: the commonest classes, so that not too many cells hold something."""
    counts: dict[tuple[str, str], Sequence[int]] = {}
    groups: dict[str, Any] = {}
    for one, other, group, _, *found in table.rows:
        counts[one, other] = counts[other, one] = found
        groups.setdefault(one, group)
    kept: dict[str, None] = {}
    for name in sorted(groups, key=lambda name: -sum(counts.get((name, name), (0,)))):
        marks -= sum(counts[name, other][at] > 0 for other in kept if (name, other) in counts for at in drawn)
        if marks < 0:
            break
        kept[name] = None
    shown = [name for name in groups if name in kept]
    labels = told_apart(shown, 16)
    room = room_for(labels, _ROOM)
    gaps = _GAP * sum(groups[one] != groups[other] for one, other in pairwise(shown))
    grouped = any(groups[name] is not None for name in shown)
    cell = min(_CELL, (WIDTH - room - 12 - gaps - (_GROUP_ROOM if grouped else 0)) // len(shown))
    classes: list[_Class] = []
    for name, label in zip(shown, labels, strict=True):
        before = classes[-1] if classes else None
        gap = 0 if before is None or before.group == groups[name] else _GAP
        classes.append(_Class(name, label, groups[name], 0 if before is None else before.start + cell + gap))
    return _Matrix(
        holders=holders,
        classes=tuple(classes),
        cell=cell,
        room=room,
        counts=counts,
        drawn=drawn,
        parts=told_apart([table.columns[_BEFORE + at] for at in drawn], 20),
        # Of n classes there are n * (n + 1) / 2 pairs, those of a class with itself among them.
        in_all=len(groups) if table.total is None else isqrt(2 * table.total),
    )


def _place(matrix: _Matrix, field: str, *, down: bool = False) -> dict[str, Any]:
    """Return a channel that places things by units of the matrix: the room for names has negative places."""
    length = matrix.room + matrix.size if down else matrix.width
    scale = {"domain": [-matrix.room, length - matrix.room], "range": [0, length], "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": None}


def _places(matrix: _Matrix) -> dict[str, Any]:
    """Return the channels of a thing with two corners."""
    return {
        "x": _place(matrix, "x"),
        "x2": {"field": "x2"},
        "y": _place(matrix, "y", down=True),
        "y2": {"field": "y2"},
    }


def _squares(matrix: _Matrix, at: int, most: int, where: Sequence[str]) -> dict[str, Any]:
    """Return a square for each two classes that are together in one of the drawn parts."""
    size = matrix.cell - 1
    cells = []
    for one, other, counts in matrix.pairs():
        if counts[at]:
            # Below the diagonal the row is the later class, above it the earlier one.
            x, y = (other.start, one.start) if at else (one.start, other.start)
            tip = f"{shortened(one.name, 30)} and {shortened(other.name, 30)}: {matrix.told(counts)}"
            share = counts[at] / most
            cells.append(
                {"x": x, "y": y, "x2": x + size, "y2": y + size, "part": where[at], "share": share, "tip": tip}
            )
    return {
        "data": {"values": cells},
        "mark": {"type": "rect"},
        "encoding": {
            **_places(matrix),
            "color": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": list(where), "range": list(COLOURS[: len(where)])},
                "legend": {"orient": "bottom", "title": None, "symbolType": "square"},
            },
            "opacity": {
                "field": "share",
                "type": "quantitative",
                "scale": {"type": "sqrt", "domain": [0, 1], "range": [0.08, 1]},
                "legend": None,
            },
            "description": TIP,
        },
    }


def _lines(matrix: _Matrix) -> dict[str, Any]:
    """Return the diagonal, and lines between groups."""
    end = matrix.size - 1
    ends: list[tuple[float, float, float, float]] = [(0, 0, end, end)]
    for before, after in pairwise(matrix.classes):
        if before.group != after.group:
            at = after.start - (_GAP + 1) / 2
            ends += [(-matrix.room, at, matrix.width - matrix.room, at), (at, -matrix.room, at, end)]
    return {
        "data": {"values": [dict(zip(("x", "y", "x2", "y2"), each, strict=True)) for each in ends]},
        "mark": {"type": "rule", "color": LINE, "aria": False},
        "encoding": _places(matrix),
    }


def _names(matrix: _Matrix) -> list[dict[str, Any]]:
    """Return the names of classes, of rows and of columns; a row's tip says how many scenes hold the class."""
    values = [
        {
            "label": each.label,
            "at": each.start + matrix.cell / 2,
            "edge": -4,
            "tip": f"{shortened(each.name, 60)}: {matrix.told(matrix.of(each, each))}",
        }
        for each in matrix.classes
    ]
    mark: dict[str, Any] = {
        "type": "text",
        "fontSize": min(11, matrix.cell - 1),
        "baseline": "middle",
        "color": INK,
        "limit": matrix.room - 6,
    }
    text = {"field": "label", "type": "nominal"}
    rows = {
        "data": {"values": values},
        "mark": {**mark, "align": "right"},
        "encoding": {
            "x": _place(matrix, "edge"),
            "y": _place(matrix, "at", down=True),
            "text": text,
            "description": TIP,
        },
    }
    columns = {
        "data": {"values": values},
        "mark": {**mark, "align": "left", "angle": 270, "aria": False},
        "encoding": {"x": _place(matrix, "at"), "y": _place(matrix, "edge", down=True), "text": text},
    }
    return [rows, columns]


def _groups(matrix: _Matrix) -> dict[str, Any]:
    """Return the names of groups, right of their rows."""
    places: dict[Any, list[int]] = {}
    for each in matrix.classes:
        places.setdefault(each.group, []).append(each.start)
    labels = told_apart(["no group" if group is None else f"group {group}" for group in places], 10)
    values = [
        {"label": label, "x": matrix.size + 6, "y": (min(starts) + max(starts) + matrix.cell) / 2}
        for label, starts in zip(labels, places.values(), strict=True)
    ]
    return {
        "data": {"values": values},
        "mark": {
            "type": "text",
            "align": "left",
            "baseline": "middle",
            "color": INK,
            "limit": _GROUP_ROOM - 6,
            "aria": False,
        },
        "encoding": {
            "x": _place(matrix, "x"),
            "y": _place(matrix, "y", down=True),
            "text": {"field": "label", "type": "nominal"},
        },
    }


def _caption(matrix: _Matrix, most: Sequence[int]) -> str:
    halves = (f"{where} {part}" for where, part in zip(("below the diagonal", "above it"), matrix.parts, strict=False))
    darkest = " and ".join(f"{n:,} of {part}" for n, part in zip(most, matrix.parts, strict=True))
    n = len(matrix.classes)
    which = f"The {n} commonest of {matrix.in_all:,} classes" if n < matrix.in_all else f"All {n} classes"
    return (
        f"How many {matrix.holders} hold both classes: {', '.join(halves)}. The stronger its colour, the more of them; "
        f"the strongest cells stand for {darkest}, an empty one for none. {which}, "
        f"{'by group, in a group ' if matrix.grouped else ''}commonest first."
    )


def _alt(matrix: _Matrix) -> str:
    told = []
    for at, part in enumerate(matrix.parts):
        found = [(counts[at], one, other) for one, other, counts in matrix.pairs() if counts[at]]
        if found:
            n, one, other = max(found, key=lambda pair: pair[0])
            names = f"{shortened(one.name, 30)} and {shortened(other.name, 30)}"
            told.append(f"Most often together in {part}: {names} ({n:,} {matrix.holders}).")
        else:
            told.append(f"No two of them are together in {part}.")
    if len(matrix.parts) > 1:
        both = sum(all(counts) for _, _, counts in matrix.pairs())
        told.append(f"{both:,} of their pairs are in both parts.")
    return " ".join(told)

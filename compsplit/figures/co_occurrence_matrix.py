"""Which classes are together in scenes: the reference part below the diagonal, another part above it.

Source: UOUC, section 4, which splits classes into groups so that no pair of a group is in both parts; ordered by groups, the
matrix shows it. Made of the table ``classes together in scenes``; cost: nothing beside it. Every cell that holds
something is a mark of a page, so that classes are left out, the rarest first, until there are at most 380.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    INK,
    LINE,
    TIP,
    WIDTH,
    in_run,
    shortened,
    slug,
    spec,
    told_apart,
    without_run,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_NAME = "classes together in scenes"
_MARKS = 380
_ROOM, _GROUP_ROOM = 92, 62
"""Units for the names of classes, left and above, and of groups, right."""
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
    start: float


@dataclass(frozen=True, slots=True)
class _Matrix:
    """What is drawn.

    Attributes:
        classes: In the table's order, by group.
        cell: Units of a cell.
        counts: Two classes -> how many scenes of each part hold both; either order.
        lower: Column of the part below the diagonal.
        upper: Of the part above it; None where there is no other part.
    """

    classes: tuple[_Class, ...]
    cell: float
    counts: Mapping[tuple[str, str], Sequence[int]]
    lower: int
    upper: int | None

    @property
    def size(self) -> float:
        return self.classes[-1].start + self.cell

    def pairs(self) -> Iterator[tuple[_Class, _Class, Sequence[int]]]:
        """Yield every two different classes, the first in order first, with their counts."""
        for at, one in enumerate(self.classes):
            for other in self.classes[at + 1 :]:
                yield one, other, self.counts.get((one.name, other.name), ())


@register("figure", "co-occurrence-matrix", source="UOUC, section 4")
def co_occurrence_matrix(report: Report) -> tuple[Figure, ...]:
    """Scenes of each part that hold two classes, classes ordered by their groups."""
    figures = []
    for name, table in report.tables.items():
        called, run = without_run(name)
        if called == _NAME and len(table.columns) > 4 and table.rows:
            others = range(1, len(table.columns) - 4) if len(table.columns) > 5 else (None,)
            figures += [_figure(table, run, upper) for upper in others]
    return tuple(figures)


def _figure(table: Table, run: int | None, upper: int | None) -> Figure:
    drawn = [0] if upper is None else [0, upper]
    matrix, left_out = _matrix(table, upper, drawn)
    parts = told_apart([table.columns[4 + at] for at in drawn], 20)
    most = [max((counts[at] for _, _, counts in matrix.pairs() if counts), default=0) for at in drawn]
    grouped = matrix.classes[0].group is not None
    cells = _cells(matrix, drawn, parts, most)
    legend = [f"{parts[0]}, below", *(f"{part}, above" for part in parts[1:])]
    return Figure(
        name=slug("classes together", *(table.columns[4 + at] for at in drawn), *([] if run is None else ["run", run])),
        title=f"Classes together in scenes{in_run(run)}",
        caption=_caption(matrix, parts, most, grouped=grouped, left_out=left_out, total=table.total),
        alt=f"Matrix of {len(matrix.classes)} classes. {_alt(matrix, drawn, parts)}",
        spec=spec(
            [],
            width=_ROOM + matrix.size + (_GROUP_ROOM if grouped else 0),
            height=_ROOM + matrix.size,
            layer=[
                _lines(matrix, grouped=grouped),
                _squares(cells, legend, matrix),
                *_names(matrix, drawn, parts),
                *([_groups(matrix)] if grouped else []),
            ],
        ),
        table=table,
    )


def _matrix(table: Table, upper: int | None, drawn: Sequence[int]) -> tuple[_Matrix, int]:
    """Return what is drawn, and how many of the table's classes are left out."""
    counts: dict[tuple[str, str], Sequence[int]] = {}
    groups: dict[str, Any] = {}
    for one, other, group, _, *found in table.rows:
        counts[one, other] = counts[other, one] = found
        groups.setdefault(one, group)
    names = list(groups)
    often = sorted(names, key=lambda name: -sum(counts.get((name, name), (0,))))
    kept: set[str] = set()
    marks = 0
    for name in often:
        marks += sum(1 for other in kept for at in drawn if counts.get((name, other), ()) and counts[name, other][at])
        if marks > _MARKS:
            break
        kept.add(name)
    shown = [name for name in names if name in kept]
    gaps = sum(groups[one] != groups[other] for one, other in zip(shown, shown[1:], strict=False))
    room = WIDTH - _ROOM - 12 - (_GROUP_ROOM if groups[names[0]] is not None else 0) - _GAP * gaps
    cell = min(_CELL, room // len(shown))
    classes: list[_Class] = []
    start = 0
    for name, label in zip(shown, told_apart(shown, 14), strict=True):
        if classes:
            start += cell + (_GAP if classes[-1].group != groups[name] else 0)
        classes.append(_Class(name, label, groups[name], start))
    return _Matrix(tuple(classes), cell, counts, 0, upper), len(names) - len(shown)


def _cells(
    matrix: _Matrix, drawn: Sequence[int], parts: Sequence[str], most: Sequence[int]
) -> list[dict[str, Any]]:
    """Return a square for each part and each two classes that are together in it."""
    cells = []
    for one, other, counts in matrix.pairs():
        if not counts:
            continue
        told = ", ".join(
            f"{counts[at]:,} {'scenes of ' if not number else 'of '}{part}"
            for number, (at, part) in enumerate(zip(drawn, parts, strict=True))
        )
        tip = f"{shortened(one.name, 30)} and {shortened(other.name, 30)}: {told}"
        for number, at in enumerate(drawn):
            if counts[at]:
                # Below the diagonal the row is the later class, above it the earlier one.
                column, row = (one, other) if number == 0 else (other, one)
                where = f"{parts[number]}, {'above' if number else 'below'}"
                cells.append(
                    {"x": column.start, "y": row.start, "part": where, "share": counts[at] / most[number], "tip": tip}
                )
    return cells


def _place(field: str, matrix: _Matrix, *, down: bool, shift: float = 0) -> dict[str, Any]:
    """Return a channel that places things by units of the matrix: the room for names has negative places."""
    least, greatest = -_ROOM, matrix.size + (0 if down or matrix.classes[0].group is None else _GROUP_ROOM)
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [least, greatest], "range": [0, greatest - least], "nice": False, "zero": False},
        "axis": None,
    }


def _squares(cells: Sequence[Mapping[str, Any]], legend: Sequence[str], matrix: _Matrix) -> dict[str, Any]:
    size = matrix.cell - 1
    return {
        "data": {"values": [{**cell, "x2": cell["x"] + size, "y2": cell["y"] + size} for cell in cells]},
        "mark": {"type": "rect"},
        "encoding": {
            "x": _place("x", matrix, down=False),
            "x2": {"field": "x2"},
            "y": _place("y", matrix, down=True),
            "y2": {"field": "y2"},
            "color": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": list(legend), "range": list(COLOURS[: len(legend)])},
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


def _lines(matrix: _Matrix, *, grouped: bool) -> dict[str, Any]:
    """Return the diagonal, and lines between groups."""
    ends = [(0.0, 0.0, matrix.size - 1, matrix.size - 1)]
    for before, after in zip(matrix.classes, matrix.classes[1:], strict=False):
        if before.group != after.group:
            at = after.start - (_GAP + 1) / 2
            ends += [(-_ROOM, at, matrix.size + _GROUP_ROOM, at), (at, -_ROOM, at, matrix.size)]
    return {
        "data": {"values": [dict(zip(("x", "y", "x2", "y2"), each, strict=True)) for each in ends]},
        "mark": {"type": "rule", "color": LINE, "aria": False},
        "encoding": {
            "x": _place("x", matrix, down=False),
            "x2": {"field": "x2"},
            "y": _place("y", matrix, down=True),
            "y2": {"field": "y2"},
        },
    }


def _names(matrix: _Matrix, drawn: Sequence[int], parts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the names of classes, of rows and of columns; a row's tip says how many scenes hold the class."""
    values = []
    for each in matrix.classes:
        counts = matrix.counts.get((each.name, each.name), ())
        told = ", ".join(
            f"{counts[at]:,} {'scenes of ' if not number else 'of '}{part}"
            for number, (at, part) in enumerate(zip(drawn, parts, strict=True))
            if counts
        )
        tip = f"{shortened(each.name, 60)}: {told}" if told else shortened(each.name, 60)
        values.append({"label": each.label, "at": each.start + matrix.cell / 2, "edge": -4, "tip": tip})
    size = min(11, matrix.cell - 1)
    common: dict[str, Any] = {"type": "text", "fontSize": size, "baseline": "middle", "color": INK}
    text = {"field": "label", "type": "nominal"}
    rows = {
        "data": {"values": values},
        "mark": {**common, "align": "right"},
        "encoding": {
            "x": _place("edge", matrix, down=False),
            "y": _place("at", matrix, down=True),
            "text": text,
            "description": TIP,
        },
    }
    columns = {
        "data": {"values": values},
        "mark": {**common, "align": "left", "angle": 270, "aria": False},
        "encoding": {"x": _place("at", matrix, down=False), "y": _place("edge", matrix, down=True), "text": text},
    }
    return [rows, columns]


def _groups(matrix: _Matrix) -> dict[str, Any]:
    """Return the names of groups, right of their rows."""
    places: dict[Any, list[float]] = {}
    for each in matrix.classes:
        places.setdefault(each.group, []).append(each.start)
    labels = told_apart([f"group {group}" if len(str(group)) < 4 else group for group in places], 10)
    values = [
        {"label": label, "x": matrix.size + 6, "y": (min(starts) + max(starts) + matrix.cell) / 2}
        for label, starts in zip(labels, places.values(), strict=True)
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "baseline": "middle", "color": INK, "aria": False},
        "encoding": {
            "x": _place("x", matrix, down=False),
            "y": _place("y", matrix, down=True),
            "text": {"field": "label", "type": "nominal"},
        },
    }


def _caption(
    matrix: _Matrix, parts: Sequence[str], most: Sequence[int], *, grouped: bool, left_out: int, total: int | None
) -> str:
    halves = [f"below the diagonal {parts[0]}", *(f"above it {part}" for part in parts[1:])]
    darkest = " and ".join(f"{n:,} of {part}" for n, part in zip(most, parts, strict=True))
    order = "by group, in a group the commonest first" if grouped else "the commonest first"
    left = f"; {left_out:,} more that the report lists are not drawn" if left_out else ""
    pairs = f" All classes make {total:,} pairs that are together in some scene." if total is not None else ""
    return (
        f"How many scenes hold both classes: {', '.join(halves)}. The darker, the more scenes; the darkest cells have "
        f"{darkest}; an empty cell has none. The {len(matrix.classes)} commonest classes, {order}{left}.{pairs}"
    )


def _alt(matrix: _Matrix, drawn: Sequence[int], parts: Sequence[str]) -> str:
    told = []
    for at, part in zip(drawn, parts, strict=True):
        one, other, counts = max(matrix.pairs(), key=lambda pair: pair[2][at] if pair[2] else 0, default=(None, None, ()))
        if one is not None and other is not None and counts and counts[at]:
            names = f"{shortened(one.name, 30)} and {shortened(other.name, 30)}"
            told.append(f"Most often together in {part}: {names} ({counts[at]:,} scenes).")
        else:
            told.append(f"No two of them are together in {part}.")
    if len(drawn) == 2:
        both = sum(1 for _, _, counts in matrix.pairs() if counts and all(counts[at] for at in drawn))
        told.append(f"{both:,} pairs are in both parts.")
    return " ".join(told)

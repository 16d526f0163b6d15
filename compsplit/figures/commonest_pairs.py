"""The commonest compounds of a part that the reference part has as well, and the commonest novel ones.

Source: UOUC, section 3.2 (which pairs its means count; the paper names a child and a cake); Keysers et al. 2020, arXiv
1912.09713 (new compounds of known atoms). Made of the tables of ``common-compounds`` and ``novel-compounds``; reports
of earlier versions do not say how often the reference part has a compound, so that its panel is missing there. Cost:
nothing beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    TIP,
    WIDTH,
    in_run,
    room_for,
    shortened,
    slug,
    spec,
    tables_called,
    told_apart,
    without_run,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_SHOWN = {"common": 12, "novel": 8}
_KINDS = tuple(_SHOWN)
_COLOURS = {"common": COLOURS[5], "novel": COLOURS[1]}
"""Novel ones as what is unseen has in other figures."""
_ROOM = 222
"""Units for the names, at most."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A compound with its counts; ``None`` where the report does not say it."""

    name: str
    kind: str
    in_reference: int | None
    in_part: int


@dataclass(slots=True)
class _Found:
    """The lines of one kind of compounds.

    Attributes:
        lines: Common ones first, each the commonest first.
        listed: Kind -> how many the report lists, how many there are where it says so.
        whole: Whether a report that does not say so lists all.
    """

    lines: list[_Line] = field(default_factory=list)
    listed: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    whole: bool = False


@register("figure", "commonest-pairs", source="UOUC, section 3.2; Keysers et al. 2020, arXiv 1912.09713", place=34)
def commonest_pairs(report: Report) -> tuple[Figure, ...]:
    """The commonest pairs, triples or other compounds that two parts share, and the commonest novel ones."""
    found: dict[tuple[str, str, str, int | None], _Found] = {}
    for kind in _KINDS:
        for rest, table in tables_called(report, f"{kind} ").items():
            called, run = without_run(rest)
            parts = _parts(table)
            if parts is None:
                continue
            reference, part = parts
            ending = f" of {part} and {reference}" if kind == "common" else f" of {part}"
            if called.endswith(ending) and table.rows:
                of = called.removesuffix(ending)
                into = found.setdefault((of, reference, part, run), _Found())
                into.lines += _lines(table, kind, reference, part)
                into.listed[kind] = (len(table.rows), table.total)
                into.whole = table.culprits
    return tuple(_figure(*which, each) for which, each in found.items())


def _parts(table: Table) -> tuple[str, str] | None:
    """Return the reference part and the part of a table of compounds, as its columns name them."""
    before = "example in "
    if len(table.columns) < 4 or not all(name.startswith(before) for name in table.columns[-2:]):
        return None
    reference, part = (name.removeprefix(before) for name in table.columns[-2:])
    return (reference, part) if f"occurrences in {part}" in table.columns else None


def _lines(table: Table, kind: str, reference: str, part: str) -> Iterator[_Line]:
    in_part = table.columns.index(f"occurrences in {part}")
    said = f"occurrences in {reference}"
    for row in table.rows:
        ours = row[table.columns.index(said)] if said in table.columns else 0 if kind == "novel" else None
        yield _Line(str(row[0]), kind, ours, row[in_part])


def _figure(of: str, reference: str, part: str, run: int | None, found: _Found) -> Figure:
    lines = [line for kind in _KINDS for line in _first(found, kind)]
    said = all(line.in_reference is not None for line in lines)
    labels = told_apart([line.name for line in lines], 38)
    ref, ours = told_apart([reference, part], 20)
    data = [
        {"name": label, "kind": line.kind, "reference": line.in_reference, "part": line.in_part, "tip": tip}
        for label, line, tip in zip(labels, lines, [_tip(line, ref, ours) for line in lines], strict=True)
    ]
    kinds = [kind for kind in _KINDS if kind in found.listed]
    # Where all are novel, there is nothing to see in the reference part.
    panels = [("reference", ref), ("part", ours)] if said and "common" in found.listed else [("part", ours)]
    room = room_for(labels, _ROOM)
    wide = (WIDTH - room - 16 * len(panels)) // len(panels)
    return Figure(
        name=slug("commonest", of, reference, part, *([] if run is None else ["run", run])),
        title=f"Commonest {of} of {ours}: {_what(found, ref)}{in_run(run)}",
        caption=_caption(of, ref, ours, found, panels=len(panels), said=said),
        alt=f"Bars of counts in {' and '.join(name for _, name in panels)}. {_alt(found, ref, ours)}",
        spec=spec(
            data,
            hconcat=[
                _panel(data, where, name, labels, wide, kinds, room if at == 0 else 0)
                for at, (where, name) in enumerate(panels)
            ],
            spacing=16,
        ),
        table=Table(
            (of, "kind", *((f"occurrences in {reference}",) if said else ()), f"occurrences in {part}"),
            tuple(
                (line.name, line.kind, *((line.in_reference,) if said else ()), line.in_part) for line in found.lines
            ),
        ),
    )


def _first(found: _Found, kind: str) -> list[_Line]:
    """Return the lines of a kind that are drawn; where there is only one kind, it takes the room of both."""
    most = _SHOWN[kind] if len(found.listed) > 1 else sum(_SHOWN.values())
    return [line for line in found.lines if line.kind == kind][:most]


def _panel(
    data: Sequence[dict[str, Any]], where: str, name: str, labels: Sequence[str], wide: int, kinds: Sequence[str],
    room: int,
) -> dict[str, Any]:  # fmt: skip
    """Return the bars of one part, each with its count behind it; names stand left of it where they have room."""
    most = max(int(each[where]) for each in data)
    rows: dict[str, Any] = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "scale": {"domain": list(labels)},
        "axis": {"minExtent": room, "maxExtent": room, "labelLimit": room - 6, "labels": room > 0, "ticks": False},
    }
    # The count of the longest bar stands behind it, within the panel.
    count = {
        "field": where,
        "type": "quantitative",
        "scale": {"domain": [0, max(most, 1)], "range": [0, wide - 8 * len(f"{most:,}") - 6], "nice": False},
        "axis": {"title": f"in {name}", "labels": False, "ticks": False, "grid": False, "domain": False},
    }
    return {
        "width": wide,
        "height": {"step": 15},
        "layer": [
            {
                "mark": {"type": "bar", "size": 11},
                "encoding": {
                    "y": rows,
                    "x": count,
                    "color": {
                        "field": "kind",
                        "type": "nominal",
                        "scale": {"domain": list(kinds), "range": [_COLOURS[kind] for kind in kinds]},
                        "legend": {"orient": "bottom", "title": None},
                    },
                    "description": TIP,
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 3, "aria": False},
                "encoding": {"y": rows, "x": count, "text": {"field": where, "type": "quantitative", "format": ","}},
            },
        ],
    }


def _tip(line: _Line, reference: str, part: str) -> str:
    ours = "" if line.in_reference is None else f"{line.in_reference:,} in {reference}, "
    return f"{shortened(line.name, 80)}: {ours}{line.in_part:,} in {part}"


def _caption(of: str, reference: str, part: str, found: _Found, *, panels: int, said: bool) -> str:
    told = []
    for kind, what in (
        ("common", f"that {reference} has as well"),
        ("novel", f"that {reference} lacks though it has their atoms"),
    ):
        if kind in found.listed:
            listed, total = found.listed[kind]
            # Tables of earlier versions, which are no culprits yet, do not say how many there are.
            in_all = listed if total is None and found.whole else total
            of_all = f"of {in_all:,}" if in_all is not None else f"of the {listed:,} that the report lists"
            told.append(f"{len(_first(found, kind)):,} {of_all} {what}")
    scales = " Each part has a scale of its own." if panels > 1 else ""
    silent = "" if said else f" The report does not say how often {reference} has them."
    return f"Occurrences of the commonest {of} of {part}: {'; '.join(told)}.{scales}{silent}"


def _alt(found: _Found, reference: str, part: str) -> str:
    told = []
    for kind, what in (("common", "that both have"), ("novel", "novel")):
        for line in _first(found, kind)[:1]:
            told.append(f"The commonest {what}: {_tip(line, reference, part)}.")
    return " ".join(told)


def _what(found: _Found, reference: str) -> str:
    """Return which kinds there are, for a title."""
    told = {"common": f"common with {reference}", "novel": "novel"}
    return " and ".join(told[kind] for kind in _KINDS if kind in found.listed)

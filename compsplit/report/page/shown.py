"""Tables and figures of a report as a page shows them: how many rows, what is said of the rest, what links where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from compsplit.figures.drawing import slug
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.report.page.cells import cell, is_cut, is_number
from compsplit.report.page.room import Room
from compsplit.report.plain import plain

EXAMPLES = "example rows"
"""The table of the rows that are named as examples, by their ids."""


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row: its cells as (text, link), links empty mostly, and what it is linked by."""

    cells: tuple[tuple[str, str], ...]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as a page shows it.

    Attributes:
        id: Its id in the page.
        name: Its name.
        columns: (name, whether it holds numbers).
        rows: The first rows.
        more: What is said of rows that are not shown and of cells that are cut; may be empty.
        file: Name of the CSV file that has all that the report has; empty where the page has all.
        link: Where that file is, seen from the page.
        open: Whether it is open from the beginning, where tables are folded.
    """

    id: str
    name: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[ShownRow, ...]
    more: str = ""
    file: str = ""
    link: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as a page shows it: ``svg`` is markup, everything else is text."""

    id: str
    title: str
    caption: str
    svg: str
    table: ShownTable


@dataclass(slots=True)
class Files:
    """The CSV files beside a page: those that it links to are kept.

    Attributes:
        folder: Name of their folder.
        kept: Name -> table.
    """

    folder: str
    kept: dict[str, Table] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)

    def name(self, *words: str) -> str:
        """Return a free name of a file, which is then taken."""
        wanted = name = slug(*words)
        at = 1
        while name in self._names:
            at += 1
            name = f"{wanted}-{at}"
        self._names.add(name)
        return f"{name}.csv"

    def link(self, name: str, table: Table) -> str:
        """Keep a table, and return where its file is, seen from the page."""
        self.kept[name] = table
        return quote(f"{self.folder}/{name}")


def table_shown(
    id: str,
    name: str,
    table: Table,
    file: str,
    files: Files,
    room: Room,
    *,
    rows: Sequence[Sequence[Any]] | None = None,
    links: Mapping[str, str] | None = None,
    most: int | None = None,
    open: bool = False,
) -> ShownTable:
    """Return a table as a page shows it; its CSV is kept if the page does not show the whole.

    Args:
        id: Its id in the page.
        name: Its name.
        table: The table.
        file: Name of its CSV file.
        files: Where that is kept.
        room: How much is shown.
        rows: The rows to choose from, if not all of the table's.
        links: Text of an id -> the id of the row in this page that tells of it.
        most: Rows to show, if not as many as ``room`` says.
        open: Whether it is open from the beginning.
    """
    chosen = (table.rows if rows is None else rows)[: room.rows if most is None else most]
    n_all = len(table.rows) if table.total is None else table.total
    cut = any(is_cut(value, room.cell) for row in chosen for value in row)
    link = files.link(file, table) if cut or len(chosen) < len(table.rows) else ""
    numbers = [bool(chosen) and all(is_number(row[at]) or row[at] is None for row in chosen)
               for at in range(len(table.columns))]  # fmt: skip
    is_link = [bool(links) and column.startswith("example") for column in table.columns]
    return ShownTable(
        id,
        plain(name, 200),
        tuple(
            (plain(column, 60) or "(no name)", number) for column, number in zip(table.columns, numbers, strict=True)
        ),
        tuple(ShownRow(tuple(_cells(row, is_link, links or {}, room.cell))) for row in chosen),
        _more(len(chosen), len(table.rows), n_all, cut),
        file if link else "",
        link,
        open,
    )


def _cells(
    row: Sequence[Any], is_link: Sequence[bool], links: Mapping[str, str], most: int
) -> Iterator[tuple[str, str]]:
    for value, linked in zip(row, is_link, strict=True):
        yield cell(value, most), links.get(str(value), "") if linked else ""


def _more(n_shown: int, n_held: int, n_all: int, cut: bool) -> str:
    said = []
    if n_shown < n_all:
        said.append(f"{n_shown:,} of {n_all:,} rows are here.")
    if n_held < n_all:
        said.append(f"The report has the first {n_held:,}.")
    if cut:
        said.append("Long texts are cut.")
    return " ".join(said)


def tables_of(id: str, given_name: str, report: Report, files: Files, room: Room) -> dict[str, ShownTable]:
    """Return the tables of a report by name, culprits first, as many as there is room for.

    Example rows are those that culprits which are shown name. Of tables without room the CSV is kept.
    """
    links = _example_links(id, report, room)
    opened = report.subject.get("shown tables", ())
    first = next((name for name, table in report.tables.items() if table.culprits), "")
    ordered = sorted(report.tables, key=lambda name: not report.tables[name].culprits)[: room.tables]
    shown = {}
    for at, (name, table) in enumerate(report.tables.items(), start=1):
        file = files.name(given_name, name)
        if name not in ordered:
            files.link(file, table)
        elif name == EXAMPLES and links:
            shown[name] = _examples(f"{id}-t{at}", table, file, files, room, links)
        else:
            is_open = name == first or name in opened
            shown[name] = table_shown(f"{id}-t{at}", name, table, file, files, room, links=links, open=is_open)
    return {name: shown[name] for name in ordered}


def _example_links(id: str, report: Report, room: Room) -> dict[str, str]:
    """Return the id of each example row that is shown, by its id in the data."""
    examples = report.tables.get(EXAMPLES)
    if examples is None or examples.columns[:1] != ("id",):
        return {}
    named: set[str] = set()
    for table in report.tables.values():
        places = [place for place, column in enumerate(table.columns) if column.startswith("example")]
        named.update(str(row[place]) for row in table.rows[: room.rows] for place in places)
    shown = [row[0] for row in examples.rows if str(row[0]) in named][: room.examples]
    return {str(example): f"{id}-e{at}" for at, example in enumerate(shown, start=1)}


def _examples(id: str, table: Table, file: str, files: Files, room: Room, links: Mapping[str, str]) -> ShownTable:
    chosen = [row for row in table.rows if str(row[0]) in links]
    made = table_shown(id, EXAMPLES, table, file, files, room, rows=chosen, most=len(chosen), open=True)
    rows = (replace(shown, id=links[str(row[0])]) for shown, row in zip(made.rows, chosen, strict=True))
    return replace(made, rows=tuple(rows))


def figures_shown(
    id: str, given_name: str, drawn: Sequence[tuple[Figure, str]], files: Files, room: Room
) -> tuple[tuple[ShownFigure, ...], tuple[str, ...]]:
    """Return the figures for which there is room, and the titles of the others.

    Each is taken in turn if it fits into what those before have left, so that a large one does not keep out small ones.
    """
    shown, left_out, left = [], [], room.figures
    for at, (figure, svg) in enumerate(drawn, start=1):
        file = files.name(given_name, "figure", figure.name)
        size = len(svg.encode()) + 100 * min(len(figure.table.rows), room.data)
        if size > left:
            left_out.append(plain(figure.title, 100))
            files.link(file, figure.table)
            continue
        left -= size
        name = f"{id}-figure-{at}"
        table = table_shown(f"{name}-t", figure.title, figure.table, file, files, room, most=room.data)
        shown.append(ShownFigure(name, plain(figure.title, 200), plain(figure.caption, room.text), svg, table))
    return tuple(shown), tuple(left_out)


def flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Return what nested mappings say, a line each, names joined by ``/``; what says nothing is passed over."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from flat(value[key], f"{name} / {key}" if name else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value):
        for at, one in enumerate(value, start=1):
            yield from flat(one, f"{name} / {at}")
    elif value not in (None, "", [], {}):
        yield name, value


def lines_shown(
    id: str, name: str, columns: tuple[str, ...], rows: Iterable[Sequence[Any]], room: Room, *, open: bool = False
) -> ShownTable:
    """Return lines that are in no table of the report as one; what is left out is in the report's own files."""
    found = [tuple(row) for row in rows]
    return ShownTable(
        id,
        name,
        tuple((column, False) for column in columns),
        tuple(ShownRow(tuple((cell(value, room.cell), "") for value in row)) for row in found[: room.lines]),
        f"{room.lines:,} of {len(found):,} are here; report.json and manifest.json have all."
        if len(found) > room.lines
        else "",
        open=open,
    )

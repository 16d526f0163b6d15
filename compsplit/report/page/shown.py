"""Tables and figures of a report as a page shows them: how many rows, what is said of the rest, what links where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from compsplit.figures.drawing import slug
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.plain import plain
from compsplit.report.page.cells import cell, is_cut, is_number
from compsplit.report.page.findings import LEAK
from compsplit.report.page.room import Room

EXAMPLES = "example rows"
"""The table of the rows that are named as examples, by their ids."""
PUBLISHED = "published beside obtained"
_BESIDE = 80
"""Characters of what stands beside an example's id."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell: its text, the id of what it leads to in the page, and what stands below it; the last two empty mostly."""

    text: str
    link: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row: its cells, and what it is linked by."""

    cells: tuple[ShownCell, ...]
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
        count: How many they are, and of how many; empty where that need not be said.
        n_held: Rows that the page has not but the CSV file has.
        n_counted: Rows that are counted only.
        file: Name of the CSV file that has all that the report has; empty where the page has all.
        link: Where that file is, seen from the page.
        open: Whether it is open from the beginning, where tables are folded.
    """

    id: str
    name: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[ShownRow, ...]
    more: str = ""
    count: str = ""
    n_held: int = 0
    n_counted: int = 0
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


@dataclass(frozen=True, slots=True)
class Examples:
    """The example rows that a page shows, by their ids in the data.

    Attributes:
        rows: The id of each row in the page.
        named: (name of a table, number of its row) that names it first.
        beside: What it says, in few words.
    """

    rows: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)


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
    examples: Examples | None = None,
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
        examples: The example rows that the page shows.
        most: Rows to show, if not as many as ``room`` says.
        open: Whether it is open from the beginning.
    """
    chosen = table.rows if rows is None else rows
    limit = room.rows if most is None else most
    # One row more is no reason to cut: the last of a distribution counts all others.
    if len(chosen) != limit + 1 or not limit:
        chosen = chosen[:limit]
    n_held = len(table.rows)
    n_all = n_held if table.total is None else table.total
    cut = any(is_cut(value, room.cell) for row in chosen for value in row)
    link = files.link(file, table) if cut or len(chosen) < n_held else ""
    numbers = [bool(chosen) and all(is_number(row[at]) or row[at] is None for row in chosen)
               for at in range(len(table.columns))]  # fmt: skip
    of_examples = examples or Examples()
    is_example = [column.startswith("example") for column in table.columns]
    anchors = {place for place in of_examples.named.values() if place[0] == name}
    return ShownTable(
        id,
        plain(name, 200),
        tuple(
            (plain(column, 60) or "(no name)", number) for column, number in zip(table.columns, numbers, strict=True)
        ),
        tuple(
            ShownRow(
                tuple(_cells(row, is_example, of_examples, room.cell)), f"{id}-{at}" if (name, at) in anchors else ""
            )
            for at, row in enumerate(chosen)
        ),
        _more(len(chosen), n_held, n_all, cut),
        f"{len(chosen):,} of {n_all:,}" if len(chosen) < n_all else f"{n_all:,}",
        n_held - len(chosen),
        n_all - n_held,
        file if link else "",
        link,
        open,
    )


def _cells(row: Sequence[Any], is_example: Sequence[bool], examples: Examples, most: int) -> Iterator[ShownCell]:
    for value, example in zip(row, is_example, strict=True):
        name = str(value) if example else ""
        yield ShownCell(cell(value, most), examples.rows.get(name, ""), examples.beside.get(name, ""))


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
    """Return the tables of a report by name, as many as there is room for, what leaks before other culprits.

    Example rows are those that culprits which are shown name. Of tables without room the CSV is kept.
    """
    first = (PUBLISHED, *report.subject.get("shown tables", ()))
    ordered = sorted(
        report.tables,
        key=lambda name: (name not in first, not report.tables[name].culprits, LEAK not in name, name != EXAMPLES),
    )[: room.tables]
    ids = {name: f"{id}-t{at}" for at, name in enumerate(report.tables, start=1)}
    examples = _examples(id, report, ordered, room)
    culprits = [name for name in ordered if report.tables[name].culprits]
    opened = {*([name for name in culprits if LEAK in name] or culprits[:1]), *first}
    shown = {}
    for name, table in report.tables.items():
        file = files.name(given_name, name)
        if name not in ordered:
            files.link(file, table)
        elif name == EXAMPLES and examples.rows:
            shown[name] = _example_rows(ids, table, file, files, room, examples)
        else:
            is_open = name in opened
            shown[name] = table_shown(ids[name], name, table, file, files, room, examples=examples, open=is_open)
    return {name: shown[name] for name in ordered}


def _examples(id: str, report: Report, names: Sequence[str], room: Room) -> Examples:
    """Return the example rows that the rows of some tables name, as far as they are shown."""
    table = report.tables.get(EXAMPLES)
    if table is None or table.columns[:1] != ("id",) or EXAMPLES not in names:
        return Examples()
    named: dict[str, tuple[str, int]] = {}
    for name in names:
        held = report.tables[name]
        places = [place for place, column in enumerate(held.columns) if column.startswith("example")]
        for at, row in enumerate(held.rows[: room.rows] if places else ()):
            for place in places:
                named.setdefault(str(row[place]), (name, at))
    rows = [row for row in table.rows if str(row[0]) in named]
    return Examples(
        {str(row[0]): f"{id}-e{at}" for at, row in enumerate(rows[: room.examples], start=1)},
        {str(row[0]): named[str(row[0])] for row in rows[: room.examples]},
        {str(row[0]): _in_few_words(table.columns, row) for row in rows} if room.beside else {},
    )


def _in_few_words(columns: Sequence[str], row: Sequence[Any]) -> str:
    """Return question and answer of a row, or its objects."""
    said = dict(zip(columns, row, strict=True))
    words = [cell(said[name], _BESIDE) for name in ("question", "answer", "objects") if said.get(name) is not None]
    text = " → ".join(words)
    return text if len(text) <= _BESIDE else f"{text[: _BESIDE - 1]}…"


def _example_rows(
    ids: Mapping[str, str], table: Table, file: str, files: Files, room: Room, examples: Examples
) -> ShownTable:
    """Return the table of example rows, each of which leads back to what names it."""
    chosen = [row for row in table.rows if str(row[0]) in examples.rows]
    made = table_shown(ids[EXAMPLES], EXAMPLES, table, file, files, room, rows=chosen, most=len(chosen))
    rows = []
    for shown, row in zip(made.rows, chosen, strict=True):
        name, at = examples.named[str(row[0])]
        first = replace(shown.cells[0], link=f"{ids[name]}-{at}")
        rows.append(ShownRow((first, *shown.cells[1:]), examples.rows[str(row[0])]))
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
        size = len(svg.encode())
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
        tuple(ShownRow(tuple(ShownCell(cell(value, room.cell)) for value in row)) for row in found[: room.lines]),
        f"{room.lines:,} of {len(found):,} are here; report.json and manifest.json have all."
        if len(found) > room.lines
        else "",
        open=open,
    )

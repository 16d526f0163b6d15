"""A report in the terminal: the verdict, sizes asked and got, what was measured, what to know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from compsplit.errors import in_units
from compsplit.model.report import Report, Table
from compsplit.plain import joined, plain
from compsplit.report.cut_tables import rest_told
from compsplit.report.headlines import SECTIONS, Headline, headlines, written

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_OF_SPLITS = (
    "shares of groups",
    "this audit beside the other",
    "over random splits",
    "published beside obtained",
    "rows that cannot move",
)
_SHOWN_TABLES = (
    *_OF_SPLITS,
    "commonest concepts",
    "rarest concepts",
    "commonest answers",
    "commonest classes",
    "commonest predicates",
    "commonest attributes",
    "question types",
    "structural types",
    "semantic types",
    "steps",
    "groups under other reductions",
)
_MOST_FINDINGS = 12
_MOST_LINES = 40
"""Of a table that a report's subject says is to be shown (``shown tables``)."""
_MOST_PAIRS = 3
"""Pairs of parts that stand side by side; more stand below one another."""
_MOST_CHARACTERS = 60
"""Of one value; longer ones are shortened."""


def show(report: Report, console: Console) -> None:
    """Print a report for a person."""
    from rich.text import Text

    style = "bold red" if report.failed else "bold"
    console.print(Text(plain(report.verdict, 2000), style=style))
    console.print()
    parts = report.subject.get("parts")
    if parts:
        console.print(_sizes(report, parts))
    lines = headlines(report)
    # Where a table that is shown holds every measure, the grid would only say it again.
    for section in () if report.subject.get("measures in tables") else SECTIONS:
        for against_whole in (False, True):
            some = [x for x in lines if x.section == section and (x.reference == "whole") is against_whole]
            if some:
                console.print(_measures(some, section if report.subject["kind"] != "description" else None))
    for reason in dict.fromkeys(f"{line.label}: {line.reason}" for line in lines if line.reason):
        console.print(Text(f"undefined  {plain(reason)}", style="dim"))
    counts = [m for m in report.measures if m.unit == "count"]
    if counts and not parts:
        table = _grid("count", "value", "of", right=("value",))
        for measure in counts:
            _add(table, measure.name, written(measure), measure.n_unit)
        console.print(table)
    for name in report.subject.get("shown tables", ()):
        _print(report.tables[name], name, _MOST_LINES, console)
    for name in _SHOWN_TABLES:
        if name in report.tables and (report.subject["kind"] == "description" or name in _OF_SPLITS):
            _print(report.tables[name], name, 10, console)
    for finding in report.findings[:_MOST_FINDINGS]:
        mark, style = ("BROKEN", "bold red") if finding.level == "fail" else ("note", "yellow")
        note = Text(f"{mark}  ", style=style)
        note.append(Text(plain(finding.message, 1000), style="default"))
        if finding.first:
            note.append(Text(f"  First: {', '.join(map(joined, finding.first[:3]))}", style="dim"))
        console.print(note)
    if len(report.findings) > _MOST_FINDINGS:
        console.print(Text(f"{len(report.findings) - _MOST_FINDINGS:,} more findings are in the JSON.", style="dim"))


def _sizes(report: Report, parts: dict[str, dict[str, Any]]) -> RichTable:
    """Return rows asked for and got, images and answers of each part, one line a part."""
    answers = {m.part: m.number for m in report.measures if m.name == "answers"}
    asked = any(size["asked"] is not None for size in parts.values())
    images = any(size["images"] is not None for size in parts.values())
    columns = [
        "part",
        *(("asked", "got", "asked %", "got %") if asked else ("rows", "rows %")),
        *(("images", "images %") if images else ()),
        *(("answers",) if answers else ()),
    ]
    table = _grid(*columns, right=columns[1:])
    for part, size in parts.items():
        cells = [size["asked"], size["got"]] if asked else [size["got"]]
        shares = [size["asked share"], size["got share"]] if asked else [size["got share"]]
        line = [*map(_cell, cells), *map(_percent, shares)]
        line += [_cell(size["images"]), _percent(size["images share"])] if images else []
        _add(table, part, *line, *([_cell(answers.get(part))] if answers else []))
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _measures(lines: Sequence[Headline], title: str | None) -> RichTable:
    """Return measures as lines and pairs of parts as columns, as long as there are few pairs."""
    pairs = list(dict.fromkeys(line.parts for line in lines))
    if len(pairs) == 1:
        head = pairs[0] or "value"
        table = _grid("measure", head, "n", right=(head, "n"), title=title)
        for line in lines:
            _add(table, line.label, line.value, in_units(line.n, line.n_unit))
        return table
    if len(pairs) > _MOST_PAIRS:
        table = _grid("measure", "parts", "value", "n", right=("value", "n"), title=title)
        for line in lines:
            _add(table, line.label, line.parts, line.value, in_units(line.n, line.n_unit))
        return table
    heads = [f"{pair} (n)" for pair in pairs]
    table = _grid("measure", *heads, right=heads, title=title)
    for label in dict.fromkeys(line.label for line in lines):
        found = {line.parts: f"{line.value} ({line.n:,})" for line in lines if line.label == label}
        _add(table, label, *(found.get(pair, "-") for pair in pairs))
    return table


def _grid(*columns: str, right: Sequence[str] = (), title: str | None = None) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    heading = None if title is None else Text(plain(title))
    table = RichTable(box=SIMPLE_HEAD, title=heading, title_justify="left", pad_edge=False)
    for name in columns:
        heading = Text(plain(name, _MOST_CHARACTERS))
        table.add_column(heading, justify="right" if name in right else "left", overflow="fold")
    return table


def _add(table: RichTable, *cells: str) -> None:
    """Add a line, every cell as text without markup."""
    from rich.text import Text

    table.add_row(*(Text(plain(cell, _MOST_CHARACTERS)) for cell in cells))


def listing(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = (), title: str = ""
) -> Any:
    """Return a table of texts to print, the first column never broken."""
    from rich.text import Text

    table = _grid(*columns, right=right, title=title or None)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def _print(table: Table, title: str, most: int, console: Console) -> None:
    """Print the first rows of a table, and how many there are besides."""
    from rich.text import Text

    console.print(_rich(table, title, most))
    rest = rest_told(table, most, "the JSON")
    if rest:
        console.print(Text(rest, style="dim"))


def _rich(table: Table, title: str | None, most: int) -> RichTable:
    numeric = tuple(
        name
        for k, name in enumerate(table.columns)
        if all(isinstance(row[k], int | float) or row[k] is None for row in table.rows)
    )
    grid = _grid(*table.columns, right=numeric, title=title)
    for row in table.rows[:most]:
        _add(grid, *map(_cell, row))
    return grid


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

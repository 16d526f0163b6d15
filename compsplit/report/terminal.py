"""A report in the terminal: the verdict, sizes, what was measured, what to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compsplit.model.report import Report, Table
from compsplit.report.headlines import headlines, written

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN_TABLES = ("published beside obtained", "commonest concepts", "rarest concepts", "commonest answers",
                 "question types", "groups under other reductions")  # fmt: skip


def show(report: Report, console: Console) -> None:
    """Print a report for a person."""
    from rich.text import Text

    style = "bold red" if report.failed else "bold"
    console.print(Text(report.verdict, style=style))
    console.print()
    if "table 1" in report.tables:
        console.print(_rich(report.tables["table 1"], None))
    lines = headlines(report)
    if lines:
        table = _grid("measure", "of", "parts", "value", "n", right=("value", "n"))
        for line in lines:
            table.add_row(*(Text(cell) for cell in (line.told, line.of, line.parts, line.value, line.n)))
        console.print(table)
    counts = [m for m in report.measures if m.unit == "count"]
    if counts and "table 1" not in report.tables:
        table = _grid("count", "value", "of", right=("value",))
        for measure in counts:
            table.add_row(Text(measure.name), Text(written(measure)), Text(measure.n_unit))
        console.print(table)
    for name in _SHOWN_TABLES:
        if name in report.tables and (report.subject["kind"] == "description" or name == _SHOWN_TABLES[0]):
            console.print(_rich(report.tables[name], name, most=10))
    for finding in report.findings:
        mark, style = ("broken", "bold red") if finding.level == "fail" else ("note", "yellow")
        line = Text(f"{mark}  ", style=style)
        line.append(Text(finding.message, style="default"))
        first = ", ".join("/".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in finding.first[:3])
        if first:
            line.append(Text(f"  first: {first}", style="dim"))
        console.print(line)


def _grid(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable

    table = RichTable(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def _rich(table: Table, title: str | None, most: int = 50) -> Any:
    from rich.text import Text

    numeric = tuple(
        name
        for k, name in enumerate(table.columns)
        if all(isinstance(row[k], int | float) or row[k] is None for row in table.rows)
    )
    grid = _grid(*table.columns, right=numeric, title=title)
    for row in table.rows[:most]:
        grid.add_row(*(Text(_cell(value)) for value in row))
    return grid


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

"""One table, several writers: CSV, Markdown and LaTeX."""

from __future__ import annotations

from typing import Any, Literal

from compsplit.files import csv_lines
from compsplit.model.report import Table

Form = Literal["csv", "latex", "markdown"]


def as_csv(table: Table) -> str:
    """Return a table as CSV with a header line, values whole."""
    columns = [[_text(row[at]) for row in table.rows] for at in range(len(table.columns))]
    return csv_lines([[name, *values] for name, values in zip(table.columns, columns, strict=True)])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " | ".join(map(_text, value))
    return repr(value) if isinstance(value, float) else str(value)

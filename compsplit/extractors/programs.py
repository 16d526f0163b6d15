"""Programs of rows, each distinct one parsed once."""

from __future__ import annotations

from collections.abc import Iterator

from compsplit.errors import UsageError
from compsplit.model.column import Column
from compsplit.model.program import Program
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable


def program_column(rows: Rows) -> Column:
    """Return the column of programs.

    Raises:
        UsageError: No row has one.
    """
    column = rows.columns.get("program")
    if column is None or not column.names:
        raise UsageError("Program pieces are made of programs, and no row has one; GQA and CLEVR questions have them.")
    return column


def programs(column: Column) -> Iterator[Program]:
    """Yield the distinct programs in the order of their codes."""
    return map(Program.parse, column.names)


def has_programs(table: RowTable, rows: Rows) -> bool:
    """Tell whether some row has a program."""
    return "program" in rows.columns and bool(rows.columns["program"].names)

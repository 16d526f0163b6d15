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
    """Yield the distinct programs in the order of their codes.

    Raises:
        UsageError: The column, which a table of one's own may have, holds something else.
    """
    for written in column.names:
        try:
            yield Program.parse(written)
        except ValueError as error:
            raise UsageError(
                f'The column "program" holds {error}. Program pieces are made of the programs of GQA and CLEVR '
                'questions, or of lists of steps as compsplit writes them, [["select",["car"],[]],["exist",[],[0]]].',
                field="program",
            ) from error


def has_programs(table: RowTable, rows: Rows) -> bool:
    """Tell whether rows have programs; a column of that name in a table of one's own may hold something else."""
    column = rows.columns.get("program")
    if column is None or not column.names:
        return False
    try:
        Program.parse(column.names[0])
    except ValueError:
        return False
    return True

"""What a writer takes: questions or scenes, with all of their columns by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, counted, listed
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import QATable


def questions(table: RowTable, writer: str) -> QATable:
    """Return the table, if its rows are questions.

    Raises:
        UsageError: They are scenes.
    """
    if isinstance(table, QATable):
        return table
    raise UsageError(
        f"{writer} writes questions, and these are scenes ({table.format}). Write another format: "
        "--set write.as=scenes.",
        field="write.as",
    )


def scenes(table: RowTable, writer: str) -> SceneTable:
    """Return the table, if its rows are scenes.

    Raises:
        UsageError: They are questions.
    """
    if isinstance(table, SceneTable):
        return table
    raise UsageError(
        f"{writer} writes scenes, and these are questions ({table.format}). Write another format: "
        "--set write.as=jsonl.",
        field="write.as",
    )


def needed(table: QATable, writer: str, *names: str) -> None:
    """Raise if a row lacks what every record of a format has.

    Raises:
        UsageError: One does.
    """
    columns = table.named_columns()
    for name in names:
        lacking = columns[name].codes < 0
        if lacking.any():
            first = listed(sorted(table.ids[lacking].tolist()))
            raise UsageError(
                f"Every record of {writer} has a value for {name}, and {counted(int(lacking.sum()), 'row')} of "
                f"{len(table):,} {'has' if lacking.sum() == 1 else 'have'} none (id {first}). Write another format: "
                "--set write.as=jsonl.",
                field="write.as",
            )


def columns_of(table: RowTable) -> dict[str, Column]:
    """Return all columns that a table of the rows has beside ``id``: the usual ones, then the further ones by name.

    ``source`` is one of them where ids are scoped by file. A further column that repeats the ids or a usual column
    value for value, as the one does that it was taken from, stands once only; one that merely has the name of a usual
    one is called ``NAME_in_input``.
    """
    columns = _usual(table)
    taken = {"id", *columns}
    for name, column in further_columns(table).items():
        while name in taken:
            name += "_in_input"
        taken.add(name)
        columns[name] = column
    return columns


def _usual(table: RowTable) -> dict[str, Column]:
    usual = {"source": table.sources} if table.scoped else {}
    usual["image"] = table.images
    if isinstance(table, QATable):
        usual |= {
            "question": table.questions,
            "answer": table.answers,
            "question_type": table.question_types,
            "answer_type": table.answer_types,
            "origin": table.origins,
        }
    return usual


def lost_columns(table: RowTable, rows: NDArray[np.int64], *said: str) -> dict[str, int]:
    """Return the further columns that a file does not say -> how many of these rows have a value there.

    Args:
        table: The rows.
        rows: Those of the file.
        said: The columns that it says.
    """
    columns = {name: column for name, column in further_columns(table).items() if name not in said}
    counts = {f"column {name}": int((column.codes[rows] >= 0).sum()) for name, column in columns.items()}
    return {name: n for name, n in counts.items() if n}


def further_columns(table: RowTable) -> dict[str, Column]:
    """Return the table's further columns but those that repeat the ids or a usual column value for value."""
    usual = _usual(table)
    return {
        name: column
        for name, column in table.columns.items()
        if not any(_same(column, other) for other in usual.values()) and not _says_ids(table, column)
    }


def _same(one: Column, other: Column) -> bool:
    if one is other:
        return True
    return (
        len(one.names) == len(other.names)
        and np.array_equal(one.codes, other.codes)
        and all(a == b for a, b in zip(one.names, other.names, strict=True))
    )


def _says_ids(table: RowTable, column: Column) -> bool:
    """Tell whether a column holds the ids, which its file may stand in front of."""
    if len(column) and (column.codes < 0).any():
        return False
    for first in range(0, len(column), 1 << 14):
        span = slice(first, first + (1 << 14))
        names = [column.names[code] for code in column.codes[span].tolist()]
        if table.scoped:
            files = [table.sources.names[code] for code in table.sources.codes[span].tolist()]
            names = [f"{file}:{name}" for file, name in zip(files, names, strict=True)]
        if names != table.ids[span].tolist():
            return False
    return True


def values(column: Column, rows: NDArray[np.int64]) -> list[str | None]:
    """Return the values of these rows."""
    return column.take(rows).values()

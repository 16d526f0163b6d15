"""Tables of the rows of each part, whatever format they came in: CSV, TSV, JSON lines, Parquet, and plain id lists.

Columns: id, image, question, answer, question_type, answer_type, origin, in front of them ``source`` where ids are
scoped by file, behind them every further column by name. Texts are as written; a missing value is empty (null in JSON
lines and Parquet). Of scenes: id, image, every further column, ``objects``, and ``relations`` where a scene has any,
as the format ``scenes`` has them (as JSON in a cell of CSV and TSV, where the ends of relations are places in the list
of objects). The reader ``table`` reads all of it back, but for the ids of objects. An id list loses everything but ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, listed
from compsplit.files import canonical_json, csv_lines, sha256
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.writers.parquet import RowArrow
from compsplit.writers.rows import columns_of, values
from compsplit.writers.scenes import check_names, lines_of, lists_of
from compsplit.writers.spans import Written, rows_of_part

Value = str | None


def _columns(table: RowTable, rows: NDArray[np.int64]) -> dict[str, list[Value]]:
    """Return the columns of these rows; lists of scenes as JSON."""
    named: dict[str, Column] = columns_of(table)
    first = {"source": values(named.pop("source"), rows)} if table.scoped else {}
    columns: dict[str, list[Value]] = {**first, "id": table.ids[rows].tolist()}
    columns |= {name: values(column, rows) for name, column in named.items()}
    if isinstance(table, SceneTable):
        check_names(columns, "id", "image")
        lists = list(lists_of(table, rows.tolist()))
        for name in ("objects", "relations") if table.n_relations else ("objects",):
            columns[name] = [
                canonical_json(each[name], indent=None).rstrip("\n") if each.get(name) else None for each in lists
            ]
    return columns


def _each_part(
    table: RowTable, split: Split, folder: Path, ending: str, kind: str, put: Callable[[Path, NDArray[np.int64]], None]
) -> list[Written]:
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        path = folder / f"{part}{ending}"
        put(path, rows)
        written.append(Written(path.name, part, kind, len(rows), sha256(path)))
    return written


def _delimited(table: RowTable, split: Split, folder: Path, ending: str, delimiter: str) -> list[Written]:
    def put(path: Path, rows: NDArray[np.int64]) -> None:
        columns = _columns(table, rows)
        head = csv_lines([[name] for name in columns], delimiter)
        text = head + csv_lines([[value or "" for value in column] for column in columns.values()], delimiter)
        path.write_text(text, encoding="utf-8", newline="")

    return _each_part(table, split, folder, ending, "records", put)


@register("writer", "csv", source="compsplit")
def write_csv(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write each part as CSV, whatever it came from."""
    return _delimited(table, split, folder, ".csv", ",")


@register("writer", "tsv", source="compsplit")
def write_tsv(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write each part as TSV, whatever it came from."""
    return _delimited(table, split, folder, ".tsv", "\t")


@register("writer", "jsonl", source="compsplit")
def write_jsonl(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write each part as JSON lines, whatever it came from."""

    def put(path: Path, rows: NDArray[np.int64]) -> None:
        if isinstance(table, SceneTable):
            path.write_bytes(b"".join(lines_of(table, rows.tolist(), columns_of(table))))
            return
        columns = _columns(table, rows)
        names = list(columns)
        lines = (
            json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            for row in zip(*columns.values(), strict=True)
        )
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")

    return _each_part(table, split, folder, ".jsonl", "records", put)


@register("writer", "parquet", source="compsplit")
def write_parquet(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write each part as Parquet, whatever it came from."""
    arrow = RowArrow(table)

    def put(path: Path, rows: NDArray[np.int64]) -> None:
        arrow.write(rows, path)

    return _each_part(table, split, folder, ".parquet", "records", put)


@register("writer", "ids", source="compsplit")
def write_ids(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write the ids of each part, one a line.

    Raises:
        UsageError: An id does not fit on a line.
    """
    odd: list[Any] = [name for name in table.ids.tolist() if not name or "\n" in name or "\r" in name]
    if odd:
        raise UsageError(
            f"A line end stands in an id, or it is empty, so that ids do not fit on lines: {listed(map(repr, odd))}. "
            "Write another format: --set write.as=jsonl.",
            field="write.as",
        )

    def put(path: Path, rows: NDArray[np.int64]) -> None:
        path.write_text("".join(f"{name}\n" for name in table.ids[rows].tolist()), encoding="utf-8", newline="")

    return _each_part(table, split, folder, ".txt", "ids", put)

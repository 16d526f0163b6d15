"""Tables of the rows of each part, whatever format they came in: CSV, TSV, JSON lines, Parquet, and plain id lists.

Columns: id, image, question, answer, question_type, answer_type, origin, in front of them ``source`` where ids are
scoped by file. Texts are as written; a missing value is empty (null in JSON lines and Parquet).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from compsplit.files import csv_lines, sha256
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.spans import Written, row_places

Value = str | None


def _columns(table: QATable, part: str, split: Split) -> dict[str, list[Value]]:
    rows = np.flatnonzero(split.rows_in(part))
    rows = rows[np.argsort(row_places(table)[rows], kind="stable")]
    named = {"source": table.sources} if table.scoped else {}
    named |= {
        "image": table.images, "question": table.questions, "answer": table.answers,
        "question_type": table.question_types, "answer_type": table.answer_types, "origin": table.origins,
    }  # fmt: skip
    columns: dict[str, list[Value]] = {name: column.take(rows).values() for name, column in named.items()}
    ids: list[Value] = table.ids[rows].tolist()
    first = {"source": columns.pop("source")} if table.scoped else {}
    return {**first, "id": ids, **columns}


def _each_part(
    table: QATable,
    split: Split,
    folder: Path,
    ending: str,
    kind: str,
    put: Callable[[Path, dict[str, list[Value]]], None],
) -> list[Written]:
    written = []
    for part in split.parts:
        columns = _columns(table, part, split)
        path = folder / f"{part}{ending}"
        put(path, columns)
        written.append(Written(path.name, part, kind, len(columns["id"]), sha256(path)))
    return written


def _delimited(delimiter: str) -> Callable[[Path, dict[str, list[Value]]], None]:
    def put(path: Path, columns: dict[str, list[Value]]) -> None:
        values = [[value or "" for value in column] for column in columns.values()]
        text = delimiter.join(columns) + "\n" + csv_lines(values, delimiter)
        path.write_text(text, encoding="utf-8", newline="")

    return put


@register("writer", "csv", source="compsplit")
def write_csv(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write each part as CSV, whatever it came from."""
    return _each_part(table, split, folder, ".csv", "records", _delimited(","))


@register("writer", "tsv", source="compsplit")
def write_tsv(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write each part as TSV, whatever it came from."""
    return _each_part(table, split, folder, ".tsv", "records", _delimited("\t"))


@register("writer", "jsonl", source="compsplit")
def write_jsonl(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write each part as JSON lines, whatever it came from."""

    def put(path: Path, columns: dict[str, list[Value]]) -> None:
        names = list(columns)
        lines = (
            json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            for row in zip(*columns.values(), strict=True)
        )
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")

    return _each_part(table, split, folder, ".jsonl", "records", put)


@register("writer", "parquet", source="compsplit")
def write_parquet(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write each part as Parquet, whatever it came from."""
    import pyarrow
    import pyarrow.parquet

    def put(path: Path, columns: dict[str, list[Value]]) -> None:
        text = {name: pyarrow.array(values, type=pyarrow.string()) for name, values in columns.items()}
        pyarrow.parquet.write_table(pyarrow.table(text), path)

    return _each_part(table, split, folder, ".parquet", "records", put)


@register("writer", "ids", source="compsplit")
def write_ids(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write the ids of each part, one a line."""

    def put(path: Path, columns: dict[str, list[Value]]) -> None:
        path.write_text("".join(f"{name}\n" for name in columns["id"]), encoding="utf-8", newline="")

    return _each_part(table, split, folder, ".txt", "ids", put)

"""GQA's layout: an object of questions by id, one file a part, from questions of any format.

Source: Hudson and Manning 2019, arXiv 1902.09506. GQA's own records are copied byte for byte, whether they came in a
list or by id. Others are made of what is known: ``imageId``, ``question``, ``answer`` and, where columns of these
names are there as the reader ``gqa`` makes them, ``fullAnswer``, ``isBalanced``, ``types``, ``groups`` and
``semantic`` (without the ids of objects, which programs do not keep). What is lost: other columns, but not ``steps``,
which the program says. Cost: O(bytes).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.program import Program, gqa_program
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.layouts import by_source
from compsplit.writers.made_json import one_line
from compsplit.writers.rows import lost_columns, needed, questions
from compsplit.writers.spans import (
    Written,
    copy_records,
    framed,
    in_batches,
    row_places,
    rows_of_part,
    write_bytes,
)

_MEMBERS = {
    "full_answer": "fullAnswer", "balanced": "isBalanced", "structural": "types.structural",
    "semantic": "types.semantic", "detailed": "types.detailed", "group_local": "groups.local",
    "group_global": "groups.global", "program": "semantic",
}  # fmt: skip
"""Column -> the member that says it."""


@register("writer", "gqa", source="Hudson and Manning 2019, arXiv 1902.09506")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write GQA's files of questions by id, whatever the questions came from."""
    table = questions(table, "gqa")
    if table.format == "gqa":
        return _copied(table, split, folder)
    needed(table, "gqa", "image", "question")
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        lost = Counter(lost_columns(table, rows, *_MEMBERS, *(["steps"] if "program" in table.columns else [])))
        path = folder / f"{part}.json"
        digest = write_bytes(path, framed(b"{\n", b",\n", b"\n}\n", in_batches(_members(table, rows, lost))))
        written.append(Written(path.name, part, "questions", len(rows), digest, dict(lost)))
    return written


def _copied(table: QATable, split: Split, folder: Path) -> list[Written]:
    sources = by_source(table.records, "questions")
    keyed = np.zeros(len(table), dtype=bool)
    for records in sources:
        keyed[records.rows[records.rows >= 0]] = records.layout == "keyed"
    return copy_records(
        folder,
        lambda part: f"{part}.json",
        "questions",
        sources,
        split,
        row_places(table),
        lambda _: (b"{\n", b",\n", b"\n}\n"),
        _with_id(table, keyed),
    )


def _with_id(table: QATable, keyed: NDArray[np.bool_]) -> Callable[[bytes, int], bytes]:
    """Return what puts the row's id in front of its record."""

    def made(piece: bytes, row: int) -> bytes:
        if keyed[row] and not table.scoped:
            return piece
        if keyed[row]:
            text = piece.decode()
            _, end = json.JSONDecoder().raw_decode(text)
            piece = text[end:].lstrip().removeprefix(":").lstrip().encode()
        return one_line(str(table.ids[row])).encode() + b": " + piece

    return made


def _members(table: QATable, rows: NDArray[np.int64], lost: Counter[str]) -> Iterator[bytes]:
    for row in rows.tolist():
        yield f"{one_line(str(table.ids[row]))}: {one_line(_question(table, row, lost))}".encode()


def _question(table: QATable, row: int, lost: Counter[str]) -> dict[str, Any]:
    """Return what is known of a question, and count what is not."""
    record: dict[str, Any] = {"imageId": table.images[row], "question": table.questions[row]}
    if table.answers[row] is None:
        lost["no answer is known"] += 1
    else:
        record["answer"] = table.answers[row]
    for name, member in _MEMBERS.items():
        value: Any = table.columns[name][row] if name in table.columns else None
        if value is None:
            continue
        if name == "balanced":
            value = {"true": True, "false": False}.get(value)
        elif name == "program":
            value = _semantic(value)
        if value is None:
            lost[f"column {name}"] += 1
            continue
        outer, _, inner = member.partition(".")
        if inner:
            record.setdefault(outer, {})[inner] = value
        else:
            record[outer] = value
    return record


def _semantic(written: str) -> list[dict[str, Any]] | None:
    """Return a program in GQA's way, None where it would not be read back as it is.

    Example:
        >>> _semantic('[["select",["cup"],[],false]]')
        [{'operation': 'select', 'dependencies': [], 'argument': 'cup (-)'}]
    """
    try:
        program = Program.parse(written)
    except ValueError:
        return None
    steps = [
        (step.operation, (",".join(step.arguments) or "?") + ("" if step.exists else " (-)"), step.inputs)
        for step in program.steps
    ]
    if gqa_program(steps)[0] != program:
        return None
    return [{"operation": name, "dependencies": list(inputs), "argument": text} for name, text, inputs in steps]

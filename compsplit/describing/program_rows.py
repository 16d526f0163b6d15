"""What programs say of each question, as a file for people and programs: one line a question."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.describing.program_facts import NONE
from compsplit.describing.programs import DescribedPrograms
from compsplit.errors import UsageError
from compsplit.files import canonical_json, check_free_file, replaced
from compsplit.programs.labels import RULES

_BLOCK = 1 << 14
"""Lines that are put together at a time."""


def check_rows_file(path: Path, force: bool) -> None:
    """Raise if rows cannot be written there.

    Raises:
        UsageError: Its name does not say whether it should be CSV or JSON lines.
        OutputExistsError, FileError: As their messages say.
    """
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"{path.name} should end in .csv or .jsonl, which says how it is written.", field="--out")
    check_free_file(path, force)


def write_rows(found: DescribedPrograms, path: Path, *, force: bool = False) -> None:
    """Write one line a question, ordered by id as text; what is undefined is empty, or null in JSON lines.

    Raises:
        UsageError, OutputExistsError, FileError: As ``check_rows_file``.
    """
    check_rows_file(path, force)
    names, rows = rows_of(found)
    with replaced(path) as file:
        if path.suffix == ".csv":
            file.write(_delimited([names]))
        for first in range(0, len(rows), _BLOCK):
            block = rows[first : first + _BLOCK]
            if path.suffix == ".csv":
                file.write(_delimited(block))
            else:
                lines = (canonical_json(dict(zip(names, row, strict=True)), indent=None) for row in block)
                file.write("".join(lines).encode())


def _delimited(rows: Any) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def rows_of(found: DescribedPrograms) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the names of the columns, and one line a question, ordered by id as text; None for what is undefined."""
    table, facts = found.table, found.facts
    local, category = found.local_labels.values(), facts.global_label.values()
    columns: dict[str, list[Any]] = {
        "id": table.ids.tolist(),
        "image": table.images.values(),
        "structural": facts.structural.values(),
        "semantic": facts.semantic.values(),
        "steps_official": [None if n == NONE else n for n in facts.steps_official.tolist()],
        "steps_all": [None if n == NONE else n for n in facts.steps_all.tolist()],
        "local_label": local,
        "global_label": category,
        "label_rules": [None if one is other is None else RULES for one, other in zip(local, category, strict=True)],
        "canonical_program": facts.canonical.values(),
    }
    if found.answers is not None and found.join is not None:
        by_program: list[str | None] = [None] * len(table)
        for row, answer in zip(np.flatnonzero(found.join.kept).tolist(), found.answers.answers.values(), strict=True):
            by_program[row] = answer
        columns["answer_by_program"] = by_program
    order = sorted(range(len(table)), key=columns["id"].__getitem__)
    return tuple(columns), [[column[row] for column in columns.values()] for row in order]

"""CLEVR's layout: an object with ``info`` and a list ``questions``, one file a part, from questions of any format.

Source: Johnson et al. 2017, arXiv 1612.06890. CLEVR's own records are copied byte for byte, but those about several
images, of which each row becomes a question of its own. Others are made of what is known: ``image_filename``,
``question``, ``answer``, ``question_index`` (the row's id), ``split``, and, where columns of these names are there as
the reader ``clevr`` makes them, ``template_filename``, ``question_family_index`` and ``program``. Without a column
``split``, the part is the split. What is lost: other columns; family numbers of several files, which mean nothing
together; programs with steps that CLEVR does not have. Cost: O(bytes).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.program import Program
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.layouts import by_source, write_layout
from compsplit.writers.made_json import object_of
from compsplit.writers.rows import lost_columns, needed, questions
from compsplit.writers.spans import Written, row_places, rows_of_part, write_bytes

_SAID = ("split", "template", "family_in_file", "program")


@register("writer", "clevr", source="Johnson et al. 2017, arXiv 1612.06890")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write CLEVR's files of questions, whatever the questions came from."""
    table = questions(table, "clevr")
    if table.format == "clevr" and all(records.layout != "shared" for records in table.records) and not table.scoped:
        sources = by_source(table.records, "questions")
        return write_layout("object", "", sources, split, folder, row_places(table), "questions")
    needed(table, "clevr", "image", "question")
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        lost = Counter(lost_columns(table, rows, *_SAID))
        path = folder / f"{part}.json"
        info = {"split": part, "description": f"Questions of the format {table.format}, written by compsplit"}
        digest = write_bytes(
            path, object_of({"info": info}, "questions", _records(table, rows, part, lost), part, lost)
        )
        written.append(Written(path.name, part, "questions", len(rows), digest, dict(lost)))
    return written


def _records(table: QATable, rows: NDArray[np.int64], part: str, lost: Counter[str]) -> Iterator[dict[str, Any]]:
    one_file = len(table.sources.names) == 1
    for row in rows.tolist():
        said = {name: table.columns[name][row] if name in table.columns else None for name in _SAID}
        name = str(table.ids[row])
        where = said["split"] or part
        record: dict[str, Any] = {
            "image_filename": table.images[row],
            "question": table.questions[row],
            "split": where,
            # The reader puts the split in front of the index, where it may stand already.
            "question_index": _index(name.removeprefix(f"{where}:")),
        }
        if table.answers[row] is None:
            lost["no answer is known"] += 1
        else:
            record["answer"] = table.answers[row]
        if said["template"] is not None:
            record["template_filename"] = said["template"]
        if said["family_in_file"] is not None:
            if one_file:
                record["question_family_index"] = _index(said["family_in_file"].rpartition(":")[2])
            else:
                lost["column family_in_file"] += 1
        if said["program"] is not None:
            program = _program(said["program"])
            if program is None:
                lost["column program"] += 1
            else:
                record["program"] = program
        yield record


def _index(text: str) -> str | int:
    """Return a number as CLEVR has it, where it is one that is written as numbers are."""
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,17}", text, re.ASCII) else text


def _program(written: str) -> list[dict[str, Any]] | None:
    """Return a program in CLEVR's way, None where a step says what CLEVR's cannot.

    Example:
        >>> _program('[["scene",[],[]],["filter_color",["red"],[0]]]')[1]
        {'function': 'filter_color', 'inputs': [0], 'value_inputs': ['red']}
    """
    try:
        program = Program.parse(written)
    except ValueError:
        return None
    if not all(step.exists for step in program.steps):
        return None
    return [
        {"function": step.operation, "inputs": list(step.inputs), "value_inputs": list(step.arguments)}
        for step in program.steps
    ]

"""The official layout of VQA: a questions and an annotations file a part, from questions of any format.

Source: GT-Vision-Lab/VQA, the data format of the VQA releases. Records of VQA's own files are copied byte for byte;
others are made as ``vqa_records`` says. A file's header says what nobody knows, and of how many records:
``compsplit.lost``. Without any answer there is no annotations file, as of a test set. Cost: O(bytes + rows).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.writers.layouts import by_source, write_layout
from compsplit.writers.made_json import object_of
from compsplit.writers.rows import questions
from compsplit.writers.spans import Written, row_places, rows_of_part, write_bytes
from compsplit.writers.vqa_records import VqaRecords

_KINDS = ("questions", "annotations")


@register("writer", "vqa", source="GT-Vision-Lab/VQA")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write official VQA files, questions and annotations, whatever the questions came from."""
    table = questions(table, "vqa")
    kinds = {records.kind for records in table.records}
    if table.format == "vqa" and kinds <= set(_KINDS) and not table.scoped:
        return [
            each
            for kind in _KINDS
            if kind in kinds
            for each in write_layout(
                "object", f"_{kind}", by_source(table.records, kind), split, folder, row_places(table), kind
            )
        ]
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        made = VqaRecords(table, rows, "vqa", header=True)
        for kind in _KINDS if made.answered else _KINDS[:1]:
            records = made.questions() if kind == "questions" else made.annotations()
            path = folder / f"{part}_{kind}.json"
            # What is counted while the records are written stands behind them.
            digest = write_bytes(path, object_of(_header(table.format, made.origin), kind, records, part, made.lost))
            written.append(Written(path.name, part, kind, len(rows), digest, dict(made.lost)))
    return written


def _header(format: str, origin: str | None) -> dict[str, Any]:
    header: dict[str, Any] = {
        "info": {"description": f"Questions of the format {format}, written by compsplit"},
        "task_type": "Open-Ended",
    }
    return header if origin is None else {**header, "data_subtype": origin}

"""Bare JSON lists with ``coco_split`` in each record, as the files of VQA-CP have.

Source: Agrawal et al. 2018, arXiv 1712.00377 (the layout of its files). Records of VQA are otherwise byte for byte as
they came in; those of other formats are made as ``vqa_records`` says. ``coco_split`` is what the file's header says
the record is from, and is not added where that is not known. What is lost: headers, and of other formats what VQA's
records do not have.
"""

from __future__ import annotations

import json
from pathlib import Path

from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.layouts import by_source
from compsplit.writers.made_json import list_of
from compsplit.writers.rows import questions
from compsplit.writers.spans import Written, copy_records, row_places, rows_of_part, write_bytes
from compsplit.writers.vqa_records import VqaRecords


@register("writer", "bare-list", source="Agrawal et al. 2018, arXiv 1712.00377")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write bare JSON lists whose records say in coco_split where they are from (VQA-CP's layout)."""
    table = questions(table, "bare-list")
    return _copied(table, split, folder) if table.format == "vqa" else _made(table, split, folder)


def _made(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write lists of questions and of annotations, made of the rows."""
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        made = VqaRecords(table, rows, "bare-list", header=False)
        for kind in ("questions", "annotations") if made.answered else ("questions",):
            records = made.questions() if kind == "questions" else made.annotations()
            path = folder / f"{part}_{kind}.json"
            digest = write_bytes(path, list_of(records))
            written.append(Written(path.name, part, kind, len(rows), digest, dict(made.lost)))
    return written


def _copied(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write VQA's own records, with what they lack of coco_split."""
    origins = table.origins.values()

    def noted(piece: bytes, row: int) -> bytes:
        origin = origins[row]
        if origin is None or (b'"coco_split"' in piece and "coco_split" in json.loads(piece)):
            return piece
        body = piece.rstrip()[:-1].rstrip()
        return body + (b"" if body.endswith(b"{") else b", ") + b'"coco_split": ' + json.dumps(origin).encode() + b"}"

    kinds = list(dict.fromkeys(records.kind for records in table.records))
    written: list[Written] = []
    for kind in kinds:
        sources = by_source(table.records, kind)
        suffix = f"_{kind}" if len(kinds) > 1 else ""
        written += copy_records(
            folder,
            lambda part, suffix=suffix: f"{part}{suffix}.json",  # type: ignore[misc]  # a default binds the loop's value
            kind,
            sources,
            split,
            row_places(table),
            lambda _: (b"[\n", b",\n", b"\n]\n"),
            noted,
        )
    return written

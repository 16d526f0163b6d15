"""Bare JSON lists with ``coco_split`` in each record, as the files of VQA-CP have.

Source: Agrawal et al. 2018, arXiv 1712.00377 (the layout of its files). Records are otherwise byte for byte as they
came in; ``coco_split`` is what the file's header says the record is from, and is not added where that is not known.
"""

from __future__ import annotations

import json
from pathlib import Path

from compsplit.errors import UsageError
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.spans import Written, copy_records, row_places


@register("writer", "bare-list", source="Agrawal et al. 2018, arXiv 1712.00377")
def write(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write bare JSON lists whose records say in coco_split where they are from (VQA-CP's layout)."""
    if table.format != "vqa":
        raise UsageError(f"bare-list writes VQA records; these are {table.format}.", field="write.as")
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
        sources = sorted((r for r in table.records if r.kind == kind), key=lambda r: r.input.source if r.input else "")
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

"""The parts in the input's own format: every record byte for byte as it came in, headers kept, the part noted.

VQA's official layout gives a questions and an annotations file a part; lists, objects of records, lines, delimited
text and alternating lines give one file a part. Lines end in "\\n", the last one, too. Parquet and tables from Python
give Parquet. Scene graphs by image, CLEVR's, NLVR's and COCO's files come back likewise; the lists of names that VRD
counts in are copied beside its parts; COCO's annotations go with their image, its categories to every part. Records
that hold several rows are not torn, and a scene that several records tell of is none: this writer refuses them.
Nothing is lost.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from compsplit.errors import UsageError
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.writers.arrow import write_arrow
from compsplit.writers.layouts import by_source, copy_beside, write_layout, write_lists
from compsplit.writers.spans import Written, row_places


def _other(table: RowTable) -> str:
    return "scenes" if isinstance(table, SceneTable) else "jsonl"


def _check(table: RowTable) -> None:
    """Raise if records cannot be divided as they are.

    Raises:
        UsageError: A scene has no record of its own, records hold several rows, or their keys may meet in one object.
    """
    layouts = [records.layout for records in table.records]
    if "shared" in layouts:
        raise UsageError(
            f"A record of {table.format} holds several rows, which may be in different parts, so records cannot be "
            f"copied. Write another format: --set write.as={_other(table)}.",
            field="write.as",
        )
    if isinstance(table, SceneTable):
        told = np.zeros(len(table), dtype=bool)
        for records in table.records:
            told[records.rows[records.rows >= 0]] = True
        if not told.all():
            raise UsageError(
                f"A scene of {table.format} is no record of its own here, so records cannot be copied. Write another "
                "format: --set write.as=scenes.",
                field="write.as",
            )
    if layouts.count("keyed") > 1 and table.scoped:
        raise UsageError(
            "Ids are scoped by file here, so two records of one part may have the same key, which one object cannot "
            f"hold. Write another format: --set write.as={_other(table)}.",
            field="write.as",
        )


@register("writer", "same", source="compsplit", check=_check)
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write each part in the format that the data came in, records unchanged."""
    _check(table)
    if any(records.layout == "lists" for records in table.records):
        return write_lists(table.records, split, folder, row_places(table))
    kinds = list(dict.fromkeys(records.kind for records in table.records))
    written: list[Written] = []
    for kind in kinds:
        sources = by_source(table.records, kind)
        layouts = {records.layout for records in sources}
        if len(layouts) > 1:
            raise UsageError(
                f"The {kind} files have different layouts ({', '.join(sorted(layouts))}), which one file cannot have. "
                f"Write another format: --set write.as={_other(table)}.",
                field="write.as",
            )
        if layouts == {"arrow"}:
            written += write_arrow(sources, split, folder, row_places(table))
            continue
        suffix = f"_{kind}" if len(kinds) > 1 else ""
        written += write_layout(sources[0].layout, suffix, sources, split, folder, row_places(table))
    return [*written, *copy_beside(table.records, split, folder)]

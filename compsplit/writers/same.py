"""The parts in the input's own format: every record byte for byte as it came in, headers kept, the part noted.

VQA's official layout gives a questions and an annotations file a part; lists, objects of records, lines, delimited
text and alternating lines give one file a part. Lines end in "\\n", the last one, too. Parquet and tables from Python
give Parquet. Records that hold several rows are not torn: this writer refuses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.split import Split
from compsplit.model.table import QATable, Records
from compsplit.registry import register
from compsplit.writers.arrow import write_arrow
from compsplit.writers.headers import header_of
from compsplit.writers.spans import Written, copy_records, row_places

_ENDINGS = {"object": ".json", "keyed": ".json", "list": ".json", "lines": ".jsonl", "pairs": ".txt", "text": ".txt"}


@register("writer", "same", source="compsplit")
def write(table: QATable, split: Split, folder: Path) -> list[Written]:
    """Write each part in the format that the data came in, records unchanged."""
    _check(table)
    kinds = list(dict.fromkeys(records.kind for records in table.records))
    written: list[Written] = []
    for kind in kinds:
        sources = sorted((r for r in table.records if r.kind == kind), key=lambda r: r.input.source if r.input else "")
        layouts = {records.layout for records in sources}
        if len(layouts) > 1:
            raise UsageError(
                f"The {kind} files have different layouts ({', '.join(sorted(layouts))}), which one file cannot have. "
                "Write another format: --set write.as=jsonl.",
                field="write.as",
            )
        if layouts == {"arrow"}:
            written += write_arrow(sources, split, folder, row_places(table))
            continue
        written += _write_kind(kind, len(kinds) > 1, sources, split, folder, row_places(table))
    return written


def _check(table: QATable) -> None:
    """Raise if records cannot be divided as they are.

    Raises:
        UsageError: They hold several rows, or their keys may meet in one object.
    """
    layouts = [records.layout for records in table.records]
    if "shared" in layouts:
        raise UsageError(
            f"A record of {table.format} holds several rows, which may be in different parts, so records cannot be "
            "copied. Write another format: --set write.as=jsonl.",
            field="write.as",
        )
    if layouts.count("keyed") > 1 and table.scoped:
        raise UsageError(
            "Ids are scoped by file here, so two records of one part may have the same key, which one object cannot "
            "hold. Write another format: --set write.as=jsonl.",
            field="write.as",
        )


def _write_kind(
    kind: str, several: bool, sources: Sequence[Records], split: Split, folder: Path, places: NDArray[np.int64]
) -> list[Written]:
    layout = sources[0].layout
    suffix = f"_{kind}" if several else ""
    if layout == "rows":
        heads = {records.head.rstrip(b"\r\n") for records in sources}
        if len(heads) > 1:
            raise UsageError(
                "The files have different header lines, which one file cannot have. Write another format: "
                "--set write.as=csv.",
                field="write.as",
            )
        ending = ".tsv" if b"\t" in next(iter(heads)) else ".csv"
    else:
        ending = _ENDINGS[layout]

    def around(part: str) -> tuple[bytes, bytes, bytes]:
        if layout == "object":
            key = sources[0].key or kind
            return b"{" + header_of(sources, part) + f'"{key}": [\n'.encode(), b",\n", b"\n]}\n"
        if layout == "list":
            return b"[\n", b",\n", b"\n]\n"
        if layout == "keyed":
            return b"{\n", b",\n", b"\n}\n"
        if layout == "lines":
            return b"", b"\n", b"\n"
        return (next(iter(heads)) + b"\n" if layout == "rows" else b""), b"", b""

    # Line ends are no part of a record: what is written has "\n" on every system.
    ended = {"rows": _line, "text": _line, "pairs": _lines}.get(layout)
    return copy_records(folder, lambda part: f"{part}{suffix}{ending}", kind, sources, split, places, around, ended)


def _line(piece: bytes, _: int) -> bytes:
    return piece.removesuffix(b"\n").removesuffix(b"\r") + b"\n"


def _lines(piece: bytes, _: int) -> bytes:
    return _line(piece.replace(b"\r\n", b"\n"), _)

"""Files of copied records, one a part, in each layout that records come in.

An object with a list, an object of records by key, a list, lines, delimited text with a header line, and alternating
lines. Lines end in "\\n", the last one, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.files import sha256
from compsplit.model.split import Split
from compsplit.model.table import Records
from compsplit.writers.headers import header_of
from compsplit.writers.spans import Pieces, Written, copied, copy_records, framed, write_bytes

_ENDINGS = {"object": ".json", "keyed": ".json", "list": ".json", "lines": ".jsonl", "pairs": ".txt", "text": ".txt"}


def by_source(records: Sequence[Records], kind: str) -> list[Records]:
    """Return the records of a kind, file by file in the order of their names."""
    return sorted((r for r in records if r.kind == kind), key=lambda r: r.input.source if r.input else "")


def write_layout(
    layout: str,
    suffix: str,
    sources: Sequence[Records],
    split: Split,
    folder: Path,
    places: NDArray[np.int64],
    key: str | None = None,
) -> list[Written]:
    """Copy the records of one kind to one file a part.

    Args:
        layout: As those of ``Records``, of one file that is written.
        suffix: What stands behind the part in a file's name.
        sources: Where the records stand.
        split: The part of each row.
        folder: Where to.
        places: Records are written in this order of their rows; shape (n_rows,).
        key: The member that holds the list; that of the first source without it.

    Raises:
        UsageError: Delimited text has different header lines.
    """
    kind = sources[0].kind
    heads = {records.head.rstrip(b"\r\n") for records in sources}
    if layout == "rows":
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
            named = json.dumps(key or sources[0].key or kind, ensure_ascii=False).encode()
            return b"{" + header_of(sources, part) + named + b": [\n", b",\n", b"\n]}\n"
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


def write_lists(records: Sequence[Records], split: Split, folder: Path, places: NDArray[np.int64]) -> list[Written]:
    """Copy records of several lists to one object a part; records of no row go to every part.

    The first list that has rows counts as the records of a file.

    Raises:
        UsageError: Files have different records of no row.
    """
    kinds = list(dict.fromkeys(each.kind for each in records))
    sources = {kind: by_source(records, kind) for kind in kinds}
    written = []
    with ExitStack() as stack:
        pieces = {kind: [stack.enter_context(Pieces(each)) for each in found] for kind, found in sources.items()}
        for kind, found in sources.items():
            if all((each.rows < 0).all() for each in found):
                pieces[kind], sources[kind] = _shared(kind, pieces[kind], found, places)
        for p, part in enumerate(split.parts):
            n_records: dict[str, int] = {}

            def data(p: int = p, part: str = part, n_records: dict[str, int] = n_records) -> Iterator[bytes]:
                yield b"{" + header_of(sources[kinds[0]], part)
                for number, kind in enumerate(kinds):
                    rows = np.concatenate([each.rows for each in sources[kind]])
                    every = bool((rows < 0).all())
                    mine = np.ones(len(rows), dtype=bool) if every else (rows >= 0) & (split.part_of_row[rows] == p)
                    n_records[kind] = 0 if every else int(mine.sum())
                    before = (b",\n" if number else b"") + json.dumps(sources[kind][0].key or kind).encode() + b": [\n"
                    yield from framed(before, b",\n", b"\n]", copied(pieces[kind], sources[kind], mine, places))
                yield b"}\n"

            path = folder / f"{part}.json"
            digest = write_bytes(path, data())
            written.append(Written(path.name, part, kinds[0], n_records[kinds[0]], digest))
    return written


def _shared(
    kind: str, pieces: list[Pieces], sources: list[Records], places: NDArray[np.int64]
) -> tuple[list[Pieces], list[Records]]:
    """Return the first file's records of no row, which all files must have.

    Raises:
        UsageError: They differ.
    """
    told = []
    for piece, each in zip(pieces, sources, strict=True):
        wanted = np.ones(len(each.rows), dtype=bool)
        texts = (text for batch in copied([piece], [each], wanted, places) for text in batch)
        told.append(sorted(json.dumps(json.loads(text), sort_keys=True) for text in texts))
    if any(each != told[0] for each in told):
        raise UsageError(
            f"The files have different {kind}, which one file cannot have. Write another format: "
            "--set write.as=scenes.",
            field="write.as",
        )
    return pieces[:1], sources[:1]


def copy_beside(records: Sequence[Records], split: Split, folder: Path) -> list[Written]:
    """Copy the files without which records say nothing.

    Raises:
        UsageError: Inputs have different ones, or a part's file has the name of one.
    """
    found: dict[str, Path] = {}
    for name, path in (named for each in records for named in each.beside):
        if sha256(found.setdefault(name, path)) != sha256(path):
            raise UsageError(
                f"The inputs have different files {name}, and their records mean other things by them. Write another "
                "format: --set write.as=scenes.",
                field="write.as",
            )
    written = []
    for name, path in sorted(found.items()):
        if Path(name).stem in split.parts:
            raise UsageError(f"No part can be called {Path(name).stem} here: {name} is copied beside the parts.")
        (folder / name).write_bytes(path.read_bytes())
        written.append(Written(name, None, "names", 0, sha256(folder / name)))
    return written

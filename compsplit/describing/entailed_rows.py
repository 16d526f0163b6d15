"""Derived questions as a file: one line each, written image by image as they are derived."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from compsplit.describing.entailing import COLUMNS, Line, Write
from compsplit.describing.program_rows import check_rows_file
from compsplit.files import canonical_json, replaced


@contextmanager
def entailed_file(path: Path, *, force: bool = False) -> Iterator[Write]:
    """Give what writes lines to a file, which is there once all are; what is undefined is empty, or null in JSON lines.

    Raises:
        UsageError, OutputExistsError, FileError: As ``check_rows_file``.
    """
    check_rows_file(path, force)
    with replaced(path) as file:

        def delimited(lines: Sequence[Line]) -> None:
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="\n").writerows(lines)
            file.write(text.getvalue().encode())

        def as_json(lines: Sequence[Line]) -> None:
            written = (canonical_json(dict(zip(COLUMNS, line, strict=True)), indent=None) for line in lines)
            file.write("".join(written).encode())

        if path.suffix == ".csv":
            delimited([COLUMNS])
            yield delimited
        else:
            yield as_json

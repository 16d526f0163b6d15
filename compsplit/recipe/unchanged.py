"""Hold the records of each part file against those of the inputs: byte for byte, or written again."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import CompsplitError, counted, listed
from compsplit.files import sha256
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable, Records
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.promises import Promise
from compsplit.registry import plugin
from compsplit.writers.spans import Pieces

_Expected = dict[tuple[str, str], dict[bytes, list[str]]]
"""(part, kind) -> digest of a record -> the ids of the rows that have it."""


def records_unchanged(
    manifest: Mapping[str, Any], folder: Path, recipe: Recipe, table: RowTable, split: Split
) -> list[Promise]:
    """Return a promise for each part: its files hold the records of its rows, unchanged."""
    by_part: dict[str, list[str]] = {}
    for entry in manifest["outputs"]:
        if entry["part"] is not None:
            by_part.setdefault(entry["part"], []).append(entry["file"])
    # Scenes may be read with files beside them (names of classes), which the parts do not have.
    copied = (
        isinstance(table, QATable)
        and recipe.write.plugin.name == "same"
        and all(records.layout != "arrow" for records in table.records)
    )
    if copied:
        expected = _expected(table, split)
        columns = manifest["read"]["options"].get("columns")
        wrong = {
            part: _compared(part, [folder / name for name in names], table, expected, columns)
            for part, names in by_part.items()
        }
    else:
        wrong = _written_again(folder, recipe, table, split, by_part)
    return [
        Promise(
            f"{', '.join(names)}: the records of {part}, unchanged",
            not wrong[part],
            wrong[part] or ("byte for byte" if copied else "written again, the same"),
        )
        for part, names in by_part.items()
    ]


def _expected(table: RowTable, split: Split) -> _Expected:
    ids = table.ids.tolist()
    parts = split.part_of_row.tolist()
    expected: _Expected = {}
    for records in table.records:
        for digest, row in zip(_digests(records), records.rows.tolist(), strict=True):
            if row >= 0:
                by_digest = expected.setdefault((split.parts[parts[row]], records.kind), {})
                by_digest.setdefault(digest, []).append(ids[row])
    return expected


def _compared(
    part: str, paths: Sequence[Path], table: RowTable, expected: _Expected, columns: Mapping[str, str] | None
) -> str:
    """Return what differs between the part files and what they should hold, nothing if nothing does."""
    reader = plugin("reader", table.format)
    # Only where the records stand is asked for: ids that were told apart by their file may meet in a part.
    reading: dict[str, Any] = {n: True for n in ("new_ids", "allow_unjoined") if n in reader.options}
    if columns:
        reading["columns"] = columns
    try:
        written = reader.make(tuple(Input(path, path.stem) for path in paths), **reading)
    except CompsplitError as error:
        return error.message.rstrip(".")
    wrong = []
    for kind in sorted({kind for where, kind in expected if where == part}):
        got: Counter[bytes] = Counter()
        for records in written.records:
            if records.kind == kind:
                got.update(_digests(records))
        want = expected[part, kind]
        lost = [names[0] for digest, names in want.items() if got[digest] < len(names)]
        strange = sum(n - len(want.get(digest, ())) for digest, n in got.items() if n > len(want.get(digest, ())))
        if lost:
            wrong.append(f"{_told(len(lost), kind, part)} missing or changed (id {listed(sorted(lost))})")
        if strange:
            wrong.append(f"{_told(strange, kind, part)} not in the inputs")
    return "; ".join(wrong)


def _told(n: int, kind: str, part: str) -> str:
    return f"{counted(n, kind.removesuffix('s'), kind)} of {part} {'is' if n == 1 else 'are'}"


def _digests(records: Records) -> list[bytes]:
    """Return a digest of each record's bytes, line ends aside."""
    with Pieces(records) as piece:
        spans = zip(records.starts.tolist(), records.stops.tolist(), strict=True)
        ended = (piece(a, b).rstrip(b"\r\n") for a, b in spans)
        # The two lines of a pair are written with "\n" between them.
        folded = (text.replace(b"\r\n", b"\n") for text in ended) if records.layout == "pairs" else ended
        return [hashlib.blake2b(text, digest_size=16).digest() for text in folded]


def _written_again(
    folder: Path, recipe: Recipe, table: RowTable, split: Split, by_part: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return for each part which of its files differ from what the writer makes of the inputs now."""
    with tempfile.TemporaryDirectory() as aside:
        recipe.write.make(table, split, Path(aside))
        return {
            part: listed(
                f"{name} is not what the writer makes of the inputs"
                for name in names
                if not _same_content(folder / name, Path(aside) / name)
            )
            for part, names in by_part.items()
        }


def _same_content(one: Path, other: Path) -> bool:
    if not one.is_file() or not other.is_file():
        return False
    if sha256(one) == sha256(other):
        return True
    if one.suffix != ".parquet":
        return False
    import pyarrow
    import pyarrow.parquet

    try:
        # Another version of pyarrow may write the same table in other bytes.
        same = pyarrow.parquet.read_table(one).equals(pyarrow.parquet.read_table(other))
    except (pyarrow.ArrowException, OSError):
        return False
    return bool(same)

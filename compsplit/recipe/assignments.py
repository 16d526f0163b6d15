"""Who is in which part, read in columns: what ``id_lists`` reads, for splits of tens of millions of rows.

A delimited file, such as the ``assignment.csv`` of a run, is read by pyarrow: ids and groups are held as packed text,
parts as numbers, and no row is looked at in Python. JSON, text lists, compressed files, and any delimited file that
pyarrow does not take, go through ``id_lists``, which also says what is wrong with one. Cost: O(rows).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import UsageError
from compsplit.files import Bytes, compression
from compsplit.model.column import Codes, frozen
from compsplit.model.table import Input
from compsplit.recipe.id_lists import IDS, PARTS, SplitLists, list_files, read_id_lists

_GROUP = "group"
_HEAD = 1 << 16
"""Bytes that hold the line of names."""


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """The part of each row, in the order of the file.

    Attributes:
        ids: The ids, as a pyarrow array of text; none stands twice.
        part_of_row: A position in ``parts`` for each row.
        parts: Names of the parts that rows are in: train first, the others by name.
        group_of_row: A position in ``groups`` for each row, -1 for none; None where the file names no groups.
        groups: Names of the groups, as a pyarrow array of text.
    """

    ids: Any
    part_of_row: Codes
    parts: tuple[str, ...]
    group_of_row: Codes | None = None
    groups: Any = None

    def __len__(self) -> int:
        return len(self.part_of_row)


def read_assignment(split: SplitLists) -> Assignment:
    """Return the part of each id, and its group where the file has that column.

    Raises:
        CompsplitError: It is none of the lists that ``id_lists`` reads, or an id stands twice.
    """
    import pyarrow

    file = None if isinstance(split, Mapping) else _delimited(Path(split))
    found = None if file is None else _from_delimited(file)
    if found is not None:
        return found
    part_of_id = read_id_lists(split)
    ids = pyarrow.array(list(part_of_id), type=pyarrow.large_string())
    return _assignment(ids, pyarrow.array(list(part_of_id.values()), type=pyarrow.large_string()), None)


def _delimited(path: Path) -> Path | None:
    """Return the one plain file that may be delimited text, None where there is none."""
    if path.is_dir():
        path = path / "assignment.csv"
    return path if path.is_file() and compression(path) is None and path.stat().st_size else None


def _from_delimited(path: Path) -> Assignment | None:
    """Return what a delimited file says; None where it is no such file, or not a sound one."""
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv

    with Bytes(Input(path, path.stem)) as file:
        head = file.read(_HEAD).decode(errors="replace").partition("\n")[0].removesuffix("\r")
    delimiter = "\t" if "\t" in head else ","
    try:
        names = next(csv.reader([head], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None
    name = next((each for each in IDS if each in names), None)
    part = next((each for each in PARTS if each in names), None)
    if name is None or part is None or head[:1] in ("{", "["):
        return None
    wanted = [name, part, *([_GROUP] if _GROUP in names else [])]
    try:
        table = pyarrow.csv.read_csv(
            str(path),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=wanted, column_types=dict.fromkeys(wanted, pyarrow.large_string())
            ),
        )
    except pyarrow.ArrowException:
        return None
    columns = [column.combine_chunks() for column in table.columns]
    if any(pyarrow.compute.any(pyarrow.compute.equal(column, "")).as_py() for column in columns[:2]):
        return None
    return _assignment(columns[0], columns[1], columns[2] if len(columns) > 2 else None, path.name)


def _assignment(ids: Any, parts: Any, groups: Any, file: str = "") -> Assignment:
    codes, named = _coded(parts)
    written = named.to_pylist()
    ordered = sorted(written, key=lambda part: (part != "train", part))
    numbers = {part: number for number, part in enumerate(ordered)}
    part_of_row = np.array([numbers[part] for part in written], dtype=np.int32)[codes]
    _check_once(ids, part_of_row, ordered, file)
    if groups is None:
        return Assignment(ids, frozen(part_of_row), tuple(ordered))
    group_of_row, names = _coded(groups)
    nameless = names.index("").as_py()
    group_of_row = np.where(group_of_row == nameless, np.int32(-1), group_of_row).astype(np.int32)
    return Assignment(ids, frozen(part_of_row), tuple(ordered), frozen(group_of_row), names)


def _coded(texts: Any) -> tuple[Codes, Any]:
    """Return a number for each text, and the text of each number."""
    found = texts.dictionary_encode()
    return found.indices.to_numpy(zero_copy_only=False).astype(np.int32), found.dictionary


def _check_once(ids: Any, part_of_row: Codes, parts: list[str], file: str) -> None:
    """Raise if an id stands twice."""
    codes, names = _coded(ids)
    if len(names) == len(ids):
        return
    again = np.flatnonzero(np.bincount(codes) > 1)
    twice = min(names.take(again).to_pylist())
    places = np.flatnonzero(codes == names.index(twice).as_py())[:2]
    first, second = (parts[part] for part in part_of_row[places].tolist())
    raise UsageError(
        f'{file}: id "{twice}" stands in {first} and again in {second}.', file=file, record=twice, field="id"
    )


def files_of(split: SplitLists) -> tuple[Input, ...]:
    """Return the files that say the parts, for a manifest."""
    return tuple(Input(path, path.stem) for path in list_files(split))

"""Lists of ids that say each row's part: our folder, JSON ``{part: [ids]}``, CSV of id and part, a folder of texts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from compsplit.errors import BrokenFileError, FileError, Problem, RecordsError, UsageError, listed
from compsplit.files import text_of
from compsplit.model.table import Input

IDS = ("id", "question_id", "qid")
PARTS = ("part", "split")

_Entry = tuple[str, str, str]
"""Part, id, and the file that says so."""


SplitLists: TypeAlias = str | Path | Mapping[str, str | Path]
"""Where ids by part are: one path, or part -> text file of ids."""


def listed_files(split: SplitLists) -> str:
    """Return the names of the files, for messages."""
    return ", ".join(Path(each).name for each in (split.values() if isinstance(split, Mapping) else [split]))


def list_files(split: SplitLists | None) -> list[Path]:
    """Return the files that ``read_id_lists`` reads; none where there is no split."""
    if split is None:
        return []
    if isinstance(split, Mapping):
        return [Path(file) for file in split.values()]
    path = Path(split)
    if not path.is_dir():
        return [path]
    inner = path / "assignment.csv"
    return [inner] if inner.is_file() else sorted(path.glob("*.txt"))


def read_id_lists(split: SplitLists) -> dict[str, str]:
    """Return id -> part.

    Raises:
        CompsplitError: It is none of these, or an id stands twice.
    """
    if isinstance(split, Mapping):
        files = {part: Path(file) for part, file in split.items()}
        for file in files.values():
            if not file.is_file():
                raise FileError(str(file), "there is no such file")
        return _one_part_each((part, line, file.name) for part, file in files.items() for line in _lines(file))
    path = Path(split)
    if path.is_dir():
        inner = path / "assignment.csv"
        if inner.is_file():
            return _one_part_each(_from_delimited(inner))
        lists = sorted(path.glob("*.txt"))
        if not lists:
            raise FileError(str(path), "holds neither assignment.csv nor id lists (PART.txt)")
        return _one_part_each((file.stem, line, file.name) for file in lists for line in _lines(file))
    if not path.exists():
        raise FileError(str(path), "there is no such file")
    return _one_part_each(_from_json(path) if _text(path).lstrip()[:1] in ("{", "[") else _from_delimited(path))


def _text(path: Path) -> str:
    return text_of(Input(path, path.stem))


def _lines(path: Path) -> list[str]:
    return [line for line in _text(path).split("\n") if line]


def _from_json(path: Path) -> Iterator[_Entry]:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BrokenFileError(path.name, f'the key "{twice}" stands twice in one object')
        return dict(pairs)

    try:
        lists = json.loads(_text(path), object_pairs_hook=once)
    except ValueError as error:
        if isinstance(error, BrokenFileError):
            raise
        raise BrokenFileError(path.name, f"is not JSON ({error})") from error
    except RecursionError as error:
        raise BrokenFileError(path.name, "is nested too deeply for lists of ids") from error
    if not isinstance(lists, dict) or not all(isinstance(ids, list) for ids in lists.values()):
        raise BrokenFileError(path.name, "is not {part: [ids]}")
    for part, ids in lists.items():
        for number, name in enumerate(ids, 1):
            if type(name) not in (str, int) or name == "":
                raise RecordsError([Problem(path.name, number, part, f"{name!r} is no id")])
            yield part, str(name), path.name


def _from_delimited(path: Path) -> Iterator[_Entry]:
    text = _text(path)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        fields = reader.fieldnames or []
        name = next((field for field in IDS if field in fields), None)
        part = next((field for field in PARTS if field in fields), None)
        if name is None or part is None:
            raise BrokenFileError(path.name, f"needs columns id and part, has {listed(fields) or 'none'}")
        for number, row in enumerate(reader, 1):
            if not row.get(name) or not row.get(part):
                raise RecordsError([Problem(path.name, number, part if row.get(name) else name, "is missing")])
            yield str(row[part]), str(row[name]), path.name
    except csv.Error as error:
        raise BrokenFileError(
            path.name, f"record {number + 1} is not delimited text ({error})", record=number + 1
        ) from error


def _one_part_each(entries: Iterable[_Entry]) -> dict[str, str]:
    part_of_id: dict[str, str] = {}
    for part, name, file in entries:
        if name in part_of_id:
            raise UsageError(
                f'{file}: id "{name}" stands in {part_of_id[name]} and again in {part}.',
                file=file,
                record=name,
                field="id",
            )
        part_of_id[name] = part
    return part_of_id

"""Scenes as compsplit's own JSON lines, which the reader ``scenes`` reads back to the same scenes.

What is lost: members of the input's records that its reader does not read, such as boxes.

One scene a line, keys sorted. An object that has nothing but a class is written as the class name; an id is left out
where it is the object's place in its scene, from 0. Names are as they are counted: lower case, white space folded.
Cost: O(entries), one line at a time.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from compsplit.errors import UsageError
from compsplit.files import canonical_json, check_free_file, replaced
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.writers.rows import scenes
from compsplit.writers.spans import Written, in_batches, rows_of_part, write_bytes

_OWN = frozenset({"id", "image", "objects", "relations"})


@register("writer", "scenes", source="compsplit")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write the scenes of each part as compsplit's own JSON lines, whatever they came from."""
    table = scenes(table, "scenes")
    check_names(table.columns)
    written = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        lines = lines_of(table, rows.tolist(), {"image": table.images, **table.columns})
        path = folder / f"{part}.jsonl"
        digest = write_bytes(path, (b"".join(batch) for batch in in_batches(lines)))
        written.append(Written(path.name, part, "scenes", len(rows), digest))
    return written


def write_scenes(table: SceneTable, path: Path, *, force: bool = False) -> None:
    """Write scenes as JSON lines, packed where the name ends in .gz or .zst.

    Args:
        table: The scenes.
        path: Where to.
        force: Replace what is there.

    Raises:
        OutputExistsError: The file is there, and ``force`` is not set.
        UsageError: A column is called like a member that every scene has.
    """
    check_names(table.columns)
    check_free_file(path, force)
    with replaced(path) as file, _packing(file, path.suffix) as out:
        for line in lines_of(table, range(len(table)), {"image": table.images, **table.columns}):
            out.write(line)


def check_names(names: Iterable[str], *but: str) -> None:
    """Raise if a column is called like a member that every scene has.

    Args:
        names: The columns.
        but: Members that the columns say.

    Raises:
        UsageError: One is.
    """
    taken = sorted((_OWN - {*but}).intersection(names))
    if taken:
        what = f'The column "{taken[0]}" cannot be written: every scene has a member of that name. Rename it.'
        raise UsageError(what, field=taken[0])


@contextmanager
def _packing(file: IO[bytes], suffix: str) -> Iterator[Any]:
    if suffix == ".gz":
        # Without name and time the same scenes give the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
            yield out
    elif suffix == ".zst":
        import pyarrow

        with pyarrow.CompressedOutputStream(file, "zstd") as out:
            yield out
    else:
        yield file


def lines_of(table: SceneTable, rows: Iterable[int], columns: Mapping[str, Column]) -> Iterator[bytes]:
    """Yield the line of each of these scenes, with these columns."""
    check_names(columns, "image")
    further = _further(table)
    for s in rows:
        scene = {"id": table.ids[s], **_described(table, s, further)}
        for key, column in columns.items():
            value = column[s]
            if value is not None:
                scene[key] = value
        yield canonical_json(scene, indent=None).encode()


def _further(table: SceneTable) -> dict[int, list[str]]:
    """Return the further names of each object that has any."""
    further: dict[int, list[str]] = {}
    for place, name in zip(table.further_objects.tolist(), table.further_names.values(), strict=True):
        further.setdefault(place, []).append(str(name))
    return further


def lists_of(table: SceneTable, rows: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Yield the objects of each scene, and its relations if it has any, whose ends are places in the list."""
    further = _further(table)
    for s in rows:
        yield _described(table, s, further, by_place=True)


def _described(
    table: SceneTable, s: int, further: Mapping[int, list[str]], *, by_place: bool = False
) -> dict[str, Any]:
    first, last = int(table.object_starts[s]), int(table.object_starts[s + 1])
    ids: list[str] | None = None if table.object_ids is None else table.object_ids[first:last].tolist()
    scene: dict[str, Any] = {"objects": _objects(table, first, last, ids, further)}
    which = slice(int(table.relation_starts[s]), int(table.relation_starts[s + 1]))
    if which.stop > which.start:
        ends: list[str | int] = (
            [*range(last - first)] if ids is None or by_place else [_end(k, each) for k, each in enumerate(ids)]
        )
        scene["relations"] = [
            [ends[subject - first], table.predicates.names[predicate], ends[other - first]]
            for subject, predicate, other in zip(
                table.subjects[which].tolist(),
                table.predicates.codes[which].tolist(),
                table.objects[which].tolist(),
                strict=True,
            )
        ]
    return scene


def _end(place: int, name: str) -> str | int:
    """Return what relations call an object: its id, or its place where that is the id."""
    return place if name == str(place) else name


def _objects(
    table: SceneTable, first: int, last: int, ids: list[str] | None, further: Mapping[int, list[str]]
) -> list[str | dict[str, Any]]:
    written: list[str | dict[str, Any]] = []
    starts = table.attribute_starts[first : last + 1].tolist()
    classes, attributes = table.classes, table.attributes
    for k, code in enumerate(classes.codes[first:last].tolist()):
        described: dict[str, Any] = {"class": classes.names[code]} if code >= 0 else {}
        if ids is not None and ids[k] != str(k):
            described["id"] = ids[k]
        if starts[k + 1] > starts[k]:
            codes = attributes.codes[starts[k] : starts[k + 1]].tolist()
            described["attributes"] = [attributes.names[each] for each in codes]
        if first + k in further:
            described["names"] = further[first + k]
        written.append(described["class"] if described.keys() == {"class"} else described)
    return written

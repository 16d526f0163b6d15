"""Scenes as compsplit's own JSON lines, which the reader ``scenes`` reads back to the same scenes.

One scene a line, keys sorted. An object that has nothing but a class is written as the class name; an id is left out
where it is the object's place in its scene, from 0. Names are as they are counted: lower case, white space folded.
Cost: O(entries), one line at a time.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from compsplit.errors import UsageError
from compsplit.files import canonical_json, check_free_file, replaced
from compsplit.model.scenes import SceneTable

_OWN = frozenset({"id", "image", "objects", "relations"})


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
    taken = sorted(_OWN.intersection(table.columns))
    if taken:
        what = f'The column "{taken[0]}" cannot be written: every scene has a member of that name. Rename it.'
        raise UsageError(what, field=taken[0])
    check_free_file(path, force)
    with replaced(path) as file, _packing(file, path.suffix) as out:
        for scene in _scenes(table):
            out.write(canonical_json(scene, indent=None).encode())


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


def _scenes(table: SceneTable) -> Iterator[dict[str, Any]]:
    """Yield what each line says."""
    further: dict[int, list[str]] = {}
    for place, name in zip(table.further_objects.tolist(), table.further_names.values(), strict=True):
        further.setdefault(place, []).append(str(name))
    objects, relations = table.object_starts.tolist(), table.relation_starts.tolist()
    columns = {"image": table.images, **table.columns}
    for s, name in enumerate(table.ids.tolist()):
        first, last = objects[s], objects[s + 1]
        ids: list[str] | None = None if table.object_ids is None else table.object_ids[first:last].tolist()
        scene: dict[str, Any] = {"id": name, "objects": _objects(table, first, last, ids, further)}
        if relations[s + 1] > relations[s]:
            ends: list[str | int] = (
                [*range(last - first)] if ids is None else [_end(k, each) for k, each in enumerate(ids)]
            )
            which = slice(relations[s], relations[s + 1])
            scene["relations"] = [
                [ends[subject - first], table.predicates.names[predicate], ends[other - first]]
                for subject, predicate, other in zip(
                    table.subjects[which].tolist(),
                    table.predicates.codes[which].tolist(),
                    table.objects[which].tolist(),
                    strict=True,
                )
            ]
        for key, column in columns.items():
            value = column[s]
            if value is not None:
                scene[key] = value
        yield scene


def _end(place: int, name: str) -> str | int:
    """Return what relations call an object: its id, or its place where that is the id."""
    return place if name == str(place) else name


def _objects(
    table: SceneTable, first: int, last: int, ids: list[str] | None, further: dict[int, list[str]]
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

"""Scenes in tables: a list of objects in each row, or one object, or one relation a row.

Three layouts, told by the roles that columns play. ``objects`` (with ``relations``): a row is a scene; a cell is a JSON
list, or items with semicolons between them; a relation is ``subject|predicate|object`` by class, or a JSON list of
these. ``object`` (with ``attribute``): a row is an object. ``subject``, ``predicate``, ``object``: a row is a relation
of two objects. In the last two a scene is what the column ``scene`` names; without one each id is a scene; without ids
the rows of an image are one. Cost: O(rows log rows).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import Problem, RecordsError
from compsplit.model.column import Column, Texts, concatenated, texts
from compsplit.model.scenes import SceneTable
from compsplit.readers.building import IdScope, row_ids
from compsplit.readers.scene_building import SceneBuilder, Scenes

SCENE_ROLES: dict[str, tuple[str, ...]] = {
    "objects": ("objects", "object_names", "classes"),
    "relations": ("relations", "relationships", "triples"),
    "scene": ("scene", "scene_id"),
    "object": ("object", "obj", "object_name"),
    "attribute": ("attribute", "attr"),
    "subject": ("subject", "subj"),
    "predicate": ("predicate", "relation"),
}
"""Role -> the column names that are taken for it, the first that a table has."""

LISTS = ("objects", "relations")
"""Roles whose columns hold lists."""
_KEPT_PROBLEMS = 1000


def is_scene(roles: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Tell whether columns make scenes: objects are told by name, or no question and answer are there."""
    named = any(role in SCENE_ROLES for role in wanted)
    return ("objects" in roles or "object" in roles) and (named or not {"question", "answer"} & set(roles))


def scene_table(
    files: Sequence[tuple[str, int, Mapping[str, Column]]],
    columns: Mapping[str, Column],
    taken: set[str],
    *,
    id_scope: IdScope,
    new_ids: bool,
    **told: Any,
) -> SceneTable:
    """Return the scenes of a table.

    Args:
        files: Source, number of rows and columns by role of each file.
        columns: All columns by name, over all files.
        taken: Names of the columns that play a role of objects; they are no columns of the scenes.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Give the scenes new ids.
        told: Decisions and findings.

    Raises:
        RecordsError: A cell is no list, or a column differs within a scene.
        RepeatedIdError: An id names two scenes.
    """
    sizes = [n for _, n, _ in files]
    sources = [source for source, _, _ in files]
    n_rows = sum(sizes)
    source = Column(np.repeat(np.arange(len(sources), dtype=np.int32), sizes), tuple(sources))
    roles = {
        role: concatenated([found.get(role, Column.absent(n)) for _, n, found in files])
        for role in (*SCENE_ROLES, "id", "image")
    }
    has = {role: bool(column.names) for role, column in roles.items()}
    builder = SceneBuilder()
    if has["objects"]:
        first = np.arange(n_rows)
        scene = np.arange(n_rows)
        _listed(builder, roles["objects"], roles["relations"], sources, source)
        key = roles["id"]
    else:
        key = roles["scene"] if has["scene"] else roles["id"] if has["id"] else roles["image"]
        alone = has["id"] and not has["scene"]
        scene, first = _scenes(key, alone, n_rows, source, id_scope)
        _one_by_one(builder, roles, has, scene, len(first))
    with_ids = bool(key.names) and not new_ids
    written: list[Texts] = []
    file_of_scene = source.codes[first]
    for k in range(len(sources)):
        mine = first[file_of_scene == k]
        written.append(texts(str(name) for name in key.take(mine).values()) if with_ids else texts([""] * len(mine)))
    order = np.argsort(file_of_scene, kind="stable")
    first = first[order]
    images = roles["image"].take(first)
    ids, scoped = row_ids(
        written, sources, images, field="id", id_scope=id_scope if with_ids else "all", new_ids=not with_ids,
        file=sources[0],
    )  # fmt: skip
    further = {name: column for name, column in columns.items() if name not in taken}
    _constant(further, scene, first, ids)
    return builder.table(
        format="table",
        ids=ids,
        images=images,
        sources=source.take(first),
        columns={name: column.take(first) for name, column in further.items()},
        scoped=scoped,
        numbered=not with_ids,
        **told,
    )


def _scenes(
    key: Column, alone: bool, n_rows: int, source: Column, id_scope: IdScope
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the scene of each row, and the first row of each scene; scenes in the order of their first rows."""
    if alone or not key.names:
        return np.arange(n_rows), np.arange(n_rows)
    values = np.where(key.codes >= 0, key.codes.astype(np.int64), len(key.names) + np.arange(n_rows))
    if id_scope == "file":
        values = values * len(source.names) + source.codes
    _, first, scene = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[scene], first[order]


def _one_by_one(
    builder: SceneBuilder,
    roles: Mapping[str, Column],
    has: Mapping[str, bool],
    scene: NDArray[np.int64],
    n_scenes: int,
) -> None:
    """Give scenes whose objects, or relations of two objects, are rows."""
    order = np.argsort(scene, kind="stable")
    rows = np.bincount(scene, minlength=n_scenes)
    objects = roles["object"].take(order).values()
    if not has["subject"]:
        attributes = roles["attribute"].take(order)
        there = attributes.codes >= 0
        builder.extend(
            rows.tolist(),
            objects,
            n_attributes=there.astype(np.int64).tolist(),
            attributes=[name for name in attributes.values() if name is not None],
        )
        return
    subjects = roles["subject"].take(order).values()
    classes = [name for pair in zip(subjects, objects, strict=True) for name in pair]
    place = 2 * (np.arange(len(order)) - np.repeat(np.cumsum(rows) - rows, rows))
    builder.extend(
        (2 * rows).tolist(),
        classes,
        n_relations=rows.tolist(),
        subjects=place.tolist(),
        predicates=roles["predicate"].take(order).values(),
        objects=(place + 1).tolist(),
    )


def _listed(builder: SceneBuilder, objects: Column, relations: Column, sources: Sequence[str], source: Column) -> None:
    """Give scenes whose objects stand in one cell."""
    problems: list[Problem] = []
    flat = Scenes()
    starts = np.searchsorted(source.codes, np.arange(len(sources)))
    for row, (cell, triples) in enumerate(zip(objects.values(), relations.values(), strict=True)):
        file = int(source.codes[row])
        place = sources[file], row - int(starts[file]) + 1
        try:
            names, attributes = _objects(cell)
            flat.n_objects.append(len(names))
            flat.classes += names
            flat.n_attributes += map(len, attributes)
            flat.attributes += [each for some in attributes for each in some]
            n = 0
            for subject, predicate, other in _triples(triples):
                flat.subjects.append(names.index(subject) if subject in names else -1)
                flat.predicates.append(predicate)
                flat.objects.append(_other(names, subject, other))
                n += 1
            flat.n_relations.append(n)
        except ValueError as error:
            if len(problems) < _KEPT_PROBLEMS:
                problems.append(Problem(place[0], place[1], None, str(error)))
    if problems:
        raise RecordsError(problems)
    flat.give(builder)


def _other(names: Sequence[str | None], subject: str, other: str) -> int:
    """Return the place of the object of a relation: another object of that class where the subject has it, too."""
    places = [k for k, name in enumerate(names) if name == other]
    return places[-1] if places else -1


def _items(cell: str | None, what: str) -> list[Any]:
    if cell is None:
        return []
    if cell.lstrip().startswith("["):
        try:
            found = json.loads(cell)
        except ValueError as error:
            raise ValueError(f"{what} begin like a JSON list and are none ({error})") from error
        return list(found)
    return [item for item in cell.split(";") if item.strip()]


def _objects(cell: str | None) -> tuple[list[str | None], list[list[str]]]:
    """Return class and attributes of each object of a cell."""
    names: list[str | None] = []
    attributes: list[list[str]] = []
    for item in _items(cell, "objects"):
        if isinstance(item, str):
            names.append(item.strip())
            attributes.append([])
        elif isinstance(item, dict) and isinstance(item.get("class"), str):
            names.append(item["class"].strip())
            attributes.append([each for each in item.get("attributes") or () if isinstance(each, str)])
        else:
            raise ValueError('an object is a class name, or {"class", "attributes"}')
    return names, attributes


def _triples(cell: str | None) -> list[tuple[str, str, str]]:
    triples = []
    for item in _items(cell, "relations"):
        members = [each.strip() for each in item.split("|")] if isinstance(item, str) else item
        if not isinstance(members, list) or len(members) != 3 or not all(isinstance(each, str) for each in members):
            raise ValueError("a relation is subject|predicate|object, or a JSON list of the three")
        triples.append((members[0].strip(), members[1], members[2].strip()))
    return triples


def _constant(columns: Mapping[str, Column], scene: NDArray[np.int64], first: NDArray[np.int64], ids: Texts) -> None:
    """Raise if a column of the scenes differs between rows of one scene."""
    if len(first) == len(scene):
        return
    problems = []
    first_of_scene = np.empty(len(first), dtype=np.int64)
    first_of_scene[scene[first]] = first
    place = np.empty(len(first), dtype=np.int64)
    place[scene[first]] = np.arange(len(first))
    for name, column in columns.items():
        differs = np.flatnonzero(column.codes != column.codes[first_of_scene[scene]])
        if len(differs):
            row = int(differs[0])
            known = str(ids[place[scene[row]]])
            problems.append(
                Problem(known, row + 1, name, f"is {column[row]!r}, and another row of scene {known} says otherwise")
            )
    if problems:
        raise RecordsError(problems)

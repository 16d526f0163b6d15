"""Scenes in tables: a list of objects in each row, or one object, or one relation a row.

Three layouts, told by the roles that columns play:

* ``objects`` or ``relations``: a row is a scene. A cell is a JSON list, or items with semicolons between them. An
  object is a class name or, in JSON, an object as in the format ``scenes``. A relation is ``subject|predicate|object``,
  a JSON list of the three or an object of these members; its ends are class names, or places in the list of objects. A
  class stands for its first object in the scene, for its second one where both ends are of that class. Without
  ``objects`` those that the relations name are the objects.
* ``object`` (with ``attribute``): a row is an object. Its attributes are one, or a list as above.
* ``subject``, ``predicate``, ``object``: a row is a relation. Nothing tells objects of a class apart, so that a class
  is one object in a scene, and two where a relation joins it to itself.

In the last two the rows with the same value of the column ``scene`` are one scene. Without that column each id is a
scene, and ids differ; without ids the rows of an image are one. Cost: O(rows log rows).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingFieldError, Problem, RecordsError, UsageError, counted, listed
from compsplit.model.column import Column, Texts, concatenated, texts
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable
from compsplit.readers.building import IdScope, row_ids
from compsplit.readers.scene_building import ABSENT, SceneBuilder, Scenes, dangling, plain_name
from compsplit.readers.scenes import Described, give_objects, objects_of

SCENE_ROLES: dict[str, tuple[str, ...]] = {
    "objects": ("objects", "object_names", "classes"),
    "relations": ("relations", "relationships", "triples"),
    "scene": ("scene", "scene_id"),
    "object": ("object", "obj", "object_name", "class"),
    "attribute": ("attribute", "attr", "attributes"),
    "subject": ("subject", "subj"),
    "predicate": ("predicate", "relation"),
}
"""Role -> the column names that are taken for it, the first that a table has."""

LISTS = ("objects", "relations", "attribute")
"""Roles whose columns may hold lists."""

_LAYOUTS = {
    "lists": ("objects", "relations"),
    "relations": ("subject", "predicate", "object"),
    "objects": ("object", "attribute"),
}
"""Layout -> the roles that it knows besides scene, id and image."""

_KEYS = ("scene", "id", "image")
_ASKS = frozenset({"question", "answer"})
_OF_SCENES = frozenset({"split", "part", "subset", "fold", "set", "image", "origin", "source"})
"""Columns that cannot differ within a scene, whatever else the rows of a table tell of their objects."""

_KEPT_PROBLEMS = 1000


def scene_roles(roles: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the roles that make scenes of a table's rows, none where they are questions.

    Args:
        roles: Role -> column name, of all roles that some column plays.
        wanted: The roles that the user named.

    Raises:
        UsageError: What the user named does not fit together.
    """
    asked = [role for role in wanted if role in SCENE_ROLES]
    if asked and not _ASKS.isdisjoint(wanted):
        both = listed(f"{role}={wanted[role]}" for role in wanted)
        raise UsageError(
            f"A table holds questions or scenes, and --column names roles of both: {both}.", field="--column"
        )
    if not asked and not _ASKS.isdisjoint(roles):
        return {}
    layout = _layout(roles, asked)
    if layout is None:
        if asked:
            raise UsageError(
                f"No column is known as objects, so that {asked[0]}={wanted[asked[0]]} says nothing; name one with "
                "--column objects=NAME (a list in each row) or --column object=NAME (an object in each row).",
                field="--column",
            )
        return {}
    known = (*_LAYOUTS[layout], *_KEYS)
    for role in asked:
        if role not in known:
            raise UsageError(
                f"The role {role} does not go with {listed(role for role in _LAYOUTS[layout] if role in roles)}.",
                field="--column",
            )
    # Beside a column of scenes, ids are those of rows: a column like others.
    return {role: roles[role] for role in known if role in roles and not (role == "id" and "scene" in roles)}


def _layout(roles: Mapping[str, str], asked: Sequence[str]) -> str | None:
    single = {"object", "attribute", "subject", "predicate"}
    lists = "objects" in roles or "relations" in asked
    if lists and (single.isdisjoint(asked) or not {"objects", "relations"}.isdisjoint(asked)):
        return "lists"
    if "object" not in roles:
        return None
    return "relations" if "subject" in roles and "attribute" not in asked else "objects"


@dataclass(frozen=True, slots=True)
class SceneRows:
    """The rows of one file.

    Attributes:
        name: What messages call it.
        source: What ids call it.
        n: How many rows it has.
        roles: Role -> column name.
        columns: Its columns by name.
    """

    name: str
    source: str
    n: int
    roles: Mapping[str, str]
    columns: Mapping[str, Column]

    def role(self, role: str) -> Column:
        """Return the column that plays a role, without any value where none does."""
        return self.named(self.roles.get(role, ""))

    def named(self, name: str) -> Column:
        """Return a column by name, without any value where there is none."""
        return self.columns[name] if name in self.columns else Column.absent(self.n)

    @property
    def key(self) -> str | None:
        """The role that tells scenes apart."""
        return next((role for role in _KEYS if role in self.roles), None)


def scene_table(
    files: Sequence[SceneRows], *, id_scope: IdScope, new_ids: bool, findings: Sequence[Finding]
) -> SceneTable:
    """Return the scenes of a table.

    Args:
        files: Its rows, file by file.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Each row is a scene of its own, and they are numbered.
        findings: What was found before.

    Raises:
        MissingFieldError: A file lacks a column that others have, or nothing tells scenes apart.
        RecordsError: A cell is no list, a row has no scene, or a column differs within a scene.
        RepeatedIdError: An id names two scenes.
    """
    layout = _common_layout(files)
    key = None if new_ids else files[0].key
    if key is None and layout == "objects" and "attribute" not in files[0].roles and not new_ids:
        mend = "Say which column tells the scenes apart with --column scene=NAME"
        raise MissingFieldError("scene, id or image column", list(files[0].columns), file=files[0].name, mend=mend)
    builder = SceneBuilder()
    written: list[Texts] = []
    firsts: list[NDArray[np.int64]] = []
    missing: list[tuple[str, str, str]] = []
    differing: dict[str, str] = {}
    for file in files:
        # Images hold several rows each; ids that do are an error.
        grouped = key == "scene" or (key == "image" and layout != "lists")
        scene, first = _scenes(file, key, grouped)
        names = [""] * len(first) if key is None else [str(name) for name in file.role(key).take(first).values()]
        for name, known_by in _differing(file, scene, first, names):
            differing.setdefault(name, known_by)
        if layout == "lists":
            _give_lists(builder, file, names, missing)
        elif layout == "objects":
            _give_objects(builder, file, scene, len(first))
        else:
            _give_relations(builder, file, scene, len(first))
        written.append(texts(names))
        firsts.append(first)
    taken = {file.roles[role] for file in files for role in file.roles}
    images = concatenated([file.role("image").take(first) for file, first in zip(files, firsts, strict=True)])
    ids, scoped = row_ids(
        written, [file.source for file in files], images, field=files[0].roles.get(key or "", "id"),
        id_scope="all" if key is None else id_scope, new_ids=key is None, file=files[0].name, noun="row",
        mend=None if layout == "lists" else f"Pass --column scene={files[0].roles.get(key or '')} to make the rows of "
        "an id one scene, or --new-ids to number them",
    )  # fmt: skip
    further = dict.fromkeys(name for file in files for name in file.columns if name not in taken | set(differing))
    return builder.table(
        format="table",
        ids=ids,
        images=images,
        sources=concatenated([_constant(file.source, len(first)) for file, first in zip(files, firsts, strict=True)]),
        columns={
            name: concatenated([file.named(name).take(first) for file, first in zip(files, firsts, strict=True)])
            for name in further
        },
        scoped=scoped,
        numbered=key is None,
        rules=_rules(layout, files),
        decisions={"rows numbered, no column tells scenes apart": len(ids) if key is None and not new_ids else 0},
        findings=(*findings, *dangling(missing), *_told(differing)),
    )


def _common_layout(files: Sequence[SceneRows]) -> str:
    first = files[0]
    single = "relations" if "subject" in first.roles else "objects"
    layout = single if {"objects", "relations"}.isdisjoint(first.roles) else "lists"
    wanted = [role for role in (*_LAYOUTS[layout], first.key) if role in first.roles]
    for file in files[1:]:
        for role in wanted:
            if role not in file.roles:
                mend = f"{first.name} has one; name it with --column {role}=NAME"
                raise MissingFieldError(f"{role} column", list(file.columns), file=file.name, mend=mend)
    return layout


def _rules(layout: str, files: Sequence[SceneRows]) -> dict[str, Any]:
    """Return what every count repeats."""
    if layout == "relations" or (layout == "lists" and "objects" not in files[0].roles):
        return {"object": "one a class and scene"}
    return {"ends of relations": "by class"} if layout == "lists" and "relations" in files[0].roles else {}


def _constant(name: str, n: int) -> Column:
    return Column(np.zeros(n, dtype=np.int32), (name,))


def _scenes(file: SceneRows, key: str | None, grouped: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the scene of each row, and the first row of each scene; scenes in the order of their first rows.

    Raises:
        RecordsError: A row has no scene.
    """
    every = np.arange(file.n)
    if key is None:
        return every, every
    codes = file.role(key).codes
    lacking = np.flatnonzero(codes < 0).tolist()
    if lacking:
        problems = [
            Problem(file.name, row + 1, file.roles[key], "is missing, and tells the scenes apart") for row in lacking
        ]
        raise RecordsError(problems[:_KEPT_PROBLEMS], len(problems))
    if not grouped:
        return every, every
    # Codes are numbered by first rows, so that scenes come in the order of theirs.
    _, first, scene = np.unique(codes, return_index=True, return_inverse=True)
    return scene, first


def _differing(
    file: SceneRows, scene: NDArray[np.int64], first: NDArray[np.int64], names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the columns that differ between rows of one scene, and the first such scene.

    Raises:
        RecordsError: One of them is a part, an image or an origin.
    """
    if len(first) == file.n:
        return
    problems = []
    taken = {name for role, name in file.roles.items() if role != "image"}
    image = file.roles.get("image")
    for name, column in file.columns.items():
        if name in taken:
            continue
        rows = np.flatnonzero(column.codes != column.codes[first[scene]])
        if not len(rows):
            continue
        row = int(rows[0])
        known_by = names[int(scene[row])]
        if name == image or name.lower() in _OF_SCENES:
            said, before = (column[int(k)] for k in (row, first[scene[row]]))
            what = f"is {said!r}, but {before!r} in row {first[scene[row]] + 1} of the same scene, {known_by}"
            problems.append(Problem(file.name, row + 1, name, what))
        yield name, known_by
    if problems:
        raise RecordsError(problems)


def _told(differing: Mapping[str, str]) -> tuple[Finding, ...]:
    if not differing:
        return ()
    return (
        Finding(
            kind="columns-of-objects",
            count=len(differing),
            first=tuple(list(differing.items())[:5]),
            message=f"{counted(len(differing), 'column differs', 'columns differ')} between the rows of a scene, so "
            f"that scenes cannot be told by {listed(differing)} (column, first scene).",
        ),
    )


def _plain(column: Column) -> Column:
    return column.renamed([plain_name(name) or None for name in column.names])


def _give_objects(builder: SceneBuilder, file: SceneRows, scene: NDArray[np.int64], n_scenes: int) -> None:
    """Give scenes whose objects are rows."""
    order = np.argsort(scene, kind="stable")
    attributes = file.role("attribute")
    # A cell is taken apart once, however many rows have it.
    each: list[list[str]] = []
    problems: list[Problem] = []
    for code, cell in enumerate(attributes.names):
        try:
            each.append(_attributes(cell))
        except ValueError as error:
            row = int(np.flatnonzero(attributes.codes == code)[0])
            problems.append(Problem(file.name, row + 1, file.roles["attribute"], str(error)))
            each.append([])
    if problems:
        raise RecordsError(problems[:_KEPT_PROBLEMS], len(problems))
    of_rows = [each[code] if code >= 0 else [] for code in attributes.codes[order].tolist()]
    builder.extend(
        np.bincount(scene, minlength=n_scenes).tolist(),
        file.role("object").take(order).values(),
        n_attributes=list(map(len, of_rows)),
        attributes=(name for some in of_rows for name in some),
    )


def _attributes(cell: str) -> list[str]:
    found = _items(cell)
    if not all(isinstance(name, str) for name in found):
        raise ValueError("is no list of attribute names")
    return found


def _give_relations(builder: SceneBuilder, file: SceneRows, scene: NDArray[np.int64], n_scenes: int) -> None:
    """Give scenes whose relations are rows."""
    order = np.argsort(scene, kind="stable")
    subjects, others = (_plain(file.role(role)).take(order).values() for role in ("subject", "object"))
    triples = zip(subjects, file.role("predicate").take(order).values(), others, strict=True)
    flat = Scenes()
    for n in np.bincount(scene, minlength=n_scenes).tolist():
        _give_by_name(flat, list(itertools.islice(triples, n)))
    flat.give(builder)


def _give_by_name(flat: Scenes, triples: Sequence[tuple[str | None, str | None, str | None]]) -> None:
    """Add a scene of relations: a class is one object, and two where a relation joins it to itself."""
    place: dict[tuple[str | None, int], int] = {}
    for k, (subject, predicate, other) in enumerate(triples):
        # Objects without a name are never the same.
        one = (subject, 0 if subject else 2 * k)
        two = (other, int(other == subject) if other else 2 * k + 1)
        flat.subjects.append(place.setdefault(one, len(place)))
        flat.predicates.append(predicate)
        flat.objects.append(place.setdefault(two, len(place)))
    flat.n_objects.append(len(place))
    flat.classes += [name for name, _ in place]
    flat.n_attributes += [0] * len(place)
    flat.n_relations.append(len(triples))


def _give_lists(
    builder: SceneBuilder, file: SceneRows, names: Sequence[str], missing: list[tuple[str, str, str]]
) -> None:
    """Give scenes whose objects and relations stand in one cell each."""
    problems: list[Problem] = []
    flat = Scenes()
    cells = zip(names, file.role("objects").values(), file.role("relations").values(), strict=True)
    for number, (name, objects_cell, relations_cell) in enumerate(cells, 1):
        field = "objects"
        try:
            objects = _objects(objects_cell)
            field = "relations"
            triples = [_triple(item) for item in _items(relations_cell)]
        except ValueError as error:
            problems.append(Problem(file.name, number, file.roles.get(field), str(error)))
            continue
        if "objects" not in file.roles:
            _give_by_name(flat, [(str(subject), predicate, str(other)) for subject, predicate, other in triples])
            continue
        places: dict[str, list[int]] = {}
        for k, each in enumerate(objects):
            places.setdefault(plain_name(each.name or ""), []).append(k)
        for subject, predicate, other in triples:
            ends = _ends(places, len(objects), subject, other)
            if ABSENT in ends:
                absent = str(subject if ends[0] == ABSENT else other)
                missing.append((name or f"{file.source}:{number}", f"{subject} {predicate} {other}", absent))
            flat.subjects.append(ends[0])
            flat.predicates.append(predicate)
            flat.objects.append(ends[1])
        flat.n_relations.append(len(triples))
        flat.n_objects.append(len(objects))
        give_objects(flat, objects)
    if problems:
        raise RecordsError(problems[:_KEPT_PROBLEMS], len(problems))
    flat.give(builder)


def _ends(places: Mapping[str, Sequence[int]], n_objects: int, subject: str | int, other: str | int) -> tuple[int, int]:
    """Return the places of both ends of a relation; where they are of one class, the class's first two objects."""
    same = isinstance(subject, str) and isinstance(other, str) and subject == other
    found = []
    for end, nth in ((subject, 0), (other, int(same))):
        if isinstance(end, int):
            found.append(end if 0 <= end < n_objects else ABSENT)
        else:
            of_class = places.get(end, ()) if end else ()
            found.append(of_class[nth] if nth < len(of_class) else ABSENT)
    return found[0], found[1]


def _items(cell: str | None) -> list[Any]:
    """Return the items of a cell: those of a JSON list, or texts with semicolons between them.

    Example:
        >>> _items("cup; hat;"), _items('["cup", "hat"]')
        (['cup', ' hat'], ['cup', 'hat'])
    """
    if cell is None or not cell.strip():
        return []
    if cell.lstrip().startswith("["):
        try:
            return list(json.loads(cell))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"begins like a JSON list and is none ({error})") from error
    items = cell.split(";")
    return items if items[-1].strip() else items[:-1]


def _objects(cell: str | None) -> list[Described]:
    return objects_of(_items(cell))


def _triple(item: Any) -> tuple[str | int, str, str | int]:
    members = item.split("|") if isinstance(item, str) else item
    if isinstance(item, dict) and item.keys() == {"subject", "predicate", "object"}:
        members = [item["subject"], item["predicate"], item["object"]]
    if (
        not isinstance(members, list)
        or len(members) != 3
        or not isinstance(members[1], str)
        or not all(type(end) in (str, int) for end in members)
    ):
        raise ValueError(f"a relation is subject|predicate|object or a JSON list of the three, not {item!r}")
    subject, predicate, other = members
    return _end(subject), predicate, _end(other)


def _end(written: str | int) -> str | int:
    return plain_name(written) if isinstance(written, str) else written

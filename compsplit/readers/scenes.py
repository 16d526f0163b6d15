"""compsplit's own scenes: JSON lines, or lists, of objects and relations; every scene format can be turned into it.

A line is ``{"id", "objects": [{"id", "class", "attributes"}], "relations": [[subject id, predicate, object id]]}``.
Objects may be bare class names: then relations name them by their place, from 0. ``image`` and further members with
plain values are columns of the scene. An object of lists, ``{"train": [...], "test": [...]}``, is read list by list,
and the column ``part`` says which. Cost: O(bytes), one block of scenes at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compsplit.errors import Problem, RecordsError
from compsplit.files import Bytes
from compsplit.model.column import frozen, texts
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.json_spans import type_name
from compsplit.readers.scene_building import ABSENT, SceneBuilder, SceneIds, Scenes, dangling
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import register

_BATCH = 2000
"""Scenes that are given to the builder at a time."""
_OWN = ("id", "objects", "relations", "image")


@register("reader", "scenes", source="compsplit")
def read(
    files: Sequence[Input],
    *,
    aliases: Mapping[str, str] | None = None,
    vocabulary: Mapping[str, str] | None = None,
    keep_object_ids: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read compsplit's scenes.

    Args:
        files: Files of JSON lines or lists.
        aliases: objects, predicates or attributes -> file of ``name,alias,alias`` lines.
        vocabulary: objects, predicates or attributes -> file of the names that are kept.
        keep_object_ids: Keep the objects' ids, to join questions.
        id_scope: ``"file"`` qualifies each id by its file.

    Raises:
        RecordsError, RepeatedIdError: As their messages say.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "id")
    kept: list[str] = []
    missing: list[tuple[str, str, str]] = []
    problems: list[Problem] = []
    for file in files:
        ids.begin(file.source)
        flat = Scenes()
        for number, part, scene in _scenes(file):
            before = len(flat.n_objects)
            try:
                name, known = _add(flat, scene, missing)
            except _WrongField as wrong:
                problems.append(Problem(file.name, number, wrong.field, wrong.what))
                del flat.n_objects[before:]
                continue
            columns = {
                key: value for key, value in scene.items() if key not in _OWN and type(value) in (str, int, float)
            }
            if part is not None:
                columns["part"] = part
            image = scene.get("image")
            ids.add(name, None if image is None else str(image), **columns)
            if keep_object_ids:
                kept += known
            if len(flat.n_objects) == _BATCH:
                flat.give(builder)
                flat = Scenes()
        if problems:
            raise RecordsError(problems)
        flat.give(builder)
    more: dict[str, Any] = {"object_ids": frozen(texts(kept))} if keep_object_ids else {}
    table = builder.table(format="scenes", findings=dangling(missing), **ids.fields(files[0].name), **more)
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


class _WrongField(ValueError):
    """What is wrong with a field of a scene."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(what)
        self.field = field
        self.what = what


def _scenes(file: Input) -> Iterator[tuple[int, str | None, dict[str, Any]]]:
    """Yield number, part and members of each scene."""
    lists = _is_object_of_lists(file)
    stream: JsonRecords[Any] = JsonRecords(file, list[dict[str, Any]] if lists else dict[str, Any], keyed=lists)
    number = 0
    for block in stream:
        if lists:
            for part, scenes in zip(block.keys, block.records, strict=True):
                for scene in scenes:
                    number += 1
                    yield number, part, scene
        else:
            yield from ((n, None, scene) for n, scene in zip(block.numbers.tolist(), block.records, strict=True))
    stream.finish()


def _is_object_of_lists(file: Input) -> bool:
    """Tell whether the first member of the file's first object is a list of objects, and no scene's."""
    with Bytes(file, text=False) as stream:
        head = stream.read(1 << 12).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    key, colon, rest = head.removeprefix("{").lstrip().partition(":")
    return head.startswith("{") and bool(colon) and rest.lstrip().startswith("[") and key.strip().strip('"') not in _OWN


def _add(flat: Scenes, scene: dict[str, Any], missing: list[tuple[str, str, str]]) -> tuple[str, list[str]]:
    """Add a scene and return its id and those of its objects.

    Raises:
        _WrongField: A field is missing or of a wrong type.
    """
    name = scene.get("id")
    if type(name) not in (str, int) or name == "":
        raise _WrongField("id", "is missing" if name is None else f"is {type_name(name)}, expected text")
    objects = scene.get("objects")
    if not isinstance(objects, list):
        raise _WrongField("objects", "is missing" if objects is None else f"is {type_name(objects)}, expected a list")
    relations = scene.get("relations") or []
    if not isinstance(relations, list):
        raise _WrongField("relations", f"is {type_name(relations)}, expected a list")
    known: dict[str, int] = {}
    described = [_described(each, k) for k, each in enumerate(objects)]
    for k, (known_by, _, _) in enumerate(described):
        if known.setdefault(known_by, k) != k:
            raise _WrongField("objects", f"two objects have the id {known_by}")
    triples = []
    for each in relations:
        if not isinstance(each, list) or len(each) != 3:
            raise _WrongField("relations", "a relation is [subject id, predicate, object id]")
        if not isinstance(each[1], str) or not all(type(end) in (str, int) for end in (each[0], each[2])):
            raise _WrongField("relations", "a relation is ids of objects around a text")
        triples.append((str(each[0]), each[1], str(each[2])))
    for one, predicate, other in triples:
        ends = known.get(one, ABSENT), known.get(other, ABSENT)
        if ABSENT in ends:
            missing.append((str(name), f"{one} {predicate} {other}", one if ends[0] == ABSENT else other))
        flat.subjects.append(ends[0])
        flat.predicates.append(predicate)
        flat.objects.append(ends[1])
    flat.n_objects.append(len(objects))
    flat.n_relations.append(len(triples))
    for _, label, attributes in described:
        flat.classes.append(label)
        flat.n_attributes.append(len(attributes))
        flat.attributes += attributes
    return str(name), list(known)


def _described(given: Any, place: int) -> tuple[str, str | None, list[str | None]]:
    """Return id, class and attributes of an object."""
    if isinstance(given, str):
        return str(place), given, []
    if not isinstance(given, dict):
        raise _WrongField("objects", f"an object is {type_name(given)}, expected a class name or an object")
    known_by, label, attributes = given.get("id", place), given.get("class"), given.get("attributes")
    if type(known_by) not in (str, int):
        raise _WrongField("objects", f"the id of an object is {type_name(known_by)}, expected text")
    if label is not None and not isinstance(label, str):
        raise _WrongField("objects", f"the class of an object is {type_name(label)}, expected text")
    if isinstance(attributes, str):
        attributes = [attributes]
    if attributes is not None and not (
        isinstance(attributes, list) and all(each is None or isinstance(each, str) for each in attributes)
    ):
        raise _WrongField("objects", "the attributes of an object are a list of texts")
    return str(known_by), label, attributes or []

"""compsplit's own scenes: JSON lines of objects and relations; ``compsplit convert`` turns every scene format into it.

A line is ``{"id", "objects": [{"id", "class", "attributes", "names"}], "relations": [[subject, predicate, object]]}``.
An object may be a bare class name. Relations name objects by id; an object without an id has its place in the list,
from 0, as its id. ``names`` are further names, which take part in no pair. ``image`` and all further members with a
plain value are columns of the scene. A JSON list of such scenes is read, too, and so is an object of lists,
``{"train": [...], "test": [...]}``, whose column ``part`` says which list a scene stands in. docs/formats.md has more.
Cost: O(bytes), one block of scenes at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.errors import Problem, RecordsError
from compsplit.files import Bytes
from compsplit.model.column import frozen, texts
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input, Records
from compsplit.readers.building import IdScope, not_number_findings
from compsplit.readers.json_lists import JsonLists
from compsplit.readers.json_records import Block, JsonRecords
from compsplit.readers.json_spans import type_name
from compsplit.readers.scene_building import ABSENT, SceneBuilder, SceneIds, Scenes, Standing, dangling
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import UserFile, register

OWN = ("id", "objects", "relations", "image")
"""Members of a scene that are no columns."""

_KEPT_PROBLEMS = 1000


@register("reader", "scenes", source="compsplit")
def read(
    files: Sequence[Input],
    *,
    aliases: Mapping[str, UserFile] | None = None,
    vocabulary: Mapping[str, UserFile] | None = None,
    keep_object_ids: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read compsplit's own scenes.

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
    object_ids: list[str] = []
    missing: list[tuple[str, str, str]] = []
    not_numbers: list[str] = []
    records: list[Records] = []
    for file in files:
        ids.begin(file.source)
        standing, first = Standing(), builder.n_scenes
        problems: list[Problem] = []
        n_problems = 0
        stream: JsonLists | JsonRecords[dict[str, Any]]
        if _is_object_of_lists(file):
            stream = JsonLists(file, {}, dict[str, Any])
            blocks: Iterator[tuple[str | None, Block[dict[str, Any]]]] = iter(stream)
        else:
            stream = JsonRecords(file, dict[str, Any])
            blocks = ((None, block) for block in stream)
        for part, block in blocks:
            flat = Scenes()
            for number, scene in zip(block.numbers.tolist(), block.records, strict=True):
                try:
                    found = _Scene.of(scene, part)
                except _WrongFieldError as wrong:
                    n_problems += 1
                    if len(problems) < _KEPT_PROBLEMS:
                        field = f"{part}.{wrong.field}" if part else wrong.field
                        problems.append(Problem(file.name, number, field, wrong.what))
                    continue
                ids.add(found.id, found.image, **found.columns)
                found.give(flat, missing)
                if keep_object_ids:
                    object_ids += [each.id for each in found.objects]
            flat.give(builder)
            standing.add(block.starts, block.stops)
        stream.finish()
        if isinstance(stream, JsonRecords):
            records.append(standing.records(file, stream.header, first))
        if problems:
            raise RecordsError(problems, n_problems)
        not_numbers += [f"{file.source}:{number}" for number in stream.not_numbers]
    more: dict[str, Any] = {"object_ids": frozen(texts(object_ids))} if keep_object_ids else {}
    table = builder.table(
        format="scenes",
        findings=(*dangling(missing), *not_number_findings(not_numbers)),
        # A scene says part of what it is by the list that it stands in, where there are several.
        records=tuple(records) if len(records) == len(files) else (),
        **ids.fields(files[0].name),
        **more,
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


class _WrongFieldError(ValueError):
    """What is wrong with a field of a scene."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(what)
        self.field = field
        self.what = what


def _is_object_of_lists(file: Input) -> bool:
    """Tell whether the first member of the file's first object is a list, and not one that a scene has."""
    with Bytes(file, text=False) as stream:
        head = stream.read(1 << 12).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    key, colon, rest = head.removeprefix("{").lstrip().partition(":")
    return head.startswith("{") and bool(colon) and rest.lstrip().startswith("[") and key.strip().strip('"') not in OWN


@dataclass(frozen=True, slots=True)
class Described:
    """An object of a scene."""

    id: str
    name: str | None
    attributes: Sequence[str | None]
    further: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Scene:
    """One scene, checked."""

    id: str
    image: str | None
    objects: Sequence[Described]
    relations: Sequence[tuple[str, str | None, str]]
    columns: Mapping[str, str]

    @classmethod
    def of(cls, scene: Mapping[str, Any], part: str | None) -> _Scene:
        """Return the scene that a record says.

        Raises:
            _WrongFieldError: A field is missing or of a wrong type.
        """
        name, image = scene.get("id"), scene.get("image")
        if type(name) not in (str, int) or name == "":
            raise _wrong("id", name, "text")
        if image is not None and type(image) not in (str, int):
            raise _wrong("image", image, "text")
        try:
            objects = objects_of(scene.get("objects"))
        except ValueError as error:
            raise _WrongFieldError("objects", str(error)) from error
        relations = scene.get("relations")
        if relations is None:
            relations = []
        if not isinstance(relations, list):
            raise _wrong("relations", relations, "a list")
        columns = {key: _plain(value) for key, value in scene.items() if key not in OWN}
        if part is not None and columns.setdefault("part", part) != part:
            raise _WrongFieldError("part", f'is {columns["part"]}, but the scene stands in the list "{part}"')
        known = {key: value for key, value in columns.items() if value is not None}
        return cls(str(name), None if image is None else str(image), objects, list(map(_relation, relations)), known)

    def give(self, flat: Scenes, missing: list[tuple[str, str, str]]) -> None:
        """Add the scene to flat lists, and relations to absent objects to those that are missing."""
        place = {each.id: k for k, each in enumerate(self.objects)}
        for one, predicate, other in self.relations:
            subject, object_ = place.get(one, ABSENT), place.get(other, ABSENT)
            if ABSENT in (subject, object_):
                missing.append((self.id, f"{one} {predicate} {other}", one if subject == ABSENT else other))
            flat.subjects.append(subject)
            flat.predicates.append(predicate)
            flat.objects.append(object_)
        flat.n_relations.append(len(self.relations))
        flat.n_objects.append(len(self.objects))
        give_objects(flat, self.objects)


def give_objects(flat: Scenes, objects: Sequence[Described]) -> None:
    """Add the objects of one scene to flat lists."""
    for each in objects:
        flat.further_objects += [len(flat.classes)] * len(each.further)
        flat.further_names += each.further
        flat.classes.append(each.name)
        flat.n_attributes.append(len(each.attributes))
        flat.attributes += each.attributes


def objects_of(given: Any) -> list[Described]:
    """Return the objects of a scene.

    Raises:
        ValueError: It is no list of class names or objects, or an id stands twice; says so.
    """
    if not isinstance(given, list):
        raise ValueError("is missing" if given is None else f"is {type_name(given)}, expected a list")
    objects = [_described(each, k) for k, each in enumerate(given)]
    if len({each.id for each in objects}) < len(objects):
        met: set[str] = set()
        for each in objects:
            if each.id in met:
                raise ValueError(f"two objects have the id {each.id}")
            met.add(each.id)
    return objects


def _described(given: Any, place: int) -> Described:
    if isinstance(given, str):
        return Described(str(place), given, ())
    if not isinstance(given, dict):
        raise ValueError(f"object {place} is {type_name(given)}, expected a class name or an object")
    known_by, name = given.get("id"), given.get("class")
    if known_by is not None and type(known_by) not in (str, int):
        raise ValueError(f"the id of object {place} is {type_name(known_by)}, expected text")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"the class of object {place} is {type_name(name)}, expected text")
    further = _texts_of(given, "names", place)
    if None in further:
        raise ValueError(f"a name of object {place} is null, expected text")
    return Described(
        str(place) if known_by is None else str(known_by), name, _texts_of(given, "attributes", place),
        [each for each in further if each is not None],
    )  # fmt: skip


def _texts_of(given: Mapping[str, Any], member: str, place: int) -> Sequence[str | None]:
    """Return a list of texts that an object has; null in it is a blank one."""
    listed = given.get(member)
    if listed is None:
        return ()
    if not isinstance(listed, list):
        raise ValueError(f"the {member} of object {place} are {type_name(listed)}, expected a list of texts")
    for each in listed:
        if each is not None and not isinstance(each, str):
            raise ValueError(f"one of the {member} of object {place} is {type_name(each)}, expected text")
    return listed


def _relation(given: Any) -> tuple[str, str | None, str]:
    if not isinstance(given, list) or len(given) != 3:
        found = f"a list of {len(given)}" if isinstance(given, list) else type_name(given)
        raise _WrongFieldError("relations", f"one is {found}, expected [subject, predicate, object]")
    subject, predicate, other = given
    for end in (subject, other):
        if type(end) not in (str, int):
            raise _WrongFieldError("relations", f"one names an object by {type_name(end)}, expected its id or place")
    if predicate is not None and not isinstance(predicate, str):
        raise _WrongFieldError("relations", f"a predicate is {type_name(predicate)}, expected text")
    return str(subject), predicate, str(other)


def _plain(value: Any) -> str | None:
    """Return a column's value as text; None where it has none, or one that is not plain."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) and value != "" else None


def _wrong(field: str, given: Any, expected: str) -> _WrongFieldError:
    what = (
        "is missing" if given is None else "is empty" if given == "" else f"is {type_name(given)}, expected {expected}"
    )
    return _WrongFieldError(field, what)

"""Visual Genome: scene graphs, or the separate files of objects, relationships, attributes and image data.

Source: Krishna et al. 2017, arXiv 1602.07332; the layouts of versions 1.0 to 1.4, told apart by their members. Files of
different kinds are joined by image; objects are looked up by id inside their own image only. Without objects, those
are the objects that relationships or attributes name. An object's class is its first name; with ``names = "all"`` the
others are concepts of its scene, too, but take part in no pair; with ``names = "synsets"`` the first synset stands for
the name, also of predicates. Cost: O(bytes); one image at a time, or as many as the files' orders are apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from compsplit.errors import JoinError, Problem, RecordsError, counted
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import ABSENT, SceneBuilder, SceneIds, Scenes, dangling
from compsplit.readers.scene_graphs import SceneGraphs, Usual
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import register

_KEYS = ("scene_graphs", "images", "data")
_BATCH = 2000
"""Images that are given to the builder at a time."""
_UNKNOWN_COCO = (None, -1, "", "-1")


class _Object(msgspec.Struct):
    object_id: int | str | None = None
    id: int | str | None = None
    names: list[str | None] | None = None
    name: str | None = None
    attributes: list[str | None] | str | None = None

    @property
    def known_by(self) -> int | str | None:
        return self.id if self.object_id is None else self.object_id

    @property
    def all_names(self) -> list[str]:
        return [name for name in (*(self.names or ()), self.name) if name and name.strip()]


class _ObjectWithSynsets(_Object):
    synsets: list[str | None] | None = None


class _Relationship(msgspec.Struct):
    predicate: str | None = None
    relationship_id: int | str | None = None
    id: int | str | None = None
    subject_id: int | str | None = None
    object_id: int | str | None = None
    subject: int | str | _Object | None = None
    object: int | str | _Object | None = None


class _RelationshipWithSynsets(_Relationship):
    subject: int | str | _ObjectWithSynsets | None = None
    object: int | str | _ObjectWithSynsets | None = None
    synsets: list[str | None] | None = None


class _Image(msgspec.Struct):
    image_id: int | str | None = None
    id: int | str | None = None
    coco_id: int | str | None = None
    objects: list[_Object] | None = None
    relationships: list[_Relationship] | None = None
    attributes: list[_Object] | None = None

    @property
    def known_by(self) -> str | None:
        found = self.id if self.image_id is None else self.image_id
        return None if found is None else str(found)


class _ImageWithSynsets(_Image):
    objects: list[_ObjectWithSynsets] | None = None  # type: ignore[assignment]  # a narrower type to decode
    relationships: list[_RelationshipWithSynsets] | None = None  # type: ignore[assignment]  # the same
    attributes: list[_ObjectWithSynsets] | None = None  # type: ignore[assignment]  # the same


Names = Literal["first", "all", "synsets"]


@register("reader", "visual-genome", source="Krishna et al. 2017, arXiv 1602.07332")
def read(
    files: Sequence[Input],
    *,
    names: Names = "first",
    aliases: Mapping[str, str] | None = None,
    vocabulary: Mapping[str, str] | None = None,
    allow_unjoined: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read scene graphs of Visual Genome, or its files of objects, relationships, attributes and image data.

    Args:
        files: The files.
        names: What an object is called: its first name, all of its names, or its first synset.
        aliases: objects, predicates or attributes -> file of ``name,alias,alias`` lines.
        vocabulary: objects, predicates or attributes -> file of the names that are kept.
        allow_unjoined: Read images that a file lacks with what the others have, and count them.
        id_scope: ``"file"`` qualifies each image id by its file.

    Raises:
        JoinError: An image is in one file and not in another.
        RecordsError, RepeatedIdError: As their messages say.
    """
    taken = _Taken(names)
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image_id")
    kinds = {file: _kinds(file) for file in files}
    if names == "first" and set(kinds.values()) == {("objects", "relationships")}:
        for file in files:
            _read_graphs(file, ids, builder, taken)
        sources = []
    elif len(set(kinds.values())) == 1:
        sources = [(file.source, _images(file, names)) for file in files]
    else:
        merged = _Merged(kinds, names, allow_unjoined)
        sources = [("+".join(file.source for file in files), iter(merged))]
    for source, images in sources:
        ids.begin(source)
        flat = Scenes()
        for name, image in images:
            ids.add(name, name, coco_id=None if image.coco_id in _UNKNOWN_COCO else image.coco_id)
            taken.add(flat, name, image)
            if len(flat.n_objects) == _BATCH:
                flat.give(builder)
                flat = Scenes()
        flat.give(builder)
    decisions = dict(taken.counts)
    if len(set(kinds.values())) != 1 and merged.n_unjoined:
        decisions["images read though a file lacks them"] = merged.n_unjoined
    table = builder.table(
        format="visual-genome",
        rules={"names": names},
        findings=(*dangling(taken.missing), *taken.findings()),
        decisions=decisions,
        **ids.fields(files[0].name),
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


def _read_graphs(file: Input, ids: SceneIds, builder: SceneBuilder, taken: _Taken) -> None:
    """Read a file of scene graphs, usual images as numbers and any other image by itself."""
    ids.begin(file.source)
    stream = SceneGraphs(file, _Image, _KEYS, builder)
    problems: list[Problem] = []
    for found in stream.runs():
        if isinstance(found, Usual):
            ids.extend(found.ids)
            found.give(builder)
            continue
        number, image = found
        name = image.known_by
        if name is None:
            problems.append(Problem(file.name, number, "image_id", "is missing"))
            continue
        flat = Scenes()
        ids.add(name, name, coco_id=None if image.coco_id in _UNKNOWN_COCO else image.coco_id)
        taken.add(flat, name, image)
        flat.give(builder)
    stream.finish()
    if problems:
        raise RecordsError(problems)


def _images(file: Input, names: Names) -> Iterator[tuple[str, _Image]]:
    """Yield the images of a file with their ids."""
    record = _ImageWithSynsets if names == "synsets" else _Image
    stream: JsonRecords[_Image] = JsonRecords(file, record, _KEYS)
    problems: list[Problem] = []
    for block in stream:
        for number, image in zip(block.numbers.tolist(), block.records, strict=True):
            name = image.known_by
            if name is None:
                problems.append(Problem(file.name, number, "image_id", "is missing"))
                continue
            yield name, image
    stream.finish()
    if problems:
        raise RecordsError(problems)


def _kinds(file: Input) -> tuple[str, ...]:
    """Return which lists the images of a file have, by its first image that has one."""
    first: dict[str, None] = {}
    for n, (_, image) in enumerate(_images(file, "first")):
        first |= {kind: None for kind in ("objects", "relationships", "attributes") if getattr(image, kind) is not None}
        if first or n == _BATCH:
            break
    return tuple(sorted(first))


class _Merged:
    """Images whose lists stand in different files, put together as soon as every file has given its share."""

    def __init__(self, kinds: Mapping[Input, tuple[str, ...]], names: Names, allow_unjoined: bool) -> None:
        self._kinds = kinds
        self._names: Names = names
        self._allow = allow_unjoined
        self.n_unjoined = 0

    def __iter__(self) -> Iterator[tuple[str, _Image]]:
        groups: dict[tuple[str, ...], list[Input]] = {}
        for file, kind in self._kinds.items():
            groups.setdefault(kind, []).append(file)
        streams = {kind: self._chained(found) for kind, found in groups.items()}
        waiting: dict[str, dict[tuple[str, ...], _Image]] = {}
        met: dict[tuple[str, ...], set[str]] = {kind: set() for kind in groups}
        live = dict(streams)
        while live:
            for kind in list(live):
                found = next(live[kind], None)
                if found is None:
                    del live[kind]
                    continue
                name, image = found
                if name in met[kind]:
                    files = ", ".join(file.name for file in groups[kind])
                    raise RecordsError([Problem(files, 0, "image_id", f"image {name} stands twice")])
                met[kind].add(name)
                waiting.setdefault(name, {})[kind] = image
                if len(waiting[name]) == len(groups):
                    yield name, _put_together(waiting.pop(name).values())
        if waiting and not self._allow:
            lacking = {
                " and ".join(kind) or "image data": sorted(name for name, parts in waiting.items() if kind not in parts)
                for kind in groups
            }
            raise JoinError(
                len(met[next(iter(groups))]) - len(waiting),
                {f"images without {kind}": names for kind, names in lacking.items()},
                file=next(iter(self._kinds)).name,
                what="Files of Visual Genome",
                field="image_id",
            )
        self.n_unjoined = len(waiting)
        for name in sorted(waiting):
            yield name, _put_together(waiting[name].values())

    def _chained(self, files: Sequence[Input]) -> Iterator[tuple[str, _Image]]:
        for file in files:
            yield from _images(file, self._names)


def _put_together(images: Any) -> _Image:
    whole = _Image()
    for image in images:
        for name in ("coco_id", "objects", "relationships", "attributes"):
            value = getattr(image, name)
            if value is not None and (name != "coco_id" or value not in _UNKNOWN_COCO):
                setattr(whole, name, value)
    return whole


@dataclass(slots=True)
class _Taken:
    """Turns images into flat lists, and counts what it meets."""

    names: Names
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    itself: list[tuple[str, str]] = field(default_factory=list)
    unnamed: list[tuple[str, str]] = field(default_factory=list)
    synsets: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    def add(self, flat: Scenes, image: str, record: _Image) -> None:
        objects = record.objects
        if objects is None:
            objects = self._named_elsewhere(record)
        elif record.attributes is not None:
            self._give_attributes(objects, record.attributes)
        place: dict[int | str | None, int] = {each.known_by: k for k, each in enumerate(objects)}
        if len(place) < len(objects):
            self._count(
                "objects whose id stands twice in an image, relations go to the last", len(objects) - len(place)
            )
        first = len(flat.classes)
        flat.n_objects.append(len(objects))
        if self.names == "first":
            for each in objects:
                given = each.names
                flat.classes.append(given[0] if given and given[0] else next(iter(each.all_names), None))
        else:
            self._name(flat, objects, first)
        if self.names != "synsets" and None in flat.classes[first:]:
            nameless = zip(objects, flat.classes[first:], strict=True)
            self.unnamed += [(image, str(each.known_by)) for each, name in nameless if name is None]
        for each in objects:
            attributes = each.attributes
            if attributes is None:
                flat.n_attributes.append(0)
            elif isinstance(attributes, str):
                self._count("attributes given as one text", 1)
                flat.n_attributes.append(1)
                flat.attributes.append(attributes)
            else:
                flat.n_attributes.append(len(attributes))
                flat.attributes += attributes
        relationships = record.relationships or ()
        flat.n_relations.append(len(relationships))
        for each_relation in relationships:
            self._relate(flat, image, each_relation, place)

    def _relate(self, flat: Scenes, image: str, relation: _Relationship, place: Mapping[int | str | None, int]) -> None:
        ends = (_end(relation.subject_id, relation.subject), _end(relation.object_id, relation.object))
        subject, other = place.get(ends[0], ABSENT), place.get(ends[1], ABSENT)
        if subject == ABSENT or other == ABSENT:
            known_by = relation.id if relation.relationship_id is None else relation.relationship_id
            absent = ends[0] if subject == ABSENT else ends[1]
            self.missing.append((image, str(known_by), str(absent)))
        elif subject == other:
            known_by = relation.id if relation.relationship_id is None else relation.relationship_id
            self.itself.append((image, str(known_by)))
        flat.subjects.append(subject)
        flat.objects.append(other)
        if self.names == "synsets":
            synset = _first(getattr(relation, "synsets", None))
            self.synsets[2] += synset is not None
            self.synsets[3] += 1
            flat.predicates.append(synset)
        else:
            flat.predicates.append(relation.predicate)

    def _name(self, flat: Scenes, objects: Sequence[_Object], first: int) -> None:
        """Name objects by their synset, or by all of their names."""
        for k, each in enumerate(objects):
            if self.names == "synsets":
                synset = _first(getattr(each, "synsets", None))
                self.synsets[0] += synset is not None
                self.synsets[1] += 1
                flat.classes.append(synset)
                continue
            known = list(dict.fromkeys(each.all_names))
            flat.classes.append(known[0] if known else None)
            flat.further_objects += [first + k] * len(known[1:])
            flat.further_names += known[1:]

    def _named_elsewhere(self, record: _Image) -> list[_Object]:
        """Return the objects that attributes or relationships name; an end without a name takes one met before."""
        found: dict[int | str | None, _Object] = {}
        for each in record.attributes or ():
            found.setdefault(each.known_by, each)
        for relation in record.relationships or ():
            for end in (relation.subject, relation.object):
                if isinstance(end, _Object):
                    met = found.setdefault(end.known_by, end)
                    if not met.all_names and end.all_names:
                        met.names = [*end.all_names]
        return list(found.values())

    def _give_attributes(self, objects: Sequence[_Object], given: Sequence[_Object]) -> None:
        place = {each.known_by: each for each in objects}
        for each in given:
            owner = place.get(each.known_by)
            if owner is None:
                self._count("attributes of objects that the image does not have, left out", 1)
            elif each.attributes:
                mine, more = (
                    [value] if isinstance(value, str) else list(value or ())
                    for value in (owner.attributes, each.attributes)
                )
                owner.attributes = [*mine, *more]

    def _count(self, decision: str, n: int) -> None:
        self.counts[decision] = self.counts.get(decision, 0) + n

    def findings(self) -> list[Finding]:
        """Return what a user should know."""
        found = []
        if self.unnamed:
            found.append(
                Finding(
                    kind="unnamed-objects",
                    count=len(self.unnamed),
                    first=tuple(sorted(self.unnamed)[:5]),
                    message=f"{counted(len(self.unnamed), 'object has', 'objects have')} no name (image, object); no "
                    "pair or relation has them.",
                )
            )
        if self.itself:
            first = tuple(sorted(self.itself)[:5])
            found.append(
                Finding(
                    kind="self-relations",
                    count=len(self.itself),
                    first=first,
                    message=f"{counted(len(self.itself), 'relation joins', 'relations join')} an object to itself "
                    "(image, relation); left out.",
                )
            )
        if self.names == "synsets":
            with_one, objects, with_relation, relations = self.synsets
            found.append(
                Finding(
                    kind="synset-coverage",
                    count=objects - with_one + relations - with_relation,
                    first=(with_one, with_relation),
                    message=f"{with_one:,} of {objects:,} objects and {with_relation:,} of {relations:,} relations "
                    "have a synset; those without one count as unnamed.",
                )
            )
        return found


def _end(known: int | str | None, nested: int | str | _Object | None) -> int | str | None:
    """Return the id of an object that a relationship names."""
    if known is not None:
        return known
    return nested.known_by if isinstance(nested, _Object) else nested


def _first(synsets: Sequence[str | None] | None) -> str | None:
    return next((each for each in synsets or () if each and each.strip()), None)

"""Visual Genome: scene graphs, or the separate files of objects, relationships, attributes and image data.

Source: Krishna et al. 2017, arXiv 1602.07332; the layouts of versions 1.0 to 1.4, told apart by their members. Files of
different kinds are joined by image; objects are looked up by id, as text, inside their own image only. Without
objects, those are the objects that relationships or attributes name. An object's class is its first name that is not
blank; with ``names = "all"`` the others are concepts of its scene, too, but take part in no pair; with
``names = "synsets"`` the first synset stands for the name, also of predicates. Cost: O(bytes); one image at a time, or
as many as the files' orders are apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np

from compsplit.errors import JoinError, Problem, RecordsError, RepeatedIdError, UsageError, counted
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input, Records
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.json_spans import Header
from compsplit.readers.scene_building import ABSENT, SceneBuilder, SceneIds, Scenes, Standing, dangling, plain_name
from compsplit.readers.scene_graphs import SceneGraphs, Usual
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import UserFile, register

_KEYS = ("scene_graphs", "images", "data")
_LISTS = ("objects", "relationships", "attributes")
_BATCH = 2000
"""Images that are given to the builder at a time."""
_LOOKED_AT = 500
"""Images that tell which lists a file holds."""
_UNKNOWN_COCO = (None, -1, "", "-1")


class _Object(msgspec.Struct):
    object_id: int | str | None = None
    id: int | str | None = None
    names: list[str | None] | None = None
    name: str | None = None
    synsets: list[str | None] | None = None
    attributes: list[str | None] | str | None = None

    @property
    def known_by(self) -> str | None:
        found = self.id if self.object_id is None else self.object_id
        return None if found is None else str(found)

    @property
    def all_names(self) -> list[str]:
        return [name for name in (*(self.names or ()), self.name) if name and name.strip()]


class _Canon(msgspec.Struct):
    synset_name: str | None = None


class _BoxedObject(msgspec.Struct):
    name: str | None = None
    object_canon: list[_Canon] | None = None


class _Box(msgspec.Struct):
    """An object of the layout that the data set's web service gave."""

    id: int | str | None = None
    boxed_objects: list[_BoxedObject] = []

    def as_object(self) -> _Object:
        names = [each.name for each in self.boxed_objects]
        synsets = [canon.synset_name for each in self.boxed_objects for canon in each.object_canon or ()]
        return _Object(id=self.id, names=names, synsets=synsets)


class _Attributed(_Object):
    """An object with its attributes, or one attribute of an object that it holds or names by id."""

    attribute: _Object | str | None = None
    subject: int | str | None = None

    def as_object(self) -> _Object:
        if isinstance(self.attribute, _Object):
            return self.attribute
        if self.attribute is None:
            return self
        # Here ``id`` is that of the attribute.
        owner = self.subject if self.object_id is None else self.object_id
        return _Object(object_id=owner, names=self.names, name=self.name, attributes=[self.attribute])


class _Relationship(msgspec.Struct):
    predicate: str | None = None
    relationship_id: int | str | None = None
    id: int | str | None = None
    subject_id: int | str | None = None
    object_id: int | str | None = None
    subject: int | str | _Object | None = None
    object: int | str | _Object | None = None
    synsets: list[str | None] | None = None
    relationship_canon: list[_Canon] | None = None

    @property
    def known_by(self) -> str:
        return str(self.id if self.relationship_id is None else self.relationship_id)

    @property
    def ends(self) -> tuple[str | None, str | None]:
        return _end(self.subject_id, self.subject), _end(self.object_id, self.object)

    @property
    def synset(self) -> str | None:
        return _first(self.synsets) or _first([canon.synset_name for canon in self.relationship_canon or ()])


class _Image(msgspec.Struct):
    image_id: int | str | None = None
    id: int | str | None = None
    coco_id: int | str | None = None
    objects: list[_Object] | None = None
    bounding_boxes: list[_Box] | None = None
    relationships: list[_Relationship] | None = None
    attributes: list[_Attributed] | None = None

    @property
    def known_by(self) -> str | None:
        found = self.id if self.image_id is None else self.image_id
        return None if found is None else str(found)

    @property
    def all_objects(self) -> list[_Object] | None:
        if self.objects is None and self.bounding_boxes is not None:
            return [box.as_object() for box in self.bounding_boxes]
        return self.objects

    def lacking(self) -> tuple[str, str] | None:
        """Return the field without which the image cannot be read, and what is wrong with it."""
        if self.known_by is None:
            return "image_id", "is missing"
        for n, relation in enumerate(self.relationships or (), 1):
            if None in relation.ends:
                return (
                    "relationships",
                    f"number {n} of image {self.known_by} does not say the ids of both of its objects",
                )
        for n, each in enumerate(self.attributes or (), 1):
            if each.as_object().known_by is None:
                return "attributes", f"number {n} of image {self.known_by} does not say the id of its object"
        return None


Names = Literal["first", "all", "synsets"]


@register("reader", "visual-genome", source="Krishna et al. 2017, arXiv 1602.07332")
def read(
    files: Sequence[Input],
    *,
    names: Names = "first",
    aliases: Mapping[str, UserFile] | None = None,
    vocabulary: Mapping[str, UserFile] | None = None,
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
        UsageError: Files that are no copies of one layout hold the same list.
        RecordsError, RepeatedIdError: As their messages say.
    """
    taken = _Taken(names)
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image_id")
    kinds = {file: _kinds(file) for file in files}
    merged: _Merged | None = None
    records: list[Records] = []
    met = {file: _Met() for file in files}
    sources: list[tuple[str, Iterator[tuple[str, _Image]]]] = []
    if names == "first" and set(kinds.values()) == {("objects", "relationships")}:
        for file in files:
            records.append(_read_graphs(file, ids, builder, taken))
    elif len(set(kinds.values())) == 1:
        sources = [(file.source, _images(file, met[file])) for file in files]
    else:
        merged = _Merged(kinds, allow_unjoined, met)
        sources = [("+".join(file.source for file in files), iter(merged))]
    rows: dict[str, int] = {}
    for source, images in sources:
        ids.begin(source)
        flat = Scenes()
        for name, image in images:
            ids.add(name, name, coco_id=None if image.coco_id in _UNKNOWN_COCO else image.coco_id)
            taken.add(flat, name, image)
            if merged is not None:
                rows[name] = len(rows)
            if len(flat.n_objects) == _BATCH:
                flat.give(builder)
                flat = Scenes()
        flat.give(builder)
    for file in files if sources else ():
        # Files that are joined tell of the same images, each of them in an order of its own.
        joined = {} if merged is None else met[file].of_rows(rows, "_".join(kinds[file]) or "images")
        n_before = 0 if merged is not None else sum(len(each.starts) for each in records)
        records.append(met[file].standing.records(file, met[file].header, n_before, **joined))
    decisions = {**taken.counts, **(merged.counts if merged else {})}
    table = builder.table(
        format="visual-genome",
        rules={"names": names},
        findings=(*dangling(taken.missing), *taken.findings()),
        decisions=decisions,
        records=tuple(records),
        **ids.fields(files[0].name),
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


@dataclass(slots=True)
class _Met:
    """Which images a file told of, and where they stand."""

    names: list[str] = field(default_factory=list)
    standing: Standing = field(default_factory=Standing)
    header: Header = field(default_factory=Header)

    def of_rows(self, rows: Mapping[str, int], kind: str) -> dict[str, Any]:
        """Return the fields of the records of a file that is joined to others by image."""
        return {"kind": kind, "rows": np.array([rows[name] for name in self.names], dtype=np.int32)}


def _read_graphs(file: Input, ids: SceneIds, builder: SceneBuilder, taken: _Taken) -> Records:
    """Read a file of scene graphs, usual images as numbers and any other image by itself; return where they stand."""
    first = builder.n_scenes
    ids.begin(file.source)
    stream = SceneGraphs(file, _Image, _KEYS, builder)
    problems: list[Problem] = []
    for found in stream.runs():
        if isinstance(found, Usual):
            ids.extend(found.ids)
            found.give(builder)
            continue
        number, image = found
        wrong = image.lacking()
        if wrong:
            problems.append(Problem(file.name, number, *wrong))
            continue
        name = image.known_by
        flat = Scenes()
        ids.add(name, name, coco_id=None if image.coco_id in _UNKNOWN_COCO else image.coco_id)
        taken.add(flat, name, image)
        flat.give(builder)
    stream.finish()
    if problems:
        raise RecordsError(problems)
    return stream.standing.records(file, stream.header, first)


def _images(file: Input, met: _Met | None = None) -> Iterator[tuple[str, _Image]]:
    """Yield the images of a file with their ids, and keep where they stand."""
    stream: JsonRecords[_Image] = JsonRecords(file, _Image, _KEYS)
    problems: list[Problem] = []
    for block in stream:
        if met is not None:
            met.header = stream.header
            met.names += [str(image.known_by) for image in block.records]
            met.standing.add(block.starts, block.stops)
        for number, image in zip(block.numbers.tolist(), block.records, strict=True):
            wrong = image.lacking()
            if wrong:
                problems.append(Problem(file.name, number, *wrong))
            else:
                yield str(image.known_by), image
    stream.finish()
    if problems:
        raise RecordsError(problems)


def _kinds(file: Input) -> tuple[str, ...]:
    """Return which lists the images of a file have, by the first of them."""
    found: set[str] = set()
    for _, image in itertools.islice(_images(file), _LOOKED_AT):
        found |= {kind for kind in _LISTS if getattr(image, kind) is not None}
        if image.bounding_boxes is not None:
            found.add("objects")
        if len(found) == len(_LISTS):
            break
    return tuple(sorted(found))


class _Merged:
    """Images whose lists stand in different files, put together as soon as every file has given its share."""

    def __init__(self, kinds: Mapping[Input, tuple[str, ...]], allow_unjoined: bool, met: Mapping[Input, _Met]) -> None:
        self._groups: dict[tuple[str, ...], list[Input]] = {}
        for file, kind in kinds.items():
            self._groups.setdefault(kind, []).append(file)
        self._file = next(iter(kinds)).name
        self._allow = allow_unjoined
        self._met = met
        self._odd_coco: list[str] = []
        self.counts: dict[str, int] = {}
        held = [name for kind in self._groups for name in kind]
        if len(set(held)) < len(held):
            shown = ", ".join(f"{file.name} holds {' and '.join(kind) or 'image data'}" for file, kind in kinds.items())
            raise UsageError(
                f"Files of Visual Genome are joined by image, so each list must come from one kind of file, but "
                f"{shown}. Leave out those that repeat a list.",
                file=self._file,
            )

    def __iter__(self) -> Iterator[tuple[str, _Image]]:
        waiting: dict[str, dict[tuple[str, ...], _Image]] = {}
        met: dict[tuple[str, ...], set[str]] = {kind: set() for kind in self._groups}
        live = {kind: self._chained(found) for kind, found in self._groups.items()}
        twice: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        n_joined = 0
        while live:
            for kind in list(live):
                found = next(live[kind], None)
                if found is None:
                    del live[kind]
                    continue
                file, name, image = found
                if name in met[kind]:
                    twice.setdefault(kind, []).append((file, name))
                    continue
                met[kind].add(name)
                waiting.setdefault(name, {})[kind] = image
                if len(waiting[name]) == len(self._groups):
                    n_joined += 1
                    yield name, self._put_together(name, waiting.pop(name))
        for kind, repeated in twice.items():
            raise RepeatedIdError(
                "image_id",
                sorted({name for _, name in repeated}),
                file=repeated[0][0],
                n_ids=len(met[kind]),
                n_rows=len(met[kind]) + len(repeated),
                across_files=False,
                noun="record",
                mend="An image may stand once in the files that are joined: take the others out, or repair the ids",
            )
        faults = {
            f"images without {' and '.join(kind) or 'image data'}": sorted(
                name for name, parts in waiting.items() if kind not in parts
            )
            for kind in self._groups
        }
        faults["images whose files differ in coco_id"] = self._odd_coco
        if any(faults.values()) and not self._allow:
            raise JoinError(n_joined, faults, file=self._file, what="Files of Visual Genome", field="image_id")
        for name in sorted(waiting):
            yield name, self._put_together(name, waiting[name])
        self.counts = {
            "images read though a file lacks them": len(waiting),
            "images read without coco_id, as files differ in it": len(self._odd_coco),
        }

    def _chained(self, files: Sequence[Input]) -> Iterator[tuple[str, str, _Image]]:
        for file in files:
            for name, image in _images(file, self._met[file]):
                yield file.name, name, image

    def _put_together(self, name: str, parts: Mapping[tuple[str, ...], _Image]) -> _Image:
        whole = _Image()
        for image in parts.values():
            for field_name in ("objects", "bounding_boxes", "relationships", "attributes"):
                value = getattr(image, field_name)
                if value is not None:
                    setattr(whole, field_name, value)
        known = {str(image.coco_id) for image in parts.values() if image.coco_id not in _UNKNOWN_COCO}
        if len(known) == 1:
            (whole.coco_id,) = known
        elif known:
            self._odd_coco.append(name)
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
        objects = record.all_objects
        if objects is None:
            objects = self._named_elsewhere(record)
        elif record.attributes is not None:
            self._give_attributes(objects, record.attributes)
        known_by = [each.known_by for each in objects]
        place: dict[str | None, int] = {name: k for k, name in enumerate(known_by) if name is not None}
        n_again = len(objects) - known_by.count(None) - len(place)
        if n_again:
            self._count("objects whose id stands twice in an image, relations go to the last", n_again)
        first = len(flat.classes)
        flat.n_objects.append(len(objects))
        if self.names == "first":
            flat.classes += [next(iter(each.all_names), None) for each in objects]
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
        for relation in relationships:
            self._relate(flat, image, relation, objects, place)

    def _relate(
        self,
        flat: Scenes,
        image: str,
        relation: _Relationship,
        objects: Sequence[_Object],
        place: Mapping[str | None, int],
    ) -> None:
        ends = relation.ends
        subject, other = place.get(ends[0], ABSENT), place.get(ends[1], ABSENT)
        if subject == ABSENT or other == ABSENT:
            self.missing.append((image, relation.known_by, str(ends[0] if subject == ABSENT else ends[1])))
        elif subject == other:
            self.itself.append((image, relation.known_by))
        for where, end in ((subject, relation.subject), (other, relation.object)):
            if where != ABSENT and isinstance(end, _Object) and _differ(objects[where], end):
                self._count("relation ends that call their object otherwise, the object's own name counts", 1)
        flat.subjects.append(subject)
        flat.objects.append(other)
        if self.names == "synsets":
            synset = relation.synset
            self.synsets[2] += synset is not None
            self.synsets[3] += 1
            flat.predicates.append(synset)
        else:
            flat.predicates.append(relation.predicate)

    def _name(self, flat: Scenes, objects: Sequence[_Object], first: int) -> None:
        """Name objects by their synset, or by all of their names."""
        for k, each in enumerate(objects):
            if self.names == "synsets":
                synset = _first(each.synsets)
                self.synsets[0] += synset is not None
                self.synsets[1] += 1
                flat.classes.append(synset)
                continue
            known = list(dict.fromkeys(map(plain_name, each.all_names)))
            flat.classes.append(known[0] if known else None)
            flat.further_objects += [first + k] * len(known[1:])
            flat.further_names += known[1:]

    def _named_elsewhere(self, record: _Image) -> list[_Object]:
        """Return the objects that attributes or relationships name; what one place lacks, another may say."""
        found: dict[str | None, _Object] = {}
        ends = (end for relation in record.relationships or () for end in (relation.subject, relation.object))
        for each in (*(each.as_object() for each in record.attributes or ()), *ends):
            if not isinstance(each, _Object):
                continue
            met = found.setdefault(each.known_by, each)
            if met is each:
                continue
            if not met.all_names:
                met.names = [*each.all_names]
            met.synsets = met.synsets or each.synsets
            met.attributes = _both(met.attributes, each.attributes)
        return list(found.values())

    def _give_attributes(self, objects: Sequence[_Object], given: Sequence[_Attributed]) -> None:
        place = {each.known_by: each for each in objects}
        for each in map(_Attributed.as_object, given):
            owner = place.get(each.known_by)
            if owner is None:
                self._count("attributes of objects that the image does not have, left out", 1)
            else:
                owner.attributes = _both(owner.attributes, each.attributes)

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


def _end(known: int | str | None, nested: int | str | _Object | None) -> str | None:
    """Return the id of an object that a relationship names."""
    if known is None:
        if isinstance(nested, _Object):
            return nested.known_by
        known = nested
    return None if known is None else str(known)


def _differ(one: _Object, other: _Object) -> bool:
    """Tell whether two places name an object, and no name is in both."""
    if one is other or not (mine := one.all_names) or not (theirs := other.all_names):
        return False
    return mine[0] != theirs[0] and set(map(plain_name, mine)).isdisjoint(map(plain_name, theirs))


def _both(one: list[str | None] | str | None, other: list[str | None] | str | None) -> list[str | None] | str | None:
    """Return the attributes that two places give."""
    if not one or not other:
        return one or other
    whole: list[str | None] = []
    for each in (one, other):
        whole += [each] if isinstance(each, str) else each
    return whole


def _first(synsets: Sequence[str | None] | None) -> str | None:
    return next((each for each in synsets or () if each and each.strip()), None)

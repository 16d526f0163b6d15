"""What every reader of scenes does with its objects, attributes and relations: names, codes, counts, the table.

Names are trimmed, inner white space folded, lower-cased; blank ones are no names. An attribute counts once for each
object. A relation needs a predicate and two objects of its scene that have a name; every other one is left out and
counted, those that join an object to itself apart. Cost: O(entries), a name is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError, counted
from compsplit.model.column import Codes, Column, ColumnBuilder, Growing, Texts, concatenated, frozen, texts
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable, starts_of
from compsplit.model.table import Input, Records
from compsplit.readers.building import IdScope, row_ids
from compsplit.readers.json_spans import Header

_OBJECTS = 1 << 16
"""Objects whose attributes are looked at together."""
ABSENT = -1
"""Place of an object that a relation names and its scene does not have."""


def plain_name(name: str) -> str:
    """Return a name as it is counted.

    Example:
        >>> plain_name("  Traffic   Light ")
        'traffic light'
    """
    return " ".join(name.lower().split())


class SceneBuilder:
    """Takes scenes block by block, everything of a block in flat lists."""

    def __init__(self) -> None:
        self._classes = ColumnBuilder()
        self._attributes = ColumnBuilder()
        self._predicates = ColumnBuilder()
        self._further = ColumnBuilder()
        self._further_objects: list[NDArray[np.int64]] = []
        self._n_objects = Growing()
        self._n_attributes = Growing()
        self._n_relations = Growing()
        self._subjects = Growing()
        self._objects = Growing()
        self.n_scenes = 0
        self.n_objects = 0

    def extend(
        self,
        n_objects: Sequence[int] | NDArray[np.int64],
        classes: Iterable[str | None] | Codes,
        *,
        n_attributes: Sequence[int] | NDArray[np.int64] | None = None,
        attributes: Iterable[str | None] | Codes = (),
        n_relations: Sequence[int] | NDArray[np.int64] | None = None,
        subjects: Sequence[int] | NDArray[np.int64] = (),
        predicates: Iterable[str | None] | Codes = (),
        objects: Sequence[int] | NDArray[np.int64] = (),
        further_objects: Sequence[int] = (),
        further_names: Iterable[str] = (),
    ) -> None:
        """Add scenes.

        Args:
            n_objects: How many objects each scene has.
            classes: The name of each object as written, None where it has none; or its number in ``numbering``.
            n_attributes: How many attributes each object has; none without it.
            attributes: All attributes as written.
            n_relations: How many relations each scene has; none without it.
            subjects: For each relation, the place of its subject within its scene, or ``ABSENT``.
            predicates: For each relation its predicate as written.
            objects: For each relation, the place of its object within its scene, or ``ABSENT``.
            further_objects: Objects of this block, counted over the block, that have further names; ascending.
            further_names: Those names.
        """
        lengths = np.array(n_objects, dtype=np.int64)
        _extend(self._classes, classes)
        _extend(self._attributes, attributes)
        _extend(self._predicates, predicates)
        self._further.extend(further_names)
        self._further_objects.append(np.array(further_objects, dtype=np.int64) + self.n_objects)
        total = int(lengths.sum())
        none = np.zeros(len(lengths), dtype=np.int64)
        relations = none if n_relations is None else np.array(n_relations, dtype=np.int64)
        first = np.repeat(np.cumsum(lengths) - lengths + self.n_objects, relations)
        for given, kept in ((subjects, self._subjects), (objects, self._objects)):
            places = np.array(given, dtype=np.int64)
            kept.extend(np.where(places < 0, ABSENT, places + first))
        self._n_objects.extend(lengths.astype(np.int32))
        self._n_relations.extend(relations.astype(np.int32))
        self._n_attributes.extend(
            np.zeros(total, dtype=np.int32) if n_attributes is None else np.array(n_attributes, dtype=np.int32)
        )
        self.n_scenes += len(lengths)
        self.n_objects += total

    def numbering(self, kind: Literal["classes", "attributes", "predicates"]) -> ColumnBuilder:
        """Return what numbers the names of a kind, for readers that find names as bytes."""
        return {"classes": self._classes, "attributes": self._attributes, "predicates": self._predicates}[kind]

    def table(
        self,
        *,
        format: str,
        ids: Iterable[str] | Texts,
        images: Column,
        sources: Column,
        rules: Mapping[str, Any] | None = None,
        findings: Sequence[Finding] = (),
        decisions: Mapping[str, int] | None = None,
        **more: Any,
    ) -> SceneTable:
        """Return the table of all scenes given; the names are made plain, what is left out is counted.

        Args:
            format: Name of the reader's format.
            ids: The scenes' ids.
            images: Their images.
            sources: Their files.
            rules: The reader's rules; case and white space are added.
            findings: What the reader has to say.
            decisions: What it counted.
            more: Further fields of the table.
        """
        known = ids if isinstance(ids, np.ndarray) else texts(ids)
        classes = _plain(self._classes.column())
        self._classes = ColumnBuilder()
        given = _plain(self._attributes.column())
        self._attributes = ColumnBuilder()
        attribute_starts, attributes, n_blank, n_again = _attributes(self._n_attributes.taken(), given)
        del given
        n_relations = self._n_relations.taken()
        subjects, objects = self._subjects.taken(), self._objects.taken()
        predicates = _plain(self._predicates.column())
        self._predicates = ColumnBuilder()
        unnamed = np.append(classes.codes < 0, False)
        dangling = (subjects < 0) | (objects < 0)
        itself = ~dangling & (subjects == objects)
        nameless = ~dangling & ~itself & (unnamed[subjects] | unnamed[objects])
        without = ~dangling & ~itself & ~nameless & (predicates.codes < 0)
        kept = ~(dangling | itself | nameless | without)
        counts_of = (dangling, itself, nameless, without)
        n_dangling, n_itself, n_nameless, n_without = (int(each.sum()) for each in counts_of)
        del dangling, itself, nameless, without, counts_of, unnamed
        if not kept.all():
            scene = np.repeat(np.arange(self.n_scenes, dtype=np.int32), n_relations)
            n_relations = np.bincount(scene[kept], minlength=self.n_scenes).astype(np.int32)
            subjects, objects = subjects[kept], objects[kept]
            predicates = predicates.take(np.flatnonzero(kept))
            del scene
        further = _plain(self._further.column())
        named = further.codes >= 0
        counts = {
            "objects without a name": int((classes.codes < 0).sum()),
            "blank attributes passed over": n_blank,
            "attributes given twice for one object": n_again,
            "relations to an object that the scene does not have, left out": n_dangling,
            "relations of an object to itself, left out": n_itself,
            "relations of an object without a name, left out": n_nameless,
            "relations without a predicate, left out": n_without,
            **(decisions or {}),
        }
        return SceneTable(
            format=format,
            ids=known,
            images=images,
            sources=sources,
            object_starts=starts_of(self._n_objects.taken()),
            classes=classes,
            attribute_starts=attribute_starts,
            attributes=attributes,
            relation_starts=starts_of(n_relations),
            subjects=subjects,
            objects=objects,
            predicates=predicates,
            further_objects=frozen(
                np.concatenate([np.zeros(0, dtype=np.int64), *self._further_objects])[named].astype(np.int32)
            ),
            further_names=further.take(np.flatnonzero(named)),
            rules={"case": "lower", "white space": "folded", **(rules or {})},
            decisions={name: n for name, n in counts.items() if n},
            findings=tuple(findings),
            **more,
        )


def _extend(column: ColumnBuilder, given: Iterable[str | None] | Codes) -> None:
    if isinstance(given, np.ndarray):
        column.extend_numbered(given)
    else:
        column.extend(given)


def _plain(column: Column) -> Column:
    return column.renamed([plain_name(name) or None for name in column.names])


def _attributes(lengths: Codes, given: Column) -> tuple[NDArray[np.int64], Column, int, int]:
    """Return starts and attributes without blanks and repeats, and how many of both there were."""
    starts = starts_of(lengths)
    there = given.codes >= 0
    n_blank = int((~there).sum())
    kept = there
    width = max(len(given.names), 1)
    for first in range(0, len(lengths), _OBJECTS):
        last = min(first + _OBJECTS, len(lengths))
        low, high = int(starts[first]), int(starts[last])
        owner = np.repeat(np.arange(last - first), lengths[first:last])
        packed = owner * width + given.codes[low:high]
        mine = np.flatnonzero(there[low:high])
        _, firsts = np.unique(packed[mine], return_index=True)
        if len(firsts) < len(mine):
            again = np.ones(len(mine), dtype=bool)
            again[firsts] = False
            kept[low + mine[again]] = False
    n_again = len(kept) - n_blank - int(kept.sum())
    if kept.all():
        return starts, given, n_blank, n_again
    sums = np.append(0, np.cumsum(kept))
    return starts_of(np.diff(sums[starts])), given.take(np.flatnonzero(kept)), n_blank, n_again


def dangling(found: Sequence[tuple[str, str, str]]) -> tuple[Finding, ...]:
    """Return a finding of relations that name absent objects: (scene, relation, object) ids."""
    if not found:
        return ()
    first = tuple(sorted(found)[:5])
    return (
        Finding(
            kind="dangling-relations",
            count=len(found),
            first=first,
            message=f"{counted(len(found), 'relation names', 'relations name')} an object that its scene does not "
            "have (scene, relation, object); left out.",
        ),
    )


@dataclass(slots=True)
class Scenes:
    """The scenes of a block, everything in flat lists, as ``SceneBuilder.extend`` takes them."""

    n_objects: list[int] = field(default_factory=list)
    classes: list[str | None] = field(default_factory=list)
    n_attributes: list[int] = field(default_factory=list)
    attributes: list[str | None] = field(default_factory=list)
    n_relations: list[int] = field(default_factory=list)
    subjects: list[int] = field(default_factory=list)
    predicates: list[str | None] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    further_objects: list[int] = field(default_factory=list)
    further_names: list[str] = field(default_factory=list)

    def give(self, builder: SceneBuilder) -> None:
        """Add the scenes to a builder."""
        builder.extend(
            self.n_objects,
            self.classes,
            n_attributes=self.n_attributes,
            attributes=self.attributes,
            n_relations=self.n_relations,
            subjects=self.subjects,
            predicates=self.predicates,
            objects=self.objects,
            further_objects=self.further_objects,
            further_names=self.further_names,
        )


class SceneIds:
    """Ids, images and further columns of scenes, file by file."""

    def __init__(self, id_scope: IdScope, new_ids: bool, field_name: str) -> None:
        self._how = (id_scope, new_ids, field_name)
        self._written: list[list[str]] = []
        self._sources: list[str] = []
        self._images: list[str | None] = []
        self._columns: dict[str, list[str | None]] = {}

    def begin(self, source: str) -> None:
        """Begin a file."""
        self._written.append([])
        self._sources.append(source)

    def add(self, name: str, image: str | None, **columns: Any) -> None:
        """Add a scene; what a scene lacks of the columns of others it has no value for."""
        self._written[-1].append(name)
        self._images.append(image)
        n = len(self._images)
        for key, value in columns.items():
            if value is not None:
                values = self._columns.setdefault(key, [])
                values += [None] * (n - 1 - len(values))
                values.append(str(value))

    def extend(self, names: Sequence[str]) -> None:
        """Add scenes that are named by their images and have no further columns."""
        self._written[-1] += names
        self._images += names

    def fields(self, file: str) -> dict[str, Any]:
        """Return the fields of the table that are about scenes; the file is named in errors.

        Raises:
            RepeatedIdError: An id names two scenes.
        """
        id_scope, new_ids, name = self._how
        images = Column.of(self._images)
        written = [texts(each) for each in self._written]
        ids, scoped = row_ids(
            written, self._sources, images, field=name, id_scope=id_scope, new_ids=new_ids, file=file, noun="scene",
            mend="Each may stand once in a file: take the others out, or repair the ids",
        )  # fmt: skip
        n = len(self._images)
        sizes = [len(each) for each in self._written]
        which = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        columns = {key: Column.of([*values, *[None] * (n - len(values))]) for key, values in self._columns.items()}
        return {
            "ids": ids,
            "images": images,
            "sources": concatenated([Column(which[which == k] * 0, (s,)) for k, s in enumerate(self._sources)]),
            "columns": columns,
            "scoped": scoped,
            "numbered": new_ids,
        }


class Standing:
    """Where the records of one file stand; a scene a record, in the order in which the scenes are given."""

    def __init__(self) -> None:
        self._starts = [np.zeros(0, dtype=np.int64)]
        self._stops = [np.zeros(0, dtype=np.int64)]

    def __len__(self) -> int:
        return sum(map(len, self._starts))

    def add(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Add further records, by their first byte and the byte after."""
        self._starts.append(starts)
        self._stops.append(stops)

    def records(self, file: Input, header: Header, first_row: int = 0, **other: Any) -> Records:
        """Return the records of the file, whose scenes are rows from ``first_row`` on; other fields as given."""
        known: dict[str, Any] = {
            "kind": "scenes",
            "layout": header.layout,
            "rows": np.arange(first_row, first_row + len(self), dtype=np.int32),
            "header": tuple(header.members),
            "key": header.key,
        }
        return Records(
            input=file, starts=np.concatenate(self._starts), stops=np.concatenate(self._stops), **{**known, **other}
        )


class Members:
    """Class and attributes of objects whose members name them: the class is one member, or several together."""

    def __init__(self, classes: Sequence[str] | str, known: Sequence[str]) -> None:
        self.classes = tuple(classes.split("+")) if isinstance(classes, str) else tuple(classes)
        for name in self.classes:
            if name not in known:
                raise UnknownNameError("member of an object", name, known)
        self.attributes = tuple(name for name in known if name not in self.classes)

    @property
    def rules(self) -> dict[str, Any]:
        """What every count repeats."""
        return {"class": "+".join(self.classes)}

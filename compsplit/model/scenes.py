"""Tables of scenes: objects with a class and attributes, and relations between them, as integer codes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Codes, Column, Texts, frozen
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable, Records, kept_records

_SCENES = 1 << 14
"""Scenes that are checked at a time."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SceneTable:
    """Scenes, usually one an image; the objects of a scene stand together, so do its relations.

    Attributes:
        format: Name of the reader's format.
        ids: The scenes' ids as text, all different unless ``ids_repeat``; shape (n_scenes,).
        images: Image ids as text.
        sources: The file of each scene.
        object_starts: Scene s holds objects ``object_starts[s]`` to ``object_starts[s + 1]``; shape (n_scenes + 1,).
        classes: The class of each object, -1 where it has no name; one entry an object.
        attribute_starts: Object o has attributes ``attribute_starts[o]`` to ``attribute_starts[o + 1]``, no two of
            them equal; shape (n_objects + 1,).
        attributes: One entry for each attribute of each object.
        relation_starts: Scene s holds relations ``relation_starts[s]`` to ``relation_starts[s + 1]``.
        subjects: The object that each relation starts from, counted over all scenes; shape (n_relations,).
        objects: The object that it leads to, in the same scene; shape (n_relations,).
        predicates: One entry a relation, none without a value.
        further_objects: Objects that have further names; ascending, an object once for each name.
        further_names: Those names; they are concepts of the scene, but take part in no pair.
        object_ids: Ids as text, where the reader was asked to keep them; shape (n_objects,).
        columns: Further columns of the scenes by name.
        scoped: Whether ids are qualified by their source.
        numbered: Whether ids only number the records of each file.
        ids_repeat: Whether ids may repeat, as those of parts that are audited together may.
        left_out: (id, reason) of scenes that are not rows.
        decisions: What was decided while reading -> how often.
        findings: What a user should know about the input.
        rules: Naming, case, alias and vocabulary rules, as JSON values; every count of a report repeats them.
        inputs: The files.
        n_scenes: How many scenes were read of each.
        records: Where the records stand, one a scene, where the reader keeps that.
    """

    format: str
    ids: Texts
    images: Column
    sources: Column
    object_starts: NDArray[Any]
    classes: Column
    attribute_starts: NDArray[Any]
    attributes: Column
    relation_starts: NDArray[Any]
    subjects: Codes
    objects: Codes
    predicates: Column
    further_objects: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    further_names: Column = field(default_factory=lambda: Column.absent(0))
    object_ids: Texts | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    scoped: bool = False
    numbered: bool = False
    ids_repeat: bool = False
    left_out: tuple[tuple[str, str], ...] = ()
    decisions: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    n_scenes: tuple[int, ...] = ()
    records: tuple[Records, ...] = ()

    def __post_init__(self) -> None:
        for name, starts, rows, entries in (
            ("object_starts", self.object_starts, len(self.ids), self.n_objects),
            ("relation_starts", self.relation_starts, len(self.ids), self.n_relations),
            ("attribute_starts", self.attribute_starts, self.n_objects, len(self.attributes)),
        ):
            if len(starts) != rows + 1 or starts[0] != 0 or starts[-1] != entries:
                raise ValueError(f"{name} must run from 0 to {entries} in {rows + 1} steps")
            frozen(starts)
        if not len(self.subjects) == len(self.objects) == len(self.predicates):
            raise ValueError("a relation has a subject, a predicate and an object")
        for ends in (self.subjects, self.objects):
            for first in range(0, len(self.ids), _SCENES):
                span = slice(first, min(first + _SCENES, len(self.ids)))
                n = np.diff(self.relation_starts[first : span.stop + 1])
                inside = ends[self.relation_starts[first] : self.relation_starts[span.stop]]
                low, high = np.repeat(self.object_starts[:-1][span], n), np.repeat(self.object_starts[1:][span], n)
                if not ((low <= inside) & (inside < high)).all():
                    raise ValueError("a relation joins objects of its own scene")
            frozen(ends)
        for name, column in self.named_columns().items():
            if len(column) != len(self.ids):
                raise ValueError(f"column {name} has {len(column)} entries for {len(self.ids)} scenes")
        frozen(self.ids)
        for name in ("columns", "decisions", "rules"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        held = (counted(len(self), "scene"), counted(self.n_objects, "object"), counted(self.n_relations, "relation"))
        return f"SceneTable({', '.join(held)}, format {self.format})"

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_objects(self) -> int:
        """Objects in all scenes."""
        return len(self.classes)

    @property
    def n_relations(self) -> int:
        """Relations in all scenes."""
        return len(self.subjects)

    @property
    def scene_of_object(self) -> Codes:
        """The scene of each object, shape (n_objects,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.object_starts))

    @property
    def scene_of_relation(self) -> Codes:
        """The scene of each relation, shape (n_relations,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.relation_starts))

    @property
    def object_of_attribute(self) -> Codes:
        """The object of each attribute, shape (n_attributes,)."""
        return np.repeat(np.arange(self.n_objects, dtype=np.int32), np.diff(self.attribute_starts))

    def named_columns(self) -> dict[str, Column]:
        """Return all columns of the scenes by name."""
        return {**self.columns, "image": self.images, "source": self.sources}

    def keep(self, rows: NDArray[np.bool_], reason: str, decision: str) -> SceneTable:
        """Return the table of the marked scenes; the others are left out with the reason, and counted."""
        if rows.all():
            return self
        gone = sorted(self.ids[~rows].tolist())
        kept = np.flatnonzero(rows)
        return dataclasses.replace(
            self,
            **self._of(rows[self.scene_of_object], rows[self.scene_of_relation]),
            ids=frozen(self.ids[kept]),
            images=self.images.take(kept),
            sources=self.sources.take(kept),
            columns={name: column.take(kept) for name, column in self.columns.items()},
            object_starts=starts_of(np.diff(self.object_starts)[kept]),
            relation_starts=starts_of(np.diff(self.relation_starts)[kept]),
            records=kept_records(self.records, kept, len(self)),
            left_out=(*self.left_out, *((name, reason) for name in gone)),
            decisions={**self.decisions, decision: self.decisions.get(decision, 0) + len(gone)},
        )

    def keep_objects(self, marked: NDArray[np.bool_], decisions: Mapping[str, int]) -> SceneTable:
        """Return the same scenes with the marked objects and the relations between them.

        Args:
            marked: Objects that stay, shape (n_objects,).
            decisions: What is counted for it, beside the relations that go with the objects.
        """
        if marked.all():
            return self
        stays = marked[self.subjects] & marked[self.objects]
        gone = int((~stays).sum())
        counts = {**self.decisions, **decisions}
        if gone:
            name = "relations left out with an object of theirs"
            counts[name] = counts.get(name, 0) + gone
        return dataclasses.replace(
            self,
            **self._of(marked, stays),
            object_starts=starts_of(np.bincount(self.scene_of_object[marked], minlength=len(self))),
            relation_starts=starts_of(np.bincount(self.scene_of_relation[stays], minlength=len(self))),
            decisions=counts,
        )

    def _of(self, objects: NDArray[np.bool_], relations: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the fields of the marked objects and relations, which must join marked objects."""
        number = (np.cumsum(objects) - 1).astype(np.int32)
        with_attributes = objects[self.object_of_attribute]
        further = objects[self.further_objects]
        return {
            "classes": self.classes.take(np.flatnonzero(objects)),
            "attribute_starts": starts_of(np.diff(self.attribute_starts)[objects]),
            "attributes": self.attributes.take(np.flatnonzero(with_attributes)),
            "subjects": number[self.subjects[relations]],
            "objects": number[self.objects[relations]],
            "predicates": self.predicates.take(np.flatnonzero(relations)),
            "further_objects": number[self.further_objects[further]],
            "further_names": self.further_names.take(np.flatnonzero(further)),
            "object_ids": None if self.object_ids is None else frozen(self.object_ids[objects]),
        }


RowTable: TypeAlias = QATable | SceneTable
"""What a reader makes: rows that are questions, or scenes."""


def starts_of(lengths: NDArray[Any]) -> NDArray[Any]:
    """Return where lists of these lengths begin when they stand one after the other, in the smaller type that does.

    Example:
        >>> starts_of(np.array([2, 0, 1])).tolist()
        [0, 2, 2, 3]
    """
    total = int(lengths.sum(dtype=np.int64))
    starts = np.zeros(len(lengths) + 1, dtype=np.int32 if total < 1 << 31 else np.int64)
    np.cumsum(lengths, out=starts[1:])
    return frozen(starts)

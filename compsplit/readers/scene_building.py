"""What every reader of scenes does with its objects, attributes and relations: names, codes, counts, the table.

Names are trimmed, inner white space folded, lower-cased; blank ones are no names. An attribute counts once for each
object. A relation needs a predicate and two objects of its scene that have a name; every other one is left out and
counted, those that join an object to itself apart. Cost: O(entries), a name is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Column, ColumnBuilder, Texts, frozen, texts
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable, starts_of

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
        self._n_objects: list[NDArray[np.int64]] = []
        self._n_attributes: list[NDArray[np.int64]] = []
        self._n_relations: list[NDArray[np.int64]] = []
        self._subjects: list[NDArray[np.int64]] = []
        self._objects: list[NDArray[np.int64]] = []
        self.n_scenes = 0
        self.n_objects = 0

    def extend(
        self,
        n_objects: Sequence[int],
        classes: Iterable[str | None],
        *,
        n_attributes: Sequence[int] | None = None,
        attributes: Iterable[str | None] = (),
        n_relations: Sequence[int] | None = None,
        subjects: Sequence[int] = (),
        predicates: Iterable[str | None] = (),
        objects: Sequence[int] = (),
        further_objects: Sequence[int] = (),
        further_names: Iterable[str] = (),
    ) -> None:
        """Add scenes.

        Args:
            n_objects: How many objects each scene has.
            classes: The name of each object as written; None where it has none.
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
        self._classes.extend(classes)
        self._attributes.extend(attributes)
        self._predicates.extend(predicates)
        self._further.extend(further_names)
        self._further_objects.append(np.array(further_objects, dtype=np.int64) + self.n_objects)
        total = int(lengths.sum())
        none = np.zeros(len(lengths), dtype=np.int64)
        relations = none if n_relations is None else np.array(n_relations, dtype=np.int64)
        first = np.repeat(np.cumsum(lengths) - lengths + self.n_objects, relations)
        for given, kept in ((subjects, self._subjects), (objects, self._objects)):
            places = np.array(given, dtype=np.int64)
            kept.append(np.where(places < 0, ABSENT, places + first))
        self._n_objects.append(lengths)
        self._n_relations.append(relations)
        self._n_attributes.append(
            np.zeros(total, dtype=np.int64) if n_attributes is None else np.array(n_attributes, dtype=np.int64)
        )
        self.n_scenes += len(lengths)
        self.n_objects += total

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
        attribute_starts, attributes, n_blank, n_again = _attributes(
            _joined(self._n_attributes), _plain(self._attributes.column())
        )
        n_relations = _joined(self._n_relations)
        subjects, objects = _joined(self._subjects), _joined(self._objects)
        predicates = _plain(self._predicates.column())
        scene = np.repeat(np.arange(self.n_scenes), n_relations)
        unnamed = np.append(classes.codes < 0, False)
        dangling = (subjects < 0) | (objects < 0)
        itself = ~dangling & (subjects == objects)
        nameless = ~dangling & ~itself & (unnamed[subjects] | unnamed[objects])
        without = ~dangling & ~itself & ~nameless & (predicates.codes < 0)
        kept = ~(dangling | itself | nameless | without)
        further = _plain(self._further.column())
        named = further.codes >= 0
        counts = {
            "objects without a name": int((classes.codes < 0).sum()),
            "blank attributes passed over": n_blank,
            "attributes given twice for one object": n_again,
            "relations to an object that the scene does not have, left out": int(dangling.sum()),
            "relations of an object to itself, left out": int(itself.sum()),
            "relations of an object without a name, left out": int(nameless.sum()),
            "relations without a predicate, left out": int(without.sum()),
            **(decisions or {}),
        }
        return SceneTable(
            format=format,
            ids=known,
            images=images,
            sources=sources,
            object_starts=starts_of(_joined(self._n_objects)),
            classes=classes,
            attribute_starts=attribute_starts,
            attributes=attributes,
            relation_starts=starts_of(np.bincount(scene[kept], minlength=self.n_scenes)),
            subjects=subjects[kept].astype(np.int32),
            objects=objects[kept].astype(np.int32),
            predicates=predicates.take(np.flatnonzero(kept)),
            further_objects=frozen(_joined(self._further_objects)[named].astype(np.int32)),
            further_names=further.take(np.flatnonzero(named)),
            rules={"case": "lower", "white space": "folded", **(rules or {})},
            decisions={name: n for name, n in counts.items() if n},
            findings=tuple(findings),
            **more,
        )


def _joined(blocks: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *blocks])


def _plain(column: Column) -> Column:
    return column.renamed([plain_name(name) or None for name in column.names])


def _attributes(lengths: NDArray[np.int64], given: Column) -> tuple[NDArray[np.int64], Column, int, int]:
    """Return starts and attributes without blanks and repeats, and how many of both there were."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    there = given.codes >= 0
    width = max(len(given.names), 1)
    packed = owner * width + given.codes
    _, first = np.unique(packed[there], return_index=True)
    kept = np.flatnonzero(there)[np.sort(first)]
    starts = starts_of(np.bincount(owner[kept], minlength=len(lengths)))
    return starts, given.take(kept), int((~there).sum()), int(there.sum()) - len(kept)


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

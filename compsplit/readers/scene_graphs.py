"""Scene graphs in the usual layout as numbers, block by block, without making Python objects of them.

An image is *usual* if its objects have whole numbers as ids, all different, and at least one name, their attributes are
texts, and its relationships name two different objects of it. Any other image is given whole, for a closer look. Cost:
O(bytes), twice: once for the images and once for what is in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.json_scan import (
    ANYTHING,
    TEXT,
    TEXT_OR_WHOLE,
    whole_numbers,
)
from compsplit.kernels.scene_graphs import places_in_scenes
from compsplit.model.column import Codes
from compsplit.model.scenes import starts_of
from compsplit.model.table import Input
from compsplit.readers.json_inside import Numbered, records_in, texts_in
from compsplit.readers.json_records import JsonRecords, ahead
from compsplit.readers.json_spans import JsonSpans, Spans
from compsplit.readers.scene_building import SceneBuilder, Standing

_IMAGE = {
    "image_id": TEXT_OR_WHOLE,
    "objects": ANYTHING,
    "relationships": ANYTHING,
    "attributes": ANYTHING,
    "coco_id": ANYTHING,
    "id": ANYTHING,
}
_OBJECT = {"object_id": TEXT_OR_WHOLE, "names": ANYTHING, "attributes": ANYTHING, "name": ANYTHING}
_RELATION = {"subject_id": TEXT_OR_WHOLE, "object_id": TEXT_OR_WHOLE, "predicate": TEXT}
_CLOSER_LOOK = np.frombuffer(b'" \\\xc2\xe1\xe2\xe3', dtype=np.uint8)
"""First bytes of names that may be blank: the end of an empty one, a space, an escape, white space beyond ASCII."""


@dataclass(frozen=True, slots=True, eq=False)
class Usual:
    """Usual images that stand one after the other, as ``SceneBuilder.extend`` takes them."""

    ids: list[str]
    n_objects: NDArray[np.int64]
    classes: Codes
    n_attributes: NDArray[np.int64]
    attributes: Codes
    n_relations: NDArray[np.int64]
    places: NDArray[np.int64]
    predicates: Codes

    def give(self, builder: SceneBuilder) -> None:
        """Add the scenes to a builder."""
        builder.extend(
            self.n_objects,
            self.classes,
            n_attributes=self.n_attributes,
            attributes=self.attributes,
            n_relations=self.n_relations,
            subjects=self.places[:, 0],
            predicates=self.predicates,
            objects=self.places[:, 1],
        )


class SceneGraphs(JsonRecords[Any]):
    """The images of one file: runs of usual ones, and single ones of another make.

    Args:
        source: The file.
        record: What an image of another make is decoded to.
        keys: Keys under which an object may hold the list of images.
        builder: Numbers the names.

    Attributes:
        standing: Where the images given so far stand.
    """

    def __init__(self, source: Input, record: type[Any], keys: Sequence[str], builder: SceneBuilder) -> None:
        super().__init__(source, record, keys)
        self.standing = Standing()
        self._wanted = dict(_IMAGE)
        self._names = {kind: Numbered(builder.numbering(kind)) for kind in ("classes", "attributes", "predicates")}

    def runs(self) -> Iterator[Usual | tuple[int, Any]]:
        """Yield usual images together, and the number and record of any other."""
        for spans in ahead(JsonSpans.spans(self)):
            usual, block = self._block(spans)
            changes = np.flatnonzero(np.diff(usual)) + 1
            for first, last in zip([0, *changes.tolist()], [*changes.tolist(), len(usual)], strict=True):
                if first < last and usual[first]:
                    assert block is not None
                    self._stands(spans, first, last)
                    yield block.run(first, last)
                else:
                    for i in range(first, last):
                        record = self._one(spans, i)
                        if record is not None:
                            self._stands(spans, i, i + 1)
                            yield spans.first_number + i, record

    def _stands(self, spans: Spans, first: int, last: int) -> None:
        """Keep where images stand whose scenes are given next."""
        self.standing.add(spans.starts[first:last] + spans.base, spans.stops[first:last] + spans.base)

    def _block(self, spans: Spans) -> tuple[NDArray[np.bool_], _Block | None]:
        """Return which images are usual, and what is in the whole block."""
        data = np.frombuffer(spans.data, dtype=np.uint8)
        fields = {name: np.ascontiguousarray(spans.cells[:, k].T) for k, name in enumerate(_IMAGE)}
        ids = fields["image_id"]
        usual = ~spans.doubtful & (ids[0] >= 0) & (fields["objects"][0] >= 0) & (fields["relationships"][0] >= 0)
        usual &= (fields["attributes"][0] < 0) & (fields["coco_id"][0] < 0) & (fields["id"][0] < 0)
        names = [_text(spans.data, *each) for each in ids.T.tolist()]
        usual &= ~np.array(["\\" in name for name in names], dtype=np.bool_)
        if not usual.any():
            return usual, None
        inner: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
        for name, wanted in (("objects", _OBJECT), ("relationships", _RELATION)):
            starts = np.where(usual, fields[name][0], -1).astype(np.int64)
            stops = fields[name][1].astype(np.int64)
            doubtful, cells, counts = records_in(data, starts, stops, wanted)
            usual &= counts >= 0
            owners = np.repeat(np.arange(len(usual)), np.maximum(counts, 0))
            if doubtful.any():
                usual[owners[doubtful]] = False
            inner.append((cells, np.maximum(counts, 0)))
        block = _Block.of(data, names, inner, self._names, usual)
        return (usual, block) if block is not None else (np.zeros_like(usual), None)


def _text(data: bytes, start: int, stop: int) -> str:
    return data[start:stop].decode() if start >= 0 else ""


@dataclass(slots=True, eq=False)
class _Block:
    """What is in all images of a block; those that are not usual are in it with what was found of them."""

    ids: list[str]
    objects: NDArray[np.int64]
    relations: NDArray[np.int64]
    attribute_starts: NDArray[np.int64]
    classes: Codes
    attributes: Codes
    places: NDArray[np.int64]
    predicates: Codes

    @classmethod
    def of(
        cls,
        data: NDArray[np.uint8],
        ids: list[str],
        inner: Sequence[tuple[NDArray[np.int32], NDArray[np.int64]]],
        names: dict[str, Numbered],
        usual: NDArray[np.bool_],
    ) -> _Block | None:
        """Return the block and unmark images that are not usual; None where ids are no whole numbers."""
        (objects, n_objects), (relations, n_relations) = inner
        owners = np.repeat(np.arange(len(usual)), n_objects)
        object_ids = np.empty(len(objects), dtype=np.int64)
        ends = np.empty((len(relations), 2), dtype=np.int64)
        side = np.empty(len(relations), dtype=np.int64)
        if not whole_numbers(data, *_cell(objects, 0), object_ids):
            return None
        for k in range(2):
            if not whole_numbers(data, *_cell(relations, k), side):
                return None
            ends[:, k] = side
        firsts, lasts, counts = texts_in(data, *_cell(objects, 1))
        named = counts > 0
        where = (np.cumsum(np.maximum(counts, 0)) - np.maximum(counts, 0))[named]
        first_name = np.full(len(objects), -1, dtype=np.int32)
        last_name = np.zeros(len(objects), dtype=np.int32)
        first_name[named], last_name[named] = firsts[where], lasts[where]
        # A blank or escaped first name, or one beside the list, is for a closer look.
        odd = ~named | np.isin(data[first_name], _CLOSER_LOOK) | (objects[:, 3, 0] >= 0)
        a_firsts, a_lasts, n_attributes = texts_in(data, *_cell(objects, 2))
        odd |= n_attributes < 0
        usual[owners[odd]] = False
        n_attributes = np.maximum(n_attributes, 0)
        places = np.empty_like(ends)
        strange = np.zeros(len(usual), dtype=np.bool_)
        places_in_scenes(object_ids, n_objects, ends, n_relations, places, strange)
        usual &= ~strange
        return cls(
            ids,
            starts_of(n_objects),
            starts_of(n_relations),
            starts_of(n_attributes),
            names["classes"].codes(data, first_name, last_name),
            names["attributes"].codes(data, a_firsts, a_lasts),
            places,
            names["predicates"].codes(data, *_cell(relations, 2)),
        )

    def run(self, first: int, last: int) -> Usual:
        """Return images that stand one after the other."""
        o, p = self.objects[first], self.objects[last]
        r, s = self.relations[first], self.relations[last]
        a, b = self.attribute_starts[o], self.attribute_starts[p]
        return Usual(
            self.ids[first:last],
            np.diff(self.objects[first : last + 1]),
            self.classes[o:p],
            np.diff(self.attribute_starts[o : p + 1]),
            self.attributes[a:b],
            np.diff(self.relations[first : last + 1]),
            self.places[r:s],
            self.predicates[r:s],
        )


def _cell(cells: NDArray[np.int32], k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where a field begins and ends in each record."""
    return np.ascontiguousarray(cells[:, k, 0]), np.ascontiguousarray(cells[:, k, 1])

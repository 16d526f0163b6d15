"""COCO instances: the annotations of an image are its objects.

Source: Lin et al. 2014, arXiv 1405.0312. The class of an object is its category, or the category above it. Images
without an annotation are scenes without objects. The lists of images, annotations and categories may stand in any
order; masks and boxes are passed over. Cost: O(bytes); memory follows the number of objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import JoinError, Problem, RecordsError
from compsplit.model.column import Texts, frozen, texts
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input, Records
from compsplit.readers.building import IdScope
from compsplit.readers.json_lists import JsonLists
from compsplit.readers.json_spans import Header
from compsplit.readers.scene_building import SceneBuilder, SceneIds, Standing
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import UserFile, register

_CROWDS = "annotations of crowds left out"
_UNJOINED = "annotations of unknown images or categories left out"


class _Image(msgspec.Struct):
    id: int | str
    file_name: str | None = None


class _Category(msgspec.Struct):
    id: int | str
    name: str
    supercategory: str | None = None


class _Annotation(msgspec.Struct):
    id: int | str
    image_id: int | str
    category_id: int | str
    iscrowd: int | bool = 0


_LISTS: dict[str, type[Any]] = {"images": _Image, "annotations": _Annotation, "categories": _Category}


@register("reader", "coco", source="Lin et al. 2014, arXiv 1405.0312")
def read(
    files: Sequence[Input],
    *,
    classes: Literal["category", "supercategory"] = "category",
    crowd: Literal["keep", "leave-out"] = "keep",
    aliases: Mapping[str, UserFile] | None = None,
    vocabulary: Mapping[str, UserFile] | None = None,
    keep_object_ids: bool = False,
    allow_unjoined: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read COCO instances.

    Args:
        files: Files of instances.
        classes: What an object is called.
        crowd: Whether annotations of crowds are objects; those left out are counted.
        aliases: objects -> file of ``name,alias,alias`` lines.
        vocabulary: objects -> file of the names that are kept.
        keep_object_ids: Keep the annotations' ids.
        allow_unjoined: Leave annotations of unknown images and categories out, and count them.
        id_scope: ``"file"`` qualifies each image id by its file.

    Raises:
        JoinError: An annotation is of an unknown image or category.
        RecordsError, RepeatedIdError: As their messages say.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image id")
    counts = {_CROWDS: 0, _UNJOINED: 0}
    kept_ids: list[Texts] = []
    records: list[Records] = []
    for file in files:
        first = builder.n_scenes
        ids.begin(file.source)
        found = _Found(file)
        found.read()
        for name, shown in found.images:
            ids.add(name, shown)
        images, categories = found.joined()
        unknown = (images < 0) | (categories < 0)
        if unknown.any() and not allow_unjoined:
            raise JoinError(
                int((~unknown).sum()),
                {
                    "annotations of unknown images": found.ids[images < 0].tolist(),
                    "annotations of unknown categories": found.ids[(images >= 0) & (categories < 0)].tolist(),
                },
                file=file.name,
                what="Annotations, images and categories",
                field="id",
            )
        left_out = ~unknown & found.crowds & (crowd == "leave-out")
        counts[_UNJOINED] += int(unknown.sum())
        counts[_CROWDS] += int(left_out.sum())
        kept = np.flatnonzero(~unknown & ~left_out)
        kept = kept[np.argsort(images[kept], kind="stable")]
        names = [each.name if classes == "category" else each.supercategory for each in found.categories]
        builder.extend(
            np.bincount(images[kept], minlength=len(found.images)).tolist(),
            map(names.__getitem__, categories[kept].tolist()),
        )
        kept_ids.append(found.ids[kept])
        records += found.records(first, np.where(unknown, np.int32(-1), images + np.int32(first)).astype(np.int32))
    more: dict[str, Any] = {"object_ids": frozen(np.concatenate(kept_ids))} if keep_object_ids else {}
    table = builder.table(
        format="coco",
        rules={"class": classes, "crowds": crowd},
        decisions=counts,
        records=tuple(records),
        **ids.fields(files[0].name),
        **more,
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


class _Found:
    """What the lists of one file hold; the entries of annotations are in their order.

    Attributes:
        images: Id and file name of each image.
        categories: All categories.
        ids: Id of each annotation.
        crowds: Whether it is of a crowd.
    """

    def __init__(self, file: Input) -> None:
        self.images: list[tuple[str, str]] = []
        self.categories: list[_Category] = []
        self.ids: Texts = texts([])
        self.crowds: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._file = file
        self._standing = {name: Standing() for name in _LISTS}
        self._members: tuple[tuple[str, bytes], ...] = ()
        # Annotations may come before what they name: ids are numbered as they are met.
        self._image_numbers: dict[str, int] = {}
        self._category_numbers: dict[str, int] = {}
        self._of_annotations: NDArray[np.int32] = np.zeros((2, 0), dtype=np.int32)

    def read(self) -> None:
        """Read the file.

        Raises:
            RecordsError: A record is wrong, or a category stands twice.
        """
        stream = JsonLists(self._file, _LISTS)
        ids, crowds, ends = [self.ids], [self.crowds], [self._of_annotations]
        for key, block in stream:
            self._standing[key].add(block.starts, block.stops)
            if key == "images":
                self.images += [(str(each.id), each.file_name or str(each.id)) for each in block.records]
            elif key == "categories":
                self.categories += block.records
            else:
                ids.append(texts(str(each.id) for each in block.records))
                crowds.append(np.array([bool(each.iscrowd) for each in block.records], dtype=bool))
                images, categories = self._image_numbers, self._category_numbers
                ends.append(
                    np.array(
                        [
                            [images.setdefault(str(each.image_id), len(images)) for each in block.records],
                            [categories.setdefault(str(each.category_id), len(categories)) for each in block.records],
                        ],
                        dtype=np.int32,
                    )
                )
        stream.finish()
        self._members = tuple(stream.header.members)
        self.ids, self.crowds = np.concatenate(ids), np.concatenate(crowds)
        self._of_annotations = np.concatenate(ends, axis=1)
        met: set[str] = set()
        for number, each in enumerate(self.categories, 1):
            if str(each.id) in met:
                problem = Problem(self._file.name, number, "categories.id", f"category {each.id} stands twice")
                raise RecordsError([problem])
            met.add(str(each.id))

    def records(self, first: int, of_annotations: NDArray[np.int32]) -> list[Records]:
        """Return where the records of each list stand; those of categories are no scene's.

        Args:
            first: The row of the first image.
            of_annotations: The row of each annotation.
        """
        rows = {
            "images": np.arange(first, first + len(self.images), dtype=np.int32),
            "annotations": of_annotations,
            "categories": np.full(len(self.categories), -1, dtype=np.int32),
        }
        header = Header(list(self._members), layout="lists")
        return [
            self._standing[name].records(self._file, header, kind=name, rows=rows[name], key=name) for name in _LISTS
        ]

    def joined(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the image and the category of each annotation as places in their lists, -1 for unknown ones."""
        image_place = {name: k for k, (name, _) in enumerate(self.images)}
        category_place = {str(each.id): k for k, each in enumerate(self.categories)}
        images = np.array([image_place.get(name, -1) for name in self._image_numbers], dtype=np.int32)
        categories = np.array([category_place.get(name, -1) for name in self._category_numbers], dtype=np.int32)
        return images[self._of_annotations[0]], categories[self._of_annotations[1]]

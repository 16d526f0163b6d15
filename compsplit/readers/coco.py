"""COCO instances: the annotations of an image are its objects.

Source: Lin et al. 2014, arXiv 1405.0312. The class of an object is its category, or the category above it. Images
without an annotation are scenes without objects. Each list of the file is read by itself; masks are passed over. Cost:
O(bytes) for each of three lists; memory follows the number of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from compsplit.errors import JoinError
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import SceneBuilder, SceneIds
from compsplit.registry import register


class _Image(msgspec.Struct):
    id: int | str
    file_name: str | None = None


class _Category(msgspec.Struct):
    id: int | str
    name: str
    supercategory: str | None = None


class _Annotation(msgspec.Struct):
    image_id: int | str
    category_id: int | str
    id: int | str | None = None
    iscrowd: int = 0


@register("reader", "coco", source="Lin et al. 2014, arXiv 1405.0312")
def read(
    files: Sequence[Input],
    *,
    classes: Literal["category", "supercategory"] = "category",
    crowd: Literal["keep", "leave-out"] = "keep",
    allow_unjoined: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read COCO instances.

    Args:
        files: Files of instances.
        classes: What an object is called.
        crowd: Whether annotations of crowds are objects; those left out are counted.
        allow_unjoined: Leave annotations of unknown images and categories out, and count them.
        id_scope: ``"file"`` qualifies each image id by its file.

    Raises:
        JoinError: An annotation is of an unknown image or category.
        RecordsError, RepeatedIdError: As their messages say.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image_id")
    counts = {"annotations of crowds left out": 0, "annotations of unknown images or categories left out": 0}
    for file in files:
        ids.begin(file.source)
        place: dict[str, int] = {}
        for image in _records(file, "images", _Image):
            ids.add(str(image.id), image.file_name or str(image.id))
            place.setdefault(str(image.id), len(place))
        names = {
            str(each.id): each.name if classes == "category" else each.supercategory
            for each in _records(file, "categories", _Category)
        }
        numbers = {name: k for k, name in enumerate(names)}
        scenes: list[int] = []
        codes: list[int] = []
        unknown: dict[str, list[str]] = {"annotations of unknown images": [], "annotations of unknown categories": []}
        n_joined = 0
        for each in _records(file, "annotations", _Annotation):
            where, code = place.get(str(each.image_id)), numbers.get(str(each.category_id))
            if where is None or code is None:
                kind = "images" if where is None else "categories"
                unknown[f"annotations of unknown {kind}"].append(str(each.id))
            elif each.iscrowd and crowd == "leave-out":
                counts["annotations of crowds left out"] += 1
            else:
                scenes.append(where)
                codes.append(code)
            n_joined += where is not None and code is not None
        if any(unknown.values()) and not allow_unjoined:
            raise JoinError(n_joined, unknown, file=file.name, what="Images and annotations", field="image_id")
        counts["annotations of unknown images or categories left out"] += sum(map(len, unknown.values()))
        where_of = np.array(scenes, dtype=np.int64)
        order = np.argsort(where_of, kind="stable")
        known = list(names.values())
        builder.extend(
            np.bincount(where_of, minlength=len(place)).tolist(),
            (known[code] for code in np.array(codes)[order].tolist()),
        )
    decisions = {name: n for name, n in counts.items() if n}
    rules = {"class": classes, "crowds": crowd}
    return builder.table(format="coco", rules=rules, decisions=decisions, **ids.fields(files[0].name))


def _records(file: Input, key: str, record: type[Any]) -> Any:
    """Yield the records of one list of the file."""
    stream: JsonRecords[Any] = JsonRecords(file, record, (key,))
    for block in stream:
        yield from block.records
    stream.finish()

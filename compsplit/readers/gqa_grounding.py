"""Attention maps of a model, and the regions of the objects that GQA questions and their full answers point at.

Source: Hudson and Manning 2019, arXiv 1902.09506. Attention is a list of ``{"questionId": ..., "attention": [[...]]}``
or an object of maps by id; a map is a list of columns, the first index along x, of which the first n by n cells are
used. Boxes come from scene graphs, in pixels (x, y, w, h), and become shares of the image's width and height. Maps of
other questions are passed over. Where no question that matters has annotations, its regions are unknown, and not none.
Cost: O(bytes); one block of maps or images at a time, and n x n numbers a map.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, JoinError, UsageError, counted
from compsplit.model.answered import Grounding
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable
from compsplit.readers.json_records import JsonRecords

_UNKNOWN = "no question has the field annotations, which names the objects that it points at"


class _Attention(msgspec.Struct):
    attention: list[list[float]]
    questionId: str | int | None = None


class _Box(msgspec.Struct):
    x: float | None = None
    y: float | None = None
    w: float | None = None
    h: float | None = None


class _Image(msgspec.Struct):
    width: float
    height: float
    objects: dict[str, _Box]


def read_grounding(
    attentions: Input, scenes: Input, table: QATable, map_size: int, needed: NDArray[np.bool_] | None = None
) -> Grounding:
    """Return the maps of questions with the regions that they speak of.

    Args:
        attentions: The maps.
        scenes: The scene graphs, for the boxes.
        table: The questions, read with their lists.
        map_size: Cells of a map along each side.
        needed: Questions that must have a map and, if they point at objects, a scene graph. By default none must, and
            those that lack one are not ``there``.

    Raises:
        UsageError: The questions are not GQA's.
        JoinError: A question that must have them lacks its map or scene graph.
        RecordsError: A map is too small or stands twice, an object or its box is not in the scene graph, or a number is
            not finite.
        BrokenFileError, RepeatedKeysError: As their messages say.
    """
    if table.format != "gqa":
        raise UsageError(
            f"{attentions.name}: attention is held against the objects that GQA's questions point at, and the data are "
            f"{table.format}.",
            file=attentions.name,
            field="--attentions",
        )
    maps, there, n_larger = _maps(attentions, table, map_size)
    if needed is not None and not there[needed].all():
        faults = {"questions without attention": sorted(table.ids[needed & ~there].tolist())}
        raise JoinError(int(there[needed].sum()), faults, file=attentions.name, what="Questions and attention maps")
    asked = there if needed is None else there & needed
    findings = _findings(attentions, map_size, n_larger)
    annotated = table.columns.get("annotated")
    if annotated is None or not (annotated.codes[asked] >= 0).any():
        none = np.zeros(len(table) + 1, dtype=np.int64)
        return Grounding(maps, there, none, np.zeros((0, 4)), _UNKNOWN, findings)
    regions = table.lists["regions"]
    wanted = np.flatnonzero(asked[regions.row_of_value])
    rows = regions.row_of_value[wanted]
    boxes, found = _boxes(scenes, table, rows, regions.values.codes[wanted].tolist(), regions.values.names)
    lacking = np.unique(rows[~found])
    if len(lacking) and needed is not None:
        images = table.images.take(lacking)
        faults = {"images without a scene graph": sorted({name for name in images.values() if name is not None})}
        with_regions = len(np.unique(rows))
        raise JoinError(
            with_regions - len(lacking), faults, file=scenes.name, what="Questions and scene graphs", field="image id"
        )
    there[lacking] = False
    starts = np.append(0, np.cumsum(np.bincount(rows[found], minlength=len(table)), dtype=np.int64))
    return Grounding(maps, there, starts, boxes[found], findings=findings)


def _maps(file: Input, table: QATable, size: int) -> tuple[NDArray[np.float64], NDArray[np.bool_], int]:
    """Return the map of each row, which rows have one, and how many are larger than asked."""
    place = {name: row for row, name in enumerate(table.ids.tolist())}
    maps = np.zeros((len(table), size, size))
    there = np.zeros(len(table), dtype=np.bool_)
    n_larger = 0
    stream: JsonRecords[_Attention | list[list[float]]] = JsonRecords(file, _Attention | list[list[float]], keyed=True)  # type: ignore[arg-type]  # a union is a type that msgspec knows
    for block in stream:
        keys: Sequence[str | int | None] = block.keys or [getattr(each, "questionId", None) for each in block.records]
        for number, key, each in zip(block.numbers.tolist(), keys, block.records, strict=True):
            cells = each.attention if isinstance(each, _Attention) else each
            row = place.get(str(key))
            if key is None:
                stream.note(number, "questionId", "is missing")
            elif row is None:
                continue
            elif there[row]:
                stream.note(number, "questionId", f"{key} has a map already, in a record before")
            elif len(cells) < size or min(map(len, cells[:size])) < size:
                had = f"{len(cells)} by {min(map(len, cells), default=0)}"
                stream.note(number, "attention", f"is {had} cells, expected {size} by {size} at least")
            elif not math.isfinite(sum(map(abs, chain.from_iterable(column[:size] for column in cells[:size])))):
                stream.note(number, "attention", "holds a number that is not finite, or they have no finite sum")
            else:
                n_larger += len(cells) > size or max(map(len, cells)) > size
                maps[row] = [column[:size] for column in cells[:size]]
                there[row] = True
    stream.finish()
    return maps, there, n_larger


def _boxes(
    file: Input, table: QATable, rows: NDArray[np.int64], objects: Sequence[int], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the box of each region as shares of its image, and which regions have one.

    Args:
        file: The scene graphs.
        table: The questions.
        rows: The row of each region.
        objects: The number of each region's object in ``names``.
        names: Ids of objects.
    """
    boxes = np.zeros((len(rows), 4))
    found = np.zeros(len(rows), dtype=np.bool_)
    of_image: dict[str, list[int]] = {}
    for k, image in enumerate(table.images.take(rows).values()):
        if image is not None:
            of_image.setdefault(image, []).append(k)
    stream: JsonRecords[_Image] = JsonRecords(file, _Image, keyed=True)
    for block in stream:
        if stream.header.layout != "keyed":
            raise BrokenFileError(file.name, "is a list, expected an object whose members are images by id")
        for number, image, scene in zip(block.numbers.tolist(), block.keys, block.records, strict=True):
            wanted = of_image.get(image)
            if wanted is None:
                continue
            if not (0 < scene.width < math.inf and 0 < scene.height < math.inf):
                size = f"{scene.width:g} by {scene.height:g}"
                stream.note(number, "width", f"is {size}, expected a positive size that is finite")
                continue
            without_box: set[str] = set()
            for k in wanted:
                name = names[objects[k]]
                box = scene.objects.get(name)
                if box is None:
                    spoken = f"question {table.ids[rows[k]]} points at"
                    stream.note(number, "objects", f"image {image} has no object {name}, which {spoken}")
                elif name in without_box:
                    continue
                elif box.x is None or box.y is None or box.w is None or box.h is None:
                    without_box.add(name)
                    stream.note(number, "objects", f"object {name} has no box (x, y, w, h)")
                else:
                    left, top = box.x / scene.width, box.y / scene.height
                    boxes[k] = left, top, (box.x + box.w) / scene.width, (box.y + box.h) / scene.height
                    if not np.isfinite(boxes[k]).all():
                        without_box.add(name)
                        stream.note(number, "objects", f"object {name} has a box (x, y, w, h) that is not finite")
            found[wanted] = True
    stream.finish()
    return boxes, found


def _findings(file: Input, size: int, n_larger: int) -> tuple[Finding, ...]:
    if not n_larger:
        return ()
    return (
        Finding(
            kind="attention-cells-ignored",
            count=n_larger,
            message=f"{counted(n_larger, 'attention map')} of {file.name} {'is' if n_larger == 1 else 'are'} larger "
            f"than {size} by {size}; cells beyond that are ignored, as the official program does.",
        ),
    )

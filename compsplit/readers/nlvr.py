"""NLVR with structured boxes: three boxes of shapes of a colour and size, and a sentence about them.

Source: Suhr et al. 2017. A record is one scene with the objects of all its boxes, or each box is a scene. The class of
an object is its type, or any of its members together; the others are its attributes. The image of a scene is its
record, so that boxes of one record can be kept together. NLVR2 has photographs and no boxes: it is a table. Cost:
O(bytes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import Members, SceneBuilder, SceneIds, Scenes, Standing
from compsplit.registry import register

_KNOWN = ("type", "color", "size")


class _Object(msgspec.Struct):
    type: str | None = None
    color: str | None = None
    size: int | float | str | None = None


class _Record(msgspec.Struct):
    identifier: str
    structured_rep: list[list[_Object]]
    sentence: str | None = None
    label: str | None = None


@register("reader", "nlvr", source="Suhr et al. 2017 (NLVR)")
def read(
    files: Sequence[Input],
    *,
    classes: Sequence[str] | str = "type",
    unit: Literal["record", "box"] = "record",
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read NLVR's structured boxes.

    Args:
        files: Files of JSON lines.
        classes: What makes the class of an object: ``"type"``, ``"type+color"`` or a list of members.
        unit: Whether a record is a scene, or each of its boxes.
        id_scope: ``"file"`` qualifies each id by its file.

    Raises:
        UnknownNameError: Objects have no such member.
        RecordsError, RepeatedIdError: As their messages say.
    """
    members = Members(classes, _KNOWN)
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "identifier")
    records = []
    for file in files:
        ids.begin(file.source)
        standing, first = Standing(), builder.n_scenes
        n_scenes: list[int] = []
        stream: JsonRecords[_Record] = JsonRecords(file, _Record)
        for block in stream:
            flat = Scenes()
            for record in block.records:
                boxes = record.structured_rep
                scenes = boxes if unit == "box" else [[each for box in boxes for each in box]]
                n_scenes.append(len(scenes))
                for k, objects in enumerate(scenes, 1):
                    name = f"{record.identifier}:{k}" if unit == "box" else record.identifier
                    ids.add(name, record.identifier, sentence=record.sentence, label=record.label)
                    _add(flat, objects, members)
            flat.give(builder)
            standing.add(block.starts, block.stops)
        stream.finish()
        shared: dict[str, Any] = {}
        if unit == "box":
            rows = first + np.cumsum(n_scenes, dtype=np.int32) - np.array(n_scenes, dtype=np.int32)
            shared = {"layout": "shared", "rows": rows.astype(np.int32)}
        records.append(standing.records(file, stream.header, first, **shared))
    return builder.table(
        format="nlvr",
        rules={**members.rules, "unit": unit},
        records=tuple(records),
        **ids.fields(files[0].name),
    )


def _add(flat: Scenes, objects: Sequence[_Object], members: Members) -> None:
    flat.n_objects.append(len(objects))
    for each in objects:
        values = [getattr(each, name) for name in members.classes]
        flat.classes.append(None if None in values else " ".join(map(str, values)))
        attributes = [str(value) for name in members.attributes if (value := getattr(each, name)) is not None]
        flat.n_attributes.append(len(attributes))
        flat.attributes += attributes
    flat.n_relations.append(0)

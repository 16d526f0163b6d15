"""GQA scene graphs: one object whose members are images, each with its objects by id and their relations.

Source: Hudson and Manning 2019, arXiv 1902.09506. The relations of an object are those whose subject it is. Cost:
O(bytes), one block of images at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from compsplit.errors import BrokenFileError
from compsplit.model.column import frozen, texts
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import ABSENT, SceneBuilder, SceneIds, Scenes, Standing, dangling
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import UserFile, register


class _Relation(msgspec.Struct):
    object: str | int
    name: str | None = None


class _Object(msgspec.Struct):
    name: str | None = None
    attributes: list[str | None] | None = None
    relations: list[_Relation] | None = None


class _Scene(msgspec.Struct):
    objects: dict[str, _Object]
    location: str | None = None
    weather: str | None = None


@register("reader", "gqa-scenes", source="Hudson and Manning 2019, arXiv 1902.09506")
def read(
    files: Sequence[Input],
    *,
    aliases: Mapping[str, UserFile] | None = None,
    vocabulary: Mapping[str, UserFile] | None = None,
    keep_object_ids: bool = False,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read GQA scene graphs.

    Args:
        files: Files of scene graphs.
        aliases: objects, predicates or attributes -> file of ``name,alias,alias`` lines.
        vocabulary: objects, predicates or attributes -> file of the names that are kept.
        keep_object_ids: Keep the objects' ids, to join questions.
        id_scope: ``"file"`` qualifies each image id by its file.

    Raises:
        BrokenFileError, RecordsError, RepeatedKeysError, RepeatedIdError: As their messages say.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image id")
    kept: list[str] = []
    missing: list[tuple[str, str, str]] = []
    records = []
    for file in files:
        ids.begin(file.source)
        standing, first = Standing(), builder.n_scenes
        stream: JsonRecords[_Scene] = JsonRecords(file, _Scene, keyed=True)
        for block in stream:
            if stream.header.layout != "keyed":
                raise BrokenFileError(file.name, "is a list, expected an object whose members are images by id")
            flat = Scenes()
            for key, scene in zip(block.keys, block.records, strict=True):
                ids.add(key, key, location=scene.location, weather=scene.weather)
                _add(flat, key, scene, missing)
                if keep_object_ids:
                    kept += scene.objects
            flat.give(builder)
            standing.add(block.starts, block.stops)
        stream.finish()
        records.append(standing.records(file, stream.header, first))
    more: dict[str, Any] = {"object_ids": frozen(texts(kept))} if keep_object_ids else {}
    table = builder.table(
        format="gqa-scenes", findings=dangling(missing), records=tuple(records), **ids.fields(files[0].name), **more
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


def _add(flat: Scenes, image: str, scene: _Scene, missing: list[tuple[str, str, str]]) -> None:
    objects = scene.objects
    place = {name: k for k, name in enumerate(objects)}
    flat.n_objects.append(len(objects))
    n_relations = 0
    for k, (name, found) in enumerate(objects.items()):
        flat.classes.append(found.name)
        attributes = found.attributes or ()
        flat.n_attributes.append(len(attributes))
        flat.attributes += attributes
        for relation in found.relations or ():
            other = str(relation.object)
            where = place.get(other, ABSENT)
            if where == ABSENT:
                missing.append((image, f"{name} {relation.name}", other))
            flat.subjects.append(k)
            flat.predicates.append(relation.name)
            flat.objects.append(where)
            n_relations += 1
    flat.n_relations.append(n_relations)

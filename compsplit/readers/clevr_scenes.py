"""CLEVR scenes: objects of shape, colour, size and material, and four relations between all of them.

Source: Johnson et al. 2017, arXiv 1612.06890. The class of an object is its shape, or any of its members together; the
others are its attributes. ``relationships["left"][i]`` lists the objects that are left of object i: (j, left, i).
Images are numbered anew in each part, so a scene's id is its image's file name. Cost: O(bytes).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from compsplit.errors import Problem, RecordsError, counted
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import Members, SceneBuilder, SceneIds, Scenes, Standing
from compsplit.registry import register

_KNOWN = ("shape", "color", "size", "material")


class _Object(msgspec.Struct):
    shape: str | None = None
    color: str | None = None
    size: str | None = None
    material: str | None = None


class _Scene(msgspec.Struct):
    objects: list[_Object]
    image_index: int | str | None = None
    image_filename: str | None = None
    split: str | None = None
    relationships: dict[str, list[list[int]]] | None = None


@register("reader", "clevr-scenes", source="Johnson et al. 2017, arXiv 1612.06890")
def read(files: Sequence[Input], *, classes: Sequence[str] | str = "shape", id_scope: IdScope = "all") -> SceneTable:
    """Read CLEVR scenes.

    Args:
        files: Files of scenes.
        classes: What makes the class of an object: ``"shape"``, ``"shape+color"`` or a list of members.
        id_scope: ``"file"`` qualifies each id by its file.

    Raises:
        UnknownNameError: Objects have no such member.
        RecordsError, RepeatedIdError: As their messages say.
    """
    members = Members(classes, _KNOWN)
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image_filename")
    records = []
    for file in files:
        ids.begin(file.source)
        standing, first = Standing(), builder.n_scenes
        stream: JsonRecords[_Scene] = JsonRecords(file, _Scene, ("scenes",))
        problems: list[Problem] = []
        for block in stream:
            flat = Scenes()
            for number, scene in zip(block.numbers.tolist(), block.records, strict=True):
                name = scene.image_filename
                if name is None and scene.image_index is None:
                    problems.append(Problem(file.name, number, "image_filename", "is missing, and so is image_index"))
                    continue
                wrong = _wrong(scene)
                if wrong:
                    problems.append(Problem(file.name, number, "relationships", wrong))
                    continue
                known = PurePosixPath(name).stem if name else f"{scene.split or file.source}:{scene.image_index}"
                ids.add(known, name or known, split=scene.split)
                _add(flat, scene, members)
            flat.give(builder)
            standing.add(block.starts, block.stops)
        stream.finish()
        if problems:
            raise RecordsError(problems)
        records.append(standing.records(file, stream.header, first))
    return builder.table(
        format="clevr-scenes", rules=members.rules, records=tuple(records), **ids.fields(files[0].name)
    )


def _wrong(scene: _Scene) -> str | None:
    """Return what is wrong with the relationships of a scene, None if nothing is."""
    n = len(scene.objects)
    for predicate, lists in (scene.relationships or {}).items():
        if len(lists) != n:
            return f"{predicate} has {counted(len(lists), 'list')} for {counted(n, 'object')}"
        if not all(0 <= j < n for others in lists for j in others):
            return f"{predicate} names an object that the scene does not have"
    return None


def _add(flat: Scenes, scene: _Scene, members: Members) -> None:
    flat.n_objects.append(len(scene.objects))
    for each in scene.objects:
        values = [getattr(each, name) for name in members.classes]
        flat.classes.append(None if None in values else " ".join(values))
        attributes = [value for name in members.attributes if (value := getattr(each, name)) is not None]
        flat.n_attributes.append(len(attributes))
        flat.attributes += attributes
    n_relations = 0
    for predicate, lists in (scene.relationships or {}).items():
        for i, others in enumerate(lists):
            flat.subjects += others
            flat.predicates += [predicate] * len(others)
            flat.objects += [i] * len(others)
            n_relations += len(others)
    flat.n_relations.append(n_relations)

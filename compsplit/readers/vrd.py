"""Stanford VRD: images with their relationships, whose objects are boxes of a category.

Source: Lu et al. 2016, arXiv 1608.00187. Categories and predicates are places in two lists, which are found beside the
annotations (objects.json, predicates.json) or given as options. Objects have no id: one box of one category is one
object. Images without a relationship are scenes without objects; a relationship that is told twice counts twice, and
a finding says how many are. Cost: O(bytes).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from compsplit.errors import BrokenFileError, FileError, Problem, RecordsError, counted
from compsplit.files import text_of
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.scene_building import SceneBuilder, SceneIds, Scenes, Standing
from compsplit.readers.scene_rules import with_rules
from compsplit.registry import UserFile, register


class _Box(msgspec.Struct):
    category: int
    bbox: tuple[float, float, float, float]


class _Relationship(msgspec.Struct):
    predicate: int
    subject: _Box
    object: _Box


_BESIDE = {"objects": "objects.json", "predicates": "predicates.json"}


@register("reader", "vrd", source="Lu et al. 2016, arXiv 1608.00187", beside=_BESIDE)
def read(
    files: Sequence[Input],
    *,
    objects: UserFile | None = None,
    predicates: UserFile | None = None,
    aliases: Mapping[str, UserFile] | None = None,
    vocabulary: Mapping[str, UserFile] | None = None,
    id_scope: IdScope = "all",
) -> SceneTable:
    """Read Stanford VRD.

    Args:
        files: Annotation files.
        objects: JSON list of the categories' names; objects.json beside each file without it.
        predicates: JSON list of the predicates' names; predicates.json beside each file without it.
        aliases: objects or predicates -> file of ``name,alias,alias`` lines.
        vocabulary: objects or predicates -> file of the names that are kept.
        id_scope: ``"file"`` qualifies each image by its file.

    Raises:
        FileError: A list of names is not found.
        RecordsError, RepeatedKeysError, RepeatedIdError: As their messages say.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "image")
    problems: list[Problem] = []
    again: list[tuple[str, str]] = []
    records = []
    for file in files:
        ids.begin(file.source)
        standing, first = Standing(), builder.n_scenes
        given = (("objects", objects), ("predicates", predicates))
        classes, relations = (_names(file, what, path) for what, path in given)
        stream: JsonRecords[list[_Relationship]] = JsonRecords(file, list[_Relationship], keyed=True)
        for block in stream:
            flat = Scenes()
            for number, image, found in zip(block.numbers.tolist(), block.keys, block.records, strict=True):
                ids.add(image, image)
                wrong = _add(flat, found, classes, relations)
                if wrong:
                    problems.append(Problem(file.name, number, wrong[0], f"{wrong[1]} (image {image})"))
                    continue
                again += [(image, told) for told in _repeated(flat, found)]
            flat.give(builder)
            standing.add(block.starts, block.stops)
        stream.finish()
        beside = tuple((_BESIDE[what], _place(file, what, path)) for what, path in given)
        records.append(standing.records(file, stream.header, first, beside=beside))
    if problems:
        raise RecordsError(problems)
    table = builder.table(
        format="vrd",
        rules={"object": "category and box"},
        findings=_told_twice(again),
        records=tuple(records),
        **ids.fields(files[0].name),
    )
    return with_rules(table, aliases=aliases, vocabulary=vocabulary)


def _add(
    flat: Scenes, found: Sequence[_Relationship], classes: Sequence[str], predicates: Sequence[str]
) -> tuple[str, str] | None:
    """Add a scene, or return which field of it is wrong, and how."""
    place: dict[tuple[int, tuple[float, float, float, float]], int] = {}
    for relation in found:
        ends = []
        for name, box in (("subject", relation.subject), ("object", relation.object)):
            if not 0 <= box.category < len(classes):
                return name, f"category {box.category} is not in the list of {len(classes)} objects"
            ends.append(place.setdefault((box.category, box.bbox), len(place)))
        if not 0 <= relation.predicate < len(predicates):
            return "predicate", f"{relation.predicate} is not in the list of {len(predicates)} predicates"
        flat.subjects.append(ends[0])
        flat.predicates.append(predicates[relation.predicate])
        flat.objects.append(ends[1])
    flat.n_objects.append(len(place))
    flat.classes += [classes[category] for category, _ in place]
    flat.n_attributes += [0] * len(place)
    flat.n_relations.append(len(found))
    return None


def _repeated(flat: Scenes, found: Sequence[_Relationship]) -> list[str]:
    """Return the relationships of the scene added last that were told before, as text."""
    n = len(found)
    told = list(zip(flat.subjects[-n:], flat.predicates[-n:], flat.objects[-n:], strict=True)) if n else []
    if len(set(told)) == n:
        return []
    first = len(flat.classes) - flat.n_objects[-1]
    return [
        f"{flat.classes[first + subject]} {predicate} {flat.classes[first + other]}"
        for k, (subject, predicate, other) in enumerate(told)
        if told.index((subject, predicate, other)) < k
    ]


def _told_twice(again: Sequence[tuple[str, str]]) -> tuple[Finding, ...]:
    if not again:
        return ()
    return (
        Finding(
            kind="relations-twice",
            count=len(again),
            first=tuple(sorted(again)[:5]),
            message=f"{counted(len(again), 'relation repeats', 'relations repeat')} another of the same image exactly, "
            "predicate and boxes (image, relation); each counts.",
        ),
    )


def _place(file: Input, what: str, given: str | None) -> Path:
    return Path(given) if given else file.path.parent / _BESIDE[what]


def _names(file: Input, what: str, given: str | None) -> list[str]:
    path = _place(file, what, given)
    if not path.is_file():
        raise FileError(
            str(path), f"there is no such file; the {what} of VRD are a JSON list of names: --read {what}=FILE"
        )
    try:
        names = json.loads(text_of(Input(path, path.stem)))
    except ValueError as error:
        raise BrokenFileError(path.name, f"is not JSON ({error})") from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BrokenFileError(path.name, f"is no JSON list of names; give that of the {what}: --read {what}=FILE")
    return names

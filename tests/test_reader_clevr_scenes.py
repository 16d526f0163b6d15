"""CLEVR scenes: the class is any members of an object, the others are attributes; relations are lists of places."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError, RepeatedIdError, UnknownNameError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin

CUBE = {"shape": "cube", "color": "gray", "size": "small", "material": "metal", "rotation": 1.5}
BALL = {"shape": "sphere", "color": "red", "size": "large", "material": "rubber"}


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "clevr-scenes").make(inputs(paths), **options)
    return made


def put(path: Path, *scenes: Any) -> Path:
    path.write_text(json.dumps({"info": {"split": "val"}, "scenes": scenes}))
    return path


def scene(index: int = 0, **more: Any) -> dict[str, Any]:
    return {"image_index": index, "objects": [CUBE, BALL], **more}


def triples(table: SceneTable) -> list[tuple[str | None, str | None, str | None]]:
    ends = table.classes.values()
    subjects, objects = ([ends[k] for k in side] for side in (table.subjects, table.objects))
    return list(zip(subjects, table.predicates.values(), objects, strict=True))


@pytest.mark.large
@pytest.mark.parametrize(
    ("name", "scenes", "objects"), [("CLEVR_train_scenes_1000", 1000, 6455), ("CLEVR_val_scenes_500", 500, 3261)]
)
def test_the_published_files_are_what_a_plain_count_says(shared: Path, name: str, scenes: int, objects: int) -> None:
    path = shared / "data" / "clevr" / "too_clevr" / f"{name}.json"
    content = json.loads(path.read_text())["scenes"]
    table = read(path)
    expected: Counter[tuple[str, str, str]] = Counter()
    for each in content:
        shapes = [one["shape"] for one in each["objects"]]
        for predicate, lists in each["relationships"].items():
            for i, others in enumerate(lists):
                expected.update((shapes[j], predicate, shapes[i]) for j in others)
    assert Counter(triples(table)) == expected
    assert Counter(table.attributes.values()) == Counter(
        one[member] for each in content for one in each["objects"] for member in ("color", "size", "material")
    )
    assert (len(table), table.n_objects) == (scenes, objects)
    assert table.ids.tolist() == [each["image_filename"].removesuffix(".png") for each in content]
    assert table.images.values() == [each["image_filename"] for each in content]
    assert not table.decisions
    assert detected(inputs([path])) == "clevr-scenes"


@pytest.mark.large
def test_train_and_val_are_read_together_though_both_begin_at_image_0(shared: Path) -> None:
    folder = shared / "data" / "clevr" / "too_clevr"
    table = read(folder / "CLEVR_train_scenes_1000.json", folder / "CLEVR_val_scenes_500.json")
    assert len(set(table.ids.tolist())) == 1500
    assert Counter(table.columns["split"].values()) == {"train": 1000, "val": 500}


def test_the_made_up_cogent_scenes_have_no_relations(shared: Path) -> None:
    folder = shared / "oracles" / "cogent_pairs"
    for name, n in (("sample_trainA_scenes.json", 140), ("sample_valB_scenes.json", 60)):
        content = json.loads((folder / name).read_text())["scenes"]
        table = read(folder / name, classes="shape+color")
        assert table.classes.values() == [f"{o['shape']} {o['color']}" for each in content for o in each["objects"]]
        assert (len(table), table.n_relations) == (n, 0)
        assert detected(inputs([folder / name])) == "clevr-scenes"


@pytest.mark.parametrize("name", ["left", "behind"])
def test_a_list_of_places_holds_the_subjects(tmp_path: Path, name: str) -> None:
    table = read(put(tmp_path / "x", scene(relationships={name: [[1], []]})))
    assert triples(table) == [("sphere", name, "cube")]


@pytest.mark.parametrize(
    ("classes", "expected", "attributes"),
    [
        ("shape", ["cube", "sphere"], ["gray", "small", "metal", "red", "large", "rubber"]),
        ("color+shape", ["gray cube", "red sphere"], ["small", "metal", "large", "rubber"]),
        (["shape", "color"], ["cube gray", "sphere red"], ["small", "metal", "large", "rubber"]),
        (["size", "color", "material", "shape"], ["small gray metal cube", "large red rubber sphere"], []),
    ],
)
def test_any_members_make_the_class_in_their_order(
    tmp_path: Path, classes: Any, expected: list[str], attributes: list[str]
) -> None:
    table = read(put(tmp_path / "x", scene()), classes=classes)
    assert table.classes.values() == expected
    assert table.attributes.values() == attributes
    assert table.rules["class"] == (classes if isinstance(classes, str) else "+".join(classes))


def test_an_unknown_member_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r'"weight".*color, material, shape, size'):
        read(put(tmp_path / "x", scene()), classes="shape+weight")


def test_an_object_without_a_member_of_its_class_has_no_name_and_is_counted(tmp_path: Path) -> None:
    table = read(put(tmp_path / "x", {"image_index": 1, "objects": [{"color": "red"}, BALL]}))
    assert table.classes.values() == [None, "sphere"]
    assert dict(table.decisions) == {"objects without a name": 1}


def test_scenes_without_file_names_are_known_by_split_and_index(tmp_path: Path) -> None:
    one, two = put(tmp_path / "one", scene(split="val")), put(tmp_path / "two", scene(), scene(1))
    assert read(one, two).ids.tolist() == ["val:0", "two:0", "two:1"]
    with pytest.raises(RepeatedIdError, match=r"1 id is repeated \(val:0\): 1 id covers 2 scenes"):
        read(put(tmp_path / "x", scene(split="val"), scene(split="val")))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (scene(relationships={"left": [[2], []]}), r"relationships: left names an object that the scene does not have"),
        (scene(relationships={"left": [[-1], []]}), r"relationships: left names an object that the scene does not"),
        (scene(relationships={"left": [[1]]}), r"relationships: left has 1 list for 2 objects"),
        ({"objects": []}, r"image_filename: is missing, and so is image_index"),
        ({"image_index": 3}, r"objects: object missing required field `objects`"),
    ],
)
def test_a_bad_scene_is_named_with_its_field(tmp_path: Path, wrong: Any, message: str) -> None:
    with pytest.raises(RecordsError, match=rf"^1 bad record\. x, record 2, {message}"):
        read(put(tmp_path / "x", scene(7), wrong, scene(8)))

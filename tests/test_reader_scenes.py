"""compsplit's own scenes: lines, lists and objects of lists; everything wrong is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError, RepeatedIdError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "scenes").make(inputs(paths), **options)
    return made


def put(path: Path, *scenes: Any) -> Path:
    path.write_text("".join(f"{json.dumps(scene)}\n" for scene in scenes))
    return path


def triples(table: SceneTable) -> list[tuple[int, int, str | None, int]]:
    """Return scene, subject's place, predicate and object's place of each relation."""
    first = table.object_starts[table.scene_of_relation]
    ends = zip(
        (table.subjects - first).tolist(), table.predicates.values(), (table.objects - first).tolist(), strict=True
    )
    return [(s, *told) for s, told in zip(table.scene_of_relation.tolist(), ends, strict=True)]


def described(table: SceneTable) -> dict[str, Any]:
    """Return everything that is said of each scene, by id."""
    classes, attributes = table.classes.values(), table.attributes.values()
    told: dict[str, Any] = {
        name: {
            "objects": [
                (classes[o], attributes[table.attribute_starts[o] : table.attribute_starts[o + 1]])
                for o in range(table.object_starts[s], table.object_starts[s + 1])
            ],
            "relations": [],
            "columns": {key: column[s] for key, column in table.columns.items() if column[s] is not None},
            "image": table.images[s],
        }
        for s, name in enumerate(table.ids.tolist())
    }
    for s, *relation in triples(table):
        told[str(table.ids[s])]["relations"].append(tuple(relation))
    return told


def test_objects_relations_and_columns_are_read(tmp_path: Path) -> None:
    full = {
        "id": "a", "image": 12, "split": "train", "coco_id": 7, "shown": True, "boxes": [1], "note": None, "blank": "",
        "objects": [
            {"id": "m", "class": " Man ", "attributes": ["Tall", "tall", "old"], "names": ["person"]},
            {"id": 3, "class": "horse"}, {"id": "x", "attributes": []}, {"class": "hat"},
        ],
        "relations": [["m", "Rides", 3], [3, "under", "m"], ["m", "has", 3]],
    }  # fmt: skip
    with pytest.raises(RecordsError, match=r"x, record 1, objects: two objects have the id 3\.$"):
        read(put(tmp_path / "x", full))
    full["objects"] = [*full["objects"][:3], {"id": "h", "class": "hat"}]  # type: ignore[index]  # a list
    bare = {"id": 5, "objects": ["cup", "Plate", "cup"], "relations": [[0, "on", 1], ["2", "on", 1]]}
    table = read(put(tmp_path / "x", full, bare, {"id": "none", "objects": []}))
    assert described(table) == {
        "a": {
            "objects": [("man", ["tall", "old"]), ("horse", []), (None, []), ("hat", [])],
            "relations": [(0, "rides", 1), (1, "under", 0), (0, "has", 1)],
            "columns": {"split": "train", "coco_id": "7", "shown": "true"},
            "image": "12",
        },
        "5": {
            "objects": [("cup", []), ("plate", []), ("cup", [])],
            "relations": [(0, "on", 1), (2, "on", 1)],
            "columns": {},
            "image": None,
        },
        "none": {"objects": [], "relations": [], "columns": {}, "image": None},
    }
    assert (table.further_objects.tolist(), table.further_names.values()) == ([0], ["person"])
    assert dict(table.decisions) == {"objects without a name": 1, "attributes given twice for one object": 1}
    kept = read(tmp_path / "x", keep_object_ids=True).object_ids
    assert kept is not None
    assert kept.tolist() == ["m", "3", "x", "h", "0", "1", "2"]


def test_lines_a_list_and_an_object_of_lists_hold_the_same_scenes(tmp_path: Path) -> None:
    scenes = [{"id": f"s{i}", "objects": ["a", "b"][: i + 1], "relations": [[0, "on", 0]] * (i > 3)} for i in range(3)]
    lines = described(read(put(tmp_path / "lines", *scenes)))
    (tmp_path / "list").write_text(json.dumps(scenes, indent=1))
    (tmp_path / "parts").write_text(json.dumps({"train": scenes[:2], "empty": [], "test": scenes[2:]}))
    assert described(read(tmp_path / "list")) == lines
    table = read(tmp_path / "parts")
    assert table.columns["part"].values() == ["train", "train", "test"]
    found = described(table)
    for each in found.values():
        del each["columns"]["part"]
    assert found == lines
    for name in ("lines", "list", "parts"):
        assert detected(inputs([tmp_path / name])) == "scenes"


@pytest.mark.parametrize("name", ["hand_scenes", "random_scenes"])
def test_the_oracles_files_are_read_as_they_stand(shared: Path, name: str) -> None:
    path = shared / "oracles" / "copair_bruteforce" / f"{name}.json"
    given = json.loads(path.read_text())
    table = read(path)
    found = described(table)
    assert detected(inputs([path])) == "scenes"
    assert table.columns["part"].values() == [part for part, scenes in given.items() for _ in scenes]
    for part, scenes in given.items():
        for scene in scenes:
            place = {each["id"]: k for k, each in enumerate(scene["objects"])}
            relations = [(place[one], predicate, place[other]) for one, predicate, other in scene["relations"]]
            assert found[scene["id"]] == {
                "objects": [(each["class"], []) for each in scene["objects"]],
                "relations": relations,
                "columns": {"part": part},
                "image": None,
            }
    assert not table.decisions


def test_relations_to_absent_objects_are_counted_and_listed(tmp_path: Path) -> None:
    relations = [["0", "on", "2"], [7, "on", 0], [0, "by", 0], [0, None, 1], [0, "on", 1]]
    table = read(put(tmp_path / "x", {"id": "a", "objects": ["cup", "hat"], "relations": relations}))
    assert triples(table) == [(0, 0, "on", 1)]
    assert dict(table.decisions) == {
        "relations to an object that the scene does not have, left out": 2,
        "relations of an object to itself, left out": 1,
        "relations without a predicate, left out": 1,
    }
    assert table.findings[0].first == (("a", "0 on 2", "2"), ("a", "7 on 0", "7"))


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ({"objects": []}, "id: is missing"),
        ({"id": "", "objects": []}, "id: is empty"),
        ({"id": True, "objects": []}, "id: is a truth value, expected text"),
        ({"id": "b"}, "objects: is missing"),
        ({"id": "b", "objects": {"1": "cup"}}, "objects: is an object, expected a list"),
        ({"id": "b", "objects": ["cup", 3]}, "objects: object 1 is a whole number, expected a class name or an object"),
        ({"id": "b", "objects": [{"class": 3}]}, "objects: the class of object 0 is a whole number, expected text"),
        ({"id": "b", "objects": [{"id": 1.5}]}, "objects: the id of object 0 is a number, expected text"),
        ({"id": "b", "objects": [{"id": 1}, "cup"]}, "objects: two objects have the id 1"),
        ({"id": "b", "objects": [{"attributes": "red"}]}, "objects: the attributes of object 0 are a string, expected"),
        ({"id": "b", "objects": [{"attributes": [1]}]}, "objects: one of the attributes of object 0 is a whole number"),
        ({"id": "b", "objects": [{"names": [None]}]}, "objects: a name of object 0 is null, expected text"),
        ({"id": "b", "objects": [], "relations": "on"}, "relations: is a string, expected a list"),
        ({"id": "b", "objects": [], "relations": [["a", "on"]]}, r"relations: one is a list of 2, expected \[subject"),
        ({"id": "b", "objects": [], "relations": [[0, 1, 2]]}, "relations: a predicate is a whole number"),
        ({"id": "b", "objects": [], "relations": [[None, "on", 2]]}, "relations: one names an object by null"),
        ({"id": "b", "objects": [], "image": [1]}, "image: is a list, expected text"),
    ],
)
def test_bad_scenes_are_named_with_file_record_and_field(tmp_path: Path, scene: Any, message: str) -> None:
    good = {"id": "a", "objects": ["cup"]}
    with pytest.raises(RecordsError, match=rf"^2 bad records\. x, record 2, {message}.*; x, record 4, "):
        read(put(tmp_path / "x", good, scene, {**good, "id": "c"}, scene))
    (tmp_path / "x").write_text(json.dumps({"train": [good], "test": [{**good, "id": "c"}, scene]}))
    with pytest.raises(RecordsError, match=rf"^1 bad record\. x, record 2, test\.{message}"):
        read(tmp_path / "x")


def test_a_part_of_its_own_must_be_that_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"train": [{"id": 1, "objects": [], "part": "test"}]}')
    with pytest.raises(RecordsError, match=r'record 1, train\.part: is test, but the scene stands in the list "train"'):
        read(tmp_path / "x")


def test_ids_that_repeat_stop(tmp_path: Path) -> None:
    scene = {"id": "a", "objects": []}
    with pytest.raises(RepeatedIdError, match=r"1 id is repeated \(a\): 1 id covers 2 scenes\. Each may stand once"):
        read(put(tmp_path / "x", scene, scene))
    paths = [put(tmp_path / name, scene) for name in ("one", "two")]
    with pytest.raises(RepeatedIdError, match=r"repeated across files \(a\).* --id-scope file"):
        read(*paths)
    assert read(*paths, id_scope="file").ids.tolist() == ["one:a", "two:a"]


def test_no_number_is_no_value_of_a_column_and_a_finding(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"id": 1, "objects": [], "size": NaN}\n{"id": 2, "objects": [], "size": 2.5}\n')
    table = read(tmp_path / "x")
    assert table.columns["size"].values() == [None, "2.5"]
    assert [(each.kind, each.first) for each in table.findings] == [("not-a-number", ("x:1",))]

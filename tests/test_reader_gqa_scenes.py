"""GQA scene graphs: an object of images, whose objects name their relations."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import BrokenFileError, RecordsError, RepeatedIdError, RepeatedKeysError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "gqa-scenes").make(inputs(paths), **options)
    return made


def put(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def thing(name: Any, *attributes: Any, to: Any = ()) -> dict[str, Any]:
    relations = [{"object": other, "name": predicate} for predicate, other in to]
    return {"name": name, "x": 1, "attributes": list(attributes), "relations": relations}


def triples(table: SceneTable) -> list[tuple[str | None, str | None, str | None]]:
    ends = table.classes.values()
    subjects, objects = ([ends[k] for k in side] for side in (table.subjects, table.objects))
    return list(zip(subjects, table.predicates.values(), objects, strict=True))


def test_the_published_file_is_what_a_plain_count_says(shared: Path) -> None:
    path = shared / "data" / "gqa" / "graphvqa" / "debug_sceneGraphs.json"
    images = json.loads(path.read_text())
    table = read(path, keep_object_ids=True)
    expected = Counter(
        (each["name"].lower(), relation["name"].lower(), image["objects"][relation["object"]]["name"].lower())
        for image in images.values()
        for each in image["objects"].values()
        for relation in each["relations"]
    )
    assert Counter(triples(table)) == expected
    assert (len(table), table.n_objects, table.n_relations) == (4, 59, 178)
    assert table.ids.tolist() == table.images.values() == list(images)
    assert table.object_ids is not None
    assert table.object_ids.tolist() == [name for image in images.values() for name in image["objects"]]
    assert table.columns["location"].values() == [image.get("location") for image in images.values()]
    assert "weather" not in table.columns
    assert not table.decisions
    assert detected(inputs([path])) == "gqa-scenes"


def test_an_object_is_the_subject_of_its_relations_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    man = thing("Man", "Tall", "tall ", "", to=[("holding", "8"), ("on", "77"), ("near", "9"), (None, 8), ("has", "7")])
    path = put(
        tmp_path / "x",
        {"5": {"weather": "sunny", "objects": {"9": man, "8": thing("cup"), "7": thing(" ")}}, "6": {"objects": {}}},
    )
    table = read(path)
    assert triples(table) == [("man", "holding", "cup")]
    assert table.attributes.values() == ["tall"]
    assert table.object_starts.tolist() == [0, 3, 3]
    assert table.columns["weather"].values() == ["sunny", None]
    assert dict(table.decisions) == {
        "objects without a name": 1,
        "blank attributes passed over": 1,
        "attributes given twice for one object": 1,
        "relations to an object that the scene does not have, left out": 1,
        "relations of an object to itself, left out": 1,
        "relations of an object without a name, left out": 1,
        "relations without a predicate, left out": 1,
    }
    (finding,) = table.findings
    assert (finding.kind, finding.count, finding.first) == ("dangling-relations", 1, (("5", "9 on", "77"),))


def test_an_object_of_another_image_is_absent(tmp_path: Path) -> None:
    scenes = {"5": {"objects": {"1": thing("man", to=[("on", "2")])}}, "6": {"objects": {"2": thing("cup")}}}
    path = put(tmp_path / "x", scenes)
    assert read(path).n_relations == 0
    assert detected(inputs([path])) == "gqa-scenes"


def test_an_image_or_an_object_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    for text in ('{"5": {"objects": {}}, "5": {"objects": {}}}', '{"5": {"objects": {}}, "\\u0035": {"objects": {}}}'):
        with pytest.raises(RepeatedKeysError, match=r"^x: 1 key stands twice in one object of 2 records \(5\)"):
            read(put(tmp_path / "x", text))
    with pytest.raises(RecordsError, match=r"x, record 1, 1: this key stands twice in one object"):
        read(put(tmp_path / "x", '{"5": {"objects": {"1": {"name": "a"}, "1": {"name": "b"}}}}'))
    one, two = put(tmp_path / "one", {"5": {"objects": {}}}), put(tmp_path / "two", {"5": {"objects": {}}})
    with pytest.raises(RepeatedIdError, match=r"1 id is repeated across files \(5\).*--id-scope file"):
        read(one, two)
    assert read(one, two, id_scope="file").ids.tolist() == ["one:5", "two:5"]


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ([{"objects": {}}], BrokenFileError, r"^x: is a list, expected an object whose members are images by id"),
        ({"5": {"width": 1}}, RecordsError, r"x, record 1, objects: object missing required field"),
        ({"5": {"objects": {"1": {"name": 3}}}}, RecordsError, r"x, record 1, objects: expected `str \| null`"),
        ({"5": {"objects": {"1": thing("a", to=[("on", None)])}}}, RecordsError, r"objects: expected `int "),
        ({"5": "x"}, RecordsError, r"x, record 1: expected `object`, got `str`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, content: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read(put(tmp_path / "x", content))


def test_aliases_and_vocabularies_are_kept_to(tmp_path: Path) -> None:
    path = put(tmp_path / "x", {"5": {"objects": {"1": thing("man", to=[("on", "2")]), "2": thing("cup")}}})
    aliases = put(tmp_path / "a.txt", "person,man\n")
    table = read(path, aliases={"objects": str(aliases)}, vocabulary={"predicates": str(put(tmp_path / "v", "near"))})
    assert table.classes.values() == ["person", "cup"]
    assert dict(table.decisions) == {
        "objects renamed by aliases": 1,
        "predicates outside the vocabulary left out": 1,
    }

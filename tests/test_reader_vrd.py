"""VRD: objects are boxes of a category, told by places in two lists."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.errors import BrokenFileError, FileError, RecordsError, RepeatedIdError, RepeatedKeysError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin

_BESIDE = ("objects", "predicates")
MAN, HORSE = {"category": 0, "bbox": [1, 2, 3, 4]}, {"category": 1, "bbox": [5, 6, 7, 8]}


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "vrd").make(inputs(paths), **options)
    return made


def put(folder: Path, content: Any, name: str = "annotations.json", *, lists: bool = True) -> Path:
    if lists:
        (folder / "objects.json").write_text('["Man", "horse"]')
        (folder / "predicates.json").write_text('["rides", "next  to"]')
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def related(predicate: Any, subject: Any, other: Any) -> dict[str, Any]:
    return {"predicate": predicate, "subject": subject, "object": other}


@pytest.mark.large
def test_the_published_file_is_what_a_plain_count_says(shared: Path) -> None:
    folder = shared / "data" / "vrd"
    path = folder / "annotations_test.json"
    table = read(path)
    names = json.loads((folder / "objects.json").read_text())
    predicates = json.loads((folder / "predicates.json").read_text())
    classes: Counter[str] = Counter()
    triples: Counter[tuple[str, str, str]] = Counter()
    for found in json.loads(path.read_text()).values():
        boxes = {(end["category"], tuple(end["bbox"])) for each in found for end in (each["subject"], each["object"])}
        classes.update(names[category] for category, _ in boxes)
        triples.update(
            (names[each["subject"]["category"]], predicates[each["predicate"]], names[each["object"]["category"]])
            for each in found
            if each["subject"] != each["object"]
        )
    ends = table.classes.values()
    told = zip(
        (ends[k] for k in table.subjects), table.predicates.values(), (ends[k] for k in table.objects), strict=True
    )
    assert Counter(ends) == classes
    assert Counter(told) == triples
    assert (len(table), table.n_objects, table.n_relations) == (1000, 6735, 7638 - 26)
    assert int((np.diff(table.object_starts) == 0).sum()) == 45
    assert dict(table.decisions) == {"relations of an object to itself, left out": 26}
    assert [(each.kind, each.count) for each in table.findings] == [("relations-twice", 160)]
    assert detected(inputs([path])) == "vrd"


def test_one_box_of_one_category_is_one_object_and_a_repeated_relation_counts_twice(tmp_path: Path) -> None:
    dog_there = {"category": 1, "bbox": MAN["bbox"]}
    found = [related(0, MAN, HORSE), related(0, MAN, HORSE), related(1, HORSE, dog_there), related(1, MAN, MAN)]
    table = read(put(tmp_path, {"b.png": found, "a.jpg": []}))
    assert table.ids.tolist() == table.images.values() == ["b.png", "a.jpg"]
    assert table.classes.values() == ["man", "horse", "horse"]
    assert table.object_starts.tolist() == [0, 3, 3]
    assert table.predicates.values() == ["rides", "rides", "next to"]
    assert (table.subjects.tolist(), table.objects.tolist()) == ([0, 0, 1], [1, 1, 2])
    assert table.findings[0].first == (("b.png", "Man rides horse"),)
    assert table.rules["object"] == "category and box"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            related(0, MAN, {"category": 2, "bbox": [0, 0, 0, 0]}),
            r"record 2, object: category 2 is not in the list of 2",
        ),
        (related(0, {"category": -1, "bbox": [0, 0, 0, 0]}, MAN), r"record 2, subject: category -1 is not"),
        (related(2, MAN, HORSE), r"record 2, predicate: 2 is not in the list of 2 predicates \(image b\)"),
        (related("0", MAN, HORSE), r"record 2, predicate: expected `int`, got `str`"),
        (related(0, MAN, {"category": 1, "bbox": [1, 2, 3]}), r"record 2, object: expected `array` of length 4"),
        ({"predicate": 0, "subject": MAN}, r"record 2, object: object missing required field `object`"),
    ],
)
def test_a_wrong_record_is_named_with_its_field(tmp_path: Path, wrong: Any, message: str) -> None:
    with pytest.raises(RecordsError, match=rf"^1 bad record\. annotations\.json, {message}"):
        read(put(tmp_path, {"a": [related(0, MAN, HORSE)], "b": [wrong]}))


def test_lists_of_names_are_found_beside_the_file_or_given(tmp_path: Path) -> None:
    path = put(tmp_path, {"a": [related(0, MAN, HORSE)]}, lists=False)
    with pytest.raises(FileError, match=r"objects\.json: there is no such file; .* --read objects=FILE"):
        read(path)
    for name, content in (("o.json", '["x", "y"]'), ("p.json", '["z"]')):
        (tmp_path / name).write_text(content)
    table = read(path, objects=str(tmp_path / "o.json"), predicates=str(tmp_path / "p.json"))
    assert (table.classes.values(), table.predicates.values()) == (["x", "y"], ["z"])
    (tmp_path / "o.json").write_text('{"x": 0}')
    with pytest.raises(BrokenFileError, match=r"o\.json: is no JSON list of names; .*--read objects=FILE"):
        read(path, objects=str(tmp_path / "o.json"), predicates=str(tmp_path / "p.json"))


def test_each_file_has_the_lists_beside_it(tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        paths.append(put(folder, {name: [related(0, MAN, HORSE)]}))
    (tmp_path / "two" / "objects.json").write_text('["cat", "mat"]')
    assert read(*paths).classes.values() == ["man", "horse", "cat", "mat"]


def test_the_lists_beside_a_file_are_inputs_of_a_split_and_of_an_audit(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, {f"{k}.jpg": [related(0, MAN, HORSE)] for k in range(8)})
    (tmp_path / "other.json").write_text('["Man", "horse"]')
    sums = {name: hashlib.sha256((tmp_path / f"{name}.json").read_bytes()).hexdigest() for name in _BESIDE}
    api.run("random", "annotations.json", out="split")
    api.measure("annotations.json", random_splits=2).write("audit")
    api.measure("annotations.json", random_splits=2, objects="other.json").write("named")
    found = {
        folder: {
            each["file"]: (each["beside"], each["given"], each["sha256"])
            for each in json.loads((tmp_path / folder / "manifest.json").read_text())["inputs"]
            if "beside" in each
        }
        for folder in ("split", "audit", "named")
    }
    beside = {f"{name}.json": ("annotations.json", f"{name}.json", digest) for name, digest in sums.items()}
    assert found["split"] == found["audit"] == beside
    # A list that an option names is not looked for.
    assert list(found["named"]) == ["predicates.json"]

    first = api.verify("split")[0]
    assert (first.kept, first.told) == (True, "3 files, same SHA-256")
    (tmp_path / "objects.json").write_text('["Man", "donkey"]')
    first = api.verify("split")[0]
    assert (first.kept, first.told) == (False, "objects.json has other content than the split was made from")
    (tmp_path / "objects.json").unlink()
    with pytest.raises(FileError, match=r"objects\.json.*it is read beside annotations\.json"):
        api.verify("split")


def test_a_split_whose_manifest_does_not_know_the_lists_is_verified(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, {f"{k}.jpg": [related(0, MAN, HORSE)] for k in range(8)})
    api.run("random", "annotations.json", out="split")
    path = tmp_path / "split" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["inputs"] = [each for each in manifest["inputs"] if "beside" not in each]
    path.write_text(json.dumps(manifest))
    assert all(promise.kept for promise in api.verify("split"))


def test_an_image_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RepeatedKeysError, match=r"^annotations\.json: 1 key stands twice .*\(a\)"):
        read(put(tmp_path, '{"a": [], "a": []}'))
    one, two = put(tmp_path, {"a": []}, "one.json"), put(tmp_path, {"a": []}, "two.json")
    with pytest.raises(
        RepeatedIdError, match=r"1 id is repeated across files \(a\): 1 id covers 2 scenes\. .*--id-scope"
    ):
        read(one, two)
    assert read(one, two, id_scope="file").ids.tolist() == ["one:a", "two:a"]


def test_aliases_and_vocabularies_are_kept_to(tmp_path: Path) -> None:
    path = put(tmp_path, {"a": [related(0, MAN, HORSE)]})
    (tmp_path / "aliases.txt").write_text("person,man\n")
    (tmp_path / "names.txt").write_text("person\n")
    table = read(
        path, aliases={"objects": str(tmp_path / "aliases.txt")}, vocabulary={"objects": str(tmp_path / "names.txt")}
    )
    assert table.classes.values() == ["person"]
    assert table.decisions["objects outside the vocabulary left out"] == 1

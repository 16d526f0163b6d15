"""Scenes come back byte for byte in the format that they came in, and whole in every other one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from compsplit import api
from compsplit.errors import UsageError
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.registry import plugin

PARTS = ("train", "test")


def write(writer: str, table: RowTable, folder: str = "d", **options: Any) -> list[list[str]]:
    """Write every third row to test and the others to train; return the ids of both."""
    part_of_row = (np.arange(len(table)) % 3 == 1).astype(np.int16)
    Path(folder).mkdir()
    written = plugin("writer", writer).make(table, Split(PARTS, part_of_row), Path(folder), **options)
    assert {each.name for each in written} == {path.name for path in Path(folder).iterdir()}
    return [table.ids[part_of_row == p].tolist() for p in range(2)]


def read(*files: object, **options: Any) -> SceneTable:
    table = api.read(*files, **options)
    assert isinstance(table, SceneTable)
    return table


def said(table: SceneTable) -> dict[str, Any]:
    """Return everything that a table says of each scene."""
    classes, attributes, predicates = (c.values() for c in (table.classes, table.attributes, table.predicates))
    further: dict[int, list[str | None]] = {}
    for place, name in zip(table.further_objects.tolist(), table.further_names.values(), strict=True):
        further.setdefault(place, []).append(name)
    told = {}
    for s, name in enumerate(table.ids.tolist()):
        objects = range(table.object_starts[s], table.object_starts[s + 1])
        relations = range(table.relation_starts[s], table.relation_starts[s + 1])
        told[name] = (
            table.images[s],
            {key: column[s] for key, column in table.columns.items() if column[s] is not None},
            [
                (classes[o], attributes[table.attribute_starts[o] : table.attribute_starts[o + 1]], further.get(o, []))
                for o in objects
            ],
            [
                (int(table.subjects[r]) - objects[0], predicates[r], int(table.objects[r]) - objects[0])
                for r in relations
            ],
        )
    return told


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- byte for byte


def odd(value: Any, n: int) -> str:
    """Return a value as JSON that no one writes twice alike: other spaces, escapes and numbers."""
    text = json.dumps(value, ensure_ascii=bool(n % 2), indent=n % 3 or None)
    return text.replace('"weight": 1', '"weight": 1.10e+2')


def clevr_records() -> list[tuple[str, str]]:
    return [
        (
            f"CLEVR_{n}",
            odd({"image_filename": f"CLEVR_{n}.png", "weight": 1, "objects": [{"shape": "cübe"}] * n}, n),
        )
        for n in range(7)
    ]


def clevr(records: Sequence[tuple[str, str]]) -> str:
    return '{"info": {"split": "val"}, "scenes": [' + " ,\n".join(text for _, text in records) + "]}"


def clevr_part(records: Sequence[tuple[str, str]], part: str) -> str:
    whole = ",\n".join(text for _, text in records)
    return f'{{"info": {{"split": "val"}},\n"compsplit": {{"part": "{part}"}},\n"scenes": [\n{whole}\n]}}\n'


def graph_records() -> list[tuple[str, str]]:
    """Visual Genome's images; the one without object ids of relations is of another make than the others."""
    records = []
    for n in range(7):
        objects = [{"object_id": 10 * n + k, "names": ["dög" if k else "man"], "weight": 1} for k in range(2)]
        relation = {"subject_id": 10 * n, "object_id": 10 * n + 1, "predicate": "holds"}
        if n == 3:
            relation = {"subject": objects[0], "object": objects[1], "predicate": "holds"}
        image = {"image_id": n, "objects": objects, "relationships": [relation]}
        records.append((str(n), odd(image, 0 if n == 3 else n)))
    return records


def listed(records: Sequence[tuple[str, str]]) -> str:
    return "[" + ",\n".join(text for _, text in records) + "]"


def listed_part(records: Sequence[tuple[str, str]], part: str) -> str:
    return "[\n" + ",\n".join(text for _, text in records) + "\n]\n"


def gqa_records() -> list[tuple[str, str]]:
    return [
        (f"é{n}", f'"\\u00e9{n}" :  ' + odd({"objects": {"1": {"name": "cup", "weight": 1}}, "width": n}, n))
        for n in range(7)
    ]


def vrd_records() -> list[tuple[str, str]]:
    box = {"category": 0, "bbox": [1, 2, 3, 4]}
    other = {"category": 1, "bbox": [1, 2, 3, 5]}
    relation = {"predicate": 0, "subject": box, "object": other, "weight": 1}
    return [(f"{n}.jpg", f'"{n}.jpg": ' + odd([relation] * n, n)) for n in range(7)]


def keyed(records: Sequence[tuple[str, str]]) -> str:
    return "{" + ", ".join(text for _, text in records) + "}"


def keyed_part(records: Sequence[tuple[str, str]], part: str) -> str:
    return "{\n" + ",\n".join(text for _, text in records) + "\n}\n"


def nlvr_records() -> list[tuple[str, str]]:
    return [
        (f"n{n}", odd({"identifier": f"n{n}", "structured_rep": [[{"type": "square"}], []], "weight": 1}, 3 * n))
        for n in range(7)
    ]


def own_records() -> list[tuple[str, str]]:
    return [(f"s{n}", odd({"id": f"s{n}", "objects": ["cup"] * n, "weight": 1}, 3 * n)) for n in range(7)]


def lines(records: Sequence[tuple[str, str]]) -> str:
    return "\r\n".join(text for _, text in records)


def lines_part(records: Sequence[tuple[str, str]], part: str) -> str:
    return "".join(f"{text}\n" for _, text in records)


Make = Callable[[Sequence[tuple[str, str]]], str]
MakePart = Callable[[Sequence[tuple[str, str]], str], str]

FORMATS: dict[str, tuple[list[tuple[str, str]], Make, MakePart, str]] = {
    "clevr-scenes": (clevr_records(), clevr, clevr_part, "json"),
    "visual-genome": (graph_records(), listed, listed_part, "json"),
    "gqa-scenes": (gqa_records(), keyed, keyed_part, "json"),
    "vrd": (vrd_records(), keyed, keyed_part, "json"),
    "nlvr": (nlvr_records(), lines, lines_part, "jsonl"),
    "scenes": (own_records(), lines, lines_part, "jsonl"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_records_come_back_byte_for_byte(name):
    records, make, make_part, ending = FORMATS[name]
    Path("in.json").write_text(make(records), "utf-8")
    Path("objects.json").write_text('["man", "dog"]')
    Path("predicates.json").write_text('["holds"]')
    table = read("in.json", format=name)
    for part, ids in zip(PARTS, write("same", table), strict=True):
        mine = sorted(record for record in records if record[0] in ids)
        assert Path(f"d/{part}.{ending}").read_text("utf-8") == make_part(mine, part)
    both = read(*(f"d/{part}.{ending}" for part in PARTS), format=name)
    assert said(both) == said(table)


def test_the_same_scenes_in_other_files_and_orders_give_the_same_bytes():
    records = graph_records()
    Path("one.json").write_text(listed(records), "utf-8")
    Path("a.json").write_text(listed(records[4:][::-1]), "utf-8")
    Path("b.json").write_text(listed(records[:4]), "utf-8")
    for folder, files in (("d", ["one.json"]), ("e", ["a.json", "b.json"])):
        table = read(*files, format="visual-genome")
        part_of_row = np.array([int(name) % 2 for name in table.ids.tolist()], dtype=np.int16)
        Path(folder).mkdir()
        plugin("writer", "same").make(table, Split(PARTS, part_of_row), Path(folder))
    for part in PARTS:
        assert Path(f"d/{part}.json").read_bytes() == Path(f"e/{part}.json").read_bytes()


@pytest.mark.parametrize("fast", [True, False])
def test_images_of_visual_genome_in_several_blocks_stand_where_they_are_said_to(monkeypatch, fast):
    import compsplit.readers.json_spans as spans

    monkeypatch.setattr(spans, "BLOCK", 600)
    records = [(str(n), graph_records()[n % 3][1].replace('"image_id": ' + str(n % 3), f'"image_id": {n}', 1))
               for n in range(40)]  # fmt: skip
    Path("in.json").write_text(listed(records), "utf-8")
    table = read("in.json", format="visual-genome", names="first" if fast else "all")
    (where,) = table.records
    raw = Path("in.json").read_bytes()
    got = [raw[a:b].decode() for a, b in zip(where.starts.tolist(), where.stops.tolist(), strict=True)]
    assert got == [text for _, text in records]
    assert where.rows.tolist() == list(range(40))
    assert where.starts.dtype == where.stops.dtype == np.int64


def test_visual_genomes_separate_files_are_divided_image_by_image():
    objects = [{"image_id": n, "objects": [{"object_id": 1, "names": ["man"]}, {"object_id": 2, "names": ["cup"]}]}
               for n in range(6)]  # fmt: skip
    relations = [{"image_id": n, "relationships": [{"subject_id": 1, "object_id": 2, "predicate": f"p{n}"}]}
                 for n in reversed(range(6))]  # fmt: skip
    data = [{"image_id": n, "coco_id": n} for n in range(6)]
    for name, value in (("objects", objects), ("relationships", relations), ("image_data", data)):
        Path(f"{name}.json").write_text(json.dumps(value))
    table = read("objects.json", "relationships.json", "image_data.json", format="visual-genome")
    for part, ids in zip(PARTS, write("same", table), strict=True):
        for kind, given in (("objects", objects), ("relationships", relations), ("images", data)):
            got = json.loads(Path(f"d/{part}_{kind}.json").read_text())
            assert got == sorted((each for each in given if str(each["image_id"]) in ids), key=lambda e: e["image_id"])


def coco(first: int, *, other: bool = False) -> dict[str, Any]:
    images = [{"id": n, "file_name": f"{n}.jpg", "width": 3} for n in range(first, first + 5)]
    told = [
        {"id": 10 * n + k, "image_id": n, "category_id": 1 + k, "iscrowd": k}
        for n in range(first, first + 5)
        for k in range(n % 3)
    ]
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "cow" if other else "dog"}]
    return {"info": {"year": 2014}, "annotations": told[::-1], "images": images, "categories": categories}


@pytest.mark.parametrize("options", [{}, {"crowd": "leave-out"}])
def test_cocos_annotations_go_with_their_image_and_its_categories_to_every_part(options):
    Path("a.json").write_text(json.dumps(coco(0)))
    Path("b.json").write_text(json.dumps(coco(5)))
    table = read("a.json", "b.json", format="coco", **options)
    for part, ids in zip(PARTS, write("same", table), strict=True):
        got = json.loads(Path(f"d/{part}.json").read_text())
        wanted = [{**coco(0), "images": coco(0)["images"] + coco(5)["images"]}][0]
        told = coco(0)["annotations"] + coco(5)["annotations"]
        assert got["images"] == [each for each in wanted["images"] if str(each["id"]) in ids]
        mine = [each for each in told if str(each["image_id"]) in ids]
        assert sorted(got["annotations"], key=lambda e: e["id"]) == sorted(mine, key=lambda e: e["id"])
        assert got["categories"] == coco(0)["categories"]
        assert got["info"] == {"year": 2014}
    assert said(read("d/train.json", "d/test.json", format="coco", **options)) == said(table)


def test_files_of_coco_with_other_categories_are_not_merged():
    Path("a.json").write_text(json.dumps(coco(0)))
    Path("b.json").write_text(json.dumps(coco(5, other=True)))
    with pytest.raises(UsageError, match=r"different categories.*write\.as=scenes"):
        write("same", read("a.json", "b.json", format="coco"))


def test_images_of_vrd_that_count_in_other_lists_are_not_merged():
    for folder, names in (("a", '["man", "dog"]'), ("b", '["dog", "man"]')):
        Path(folder).mkdir()
        Path(f"{folder}/in.json").write_text(keyed(vrd_records()).replace(".jpg", f"{folder}.jpg"))
        Path(f"{folder}/objects.json").write_text(names)
        Path(f"{folder}/predicates.json").write_text('["holds"]')
    with pytest.raises(UsageError, match=r"different files objects\.json.*write\.as=scenes"):
        write("same", read("a/in.json", "b/in.json", format="vrd"))


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("id,objects\n1,cup;hat\n2,cup\n", {}, "no record of its own"),
        ('{"train": [{"id": 1, "objects": ["cup"]}], "test": [{"id": 2, "objects": []}]}', {"format": "scenes"},
         "no record of its own"),
        (lines(nlvr_records()), {"format": "nlvr", "unit": "box"}, "holds several rows"),
        ("old cup\nnew hat\n", {"format": "czsl"}, "no record of its own"),
    ],
)  # fmt: skip
def test_scenes_that_cannot_be_copied_stop_with_a_way_out(text, options, told):
    Path("in").write_text(text, "utf-8")
    table = read("in", **options)
    with pytest.raises(UsageError, match=rf"{told}.*--set write\.as=scenes"):
        write("same", table)
    write("scenes", table, "e")
    assert said(read("e/train.jsonl", "e/test.jsonl")) == said(table)


def test_left_out_scenes_are_in_no_part():
    Path("in.jsonl").write_text(lines(own_records()), "utf-8")
    table = read("in.jsonl").keep(np.arange(7) != 2, "told to", "scenes left out")
    write("same", table)
    got = [json.loads(line)["id"] for part in PARTS for line in Path(f"d/{part}.jsonl").read_text().splitlines()]
    assert sorted(got) == ["s0", "s1", "s3", "s4", "s5", "s6"]


@pytest.mark.large
def test_a_run_over_real_scenes_is_verified(shared, command):
    source = shared / "data/vrd/annotations_test.json"
    assert command("run", "random", source, "--out", "d").code == 0
    given = json.loads(source.read_bytes())
    got = [json.loads(Path(f"d/{part}.json").read_bytes()) for part in PARTS]
    assert {name: value for each in got for name, value in each.items()} == given
    assert command("verify", "d", "--input", source.parent).code == 0


@pytest.mark.parametrize("name", [*FORMATS, "coco"])
def test_a_run_of_every_format_is_verified_and_a_changed_record_is_found(command, name):
    if name == "coco":
        Path("in.json").write_text(json.dumps(coco(0)))
    else:
        Path("in.json").write_text(FORMATS[name][1](FORMATS[name][0]), "utf-8")
    Path("objects.json").write_text('["man", "dog"]')
    Path("predicates.json").write_text('["holds"]')
    ran = command("run", "random", "in.json", "--format", name, "--out", "d")
    assert ran.code == 0, ran.err
    assert command("verify", "d").code == 0
    (part,) = Path("d").glob("train.json*")
    part.write_bytes(part.read_bytes().replace(b'"weight"', b'"height"', 1).replace(b'"width"', b'"depth"', 1))
    manifest = Path("d/manifest.json")
    told = json.loads(manifest.read_bytes())
    for each in told["outputs"]:
        if each["file"] == part.name:
            each["sha256"] = hashlib.sha256(part.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(told))
    again = command("verify", "d")
    assert again.code == 1
    assert f"{part.name}: the records of train, unchanged" in again.out.splitlines()[0]


# --- other formats


def rich() -> list[dict[str, Any]]:
    """Scenes with everything that they may say, hostile names included."""
    return [
        {"id": "=1+1", "objects": [], "image": "a,b.jpg", "split": 'x "y"\nz'},
        {
            "id": "<b>2</b>", "image": "c.jpg",
            "objects": ["cup", {"class": "hat;\u2028cap", "attributes": ["red", "a|b"]}, {"attributes": ["odd"]}],
            "relations": [[0, "on", 1], [1, "under\t", 0], [0, "on", 1]],
        },
        {"id": "3", "objects": [{"id": "2x", "class": "man", "names": ["person", '"x"']}, "man", "0"], "split": "b",
         "relations": [["2x", "near", 1], [2, "is", "2x"]]},
        {"id": "4", "objects": ["cup", "cup"]},
    ]  # fmt: skip


@pytest.mark.parametrize("writer", ["scenes", "csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("keep_object_ids", [False, True])
def test_scenes_read_back_from_other_formats_are_the_same(writer, keep_object_ids):
    Path("in.jsonl").write_text("".join(json.dumps(scene) + "\n" for scene in rich()))
    table = read("in.jsonl", keep_object_ids=keep_object_ids)
    write(writer, table)
    ending = "jsonl" if writer == "scenes" else writer
    files = [f"d/{part}.{ending}" for part in PARTS]
    assert said(read(*files)) == said(table)
    write(writer, table, "again")
    for file in files:
        assert Path(file).read_bytes() == Path(file.replace("d/", "again/", 1)).read_bytes()


@pytest.mark.large
@pytest.mark.parametrize("writer", ["scenes", "csv", "jsonl", "parquet"])
def test_real_scenes_read_back_are_the_same(shared, writer):
    table = read(shared / "data/vrd/annotations_test.json")
    write(writer, table)
    ending = "jsonl" if writer == "scenes" else writer
    assert said(read(*(f"d/{part}.{ending}" for part in PARTS))) == said(table)


def test_parquet_has_lists_of_objects_and_of_relations(shared):
    table = read(shared / "data/clevr/too_clevr/CLEVR_val_scenes_500.json")
    write("parquet", table)
    first = pyarrow.parquet.read_table("d/train.parquet").slice(0, 1).to_pylist()[0]
    given = json.loads((shared / "data/clevr/too_clevr/CLEVR_val_scenes_500.json").read_bytes())["scenes"][0]
    assert first["id"] == given["image_filename"].removesuffix(".png")
    assert [each["class"] for each in first["objects"]] == [each["shape"] for each in given["objects"]]
    assert sorted(first["objects"][0]["attributes"]) == sorted(
        given["objects"][0][name] for name in ("color", "size", "material")
    )
    left = [each for each in first["relations"] if each["predicate"] == "left"]
    assert [each["subject"] for each in left if each["object"] == 0] == given["relationships"]["left"][0]


def test_ids_of_scenes_stand_one_a_line():
    Path("in.jsonl").write_text(lines(own_records()), "utf-8")
    ids = write("ids", read("in.jsonl"))
    assert [Path(f"d/{part}.txt").read_text().splitlines() for part in PARTS] == ids


def test_an_id_that_is_more_than_a_line_is_in_no_list():
    Path("in.jsonl").write_text('{"id": "a\\nb", "objects": []}\n')
    with pytest.raises(UsageError, match=r"'a\\nb'.*write\.as=jsonl"):
        write("ids", read("in.jsonl"))


@pytest.mark.parametrize("writer", ["scenes", "csv", "jsonl", "parquet", "huggingface"])
def test_a_column_that_is_called_like_a_list_of_every_scene_is_refused(writer):
    Path("in.csv").write_text("scene,object,objects,id\n1,cup,2,7\n2,cup,3,8\n")
    table = read("in.csv", columns={"object": "object"})
    with pytest.raises(UsageError, match=r'The column "(id|objects)" cannot be written'):
        write(writer, table)


@pytest.mark.parametrize("writer", ["vqa", "bare-list", "gqa", "clevr"])
def test_writers_of_questions_refuse_scenes(writer):
    Path("in.jsonl").write_text(lines(own_records()), "utf-8")
    with pytest.raises(UsageError, match=rf"{writer} writes questions.*--set write\.as=scenes"):
        write(writer, read("in.jsonl"))

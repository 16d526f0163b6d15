"""Scenes in tables: lists in cells, an object a row, a relation a row; nothing is grouped or dropped in silence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import MissingFieldError, RecordsError, RepeatedIdError, UnknownNameError, UsageError
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.registry import plugin


def any_table(*given_files: Any, **options: Any) -> Any:
    files = inputs(given_files) if isinstance(given_files[0], str | Path) else given_files
    return plugin("reader", "table").make(files, **options)


def read(*given_files: Any, **options: Any) -> SceneTable:
    made = any_table(*given_files, **options)
    assert isinstance(made, SceneTable)
    return made


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def objects(table: SceneTable) -> dict[str, list[str | None]]:
    classes = table.classes.values()
    return {
        name: classes[table.object_starts[s] : table.object_starts[s + 1]] for s, name in enumerate(table.ids.tolist())
    }


def triples(table: SceneTable) -> list[tuple[str, int, str | None, int]]:
    """Return scene, subject's place, predicate and object's place of each relation."""
    first = table.object_starts[table.scene_of_relation]
    ends = zip(
        (table.subjects - first).tolist(), table.predicates.values(), (table.objects - first).tolist(), strict=True
    )
    return [(str(table.ids[s]), *told) for s, told in zip(table.scene_of_relation, ends, strict=True)]


# --- the cases of users


def test_samples_of_attributes_and_objects_are_scenes_of_one_object(shared: Path) -> None:
    table = read(shared / "cases" / "26-split-declared-vs-actual-pairs" / "samples.csv")
    parts = table.columns["split"].values()
    pairs = list(zip(table.attributes.values(), table.classes.values(), strict=True))
    seen = {pair for pair, part in zip(pairs, parts, strict=True) if part == "train"}
    test = [pair for pair, part in zip(pairs, parts, strict=True) if part == "test"]
    assert (len(table), table.n_objects, len(table.attributes)) == (7, 7, 7)
    assert seen == {("old", "bridge"), ("wet", "road")}
    assert sorted({pair for pair in test if pair not in seen}) == [("old", "road"), ("wet", "bridge")]
    assert sum(pair in seen for pair in test) == 1


def test_relations_of_one_row_are_scenes_of_two_objects(shared: Path) -> None:
    table = read(shared / "cases" / "34-split-symmetric-relations" / "triples.csv")
    assert objects(table)["6"] == ["bed", "lamp"]
    assert triples(table)[5] == ("6", 0, "next to", 1)
    assert table.columns["split"].values() == ["train"] * 3 + ["test"] * 3
    assert table.rules["object"] == "one a class and scene"


def test_the_rows_of_an_image_are_one_scene(shared: Path) -> None:
    table = read(shared / "cases" / "35-split-vocabulary-threshold" / "objects.csv")
    assert objects(table) == {
        "i1": ["cup", "cup", "cup", "hat"], "i2": ["cup", "hat"], "i3": ["hat", "sled"], "i4": ["hat", "sled"],
        "i5": ["sled", "sled", "cup"],
    }  # fmt: skip
    assert table.images.values() == table.ids.tolist()
    assert table.columns["split"].values() == ["train", "train", "train", "val", "test"]


@pytest.mark.large
def test_two_hundred_thousand_rows_are_read_in_little_memory(shared: Path, tmp_path: Path) -> None:
    place = shared / "cases" / "49-scale-pair-table"
    path = tmp_path / "samples.csv"
    subprocess.run([sys.executable, place / "make_input.py", "200000", path], check=True)
    script = (
        "import collections, re, sys; from compsplit.api import read; table = read(sys.argv[1]);"
        "parts = collections.Counter(table.columns['split'].values());"
        "print(parts['train'], parts['test'], table.n_objects, len(table.attributes));"
        # Not ru_maxrss, which begins with what the process that started this one had.
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) // 1024)"
    )
    said = subprocess.run([sys.executable, "-c", script, path], check=True, capture_output=True, text=True).stdout
    counts, peak = said.splitlines()
    assert counts == "160000 40000 200000 200000"
    # The bound of the case itself, which is for a whole audit.
    assert int(peak) < 400


# --- lists in cells


LISTS = {
    "text.csv": """id,objects,relations,split
1,Man; horse ;man,man|rides|horse;man|near|man,train
2,,,test
3,cup;,cup|on|hat,test
""",
    "json.tsv": """id	objects	relations	split
1	["Man", "horse", "man"]	[["man", "rides", "horse"], ["man", "near", "man"]]	train
2	[]		test
3	["cup"]	[[0, "on", "hat"]]	test
""",
    "json.json": """[
{"id": 1, "objects": ["Man", "horse", "man"], "relations": [[0, "rides", 1], ["man", "near", "Man"]], "split": "train"},
{"id": 2, "objects": [], "split": "test"},
{"id": 3, "objects": "cup", "relations": [["cup", "on", 4]], "split": "test"}
]""",
}


def assert_the_three_scenes(table: SceneTable) -> None:
    assert objects(table) == {"1": ["man", "horse", "man"], "2": [], "3": ["cup"]}
    assert triples(table) == [("1", 0, "rides", 1), ("1", 0, "near", 2)]
    assert dict(table.decisions) == {"relations to an object that the scene does not have, left out": 1}
    assert [each.first[0][0] for each in table.findings if each.kind == "dangling-relations"] == ["3"]
    assert table.columns["split"].values() == ["train", "test", "test"]
    assert table.rules["ends of relations"] == "by class"


@pytest.mark.parametrize("name", LISTS)
def test_a_cell_holds_a_list_in_any_of_its_forms(tmp_path: Path, name: str) -> None:
    assert_the_three_scenes(read(put(tmp_path / name, LISTS[name])))


def test_parquet_and_pandas_have_lists_of_their_own(tmp_path: Path) -> None:
    columns = {
        "id": [1, 2, 3],
        "objects": [["Man", "horse", "man"], [], ["cup"]],
        "relations": [[["man", "rides", "horse"], ["man", "near", "man"]], None, [["cup", "on", "hat"]]],
        "split": ["train", "test", "test"],
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    assert_the_three_scenes(read(tmp_path / "x.parquet"))
    assert_the_three_scenes(read(pd.DataFrame(columns)))


def test_objects_in_json_cells_may_have_attributes(tmp_path: Path) -> None:
    cell = json.dumps([{"class": "cup", "attributes": ["Red", "red"]}, "hat"]).replace('"', '""')
    table = read(put(tmp_path / "x", f'id,things\n1,"{cell}"\n'), columns={"objects": "things"})
    assert (objects(table), table.attributes.values()) == ({"1": ["cup", "hat"]}, ["red"])
    assert table.object_of_attribute.tolist() == [0]


def test_without_objects_those_of_the_relations_are_the_objects(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "id,said\n1,man|rides|horse;man|near|man;Horse|under|man\n")
    table = read(path, columns={"relations": "said"})
    assert objects(table) == {"1": ["man", "horse", "man"]}
    assert triples(table) == [("1", 0, "rides", 1), ("1", 0, "near", 2), ("1", 1, "under", 0)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('1,"[""cup""",', "record 1, objects: begins like a JSON list and is none"),
        ("1,[3],", "record 1, objects: object 0 is a whole number, expected a class name"),
        ("1,cup,cup|on", "record 1, relations: a relation is subject|predicate|object .* not 'cup|on'"),
        ('1,cup,"[[0, 1, 0]]"', "record 1, relations: a relation is"),
    ],
)
def test_a_cell_that_is_no_list_is_named(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(RecordsError, match=r"^1 bad record\. x\.csv, " + message.replace("|", r"\|")):
        read(put(tmp_path / "x.csv", f"id,objects,relations\n{row}\n"))


# --- rows of objects and relations


def test_rows_of_a_scene_need_not_stand_together(tmp_path: Path) -> None:
    text = "scene_id,image,object,attribute,x\nb,1.jpg,cup,red;big,4\na,2.jpg,hat,,5\nb,1.jpg,,,6\n"
    table = read(put(tmp_path / "x", text))
    assert objects(table) == {"b": ["cup", None], "a": ["hat"]}
    assert table.images.values() == ["1.jpg", "2.jpg"]
    assert table.attributes.values() == ["red", "big"]
    assert table.object_of_attribute.tolist() == [0, 0]
    assert not table.columns
    told = {each.kind: each.first for each in table.findings}
    assert told["columns-of-objects"] == (("x", "b"),)


def test_a_class_is_one_object_of_a_scene_of_relations(tmp_path: Path) -> None:
    text = "image,subject,predicate,object\n1,man,rides,horse\n1,Man,has,hat\n1,man,near,man\n1,,on,hat\n2,hat,,cup\n"
    table = read(put(tmp_path / "x", text))
    assert objects(table) == {"1": ["man", "horse", "hat", "man", None], "2": ["hat", "cup"]}
    assert triples(table) == [("1", 0, "rides", 1), ("1", 0, "has", 2), ("1", 0, "near", 3)]
    assert dict(table.decisions) == {
        "objects without a name": 1,
        "relations of an object without a name, left out": 1,
        "relations without a predicate, left out": 1,
    }


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["cup", "hat", "Hat "])), min_size=1, max_size=12),
    st.integers(1, 12),
)
def test_objects_of_an_image_are_counted_as_a_dictionary_counts_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("x")
    blocks = [block for block in (rows[:cut], rows[cut:]) if block]
    paths = [
        put(folder / f"{k}.csv", "image,object\n" + "".join(f"{k}{image},{name}\n" for image, name in block))
        for k, block in enumerate(blocks)
    ]
    expected: dict[str, list[str]] = {}
    for k, block in enumerate(blocks):
        for image, name in block:
            expected.setdefault(f"{k}{image}", []).append(name.strip().lower())
    table = read(*paths)
    assert list(objects(table).items()) == list(expected.items())
    assert Counter(table.sources.values()) == Counter(name[0] for name in expected)


def test_a_part_that_differs_within_a_scene_is_an_error(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "image,object,split\ni1,cup,train\ni2,cup,test\ni1,hat,test\n")
    with pytest.raises(
        RecordsError, match=r"x\.csv, record 3, split: is 'test', but 'train' in row 1 of the same scene, i1"
    ):
        read(path)


def test_ids_that_repeat_stop_and_the_way_to_go_on_is_named(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "id,object\n1,cup\n1,hat\n")
    with pytest.raises(RepeatedIdError, match=r"1 id covers 2 rows\. Pass --column scene=id to make .* one scene") as e:
        read(path)
    assert e.value.field == "id"
    assert objects(read(path, columns={"scene": "id"})) == {"1": ["cup", "hat"]}
    assert objects(read(path, new_ids=True)) == {"x:1": ["cup"], "x:2": ["hat"]}


def test_an_image_in_two_files_is_no_scene_of_both(tmp_path: Path) -> None:
    paths = [put(tmp_path / name, "image,object\ni,cup\ni,hat\n") for name in ("one", "two")]
    with pytest.raises(RepeatedIdError, match=r"1 id is repeated across files \(i\).* --id-scope file"):
        read(*paths)
    assert objects(read(*paths, id_scope="file")) == {"one:i": ["cup", "hat"], "two:i": ["cup", "hat"]}


def test_a_row_without_a_scene_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        RecordsError, match=r"^1 bad record\. x, record 2, image: is missing, and tells the scenes apart"
    ):
        read(put(tmp_path / "x", "image,object\ni,cup\n,hat\n"))


def test_rows_are_numbered_where_each_says_a_whole_composition(tmp_path: Path) -> None:
    table = read(put(tmp_path / "x", "attr,obj,split\nold,cup,train\nred,hat,test\n"))
    assert (table.ids.tolist(), table.numbered) == (["x:1", "x:2"], True)
    assert table.decisions["rows numbered, no column tells scenes apart"] == 2
    with pytest.raises(MissingFieldError, match=r"x has no scene, id or image column.* --column scene=NAME"):
        read(put(tmp_path / "x", "obj,split\ncup,train\n"))


# --- which table is one of scenes


def test_a_table_of_questions_stays_one(tmp_path: Path) -> None:
    text = "id,question,object,objects\n1,what is it?,cup,cup;hat\n"
    made = any_table(put(tmp_path / "x", text))
    assert isinstance(made, QATable)
    assert made.columns["objects"].values() == ["cup;hat"]
    assert objects(read(tmp_path / "x", columns={"objects": "objects"})) == {"1": ["cup", "hat"]}
    with pytest.raises(UsageError, match="holds questions or scenes, and --column names roles of both"):
        any_table(tmp_path / "x", columns={"objects": "objects", "question": "question"})


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"objcts": "a"}, UnknownNameError, 'no column role "objcts". Did you mean "objects"?'),
        ({"objects": "x"}, MissingFieldError, 'has no column "x": its columns are id, a, b. Name another for objects'),
        ({"attribute": "a"}, UsageError, "No column is known as objects, so that attribute=a says nothing"),
        ({"objects": "a", "attribute": "b"}, UsageError, "The role attribute does not go with objects."),
    ],
)
def test_roles_that_do_not_fit_are_errors(
    tmp_path: Path, columns: dict[str, str], error: type[Exception], message: str
) -> None:
    path = put(tmp_path / "x", "id,a,b\n1,cup,hat\n")
    with pytest.raises(error) as caught:
        any_table(path, columns=columns)
    assert message in str(caught.value)


def test_the_error_names_the_option_where_no_column_is_known(tmp_path: Path) -> None:
    with pytest.raises(MissingFieldError, match=r"its columns are stuff, things\. .*--column objects=NAME for lists"):
        any_table(put(tmp_path / "x", "stuff,things\n1,cup;hat\n"))


def test_files_of_two_layouts_are_an_error(tmp_path: Path) -> None:
    one = put(tmp_path / "one.csv", "id,objects\n1,cup;hat\n")
    two = put(tmp_path / "two.csv", "id,names\n2,cup\n")
    with pytest.raises(MissingFieldError, match=r"two\.csv has no objects column: .*one\.csv has one; name it with"):
        any_table(one, two)

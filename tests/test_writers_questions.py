"""Questions of any format as VQA, VQA-CP, GQA, CLEVR, CZSL and GenBench have them: read back they are the same."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.errors import BrokenFileError, UsageError
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import plugin
from compsplit.writers import Written

PARTS = ("train", "test")

HOSTILE = [
    {"id": "=1+1", "image": "a,b.jpg", "question": 'what is "this"?', "answer": "=cmd()", "note": "<b>x</b>"},
    {"id": "</script>", "image": "ü\u2028.jpg", "question": "two\nlines?", "answer": "a\tb", "note": None},
    {"id": "\\", "image": "{}", "question": "{{}}", "answer": '"', "note": ""},
    {"id": "é\ufeff", "image": "7", "question": "where?", "answer": "😀", "note": "n"},
]


def write(writer: str, table: RowTable, folder: str = "d", **options: Any) -> tuple[list[list[str]], list[Written]]:
    """Write every third row to test and the others to train; return the ids of both, and what was written."""
    part_of_row = (np.arange(len(table)) % 3 == 1).astype(np.int16)
    Path(folder).mkdir()
    written = plugin("writer", writer).make(table, Split(PARTS, part_of_row), Path(folder), **options)
    assert {each.name for each in written} == {path.name for path in Path(folder).iterdir()}
    return [table.ids[part_of_row == p].tolist() for p in range(2)], written


def read(*files: object, **options: Any) -> QATable:
    table = api.read(*files, **options)
    assert isinstance(table, QATable)
    return table


def said(table: QATable, *columns: str) -> dict[str, Any]:
    """Return what a table says of each row: the usual columns, and these."""
    named = table.named_columns()
    every = [named[name].values() for name in ("image", "question", "answer", *columns)]
    return dict(zip(table.ids.tolist(), zip(*every, strict=True), strict=True))


def hostile() -> QATable:
    Path("in.json").write_text(json.dumps(HOSTILE), "utf-8")
    return read("in.json")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(name: str) -> Any:
    return json.loads(Path(name).read_bytes())


# --- tables


@pytest.mark.parametrize("writer", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_have_the_users_further_columns(writer):
    table = hostile()
    write(writer, table)
    again = read(*(f"d/{part}.{writer}" for part in PARTS))
    assert said(again, "note") == said(table, "note")
    if writer == "csv":
        head = Path("d/train.csv").read_text("utf-8").partition("\n")[0]
        assert head == "id,image,question,answer,question_type,answer_type,origin,note"


def test_a_column_that_a_usual_one_was_taken_from_stands_once(shared):
    Path("in.csv").write_text("question_id,image_id,image,text,multiple_choice_answer\n1,i,other,q,a\n2,j,o,r,b\n")
    write("csv", read("in.csv"))
    with Path("d/train.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {
        "id": "1", "image": "i", "question": "q", "answer": "a", "question_type": "", "answer_type": "", "origin": "",
        "image_in_input": "other",
    }  # fmt: skip


def test_ids_told_apart_by_their_file_stand_once_and_are_read_again():
    for name in ("a", "b"):
        Path(f"{name}.csv").write_text(f"question_id,question,answer\n1,{name}?,x\n2,{name}!,y\n")
    table = read("a.csv", "b.csv", id_scope="file")
    write("csv", table)
    assert Path("d/train.csv").read_text().startswith("source,id,image,question,")
    assert "question_id" not in Path("d/train.csv").read_text()
    assert said(read("d/train.csv", "d/test.csv")) == said(table)


# --- VQA


def test_official_vqa_files_of_any_questions_read_back_are_the_same():
    table = hostile()
    ids, written = write("vqa", table)
    files = [f"d/{part}_{kind}.json" for part in PARTS for kind in ("questions", "annotations")]
    assert said(read(*files, format="vqa")) == said(table)
    asked = [load(f"d/{part}_questions.json")["questions"] for part in PARTS]
    assert [[each["question_id"] for each in part] for part in asked] == [sorted(each) for each in ids]
    (told,) = load("d/test_annotations.json")["annotations"]
    assert told == {
        "question_id": "</script>", "image_id": "ü\u2028.jpg", "multiple_choice_answer": "a\tb",
        "answers": [{"answer": "a\tb", "answer_id": 1}],
    }  # fmt: skip
    lost = {"column note": 2, "no answer_type is known": 3, "no question_type is known": 3, "one answer is known": 3}
    assert load("d/train_annotations.json")["compsplit"] == {"part": "train", "lost": lost}
    assert next(each.lost for each in written if each.name == "train_annotations.json") == lost
    assert "\u2028" not in Path("d/test_questions.json").read_text("utf-8")


def test_ids_that_were_whole_numbers_are_whole_numbers_again_and_answers_that_are_known_are_kept():
    records = [
        {"question_id": n, "image_id": str(n), "question": f"q{n}", "answer": "yes", "question_type": "is",
         "answer_type": "yes/no", "answers": answers, "weight": 1.5}
        for n, answers in enumerate([
            ["yes", "no"],
            [{"answer": "yes", "answer_confidence": "maybe", "answer_id": 1.5, "odd": float("nan")}],
            ["yes", 3],
            [{"answer": 3}],
        ])
    ]  # fmt: skip
    Path("in.jsonl").write_text("\n".join(map(json.dumps, records)))
    write("vqa", read("in.jsonl", format="table"))
    told = {
        each["question_id"]: each
        for part in PARTS
        for each in load(f"d/{part}_annotations.json")["annotations"]
    }  # fmt: skip
    assert sorted(told) == [0, 1, 2, 3]
    assert {each["image_id"] for each in told.values()} == {"0", "1", "2", "3"}
    assert {(each["question_type"], each["answer_type"]) for each in told.values()} == {("is", "yes/no")}
    one = [{"answer": "yes", "answer_id": 1}]
    assert [told[n]["answers"] for n in range(4)] == [
        [{"answer": "yes", "answer_id": 1}, {"answer": "no", "answer_id": 2}],
        [{"answer": "yes", "answer_confidence": "maybe"}],
        one,
        one,
    ]


def test_ids_that_are_told_apart_by_file_are_text():
    for name in ("a", "b"):
        Path(f"{name}.json").write_text(json.dumps([{"id": 1, "image": 7, "question": name, "answer": "x"}]))
    write("vqa", read("a.json", "b.json", id_scope="file"))
    got = [each for part in PARTS for each in load(f"d/{part}_questions.json")["questions"]]
    assert sorted((each["question_id"], each["image_id"]) for each in got) == [("a:1", 7), ("b:1", 7)]


def test_records_of_vqa_are_copied_whatever_layout_they_came_in():
    questions = [{"question_id": n, "image_id": n, "question": f"q{n}", "odd": [n, 1.50]} for n in range(5)]
    told = [{"question_id": n, "multiple_choice_answer": "yes", "answers": [{"answer": "no"}] * 10} for n in range(5)]
    Path("q.json").write_text(json.dumps(questions))
    Path("a.json").write_text(json.dumps(told))
    table = read("q.json", "a.json")
    assert table.format == "vqa"
    write("vqa", table)
    for kind, given in (("questions", questions), ("annotations", told)):
        got = [each for part in PARTS for each in load(f"d/{part}_{kind}.json")[kind]]
        assert sorted(got, key=lambda each: each["question_id"]) == given


def test_records_of_vqa_whose_ids_two_files_share_get_other_ids():
    for name in ("a", "b"):
        questions = [{"question_id": 1, "image_id": 7, "question": f"{name}?"}]
        told = [{"question_id": 1, "image_id": 7, "multiple_choice_answer": "x"}]
        Path(f"{name}_q.json").write_text(json.dumps({"data_subtype": name, "questions": questions}))
        Path(f"{name}_a.json").write_text(json.dumps({"data_subtype": name, "annotations": told}))
    table = read("a=a_q.json", "b=b_q.json", "a_a.json", "b_a.json", id_scope="file")
    Path("d").mkdir()
    plugin("writer", "vqa").make(table, Split(("train",), np.zeros(2, dtype=np.int16)), Path("d"))
    again = read("d/train_questions.json", "d/train_annotations.json")
    assert said(again, "origin") == said(table, "origin")
    assert sorted(again.ids.tolist()) == ["a:1", "b:1"]


def test_questions_without_any_answer_have_no_annotations():
    Path("in.csv").write_text("id,image,question\n1,i,a\n2,i,b\n3,i,c\n")
    write("vqa", read("in.csv"))
    assert sorted(path.name for path in Path("d").iterdir()) == ["test_questions.json", "train_questions.json"]


def test_one_origin_stands_in_the_header_and_several_in_their_records():
    Path("in.csv").write_text("id,image,question,answer,origin\n1,i,a,x,val\n2,i,b,x,val\n3,i,c,x,val\n")
    write("vqa", read("in.csv"))
    assert load("d/train_questions.json")["data_subtype"] == "val"
    assert all("coco_split" not in each for each in load("d/train_questions.json")["questions"])
    Path("in.csv").write_text("id,image,question,answer,origin\n1,i,a,x,val\n2,i,b,x,train\n3,i,c,x,\n")
    table = read("in.csv")
    write("vqa", table, "e")
    assert "data_subtype" not in load("e/train_questions.json")
    files = [f"e/{part}_{kind}.json" for part in PARTS for kind in ("questions", "annotations")]
    assert said(read(*files, format="vqa"), "origin") == said(table, "origin")


@pytest.mark.large
def test_bare_lists_of_any_questions_read_back_are_the_same(shared):
    table = read(shared / "data/daquar/all_qa_pairs.txt")
    write("bare-list", table)
    assert isinstance(load("d/train_questions.json"), list)
    files = [f"d/{part}_{kind}.json" for part in PARTS for kind in ("questions", "annotations")]
    assert said(read(*files)) == said(table)


def test_bare_lists_say_where_records_are_from_if_that_is_known():
    Path("in.csv").write_text("id,image,question,answer,origin\n1,i,a,x,val\n2,i,b,x,val\n3,i,c,x,val\n")
    write("bare-list", read("in.csv"))
    assert {each["coco_split"] for part in PARTS for each in load(f"d/{part}_questions.json")} == {"val"}
    write("bare-list", hostile(), "e")
    assert all("coco_split" not in each for part in PARTS for each in load(f"e/{part}_questions.json"))


@pytest.mark.parametrize("writer", ["vqa", "bare-list", "gqa", "clevr"])
def test_a_row_that_lacks_what_every_record_has_stops_the_run(writer):
    Path("in.csv").write_text("id,image,question,answer\n1,i,a,x\n2,,b,x\n3,,c,x\n")
    with pytest.raises(
        UsageError, match=rf"Every record of {writer} .*image.*2 rows of 3 have none \(id 2, 3\)"
    ) as why:
        write(writer, read("in.csv"))
    assert "--set write.as=jsonl" in why.value.message


# --- GQA

GQA_COLUMNS = (
    "full_answer", "balanced", "group_local", "group_global", "structural", "semantic", "detailed", "program",
)  # fmt: skip


def test_gqas_list_becomes_an_object_by_id_record_for_record(shared):
    source = shared / "data/gqa/codevqa/gqa_examples50.json"
    table = read(source)
    write("gqa", table)
    given = {str(each["question_id"]): each for each in json.loads(source.read_bytes())}
    got = [load(f"d/{part}.json") for part in PARTS]
    assert {name: each for part in got for name, each in part.items()} == given
    assert said(read("d/train.json", "d/test.json"), *GQA_COLUMNS) == said(table, *GQA_COLUMNS)


def test_gqa_by_way_of_a_table_keeps_all_that_is_known(shared):
    source = shared / "data/gqa/codevqa/gqa_examples50.json"
    table = read(source)
    write("csv", table)
    way = read("d/train.csv", "d/test.csv")
    _, written = write("gqa", way, "e")
    assert [each.lost for each in written] == [{}, {}]
    assert said(read("e/train.json", "e/test.json"), *GQA_COLUMNS) == said(table, *GQA_COLUMNS)
    assert {type(each["isBalanced"]) for part in PARTS for each in load(f"e/{part}.json").values()} == {bool}


def test_gqa_of_other_questions_says_what_is_known_and_no_more():
    table = hostile()
    _, written = write("gqa", table)
    assert said(read("d/train.json", "d/test.json", format="gqa")) == said(table)
    assert load("d/test.json") == {"</script>": {"imageId": "ü\u2028.jpg", "question": "two\nlines?", "answer": "a\tb"}}
    assert [each.lost for each in written] == [{"column note": 2}, {}]


def test_ids_of_gqa_that_two_files_share_are_told_apart():
    for name in ("a", "b"):
        record = f'{{"imageId": "i", "question": "{name}", "weight": 1.50}}'
        Path(f"{name}.json").write_text(f'{{"1\\u0041" : {record}}}')
    table = read("a.json", "b.json", id_scope="file", format="gqa")
    write("gqa", table)
    assert said(read("d/train.json", "d/test.json", format="gqa")) == said(table)
    assert '"a:1A": {"imageId": "i", "question": "a", "weight": 1.50}' in Path("d/train.json").read_text()


# --- CLEVR

CLEVR_COLUMNS = ("split", "template", "program")


def test_clevrs_own_records_are_copied(shared):
    source = shared / "data/clevr/closure/closure_train_questions.json"
    write("clevr", read(source))
    given = json.loads(source.read_bytes())
    got = [each for part in PARTS for each in load(f"d/{part}.json")["questions"]]
    key = lambda each: (each["template_filename"], each["question_index"])  # noqa: E731
    assert sorted(got, key=key) == sorted(given["questions"], key=key)
    assert load("d/train.json")["info"] == given["info"]


def test_a_question_about_several_images_becomes_one_for_each(shared):
    table = read(shared / "data/clevr/too_clevr/CLEVR_val_1_one_hop.json")
    write("clevr", table)
    assert said(read("d/train.json", "d/test.json"), *CLEVR_COLUMNS) == said(table, *CLEVR_COLUMNS)
    assert load("d/train.json")["info"]["split"] == "train"


@pytest.mark.large
def test_clevr_by_way_of_a_table_keeps_all_that_is_known(shared):
    table = read(shared / "data/clevr/closure/closure_train_questions.json")
    write("jsonl", table)
    way = read("d/train.jsonl", "d/test.jsonl")
    _, written = write("clevr", way, "e")
    again = read("e/train.json", "e/test.json")
    assert said(again, *CLEVR_COLUMNS) == said(table, *CLEVR_COLUMNS)
    # Family numbers mean something within one file only.
    assert {each.name: each.lost for each in written} == {
        "train.json": {"column family_in_file": 168},
        "test.json": {"column family_in_file": 84},
    }


def test_clevr_of_other_questions_puts_the_part_in_front_of_ids():
    table = hostile()
    ids, _ = write("clevr", table)
    again = read("d/train.json", "d/test.json", format="clevr")
    renamed = {f"{part}:{name}": said(table)[name] for part, of in zip(PARTS, ids, strict=True) for name in of}
    assert said(again) == renamed


def test_a_program_that_clevr_cannot_say_is_counted():
    Path("in.jsonl").write_text(
        "\n".join(
            json.dumps({"id": n, "image": "i", "question": "q", "answer": "a", "program": program})
            for n, program in enumerate(['[["select",["cup"],[],false]]', "x", '[["select",["cup"],[]]]'])
        )
    )
    _, written = write("clevr", read("in.jsonl"))
    assert [each.lost for each in written] == [{"column program": 1}, {"column program": 1}]
    assert [each.get("program") for each in load("d/train.json")["questions"]] == [
        None, [{"function": "select", "inputs": [], "value_inputs": ["cup"]}]
    ]  # fmt: skip


# --- CZSL


def samples(text: str) -> SceneTable:
    Path("samples.csv").write_text("id,image,attribute,object\n" + text, "utf-8")
    table = api.read("samples.csv")
    assert isinstance(table, SceneTable)
    return table


def test_pair_lists_hold_the_pairs_of_the_samples_and_no_other():
    table = samples(
        "1,1.jpg,Patent.Leather,shoes\n2,2.jpg,suede,boots\n3,3.jpg,suede,boots\n4,4.jpg,wool,traffic light\n"
        "5,5.jpg,suede,boots\n6,6.jpg,wool,shoes\n"
    )
    write("czsl", table)
    assert (
        Path("d/train_pairs.txt").read_text() == "patent.leather shoes\nsuede boots\nwool shoes\nwool traffic.light\n"
    )
    assert Path("d/test_pairs.txt").read_text() == "suede boots\n"
    assert Path("d/all_pairs.csv").read_text() == (
        "attribute,object,train,test,seen in train\npatent.leather,shoes,1,0,true\nsuede,boots,1,2,true\n"
        "wool,shoes,1,0,true\nwool,traffic.light,1,0,true\n"
    )
    assert Path("d/test.csv").read_text() == "id,image,attribute,object\n2,2.jpg,suede,boots\n5,5.jpg,suede,boots\n"
    for part in PARTS:
        told = api.read(f"d/{part}_pairs.txt", format="czsl")
        shown = api.read(f"d/{part}.csv")
        assert isinstance(shown, SceneTable)
        pairs = {f"{a} {o}" for a, o in zip(shown.attributes.values(), shown.classes.values(), strict=True)}
        assert set(told.ids.tolist()) == pairs


def test_the_published_lists_come_back_from_their_pairs(shared):
    source = shared / "data/ut_zappos_czsl/train_pairs.txt"
    pairs = sorted(source.read_text().lower().splitlines())
    table = samples("".join(f"{n},{n}.jpg,{pair.replace(' ', ',')}\n" for n, pair in enumerate(pairs)))
    Path("d").mkdir()
    plugin("writer", "czsl").make(table, Split(("train",), np.zeros(len(table), dtype=np.int16)), Path("d"))
    assert Path("d/train_pairs.txt").read_text().splitlines() == pairs


def test_questions_with_columns_attribute_and_object_are_samples_too():
    Path("in.csv").write_text("id,question,answer,attribute,object\n1,a,x,red,cup\n2,b,y,old,hat\n3,c,z,red,hat\n")
    _, written = write("czsl", read("in.csv"))
    assert Path("d/train_pairs.txt").read_text() == "red cup\nred hat\n"
    assert written[1].lost == {"question": 2, "answer": 2}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": 1, "objects": ["cup"]}\n{"id": 2, "objects": []}', "one attribute, and 2 rows of 2 are none"),
        ('{"id": 1, "objects": [{"class": "a", "attributes": ["b", "c"]}]}', "1 row of 1 is none"),
        ('{"id": 1, "objects": [{"attributes": ["b"]}]}', "have a name, and 1 row"),
        ('[{"id": 1, "question": "q", "answer": "a"}]', "no column attribute and no column object"),
        ('[{"id": 1, "question": "q", "answer": "a", "attribute": "", "object": "o"}]', "an attribute and an object"),
        ('{"id": 1, "objects": [{"class": "a b", "attributes": ["c"]}]}\n'
         '{"id": 2, "objects": [{"class": "a.b", "attributes": ["c"]}]}', '"a b" and "a.b"|"a.b" and "a b"'),
    ],
)  # fmt: skip
def test_what_is_no_sample_of_one_pair_stops_the_run(text, told):
    Path("in.json").write_text(text)
    with pytest.raises(UsageError, match=told):
        write("czsl", api.read("in.json"))


# --- GenBench


def test_genbenchs_file_names_each_row_by_file_and_place(command):
    Path("one.csv").write_text("id,question,answer\n" + "".join(f"a{n},q{n},x\n" for n in range(4)))
    Path("two.csv").write_text("id,question,answer\n" + "".join(f"b{n},q{n},x\n" for n in range(3)))
    table = read("train=one.csv", "test=two.csv").keep(np.arange(7) != 1, "told to", "rows left out")
    split = Split(("train", "val", "test"), np.array([0, 1, 2, 0, 1, 2], dtype=np.int16))
    Path("d").mkdir()
    plugin("writer", "genbench").make(table, split, Path("d"))
    # Rows: a0, a2, a3, b0, b1, b2; a1 is left out, and counts in the places of the others.
    assert load("d/split.jsonnet") == {
        "train": ["test:0", "train:0"], "validation": ["test:1", "train:2"], "test": ["test:2", "train:3"],
    }  # fmt: skip


def test_the_part_that_is_genbenchs_validation_can_be_named(command):
    Path("in.csv").write_text("id,question,answer\n" + "".join(f"{n},q{n},x\n" for n in range(9)))
    ran = command("run", "random", "in.csv", "--out", "d", "--set", "write.as=genbench", "--set",
                  "write.validation=val-iid", "--share", "test=1/3", "--share", "val-iid=1/3")  # fmt: skip
    assert ran.code == 0, ran.err
    assert {name: len(found) for name, found in load("d/split.jsonnet").items()} == {
        "train": 3, "validation": 3, "test": 3,
    }  # fmt: skip
    with Path("d/assignment.csv").open(newline="") as file:
        part_of = {row["id"]: row["part"] for row in csv.DictReader(file)}
    for name, part in (("train", "train"), ("validation", "val-iid"), ("test", "test")):
        assert {entry.removeprefix("in:") for entry in load("d/split.jsonnet")[name]} == {
            each for each, where in part_of.items() if where == part
        }
    assert command("verify", "d").code == 0


@pytest.mark.parametrize(
    ("file", "parts", "options", "told"),
    [
        ("in.csv", ("train", "val-ood"), {}, "no part val-ood"),
        ("in.csv", ("train", "test"), {"validation": "val"}, 'no part "val"'),
        ("in.csv", ("train", "dev", "val"), {}, "all be it: dev, val"),
        ("my.data=in.csv", ("train", "test"), {}, 'misread the name "my.data"'),
        ("a:b=in.csv", ("train", "test"), {}, 'misread the name "a:b"'),
        ("development=in.csv", ("train", "test"), {}, 'misread the name "development"'),
    ],
)
def test_names_that_genbench_does_not_have_stop_the_run(file, parts, options, told):
    Path("in.csv").write_text("id,question,answer\n" + "".join(f"{n},q{n},x\n" for n in range(9)))
    table = read(file)
    Path("d").mkdir()
    with pytest.raises(UsageError, match=told):
        plugin("writer", "genbench").make(
            table, Split(parts, np.arange(9, dtype=np.int16) % len(parts)), Path("d"), **options
        )


def test_rows_without_a_record_of_their_own_have_no_place(shared):
    with pytest.raises(UsageError, match=r"no record of its own.*write\.as=ids"):
        write("genbench", read(shared / "data/clevr/too_clevr/CLEVR_val_1_one_hop.json"))


# --- every writer


@pytest.mark.parametrize("writer", ["vqa", "bare-list"])
def test_an_input_that_changed_since_it_was_read_is_named(writer):
    table = hostile()
    Path("in.json").write_text("[" + " " * 5000 + json.dumps(HOSTILE)[1:], "utf-8")
    with pytest.raises(BrokenFileError, match=r"in\.json.*has changed while it was used"):
        write(writer, table)


@pytest.mark.parametrize("writer", ["vqa", "bare-list", "gqa", "clevr", "genbench", "huggingface"])
def test_a_second_run_writes_the_same_bytes(writer):
    table = hostile()
    write(writer, table, "d")
    write(writer, table, "e")
    for path in Path("d").iterdir():
        assert path.read_bytes() == (Path("e") / path.name).read_bytes()


@pytest.mark.parametrize("writer", ["vqa", "bare-list", "gqa", "clevr", "csv", "huggingface"])
def test_the_order_of_the_input_shows_nowhere(writer):
    table = hostile()
    Path("turned.json").write_text(json.dumps(HOSTILE[::-1]), "utf-8")
    other = read("turned.json")
    part_of = {name: n % 2 for n, name in enumerate(table.ids.tolist())}
    for folder, each in (("d", table), ("e", other)):
        Path(folder).mkdir()
        split = Split(PARTS, np.array([part_of[name] for name in each.ids.tolist()], dtype=np.int16))
        plugin("writer", writer).make(each, split, Path(folder))
    for path in Path("d").iterdir():
        assert path.read_bytes() == (Path("e") / path.name).read_bytes()

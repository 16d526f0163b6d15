"""CLEVR questions: both dialects, published files, and what stops the reader."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError, RepeatedIdError
from compsplit.model.program import Program
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*files: Path, **options: object) -> QATable:
    table: QATable = plugin("reader", "clevr").make(inputs(files), **options)
    return table


def question(index: int | None = 0, **changes: object) -> dict[str, Any]:
    program = [
        {"inputs": [], "function": "scene", "value_inputs": []},
        {"inputs": [0], "function": "filter_color", "value_inputs": ["red"]},
        {"inputs": [1], "function": "count", "value_inputs": []},
    ]
    made = {"question": "How many?", "image_filename": "a.png", "answer": "2", "program": program, "split": "val"}
    made |= {"question_index": index, **changes}
    return {name: value for name, value in made.items() if value is not None}


def put(folder: Path, *questions: object, name: str = "q.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"info": {"split": "val"}, "questions": questions}))
    return path


def operations(table: QATable) -> list[list[str] | None]:
    programs = table.columns["program"].values()
    return [None if text is None else [step.operation for step in Program.parse(text).steps] for text in programs]


def test_the_released_dialect_on_a_published_file(shared: Path) -> None:
    path = shared / "data" / "clevr" / "ns_vqa" / "orig-val.json"
    raw = json.loads(path.read_text())["questions"]
    table = read(path)
    assert detected(inputs([path])) == "clevr"
    assert table.ids.tolist() == [f"val:{q['question_index']}" for q in raw]
    assert table.answers.values() == [q["answer"] for q in raw]
    assert table.images.values() == [q["image_filename"] for q in raw]
    assert operations(table) == [[step["function"] for step in q["program"]] for q in raw]
    # Family numbers are qualified by their file.
    families = [f"orig-val:{q['question_family_index']}" for q in raw]
    assert table.columns["family_in_file"].values() == families
    assert table.decisions == {}


def test_question_indices_that_repeat_have_the_template_in_the_id(shared: Path) -> None:
    path = shared / "data" / "clevr" / "closure" / "closure_train_questions.json"
    raw = json.loads(path.read_text())["questions"]
    assert len({q["question_index"] for q in raw}) == 36
    table = read(path)
    assert len(set(table.ids.tolist())) == len(table) == 252
    assert table.ids.tolist() == [f"train:{q['template_filename']}:{q['question_index']}" for q in raw]
    assert list(table.decisions.values()) == [252]
    # Arguments and inputs are kept, outputs are not.
    step = Program.parse(str(table.columns["program"].values()[0])).steps
    assert [(s.operation, list(s.arguments), list(s.inputs)) for s in step] == [
        (s["function"], s["value_inputs"], s["inputs"]) for s in raw[0]["program"]
    ]


@pytest.mark.parametrize("name", ["/home/me/t/compare.json", r"C:\me\t\compare.json", "compare.json"])
def test_a_template_is_known_by_its_own_name(tmp_path: Path, name: str) -> None:
    table = read(put(tmp_path, question(template_filename=name)))
    assert table.columns["template"].values() == ["compare.json"]


def test_a_question_about_several_images_is_a_row_for_each(shared: Path) -> None:
    path = shared / "data" / "clevr" / "too_clevr" / "CLEVR_train_1_one_hop.json"
    raw = json.loads(path.read_text())["questions"]
    table = read(path)
    assert len(table) == 150
    assert list(table.decisions.values()) == [30]
    assert table.ids.tolist()[:6] == [f"train:0:{k}" for k in range(5)] + ["train:1:0"]
    assert table.images.values() == [image for q in raw for image in q["image_filenames"]]

    def told(answer: object) -> str:
        return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else str(answer)  # type: ignore[index]

    assert table.answers.values() == [told(answer) for q in raw for answer in q["answers"]]
    assert {"yes", "no"} <= set(table.answers.values()) or not any(
        isinstance(a, bool) for q in raw for a in q["answers"]
    )
    assert operations(table) == [[step["type"] for step in program] for q in raw for program in q["program"]]
    # They share a template each, which is what a family number would say.
    assert Counter(table.columns["template"].values()) == Counter(q["template_filename"] for q in raw for _ in range(5))


def test_both_dialects_are_one_and_true_is_yes(tmp_path: Path) -> None:
    steps = question()["program"]
    generated = [{"type": s["function"], "inputs": s["inputs"], "value_inputs": s["value_inputs"]} for s in steps]
    answers = ["yes", True, "no", False, "2", 2, "0", 0]
    table = read(put(tmp_path, *(question(i, answer=a, program=generated) for i, a in enumerate(answers))))
    released = read(put(tmp_path, question(), name="r.json"))
    assert table.answers.values() == ["yes", "yes", "no", "no", "2", "2", "0", "0"]
    assert set(table.columns["program"].names) == set(released.columns["program"].names)


def test_questions_without_an_index_are_numbered_from_0(tmp_path: Path) -> None:
    assert read(put(tmp_path, question(None), question(None))).ids.tolist() == ["val:0", "val:1"]
    assert read(put(tmp_path, question(None, split=None))).ids.tolist() == ["q:0"]


def test_an_id_in_two_files_stops_unless_scoped(tmp_path: Path) -> None:
    one, other = put(tmp_path, question(), name="a.json"), put(tmp_path, question(), name="b.json")
    with pytest.raises(RepeatedIdError, match=r"val:0.*--id-scope file"):
        read(one, other)
    assert read(one, other, id_scope="file").ids.tolist() == ["a:val:0", "b:val:0"]
    with pytest.raises(RepeatedIdError, match="val::0"):
        read(put(tmp_path, question(), question()))


def step(**members: object) -> list[dict[str, object]]:
    return [{"inputs": [], "value_inputs": [], **members}]


_SEVERAL: dict[str, Any] = {"image_filename": None, "answer": None, "program": None}


@pytest.mark.parametrize(
    ("changes", "field", "told"),
    [
        ({"program": step()}, "program", "step 0 has no function and no type"),
        ({"program": step(function="scene", inputs=[0])}, "program", "step 0 takes the result of 0"),
        ({"program": ["scene"]}, "program", "expected `object`, got `str`"),
        ({"program": step(function="filter", value_inputs=[5])}, "program", "expected `str`, got `int`"),
        ({"image_filename": None}, "image_filename", "is missing"),
        ({"image_filenames": ["a.png", "b.png"], "answers": [1], **_SEVERAL}, "image_filenames", "differ in number"),
        ({"image_filenames": [], **_SEVERAL}, "image_filenames", "or are none"),
        ({"question": None}, "question", "missing required field"),
        ({"answer": ["red"]}, "answer", "got `array`"),
    ],
)
def test_a_bad_record_is_named_with_its_field(tmp_path: Path, changes: Any, field: str, told: str) -> None:
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path, question(0), question(1, **changes)))
    assert (caught.value.file, caught.value.record, caught.value.field) == ("q.json", 2, field)
    assert told in str(caught.value)
    assert caught.value.facts["n_problems"] == 1


def test_all_bad_records_are_told_together(tmp_path: Path) -> None:
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path, question(0, answer=[]), question(1), question(2, program=step())))
    assert caught.value.facts["n_problems"] == 2


def test_records_come_back_with_their_header(tmp_path: Path, command: Any) -> None:
    path = put(tmp_path, *(question(i, question=f"How many {i}?") for i in range(9)))
    raw = json.loads(path.read_text())
    assert command("run", "random", path, "--out", "d").code == 0
    assert command("verify", "d", "--input", path).code == 0
    parts = [json.loads(Path(f"d/{part}.json").read_text()) for part in ("train", "test")]
    assert [part["info"] for part in parts] == [raw["info"]] * 2
    met = [record for part in parts for record in part["questions"]]
    assert sorted(met, key=lambda record: record["question_index"]) == raw["questions"]
    # A part can be read like the whole.
    assert len(read(Path("d/test.json"))) == 3


def test_records_of_several_rows_are_not_torn(shared: Path, command: Any) -> None:
    path = shared / "data" / "clevr" / "too_clevr" / "CLEVR_val_1_one_hop.json"
    ran = command("run", "random", path, "--out", "d")
    assert ran.code == 2
    assert "holds several rows" in ran.message
    assert "--set write.as=jsonl" in ran.message
    assert not Path("d").exists()
    assert command("run", "random", path, "--out", "d", "--set", "write.as=jsonl").code == 0
    assert command("verify", "d", "--input", path).code == 0
    (given,) = json.loads(Path("d/manifest.json").read_text())["inputs"]
    assert given["records"] == 12
    rows = [line for part in ("train", "test") for line in Path(f"d/{part}.jsonl").read_text().splitlines()]
    assert len(rows) == 60


def families(report: Any) -> list[Any]:
    return [m["value"] for m in report["measures"] if (m["name"], m["of"]) == ("template-overlap", "family_in_file")]


def test_family_numbers_are_compared_only_inside_one_file(tmp_path: Path, command: Any) -> None:
    questions = [question(i, question=f"How many {i}?", question_family_index=3) for i in range(6)]
    one, other = put(tmp_path, *questions, name="a.json"), put(tmp_path, *questions, name="b.json")
    assert families(command("audit", f"train={one}", f"test={other}", "--json").json) == []
    Path("s.json").write_text(
        json.dumps({"train": [f"val:{i}" for i in range(3)], "test": ["val:3", "val:4", "val:5"]})
    )
    assert families(command("audit", one, "--split", "s.json", "--json").json) == [1.0, 1.0]

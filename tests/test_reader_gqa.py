"""GQA questions: both layouts, published files, and what stops the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError, RepeatedIdError, RepeatedKeysError
from compsplit.model.program import Program
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*files: Path, **options: object) -> QATable:
    table: QATable = plugin("reader", "gqa").make(inputs(files), **options)
    return table


def question(**changes: object) -> dict[str, Any]:
    steps = [
        {"operation": "select", "dependencies": [], "argument": "car (11)"},
        {"operation": "query", "dependencies": [0], "argument": "color"},
    ]
    made = {"question": "What color is the car?", "imageId": "n5", "answer": "red", "semantic": steps}
    return {name: value for name, value in (made | changes).items() if value is not None}


def put(folder: Path, value: object, name: str = "q.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def first(table: QATable) -> Mapping[str, str | None]:
    return {name: column.values()[0] for name, column in table.named_columns().items()}


def test_a_published_file_keyed_by_id(shared: Path) -> None:
    path = shared / "data" / "gqa" / "gazevlm" / "SAMPLE-val_balanced_questions.json"
    raw = json.loads(path.read_text())
    table = read(path)
    assert detected(inputs([path])) == "gqa"
    assert table.ids.tolist() == list(raw)
    for name, get in {
        "image": lambda r: r["imageId"],
        "question": lambda r: r["question"],
        "answer": lambda r: r["answer"],
        "full_answer": lambda r: r["fullAnswer"],
        "structural": lambda r: r["types"]["structural"],
        "semantic": lambda r: r["types"]["semantic"],
        "detailed": lambda r: r["types"]["detailed"],
        "group_local": lambda r: r["groups"]["local"],
        "group_global": lambda r: r["groups"]["global"] or None,
        "balanced": lambda r: "true" if r["isBalanced"] else "false",
    }.items():
        assert table.named_columns()[name].values() == [get(record) for record in raw.values()], name
    assert table.question_types.names == ()
    assert "program_objects" not in table.columns


def test_a_published_list_whose_ids_lost_their_zeros(shared: Path) -> None:
    path = shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json"
    raw = json.loads(path.read_text())
    table = read(path, keep_object_ids=True)
    assert detected(inputs([path])) == "gqa"
    assert table.ids.tolist() == [str(record["question_id"]) for record in raw]
    (told,) = table.findings
    assert (told.kind, told.count) == ("numeric-ids", 50)
    assert table.images.values() == [record["imageId"] for record in raw]
    # 19 global groups are null and 3 are empty: both are none.
    assert sum(value is None for value in table.columns["group_global"].values()) == 22
    programs = [Program.parse(str(text)) for text in table.columns["program"].values()]
    assert [len(each.steps) for each in programs] == [len(record["semantic"]) for record in raw]
    for named, record in zip(table.columns["program_objects"].values(), raw, strict=True):
        behind = (step["argument"].rpartition("(")[2].strip(" )") for step in record["semantic"])
        ids = [each for text in behind for each in text.split(",") if each.isdigit()]
        assert named == (" ".join(dict.fromkeys(ids)) or None)


def test_several_files_are_one_table(shared: Path) -> None:
    folder = shared / "data" / "gqa" / "allennlp"
    table = read(folder / "questions.json", folder / "questions1.json")
    raw = json.loads((folder / "questions.json").read_text()) | json.loads((folder / "questions1.json").read_text())
    assert table.ids.tolist() == list(raw)
    assert table.sources.values() == ["questions", "questions1"]
    assert table.columns["balanced"].values() == ["true", "false"]


def test_a_question_id_in_two_files_stops_unless_scoped(tmp_path: Path) -> None:
    one, other = put(tmp_path, {"01": question()}, "a.json"), put(tmp_path, {"01": question()}, "b.json")
    with pytest.raises(RepeatedIdError, match=r"01.*--id-scope file"):
        read(one, other)
    assert read(one, other, id_scope="file").ids.tolist() == ["a:01", "b:01"]
    assert read(one, other, new_ids=True).ids.tolist() == ["a:1", "b:1"]


def test_a_key_that_stands_twice_stops(tmp_path: Path) -> None:
    record = json.dumps(question())
    path = tmp_path / "q.json"
    path.write_text(f'{{"01": {record}, "02": {record}, "\\u0030\\u0031": {record}}}')
    with pytest.raises(RepeatedKeysError, match=r"q\.json: 1 key stands twice in one object of 3 records \(01\)"):
        read(path)


def test_files_without_answers_and_programs_keep_their_columns(tmp_path: Path) -> None:
    table = read(put(tmp_path, {"01": question(answer=None, semantic=None)}))
    assert table.answers.values() == [None]
    assert table.columns["program"].values() == [None]
    assert first(table)["structural"] is None
    assert table.n_answers.tolist() == [0]


def test_every_bad_record_is_named_with_its_field(tmp_path: Path) -> None:
    later = [{"operation": "exist", "dependencies": [1], "argument": "?"}, {"operation": "exist", "argument": "?"}]
    records = [
        question(question_id=1),
        question(question_id=2, imageId=None),
        question(),
        question(question_id=4, semantic=later),
        question(question_id=5, question=None),
        question(question_id=6, answer=7),
    ]
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path, records))
    assert caught.value.facts["n_problems"] == 5
    found = [re.match(r"q\.json, record (\d), (\w+): ", line) for line in caught.value.facts["first"]]
    assert [match and match.groups() for match in found] == [
        ("2", "imageId"), ("3", "question_id"), ("4", "semantic"), ("5", "question"), ("6", "answer"),
    ]  # fmt: skip
    assert "step 0 takes the result of 1" in str(caught.value)


def test_a_long_program_in_front_does_not_hide_the_format(tmp_path: Path) -> None:
    record = question(semantic=[{"operation": "select", "dependencies": [], "argument": "car (1)"}] * 200)
    moved = {"semantic": record.pop("semantic")} | record
    path = put(tmp_path, {"01": moved})
    assert path.read_text().index("imageId") > 8192
    assert detected(inputs([path])) == "gqa"


@pytest.mark.parametrize("keyed", [True, False])
def test_records_come_back_byte_for_byte(tmp_path: Path, command: Any, keyed: bool) -> None:
    names = [f"{n:03}" for n in range(12)]
    texts = {
        name: json.dumps(
            question(question=f"Is {name} red?", question_id=None if keyed else name), indent=n % 3 or None
        )
        for n, name in enumerate(names)
    }
    pieces = {name: (f'"{name}" :  {text}' if keyed else text) for name, text in texts.items()}
    around = "{%s\n}" if keyed else "[%s\n]"
    Path("q.json").write_text(around % ",\n\n".join(pieces[name] for name in reversed(names)))
    assert command("run", "random", "q.json", "--out", "d").code == 0
    assert command("verify", "d", "--input", "q.json").code == 0
    met = []
    for part in ("train", "test"):
        text = Path(f"d/{part}.json").read_text()
        mine = [name for name in names if pieces[name] in text]
        assert text == around % ("\n" + ",\n".join(pieces[name] for name in mine)) + "\n"
        assert len(json.loads(text)) == len(mine)
        met += mine
    assert sorted(met) == names
    # One byte changed in a part is seen.
    changed = Path("d/test.json").read_text().replace("red?", "rad?", 1)
    Path("d/test.json").write_text(changed)
    assert command("verify", "d", "--input", "q.json").code == 1


def test_keys_that_may_meet_in_one_object_are_not_written(command: Any) -> None:
    for name in "ab":
        Path(f"{name}.json").write_text(json.dumps({str(n): question(question=f"{name}{n}?") for n in range(6)}))
    ran = command("run", "random", "a.json", "b.json", "--id-scope", "file", "--out", "d")
    assert ran.code == 2
    assert "same key" in ran.message
    assert "--set write.as=jsonl" in ran.message
    assert not Path("d").exists()
    more = ("--set", "write.as=jsonl", "--out", "d")
    assert command("run", "random", "a.json", "b.json", "--id-scope", "file", *more).code == 0

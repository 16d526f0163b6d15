"""What train, parts and further questions may not change: the rule, the rows that are scored, their score."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compsplit import api
from compsplit.errors import JoinError, OptionValueError, OutputExistsError, PredictionsError, UsageError
from compsplit.evaluation.novelty import NO_CONCEPT, SEEN


def gqa_question(answer: str, balanced: bool, entailed: tuple[str, ...] = (), image: str = "1") -> dict[str, Any]:
    return {
        "question": "Is it a dog?", "answer": answer, "imageId": image, "isBalanced": balanced,
        "entailed": list(entailed),
        "types": {"structural": "verify", "semantic": "obj"}, "groups": {"global": None, "local": None},
        "semantic": [{"operation": "select", "argument": "dog (1)", "dependencies": []}],
    }  # fmt: skip


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def as_csv(path: Path, rows: list[tuple[str, ...]], head: tuple[str, ...]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


@pytest.fixture
def gqa(tmp_path: Path) -> Path:
    questions = {
        "1": gqa_question("yes", True),
        "2": gqa_question("no", True, image="2"),
        "3": gqa_question("no", False),
    }
    return written(tmp_path / "gqa.json", questions)


def test_train_of_another_format_changes_neither_rule_nor_rows_nor_interval(gqa: Path, tmp_path: Path) -> None:
    given = {"1": "yes", "2": "yes", "3": "yes"}
    rows = [(f"t{k}", f"image {k}", "Is it a cat?", "yes") for k in range(50)]
    train = as_csv(tmp_path / "train.csv", rows, ("id", "image", "question", "answer"))
    alone, beside = api.evaluate(gqa, given).report, api.evaluate(gqa, given, train=train).report
    mine = [
        measure
        for measure in beside.measures
        if measure.options.get("by") not in ("novelty", "novel pairs", "rows with the rarest pair")
    ]
    assert [m.to_json() for m in mine] == [m.to_json() for m in alone.measures]
    assert (beside.get("accuracy").of, beside.get("accuracy").n) == ("gqa official", 2)
    assert beside.subject["intervals"]["units"] == 2


def test_train_does_not_make_consistency_of_what_the_file_does_not_hold(tmp_path: Path) -> None:
    data = written(tmp_path / "data.json", {"1": gqa_question("yes", True, ("9", "2")), "2": gqa_question("no", True)})
    train = written(tmp_path / "train.json", {"7": gqa_question("yes", False)})
    given = {"1": "yes", "2": "no"}
    for found in (api.evaluate(data, given), api.evaluate(data, given, train=train)):
        assert "not in this file (9)" in found.report.get("consistency").value.reason  # type: ignore[union-attr]  # undefined
    further = written(tmp_path / "all.json", {"8": gqa_question("yes", False)})
    known = api.evaluate(data, given, all_questions=further, missing="wrong").report
    assert known.get("consistency").value == 100


def test_an_interval_is_of_images_that_are_scored(tmp_path: Path) -> None:
    head = ("id", "image", "question", "answer", "part")
    rows = [("a", "one", "dog?", "yes", "test"), ("b", "one", "cat?", "yes", "test")]
    rows += [(f"t{k}", f"i{k}", "dog?", "no", "train") for k in range(30)]
    data = as_csv(tmp_path / "data.csv", rows, head)
    found = api.evaluate(data, {"a": "yes", "b": "no"}, part_column="part").report.get("accuracy")
    assert found.note == {"interval": None, "interval reason": "an interval needs two images or more"}


def test_a_class_on_one_image_has_no_interval(tmp_path: Path) -> None:
    head = ("id", "image", "question", "answer", "question_type")
    rows = [
        ("a", "1", "dog?", "yes", "x"),
        ("b", "1", "cat?", "yes", "x"),
        ("c", "2", "bus?", "yes", "y"),
        ("d", "3", "hat?", "no", "y"),
    ]
    report = api.evaluate(
        as_csv(tmp_path / "d.csv", rows, head), {"a": "yes", "b": "no", "c": "yes", "d": "yes"}
    ).report
    bounds = {line[0]: line[3:] for line in report.tables["accuracy by question type (exact)"].rows}
    assert bounds["x"] == (None, None)
    assert bounds["y"] == (0.0, 100.0)


def test_the_verdict_counts_what_was_scored(tmp_path: Path) -> None:
    rows = [(str(k), str(k), "dog?", "yes") for k in range(7)]
    data = as_csv(tmp_path / "d.csv", rows, ("id", "image", "question", "answer"))
    report = api.evaluate(data, {"0": "yes", "1": "no"}, missing="leave-out").report
    assert report.verdict.endswith("; 2 of 7 rows scored.")
    assert report.subject["scored"] == report.get("accuracy").n == 2
    with pytest.raises(UsageError, match="No row that is scored has a prediction"):
        api.evaluate(data, {"0": None}, missing="leave-out")


def test_the_difference_of_consistencies_is_that_of_the_two_values(tmp_path: Path) -> None:
    questions = {
        str(k): gqa_question("yes", True, (str((k + 1) % 6), str((k + 2) % 6)), image=str(k)) for k in range(6)
    }
    data = written(tmp_path / "q.json", questions)
    one = {str(k): "yes" if k in (0, 1, 2) else "no" for k in range(6)}
    other = {str(k): "yes" if k in (0, 3, 4, 5) else "no" for k in range(6)}
    report = api.evaluate(data, {"one": one, "other": other}).report
    values = {m.options["model"]: m.number for m in report.measures if m.name == "consistency"}
    # One is right on 0, 1, 2: 0 entails 1 and 2 (both right), 1 entails 2 and 3 (half), 2 entails 3 and 4 (none): 1/2.
    assert values["one"] == 50
    difference = next(m for m in report.measures if m.name == "consistency-difference")
    assert difference.number == pytest.approx((values["other"] or 0) - 50)


def test_novelty_needs_answers_of_train(tmp_path: Path) -> None:
    head = ("id", "question", "answer")
    data = as_csv(tmp_path / "d.csv", [("1", "dog?", "yes")], head)
    with pytest.raises(UsageError, match="has an answer"):
        api.evaluate(data, {"1": "yes"}, train=as_csv(tmp_path / "t.csv", [("2", "dog?", "")], head))


def test_a_question_that_reduces_to_nothing_is_in_no_seen_group(tmp_path: Path) -> None:
    head = ("id", "question", "answer")
    train = as_csv(tmp_path / "t.csv", [("1", "the", "red"), ("2", "dog?", "red")], head)
    data = as_csv(tmp_path / "d.csv", [("3", "is the", "red"), ("4", "dog?", "red")], head)
    frame = api.evaluate(data, {"3": "red", "4": "red"}, train=train).to_frame()
    assert frame["novelty"].tolist() == [NO_CONCEPT, SEEN]


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ({"parts": ["test"]}, "--part is about parts"),
        ({"reference": "x"}, "--reference is about parts"),
        ({"recipe": "cover"}, "only novelty needs"),
        ({"settings": ["reduce.key=sorted"]}, "only novelty needs"),
        ({"choices": "c.json"}, "--choices is for GQA's metrics"),
    ],
)
def test_what_would_be_passed_over_is_refused(tmp_path: Path, asked: dict[str, Any], option: str) -> None:
    data = as_csv(tmp_path / "d.csv", [("1", "dog?", "yes")], ("id", "question", "answer"))
    if "choices" in asked:
        asked = {"choices": written(tmp_path / "c.json", {})}
    with pytest.raises(UsageError, match=option):
        api.evaluate(data, {"1": "yes"}, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"missing": "maybe"},
        {"repeated": "x"},
        {"score": "balancd"},
        {"map_size": 0},
        {"replicates": 2.5},
        {"level": 1.5},
    ],
)
def test_values_that_an_option_does_not_have_are_refused(tmp_path: Path, asked: dict[str, Any]) -> None:
    data = as_csv(tmp_path / "d.csv", [("1", "dog?", "yes")], ("id", "question", "answer"))
    with pytest.raises(OptionValueError, match=next(iter(asked))):
        api.evaluate(data, {"1": "yes"}, **asked)


@pytest.mark.parametrize("field", ["answer", "question", "imageId"])
def test_further_questions_that_contradict_the_data_are_refused(tmp_path: Path, field: str) -> None:
    question = gqa_question("yes", True)
    data = written(tmp_path / "d.json", {"1": question})
    further = written(tmp_path / "all.json", {"1": {**question, field: "other"}, "2": gqa_question("no", False)})
    with pytest.raises(UsageError, match=r"1 question has another .* \(1\)"):
        api.evaluate(data, {"1": "yes"}, all_questions=further)


def test_records_without_a_partner_are_left_out_where_that_is_asked(tmp_path: Path) -> None:
    questions = written(
        tmp_path / "q.json", {"questions": [{"question_id": k, "image_id": k, "question": "dog?"} for k in (1, 2)]}
    )
    annotations = written(
        tmp_path / "a.json",
        {
            "annotations": [
                {"question_id": 1, "image_id": 1, "answers": [{"answer": "yes", "answer_id": k} for k in range(10)]}
            ]
        },
    )
    with pytest.raises(JoinError, match="--allow-unjoined"):
        api.evaluate([questions, annotations], {"1": "yes"})
    report = api.evaluate([questions, annotations], {"1": "yes"}, allow_unjoined=True).report
    assert (report.get("accuracy").value, report.get("accuracy").n) == (100, 1)
    assert any("without annotation" in finding.message for finding in report.findings)


def test_predictions_of_other_parts_are_counted_and_the_way_on_is_named(tmp_path: Path) -> None:
    rows = [("1", "dog?", "yes", "train"), ("2", "cat?", "yes", "train"), ("3", "bus?", "yes", "test")]
    data = as_csv(tmp_path / "d.csv", rows, ("id", "question", "answer", "part"))
    with pytest.raises(PredictionsError, match="--part names the parts"):
        api.evaluate(data, {"1": "yes", "3": "yes"}, part_column="part")
    report = api.evaluate(data, {"1": "yes", "3": "yes"}, part_column="part", parts=["test"]).report
    assert report.get("accuracy").n == 1
    (told,) = (finding for finding in report.findings if finding.kind == "predictions-not-scored")
    assert (told.count, told.first) == (1, ("1",))


def test_a_folder_that_is_there_is_told_before_any_work(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "x").write_text("mine")
    ran = command("evaluate", "nothing.csv", "nothing.json", "--out", "made")
    assert "made is already there" in ran.message
    assert issubclass(OutputExistsError, FileExistsError)


def test_the_corrected_rule_sees_programs_from_the_command_line(tmp_path: Path) -> None:
    data = written(tmp_path / "q.json", {"1": gqa_question("yes", True), "2": gqa_question("no", True, image="2")})
    report = api.evaluate(data, {"1": "yes", "2": "yes"}, metrics=["gqa-corrected"]).report
    assert any(name.startswith("accuracy by steps") for name in report.tables)

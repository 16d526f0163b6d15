"""compsplit evaluate: what fits is joined, what does not is told, and every score has its n."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.errors import BrokenFileError, PredictionsError, RecordsError, UsageError
from compsplit.readers import inputs
from compsplit.readers.predictions import read_predictions

DATA = [
    # id, image, question, answer, question type
    ("007", "a", "is it a dog?", "yes", "is it"),
    ("8", "a", "is it a cat?", "no", "is it"),
    ("9", "b", "what color is it?", "red", "what color"),
    ("10", "c", "what color is it?", "blue", "what color"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "image", "question", "answer", "question_type"), *DATA])
    return path


def as_file(folder: Path, value: Any, name: str = "predictions.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


RIGHT = {"007": "yes", "8": "no", "9": "red", "10": "green"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vqa.json", json.dumps([{"question_id": k, "answer": v} for k, v in RIGHT.items()])),
        ("gqa.json", json.dumps([{"questionId": k, "prediction": v} for k, v in RIGHT.items()])),
        ("lines.jsonl", "".join(json.dumps({"id": k, "prediction": v}) + "\n" for k, v in RIGHT.items())),
        ("by_id.json", json.dumps(RIGHT)),
        ("results.json", json.dumps({"results": [{"qid": k, "answer": v} for k, v in RIGHT.items()]})),
        ("meta.json", json.dumps({"split": "val", "results": [{"qid": k, "answer": v} for k, v in RIGHT.items()]})),
        ("first.jsonl", "".join(json.dumps({"image": "a", "id": k, "answer": v}) + "\n" for k, v in RIGHT.items())),
        ("deep.jsonl", "".join(json.dumps({"m": {"b": [1]}, "qid": k, "answer": v}) + "\n" for k, v in RIGHT.items())),
        ("list.jsonl", "".join(json.dumps({"answers": ["x"], "qid": k, "answer": v}) for k, v in RIGHT.items())),
        ("table.csv", "question_id,prediction\n" + "".join(f"{k},{v}\n" for k, v in RIGHT.items())),
        ("table.tsv", "\ufeffid\tanswer\r\n" + "".join(f"{k}\t{v}\r\n" for k, v in RIGHT.items())),
    ],
)
def test_every_layout_of_predictions_gives_the_same_score(data: Path, tmp_path: Path, name: str, text: str) -> None:
    found = api.evaluate(data, as_file(tmp_path, text, name)).report.get("accuracy")
    assert (found.value, found.n) == (75, 4)


def test_a_single_record_of_json_lines_is_one(data: Path, tmp_path: Path) -> None:
    one = as_file(tmp_path, {"image": "a.jpg", "question_id": "9", "prediction": "red"}, "one.jsonl")
    found = api.evaluate(data, one, missing="leave-out").report.get("accuracy")
    assert (found.value, found.n) == (100, 1)


def test_the_layout_is_told_from_a_first_record_of_any_length(tmp_path: Path) -> None:
    long = {"comment": "x" * 100_000, "id": "1", "answer": "yes"}
    by_id = {"k" * 100_000: "yes", **{str(k): "no" for k in range(5_000)}}
    for made, n in ((json.dumps(long), 1), (f"{json.dumps(long)}\n{json.dumps(long)}", 2), (json.dumps(by_id), 5_001)):
        (file,) = inputs([as_file(tmp_path, made, "long.json")])
        assert len(read_predictions(file, "m").ids) == n


@pytest.mark.parametrize("empty", ['""', "null", "NaN"])
@pytest.mark.parametrize(
    "text",
    [
        '{"007": "yes", "8": EMPTY, "9": "red"}',
        '[{"id": "007", "answer": "yes"}, {"id": "8", "answer": EMPTY}, {"id": "9", "answer": "red"}]',
    ],
)
def test_what_is_empty_is_missing_in_every_layout(data: Path, tmp_path: Path, text: str, empty: str) -> None:
    file = as_file(tmp_path, text.replace("EMPTY", empty))
    with pytest.raises(PredictionsError, match=r"2 rows have none \(10, 8\)"):
        api.evaluate(data, file)
    report = api.evaluate(data, file, missing="leave-out").report
    assert report.get("accuracy").n == 2
    kind = "not-a-number" if empty == "NaN" else "prediction-empty"
    assert [each.first for each in report.findings if each.kind == kind] == [("8",)]


@pytest.mark.parametrize("empty", ["", None, float("nan"), float("inf"), np.float64("nan")])
def test_what_is_empty_is_missing_in_memory(data: Path, empty: Any) -> None:
    report = api.evaluate(data, {**RIGHT, "10": empty}, missing="leave-out").report
    assert (report.get("accuracy").value, report.get("accuracy").n) == (100, 3)


@pytest.mark.parametrize(("value", "what"), [(["red"], "list"), ({"a": 1}, "dict"), (("red",), "tuple")])
def test_a_prediction_in_memory_that_is_no_value_is_named(data: Path, value: Any, what: str) -> None:
    with pytest.raises(RecordsError, match=rf"predictions, record 3: 9 is of type {what}, expected a string") as found:
        api.evaluate(data, {**RIGHT, "9": value})
    assert found.value.record == 3


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    data = as_file(tmp_path, "id,question,answer\n1,how many?,2\n2,how many?,3\n", "data.csv")
    report = api.evaluate(data, {1: np.int64(2), 2: np.str_("3")}).report
    assert report.get("accuracy").value == 50
    assert [each.first for each in report.findings if each.kind == "prediction-no-text"] == [("1",)]


def test_numbers_in_json_are_ids_as_their_decimal_text(data: Path, tmp_path: Path) -> None:
    predictions = as_file(tmp_path, [{"question_id": 8, "answer": "no"}, {"question_id": 10, "answer": "blue"}])
    found = api.evaluate(data, predictions, missing="leave-out").report.get("accuracy")
    assert (found.value, found.n) == (100, 2)


def test_a_number_is_no_text_and_equals_no_answer(tmp_path: Path) -> None:
    data = as_file(tmp_path, "id,question,answer\n1,how many?,2\n2,how many?,3\n", "data.csv")
    report = api.evaluate(data, as_file(tmp_path, {"1": 2, "2": "3"})).report
    assert report.get("accuracy").value == 50
    (told,) = (finding for finding in report.findings if finding.kind == "prediction-no-text")
    assert (told.count, told.first) == (1, ("1",))


def test_missing_predictions_stop_unless_it_is_said_what_they_count_for(data: Path) -> None:
    some = {"007": "yes", "9": "blue", "10": None}
    with pytest.raises(PredictionsError, match=r"2 rows have none \(10, 8\): --missing wrong") as error:
        api.evaluate(data, some)
    assert error.value.exit_code == 2
    assert error.value.to_json()["error"]["facts"]["missing"] == {"count": 2, "first": ["10", "8"]}
    wrong = api.evaluate(data, some, missing="wrong").report
    assert (wrong.get("accuracy").value, wrong.get("accuracy").n) == (25, 4)
    assert any("2 rows have no prediction" in each.message and "wrong" in each.message for each in wrong.findings)
    others = api.evaluate(data, some, missing="leave-out").report
    assert (others.get("accuracy").value, others.get("accuracy").n) == (50, 2)


def test_predictions_of_no_row_stop_unless_they_are_to_be_left_out(data: Path) -> None:
    with pytest.raises(PredictionsError, match=r"1 prediction is of no row \(77\): --allow-unjoined"):
        api.evaluate(data, {**RIGHT, "77": "yes"})
    report = api.evaluate(data, {**RIGHT, "77": "yes"}, allow_unjoined=True).report
    assert report.get("accuracy").value == 75
    assert any(each.kind == "predictions-unknown" and each.first == ("77",) for each in report.findings)


def test_repeated_predictions_stop_or_the_last_is_taken(data: Path, tmp_path: Path) -> None:
    twice = [{"id": k, "answer": v} for k, v in RIGHT.items()] + [{"id": "10", "answer": "blue"}]
    with pytest.raises(PredictionsError, match=r"1 row has several \(10\): --repeated last"):
        api.evaluate(data, as_file(tmp_path, twice))
    assert api.evaluate(data, as_file(tmp_path, twice), repeated="last").report.get("accuracy").value == 100


def test_lost_zeros_are_told_and_joined_only_when_asked(data: Path) -> None:
    bare = {("7" if k == "007" else k): v for k, v in RIGHT.items()}
    with pytest.raises(PredictionsError, match="7 is 007 without its leading zeros: --join-zeros"):
        api.evaluate(data, bare)
    report = api.evaluate(data, bare, join_zeros=True).report
    assert report.get("accuracy").value == 75
    assert any(each.kind == "predictions-without-zeros" and each.first == ("7",) for each in report.findings)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ('[{"answer": "yes"}]', RecordsError, "record 1, question_id: is missing"),
        ('[{"id": "1"}]', RecordsError, "record 1, prediction: is missing"),
        ('[{"id": "1", "answer": ["yes"]}]', RecordsError, "record 1, prediction: is a list, expected a string"),
        ('{"1": "a", "2": {"a": 2}}', RecordsError, "record 2: is an object"),
        ('{"4": ["red"]}', RecordsError, "record 1: is a list, expected a string"),
        ('{"question_id": "1", "pred": "red"}', RecordsError, "record 1, prediction: is missing"),
        (
            '{"image": "a", "pred": "red"}\n{"image": "b", "pred": "red"}',
            RecordsError,
            "record 1, question_id: is missing",
        ),
        ("id,id,prediction\n1,2,red\n", BrokenFileError, 'the column "id" stands twice'),
        ("id,prediction,prediction\n1,red,blue\n", BrokenFileError, 'the column "prediction" stands twice'),
        ("{}", BrokenFileError, "holds no prediction"),
        ("a,b\n1,2\n", BrokenFileError, "holds no predictions"),
        ("id,answer\n1\n", RecordsError, "record 1: has 1 field, expected 2"),
        ("id,answer\n", BrokenFileError, "holds no prediction"),
        ("[]", BrokenFileError, "holds no prediction"),
    ],
)
def test_a_bad_file_of_predictions_names_file_record_and_field(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    path = as_file(tmp_path, text, "bad.txt")
    with pytest.raises(error, match=message) as found:
        read_predictions(inputs([path])[0], "m")
    assert "bad.txt" in str(found.value)


def test_scores_by_type_have_their_n_and_add_up(data: Path) -> None:
    report = api.evaluate(data, RIGHT).report
    table = report.tables["accuracy by question type (exact)"]
    assert table.columns == ("question type", "questions", "%", "low", "high")
    assert [line[:3] for line in table.rows] == [("is it", 2, 100.0), ("what color", 2, 50.0)]
    by_type = [measure for measure in report.measures if measure.options.get("by") == "question type"]
    assert sum(measure.n for measure in by_type) == report.get("accuracy").n


def test_models_are_compared_on_the_same_draws(data: Path) -> None:
    report = api.evaluate(data, {"one": RIGHT, "same": RIGHT, "other": {**RIGHT, "10": "blue", "8": "yes"}}).report
    lines = {line[2]: line for line in report.tables["models compared"].rows}
    # A model against itself: no draw differs, so the interval is a point.
    assert lines["same"][4:9] == (0.0, 0.0, 0.0, 4, 0)
    assert lines["other"][4] == 0.0
    assert lines["other"][8:10] == (1, 1)
    difference = report.get("accuracy-difference")
    assert difference.unit == "points"


def test_predictions_for_one_part_score_that_part_alone(tmp_path: Path, data: Path) -> None:
    split = as_file(tmp_path, {"train": ["007", "9"], "test": ["8", "10"]}, "split.json")
    report = api.evaluate(data, {"8": "no", "10": "red"}, split=split).report
    assert (report.get("accuracy").value, report.get("accuracy").n) == (50, 2)
    assert [line[:3] for line in report.tables["accuracy by part (exact)"].rows] == [("test", 2, 50.0)]


def test_nothing_to_score_is_an_error(tmp_path: Path) -> None:
    data = as_file(tmp_path, "id,question,answer\n1,dog?,\n", "data.csv")
    with pytest.raises(UsageError, match="No row is scored"):
        api.evaluate(data, {"1": "yes"})


def test_two_ways_to_say_parts_are_refused(data: Path) -> None:
    with pytest.raises(UsageError, match="Say parts in one way"):
        api.evaluate(data, RIGHT, train=data, part_column="question_type")


def test_an_option_of_a_metric_that_is_not_asked_for_is_refused(data: Path) -> None:
    with pytest.raises(UsageError, match="not asked for"):
        api.evaluate(data, RIGHT, metrics=["exact"], metric_options=["gqa-ood.alpha=0.5"])
    with pytest.raises(UsageError, match=r"METRIC\.KEY=VALUE"):
        api.evaluate(data, RIGHT, metric_options=["alpha=0.5"])


def test_the_command_writes_rows_that_can_be_scored_again(
    command: Callable[..., Any], data: Path, tmp_path: Path
) -> None:
    predictions = as_file(tmp_path, RIGHT)
    ran = command("evaluate", str(data), str(predictions), "--out", "made", "--json")
    assert ran.code == 0
    folder = tmp_path / "made"
    assert json.loads((folder / "report.json").read_text()) == ran.json
    with (folder / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"]: row["prediction"] for row in rows} == RIGHT
    assert [row["id"] for row in rows] == ["007", "10", "8", "9"]
    again = command("evaluate", str(data), str(folder / "rows.csv"), "--json")
    assert again.json["measures"] == ran.json["measures"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {each["used_as"] for each in manifest["inputs"]} == {"data", "predictions of predictions"}


def test_the_command_says_what_does_not_fit_and_writes_nothing(
    command: Callable[..., Any], data: Path, tmp_path: Path
) -> None:
    ran = command("evaluate", str(data), str(as_file(tmp_path, {"007": "yes"})), "--out", "made")
    assert ran.code == 2
    assert "--missing wrong" in ran.message
    assert not (tmp_path / "made").exists()


def test_the_terminal_shows_each_score_with_interval_and_n(
    command: Callable[..., Any], data: Path, tmp_path: Path
) -> None:
    ran = command("evaluate", str(data), str(as_file(tmp_path, RIGHT)))
    assert ran.out.startswith("predictions: accuracy 75.00 % (")
    assert "exact   accuracy      75" in ran.out
    assert "accuracy by question type (exact)" in ran.out


def test_a_member_of_an_archive_is_a_file_of_predictions(
    command: Callable[..., Any], data: Path, tmp_path: Path
) -> None:
    for name, members in (("two.zip", ("right.csv", "other.csv")), ("one.zip", ("right.csv",))):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member in members:
                archive.writestr(member, "id,answer\n" + "".join(f"{k},{v}\n" for k, v in RIGHT.items()))
    two, one = str(tmp_path / "two.zip"), str(tmp_path / "one.zip")
    made = ("--json", "--replicates", "0")
    for given in (f"{two}//right.csv", one):
        ran = command("evaluate", str(data), given, *made)
        assert [each["value"] for each in ran.json["measures"] if each["name"] == "accuracy"][:1] == [75]
    ran = command(
        "evaluate", str(data), f"{two}//right.csv", "--compare", f"theirs={two}//other.csv", "--compare", one, *made,
        "--out", "made",
    )  # fmt: skip
    assert ran.json["subject"]["models"] == ["right", "theirs", "one"]
    used = json.loads((tmp_path / "made" / "manifest.json").read_text())["inputs"]
    assert {"predictions of right", "predictions of theirs"} <= {each["used_as"] for each in used}
    assert "no such member" in command("evaluate", str(data), f"{two}//gone.csv").message
    assert "archive of 2 files" in command("evaluate", str(data), two).message
    assert "no such file of predictions" in command("evaluate", str(data), str(tmp_path / "gone.zip//p.csv")).message


def test_one_file_alone_is_not_enough(command: Callable[..., Any], data: Path) -> None:
    assert "DATA... PREDICTIONS" in command("evaluate", str(data)).message


def test_czsl_tells_seen_pairs_from_rows_of_train(tmp_path: Path) -> None:
    rows = ("id,image,question,answer,part", "1,a,what?,red dog,train", "2,b,what?,blue cat,train",
            "3,c,what?,red dog,test", "4,d,what?,red cat,test", "5,e,what?,blue dog,test")  # fmt: skip
    data = as_file(tmp_path, "\n".join(rows) + "\n", "pairs.csv")
    given = {"3": "red dog", "4": "red cat", "5": "red dog"}
    report = api.evaluate(data, given, part_column="part", metrics=["czsl"]).report
    # Row 3 alone has a pair that train shows; of rows 4 and 5 one is right: 2 x 100 x 50 / 150.
    assert (report.get("seen").value, report.get("unseen").value) == (100, 50)
    assert report.get("harmonic-mean").number == pytest.approx(200 / 3)
    assert "--pair-scores" in report.get("auc").value.reason  # type: ignore[union-attr]  # undefined
    scores = as_file(tmp_path, "id,red dog,blue cat,red cat,blue dog\n3,9,1,2,3\n4,5,1,4,0\n5,3,1,0,2\n", "scores.csv")
    with_scores = api.evaluate(data, given, part_column="part", metrics=["czsl"], pair_scores=scores).report
    assert with_scores.get("auc").number == 100
    # Both kinds of rows are told by how new they are.
    assert [line[:3] for line in report.tables["seen by novelty (czsl)"].rows] == [("seen group", 1, 100)]
    assert [line[:3] for line in report.tables["unseen by novelty (czsl)"].rows] == [("unseen atom", 2, 50)]
    with pytest.raises(UsageError, match="--metric czsl"):
        api.evaluate(data, given, part_column="part", pair_scores=scores)
    with pytest.raises(UsageError, match="which rows are train"):
        api.evaluate(data, {"1": "x"}, metrics=["czsl"], missing="wrong")

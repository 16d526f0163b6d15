"""Predictions on which users' evaluations went wrong, one test a case of the shared cases, through the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Case:
    """One folder of a case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.expected: Any = json.loads((folder / "expected.json").read_text(encoding="utf-8"))

    def __truediv__(self, name: str) -> str:
        return str(self.folder / name)


@pytest.fixture
def case(request: pytest.FixtureRequest, shared: Path) -> Case:
    """The case whose number stands in the test's name."""
    (folder,) = (shared / "cases").glob(f"{request.node.name.split('_')[2]}-*")
    return Case(folder)


def measure(report: Any, name: str, of: str) -> Any:
    """The measure of all scored rows."""
    (found,) = (
        each for each in report["measures"] if (each["name"], each["of"]) == (name, of) and "by" not in each["options"]
    )
    return found


def finding(report: Any, kind: str) -> Any:
    (found,) = (each for each in report["findings"] if each["kind"] == kind)
    return found


def test_case_08_entailed_questions_come_from_the_file_of_all(command: Callable[..., Any], case: Case) -> None:
    expected = case.expected
    ran = command(
        "evaluate", case / "balanced_questions.json", case / "predictions.json",
        "--all-questions", case / "all_questions.json", "--json",
    )  # fmt: skip
    assert ran.code == 0
    assert measure(ran.json, "accuracy", "gqa official")["value"] == pytest.approx(expected["accuracy"], abs=1e-3)
    found = measure(ran.json, "consistency", "gqa official")
    assert (found["value"], found["n"]) == (expected["all"]["consistency"], expected["all"]["questions_used"])
    missing = finding(ran.json, "entailed-missing")
    assert list(missing["first"]) == expected["all"]["entailed_missing"]


def test_case_08_without_them_consistency_is_not_computed(command: Callable[..., Any], case: Case) -> None:
    expected = case.expected
    args = ("evaluate", case / "balanced_questions.json", case / "predictions.json")
    assert "--allow-unjoined" in command(*args).message
    ran = command(*args, "--allow-unjoined", "--json")
    assert measure(ran.json, "accuracy", "gqa official")["value"] == pytest.approx(expected["accuracy"], abs=1e-3)
    found = measure(ran.json, "consistency", "gqa official")
    assert found["value"] is expected["balanced_only"]["consistency"] is None
    assert "entailed questions are not in this file" in found["reason"]
    for name in expected["balanced_only"]["entailed_missing"]:
        assert name in found["reason"]


@pytest.mark.parametrize("predictions", ["predictions.csv", "predictions-int.json"])
def test_case_11_a_lost_zero_is_told_and_joined_on_request(
    command: Callable[..., Any], case: Case, predictions: str
) -> None:
    strict = case.expected["strict"]
    ran = command("evaluate", case / "questions.json", case / predictions, "--json")
    assert ran.code == 2
    facts = ran.json["error"]["facts"]
    assert facts["joined"] == len(strict["matched"])
    assert facts["unknown"]["first"] == strict["unmatched_predictions"]
    assert facts["without leading zeros"] == strict["hint"]
    ran = command("evaluate", case / "questions.json", case / predictions, "--join-zeros", "--json")
    assert measure(ran.json, "accuracy", "gqa official")["value"] == case.expected["repaired_accuracy"]
    assert finding(ran.json, "predictions-without-zeros")["first"] == strict["unmatched_predictions"]


def test_case_11_an_exact_match_wins_over_a_repair(command: Callable[..., Any], case: Case) -> None:
    expected = case.expected["ambiguous"]
    args = ("evaluate", case / "questions-ambiguous.json", case / "predictions.csv", "--join-zeros")
    error = command(*args, "--json").json["error"]
    assert error["facts"]["missing"]["first"] == expected["missing"]
    found = measure(command(*args, "--missing", "wrong", "--json").json, "accuracy", "gqa official")
    assert found["fraction"] is not None
    assert round(found["value"] * found["n"] / 100) == expected["correct"]
    assert found["n"] == len(expected["matched"]) + len(expected["missing"])


def test_case_12_exact_text_is_the_rule_and_cleaning_has_its_own_name(command: Callable[..., Any], case: Case) -> None:
    ran = command("evaluate", case / "questions.json", case / "predictions.json", "--json")
    assert measure(ran.json, "accuracy", "gqa official")["value"] == case.expected["exact"]
    assert not any(each["of"] == "cleaned" for each in ran.json["measures"])
    assert finding(ran.json, "would-match-cleaned")["count"] == case.expected["would_match_after_cleaning"]
    ran = command("evaluate", case / "questions.json", case / "predictions.json", "--metric", "cleaned", "--json")
    assert measure(ran.json, "accuracy", "cleaned")["value"] == case.expected["cleaned"]


def test_case_39_a_prediction_that_is_no_number_is_missing(command: Callable[..., Any], case: Case) -> None:
    args = ("evaluate", case / "questions.json", case / "predictions.json")
    error = command(*args, "--json").json["error"]
    assert error["facts"]["missing"]["first"] == case.expected["missing"]
    ran = command(*args, "--missing", "wrong", "--json")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in the report")

    report = json.loads(ran.out, parse_constant=refuse)
    assert finding(report, "not-a-number")["first"] == case.expected["missing"]
    found = measure(report, "accuracy", "gqa official")
    assert round(found["value"] * found["n"] / 100) == case.expected["correct"]
    assert measure(report, "validity", "gqa official")["reason"]


def test_case_19_the_rule_has_a_name_and_says_where_cleaning_differs(command: Callable[..., Any], case: Case) -> None:
    args = (
        "evaluate",
        case / "annotations.json",
        case / "results.json",
        "--replicates",
        "0",
        "--json",
        "--out",
        "made",
    )
    ran = command(*args)
    official, clean = case.expected["official"], case.expected["always_clean"]
    assert measure(ran.json, "accuracy", "vqa 2021-head")["value"] == official["overall"]
    assert measure(ran.json, "questions-scored-otherwise", "vqa 2021-head")["value"] == case.expected["differ"]
    assert finding(ran.json, "rules-differ")["count"] == case.expected["differ"]
    with Path("made", "rows.csv").open(newline="", encoding="utf-8") as file:
        scores = {row["id"]: float(row["accuracy (vqa 2021-head)"]) for row in csv.DictReader(file)}
    assert scores == {name: value for name, value in official.items() if name != "overall"}
    ran = command(*args[:3], "--metric", "vqa-always-clean", "--json")
    assert measure(ran.json, "accuracy", "vqa always-clean")["value"] == clean["overall"]


@pytest.mark.parametrize("annotations", ["annotations.json", "annotations-without-answer-id.json"])
@pytest.mark.parametrize("results", ["a", "b"])
def test_case_21_answers_are_left_out_by_position(
    command: Callable[..., Any], case: Case, annotations: str, results: str
) -> None:
    ran = command("evaluate", case / annotations, case / f"results-{results}.json", "--json", "--out", "made")
    assert ran.code == 0
    with Path("made", "rows.csv").open(newline="", encoding="utf-8") as file:
        scores = {row["id"]: float(row["accuracy (vqa 2021-head)"]) for row in csv.DictReader(file)}
    assert scores == pytest.approx(case.expected[f"results_{results}"], abs=1e-4)

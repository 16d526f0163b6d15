"""Pair lists held against the pairs that samples show."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

FOLDER = "26-split-declared-vs-actual-pairs"
BOTH = '{train="train_pairs.txt", test="test_pairs.txt"}'


@pytest.fixture
def case(shared: Path, command: Any) -> dict[str, Any]:
    """The case's files in the current folder, and what is expected of them."""
    for file in (shared / "cases" / FOLDER).iterdir():
        shutil.copy(file, file.name)
    expected: dict[str, Any] = json.loads(Path("expected.json").read_text())
    return expected


def audit(command: Any, *readings: str, code: int = 0) -> Any:
    options = [option for reading in readings for option in ("--reading", f"declared-pairs.{reading}")]
    ran = command("audit", "samples.csv", "--part-column", "split", *options, "--json")
    assert ran.code == code, ran
    return ran.json if code == 0 else ran.json["error"]


def finding(report: Any, kind: str, part: str) -> Any:
    (found,) = (f for f in report["findings"] if f["kind"] == kind and f" of {part} " in f["message"])
    return found


def fractions(report: Any, name: str, part: str) -> dict[str | None, str]:
    return {
        m["options"].get("unit"): m["fraction"]
        for m in report["measures"]
        if (m["name"], m["of"], m["part"]) == (name, "attribute-objects", part)
    }


def test_case_26_lists_are_held_against_samples(case, command):
    report = audit(command, f"declared={BOTH}", "declared_table=declared_table.csv")
    for part, kind, key in (
        ("train", "declared-without-sample", "train_declared_without_sample"),
        ("test", "declared-without-sample", "test_declared_without_sample"),
        ("test", "sample-undeclared", "test_pairs_undeclared"),
    ):
        found = finding(report, kind, part)
        assert (found["first"], found["count"]) == (case[key], len(case[key]))
    assert not [f for f in report["findings"] if f["kind"] == "sample-undeclared" and " of train " in f["message"]]
    # Seen or unseen comes from the samples of train.
    seen = [row[0] for row in report["tables"]["pairs of test that train shows"]["rows"]]
    assert seen == case["test_pairs_seen"]
    unseen = sorted(row[0].replace(" | ", " ") for row in report["tables"]["novel attribute-objects of test"]["rows"])
    assert unseen == case["test_pairs_unseen"]
    assert report["subject"]["parts"]["test"]["got"] == case["test_samples"]
    common = fractions(report, "common-compounds", "test")
    assert common["instances"] == f"{case['test_samples_seen']}/{case['test_samples']}"
    assert common["distinct"] == f"{len(seen)}/{len(seen) + len(unseen)}"
    assert fractions(report, "declared-pairs", "test") == {None: "2/3"}
    assert fractions(report, "declared-pairs", "train") == {None: "1/1"}


def test_case_26_exchanged_columns_of_a_declared_table_are_reported(case, command):
    report = audit(command, "declared_table=declared_table.csv")
    table = report["tables"]["seen and unseen pairs, declared and recomputed"]
    said = [case[key][which] for key in ("declared_table", "recomputed") for which in ("seen", "unseen")]
    assert table["rows"] == [["test", *said]]
    (found,) = (f for f in report["findings"] if f["kind"] == "declared-table-exchanged")
    assert "says 2 seen and 1 unseen pairs of test, the samples show 1 and 2" in found["message"]


@pytest.mark.parametrize(("counts", "kind"), [("1,2", None), ("2,2", "declared-table-differs")])
def test_a_declared_table_that_is_right_is_no_finding_and_one_that_is_wrong_differs(case, command, counts, kind):
    Path("declared_table.csv").write_text(f"split,seen_pairs,unseen_pairs\ntest,{counts}\n")
    report = audit(command, "declared_table=declared_table.csv")
    kinds = [f["kind"] for f in report["findings"] if f["kind"].startswith("declared-table")]
    assert kinds == ([] if kind is None else [kind])


def test_without_lists_nothing_is_said_of_them(case, command):
    report = audit(command)
    assert not [m for m in report["measures"] if m["name"] == "declared-pairs"]


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ('declared={train="none.txt"}', "none.txt: there is no such file"),
        ('declared={tset="test_pairs.txt"}', 'There is no part "tset". Did you mean "test"?'),
        ('declared={test="samples.csv"}', "samples.csv, line 1: is no pair of attribute and object"),
        ("declared_table=none.csv", "none.csv: there is no such file"),
        ("declared_table=samples.csv", "samples.csv needs columns split, seen_pairs, unseen_pairs, has id"),
        ("declared_table=words.csv", "words.csv: the counts of test are no whole numbers"),
        ("declared_table=other.csv", 'There is no part "tset". Did you mean "test"?'),
    ],
)
def test_lists_that_cannot_be_used_are_errors(case, command, reading, said):
    Path("words.csv").write_text("split,seen_pairs,unseen_pairs\ntest,two,1\n")
    Path("other.csv").write_text("split,seen_pairs,unseen_pairs\ntset,2,1\n")
    assert said in audit(command, reading, code=2)["message"]


def test_rows_without_attributes_have_no_pairs_to_hold_lists_against(case, command):
    Path("questions.csv").write_text("id,question,answer,split\n1,is it,yes,train\n2,is it,no,test\n")
    given = ("--part-column", "split", "--reading", 'declared-pairs.declared={test="test_pairs.txt"}')
    ran = command("audit", "questions.csv", *given, "--json")
    assert ran.code == 2
    assert "attribute-object pairs, which these rows do not have" in ran.json["error"]["message"]

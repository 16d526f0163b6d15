"""What a notebook calls gives the numbers of the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas
import pyarrow
import pytest

import compsplit

ROWS = {
    "id": list(range(24)),
    "image": [n % 4 for n in range(24)],
    "question": [f"What color is the {('cone', 'dog', 'hat', 'cup', 'car', 'bus')[n % 6]}?" for n in range(24)],
    "answer": [("red", "blue", "green", "black")[(n * 7 + n // 6) % 4] for n in range(24)],
}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(ROWS).to_csv("in.csv", index=False)
    return "in.csv"


def test_every_public_name_can_be_imported_and_is_documented():
    assert 12 <= len(compsplit.__all__) <= 25
    for name in compsplit.__all__:
        assert getattr(compsplit, name) is not None
        assert name in dir(compsplit)
        if name != "__version__":
            assert getattr(compsplit, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        compsplit.nothing  # noqa: B018  # the access is what is tested


def test_run_gives_what_the_command_prints(file, command):
    made = compsplit.run("agrawal2017_cvqa", file)
    printed = command("run", "agrawal2017_cvqa", file, "--out", "d", "--json").json
    assert json.loads(json.dumps(made.report.to_json()))["findings"] == printed["findings"]
    assert [m.number for m in made.report.measures] == pytest.approx([m["value"] for m in printed["measures"]])
    with Path("d/assignment.csv").open(encoding="utf-8", newline="") as lines:
        parts: dict[str, list[str]] = {}
        for row in csv.DictReader(lines):
            parts.setdefault(row["part"], []).append(row["id"])
    assert {part: sorted(ids) for part, ids in made.parts.items()} == parts


def test_nothing_is_written_without_a_folder_and_the_same_folder_with_one(file, command):
    compsplit.run("agrawal2017_cvqa", file)
    assert [path.name for path in Path().iterdir()] == [file]
    compsplit.run("agrawal2017_cvqa", file, out="by_hand")
    assert command("run", "agrawal2017_cvqa", file, "--out", "by_command").code == 0
    for path in Path("by_command").iterdir():
        assert path.read_bytes() == Path("by_hand", path.name).read_bytes(), path.name
    assert all(promise.kept for promise in compsplit.verify("by_hand"))


def test_an_older_folder_is_replaced_with_force_only(file):
    compsplit.run("random", file, out="d")
    with pytest.raises(FileExistsError, match="already there"):
        compsplit.run("random", file, out="d")
    compsplit.run("random", file, out="d", force=True, settings=["seed=1"])
    assert json.loads(Path("d/manifest.json").read_text())["seed"] == 1


@pytest.mark.parametrize("made", ["pandas", "arrow", "mixed"])
def test_tables_in_memory_are_divided_like_files(file, made):
    frame = pandas.DataFrame(ROWS)
    if made == "mixed":
        frame.index = range(100, 124)
        frame["answer"] = frame["answer"].astype("category")
        frame["box"] = [[1, 2]] * 24
    table = pyarrow.table(ROWS) if made == "arrow" else frame
    assert compsplit.split(table) == compsplit.split(file)


def test_a_split_of_a_table_in_memory_can_be_written_and_says_that_it_cannot_be_verified(file):
    compsplit.run("random", pandas.DataFrame(ROWS), out="d")
    parts = [pandas.read_parquet(f"d/{part}.parquet") for part in ("train", "test")]
    assert sorted(pandas.concat(parts)["id"]) == ROWS["id"]
    with pytest.raises(compsplit.CompsplitError, match="made from a table in memory"):
        compsplit.verify("d")
    compsplit.run("random", compsplit.read(file), out="e")
    with pytest.raises(compsplit.CompsplitError, match="made from a table in memory"):
        compsplit.verify("e")


def test_columns_of_a_table_play_the_roles_that_are_asked_for(file):
    frame = pandas.DataFrame(ROWS).rename(columns={"answer": "label"})
    assert compsplit.split(frame, columns={"answer": "label"}) == compsplit.split(file)


def test_a_table_that_was_read_is_run_audited_and_described(file):
    table = compsplit.read(file)
    assert len(table) == 24
    assert compsplit.run("agrawal2017_cvqa", table).parts == compsplit.split(file)
    assert compsplit.describe(table).to_json() == compsplit.describe(file).to_json()
    assert compsplit.describe(pandas.DataFrame(ROWS)).subject["rows"] == 24


def test_audit_takes_files_tables_columns_and_id_lists(file, command):
    frame = pandas.DataFrame(ROWS)
    head, tail = frame[:16], frame[16:]
    head.to_csv("a.csv", index=False)
    tail.to_csv("b.csv", index=False)
    by_file = compsplit.audit({"train": "a.csv", "test": ["b.csv"]})
    printed = command("audit", "train=a.csv", "test=b.csv", "--json").json
    assert by_file.get("coverage").number == pytest.approx(
        next(m["value"] for m in printed["measures"] if m["name"] == "coverage")
    )
    by_table = compsplit.audit({"train": head, "test": pyarrow.Table.from_pandas(tail)})
    by_read = compsplit.audit({"train": compsplit.read("a.csv"), "test": compsplit.read("b.csv")})
    assert by_table.to_json() == by_file.to_json() == by_read.to_json()
    by_column = compsplit.audit(frame.assign(part=["train"] * 16 + ["test"] * 8), part_column="part")
    assert [m.value for m in by_column.measures if (m.name, m.of) == ("coverage", "concepts")] == [
        by_file.get("coverage").value
    ]
    Path("s.json").write_text(json.dumps({"train": list(range(16)), "test": list(range(16, 24))}))
    by_list = compsplit.audit(file, split="s.json")
    assert by_list.get("coverage").value == by_file.get("coverage").value
    with pytest.raises(compsplit.CompsplitError, match="Say which row is in which part"):
        compsplit.audit(file)


def test_checks_fail_a_report(file):
    report = compsplit.audit({"train": file, "test": file}, checks=["qa-overlap == 0"])
    assert report.failed
    assert report.findings[0].level == "fail"
    assert not compsplit.audit({"train": file, "test": file}).failed


def test_a_report_is_a_pandas_table(file):
    report = compsplit.run("agrawal2017_cvqa", file).report
    frame = report.to_frame()
    assert len(frame) == len(report.measures)
    coverage = frame[frame["name"] == "coverage"].iloc[0]
    assert (coverage["reference"], coverage["part"], coverage["of"]) == ("train", "test", "concepts")
    assert coverage["value"] == report.get("coverage").number


def test_reduce_gives_the_concepts_of_each_question():
    one, other = compsplit.reduce("What color are the cones?", "What is the color of the cones?")
    assert one == other == ("what", "color", "cone")


def test_plugins_lists_what_recipes_can_name():
    assert {"greedy-coverage", "cover", "random"} <= set(compsplit.plugins("splitter"))


@pytest.mark.parametrize("wrong", [7, b"bytes", [1, 2], {"a": 1}])
def test_what_is_no_table_is_an_error_of_ours(wrong):
    with pytest.raises(compsplit.CompsplitError, match="table"):
        compsplit.read(wrong)


def test_several_tables_are_an_error_of_ours():
    frame = pandas.DataFrame(ROWS)
    with pytest.raises(compsplit.CompsplitError, match="one table"):
        compsplit.read(frame, frame)


def test_an_unknown_check_is_an_error_of_the_call(file):
    with pytest.raises(compsplit.CompsplitError, match="no measure"):
        compsplit.run("random", file, settings=['check=[{require="covrage > 0"}]'])


def test_a_long_call_tells_its_stages(file):
    stages: list[str] = []
    compsplit.run("random", file, watch=stages.append)
    assert stages[:3] == ["reading", "reducing", "splitting"]


def test_options_of_the_command_are_keywords(file, command):
    frame = pandas.DataFrame(ROWS)
    made = compsplit.run("random", frame, seed=3, share={"test": 0.25}, by="image")
    asked = ("run", "random", file, "--seed", 3, "--share", "test=0.25", "--by", "image", "--plan", "--json")
    assert made.report.to_json()["subject"]["parts"] == command(*asked).json["subject"]["parts"]
    assert made.recipe.seed == 3
    assert made.recipe.group.plugin.name == "column"
    assert compsplit.split(frame, method="random", seed=3, share={"test": 0.25}, by="image") == made.parts
    with pytest.raises(compsplit.CompsplitError, match="seed"):
        compsplit.run(made.recipe, frame, seed=4)


def test_what_a_notebook_shows_is_short(file):
    table = compsplit.read(file)
    made = compsplit.run("agrawal2017_cvqa", table)
    for value in (table, made, made.rows, made.split, made.grouping, table.questions):
        assert len(repr(value)) < 300
    assert repr(table) == "QATable(24 rows, 4 images, 6 questions, 4 answers, format table)"
    assert made.report.verdict in repr(made)
    assert repr(table.answers) == "Column(24 rows, 4 distinct values)"
    assert "train" in repr(made.split)

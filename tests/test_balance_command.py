"""`compsplit balance`: what it writes and says, what it refuses, and the table of docs/balancing.md.

COMPSPLIT_WRITE_DOCS=1 writes the table anew.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from compsplit import api
from compsplit.errors import OutputExistsError, UsageError

PAGE = Path(__file__).parents[1] / "docs" / "balancing.md"
GQA = "data/gqa/codevqa/gqa_examples50.json"
DAQUAR = "data/daquar/all_qa_pairs.txt"


def rows_of(path: Path | str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ids_of(path: Path | str) -> list[str]:
    return [row["id"] for row in rows_of(path)]


def write(path: Path, head: str, rows: list[tuple[Any, ...]]) -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def answers(folder: Path, counts: dict[str, dict[str, int]], name: str = "rows.csv") -> Path:
    """A file with so many rows of each group and answer."""
    cells = [(g, a) for g, of_group in counts.items() for a, n in of_group.items() for _ in range(n)]
    return write(folder / name, "id,group,answer", [(f"r{k:04}", g, a) for k, (g, a) in enumerate(cells)])


def counts_of(path: Path | str) -> dict[str, int]:
    return dict(Counter(row["answer"] for row in rows_of(path)))


def said(report: dict[str, Any], kind: str) -> dict[str, Any]:
    (found,) = (finding for finding in report["findings"] if finding["kind"] == kind)
    return found


def test_case_51_shards_the_whole_and_another_order_are_balanced_alike(shared, command, tmp_path):
    case = shared / "cases/51-balance-sharded"
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    after = dict(expected["after_with_defaults"])
    settings = after.pop("settings")
    told = []
    for number, names in enumerate((("part-a", "part-b"), ("part-b", "part-a"), ("whole",), ("whole-other-order",))):
        ran = command("balance", *(case / f"{name}.csv" for name in names), "--local", "group", "--json",
                      "--out", f"out{number}")  # fmt: skip
        assert ran.code == 0
        told.append(ran.out)
        assert ran.out == (tmp_path / f"out{number}/report.json").read_text(encoding="utf-8")
        assert counts_of(f"out{number}/kept.csv") == after
        assert (tmp_path / f"out{number}/kept.csv").read_bytes() == (tmp_path / "out0/kept.csv").read_bytes()
        assert (tmp_path / f"out{number}/ledger.csv").read_bytes() == (tmp_path / "out0/ledger.csv").read_bytes()
    assert len(set(told)) == 1
    report = json.loads(told[0])
    lines = report["tables"]["answers of local groups"]["rows"]
    assert [(line[1], line[2], line[3]) for line in lines] == [
        (name, expected["before"][name], after[name]) for name in expected["order_kept"]
    ]
    told_settings = report["subject"]["settings"]
    assert {name: float(told_settings["bound" if name == "b" else name]) for name in settings} == settings
    assert told_settings["seed"] == 0
    # A part alone is balanced otherwise, which is the fault of the report.
    command("balance", case / "part-a.csv", "--local", "group", "--out", "alone")
    assert counts_of("alone/kept.csv") != {name: after.get(name) for name in expected["before_part_a"]}


def test_its_own_output_stays_as_it_is(command, tmp_path):
    counts = {"a": {"x": 90, "y": 6, "z": 3, "w": 1}, "b": {"x": 40, "y": 30, "z": 4, "w": 1}}
    command("balance", answers(tmp_path, counts), "--local", "group", "--out", "once")
    ran = command("balance", "once/kept.csv", "--local", "group", "--out", "twice", "--json", "--seed", 5)
    assert (tmp_path / "twice/kept.csv").read_bytes() == (tmp_path / "once/kept.csv").read_bytes()
    assert ran.json["subject"]["kept"] == ran.json["subject"]["rows"] == 20 + 70
    assert rows_of("twice/ledger.csv") == []
    table = [(row["group"], row["answer"], row["before"], row["after"]) for row in rows_of("once/counts.csv")]
    assert table == [
        ("a", "x", "90", "10"), ("a", "y", "6", "6"), ("a", "z", "3", "3"), ("a", "w", "1", "1"),
        ("b", "x", "40", "35"), ("b", "y", "30", "30"), ("b", "z", "4", "4"), ("b", "w", "1", "1"),
    ]  # fmt: skip


def test_every_row_is_kept_or_in_the_ledger_or_left_out(command, tmp_path):
    file = write(
        tmp_path / "rows.csv",
        "id,image,question,answer,group",
        [
            *((f"r{k:03}", f"i{k}", "What is it?", "cup" if k < 30 else "bowl", "thing") for k in range(40)),
            ("n1", "i7", "What is it ?", "cup", "thing"),
            ("n2", "i50", "Where?", "", "thing"),
            ("n3", "i51", "Where?", "here", ""),
        ],
    )
    ran = command("balance", file, "--local", "group", "--r-max", 1, "--out", "out", "--json")
    kept, ledger, left_out = (rows_of(f"out/{name}.csv") for name in ("kept", "ledger", "left_out"))
    every = [row["id"] for part in (kept, ledger, left_out) for row in part]
    assert sorted(every) == sorted(ids_of(file))
    assert counts_of("out/kept.csv") == {"cup": 10, "bowl": 10, "here": 1}
    assert left_out == [{"id": "n2", "reason": "no answer"}]
    (repeat,) = (row for row in ledger if row["stage"] == "near-repeat")
    assert {repeat["id"], repeat["stays"]} == {"r007", "n1"}
    assert (repeat["image"], repeat["answer"], repeat["round"], repeat["level"]) == ("i7", "cup", "", "")
    smoothed = [row for row in ledger if row["stage"] != "near-repeat"]
    assert {
        (row["stage"], row["round"], row["level"], row["group"], row["answer"], row["stays"]) for row in smoothed
    } == {("groups", "1", "local", "thing", "cup", "")}
    assert len(smoothed) == 20
    assert [row["id"] for row in ledger] == sorted(row["id"] for row in ledger)
    assert rows_of("out/counts.csv") == [
        {"level": "local", "group": "thing", "answer": "cup", "before": "31", "after": "10"},
        {"level": "local", "group": "thing", "answer": "bowl", "before": "10", "after": "10"},
    ]
    assert said(ran.json, "no-group")["first"] == ["n3"]
    assert said(ran.json, "near-repeat")["count"] == 1


def test_the_folder_says_what_it_was_made_of(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 90, "y": 6, "z": 3, "w": 1}})
    command("balance", file, "--local", "group", "--bound", "2.5", "--seed", 3, "--out", "out")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["format"] == "compsplit-balance"
    assert manifest["settings"]["bound"] == "2.5"
    assert manifest["seed"] == 3
    assert [each["file"] for each in manifest["inputs"]] == ["rows.csv"]
    written = {each["file"] for each in manifest["outputs"]}
    assert written | {"manifest.json"} == {path.name for path in (tmp_path / "out").iterdir()}
    assert {"kept.csv", "ledger.csv", "counts.csv", "groups.csv", "left_out.csv", "report.json", "report.md"} == written
    assert str(tmp_path) not in (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    (group,) = rows_of("out/groups.csv")
    assert (group["rows_before"], group["rows_after"], group["answers_after"]) == ("100", "22", "4")


@pytest.mark.large
@pytest.mark.parametrize("hash_seed", ["77"])
def test_hash_seeds_and_the_order_of_rows_change_nothing(hash_seed, command, tmp_path):
    counts = {"a": {"x": 90, "y": 60, "z": 60, "w": 1}, "b": {"x": 40, "y": 30, "w": 1}}
    head, *lines = answers(tmp_path, counts).read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([head, *lines[::-1]]) + "\n", encoding="utf-8")
    command("balance", tmp_path / "rows.csv", "--local", "group", "--out", "one")
    asked = [sys.executable, "-m", "compsplit", "balance", str(other), "--local", "group", "--out", "two"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, check=True)
    for path in (tmp_path / "one").iterdir():
        if path.name != "manifest.json":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_another_seed_keeps_other_rows_of_the_same_counts(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 90, "y": 6, "z": 3, "w": 1}})
    for seed in (0, 1):
        command("balance", file, "--local", "group", "--seed", seed, "--out", f"seed{seed}")
    assert counts_of("seed0/kept.csv") == counts_of("seed1/kept.csv")
    assert ids_of("seed0/kept.csv") != ids_of("seed1/kept.csv")


def test_without_labels_the_error_names_the_ways_to_make_them(command, tmp_path):
    ran = command("balance", answers(tmp_path, {"a": {"x": 2}}))
    assert ran.code == 2
    for way in ("--global COLUMN", "--local COLUMN", "--groups question", "--groups program"):
        assert way in ran.message
    assert not (tmp_path / "balanced").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--local", "groups"), 'There is no column "groups". Did you mean "group"?'),
        (("--local", "group+colour"), 'There is no column "colour"'),
        (("--local", "image"), 'The column "image" has no value'),
        (("--groups", "program"), "--groups program makes labels of programs, and no row has one"),
        (("--groups", "question"), "--groups question makes labels of questions, and no row has one"),
        (("--groups", "magic"), "Option groups is 'magic'; expected one of labels, program, question"),
        (("--local", "group", "--levels", "global,local"), "No row has a label of the global level"),
        (("--local", "group", "--levels", "global"), "No row has a label of the global level"),
        (("--local", "group", "--global", "group", "--levels", "local"), "named for the global level"),
        (("--local", "group", "--levels", "locals"), "Option levels is 'locals'"),
        (("--local", "group", "--levels", "local,local"), "Option levels is 'local,local'"),
        (("--local", "group", "--bound", "0"), "Option bound is '0'; expected a number above 0"),
        (("--local", "group", "--r-min", "0.95"), "r_min is 0.95 and r_max 0.9"),
        (("--local", "group", "--floor", "0"), "Option floor is 0"),
        (("--local", "group", "--rounds", "0"), "Option rounds is 0"),
        (("--local", "group", "--tolerance", "1"), "Option tolerance is '1'"),
        (("--local", "group", "--answers", "soft"), "Option answers is 'soft'; expected exact or normalised"),
        (("--local", "group", "--type", "x=0.5"), '"x=0.5" is not COLUMN:TYPE=SHARE'),
        (("--local", "group", "--type", "group:a=0.5"), "Shares of the types of group must be 0 or more"),
        (("--local", "group", "--type", "group:a=1", "--type", "group:a=1"), "Two shares are asked for of a of group"),
        (("--local", "group", "--type", "answer:x=1"), "1 type of answer that rows have (y)"),
        (("--local", "group", "--set", "split.method=cover"), 'does not know the setting "split.method"'),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_clear_error(arguments, message, command, tmp_path):
    ran = command("balance", answers(tmp_path, {"a": {"x": 2, "y": 1}}), *arguments)
    assert ran.code == 2
    assert message in ran.message
    assert not (tmp_path / "balanced").exists()


@pytest.mark.large
def test_scenes_and_rows_without_any_answer_are_refused(shared, command, tmp_path):
    scenes = shared / "data/clevr/too_clevr/CLEVR_val_scenes_500.json"
    assert "these are scenes" in command("balance", scenes, "--local", "image").message
    file = write(tmp_path / "rows.csv", "id,question,answer", [("1", "Why?", ""), ("2", "How?", "")])
    assert "No row has an answer" in command("balance", file, "--groups", "question").message


def test_a_type_that_no_row_has_is_impossible(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 2, "y": 1}})
    ran = command("balance", file, "--local", "group", "--type", "answer:x=0.5", "--type", "answer:y=0.25", "--type",
                  "answer:z=0.25", "--json")  # fmt: skip
    assert ran.code == 3
    assert "z of answer: no row is left" in ran.json["error"]["message"]


def test_shares_of_types_are_reached_after_the_groups(command, tmp_path):
    cells = [("open", a, "query") for a in "abcd" for _ in range(30)]
    cells += [("closed", a, "verify") for a in ("yes", "no") for _ in range(30)]
    file = write(
        tmp_path / "rows.csv", "id,group,answer,structural", [(f"r{k}", *cell) for k, cell in enumerate(cells)]
    )
    asked = ("--local", "group", "--bound", 3, "--type", "structural:query=0.5", "--type", "structural:verify=1/2")
    ran = command("balance", file, *asked, "--json", "--out", "out")
    # By hand: the groups meet their bounds; N / 2 < 60 + 1 gives N = 121, and floor(60.5) rows of each type.
    assert ran.json["tables"]["types: structural"]["rows"] == [
        ["query", 0.5, 0.666666666667, 0.5, 120, 60],
        ["verify", 0.5, 0.333333333333, 0.5, 60, 60],
    ]
    ledger = rows_of("out/ledger.csv")
    assert {(row["stage"], row["level"], row["group"], row["round"]) for row in ledger} == {
        ("types", "structural", "query", "1")
    }
    again = command("balance", "out/kept.csv", *asked, "--json", "--out", "again")
    assert again.json["subject"]["kept"] == again.json["subject"]["rows"] == 120


def test_rounds_that_were_stopped_say_what_another_run_would_drop(command, tmp_path):
    counts = {"a": {"x": 8, "z": 2, "y": 1}, "b": {"z": 40, "w": 5, "y": 3, "x": 2}}
    cells = [(g, a) for g, of_group in counts.items() for a, n in of_group.items() for _ in range(n)]
    file = write(tmp_path / "rows.csv", "id,whole,group,answer",
                 [(f"r{k}", "whole", g, a) for k, (g, a) in enumerate(cells)])  # fmt: skip
    asked = ("--global", "whole", "--local", "group", "--json")
    ended = command("balance", file, *asked, "--out", "ended").json
    assert not [finding for finding in ended["findings"] if finding["kind"] == "not-stable"]
    rounds = ended["tables"]["rounds"]["rows"]
    assert len(rounds) > 2, "the example needs more than one round"
    stopped = command("balance", file, *asked, "--rounds", 1, "--out", "stopped").json
    assert said(stopped, "not-stable")["count"] == sum(rounds[1][1:-1])
    again = command("balance", "stopped/kept.csv", *asked, "--rounds", 1, "--out", "again").json
    assert again["subject"]["rows"] - again["subject"]["kept"] == sum(rounds[1][1:-1])


def test_the_largest_groups_that_lost_rows_stand_before_and_after_with_their_ten_commonest_answers(command, tmp_path):
    counts = {
        "even": {"x": 70, "y": 70},  # equal counts meet the bound: nothing is lost
        "many": {"x": 60, **{f"a{k:02}": 12 - k for k in range(11)}},
        "large": {"x": 52, "y": 30, "z": 20},  # H may be T = 50: loses fewest
        **{f"g{k:02}": {"x": 40, "y": 10, "z": 9} for k in range(21)},  # 40 becomes 19
    }
    report = command("balance", answers(tmp_path, counts), "--local", "group", "--json", "--plan").json
    assert report["tables"]["local groups that lost most rows"]["total"] == 23
    table = report["tables"]["largest local groups before and after"]
    assert table["columns"] == ["group", "place", "answer", "rows before", "rows after"]
    rows = table["rows"]
    assert list(dict.fromkeys(row[0] for row in rows)) == ["many", "large", *(f"g0{k}" for k in range(6))]
    assert [row[1:4] for row in rows[:11]] == [
        [1, "x", 60], *([k + 2, f"a{k:02}", 12 - k] for k in range(9)), [None, "2 others", 3 + 2],
    ]  # fmt: skip
    assert rows[11:14] == [["large", 1, "x", 52, 50], ["large", 2, "y", 30, 30], ["large", 3, "z", 20, 20]]
    assert rows[14] == ["g00", 1, "x", 40, 19]


def test_answers_are_compared_as_written_unless_asked_otherwise(command, tmp_path):
    cells = {"g": {"Red": 30, "red ": 10, "blue": 30, "green": 20}}
    file = answers(tmp_path, cells)
    asked = ("--local", "group", "--json", "--plan")
    exact = command("balance", file, *asked).json
    assert len(exact["tables"]["answers of local groups"]["rows"]) == 4
    folded = command("balance", file, *asked, "--answers", "normalised").json
    assert folded["tables"]["answers of local groups"]["rows"][0][1:3] == ["red", 40]
    found = said(folded, "answers-normalised")
    assert found["count"] == 40
    assert "1 different answer falls together" in found["message"]


def test_plan_writes_nothing(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 90, "y": 6, "z": 3, "w": 1}})
    ran = command("balance", file, "--local", "group", "--plan")
    assert "Nothing was written" in ran.out
    assert ran.out.startswith("20 of 100 rows kept (20.0%) in 1 local group")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_only_its_own_folder_is_replaced_and_never_one_with_an_input(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 9, "y": 6, "z": 3}})
    asked = ("balance", file, "--local", "group", "--out", "out")
    assert command(*asked).code == 0
    assert "is already there. Pass --force" in command(*asked).message
    assert command(*asked, "--force").code == 0
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/mine.txt").write_text("mine")
    assert "not replaced" in command("balance", file, "--local", "group", "--out", "foreign", "--force").message
    again = ("balance", "out/kept.csv", "--local", "group", "--out", "out", "--force")
    assert "holds the input kept.csv" in command(*again).message
    assert (tmp_path / "out/kept.csv").is_file()


def test_a_combination_of_columns_can_be_a_group(command, tmp_path):
    rows = [("blue" if k < 5 else "red", "car" if k % 2 else "cup", "x" if k % 3 else "y") for k in range(20)]
    file = write(tmp_path / "rows.csv", "id,colour,thing,answer", [(k, *row) for k, row in enumerate(rows)])
    report = command("balance", file, "--local", "colour+thing", "--plan", "--json").json
    groups = {row[0] for row in report["tables"]["answers of local groups"]["rows"]}
    assert groups == {f"{colour} | {thing}" for colour, thing, _ in rows}


def test_questions_of_gqa_keep_their_records_and_their_ids(shared, command, tmp_path):
    ran = command("balance", shared / GQA, "--out", "out", "--json")
    assert ran.code == 0
    assert ran.json["subject"]["settings"]["levels"] == {"global": "group_global", "local": "group_local"}
    before = {str(each["question_id"]): each for each in json.loads((shared / GQA).read_text(encoding="utf-8"))}
    kept = json.loads((tmp_path / "out/kept.json").read_text(encoding="utf-8"))
    assert all(before[str(each["question_id"])] == each for each in kept)
    assert len(kept) + len(rows_of("out/ledger.csv")) == len(before) == 50
    # 28 of the 50 records have a global group, all have a local one.
    assert said(ran.json, "no-group")["count"] == 22
    again = command("balance", "out/kept.json", "--out", "again", "--json")
    assert again.json["subject"]["kept"] == again.json["subject"]["rows"] == len(kept)


def test_groups_of_gqa_can_be_made_of_programs(shared, command):
    report = command("balance", shared / GQA, "--groups", "program", "--plan", "--json").json
    told = report["subject"]["settings"]["levels"]
    assert all(name.startswith("compsplit-gqa-1") for name in told.values())
    assert "by the program's words" in told["local"]
    made = api.balance(shared / GQA, groups="program")
    for labels, least in zip(made.labels, (25, 40), strict=True):
        given = made.table.columns[f"group_{labels.level}"].values()
        agree = sum(a == b for a, b in zip(given, labels.column.values(), strict=True) if a is not None)
        assert agree >= least, "most labels are those that the data have"


def test_the_same_program_about_the_same_image_is_a_near_repeat_whatever_its_words(command, tmp_path):
    def record(words: str, answer: str, *, first: str, second: str, image: str = "1") -> dict[str, Any]:
        steps = [
            {"operation": "select", "argument": f"{first} (5)", "dependencies": []},
            {"operation": "exist", "argument": "?", "dependencies": [0]},
            {"operation": "select", "argument": f"{second} (6)", "dependencies": []},
            {"operation": "exist", "argument": "?", "dependencies": [2]},
            {"operation": "or", "argument": "", "dependencies": [1, 3]},
        ]
        return {"question": words, "imageId": image, "answer": answer, "semantic": steps,
                "groups": {"global": None, "local": "09existOr"}}  # fmt: skip

    questions = {
        "01": record("Is there a dog or a cat?", "yes", first="dog", second="cat"),
        "02": record("Are there cats or dogs?", "yes", first="cat", second="dog"),
        "03": record("Any dog or cat?", "no", first="dog", second="cat"),
        "04": record("Is there a dog or a cow?", "yes", first="dog", second="cow"),
        "05": record("Is there a dog or a cat?", "yes", first="dog", second="cat", image="2"),
    }
    # Without a program, and first in the file: the same reduced question and answer, and never what a program asks.
    without = {**questions["01"], "question": "Are there any dogs?"}
    del without["semantic"]
    asked_in_words = {
        name: {**without, "answer": answer} for name, answer in (("06", "yes"), ("07", "yes"), ("08", "no"))
    }
    questions = {**asked_in_words, **questions}
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(questions), encoding="utf-8")
    report = command("balance", file, "--bound", 100, "--out", "out", "--json").json
    assert said(report, "near-repeat")["count"] == 3
    assert report["subject"]["settings"]["near_repeats"] == "canonical program or reduced question and answer"
    dropped = {row["id"]: row["stays"] for row in rows_of("out/ledger.csv") if row["stage"] == "near-repeat"}
    (asked_without,) = dropped.keys() & {"06", "07"}
    assert {asked_without, dropped.pop(asked_without)} == {"06", "07"}
    (stays,) = set(dropped.values())
    assert {*dropped, stays} == {"01", "02", "03"}
    conflicts = {"03"} if stays != "03" else {"01", "02"}
    assert set(said(report, "near-repeats-in-conflict")["first"]) == conflicts
    kept = command("balance", file, "--bound", 100, "--keep-near-repeats", "--out", "all", "--json").json
    assert kept["subject"]["settings"]["near_repeats"] == "kept"
    assert not [finding for finding in kept["findings"] if finding["kind"].startswith("near-repeat")]


@pytest.mark.large
def test_vqa_keeps_questions_and_annotations_together(shared, command, tmp_path):
    data = shared / "data/vqa/ambiguous_vqa_test"
    ran = command("balance", data / "questions.json", data / "annotations.json", "--groups", "question",
                  "--head", "0.6", "--out", "out", "--json")  # fmt: skip
    assert ran.code == 0
    questions, annotations = (
        json.loads((tmp_path / f"out/kept_{kind}.json").read_text(encoding="utf-8"))[kind]
        for kind in ("questions", "annotations")
    )
    assert {each["question_id"] for each in questions} == {each["question_id"] for each in annotations}
    assert len(questions) == ran.json["subject"]["kept"] < ran.json["subject"]["rows"]


def test_other_writers_write_the_kept_rows(command, tmp_path):
    file = answers(tmp_path, {"a": {"x": 90, "y": 6, "z": 3, "w": 1}})
    assert command("balance", file, "--local", "group", "--set", "write.as=jsonl", "--out", "out").code == 0
    assert len((tmp_path / "out/kept.jsonl").read_text(encoding="utf-8").splitlines()) == 20


def test_a_table_in_memory_is_balanced_by_the_api(tmp_path):
    table = pyarrow.table({"id": list(range(100)), "group": ["g"] * 100, "answer": ["x"] * 94 + ["y"] * 6})
    made = api.balance(table, local_column="group", bound="1.5", out=tmp_path / "out")
    assert made.table.answers.take(made.kept.nonzero()[0]).values().count("x") == 9
    assert len(made.ids) == made.report.subject["kept"] == 15
    assert repr(made).startswith("Balance(15 of 100 rows kept")
    assert (tmp_path / "out/kept.parquet").is_file()
    with pytest.raises(UsageError, match="No row has a group label"):
        api.balance(table)


WAYS = [
    "--groups question",
    "--groups question --levels global",
    "--groups question --levels local",
    "--groups question --levels local --r-max 1",
    "--groups question --levels local --bound 1.5",
]


def daquar_table(file: Path) -> str:
    lines = [
        "| `compsplit balance all_qa_pairs.txt` | rows kept | level | groups (smoothed) | by rows | by rows before | "
        "plain | commonest answer |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for way in WAYS:
        options = dict(zip(*[iter(way.replace("--", "").replace("r-max", "r_max").split())] * 2, strict=True))
        levels = options.pop("levels", None)
        report = api.balance(file, levels=levels and levels.split(","), **options).report
        table = {row[0]: row[1:] for row in report.tables["levels"].rows}
        for place, level in enumerate(report.tables["levels"].columns[1:]):
            of = f"answers ({level})"
            cells = []
            for mean in ("row-weighted-entropy", "entropy-by-rows-before", "plain-entropy"):
                before, after = (report.get(mean, of, part=part).number for part in ("before", "after"))
                cells.append(f"{before:.3f} to {after:.3f} ({after / before - 1:+.1%})")
            shares = [
                f"{100 * table[f'share of the commonest answer {part}'][place]:.1f}" for part in ("before", "after")
            ]
            first = "" if place else f"`{way}`"
            lines.append(
                f"| {first} | {report.subject['kept']:,} | {level} | {table['groups'][place]:,} "
                f"({table['groups smoothed'][place]:,}) | {' | '.join(cells)} | {' to '.join(shares)} % |"
            )
    return "\n".join(lines)


@pytest.mark.large
def test_the_table_of_daquar_in_the_docs_is_what_comes_out(shared):
    made = daquar_table(shared / DAQUAR)
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(r"(?<=<!-- table: daquar -->\n\n)(?:\|.*\n)+")
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        PAGE.write_text(pattern.sub(lambda _: made + "\n", text), encoding="utf-8")
        return
    (written,) = pattern.findall(text)
    assert written == made + "\n"


# A column called "program", labels and names of columns


def test_a_column_called_program_that_holds_none_is_passed_over_and_told(command, tmp_path):
    rows = [("a", "i1", "What is on?", "news", "x", "BBC"), ("b", "i1", "What is on ?", "news", "x", "CNN"),
            ("c", "i2", "What is on?", "film", "x", ""), ("d", "i2", "Which is it?", "film", "x", "BBC")]  # fmt: skip
    file = write(tmp_path / "rows.csv", "id,image,question,answer,g,program", rows)
    report = command("balance", file, "--local", "g", "--plan", "--json").json
    assert report["subject"]["settings"]["near_repeats"] == "reduced question and answer"
    assert said(report, "near-repeat")["count"] == 1
    found = said(report, "no-program")
    assert (found["count"], found["first"]) == (3, [["a", "BBC"], ["b", "CNN"], ["d", "BBC"]])
    assert found["message"].startswith('3 rows have no program in the column "program"')
    # Where programs are asked for, what is none is an error.
    for asked in (("--groups", "program"), ("--local", "g", "--type", "structural:query=1")):
        ran = command("balance", file, *asked, "--plan")
        assert ran.code == 2
        assert ran.message.startswith('The column "program" holds no program: BBC')


def test_programs_of_a_table_tell_near_repeats_and_what_is_none_does_not(command, tmp_path):
    dogs = '"[[""select"",[""dog""],[]],[""exist"",[],[0]]]"'
    rows = [("a", "i1", "Is there a dog?", "yes", "x", dogs), ("b", "i1", "Any dogs?", "yes", "x", dogs),
            ("c", "i1", "Is a dog there?", "yes", "x", "BBC")]  # fmt: skip
    file = write(tmp_path / "rows.csv", "id,image,question,answer,g,program", rows)
    report = command("balance", file, "--local", "g", "--plan", "--json").json
    assert report["subject"]["settings"]["near_repeats"] == "canonical program or reduced question and answer"
    assert said(report, "near-repeat")["count"] == 1
    assert said(report, "no-program")["first"] == [["c", "BBC"]]


def test_a_label_of_white_space_is_none_and_is_counted(command, tmp_path):
    rows = [("a", "x", "g"), ("b", "y", "  "), ("c", "y", ""), ("d", "x", "g")]
    file = write(tmp_path / "rows.csv", "id,answer,group", rows)
    report = command("balance", file, "--local", "group", "--plan", "--json").json
    assert said(report, "no-group")["first"] == ["b", "c"]
    assert report["subject"]["verdict"].startswith("4 of 4 rows kept (100.0%) in 1 local group;")
    blank = write(tmp_path / "blank.csv", "id,answer,group", [("a", "x", "  "), ("b", "y", " ")])
    ran = command("balance", blank, "--local", "group", "--plan")
    assert ran.code == 2
    assert 'The column "group" has no value in any row.' in ran.message
    both = write(tmp_path / "both.csv", "id,answer,group,kind", [("a", "x", "g", " "), ("b", "y", "g", "k")])
    report = command("balance", both, "--local", "group+kind", "--plan", "--json").json
    assert said(report, "no-group")["first"] == ["a"]


def test_names_of_columns_are_told_once_and_a_plus_needs_one_on_each_side(command, tmp_path):
    rows = [("a", "What is it?", "x", "g", "what is"), ("b", "Where is it?", "y", "g", "where is")]
    file = write(tmp_path / "rows.csv", "id,question,answer,group,question_type", rows)
    ran = command("balance", file, "--local", "zzz", "--plan")
    known = ran.message.split("Known: ")[1].rstrip(".").split(", ")
    assert "question_type" in known
    assert len(set(known)) == len(known)
    for written in ("group+", "+group", "group++answer", "+"):
        ran = command("balance", file, "--local", written, "--plan")
        assert ran.code == 2
        assert ran.message == f'"{written}" names no column on one side of a "+"; expected COLUMN or COLUMN+COLUMN.'


def test_shares_of_types_that_do_not_sum_to_one_name_their_column(command, tmp_path):
    rows = [(f"r{k}", "yes", "g", "xyz"[k % 3]) for k in range(9)]
    file = write(tmp_path / "rows.csv", "id,answer,group,kind", rows)
    ran = command("balance", file, "--local", "group", "--type", "kind:x=0.5", "--plan")
    assert ran.code == 2
    assert ran.message.startswith(
        "Shares of the types of kind must be 0 or more and sum to 1, got x=0.5 = 0.5; rows have x, y, z. "
    )


def test_only_groups_that_lost_rows_are_told_that_their_counts_can_fall(command, tmp_path):
    cells = {"equal": {"x": 50, "y": 50}, "fell": {"x": 100, "y": 95}, "kept": {"x": 1, "y": 1}}
    report = command("balance", answers(tmp_path, cells), "--local", "group", "--plan", "--json").json
    found = said(report, "only-equal-counts")
    assert (found["count"], found["first"]) == (1, ["fell"])
    assert "so that their answers can fall to one row each" in found["message"]
    one = command("balance", answers(tmp_path, {"equal": cells["equal"]}, "one.csv"), "--local", "group", "--plan",
                  "--json").json  # fmt: skip
    assert not [each for each in one["findings"] if each["kind"] == "only-equal-counts"]


def test_answers_that_are_gone_name_what_took_their_last_row(command, tmp_path):
    # Near-repeats: the answer "b" of q2's group is there once, and repeats what q1's group asks of the image.
    same = [("a1", "i1", "What is it?", "b", "g1"), ("a2", "i1", "What is it ?", "b", "g2")]
    other = [(f"o{k}", f"i{k + 2}", "Where?", "c", group) for k, group in enumerate(("g1", "g2"))]
    file = write(tmp_path / "near.csv", "id,image,question,answer,group", [*same, *other])
    report = command("balance", file, "--local", "group", "--plan", "--json").json
    found = said(report, "answers-gone")
    assert found["count"] == 1
    assert "the last row of 1 of them is a near-repeat of a row that stays" in found["message"]
    # Another level: "x" is 40 of 44 as a whole, of which two single rows stand in groups of their own.
    cells = [("whole", "a", "x")] * 38 + [("whole", f"s{k}", "x") for k in range(12)] + [("whole", "a", "y")] * 4
    file = write(tmp_path / "level.csv", "id,whole,group,answer", [(f"r{k:02}", *cell) for k, cell in enumerate(cells)])
    report = command("balance", file, "--global", "whole", "--local", "group", "--plan", "--json").json
    found = said(report, "answers-gone")
    assert found["count"] > 0
    assert f"the global level took the last row of {found['count']} of them" in found["message"]
    # Shares of types: all rows of "s" are of the one type that shall have no share.
    cells = [("a", "x", "p")] * 4 + [("a", "y", "p")] * 4 + [("s", "x", "q")]
    file = write(tmp_path / "type.csv", "id,group,answer,kind", [(f"r{k}", *cell) for k, cell in enumerate(cells)])
    report = command("balance", file, "--local", "group", "--type", "kind:p=1", "--type", "kind:q=0", "--plan",
                     "--json").json  # fmt: skip
    found = said(report, "answers-gone")
    assert (found["count"], found["first"]) == (1, [["s", "x"]])
    assert "the shares of kind took the last row of 1 of them" in found["message"]


def test_an_output_of_another_kind_is_refused_before_anything_is_read(command, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/manifest.json").write_text('{"format": "compsplit-split"}')
    ran = command("balance", "none.csv", "--local", "group", "--out", "other", "--force")
    assert ran.code == 2
    assert "is not a folder that compsplit wrote a balance to" in ran.message
    file = answers(tmp_path, {"a": {"x": 9, "y": 6, "z": 3}})
    with pytest.raises(OutputExistsError, match="wrote a balance to"):
        api.balance(file, local_column="no such column", out="other", force=True)
    assert command("balance", file, "--local", "group", "--out", "out").code == 0
    with pytest.raises(OutputExistsError, match=r"holds the input kept\.csv"):
        api.balance("out/kept.csv", local_column="no such column", out="out", force=True)

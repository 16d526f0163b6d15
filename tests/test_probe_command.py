"""compsplit probe: the table by hand, every way to say a split, what is written, and what is refused."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.errors import ImpossibleError, UnknownNameError, UsageError
from compsplit.model import Report, Undefined
from compsplit.probing.divisions import Division, chosen, order_of, random_division
from compsplit.probing.probing import answerable

ROWS = [
    ("1", "i1", "Is it red?", "yes", "train", "train"),
    ("2", "i1", "Is it blue?", "yes", "train", "train"),
    ("3", "i2", "Is it big?", "no", "train", "test"),
    ("4", "i2", "How many cats?", "2", "train", "train"),
    ("5", "i3", "How many dogs?", "2", "test", "train"),
    ("6", "i3", "Is it small?", "yes", "test", "train"),
    ("7", "i4", "What color?", "red", "test", "test"),
    ("8", "i4", "Is it wet?", "no", "test", "test"),
]
HEAD = ("id", "image", "question", "answer", "old", "new")
QUICK = ("--random-splits", "0", "--halvings", "0")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "data.csv", ROWS)


def written(path: Path, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD, *rows])
    return path


def records(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


def figures(report: Any, probe: str, name: str, answer_type: str = "overall") -> dict[str, Any]:
    """Split -> value, of one probe's measures."""
    return {
        m["options"]["split"]: m["value"]
        for m in (report if isinstance(report, dict) else report.to_json())["measures"]
        if (m["name"], m["options"]["probe"], m["options"].get("answer type")) == (name, probe, answer_type)
    }


def table(report: Any, name: str) -> list[list[Any]]:
    return (report if isinstance(report, dict) else report.to_json())["tables"][name]["rows"]


# --- the table


def test_accuracy_and_drop_are_those_worked_by_hand(command, data):
    ran = command("probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--json")
    assert ran.code == 0
    # The original train answers yes, yes, no, 2 and is asked for 2, yes, red, no; the new one answers yes three times
    # and 2 twice, and is asked for no, red, no.
    assert figures(ran.json, "global-prior", "accuracy") == {"original": 25, "new": 0}
    assert figures(ran.json, "global-prior", "drop") == {"original to new": 25}
    assert figures(ran.json, "global-prior", "drop", "yes/no") == {"original to new": 50}
    assert figures(ran.json, "local-prior", "accuracy") == {"original": 50, "new": 0}
    assert figures(ran.json, "local-prior", "accuracy", "number") == {"original": 100, "new": None}
    assert figures(ran.json, "local-prior", "accuracy", "other") == {"original": 0, "new": 0}
    reasons = {m["reason"] for m in ran.json["measures"] if m["options"].get("answer type") == "number"}
    assert "no test row is of the type number" in reasons
    lines = {(line[0], line[1]): line[2:] for line in table(ran.json, "accuracy")}
    assert lines["test rows", "original"] == ["2", "1", "1", "4"]
    assert lines["test rows", "new"] == ["2", "0", "1", "3"]
    assert [cell.split(" ")[0] for cell in lines["local-prior", "drop"]] == ["50.00", "-", "0.00", "50.00"]
    assert ran.json["tables"]["accuracy"]["columns"] == ["probe", "split", "yes/no", "number", "other", "overall"]


def test_every_average_says_over_how_many_rows_and_has_an_interval(command, data):
    report = command("probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--json").json
    for measure in report["measures"]:
        if measure["name"] in ("accuracy", "drop") and measure["value"] is not None:
            assert measure["n"] in (1, 2, 3, 4)
            low, high = measure["interval"]
            assert low <= measure["value"] <= high, measure
    assert report["subject"]["intervals"]["method"] == "percentile bootstrap by image"
    learned = {m["options"]["probe"] for m in report["measures"] if m.get("reproducible") == "same platform"}
    assert learned == {"linear"}


def test_fallbacks_are_counted(command, data):
    report = command("probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--json").json
    found = {tuple(line[:3]): line[3] for line in table(report, "how answers were found")}
    assert found["local-prior", "original", "question_type"] == 3
    assert found["local-prior", "original", "commonest answer of all"] == 1  # "What color?"
    assert found["global-prior", "new", "commonest answer of all"] == 3
    assert any("local-prior: 1 test row of the new split got the commonest" in f["message"] for f in report["findings"])


def test_no_probe_sees_an_answer_of_test(tmp_path):
    other = [(*row[:3], "zebra" if row[5] == "test" else row[3], *row[4:]) for row in ROWS]
    before, after = (
        api.probe(written(tmp_path / name, rows), part_column="new", random_splits=2, halvings=0)
        for name, rows in (("a.csv", ROWS), ("b.csv", other))
    )
    for made in (before, after):
        made.write(tmp_path / ("a" if made is before else "b"))
    for file in sorted((tmp_path / "a").glob("new.*.csv")):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name
    assert len(list((tmp_path / "a").glob("new.*.csv"))) == 5


def test_nothing_depends_on_the_order_of_the_rows(tmp_path):
    reports = []
    for name, rows in (("a.csv", ROWS), ("b.csv", ROWS[::-1])):
        made = api.probe(written(tmp_path / name, rows), part_column="new", original_column="old", halvings=2)
        reports.append(made.report.to_json())
        made.write(tmp_path / name.removesuffix(".csv"))
    assert reports[0] == reports[1]
    for file in sorted((tmp_path / "a").glob("*.csv")):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


# --- every way to say a split


def test_a_split_is_told_by_a_folder_lists_or_a_recipe_alike(command, tmp_path):
    rows = [
        (str(k), f"i{k % 7}", f"{('what', 'where')[k % 2]} {'abcdef'[k % 6]}?", "xyz"[k % 3], "", "") for k in range(60)
    ]
    data = written(tmp_path / "data.csv", rows)
    assert command("run", "agrawal2017_cvqa", data, "--out", "folder").code == 0
    parts = {"train": [], "test": []}
    for line in records("folder/assignment.csv"):
        parts[line["part"]].append(line["id"])
    Path("lists.json").write_text(json.dumps(parts), encoding="utf-8")
    for part, ids in parts.items():
        Path(f"{part}.txt").write_text("\n".join(ids), encoding="utf-8")
    ways = (
        ("--split", "folder"),
        ("--split", "lists.json"),
        ("--split", "train=train.txt", "--split", "test=test.txt"),
        ("--recipe", "agrawal2017_cvqa"),
    )
    told = []
    for k, way in enumerate(ways):
        ran = command("probe", data, *way, "--random-splits", "1", "--halvings", "0", "--out", f"out{k}", "--json")
        assert ran.code == 0, ran
        told.append(ran.json["measures"])
    assert told[0] == told[1] == told[2] == told[3]
    used = [each["used_as"] for each in json.loads(Path("out2/manifest.json").read_text())["inputs"]]
    assert used == ["data", "split", "split"]


def test_without_an_original_split_random_ones_of_the_same_sizes_stand_for_it(command, data):
    report = command("probe", data, "--part-column", "new", "--random-splits", "3", "--halvings", "0", "--json").json
    assert set(figures(report, "linear", "accuracy")) == {"random, mean of 3", "new"}
    read = api.read(data)
    order = order_of(read)
    places = {name: place for place, name in enumerate(read.ids.tolist())}
    part = {places[row[0]]: row[5] for row in ROWS}
    like = Division(
        "new", np.array([row for row in order.tolist() if part[row] == "train"]),
        np.array([row for row in range(8) if part[row] == "test"]),
    )  # fmt: skip
    shares = []
    for number in (1, 2, 3):
        made = random_division(read, like, number, order, by_image=True)
        counts = Counter(read.answers[row] for row in made.train.tolist())
        best = min(counts, key=lambda answer: (-counts[answer], answer))
        shares.append(Fraction(sum(read.answers[row] == best for row in made.test.tolist()), len(made.test)))
    mean = float(100 * sum(shares) / 3)
    assert figures(report, "global-prior", "accuracy")["random, mean of 3"] == pytest.approx(mean)
    assert set(report["subject"]["splits"]) == {"random 1", "random 2", "random 3", "new"}
    refused = command("probe", data, "--part-column", "new", "--random-splits", "0")
    assert refused.code == 2
    assert "nothing to hold the split against" in refused.message


def test_parts_are_told_by_their_names_and_otherwise_have_to_be_named():
    assert chosen(["train", "test", "val"], None, None) == ("train", "test")
    assert chosen(["train2014", "val2014"], None, None) == ("train2014", "val2014")
    assert chosen(["a", "b"], None, None) == ("a", "b")
    assert chosen(["train", "x", "y"], None, "y") == ("train", "y")
    assert chosen(["a", "b"], None, "a") == ("b", "a")
    with pytest.raises(UsageError, match="name the one to learn from with --reference"):
        chosen(["train", "x", "y"], None, None)
    with pytest.raises(UsageError, match="name the one to learn from with --reference"):
        chosen(["train", "x"], "train", "train")
    with pytest.raises(UnknownNameError, match='no part "tset"'):
        chosen(["train", "test"], None, "tset")


def random_table(tmp_path: Path) -> Any:
    rows = [(f"r{k}", f"i{k // 5}" if k % 11 else "", "what?", "x", "", "") for k in range(203)]
    return answerable(api.read(written(tmp_path / "many.csv", rows)))


def test_random_splits_have_the_sizes_asked_and_tear_no_image(tmp_path):
    found = random_table(tmp_path)
    order = order_of(found)
    like = random_division(found, _whole(found, order), 1, order, by_image=False)
    assert (len(like.train), len(like.test)) == (136, 67)
    for number in (1, 2, 3):
        rows = random_division(found, like, number, order, by_image=False)
        assert (len(rows.train), len(rows.test)) == (136, 67)
        made = random_division(found, like, number, order, by_image=True)
        assert len(made.train) + len(made.test) == 203
        assert 67 <= len(made.test) < 67 + 5
        images = [{found.images[row] for row in part.tolist()} - {None} for part in (made.train, made.test)]
        assert not images[0] & images[1]
        assert made.train.tolist() == [row for row in order.tolist() if row in set(made.train.tolist())]
    assert random_division(found, like, 1, order, by_image=True).test.tolist() != made.test.tolist()


def _whole(found: Any, order: np.ndarray) -> Any:
    return Division("new", order[67:], np.sort(order[:67]))


# --- what is written


def test_predictions_that_are_written_score_what_the_report_says(command, data):
    ran = command("probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--out", "out", "--json")
    names = sorted(path.name for path in Path("out").iterdir())
    probes = ("global-prior", "inverted-prior", "linear", "local-prior", "nearest-question")
    assert names == sorted(
        [
            "report.json", "report.md", "manifest.json", "difficulty.new.csv", "difficulty.original.csv",
            *(f"{split}.{probe}.csv" for split in ("new", "original") for probe in probes),
        ]
    )  # fmt: skip
    for split in ("original", "new"):
        for probe in probes:
            scored = command("evaluate", data, f"out/{split}.{probe}.csv", "--missing", "leave-out", "--json").json
            accuracy = next(m for m in scored["measures"] if m["name"] == "accuracy")
            assert accuracy["value"] == figures(ran.json, probe, "accuracy")[split]
    assert Path("out/report.json").read_text(encoding="utf-8") == ran.out
    assert [line["id"] for line in records("out/original.linear.csv")] == ["5", "6", "7", "8"]
    lines = records("out/difficulty.new.csv")
    assert [line["id"] for line in lines] == ["3", "7", "8"]
    # "big", "wet" are alone once reduced; no train row has "what color".
    assert [(line["unseen_pairs"], line["difficulty"], line["hardest_pair"]) for line in lines] == [
        ("0", "0", ""), ("1", "1", "what color"), ("0", "0", ""),
    ]  # fmt: skip
    again = command("probe", data, "--part-column", "new", *QUICK, "--out", "out")
    assert again.code == 2
    assert "--force" in again.message
    assert command(
        "probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--out", "out", "--force"
    ).code == 0  # fmt: skip


def test_a_person_is_shown_the_table_of_the_paper(command, data):
    ran = command("probe", data, "--part-column", "new", "--original-column", "old")
    assert ran.code == 0
    assert ran.out.startswith("Blind probes on 8 rows about 4 images: linear ")
    for title in ("accuracy", "random splits of the same sizes", "learning curves", "difficulty and success"):
        assert f"\n{title}" in ran.out
    assert re.search(r"local-prior +drop +50\.00 \(", ran.out)


def test_learning_curves_end_at_what_all_of_train_gives(command, data):
    report = command("probe", data, "--part-column", "new", "--original-column", "old", "--random-splits", "0",
                     "--halvings", "2", "--json").json  # fmt: skip
    curves = {tuple(line[:2]): line[2:] for line in table(report, "learning curves")}
    assert curves["train rows", "original"] == ["1", "2", "4"]
    assert curves["train rows", "new"] == ["1", "2", "5"]
    assert curves["local-prior", "original"][-1] == "50.00"
    points = [line for line in table(report, "points of the curves") if line[:2] == ["local-prior", "original"]]
    assert [line[2] for line in points] == [1, 2, 4]
    assert points[-1][3] == 50
    # From one row alone every probe answers what that row is answered.
    found = api.read(data)
    first = next(found.answers[row] for row in order_of(found).tolist() if ROWS[row][4] == "train")
    right = sum(row[3] == first for row in ROWS if row[4] == "test")
    assert curves["local-prior", "original"][0] == f"{100 * right / 4:.2f}" != "50.00"


def test_question_types_are_told_by_their_drop_where_they_have_the_rows(command, data):
    ways = ("probe", data, "--part-column", "new", "--original-column", "old", *QUICK, "--json", "--least-rows")
    lines = table(command(*ways, "1").json, "drop by question type")
    own = [line[1:7] for line in lines if line[0] == "local-prior"]
    # "how many" is not asked in the new test, "is it" is asked twice in both.
    assert own == [["is it", 2, 2, 50.0, 0.0, 50.0], ["what color", 1, 1, 0.0, 0.0, 0.0]]
    written(data, [*ROWS, ("9", "i5", "What color now?", "red", "train", "test")])  # asked twice in the new test alone
    assert {line[1] for line in table(command(*ways, "2").json, "drop by question type")} == {"is it"}
    assert table(command(*ways, "3").json, "drop by question type") == []


# --- other data


def test_vqa_is_scored_by_what_people_answered(tmp_path):
    questions, annotations = [], []
    for k in range(12):
        questions.append({"question_id": k, "image_id": k, "question": f"is it {'abcd'[k % 4]}?"})
        people = ["yes"] * 8 + ["no"] * 2 if k < 8 else ["no"] * 8 + ["yes"] * 2
        annotations.append(
            {
                "question_id": k, "image_id": k, "multiple_choice_answer": people[0], "answer_type": "yes/no",
                "question_type": "is it", "answers": [{"answer": a, "answer_id": i + 1} for i, a in enumerate(people)],
            }
        )  # fmt: skip
    for name, records in (("questions", questions), ("annotations", annotations)):
        (tmp_path / f"{name}.json").write_text(json.dumps({name: records}), encoding="utf-8")
    parts = {"train": [str(k) for k in range(6)], "test": [str(k) for k in range(6, 12)]}
    (tmp_path / "lists.json").write_text(json.dumps(parts), encoding="utf-8")
    made = api.probe(
        tmp_path / "questions.json", tmp_path / "annotations.json", split=tmp_path / "lists.json",
        probes=["global-prior"], random_splits=1, halvings=0,
    )  # fmt: skip
    assert made.report.subject["rule"] == "vqa-2021"
    # "yes" is right for 2 of 6 rows, and of the other 4 two people in ten say so: 8 of 10 leave-one-out groups keep
    # both of them (2/3), 2 keep one (1/3), which is 0.6.
    assert figures(made.report, "global-prior", "accuracy")["new"] == pytest.approx(100 * (2 + 4 * 0.6) / 6)


def test_gqa_is_probed_by_its_groups_and_told_by_its_programs(shared):
    made = api.probe(
        shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json", recipe="random", settings=["group.by=image"],
        halvings=0, random_splits=1,
    )  # fmt: skip
    facts = made.report.subject["probes"]
    assert (facts["global-prior"]["by"], facts["local-prior"]["by"]) == ("group_global", "group_local")
    assert facts["inverted-prior"]["by"] == "structural"
    assert made.report.subject["pairs"] == "program pairs"
    found = {tuple(line[:3]): line[3] for line in table(made.report, "how answers were found")}
    assert found["local-prior", "new", "structural"] > 0


def test_published_figures_stand_beside_where_the_data_are_known_by_their_counts(tmp_path, data):
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        'extends = "agrawal2017_cvqa_vqa1"\n[read]\nformat = "table"\n'
        "[published]\nknown_by = { questions = 8, answers = 8, images = 4 }\n",
        encoding="utf-8",
    )
    how = {"part_column": "new", "original_column": "old", "random_splits": 0, "halvings": 0}
    report = api.probe(data, recipe=str(recipe), **how).report
    (columns,) = (t.columns for name, t in report.tables.items() if name == "published accuracy, table 2")
    assert columns == ("model", "split", "yes/no", "number", "other", "overall")
    lines = report.tables["published accuracy, table 2"].rows
    # Table 2 of the paper: MCB falls from 60.97 to 54.15, and NMN least.
    assert ("MCB", "C-VQA test", 71.33, 24.90, 47.84, 54.15) in lines
    assert len(lines) == 10
    assert ("NMN", "what room is", 33.28) in report.tables["published drop, section 4"].rows
    known = report.tables
    other = api.probe(written(tmp_path / "fewer.csv", ROWS[1:]), recipe=str(recipe), **how).report
    assert set(known) - set(other.tables) == {"published accuracy, table 2", "published drop, section 4"}


def test_rows_without_question_or_answer_are_left_out_and_counted(tmp_path):
    rows = [*ROWS, ("9", "i5", "Is it there?", "", "train", "test"), ("10", "i5", "", "yes", "test", "train")]
    report = api.probe(written(tmp_path / "data.csv", rows), part_column="new", original_column="old", halvings=0,
                       random_splits=0).report  # fmt: skip
    assert report.subject["rows"] == 8
    assert report.subject["left out"] == 2
    assert figures(report, "local-prior", "accuracy") == {"original": 50, "new": 0}
    assert {"1 row without an answer left out.", "1 row without a question left out."} <= {
        finding.message for finding in report.findings
    }


def test_rows_in_neither_part_are_told(tmp_path):
    rows = [*ROWS, ("9", "i5", "Is it there?", "no", "train", "val")]
    report = api.probe(written(tmp_path / "data.csv", rows), part_column="new", random_splits=1, halvings=0).report
    assert report.subject["splits"]["new"] == {"train": 5, "test": 3, "parts": ["train", "test"], "in neither": 1}
    assert "1 row is in neither train nor test of the new split." in {finding.message for finding in report.findings}


# --- what is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Say the split to probe in one way"),
        (("--part-column", "new", "--split", "x.json"), "Say the split to probe in one way"),
        (("--part-column", "new", "--original", "x.json", "--original-column", "old"), "in one way"),
        (("--part-column", "new", "--by", "image"), "belongs to lists"),
        (("--part-column", "new", "--original-by", "image"), "give --original"),
        (("--part-column", "new", "--original-part", "test"), "give --original"),
        (("--part-column", "nwe"), 'Did you mean "new"?'),
        (("--part-column", "new", "--part", "tset"), 'Did you mean "test"?'),
        (("--part-column", "new", "--probe", "local-proir"), 'Did you mean "local-prior"?'),
        (("--part-column", "new", "--probe", "local-prior,colunm=x"), 'Did you mean "column"?'),
        (("--part-column", "new", "--probe", "local-prior,column=x"), 'no column of questions "x"'),
        (("--part-column", "new", "--probe", "local-prior,column"), "is not KEY=VALUE"),
        (("--part-column", "new", "--probe", "linear", "--probe", "linear"), "asked for twice"),
        (("--part-column", "new", "--probe", "local-prior,column=answer"), 'no column of questions "answer"'),
        (("--part-column", "new", "--split", "a=b", "--split", "c"), "each say PART=FILE"),
        (("--part-column", "new", "--set", "seed=1"), "Settings belong to a recipe"),
        (("--split", "absent.json"), "there is no such file"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused_in_a_sentence(command, data, options, said):
    ran = command("probe", data, *options)
    assert ran.code == 2
    assert said in ran.message


def test_data_without_answers_or_questions_and_scenes_are_refused(tmp_path, shared):
    rows = [(*row[:3], "", *row[4:]) for row in ROWS]
    with pytest.raises(UsageError, match="No row has an answer, and probes learn answers from questions"):
        api.probe(written(tmp_path / "data.csv", rows), part_column="new")
    rows = [(*row[:2], "" if k else "What?", row[3] if k else "", *row[4:]) for k, row in enumerate(ROWS)]
    with pytest.raises(UsageError, match="No row has both"):
        api.probe(written(tmp_path / "data.csv", rows), part_column="new")
    with pytest.raises(UsageError, match="hold scenes"):
        api.probe(shared / "data" / "gqa" / "graphvqa" / "debug_sceneGraphs.json", part_column="new")
    rows = [(*row[:3], row[3] if row[5] == "train" else "", *row[4:]) for row in ROWS]
    with pytest.raises(UsageError, match="has no row with question and answer in test"):
        api.probe(written(tmp_path / "data.csv", rows), part_column="new")
    with pytest.raises(ImpossibleError):
        api.probe(written(tmp_path / "data.csv", ROWS[:1]), recipe="random")
    for name in ("random_splits", "halvings", "least_rows"):
        with pytest.raises(UsageError, match=rf"--{name.replace('_', '-')} takes a whole number"):
            api.probe(written(tmp_path / "data.csv", ROWS), part_column="new", **{name: -1})


# --- docs/probes.md

PAGE = Path(__file__).parents[1] / "docs" / "probes.md"
SHOWN = ("accuracy", "random splits of the same sizes", "question types that drop most", "learning curves",
         "difficulty and success", "accuracy by unseen pairs", "unseen pairs")  # fmt: skip


def daquar(shared: Path) -> Report:
    folder = shared / "data" / "daquar"
    lists = {part: folder / f"{part}_images_list.txt" for part in ("train", "test")}
    # Two of the listed images have no question.
    return api.probe(
        folder / "all_qa_pairs.txt", recipe="agrawal2017_cvqa", original=lists, original_by="image", allow_unjoined=True
    ).report


def easy_vqa(shared: Path) -> Report:
    files = (f"{part}={shared / 'data' / 'easy_vqa' / part / 'questions.json'}" for part in ("train", "test"))
    return api.probe(*files, recipe="agrawal2017_cvqa", original_column="source").report


@pytest.fixture(scope="module", params=["daquar", "easy-vqa"])
def probed(request, shared) -> tuple[str, Report]:
    return request.param, {"daquar": daquar, "easy-vqa": easy_vqa}[request.param](shared)


def as_markdown(report: Report) -> str:
    blocks = [f"> {report.verdict}"]
    for name in SHOWN:
        found = report.tables[name]
        lines = [f"**{name}**", ""]
        lines += ["| " + " | ".join(found.columns) + " |", "|" + " --- |" * len(found.columns)]
        lines += ["| " + " | ".join(map(cell, line)) + " |" for line in found.rows]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


@pytest.mark.large
def test_the_page_says_what_the_command_says(probed):
    name, report = probed
    text = PAGE.read_text(encoding="utf-8")
    inside = re.compile(rf"(<!-- tables: {name} -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        text = inside.sub(lambda found: found[1] + as_markdown(report) + found[2], text)
        PAGE.write_text(text, encoding="utf-8")
    found = inside.search(text)
    assert found is not None
    assert found[0].removeprefix(found[1]).removesuffix(found[2]) == as_markdown(report)


@pytest.mark.large
def test_a_random_split_of_the_same_sizes_drops_by_nothing_that_chance_would_not(probed):
    _, report = probed
    lines = report.tables["random splits of the same sizes"].rows
    assert len(lines) == 5
    assert all(line[-2] is True for line in lines)
    assert not [finding for finding in report.findings if finding.kind == "random-splits-differ"]


@pytest.mark.large
def test_the_new_split_takes_from_the_probes_what_they_had_by_heart(probed):
    _, report = probed
    drops = {
        m.options["probe"]: m
        for m in report.measures
        if m.name == "drop" and m.options["answer type"] == "overall" and m.options["split"] == "original to new"
    }
    for name in ("linear", "nearest-question"):
        assert not isinstance(drops[name].value, Undefined)
        assert drops[name].note["interval"][0] > 5


def test_data_about_one_image_cannot_be_split_at_random_and_the_way_on_is_named(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    rows = [f"{k},one,what {word}?,{answer},{part}" for k, (word, answer, part) in enumerate(
        [("dog", "yes", "train"), ("cat", "no", "train"), ("bus", "yes", "test")]
    )]  # fmt: skip
    path.write_text("\n".join(["id,image,question,answer,part", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="about 1 image leaves a part without a row"):
        api.probe(path, part_column="part")

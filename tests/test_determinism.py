"""Same content, same recipe, same bytes: whatever the hash seed, threads, row order and file partition."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def run(folder: Path, out: str, *arguments: str, hash_seed: str = "0") -> None:
    """Run a recipe in another process."""
    command = [sys.executable, "-m", "compsplit", "run", *arguments, "--out", out, "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == (folder / out / "report.json").read_bytes()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def without_inputs(content: dict[str, bytes]) -> dict[str, Any]:
    """The files of a run, its manifest without what it was made from."""
    manifest = json.loads(content["manifest.json"])
    del manifest["inputs"]
    return {**content, "manifest.json": manifest}


def vqa_files(shared: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    data = shared / "data/vqa/ambiguous_vqa_test"
    questions, annotations = (json.loads((data / f"{kind}.json").read_bytes()) for kind in ("questions", "annotations"))
    return questions, annotations


def write_vqa(folder: Path, questions: dict[str, Any], annotations: dict[str, Any], cut: int, seed: int) -> list[str]:
    """Write questions and annotations shuffled, each cut into some files."""
    names = []
    for kind, value in (("questions", questions), ("annotations", annotations)):
        header = {name: member for name, member in value.items() if name != kind}
        records = list(value[kind])
        random.Random(seed).shuffle(records)
        for k in range(cut):
            name = f"{kind}{k}.json"
            (folder / name).write_text(json.dumps({**header, kind: records[k::cut]}, ensure_ascii=False), "utf-8")
            names.append(name)
    return names


def write_csv(folder: Path, rows: list[list[str]], cut: int, seed: int) -> list[str]:
    head, *body = rows
    random.Random(seed).shuffle(body)
    names = []
    for k in range(cut):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([head, *body[k::cut]])
        names.append(f"rows{k}.csv")
        (folder / names[-1]).write_text(text.getvalue(), "utf-8")
    return names


@pytest.fixture
def table(shared: Path) -> list[list[str]]:
    """Rows of real questions and answers, some with commas, quotes and line ends in them."""
    questions, annotations = vqa_files(shared)
    told = {record["question_id"]: record for record in annotations["annotations"]}
    rows = [["id", "image", "question", "answer", "split_of"]]
    for number, record in enumerate(questions["questions"]):
        answers = told[record["question_id"]]
        answer = answers.get("multiple_choice_answer") or answers["answers"][0]["answer"]
        odd = ("", ', "so" it\nis', ",")[number % 3]
        rows.append([str(record["question_id"]), str(record["image_id"]), record["question"] + odd, answer, "train"])
    return rows


@pytest.mark.large
@pytest.mark.parametrize("recipe", ["agrawal2017_cvqa", "cover"])
def test_hash_seeds_threads_and_a_second_run_change_no_byte(shared, tmp_path, recipe):
    files = [str(shared / f"data/vqa/ambiguous_vqa_test/{kind}.json") for kind in ("questions", "annotations")]
    run(tmp_path, "first", recipe, *files, hash_seed="0")
    first = contents(tmp_path / "first")
    for out, hash_seed, more in (
        ("second", "0", ()), ("other", "1", ()), ("another", "4242", ()),
        ("one", "7", ("--threads", "1")), ("two", "7", ("--threads", "2")),
    ):  # fmt: skip
        run(tmp_path, out, recipe, *files, *more, hash_seed=hash_seed)
        assert contents(tmp_path / out) == first, out


@pytest.mark.large
@pytest.mark.parametrize("recipe", ["agrawal2017_cvqa", "cover", "random"])
def test_vqa_row_order_and_partition_change_no_byte(shared, tmp_path, command, recipe):
    results = []
    for place, cut, seed in (("a", 1, 0), ("b", 1, 1), ("c", 3, 2)):
        (tmp_path / place).mkdir()
        names = write_vqa(tmp_path / place, *vqa_files(shared), cut, seed)
        # A file of questions and one of annotations may stand in any order.
        random.Random(seed).shuffle(names)
        ran = command("run", recipe, *(f"{place}/{name}" for name in names), "--out", f"{place}/d")
        assert ran.code == 0, ran.err
        results.append(without_inputs(contents(tmp_path / place / "d")))
    assert results[1] == results[0]
    assert results[2] == results[0]


@pytest.mark.parametrize("writer", ["same", "csv", "parquet"])
def test_table_row_order_and_partition_change_no_byte(table, tmp_path, command, writer):
    results = []
    for place, cut, seed in (("a", 1, 0), ("b", 1, 1), ("c", 3, 2)):
        (tmp_path / place).mkdir()
        names = [f"{place}/{name}" for name in write_csv(tmp_path / place, table, cut, seed)]
        ran = command("run", "agrawal2017_cvqa", *names, "--out", f"{place}/d", "--set", f"write.as={writer}")
        assert ran.code == 0, ran.err
        results.append(without_inputs(contents(tmp_path / place / "d")))
    assert results[1] == results[0]
    assert results[2] == results[0]


@pytest.mark.large
@pytest.mark.parametrize("layout", ["jsonl", "parquet"])
def test_other_tables_keep_the_assignment_whatever_the_row_order(table, tmp_path, command, layout):
    import pandas

    results = []
    for place, cut, seed in (("a", 1, 0), ("b", 3, 1)):
        (tmp_path / place).mkdir()
        names = []
        for name in write_csv(tmp_path / place, table, cut, seed):
            frame = pandas.read_csv(tmp_path / place / name, dtype=str, keep_default_na=False)
            path = (tmp_path / place / name).with_suffix(f".{layout}")
            frame.to_json(path, orient="records", lines=True) if layout == "jsonl" else frame.to_parquet(path)
            names.append(str(path.relative_to(tmp_path)))
        assert command("run", "cover", *names, "--out", f"{place}/d").code == 0
        results.append(without_inputs(contents(tmp_path / place / "d")))
    assert results[1] == results[0]


@pytest.mark.large
def test_formats_without_ids_repeat_the_same_bytes(shared, tmp_path):
    file = str(shared / "data/daquar/all_qa_pairs.txt")
    run(tmp_path, "one", "agrawal2017_cvqa", file, hash_seed="1")
    run(tmp_path, "two", "agrawal2017_cvqa", file, hash_seed="2")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.large
def test_another_seed_gives_another_split(shared, tmp_path, command):
    file = str(shared / "data/daquar/all_qa_pairs.txt")
    for out, seed in (("one", 0), ("two", 1)):
        assert command("run", "agrawal2017_cvqa", file, "--out", out, "--seed", seed).code == 0
    assert Path("one/assignment.csv").read_bytes() != Path("two/assignment.csv").read_bytes()


def test_audits_of_shuffled_parts_are_the_same_bytes(table, command):
    reports = []
    for seed in (1, 2):
        head, *body = table
        for part, rows in (("train", body[:600]), ("test", body[600:])):
            random.Random(seed).shuffle(rows)
            with Path(f"{part}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([head, *rows])
        reports.append(command("audit", "train=train.csv", "test=test.csv", "--json").out)
    assert reports[0] == reports[1]


def test_a_description_of_shuffled_files_is_the_same_bytes(table, tmp_path, command):
    reports = []
    for seed in (1, 2):
        names = write_csv(tmp_path, table, 2, seed)
        reports.append(command("describe", *names, "--json").out)
    assert reports[0] == reports[1]

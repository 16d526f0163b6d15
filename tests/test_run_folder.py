"""The folder that a run leaves: what the real data sets give, what stands in each file, and when it appears."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest


def data_files(shared: Path, name: str) -> list[object]:
    """The files of a real data set, and the options that it needs."""
    data = shared / "data"
    return {
        "daquar": [data / "daquar/all_qa_pairs.txt", "--format", "daquar"],
        "easy-vqa": [data / "easy_vqa/train/questions.json", data / "easy_vqa/test/questions.json"],
        "vqa-med": [data / "vqa_med_2019/trainset.json", data / "vqa_med_2019/testset.json", "--id-scope", "file"],
        "smallval": [data / f"vqa/smallval/smallval_{kind}.json" for kind in ("questions", "annotations")],
        "ambiguous": [data / f"vqa/ambiguous_vqa_test/{kind}.json" for kind in ("questions", "annotations")],
    }[name]


def measured(report: Any, name: str, of: str) -> Any:
    return next(m["value"] for m in report["measures"] if (m["name"], m["of"]) == (name, of))


@pytest.mark.large
@pytest.mark.parametrize(
    ("name", "n_rows", "target"),
    [
        ("daquar", 12_468, 4_156),
        ("easy-vqa", 48_248, 16_082),
        ("vqa-med", 14_792, 4_930),
        ("smallval", 589, 196),
        ("ambiguous", 1_266, 422),
    ],
)
def test_cvqa_loses_no_row_and_shares_no_pair(shared, command, name, n_rows, target):
    ran = command("run", "agrawal2017_cvqa", *data_files(shared, name), "--out", "d1", "--json")
    assert ran.code == 0, ran.err
    report = ran.json
    sizes = report["subject"]["parts"]
    assert sum(size["got"] for size in sizes.values()) == report["subject"]["rows"] == n_rows
    assert sizes["test"]["asked"] == target
    smallest_left = report["subject"]["largest group"] if name == "easy-vqa" else 1
    assert target - smallest_left < sizes["test"]["got"] <= target
    assert measured(report, "qa-overlap", "qa (reduced)") == 0
    assert measured(report, "group-overlap", "group") == 0
    assert 0 < measured(report, "coverage", "concepts") <= 1
    assert measured(report, "weighted-coverage", "concepts") >= measured(report, "coverage", "concepts")
    with Path("d1/assignment.csv").open(encoding="utf-8", newline="") as file:
        assert len({row["id"] for row in csv.DictReader(file)}) == n_rows
    manifest = json.loads(Path("d1/manifest.json").read_text(encoding="utf-8"))
    assert manifest["asked"]["test"] == target
    assert manifest["sizes"] == {part: size["got"] for part, size in sizes.items()}


def test_cvqa_on_daquar_has_the_size_of_the_papers_figures(shared, command):
    report = command("run", "agrawal2017_cvqa", *data_files(shared, "daquar"), "--plan", "--json").json
    assert report["subject"]["parts"]["test"]["got"] == 4_156
    assert 0.55 < measured(report, "coverage", "concepts") < 0.75
    assert 0.95 < measured(report, "weighted-coverage", "concepts") < 1


@pytest.mark.large
def test_easy_vqa_comes_within_the_smallest_group_that_train_kept(shared, command):
    report = command("run", "agrawal2017_cvqa", *data_files(shared, "easy-vqa"), "--out", "d", "--json").json
    with Path("d/assignment.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    size: dict[str, int] = {}
    for row in rows:
        if row["part"] == "train":
            size[row["group"]] = size.get(row["group"], 0) + 1
    test = report["subject"]["parts"]["test"]
    assert test["asked"] - test["got"] < min(size.values())


@pytest.mark.large
def test_ids_that_collide_across_files_stop_and_name_the_option(shared, command):
    files = data_files(shared, "vqa-med")[:2]
    ran = command("run", "agrawal2017_cvqa", *files)
    assert ran.code == 2
    assert "--id-scope file" in ran.message
    assert list(Path().iterdir()) == []


@pytest.mark.large
@pytest.mark.parametrize("name", ["daquar", "easy-vqa", "vqa-med", "smallval", "ambiguous"])
def test_cover_shows_every_test_concept_in_train(shared, command, name):
    ran = command("run", "cover", *data_files(shared, name), "--plan", "--json")
    assert ran.code == 0
    report = ran.json
    assert measured(report, "coverage", "concepts") == 1
    assert measured(report, "qa-overlap", "qa (reduced)") == 0
    size = report["subject"]["parts"]["test"]
    if name in ("daquar", "vqa-med"):
        assert size["got"] == size["asked"]
    elif name == "easy-vqa":
        assert size["asked"] * 0.998 <= size["got"] <= size["asked"]
    else:
        splitter = report["subject"]["splitter"]
        assert size["got"] <= splitter["ceiling"] < report["subject"]["rows"]
        stuck = next(f for f in report["findings"] if f["kind"] == "rows-that-cannot-move")
        assert stuck["count"] == splitter["rows_that_cannot_move"]
        assert f"at most {splitter['ceiling']:,} rows" in stuck["message"]
    for of in ("question types", "answer types"):
        assert any((m["name"], m["of"], m["reference"]) == ("total-variation", of, "whole") for m in report["measures"])


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A small table of questions."""
    path = tmp_path / "questions.csv"
    colours = ("red", "blue", "green", "black")
    lines = [
        f"{n},{n % 4},What color is the {thing}?,{colours[(n * 7 + n // 6) % 4]}"
        for n, thing in enumerate(("cone", "dog", "hat", "cup", "car", "bus") * 4)
    ]
    path.write_text("id,image,question,answer\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def ran(questions, command):
    """A run of the C-VQA recipe in d."""
    done = command("run", "agrawal2017_cvqa", questions.name, "--out", "d", "--json")
    assert done.code == 0
    return done


def test_a_folder_holds_what_the_contract_lists(ran):
    names = sorted(path.name for path in Path("d").iterdir())
    assert names == [
        "assignment.csv", "left_out.csv", "manifest.json", "report.json", "report.md", "test.csv", "train.csv",
    ]  # fmt: skip


def test_json_on_stdout_is_the_report_byte_for_byte(ran):
    assert ran.out.encode() == Path("d/report.json").read_bytes()


def test_a_report_has_exactly_the_fields_of_its_format(ran):
    report = ran.json
    assert set(report) == {"format", "format_version", "subject", "measures", "tables", "findings"}
    assert (report["format"], report["format_version"]) == ("compsplit-report", 1)
    for measure in report["measures"]:
        assert set(measure) == {
            "name", "of", "options", "reference", "part", "run", "value", "fraction", "n", "n_unit", "unit", "reason",
        }  # fmt: skip
        assert (measure["value"] is None) == (measure["reason"] is not None)
        if measure["fraction"] is not None:
            top, bottom = map(int, measure["fraction"].split("/"))
            assert measure["value"] == pytest.approx(top / bottom, rel=1e-11)
    for table in report["tables"].values():
        assert {"columns", "rows"} <= set(table) <= {"columns", "rows", "total", "culprits"}
        assert table.get("total", len(table["rows"]) + 1) > len(table["rows"])
        assert table.get("culprits", True) is True
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    for finding in report["findings"]:
        assert set(finding) == {"kind", "level", "count", "first", "message"}
        assert finding["level"] in ("report", "fail")


def test_written_json_is_strict_and_sorted(ran):
    for name in ("report.json", "manifest.json"):
        text = Path("d", name).read_text(encoding="utf-8")
        value = json.loads(text, parse_constant=pytest.fail)
        assert text == json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def test_a_report_names_no_file_checksum_version_of_compsplit_host_or_time(ran, questions):
    from compsplit import __version__

    text = ran.out
    assert questions.name not in text
    assert str(questions.parent) not in text
    assert not re.search(r"[0-9a-f]{32}", text)
    assert f'"{__version__}"' not in text.replace(json.dumps(ran.json["subject"]["reducer"]["version"]), "")
    assert time.strftime("%Y-") not in text


def test_the_manifest_holds_no_absolute_path_and_no_time(questions, command):
    assert command("run", "random", questions.resolve(), "--out", Path("d").resolve()).code == 0
    text = Path("d/manifest.json").read_text(encoding="utf-8")
    assert str(questions.parent) not in text
    assert not re.search(r'": "/', text)
    assert time.strftime("%Y-") not in text
    assert json.loads(text)["inputs"][0]["given"] is None


def test_the_manifest_holds_checksums_and_counts_of_inputs_and_outputs(ran, questions):
    manifest = json.loads(Path("d/manifest.json").read_text(encoding="utf-8"))
    (entry,) = manifest["inputs"]
    assert entry["file"] == questions.name
    assert entry["sha256"] == hashlib.sha256(questions.read_bytes()).hexdigest()
    assert entry["records"] == 24
    assert {e["file"] for e in manifest["outputs"]} == {p.name for p in Path("d").iterdir()} - {"manifest.json"}
    for entry in manifest["outputs"]:
        assert entry["sha256"] == hashlib.sha256(Path("d", entry["file"]).read_bytes()).hexdigest()
    assert sum(e["records"] for e in manifest["outputs"] if e["part"]) == 24
    assert manifest["plugins"]["splitter"] == "greedy-coverage"
    assert manifest["seed"] == 0
    assert manifest["reducer"]["tables"]


def test_the_assignment_is_ordered_by_id_as_text(ran):
    lines = Path("d/assignment.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,image,origin,part,group"
    ids = [line.split(",")[0] for line in lines[1:]]
    assert ids == sorted(map(str, range(24)))
    assert all(re.fullmatch(r"[0-9a-f]{16}", line.rsplit(",", 1)[1]) for line in lines[1:])


def test_the_assignment_names_sources_where_ids_are_scoped_by_file(questions, command):
    other = questions.with_name("more.csv")
    other.write_bytes(questions.read_bytes())
    run = ("run", "random", questions.name, other.name, "--id-scope", "file", "--out", "d")
    assert command(*run).code == 0
    with Path("d/assignment.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["source", "id", "image", "origin", "part", "group"]
    assert {(row["source"], row["id"].partition(":")[0]) for row in rows} == {("more",) * 2, ("questions",) * 2}


def test_what_is_left_out_is_listed_with_the_reason(questions, command):
    with questions.open("a") as file:
        file.write("99,1,What is this?,\n")
    assert command("run", "agrawal2017_cvqa", questions.name, "--out", "d").code == 0
    assert Path("d/left_out.csv").read_text() == "id,reason\n99,no answer\n"


def test_an_older_folder_is_kept_without_force(ran, questions, command):
    before = {path.name: path.read_bytes() for path in Path("d").iterdir()}
    again = command("run", "random", questions.name, "--out", "d")
    assert again.code == 2
    assert "--force" in again.message
    assert {path.name: path.read_bytes() for path in Path("d").iterdir()} == before


def test_force_replaces_a_folder_as_a_whole(ran, questions, command):
    Path("d/notes.txt").write_text("of the old folder")
    assert command("run", "random", questions.name, "--out", "d", "--force").code == 0
    assert not Path("d/notes.txt").exists()
    assert json.loads(Path("d/manifest.json").read_text())["plugins"]["splitter"] == "random"
    assert sorted(path.name for path in Path().iterdir()) == ["d", questions.name]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_a_run_that_ends_half_way_leaves_the_old_folder_and_nothing_aside(ran, questions, command, monkeypatch, error):
    import compsplit.recipe.folder as folder

    before = {path.name: path.read_bytes() for path in Path("d").iterdir()}

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(folder, "manifest_of", broken)
    again = command("run", "random", questions.name, "--out", "d", "--force")
    assert again.code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert not again.out
    assert "Traceback" not in again.err
    assert {path.name: path.read_bytes() for path in Path("d").iterdir()} == before
    assert sorted(path.name for path in Path().iterdir()) == ["d", questions.name]


def test_a_full_disk_is_one_sentence(questions, command, monkeypatch):
    import compsplit.recipe.folder as folder

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "d/train.csv")

    monkeypatch.setattr(folder, "manifest_of", full)
    assert command("run", "random", questions.name, "--out", "d").message == "d/train.csv: no space left on device."


@pytest.mark.large
def test_a_terminated_run_leaves_nothing_aside(questions, tmp_path):
    program = (
        "import os, signal, sys\n"
        "import compsplit.recipe.folder as folder\n"
        "folder.manifest_of = lambda *_: os.kill(os.getpid(), signal.SIGTERM)\n"
        "from compsplit.cli import main\n"
        "main()\n"
    )
    run = [sys.executable, "-c", program, "run", "random", questions.name, "--out", "d"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 143, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [questions.name]


def test_a_plan_writes_nothing(questions, command):
    ran = command("run", "agrawal2017_cvqa", questions.name, "--plan")
    assert ran.code == 0
    assert "Nothing was written" in ran.out
    assert "(asked 8)" in ran.out.partition("\n\n")[0]
    assert [path.name for path in Path().iterdir()] == [questions.name]


def test_a_broken_check_is_first_and_has_the_users_ids(questions, command):
    check = 'check=[{require="question-overlap[question (exact)][train->test] == 0"}]'
    ran = command("run", "random", questions.name, "--out", "d", "--set", check, "--json")
    assert ran.code == 1
    first = ran.json["findings"][0]
    assert (first["kind"], first["level"]) == ("check", "fail")
    assert ran.json["subject"]["verdict"].startswith("BROKEN (1 check): question-overlap")
    assert command("verify", "d").code == 1


def test_the_folder_is_the_recipes_name_if_none_is_said(questions, command):
    assert command("run", "random", questions.name).code == 0
    assert Path("random/manifest.json").is_file()


@pytest.mark.parametrize("where", [".", "../p", "sub", "sub/../sub", "..", "mine", "link"])
def test_force_replaces_only_what_compsplit_wrote(questions, command, where, monkeypatch, tmp_path):
    inner = tmp_path / "p"
    inner.mkdir()
    questions.rename(inner / questions.name)
    (inner / "sub").mkdir()
    (inner / "sub" / "thesis.txt").write_text("years of work")
    monkeypatch.chdir(inner)
    assert command("run", "random", inner / questions.name, "--out", inner / "mine").code == 0
    # A split that holds an input; a link to a split.
    (inner / "mine" / "q.csv").write_bytes((inner / questions.name).read_bytes())
    (inner / "link").symlink_to("mine")
    file = inner / ("mine/q.csv" if where == "mine" else questions.name)
    monkeypatch.chdir(inner)
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    ran = command("run", "random", file, "--out", inner / where, "--force")
    assert ran.code == 2
    assert "not replaced" in ran.message
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_force_replaces_an_empty_folder(questions, command):
    Path("d").mkdir()
    assert "--force" in command("run", "random", questions.name, "--out", "d").message
    assert command("run", "random", questions.name, "--out", "d", "--force").code == 0


def test_what_is_left_out_stands_in_the_verdict_and_among_the_findings(questions, command):
    with questions.open("a") as file:
        file.write("98,1,What is this?,\n99,1,What is this?,\n")
    ran = command("run", "agrawal2017_cvqa", questions.name, "--out", "d")
    assert "; 2 records left out." in " ".join(ran.out.partition("\n\n")[0].split())
    report = json.loads(Path("d/report.json").read_text())
    told = next(each for each in report["findings"] if each["kind"] == "decision")
    assert told["message"] == "2 rows without an answer left out."
    assert (told["count"], told["first"]) == (2, ["98", "99"])


def test_one_row_left_out_is_one_row(questions, command):
    with questions.open("a") as file:
        file.write("99,1,What is this?,\n")
    report = command("run", "agrawal2017_cvqa", questions.name, "--plan", "--json").json
    assert [each["message"] for each in report["findings"] if each["kind"] == "decision"] == [
        "1 row without an answer left out."
    ]
    assert "; 1 record left out." in report["subject"]["verdict"]


def test_rows_without_a_question_stop_or_are_left_out(questions, command):
    with questions.open("a") as file:
        file.write("99,1,,red\n")
    stopped = command("run", "agrawal2017_cvqa", questions.name, "--out", "d")
    assert stopped.code == 2
    assert "1 row has no value in question" in stopped.message
    assert "--set group.missing=leave-out" in stopped.message
    ran = command("run", "agrawal2017_cvqa", questions.name, "--out", "d", "--set", "group.missing=leave-out")
    assert ran.code == 0, ran.err
    assert Path("d/left_out.csv").read_text() == "id,reason\n99,no question\n"
    assert command("verify", "d").code == 0


def test_rows_that_cannot_move_are_told_by_stratum(questions, command):
    with questions.open("a") as file:
        file.write("98,1,How many unicorns?,7\n99,1,How many unicorns?,8\n")
    assert command("run", "cover", questions.name, "--out", "d").code in (0, 3)
    report = json.loads(Path("d/report.json").read_text())
    stuck = report["tables"]["rows that cannot move"]
    assert stuck["columns"] == ["question_type | answer_type", "rows"]
    assert sum(n for _, n in stuck["rows"]) == report["subject"]["splitter"]["rows_that_cannot_move"] > 0
    assert report["tables"]["concepts in the way"]["columns"] == ["concept", "rows"]
    assert "rows that cannot move" in Path("d/report.md").read_text()
    assert command("verify", "d").code == 0


def test_a_recipe_cannot_name_a_file_elsewhere(questions, command):
    for path in ("/etc/passwd", "../words.txt", "a/../../b"):
        Path("r.toml").write_text(f"extends = 'agrawal2017_cvqa'\n[reduce]\nstop_words = '{path}'\n")
        ran = command("run", "r.toml", questions.name, "--out", "d")
        assert ran.code == 2
        assert ran.message.startswith("r.toml, line 3: stop_words")


def test_stop_words_stand_beside_the_recipe_and_the_manifest_knows_them_by_name(questions, command, tmp_path):
    (tmp_path / "r").mkdir()
    words = tmp_path / "r/words.txt"
    words.write_text("what is the color of\n")
    Path("r/mine.toml").write_text("extends = 'agrawal2017_cvqa'\n[reduce]\nstop_words = 'words.txt'\n")
    assert command("run", "r/mine.toml", questions.name, "--out", "d").code == 0
    text = Path("d/manifest.json").read_text()
    assert str(tmp_path) not in text
    assert "r/words" not in text
    assert json.loads(text)["files"]["reduce.stop_words"] == {
        "file": "words.txt", "sha256": hashlib.sha256(words.read_bytes()).hexdigest(),
    }  # fmt: skip
    lost = command("verify", "d")
    assert lost.code == 2
    assert "words.txt: the file of reduce.stop_words is neither" in lost.message
    assert command("verify", "d", "--input", words).code == 0
    setting = f"reduce.stop_words={words}"
    assert command("run", "agrawal2017_cvqa", questions.name, "--out", "e", "--set", setting).code == 0
    assert str(tmp_path) not in Path("e/manifest.json").read_text()


def test_the_empty_part_of_one_row_is_told_in_the_singular(command):
    Path("one.csv").write_text("id,image,question,answer\n1,1,What is this?,dog\n")
    told = command("run", "agrawal2017_cvqa", "one.csv", "--out", "d").message
    assert "none of 1 group of 1 row fits" in told


@pytest.mark.large
def test_a_terminated_run_says_so(questions, tmp_path):
    program = (
        "import os, signal, sys\n"
        "import compsplit.recipe.folder as folder\n"
        "folder.manifest_of = lambda *_: os.kill(os.getpid(), signal.SIGTERM)\n"
        "from compsplit.cli import main\n"
        "main()\n"
    )
    run = [sys.executable, "-c", program, "run", "random", questions.name, "--out", "d"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (143, b"Stopped; nothing was written.\n")

"""Verify proves a split, or names the promise that is broken."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Questions and annotations in the official layout, in the current folder."""
    colours = ("red", "blue", "green")
    things = ("cone", "dog", "hat", "cup", "car", "bus", "bird", "tree")
    questions, annotations = [], []
    for n in range(48):
        thing = things[n % 8]
        row = {"question_id": n, "image_id": n % 5}
        questions.append(row | {"question": f"What color is the {thing}?"})
        annotations.append(row | {"multiple_choice_answer": colours[(n // 8 + n) % 3], "answers": []})
    for name, records in (("questions", questions), ("annotations", annotations)):
        header = {"info": {"version": "1.0"}, "data_subtype": "train2014"}
        (tmp_path / f"{name}.json").write_text(json.dumps(header | {name: records}))
    return ["questions.json", "annotations.json"]


@pytest.fixture
def split(files, command) -> None:
    assert command("run", "agrawal2017_cvqa", *files, "--out", "d").code == 0


def test_a_fresh_split_is_verified(split, command):
    ran = command("verify", "d")
    assert ran.code == 0
    assert ran.out.startswith("Verified: ")
    assert "BROKEN" not in ran.out


def test_json_lists_every_promise(split, command):
    promises = command("verify", "d", "--json").json
    assert promises["kept"] is True
    assert all(set(each) == {"promise", "kept", "told"} for each in promises["promises"])
    assert len(promises["promises"]) > 10


@pytest.mark.large
def test_daquar_is_verified_and_one_changed_letter_is_found(shared, command):
    source = Path(shared / "data/daquar/all_qa_pairs.txt")
    assert command("run", "agrawal2017_cvqa", source, "--format", "daquar", "--out", "d1").code == 0
    assert command("verify", "d1", "--input", source).code == 0
    test = Path("d1/test.txt")
    test.write_bytes(test.read_bytes().replace(b"what", b"whet", 1))
    ran = command("verify", "d1", "--input", source, "--json")
    assert ran.code == 1
    told = " ".join(each["told"] for each in ran.json["promises"] if not each["kept"])
    assert "1 record of test is missing or changed (id all_qa_pairs:" in told


def moved_id() -> None:
    path = Path("d/assignment.csv")
    line = next(line for line in path.read_text().splitlines() if ",test," in line)
    path.write_text(path.read_text().replace(line, line.replace(",test,", ",train,")))


def id_listed_twice() -> None:
    path = Path("d/assignment.csv")
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")


def line_removed() -> None:
    path = Path("d/assignment.csv")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")


def made_up_line() -> None:
    path = Path("d/assignment.csv")
    path.write_text(path.read_text() + "x99,1,,train,0000000000000000\n")


def unknown_part() -> None:
    path = Path("d/assignment.csv")
    path.write_text(path.read_text().replace(",test,", ",exam,", 1))


def other_group() -> None:
    path = Path("d/assignment.csv")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1][:-16] + "0" * 16]) + "\n")


def edited_record() -> None:
    path = Path("d/test_questions.json")
    path.write_text(path.read_text().replace("What color", "What colour", 1))


def edited_annotation() -> None:
    path = Path("d/test_annotations.json")
    path.write_text(path.read_text().replace('"answers": []', '"answers": [ ]', 1))


def record_removed() -> None:
    path = Path("d/train_questions.json")
    head, _, rest = path.read_text().partition("[\n")
    path.write_text(head + "[\n" + rest.partition(",\n")[2])


def cut_file() -> None:
    path = Path("d/train_questions.json")
    path.write_bytes(path.read_bytes()[:-40])


def file_removed() -> None:
    Path("d/train_questions.json").unlink()


def extra_file() -> None:
    Path("d/more.json").write_text("{}")


def other_report() -> None:
    path = Path("d/report.json")
    report = json.loads(path.read_text())
    coverage = next(m for m in report["measures"] if m["name"] == "coverage")
    coverage["value"] = 0.123
    path.write_text(json.dumps(report, sort_keys=True, indent=1) + "\n")


def broken_report() -> None:
    Path("d/report.json").write_text("{")


def left_out_line() -> None:
    path = Path("d/left_out.csv")
    path.write_text(path.read_text() + "strange,no answer\n")


def left_out_and_assigned() -> None:
    path = Path("d/left_out.csv")
    path.write_text(path.read_text() + "7,no answer\n")


def changed_input() -> None:
    path = Path("questions.json")
    path.write_text(path.read_text().replace("cone", "cane", 1))


def other_seed() -> None:
    path = Path("d/manifest.json")
    path.write_text(path.read_text().replace('"seed": 0', '"seed": 1'))


def other_sizes() -> None:
    path = Path("d/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["sizes"]["test"] += 1
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "promise", "told"),
    [
        (moved_id, "the recipe makes this assignment again", "1 row belongs in another part ("),
        (moved_id, "assignment.csv is as it was written", "other bytes"),
        (moved_id, "sizes are those of the manifest", "test asked 16 got 11"),
        (id_listed_twice, "no row is assigned twice", "holds 9 more than once"),
        (line_removed, "no row is lost", "1 without a part (9)"),
        (made_up_line, "no row is made up", "x99"),
        (unknown_part, "every part is one of the split's", "exam"),
        (other_group, "every row is in its group", "9 in another group"),
        (edited_record, "test_questions.json: the records of test, unchanged", "1 question of test is missing"),
        (edited_annotation, "test_questions.json: the records of test, unchanged", "1 annotation of test is missing"),
        (record_removed, "train_questions.json: the records of train, unchanged", "1 question of train is missing"),
        (cut_file, "train_questions.json is as it was written", "other bytes"),
        (cut_file, "train_questions.json: the records of train, unchanged", "ends inside"),
        (file_removed, "train_questions.json is as it was written", "is missing"),
        (extra_file, "no other file is in the folder", "more.json"),
        (other_report, "report.json says what is measured again", "coverage[concepts][train->test]: reported 0.123"),
        (broken_report, "report.json says what is measured again", "not a report"),
        (left_out_and_assigned, "no row is assigned and left out", "7 is both"),
        (left_out_line, "what is left out is listed", "1 listed, 0 left out"),
        (changed_input, "inputs are those of the split", "questions.json has other content"),
        (other_seed, "the recipe makes this assignment again", "rows belong in another part"),
        (other_sizes, "sizes are those of the manifest", "test asked 16 got 12"),
    ],
)
def test_what_is_changed_breaks_its_promise(split, command, change: Callable[[], None], promise: str, told: str):
    change()
    ran = command("verify", "d", "--json")
    assert ran.code == 1
    answer = ran.json
    assert answer["verdict"].startswith("BROKEN: ")
    kept = [each["kept"] for each in answer["promises"]]
    assert kept == sorted(kept), "broken promises come first"
    broken = [each for each in answer["promises"] if not each["kept"]]
    assert any(promise in each["promise"] and told in each["told"] for each in broken), broken


def test_a_torn_group_is_named(files, command):
    """Two rows of one group, one of them moved."""
    questions = json.loads(Path(files[0]).read_text())
    annotations = json.loads(Path(files[1]).read_text())
    questions["questions"].append({"question_id": 100, "image_id": 9, "question": "What color is the cone?"})
    answer = annotations["annotations"][0]["multiple_choice_answer"]
    annotations["annotations"].append({"question_id": 100, "image_id": 9, "multiple_choice_answer": answer})
    Path(files[0]).write_text(json.dumps(questions))
    Path(files[1]).write_text(json.dumps(annotations))
    assert command("run", "agrawal2017_cvqa", *files, "--out", "d").code == 0
    path = Path("d/assignment.csv")
    lines = path.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("100,"))
    lines[at] = lines[at].replace(",test,", ",TRAIN,").replace(",train,", ",test,").replace(",TRAIN,", ",train,")
    path.write_text("\n".join(lines) + "\n")
    broken = [each for each in command("verify", "d", "--json").json["promises"] if not each["kept"]]
    torn = next(each for each in broken if each["promise"] == "no group is in two parts")
    assert torn["told"].startswith(f"what color cone | {answer}")
    assert any("qa-overlap[qa (reduced)] == 0 does not hold" in each["told"] for each in broken)


def test_a_missing_input_is_wrong_usage_and_names_the_option(split, command):
    Path("questions.json").unlink()
    ran = command("verify", "d")
    assert ran.code == 2
    assert "questions.json" in ran.message
    assert "--input" in ran.message


def test_an_input_is_known_by_content_whatever_its_name(split, command):
    Path("questions.json").rename("renamed.json")
    assert command("verify", "d", "--input", "renamed.json").code == 0


def test_inputs_are_found_beside_the_split(split, command, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("verify", "../d").code == 0


@pytest.mark.parametrize("extra", [["--set", "group.missing=leave-out", "--by", "image"], ["--id-scope", "file"]])
def test_a_split_with_options_is_verified(files, command, extra):
    assert command("run", "random", *files, "--out", "d", *extra).code == 0
    ran = command("verify", "d")
    assert ran.code == 0, ran.out


@pytest.mark.parametrize("writer", ["csv", "tsv", "jsonl", "parquet", "ids", "bare-list"])
def test_every_writers_files_are_verified(files, command, writer):
    assert command("run", "random", *files, "--out", "d", "--set", f"write.as={writer}").code == 0
    assert command("verify", "d").code == 0
    path = sorted(Path("d").glob("test*"))[0]
    path.write_bytes(path.read_bytes()[:-3] + b"9\n")
    ran = command("verify", "d")
    assert ran.code == 1
    assert "the records of test, unchanged" in ran.out


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ("{", "is not JSON"),
        ("[]", "is not the manifest of a split"),
        ('{"format": "compsplit-split", "format_version": 2}', "this compsplit knows 1"),
        ('{"format": "compsplit-split", "format_version": 1}', "is not a whole manifest"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_broken_manifest_is_wrong_usage(split, command, manifest, told):
    Path("d/manifest.json").write_text(manifest)
    ran = command("verify", "d")
    assert ran.code == 2
    assert told in ran.message


def test_a_manifest_leads_to_no_file_outside(split, command, tmp_path):
    Path("secret.json").write_text("{}")
    manifest = json.loads(Path("d/manifest.json").read_text())
    manifest["outputs"][0]["file"] = "../secret.json"
    Path("d/manifest.json").write_text(json.dumps(manifest))
    ran = command("verify", "d")
    assert ran.code == 1
    assert "secret.json is missing" in ran.out


@pytest.mark.parametrize(("folder", "told"), [("nowhere", "no such folder"), (".", "holds no manifest.json")])
def test_no_folder_of_ours_is_wrong_usage(command, folder, told):
    ran = command("verify", folder)
    assert ran.code == 2
    assert told in ran.message


def test_a_run_ends_with_the_command_that_verifies_it(files, command, tmp_path):
    assert "Verify it: compsplit verify d\n" in command("run", "agrawal2017_cvqa", *files, "--out", "d").out
    place = tmp_path / "a b"
    place.mkdir()
    moved = [(tmp_path / name).rename(place / name) for name in files]
    ran = command("run", "agrawal2017_cvqa", *moved, "--out", "e")
    told = next(line for line in ran.out.splitlines() if line.startswith("Verify it: "))
    asked = shlex.split(told.removeprefix("Verify it: "))
    assert asked[:3] == ["compsplit", "verify", "e"]
    assert command(*asked[1:]).code == 0


@pytest.mark.large
def test_the_demo_is_verified_where_it_stands(command):
    pytest.importorskip("easy_vqa")
    assert command("demo").code == 0
    ran = command("verify", "demo/cvqa")
    assert ran.code == 0, ran.err


@pytest.fixture
def same_names(files, command, tmp_path) -> list[Path]:
    """Two files of one name, in two folders away from the split."""
    found = []
    for part in ("x", "y"):
        path = tmp_path / "far" / part / "q.csv"
        path.parent.mkdir(parents=True)
        path.write_text(
            "id,image,question,answer\n"
            + "".join(
                f"{part}{n},{n},What color is the {['cone', 'dog', 'hat', 'cup'][n % 4]}?,{n % 3}\n" for n in range(12)
            )
        )
        found.append(path)
    assert command("run", "random", *found, "--out", "d").code == 0
    return found


def test_a_folder_of_inputs_is_searched(same_names, command, tmp_path):
    ran = command("verify", "d", "--input", tmp_path / "far")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(("given", "lost"), [(0, "y/q"), (1, "x/q")])
def test_an_input_of_a_name_given_twice_is_named_by_its_source(same_names, command, given, lost):
    assert command("verify", "d", "--input", same_names[1], "--input", same_names[0]).code == 0
    ran = command("verify", "d", "--input", same_names[given])
    assert ran.code == 2
    assert f"q.csv (source {lost})" in ran.message


def test_help_of_json_says_what_verify_prints(command):
    assert "Print the report" not in command("verify", "--help").out


@pytest.mark.large
def test_a_split_beside_whose_figures_published_ones_stand_is_verified(command, shared):
    files = [shared / f"data/scan/simple_split/tasks_{part}_simple.txt" for part in ("train", "test")]
    assert command("run", "lake2018_addprim_scan", *files, "--out", "d").code == 0
    assert "published beside obtained" in json.loads(Path("d/report.json").read_text())["tables"]
    assert command("verify", "d", *(word for file in files for word in ("--input", file))).code == 0


def test_files_that_the_reader_is_told_of_are_known_by_name_and_found_again(command, shared, tmp_path):
    (tmp_path / "else").mkdir()
    for name in ("objects", "predicates"):
        (tmp_path / f"else/{name}.json").write_bytes((shared / f"data/vrd/{name}.json").read_bytes())
    (tmp_path / "some.json").write_bytes((shared / "data/vrd/annotations_test.json").read_bytes())
    options = [word for name in ("objects", "predicates") for word in ("--read", f"{name}={tmp_path}/else/{name}.json")]
    assert command("run", "random", "some.json", *options, "--format", "vrd", "--out", "d").code == 0
    text = Path("d/manifest.json").read_text()
    assert str(tmp_path) not in text
    assert set(json.loads(text)["files"]) == {"read.objects", "read.predicates"}
    assert "objects.json: the file of read.objects is neither" in command("verify", "d").message
    assert command("verify", "d", "--input", tmp_path / "else").code == 0

"""The command line: one sentence for everything that goes wrong, exit codes, streams, hostile input."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from compsplit.cli import app

GOOD = "id,image,question,answer\n" + "".join(
    f"{n},{n % 4},What color is the {thing}?,{('red', 'blue')[n % 2]}\n"
    for n, thing in enumerate(("cone", "dog", "hat", "cup", "car", "bus", "bird", "tree"))
)
COMMANDS = (
    "audit", "balance", "compare", "convert", "demo", "describe", "evaluate", "fetch", "list", "new", "probe",
    "profile", "programs", "recipes", "reduce", "report", "run", "verify",
)  # fmt: skip


@pytest.fixture
def good(tmp_path: Path) -> str:
    (tmp_path / "good.csv").write_text(GOOD)
    return "good.csv"


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


# ---- help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(command, name):
    ran = command(name, "--help")
    assert ran.code == 0
    assert "Example:" in ran.out
    assert f"compsplit {name}" in ran.out.partition("Example:")[2]


def test_the_commands_are_those_that_the_readme_tells():
    assert sorted(c.name or c.callback.__name__ for c in app.registered_commands) == list(COMMANDS)


def test_the_version_is_printed(command):
    from compsplit import __version__

    assert command("--version").out == f"compsplit {__version__}\n"


def test_no_command_shows_the_help_once(command):
    ran = command()
    assert ran.code == 2
    assert (ran.out + ran.err).count("Usage: compsplit") == 1


@pytest.mark.large
def test_help_loads_no_heavy_library():
    program = (
        "import sys\nfrom compsplit.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'pyarrow', 'sklearn', 'spacy', 'nltk', 'pooch', 'requests'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


# ---- everything that can be asked wrongly


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["run", "random"], 2, "No file is given"),
        (["run", "random", "nowhere.json"], 2, "nowhere.json: there is no such file"),
        (["run", "random", "."], 2, "is a folder, a file was expected"),
        (["run", "random", "good.csv", "good.csv"], 2, "A file is given twice"),
        (["run", "randon", "good.csv"], 2, 'no recipe "randon". Did you mean "random"'),
        (["run", "random", "good.csv", "--format", "vaq"], 2, 'no reader "vaq". Did you mean "vqa"'),
        (["run", "random", "good.csv", "--format", "daquar"], 2, "good.csv"),
        (["run", "random", "good.csv", "--format", "easy-vqa"], 2, "good.csv"),
        (["run", "random", "good.csv", "--format", "vqa"], 2, "good.csv"),
        (["run", "random", "good.csv", "--share", "test"], 2, '"test" is not PART=FRACTION'),
        (["run", "random", "good.csv", "--share", "test=x"], 2, '"test=x" is not PART=FRACTION'),
        (["run", "random", "good.csv", "--share", "test=1/0"], 2, '"test=1/0" is not PART=FRACTION'),
        (["run", "random", "good.csv", "--share", "test=0"], 2, "--share: Part fractions must be positive"),
        (["run", "random", "good.csv", "--share", "test=-0.5"], 2, "must be positive and sum to 1"),
        (["run", "random", "good.csv", "--share", "test=1.5"], 2, "train=-0.5 + test=1.5 = 1"),
        (["run", "random", "good.csv", "--share", "test=1"], 2, "A split needs two parts or more, got test"),
        (["run", "random", "good.csv", "--share", "a=0.2", "--share", "a=0.3"], 2, 'The share of "a" is given twice'),
        (["run", "random", "good.csv", "--share", "train=.5", "--share", "test=.2"], 2, "= 0.7"),
        (["run", "random", "good.csv", "--share", "../x=0.5"], 2, "cannot name a part"),
        (["run", "random", "good.csv", "--share", "report=0.5"], 2, 'no part can be called "report"'),
        (["run", "random", "good.csv", "--share", "=0.5"], 2, "cannot name a part"),
        (["run", "random", "good.csv", "--by", "imagee"], 2, 'no column "imagee". Did you mean "image"'),
        (["run", "random", "good.csv", "--set", 'split.strata=["answr"]'], 2, 'no column "answr"'),
        (["run", "random", "good.csv", "--seed", "x"], 2, "--seed"),
        (["run", "random", "good.csv", "--set", "seed=x"], 2, "--set: seed is 'x'"),
        (["run", "random", "good.csv", "--set", 'check=[{require="covrage > 0"}]'], 2, 'no measure "covrage"'),
        (["run", "random", "good.csv", "--set", "read.newids=true"], 2, 'no option "newids". Did you mean "new_ids"'),
        (["run", "random", "good.csv", "--column", "answer"], 2, '"answer" is not ROLE=NAME'),
        (["run", "random", "good.csv", "--column", "reply=answer"], 2, 'no column role "reply"'),
        (["run", "random", "good.csv", "--column", "answer=reply"], 2, 'good.csv has no column "reply"'),
        (["run", "random", "good.csv", "--id-scope", "none"], 2, "one of all, file"),
        (["run", "random", "good.csv", "--threads", "0"], 2, "--threads"),
        (["run", "random", "good.csv", "--out", "no/such/place"], 2, "no/such: there is no such folder"),
        (["run", "random", "good.csv", "--out", "good.csv"], 2, "is a file, a folder was expected"),
        (["run", "random", "good.csv", "--out", "."], 2, "already there"),
        (["run", "random", "good.csv", "--bogus"], 2, "--bogus"),
        (["run"], 2, "RECIPE"),
        (["rum"], 2, "rum"),
        (["run", "agrawal2017_cvqa", "good.csv", "--share", "val=.1", "--share", "test=.1"], 2, "makes two parts"),
        (["run", "cover", "good.csv", "--share", "test=0.99", "--set", "split.k=9"], 3, "would be empty"),
        (["run", "random", "good.csv", "--by", "image", "--share", "a=.2", "--share", "b=.2", "--share", "c=.2",
          "--share", "d=.2"], 3, "5 parts need at least 5 images, there are 4"),
        (["describe", "nowhere"], 2, "nowhere: there is no such file"),
        (["describe"], 2, "FILES"),
        (["audit", "good.csv"], 2, '"good.csv" does not say its part'),
        (["audit", "train=good.csv"], 2, "An audit needs two parts or more, got train"),
        (["audit", "train=good.csv", "test=nowhere.csv"], 2, "nowhere.csv: there is no such file"),
        (["audit", "train=good.csv", "=good.csv"], 2, "does not say its part"),
        (["audit", "train=good.csv", "test=good.csv", "--check", "coverage"], 2, "is not a check"),
        (["audit", "train=good.csv", "test=good.csv", "--check", "covrage > 0"], 2, 'Did you mean "coverage"'),
        (["audit", "train=good.csv", "test=good.csv", "--reference", "trian"], 2, 'Did you mean "train"'),
        (["audit", "train=good.csv", "test=good.csv", "--recipe", "nope"], 2, 'no recipe "nope"'),
        (["audit", "good.csv", "--part-column", "part"], 2, 'no column "part"'),
        (["audit", "good.csv", "--part-column", "answer", "--split", "x"], 2, "in one way"),
        (["audit", "good.csv", "--split", "nowhere"], 2, "nowhere: there is no such file"),
        (["verify", "nowhere"], 2, "nowhere: there is no such folder"),
        (["reduce", "what", "--reducer", "lexikal"], 2, 'no reducer "lexikal". Did you mean "lexical"'),
        (["reduce", "what", "--set", "key_order"], 2, "is not KEY=VALUE"),
        (["reduce", "what", "--set", "key_order=up"], 2, "one of ordered, auto, sorted"),
        (["recipes", "nope"], 2, 'no recipe "nope"'),
        (["list", "readr"], 2, 'no kind of plug-in "readr"'),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_one_sentence_and_nothing_is_written(command, good, arguments, code, told):
    ran = command(*arguments)
    assert ran.code == code, ran
    assert told in ran.message
    assert left() == ["good.csv"]
    in_json = command(*arguments, "--json") if arguments[0] in COMMANDS else None
    if in_json is not None:
        error = in_json.json["error"]
        assert in_json.code == code
        assert not in_json.err
        assert set(error) == {"kind", "message", "file", "record", "field", "facts"}
        assert error["message"] == ran.message.replace("\\n", "\n")


@pytest.mark.parametrize("seed", [-1, 0, 10**30])
def test_any_whole_number_is_a_seed(command, good, seed):
    assert command("run", "random", good, "--seed", seed, "--plan", "--json").json["subject"]["seed"] == seed


def test_train_comes_first_whatever_the_order_of_shares(command, good):
    ran = command("run", "random", good, "--share", "test=1/4", "--share", "train=3/4", "--plan", "--json")
    assert ran.json["subject"]["reference"] == "train"
    ran = command("run", "random", good, "--share", "a=1/4", "--share", "b=3/4", "--plan", "--json")
    assert list(ran.json["subject"]["parts"]) == ["a", "b"]


# ---- every input that cannot be read


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.csv", b"", "empty.csv: file is empty"),
        ("blank.csv", b"\n\n", "blank.csv"),
        ("mark.csv", b"\xef\xbb\xbf", "mark.csv"),
        ("head.csv", b"id,question,answer\n", "head.csv"),
        ("latin.csv", "id,question,answer\n1,café,x\n".encode("latin-1"), "not UTF-8, first bad byte at offset 24"),
        ("short.csv", b"id,question,answer\n1,a\n", "short.csv, record 1: has 2 fields, the header has 3"),
        ("twice.csv", b"id,id,answer\n1,a,b\n", 'the column "id" stands twice'),
        ("noid.csv", b"id,question,answer\n,a,b\n", "noid.csv, record 1, id: is missing"),
        ("quote.csv", b'id,question,answer\n1,"a,b\n', "quote.csv"),
        ("what.bin", b"\x00\x01\x02\x03", "no reader knows this layout"),
        ("text.txt", b"just a text\n", "text.txt: no reader knows this layout"),
        ("cut.json", b'[{"id": 1, "question": "a"', "cut.json: ends inside a record"),
        ("more.json", b"[] []", "more.json"),
        ("nolist.json", b"[]", "nolist.json"),
        ("number.json", b"7", "number.json"),
        ("deep.json", b"[" * 100_000 + b"]" * 100_000, "deep.json"),
        ("deeper.json", b'[{"id": 1, "question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]", "deeper.json"),
        ("keys.json", b'[{"id": 1, "id": 2, "question": "a", "answer": "b"}]', "keys.json, record 1"),
        ("nan.json", b'[{"id": NaN, "question": "a", "answer": "b"}]', "nan.json, record 1"),
        ("type.json", b'[{"id": 1, "question": {"a": 1}, "answer": "b"}]', "type.json, record 1, question"),
        ("half.gz", gzip.compress(GOOD.encode())[:-20], "half.gz: the gz stream is damaged or cut"),
        ("bad.zip", b"PK\x03\x04" + b"x" * 50, "bad.zip: is not a whole zip archive"),
        ("bad.parquet", b"PAR1" + b"x" * 50, "bad.parquet: is not a whole Parquet file"),
        ("bad.xz", b"\xfd7zXZ\x00" + b"x" * 50, "bad.xz"),
        ("bad.zst", b"\x28\xb5\x2f\xfd" + b"x" * 50, "bad.zst"),
        ("none.zip", b"PK\x05\x06" + b"\x00" * 18, "none.zip"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_with_the_file(command, name, content, told):
    Path(name).write_bytes(content)
    ran = command("run", "agrawal2017_cvqa", name, "--out", "d")
    assert ran.code == 2, ran
    assert told in ran.message
    assert left() == [name]
    assert command("run", "agrawal2017_cvqa", name, "--out", "d", "--json").json["error"]["message"]


def test_a_file_that_must_not_be_read_is_one_sentence(command, good, monkeypatch):
    opened = Path.open

    def refused(path: Path, *arguments: object, **more: object) -> object:
        if path.name == good:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **more)  # type: ignore[call-overload]  # stands in for open

    monkeypatch.setattr(Path, "open", refused)
    ran = command("describe", good)
    assert ran.code == 2
    assert ran.message == "good.csv: permission denied."


@pytest.mark.parametrize(
    ("text", "recipe", "told"),
    [
        ("id,image,answer\n1,1,a\n2,2,b\n", "agrawal2017_cvqa", "question"),
        ("id,question\n1,a\n2,b\n", "agrawal2017_cvqa", "No row has an answer"),
        ("id,question,answer\n1,a,\n2,b, \n", "agrawal2017_cvqa", "No row has an answer"),
        ("id,question,answer\n1,,a\n2,what,b\n", "agrawal2017_cvqa", "1"),
        ("id,question,answer\n1,what,a\n", "agrawal2017_cvqa", "would be empty"),
        ("id,question,answer\n1,what,a\n", "cover", "would be empty"),
        ("id,question,answer\n1,what,a\n", "random", "2 parts need at least 2 rows, there is 1"),
    ],
)
def test_data_that_a_recipe_cannot_use_are_one_sentence(command, text, recipe, told):
    Path("in.csv").write_text(text)
    ran = command("run", recipe, "in.csv", "--out", "d")
    assert ran.code in (2, 3)
    assert told in ran.message
    assert left() == ["in.csv"]


def test_an_empty_part_of_an_audit_is_named(command, good):
    Path("empty.csv").write_text("id,image,question,answer\n")
    ran = command("audit", f"train={good}", "test=empty.csv")
    assert ran.code == 2
    assert "Part test holds no row" in ran.message or "empty.csv" in ran.message


# ---- hostile input


def test_a_zip_bomb_is_refused(command):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.csv", b"id,question,answer\n" + b"0" * (100 << 20))
    Path("bomb.zip").write_bytes(inner.getvalue())
    ran = command("describe", "bomb.zip")
    assert ran.code == 2
    assert "bomb.zip" in ran.message
    assert len(ran.message) < 1000


def test_a_zip_member_with_a_path_that_climbs_writes_nowhere(command, tmp_path):
    with zipfile.ZipFile("climb.zip", "w") as archive:
        archive.writestr("../../climbed.csv", GOOD)
    assert "leads out of the archive" in command("run", "random", "climb.zip", "--out", "d").message
    assert left() == ["climb.zip"]
    assert not list(tmp_path.parent.glob("climbed*"))


HOSTILE = (
    "<script>alert(1)</script>",
    "[bold]red[/bold] [/] [link=http://x.y]z[/link]",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b31m",
    "abc\u202egnp.exe \u2066x\u2069\u200f",
    "x" * 10_000,
    "| a | `b` *c* _d_ [e](http://f.g) # h",
    "line\u2028break\u0085",
)


@pytest.mark.parametrize("text", HOSTILE, ids=["html", "rich", "escape", "bidi", "long", "markdown", "lines"])
def test_hostile_text_is_shown_as_text(command, text, tmp_path):
    rows = [{"id": f"{text}{n}", "image": text, "question": f"what is {text}", "answer": text} for n in range(6)]
    Path("in.json").write_text(json.dumps(rows), "utf-8")
    shown = [
        command("run", "random", "in.json", "--out", "d").out,
        command("describe", "in.json").out,
        command("audit", "train=d/train.json", "test=d/test.json").out,
        command("audit", "train=in.json", "test=in.json", "--check", "id-overlap == 0").out,
        command("verify", "d").out,
        command("run", "random", "in.json", "--by", text[:100]).err,
        command("describe", tmp_path / "nowhere" / text[:50].replace("/", "_")).err,
    ]
    markdown = Path("d/report.md").read_text(encoding="utf-8")
    for output in (*shown, markdown):
        assert output
        lines = output.split("\n")
        for character in "\x1b\x07\x9b\u202e\u2066\u2069\u200f\u2028\u0085\r":
            assert all(character not in line for line in lines), output[:300]
        assert max(map(len, lines)) < 5000
    assert "<script" not in markdown
    assert "](http" not in markdown.replace("\\]", "")
    if text.startswith("[bold]"):
        assert "[bold]red[/bold]" in "".join(line.strip() for line in shown[1].split("\n")).replace(" ", "")
    # What is written for programs holds it as it was.
    written = [record for part in ("train", "test") for record in json.loads(Path(f"d/{part}.json").read_bytes())]
    assert sorted(record["id"] for record in written) == sorted(row["id"] for row in rows)


def test_a_hostile_title_of_a_recipe_is_shown_as_text(command, good):
    Path("mine.toml").write_text('title = "[red]x[/red] <b>y</b>\\u001b[0m # z"\n')
    ran = command("run", "mine.toml", good, "--out", "d")
    assert ran.out.startswith("[red]x[/red] <b>y</b>\\x1b[0m # z: 8 rows into")
    assert "<b>" not in Path("d/report.md").read_text()


def test_a_file_with_a_hostile_name_is_read_and_shown_as_text(command):
    name = "[red]a\x1b[31m<b>.csv"
    Path(name).write_text(GOOD)
    assert command("run", "random", name, "--out", "d").code == 0
    assert json.loads(Path("d/manifest.json").read_text())["inputs"][0]["file"] == name
    Path("d/test.csv").unlink()
    Path("d", "\x1b[31mextra").write_text("")
    ran = command("verify", "d")
    assert ran.code == 1
    assert "\x1b" not in ran.out
    assert "\\x1b[31mextra" in ran.out


# ---- commands


def test_the_first_line_is_a_verdict_with_what_was_asked_and_got(command, good):
    first = command("run", "random", good, "--plan").out.partition("\n\n")[0].replace("\n", " ")
    sizes = r"Random split: 8 rows into train 6 \(asked 6\), test 2 \(asked 2\); "
    assert re.fullmatch(sizes + r"coverage [\d.]+; weighted [\d.]+; QA overlap [\d.]+", first)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("n_parts", [2, 3, 5])
def test_tables_fit_the_terminal(command, good, monkeypatch, width, n_parts):
    monkeypatch.setenv("COLUMNS", str(width))
    shares = [x for p in "abcd"[: n_parts - 1] for x in ("--share", f"{p}=1/8")]
    out = command("run", "random", good, *shares, "--plan").out
    assert max(map(len, out.split("\n"))) <= width
    table = [line for line in out.split("\n") if line.strip().startswith("train ")]
    assert len(table) == 1, "a part's sizes stand on one line"
    assert len(table[0].split()) == 8


def test_reduce_prints_the_same_concepts_for_both_of_the_papers_questions(command):
    ran = command("reduce", "What color are the cones?", "What is the color of the cones?")
    assert ran.out == "what color cone\nwhat color cone\n"


def test_reduce_reads_lines_and_prints_json_lines():
    done = subprocess.run(
        [sys.executable, "-m", "compsplit", "reduce", "--json"],
        input="What color are the cones?\nIs it \u201cred\u201d?\n",
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [set(line) for line in lines] == [{"question", "concepts"}] * 2
    assert lines[0]["concepts"] == ["what", "color", "cone"]


def test_reduce_refuses_a_stdin_that_is_not_utf8():
    done = subprocess.run(
        [sys.executable, "-m", "compsplit", "reduce"], input=b"caf\xe9\n", capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == (
        b"Error: stdin: not UTF-8, first bad byte at offset 3. compsplit does not guess an encoding: convert the file "
        b"to UTF-8.\n"
    )


def test_recipes_are_listed_and_printed(command):
    from compsplit.recipe.parsing import recipe_names

    listed = command("recipes").out
    assert all(name in listed for name in recipe_names())
    assert [each["name"] for each in command("recipes", "--json").json] == recipe_names()
    Path("mine.toml").write_text(command("recipes", "agrawal2017_cvqa").out)
    assert command("recipes", "mine.toml", "--json").json["split"]["method"] == "greedy-coverage"


def test_list_names_every_plug_in_of_a_kind(command):
    from compsplit.registry import KINDS, plugins

    for kind in KINDS:
        names = [each["name"] for each in command("list", kind, "--json").json]
        assert names == list(plugins(kind))
        shown = command("list", f"{kind}s").out
        assert all(name in shown for name in names)


@pytest.mark.large
def test_demo_shows_both_splits_of_the_same_rows(command):
    pytest.importorskip("easy_vqa")
    ran = command("demo", "--out", "shown")
    assert ran.code == 0
    assert ran.out.startswith("C-VQA from easy-VQA: 48,248 rows into train ")
    assert "random by row" in ran.out
    assert command("demo", "--out", "shown").code == 0, "a demo replaces its own folders"
    Path("shown/cvqa/manifest.json").unlink()
    assert command("demo", "--out", "shown").code == 2, "and no other"


def test_demo_without_the_data_says_how_to_get_them(command, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert 'pip install "compsplit[demo]"' in command("demo").message
    assert left() == []


# ---- parts that exist already


PARTS = {"train": ["0", "1", "2", "3", "4"], "test": ["5", "6", "7"]}


def id_list(form: str) -> str:
    if form == "json":
        Path("split.json").write_text(json.dumps(PARTS))
        return "split.json"
    if form == "numbers":
        Path("split.json").write_text(json.dumps({part: list(map(int, ids)) for part, ids in PARTS.items()}))
        return "split.json"
    if form in ("csv", "tsv"):
        between = {"csv": ",", "tsv": "\t"}[form]
        lines = [
            between.join(("question_id", "split")),
            *(between.join((i, p)) for p, ids in PARTS.items() for i in ids),
        ]
        Path("split.txt").write_text("\ufeff" + "\r\n".join(lines), "utf-8")
        return "split.txt"
    Path("lists").mkdir()
    for part, ids in PARTS.items():
        Path(f"lists/{part}.txt").write_text("\n".join(ids))
    return "lists"


@pytest.mark.parametrize("form", ["json", "numbers", "csv", "tsv", "texts"])
def test_every_form_of_an_id_list_is_audited_alike(command, good, form):
    report = command("audit", good, "--split", id_list(form), "--json").json
    assert {part: size["got"] for part, size in report["subject"]["parts"].items()} == {"train": 5, "test": 3}
    head, *lines = GOOD.splitlines()
    Path("a.csv").write_text("\n".join([head, *lines[:5]]))
    Path("b.csv").write_text("\n".join([head, *lines[5:]]))
    by_file = command("audit", "train=a.csv", "test=b.csv", "--json").json
    same = [m for m in by_file["measures"] if m["name"] != "id-overlap"]
    assert [m for m in report["measures"] if m["name"] != "id-overlap"] == same


def test_our_own_folder_is_an_id_list(command, good):
    made = command("run", "random", good, "--out", "d", "--json").json
    report = command("audit", good, "--split", "d", "--json").json
    names = {m["name"] for m in made["measures"]}
    for measure in report["measures"]:
        if measure["name"] in names:
            assert measure in made["measures"]


def test_a_part_column_is_an_audit(command):
    head, *lines = GOOD.splitlines()
    rows = [f"{line},{'train' if n < 5 else 'test'}" for n, line in enumerate(lines)]
    Path("in.csv").write_text("\n".join([f"{head},fold", *rows]))
    report = command("audit", "in.csv", "--part-column", "fold", "--json").json
    assert {part: size["got"] for part, size in report["subject"]["parts"].items()} == {"train": 5, "test": 3}
    Path("in.csv").write_text("\n".join([f"{head},fold", *rows, "9,1,what?,yes,"]))
    ran = command("audit", "in.csv", "--part-column", "fold")
    assert ran.code == 2
    assert "1 row" in ran.message
    assert "(9)" in ran.message


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("s.json", '{"train": ["0"], "test": ["0"]}', 'id "0" stands in train and again in test'),
        ("s.json", '{"train": ["0"], "train": ["1"]}', 'the key "train" stands twice'),
        ("s.json", '{"train": "0"}', "is not {part: [ids]}"),
        ("s.json", '[["0"]]', "is not {part: [ids]}"),
        ("s.json", '{"train": [null]}', "s.json, record 1, train: None is no id"),
        ("s.json", '{"train": ["0"', "is not JSON"),
        ("s.json", "[" * 100_000, "s.json"),
        ("s.json", '{"train": ["0"], "test": ["nope"]}', "s.json names 1 id that the data do not have (nope)"),
        ("s.json", '{"train": ["0", "1"]}', "An audit needs two parts or more, got train"),
        ("s.csv", "name,part\n0,train\n", "needs columns id and part, has name, part"),
        ("s.csv", "id,part\n0,\n", "s.csv, record 1, part: is missing"),
        ("s.csv", 'id,part\n0,"train\n', "is not delimited text"),
        ("s.csv", "", "s.csv: file is empty"),
    ],
)
def test_a_wrong_id_list_is_one_sentence_with_the_file(command, good, name, content, told):
    Path(name).write_text(content)
    ran = command("audit", good, "--split", name)
    assert ran.code == 2
    assert told in ran.message


def test_rows_in_no_part_of_a_split_are_left_out_and_counted(command, good):
    Path("s.json").write_text('{"train": ["0", "1"], "test": ["2"]}')
    report = command("audit", good, "--split", "s.json", "--json").json
    assert report["subject"]["left out"] == 5
    assert report["subject"]["decisions"] == {"rows in no part of the split left out": 5}


def test_a_part_may_have_several_files(command, good):
    Path("more.csv").write_text("id,image,question,answer\n100,9,What is this?,yes\n")
    report = command("audit", f"train={good}", "test=more.csv", "train=more2.csv", "--json")
    assert report.code == 2
    Path("more2.csv").write_text("id,image,question,answer\n200,9,What is that?,yes\n")
    report = command("audit", f"train={good}", "test=more.csv", "train=more2.csv", "--json").json
    assert {part: size["got"] for part, size in report["subject"]["parts"].items()} == {"train": 9, "test": 1}


@pytest.mark.large
def test_files_of_the_same_name_in_two_folders_share_no_id_that_only_numbers_rows(shared, command):
    files = [f"{part}={shared / 'data/easy_vqa' / part / 'questions.json'}" for part in ("train", "test")]
    ran = command("audit", *files, "--json")
    assert {f["kind"] for f in ran.json["findings"]}.isdisjoint({"shared-ids", "shared-images", "identical-parts"})


def test_a_file_against_itself_is_the_same_part_twice(command, good):
    ran = command("audit", f"train={good}", f"test={good}")
    said = "16 rows in train 8, test 8. train and test hold the same 8 records, the same content under two names."
    assert ran.out.replace("\n", " ").startswith(said)


def test_names_of_inputs_qualify_their_ids(command, good):
    Path("other.csv").write_text(GOOD)
    ran = command("run", "random", f"one={good}", "two=other.csv", "--id-scope", "file", "--out", "d")
    assert ran.code == 0
    ids = [line.split(",")[1] for line in Path("d/assignment.csv").read_text().splitlines()[1:]]
    assert {name.partition(":")[0] for name in ids} == {"one", "two"}
    assert command("verify", "d").code == 0


def test_columns_play_the_roles_that_are_asked_for(command):
    Path("in.csv").write_text("key,reply,ask,answer\n1,red,what?,x\n2,blue,who?,x\n3,red,how?,x\n")
    roles = ("--column", "id=key", "--column", "answer=reply", "--column", "question=ask")
    report = command("describe", "in.csv", *roles, "--json").json
    assert [row[0] for row in report["tables"]["commonest answers"]["rows"]] == ["red", "blue"]
    assert command("run", "random", "in.csv", *roles, "--out", "d").code == 0
    assert [line.split(",")[0] for line in Path("d/assignment.csv").read_text().splitlines()[1:]] == ["1", "2", "3"]
    assert command("verify", "d").code == 0


# ---- real processes


def process(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "compsplit", *arguments]
    return subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False)


@pytest.mark.large
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "random", "good.csv", "--plan"], 0),
        (["audit", "train=good.csv", "test=good.csv", "--check", "qa-overlap <= 0"], 1),
        (["run", "random", "nowhere.csv"], 2),
        (["run", "random", "good.csv", "--share", "a=.1", "--share", "b=.1", "--by", "answer"], 3),
    ],
)
def test_a_process_ends_with_the_exit_code_and_keeps_the_streams_apart(good, tmp_path, arguments, code):
    done = process(tmp_path, *arguments)
    assert done.returncode == code
    assert bool(done.stdout) is (code < 2)
    assert bool(done.stderr) is (code >= 2)
    assert b"Traceback" not in done.stderr


@pytest.mark.large
@pytest.mark.parametrize("arguments", [["describe", "ünï.csv"], ["describe", "nø.csv"]])
def test_text_is_utf8_in_any_locale(tmp_path, arguments):
    (tmp_path / "ünï.csv").write_text("id,question,answer\n1,Où?,café\n2,Qué?,niño\n", "utf-8")
    done = process(tmp_path, *arguments, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert ("café" if arguments[1] == "ünï.csv" else "nø.csv") in (done.stdout + done.stderr).decode("utf-8")
    assert b"\r" not in done.stdout


@pytest.mark.large
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_reading_ends_the_run_without_a_word(tmp_path, good, unbuffered):
    run = f"{sys.executable} -m compsplit describe good.csv --json"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {run} | true"],
        cwd=tmp_path, env=environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.stderr == b""
    # Not 1, which says that a promise is broken.
    assert done.returncode == 141


@pytest.mark.large
def test_progress_is_shown_on_stderr_only_when_it_is_a_terminal(tmp_path, good):
    import pty

    def run(stderr: int) -> bytes:
        command = [sys.executable, "-m", "compsplit", "run", "random", "good.csv", "--plan", "--json"]
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=stderr, check=True)
        assert json.loads(done.stdout)
        return done.stdout

    plain = run(subprocess.DEVNULL)
    ours, theirs = pty.openpty()
    try:
        assert run(theirs) == plain
        shown = os.read(ours, 1 << 16)
        assert b"reading" in shown or b"starting" in shown
    finally:
        os.close(ours)
        os.close(theirs)
    assert process(tmp_path, "run", "random", "good.csv", "--plan", "--json").stderr == b""


def test_a_row_without_a_part_has_a_sentence_of_its_own(command):
    Path("p.csv").write_text("id,question,answer,p\n1,What?,a,train\n2,Who?,b,test\n3,Why?,c,\n")
    told = command("audit", "p.csv", "--part-column", "p").message
    assert told.startswith("1 row has no value in p, which decides the part (3).")
    assert "--set" not in told


def test_a_missing_question_is_not_one_that_reduces_to_nothing(command):
    Path("q.csv").write_text("id,question,answer\n1,What?,a\n2,,b\n3,What color is the dog?,c\n4,Is the?,d\n")
    report = command("describe", "q.csv", "--json").json
    told = {each["kind"]: (each["count"], each["first"], each["message"]) for each in report["findings"]}
    assert told["no-question"] == (1, ["2"], "1 row has no question.")
    blank = told["blank-question"]
    assert "2" not in blank[1]
    assert blank[0] == len(blank[1])
    counts = {each["name"]: each["value"] for each in report["measures"] if each["unit"] == "count"}
    assert counts["blank-questions"] == blank[0]


def test_describe_and_audit_tell_what_was_decided(command):
    Path("q.csv").write_text("question,answer,p\nWhat?,a,train\nWho?,b,test\nWhy?,c,test\n")
    for asked in (("describe", "q.csv"), ("audit", "q.csv", "--part-column", "p")):
        ran = command(*asked)
        assert "3 rows numbered, the table has no id column." in " ".join(ran.out.split())


def test_what_two_parts_share_is_counted_with_the_right_nouns(command):
    rows = "id,image,question,answer\n" + "".join(f"{n},{n},What is {n}?,{n}\n" for n in range(3))
    Path("a.csv").write_text(rows)
    Path("b.csv").write_text(rows + "9,9,Who?,x\n")
    ran = command("audit", "train=a.csv", "test=b.csv")
    assert "3 images with the same question and answer." in " ".join(ran.out.split())


@pytest.mark.parametrize("setting", ["split.k=0", "split.k='two'"])
def test_an_option_is_called_what_the_user_types(command, good, setting):
    assert "Option split.k is" in command("run", "cover", good, "--set", setting, "--plan").message


@pytest.mark.large
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("list",), ("describe", "good.csv", "--json"), ("describe", "good.csv")])
def test_a_full_stdout_is_called_standard_output(good, tmp_path, arguments):
    run = [sys.executable, "-m", "compsplit", *arguments]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(run, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"Error: standard output: no space left on device.\n")


def test_one_unit_is_told_in_the_singular(command):
    Path("a.csv").write_text("id,question,answer\n1,What?,x\n2,Who?,y\n")
    Path("b.csv").write_text("id,question,answer\n1,What?,x\n")
    ran = command("audit", "train=a.csv", "test=b.csv", "--check", "qa-overlap[qa (exact)] == 0")
    told = " ".join(ran.out.split())
    assert "(n = 1 row of test)" in told
    assert "1 id is in train and in test (id), in 1 row of test." in told
    assert "1 rows" not in told

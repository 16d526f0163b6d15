"""The text of a page: three sentences, what each measure is, a command that makes the report again, what to cite."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

import compsplit
from compsplit import api
from compsplit.errors import CompsplitError
from compsplit.files import canonical_json
from compsplit.model.report import Finding, Measure, Report, Table, Undefined
from compsplit.recipe.parsing import Setting, from_mapping, load, recipe_names
from compsplit.recipe.part_orders import part_orders
from compsplit.recipe.toml_text import recipe_toml
from compsplit.registry import plugin, plugins
from compsplit.report.page.citing import citations
from compsplit.report.page.command_words import plain_value, quoted
from compsplit.report.page.defined_audits import DEFINED
from compsplit.report.page.defined_others import GROUPS
from compsplit.report.page.definitions import definition
from compsplit.report.page.given import Given, read_given
from compsplit.report.page.made_again import MadeAgain, made_again
from compsplit.report.page.opening import LONGEST, opening
from compsplit.version import VERSION

QUESTIONS = [("what color is the {}", "red"), ("what color is the {}", "blue"), ("is the {} big", "yes"),
             ("is the {} big", "no"), ("how many {} are there", "2"), ("how many {} are there", "3")]  # fmt: skip
THINGS = ("cone", "cube", "ball", "cat")
OUT = "out"
HOSTILE = "-$(touch pwned) '\"`x`.csv"


def table(path: Path, first: int = 0, *, answer: str = "answer", n: int = 24) -> Path:
    """A file of rows about six images, with parts and a type."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("id", "image", "question", answer, "question_type", "part"))
        for k in range(first, first + n):
            question, said = QUESTIONS[k % 6]
            thing = THINGS[k // 6 % 4]
            kind = question.split(" ")[0]
            rows.writerow((f"q{k:02}", f"i{k % 6}", question.format(thing), said, kind, "ab"[k % 3 == 0]))
    return path


def predictions(path: Path, n: int = 24) -> Path:
    path.write_text("id,prediction\n" + "".join(f"q{k:02},{QUESTIONS[k * 5 % 6][1]}\n" for k in range(n)))
    return path


def scenes(path: Path, first: int) -> Path:
    lines = []
    for k in range(first, first + 4):
        objects = [{"class": name, "attributes": ["red" if k % 2 else "big"]} for name in (THINGS * 2)[k : k + 3]]
        relations = [[0, "near", 1 + k % 2]]
        lines.append(json.dumps({"id": f"s{k}", "image": f"s{k}", "objects": objects, "relations": relations}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of inputs, and of two splits of one of them."""
    tmp_path = tmp_path_factory.mktemp("inputs")
    table(tmp_path / "data.csv")
    table(tmp_path / "more.csv", 24, n=18)
    table(tmp_path / "labelled.csv", answer="label")
    table(tmp_path / "a" / "rows.csv", n=12)
    table(tmp_path / "b" / "rows.csv", 12, n=12)
    table(tmp_path / HOSTILE)
    predictions(tmp_path / "mine.csv")
    predictions(tmp_path / "theirs.csv", 20)
    scenes(tmp_path / "few.jsonl", 0)
    scenes(tmp_path / "others.jsonl", 3)
    (tmp_path / "own.toml").write_text(
        'extends = "random"\nseed = 4\n[group]\nby = "image"\n[split]\nparts = { dev = "1/2", hidden = "1/2" }\n'
        '[[check]]\nrequire = "image-overlap[image][dev->hidden] == 0"\n'
    )
    (tmp_path / "how.toml").write_text('title = "How"\n[reduce]\nwhich_is_what = true\n')
    for seed, name in enumerate(("one", "two")):
        api.run("random", tmp_path / "data.csv", seed=seed, out=tmp_path / name)
    return tmp_path


@pytest.fixture
def files(inputs: Path, tmp_path: Path) -> Path:
    """The folder of inputs, in which commands run."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def given(folder: str = OUT) -> Given:
    return read_given([Path(folder)])[0]


BALANCE = ("balance", "data.csv", "--groups", "question")
EVALUATE = ("evaluate", "data.csv", "mine.csv", "--replicates", "20")
PROBE = ("probe", "data.csv", "--replicates", "5", "--halvings", "1", "--random-splits", "1", "--probe", "global-prior")
COMMANDS: dict[str, tuple[str, ...]] = {
    "a shipped recipe": ("run", "agrawal2017_cvqa", "data.csv"),
    "its seed and shares": ("run", "random", "data.csv", "more.csv", "--seed", "3", "--share", "test=0.25"),
    "three parts in an order": ("run", "random", "data.csv", "--share", "val=0.25", "--share", "dev=1/4"),
    "settings": ("run", "random", "data.csv", "--set", "split.strata=['question_type']", "--by", "image"),
    "an own recipe": ("run", "own.toml", "data.csv"),
    "a named column": ("run", "random", "labelled.csv", "--column", "answer=label", "--new-ids"),
    "files of one name": ("run", "random", "a/rows.csv", "b/rows.csv", "--id-scope", "file"),
    "named files": ("run", "random", "first=data.csv", "second=more.csv", "--id-scope", "file"),
    "a hostile name": ("run", "random", "--", HOSTILE),
    "parts of files": ("audit", "train=data.csv", "test=more.csv", "--check", "id-overlap == 0", "--of", "word-ngrams"),
    "a column of parts": ("audit", "data.csv", "--part-column", "part", "--reference", "b", "--recipe", "how.toml"),
    "random splits": ("audit", "data.csv", "--random-splits", "2", "--test", "0.25", "--by", "image"),
    "a split's folder": ("audit", "data.csv", "--split", "one", "--subsample", "9", "--with", "length-overlap"),
    "readings": ("audit", "train=few.jsonl", "test=others.jsonl", "--reading", "avg-co-pair.unit=classes",
                 "--min-count", "1,unit=images"),
    "a balance": BALANCE,
    "turns and bounds": (*BALANCE, "--bound", "2", "--levels", "local,global", "--keep-near-repeats", "--seed", "2"),
    "columns and types": ("balance", "data.csv", "--global", "question_type", "--rounds", "1", "--type",
                          "part:a=0.6", "--type", "part:b=0.4", "--tolerance", "0.2"),
    "an evaluation": EVALUATE,
    "a comparison of models": (*EVALUATE, "--compare", "other=theirs.csv", "--missing", "wrong", "--train", "more.csv"),
    "scores by part": (*EVALUATE, "--split", "one", "--part", "test", "--seed", "3", "--metric", "cleaned"),
    "probes on a folder": (*PROBE, "--split", "one", "--seed", "1", "--probe", "local-prior,column=question (reduced)"),
    "probes on a recipe": (*PROBE, "--recipe", "random", "--set", "seed=5", "--original-column", "part",
                           "--original-part", "b"),
    "a profile": ("profile", "data.csv", "--tagger", "none"),
    "two profiles": ("profile", "few=data.csv", "few=more.csv", "mine=a/rows.csv", "--tagger", "none", "--tags",
                     "verbs=VERB"),
    "two splits": ("compare", "one", "two"),
    "lists of ids": ("compare", "one/assignment.csv", "two"),
}  # fmt: skip
"""What is asked -> the command, without --out."""


@pytest.mark.parametrize("asked", COMMANDS)
def test_the_command_of_a_page_makes_the_report_again_byte_for_byte(asked, files, command):
    words = COMMANDS[asked]
    at = words.index("--") if "--" in words else len(words)
    ran = command(*words[:at], "--out", OUT, *words[at:])
    assert ran.code in (0, 1), ran
    made = made_again(given())
    assert made.command, made
    if made.recipe:
        Path("recipe.toml").write_text(made.recipe, encoding="utf-8")
        assert "recipe.toml" in made.note
    Path(OUT).rename("before")
    again = command(*shlex.split(made.command)[1:])
    assert again.code == ran.code, (made.command, again)
    assert Path("before/report.json").read_bytes() == Path(OUT, "report.json").read_bytes()
    assert not Path("pwned").exists()
    sentences = opening(given())
    assert all(20 < len(each) <= LONGEST and each.endswith(".") for each in sentences), sentences
    assert [each.name for each in given().report.measures if definition(each.name) is None] == []
    cited = citations(given())
    assert len({line.split(":")[0] for line in cited}) == len(cited)
    assert cited[0].startswith(f"compsplit {VERSION}")


def test_a_name_that_does_not_show_is_written_so_that_bash_takes_it_and_a_reader_sees_it():
    for word in ("a\nb", "\u202etxt.exe", "it's\t\\n", "caf\udce9", "$(touch pwned)", "🙂 \U000e0001"):
        said = quoted(word)
        assert said.isprintable()
        environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
        ran = subprocess.run(["bash", "-c", f"printf %s {said}"], capture_output=True, check=True, env=environment)
        assert ran.stdout == word.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("value", ["1/5", "all", "0", "", " x", "true", 0.5, 3, True, [1, 2], {"a b": "c=d"}, 'q"x'])
def test_a_value_is_said_so_that_a_setting_takes_it(value):
    assert Setting.parse(f"split.key={plain_value(value)}").value == value


def test_a_recipe_as_toml_says_the_same_for_every_shipped_recipe():
    n = 0
    for name in recipe_names():
        try:
            resolved = load(name).resolved
        except CompsplitError:  # it has a variable without a value
            continue
        written = recipe_toml(resolved)
        again = from_mapping(name, tomllib.loads(written)).resolved
        assert canonical_json(again) == canonical_json(resolved), name
        assert part_orders(again) == part_orders(resolved), name
        n += 1
    assert n > 20


def test_what_cannot_be_made_again_is_said_with_its_reason(files, command):
    frame = pandas.read_csv("data.csv", dtype=str)
    api.run("random", frame, out="memory")
    api.measure({"train": frame[:12], "test": frame[12:]}).write("tables")
    for folder in ("memory", "tables"):
        assert made_again(given(folder)) == MadeAgain(
            "", "", "It was made from a table in memory, which no command can name."
        )
    assert "table in memory" in opening(given("memory"))[1]
    alone = read_given([Path("one/report.json")])[0]
    assert made_again(alone).command == ""
    assert "no manifest" in made_again(alone).note


def test_a_file_that_a_recipe_names_is_named_beside_the_command(files, command):
    Path("conditions").mkdir()
    Path("conditions/groups.csv").write_text("class,group\ncone,1\ncube,1\nball,2\ncat,2\n")
    pairs = ("cone", "cube"), ("ball", "cat"), ("cone", "ball"), ("cube", "cat")
    Path("pairs.jsonl").write_text(
        "".join(f"{json.dumps({'id': str(k), 'objects': o})}\n" for k, o in enumerate(pairs))
    )
    settings = ("--set", "split.groups=conditions/groups.csv", "--set", "split.k=2")
    ran = command("run", "uouc_groups", "pairs.jsonl", *settings, "--out", OUT)
    assert ran.code in (0, 1), ran
    made = made_again(given())
    assert "groups.csv" in made.note
    Path(OUT).rename("before")
    shutil.copy("conditions/groups.csv", "groups.csv")
    assert command(*shlex.split(made.command)[1:]).code == ran.code, made
    assert Path("before/report.json").read_bytes() == Path(OUT, "report.json").read_bytes()


def every_report(folder: Path) -> Iterator[Report]:
    """A small report of each kind, with every audit and metric that can be asked for."""
    data, more, mine = (folder / name for name in ("data.csv", "more.csv", "mine.csv"))
    further = [name for name, each in plugins("audit").items() if not each.facts.get("by_default", True)]
    yield api.audit({"train": data, "test": more}, further=further)
    yield api.audit({"train": folder / "few.jsonl", "test": folder / "others.jsonl"}, further=further)
    yield api.describe(data)
    yield api.describe(folder / "few.jsonl")
    yield api.balance(data, groups="question").report
    yield api.evaluate(data, {"a": mine, "b": mine}, train=more, metrics=list(plugins("metric")), replicates=0).report
    yield api.probe(data, part_column="part", halvings=0, random_splits=1, replicates=0).report
    yield api.profile({"a": data, "b": more}, tagger="none").report
    yield api.compare(folder / "one", folder / "two").report
    (folder / "gqa.json").write_text(json.dumps(GQA))
    yield api.describe_programs(folder / "gqa.json").report
    yield api.entail(folder / "gqa.json")


GQA = {
    f"{k:02}": {
        "question": f"Is the cup {said}?", "answer": "yes", "imageId": "1", "isBalanced": True, "entailed": [],
        "equivalent": [], "groups": {"global": None, "local": None}, "annotations": {},
        "types": {"detailed": "verifyAttr", "semantic": "attr", "structural": "verify"},
        "semantic": [{"operation": "select", "dependencies": [], "argument": "cup (1)"},
                     {"operation": "verify color", "dependencies": [0], "argument": said}],
    }
    for k, said in enumerate(("red", "blue"))
}  # fmt: skip


def test_every_measure_of_every_kind_of_report_has_a_definition(files):
    kinds, names = set(), {}
    for report in every_report(files):
        kinds.add(report.subject["kind"])
        names |= {measure.name: report.subject["kind"] for measure in report.measures}
    assert kinds == {"audit", "description", "balance", "evaluation", "probe", "profile", "comparison", "programs",
                     "entailed questions"}  # fmt: skip
    assert {name: kind for name, kind in names.items() if definition(name) is None} == {}


def test_every_measure_that_the_source_names_has_a_definition():
    found = {}
    for path in sorted(Path(compsplit.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if re.search("Measure\\(|RowMean\\(|share_of_rows\\(", text) else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Measure", "RowMean", "share_of_rows"):
                named = [each.value for each in node.keywords if each.arg == "name"] or node.args[:1]
                found |= {each.value: path.name for each in named if isinstance(each, ast.Constant)}
    assert len(found) > 20
    assert {name: file for name, file in found.items() if definition(name) is None} == {}


def test_a_definition_is_a_sentence_with_a_source_and_stands_once():
    names = [name for texts in (*DEFINED.values(), *(group.texts for group in GROUPS)) for name in texts]
    assert sorted(names) == sorted(set(names))
    for name in names:
        found = definition(name)
        assert found is not None
        assert found.source
        assert found.text.endswith(".")
        assert len(found.text) < 400, name
    assert definition("no-such-measure") is None


def test_source_bounds_and_direction_of_an_audit_are_those_of_the_registry():
    coverage = definition("coverage")
    assert coverage is not None
    assert coverage.source == plugin("audit", "coverage").source
    assert coverage.text.endswith("0 to 1; higher is better.")
    assert definition("avg-co-pair").text.endswith("0 or more; lower is better.")
    # Which way is better is said of the measure that an audit is named for.
    assert definition("rows-with-unseen-atoms").text.endswith("0 to 1.")


def split_of(*findings: Finding, left_out: int = 0, measures: tuple[Measure, ...] = (), **subject: Any) -> Report:
    told = {
        "kind": "split", "title": "Mine", "source": "Somebody 2020, arXiv 2001.00001, section 2; compsplit",
        "method": "random", "seed": 7, "rows": 10, "groups": 10, "guarantee": "No group is torn.", "checks": [],
        "reference": "train", "parts": {"test": {"got": 4}, "train": {"got": 6}}, "left out": left_out, **subject,
    }  # fmt: skip
    return Report(told, measures, {}, findings)


def test_the_sentences_of_a_split_say_what_it_is_what_holds_and_what_to_know():
    manifest = {
        "recipe_name": "mine", "parts": ["train", "test"], "inputs": [{"file": "a.csv"}, {"file": "b.csv"}],
        "recipe": {"published": {"figure": [{"measure": "coverage", "value": 1, "place": "here"}]}},
    }  # fmt: skip
    images = Finding(kind="shared-images", count=3, message="3 images are in both. They are old.")
    lost = Measure(name="coverage", of="concepts", value=Undefined("no concept"), n=0, n_unit="rows", unit="fraction")
    report = split_of(
        Finding(kind="decision", count=2, message="2 rows without an answer left out."),
        Finding(kind="odd", count=1, message="1 row is odd."), images, left_out=2, measures=(lost,),
        checks=["group-overlap == 0"],
    )  # fmt: skip
    about, holds, know = opening(Given("my split", report, manifest))
    assert about == (
        "This split, Mine, divides 10 rows of a.csv and b.csv into train 6 and test 4; made by the method random of "
        "the recipe mine with seed 7."
    )
    assert holds == (
        "It guarantees: no group is torn; its check held when it was made (group-overlap == 0); compsplit verify "
        "'my split' --input a.csv --input b.csv proves it again."
    )
    assert know == (
        "Before use: 2 of 12 records (16.7%) are left out (2 rows without an answer left out); 3 images are in both; 1 "
        "row is odd; 1 measure is undefined, first coverage of concepts: no concept; the recipe's 1 published figure "
        "is not held against these rows, which by their counts are not the paper's."
    )


def test_parts_that_were_taken_out_for_validation_are_no_parts_of_the_method():
    torn = Finding(kind="torn-groups", count=2, message="2 groups are in train and in val-iid (group), in 3 rows.")
    images = Finding(kind="shared-images", count=1, message="1 image is in train and in val-ood (image), in 1 row.")
    parts = {part: {"got": 2} for part in ("test", "train", "val-iid", "val-ood")}
    about, holds, know = opening(Given("x", split_of(torn, images, groups=1, parts=parts), {}))
    assert about.endswith(
        "rows of one group stay together in train and test (1 group); val-iid and val-ood were taken out of them "
        "afterwards."
    )
    assert holds.startswith("It guarantees of train and test: no group is torn; ")
    assert know == "Before use: 1 image is in train and in val-ood (image), in 1 row."


def test_an_audit_of_one_table_tells_its_rows_from_what_else_was_read():
    names = {"all": "a.csv", "split": "lists.json", "scenes": "scenes.json"}
    inputs = [{"file": file, "used_as": use} for use, file in names.items()]
    beside = {"file": "objects.json", "beside": "scenes.json", "used_as": "scenes", "sha256": "0"}
    columns = Finding(kind="columns", count=1, message="Columns taken: id = id.")
    told = {"kind": "audit", "rows": 1, "parts": {"test": {"got": 1}}}
    options = {"split": "lists.json", "subsample": 1, "recipe": {}}
    given = Given("x", Report(told, (), {}, (columns,)), {"inputs": [*inputs, beside], "options": options})
    about, holds, know = opening(given)
    assert about == (
        "This audit measures 1 row of a.csv in test 1; joined to scenes of scenes.json; parts by lists.json; a first "
        "look at no more than 1 row of each part."
    )
    assert holds.startswith("An audit measures and guarantees nothing: 0 kinds of measures")
    # How columns were taken is no reason to pause.
    assert know == "The report has no finding to know before use."
    # Where parts are named by files, a part may be called split.
    parts = [{"file": "a.csv", "used_as": "split"}, {"file": "b.csv", "used_as": "test"}]
    given = Given("x", given.report, {"inputs": parts, "options": {"recipe": {}}})
    assert opening(given)[0] == "This audit measures 1 row of a.csv and b.csv in test 1."


def test_a_command_that_has_no_room_in_a_sentence_is_said_in_words():
    files = [{"file": f"a-rather-long-name-{k}.csv"} for k in range(5)]
    near = {"file": "near.csv", "given": "near.csv"}
    _, holds, _ = opening(Given("2 x", split_of(), {"inputs": [*files, near]}, "x"))
    # A split whose page tells it from another by a number has its own name in the command.
    assert holds.endswith("compsplit verify x, with --input and the place of each of its 5 files, proves it again.")
    _, holds, _ = opening(Given("2 x", split_of(), {"inputs": [near]}, "x"))
    assert holds.endswith("; compsplit verify x proves it again.")


def test_splits_of_one_name_are_told_apart_by_a_number_that_no_command_has(files, command):
    for folder in ("x", "y"):
        Path(folder).mkdir()
        assert command("run", "random", "data.csv", "--out", f"{folder}/cvqa").code == 0
    one, other = read_given([Path("x/cvqa"), Path("y/cvqa")])
    assert [one.name, other.name] == ["1 cvqa", "2 cvqa"]
    assert made_again(other).command == "compsplit run random data.csv --format table --out cvqa"
    assert "; compsplit verify cvqa proves it again." in opening(one)[1]


def test_files_that_a_reader_finds_beside_its_inputs_are_named_beside_the_command(files, command):
    ends = {"subject": {"category": 0, "bbox": [1, 2, 3, 4]}, "object": {"category": 1, "bbox": [5, 6, 7, 8]}}
    Path("vrd").mkdir()
    Path("vrd/images.json").write_text(json.dumps({f"{k}.jpg": [{"predicate": 0, **ends}] for k in range(8)}))
    Path("vrd/objects.json").write_text('["man", "horse"]')
    Path("vrd/predicates.json").write_text('["rides"]')
    asked = {
        "run": ("random", "vrd/images.json"), "audit": ("vrd/images.json", "--random-splits", "2"),
    }  # fmt: skip
    for verb, words in asked.items():
        assert command(verb, *words, "--out", verb).code == 0
        (given,) = read_given([Path(verb)])
        again = made_again(given)
        assert "vrd/images.json" in again.command
        assert "objects.json" not in again.command
        assert again.note == (
            "Run it in the folder that holds the files. It needs these files there, too: vrd/objects.json, "
            "vrd/predicates.json."
        )


def test_what_is_broken_stands_first_and_is_named():
    checks = ["group-overlap == 0", "coverage[concepts][train->test] >= 0.9"]
    broken = Finding(
        kind="check", level="fail", count=1, message=f"{checks[1]} does not hold: coverage[concepts] is 0.5 (n = 4)."
    )
    images = Finding(kind="shared-images", count=3, message="3 images are in both.")
    _, holds, know = opening(Given("x", split_of(images, broken, checks=checks), {}))
    assert f"BROKEN when it was made: 1 of 2 checks: {checks[1]}" in holds.replace("check:", "checks:")
    assert "held" not in holds
    assert know.startswith(f"Before use: {checks[1]} does not hold")


def test_nothing_to_know_is_said_and_published_figures_that_stand_beside_are_no_warning():
    report = split_of()
    beside = Table(("measure", "published", "obtained", "place"), (("coverage", 0.5, 0.5, "here"),))
    report = Report(report.subject, (), {"published beside obtained": beside}, ())
    manifest = {"recipe": {"published": {"figure": [{}]}}}
    assert opening(Given("x", report, manifest))[2] == "The report has no finding to know before use."


def test_sentences_stay_short_and_plain_whatever_names_hold():
    evil = "<script>'\"" + "\u202e" * 10_000
    finding = Finding(kind="odd", count=1, message=f"{evil} is odd.")
    report = split_of(finding, title=evil, guarantee=evil, checks=[evil], parts={evil: {"got": 1}})
    for sentence in opening(Given(evil, report, {"recipe_name": evil, "inputs": [{"file": evil}]})):
        assert 20 < len(sentence) <= LONGEST
        assert sentence.isprintable()
    other = opening(Given("x", Report({"kind": "of another version", "verdict": evil}), {}))
    assert all(20 < len(each) <= LONGEST for each in other)


def test_each_work_is_cited_once_with_everything_that_it_is_the_source_of():
    measures = tuple(
        Measure(name=name, of="x", value=0, n=1, n_unit="rows", unit="fraction")
        for name in ("coverage", "avg-co-pair", "weighted-coverage", "id-overlap")
    )
    report = split_of(measures=measures, method="greedy-coverage")
    manifest = {"read": {"format": "daquar"}, "recipe": {"published": {"source": "Somebody 2020, arXiv 2001.00001"}}}
    assert citations(Given("x", report, manifest)) == (
        f"compsplit {VERSION}, the compsplit developers: build and judge compositional train/test splits.",
        "Somebody 2020, arXiv 2001.00001: the method (section 2); published figures.",
        "Agrawal et al. 2017, arXiv 1704.08243: the splitter greedy-coverage (section 3.1); measures coverage, "
        "weighted-coverage.",
        "Malinowski and Fritz 2014, arXiv 1410.0210: the data, or their format daquar.",
        "UOUC: measure avg-co-pair.",
    )


def test_the_citation_file_names_this_version_and_no_person():
    path = Path(__file__).parents[1] / "CITATION.cff"
    told = dict(re.findall(r"^(\S+): (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert told["version"] == VERSION
    assert told["license"] == "Apache-2.0"
    assert told["title"] == "compsplit"
    assert re.findall(r"^  - name: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE) == [
        "The compsplit developers"
    ]

"""Audits of the real files: known figures, and the tables of docs/audits.md, which say what the command prints.

The figures that the files' own publishers or the issue state are written out here; the others are recomputed by loops
that share nothing with the package. COMPSPLIT_WRITE_DOCS=1 writes the tables of the page anew.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import compsplit
from compsplit import api
from compsplit.files import canonical_json
from compsplit.model import Measure, Report, Undefined

pytestmark = pytest.mark.large

PAGE = Path(__file__).parents[1] / "docs" / "audits.md"
SCAN = {
    "simple": "simple_split/tasks_{}_simple.txt",
    "length": "length_split/tasks_{}_length.txt",
    "jump": "add_prim_split/tasks_{}_addprim_jump.txt",
    "around-right": "template_split/tasks_{}_template_around_right.txt",
}


def measure(report: Report, name: str, of: str, unit: str | None = None, part: str = "test") -> Measure:
    (found,) = (
        m for m in report.measures
        if (m.name, m.of, m.part, m.run) == (name, of, part, None) and unit in (None, m.options.get("unit"))
    )  # fmt: skip
    return found


def clevr(data: Path) -> Report:
    folder = data / "clevr" / "too_clevr"
    files = {"train": folder / "CLEVR_train_scenes_1000.json", "test": folder / "CLEVR_val_scenes_500.json"}
    return api.audit(files, format="clevr-scenes")


def visual_genome(data: Path) -> Report:
    table = api.read(data / "visual_genome" / "kgtk" / "vg10.tsv")
    return api.audit(table, random_splits=1, share={"test": "0.3"}, by="image")


def vrd(data: Path) -> Report:
    return api.audit(data / "vrd" / "annotations_test.json", random_splits=5, share={"test": "0.3"}, by="image")


def gqa(data: Path) -> Report:
    return api.audit(data / "gqa" / "graphvqa" / "debug_sceneGraphs.json", random_splits=5, share={"test": "0.5"})


def scan(data: Path, which: str) -> Report:
    files = {part: data / "scan" / SCAN[which].format(part) for part in ("train", "test")}
    return api.audit(files, of=["word-ngrams"])


def nlvr2(data: Path) -> Report:
    return api.audit({part: data / "nlvr" / "nlvr2" / f"{part}.json" for part in ("dev", "test1")})


def text2sql(data: Path, which: str, split: str) -> Report:
    return api.audit(data / "text2sql" / f"{which}.json", part_column=f"{split}_split")


def daquar(data: Path) -> Report:
    folder = data / "daquar"
    return api.audit({"train": folder / "data_train.csv", "test": folder / "data_eval.csv"})


def daquar_official(data: Path) -> Report:
    folder = data / "daquar"
    lists = {part: folder / f"{part}_images_list.txt" for part in ("train", "test")}
    # Two of the listed images have no question.
    return api.audit(folder / "all_qa_pairs.txt", split=lists, by="image", allow_unjoined=True)


def ut_zappos(data: Path) -> Report:
    folder = data / "ut_zappos_czsl"
    return api.audit({part: folder / f"{part}_pairs.txt" for part in ("train", "val", "test")})


AUDITS = {
    "clevr": clevr,
    "visual genome": visual_genome,
    "vrd": vrd,
    "gqa": gqa,
    **{f"scan {which}": (lambda data, which=which: scan(data, which)) for which in SCAN},
    "nlvr2": nlvr2,
    **{
        f"{which} by {split}": (lambda data, which=which, split=split: text2sql(data, which, split))
        for which in ("geography", "scholar")
        for split in ("query", "question")
    },
    "daquar csv": daquar,
    "daquar official": daquar_official,
    "ut-zappos": ut_zappos,
}
"""Name in docs/audits.md -> the audit."""


@pytest.fixture(scope="session")
def reports(shared: Path) -> dict[str, Report]:
    return {name: make(shared / "data") for name, make in AUDITS.items()}


def scenes_of_clevr(path: Path) -> list[list[str]]:
    return [[o["shape"] for o in scene["objects"]] for scene in json.loads(path.read_text())["scenes"]]


def naive_pairs(train: list[list[str]], test: list[list[str]]) -> tuple[Fraction, Fraction]:
    """AvgCoPair and AvgCoPairOcc by loops over objects."""
    counts: Counter[tuple[str, str]] = Counter()
    for scene in train:
        counts.update(itertools.permutations(scene, 2))
    found = [counts[pair] for scene in test for pair in itertools.combinations(scene, 2) if counts[pair]]
    return Fraction(len(found), len(test)), Fraction(sum(found), len(found))


def test_clevr_scenes_agree_with_loops_over_their_objects(reports, shared):
    folder = shared / "data" / "clevr" / "too_clevr"
    train, test = (scenes_of_clevr(folder / f"CLEVR_{name}.json") for name in ("train_scenes_1000", "val_scenes_500"))
    pair, occ = naive_pairs(train, test)
    assert measure(reports["clevr"], "avg-co-pair", "object pairs").value == pair
    assert measure(reports["clevr"], "avg-co-pair-occ", "object pairs").value == occ
    relations = [
        [(o[j], p, o[i]) for p, lists in s["relationships"].items() for i, js in enumerate(lists) for j in js]
        for s in json.loads((folder / "CLEVR_val_scenes_500.json").read_text())["scenes"]
        for o in [[each["shape"] for each in s["objects"]]]
    ]
    # All 36 triples of three shapes and four predicates are in train.
    assert measure(reports["clevr"], "avg-co-rel", "relations").value == Fraction(sum(map(len, relations)), 500)


def test_visual_genome_split_seven_to_three_agrees_with_loops(reports, shared):
    report = reports["visual genome"]
    assert report.subject["parts"]["train"]["got"] == 7
    records = json.loads((shared / "data" / "visual_genome" / "kgtk" / "vg10.tsv").read_text())
    names = {str(r["image_id"]): [" ".join(o["names"][0].lower().split()) for o in r["objects"]] for r in records}
    assert sum(map(len, names.values())) == 376
    table = api.read(shared / "data" / "visual_genome" / "kgtk" / "vg10.tsv")
    made = api.measure(table, random_splits=1, share={"test": "0.3"}, by="image")
    # Which three images are test is told by the culprits' examples alone, so every choice of three is tried.
    value = measure(made.report, "avg-co-pair", "object pairs").value
    occ = measure(made.report, "avg-co-pair-occ", "object pairs").value
    found = [
        naive_pairs([names[i] for i in names if i not in test], [names[i] for i in test])
        for test in itertools.combinations(names, 3)
    ]
    assert (value, occ) in found
    assert len(set(found)) == len(found) == 120


def test_vrd_is_one_object_for_a_category_and_box_and_has_five_random_splits(reports):
    report = reports["vrd"]
    assert report.subject["extraction"]["objects"] == 6735
    assert report.subject["decisions"] == {"relations of an object to itself, left out": 26}
    runs = [m for m in report.measures if m.name == "avg-co-pair" and m.run is not None]
    assert [m.run for m in runs] == [0, 1, 2, 3, 4]
    assert {m.n for m in runs} == {300}
    mean = measure(report, "avg-co-pair", "object pairs")
    assert mean.value == sum((Fraction(m.value) for m in runs), Fraction(0)) / 5
    lines = {row[0]: row for row in report.tables["over random splits"].rows}
    spread = lines["avg-co-pair[object pairs][train->test]"][3]
    numbers = [float(m.value) for m in runs]
    assert spread == pytest.approx((sum((x - float(mean.value)) ** 2 for x in numbers) / 5) ** 0.5, rel=1e-12)


def test_gqa_scene_graphs_are_read_whole(reports):
    extraction = reports["gqa"].subject["extraction"]
    assert (extraction["objects"], extraction["relations"]) == (59, 178)


@pytest.mark.parametrize("which", SCAN)
def test_scan_bigrams_agree_with_a_count_of_words(which, reports, shared):
    parts = []
    for part in ("train", "test"):
        lines = (shared / "data" / "scan" / SCAN[which].format(part)).read_text().splitlines()
        commands = [re.fullmatch(r"IN: (.+) OUT: .+", line.rstrip())[1].split() for line in lines]
        words = Counter(word for command in commands for word in command)
        bigrams = Counter(pair for command in commands for pair in itertools.pairwise(command))
        parts.append((words, bigrams))
    (words, bigrams), (test_words, test_bigrams) = parts
    of = "question word 2-grams"
    report = reports[f"scan {which}"]
    total = sum(test_bigrams.values())
    seen = sum(n for pair, n in test_bigrams.items() if pair in bigrams)
    assert measure(report, "common-compounds", of, "instances").value == Fraction(seen, total)
    novel = [pair for pair in test_bigrams if pair not in bigrams and all(word in words for word in pair)]
    assert measure(report, "novel-compounds", of).value == Fraction(len(novel), len(test_bigrams))

    def divergence(p: Counter[Any], q: Counter[Any], alpha: float) -> float:
        n, m = sum(p.values()), sum(q.values())
        return 1 - sum((p[k] / n) ** alpha * (q[k] / m) ** (1 - alpha) for k in p if k in q)

    atoms = measure(report, "atom-divergence", "question words")
    assert atoms.value == pytest.approx(divergence(words, test_words, 0.5), abs=1e-9)
    compounds = measure(report, "compound-divergence", of)
    assert compounds.value == pytest.approx(divergence(bigrams, test_bigrams, 0.1), abs=1e-9)


def test_nlvr2_has_twenty_five_sentences_in_dev_and_test(reports):
    found = measure(reports["nlvr2"], "question-overlap", "question (exact)", "distinct", part="test1")
    assert (found.value * found.n, found.n) == (25, 1987)
    assert "share 25 question texts" in reports["nlvr2"].verdict


@pytest.mark.parametrize(("which", "shared_queries", "n"), [("geography", 74, 130), ("scholar", 73, 107)])
def test_text2sql_queries_are_in_train_by_the_question_split_alone(which, shared_queries, n, reports):
    by_question = next(
        m for m in reports[f"{which} by question"].measures
        if (m.name, m.of, m.reference, m.part, m.options.get("unit"))
        == ("template-overlap", "query", "train", "test", "distinct")
    )  # fmt: skip
    assert (by_question.value, by_question.n) == (Fraction(shared_queries, n), n)
    by_query = [
        m for m in reports[f"{which} by query"].measures
        if (m.name, m.of, m.reference, m.part) == ("template-overlap", "query", "train", "test")
    ]  # fmt: skip
    assert [m.value for m in by_query] == [0, 0]


def test_daquar_shares_1124_images_by_its_csv_files_and_none_by_its_lists(reports):
    found = measure(reports["daquar csv"], "image-overlap", "image", "distinct")
    assert found.value * found.n == 1124
    official = reports["daquar official"]
    assert measure(official, "image-overlap", "image", "distinct").value == 0
    assert {part: size["got"] for part, size in official.subject["parts"].items()} == {"train": 6795, "test": 5673}


def test_eighteen_of_the_thirty_six_test_pairs_of_ut_zappos_are_in_train(reports):
    found = measure(reports["ut-zappos"], "common-compounds", "attribute-objects", "distinct")
    assert (found.value, found.n) == (Fraction(18, 36), 36)


def said(value: Any) -> str:
    return "undefined" if value is None else f"{value:,.6g}"


_KEPT = (
    "avg-co-pair", "avg-co-pair-occ", "avg-co-rel", "avg-co-rel-occ", "common-compounds", "novel-compounds",
    "rows-with-unseen-atoms", "coverage", "atom-divergence", "compound-divergence", "question-overlap", "qa-overlap",
    "image-overlap", "template-overlap",
)  # fmt: skip
"""Measures that the page shows, in this order."""


def table_of(report: Report) -> str:
    """The page's table of a report: what leaks and what is new between the reference part and each other one."""
    lines = ["| measure | of | parts | value | n |", "| --- | --- | --- | ---: | --- |"]
    kept = [m for m in report.measures if m.name in _KEPT and m.run is None and m.reference != "whole"]
    kept.sort(key=lambda m: _KEPT.index(m.name))
    for m in kept:
        if "normalised" in m.of or (m.options.get("unit") == "distinct" and m.name != "template-overlap"):
            continue
        spread = ""
        if "over random splits" in report.tables:
            row = next(r for r in report.tables["over random splits"].rows if r[0] == m.written)
            spread = "" if row[3] is None else f" ± {row[3]:.3g}"
        value = "undefined" if isinstance(m.value, Undefined) else said(m.number) + spread
        unit = f" ({m.options['unit']})" if m.name == "template-overlap" else ""
        lines.append(f"| {m.name}{unit} | {m.of} | {m.reference} → {m.part} | {value} | {m.n:,} {m.n_unit} |")
    return "\n".join(lines)


@pytest.mark.parametrize("name", AUDITS)
def test_the_page_shows_what_the_command_measures(name, reports):
    text = PAGE.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- table: {re.escape(name)} -->\n\n)(.*?)(\n\n<!-- end -->)", re.DOTALL)
    found = marked.search(text)
    assert found, f"docs/audits.md has no table of {name}"
    table = table_of(reports[name])
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        PAGE.write_text(marked.sub(lambda m: m[1] + table + m[3], text), encoding="utf-8")
        return
    assert found[2] == table


def test_the_function_of_the_package_and_the_command_say_the_same(shared, command):
    folder = shared / "data" / "clevr" / "too_clevr"
    train, test = folder / "CLEVR_train_scenes_1000.json", folder / "CLEVR_val_scenes_500.json"
    printed = command("audit", f"train={train}", f"test={test}", "--format", "clevr-scenes", "--json")
    assert printed.code == 0
    report = compsplit.audit({"train": train, "test": test}, format="clevr-scenes")
    assert printed.out == canonical_json(report.to_json())

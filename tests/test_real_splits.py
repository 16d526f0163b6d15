"""Splits of the real files by the shipped recipes: what each costs in rows, which is the table of docs/choosing.md.

COMPSPLIT_WRITE_DOCS=1 writes the table anew. That a guarantee is kept is asked of the audits, not of the splitter.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from compsplit import api
from compsplit.model import Undefined
from compsplit.recipe.parsing import recipe_names, recipe_text
from compsplit.recipe.running import Run

pytestmark = pytest.mark.large

PAGE = Path(__file__).parents[1] / "docs" / "choosing.md"


@dataclass(frozen=True)
class Case:
    """A recipe on files, and the measure that its method is about."""

    recipe: str
    data: str
    files: tuple[str, ...]
    measure: str
    settings: tuple[str, ...] = ()
    format: str | None = None


SCAN = ("scan/simple_split/tasks_train_simple.txt", "scan/simple_split/tasks_test_simple.txt")
CLEVR = ("clevr/too_clevr/CLEVR_train_scenes_1000.json",)
VRD = ("vrd/annotations_test.json",)
DAQUAR = ("daquar/all_qa_pairs.txt",)
EASY = ("easy_vqa/train/questions.json", "easy_vqa/test/questions.json")
GQA = ("gqa/codevqa/gqa_examples50.json",)
ZAPPOS = tuple(f"ut_zappos_czsl/{part}_pairs.txt" for part in ("train", "val", "test"))

CASES = [
    Case("agrawal2017_cvqa", "DAQUAR", DAQUAR, "qa-overlap[qa (reduced)]"),
    Case("cover", "DAQUAR", DAQUAR, "coverage[concepts]"),
    Case("agrawal2018_vqacp", "DAQUAR", DAQUAR, "type-answer-overlap"),
    Case("agrawal2018_vqacp", "easy-VQA", EASY, "type-answer-overlap"),
    Case("holdout_pairs_clevr", "CLEVR scenes", CLEVR, "rows-with-novel-compounds[object pairs]"),
    Case("johnson2017_cogent_clevr", "CLEVR scenes", CLEVR, "rows-with-novel-compounds[attribute-objects]"),
    Case("uouc_groups_clevr", "CLEVR scenes", CLEVR, "avg-co-pair[object pairs]"),
    Case("uouc_groups_vrd", "VRD", VRD, "avg-co-pair[object pairs]"),
    Case("uouc_groups_questions", "GQA sample", GQA, "common-compounds[mentioned class pairs]"),
    Case("holdout_triples_vrd", "VRD", VRD, "rows-with-novel-compounds[relations]"),
    Case("holdout_hoi", "VRD", VRD, "rows-with-novel-compounds[relations]"),
    Case("czsl_utzappos", "UT-Zappos pairs", ZAPPOS, "rows-with-novel-compounds[attribute-objects]"),
    Case("holdout", "GQA sample, program trees", GQA, "rows-with-novel-compounds", ("extract.of=program-trees",)),
    Case(
        "shaw2021_tmcd",
        "CLOSURE, program trees",
        ("clevr/closure/closure_train_questions.json",),
        "compound-divergence",
        ("extract.of=program-trees",),
    ),
    Case("kervadec2021_gqaood", "GQA sample", GQA, "rows-not-rarer", ("split.group=group_global",)),
    Case("lake2018_addprim_scan", "SCAN", SCAN, "rows-with-lone-words"),
    Case("lake2018_length_scan", "SCAN", SCAN, "length-overlap[answer]"),
    Case("loula2018_template_scan", "SCAN", SCAN, "question-overlap[question (exact)]"),
    Case("keysers2020_mcd_scan", "SCAN", SCAN, "compound-divergence"),
    Case("template_text2sql", "GeoQuery", ("text2sql/geography.json",), "template-overlap"),
    Case("template_questions", "DAQUAR", DAQUAR, "question-overlap[question (reduced)]"),
    Case("unseen_word", "DAQUAR", DAQUAR, "rows-with-unseen-concepts"),
    Case("unseen_object", "VRD", VRD, "rows-with-unseen-concepts[object classes]"),
    Case("inside_scan", "SCAN", SCAN, "rows-with-novel-compounds"),
    Case("intersection_scan", "SCAN", SCAN, "rows-with-novel-compounds"),
    Case("union_scan", "SCAN", SCAN, "rows-with-novel-compounds"),
    Case("by_group", "DAQUAR", DAQUAR, "image-overlap"),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case.recipe}-{case.data}")
def made(request, shared) -> tuple[Case, Run]:
    case: Case = request.param
    return case, api.run(
        case.recipe, *(shared / "data" / file for file in case.files), settings=case.settings, format=case.format
    )


def line_of(case: Case, run: Run) -> str:
    """The line of the page's table."""
    reference, part = run.split.parts[0], run.split.parts[-1] if "test" not in run.split.parts else "test"
    found = next(
        m for m in run.report.measures
        if (m.written.startswith(case.measure) and (m.reference, m.part) == (reference, part))
    )  # fmt: skip
    value = "undefined" if isinstance(found.value, Undefined) else f"{found.number:.4g}"
    n, gone = len(run.table), len(run.table.left_out)
    sizes = run.split.sizes
    return (
        f"| `{case.recipe}` | {case.data} | {n + gone:,} | {sizes[reference]:,} | {sizes[part]:,} | "
        f"{gone:,} ({gone / (n + gone):.0%}) | {found.name}, {found.of}: {value} |"
    )


def test_a_recipe_keeps_its_promises_on_real_files_and_costs_what_the_page_says(made):
    case, run = made
    assert not [finding.message for finding in run.report.findings if finding.level == "fail"]
    joins = run.recipe.split.plugin.name in ("union", "inside")  # which promise what their members do, measured by them
    assert joins or any(check.name != "group-overlap" for check in run.checks), "nothing that can fail is promised"
    line = line_of(case, run)
    text = PAGE.read_text(encoding="utf-8")
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        marked = re.compile(rf"\| `{case.recipe}` \| {re.escape(case.data)} \|.*\n")
        if marked.search(text):
            text = marked.sub(lambda _: line + "\n", text)
        else:
            text = text.replace("\n<!-- end -->", f"{line}\n\n<!-- end -->")
        PAGE.write_text(text, encoding="utf-8")
    assert line in text.splitlines()


def test_the_page_names_every_recipe_and_none_that_there_is_not():
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+)*)`", text))
    for name in recipe_names():
        extended = re.search(r'^extends = "(\w+)"', recipe_text(name), re.MULTILINE)
        assert name in named or (extended and extended[1] in named), f"{name} is on no line of the page"

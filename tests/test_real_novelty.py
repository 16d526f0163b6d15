"""Accuracy by novelty on real questions and on the oracle's: the tables of the documentation, made again."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from compsplit import api
from compsplit.model.report import Report

DOCS = Path(__file__).resolve().parents[1] / "docs" / "evaluating.md"
_BY = ("novelty", "novel pairs", "rows with the rarest pair")


def tables(report: Report, rule: str) -> str:
    """The three tables as Markdown."""
    lines = []
    for by in _BY:
        lines += [f"| {by} | questions | accuracy, % | interval |", "| --- | --- | --- | --- |"]
        for name, n, value, low, high in report.tables[f"accuracy by {by} ({rule})"].rows:
            around = "-" if low is None else f"{low:.2f} to {high:.2f}"
            lines.append(f"| {name} | {n:,} | {value:.2f} | {around} |")
        lines.append("")
    return "\n".join(lines)


def held(name: str, made: str) -> None:
    """Hold a table against the page; COMPSPLIT_WRITE_DOCS=1 writes it anew."""
    text = DOCS.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- novelty: {name} -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL)
    found = marked.search(text)
    assert found is not None
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        DOCS.write_text(marked.sub(lambda old: old[1] + made + old[3], text), encoding="utf-8")
        return
    assert found[2] == made


@pytest.mark.large
def test_novelty_of_daquar_with_the_linear_probe(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "daquar" / "all_qa_pairs.txt"
    api.run("agrawal2017_cvqa", data, out=tmp_path / "cvqa")
    probed = api.probe(data, split=tmp_path / "cvqa", probes=["linear"], random_splits=1, halvings=0)
    probed.write(tmp_path / "probed")
    report = api.evaluate(data, tmp_path / "probed" / "new.linear.csv", split=tmp_path / "cvqa").report
    by_kind = [measure for measure in report.measures if measure.options.get("by") == "novelty"]
    # A split without a shared question-answer pair has no row of a seen group, and every test row has one line.
    assert {measure.options["class"] for measure in by_kind} == {"novel compound of seen atoms", "unseen atom"}
    assert sum(measure.n for measure in by_kind) == report.get("accuracy").n == 4156
    held("daquar", tables(report, "exact"))


def test_novelty_of_the_oracle_set(shared: Path, tmp_path: Path) -> None:
    folder = shared / "oracles" / "gqa_eval" / "main"
    questions, predictions = folder / "val_all_questions.json", folder / "val_all_predictions.json"
    made = api.run("random", questions, by="image", share={"test": "0.5"}, out=tmp_path / "halves")
    report = api.evaluate(questions, predictions, split=tmp_path / "halves", parts=["test"]).report
    balanced = api.read(questions).columns["balanced"].values()
    in_test = set(made.parts["test"])
    n = sum(flag == "true" and name in in_test for flag, name in zip(balanced, made.table.ids.tolist(), strict=True))
    by_kind = [measure for measure in report.measures if measure.options.get("by") == "novelty"]
    assert sum(measure.n for measure in by_kind) == report.get("accuracy").n == n
    held("oracle", tables(report, "gqa official"))

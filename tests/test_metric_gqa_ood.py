"""GQA-OOD: the published program's figures, the curve, and what is said of empty sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gqa_oracle import EXCEPTIONS, answered, ood_figures, read

from compsplit import api
from compsplit.errors import OptionValueError
from compsplit.metrics.gqa_ood import measure
from compsplit.model.answered import Answered, Scored
from compsplit.model.report import Undefined


def oracle_rows(shared: Path) -> Answered:
    folder = shared / "oracles" / "gqa_ood"
    given = json.loads((folder / "predictions.json").read_text("utf-8"))
    return answered(read(folder / "questions.json"), {each["questionId"]: each["prediction"] for each in given})


def value(said: Scored, name: str) -> Any:
    """Return a mean over all rows, the reason where it is undefined."""
    mean = next(mean for mean in said.means if mean.name == name)
    found, _ = mean.over(np.ones(len(mean.scores), dtype=bool))
    return found.reason if isinstance(found, Undefined) else found


def made(folder: Path, *groups: tuple[str | None, Mapping[str, int]], **changes: Any) -> Answered:
    """Return questions of groups with so many of each answer, all predicted as x."""
    rows = [(group, answer) for group, counts in groups for answer, n in counts.items() for _ in range(n)]
    questions = {
        f"q{k}": {"question": "?", "answer": answer, "imageId": "1", "isBalanced": True, "groups": {"local": group}}
        | changes
        for k, (group, answer) in enumerate(rows)
    }
    file = folder / "questions.json"
    file.write_text(json.dumps(questions), "utf-8")
    return answered(read(file), dict.fromkeys(questions, "x"))


SKEWED = (("a", {"x": 9, "y": 1}), ("b", {"x": 5, "y": 5}), ("c", {"x": 4, "y": 4}))


def test_every_figure_of_the_published_program_is_given_but_for_the_listed(shared):
    figures = list(ood_figures(shared / "oracles" / "gqa_ood"))
    names = [each.name for each in figures]
    assert len(set(names)) == len(names) > 1000
    differ = {each.name for each in figures if not each.agrees}
    assert differ == {name for name in names if name in EXCEPTIONS}
    # The last bit decides two_groups there; else only an empty set is another thing.
    assert {name for name in differ if "two_groups" not in name} == {
        "main/alpha 1/accuracy/head/binary",
        "main/alpha 9/accuracy/head",
    }
    expected = json.loads((shared / "oracles" / "gqa_ood" / "expected.json").read_text("utf-8"))
    assert {name.split("/")[1] for name in names if name.startswith("main")} == {
        f"alpha {each['alpha']:g}" for each in expected
    }


def test_the_curve_has_the_accuracies_of_every_alpha(shared):
    expected = json.loads((shared / "oracles" / "gqa_ood" / "expected.json").read_text("utf-8"))
    said = measure(oracle_rows(shared), alphas=tuple(each["alpha"] for each in expected))
    curve = said.tables["accuracy by alpha (gqa-ood)"]
    assert curve.columns == ("alpha", "head questions", "acc-head", "tail questions", "acc-tail")
    for line, each in zip(curve.rows, sorted(expected, key=lambda each: float(each["alpha"])), strict=True):
        assert line[0] == each["alpha"]
        for k, part in ((1, "head"), (3, "tail")):
            assert line[k] == len(each[part])
            assert line[k + 1] == (pytest.approx(each["accuracy"][part]["accuracy"]) if each[part] else None)


def test_the_default_curve_runs_in_tenths(shared):
    alphas = [line[0] for line in measure(oracle_rows(shared)).tables["accuracy by alpha (gqa-ood)"].rows]
    assert alphas == [
        -0.5, -0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
    ]  # fmt: skip


def test_head_and_tail_are_those_of_the_scored_questions_alone(tmp_path):
    # By hand: a has entropy .469, b and c 1; mean .823, deviation .250; a alone is kept, y (1/10 < .6) its tail.
    said = measure(made(tmp_path, *SKEWED))
    assert [value(said, f"acc-{part}") for part in ("all", "head", "tail")] == [90, 100, 0]
    left = next(finding for finding in said.findings if finding.kind == "evenly-answered")
    assert (left.count, left.first) == (18, ("q10", "q11", "q12", "q13", "q14"))
    # Questions that are not scored decide nothing: with those of group a alone, a is what is kept.
    rows = made(tmp_path, *SKEWED)
    scored = np.array(rows.table.columns["group_local"].values()) == "a"
    alone = Answered(table=rows.table, predictions=rows.predictions, not_text=rows.not_text, scored=scored)
    assert value(measure(alone), "acc-all") == 90
    assert [m.n for m in measure(alone).measures if m.name == "entropy-mean"] == [1]
    assert not measure(alone).findings


def test_an_empty_set_is_undefined_with_the_reason(tmp_path):
    rows = made(tmp_path, *SKEWED)
    assert value(measure(rows, alpha=9), "acc-head") == "no answer of 1 kept question group is in the head at alpha 9"
    assert value(measure(rows, alpha=9), "open-head") == "no answer of 1 kept question group is in the head at alpha 9"
    assert value(measure(rows, alpha=-1), "acc-tail") == "no answer of 1 kept question group is in the tail at alpha -1"


def test_data_without_question_groups_are_undefined_with_the_reason(tmp_path):
    said = measure(made(tmp_path, (None, {"x": 9, "y": 1})))
    assert value(said, "acc-all") == "no scored question has a group (group_local)"
    assert {m.name for m in said.measures if isinstance(m.value, Undefined)} >= {"entropy-mean", "distribution-all"}
    assert {m.value for m in said.measures if m.name.startswith("images")} == {0}


def test_another_column_may_hold_the_groups(tmp_path):
    rows = made(tmp_path, *SKEWED, groups={"local": None, "global": "whole"})
    assert value(measure(rows, group="group_global"), "acc-all") == Fraction(1800, 28)


@pytest.mark.parametrize("options", [{"alpha": -1.5}, {"alpha": float("nan")}, {"alphas": (0.2, -2.0)}])
def test_an_alpha_below_minus_one_is_refused(tmp_path, options):
    with pytest.raises(OptionValueError, match=r"gqa-ood\.alpha"):
        measure(made(tmp_path, *SKEWED), **options)


def test_it_is_asked_for_by_name(shared):
    folder = shared / "oracles" / "gqa_ood"
    files = folder / "questions.json", folder / "predictions.json"
    options = {"metrics": ["gqa-ood"], "metric_options": ["gqa-ood.alpha=0"], "replicates": 0}
    report = api.evaluate(*files, **options).report
    assert report.get("acc-tail").number == pytest.approx(100 / 3)
    assert report.get("acc-tail").options["alpha"] == 0
    with pytest.raises(LookupError):
        api.evaluate(*files, replicates=0).report.get("acc-tail")

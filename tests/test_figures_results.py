"""Figures of balances, evaluations, probes and comparisons: which numbers are drawn, and what is not."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.registry import plugin
from compsplit.report.drawing import drawn, inline

HOSTILE = "<script>alert(1)</script>'\"\u202e\\' + datum.x + '"
INTERVALS = {"level": 0.95, "method": "percentile bootstrap by image", "replicates": 1000, "seed": 0}


def figures(name: str, report: Report) -> Any:
    return plugin("figure", name).make(report)


def one(name: str, report: Report) -> Any:
    (figure,) = figures(name, report)
    return figure


def marks(figure: Any) -> list[str]:
    """The tips of the marks of a figure as a page has it."""
    root = ElementTree.fromstring(inline(figure))
    assert float(root.attrib["viewBox"].split()[2]) <= 480
    assert "script" not in {element.tag for element in root.iter()}
    return [element.findtext("title", "") for element in root.iter() if element.get("class") == "mark"]


def outside_data(spec: Any) -> str:
    """Everything of a specification but data and the domains of scales, as text."""
    if isinstance(spec, dict):
        return " ".join(
            f"{key} {outside_data(each)}" for key, each in spec.items() if key not in ("data", "domain", "sort")
        )
    return " ".join(map(outside_data, spec)) if isinstance(spec, list) else str(spec)


# --- reports made by hand


def score(by: str, of_class: str, value: Any, n: int, bounds: Any, model: str | None = None) -> Measure:
    options = {"by": by, "class": of_class, **({} if model is None else {"model": model})}
    note = {} if bounds is None else {"interval": list(bounds)}
    return Measure(
        name="accuracy", of="exact", value=value, n=n, n_unit="questions", unit="%", options=options, note=note
    )


def evaluation(model: str | None = None, of_class: str = "unseen atom") -> Report:
    measures = (
        score("novelty", "seen group", Fraction(75), 8, (50.0, 100.0), model),
        score("novelty", of_class, Fraction(20), 5, None, model),
        score("novelty", "novel compound", Undefined("no row is of it"), 0, None, model),
        score("part", "test", Fraction(50), 13, (40.0, 60.0), model),
    )
    subject = {"kind": "evaluation", "intervals": INTERVALS, "novelty": {"reference": "train"}}
    return Report(subject, measures)


def probed(name: str, probe: str, split: str, value: Any, bounds: Any = None, n: int = 100) -> Measure:
    note = {} if bounds is None else {"interval": list(bounds)}
    return Measure(
        name=name, of="exact", value=value, n=n, n_unit="test rows", unit="%" if name == "accuracy" else "points",
        options={"probe": probe, "split": split, "answer type": "overall"}, note=note,
    )  # fmt: skip


def probe_report(probe: str = "linear", kind: str = "what is") -> Report:
    other = probed("accuracy", probe, "new", Fraction(99))
    by_type = Measure(
        **{name: getattr(other, name) for name in ("name", "of", "value", "n", "n_unit", "unit")},
        options={**other.options, "answer type": "number"},
    )
    measures = (
        probed("accuracy", probe, "random 1", Fraction(30), (28.0, 32.0), 101),
        probed("accuracy", probe, "new", Fraction(20), (18.0, 22.0)),
        probed("drop", probe, "random 1 to new", Fraction(10), (8.0, 12.0)),
        probed("accuracy", "prior", "random 1", Fraction(5)),
        probed("accuracy", "prior", "new", Undefined("no test row")),
        by_type,
    )
    points = Table(
        ("probe", "split", "rows learned from", "accuracy", "low", "high", "test rows"),
        ((probe, "random 1", 50, 10.0, 8.0, 12.0, 101), (probe, "random 1", 100, 30.0, 28.0, 32.0, 101),
         (probe, "new", 50, 9.0, 8.0, 10.0, 100), (probe, "new", 100, None, None, None, 100)),
    )  # fmt: skip
    drops = Table(
        ("probe", "question type", "rows, random 1", "rows, new", "random 1", "new", "drop", "low", "high"),
        ((probe, kind, 60, 70, 40.0, 15.0, 25.0, 20.0, 30.0), ("prior", kind, 60, 70, 10.0, 12.0, -2.0, None, None),
         ("prior", "how many", 30, 20, None, None, None, None, None)),
    )  # fmt: skip
    subject = {"kind": "probe", "intervals": INTERVALS, "least rows of a question type": 20}
    return Report(subject, measures, {"points of the curves": points, "drop by question type": drops})


def balance_report(group: str = "what color", answer: str = "red") -> Report:
    lines = (
        (group, 1, answer, 60, 10), (group, 2, "blue", 30, 10), (group, None, "3 others", 10, 5),
        ("how many", 1, "2", 9, 0), ("how many", 2, "5 others", 1, 0),
    )  # fmt: skip
    lost = (("how many", 10, 0), (group, 100, 95))
    entropy = (("global", "weighted by rows", 1.5, 2.0, 33.333), ("global", "plain, over groups", 1.0, 1.0, 0.0))
    tables = {
        "largest global groups before and after": Table(
            ("group", "place", "answer", "rows before", "rows after"), lines
        ),
        "global groups that lost most rows": Table(("group", "rows before", "rows after"), lost, total=7),
        "entropy in bits": Table(("level", "mean", "before", "after", "rise %"), entropy),
    }
    return Report({"kind": "balance"}, (), tables)


def comparison_report(part: str = "train", measure: str = "coverage[concepts][train->test]") -> Report:
    rows = (
        (part, "x", 6, 0.75, 0.6),
        (part, "y", 2, 0.25, 1.0),
        ("test", "x", 4, 1.0, 0.4),
        ("test", "y", 0, 0.0, 0.0),
    )
    shares = (
        (measure, 0.9, 0.2, -0.7, ""),
        ("qa-overlap[qa (reduced)][train->test]", 0.1, 0.4, 0.3, "unit rows"),
        ("qa-overlap[qa (reduced)][train->test]", 0.1, 0.3, 0.2, "unit distinct"),
    )
    tables = {
        "rows by part": Table(("part in A", "part in B", "rows", "of A", "of B"), rows),
        "shares that differ most": Table(("measure", "A", "B", "B - A", "reading"), shares, total=9),
    }
    splits = {"A": {"name": "old"}, "B": {"name": "new"}}
    return Report({"kind": "comparison", "splits": splits}, (), tables)


EVERY = {
    "accuracy-by-novelty": (evaluation(), evaluation("m", HOSTILE), evaluation(HOSTILE)),
    "probes": (probe_report(), probe_report(HOSTILE)),
    "learning-curves": (probe_report(), probe_report(HOSTILE)),
    "drop-by-question-type": (probe_report(), probe_report(HOSTILE), probe_report(kind=HOSTILE)),
    "balancing": (balance_report(), balance_report(HOSTILE), balance_report(answer=HOSTILE)),
    "parts-compared": (comparison_report(), comparison_report(HOSTILE)),
    "measures-compared": (comparison_report(), comparison_report(measure=HOSTILE)),
}
"""Figure -> a plain report, and hostile ones."""


# --- what all of them promise


@pytest.mark.parametrize("name", EVERY)
def test_names_from_data_are_text_and_never_part_of_a_specification(name):
    for hostile in EVERY[name][1:]:
        figure = one(name, hostile)
        assert "<script" not in outside_data(figure.spec)
        assert "datum" not in outside_data(figure.spec)
        assert any("<script" in tip for tip in marks(figure)), "the name is told somewhere"
        assert "\u202e" not in figure.caption + figure.alt + figure.title


@pytest.mark.parametrize("name", EVERY)
def test_a_report_of_another_kind_or_without_the_numbers_has_no_figure(name):
    plain = EVERY[name][0]
    assert figures(name, Report({**plain.subject, "kind": "split"}, plain.measures, plain.tables)) == ()
    assert figures(name, Report(plain.subject)) == ()


@pytest.mark.parametrize("name", EVERY)
def test_title_caption_and_alt_are_sentences_and_files_can_be_drawn(name):
    figure = one(name, EVERY[name][0])
    assert re.match(r"[A-Z]", figure.title)
    assert figure.caption.endswith(".")
    assert figure.alt.endswith(".")
    assert figure.table.rows
    assert drawn(figure, "svg").startswith(b"<svg")


# --- accuracy by novelty


def test_every_class_has_its_point_and_what_is_undefined_has_none():
    figure = one("accuracy-by-novelty", evaluation())
    assert marks(figure) == [
        "seen group: 75.00 % (50.00 to 100.00), n = 8",
        "unseen atom: 20.00 %, n = 5",
    ]
    assert "Not drawn, since undefined: 1 (first: novel compound, no row is of it)." in figure.caption
    assert "1 of 3 points have no interval" in figure.caption
    assert "Rules are 95 % intervals (bootstrap by image, 1,000 draws)." in figure.caption
    assert figure.table.columns == ("novelty", "questions", "%", "low", "high")
    assert figure.table.rows[2] == ("novel compound", 0, "undefined: no row is of it", None, None)


def test_a_rule_goes_from_the_low_to_the_high_end():
    spec = one("accuracy-by-novelty", evaluation()).spec
    (rules,) = [layer for layer in spec["layer"] if layer["encoding"].get("x2")]
    assert [(each["low"], each["high"]) for each in rules["data"]["values"]] == [(50.0, 100.0)]
    assert (rules["encoding"]["x"]["field"], rules["encoding"]["x2"]["field"]) == ("low", "high")


def test_models_stand_beside_each_other_and_n_is_told_where_it_differs():
    report = evaluation("one")
    second = (score("novelty", "seen group", Fraction(25), 6, (0.0, 50.0), "two"),)
    figure = one("accuracy-by-novelty", Report(report.subject, (*report.measures, *second)))
    assert marks(figure)[-1] == "two, seen group: 25.00 % (0.00 to 50.00), n = 6"
    assert "seen group (6 to 8)" in inline(figure)
    assert figure.table.columns[0] == "model"


# --- probes


def test_probes_are_drawn_over_all_answer_types_on_both_splits():
    figure = one("probes", probe_report())
    assert marks(figure) == [
        "linear, random 1: 30.00 % (28.00 to 32.00), n = 101",
        "linear, new: 20.00 % (18.00 to 22.00), n = 100",
        "prior, random 1: 5.00 %, n = 100",
    ]
    assert "Not drawn, since undefined: 1 (first: prior on new)." in figure.caption
    assert "linear drops most, by 10.00 points (8.00 to 12.00)" in figure.alt
    assert ("linear", "drop", "random 1 to new", 100, 10.0, "points", 8.0, 12.0) in figure.table.rows


def test_the_rows_of_a_mean_of_splits_are_those_of_each():
    measures = (
        probed("accuracy", "prior", "random, mean of 3", Fraction(30), None, 150),
        probed("accuracy", "prior", "new", Fraction(20), None, 1),
    )
    sizes = {"new": 1, "random 1": 150, "random 2": 149, "random 3": 150}
    subject = {"kind": "probe", "splits": {name: {"train": 600, "test": n} for name, n in sizes.items()}}
    drawn_text = inline(one("probes", Report(subject, measures)))
    assert "random, mean of 3 (149 to 150 rows)" in drawn_text
    assert "new (1 row)" in drawn_text


def test_a_curve_has_a_point_for_each_size_and_says_what_is_left_out():
    figure = one("learning-curves", probe_report())
    assert marks(figure) == [
        "linear, random 1, 50 rows: 10.00 % (8.00 to 12.00), n = 101",
        "linear, random 1, 100 rows: 30.00 % (28.00 to 32.00), n = 101",
        "linear, new, 50 rows: 9.00 % (8.00 to 10.00), n = 100",
    ]
    assert "Not drawn, since undefined: 1." in figure.caption
    assert "linear gains most: 10.00 % from 50 rows, 30.00 % from 100." in figure.alt


def test_each_split_has_the_ticks_of_its_own_sizes():
    report = probe_report()
    columns = report.tables["points of the curves"].columns
    rows = [("linear", "random 1", n, 10.0, 8.0, 12.0, 1) for n in (1, 2)]
    rows += [("linear", "new", n, 10.0, None, None, 100) for n in (200_000, 50_000)]
    figure = one("learning-curves", Report(report.subject, (), {"points of the curves": Table(columns, tuple(rows))}))
    panels = figure.spec["hconcat"]
    axes = [panel["layer"][-1]["encoding"]["x"]["axis"] for panel in panels]
    assert [axis["values"] for axis in axes] == [[1, 2], [50_000, 200_000]]
    drawn_text = [each.text for each in ElementTree.fromstring(inline(figure)).iter() if each.text]
    assert {"1", "2", "50k", "200k"} <= set(drawn_text)
    assert "random 1 (1 test row)" in drawn_text
    assert figure.spec["resolve"]["scale"]["y"] == "shared", "accuracy is read across"
    assert marks(figure)[0].startswith("linear, random 1, 1 row:")


def test_drops_are_drawn_by_type_those_that_drop_most_first():
    report = probe_report()
    table = report.tables["drop by question type"]
    further = tuple(("linear", f"type {k}", 50, 50, 10.0, 9.0, 1.0 + k, None, None) for k in range(9))
    both = {**report.tables, "drop by question type": Table(table.columns, (*table.rows, *further))}
    figure = one("drop-by-question-type", Report(report.subject, (), both))
    told = marks(figure)
    assert told[0] == "linear, what is: 40.00 % to 15.00 %, drop 25.00 points (20.00 to 30.00), n = 70"
    assert [f"type {k}" for k in range(9) if any(f" type {k}:" in tip for tip in told)] == [
        "type 2", "type 3", "type 4", "type 5", "type 6", "type 7", "type 8",
    ]  # fmt: skip
    assert "The 8 of 10 types on which a probe drops most." in figure.caption
    assert "Types of fewer than 20 rows in a test part are left out. Not drawn, since undefined: 1." in figure.caption
    assert figure.spec["layer"][-1]["encoding"]["y"]["scale"]["domain"][:2] == ["what is (70)", "type 8 (50)"]


# --- balancing


def test_bars_hold_the_commonest_answers_of_a_group_before_and_after():
    figure = one("balancing", balance_report())
    assert marks(figure) == [
        "what color, before: red 60.0 % (60 of 100)", "what color, before: blue 30.0 % (30 of 100)",
        "what color, before: 3 others 10.0 % (10 of 100)", "what color, after: red 40.0 % (10 of 25)",
        "what color, after: blue 40.0 % (10 of 25)", "what color, after: 3 others 20.0 % (5 of 25)",
        "how many, before: 2 90.0 % (9 of 10)", "how many, before: 5 others 10.0 % (1 of 10)",
    ]  # fmt: skip
    assert "The 2 that had most rows of the 7 groups that lost rows." in figure.caption
    assert "1 of them has no row left, and no lower bar." in figure.caption
    assert "weighted by rows: 1.50 bits before, 2.00 after (+33.3 %)." in figure.caption
    assert figure.table.rows[0] == ("what color", "red", 60, 10, 0.6, 0.4)
    assert figure.table.rows[-1] == ("how many", "5 others", 1, 0, 0.1, None)
    # An answer that is called like the line of the others has its place, and its colour.
    named = [each for layer in figure.spec["layer"] for each in layer["data"]["values"] if each.get("place")]
    assert [each["place"] for each in named[:3]] == ["1st", "2nd", "others"]
    assert named[-1]["place"] == "2nd"


def test_groups_are_told_that_are_all_that_lost_rows():
    report = balance_report()
    lost = Table(("group", "rows before", "rows after"), (("how many", 10, 0), ("what color", 100, 25)))
    figure = one("balancing", Report(report.subject, (), {**report.tables, "global groups that lost most rows": lost}))
    assert "2 groups lost rows; others are not drawn." in figure.caption


# --- two splits compared


def test_every_pair_of_parts_is_a_cell_with_its_rows():
    figure = one("parts-compared", comparison_report())
    assert marks(figure) == [
        "train in A, x in B: 6 of 8 rows (75.0 %)", "train in A, y in B: 2 of 8 rows (25.0 %)",
        "test in A, x in B: 4 of 4 rows (100.0 %)", "test in A, y in B: 0 of 4 rows (0.0 %)",
    ]  # fmt: skip
    # Shades are of the part in A, as the per cent are.
    assert [each["share"] for each in figure.spec["data"]["values"]] == [0.75, 0.25, 1.0, 0.0]
    assert "12 rows in both" in figure.caption
    assert figure.alt.endswith("Most rows, 6 of 12, are in train of A and x of B.")


def test_a_part_of_a_without_rows_has_no_line_and_is_named():
    report = comparison_report()
    rows = (*report.tables["rows by part"].rows, ("val", "x", 0, None, 0.0), ("val", "y", 0, None, 0.0))
    figure = one("parts-compared", Report(report.subject, (), {"rows by part": Table(("a", "b", "n", "s", "t"), rows)}))
    assert len(marks(figure)) == 4
    assert "Parts of A without rows have no line: val." in figure.caption


def test_shares_that_differ_are_pairs_of_points_told_apart_by_what_they_count():
    figure = one("measures-compared", comparison_report())
    assert marks(figure) == [
        *["coverage [concepts]: A 0.9000, B 0.2000, B - A -0.7000"] * 2,
        *["qa-overlap [qa (reduced)], rows: A 0.1000, B 0.4000, B - A +0.3000"] * 2,
        *["qa-overlap [qa (reduced)], distinct: A 0.1000, B 0.3000, B - A +0.2000"] * 2,
    ]
    points = figure.spec["layer"][1]["data"]["values"]
    assert [(each["series"], each["value"]) for each in points[:2]] == [("A: old", 0.9), ("B: new", 0.2)]
    assert "All are of train to test. The 3 of 9 shares that differ" in figure.caption


def test_measures_of_one_name_are_told_apart_in_their_labels():
    reading = "alpha 0.1, counted occurrences"
    rows = (
        ("common-compounds[qa (reduced)][train->test]", 0.4, 0.0, -0.4, "unit instances"),
        ("common-compounds[qa (reduced)][whole->test]", 0.3, 0.0, -0.3, "unit distinct"),
        ("compound-divergence[qa (reduced)][train->test]", 0.2, 0.1, -0.1, reading),
        ("compound-divergence[qa (reduced)][train->test]", 0.2, 0.1, -0.1, "alpha 0.1, counted rows"),
        ("compound-divergence[qa (reduced)][train->test]", 0.2, 0.1, -0.1, "alpha 0.1, counted rows"),
    )
    shares = Table(("measure", "A", "B", "B - A", "reading"), rows)
    figure = one("measures-compared", Report({"kind": "comparison"}, (), {"shares that differ most": shares}))
    told = [each.text for each in ElementTree.fromstring(inline(figure)).iter() if each.text]
    assert [each for each in told if each.startswith(("instances", "distinct", "alpha", "qa", "("))] == [
        "instances, qa (reduced), train to test",
        "distinct, qa (reduced), whole to test",
        "alpha 0.1, counted occurrences, qa (reduced)",
        "alpha 0.1, counted rows, qa (reduced)",
        "alpha 0.1, counted rows, qa (reduced) (2)",
    ]
    assert told.count("common-compounds") == 2
    assert marks(figure)[5] == f"compound-divergence [qa (reduced)] [train to test], {reading}: " \
        "A 0.2000, B 0.1000, B - A -0.1000"  # fmt: skip

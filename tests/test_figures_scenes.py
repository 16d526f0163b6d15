"""Figures of scenes and of profiles: their marks are the numbers of the report, whatever the names in it are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from compsplit.figures.co_occurrence_matrix import co_occurrence_matrix
from compsplit.figures.common_pairs import common_pairs
from compsplit.figures.commonest_pairs import commonest_pairs
from compsplit.figures.object_shares import object_shares
from compsplit.figures.type_shares import type_shares
from compsplit.figures.words_a_question import words_a_question
from compsplit.model import Undefined
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table
from compsplit.report.drawing import drawn, inline

EVERY = (common_pairs, commonest_pairs, co_occurrence_matrix, object_shares, type_shares, words_a_question)
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'; datum.x + event.view.alert(2) //",
    "\u202egnp.exe",
    "a" * 10_000,
    "a" * 10_001,
    "\U0001f9d1\u200d\U0001f680 on 山",
    "{{7*7}}\n{% raw %}",
    "",
)


def report(tables: Mapping[str, Table], measures: tuple[Measure, ...] = (), **subject: Any) -> Report:
    return Report({"kind": "audit", **subject}, measures, tables)


def only(figures: tuple[Figure, ...]) -> Figure:
    (figure,) = figures
    return figure


def tips(figure: Figure) -> list[str]:
    """Return the titles of the marks that a page has."""
    return [each.text or "" for each in ElementTree.fromstring(inline(figure)).iter("title")]


def mean(name: str, of: str, value: Any, n: int, n_unit: str, unit: str, run: int | None = None) -> Measure:
    return Measure(
        name=name, of=of, value=value, n=n, n_unit=n_unit, unit=unit, reference="train", part="test", run=run
    )


# --- the distribution of common pairs over scenes

PAIRS = ("common pairs", "scenes")


def test_common_pairs_are_shares_of_all_scenes_and_the_caption_has_their_means():
    means = (
        mean("avg-co-pair", "object pairs", Fraction(7, 4), 8, "scenes of test", "pairs a scene"),
        mean("avg-co-pair-occ", "object pairs", Undefined("no pair is there"), 0, "pairs", "reference pairs"),
        mean("avg-co-rel", "relations", Fraction(1), 8, "scenes of test", "relations a scene"),
    )
    tables = {"scenes of test by common object pairs": Table(PAIRS, (("0", 4), ("2-3", 3), ("8-15", 1)))}
    figure = only(common_pairs(report(tables, means)))
    assert tips(figure) == [
        "0 common object pairs: 4 of 8 scenes of test (50.0 %)",
        "2-3 common object pairs: 3 of 8 scenes of test (37.5 %)",
        "8-15 common object pairs: 1 of 8 scenes of test (12.5 %)",
    ]
    assert figure.table.rows == (
        ("object pairs", "0", 4, 8, 0.5),
        ("object pairs", "1", 0, 8, 0.0),
        ("object pairs", "2-3", 3, 8, 0.375),
        ("object pairs", "4-7", 0, 8, 0.0),
        ("object pairs", "8-15", 1, 8, 0.125),
    )
    assert "the 8 scenes of test by how many of their object pairs train has as well" in figure.caption
    assert "AvgCoPair: 1.75 pairs a scene (n = 8 scenes of test). AvgCoPairOcc is undefined: no" in figure.caption
    assert "AvgCoRel" not in figure.caption
    assert "4 of 8 scenes of test have no common object pairs; most have 0 (4 scenes)" in figure.alt


def test_kinds_of_pairs_stand_side_by_side_and_a_fourth_in_a_figure_of_its_own():
    kinds = ("object pairs", "relations", "attribute-objects", "attribute pairs")
    tables = {f"scenes of val by common {kind}": Table(PAIRS, (("0", 1), ("1", 2))) for kind in kinds}
    first, second = common_pairs(report(tables))
    assert first.title == "Common object pairs, relations and attribute-objects in scenes of val"
    assert [tip.partition(":")[0] for tip in tips(first)] == [
        f"{n} common {kind}" for kind in kinds[:3] for n in (0, 1)
    ]
    assert len(tips(second)) == 2
    assert first.name != second.name


def test_means_of_a_random_split_are_those_of_its_run_and_not_over_all_runs():
    tables = {"scenes of test by common object pairs (run 0)": Table(PAIRS, (("0", 1), ("1", 2)))}
    means = tuple(
        mean("avg-co-pair", "object pairs", value, 2, "scenes of test", "pairs a scene", run)
        for run, value in ((None, Fraction(9)), (0, Fraction(1)), (1, Fraction(17)))
    )
    figure = only(common_pairs(report(tables, means)))
    assert figure.title.endswith("scenes of test (run 0)")
    assert "AvgCoPair: 1 pairs" in figure.caption
    assert "9" not in figure.caption


def test_a_part_may_be_called_as_what_stands_between_names():
    part = "a by common b of c"
    tables = {f"questions of {part} by common relations": Table(("common triples", "questions"), (("0", 1), ("1", 2)))}
    assert only(common_pairs(report(tables))).title == f"Common relations in questions of {part}"


def test_a_distribution_with_one_class_is_not_drawn():
    assert common_pairs(report({"scenes of test by common object pairs": Table(PAIRS, (("0", 70),))})) == ()


# --- the commonest pairs

COMMON = ("pair", "occurrences in train", "occurrences in test", "example in train", "example in test")


def compounds(*rows: tuple[str, int, int], total: int | None = None) -> Table:
    return Table(COMMON, tuple((*row, "x", "y") for row in rows), total, culprits=True)


def test_common_and_novel_pairs_have_a_bar_in_each_part():
    tables = {
        "common object pairs of test and train": compounds(("a | b", 1200, 30), ("a | c", 7, 20), total=412),
        "novel object pairs of test": compounds(("d | e", 0, 3)),
    }
    figure = only(commonest_pairs(report(tables)))
    told = ["a | b: 1,200 in train, 30 in test", "a | c: 7 in train, 20 in test", "d | e: 0 in train, 3 in test"]
    # The bar of the novel pair in train has no length: it is a mark all the same, without a shape.
    assert [tip for tip in tips(figure) if not tip.startswith("d")] == told[:2] * 2
    assert tips(figure)[-1] == told[2]
    for number in ("1,200", "30", "7", "20", "3"):
        assert f">{number}</text>" in inline(figure)
    assert figure.table.columns == ("object pairs", "kind", "occurrences in train", "occurrences in test")
    assert figure.table.rows == (
        ("a | b", "common", 1200, 30), ("a | c", "common", 7, 20), ("d | e", "novel", 0, 3),
    )  # fmt: skip
    assert "2 of 412 that train has as well; 1 of 1 that train lacks though it has their atoms" in figure.caption
    assert "a scale of its own" in figure.caption
    assert told[0] in figure.alt
    assert told[2] in figure.alt


def test_a_report_that_does_not_say_how_often_train_has_them_has_one_panel_that_says_so():
    columns = ("triple", "occurrences in test", "example in train", "example in test")
    rows = tuple((f"a | on | {k}", 50 - k, "x", "y") for k in range(20))
    figure = only(commonest_pairs(report({"common relations of test and train (run 0)": Table(columns, rows)})))
    assert tips(figure) == [f"a | on | {k}: {50 - k} in test" for k in range(20)]
    assert figure.table.columns == ("relations", "kind", "occurrences in test")
    assert "20 of the 20 that the report lists" in figure.caption
    assert figure.caption.endswith("The report does not say how often train has them.")
    assert figure.title.endswith(": common with train (run 0)")


def test_where_all_are_novel_only_their_part_is_drawn():
    rows = [(f"c{k} | d", 0, 30 - k) for k in range(30)]
    figure = only(commonest_pairs(report({"novel object pairs of test": compounds(*rows)})))
    assert tips(figure) == [f"c{k} | d: 0 in train, {30 - k} in test" for k in range(20)]
    assert len(figure.table.rows) == 30
    assert "20 of 30" in figure.caption


def test_parts_are_read_from_columns_where_names_of_tables_could_be_read_in_two_ways():
    columns = ("pair", "occurrences in b", "occurrences in x of a and b", "example in b", "example in x of a and b")
    tables = {"common object pairs of x of a and b and b": Table(columns, (("p | q", 4, 2, "x", "y"),))}
    assert tips(only(commonest_pairs(report(tables))))[0] == "p | q: 4 in b, 2 in x of a and b"


# --- the matrix of classes

TOGETHER = ("class", "other class", "group", "other group", "train", "test")


def matrix(names: Mapping[str, str | None], counts: Mapping[tuple[str, str], tuple[int, ...]], parts=("train", "test")):
    rows = tuple(
        (one, other, names[one], names[other], *counts.get((one, other), (0,) * len(parts)))
        for at, one in enumerate(names)
        for other in list(names)[at:]
    )
    return Table((*TOGETHER[:4], *parts), rows, 4950)


GROUPED = {"person": "1", "shirt": "1", "dog": "2"}
HELD = {
    ("person", "person"): (1300, 150), ("person", "shirt"): (1123, 0), ("person", "dog"): (0, 40),
    ("shirt", "dog"): (9, 8), ("shirt", "shirt"): (1200, 90), ("dog", "dog"): (12, 60),
}  # fmt: skip


def test_the_matrix_has_train_below_the_diagonal_test_above_it_and_nothing_where_there_is_none():
    figure = only(co_occurrence_matrix(report({"classes together in scenes": matrix(GROUPED, HELD)})))
    values = [(layer["mark"]["type"], layer["data"]["values"]) for layer in figure.spec["layer"]]
    cells = [cell for mark, found in values for cell in found if mark == "rect"]
    # Rows and columns: 24 units a class, 5 between groups. Below the diagonal is what lies lower than it lies right.
    assert [(cell["x"], cell["y"], cell["part"], cell["share"]) for cell in cells] == [
        (0, 24, "train, below", 1.0),
        (24, 53, "train, below", 9 / 1123),
        (53, 0, "test, above", 1.0),
        (53, 24, "test, above", 8 / 40),
    ]
    told = tips(figure)
    assert told[:4] == [
        "person and shirt: 1,123 scenes of train, 0 of test",
        "shirt and dog: 9 scenes of train, 8 of test",
        "person and dog: 0 scenes of train, 40 of test",
        "shirt and dog: 9 scenes of train, 8 of test",
    ]
    assert told[4:] == [
        "person: 1,300 scenes of train, 150 of test",
        "shirt: 1,200 scenes of train, 90 of test",
        "dog: 12 scenes of train, 60 of test",
    ]
    # The diagonal, and a line each way between two groups.
    assert [len(found) for mark, found in values if mark == "rule"] == [3]
    assert ">group 1</text>" in inline(figure)
    assert ">group 2</text>" in inline(figure)
    # 4,950 pairs are those of 99 classes, each with itself as well.
    assert "The 3 commonest of 99 classes, by group" in figure.caption
    assert "stand for 1,123 of train and 40 of test" in figure.caption
    assert "person and shirt (1,123 scenes). Most often together in test: person and dog (40 scenes)" in figure.alt
    assert "1 of their pairs are in both parts" in figure.alt
    assert len(figure.table.rows) == 6


def test_a_matrix_without_groups_has_no_lines_and_no_names_of_groups():
    names = dict.fromkeys(GROUPED)
    figure = only(co_occurrence_matrix(report({"classes together in questions (run 0)": matrix(names, HELD)})))
    assert "group" not in inline(figure)
    assert figure.title == "Classes together in questions of train and test (run 0)"
    assert tips(figure)[0] == "person and shirt: 1,123 questions of train, 0 of test"


def test_each_other_part_has_its_matrix_with_train():
    counts = {pair: (n, 0, m) for pair, (n, m) in HELD.items()}
    table = matrix(GROUPED, counts, ("train", "val", "test"))
    val, test = co_occurrence_matrix(report({"classes together in scenes": table}))
    assert "No two of them are together in val." in val.alt
    assert "person and dog: 0 scenes of train, 40 of test" in tips(test)
    assert val.name != test.name
    assert val.title == "Classes together in scenes of train and val"
    assert test.title == "Classes together in scenes of train and test"


def test_a_full_matrix_leaves_the_rarest_classes_out_and_is_small():
    names = {f"cylinder colour{k:02}": str(k % 3) for k in range(24)}
    order = sorted(names, key=lambda name: (names[name], name))
    counts = {(one, other): (900, 400) for one in names for other in names}
    counts |= {(name, name): (1000 + int(name[-2:]), 500) for name in names}
    table = matrix({name: names[name] for name in order}, counts)
    figure = only(co_occurrence_matrix(report({"classes together in scenes": table})))
    # 20 classes have 190 pairs, in two parts 380 cells; 21 would have 420.
    assert len(tips(figure)) == 380 + 20
    drawn_classes = {tip.partition(":")[0] for tip in tips(figure) if " and " not in tip}
    assert drawn_classes == {f"cylinder colour{k:02}" for k in range(4, 24)}
    assert len(inline(figure).encode()) < 70_000
    assert len(figure.table.rows) == 300


# --- shares by part


def test_shares_of_classes_attributes_and_predicates_are_of_all_that_a_part_has():
    rows = (*((f"class {k}", 100 - k, 2 * k) for k in range(50)), ("1,203 others", 25, 50))
    tables = {
        "object classes by part": Table(("object classes", "train", "test"), rows),
        "attributes by part": Table(("attributes", "train", "test"), (("red", 3, 1), ("blue", 1, 0))),
        "predicates by part (run 0)": Table(("predicates", "train", "test"), (("on", 3, 0), ("in", 1, 2))),
    }
    classes, attributes, predicates = object_shares(report(tables))
    # 3,775 objects of the first 50 classes and 25 others make 3,800 of train, 2,450 and 50 make 2,500 of test.
    told = tips(classes)
    assert told[0].startswith("class 0: 2.6 % of train (100 ")
    assert any(tip.startswith("class 14: 1.1 % of test (28 ") for tip in told)
    assert not any(tip.startswith(("class 15", "1,203")) for tip in told)
    assert "The 15 commonest of 1,253 object classes" in classes.caption
    assert "Share of the objects in each part (3,800 of train, 2,500 of test)." in classes.caption
    assert (classes.title, predicates.title) == (
        "Shares of object classes in each part", "Shares of predicates in each part (run 0)",
    )  # fmt: skip
    assert len(classes.table.rows) == 2 * len(rows)
    assert ("blue", "train", 1, 4, 0.25) in attributes.table.rows
    assert ("in", "test", 2, 2, 1.0) in predicates.table.rows
    assert "relations" in predicates.caption


# --- profiles

SETS = ("words", "daquar", "daquar share", "gqa", "gqa share")


def profile(**tables: Table) -> Report:
    return report({name.replace("_", " "): table for name, table in tables.items()}, kind="profile")


def test_words_of_questions_are_points_of_a_line_for_each_data_set():
    rows = ((3, 1, 0.25, 0, 0.0), (4, 3, 0.75, 5, 1.0))
    figure = only(words_a_question(profile(words_a_question=Table(SETS, rows))))
    assert tips(figure) == [
        "3 words: 25.0 % of daquar (1 of 4)",
        "4 words: 75.0 % of daquar (3 of 4)",
        "3 words: 0.0 % of gqa (0 of 5)",
        "4 words: 100.0 % of gqa (5 of 5)",
    ]
    assert "n: daquar 4; gqa 5" in figure.caption
    assert "not drawn" not in figure.caption
    assert figure.table.rows == rows


def test_a_few_very_long_questions_are_counted_and_not_drawn():
    rows = tuple((k, n, n / 1000) for k, n in enumerate((600, 399, *[0] * 9_990, 1), start=5))
    figure = only(words_a_question(profile(words_a_question=Table(SETS[:3], rows))))
    assert [tip.partition(" of")[0] for tip in tips(figure)] == ["5 words: 60.0 %", "6 words: 39.9 %"]
    assert figure.caption.endswith("Questions with more than 6 words are not drawn: 1 of daquar.")


def test_where_questions_are_long_a_point_stands_for_several_numbers_of_words():
    rows = tuple((k, 2, 0.01) for k in range(11, 111))
    figure = only(words_a_question(profile(words_a_question=Table(SETS[:3], rows))))
    told = tips(figure)
    assert told[:2] == ["11 to 13 words: 3.0 % of daquar (6 of 200)", "14 to 16 words: 3.0 % of daquar (6 of 200)"]
    assert told[-1] == "110 to 110 words: 1.0 % of daquar (2 of 200)"
    assert "A point stands for 3 numbers of words" in figure.caption


def test_types_that_a_data_set_does_not_tell_are_not_drawn_and_said():
    rows = (("choose", None, None, 1, 0.25), ("query", None, None, 3, 0.75))
    table = Table(("structural types", *SETS[1:]), rows)
    steps = Table(("steps (official)", *SETS[1:]), (("2", 1, 1.0, 0, 0.0), ("10", 0, 0.0, 2, 1.0)))
    structural, numbers = type_shares(report({"structural types": table, "steps (official)": steps}, kind="profile"))
    assert tips(structural) == ["choose: 25.0 % of gqa (1 of 4)", "query: 75.0 % of gqa (3 of 4)"]
    assert structural.caption.endswith("(n: gqa 4). Undefined for daquar, which does not tell it.")
    assert "daquar" not in structural.alt
    assert tips(numbers) == ["2: 100.0 % of daquar (1 of 1)", "10: 100.0 % of gqa (2 of 2)"]
    assert "Undefined" not in numbers.caption


# --- all of them


def hostile() -> Report:
    """Return a report in which every name that data can give is hostile: parts, data sets, classes, groups, types."""
    train, test = HOSTILE[0], HOSTILE[2]
    pairs = (f"occurrences in {train}", f"occurrences in {test}", f"example in {train}", f"example in {test}")
    rows = tuple((f"{one} | {other}", 3, 2, one, other) for one in HOSTILE for other in HOSTILE[:3])
    types = tuple((name, 1, 1 / len(HOSTILE), 1, 1 / len(HOSTILE)) for name in HOSTILE)
    sets = (HOSTILE[1], f"{HOSTILE[1]} share", HOSTILE[3], f"{HOSTILE[3]} share")
    return report(
        {
            f"scenes of {test} by common object pairs": Table(PAIRS, (("0", 1), ("1", 2))),
            f"common object pairs of {test} and {train}": Table(("pair", *pairs), rows),
            f"novel object pairs of {test}": Table(("pair", *pairs), rows[:9]),
            "classes together in scenes": matrix(
                dict(zip(HOSTILE, (*HOSTILE[:-1], None), strict=True)),
                {(one, other): (5, 4) for one in HOSTILE for other in HOSTILE},
                (train, test),
            ),
            "object classes by part": Table(("object classes", train, test), tuple((name, 2, 1) for name in HOSTILE)),
            "words a question": Table(("words", *sets), ((1, 2, 0.5, 1, 0.25), (2, 2, 0.5, 3, 0.75))),
            "semantic types": Table(("semantic types", *sets), types),
        },
        (mean("avg-co-pair", "object pairs", Undefined("<b>" * 5000), 3, HOSTILE[3], "pairs"),),
        kind="profile",
    )


def strings(value: Any, under: str = "") -> list[tuple[str, str]]:
    """Return every text in a specification with the key that it stands under."""
    if isinstance(value, Mapping):
        return [each for key, member in value.items() for each in strings(member, str(key))]
    if isinstance(value, list | tuple):
        return [each for member in value for each in strings(member, under)]
    return [(under, value)] if isinstance(value, str) else []


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_hostile_names_are_text_of_a_bounded_length_and_never_code(make: Any):
    figures = make(hostile())
    assert figures
    for figure in figures:
        svg = inline(figure)
        assert len(svg.encode()) < 80_000
        root = ElementTree.fromstring(svg)
        assert {each.tag for each in root.iter()} <= {"svg", "g", "path", "text", "tspan", "title", "line", "rect"}
        assert not any(key.startswith("on") for each in root.iter() for key in each.attrib)
        assert "\u202e" not in svg + figure.caption + figure.alt + figure.title
        assert max(map(len, (figure.caption, figure.alt, figure.title))) < 1500
        assert figure.name.isascii()
        assert max(len(text) for _, text in strings(figure.spec)) < 300
        # Vega takes texts under these keys for names of fields or for code.
        fields = {text for key, text in strings(figure.spec) if key in ("field", "expr", "signal", "test", "calculate")}
        assert fields <= {
            "name", "series", "share", "tip", "of", "numbers", "kind", "reference", "part", "x", "y", "x2", "y2",
            "edge", "at", "label", "words", "set",
        }  # fmt: skip


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_names_that_begin_alike_keep_marks_of_their_own(make: Any):
    # Both names of ten thousand letters are shortened alike; a figure that took them for one would have fewer marks.
    if make in (common_pairs, words_a_question):
        return
    figure = make(hostile())[0]
    labels = {text for key, text in strings(figure.spec) if key in ("name", "label") and text.startswith("aaa")}
    assert len(labels) > 1


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_a_figure_fits_its_column_and_is_the_same_again(make: Any):
    for figure in make(hostile()):
        svg = inline(figure)
        assert float(ElementTree.fromstring(svg).attrib["viewBox"].split()[2]) <= 481
        assert svg == inline(figure)
        assert json.loads(json.dumps(figure.table.to_json()))["columns"] == list(figure.table.columns)
    assert drawn(figure, "svg").startswith(b"<svg")


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_a_report_without_its_tables_has_no_figure(make: Any):
    others = {
        "richness": Table(("part", "scenes"), (("train", 3),)),
        "common words": Table(("word",), (("a",),)),
        "words a question": Table(("words", "a", "a share"), ((1, 2, 1.0),)),
        "structural types": Table(("structural types", "a", "a share"), (("query", 2, 1.0),)),
        "classes together in scenes": Table(TOGETHER, ()),
        "scenes of test by common object pairs": Table(PAIRS, ()),
        "object classes by part": Table(("object classes", "train"), ()),
        "novel object pairs of test": Table(COMMON, ()),
    }
    assert make(report(others)) == ()

"""Figures of splits of questions draw the numbers of a report, and nothing that a name says."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import vl_convert

from compsplit.figures.answer_shares import answer_shares
from compsplit.figures.answers_by_type import answers_by_type
from compsplit.figures.coverage import coverage
from compsplit.figures.drawing import COLOURS, WIDTH, greyed
from compsplit.figures.openings import openings
from compsplit.figures.question_types import question_types
from compsplit.model.figure import Figure
from compsplit.model.report import Finding, Measure, Report, Table
from compsplit.report.drawing import inline

FIGURES = {
    "openings": openings,
    "answers-by-type": answers_by_type,
    "coverage": coverage,
    "answer-shares": answer_shares,
    "question-types": question_types,
}
HOSTILE = (
    "<script>alert(1)</script>",
    "W" * 10_000,
    "W" * 9_999 + "x",
    "\u202ereversed\u2066",
    "datum['tip'] + \"'\"",
    "\U0001f600" * 500,
    "",
    "a.b['c']",
    "line\nbreak\x00\ud800",
)


def measure(name: str, of: str, value: Any, n: int, parts: tuple[str, str], **more: Any) -> Measure:
    return Measure(
        name=name, of=of, value=value, n=n, n_unit="", unit="fraction", reference=parts[0], part=parts[1], **more
    )


def report(
    parts: tuple[str, ...] = ("train", "test"), words: tuple[str, ...] = ("what", "is", "the", "color", "how", "many")
) -> Report:
    """A report of 40 questions in each part, 30 of which begin with the first word.

    Half of these go on with the second word, and 6 of those with the third and fourth; 10 questions begin with the
    fifth, 3 of them with the sixth after it in train and none elsewhere.
    """
    what, is_, the, color, how, many = words
    first, other = parts[:2]
    n = len(parts)
    return Report(
        {"kind": "split", "parts": {part: {"got": 40} for part in parts}},
        (
            measure("commonest-answer-differs", "question types", Fraction(1, 2), 3, (first, other)),
            measure("coverage", "concepts", Fraction(4, 6), 6, (first, other)),
            measure("weighted-coverage", "concepts", Fraction(70, 80), 80, (first, other)),
            measure("total-variation", "answers", Fraction(1, 4), 40, (first, other)),
        ),
        {
            "openings of questions": Table(
                ("word 1", "word 2", "word 3", "word 4", *parts),
                (
                    ("", "", "", "", *(40,) * n),
                    (what, "", "", "", *(30,) * n),
                    (what, is_, "", "", *(15,) * n),
                    (what, is_, the, "", *(6,) * n),
                    (what, is_, the, color, *(6,) * n),
                    (how, "", "", "", *(10,) * n),
                    (how, many, "", "", 3, *(0,) * (n - 1)),
                ),
                18,
            ),
            f"question types of {first} and {other}": Table(
                ("question type", "rows", "rows", "commonest", "commonest", "differs", "total variation", "answers"),
                ((how, 10, 8, is_, is_, False, 0.05, 9), (what, 4, 5, is_, the, True, 0.55, 2)),
            ),
            f"answers by question type, {first} and {other}": Table(
                ("question type", "answer", "rows", "rows"),
                (
                    (how, is_, 5, 4), (how, the, 2, 2), (how, "7 others", 3, 2),
                    (what, is_, 3, 1), (what, the, 1, 4),
                ),
            ),
            f"concepts of {other} unseen in {first}": Table(
                ("concept", "occurrences", "example"), ((what, 7, "q1"), (the, 3, "q2"))
            ),
            "answers": Table(
                ("answers", *parts),
                (
                    (is_, *(20,) * n), (the, *(12,) * n), *((f"a{at:02}", *(1,) * n) for at in range(48)),
                    ("5 others", *(20,) * n),
                ),
            ),
            "answer types": Table(("answer types", *parts), ((how, *(30,) * n), (many, *(10,) * n))),
            "question types": Table(("question types", *parts), ((what, *(30,) * n), (how, *(10,) * n))),
        },
    )  # fmt: skip


def marks(figure: Figure) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the kind of each mark that is drawn, and its item."""

    def within(mark: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for item in mark.get("items", ()):
            if mark["marktype"] == "group":
                for each in item["items"]:
                    yield from within(each)
            else:
                yield mark["marktype"], item

    text = json.dumps(figure.spec)
    is_vega = "/vega/" in figure.spec["$schema"]
    scene = vl_convert.vega_to_scenegraph(text) if is_vega else vl_convert.vegalite_to_scenegraph(text)
    yield from within(scene["scenegraph"])


def arcs(figure: Figure) -> list[dict[str, tuple[float, float]]]:
    """Return, for each sunburst, from where to where each arc reaches, in turns, by what its tooltip says it is."""
    found: list[dict[str, tuple[float, float]]] = []
    for kind, item in marks(figure):
        if kind == "arc":
            # The arcs of a part are drawn one after another, the first at noon in the inner ring.
            if item["startAngle"] < 1e-9 and item["innerRadius"] < 20:
                found.append({})
            name = item["description"].split(":")[0]
            found[-1][name] = (item["startAngle"] / math.tau, item["endAngle"] / math.tau)
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_drawn_with_its_numbers_beside_it(name):
    for figure in FIGURES[name](report()):
        svg = inline(figure)
        assert svg.count('class="mark"') >= 4
        assert figure.table.rows
        assert figure.title
        assert "train" in figure.caption
        assert "train" in figure.alt
        assert float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) <= WIDTH


@pytest.mark.parametrize("name", FIGURES)
def test_a_report_without_the_tables_has_no_figure(name):
    assert FIGURES[name](Report({"kind": "balance"})) == ()


@pytest.mark.parametrize("name", FIGURES)
def test_names_are_text_and_never_code_or_fields(name):
    tame = FIGURES[name](report())
    for at in range(0, len(HOSTILE), 3):
        words = tuple(HOSTILE[(at + step) % len(HOSTILE)] or "x" for step in range(6))
        wild = FIGURES[name](report((HOSTILE[at - 1], HOSTILE[at - 2]), words))
        assert len(wild) == len(tame)
        for figure, known in zip(wild, tame, strict=True):
            assert code(figure.spec) == code(known.spec)
            svg = inline(figure)
            assert "<script" not in svg
            assert "\u202e" not in svg
            assert svg.count('class="mark"') == inline(known).count('class="mark"')
            assert len(svg) < 20_000
            assert len(figure.caption) < 1_000
            assert float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) < WIDTH + 10


def code(spec: Any) -> Any:
    """Return what Vega reads as code or as the name of a field."""
    if isinstance(spec, list):
        return [code(each) for each in spec]
    if not isinstance(spec, dict):
        return None
    read = ("signal", "expr", "calculate", "filter", "field", "test", "as", "key", "parentKey")
    return {
        name: value if name in read and isinstance(value, str) else code(value)
        for name, value in spec.items()
        if name not in ("values", "domain", "sort")
    }


def test_an_arc_is_as_long_as_its_share_and_what_is_left_stays_white():
    train, test = arcs(*openings(report()))
    assert set(train) == {"what", "what is", "what is the", "what is the color", "how", "how many"}
    assert set(test) == set(train) - {"how many"}
    for found in (train, test):
        assert found["what"] == pytest.approx((0, 30 / 40))
        assert found["what is"] == pytest.approx((0, 15 / 40))
        assert found["what is the"] == pytest.approx((0, 6 / 40))
        assert found["what is the color"] == pytest.approx((0, 6 / 40))
        assert found["how"] == pytest.approx((30 / 40, 1))
    assert train["how many"] == pytest.approx((30 / 40, 33 / 40))


def opened(*rows: tuple[Any, ...], parts: tuple[str, ...] = ("a", "b"), total: int | None = None) -> Report:
    """A report of openings alone: words of a prefix with a space between, then how many questions begin so."""
    lines = (((*prefix.split(" "), "", "", "", "")[:4], counts) for prefix, *counts in rows)
    columns = ("word 1", "word 2", "word 3", "word 4", *parts)
    return Report({}, (), {"openings of questions": Table(columns, tuple((*w, *n) for w, n in lines), total)})


def test_prefixes_beyond_the_cap_are_left_white_and_counted():
    # Of 20,000 each; w000 begins 199 of a, w099 100, the last that is 0.5 %.
    rows = [(f"w{at:03}", 199 - at, 0) for at in range(110)]
    (figure,) = openings(opened(("", 20_000, 100), *rows, ("w000 x", 1, 1), total=1000))
    drawn = [item for kind, item in marks(figure) if kind == "arc"]
    assert len(drawn) == 69
    assert drawn[-1]["endAngle"] / math.tau == pytest.approx(sum(199 - at for at in range(69)) / 20_000)
    # "w000 x" begins 1 % of b, but there it follows nothing that is drawn.
    assert "Of 999 beginnings of one to four words the 69 with the greatest share in a part are drawn" in figure.caption
    assert len(figure.table.rows) == 112
    assert figure.table.total == 1000


def test_what_is_chosen_has_the_greatest_share_in_any_part_not_in_all():
    # 70 prefixes are drawn: "rare" begins 2 % of b and less than the others in both parts together.
    both = [(f"w{at:02}", 13, 13) for at in range(75)]
    (figure,) = openings(opened(("", 1000, 1000), *both, ("rare", 0, 20)))
    first, other = ([*found] for found in arcs(figure))
    assert first == [f"w{at:02}" for at in range(69)]
    assert other == [*first, "rare"]


def test_an_arc_too_thin_to_be_seen_is_neither_drawn_nor_counted():
    (figure,) = openings(opened(("", 1000, 1000), ("what", 900, 995), ("how", 5, 4), ("how many", 5, 4), ("is", 4, 0)))
    assert [[*found] for found in arcs(figure)] == [["what", "how", "how many"], ["what"]]
    assert "Of 4 beginnings of one to four words the 3 with the greatest share" in figure.caption
    assert "in each part where it is 0.5 % or more" in figure.caption


@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_the_thinnest_arcs_are_seen_in_every_ring(n_parts):
    prefixes = ("a", "a b", "a b c", "a b c d", "other")
    rows = ((prefix, *((1 if prefix != "other" else 199,) * n_parts)) for prefix in prefixes)
    (figure,) = openings(opened(("", *(200,) * n_parts), *rows, parts=("x", "y", "z")[:n_parts]))
    svg = inline(figure)
    outer = re.findall(r'd="M([-\d.]+),([-\d.]+)A[-\d.]+,[-\d.]+,0,0,1,([-\d.]+),([-\d.]+)', svg)
    assert len(outer) == 4 * n_parts
    assert all(math.dist((float(x), float(y)), (float(to_x), float(to_y))) > 0.4 for x, y, to_x, to_y in outer)


def test_a_report_that_does_not_say_what_was_counted_has_no_sunburst():
    assert openings(opened(("what", 3, 2), ("how", 1, 1))) == ()
    assert openings(opened(("", 0, 0))) == ()
    assert openings(opened(("", 9, 9))) == ()


def test_shares_are_of_the_questions_that_were_counted_not_of_the_rows_of_a_part():
    given = opened(("", 10, 4), ("what", 5, 4))
    told = Report({"parts": {"a": {"got": 999}, "b": {"got": 999}}}, (), given.tables)
    first, other = arcs(*openings(told))
    assert first["what"] == pytest.approx((0, 5 / 10))
    assert other["what"] == pytest.approx((0, 1))


def test_a_first_word_has_one_colour_in_all_parts_and_rings_are_greyer():
    (figure,) = openings(report())
    seen: dict[str, set[str]] = {}
    for kind, item in marks(figure):
        if kind == "arc":
            seen.setdefault(item["description"].split(":")[0], set()).add(item["fill"])
    assert seen["what"] == {COLOURS[0]}
    assert seen["how"] == {COLOURS[1]}
    assert len({*seen["what is"], *seen["what is the"], COLOURS[0]}) == 3


def test_greyed_colours_are_as_light():
    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
        return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for colour in COLOURS:
        for share in (0.18, 0.34, 0.48):
            assert light(greyed(colour, share)) == pytest.approx(light(colour), abs=0.004)
            assert 1.05 / (light(greyed(colour, share)) + 0.05) > 4.5


def test_of_many_parts_the_first_and_the_two_greatest_are_drawn():
    parts = ("train", "a", "b", "none", "test")
    (figure,) = openings(opened(("", 5, 10, 30, 0, 20), ("what", 5, 1, 3, 0, 2), parts=parts))
    assert [found["what"][1] for found in arcs(figure)] == [pytest.approx(each) for each in (1, 0.1, 0.1)]
    assert "(5 of train, 30 of b, 20 of test)" in figure.caption
    assert "Drawn are train, b, test: of 5 parts the first that has questions, and those with most." in figure.caption
    assert figure.table.columns[4:9] == parts


def test_a_sample_is_told():
    given = report()
    finding = Finding(kind="sampled-questions", count=100, message="A sample.")
    assert "at random" not in openings(given)[0].caption
    (figure,) = openings(Report({}, (), given.tables, (finding,)))
    assert "(40 of train, 40 of test; at most 40 of each part, taken at random)" in figure.caption
    # Audits of random splits have no finding of one of them, but the reading stands with its measures.
    tables = {"openings of questions (run 0)": given.tables["openings of questions"]}
    for run, most, told in ((0, 40, True), (0, 41, False), (1, 40, False), (0, None, False)):
        options = {} if most is None else {"most_questions": most}
        of_run = measure("total-variation", "first word", 0.5, 40, ("train", "test"), run=run, options=options)
        assert ("at most 40 of each part" in openings(Report({}, (of_run,), tables))[0].caption) is told


def test_the_name_of_a_part_has_the_room_of_its_sunburst():
    parts = ("validation of a long name" * 3, "W" * 100, "test")
    (figure,) = openings(report(parts))
    named = [item for kind, item in marks(figure) if kind == "text" and isinstance(item["text"], list)]
    assert [item["text"][1] for item in named] == ["40 questions"] * 3
    assert [len(item["text"][0]) for item in named] == [24, 24, 4]
    assert all(item["limit"] < WIDTH / 3 for item in named)


def test_types_with_most_rows_are_shown_with_the_greatest_shift_first():
    kinds = [(f"type {at:02}", 100 - at, 50 - at, "a", "b", True, at / 100, 2) for at in range(20)]
    parts = ("train", "test")
    given = Report(
        {},
        (measure("commonest-answer-differs", "question types", Fraction(1), 33, parts),),
        {
            "question types of train and test": Table(("",) * 8, tuple(kinds)),
            "answers by question type, train and test": Table(
                ("",) * 4, tuple((name, each, n // 2, m // 2) for name, n, m, *_ in kinds for each in "ab")
            ),
        },
    )
    (figure,) = answers_by_type(given)
    named = [item["text"] for kind, item in marks(figure) if kind == "text"]
    assert [each for each in named if each.startswith("type")] == [f"type {at:02}" for at in range(13, -1, -1)]
    assert "Of 33 question types that both parts have, the 14 with most rows" in figure.caption
    assert "37 or more" in figure.caption
    assert len(figure.table.rows) == 20 * 2 * 2


def test_bars_of_answers_are_their_shares_and_others_are_told():
    (figure,) = answers_by_type(report())
    segments = {each["tip"]: each for each in figure.spec["data"]["values"]}
    assert list(segments) == [
        "what, train: is 75.0 % (3 of 4)",
        "what, train: the 25.0 % (1 of 4)",
        "what, test: is 20.0 % (1 of 5)",
        "what, test: the 80.0 % (4 of 5)",
        "how, train: is 50.0 % (5 of 10)",
        "how, train: the 20.0 % (2 of 10)",
        "how, train: other answers (7 in both) 30.0 % (3 of 10)",
        "how, test: is 50.0 % (4 of 8)",
        "how, test: the 25.0 % (2 of 8)",
        "how, test: other answers (7 in both) 25.0 % (2 of 8)",
    ]
    third = segments["how, train: other answers (7 in both) 30.0 % (3 of 10)"]
    assert (third["from"], third["to"], third["text"]) == (0.7, 1.0, "others")
    assert [each["tip"] for each in segments.values() if each["rest"]] == [
        each for each in segments if "other answers" in each
    ]
    # "is" has one colour in both types, "the" another.
    assert len({each["colour"] for tip, each in segments.items() if ": is" in tip}) == 1
    assert len({each["colour"] for tip, each in segments.items() if "other answers" not in tip}) == 2
    assert figure.table.rows[0] == ("what", "train", "is", 3, 4, 0.75, 0.55)
    assert "'what': total variation 0.550, commonest answer 'is' in train and 'the' in test" in figure.alt
    texts = [item["text"] for kind, item in marks(figure) if kind == "text"]
    assert {"train 4", "test 5", "train 10", "test 8", "0.550", "0.050"} <= set(texts)


def typed(lines: dict[str, tuple[tuple[str, int, int], ...]], n_answers: int | None = None) -> Figure:
    """The figure of types with these lines of answers, of a report that says how many answers a type has, or not."""
    kinds = tuple(
        (
            kind,
            sum(n for _, n, _ in some),
            sum(m for *_, m in some),
            "",
            "",
            True,
            0.0,
            *([n_answers] * bool(n_answers)),
        )
        for kind, some in lines.items()
    )
    answers = tuple((kind, *line) for kind, some in lines.items() for line in some)
    tables = {
        "question types of train and test": Table(("",) * len(kinds[0]), kinds),
        "answers by question type, train and test": Table(("",) * 4, answers),
    }
    of = measure("commonest-answer-differs", "question types", Fraction(1), len(kinds), ("train", "test"))
    (figure,) = answers_by_type(Report({}, (of,), tables))
    return figure


def rests(figure: Figure) -> list[str]:
    return [each["tip"].split(": ")[1] for each in figure.spec["data"]["values"] if each["rest"]]


def test_an_answer_that_is_called_others_is_no_rest():
    lines = (("yes", 5, 5), ("3 others", 1, 0))
    assert rests(typed({"is it": lines}, 2)) == []
    assert rests(typed({"is it": lines}, 4)) == ["other answers (3 in both) 16.7 % (1 of 6)"]
    # Before, the sixth line was the rest.
    assert rests(typed({"is it": lines})) == []
    six = (*((f"a{at}", 1, 0) for at in range(5)), ("3 others", 5, 2))
    assert rests(typed({"is it": six})) == [
        "other answers (3 in both) 50.0 % (5 of 10)",
        "other answers (3 in both) 100.0 % (2 of 2)",
    ]


def test_a_type_without_a_name_is_called_empty_in_italics():
    figure = typed({"": (("yes", 1, 1),), "(empty)": (("no", 1, 1),)}, 1)
    named = {item["text"]: item["fontStyle"] for kind, item in marks(figure) if kind == "text" and "fontStyle" in item}
    assert named == {"(empty)": "italic", "(empty) (2)": "normal"}
    tips = [each["tip"] for each in figure.spec["data"]["values"]]
    assert tips[0] == "(empty), train: yes 100.0 % (1 of 1)"
    assert "in '(empty)'" in figure.alt


def test_an_answer_without_text_is_called_empty():
    bar, _ = typed({"what": (("", 1, 1),)}, 1).spec["data"]["values"]
    assert (bar["text"], bar["tip"]) == ("(empty)", "what, train: (empty) 100.0 % (1 of 1)")


def test_more_answers_than_colours_do_not_meet_in_one_colour():
    # The tenth answer must share a colour, but not with the first, which it meets in test.
    lines = tuple((f"a{at}", 20 - at, {0: 1000, 9: 1}.get(at, 0)) for at in range(10))
    figure = typed({"what": lines}, 10)
    for lower in (0, 1):
        bar = [each["colour"] for each in figure.spec["data"]["values"] if each["lower"] == lower]
        assert all(one != other for one, other in pairwise(bar))
    assert "different answers may share one" in figure.caption


def test_answers_of_one_type_have_different_colours():
    kinds = [f"t{at}" for at in range(12)]
    answers = [[f"a{(3 * at + step * (at + 1)) % 23}" for step in range(5)] for at in range(12)]
    given = Report(
        {},
        (measure("commonest-answer-differs", "question types", Fraction(1), 12, ("train", "test")),),
        {
            "question types of train and test": Table(
                ("",) * 8, tuple((k, 15, 15, "", "", True, 0.0, 5) for k in kinds)
            ),
            "answers by question type, train and test": Table(
                ("",) * 4,
                tuple(
                    (k, a, 5 - at, at + 1) for k, some in zip(kinds, answers, strict=True) for at, a in enumerate(some)
                ),
            ),
        },
    )
    (figure,) = answers_by_type(given)
    for at in range(12):
        bar = [each["colour"] for each in figure.spec["data"]["values"] if (each["type"], each["lower"]) == (at, 0)]
        assert len(bar) == len(set(bar)) == 5


def test_a_split_grouped_by_another_column_has_the_figure_as_well():
    given = report()
    grouped = measure(
        "commonest-answer-differs", "values of c, d", Fraction(1), 2, ("train", "test"), options={"group": "c, d"}
    )
    tables = {
        "values of c, d of train and test": given.tables["question types of train and test"],
        "answers by value of c, d, train and test": given.tables["answers by question type, train and test"],
    }
    (figure,) = answers_by_type(Report({}, (grouped,), tables))
    assert figure.title == "Answers of each value of c, d in train and test"


def test_coverage_shows_what_is_unseen_and_how_much():
    (figure,) = coverage(report())
    above, below = (each["data"]["values"] for each in figure.spec["vconcat"])
    assert [(each["what"], each["count"]) for each in above] == [
        ("distinct", 4), ("distinct", 2), ("occurrences", 70), ("occurrences", 10),
    ]  # fmt: skip
    assert [(each["name"], each["count"]) for each in below] == [("what", 7), ("the", 3)]
    assert "4 of 6 distinct concepts of test (66.7 %)" in figure.caption
    assert "70 of 80 occurrences (87.5 %)" in figure.caption
    assert "Below: the 2 that never occur in train." in figure.caption
    assert figure.table.rows == (
        ("all of test", 6, 80, None),
        ("all that train shows", 4, 70, None),
        ("all that train never shows", 2, 10, None),
        ("what", 1, 7, "q1"),
        ("the", 1, 3, "q2"),
    )


def test_unseen_concepts_that_are_not_drawn_are_counted():
    rows = tuple((f"c{at}", 9, None) for at in range(20))
    given = Report(
        {},
        (
            measure("coverage", "concepts", Fraction(70, 100), 100, ("train", "test")),
            measure("weighted-coverage", "concepts", Fraction(3, 4), 1000, ("train", "test")),
        ),
        {"concepts of test unseen in train": Table(("concept", "occurrences", "example"), rows, 30)},
    )
    (figure,) = coverage(given)
    assert "the 15 commonest of the 30 that never occur in train; the other 15 occur 115 times" in figure.caption
    assert figure.table.total == 33


def test_in_an_audit_of_random_splits_the_first_is_drawn():
    given = report()
    runs = [
        dataclasses.replace(old, run=run, value=float(old.value) if run is None else old.value)
        for run in (None, 0, 1)
        for old in given.measures
    ]
    tables = {f"{name} (run 0)": table for name, table in given.tables.items()}
    for name, make in FIGURES.items():
        drawn = make(Report(given.subject, tuple(runs), tables))
        assert [len(each.table.rows) for each in drawn] == [len(each.table.rows) for each in make(given)], name
        assert all(each.title.endswith(" (run 0)") for each in drawn), name


def test_an_answer_that_is_called_others_is_an_answer():
    (answers,) = answer_shares(Report({}, (), {"answers": Table(("answers", "a"), (("yes", 3), ("3 others", 1)))}))
    assert [each["name"] for each in answers.spec["data"]["values"]] == ["yes", "3 others"]
    assert "commonest of" not in answers.caption


def test_a_value_without_a_name_is_called_empty():
    (answers,) = answer_shares(Report({}, (), {"answers": Table(("answers", "a"), (("", 3), ("yes", 1)))}))
    assert [each["name"] for each in answers.spec["data"]["values"]] == ["(empty)", "yes"]
    assert "'(empty)' in a" in answers.alt


def test_shares_are_of_all_rows_of_a_part_that_have_a_value():
    answers, types = answer_shares(report())
    assert [(each["name"], each["series"], each["share"]) for each in answers.spec["data"]["values"]][:4] == [
        ("is", "train", 0.2), ("is", "test", 0.2), ("the", "train", 0.12), ("the", "test", 0.12),
    ]  # fmt: skip
    assert "Share of the rows with a value in each part (100 of train, 100 of test)." in answers.caption
    assert "The 15 commonest of 55 answers; the others, which are not drawn, are 55.0 % of train, 55.0 % of test." in (
        answers.caption
    )
    assert "Total variation, over all answers: 0.250 between train and test." in answers.caption
    assert answers.table.rows[-1] == ("5 others", "test", 20, 100, 0.2)
    assert answers.table.columns == ("answers", "part", "count", "rows with a value in the part", "share")
    assert [(each["name"], each["share"]) for each in types.spec["data"]["values"]][::2] == [
        ("how", 0.75),
        ("many", 0.25),
    ]
    (kinds,) = question_types(report())
    assert kinds.title == "Shares of question types in each part"
    assert "'what' in train (75.0 %)" in kinds.alt


def test_an_empty_part_is_not_divided_by():
    given = Report({}, (), {"answers": Table(("answers", "train", "test"), (("a", 3, 0), ("b", 1, 0)))})
    (figure,) = answer_shares(given)
    assert {each["series"] for each in figure.spec["data"]["values"]} == {"train"}
    assert figure.table.rows[1] == ("a", "test", 0, 0, None)


def test_names_that_begin_alike_have_a_bar_each():
    given = report(words=("W" * 10_000, "b", "W" * 9_999 + "x", "d", "e", "f"))
    (figure,) = coverage(given)
    bars = [item for kind, item in marks(figure) if kind == "rect" and "W" in item.get("description", "")]
    assert len({bar["y"] for bar in bars}) == 2

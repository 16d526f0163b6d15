"""VQA accuracy: the official figures, and what is said where a rule surprises."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vqa_oracle import EXCEPTIONS, Figure, answered, figures, read

from compsplit.metrics import vqa_2017, vqa_2021, vqa_always_clean
from compsplit.metrics.vqa_normalising import CONTRACTIONS, clean, normalised, with_digits, without_punctuation
from compsplit.metrics.vqa_scoring import points_of
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Column
from compsplit.model.report import Undefined
from compsplit.registry import plugin


def people(*answers: str | Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return answer records as VQA's files have them, with ids of their own."""
    return [
        {"answer": each, "answer_confidence": "yes", "answer_id": number} if isinstance(each, str) else dict(each)
        for number, each in enumerate(answers, start=1)
    ]


def asked(folder: Path, *questions: tuple[str | None, Sequence[Mapping[str, Any]]], **fields: Any) -> Answered:
    """Return questions, each with its prediction and answer records; None predicts nothing."""
    file = folder / "annotations.json"
    records = [
        {"question_id": number, "image_id": 1, "answers": records, **fields}
        for number, (_, records) in enumerate(questions, start=1)
    ]
    file.write_text(json.dumps(records), encoding="utf-8")
    table = read(file)
    return Answered(
        table=table,
        predictions=Column.of([prediction for prediction, _ in questions]),
        not_text=np.zeros(len(table), dtype=bool),
        scored=np.ones(len(table), dtype=bool),
    )


def of_questions(said: Scored) -> list[Fraction]:
    """Return the exact accuracy of each question."""
    (mean,) = said.means
    assert mean.whole is not None
    return [Fraction(round(score * mean.whole), mean.whole) for score in mean.scores.tolist()]


def overall(said: Scored) -> object:
    (mean,) = said.means
    value, _ = mean.over(np.ones(len(mean.scores), dtype=bool))
    return value.reason if isinstance(value, Undefined) else value


def findings(said: Scored) -> dict[str, tuple[int, tuple[Any, ...]]]:
    return {finding.kind: (finding.count, finding.first) for finding in said.findings}


# The official program's own figures


@pytest.fixture(scope="module")
def oracle(shared: Path) -> list[Figure]:
    return list(figures(shared / "oracles/vqa_eval"))


@pytest.mark.large
def test_every_official_figure_agrees_but_those_that_are_listed(oracle: list[Figure]) -> None:
    assert {each.name for each in oracle if not each.agrees} == set(EXCEPTIONS)
    assert len(oracle) == 2896


@pytest.mark.parametrize(
    ("start", "least"),
    [
        ("normalise_strings/", 3 * 473),
        ("normalise_contractions/", 301),
        ("main/2021_head/evalQA/", 120),
        ("main/2017_release/evalQA/", 120),
        ("main_precision_10/2021_head/", 20),
        ("first_30_questions/2017_release/", 18),
        ("edge_cases/no_answer_ids/", 10),
    ],
)
def test_no_official_figure_is_passed_over(oracle: list[Figure], start: str, least: int) -> None:
    assert sum(each.name.startswith(start) for each in oracle) == least


def test_the_two_releases_differ_on_20_of_the_120_questions(shared: Path) -> None:
    folder = shared / "oracles/vqa_eval"
    rows = answered(
        read(folder / "questions.json", folder / "annotations.json"), json.loads((folder / "results.json").read_text())
    )
    head, release = vqa_2021.measure(rows).means[0].scores, vqa_2017.measure(rows).means[0].scores
    assert int((head != release).sum()) == 20


def test_case_19_official_rule_cleans_nothing_where_all_agree(shared: Path) -> None:
    folder = next(shared.glob("cases/19*"))
    expected = json.loads((folder / "expected.json").read_text())
    rows = answered(read(folder / "annotations.json"), json.loads((folder / "results.json").read_text()))
    said = {"official": vqa_2021.measure(rows), "always_clean": vqa_always_clean.measure(rows)}
    for rule, found in said.items():
        wanted = dict(expected[rule])
        assert overall(found) == wanted.pop("overall")
        assert dict(zip(rows.table.ids.tolist(), of_questions(found), strict=True)) == wanted
    assert [each.value for each in said["official"].measures] == [expected["differ"]]
    assert findings(said["official"])["rules-differ"] == (1, ("7004000",))
    (told,) = (each.message for each in said["official"].findings if each.kind == "rules-differ")
    assert "vqa 2021-head" in told
    assert "vqa-always-clean` gives 100.00 %" in told


@pytest.mark.parametrize("file", ["annotations.json", "annotations-without-answer-id.json"])
@pytest.mark.parametrize("results", ["a", "b"])
def test_case_21_answers_count_by_position_with_and_without_ids(shared: Path, file: str, results: str) -> None:
    folder = next(shared.glob("cases/21*"))
    expected = json.loads((folder / "expected.json").read_text())[f"results_{results}"]
    rows = answered(read(folder / file), json.loads((folder / f"results-{results}.json").read_text()))
    found = dict(zip(rows.table.ids.tolist(), map(float, of_questions(vqa_2021.measure(rows))), strict=True))
    assert {name: round(score, 4) for name, score in found.items()} == expected


def test_case_21_dropping_equal_records_gives_the_wrong_figures_of_the_report(shared: Path) -> None:
    folder = next(shared.glob("cases/21*"))
    rows = answered(
        read(folder / "annotations-without-answer-id.json"), json.loads((folder / "results-a.json").read_text())
    )
    assert of_questions(vqa_2021.measure(rows, equal_records="drop"))[0] == Fraction(1, 5)
    assert "equal-records" in findings(vqa_2021.measure(rows))


# Normalising


def test_a_contraction_lacks_one_apostrophe_never_two() -> None:
    assert len(CONTRACTIONS) == 114
    assert with_digits("couldnt've couldn'tve couldntve") == "couldn't've couldn't've couldntve"


def test_the_official_table_has_one_entry_the_wrong_way_round() -> None:
    assert with_digits("somebody'd somebodyd") == "somebodyd somebodyd"


def test_only_the_first_32_full_stops_go() -> None:
    assert without_punctuation("a" + "." * 40) == "a" + "." * 8
    assert without_punctuation("2.5." + "." * 32) == "2.5."


def test_a_mark_beside_a_space_anywhere_goes_everywhere_and_no_other_does() -> None:
    assert without_punctuation("a-b -c/d") == "ab c d"


def test_letters_are_lowered_one_by_one_as_python_2_does() -> None:
    assert with_digits("ΟΔΟΣ İ") == "οδοσ i"


def test_what_python_2_took_for_white_space_is_white_space() -> None:
    assert clean("\u180e\u3000two\n\u180e") == "two"
    assert with_digits("Ä\u180etwo") == "ä 2"


@given(st.text(alphabet="ab1, .;-'\u00e9\u0130 TWOthe", max_size=12))
def test_steps_are_those_of_the_description(text: str) -> None:
    comma = any(a.isdigit() and b == "," and c.isdigit() for a, b, c in zip(text, text[1:], text[2:], strict=False))
    outcome = text
    for mark in ';/[]"{}()=+\\_-><@`,?!':
        gone = comma or mark + " " in text or " " + mark in text
        outcome = outcome.replace(mark, "" if gone else " ")
    stops = [i for i, c in enumerate(outcome) if c == "." and not outcome[i + 1 : i + 2].isdigit()]
    assert without_punctuation(text) == "".join(c for i, c in enumerate(outcome) if i not in stops)


# Accuracy


def naive(prediction: str, records: Sequence[Mapping[str, Any]], rule: str, drop: bool) -> Fraction:
    """Return one question's accuracy, from the description, record by record."""
    records = [dict(each) for each in records]
    if rule != "2017":
        for each in records:
            each["answer"] = clean(each["answer"])
    same = len({each["answer"] for each in records}) == 1
    if rule == "always-clean" or not same:
        for each in records:
            each["answer"] = (without_punctuation if rule == "2017" else normalised)(each["answer"])
    prediction = clean(prediction)
    if rule != "2021" or not same:
        prediction = normalised(prediction)
    total = Fraction(0)
    for place, left_out in enumerate(records):
        others = [each for k, each in enumerate(records) if (each != left_out if drop else k != place)]
        total += min(Fraction(1), Fraction(sum(each["answer"] == prediction for each in others), 3))
    return total / len(records)


answer_texts = st.sampled_from(["2", "two", " two\n", "Two.", "a cat", "cat", "the", "dont", "don't", "t-shirt", ""])
answer_records = st.fixed_dictionaries(
    {"answer": answer_texts},
    optional={"answer_confidence": st.sampled_from(["yes", "no"]), "answer_id": st.integers(1, 4)},
)
RULES = {"2021": vqa_2021.RULE, "2017": vqa_2017.RULE, "always-clean": vqa_always_clean.ALWAYS_CLEAN}


@given(st.lists(st.tuples(answer_texts, st.lists(answer_records, min_size=1, max_size=8)), min_size=1, max_size=5))
def test_points_are_those_of_leaving_each_record_out(
    tmp_path_factory: pytest.TempPathFactory, questions: list[tuple[str, list[dict[str, Any]]]]
) -> None:
    rows = asked(tmp_path_factory.mktemp("data"), *questions)
    for name, rule in RULES.items():
        for drop in (False, True):
            points = points_of(rows, rule, "drop" if drop else "position")
            expected = [naive(prediction, records, name, drop) for prediction, records in questions]
            assert [
                Fraction(int(n), 3 * len(records)) for n, (_, records) in zip(points, questions, strict=True)
            ] == expected


def test_each_metric_measures_by_its_own_rule(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("Yes.", people(*["yes"] * 10)), ("2 cats", people(*["Two cats"] * 9, "2 cats")))
    assert {
        name: of_questions(plugin("metric", f"vqa-{name}").make(rows)) for name in ("2021", "2017", "always-clean")
    } == {"2021": [0, 1], "2017": [1, Fraction(3, 10)], "always-clean": [1, 1]}


def test_by_the_rule_of_2017_a_mark_that_all_ten_wrote_stays_and_that_of_the_prediction_goes(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("t-shirt", people(*["t-shirt"] * 10)), ("t-shirt", people(*["t-shirt"] * 9, "t shirt")))
    assert of_questions(vqa_2017.measure(rows)) == [0, 1]


def test_a_number_equals_no_answer(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("2", people(*["2"] * 10)), ("2", people(*["2"] * 10)))
    rows = dataclasses.replace(rows, not_text=np.array([True, False]))
    assert of_questions(vqa_2021.measure(rows)) == [0, 1]


def test_no_prediction_is_not_the_empty_text(tmp_path: Path) -> None:
    rows = asked(tmp_path, (None, people("the", "a", "an", "the")), ("an", people("the", "a", "an", "the")))
    assert of_questions(vqa_2021.measure(rows)) == [0, 1]


def test_only_scored_rows_count(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("no", people(*["yes"] * 10)), ("yes", people(*["yes"] * 10)))
    rows = dataclasses.replace(rows, scored=np.array([False, True]))
    assert overall(vqa_2021.measure(rows)) == 100


def test_the_mean_is_exact_whatever_the_numbers_of_answers(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("a", people("a", "b")), ("a", people(*"aabbb")), ("a", people(*"aaabbbb")))
    # 1/6, (2/3 + 2) / 10 ... by hand: 2 answers, 1 match: (0 + 1/3) / 2; 5, 2: (2/3 + 3 * 2/3) / 5; 7, 3: (2 + 4) / 7.
    assert overall(vqa_2021.measure(rows)) == 100 * (Fraction(1, 6) + Fraction(8, 15) + Fraction(6, 7)) / 3


def test_a_denominator_that_floats_cannot_hold_is_not_called_exact(tmp_path: Path) -> None:
    primes = [n for n in range(2, 60) if all(n % k for k in range(2, n))]
    rows = asked(tmp_path, *[("a", people(*["a"] * n)) for n in primes])
    (mean,) = vqa_2021.measure(rows).means
    assert mean.whole is None
    value, _ = mean.over(rows.scored)
    assert isinstance(value, float)
    assert value == pytest.approx(100 * (1 / 3 + 2 / 3 + (len(primes) - 2)) / len(primes), abs=1e-9)


def test_accuracy_is_given_by_question_type_and_answer_type_where_they_are_recorded(tmp_path: Path) -> None:
    plain = vqa_2021.measure(asked(tmp_path, ("a", people("a"))))
    typed = vqa_2021.measure(asked(tmp_path, ("a", people("a")), question_type="what is", answer_type="other"))
    assert list(plain.means[0].by) == []
    assert list(typed.means[0].by) == ["question type", "answer type"]


# What is said


def test_a_question_that_nobody_answered_is_not_counted_and_that_is_said(tmp_path: Path) -> None:
    said = vqa_2021.measure(asked(tmp_path, ("a", []), ("a", people(*"aaaa"))))
    assert overall(said) == 100
    assert findings(said)["no-answers"] == (1, ("1",))


def test_questions_that_no_prediction_can_reach_are_said(tmp_path: Path) -> None:
    said = vqa_2021.measure(asked(tmp_path, ("a", people(*"aaa")), ("a", people(*"aaaa")), ("a", people("a"))))
    assert findings(said)["few-answers"] == (2, ("1", "3"))
    assert of_questions(said) == [Fraction(2, 3), 1, 0]


def test_a_rule_that_makes_no_difference_says_so_with_a_zero(tmp_path: Path) -> None:
    said = vqa_2021.measure(asked(tmp_path, ("yes", people(*["yes"] * 10))))
    assert [each.value for each in said.measures] == [0]
    assert not said.findings


def test_questions_that_are_not_scored_are_in_no_count(tmp_path: Path) -> None:
    rows = asked(
        tmp_path, ("Yes", people(*["yes"] * 10)), ("Yes", people("yes")), ("a", []), ("b", [{"answer": "b"}] * 10)
    )
    rows = dataclasses.replace(rows, scored=np.zeros(4, dtype=bool))
    said = vqa_2021.measure(rows)
    assert [(each.value, each.n) for each in said.measures] == [(0, 0)]
    assert not said.findings


def test_equal_records_are_told_where_leaving_them_out_together_changes_a_figure(tmp_path: Path) -> None:
    bare = [{"answer": "a"}] * 10
    rows = asked(tmp_path, ("a", bare), ("b", bare), ("a", people(*["a"] * 10)))
    by_position, dropped = (vqa_2021.measure(rows, equal_records=how) for how in ("position", "drop"))
    assert of_questions(by_position) == [1, 0, 1]
    assert of_questions(dropped) == [0, 0, 1]
    assert findings(by_position)["equal-records"] == findings(dropped)["equal-records"] == (1, ("1",))
    assert by_position.means[0].options == {"equal_records": "position"}


def test_data_without_peoples_answers_have_no_vqa_accuracy_and_the_reason_is_said(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("a", people(*"aaaa")))
    bare = dataclasses.replace(rows, table=dataclasses.replace(rows.table, lists={}))
    assert overall(vqa_2021.measure(bare)) == "the data do not hold the answers that people gave, one by one"
    fits = plugin("metric", "vqa-2021").facts["fits"]
    assert fits(rows)
    assert not fits(bare)


def test_equal_records_cannot_be_dropped_where_records_are_not_known(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("a", people(*"aaaa")))
    lists = {"answers": rows.table.lists["answers"]}
    rows = dataclasses.replace(rows, table=dataclasses.replace(rows.table, lists=lists))
    assert (
        overall(vqa_2021.measure(rows, equal_records="drop")) == "the data do not tell which answer records are equal"
    )
    assert overall(vqa_2021.measure(rows)) == 100


def test_only_the_2021_rule_runs_without_being_asked(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("a", people(*"aaaa")))
    assert [
        name for name in ("vqa-2017", "vqa-2021", "vqa-always-clean") if plugin("metric", name).facts["fits"](rows)
    ] == ["vqa-2021"]


def test_inputs_are_never_changed_so_a_second_call_gives_the_same(tmp_path: Path) -> None:
    rows = asked(tmp_path, ("Yes", people(*["yes"] * 9, "Yes")))
    first, second = vqa_2021.measure(rows), vqa_2021.measure(rows)
    assert overall(first) == overall(second) == 100
    assert isinstance(first.means[0], RowMean)

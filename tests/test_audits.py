"""Audits by hand on small examples, and against naive counts from their definitions."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compsplit.extractors import prepared
from compsplit.model import Audited, Column, QATable, Rows, Split, Undefined, texts
from compsplit.model.column import concatenated
from compsplit.readers import inputs
from compsplit.registry import plugin


class Words:
    """Reduces a question to its words without "the"."""

    def reduce(self, questions: list[str]) -> list[tuple[str, ...]]:
        return [tuple(word for word in question.lower().split() if word != "the") for question in questions]

    def answer(self, answers: list[str]) -> list[str]:
        return [answer.lower() for answer in answers]


def make(
    *rows: tuple[str, str, str], parts: tuple[str, ...] = ("train", "test"), images: str = ""
) -> tuple[Rows, Split]:
    """Return rows given as (part, question, answer), and their split."""
    absent = Column.absent(len(rows))
    table = QATable(
        format="table", ids=texts(f"r{i:02}" for i in range(len(rows))),
        images=Column.of(images) if images else absent,
        questions=Column.of(question for _, question, _ in rows), answers=Column.of(answer for *_, answer in rows),
        question_types=absent, answer_types=absent, origins=absent, sources=absent,
        n_answers=np.full(len(rows), 10, dtype=np.int64),
    )  # fmt: skip
    extracted = prepared(table, Words())
    return extracted, Split(parts, np.array([parts.index(part) for part, *_ in rows], dtype=np.int16))


def audit(name: str, rows: Rows, split: Split) -> Audited:
    audited: Audited = plugin("audit", name).make(rows, split)
    return audited


def values(audited: Audited, name: str | None = None) -> dict[tuple[Any, ...], Any]:
    """Return value by (of, unit, reference, part)."""
    return {
        (m.of, m.options.get("unit"), m.reference, m.part): m.value for m in audited.measures if name in (None, m.name)
    }


# --- coverage


def test_coverage_counts_distinct_concepts_and_weighted_coverage_every_occurrence():
    rows, split = make(
        ("train", "what color", "red"),
        ("test", "red red cat", "blue"),
        ("test", "what cat", "red"),
    )
    # Test holds red 3 times (twice in a question, once as an answer), cat twice, blue and what once; train shows
    # what and red.
    assert values(audit("coverage", rows, split)) == {("concepts", None, "train", "test"): Fraction(2, 4)}
    assert values(audit("weighted-coverage", rows, split)) == {("concepts", None, "train", "test"): Fraction(4, 7)}
    (measure,) = audit("weighted-coverage", rows, split).measures
    assert (measure.n, measure.n_unit) == (7, "concept occurrences")


def test_unseen_concepts_are_named_most_frequent_first():
    rows, split = make(("train", "what", "a"), ("test", "cat cat dog", "b"), ("test", "ant", "a"))
    audited = audit("coverage", rows, split)
    (finding,) = audited.findings
    assert (finding.kind, finding.level, finding.count) == ("unseen-concepts", "report", 4)
    assert finding.first == ("cat", "ant", "b", "dog")
    assert audited.tables["concepts of test unseen in train"].rows[0] == ("cat", 2, "r01")


def test_full_coverage_has_no_finding():
    rows, split = make(("train", "what cat", "a"), ("test", "cat", "a"))
    assert audit("coverage", rows, split).findings == ()


def test_each_part_is_held_against_the_first():
    rows, split = make(("train", "a", "x"), ("val", "b", "x"), ("test", "b", "b"), parts=("train", "val", "test"))
    assert values(audit("coverage", rows, split)) == {
        ("concepts", None, "train", "val"): Fraction(1, 2),
        ("concepts", None, "train", "test"): Fraction(0),
    }


# --- overlaps


def test_overlaps_are_given_over_rows_and_distinct_values_in_each_form():
    rows, split = make(
        ("train", "Where is the cat?", "roof"),
        ("test", "Where is the cat? ", "roof"),
        ("test", "where is the cat", "Roof"),
        ("test", "where is the cat", "bed"),
        ("test", "where is cat", "roof"),
    )
    questions = values(audit("question-overlap", rows, split))
    assert questions == {
        ("question (exact)", "rows", "train", "test"): Fraction(1, 4),
        ("question (exact)", "distinct", "train", "test"): Fraction(1, 3),
        ("question (normalised)", "rows", "train", "test"): Fraction(3, 4),
        ("question (normalised)", "distinct", "train", "test"): Fraction(1, 2),
        # "cat?" keeps its mark in this reducer, so the first test row alone meets train.
        ("question (reduced)", "rows", "train", "test"): Fraction(1, 4),
        ("question (reduced)", "distinct", "train", "test"): Fraction(1, 2),
    }
    both = values(audit("qa-overlap", rows, split))
    assert both == {
        ("qa (exact)", "rows", "train", "test"): Fraction(1, 4),
        ("qa (exact)", "distinct", "train", "test"): Fraction(1, 4),
        ("qa (normalised)", "rows", "train", "test"): Fraction(2, 4),
        ("qa (normalised)", "distinct", "train", "test"): Fraction(1, 3),
        ("qa (reduced)", "rows", "train", "test"): Fraction(1, 4),
        ("qa (reduced)", "distinct", "train", "test"): Fraction(1, 3),
    }


def test_the_headline_of_an_overlap_is_that_over_rows():
    rows, split = make(("train", "a", "b"), ("test", "a", "b"))
    for name in ("question-overlap", "qa-overlap"):
        units = [m.options["unit"] for m in audit(name, rows, split).measures]
        assert units == ["rows", "distinct"] * 3


def test_torn_groups_are_counted_by_rows_and_named():
    rows, split = make(("train", "a", "x"), ("test", "b", "x"), ("test", "c", "x"), ("test", "d", "x"))
    grouped = dataclasses.replace(rows, columns={**rows.columns, "group": Column.of(["g", "g", "g", "h"])})
    audited = audit("group-overlap", grouped, split)
    assert values(audited) == {
        ("group", "rows", "train", "test"): Fraction(2, 3),
        ("group", "distinct", "train", "test"): Fraction(1, 2),
    }
    (finding,) = audited.findings
    assert (finding.kind, finding.count, finding.first) == ("torn-groups", 1, (("r00", "r01"),))


def test_a_split_that_tears_no_group_has_an_overlap_of_zero():
    rows, split = make(("train", "a", "x"), ("test", "b", "x"))
    grouped = dataclasses.replace(rows, columns={**rows.columns, "group": Column.of(["g", "h"])})
    audited = audit("group-overlap", grouped, split)
    assert set(values(audited).values()) == {0}
    assert audited.findings == ()


def test_shared_images_are_named_by_their_ids():
    rows, split = make(("train", "a", "x"), ("train", "b", "x"), ("test", "a", "x"), ("test", "c", "x"), images="ijik")
    audited = audit("image-overlap", rows, split)
    assert values(audited, "image-overlap")[("image", "rows", "train", "test")] == Fraction(1, 2)
    assert values(audited, "image-qa-overlap")[("image + qa (normalised)", "rows", "train", "test")] == Fraction(1, 2)
    by_kind = {finding.kind: finding.first for finding in audited.findings}
    assert by_kind == {"shared-images": ("i",), "shared-image-question-answer": (("r00", "r02"),)}


def test_the_values_that_most_test_rows_share_come_first():
    rows, split = make(
        ("train", "b", "x"), ("train", "a", "x"), ("test", "a", "x"), ("test", "b", "x"), ("test", "b", "x")
    )
    audited = audit("qa-overlap", rows, split)
    table = audited.tables["question-answer pairs of test that are in train (qa (exact))"]
    assert table.rows == (("b | x", 1, 2, "r00", "r03"), ("a | x", 1, 1, "r01", "r02"))
    assert audited.findings[0].first == (("r00", "r03"), ("r01", "r02"))
    assert audited.findings[0].count == 2


def test_parts_that_share_a_thousand_and_ten_values_list_a_thousand_and_count_all():
    rows, split = make(*[(part, f"q{i:04}", "x") for i in range(1010) for part in ("train", "test")])
    audited = audit("qa-overlap", rows, split)
    assert {finding.count for finding in audited.findings} == {1010}
    assert {(len(table.rows), table.total, table.culprits) for table in audited.tables.values()} == {(1000, 1010, True)}


# --- case 32: three files audited together


def together(folder: Any, *names: str) -> tuple[Rows, Split]:
    read = [plugin("reader", "table").make(inputs([folder / f"{name}.jsonl"])) for name in names]

    def one_after_the_other(field: str) -> Column:
        return concatenated([getattr(table, field) for table in read])

    columns = ("images", "questions", "answers", "question_types", "answer_types", "origins", "sources")
    table = QATable(
        format="table",
        ids=texts(name for each in read for name in each.ids.tolist()),
        n_answers=np.concatenate([each.n_answers for each in read]),
        ids_repeat=True,
        **{field: one_after_the_other(field) for field in columns},
    )
    part = np.repeat(np.arange(len(read), dtype=np.int16), [len(each) for each in read])
    return prepared(table), Split(names, part)


def test_leaks_between_three_parts_are_found_by_image_text_and_id(shared):
    folder = shared / "cases" / "32-split-leaks-image-and-question"
    said = json.loads((folder / "expected.json").read_text("utf-8"))
    rows, split = together(folder, "train", "val", "test")
    images = audit("image-overlap", rows, split)
    shared_images = images.tables["images of test that are in train (image)"].rows
    assert [int(row[0]) for row in shared_images] == said["shared_images"]

    def pairs_of(audited: Audited, told: str, aspect: str) -> list[list[str]]:
        return [list(row[3:]) for row in audited.tables[f"{told} of test that are in train ({aspect})"].rows]

    texts_shared = audit("qa-overlap", rows, split)
    assert pairs_of(texts_shared, "question-answer pairs", "qa (normalised)") == said["shared_question_answer"]
    assert (
        pairs_of(images, "images with the same question and answer", "image + qa (normalised)")
        == said["shared_image_question_answer"]
    )
    of_test = [f for f in texts_shared.findings if "in train and in test (qa (normalised))" in f.message]
    assert [list(map(list, f.first)) for f in of_test] == [said["shared_question_answer"]]

    ids = audit("id-overlap", rows, split)
    same = [f for f in ids.findings if f.kind == "identical-parts"]
    assert [sorted(f.first) for f in same] == said["identical_splits"]
    assert same[0].message == "val and test hold the same 5 records, the same content under two names."
    assert values(ids)[("id", "rows", "val", "test")] == 1
    assert values(ids)[("id", "rows", "train", "test")] == 0
    assert [f.first for f in ids.findings if f.kind == "shared-ids"] == [("b1", "b2", "b3", "b4", "b5")]
    assert {f.level for f in (*images.findings, *texts_shared.findings, *ids.findings)} == {"report"}


def test_parts_with_the_same_ids_but_other_texts_are_not_identical():
    rows, split = make(("train", "a", "x"), ("test", "b", "x"))
    repeated = dataclasses.replace(rows, columns={**rows.columns, "id": Column.of(["1", "1"])})
    assert [f.kind for f in audit("id-overlap", repeated, split).findings] == ["shared-ids"]


def test_parts_with_the_same_records_in_another_order_are_identical():
    rows, split = make(("train", "a", "x"), ("train", "b", "x"), ("test", "b", "x"), ("test", "a", "x"))
    repeated = dataclasses.replace(rows, columns={**rows.columns, "id": Column.of(["1", "2", "2", "1"])})
    assert [f.kind for f in audit("id-overlap", repeated, split).findings] == ["identical-parts", "shared-ids"]


def test_culprits_with_one_id_come_in_the_order_of_the_other():
    rows, split = make(("train", "a", "x"), ("train", "b", "x"), ("test", "a", "x"), ("test", "b", "x"))
    repeated = dataclasses.replace(rows, ids=texts(["1", "1", "3", "2"]))
    assert audit("qa-overlap", repeated, split).findings[0].first == (("1", "2"), ("1", "3"))


def test_where_no_id_repeats_the_id_overlap_is_zero():
    audited = audit("id-overlap", *make(("train", "a", "x"), ("test", "a", "x")))
    assert [m.value for m in audited.measures] == [0, 0]
    assert not audited.findings


# --- sizes and distributions


def test_sizes_are_those_of_table_1():
    rows, split = make(("train", "a", "x"), ("train", "b", "x"), ("test", "c", "x"), images="iji")
    split = dataclasses.replace(split, asked={"train": 2, "test": 1})
    audited = audit("sizes", rows, split)
    assert {(m.name, m.part): m.value for m in audited.measures} == {
        ("questions", "train"): 2, ("images", "train"): 2, ("answers", "train"): 20,
        ("questions", "test"): 1, ("images", "test"): 1, ("answers", "test"): 10,
        ("images-in-both", "test"): 1,
    }  # fmt: skip
    assert audited.tables["table 1"].rows == (("train", 2, 2, 2, 20), ("test", 1, 1, 1, 10))


def test_without_images_nothing_is_said_of_them():
    audited = audit("sizes", *make(("train", "a", "x"), ("test", "c", "x")))
    assert audited.tables["table 1"].rows == (("train", None, 1, None, 10), ("test", None, 1, None, 10))
    assert {m.name for m in audited.measures} == {"questions", "answers"}


def measured(audited: Audited, name: str, of: str, reference: str, part: str = "test") -> Any:
    return next(m for m in audited.measures if (m.name, m.of, m.reference, m.part) == (name, of, reference, part)).value


def test_total_variation_is_exact_and_divergence_is_one_minus_the_chernoff_coefficient():
    rows, split = make(
        ("train", "a", "yes"), ("train", "a", "1"), ("train", "a", "red"), ("test", "a", "yes"), ("test", "a", "no")
    )
    audited = audit("answer-types", rows, split)
    # Train: a third each of yes/no, number and other; test: yes/no only.
    assert measured(audited, "total-variation", "answer types", "train") == Fraction(2, 3)
    assert measured(audited, "total-variation", "answer types", "whole") == Fraction(2, 5)
    assert measured(audited, "divergence", "answer types", "train") == pytest.approx(1 - math.sqrt(1 / 3), abs=1e-12)
    assert audited.tables["answer types"].rows == (("yes/no", 1, 2), ("number", 1, 0), ("other", 1, 0))


def test_equal_distributions_are_exactly_zero_apart():
    rows, split = make(*[("train", "a", a) for a in "xyyzzz"], *[("test", "a", a) for a in "xyyzzz" * 3])
    audited = audit("answer-types", rows, split)
    assert measured(audited, "total-variation", "answers", "train") == 0
    assert measured(audited, "divergence", "answers", "train") == 0


def test_question_openings_are_their_first_four_words():
    rows, split = make(("train", "What color is the cat", "x"), ("test", "what color is the dog", "x"))
    audited = audit("question-types", rows, split)
    assert audited.tables["first four words"].rows == (("what color is the", 1, 1),)
    assert audited.tables["question types"].rows == (("what color", 1, 1),)


def test_values_beyond_the_commonest_fifty_are_counted_together():
    rows, split = make(*[("train", "a", f"x{i:02}") for i in range(60)], ("test", "a", "x00"))
    table = audit("answer-types", rows, split).tables["answers"].rows
    assert len(table) == 51
    assert table[0] == ("x00", 1, 1)
    assert table[-1] == ("10 others", 10, 0)


def test_types_whose_commonest_answer_differs_are_counted_and_named():
    rows, split = make(
        ("train", "is it", "yes"), ("train", "is it", "yes"), ("train", "is it", "no"),
        ("test", "is it", "no"), ("test", "is it", "no"),
        ("train", "how many", "2"), ("test", "how many", "2"),
        ("train", "what color", "red"),
    )  # fmt: skip
    audited = audit("answer-priors", rows, split)
    assert values(audited) == {("question types", None, "train", "test"): Fraction(1, 2)}
    (finding,) = audited.findings
    assert (finding.count, finding.first) == (1, (("is it", "yes", "no"),))
    assert audited.tables["question types of train and test"].rows == (
        ("is it", 3, 2, "yes", "no", True, float(Fraction(2, 3)), 2),
        ("how many", 1, 1, "2", "2", False, 0.0, 1),
    )
    assert audited.tables["answers by question type, train and test"].rows == (
        ("is it", "no", 1, 2), ("is it", "yes", 2, 0), ("how many", "2", 1, 1),
    )  # fmt: skip


def test_equally_common_answers_differ_only_if_the_parts_share_none():
    rows, split = make(
        ("train", "is it", "yes"), ("train", "is it", "no"), ("test", "is it", "yes"), ("test", "is it", "maybe")
    )
    audited = audit("answer-priors", rows, split)
    assert values(audited) == {("question types", None, "train", "test"): Fraction(0)}
    assert audited.tables["question types of train and test"].rows[0][3:5] == ("yes", "yes")


def answers_by_type(train: str, test: str) -> tuple[tuple[str, int, int], ...]:
    """Return the lines of one type, whose answers are letters."""
    rows, split = make(*[("train", "is it", a) for a in train], *[("test", "is it", a) for a in test])
    found = audit("answer-priors", rows, split)
    (kind,) = found.tables["question types of train and test"].rows
    assert kind[7] == len({*train, *test})
    return tuple(line[1:] for line in found.tables["answers by question type, train and test"].rows)


def test_answers_of_a_type_beyond_the_commonest_five_of_either_part_are_counted_together():
    assert answers_by_type("aabcdefg", "a") == (
        ("a", 2, 1), ("b", 1, 0), ("c", 1, 0), ("d", 1, 0), ("e", 1, 0), ("2 others", 2, 0),
    )  # fmt: skip
    # Answers that test does not have are not among its commonest.
    assert answers_by_type("ccddeeffggab", "g")[5:] == (("2 others", 2, 0),)
    # Test's five commonest are told as well, though f to i have more rows in all.
    train = "a" * 9 + "b" * 8 + "c" * 7 + "d" * 6 + "e" * 5 + "f" * 4 + "g" * 4 + "h" * 4 + "i" * 4
    assert answers_by_type(train, "vvwwxxyyzzh") == (
        ("a", 9, 0), ("b", 8, 0), ("c", 7, 0), ("d", 6, 0), ("e", 5, 0),
        ("v", 0, 2), ("w", 0, 2), ("x", 0, 2), ("y", 0, 2), ("z", 0, 2), ("4 others", 16, 1),
    )  # fmt: skip


def test_one_answer_alone_is_told_and_not_called_others():
    assert answers_by_type("aabcdef", "a")[-1] == ("f", 1, 0)


def test_the_answer_that_is_told_to_be_the_commonest_is_among_the_five_of_equally_common_ones():
    # z alone is commonest in both, and comes sixth by name in either.
    lines = answers_by_type("abcdez", "fghijz")
    assert lines[0] == ("z", 1, 1)
    assert lines[-1] == ("2 others", 1, 1)


# --- naive oracles

PARTS = ("train", "val", "test")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(PARTS),
        st.lists(st.sampled_from(["red", "Dog", "the", "is?"]), min_size=1, max_size=4).map(" ".join),
        st.sampled_from(["red", "Red", "yes", "3", "dog"]),
    ),
    min_size=1,
    max_size=12,
)


def of_part(rows: list[tuple[str, str, str]], part: str) -> list[tuple[str, str]]:
    return [(question, answer) for each, question, answer in rows if each == part]


def concepts(pairs: list[tuple[str, str]]) -> Counter[str]:
    return Counter(c for q, a in pairs for c in [*Words().reduce([q])[0], a.lower()])


def share(n: int, whole: int) -> Fraction | type[Undefined]:
    return Fraction(n, whole) if whole else Undefined


def alike(found: Any, expected: Any) -> bool:
    return (type(found) is Undefined) if expected is Undefined else found == expected


@settings(deadline=None)
@given(ROWS)
def test_coverages_are_those_of_their_definitions(given_rows):
    rows, split = make(*given_rows, parts=PARTS)
    shown = set(concepts(of_part(given_rows, "train")))
    for part in PARTS[1:]:
        held = concepts(of_part(given_rows, part))
        held = held if shown else Counter()
        key = ("concepts", None, "train", part)
        assert alike(values(audit("coverage", rows, split))[key], share(len(held.keys() & shown), len(held)))
        weighted = sum(n for c, n in held.items() if c in shown)
        assert alike(values(audit("weighted-coverage", rows, split))[key], share(weighted, held.total()))


@settings(deadline=None)
@given(ROWS)
def test_overlaps_are_those_of_their_definitions(given_rows):
    rows, split = make(*given_rows, parts=PARTS)

    def folded(text: str) -> str:
        return " ".join(text.lower().split()).rstrip("?")

    forms = {
        "question (exact)": lambda q, _: q.strip(),
        "question (normalised)": lambda q, _: folded(q),
        "question (reduced)": lambda q, _: Words().reduce([q])[0],
        "qa (exact)": lambda q, a: (q.strip(), a),
        "qa (normalised)": lambda q, a: (folded(q), folded(a)),
        "qa (reduced)": lambda q, a: (Words().reduce([q])[0], a.lower()),
    }
    found = values(audit("question-overlap", rows, split)) | values(audit("qa-overlap", rows, split))
    assert len(found) == 6 * 2 * 3
    for (form, unit, reference, part), value in found.items():
        shown = {forms[form](*pair) for pair in of_part(given_rows, reference)}
        asked = [forms[form](*pair) for pair in of_part(given_rows, part)]
        counted = asked if unit == "rows" else list(set(asked))
        assert alike(value, share(sum(each in shown for each in counted), len(counted) if shown else 0))


@settings(deadline=None)
@given(ROWS)
def test_distances_are_those_of_their_definitions(given_rows):
    rows, split = make(*given_rows, parts=PARTS)
    audited = audit("answer-types", rows, split)
    whole = Counter(answer for *_, answer in given_rows)
    for measure in audited.measures:
        if measure.of != "answers":
            continue
        p = whole if measure.reference == "whole" else Counter(a for _, a in of_part(given_rows, measure.reference))
        q = Counter(a for _, a in of_part(given_rows, measure.part))
        if not p or not q:
            assert isinstance(measure.value, Undefined)
            continue
        n, m = p.total(), q.total()
        if measure.name == "total-variation":
            assert measure.value == sum((abs(Fraction(p[a], n) - Fraction(q[a], m)) for a in whole), Fraction(0)) / 2
        else:
            same = sum(math.sqrt(p[a] / n * q[a] / m) for a in whole)
            assert measure.value == pytest.approx(1 - same, abs=1e-11)


@settings(deadline=None)
@given(ROWS)
def test_the_commonest_answers_are_those_of_their_definition(given_rows):
    rows, split = make(*given_rows, parts=PARTS)
    for part in PARTS[1:]:
        by_kind: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for each, question, answer in given_rows:
            if each in ("train", part):
                kind = " ".join(word.strip("?") for word in question.lower().split()[:2])
                by_kind[kind][each][answer] += 1
        both = [counts for counts in by_kind.values() if counts["train"] and counts[part]]
        differ = 0
        for counts in both:
            first, other = (
                {a for a, n in counts[each].items() if n == max(counts[each].values())} for each in ("train", part)
            )
            differ += not first & other
        found = values(audit("answer-priors", rows, split))[("question types", None, "train", part)]
        assert alike(found, share(differ, len(both)))


# --- properties


@settings(deadline=None)
@given(ROWS)
def test_rows_moved_to_train_never_lower_the_coverage_of_the_rows_that_stay_in_test(given_rows):
    # Val is what moves: test holds the same rows before and after, and train more. (Moving rows out of test may well
    # lower its coverage, when covered concepts leave with them.)
    moved = [("train" if part == "val" else part, *pair) for part, *pair in given_rows]
    for name in ("coverage", "weighted-coverage"):
        before = values(audit(name, *make(*given_rows, parts=PARTS)))[("concepts", None, "train", "test")]
        after = values(audit(name, *make(*moved, parts=PARTS)))[("concepts", None, "train", "test")]
        assert isinstance(before, Undefined) or before <= after


def test_moving_a_group_out_of_test_may_lower_the_coverage_of_what_is_left():
    rows = [("train", "a", "x"), ("test", "a", "x"), ("test", "b", "x")]
    before = values(audit("coverage", *make(*rows)))[("concepts", None, "train", "test")]
    rows[1] = ("train", "a", "x")
    after = values(audit("coverage", *make(*rows)))[("concepts", None, "train", "test")]
    assert (before, after) == (Fraction(2, 3), Fraction(1, 2))


@pytest.mark.parametrize("parts", [("train", "test"), ("test", "train")])
def test_an_empty_part_leaves_measures_undefined_with_a_reason(parts):
    rows, split = make(("train", "a", "x"), ("train", "b", "y"), parts=parts)
    for name in ("coverage", "weighted-coverage", "question-overlap", "qa-overlap", "answer-types", "answer-priors"):
        found = [m for m in audit(name, rows, split).measures if m.part == "test" or m.reference == "test"]
        assert found
        for measure in found:
            assert isinstance(measure.value, Undefined)
            assert "test" in measure.value.reason


def test_options_of_an_extractor_that_of_names_are_kept(command, tmp_path):
    (tmp_path / "q.csv").write_text("id,question,part\n1,a b c d,train\n2,a b c e,test\n", encoding="utf-8")
    ran = command(
        "audit", "q.csv", "--part-column", "part", "--of", "word-ngrams", "--set", "extract.n=3", "--json"
    )  # fmt: skip
    assert ran.code == 0
    counted_of = {each["of"] for each in ran.json["measures"] if each["name"] == "common-compounds"}
    assert counted_of == {"question word 3-grams"}


def test_a_broken_report_to_compare_with_is_an_error(command, tmp_path):
    (tmp_path / "q.csv").write_text("id,question,part\n1,a b,train\n2,a c,test\n", encoding="utf-8")
    given = ("audit", "q.csv", "--part-column", "part")
    other = command(*given, "--json").json
    other["measures"][0]["value"] = "many"
    other["measures"][0]["fraction"] = None
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    ran = command(*given, "--compare", "other.json")
    assert ran.code == 2
    assert "other.json is a broken report" in ran.message

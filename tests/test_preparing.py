"""Concepts of question-answer pairs, their groups, and the forms that overlaps are counted in."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compsplit.errors import MissingFieldError, MissingValueError, UsageError
from compsplit.extractors import prepared
from compsplit.extractors.text_forms import answer_type, first_words, normalised
from compsplit.model import Column, QATable, Rows, texts
from compsplit.reducers.lexical import LexicalReducer
from compsplit.registry import plugin

LEXICAL = LexicalReducer()


class Words:
    """Reduces a question to its words without "the", and an answer to itself without "the"."""

    def reduce(self, questions: list[str]) -> list[tuple[str, ...]]:
        return [tuple(word for word in question.lower().split() if word != "the") for question in questions]

    def answer(self, answers: list[str]) -> list[str]:
        return [" ".join(words) for words in self.reduce(answers)]


def table(*pairs: tuple[str | None, str | None], **columns: Column) -> QATable:
    absent = Column.absent(len(pairs))
    fields: dict[str, Any] = {
        "format": "table",
        "ids": texts(f"r{i}" for i in range(len(pairs))),
        "images": absent,
        "questions": Column.of(question for question, _ in pairs),
        "answers": Column.of(answer for _, answer in pairs),
        "question_types": absent,
        "answer_types": absent,
        "origins": absent,
        "sources": absent,
        "n_answers": np.ones(len(pairs), dtype=np.int64),
    }
    return QATable(**{**fields, **columns})


def extract(made: QATable, reducer: Any = LEXICAL, **options: Any) -> Rows:
    rows: Rows = prepared(made, reducer, **options)
    return rows


def bags(rows: Rows) -> list[Counter[str]]:
    held = rows.concepts
    assert held is not None
    found = []
    for bag in held.bag_of_row.tolist():
        entries = range(int(held.starts[bag]), int(held.starts[bag + 1]))
        found.append(Counter({held.names[held.concepts[e]]: int(held.counts[e]) for e in entries}))
    return found


# --- concepts


def test_a_rows_concepts_are_those_of_its_question_and_its_answer_as_one():
    rows = extract(table(("What color are the cones?", "Orange"), ("Where is the dog?", "in the living room")))
    first, second = bags(rows)
    assert first == {"what": 1, "color": 1, "cone": 1, "orange": 1}
    assert {"where", "dog"} <= set(second)
    assert any(" " in concept for concept in second)


def test_answers_are_split_into_words_on_request():
    made = table(("where cat", "living room"))
    assert bags(extract(made, Words())) == [Counter({"where": 1, "cat": 1, "living room": 1})]
    assert bags(extract(made, Words(), answers="words")) == [Counter({"where": 1, "cat": 1, "living": 1, "room": 1})]
    compounds = [extract(made, Words(), answers=how).column("qa (reduced)").values() for how in ("whole", "words")]
    assert compounds[0] == compounds[1]


def test_a_word_of_a_question_and_an_answer_are_the_same_concept():
    rows = extract(table(("red or blue", "red"), ("what color", "blue")), Words())
    assert bags(rows)[0] == {"red": 2, "or": 1, "blue": 1}
    assert sorted(rows.concepts.names) == ["blue", "color", "or", "red", "what"]


def test_an_answer_that_reduces_to_nothing_falls_back_to_its_text():
    assert bags(extract(table(("who sang", "  The   THE ")), Words())) == [Counter({"who": 1, "sang": 1, "the the": 1})]


def test_a_question_that_reduces_to_nothing_is_marked_and_counted():
    rows = extract(table(("the", "yes"), ("is it", "yes")), Words())
    assert rows.blank.tolist() == [True, False]
    assert rows.facts["questions that reduce to nothing"] == 1


def test_a_row_without_an_answer_has_no_compound_and_no_concepts():
    rows = extract(table(("what color", None), ("what color", "red")), Words())
    assert rows.column("qa (reduced)").values() == [None, "what color | red"]
    assert bags(rows) == [Counter(), Counter({"what": 1, "color": 1, "red": 1})]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["red", "dog", "the", "is"]), min_size=1, max_size=4).map(" ".join),
            st.none() | st.sampled_from(["red", "the", "the dog", "is dog"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_bags_are_those_that_plain_python_counts(pairs):
    def answered(text: str) -> str:
        return Words().answer([text])[0] or text

    rows = extract(table(*pairs), Words())
    if rows.concepts is None:
        assert all(answer is None for _, answer in pairs)
        return
    expected = [
        Counter() if answer is None else Counter([*Words().reduce([question])[0], answered(answer)])
        for question, answer in pairs
    ]
    assert bags(rows) == expected
    assert rows.concepts.names == tuple(sorted(rows.concepts.names))


def test_facts_count_distinct_texts_and_compounds():
    rows = extract(table(("the dog", "red"), ("dog", "red"), ("dog ", "Red"), ("dog", "blue")), Words())
    assert dict(rows.facts) == {
        "distinct questions": 2,
        "distinct reduced questions": 1,
        "questions that reduce to nothing": 0,
        "distinct answers": 3,
        "distinct reduced answers": 2,
        "distinct question-answer pairs": 4,
        "groups": 2,
    }


def test_without_a_reducer_there_are_text_forms_but_no_concepts():
    rows = extract(table(("Is it?", "Yes")), None)
    assert rows.concepts is None
    assert "qa (reduced)" not in rows.columns
    assert rows.column("qa (normalised)").values() == ["is it | yes"]


def test_images_alone_can_be_grouped_without_questions():
    rows = extract(table((None, None), images=Column.of(["i"])), LEXICAL)
    assert rows.concepts is None
    assert plugin("grouper", "column").make(rows).n_groups == 1
    with pytest.raises(UsageError, match="need questions and answers"):
        plugin("grouper", "question-answer").make(rows)


# --- groups


def test_groups_are_equal_reduced_questions_with_equal_answers():
    rows = extract(
        table(
            ("What color are the cones?", "orange"),
            ("What is the color of the cones?", "Orange"),
            ("What color are the cones?", "red"),
        )
    )
    groups = plugin("grouper", "question-answer").make(rows).group_of_row.tolist()
    assert groups[0] == groups[1] != groups[2]


def test_a_question_that_reduces_to_nothing_is_a_group_of_its_own_in_train_unless_told_otherwise():
    rows = extract(table(("the", "yes"), ("the the", "yes"), ("is it", "yes")), Words())
    alone = plugin("grouper", "question-answer").make(rows)
    assert alone.n_groups == 3
    assert alone.stays[alone.group_of_row].tolist() == [True, True, False]
    together = plugin("grouper", "question-answer").make(rows, blank="group")
    assert together.group_of_row[0] == together.group_of_row[1] != together.group_of_row[2]
    assert not together.stays.any()


def test_questions_that_reduce_to_nothing_never_meet_by_their_names():
    made = table(("the", "yes | r1"), ("the", "yes"))
    rows = extract(dataclasses.replace(made, ids=texts(["r", "r1 | r"])), Words())
    assert plugin("grouper", "question-answer").make(rows).n_groups == 2


def test_rows_without_an_answer_are_refused_as_groups_by_id():
    rows = extract(table(("what color", None), ("what color", "red")), Words())
    with pytest.raises(MissingValueError, match=r"1 row has no value .*\(r0\)"):
        plugin("grouper", "question-answer").make(rows)


# --- forms and types


@pytest.mark.parametrize(
    ("text", "expected"),
    [("How many cups are there ?", "how many cups are there"), ("Where  is\tthe cat", "where is the cat"), ("?", "")],
)
def test_normalised_text_is_lower_case_with_white_space_folded_and_no_end_punctuation(text, expected):
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What color is the cone?", "what color is the"),
        ('Is "it", the dog?', "is it the dog"),
        ("  Why ?", "why"),
        ("- What - is - it", "what is it"),
        ("", ""),
    ],
)
def test_first_words_are_lower_case_without_outer_punctuation(text, expected):
    assert first_words(text, 4) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes", "yes/no"), ("no.", "yes/no"), ("3", "number"), ("-2", "number"), ("1,000.5", "number"),
        ("ten", "number"), ("eleven", "other"), ("2 dogs", "other"), ("yes please", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_answer_types_are_yes_or_no_number_and_other(answer, expected):
    assert answer_type(answer) == expected


def test_recorded_types_come_first_then_a_named_column_then_the_first_two_words():
    made = table(
        ("What color is it?", "1"),
        ("What color is it?", "1"),
        ("What color is it?", "1"),
        question_types=Column.of(["recorded", None, None]),
        answer_types=Column.of(["other", None, None]),
        columns={"kind": Column.of(["k", "k", None])},  # type: ignore[arg-type]  # a plain dict is what callers give
    )
    rows = extract(made, question_type="kind")
    assert rows.column("question_type").values() == ["recorded", "k", "what color"]
    assert rows.column("answer_type").values() == ["other", "number", "number"]
    assert rows.column("kind").values() == ["k", "k", None]


def test_a_question_type_column_that_is_not_there_is_refused():
    with pytest.raises(MissingFieldError, match=r'no column "kind".*extract\.question_type'):
        extract(table(("a", "b")), question_type="kind")


def test_forms_strip_and_fold_what_they_say():
    rows = extract(table((" Is it late? ", "Yes "), images=Column.of(["i1"])))
    assert rows.column("question (exact)").values() == ["Is it late?"]
    assert rows.column("answer (exact)").values() == ["Yes"]
    assert rows.column("qa (exact)").values() == ["Is it late? | Yes"]
    assert rows.column("image + qa (normalised)").values() == ["i1 | is it late | yes"]
    assert rows.column("first four words").values() == ["is it late"]


def test_ids_that_repeat_share_a_value_of_the_column_id():
    made = table(("a", "b"), ("c", "d"))
    repeated = dataclasses.replace(made, ids=texts(["x", "x"]), ids_repeat=True)
    assert extract(repeated).column("id").codes.tolist() == [0, 0]
    assert extract(made).column("id").values() == ["r0", "r1"]


@given(st.permutations(range(6)))
def test_groups_do_not_depend_on_the_order_of_rows(order):
    pairs = [("the dog", "red"), ("dog", "red"), ("the", "a"), ("cat", "a"), ("cat", "a"), ("the", "a")]

    def named(which: list[int]) -> list[str]:
        made = table(*(pairs[i] for i in which))
        made = dataclasses.replace(made, ids=texts(f"r{i}" for i in which))
        grouping = plugin("grouper", "question-answer").make(extract(made, Words()))
        names = dict(zip(which, (grouping.names[g] for g in grouping.group_of_row), strict=True))
        return [names[i] for i in range(6)]

    assert named(list(order)) == named(list(range(6)))

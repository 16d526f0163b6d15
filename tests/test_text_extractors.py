"""Words, n-grams and crosses of columns as compounds with their atoms."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import MissingFieldError, OptionValueError, UsageError
from compsplit.extractors import prepared
from compsplit.model import Column, QATable, texts
from compsplit.model.compounds import Compounds
from compsplit.recipe.extraction import fitting
from compsplit.registry import plugin


def table_of(
    questions: list[str | None], answers: list[str | None] | None = None, **columns: list[str | None]
) -> QATable:
    n = len(questions)
    absent = Column.absent(n)
    return QATable(
        format="table", ids=texts(map(str, range(n))), images=absent, questions=Column.of(questions),
        answers=Column.of(answers or [None] * n), question_types=absent, answer_types=absent, origins=absent,
        sources=absent, n_answers=np.zeros(n, dtype=np.int64),
        columns={name: Column.of(values) for name, values in columns.items()},
    )  # fmt: skip


def extracted(name: str, table: QATable, **options: Any) -> Compounds:
    found: Compounds = plugin("extractor", name).make(table, prepared(table), **options)
    return found


def bags(incidence: Any) -> list[dict[str, int]]:
    """Return what each row holds, by name."""
    found = []
    for bag in incidence.bag_of_row.tolist():
        span = slice(incidence.starts[bag], incidence.starts[bag + 1])
        codes, counts = incidence.concepts[span].tolist(), incidence.counts[span].tolist()
        found.append({incidence.names[c]: n for c, n in zip(codes, counts, strict=True)})
    return found


def members(found: Compounds) -> dict[str, list[str]]:
    """Return the atoms that each compound is made of."""
    names = found.atoms.names
    starts = (
        [i * found.starts for i in range(len(found.rows.names) + 1)] if isinstance(found.starts, int) else found.starts
    )
    return {
        name: [names[a] for a in found.parts[starts[i] : starts[i + 1]].tolist()]
        for i, name in enumerate(found.rows.names)
    }


def test_words_are_lower_cased_without_outer_punctuation_and_count_each_time():
    found = extracted("question-words", table_of(["Is the cat's bowl (red), or the  RED cat's?", "?!", None, "Why ?"]))
    assert (found.of, found.atoms.of) == ("question words", "question words")
    expected = [{"is": 1, "the": 2, "cat's": 2, "bowl": 1, "red": 2, "or": 1}, {}, {}, {"why": 1}]
    assert bags(found.rows) == bags(found.atoms) == expected
    assert members(found) == {word: [word] for word in ("bowl", "cat's", "is", "or", "red", "the", "why")}
    assert "lower-cased" in found.rules["words"]


def test_neighbouring_words_are_compounds_of_their_words():
    found = extracted("word-ngrams", table_of(["a b a b!", "A b", "a"]))
    assert (found.of, found.atoms.of, found.rules["n"]) == ("question word 2-grams", "question words", 2)
    assert bags(found.rows) == [{"a b": 2, "b a": 1}, {"a b": 1}, {}]
    assert bags(found.atoms) == [{"a": 2, "b": 2}, {"a": 1, "b": 1}, {"a": 1}]
    assert members(found) == {"a b": ["a", "b"], "b a": ["b", "a"]}


def test_n_and_the_text_are_options_and_stand_in_the_name():
    table = table_of(["a b c", "a"], ["x y z", "x y"])
    found = extracted("word-ngrams", table, n=3)
    assert (found.of, bags(found.rows)) == ("question word 3-grams", [{"a b c": 1}, {}])
    found = extracted("word-ngrams", table, text="answer")
    assert (found.of, found.atoms.of) == ("answer word 2-grams", "answer words")
    assert bags(found.rows) == [{"x y": 1, "y z": 1}, {"x y": 1}]
    assert extracted("question-words", table, text="answer").of == "answer words"


@given(st.lists(st.one_of(st.none(), st.text("aB .?", max_size=8)), min_size=1, max_size=8), st.integers(2, 3))
def test_ngrams_are_those_that_plain_python_counts(questions, n):
    if not any(question is not None for question in questions):
        return
    found = extracted("word-ngrams", table_of(questions), n=n)
    for question, grams, atoms in zip(questions, bags(found.rows), bags(found.atoms), strict=True):
        words = [w.strip(".?") for w in (question or "").lower().split()]
        words = [w for w in words if w]
        assert grams == Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))
        assert atoms == Counter(words)


def test_codes_follow_the_names_whatever_the_order_of_rows():
    one, other = (extracted("word-ngrams", table_of(questions)) for questions in (["b c", "a b"], ["a b", "b c"]))
    assert list(one.rows.names) == list(other.rows.names) == ["a b", "b c"]
    assert list(one.atoms.names) == ["a", "b", "c"]


@pytest.mark.parametrize("n", [0, 1, -2])
def test_fewer_words_than_two_are_no_ngram(n):
    with pytest.raises(OptionValueError, match="at least 2; single words are question-words"):
        extracted("word-ngrams", table_of(["a b"]), n=n)


@pytest.mark.parametrize("name", ["question-words", "word-ngrams"])
def test_rows_without_the_text_have_no_words(name):
    with pytest.raises(UsageError, match="No row has an answer"):
        extracted(name, table_of(["a b"]), text="answer")


def test_ngrams_are_taken_by_default_where_there_are_questions_and_words_are_not():
    asked, bare = table_of(["a b"]), table_of([None], color=["red"])
    assert "word-ngrams" in fitting(asked, prepared(asked))
    assert "word-ngrams" not in fitting(bare, prepared(bare))
    assert "question-words" not in fitting(asked, prepared(asked))


def test_a_cross_of_columns_has_a_vocabulary_for_each():
    table = table_of(["q"] * 4, color=["red", "red", None, "blue"], shape=["cube", "red", "cube", "cube"])
    found = extracted("columns", table, columns=("color", "shape"))
    assert found.of == "color+shape"
    assert bags(found.rows) == [{"red | cube": 1}, {"red | red": 1}, {}, {"blue | cube": 1}]
    assert members(found) == {
        "blue | cube": ["blue", "cube"], "red | cube": ["red", "cube"], "red | red": ["red", "red"],
    }  # fmt: skip
    # "red" as a color and "red" as a shape are two atoms.
    assert sorted(found.atoms.names) == ["blue", "cube", "red", "red"]
    assert len(set(found.parts[found.starts * 2 :].tolist() if isinstance(found.starts, int) else ())) == 2


def test_derived_columns_may_be_crossed():
    found = extracted("columns", table_of(["Is it", "is it ?"], ["yes", "Yes"]), columns=("first four words", "answer"))
    assert bags(found.rows) == [{"is it | yes": 1}, {"is it | Yes": 1}]


def test_a_column_that_is_not_there_is_an_error_that_lists_those_that_are():
    table = table_of(["q"], color=["red"], size=[None])
    with pytest.raises(MissingFieldError, match=r'has no column "shade": its columns are .*color.*question'):
        extracted("columns", table, columns=("color", "shade"))
    with pytest.raises(MissingFieldError, match='has no column "size"'):
        extracted("columns", table, columns=("color", "size"))


@pytest.mark.parametrize("columns", [(), ("color",), ("color", "color")])
def test_a_cross_needs_two_different_columns(columns):
    with pytest.raises(UsageError, match="names two or more, each once"):
        extracted("columns", table_of(["q"], color=["red"]), columns=columns)


@pytest.mark.large
def test_the_bigrams_of_as_many_questions_as_vqa_has_take_seconds():
    # 370,000 questions, 225,000 of them different, of about six words.
    questions = [f"what color is thing{i % 5000} near w{i % 225000}" for i in range(370_000)]
    table = table_of(questions)
    rows = prepared(table)
    before = time.process_time()
    found = plugin("extractor", "word-ngrams").make(table, rows)
    assert time.process_time() - before < 10  # 2.9 on two cores of 2026, others working beside
    assert found.rows.n_bags <= 225_001

"""Lengths of questions and answers, by part."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from compsplit.extractors import prepared
from compsplit.model import Column, QATable, Split, Undefined, texts
from compsplit.registry import plugin


def audited(questions, answers, parts, names=("train", "test")):
    n = len(questions)
    absent = Column.absent(n)
    table = QATable(
        format="table", ids=texts(map(str, range(n))), images=absent, questions=Column.of(questions),
        answers=Column.of(answers), question_types=absent, answer_types=absent, origins=absent,
        sources=absent, n_answers=np.zeros(n, dtype=np.int64),
    )  # fmt: skip
    return plugin("audit", "lengths").make(prepared(table), Split(names, np.array(parts, dtype=np.int16)))


def values(found):
    return {(m.name, m.of, m.part): (m.value, m.n) for m in found.measures}


def test_mean_least_and_greatest_are_of_the_rows_of_each_part():
    found = values(audited(["a b", "a b", "a b c d e f g", "one  two\tthree"], ["x", "y z", "x", "x"], [0, 0, 0, 1]))
    assert found["mean-length", "question", "train"] == (Fraction(11, 3), 3)
    assert found["least-length", "question", "train"] == (2, 3)
    assert found["greatest-length", "question", "train"] == (7, 3)
    assert found["mean-length", "question", "test"] == (3, 1)
    assert found["mean-length", "answer", "train"] == (Fraction(4, 3), 3)
    assert found["greatest-length", "answer", "train"] == (2, 3)


def test_rows_without_the_text_are_not_averaged_and_a_part_without_any_is_undefined():
    found = audited(["a b", None, "a"], ["x", "y", None], [0, 0, 1])
    assert values(found)["mean-length", "question", "train"] == (2, 1)
    assert values(found)["mean-length", "answer", "test"] == (Undefined("no row of test has an answer"), 0)
    assert values(found)["least-length", "answer", "test"][0] == Undefined("no row of test has an answer")
    assert found.tables["lengths"].rows[1] == ("test", "question", 1, 1.0, 1, 1)
    assert found.tables["lengths"].rows[3] == ("test", "answer", 0, None, None, None)


def test_rows_without_texts_have_no_lengths():
    found = audited([None, None], [None, None], [0, 1])
    assert found.measures == ()
    assert found.tables == {}

"""Can a classifier tell parts apart: known answers, an AUC by its definition, and when nothing can be said."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from typing import Any

import numpy as np
import pytest

from compsplit.audits.adversarial import _auc, _standard_error
from compsplit.extractors import prepared
from compsplit.model import Audited, Column, QATable, Rows, Split, Undefined, texts
from compsplit.order import name_hash, uniforms
from compsplit.registry import plugin, plugins


def make(questions: list[str], images: list[str | None] | None = None) -> Rows:
    n = len(questions)
    absent = Column.absent(n)
    table = QATable(
        format="table", ids=texts(f"r{i:05}" for i in range(n)), images=Column.of(images) if images else absent,
        questions=Column.of(questions), answers=Column.of(["yes"] * n), question_types=absent, answer_types=absent,
        origins=absent, sources=absent, n_answers=np.ones(n, dtype=np.int64),
    )  # fmt: skip
    rows: Rows = prepared(table)
    words = plugin("extractor", "question-words").make(table, rows)
    return dataclasses.replace(rows, compounds={words.of: words})


def audit(rows: Rows, part_of_row: list[int], **options: Any) -> Audited:
    split = Split(("train", "test"), np.array(part_of_row, dtype=np.int16))
    found: Audited = plugin("audit", "adversarial").make(rows, split, **options)
    return found


def made_up(n: int, apart: float) -> tuple[Rows, list[int]]:
    """Return n questions of eight words each; with this probability a word is of a vocabulary of its part's own."""
    parts = [i % 2 for i in range(n)]
    own, which = (uniforms(0, name, n * 8).reshape(n, 8) for name in ("own", "which"))
    questions = [
        " ".join(f"w{parts[i] if own[i, k] < apart else 2}x{int(which[i, k] * 40)}" for k in range(8)) for i in range(n)
    ]
    return make(questions), parts


def test_parts_with_words_of_their_own_are_told_apart_and_random_parts_are_not():
    (apart,) = audit(*made_up(600, 1.0)).measures
    assert apart.value == 1
    (alike,) = audit(*made_up(600, 0.0)).measures
    assert abs(alike.value - 0.5) < 0.08
    (between,) = audit(*made_up(600, 0.1)).measures
    assert 0.6 < between.value < 1
    for measure in (apart, alike, between):
        assert measure.note["reproducible"] == "same platform"
        low, high = (float(x) for x in measure.note["interval"].removesuffix(" (95 %)").split(" to "))
        assert low <= measure.value <= high
        assert measure.n == 600


def test_the_words_that_tell_parts_apart_are_named_with_their_part():
    rows = make([f"is it {'left' if i % 2 else 'right'}" for i in range(100)])
    audited = audit(rows, [i % 2 for i in range(100)])
    lines = audited.tables["words that tell test from train"].rows
    assert {line[:2] for line in lines} == {("left", "test"), ("right", "train")}
    assert all((line[1] == "test") == (line[2] > 0) for line in lines)


def test_no_image_is_learned_from_and_tested_on():
    # A question is the name of its image, and an image has one part: known images tell the part, new ones nothing.
    names = [f"image{i // 4:03}" for i in range(400)]
    parts = [i // 4 % 2 for i in range(400)]
    (by_row,) = audit(make(names), parts).measures
    assert by_row.value == 1
    (by_image,) = audit(make(names, images=list(names)), parts).measures
    assert by_image.value == 0.5


def test_the_order_of_rows_changes_nothing():
    rows, parts = made_up(200, 0.2)
    order = np.arange(200)[::-1] * 7 % 200
    turned = Rows(
        texts(rows.ids[order].tolist()), {name: column.take(order) for name, column in rows.columns.items()}, None,
        rows.blank[order], compounds={of: found.taken(order) for of, found in rows.compounds.items()},
    )  # fmt: skip
    # With fewer rows than there are, the same ones are taken.
    one = audit(rows, parts, most_rows=60)
    other = audit(turned, [parts[i] for i in order.tolist()], most_rows=60)
    assert [json.dumps(m.to_json()) for m in one.measures] == [json.dumps(m.to_json()) for m in other.measures]
    assert one.tables == other.tables


def test_at_most_so_many_rows_of_each_part_are_used():
    (measure,) = audit(*made_up(300, 0.5), most_rows=50).measures
    assert (measure.n, measure.options["most_rows"]) == (100, 50)


@pytest.mark.parametrize(
    ("part_of_row", "reason"),
    [
        ([0] * 100, "one of the parts has fewer than 20 rows"),
        ([0] * 81 + [1] * 19, "one of the parts has fewer than 20 rows"),
    ],
)
def test_too_few_rows_tell_nothing(part_of_row, reason):
    (measure,) = audit(make(["is it"] * 100), part_of_row).measures
    assert measure.value == Undefined(reason)


def test_a_part_of_one_image_cannot_be_learned_from_and_tested_on():
    images = ["one"] * 40 + [f"i{i}" for i in range(60)]
    (measure,) = audit(make(["is it"] * 100, images), [0] * 40 + [1] * 60).measures
    assert measure.value == Undefined("all rows of train are in one fifth, so none are left to learn from")


def test_parts_that_no_fifth_holds_together_are_not_compared():
    # Images of four fifths, two of them train's alone and two of them test's.
    by_fifth: dict[int, str] = {}
    for i in range(100):
        by_fifth.setdefault(name_hash(f"fifth i{i}") % 5, f"i{i}")
    images = [by_fifth[i // 25] for i in range(100)]
    (measure,) = audit(make(["is it"] * 100, images), [0] * 50 + [1] * 50).measures
    assert measure.value == Undefined("no fifth has rows of train and of test")


def test_rows_without_concepts_are_passed_over():
    rows = Rows(texts("ab"), {"id": Column.of("ab")}, None, np.zeros(2, dtype=bool))
    assert audit(rows, [0, 1]) == Audited()


def test_it_runs_only_when_asked_for():
    assert plugins("audit")["adversarial"].facts["by_default"] is False


def test_the_auc_is_the_share_of_pairs_in_the_right_order():
    scores = np.array([0.1, 0.4, 0.4, 0.9, 0.4, 0.0])
    part = np.array([True, True, False, True, False, False])
    pairs = [(a, b) for a in scores[part] for b in scores[~part]]
    expected = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
    assert _auc(scores, part) == pytest.approx(expected)


def test_the_standard_error_is_that_of_hanley_and_mcneil():
    # Their example: AUC 0.893, 51 abnormal and 58 normal images, standard error 0.032.
    assert _standard_error(0.893, 51, 58) == pytest.approx(0.032, abs=1e-3)
    assert _standard_error(1.0, 10, 10) == 0
    assert math.isfinite(_standard_error(0.0, 10, 10))


@pytest.mark.large
def test_twenty_thousand_rows_take_less_than_twenty_seconds():
    rows, parts = made_up(20000, 0.05)
    before = time.process_time()
    (measure,) = audit(rows, parts).measures
    assert time.process_time() - before < 20
    assert measure.value > 0.55

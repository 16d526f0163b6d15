"""Intervals of means: drawn by image, the same whatever the order of rows, paired, and undefined where they must be."""

from __future__ import annotations

import numpy as np
import pytest

from compsplit import api
from compsplit.evaluation.intervals import Interval, Units, interval, replicated, replicated_by
from compsplit.model.column import Column
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.order import uniforms


def table_of(ids: list[str], images: list[str | None]) -> QATable:
    import pandas

    frame = pandas.DataFrame({"id": ids, "question": "dog?", "answer": "yes"})
    if any(images):
        frame["image"] = images
    table = api.read(frame)
    assert isinstance(table, QATable)
    return table


def test_a_draw_takes_whole_images_and_divides_by_the_rows_that_it_got() -> None:
    units = Units.of(table_of(["a", "b", "c", "d", "e"], ["m", "k", "m", "l", "k"]))
    scores, counted = np.array([1.0, 0, 0, 1, 1]), np.array([True, True, True, True, False])
    found = replicated([(scores, counted)], units, n=20, seed=3)[:, 0]
    # By hand: image k holds row b alone (0 of 1), l row d (1 of 1), m rows a and c (1 of 2); e is not counted.
    right, rows = {"k": 0, "l": 1, "m": 1}, {"k": 1, "l": 1, "m": 2}
    for replicate in range(20):
        drawn = ["klm"[int(u * 3)] for u in uniforms(3, f"bootstrap {replicate}", 3).tolist()]
        assert found[replicate] == sum(right[i] for i in drawn) / sum(rows[i] for i in drawn)


def test_row_order_does_not_change_an_interval() -> None:
    ids = [f"q{k:03}" for k in range(200)]
    images = [f"i{k % 17}" for k in range(200)]
    scores = (np.arange(200) * 7 % 5 < 2).astype(float)
    order = np.argsort(np.arange(200) * 37 % 200)
    one = Units.of(table_of(ids, list(images)))
    other = Units.of(table_of([ids[k] for k in order], [images[k] for k in order]))
    everyone = np.ones(200, dtype=bool)
    first = replicated([(scores, everyone)], one, n=50)
    second = replicated([(scores[order], everyone)], other, n=50)
    assert np.array_equal(first, second)


def test_rows_without_an_image_are_units_of_their_own() -> None:
    units = Units.of(table_of(["b", "a", "c"], ["m", None, None]))
    assert (units.n, units.of_row.tolist()) == (3, [0, 1, 2])
    assert Units.of(table_of(["b", "a"], [None, None])).of_row.tolist() == [1, 0]


def test_bounds_are_order_statistics_of_the_draws() -> None:
    units = Units(np.arange(2), 2, "image")
    assert interval(np.arange(1, 101, dtype=float), units, 0.9) == Interval(5.0, 95.0)
    assert interval(np.append(np.arange(1, 101, dtype=float), np.nan), units, 0.9) == Interval(5.0, 95.0)


def test_one_image_has_no_interval() -> None:
    units = Units(np.zeros(5, dtype=np.int64), 1, "image")
    assert interval(np.ones(10), units) == Undefined("an interval needs two images or more")


def test_classes_are_drawn_as_if_each_were_scored_alone() -> None:
    units = Units(np.arange(40) % 7, 7, "image")
    scores, codes = (np.arange(40) % 3 == 0).astype(float), (np.arange(40) % 4 - 1).astype(np.int32)
    everyone = np.ones(40, dtype=bool)
    drawn = replicated_by([(scores, everyone, codes, 3)], units, n=30)
    together = drawn.values
    apart = replicated([(scores, codes == code) for code in range(3)], units, n=30)
    assert np.array_equal(together, apart, equal_nan=True)
    held = [{row % 7 for row in range(40) if row % 4 - 1 == code} for code in range(3)]
    assert drawn.among.tolist() == [len(each) for each in held]


def test_a_class_that_no_draw_holds_is_not_a_number_there() -> None:
    units = Units(np.array([0, 1, 1]), 2, "image")
    found = replicated([(np.ones(3), np.array([True, False, False]))], units, n=40)[:, 0]
    assert np.isnan(found).any()
    assert (found[~np.isnan(found)] == 1).all()


@pytest.mark.large
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_intervals_hold_the_truth_about_as_often_as_they_say(share: float) -> None:
    units = Units(np.arange(300) // 3, 100, "image")
    everyone = np.ones(300, dtype=bool)
    held = 0
    for trial in range(60):
        # Rows of one image are alike, so an interval that drew rows would be far too narrow.
        scores = (np.repeat(uniforms(trial, "truth", 100), 3) < share).astype(float)
        found = interval(replicated([(scores, everyone)], units, n=200)[:, 0], units)
        assert isinstance(found, Interval)
        held += found.low <= share <= found.high
    assert 51 <= held <= 60


def test_columns_of_images_in_any_code_order_are_the_same_units() -> None:
    one = table_of(["a", "b"], ["m", "k"])
    assert isinstance(one.images, Column)
    assert Units.of(one).of_row.tolist() == [1, 0]

"""The bootstrap's kernel against its definition: draws of ``order.uniforms``, summed draw by draw."""

from __future__ import annotations

import numpy as np
import pytest

from compsplit.evaluation import intervals
from compsplit.evaluation.intervals import Units, replicated, replicated_by
from compsplit.order import uniforms


def naive(values: np.ndarray, counted: np.ndarray, of_row: np.ndarray, n: int, draws: int) -> list[float]:
    """Return the mean of each draw, from the definition."""
    means = []
    for draw in range(draws):
        picks = (uniforms(5, f"bootstrap {draw}", n) * n).astype(int).tolist()
        rows = [row for unit in picks for row in range(len(of_row)) if of_row[row] == unit and counted[row]]
        means.append(sum(values[row] for row in rows) / len(rows) if rows else float("nan"))
    return means


@pytest.mark.parametrize(("n_rows", "n_units", "draws"), [(40, 9, 35), (5, 1, 3), (6, 6, 17), (30, 4, 16)])
def test_draws_are_those_of_the_definition(n_rows: int, n_units: int, draws: int) -> None:
    row = np.arange(n_rows)
    of_row, values, counted = row * 7 % n_units, (row * 13 % 31).astype(float), row % 3 > 0
    classes = np.where(row % 4 == 3, -1, row % 4)
    found = replicated_by(
        [(values, counted, np.zeros(n_rows, dtype=int), 1), (values, counted, classes, 3)],
        Units(of_row, n_units, "image"),
        n=draws,
        seed=5,
    ).values
    expected = [
        naive(values, counted & keep, of_row, n_units, draws) for keep in (row >= 0, *(classes == k for k in range(3)))
    ]
    assert np.array_equal(found, np.array(expected).T, equal_nan=True)


def test_a_mean_over_no_row_is_no_number() -> None:
    units = Units(np.array([0, 1]), 2, "image")
    found = replicated([(np.ones(2), np.zeros(2, dtype=bool)), (np.ones(2), np.ones(2, dtype=bool))], units, n=4)
    assert np.isnan(found[:, 0]).all()
    assert (found[:, 1] == 1).all()


def test_sums_of_broken_numbers_do_not_depend_on_the_order_of_rows() -> None:
    values = uniforms(0, "values", 400)
    units = Units(np.arange(400) % 20, 20, "image")
    turned = Units(units.of_row[::-1].copy(), 20, "image")
    counted = np.ones(400, dtype=bool)
    one = replicated([(values, counted)], units, n=20)
    assert np.array_equal(one, replicated([(values[::-1].copy(), counted)], turned, n=20))


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    units = Units(np.arange(60) % 12, 12, "image")
    scores = [((np.arange(60) % 5).astype(float), np.ones(60, dtype=bool))]
    whole = replicated(scores, units, n=50)
    monkeypatch.setattr(intervals, "_CHUNK", 36)
    assert np.array_equal(replicated(scores, units, n=50), whole)

"""Intervals of means of row scores: a bootstrap that draws images, so that what one image shares is drawn together.

Source: Efron and Tibshirani 1993, chapter 13 (percentile interval), with the clusters of Field and Welsh 2007 (whole
images are drawn with replacement, as many as there are; the mean is total score by total rows of what was drawn).
Draws are numbered by (seed, replicate) alone and images stand in alphabetical order, so the interval does not depend
on the order of the rows. Rows without an image are each a unit of their own, as are all rows where none has one. Values
of several means come from the same draws, so a difference of two means is a paired one. Cost: O(replicates x (units +
different pairs of unit and mean)).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.bootstrap import drawn_sums
from compsplit.kernels.words import wrapping
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.order import name_hash

REPLICATES = 1000
LEVEL = 0.95

_CHUNK = 1 << 23
"""Units that are drawn at a time."""

_AT_ONCE = 16
"""Draws for which what a unit holds is looked at once."""

Scores: TypeAlias = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""What each row scores, and the rows that the mean is over; shape (n_rows,) each."""

ScoresByClass: TypeAlias = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[Any], int]
"""The same, with the class of each row, -1 for none, and the number of classes."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a value.

    Attributes:
        low: The lower.
        high: The upper.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn.

    Attributes:
        of_row: The unit of each row, -1 for rows that are not drawn; shape (n_rows,).
        n: How many there are.
        noun: What one is called.
    """

    of_row: NDArray[np.int64]
    n: int
    noun: str

    @classmethod
    def of(cls, table: QATable, rows: NDArray[np.bool_] | None = None) -> Units:
        """Return the images of rows in alphabetical order, and after them the rows that have none by their ids.

        Args:
            table: The rows.
            rows: Those that are drawn, shape (n_rows,); all of them without it. An image without one is no unit.
        """
        drawn = np.ones(len(table), dtype=bool) if rows is None else rows
        images, ids = table.images, table.ids.tolist()
        held = np.bincount(images.codes[drawn] + 1, minlength=len(images.names) + 1)[1:]
        used = np.flatnonzero(held).tolist()
        place = np.full(len(images.names) + 1, -1, dtype=np.int64)
        for k, code in enumerate(sorted(used, key=images.names.__getitem__)):
            place[code] = k
        of_row = np.where(drawn, place[images.codes], -1)
        without = np.flatnonzero(drawn & (images.codes < 0)).tolist()
        for k, row in enumerate(sorted(without, key=ids.__getitem__), len(used)):
            of_row[row] = k
        noun = "image" if not without else "row" if not used else "image, or row without one"
        return cls(of_row, len(used) + len(without), noun)

    def among(self, rows: NDArray[np.bool_]) -> int:
        """Return how many units hold one of these rows."""
        return len(np.unique(self.of_row[rows & (self.of_row >= 0)]))


def replicated(scores: Sequence[Scores], units: Units, *, n: int = REPLICATES, seed: int = 0) -> NDArray[np.float64]:
    """Return the means of n draws, shape (n, n_means); not a number where a draw holds no row of the mean.

    Args:
        scores: Each mean's rows and what they score.
        units: What is drawn.
        n: How many draws.
        seed: Of the draws.
    """
    one = np.zeros(len(units.of_row), dtype=np.int64)
    return replicated_by([(values, counted, one, 1) for values, counted in scores], units, n=n, seed=seed).values


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Means of several draws, and what they are drawn from.

    Attributes:
        values: The mean of each draw, not a number where it holds no row of the mean; shape (n, n_means).
        among: How many units hold a row of each mean; shape (n_means,).
    """

    values: NDArray[np.float64]
    among: NDArray[np.int64]


def replicated_by(scores: Sequence[ScoresByClass], units: Units, *, n: int = REPLICATES, seed: int = 0) -> Draws:
    """Return the means of n draws within each class; of each mean the classes stand together.

    Args:
        scores: Each mean's rows, what they score, the class of each, and how many classes there are.
        units: What is drawn.
        n: How many draws.
        seed: Of the draws.
    """
    starts, means, sums, counts = _by_unit(scores, units)
    n_means = sum(n_classes for *_, n_classes in scores)
    keys = np.array([name_hash(f"{seed} bootstrap {replicate}") for replicate in range(n)], dtype=np.uint64)
    at_once = min(max(1, _CHUNK // max(units.n, 1)), _AT_ONCE)
    total, held = np.empty((n, n_means)), np.empty((n, n_means))

    def draw(first: int) -> None:
        some = keys[first : first + at_once]
        times = np.empty((len(some), units.n), dtype=np.int32)
        block = np.empty((2, n_means, len(some)))
        with wrapping():
            drawn_sums(some, starts, means, sums, counts, times, *block)
        total[first : first + at_once], held[first : first + at_once] = block[0].T, block[1].T

    # Threads, not processes: the kernel runs without the interpreter's lock, and each block of draws is its own.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(draw, range(0, n, at_once)))
    values = np.asarray(np.divide(total, held, out=np.full(total.shape, np.nan), where=held > 0))
    return Draws(values, np.bincount(means, minlength=n_means).astype(np.int64))


def _by_unit(
    scores: Sequence[ScoresByClass], units: Units
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return where each unit's entries begin, and of each entry the mean, what its rows score and their number."""
    n_means = sum(n_classes for *_, n_classes in scores)
    keys, values, first = [np.zeros(0, np.int64)], [np.zeros(0)], 0
    for of_rows, counted, classes, n_classes in scores:
        rows = np.flatnonzero(counted & (classes >= 0))
        keys.append(units.of_row[rows] * n_means + (first + classes[rows]))
        values.append(of_rows[rows])
        first += n_classes
    key, value = np.concatenate(keys), np.concatenate(values)
    # Sums of whole numbers are exact; others are added up by size, so that the order of the rows does not matter.
    order = np.argsort(key, kind="stable") if (value == np.rint(value)).all() else np.lexsort((value, key))
    key = key[order]
    at = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    sums = np.add.reduceat(value[order], at) if len(at) else np.zeros(0)
    counts = np.diff(np.append(at, len(key))).astype(np.float64)
    unit, mean = np.divmod(key[at], max(n_means, 1))
    return np.searchsorted(unit, np.arange(units.n + 1)).astype(np.int64), mean, sums, counts


def interval(
    values: NDArray[np.float64], units: Units, level: float = LEVEL, among: int | None = None
) -> Interval | Undefined:
    """Return the interval that leaves the same share of the replicated values below and above it.

    Args:
        values: Of each draw, shape (n,).
        units: What was drawn.
        level: The share inside.
        among: How many units hold a row that the value is about; all of them without it.
    """
    if (units.n if among is None else among) < 2:
        return Undefined(f"an interval needs two {units.noun}s or more")
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Undefined("no draw holds a row of it")
    # Order statistics, not interpolated values: no bound is a number that no draw gave.
    outside = (1 - level) / 2
    low = max(math.ceil(outside * len(known)) - 1, 0)
    high = min(math.ceil((1 - outside) * len(known)) - 1, len(known) - 1)
    return Interval(float(known[low]), float(known[high]))


def described(units: Units, n: int = REPLICATES, seed: int = 0, level: float = LEVEL) -> dict[str, Any]:
    """Return what an interval's report says of it, as JSON values."""
    return {
        "method": f"percentile bootstrap by {units.noun}",
        "units": units.n,
        "replicates": n,
        "seed": seed,
        "level": level,
    }

"""How evenly answers are spread within the groups of a level: entropies, heads and tails, before and after.

H_g is the entropy in bits of the answers of group g, n_g its rows. The row-weighted mean is sum(n_g H_g) / sum(n_g),
the plain mean is over groups, and a third mean weighs groups by the rows that they had before. All are over groups that
have rows at the time.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.4, which does not say which mean its + 72 % is. Cost:
O(cells log cells).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.bounds import Bounds
from compsplit.balancing.levels import Level
from compsplit.model.column import frozen
from compsplit.model.report import Undefined, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The answers of each group of a level at one time; shape (n_groups,) each, 0 where a group has no rows.

    Attributes:
        rows: Rows.
        answers: Different answers.
        entropy: In bits.
        commonest: Rows of the commonest answer.
        head: Answers that are the head (m); 0 for a group of fewer than two.
        in_head: Rows of the first m answers.
    """

    rows: NDArray[np.int64]
    answers: NDArray[np.int64]
    entropy: NDArray[np.float64]
    commonest: NDArray[np.int64]
    head: NDArray[np.int64]
    in_head: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in self.__slots__:
            frozen(getattr(self, name))

    @property
    def there(self) -> NDArray[np.bool_]:
        """Groups that have rows."""
        return np.asarray(self.rows > 0)

    def row_weighted(self) -> float | Undefined:
        """Return the mean entropy, groups weighted by their rows."""
        return self.weighted(self.rows)

    def weighted(self, weights: NDArray[np.int64]) -> float | Undefined:
        """Return the mean entropy of groups that have rows, by other weights."""
        some = self.there & (weights > 0)
        if not some.any():
            return Undefined("no group has rows")
        # fsum is exact, so the order of groups shows in no digit.
        return math.fsum((self.entropy[some] * weights[some]).tolist()) / int(weights[some].sum())

    def plain(self) -> float | Undefined:
        """Return the mean entropy over groups that have rows."""
        n = int(self.there.sum())
        return math.fsum(self.entropy.tolist()) / n if n else Undefined("no group has rows")

    def commonest_share(self) -> Fraction | Undefined:
        """Return the share of rows whose answer is the commonest of its group."""
        return ratio(int(self.commonest.sum()), int(self.rows.sum()), "no group has rows")

    def head_to_tail(self) -> float | Undefined:
        """Return the mean of H_m / T_m over groups of two answers or more."""
        some = self.head > 0
        if not some.any():
            return Undefined("no group has two answers")
        ratios = self.in_head[some] / (self.rows[some] - self.in_head[some])
        return math.fsum(ratios.tolist()) / int(some.sum())


def spread(level: Level, counts: NDArray[np.int64], bounds: Bounds) -> Spread:
    """Return how evenly the answers of each group are spread.

    Args:
        level: The level.
        counts: Rows of each of its cells, shape (n_cells,).
        bounds: Say what of a group is its head.
    """
    n_groups = len(level.groups.names)
    cells = level.ordered(counts)
    starts = level.starts(cells)
    groups = level.group_of_cell[cells[starts[:-1]]]
    falling = counts[cells]
    rows, answers, commonest, head, in_head = (np.zeros(n_groups, dtype=np.int64) for _ in range(5))
    entropy = np.zeros(n_groups)
    if len(groups):
        sizes = np.diff(starts)
        rows[groups] = np.add.reduceat(falling, starts[:-1])
        answers[groups] = sizes
        commonest[groups] = falling[starts[:-1]]
        head[groups] = [bounds.head_of(k) for k in sizes.tolist()]
        running = np.append(0, np.cumsum(falling))
        in_head[groups] = running[starts[:-1] + head[groups]] - running[starts[:-1]]
        # Equal counts are equal numbers, so the order within a group depends on counts alone, and so does the sum.
        plogp = np.add.reduceat(falling * np.log2(falling), starts[:-1])
        # A group of one answer has entropy 0 exactly, not some rounding's rest.
        entropy[groups] = np.where(sizes == 1, 0.0, np.log2(rows[groups]) - plogp / rows[groups])
    return Spread(rows, answers, entropy, commonest, head, in_head)

"""Rounds of balancing: all groups of each level on the rows still kept, then the shares of types; until none changes.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.4 (global groups first, then local ones). Deviation: the
paper sweeps once; rounds repeat here until one changes nothing, so that what comes out is balanced by the same bounds.
Ends, since every round but the last removes a row. Cost: O(rows) a round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.bounds import Bounds
from compsplit.balancing.levels import Level, Mask, smoothing_step
from compsplit.balancing.type_shares import TypeShares
from compsplit.model.column import Codes, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Balanced:
    """What rounds did.

    Attributes:
        stages: Names of levels and columns of types, in the order in which they take turns.
        kept: Which rows are kept, shape (n_rows,).
        stage_of_row: The stage that dropped each row, -1 for a row that none dropped; shape (n_rows,).
        round_of_row: The round in which, from 1; 0 for a row that none dropped; shape (n_rows,).
        touched: For each level, which of its groups it took rows from; shape (n_groups,) each.
        reversed: For each level, how often a step changed the order of a group's answers; 0, it is promised.
        dropped: For each round, the rows that each stage dropped.
        further: Rows that one more round would drop; 0 unless rounds were stopped.
    """

    stages: tuple[str, ...]
    kept: Mask
    stage_of_row: NDArray[np.int8]
    round_of_row: NDArray[np.int32]
    touched: tuple[Mask, ...]
    reversed: tuple[int, ...]
    dropped: tuple[tuple[int, ...], ...]
    further: int

    def __post_init__(self) -> None:
        for array in (self.kept, self.stage_of_row, self.round_of_row, *self.touched):
            frozen(array)


class _Turns:
    """Rows on their way through the rounds."""

    def __init__(self, kept: Mask, levels: Sequence[Level], types: Sequence[TypeShares]) -> None:
        self.kept = kept.copy()
        self.stage_of_row = np.full(len(kept), -1, dtype=np.int8)
        self.round_of_row = np.zeros(len(kept), dtype=np.int32)
        self.touched = tuple(np.zeros(len(level.groups.names), dtype=bool) for level in levels)
        self.reversed = [0] * len(levels)
        self.levels = levels
        self.types = types

    def round(self, number: int, order: NDArray[np.int64], bounds: Bounds) -> tuple[int, ...]:
        """Give every stage its turn, and return the rows that each dropped."""
        dropped = []
        for place, level in enumerate(self.levels):
            step = smoothing_step(level, self.kept, bounds)
            self.touched[place][step.touched] = True
            self.reversed[place] += len(step.reversed)
            dropped.append(self._drop(step.dropped, place, number))
        for place, each in enumerate(self.types, len(self.levels)):
            dropped.append(self._drop(each.step(self.kept, order), place, number))
        return tuple(dropped)

    def _drop(self, rows: Codes, place: int, number: int) -> int:
        self.kept[rows] = False
        self.stage_of_row[rows] = place
        self.round_of_row[rows] = number
        return len(rows)


def balanced(
    entering: Mask,
    order: NDArray[np.int64],
    levels: Sequence[Level],
    types: Sequence[TypeShares],
    bounds: Bounds,
    *,
    rounds: int | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> Balanced:
    """Balance rows in rounds.

    Args:
        entering: The rows that enter the first round, shape (n_rows,).
        order: All rows in the seeded order.
        levels: Levels in the order in which they take turns.
        types: Shares of types, after the levels.
        bounds: What is asked of the groups of each level.
        rounds: At most so many rounds; without it, until one changes nothing.
        watch: Told each round.

    Raises:
        ImpossibleError: A type that shall have a share has no rows left.
    """
    turns = _Turns(entering, levels, types)
    dropped: list[tuple[int, ...]] = []
    while rounds is None or len(dropped) < rounds:
        watch(f"balancing, round {len(dropped) + 1}")
        dropped.append(turns.round(len(dropped) + 1, order, bounds))
        if not any(dropped[-1]):
            break
    # Only rounds that were stopped need to be asked what another one would do.
    further = sum(_Turns(turns.kept, levels, types).round(1, order, bounds)) if any(dropped[-1]) else 0
    return Balanced(
        (*(level.name for level in levels), *(each.name for each in types)),
        turns.kept,
        turns.stage_of_row,
        turns.round_of_row,
        turns.touched,
        tuple(turns.reversed),
        tuple(dropped),
        further,
    )

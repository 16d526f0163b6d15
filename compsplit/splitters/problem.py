"""What a splitter is given, with groups numbered by their place in the seeded order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.column import Codes, Column, distinct
from compsplit.model.grouping import Grouping
from compsplit.model.incidence import Incidence
from compsplit.model.split import Split
from compsplit.model.targets import Targets


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows to divide.

    Attributes:
        grouping: Rows that stay together.
        targets: What is asked for; the first part is the reference part.
        seed: The seed of the order.
        concepts: Concepts of the rows; None where the splitter does not look at them.
        strata: Strata to spread evenly over the parts; a row without one has none.
    """

    grouping: Grouping
    targets: Targets
    seed: int = 0
    concepts: Incidence | None = None
    strata: Column | None = None

    def order(self) -> NDArray[np.int64]:
        """Return the groups in the order of the seed, shape (n_groups,)."""
        return self.grouping.order(self.seed)

    def group_concepts(self, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes, int]:
        """Return the different concepts of each group in the order, as starts and codes, and how many there are.

        Raises:
            UsageError: No concepts were extracted.
        """
        rows = self.concepts
        if rows is None:
            raise UsageError(
                "This splitter looks at concepts, and the table lacks the questions or answers they are in."
            )
        held, _ = distinct(self.grouping.group_of_row.astype(np.int64) * rows.n_bags + rows.bag_of_row)
        groups, bags = np.divmod(held, rows.n_bags)
        lengths = np.diff(rows.starts)[bags]
        entries = _ranges(rows.starts[bags], lengths)
        n = max(len(rows.names), 1)
        pairs = np.repeat(_places(order)[groups] * n, lengths)
        pairs += rows.concepts[entries]
        del entries, held
        entry_pairs, _ = distinct(pairs)
        starts = _starts(entry_pairs // n, len(order))
        return starts, (entry_pairs % n).astype(np.int32), len(rows.names)

    def group_strata(self, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes, NDArray[np.int64], int]:
        """Return the rows that each group has in each stratum, as starts, strata and counts, and how many there are."""
        column = self.strata
        if column is None:
            return np.zeros(len(order) + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64), 0
        there = column.codes >= 0
        n = max(len(column.names), 1)
        packed = _places(order)[self.grouping.group_of_row[there]] * n + column.codes[there]
        pairs, counts = distinct(packed)
        return _starts(pairs // n, len(order)), (pairs % n).astype(np.int32), counts.astype(np.int64), n

    def split(self, part_of_group: NDArray[Any], order: NDArray[np.int64], **facts: object) -> Split:
        """Return the split in which the group at place p of the order is in ``part_of_group[p]``."""
        part = np.empty(len(order), dtype=np.int16)
        part[order] = part_of_group
        asked = self.targets.sizes(len(self.grouping.group_of_row))
        return Split(self.targets.parts, part[self.grouping.group_of_row], asked, facts)


def rows_for_test(problem: Problem, splitter: str) -> int:
    """Return the rows that the second of two parts may hold.

    Raises:
        UsageError: More than two parts are asked for.
    """
    parts = problem.targets.parts
    if len(parts) != 2:
        raise UsageError(f"{splitter} makes two parts, got {', '.join(parts)}.", field="split.parts")
    return problem.targets.sizes(len(problem.grouping.group_of_row))[parts[1]]


def _places(order: NDArray[np.int64]) -> NDArray[np.int64]:
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges one after the other."""
    numbers = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    numbers += np.arange(len(numbers))
    return numbers


def _starts(owners: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=n), out=starts[1:])
    return starts

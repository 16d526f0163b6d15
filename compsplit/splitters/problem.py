"""What a splitter is given, with groups numbered by their place in the seeded order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError, UsageError
from compsplit.model.column import Codes, Column, distinct
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.grouping import Grouping
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.model.targets import Targets


@dataclass(frozen=True, slots=True)
class Fold:
    """One of k folds, each of which is the test part of one split.

    Attributes:
        number: From 1 to k.
        k: How many there are.
    """

    number: int
    k: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows to divide.

    Attributes:
        grouping: Rows that stay together.
        targets: What is asked for; the first part is the reference part.
        seed: The seed of the order.
        concepts: Concepts of the rows; None where the splitter does not look at them.
        strata: Strata to spread evenly over the parts; a row without one has none.
        rows: The rows with their columns and compounds; None where the splitter does not look at them.
        fold: The fold that is asked for, where folds are.
    """

    grouping: Grouping
    targets: Targets
    seed: int = 0
    concepts: Incidence | None = None
    strata: Column | None = None
    rows: Rows | None = None
    fold: Fold | None = None

    def order(self) -> NDArray[np.int64]:
        """Return the groups in the order of the seed, shape (n_groups,)."""
        return self.grouping.order(self.seed)

    def taken(self, rows: NDArray[Any]) -> Problem:
        """Return the problem of these rows, by place."""
        return dataclasses.replace(
            self,
            grouping=self.grouping.taken(rows),
            concepts=None if self.concepts is None else self.concepts.taken(rows),
            strata=None if self.strata is None else self.strata.take(rows),
            rows=None if self.rows is None else self.rows.taken(rows),
        )

    def column(self, name: str) -> Column:
        """Return a column of the rows.

        Raises:
            UnknownNameError: There is none of that name.
        """
        if self.rows is None:
            raise UnknownNameError("column", name, ())
        return self.rows.column(name)

    def compounds(self, of: str = "") -> Compounds | ObjectPairs:
        """Return the compounds that a splitter keeps apart.

        Args:
            of: What was extracted, such as "relations"; nothing where only one kind was.

        Raises:
            UnknownNameError: Nothing of that name was extracted.
            UsageError: Nothing was extracted, or several things and none is named.
        """
        found = {} if self.rows is None else self.rows.compounds
        if of:
            if of not in found:
                raise UnknownNameError("kind of compound among those extracted", of, found)
            return found[of]
        if len(found) != 1:
            told = f"several are extracted ({', '.join(found)}); name one as split.of" if found else "none is extracted"
            raise UsageError(
                f"This splitter keeps one kind of compounds apart, and {told}. Say what with --of EXTRACTOR, such as "
                "object-pairs, relations, qa or two columns as color+shape.",
                field="extract.of",
            )
        return next(iter(found.values()))

    def group_concepts(self, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes, int]:
        """Return the different concepts of each group in the order, as starts and codes, and how many there are.

        Raises:
            UsageError: No concepts were extracted.
        """
        if self.concepts is None:
            raise UsageError(
                "This splitter looks at concepts, and the table lacks the questions or answers they are in."
            )
        return self.members(self.concepts, order)

    def members(self, of: Incidence | Kinds, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes, int]:
        """Return what different things the rows of each group hold, as starts and codes, and how many there are.

        Args:
            of: What the rows hold: concepts, atoms or compounds.
            order: The groups in their order, shape (n_groups,).

        Returns:
            Starts, shape (n_groups + 1,): the group at place p of the order holds codes ``starts[p]:starts[p + 1]``,
            ascending; the codes, shape (n_entries,); and the number of names.
        """
        places = _places(order)
        kinds = of.each if isinstance(of, Kinds) else (of,)
        width = max(sum(len(kind.names) for kind in kinds), 1)
        offset = 0
        packed = []
        for rows in kinds:
            held, _ = distinct(self.grouping.group_of_row.astype(np.int64) * rows.n_bags + rows.bag_of_row)
            groups, bags = np.divmod(held, rows.n_bags)
            lengths = np.diff(rows.starts)[bags]
            entries = _ranges(rows.starts[bags], lengths)
            pairs = np.repeat(places[groups] * width + offset, lengths)
            pairs += rows.concepts[entries]
            del entries, held
            packed.append(distinct(pairs)[0])
            offset += len(rows.names)
        entry_pairs = packed[0] if len(packed) == 1 else np.sort(np.concatenate(packed))
        starts = _starts(entry_pairs // width, len(order))
        return starts, (entry_pairs % width).astype(np.int32), offset

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

    def split(
        self,
        part_of_group: NDArray[Any],
        order: NDArray[np.int64],
        left_out: Mapping[str, NDArray[np.bool_]] | None = None,
        held: Incidence | None = None,
        **facts: object,
    ) -> Split:
        """Return the split in which the group at place p of the order is in ``part_of_group[p]``.

        Args:
            part_of_group: Parts by place, -1 for a group that is left out; shape (n_groups,).
            order: The groups in their order.
            left_out: Reason -> groups it holds for, by place, shape (n_groups,); the first that holds counts.
            held: What each row was held out for.
            facts: What was counted, as JSON values.
        """
        part = np.empty(len(order), dtype=np.int16)
        part[order] = part_of_group
        asked = self.targets.sizes(len(self.grouping.group_of_row))
        reasons = None
        if (part < 0).any():
            why = np.full(len(order), -1, dtype=np.int32)
            for number, holds in reversed(list(enumerate((left_out or {}).values()))):
                why[order[holds & (np.asarray(part_of_group) < 0)]] = number
            reasons = Column(why[self.grouping.group_of_row], tuple(left_out or {}))
        return Split(self.targets.parts, part[self.grouping.group_of_row], asked, facts, reasons, held)


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

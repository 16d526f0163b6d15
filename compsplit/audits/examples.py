"""The least id of a row of a part that has a value, a concept or a compound: the example that stands beside it.

Rows are ranked by their ids, once for each split. What is found is the least rank, for any number of values at once:
one pass over the rows, or over the non-zeros. Object pairs are not listed, so the bags of their classes are taken out
in one pass, and for each pair those of its two classes are held against each other. Cost: O(rows log rows) once, then
O(rows) or O(non-zeros) a table; for object pairs besides O(bags that hold one of the two classes) a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.comparing import Top
from compsplit.model.column import Codes, Column, Texts
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.report import Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SHOWN = 50
"""Compounds that a table names."""

NOBODY = int(np.iinfo(np.int32).max)
"""The rank where no row is."""

_BAGS = 1 << 16
"""Bags that are looked at together."""

_ranks: WeakKeyDictionary[Split, tuple[Texts, Codes, Codes]] = WeakKeyDictionary()
"""Rows in the order of their ids, and the place of each in it, for splits that are in use: audits ask for the same."""


class Examples:
    """Finds the least ids of rows of a part."""

    def __init__(self, rows: Rows, split: Split) -> None:
        self._rows = rows
        self._split = split

    def ranks_of_values(self, column: Column, part: str) -> Codes:
        """Return the least rank of rows of the part with each value, ``NOBODY`` where none has it; shape (n_names,)."""
        _, ranks = self._ranked()
        there = self._split.rows_in(part) & (column.codes >= 0)
        return _least(column.codes[there], ranks[there], len(column.names))

    def ids_of(self, ranks: Codes) -> list[str | None]:
        """Return the ids of rows of these ranks, None for ``NOBODY``."""
        order, _ = self._ranked()
        return [None if rank == NOBODY else str(self._rows.ids[order[rank]]) for rank in ranks.tolist()]

    def of(self, concepts: Incidence | Kinds, part: str, wanted: Sequence[int]) -> list[str | None]:
        """Return the least id of a row of the part with each wanted concept; all are found in one pass."""
        codes = np.array(wanted, dtype=np.int64)
        found = np.full(len(codes), NOBODY, dtype=np.int32)
        first = 0
        for kind in concepts.each if isinstance(concepts, Kinds) else (concepts,):
            ours = (codes >= first) & (codes < first + len(kind.names))
            if ours.any():
                found[ours] = _least_of_concepts(kind, self._ranks_of_bags(kind, part), codes[ours] - first)
            first += len(kind.names)
        return self.ids_of(found)

    def table(
        self, compounds: Compounds | ObjectPairs, reference: str, part: str, top: Sequence[Top], total: int
    ) -> Table:
        """Return compounds with their occurrences and an example in both parts; None where a part has none.

        Args:
            compounds: Compounds of all rows.
            reference: One part.
            part: The other one.
            top: The first compounds, with their occurrences in the part.
            total: How many there are in all.
        """
        shown = top[:SHOWN]
        if isinstance(compounds, Compounds):
            codes = [each.codes[0] for each in shown]
            counts = compounds.rows.occurrences(self._split.rows_in(reference))[codes].tolist()
            examples = [self.of(compounds.rows, which, codes) for which in (reference, part)]
        else:
            counts, examples = self._of_pairs(compounds.atoms, reference, part, shown)
        lines = [
            (each.name, n, each.count, *ids)
            for each, n, *ids in zip(shown, counts, *examples, strict=True)
        ]  # fmt: skip
        columns = (
            compounds.noun, f"occurrences in {reference}", f"occurrences in {part}",
            f"example in {reference}", f"example in {part}",
        )  # fmt: skip
        return Table.first_of(columns, lines, SHOWN, total=total, culprits=True)

    def _of_pairs(
        self, atoms: Incidence, reference: str, part: str, top: Sequence[Top]
    ) -> tuple[list[int], list[list[str | None]]]:
        """Return occurrences of pairs of classes in the reference part, and examples in both parts."""
        weights = atoms.rows_of_bags(self._split.rows_in(reference))
        ranks = [self._ranks_of_bags(atoms, which) for which in (reference, part)]
        counts = []
        found = np.full((2, len(top)), NOBODY, dtype=np.int32)
        for k, (bags, pairs) in enumerate(_bags_with_pairs(atoms, [each.codes for each in top])):
            counts.append(int((weights[bags] * pairs).sum()))
            for side, ranks_of_bags in enumerate(ranks):
                found[side, k] = ranks_of_bags[bags].min(initial=NOBODY)
        return counts, [self.ids_of(side) for side in found]

    def _ranked(self) -> tuple[Codes, Codes]:
        """Return the rows in the order of their ids, and the rank of each row; rows of one id have one rank."""
        kept = _ranks.get(self._split)
        if kept is None or kept[0] is not self._rows.ids:
            order, places = _in_order(self._rows.ids)
            ranks = np.empty(len(order), dtype=np.int32)
            ranks[order] = places
            kept = _ranks[self._split] = self._rows.ids, order, ranks
        return kept[1], kept[2]

    def _ranks_of_bags(self, incidence: Incidence, part: str) -> Codes:
        """Return the least rank of a row of the part with each bag; shape (n_bags,)."""
        _, ranks = self._ranked()
        there = self._split.rows_in(part)
        return _least(incidence.bag_of_row[there], ranks[there], incidence.n_bags)


def _in_order(ids: Texts) -> tuple[Codes, Codes]:
    """Return the rows in the order of their ids, and for each the place of the first with its id; shape (n_rows,)."""
    order = np.argsort(ids, kind="stable")
    same = ids[order[1:]] == ids[order[:-1]]
    # NumPy compares texts up to a NUL character, so that it takes different ones for the same.
    if any("\0" in name for each in (order[1:], order[:-1]) for name in ids[each[same]].tolist()):
        names = ids.tolist()
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
        same = np.array([names[row] == names[before] for before, row in pairwise(order.tolist())])
    places = np.arange(len(order), dtype=np.int32)
    places[1:][same] = 0
    return order.astype(np.int32), np.maximum.accumulate(places)


def _least(codes: Codes, values: Codes, n: int) -> Codes:
    """Return the least value of each code, ``NOBODY`` where it is not there; shape (n,)."""
    least = np.full(n, NOBODY, dtype=np.int32)
    np.minimum.at(least, codes, values)
    return least


def _least_of_concepts(incidence: Incidence, ranks_of_bags: Codes, wanted: NDArray[np.int64]) -> Codes:
    """Return the least rank of a bag with each wanted concept; shape (n_wanted,)."""
    least = np.full(len(incidence.names), NOBODY, dtype=np.int32)
    for concepts, bags, _ in _entries(incidence, wanted):
        np.minimum.at(least, concepts, ranks_of_bags[bags])
    return least[wanted]


def _entries(
    incidence: Incidence, wanted: NDArray[np.int64]
) -> Iterator[tuple[Codes, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield concept, bag and count of the entries of wanted concepts, some bags at a time."""
    marked = np.zeros(len(incidence.names), dtype=bool)
    marked[wanted] = True
    for first in range(0, incidence.n_bags, _BAGS):
        last = min(first + _BAGS, incidence.n_bags)
        entries = slice(incidence.starts[first], incidence.starts[last])
        there = marked[incidence.concepts[entries]]
        bags = np.repeat(np.arange(first, last), np.diff(incidence.starts[first : last + 1]))
        yield incidence.concepts[entries][there], bags[there], incidence.counts[entries][there].astype(np.int64)


def _bags_with_pairs(
    atoms: Incidence, pairs: Sequence[tuple[int, ...]]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield, for each pair of classes, the bags that hold one, and how many each holds."""
    wanted = np.unique(np.array(pairs, dtype=np.int64))
    blocks = list(_entries(atoms, wanted))
    concepts, bags, counts = (np.concatenate([block[k] for block in blocks]) for k in range(3))
    order = np.argsort(concepts, kind="stable")
    concepts, bags, counts = concepts[order], bags[order], counts[order]
    # One vector for all pairs: where the first class stands in each bag, taken back after each pair.
    place = np.full(atoms.n_bags, -1)
    for one, other in pairs:
        ours, theirs = (slice(*np.searchsorted(concepts, (code, code + 1)).tolist()) for code in (one, other))
        if one == other:
            there = counts[ours] > 1
            yield bags[ours][there], counts[ours][there] * (counts[ours][there] - 1) // 2
            continue
        place[bags[ours]] = np.arange(len(bags[ours]))
        at = place[bags[theirs]]
        place[bags[ours]] = -1
        yield bags[theirs][at >= 0], counts[theirs][at >= 0] * counts[ours][at[at >= 0]]

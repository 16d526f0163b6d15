"""Which rows a probe learns from and which it answers: the split that is probed, the original one, random ones.

A random division has the sizes of the probed split and the same rows. Images stay together (they go to test in a seeded
order, until test holds as many rows as asked) unless the original split shares images between its parts; then single
rows are dealt, and the sizes are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError, UsageError, listed
from compsplit.model.column import frozen, positions
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.order import name_hashes, seeded_order


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Rows to learn from and rows to answer.

    Attributes:
        name: ``original``, ``new``, or ``random 1`` and so on.
        train: Places of rows, in the seeded order of their ids.
        test: Places of rows, ascending.
        parts: What the two are called.
        n_other: Rows in other parts, or in none.
    """

    name: str
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    parts: tuple[str, str] = ("train", "test")
    n_other: int = 0

    def __post_init__(self) -> None:
        for part, rows in zip(self.parts, (self.train, self.test), strict=True):
            if not len(rows):
                raise UsageError(f"The {self.name} split has no row with question and answer in {part}.")
        frozen(self.train)
        frozen(self.test)


def order_of(table: QATable, seed: int = 0) -> NDArray[np.int64]:
    """Return the places of the rows in the seeded order of their ids."""
    names = table.ids.tolist()
    return seeded_order(name_hashes(names, len(names)), seed, names)


def divided(
    name: str,
    table: QATable,
    source: RowTable,
    split: Split,
    order: NDArray[np.int64],
    reference: str | None = None,
    part: str | None = None,
) -> Division:
    """Return the division that two parts of a split make.

    Args:
        name: Of the division.
        table: The rows that are probed.
        source: The rows that have parts; ids are those of the table, some may lack.
        split: Their parts.
        order: The seeded order of the table's rows.
        reference: The part to learn from.
        part: The part to answer.

    Raises:
        UsageError: A part has no row, or it is not clear which part is meant.
        UnknownNameError: There is no such part.
    """
    learned, answered = chosen(split.parts, reference, part)
    places = positions(table.ids, source.ids)
    part_of_row = np.full(len(table), -1, dtype=np.int16)
    part_of_row[places[places >= 0]] = split.part_of_row[places >= 0]
    train = order[part_of_row[order] == split.parts.index(learned)]
    test = np.flatnonzero(part_of_row == split.parts.index(answered))
    return Division(name, train, test, (learned, answered), len(table) - len(train) - len(test))


def chosen(parts: Sequence[str], reference: str | None, part: str | None) -> tuple[str, str]:
    """Return the part to learn from and the one to answer, of those named, else by their names.

    Raises:
        UsageError: The names do not say which part is to be answered.
        UnknownNameError: There is no part of that name.

    Example:
        >>> chosen(["train2014", "val2014"], None, None)
        ('train2014', 'val2014')
    """
    for name in (reference, part):
        if name is not None and name not in parts:
            raise UnknownNameError("part", name, parts)
    learned = reference or _named(parts, "train") or next(each for each in parts if each != part)
    others = [each for each in parts if each != learned]
    answered = part or _named(others, "test") or _named(others, "val") or (others[0] if len(others) == 1 else None)
    if answered is None or answered == learned:
        raise UsageError(
            f"The split has the parts {listed(parts)}; name the one to learn from with --reference and the one to "
            "answer with --part.",
            field="--part",
        )
    return learned, answered


def _named(parts: Sequence[str], name: str) -> str | None:
    begin = [part for part in parts if part.startswith(name)]
    return name if name in parts else begin[0] if len(begin) == 1 else None


def shares_images(table: QATable, division: Division) -> bool:
    """Tell whether some image has rows in both parts."""
    codes = table.images.codes
    held = [np.unique(codes[rows][codes[rows] >= 0]) for rows in (division.train, division.test)]
    return bool(len(np.intersect1d(held[0], held[1])))


def random_division(
    table: QATable, like: Division, number: int, order: NDArray[np.int64], *, by_image: bool
) -> Division:
    """Return a random division of the rows of another, of its sizes.

    Args:
        table: The rows.
        like: The division whose rows and sizes it has.
        number: Of the random division, from 1: the seed of its order.
        order: The seeded order of all rows, in which those to learn from stand.
        by_image: Whether the rows of an image stay together; sizes differ by less than the rows of an image then.
    """
    rows = np.sort(np.concatenate([like.train, like.test]))
    test = np.zeros(len(table), dtype=bool)
    if by_image:
        units: Any = np.where(table.images.codes[rows] >= 0, table.images.codes[rows], len(table.images.names) + rows)
        _, first, unit = np.unique(units, return_index=True, return_inverse=True)
        names = [
            f"image {table.images[row]}" if table.images.codes[row] >= 0 else f"row {table.ids[row]}"
            for row in rows[first].tolist()
        ]
        dealt = seeded_order(name_hashes(names, len(names)), number, names)
        reached = np.cumsum(np.bincount(unit, minlength=len(names))[dealt])
        n_test = int(np.searchsorted(reached, len(like.test))) + 1
        in_test = np.zeros(len(names), dtype=bool)
        in_test[dealt[: min(n_test, len(names) - 1)]] = True
        test[rows[in_test[unit]]] = True
    else:
        dealt = order_of(table, number)
        among = np.zeros(len(table), dtype=bool)
        among[rows] = True
        test[dealt[among[dealt]][: len(like.test)]] = True
    learned = np.zeros(len(table), dtype=bool)
    learned[rows] = True
    learned &= ~test
    return Division(f"random {number}", order[learned[order]], np.flatnonzero(test), ("train", "test"), like.n_other)

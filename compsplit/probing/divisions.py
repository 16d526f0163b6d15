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

from compsplit.errors import UnknownNameError, UsageError, counted, listed
from compsplit.model.column import frozen, positions
from compsplit.model.report import Finding
from compsplit.model.table import QATable
from compsplit.order import name_hashes, seeded_order
from compsplit.recipe.auditing import Assigned, parts_of_column, parts_of_lists
from compsplit.recipe.id_lists import SplitLists
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.running import run_on_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What says which row is in which part: one of lists, a column and a recipe.

    Attributes:
        lists: Our folder, or ids by part.
        by: The column whose values are listed, such as image; ids without it.
        column: The column that names each row's part.
        recipe: A recipe that makes the split.
        reference: The part to learn from; by its name where none is named.
        part: The part to answer; by its name where none is named.
        allow_unjoined: Whether entries of lists that the data do not have are passed over.
    """

    lists: SplitLists | None = None
    by: str | None = None
    column: str | None = None
    recipe: Recipe | None = None
    reference: str | None = None
    part: str | None = None
    allow_unjoined: bool = False

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.lists, self.column, self.recipe)) != 1:
            raise UsageError(
                "Say the split to probe in one way: --split SPLIT, --part-column NAME or --recipe NAME; and the "
                "original one by --original SPLIT or --original-column NAME, or leave it out."
            )
        if self.by is not None and self.lists is None:
            raise UsageError("What is listed instead of ids belongs to lists of them.", field="--by")

    def assigned(self, table: QATable) -> Assigned:
        """Return the rows whose part is known, and their parts.

        Raises:
            CompsplitError: As its message says.
        """
        if self.recipe is not None:
            run = run_on_table(self.recipe, table)
            return Assigned(run.table, run.split.parts, run.split.part_of_row)
        if self.column is not None:
            return parts_of_column(table, self.column)
        return parts_of_lists(table, self.lists or {}, self.by, allow_unjoined=self.allow_unjoined)


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
    name: str, saying: Saying, whole: QATable, table: QATable, order: NDArray[np.int64]
) -> tuple[Division, tuple[Finding, ...]]:
    """Return the division that two parts of a split make, and what was found out about the split.

    Args:
        name: Of the division.
        saying: What says the parts.
        whole: Every row.
        table: Those that are probed.
        order: The seeded order of the probed rows.

    Raises:
        UsageError: A part has no row, or it is not clear which part is meant.
        UnknownNameError: There is no such part.
    """
    assigned = saying.assigned(whole)
    learned, answered = chosen(assigned.parts, saying.reference, saying.part)
    places = positions(table.ids, assigned.table.ids)
    part_of_row = np.full(len(table), -1, dtype=np.int16)
    part_of_row[places[places >= 0]] = assigned.part_of_row[places >= 0]
    train = order[part_of_row[order] == assigned.parts.index(learned)]
    test = np.flatnonzero(part_of_row == assigned.parts.index(answered))
    division = Division(name, train, test, (learned, answered), len(table) - len(train) - len(test))
    return division, assigned.notes


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
    if not test.any() or not learned.any():
        n_images = len(np.unique(table.images.codes[rows]))
        raise UsageError(
            f"A random split of {len(rows):,} rows about {counted(n_images, 'image')} leaves a part without a row, as "
            "an image stays in one part. Give the split that the data come in: --original, and --random-splits 0.",
            field="--random-splits",
        )
    return Division(f"random {number}", order[learned[order]], np.flatnonzero(test), ("train", "test"), like.n_other)

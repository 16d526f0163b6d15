"""Inside: the rows of one part of a first split are divided by a second splitter.

Source: compsplit, beside the combinations of Bogin, Gupta, Berant 2021, arXiv 2109.10613. The parts of the second split
take the place of the part that it divides; a part of the same name as one of the first split's is one part with it.
Rows that either leaves out are left out.

Guarantee: no group is torn; rows of other parts stay where the first split puts them. Cost: that of the two splitters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from compsplit.errors import ImpossibleError, UnknownNameError, UsageError, counted
from compsplit.model.column import Column
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.members import Member, held_together
from compsplit.splitters.problem import Problem

_PARTS = ("train", "test")


@register(
    "splitter",
    "inside",
    source="compsplit",
    guarantee="No group is torn; rows of other parts stay where the first split puts them.",
    cost="that of the two splitters",
    parts=_PARTS,
)
def assign(
    problem: Problem,
    *,
    first: Mapping[str, Any] | None = None,
    part: str = "train",
    then: Mapping[str, Any] | None = None,
) -> Split:
    """Divide the rows of one part further.

    Args:
        problem: What is divided.
        first: The first splitter: a table with its method, its options, and its parts where it takes shares.
        part: The part of its split that is divided further.
        then: The second splitter, as the first.

    Raises:
        UnknownNameError: The first split has no such part.
        UsageError: Parts are named, which the two splitters do.
        ImpossibleError: The part is empty.
        CompsplitError: As the messages of the two say.
    """
    if problem.targets.parts != _PARTS:
        raise UsageError(
            "The parts of inside are those of its two splitters; name them there, as parts of split.first and of "
            "split.then.",
            field="split.parts",
        )
    one, other = Member.of(first, "split.first"), Member.of(then, "split.then")
    outer = one.split(problem)
    if part not in outer.parts:
        raise UnknownNameError("part of the first split", part, outer.parts)
    places = np.flatnonzero(outer.rows_in(part))
    if not len(places):
        raise ImpossibleError(
            f"{part} of the first split is empty, so there is nothing inside it. Nothing was written.",
            facts={"part": part},
        )
    inner = other.split(problem.taken(places))
    at = outer.parts.index(part)
    parts = tuple(dict.fromkeys((*outer.parts[:at], *inner.parts, *outer.parts[at + 1 :])))
    part_of_row = _numbered(outer, parts, part)
    part_of_row[places] = _numbered(inner, parts, "")
    outside = np.flatnonzero(outer.placed & ~outer.rows_in(part))
    kept = None if outer.held is None else outer.held.taken(outside)
    held = held_together(((kept, outside), (inner.held, places)), len(part_of_row))
    asked = {
        name: n for split in (outer, inner) for name, n in split.asked.items()
        if name in parts and (name in outer.parts) != (name in inner.parts)
    }  # fmt: skip
    facts = {f"{part} before it was divided": counted(len(places), "row")}
    return Split(parts, part_of_row, asked, facts, _reasons(outer, inner, places), held)


def _numbered(split: Split, parts: tuple[str, ...], divided: str) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return the part of each row as a position in ``parts``; the part that is divided further has none."""
    table = [-1 if name == divided else parts.index(name) for name in split.parts]
    return np.array([*table, -1], dtype=np.int16)[split.part_of_row]


def _reasons(outer: Split, inner: Split, places: np.ndarray[Any, np.dtype[np.int64]]) -> Column | None:
    """Return why rows are left out by either split."""
    found = outer.left_out
    if inner.left_out is not None:
        codes = np.full(len(outer.part_of_row), -1, dtype=np.int32)
        codes[places] = inner.left_out.codes
        within = Column(codes, inner.left_out.names)
        found = within if found is None else found.or_else(within)
    return found

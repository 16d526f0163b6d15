"""Intersection: a row is in test if each of several splitters puts it there.

Source: Bogin, Gupta, Berant 2021, arXiv 2109.10613 (COVR builds compositional splits by union and intersection of
rules). Rows on which members differ are train, or left out: then train and test are parts of each member's, and keep
apart what it keeps apart. A row that a member leaves out is left out.

Guarantee: no group is torn; test holds rows that are test to every member; with differing rows left out, nothing that a
member keeps apart is shared. Cost: that of the members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from compsplit.model.column import Column
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.by_rows import split_by_rows
from compsplit.splitters.members import held_together, members, reasons, two_parts
from compsplit.splitters.problem import Problem

_DIFFERING = "splitters that are combined differ about it"
_APART = (
    "common-compounds", "image-overlap", "length-overlap", "qa-overlap", "question-overlap", "rows-not-longer",
    "rows-with-unseen-atoms", "rows-with-unseen-concepts", "template-overlap", "type-answer-overlap",
)  # fmt: skip
"""Measures of what is kept apart: fewer rows on either side leave them as they are."""


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    if options["mixed"] == "train":
        return ()
    kept = [check for member in members(options["of"], "split.of") for check in member.keeps()]
    return tuple(check for check in kept if check.split("[")[0] in _APART)


@register(
    "splitter",
    "intersection",
    source="Bogin et al. 2021, arXiv 2109.10613",
    guarantee="Test holds rows that are test to every member; nothing a member keeps apart is shared if mixed rows go.",
    cost="that of the members",
    keeps=_keeps,
    parts=("train", "test"),
)
def assign(
    problem: Problem, *, of: Sequence[Mapping[str, Any]] = (), mixed: Literal["train", "leave-out"] = "train"
) -> Split:
    """Put a row in test if all of several splitters do.

    Args:
        problem: What is divided.
        of: The splitters, each a table with its method, its options, and its parts where it takes shares.
        mixed: What becomes of a row that is test to some and train to others.

    Raises:
        CompsplitError: As the members' messages say.
    """
    splits = [two_parts(member, problem) for member in members(of, "split.of")]
    out = np.any([~split.placed for split in splits], axis=0)
    in_test = np.all([split.part_of_row == 1 for split in splits], axis=0)
    differing = ~out & ~in_test & np.any([split.part_of_row == 1 for split in splits], axis=0)
    part = np.where(out, -1, in_test)
    why = reasons(splits)
    if mixed == "leave-out":
        part[differing] = -1
        mine = Column(np.where(differing, 0, -1).astype(np.int32), (_DIFFERING,))
        why = mine if why is None else why.or_else(mine)
    every = np.arange(len(part))
    held = held_together(((split.held, every) for split in splits), len(part))
    return split_by_rows(problem, part, why, held, {"rows on which members differ": int(differing.sum())})

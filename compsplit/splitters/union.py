"""Union: a row is in test if any of several splitters puts it there.

Source: Bogin, Gupta, Berant 2021, arXiv 2109.10613 (COVR builds compositional splits by union and intersection of
rules). Train is what every member leaves in train, so what a member keeps out of train stays out of it. A row that a
member leaves out is left out.

Guarantee: no group is torn; train holds rows that are train to every member, test those that are test to one at least.
Cost: that of the members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.by_rows import split_by_rows
from compsplit.splitters.members import held_together, members, reasons, two_parts
from compsplit.splitters.problem import Problem


@register(
    "splitter",
    "union",
    source="Bogin et al. 2021, arXiv 2109.10613",
    guarantee="Train holds rows that are train to every member, test those that are test to one at least.",
    cost="that of the members",
    parts=("train", "test"),
)
def assign(problem: Problem, *, of: Sequence[Mapping[str, Any]] = ()) -> Split:
    """Put a row in test if any of several splitters does, and in train if all do.

    Args:
        problem: What is divided.
        of: The splitters, each a table with its method, its options, and its parts where it takes shares.

    Raises:
        CompsplitError: As the members' messages say.
    """
    splits = [two_parts(member, problem) for member in members(of, "split.of")]
    out = np.any([~split.placed for split in splits], axis=0)
    tested = np.any([split.part_of_row == 1 for split in splits], axis=0)
    part = np.where(out, -1, tested)
    every = np.arange(len(part))
    held = held_together(((split.held, every) for split in splits), len(part))
    facts = {f"test rows of member {number}": split.sizes[split.parts[1]] for number, split in enumerate(splits, 1)}
    return split_by_rows(problem, part, reasons(splits), held, facts)

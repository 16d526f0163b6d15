"""The split that the data come with: parts as the files or a column name them.

Source: compsplit. For a published split that shall be audited, given validation parts, or written in another format:
test stays as it is. Rows whose value is no part's name are left out and counted.

Guarantee: every row is in the part that its value names. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np

from compsplit.errors import UsageError, counted, listed
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem


@register(
    "splitter",
    "declared",
    source="compsplit",
    guarantee="Every row is in the part that its value names.",
    cost="O(rows)",
    parts=("train", "test"),
)
def assign(problem: Problem, *, column: str = "source") -> Split:
    """Keep the parts that the data come with, as their files or a column name them.

    Args:
        problem: Rows with that column, and the names of the parts.
        column: The column; ``source`` is the name of each row's file, or NAME in NAME=FILE.

    Raises:
        UsageError: No row is of a part, or a group is in two parts.
    """
    named = problem.column(column)
    parts = problem.targets.parts
    missing = [part for part in parts if part not in named.names]
    if missing:
        raise UsageError(
            f"No row has {listed(missing)} in {column}; its values are {listed(sorted(named.names))}. Name the parts "
            f'as they are called there: --set split.parts=["train", "test"], or name files: train=FILE test=FILE.',
            field="split.parts",
        )
    place = {part: p for p, part in enumerate(parts)}
    part_of_name = np.array([*(place.get(name, -1) for name in named.names), -1], dtype=np.int16)
    part_of_row = part_of_name[named.codes]
    grouping, order = problem.grouping, problem.order()
    least = np.full(grouping.n_groups, len(parts), dtype=np.int16)
    most = np.full(grouping.n_groups, -2, dtype=np.int16)
    np.minimum.at(least, grouping.group_of_row, part_of_row)
    np.maximum.at(most, grouping.group_of_row, part_of_row)
    torn = sorted(str(grouping.names[g]) for g in np.flatnonzero(least < most).tolist())
    if torn:
        raise UsageError(
            f"{counted(len(torn), grouping.unit)} ({listed(torn)}) would be torn: rows of it are in different parts by "
            f"{column}. Group by row instead: --by row.",
            field="group.by",
        )
    reason = f"{column} names none of {', '.join(parts)}"
    return problem.split(least[order], order, {reason: least[order] < 0})

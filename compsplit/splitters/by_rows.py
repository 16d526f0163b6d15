"""Parts that a rule decides row by row, while no group is torn."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column
from compsplit.model.incidence import Incidence
from compsplit.model.split import Split
from compsplit.model.targets import Targets
from compsplit.splitters.problem import Problem

DISAGREEING = "rows of its group do not belong to one part"


def without_targets(problem: Problem) -> Problem:
    """Return the problem in which a rule decides sizes, so that none is asked for."""
    return dataclasses.replace(problem, targets=Targets(by_rule=problem.targets.parts))


def split_by_rows(
    problem: Problem,
    part_of_row: NDArray[Any],
    reasons: Column | None = None,
    held: Incidence | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Split:
    """Return the split in which each row has the part that a rule gives it, and groups stay whole.

    A group whose rows the rule would part is left out, and so is a group that must stay in the first part and may not.

    Args:
        problem: What is divided.
        part_of_row: Part of each row, -1 for one that is left out; shape (n_rows,).
        reasons: Why a row is left out, for those that are.
        held: What each row was held out for.
        facts: What was counted, as JSON values.
    """
    grouping = problem.grouping
    least = np.full(grouping.n_groups, np.iinfo(np.int64).max)
    most = np.full(grouping.n_groups, np.iinfo(np.int64).min)
    np.minimum.at(least, grouping.group_of_row, part_of_row)
    np.maximum.at(most, grouping.group_of_row, part_of_row)
    torn = least != most
    kept_back = ~torn & grouping.stays & (least > 0)
    why: dict[str, NDArray[np.bool_]] = {}
    if reasons is not None:
        first = np.full(grouping.n_groups, np.iinfo(np.int32).max, dtype=np.int32)
        given = np.flatnonzero(reasons.codes >= 0)
        np.minimum.at(first, grouping.group_of_row[given], reasons.codes[given])
        for code, name in enumerate(reasons.names):
            why[name] = ~torn & (least < 0) & (first == code)
    # A splitter made of others may have these reasons from them already.
    for name, groups in ((DISAGREEING, torn), (f"its group must stay in {problem.targets.parts[0]}", kept_back)):
        why[name] = why.get(name, np.zeros(grouping.n_groups, dtype=bool)) | groups
    part = np.where(torn | kept_back, -1, least)
    order = np.arange(grouping.n_groups)
    return problem.split(
        part, order, {name: groups for name, groups in why.items() if groups.any()}, held, **(facts or {})
    )

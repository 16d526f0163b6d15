"""Whole values of a column at random: all rows of an image, of a source, of a template, besides the groups.

Source: compsplit. Two things stay whole at once: the recipe's groups and the values of the column. What hangs together
through them is one unit, and units are divided as ``random`` divides groups, strata and folds included. To keep one
thing whole, group by it and split at random: that is what ``[group] by`` is for.

Guarantee: no group and no value of the column is in two parts. Cost: that of ``random``, O(rows) besides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from compsplit.errors import OptionValueError
from compsplit.model.incidence import Incidence
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters import random
from compsplit.splitters.joining import MEASURED, joined, never_shared, whole_column
from compsplit.splitters.problem import Problem


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    column = options["column"]
    return (never_shared(column),) if column in MEASURED else ()


@register(
    "splitter",
    "by-group",
    source="compsplit",
    guarantee="No group and no value of the column is in two parts; no part is empty.",
    cost="O(groups x parts), O(rows) besides",
    keeps=_keeps,
    folds=True,
)
def assign(problem: Problem, *, column: str = "image") -> Split:
    """Divide whole values of a column at random, and whole groups with them.

    Args:
        problem: Groups, targets, strata, and the fold that is test.
        column: What else stays whole: an image, or a column of the question, of the answer or of a template.

    Raises:
        OptionValueError: No audit measures whether the values of that column are shared, and groups are not made of it.
        TooFewGroupsError: Fewer things hang apart than there are parts.
    """
    if column not in MEASURED and column != problem.grouping.unit:
        expected = f"one of {', '.join(MEASURED)}; to keep another column whole, group by it: --by {column}"
        raise OptionValueError("split.column", column, expected)
    whole = joined(problem, whole_column(problem, column), column)
    split: Split = random.assign(whole)
    column_of_rows = problem.column(column)
    n = len(column_of_rows.names)
    held = Incidence(
        column, column_of_rows.codes, np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n, dtype=np.int32),
        column_of_rows.names,
    )  # fmt: skip
    units = {"units": whole.grouping.n_groups, "largest unit": int(whole.grouping.sizes.max())}
    return dataclasses.replace(split, facts={**split.facts, **units}, held=held)

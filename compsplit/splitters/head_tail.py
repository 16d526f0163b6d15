"""Head and tail: the common answers of a question group against its rare ones.

Source: Kervadec, Antipov, Baccouche, Wolf 2021, arXiv 2006.05121 (GQA-OOD), as its published program does it; the rule
stands in ``kernels.head_tail``. Questions of groups that are answered evenly are left out, and so are those without an
answer. Questions without a group are one group, called none, as in that program.

Guarantee: within its group, each tail answer is rarer than every head answer. Cost: O(rows), O(n log n) in the
different answers of groups.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from compsplit.errors import ImpossibleError, OptionValueError, UsageError, counted
from compsplit.kernels.head_tail import EVEN, question_groups
from compsplit.model.column import Column, crossed
from compsplit.model.split import Split
from compsplit.model.targets import exact_fraction
from compsplit.registry import register
from compsplit.splitters.by_rows import DISAGREEING, split_by_rows
from compsplit.splitters.problem import Problem

_UNANSWERED = -2
_MEASURED = ("group_local", "group_global", "question_type")


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    group = options["group"]
    return ("rows-not-rarer[{group}][{train}->{test}] == 0",) if group in _MEASURED else ()


@register(
    "splitter",
    "head-tail",
    source="Kervadec et al. 2021, arXiv 2006.05121, and its published program",
    guarantee="Within its group, each tail answer is rarer than every head answer.",
    cost="O(rows)",
    keeps=_keeps,
    parts=("head", "tail"),
)
def assign(problem: Problem, *, alpha: float = 0.2, group: str = "group_local") -> Split:
    """Divide the questions of unevenly answered groups into those with a common answer and those with a rare one.

    Args:
        problem: Groups, and rows with answers and the column of question groups.
        alpha: How far above the mean share the tail reaches: 0 for the mean, at least -1.
        group: The column of question groups.

    Raises:
        OptionValueError: alpha is less than -1.
        UsageError: No row has an answer.
        ImpossibleError: A part would be empty, or the split's groups hold questions of both.
    """
    if not (math.isfinite(alpha) and alpha >= -1):
        raise OptionValueError("split.alpha", alpha, "a number of at least -1")
    kinds = problem.column(group).or_else(Column.of(["none"] * len(problem.grouping.group_of_row)))
    answers = problem.column("answer (exact)")
    pairs = crossed(kinds, answers)
    if not pairs.n_used:
        raise UsageError("No row has an answer, and head and tail are made of answers.", field="answer")
    groups = question_groups(kinds, pairs)
    part_of_row = np.append(groups.part_of_pair(exact_fraction(alpha)), _UNANSWERED)[pairs.codes]
    why = Column(
        np.select([part_of_row == EVEN, part_of_row == _UNANSWERED], [0, 1], -1).astype(np.int32),
        ("the answers of its question group are spread too evenly", "no answer"),
    )
    facts = {
        "question groups": kinds.n_used,
        "question groups kept": groups.n_kept,
        "entropy of kept at most": groups.threshold,
    }
    split = split_by_rows(problem, np.maximum(part_of_row, -1), why, facts=facts)
    _check(problem, split, groups.n_kept)
    return split


def _check(problem: Problem, split: Split, n_kept: int) -> None:
    parts, unit = problem.targets.parts, problem.grouping.unit
    if split.left_out is not None and DISAGREEING in split.left_out.names:
        torn = int((split.left_out.codes == split.left_out.names.index(DISAGREEING)).sum())
        raise ImpossibleError(
            f"Head and tail are decided answer by answer, and {counted(torn, 'row')} are in groups (by {unit}) whose "
            "rows do not all belong to one part. Group by row or by question-answer. Nothing was written.",
            facts={"rows": torn, "group": unit},
        )
    empty = [part for part, size in split.sizes.items() if not size]
    if empty:
        told = ", ".join(f"{part} {size:,}" for part, size in split.sizes.items())
        raise ImpossibleError(
            f"{' and '.join(empty)} would be empty ({told}; {counted(n_kept, 'question group')} kept). "
            + (f"Another alpha moves the limit between {' and '.join(parts)}." if n_kept else "")
            + " Nothing was written.",
            facts={"sizes": dict(split.sizes), "kept": n_kept},
        )

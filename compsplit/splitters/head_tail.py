"""Head and tail: the common answers of a question group against its rare ones.

Source: Kervadec, Antipov, Baccouche, Wolf 2021, arXiv 2006.05121 (GQA-OOD), as its published program does it. In each
question group with K different answers, s is an answer's share of the group's questions. The group's normalised entropy
is -sum s ln(s + 1e-9) / ln K, 1 for a single answer. A group is kept if its entropy is at most the mean over groups
minus one standard deviation (population; every group counts once). In a kept group an answer with s < (1 + alpha) / K
is in the tail, any other in the head, with all its questions. Questions of other groups are left out, and so are those
without an answer.

Decided: shares are held against the limit in exact arithmetic, entropies against theirs at 12 decimals, so that equal
ones are kept. Questions without a group are one group, called none, as in that program.

Guarantee: within its group, each tail answer is rarer than every head answer. Cost: O(rows), O(n log n) in the
different answers of groups.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from compsplit.errors import ImpossibleError, OptionValueError, UsageError, counted
from compsplit.model.column import Column, crossed
from compsplit.model.split import Split
from compsplit.model.targets import exact_fraction
from compsplit.registry import register
from compsplit.splitters.by_rows import DISAGREEING, split_by_rows
from compsplit.splitters.problem import Problem

_HEAD, _TAIL, _EVEN, _UNANSWERED = 0, 1, -1, -2
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
    part_of_pair, n_kept, threshold = parts_of_answers(kinds, answers, pairs, exact_fraction(alpha))
    part_of_row = np.append(part_of_pair, _UNANSWERED)[pairs.codes]
    why = Column(
        np.select([part_of_row == _EVEN, part_of_row == _UNANSWERED], [0, 1], -1).astype(np.int32),
        ("the answers of its question group are spread too evenly", "no answer"),
    )
    facts = {"question groups": kinds.n_used, "question groups kept": n_kept, "entropy of kept at most": threshold}
    split = split_by_rows(problem, np.maximum(part_of_row, -1), why, facts=facts)
    _check(problem, split, n_kept)
    return split


def parts_of_answers(
    kinds: Column, answers: Column, pairs: Column, alpha: Fraction
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], int, float]:
    """Return the part of each pair of group and answer (0 head, 1 tail, -1 none), the groups kept and the threshold.

    Args:
        kinds: The question group of each row.
        answers: The answer of each row.
        pairs: The two crossed.
        alpha: How far above the mean share the tail reaches.
    """
    counts = np.bincount(pairs.codes[pairs.codes >= 0], minlength=len(pairs.names))
    row_of = np.zeros(len(pairs.names), dtype=np.int64)
    there = np.flatnonzero(pairs.codes >= 0)
    row_of[pairs.codes[there]] = there
    of_group: defaultdict[int, list[int]] = defaultdict(list)
    for pair, kind in enumerate(kinds.codes[row_of].tolist()):
        if counts[pair]:
            of_group[kind].append(pair)
    entropies = {kind: _entropy(sorted(counts[held].tolist())) for kind, held in of_group.items()}
    mean = math.fsum(entropies.values()) / len(entropies)
    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in entropies.values()) / len(entropies))
    threshold = round(mean - deviation, 12)
    part = np.full(len(pairs.names), _EVEN, dtype=np.int64)
    kept = [held for kind, held in of_group.items() if round(entropies[kind], 12) <= threshold]
    for held in kept:
        total, limit = int(counts[held].sum()), 1 + alpha
        for pair in held:
            part[pair] = _TAIL if int(counts[pair]) * len(held) < total * limit else _HEAD
    return part, len(kept), threshold


def _entropy(counts: list[int]) -> float:
    """Return the normalised entropy of a group whose answers have these counts."""
    if len(counts) == 1:
        return 1.0
    total = sum(counts)
    return -math.fsum(n / total * math.log(n / total + 1e-9) for n in counts) / math.log(len(counts))


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

"""Head and tail of question groups: the common answers of unevenly answered groups against their rare ones.

Source: Kervadec, Antipov, Baccouche, Wolf 2021, arXiv 2006.05121 (GQA-OOD), as its published program does it. In each
group with K different answers, s is an answer's share of the group's questions. The group's normalised entropy is
-sum s ln(s + 1e-9) / ln K, 1 for a single answer. A group is kept if its entropy is at most the mean over groups minus
one standard deviation (population; every group counts once). In a kept group an answer with s < (1 + alpha) / K is in
the tail, any other in the head.

Decided: shares are held against the limit in exact arithmetic, entropies against theirs at 12 decimals, so that equal
ones are kept. Cost: O(rows), O(n log n) in the different answers of groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column, frozen

HEAD, TAIL, EVEN = 0, 1, -1
"""Where a pair of group and answer is: EVEN where its group is not kept."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionGroups:
    """Groups of questions with their answers, and how evenly each is answered.

    Attributes:
        kind_of_pair: The question group of each pair of group and answer, as the column numbers it; shape (n_pairs,).
        counts: Questions of each pair, shape (n_pairs,).
        kinds: The groups that have questions, ascending; shape (n_groups,).
        sizes: Questions of each of them.
        n_answers: Different answers of each.
        entropies: Normalised entropy of each, in [0, 1].
        mean: Of the entropies.
        deviation: Of the entropies, of a population.
        kept: Which of them are answered unevenly enough.
    """

    kind_of_pair: NDArray[np.int64]
    counts: NDArray[np.int64]
    kinds: NDArray[np.int64]
    sizes: NDArray[np.int64]
    n_answers: NDArray[np.int64]
    entropies: NDArray[np.float64]
    mean: float
    deviation: float
    kept: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for array in (
            self.kind_of_pair, self.counts, self.kinds, self.sizes, self.n_answers, self.entropies, self.kept,
        ):  # fmt: skip
            frozen(array)

    @property
    def threshold(self) -> float:
        """The highest entropy of a group that is kept."""
        return round(self.mean - self.deviation, 12)

    @property
    def n_kept(self) -> int:
        """How many groups are kept."""
        return int(self.kept.sum())

    def part_of_pair(self, alpha: Fraction) -> NDArray[np.int64]:
        """Return HEAD, TAIL or EVEN for each pair of group and answer, shape (n_pairs,).

        Args:
            alpha: How far above the mean share the tail reaches.
        """
        part = np.full(len(self.counts), EVEN, dtype=np.int64)
        above, below = (1 + alpha).as_integer_ratio()
        # Python's whole numbers, which no product overflows: count / total < (1 + alpha) / answers.
        limits = {
            kind: (n_answers * below, total * above)
            for kind, n_answers, total, kept in zip(
                self.kinds.tolist(), self.n_answers.tolist(), self.sizes.tolist(), self.kept.tolist(), strict=True
            )
            if kept
        }
        for pair, (kind, count) in enumerate(zip(self.kind_of_pair.tolist(), self.counts.tolist(), strict=True)):
            if count and kind in limits:
                times, limit = limits[kind]
                part[pair] = TAIL if count * times < limit else HEAD
        return part


def question_groups(kinds: Column, pairs: Column) -> QuestionGroups:
    """Return how evenly each question group is answered.

    Args:
        kinds: The question group of each row.
        pairs: Group and answer of each row, crossed; at least one row has both.
    """
    there = np.flatnonzero(pairs.codes >= 0)
    counts = np.bincount(pairs.codes[there], minlength=len(pairs.names)).astype(np.int64)
    kind_of_pair = np.full(len(pairs.names), -1, dtype=np.int64)
    kind_of_pair[pairs.codes[there]] = kinds.codes[there]
    of_kind: dict[int, list[int]] = {}
    for kind, count in zip(kind_of_pair.tolist(), counts.tolist(), strict=True):
        if count:
            of_kind.setdefault(kind, []).append(count)
    held = [(kind, sorted(of_kind[kind])) for kind in sorted(of_kind)]
    entropies = [_entropy(each) for _, each in held]
    mean = math.fsum(entropies) / len(entropies)
    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in entropies) / len(entropies))
    return QuestionGroups(
        kind_of_pair=kind_of_pair,
        counts=counts,
        kinds=np.array([kind for kind, _ in held], dtype=np.int64),
        sizes=np.array([sum(each) for _, each in held], dtype=np.int64),
        n_answers=np.array([len(each) for _, each in held], dtype=np.int64),
        entropies=np.array(entropies),
        mean=mean,
        deviation=deviation,
        kept=np.array([round(each, 12) <= round(mean - deviation, 12) for each in entropies], dtype=np.bool_),
    )


def _entropy(counts: list[int]) -> float:
    """Return the normalised entropy of a group whose answers have these counts."""
    if len(counts) == 1:
        return 1.0
    total = sum(counts)
    return -math.fsum(n / total * math.log(n / total + 1e-9) for n in counts) / math.log(len(counts))

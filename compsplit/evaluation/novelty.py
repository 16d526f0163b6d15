"""How new each row is to the reference part: whether it saw the row's group, its pairs of concepts, its concepts.

Source: compsplit's product rule 6 (novel = an unseen compound whose atoms are all seen; rows with unseen atoms are told
apart; seen or unseen comes from rows, never from lists); Agrawal et al. 2017, arXiv 1704.08243 (question-answer groups
and concepts); Keysers et al. 2020, arXiv 1912.09713 (atoms and compounds).

A row's atoms are the concepts of its reduced question and answer, its group is its reduced question-answer pair, and
its compounds are the unordered pairs of different concepts. Each row is one of

- ``seen group``: the reference part has its question-answer pair;
- ``novel compound of seen atoms``: it has not, but it has every concept of it;
- ``unseen atom``: it lacks a concept;
- ``question without a concept``: the question reduces to nothing (it is "?", or there is none), so that it makes no
  compound with its answer that could be new, and no other row is in its group.

Novel pairs are those that no row of the reference part has though it has both concepts. The rarest compound is counted
in rows of the reference part that have it. A row of fewer than two concepts has no pair and is in the class ``no pair``
of both, so that the classes of each add up to all rows. Cost: O(pairs of the different bags), O(n log n) to count them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.column import Column, frozen
from compsplit.model.incidence import Incidence
from compsplit.model.rows import Rows

SEEN, NOVEL, UNSEEN = "seen group", "novel compound of seen atoms", "unseen atom"
NO_CONCEPT = "question without a concept"
KINDS = (SEEN, NOVEL, UNSEEN, NO_CONCEPT)
NO_PAIR = "no pair"

_NONE = -1
_BAGS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Novelty:
    """How new each row is; vectors have one entry a row.

    Attributes:
        kind: A position in ``KINDS``.
        novel_pairs: Pairs of concepts that are novel.
        rarest: Rows of the reference part that have the row's rarest pair; -1 where it has no pair.
    """

    kind: NDArray[np.int32]
    novel_pairs: NDArray[np.int64]
    rarest: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (self.kind, self.novel_pairs, self.rarest):
            frozen(array)

    def taken(self, rows: NDArray[np.int64]) -> Novelty:
        """Return how new these rows are, by place."""
        return Novelty(self.kind[rows], self.novel_pairs[rows], self.rarest[rows])

    def columns(self, rows: NDArray[np.bool_]) -> dict[str, Column]:
        """Return the columns that a score is broken down by, of these rows alone; numbers in ranges."""
        kinds = Column(np.where(rows, self.kind, -1).astype(np.int32), KINDS)
        novel = np.where(self.rarest == _NONE, _NONE, self.novel_pairs)
        return {
            "novelty": kinds,
            "novel pairs": _in_ranges(novel, rows, (0, 1, 2, 3, 4, 6, 11)),
            "rows with the rarest pair": _in_ranges(self.rarest, rows, (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)),
        }


def novelty(rows: Rows, in_reference: NDArray[np.bool_]) -> Novelty:
    """Return how new each row is to the reference part.

    Args:
        rows: Questions with reduced question and answer.
        in_reference: The rows of the reference part, shape (n_rows,).

    Raises:
        UsageError: The rows have no concepts, or the reference part no row.
    """
    groups = rows.columns.get("qa (reduced)")
    if rows.concepts is None or groups is None:
        raise UsageError(
            "Novelty is told from reduced questions and answers, and these rows have none.", field="question"
        )
    if not in_reference.any():
        raise UsageError("The part that others are held against holds no row, so nothing can be new to it.")
    if not (groups.codes[in_reference] >= 0).any():
        raise UsageError(
            "No row of the part that others are held against has an answer, so no question-answer pair of it is known. "
            "Give its answers, too (of VQA, the annotations).",
            field="answer",
        )
    known = np.append(
        np.bincount(groups.codes[in_reference & (groups.codes >= 0)], minlength=len(groups.names)) > 0, False
    )
    unseen = rows.concepts.occurrences(in_reference) == 0
    with_unseen = rows.concepts.rows_with_any(unseen)
    without = rows.blank | (rows.columns["question (reduced)"].codes < 0)
    kind = np.select([without, known[groups.codes], with_unseen], [3, 0, 2], 1)
    novel, rarest = _pairs(rows.concepts, in_reference, unseen)
    return Novelty(kind.astype(np.int32), novel[rows.concepts.bag_of_row], rarest[rows.concepts.bag_of_row])


def _pairs(
    concepts: Incidence, in_reference: NDArray[np.bool_], unseen: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the novel pairs of each bag, and the reference rows of its rarest pair; -1 where it has none."""
    weights = concepts.rows_of_bags(in_reference)
    width = max(len(concepts.names), 1)
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for first in range(0, concepts.n_bags, _BAGS):
        bags, packed, _ = _pairs_of_bags(concepts, first, width)
        held = weights[bags] > 0
        keys, counts = _added(keys, counts, packed[held], weights[bags][held])
    novel = np.zeros(concepts.n_bags, dtype=np.int64)
    rarest = np.full(concepts.n_bags, _NONE, dtype=np.int64)
    for first in range(0, concepts.n_bags, _BAGS):
        bags, packed, (low, high) = _pairs_of_bags(concepts, first, width)
        if not len(packed):
            continue
        at = np.minimum(np.searchsorted(keys, packed), max(len(keys) - 1, 0))
        count = np.where(keys[at] == packed, counts[at], 0) if len(keys) else np.zeros(len(packed), np.int64)
        is_novel = (count == 0) & ~unseen[low] & ~unseen[high]
        novel += np.bincount(bags[is_novel], minlength=concepts.n_bags)
        starts = np.flatnonzero(np.append(True, bags[1:] != bags[:-1]))
        rarest[bags[starts]] = np.minimum.reduceat(count, starts)
    return novel, rarest


def _pairs_of_bags(
    concepts: Incidence, first: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[NDArray[Any], NDArray[Any]]]:
    """Return the bag of each pair of some bags, the pair as one number, and its two concepts; bags ascending."""
    last = min(first + _BAGS, concepts.n_bags)
    starts = concepts.starts[first : last + 1].astype(np.int64)
    lengths = np.diff(starts)
    # Entry i of a bag of n stands before n - 1 - i others: each of them makes a pair with it.
    entry = np.arange(starts[0], starts[-1], dtype=np.int64)
    behind = np.repeat(starts[1:], lengths) - 1 - entry
    low_at = np.repeat(entry, behind)
    within = np.arange(len(low_at)) - np.repeat(np.cumsum(behind) - behind, behind)
    high_at = low_at + 1 + within
    low, high = concepts.concepts[low_at], concepts.concepts[high_at]
    bags = np.repeat(np.repeat(np.arange(first, last, dtype=np.int64), lengths), behind)
    return bags, low.astype(np.int64) * width + high, (low, high)


def _added(
    keys: NDArray[np.int64], counts: NDArray[np.int64], more: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sorted keys with their counts, further ones added up."""
    whole, place = np.unique(np.concatenate([keys, more]), return_inverse=True)
    # float64 sums of whole numbers are exact below 2 ** 53
    total = np.bincount(place, weights=np.concatenate([counts, weights]), minlength=len(whole))
    return whole, total.astype(np.int64)


def _in_ranges(values: NDArray[np.int64], rows: NDArray[np.bool_], first_of: tuple[int, ...]) -> Column:
    """Return which range each value of the marked rows is in; ranges begin at these numbers, none is last."""
    ends = [*(later - 1 for later in first_of[1:]), None]
    names = [
        f"{low:,} or more" if high is None else f"{low:,}" if low == high else f"{low:,} to {high:,}"
        for low, high in zip(first_of, ends, strict=True)
    ]
    place = np.searchsorted(np.array(first_of), values, side="right") - 1
    place = np.where(values == _NONE, len(names), place)
    return Column(np.where(rows, place, -1).astype(np.int32), (*names, NO_PAIR))

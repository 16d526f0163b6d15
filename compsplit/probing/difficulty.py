"""How hard each row is for whoever learned from train, told without training: by its unseen neighbouring pairs.

Source: Bogin, Gupta, Berant 2022, arXiv 2201.05899: a row is hard if it holds a local structure that train does not,
the harder the less alike the most similar structure of train is. A pair is a step of a program and one whose result it
takes, or, where rows have no program, two neighbouring concepts of the reduced question. Two symbols are as alike as
the sets of their neighbours in train: shared / either, the mean of the neighbours before and those after (of the sides
on which one of them has any). A pair is as alike to another as the symbols in the one place in which they differ; those
that differ in both are not alike. The similarity of a row is that of its least similar unseen pair, 1 where it has
none; its difficulty is 1 minus that.
Deviations: the paper also takes siblings (two steps whose results one step takes) and structures of more symbols;
neighbouring concepts of questions are ours. Cost: O(pairs in rows), and for each different unseen pair the pairs of
train that have one of its symbols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.kernels.alike import most_alike_pairs
from compsplit.model.column import frozen
from compsplit.model.compounds import Compounds
from compsplit.model.report import Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.table import QATable
from compsplit.registry import plugin

_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False)
class Difficulty:
    """What is new in rows that were not learned from.

    Attributes:
        of: What the pairs are.
        n_pairs: Pairs of each row, a repeated one once for each time; shape (n_rows,).
        n_unseen: Different pairs of each row that no train row holds; shape (n_rows,).
        similarity: Of the least similar unseen pair, 1 where there is none; shape (n_rows,).
        hardest: An unseen pair of that similarity, -1 where there is none; shape (n_rows,).
        names: The pairs.
        unseen: The unseen pairs that most test rows hold, with the pair of train most like each.
        n_different: Different unseen pairs in test.
    """

    of: str
    n_pairs: NDArray[np.int64]
    n_unseen: NDArray[np.int64]
    similarity: NDArray[np.float64]
    hardest: NDArray[np.int64]
    names: tuple[str, ...]
    unseen: Table
    n_different: int

    def __post_init__(self) -> None:
        for array in (self.n_pairs, self.n_unseen, self.similarity, self.hardest):
            frozen(array)

    @property
    def difficulty(self) -> NDArray[np.float64]:
        """1 minus similarity, 0 where nothing is unseen; shape (n_rows,)."""
        return 1 - self.similarity


def neighbouring_pairs(table: QATable, rows: Rows) -> Compounds | None:
    """Return the pairs of steps of programs, told apart by arguments, else those of concepts; None where neither is.

    Args:
        table: Questions.
        rows: The same, prepared with a reducer.
    """
    steps = plugin("extractor", "program-pairs")
    if steps.facts["fits"](table, rows):
        return steps.make(table, rows, arguments=True)  # type: ignore[no-any-return]  # plug-ins are of any type
    if "question (reduced)" not in rows.columns:
        return None
    words = plugin("extractor", "word-ngrams")
    return words.make(table, rows, n=2, text="question (reduced)")  # type: ignore[no-any-return]  # as above


def difficulty(pairs: Compounds, train: NDArray[np.bool_], test: NDArray[np.bool_]) -> Difficulty:
    """Return what is new in the test rows, and how unlike what train holds.

    Args:
        pairs: Pairs of every row.
        train: Rows that are learned from, shape (n_rows,).
        test: Rows that are told about; the others have nothing unseen.

    Raises:
        UsageError: The compounds are not pairs.
    """
    n = len(pairs.rows.names)
    starts = np.arange(n + 1) * pairs.starts if isinstance(pairs.starts, int) else pairs.starts
    if (np.diff(starts) != 2).any():
        raise UsageError(f"Difficulty is told by pairs, and {pairs.of} are made of another number of atoms.")
    left, right = pairs.parts[0::2].astype(np.int64), pairs.parts[1::2].astype(np.int64)
    seen = pairs.rows.rows_with(train) > 0
    held = pairs.rows.rows_with(test)
    new = np.flatnonzero(~seen & (held > 0))
    similar, like_left, like_right = most_alike_pairs(
        left[seen], right[seen], left[new], right[new], len(pairs.atoms.names)
    )
    similarity = np.ones(n)
    similarity[new] = similar
    by_bag = _bags(pairs, ~seen, similarity)
    bags = np.where(test, pairs.rows.bag_of_row, -1)
    n_unseen, least, hardest = (np.append(each, none)[bags] for each, none in zip(by_bag, (0, 1.0, -1), strict=True))
    sizes = np.zeros(pairs.rows.n_bags, dtype=np.int64)
    np.add.at(sizes, np.repeat(np.arange(len(sizes)), np.diff(pairs.rows.starts)), pairs.rows.counts.astype(np.int64))
    names = pairs.atoms.names
    order = np.lexsort((new, -held[new]))[:_SHOWN].tolist()
    lines = tuple(
        (
            pairs.rows.names[int(new[k])],
            int(held[new[k]]),
            float(similar[k]),
            None if like_left[k] < 0 else f"{names[int(like_left[k])]} + {names[int(like_right[k])]}",
        )
        for k in order
    )
    columns = ("unseen pair", "test rows", "similarity", "most alike in train")
    return Difficulty(
        of=pairs.of,
        n_pairs=sizes[pairs.rows.bag_of_row],
        n_unseen=n_unseen.astype(np.int64),
        similarity=least,
        hardest=hardest.astype(np.int64),
        names=tuple(pairs.rows.names),
        unseen=Table.first_of(columns, lines, _SHOWN, total=len(new), culprits=True),
        n_different=len(new),
    )


def _bags(
    pairs: Compounds, unseen: NDArray[np.bool_], similarity: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return how many unseen pairs each bag holds, the least similarity, and the first pair with it, -1 for none."""
    rows = pairs.rows
    owners = np.repeat(np.arange(rows.n_bags), np.diff(rows.starts))
    there = unseen[rows.concepts]
    owners, concepts = owners[there], rows.concepts[there].astype(np.int64)
    n_unseen = np.bincount(owners, minlength=rows.n_bags)
    least, hardest = np.ones(rows.n_bags), np.full(rows.n_bags, -1, dtype=np.int64)
    order = np.lexsort((concepts, similarity[concepts], owners))
    first = order[np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])]
    least[owners[first]] = similarity[concepts[first]]
    hardest[owners[first]] = concepts[first]
    return n_unseen, least, hardest


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value from 1, equal values sharing the middle of their ranks.

    Example:
        >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
        [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[places])


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | Undefined:
    """Return the correlation of Pearson, which is point-biserial where one is 0 or 1; of ranks it is that of Spearman.

    Sums are taken in the order of the values, so that they do not depend on the order of the rows.
    """
    if len(one) < 2:
        return Undefined("fewer than two rows")
    order = np.lexsort((other, one))
    a, b = one[order] - one[order].mean(), other[order] - other[order].mean()
    spread = float(np.sqrt((a * a).sum() * (b * b).sum()))
    if not np.ptp(one):
        return Undefined("every row is as difficult as every other")
    if not np.ptp(other):
        return Undefined("every row scores the same")
    return round(float((a * b).sum()) / spread, 9)


def auc(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | Undefined:
    """Return how often a marked row has the higher value than one that is not, ties counting half."""
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return Undefined("no row is answered wrongly" if not n else "every row is answered wrongly")
    return float((ranks(values)[positive].sum() - n * (n + 1) / 2) / (n * m))

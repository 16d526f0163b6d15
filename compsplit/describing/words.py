"""Words of the questions of a data set: how many each has, which there are, and how many of them another one knows.

A word is what white space divides, lower-cased, outer punctuation off; punctuation alone is none (``model.words``).
Each distinct question is looked at once, and counts as often as it is asked. Cost: O(characters of distinct questions).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column, Growing
from compsplit.model.report import Undefined, ratio
from compsplit.model.words import words

RULE = "lower-cased, split at white space, outer punctuation off"
"""What a word is."""

SPREAD = "population standard deviation"


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of distinct questions.

    Attributes:
        asked: How often each question is asked; shape (n_questions,).
        starts: Question q has the words ``starts[q]`` to ``starts[q + 1]``; shape (n_questions + 1,).
        codes: All words, by their place in ``names``.
        names: The distinct words.
    """

    asked: NDArray[np.int64]
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    names: Sequence[str]

    @classmethod
    def of(cls, questions: Column) -> Words:
        """Return the words of a column of questions; one that no row asks has the weight 0."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        codes = Growing()
        starts = np.zeros(len(questions.names) + 1, dtype=np.int64)
        for q, text in enumerate(questions.names):
            found = words(text)
            codes.extend(np.fromiter(map(numbers.__getitem__, found), dtype=np.int32, count=len(found)))
            starts[q + 1] = starts[q] + len(found)
        return cls(occurrences(questions), starts, codes.taken(), tuple(numbers))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Words of each question, shape (n_questions,)."""
        return np.diff(self.starts)

    @property
    def occurrences(self) -> NDArray[np.int64]:
        """How often each word is met in questions that are asked, shape (n_names,)."""
        weights = np.repeat(self.asked, self.lengths)
        return np.bincount(self.codes, weights=weights, minlength=len(self.names)).astype(np.int64)

    def covered(self, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which questions have no word that is not known; shape (n_questions,).

        Args:
            known: Which words are, shape (n_names,).
        """
        lacking = np.zeros(len(self.codes) + 1, dtype=np.int64)
        np.cumsum(~known[self.codes], out=lacking[1:])
        return np.asarray(np.diff(lacking[self.starts]) == 0)


def occurrences(column: Column) -> NDArray[np.int64]:
    """Return how many rows have each name, shape (n_names,)."""
    return np.bincount(column.codes[column.codes >= 0], minlength=len(column.names)).astype(np.int64)


def known_among(names: Sequence[str], others: Sequence[str], used: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which names are among those others that are used, shape (n_names,)."""
    theirs = {name for name, n in zip(others, used.tolist(), strict=True) if n}
    return np.array([name in theirs for name in names], dtype=bool)


def mean_and_spread(
    values: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[Fraction | Undefined, float | Undefined]:
    """Return mean and population standard deviation of values that are met so often; both Undefined without any.

    Example:
        >>> mean_and_spread(np.array([2, 4]), np.array([1, 1]))
        (Fraction(3, 1), 1.0)
    """
    n, first = int(weights.sum()), int((values * weights).sum())
    mean = ratio(first, n, "nothing is counted")
    if isinstance(mean, Undefined):
        return mean, mean
    second = int((values * values * weights).sum())
    # Whole numbers up to the root, so that no digit depends on the order of rows.
    return mean, math.sqrt(Fraction(n * second - first * first, n * n))

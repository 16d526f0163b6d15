"""The Chernoff coefficient of counts: sum of p^alpha q^(1-alpha), in whole numbers that no order of summing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ONE = 1 << 62
"""Divergence terms are summed as whole numbers of 1 / ONE, so that no order of summing changes the sum."""


def affinity(shown: NDArray[Any], asked: NDArray[Any], alpha: float) -> float:
    """Return the Chernoff coefficient: sum of p^alpha q^(1-alpha), p the shares of shown, q of asked; 0 without any.

    Terms are rounded to 62 bits and summed as whole numbers, so that no order of summing changes the sum.

    Example:
        >>> round(affinity(np.array([1, 3]), np.array([2, 0]), 0.5), 12)  # the root of 1/4
        0.5
    """
    both = (shown > 0) & (asked > 0)
    if not both.any():
        return 0.0
    p, q = shown[both] / shown.sum(), asked[both] / asked.sum()
    terms = (p**alpha * q ** (1 - alpha) * float(ONE)).astype(np.int64)
    return int(terms.sum()) / ONE

"""Shares of the rows of a part: how many of them have a value that is marked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.model.report import Measure, ratio


def share_of_rows(
    name: str,
    of: str,
    marked: NDArray[np.bool_],
    shown: NDArray[np.int64],
    asked: NDArray[np.int64],
    reference: str,
    part: str,
) -> Measure:
    """Return the share of a part's rows whose value is marked; against an empty part nothing is said, not even 0.

    Args:
        name: What is measured.
        of: The column of the values.
        marked: Which values count, shape (n_names,).
        shown: Rows of the reference part with each value.
        asked: Rows of the part with each value.
        reference: The part held against.
        part: The part.
    """
    n = int(asked.sum())
    without = part if shown.any() else reference
    return Measure(
        name=name,
        of=of,
        value=ratio(int(asked[marked].sum()), n if shown.any() else 0, f"no row of {without} has a value for {of}"),
        n=n,
        n_unit=f"rows of {part}",
        unit="fraction",
        reference=reference,
        part=part,
    )

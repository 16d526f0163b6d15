"""Near-repeats: rows of one image that ask the same; the first in the seeded order stays.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.4. Deviation: the paper drops them last; dropped first,
they do not depend on counts. Cost: one sort of the rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Codes


def first_of_each(keys: Codes, order: NDArray[np.int64]) -> Codes:
    """Return for each row the row of the same key that stays, itself where it stays or has no key; shape (n_rows,).

    Args:
        keys: What a row asks of its image, as a number; rows with -1 repeat nothing.
        order: The rows in the seeded order.
    """
    stays = np.arange(len(keys), dtype=np.int32)
    there = order[keys[order] >= 0]
    _, first, codes = np.unique(keys[there], return_index=True, return_inverse=True)
    stays[there] = there[first][codes]
    return stays

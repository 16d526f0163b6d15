"""The commonest classes of objects; all others take part in no pair."""

from __future__ import annotations

import numpy as np

from compsplit.errors import OptionValueError
from compsplit.model.incidence import Incidence


def commonest_classes(classes: Incidence, n: int) -> Incidence:
    """Return the incidence of the n classes of which there are most objects (ties: alphabetical); all of them for 0.

    Args:
        classes: Classes of the rows' objects.
        n: How many are kept; where there are fewer, all are.

    Raises:
        OptionValueError: n is negative.
    """
    if n < 0:
        raise OptionValueError("extract.commonest", n, "a whole number, 0 for all classes")
    if not n or len(classes.names) <= n:
        return classes
    objects = classes.occurrences(np.ones(classes.n_rows, dtype=bool))
    alphabetical = sorted(range(len(objects)), key=classes.names.__getitem__)
    kept = np.zeros(len(objects), dtype=bool)
    kept[sorted(alphabetical, key=lambda code: -objects[code])[:n]] = True
    entries = kept[classes.concepts]
    starts = np.append(0, np.cumsum(entries))[classes.starts]
    number = (np.cumsum(kept) - 1).astype(np.int32)
    names = tuple(classes.names[code] for code in np.flatnonzero(kept).tolist())
    concepts = number[classes.concepts[entries]]
    return Incidence(classes.of, classes.bag_of_row, starts, concepts, classes.counts[entries], names)

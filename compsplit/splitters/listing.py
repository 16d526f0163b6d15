"""Compounds one by one: pairs of objects, which are not stored, are listed for those who choose among them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import JointNames
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence


def listed_compounds(compounds: Compounds | ObjectPairs) -> Compounds:
    """Return compounds as they are, and pairs of objects listed, each once a row.

    Cost: O(sum over bags of m (m + 1) / 2), m the different classes of a bag.
    """
    if isinstance(compounds, Compounds):
        return compounds
    from compsplit.kernels.holdout import packed_pairs, pairs_by_bag

    atoms = compounds.atoms
    n_classes = max(len(atoms.names), 1)
    lengths = pairs_by_bag(atoms.starts, atoms.counts)
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    packed = packed_pairs(atoms.starts, atoms.concepts, atoms.counts, n_classes, int(starts[-1]))
    found, codes = np.unique(packed, return_inverse=True)
    members = [each.astype(np.int32) for each in np.divmod(found, n_classes)]
    names = JointNames([atoms.names, atoms.names], members)
    once = np.ones(len(codes), dtype=np.uint8)
    rows = Incidence(compounds.of, atoms.bag_of_row, starts, codes.astype(np.int32), once, names)
    return Compounds(compounds.noun, rows, atoms, 2, np.stack(members, axis=1).ravel(), dict(compounds.rules))


def named_as(compounds: Compounds) -> Callable[[str], str]:
    """Return what makes of a name that somebody writes the name that these compounds have: scenes fold case.

    Args:
        compounds: Their rules say whether names are lower-cased and white space is folded.
    """
    if compounds.rules.get("case") != "lower":
        return str
    return lambda name: " ".join(name.lower().split())


def only(rows: Incidence, marked: NDArray[np.bool_]) -> Incidence:
    """Return which of the marked compounds each row has, numbered anew."""
    kept = marked[rows.concepts]
    number = (np.cumsum(marked) - 1).astype(np.int32)
    starts = np.append(np.int64(0), np.cumsum(kept))[rows.starts].astype(np.int64)
    names = tuple(rows.names[c] for c in np.flatnonzero(marked).tolist())
    return Incidence(rows.of, rows.bag_of_row, starts, number[rows.concepts[kept]], rows.counts[kept], names)

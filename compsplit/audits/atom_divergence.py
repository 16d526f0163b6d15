"""Atom divergence: how far the atoms of two parts are apart.

Source: Keysers et al. 2020, arXiv 1912.09713, section 2.1; alpha 0.5. See ``divergences``. Cost: O(non-zeros).
"""

from __future__ import annotations

from compsplit.audits.divergences import SOURCE, Counted, measured
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "atom-divergence", source=SOURCE, unit="fraction", bounds=(0, 1), better="lower")
def atom_divergence(rows: Rows, split: Split, *, alpha: float = 0.5, counted: Counted = "occurrences") -> Audited:
    """Divergence of the atoms of a part from those of the reference part.

    Args:
        rows: Rows with compounds.
        split: Their parts.
        alpha: Exponent of the reference part's share, between 0 and 1.
        counted: Whether each occurrence counts, or each row that has the atom.
    """
    atoms = {each.atoms.of: each for each in rows.compounds.values()}
    return Audited(
        tuple(
            measure
            for each in atoms.values()
            for measure in measured("atom-divergence", each.atoms, rows, split, alpha, counted, each.rules)
        )
    )

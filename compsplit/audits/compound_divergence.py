"""Compound divergence: how far the compounds of two parts are apart.

Source: Keysers et al. 2020, arXiv 1912.09713, section 2.1; alpha 0.1 with train as P: it asks whether train has the
compounds of test at all, hardly how often. See ``divergences``. Cost: O(non-zeros); for object pairs see ``comparing``.
"""

from __future__ import annotations

from compsplit.audits.comparing import ALPHAS, compared
from compsplit.audits.divergences import SOURCE, Counted, measured, rounded
from compsplit.audits.parts import references
from compsplit.errors import OptionValueError
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.report import Audited, Measure, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "compound-divergence", source=SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def compound_divergence(rows: Rows, split: Split, *, alpha: float = 0.1, counted: Counted = "occurrences") -> Audited:
    """Divergence of the compounds of a part from those of the reference part.

    Args:
        rows: Rows with compounds.
        split: Their parts.
        alpha: Exponent of the reference part's share, between 0 and 1; for object pairs 0.1 or 0.5.
        counted: Whether each occurrence counts, or each row that has the compound; object pairs count by occurrence.

    Raises:
        OptionValueError: An alpha that object pairs are not counted for.
    """
    measures: list[Measure] = []
    for each in rows.compounds.values():
        if isinstance(each, Compounds):
            measures += measured("compound-divergence", each.rows, rows, split, alpha, counted, each.rules)
        elif counted == "occurrences":
            if alpha not in ALPHAS:
                raise OptionValueError("compound-divergence.alpha", alpha, "0.1 or 0.5 for object pairs")
            measures += [_of_pairs(each, rows, split, reference, part, alpha) for reference, part in references(split)]
    return Audited(tuple(measures))


def _of_pairs(pairs: ObjectPairs, rows: Rows, split: Split, reference: str, part: str, alpha: float) -> Measure:
    found = compared(pairs, split, reference, part)
    empty = [name for name, n in ((reference, found.reference_rows), (part, found.part_rows)) if not n]
    value = Undefined(f"{empty[0]} holds no {rows.noun}") if empty else rounded(found.affinities[alpha])
    return Measure(
        name="compound-divergence",
        of=pairs.of,
        value=value,
        n=found.total(found.instances),
        n_unit=f"occurrences in {part}",
        unit="fraction",
        reference=reference,
        part=part,
        options={"alpha": alpha, "counted": "occurrences", **pairs.rules},
    )

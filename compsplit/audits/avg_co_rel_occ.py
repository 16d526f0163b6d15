"""AvgCoRelOcc: how often the common triples of test scenes occur in train.

Source: UOUC, section 4, which names it and publishes no figure; the decision is compsplit's specification, section 2.
Cost: O(relations).
"""

from __future__ import annotations

from typing import Literal

from compsplit.audits.averages import Averaged, averaged, mean_count
from compsplit.audits.comparing import compared
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit", "avg-co-rel-occ", source="UOUC, section 4", unit="reference relations", bounds=(0, None), better="lower"
)
def avg_co_rel_occ(
    rows: Rows,
    split: Split,
    *,
    unit: Literal["instances", "distinct"] = "instances",
    count: Literal["instances", "scenes"] = "instances",
) -> Audited:
    """Mean number of times that the triple of a common relation occurs in the reference part.

    Args:
        rows: Scenes with relations.
        split: Their parts.
        unit: Whether the mean is over the common relations, or over the different common triples.
        count: Whether the reference part counts relations, or scenes with the triple.
    """

    def average(triples: Compounds | ObjectPairs, reference: str, part: str) -> Averaged:
        found = compared(triples, split, reference, part, counting=count)
        if unit == "distinct":
            return mean_count(found, found.n_common_occurrences, found.n_common, "different common triples", rows.noun)
        total, n = found.total(found.occurrences), found.total(found.common)
        return mean_count(found, total, n, "common relations", rows.noun)

    reading = {"unit": unit, "count": count}
    return averaged(rows, split, "relations", "avg-co-rel-occ", "reference relations", reading, average)

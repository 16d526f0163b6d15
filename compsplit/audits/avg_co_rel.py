"""AvgCoRel: relations of a test scene whose (subject class, predicate, object class) occurs in train, a test scene.

Source: UOUC, section 4 and table 2; the decision is compsplit's specification, section 2. Direction matters, unless
the extraction says otherwise. Cost: O(relations).
"""

from __future__ import annotations

from typing import Literal

from compsplit.audits.averages import Averaged, averaged, per_row
from compsplit.audits.comparing import compared
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "UOUC, section 4, table 2"


@register("audit", "avg-co-rel", source=_SOURCE, unit="relations a scene", bounds=(0, None), better="lower")
def avg_co_rel(
    rows: Rows,
    split: Split,
    *,
    unit: Literal["instances", "distinct"] = "instances",
    scenes: Literal["all", "with-common"] = "all",
) -> Audited:
    """Mean number of relations of a scene whose triple occurs in the reference part.

    Args:
        rows: Scenes with relations.
        split: Their parts.
        unit: Whether relations count, or the different triples of a scene.
        scenes: Whether the mean is over all scenes, or over those with a common relation.
    """

    def average(triples: Compounds | ObjectPairs, reference: str, part: str) -> Averaged:
        found = compared(triples, split, reference, part)
        common = found.total(found.common if unit == "instances" else found.distinct_common)
        return per_row(found, common, found.rows_where(found.common > 0), scenes, rows.noun)

    reading = {"unit": unit, "scenes": scenes}
    return averaged(rows, split, "relations", "avg-co-rel", f"relations a {rows.noun}", reading, average)

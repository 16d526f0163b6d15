"""AvgCoPair: pairs of objects of a test scene that occur together in train, a test scene.

Source: UOUC, section 4 and table 2; the decision is compsplit's specification, section 2. Common test pairs (unordered
object instances, same class allowed) / test scenes, empty scenes included. Cost: that of ``kernels.pairs``.
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


@register(
    "audit", "avg-co-pair", source="UOUC, section 4, table 2", unit="pairs a scene", bounds=(0, None), better="lower"
)
def avg_co_pair(
    rows: Rows,
    split: Split,
    *,
    unit: Literal["instances", "classes"] = "instances",
    same_class: Literal["in", "out"] = "in",
    order: Literal["unordered", "ordered"] = "unordered",
    scenes: Literal["all", "with-common"] = "all",
) -> Audited:
    """Mean number of object pairs of a scene that occur together in the reference part.

    Args:
        rows: Scenes with object pairs.
        split: Their parts.
        unit: Whether pairs of objects count, or different pairs of classes in a scene.
        same_class: Whether two objects of one class are a pair.
        order: Whether a pair counts once, or from both sides; a pair of one class has one side as a pair of classes.
        scenes: Whether the mean is over all scenes, or over those with a common pair.
    """

    def average(pairs: Compounds | ObjectPairs, reference: str, part: str) -> Averaged:
        found = compared(pairs, split, reference, part, same_class=same_class == "in")
        counted = found.common if unit == "instances" else found.distinct_common
        common = found.total(counted)
        if order == "ordered":
            if unit == "classes":
                # Pairs of different classes count twice, a pair of one class once.
                different = compared(pairs, split, reference, part, same_class=False)
                common += different.total(different.distinct_common)
            else:
                common *= 2
        return per_row(found, common, found.rows_where(found.common > 0), scenes, rows.noun)

    reading = {"unit": unit, "same_class": same_class, "order": order, "scenes": scenes}
    return averaged(rows, split, "object pairs", "avg-co-pair", f"pairs a {rows.noun}", reading, average)

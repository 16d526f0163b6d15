"""AvgCoPairOcc: how often the common pairs of test scenes occur in train.

Source: UOUC, section 4 and table 2; the decision is compsplit's specification, section 2. The train count of a class
pair is that of ordered pairs of different objects: n_a n_b, or n_a (n_a - 1) for one class, summed over train scenes;
the mean is over all common test pairs, each occurrence counting. Cost: that of ``kernels.pairs``.
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

_SOURCE = "UOUC, section 4, table 2"


@register("audit", "avg-co-pair-occ", source=_SOURCE, unit="reference pairs", bounds=(0, None), better="lower")
def avg_co_pair_occ(
    rows: Rows,
    split: Split,
    *,
    count: Literal["ordered-instances", "unordered-instances", "scenes"] = "ordered-instances",
    average: Literal["occurrences", "distinct", "scene-distinct", "scene-means"] = "occurrences",
    same_class: Literal["in", "out"] = "in",
) -> Audited:
    """Mean number of times that a common object pair occurs in the reference part.

    Args:
        rows: Scenes with object pairs.
        split: Their parts.
        count: Whether the reference part counts ordered pairs of objects, unordered ones, or scenes with the pair.
        average: Over occurrences of common pairs, over different common pairs, over different common pairs of each
            scene, or over scenes with a common pair the mean over their occurrences.
        same_class: Whether two objects of one class are a pair.
    """

    def mean(pairs: Compounds | ObjectPairs, reference: str, part: str) -> Averaged:
        found = compared(pairs, split, reference, part, counting=count, same_class=same_class == "in")
        if average == "distinct":
            return mean_count(found, found.n_common_occurrences, found.n_common, "different common pairs", rows.noun)
        if average == "scene-distinct":
            total, n = found.total(found.distinct_occurrences), found.total(found.distinct_common)
            return mean_count(found, total, n, f"different common pairs of {rows.noun}s", rows.noun)
        total, n = found.total(found.occurrences), found.total(found.common)
        value = mean_count(found, total, n, "common pairs", rows.noun)
        if average == "scene-means" and n:
            with_common = found.rows_where(found.common > 0)
            return found.mean_of_means(), with_common, f"{rows.noun}s of {part} with a common pair"
        return value

    reading = {"count": count, "average": average, "same_class": same_class}
    return averaged(rows, split, "object pairs", "avg-co-pair-occ", "reference pairs", reading, mean)

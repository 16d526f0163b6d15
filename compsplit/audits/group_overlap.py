"""Group overlap: groups that are torn between two parts.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.sharing import overlaps
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "group-overlap",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 3.2",
    unit="fraction",
    bounds=(0, 1),
    better="lower",
)
def group_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose group has rows in the reference part; 0 where no group is torn."""
    return overlaps(rows, split, "group-overlap", ["group"], finding="torn-groups", told="groups")

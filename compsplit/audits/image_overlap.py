"""Image overlap: images that two parts have, and images with the same question and answer.

Source: compsplit. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.sharing import overlaps
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "image-overlap", source="compsplit", unit="fraction", bounds=(0, 1), better="lower")
def image_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose image is in the reference part, and the same with question and answer."""
    one = overlaps(rows, split, "image-overlap", ["image"], finding="shared-images", told="images")
    both = overlaps(
        rows, split, "image-qa-overlap", ["image + qa (normalised)"],
        finding="shared-image-question-answer", told="images with the same question and answer",
    )  # fmt: skip
    return Audited((*one.measures, *both.measures), {**one.tables, **both.tables}, (*one.findings, *both.findings))

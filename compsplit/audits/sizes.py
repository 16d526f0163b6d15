"""Table 1: rows, images and answers of each part, and images in both.

Source: Agrawal et al. 2017, arXiv 1704.08243, table 1. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.parts import held, pairs
from compsplit.model.report import Audited, Measure, Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit", "sizes", source="Agrawal et al. 2017, arXiv 1704.08243, table 1", unit="count", bounds=(0, None), better=""
)
def sizes(rows: Rows, split: Split) -> Audited:
    """Questions (or scenes), images and answers of each part, asked and got, and the images that two parts share."""
    measures: list[Measure] = []
    table: list[tuple[object, ...]] = []
    image = rows.columns.get("image")
    told = "scenes" if rows.noun == "scene" else "questions"
    images_known = image is not None and len(image.names) > 0
    for part in split.parts:
        marked = split.rows_in(part)
        n = int(marked.sum())
        counts: dict[str, int | None] = {told: n}
        counts["images"] = int((held(image, marked) > 0).sum()) if image is not None and images_known else None
        counts["answers"] = int(rows.counts["answers"][marked].sum()) if "answers" in rows.counts else None
        for name, value in counts.items():
            if value is not None:
                measures.append(_count(name, value, part))
        table.append((part, split.asked.get(part), *counts.values()))
    if image is not None and images_known:
        for one, other in pairs(split):
            shared = (held(image, split.rows_in(one)) > 0) & (held(image, split.rows_in(other)) > 0)
            measures.append(_count("images-in-both", int(shared.sum()), other, one))
    return Audited(tuple(measures), {"table 1": Table(("part", "asked", told, "images", "answers"), tuple(table))})


def _count(name: str, value: int, part: str, reference: str | None = None) -> Measure:
    unit = "images" if name.startswith("images") else name
    return Measure(name=name, of=unit, value=value, n=value, n_unit=unit, unit="count", part=part, reference=reference)

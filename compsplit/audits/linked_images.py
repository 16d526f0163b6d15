"""Linked images: images of two parts that a second id column says are one.

Source: compsplit; about half of Visual Genome's images are COCO's, which ``coco_id`` tells. Empty, null and -1 are
unknown and never equal. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.parts import held, pairs
from compsplit.errors import UnknownNameError, counted
from compsplit.model.column import Column
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_USUAL = "coco_id"
_UNKNOWN = ("", "-1", "null", "None")
_SHOWN = 1000


@register("audit", "linked-images", source="compsplit", unit="fraction", bounds=(0, 1), better="lower")
def linked_images(rows: Rows, split: Split, *, column: str = _USUAL) -> Audited:
    """Share of the rows of a part whose image is one of the reference part by a second id.

    Args:
        rows: Rows with images.
        split: Their parts.
        column: The column of second ids.

    Raises:
        UnknownNameError: There is no such column.
    """
    found = rows.columns.get(column)
    if found is None:
        if column != _USUAL:
            raise UnknownNameError("column", column, rows.columns)
        return Audited()
    links = found.renamed([None if name.strip() in _UNKNOWN else name for name in found.names])
    measures, findings, tables = [], [], {}
    for reference, part in pairs(split):
        ours, theirs = held(links, split.rows_in(reference)), held(links, split.rows_in(part))
        shared = (ours > 0) & (theirs > 0)
        n = int(theirs.sum())
        measures.append(
            Measure(
                name="linked-images",
                of=column,
                value=ratio(int(theirs[shared].sum()), n if ours.any() else 0, f"no {column} is known"),
                n=n,
                n_unit=f"{rows.noun}s of {part} with a {column}",
                unit="fraction",
                reference=reference,
                part=part,
                options={"column": column},
            )
        )
        if shared.any():
            lines = _linked(rows, split, links, np.flatnonzero(shared), reference, part)
            tables[f"images of {part} that are in {reference} ({column})"] = Table.first_of(
                (f"image in {reference}", f"image in {part}", column), lines, _SHOWN, culprits=True
            )
            findings.append(
                Finding(
                    kind="linked-images",
                    count=len(lines),
                    first=tuple(lines[:5]),
                    message=f"{counted(len(lines), 'image')} of {part} in {reference}, too, by {column} (image in "
                    f"{reference}, image in {part}, {column}).",
                )
            )
    unknown = int((links.codes < 0).sum())
    if unknown:
        findings.append(
            Finding(
                kind="links-unknown",
                count=unknown,
                message=f"For {unknown:,} of {len(links):,} {rows.noun}s {column} is not known, so nothing can be said "
                "of them.",
            )
        )
    return Audited(tuple(measures), tables, tuple(findings))


def _linked(
    rows: Rows,
    split: Split,
    links: Column,
    shared: np.ndarray[tuple[int], np.dtype[np.int64]],
    reference: str,
    part: str,
) -> list[tuple[str, str, str]]:
    """Return (image, image, second id) of linked images, in alphabetical order; ids stand for images not named."""
    images = rows.columns.get("image")
    sides: list[dict[int, set[str]]] = []
    for which in (reference, part):
        found: dict[int, set[str]] = {}
        for row in np.flatnonzero(split.rows_in(which) & np.isin(links.codes, shared)).tolist():
            name = None if images is None else images[row]
            found.setdefault(int(links.codes[row]), set()).add(str(rows.ids[row]) if name is None else name)
        sides.append(found)
    ours, theirs = sides
    return sorted(
        (one, other, links.names[code]) for code in shared.tolist() for one in ours[code] for other in theirs[code]
    )

"""Id overlap: ids that two parts have, and parts that hold the same records, or are contained in one another.

Source: compsplit. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import pairs
from compsplit.audits.sharing import overlaps
from compsplit.errors import counted
from compsplit.model.compounds import Compounds
from compsplit.model.report import Audited, Finding
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "id-overlap", source="compsplit", unit="fraction", bounds=(0, 1), better="lower")
def id_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose id is in the reference part, and parts that hold the same records."""
    ids = overlaps(rows, split, "id-overlap", ["id"], finding="shared-ids", told="ids")
    if len(rows.column("id").names) == len(rows):
        return ids  # no id stands twice, so no two parts hold the same records
    content = _content(rows)
    sizes = split.sizes
    same: list[Finding] = []
    for one, other in pairs(split):
        if not sizes[one] or not sizes[other]:
            continue
        ours, theirs = content[:, split.rows_in(one)], content[:, split.rows_in(other)]
        if sizes[one] == sizes[other] and np.array_equal(_in_order(ours), _in_order(theirs)):
            same.append(
                Finding(
                    kind="identical-parts",
                    count=sizes[one],
                    first=(one, other),
                    message=f"{one} and {other} hold the same {counted(sizes[one], 'record')}, the same content under "
                    "two names.",
                )
            )
            continue
        for inner, outer, fewer, more in ((one, other, ours, theirs), (other, one, theirs, ours)):
            if _is_within(fewer, more):
                same.append(
                    Finding(
                        kind="contained-part",
                        count=sizes[inner],
                        first=(inner, outer),
                        message=f"Every record of {inner}, {counted(sizes[inner], 'record')}, is in {outer}.",
                    )
                )
    return Audited(ids.measures, ids.tables, (*same, *ids.findings))


def _content(rows: Rows) -> NDArray[np.int32]:
    """Return what tells records apart, one a column: id, image, texts, and what scenes hold."""
    fields = [name for name in ("id", "image", "question (exact)", "answer (exact)") if name in rows.columns]
    held = [rows.columns[name].codes for name in fields]
    if rows.noun == "scene":
        held += [
            (each.rows if isinstance(each, Compounds) else each.atoms).bag_of_row for each in rows.compounds.values()
        ]
    return np.stack(held)


def _is_within(fewer: NDArray[np.int32], more: NDArray[np.int32]) -> bool:
    """Tell whether every record of one part is in the other."""
    both = np.concatenate([more, fewer], axis=1)
    numbers = np.unique(both, axis=1, return_inverse=True)[1].ravel()
    n = more.shape[1]
    return bool(np.isin(numbers[n:], numbers[:n]).all())


def _in_order(records: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return records, one a column, in an order that depends on their content alone."""
    return records[:, np.lexsort(records)]

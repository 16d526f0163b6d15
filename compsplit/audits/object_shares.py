"""Object shares: how often each part has the commonest object classes, attributes and predicates.

Source: UOUC, figures 8 and 9 (balance of attributes and answers); total variation as in ``shares``. An object, an
attribute of an object and a relation count one each; questions that are joined to scenes count those of their scene,
once for each question. What was not extracted is not there. Cost: O(non-zeros), O(n log n) in the distinct values.
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.covering import single_kinds
from compsplit.audits.parts import references
from compsplit.audits.shares import by_part, total_variation
from compsplit.model.report import Audited, Measure, Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_KINDS = ("object classes", "attributes", "predicates")


@register("audit", "object-shares", source="UOUC, figures 8 and 9", unit="fraction", bounds=(0, 1), better="")
def object_shares(rows: Rows, split: Split) -> Audited:
    """Object classes, attributes and predicates of each part, and how far a part is from the reference part in them."""
    kinds = {kind.of: kind for kind in single_kinds(rows)}
    measures: list[Measure] = []
    tables: dict[str, Table] = {}
    for told in _KINDS:
        kind = kinds.get(told)
        if kind is None or not len(kind.names):
            continue
        counts = {part: kind.occurrences(split.rows_in(part)) for part in split.parts}
        measures += [
            total_variation(counts[reference], counts[part], told, reference, part, counted="occurrences in")
            for reference, part in references(split)
        ]
        tables[f"{told} by part"] = by_part(told, kind.names, counts, np.sum(list(counts.values()), axis=0))
    return Audited(tuple(measures), tables)

"""Groups with an unseen compound: the share of the groups of a part that show one which the reference part lacks.

Source: compsplit. What a hold-out promises: no group of test is there without something that train never showed.
Whether an unseen compound is novel, all its atoms seen, is what ``novel-compounds`` and ``least-shown`` say. Groups are
those of the split; where rows are not grouped, each is its own. Cost: that of the comparison, see ``comparing``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.comparing import compared
from compsplit.audits.parts import references
from compsplit.model.report import Audited, Measure, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "groups-with-unseen-compounds",
    source="compsplit",
    unit="fraction",
    bounds=(0, 1),
    better="higher",
    by_default=False,
    measures=("groups-with-unseen-compounds",),
)
def groups_with_unseen_compounds(rows: Rows, split: Split) -> Audited:
    """Share of the groups of a part that show a compound which the reference part does not."""
    measures = []
    for compounds in rows.compounds.values():
        for reference, part in references(split):
            found = compared(compounds, split, reference, part)
            unseen = (found.distinct > found.distinct_common)[found.bag_of_row]
            in_part = split.rows_in(part)
            n = _groups_among(rows, in_part)
            measures.append(
                Measure(
                    name="groups-with-unseen-compounds",
                    of=found.of,
                    value=ratio(
                        _groups_among(rows, in_part & unseen),
                        n if found.reference_rows else 0,
                        f"{part if found.reference_rows else reference} holds no {rows.noun}",
                    ),
                    n=n,
                    n_unit=f"groups of {part}",
                    unit="fraction",
                    reference=reference,
                    part=part,
                    options=dict(compounds.rules),
                )
            )
    return Audited(tuple(measures))


def _groups_among(rows: Rows, marked: NDArray[np.bool_]) -> int:
    """Return how many groups the marked rows are in; each row is its own where rows are not grouped."""
    group = rows.columns.get("group")
    if group is None:
        return int(marked.sum())
    return len(np.unique(group.codes[marked]))

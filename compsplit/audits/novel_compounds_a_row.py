"""Novel compounds a row: how many different novel compounds a row of a part has, on average.

Source: compsplit's product rule 6; Atzmon et al. 2020, arXiv 2006.14610 (a pair hold-out gives one at least). Cost:
that of the comparison, see ``comparing``.
"""

from __future__ import annotations

from compsplit.audits.comparing import compared
from compsplit.audits.parts import references
from compsplit.model.report import Audited, Measure, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit", "novel-compounds-a-row", source="compsplit", unit="compounds a row", bounds=(0, None), better="higher"
)
def novel_compounds_a_row(rows: Rows, split: Split) -> Audited:
    """Mean number of different compounds of a row that are new though their atoms are not."""
    measures = []
    for compounds in rows.compounds.values():
        for reference, part in references(split):
            found = compared(compounds, split, reference, part)
            n = found.part_rows if found.reference_rows else 0
            empty = f"{part if found.reference_rows else reference} holds no {rows.noun}"
            measures.append(
                Measure(
                    name="novel-compounds-a-row",
                    of=found.of,
                    value=ratio(found.total(found.distinct_novel), n, empty),
                    n=found.part_rows,
                    n_unit=f"{rows.noun}s of {part}",
                    unit="compounds a row",
                    reference=reference,
                    part=part,
                    options=dict(compounds.rules),
                )
            )
    return Audited(tuple(measures))

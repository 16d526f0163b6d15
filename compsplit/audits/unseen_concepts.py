"""Rows with an unseen concept: the share of the rows of a part that hold one which the reference part never shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 2 (its references 38 and 39: every test question holds an unseen
word, or is about an unseen object). The same of compounds' atoms is ``rows-with-unseen-atoms``. Cost: O(non-zeros).
"""

from __future__ import annotations

from compsplit.audits.comparing import occurrences_in
from compsplit.audits.parts import references
from compsplit.model.report import Audited, Measure, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "unseen-concepts",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 2",
    unit="fraction",
    bounds=(0, 1),
    better="",
    by_default=False,
    measures=("rows-with-unseen-concepts",),
)
def unseen_concepts(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part that hold a concept which the reference part never shows."""
    concepts = rows.concepts
    if concepts is None:
        return Audited()
    measures = []
    for reference, part in references(split):
        shown = occurrences_in(concepts, split, reference)
        in_part = split.rows_in(part)
        n, any_shown = int(in_part.sum()), bool(split.rows_in(reference).any())
        strangers = int((concepts.rows_with_any(shown == 0) & in_part).sum())
        without = part if any_shown else reference
        measures.append(
            Measure(
                name="rows-with-unseen-concepts",
                of=concepts.of,
                value=ratio(strangers, n if any_shown else 0, f"{without} holds no {rows.noun}"),
                n=n,
                n_unit=f"{rows.noun}s of {part}",
                unit="fraction",
                reference=reference,
                part=part,
            )
        )
    return Audited(tuple(measures))

"""Weighted coverage: the share of the concept occurrences of a part whose concept the reference part shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (98.8 % by frequency). Every occurrence in a row's concept
list counts, a repeated word twice, the answer once. Cost: O(non-zeros).
"""

from __future__ import annotations

from compsplit.audits.covering import SOURCE, kinds_of_concepts, share, shown_and_asked
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "weighted-coverage", source=SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def weighted_coverage(rows: Rows, split: Split) -> Audited:
    """Share of the concept occurrences of a part whose concept also occurs in the reference part."""
    measures = []
    for concepts in kinds_of_concepts(rows):
        for reference, part, shown, asked in shown_and_asked(concepts, split):
            covered, n = int(asked[shown > 0].sum()), int(asked.sum())
            unit = _occurrences
            measures.append(share("weighted-coverage", concepts, covered, n, unit, bool(shown.any()), reference, part))
    return Audited(tuple(measures))


def _occurrences(of: str) -> str:
    return "concept occurrences" if of == "concepts" else f"occurrences of {of}"

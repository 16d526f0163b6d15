"""Coverage: the share of the distinct concepts of a part that the reference part shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (73.5 % of the unique test concepts). Coverage = distinct
concepts of test that occur in train / distinct concepts of test. Cost: O(non-zeros).
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.covering import SOURCE, kinds_of_concepts, share, shown_and_asked
from compsplit.audits.examples import Examples
from compsplit.model.report import Audited, Finding, Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_CULPRITS = 1000


@register("audit", "coverage", source=SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def coverage(rows: Rows, split: Split) -> Audited:
    """Share of the distinct concepts of a part that also occur in the reference part."""
    measures, findings, tables = [], [], {}
    examples = Examples(rows, split)
    for concepts in kinds_of_concepts(rows):
        names, of = concepts.names, concepts.of
        for reference, part, shown, asked in shown_and_asked(concepts, split):
            distinct = asked > 0
            covered, n = int((distinct & (shown > 0)).sum()), int(distinct.sum())
            measures.append(
                share("coverage", concepts, covered, n, "distinct {}".format, bool(shown.any()), reference, part)
            )
            unseen = np.flatnonzero(distinct & (shown == 0))
            if len(unseen):
                worst = sorted(unseen.tolist(), key=lambda c: (-int(asked[c]), names[c]))[:_CULPRITS]
                least = examples.of(concepts, part, worst)
                tables[f"{of} of {part} unseen in {reference}"] = Table.first_of(
                    ("concept", "occurrences", f"example in {part}"),
                    [(names[c], int(asked[c]), example) for c, example in zip(worst, least, strict=True)],
                    _CULPRITS,
                    total=len(unseen),
                    culprits=True,
                )
                findings.append(
                    Finding(
                        kind="unseen-concepts",
                        count=len(unseen),
                        first=tuple(names[c] for c in worst[:5]),
                        message=f"{len(unseen):,} of {n:,} distinct {of} of {part} never occur in {reference}.",
                    )
                )
    return Audited(tuple(measures), tables, tuple(findings))

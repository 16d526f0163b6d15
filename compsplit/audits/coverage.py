"""Coverage: the share of the concepts of a part that the reference part shows.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (73.5 % of the unique test concepts, 98.8 % by frequency).
Coverage = distinct concepts of test that occur in train / distinct concepts of test. Weighted coverage = the same by
occurrences: every occurrence in a row's concept list counts, a repeated word twice, the answer once. Every part but the
first is held against the first. Cost: O(non-zeros).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from compsplit.audits.parts import references
from compsplit.model.report import Audited, Finding, Measure, Table, Undefined, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.1"
_CULPRITS = 20


@register("audit", "coverage", source=_SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def coverage(rows: Rows, split: Split) -> Audited:
    """Share of the distinct concepts of a part that also occur in the reference part."""
    measures, findings, tables = [], [], {}
    if rows.concepts is None:
        return Audited()
    names = rows.concepts.names
    for reference, part in references(split):
        shown = rows.concepts.occurrences(split.rows_in(reference))
        asked = rows.concepts.occurrences(split.rows_in(part))
        distinct = asked > 0
        covered = int((distinct & (shown > 0)).sum())
        n = int(distinct.sum())
        value = ratio(covered, *_whole(n, bool(shown.any()), reference, part))
        measures.append(_measure("coverage", value, n, "distinct concepts", reference, part))
        unseen = np.flatnonzero(distinct & (shown == 0))
        if len(unseen):
            worst = sorted(unseen.tolist(), key=lambda c: (-int(asked[c]), names[c]))[:_CULPRITS]
            tables[f"concepts of {part} unseen in {reference}"] = Table(
                ("concept", "occurrences"), tuple((names[c], int(asked[c])) for c in worst)
            )
            findings.append(
                Finding(
                    kind="unseen-concepts",
                    count=len(unseen),
                    first=tuple(names[c] for c in worst[:5]),
                    message=f"{len(unseen):,} of {n:,} distinct concepts of {part} never occur in {reference}.",
                )
            )
    return Audited(tuple(measures), tables, tuple(findings))


@register("audit", "weighted-coverage", source=_SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def weighted_coverage(rows: Rows, split: Split) -> Audited:
    """Share of the concept occurrences of a part whose concept also occurs in the reference part."""
    if rows.concepts is None:
        return Audited()
    measures = []
    for reference, part in references(split):
        shown = rows.concepts.occurrences(split.rows_in(reference))
        asked = rows.concepts.occurrences(split.rows_in(part))
        n = int(asked.sum())
        value = ratio(int(asked[shown > 0].sum()), *_whole(n, bool(shown.any()), reference, part))
        measures.append(_measure("weighted-coverage", value, n, "concept occurrences", reference, part))
    return Audited(tuple(measures))


def _whole(n: int, any_shown: bool, reference: str, part: str) -> tuple[int, str]:
    """Return what a share is taken of, and why there is none: against an empty part nothing is said, not even 0."""
    return (n, f"{part} holds no concept") if any_shown else (0, f"{reference} holds no concept")


def _measure(name: str, value: Fraction | Undefined, n: int, n_unit: str, reference: str, part: str) -> Measure:
    return Measure(
        name=name, of="concepts", value=value, n=n, n_unit=n_unit, unit="fraction", reference=reference, part=part
    )

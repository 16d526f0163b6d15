"""Richness: how many different things each part, and the whole, has.

Source: UOUC, table 1 (images, questions and classes of six data sets). Cost: O(rows and non-zeros).
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.comparing import occurrences_in
from compsplit.audits.covering import kinds_of_concepts
from compsplit.audits.parts import held
from compsplit.model.report import Audited, Measure, Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_COLUMNS = ("image", "question (exact)", "question (reduced)", "answer (exact)", "answer (reduced)")


@register("audit", "richness", source="UOUC, table 1", unit="count", bounds=(0, None), better="higher")
def richness(rows: Rows, split: Split) -> Audited:
    """Different images, questions, answers, concepts, classes, attributes and predicates of each part and the whole."""
    measures: list[Measure] = []
    lines: list[tuple[object, ...]] = []
    names = [name for name in _COLUMNS if name in rows.columns and len(rows.columns[name].names)]
    kinds = list(kinds_of_concepts(rows))
    marked = {"whole": np.ones(len(rows), dtype=bool), **{part: split.rows_in(part) for part in split.parts}}
    sums = {kind.of: sum(occurrences_in(kind, split, part) for part in split.parts) for kind in kinds}
    for part, mine in marked.items():
        counts = {name: int((held(rows.columns[name], mine) > 0).sum()) for name in names}
        shown = sums if part == "whole" else {kind.of: occurrences_in(kind, split, part) for kind in kinds}
        counts |= {of: int(np.count_nonzero(found)) for of, found in shown.items()}
        counts |= {f"{name} in all": int(numbers[mine].sum()) for name, numbers in rows.counts.items()}
        measures += [
            Measure(name="richness", of=of, value=n, n=int(mine.sum()), n_unit=f"{rows.noun}s", unit="count", part=part)
            for of, n in counts.items()
        ]
        lines.append((part, int(mine.sum()), *counts.values()))
    columns = ("part", f"{rows.noun}s", *names, *(kind.of for kind in kinds), *(f"{n} in all" for n in rows.counts))
    return Audited(tuple(measures), {"richness": Table(columns, tuple(lines))})

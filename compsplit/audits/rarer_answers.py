"""Rarer answers: rows of a part whose answer is no rarer, in its question group, than an answer of the reference part.

Source: Kervadec et al. 2021, arXiv 2006.05121 (GQA-OOD: the tail holds the rare answers of a group, the head the
common ones). How common an answer is is counted over all parts. Rows without a question group are one group. Cost:
O(rows), O(n log n) in the different answers of groups.
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.parts import held, references
from compsplit.audits.row_shares import share_of_rows
from compsplit.model.column import Column, crossed
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_GROUPS = ("group_local", "group_global", "question_type")


@register(
    "audit",
    "rarer-answers",
    source="Kervadec et al. 2021, arXiv 2006.05121",
    unit="fraction",
    bounds=(0, 1),
    better="",
    by_default=False,
    measures=("rows-not-rarer",),
)
def rarer_answers(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose answer is no rarer in its group than an answer of the reference part there."""
    answers = rows.columns.get("answer (exact)")
    if answers is None:
        return Audited()
    measures = []
    for name in _GROUPS:
        if name not in rows.columns or not len(rows.columns[name].names):
            continue
        kinds = rows.columns[name]
        kinds = Column(np.where(kinds.codes < 0, len(kinds.names), kinds.codes).astype(np.int32), (*kinds.names, ""))
        pairs = crossed(kinds, answers)
        there = np.flatnonzero(pairs.codes >= 0)
        kind = np.zeros(len(pairs.names), dtype=np.int64)
        kind[pairs.codes[there]] = kinds.codes[there]
        everywhere = held(pairs, split.placed)
        for reference, part in references(split):
            shown, asked = held(pairs, split.rows_in(reference)), held(pairs, split.rows_in(part))
            rarest = np.full(len(kinds.names), np.iinfo(np.int64).max)
            np.minimum.at(rarest, kind[shown > 0], everywhere[shown > 0])
            marked = everywhere >= rarest[kind]
            measures.append(share_of_rows("rows-not-rarer", name, marked, shown, asked, reference, part))
    return Audited(tuple(measures))

"""Length overlap: rows of a part that are as long as rows of the reference part, or no longer than its longest.

Source: Lake and Baroni 2018, arXiv 1711.00350, section 4 (test is longer than anything in train). Length is counted in
words: what white space divides. Cost: O(characters of distinct texts).
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.parts import held, references
from compsplit.audits.row_shares import share_of_rows
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register(
    "audit",
    "length-overlap",
    source="Lake and Baroni 2018, arXiv 1711.00350, section 4",
    unit="fraction",
    bounds=(0, 1),
    better="",
    by_default=False,
    measures=("length-overlap", "rows-not-longer"),
)
def length_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose length the reference part has, and of those no longer than its longest."""
    measures = []
    for text in ("question", "answer"):
        column = rows.columns.get(f"{text} (exact)")
        if column is None:
            continue
        length = np.array([len(name.split()) for name in column.names], dtype=np.int64)
        for reference, part in references(split):
            shown, asked = held(column, split.rows_in(reference)), held(column, split.rows_in(part))
            for name, marked in (
                ("length-overlap", np.isin(length, length[shown > 0])),
                ("rows-not-longer", length <= length[shown > 0].max(initial=-1)),
            ):
                measures.append(share_of_rows(name, text, marked, shown, asked, reference, part))
    return Audited(tuple(measures))

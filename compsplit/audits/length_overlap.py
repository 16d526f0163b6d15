"""Length overlap: rows of a part that are as long as rows of the reference part, or no longer than its longest.

Source: Lake and Baroni 2018, arXiv 1711.00350, section 4 (test is longer than anything in train). Length is counted in
words: what white space divides. Cost: O(characters of distinct texts).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, references
from compsplit.model.report import Audited, Measure, ratio
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
            n = int(asked.sum())
            without = part if shown.any() else reference
            for name, marked in (
                ("length-overlap", np.isin(length, length[shown > 0])),
                ("rows-not-longer", length <= length[shown > 0].max(initial=-1)),
            ):
                measures.append(
                    Measure(
                        name=name,
                        of=text,
                        value=ratio(
                            _rows(asked, marked), n if shown.any() else 0, f"no row of {without} has a value for {text}"
                        ),
                        n=n,
                        n_unit=f"rows of {part}",
                        unit="fraction",
                        reference=reference,
                        part=part,
                    )
                )
    return Audited(tuple(measures))


def _rows(asked: NDArray[np.int64], marked: NDArray[np.bool_]) -> int:
    return int(asked[marked].sum())

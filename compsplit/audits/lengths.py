"""Lengths: how many words the questions and answers of each part have, on average, at least and at most.

Source: Keysers et al. 2020, arXiv 1912.09713, section 5 (a split by length has a high compound divergence, too), and
Lake and Baroni 2018, arXiv 1711.00350 (length split): where parts differ much, a split is one by length in disguise. A
word is what white space divides. The mean is over rows that have the text, exact. Cost: O(rows and characters of
distinct texts).
"""

from __future__ import annotations

import numpy as np

from compsplit.model.report import Audited, Measure, Table, Undefined, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_TEXTS = ("question", "answer")


@register(
    "audit", "lengths", source="Keysers et al. 2020, arXiv 1912.09713, section 5", unit="words", bounds=(0, None),
    better="",
)  # fmt: skip
def lengths(rows: Rows, split: Split) -> Audited:
    """Mean, least and greatest length of the questions and answers of each part, in words."""
    measures: list[Measure] = []
    lines: list[tuple[object, ...]] = []
    for text in _TEXTS:
        column = rows.columns.get(f"{text} (exact)")
        if column is None:
            continue
        words = np.array([len(name.split()) for name in column.names], dtype=np.int64)
        for part in split.parts:
            codes = column.codes[split.rows_in(part)]
            found = words[codes[codes >= 0]]
            none = Undefined(f"no row of {part} has {'an' if text == 'answer' else 'a'} {text}")
            values = {
                "mean-length": ratio(int(found.sum()), len(found), none.reason),
                "least-length": int(found.min()) if len(found) else none,
                "greatest-length": int(found.max()) if len(found) else none,
            }
            made = [
                Measure(name=name, of=text, value=value, n=len(found), n_unit=f"{text}s", unit="words", part=part)
                for name, value in values.items()
            ]
            lines.append((part, text, len(found), *(measure.number for measure in made)))
            measures += made
    columns = ("part", "text", "rows", "mean words", "least", "greatest")
    return Audited(tuple(measures), {"lengths": Table(columns, tuple(lines))} if lines else {})

"""Lone words: rows of a part with a word that the reference part shows by itself alone.

Source: Lake and Baroni 2018, arXiv 1711.00350, section 5 (train shows "jump" alone, test makes commands of it). A word
is lone if some text of the reference part is that word and nothing else, and no other text there holds it. Words are
lower-cased, outer punctuation off. Cost: O(rows); O(words of distinct texts) only where a text is one word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, references
from compsplit.audits.row_shares import share_of_rows
from compsplit.model.column import Column
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.model.words import words
from compsplit.registry import register

_TEXTS = ("question", "answer")


@register(
    "audit",
    "lone-words",
    source="Lake and Baroni 2018, arXiv 1711.00350, section 5",
    unit="fraction",
    bounds=(0, 1),
    better="",
    by_default=False,
    measures=("rows-with-lone-words",),
)
def lone_words(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part that hold, beside other words, a word that the reference part shows alone."""
    measures = []
    for text in _TEXTS:
        column = rows.columns.get(f"{text} (exact)")
        if column is None:
            continue
        single = {code: found[0] for code, name in enumerate(column.names) if len(found := _few_words(name)) == 1}
        for reference, part in references(split):
            shown, asked = held(column, split.rows_in(reference)), held(column, split.rows_in(part))
            marked = _holding_lone(column, single, shown)
            measures.append(share_of_rows("rows-with-lone-words", text, marked, shown, asked, reference, part))
    return Audited(tuple(measures))


def _few_words(text: str) -> list[str]:
    """Return the words of a text that may be a single word; nothing for a longer one."""
    return words(text) if len(text.split(None, 3)) < 4 else []


def _holding_lone(column: Column, single: dict[int, str], shown: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which texts hold a lone word beside others, shape (n_names,)."""
    lone = {word for code, word in single.items() if shown[code]}
    holding: dict[int, set[str]] = {}
    if lone:
        for code, name in enumerate(column.names):
            if code not in single:
                holding[code] = lone.intersection(words(name))
        lone -= {word for code, found in holding.items() if shown[code] for word in found}
    marked = np.zeros(len(column.names), dtype=bool)
    marked[[code for code, found in holding.items() if not lone.isdisjoint(found)]] = True
    return marked

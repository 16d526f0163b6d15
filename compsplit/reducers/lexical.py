"""Reducer ``lexical``: the default, without model, network or download.

Source: C-VQA, section 3.1 (Agrawal et al. 2017, arXiv 1704.08243), removes stop words and lemmatises, and names no list
and no lemmatiser; ours are files under ``tables/``. Deviation: the paper calls "stop light" one concept, here it is
two. Text in another language: ``lemmatizer="none"`` and a stop list of its own; scripts whose vowels are marks on
letters, as Hindi's, lose them.
Cost: one look-up for each piece between white spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from compsplit.reducers import base_forms, tables
from compsplit.reducers.front_end import FrontEnd, KeyOrder, Manner, Phrases
from compsplit.registry import UserFile, register


def _as_written(word: str) -> str:
    return word


@register("reducer", "lexical", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1; tables of this project")
class LexicalReducer(FrontEnd):
    """Drops stop words and takes base forms by word lists and rules.

    Args:
        stop_words: File of stop words instead of ours; the same layout, or just words.
        keep_families: Families of the stop list that stay.
        drop_families: Families that are kept by default and now go: can, for, from, he-she.
        phrases: Whether "in this picture" and "do you think" are removed.
        key_order: The order of the concepts; ``auto`` sorts unless a relation word is among them.
        lemmatizer: ``none`` leaves words as written, for other languages than English.
        which_is_what: Whether "which" counts as "what".
    """

    name = "lexical"
    version = "1"

    def __init__(
        self,
        *,
        stop_words: UserFile | None = None,
        keep_families: Sequence[str] = (),
        drop_families: Sequence[str] = (),
        phrases: Phrases = "keep",
        key_order: KeyOrder = "ordered",
        lemmatizer: Literal["lexicon", "none"] = "lexicon",
        which_is_what: bool = False,
    ) -> None:
        english = lemmatizer == "lexicon"
        super().__init__(
            stop_words=tables.StopList.read(stop_words).dropped(keep_families, drop_families),
            base_form=base_forms.lexical if english else _as_written,
            manner=Manner(phrases, key_order, which_is_what),
            options={
                "stop_words": stop_words and Path(stop_words).name,
                "keep_families": sorted(keep_families),
                "drop_families": sorted(drop_families),
                "lemmatizer": lemmatizer,
            },
            lexicon=base_forms.LEXICON if english else "none",
            content=map(tables.text_of, base_forms.TABLES if english else ()),
        )

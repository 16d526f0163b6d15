"""Rows whose text holds a word go to test, and the word by itself stays in train.

Source: Lake and Baroni 2018, arXiv 1711.00350, section 5 (experiment 3: "jump" is shown alone, and tested in every
command that is made of it). A word is a word as it is written: lower-cased, outer punctuation off. From the 20,910
commands of SCAN, ``word = "jump"`` gives the published 7,706 for test. The published train file repeats the bare word
1,467 times among its 14,670 lines; nothing is repeated here.

Guarantee: each test row holds, beside other words, a word that train shows by itself alone. Cost: O(words of distinct
texts).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from compsplit.errors import ImpossibleError, OptionValueError, counted
from compsplit.model.split import Split
from compsplit.model.words import words
from compsplit.registry import register
from compsplit.splitters.by_rows import split_by_rows
from compsplit.splitters.problem import Problem


@register(
    "splitter",
    "primitive",
    source="Lake and Baroni 2018, arXiv 1711.00350, section 5",
    guarantee="Each test row holds, beside other words, a word that train shows by itself alone.",
    cost="O(words of distinct texts)",
    keeps=("rows-with-lone-words[{text}][{train}->{test}] == 1",),
    parts=("train", "test"),
)
def assign(problem: Problem, *, word: str = "", text: Literal["question", "answer"] = "question") -> Split:
    """Hold out every row whose text holds a word beside others.

    Args:
        problem: Groups, and rows with the text.
        word: The word, which some row has by itself.
        text: Where it is looked for.

    Raises:
        OptionValueError: It is no single word.
        ImpossibleError: No row holds it beside others, or none that stays in train holds it by itself.
    """
    wanted = words(word)
    if len(wanted) != 1:
        raise OptionValueError("split.word", word, 'one word, such as "jump"')
    column = problem.column(f"{text} (exact)")
    found = [words(name) for name in column.names]
    holds = np.array([*(wanted[0] in each for each in found), False], dtype=bool)[column.codes]
    bare = np.array([*(each == wanted for each in found), False], dtype=bool)[column.codes]
    if not holds.any() or bool((holds == bare).all()):
        there = f"all {counted(int(bare.sum()), 'row')} with it" if bare.any() else "no row"
        raise ImpossibleError(
            f'"{wanted[0]}" stands beside other words in no {text}: {there} '
            f"{'hold it by itself' if bare.any() else 'holds it'}. Nothing was written.",
            facts={"word": wanted[0], "rows with it alone": int(bare.sum())},
        )
    split = split_by_rows(problem, (holds & ~bare).astype(np.int64), facts={"rows of the bare word": int(bare.sum())})
    if not (bare & split.rows_in(problem.targets.parts[0])).any():
        held = int(split.rows_in(problem.targets.parts[1]).sum())
        raise ImpossibleError(
            f'No {text} that may stay in {problem.targets.parts[0]} is "{wanted[0]}" by itself, so the '
            f"{counted(int(holds.sum()), 'row')} that hold it would test a word that was never shown. To want that, "
            f'choose split.method=unseen-word with words = ["{wanted[0]}"]. Nothing was written.',
            facts={"word": wanted[0], "rows with it alone": int(bare.sum()), "rows held out": held},
        )
    return split

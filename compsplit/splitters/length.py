"""The longest rows go to test, by a bound, by a list of lengths, or as many as the target takes.

Source: Lake and Baroni 2018, arXiv 1711.00350, section 4 (experiment 2): train has the commands of SCAN whose actions
are at most 22, test those of 24 to 48, 16,990 and 3,920 of 20,910 (``text = "answer"``, ``longest = 22``). Length is
counted in words: what white space divides, punctuation that stands by itself included, as token counts of formal
languages are.

Guarantee: no length is in both parts; but where lengths are listed, each test row is longer than every train row. Cost:
O(characters of distinct texts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, OptionValueError, UsageError, counted
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.by_rows import split_by_rows, without_targets
from compsplit.splitters.problem import Problem, rows_for_test


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    kept = ("length-overlap[{text}][{train}->{test}] == 0",)
    return kept if options["lengths"] else (*kept, "rows-not-longer[{text}][{train}->{test}] == 0")


@register(
    "splitter",
    "length",
    source="Lake and Baroni 2018, arXiv 1711.00350, section 4",
    guarantee="No length is in both parts; each test row is longer than every train row, unless lengths are listed.",
    cost="O(characters of distinct texts)",
    rules=("longest", "lengths"),
    keeps=_keeps,
)
def assign(
    problem: Problem,
    *,
    text: Literal["question", "answer"] = "question",
    longest: int | None = None,
    lengths: Sequence[int] = (),
) -> Split:
    """Hold out the longest rows, or those of certain lengths.

    Args:
        problem: Groups, targets of two parts, and rows with the text.
        text: The text whose words are counted.
        longest: The greatest length of train; the target decides it where neither this nor lengths are given.
        lengths: The lengths of test.

    Raises:
        UsageError: Both are given, or rows lack the text.
        OptionValueError: A length is no whole number.
        ImpossibleError: No row has such a length, all have, or the rows of the greatest length pass the target.
    """
    if longest is not None and lengths:
        raise UsageError("split.longest and split.lengths are both given; a row's length can be held against one.")
    if not all(type(each) is int for each in lengths):
        raise OptionValueError("split.lengths", list(lengths), "a list of whole numbers")
    column = problem.column(f"{text} (exact)")
    without = int((column.codes < 0).sum())
    if without:
        raise UsageError(f"{counted(without, 'row has', 'rows have')} no {text} to count the words of.", field=text)
    length = np.array([len(name.split()) for name in column.names], dtype=np.int64)[column.codes]
    if lengths:
        chosen = np.isin(length, np.array(sorted(set(lengths)), dtype=np.int64))
        return _split(without_targets(problem), text, length, chosen, {})
    if longest is not None:
        return _split(without_targets(problem), text, length, length > longest, {})
    bound = _bound(problem, text, length)
    return _split(problem, text, length, length > bound, {"longest of train": bound})


def _bound(problem: Problem, text: str, length: NDArray[np.int64]) -> int:
    """Return the least bound that lets no more rows pass than the target takes."""
    target = rows_for_test(problem, "length")
    found, counts = np.unique(length, return_counts=True)
    longer = np.append(np.cumsum(counts[::-1])[::-1][1:], 0)
    bound = int(found[int(np.argmax(longer <= target))])
    if bound == found[-1]:
        fewer = zip(found[-4:-1].tolist(), longer[-4:-1].tolist(), strict=True)
        possible = ", ".join(f"{n:,} (longest = {b})" for b, n in fewer)
        raise ImpossibleError(
            f"{counted(int(counts[-1]), 'row has', 'rows have')} the greatest length of a {text}, {bound} words, and "
            f"test may hold {target:,}. {f'Test can hold {possible}' if possible else 'All have it'}. Nothing was "
            "written.",
            facts={"target": target, "greatest length": bound, "rows of it": int(counts[-1])},
        )
    return bound


def _split(
    problem: Problem, text: str, length: NDArray[np.int64], chosen: NDArray[np.bool_], facts: Mapping[str, object]
) -> Split:
    if chosen.all() or not chosen.any():
        raise ImpossibleError(
            f"{'Every' if chosen.all() else 'No'} {text} has a length for test: lengths are {int(length.min())} to "
            f"{int(length.max())} words. Nothing was written.",
            facts={"least": int(length.min()), "greatest": int(length.max())},
        )
    return split_by_rows(problem, chosen.astype(np.int64), facts=facts)

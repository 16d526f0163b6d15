"""Test rows each hold a word that no train row holds.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 2, of its reference 38: test questions, or their answers, contain
at least one unseen word. Words are the concepts of questions and answers (base forms, so that "cones" does not pass for
unseen beside "cone"), or the atoms of what is extracted, such as question-words. How words are chosen is not told
there: here in a seeded order of all words, so that most are rare, or the rarest first, until test is full.

Guarantee: every test row holds a word that no train row holds. Cost: O(non-zeros of rows).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from compsplit.errors import UsageError
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem
from compsplit.splitters.unseen import unseen_in_train


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    if options["of"]:
        return ("rows-with-unseen-atoms[{of}][{train}->{test}] == 1",)
    return ("rows-with-unseen-concepts[{concepts}][{train}->{test}] == 1",)


@register(
    "splitter",
    "unseen-word",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 2",
    guarantee="Every test row holds a word that no train row holds.",
    cost="O(non-zeros of rows)",
    rules=("words",),
    keeps=_keeps,
)
def assign(
    problem: Problem,
    *,
    of: str = "",
    words: Sequence[str] = (),
    choose: Literal["random", "rare"] = "random",
) -> Split:
    """Hold out every row with one of some words.

    Args:
        problem: Groups, targets of two parts, and concepts.
        of: What is extracted whose atoms are the words, such as "question words"; concepts by default.
        words: The words themselves; chosen until the target is reached where none are given.
        choose: "random", or "rare" for the rarest first.

    Raises:
        UsageError: No concepts were extracted.
        UnknownNameError: A word that is given is in no row.
        ImpossibleError: No word can be held out, or nothing is left for train.
    """
    things: Incidence | Kinds | None = problem.compounds(of).atoms if of else problem.concepts
    if things is None:
        raise UsageError(
            "The rows have no concepts to choose words from: those are of questions with answers. Extract "
            'question-words, and say split.of = "question words".',
            field="split.of",
        )
    return unseen_in_train(problem, things, "word", wanted=words, choose=choose)

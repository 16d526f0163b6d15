"""Nearest question: the commonest train answer of the same reduced question, else of the one most like it.

Formula: a question whose reduced form train has is answered as train answers that form most often. Any other goes to
the reduced form of train with which it shares the most different concepts; ties: the one with the fewest different
concepts, then the earlier text. A question that shares none falls back to its type, then to the commonest answer of
all, each counted; equal counts of answers: the earlier text.
Source: compsplit; a nearest neighbour on C-VQA's reduced questions (Agrawal et al. 2017, arXiv 1704.08243, section
3.1), which shows how much of a split is answered by having seen the question. Cost: O(questions of train that share one
of the rarer concepts of the question), some microseconds a different question; no rows x rows.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Codes, Column
from compsplit.probes.asking import Guesses, Lessons, Questions, in_turn
from compsplit.probes.by_group import commonest, ranked
from compsplit.registry import register

REDUCED = "question (reduced)"


@register("probe", "nearest-question", source="compsplit; Agrawal et al. 2017, arXiv 1704.08243, section 3.1")
def answer(lessons: Lessons, asked: Questions) -> Guesses:
    """Answer as train answers the same reduced question, else the one that shares the most concepts.

    Args:
        lessons: What is learned from.
        asked: The questions.

    Raises:
        UnknownNameError: Questions are not reduced.
    """
    reduced = lessons.questions.column(REDUCED)
    known = ranked(reduced, lessons.answers)
    wanted = asked.column(REDUCED).codes
    exact = np.append(known, np.int32(-1))[wanted]
    new = np.unique(wanted[(exact < 0) & (wanted >= 0)])
    found = _nearest(reduced, known >= 0, new)
    near = np.full(len(known) + 1, -1, dtype=np.int32)
    near[new] = np.append(known, np.int32(-1))[found]
    by_type = lessons.questions.first_of("structural", "question_type")
    types = np.append(ranked(lessons.questions.column(by_type), lessons.answers), np.int32(-1))
    answers, found_by = in_turn(
        {
            "same reduced question": exact,
            "nearest reduced question": near[wanted],
            by_type: types[asked.column(by_type).codes],
        },
        commonest(lessons.answers),
    )
    facts = {"different reduced questions unseen in train": len(new)}
    return Guesses(answers, found_by, facts=facts)


def _nearest(reduced: Column, seen: NDArray[np.bool_], wanted: NDArray[np.int32]) -> Codes:
    """Return the code of the seen form that is nearest to each wanted one, -1 where none shares a concept.

    Args:
        reduced: Reduced questions; their names are concepts with blanks between.
        seen: Forms that train has, shape (n_forms,).
        wanted: Codes of other forms.
    """
    from compsplit.kernels.overlap import most_alike

    forms = np.flatnonzero(seen).tolist()
    # Alphabetical, so that the first of equals is the earlier text.
    forms.sort(key=reduced.names.__getitem__)
    bags = [sorted({*reduced.names[code].split()}) for code in (*forms, *wanted.tolist())]
    numbers = {name: number for number, name in enumerate(sorted({*chain.from_iterable(bags)}))}
    lengths = np.array([len(bag) for bag in bags], dtype=np.int64)
    starts = np.append(0, np.cumsum(lengths))
    concepts = np.array([numbers[name] for bag in bags for name in bag], dtype=np.int32)
    cut = len(forms)
    best = most_alike(
        starts[: cut + 1], concepts[: starts[cut]], starts[cut:] - starts[cut], concepts[starts[cut] :], len(numbers)
    )
    return np.append(np.array(forms, dtype=np.int32), np.int32(-1))[best]

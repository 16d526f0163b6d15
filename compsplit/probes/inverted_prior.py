"""Inverted prior: among the commonest train answers of the question's type, the rarest.

Formula: let a1, a2, ... be the train answers of the question's type by falling count (equal counts: the earlier text is
the commoner); the answer is a_k, or the last where there are fewer than k. With k = 2 a yes/no question is answered
"yes" where "no" is the commoner in train; with k = 0 the rarest answer of all is given.
Source: after Teney et al. 2020, arXiv 2005.09241: methods that know that a split gives test the priors of train turned
round profit from answering so, without seeing an image. Deviation: theirs draws answers at random from the inverted
distribution of a question type; this one is deterministic. On open questions the rarest answer was given once and is
hardly ever right, so k is 2 by default. A type unseen in train falls back to the commonest answer of all, counted.
Cost: O(rows log rows).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from compsplit.errors import OptionValueError
from compsplit.probes.asking import Guesses, Lessons, Questions
from compsplit.probes.by_group import by_columns, ranked
from compsplit.registry import register


@register("probe", "inverted-prior", source="after Teney et al. 2020, arXiv 2005.09241")
def answer(lessons: Lessons, asked: Questions, *, column: str = "auto", among: int = 2) -> Guesses:
    """Answer with the rarest of the two commonest train answers of the question's type: what is common, turned round.

    Args:
        lessons: What is learned from.
        asked: The questions.
        column: The column of types; ``auto`` takes the structural type in GQA, else the question type.
        among: How many of the commonest answers are looked at; 0 for all.

    Raises:
        UnknownNameError: There is no such column.
        OptionValueError: ``among`` is negative.
    """
    if among < 0:
        raise OptionValueError("probe.among", among, "a whole number, 0 for all answers of a type")
    if column == "auto":
        column = lessons.questions.first_of("structural", "question_type")
    found = by_columns(lessons, asked, (column,), among or None)
    groups, seen = lessons.questions.column(column), asked.column(column).codes
    alone = (ranked(groups, lessons.answers) == ranked(groups, lessons.answers, None)) & (
        np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.names)) > 0
    )
    n_alone = int(np.append(alone, False)[seen].sum())
    return dataclasses.replace(found, facts={"questions of a type with one answer in train": n_alone})

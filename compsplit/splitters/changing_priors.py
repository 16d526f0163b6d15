"""Changing priors: the answers that are common for a type of question differ between train and test.

Source: Agrawal et al. 2018, arXiv 1712.00377 (VQA-CP), as a third party's notes tell it, the stop at a third included;
the paper's own text was not to be had. As C-VQA's procedure (see ``greedy_coverage``), with other groups and concepts:
a group is a question type with an answer, its concepts are the words of the type and the answer, in one vocabulary.
Groups of the recipe stay whole besides: what hangs together through them and such pairs is one unit.

Decided: the answer is the reduced one, as for C-VQA, else the normalised one, and one concept; words of a type are as
they are written. Guarantee: no question type with an answer is in both parts; test holds at most its target. Cost:
O(non-zeros).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from compsplit.errors import ImpossibleError, UsageError, counted
from compsplit.model.column import Column, crossed
from compsplit.model.incidence import Incidence, bagged
from compsplit.model.split import Split
from compsplit.model.words import words
from compsplit.registry import register
from compsplit.splitters.joining import joined, whole_column
from compsplit.splitters.problem import Problem, rows_for_test


@register(
    "splitter",
    "changing-priors",
    source="Agrawal et al. 2018, arXiv 1712.00377",
    guarantee="No question type with an answer is in both parts; test holds at most its target.",
    cost="O(non-zeros)",
    keeps=("type-answer-overlap[question_type + answer (exact)][{train}->{test}] == 0",),
)
def assign(problem: Problem) -> Split:
    """Deal question types with an answer to test and train by turns, so that train covers their words.

    Args:
        problem: Groups, targets of two parts, and rows with question types and answers.

    Raises:
        UsageError: The rows have no questions or no answers.
        MissingValueError: Some of them have none.
        ImpossibleError: No group of question type and answer fits test.
    """
    from compsplit.kernels.greedy import greedy_cover

    columns = {} if problem.rows is None else problem.rows.columns
    answer = next((name for name in ("answer (reduced)", "answer (normalised)") if name in columns), None)
    if answer is None or "question_type" not in columns:
        raise UsageError("Priors are of answers given question types; the rows lack questions or answers.")
    kinds, answers = whole_column(problem, "question_type"), whole_column(problem, answer)
    pairs = crossed(kinds, answers)
    whole = joined(problem, pairs, "question type and answer")
    whole = dataclasses.replace(whole, concepts=_concepts(kinds, answers, pairs))
    target = rows_for_test(whole, "changing-priors")
    order = whole.order()
    sizes, stays = whole.grouping.sizes[order], whole.grouping.stays[order]
    starts, concepts, n_concepts = whole.group_concepts(order)
    part, reached, turns = greedy_cover(sizes, stays, starts, concepts, n_concepts, target)
    if not reached:
        free = sizes[~stays]
        raise ImpossibleError(
            f"Test may hold {counted(target, 'row')}, and no question type with an answer fits: there are "
            f"{len(order):,}, the smallest that may leave {problem.targets.parts[0]} of "
            f"{int(free.min(initial=sizes.max(initial=0))):,}. Ask for a larger test, or keep fewer rows together. "
            "Nothing was written.",
            facts={"target": target, "groups": len(order)},
        )
    facts: dict[str, Any] = {"question types with an answer": pairs.n_used, "units": len(order)}
    return whole.split(part, order, covering_turns=turns, **facts)


def _concepts(kinds: Column, answers: Column, pairs: Column) -> Incidence:
    """Return the words of the question type and the answer of each row; rows of one pair share a bag."""
    names = sorted({*answers.names, *(word for kind in kinds.names for word in words(kind))})
    code = {name: i for i, name in enumerate(names)}
    row_of = np.zeros(len(pairs.names), dtype=np.int64)
    row_of[pairs.codes] = np.arange(len(pairs))
    of_kind = [[code[word] for word in words(kind)] for kind in kinds.names]
    of_answer = [code[name] for name in answers.names]
    both = zip(kinds.codes[row_of].tolist(), answers.codes[row_of].tolist(), strict=True)
    bags = [[*of_kind[kind], of_answer[answer]] for kind, answer in both]
    return bagged("words of question types, and answers", pairs.codes, bags, tuple(names))

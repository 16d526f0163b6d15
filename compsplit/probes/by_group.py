"""The commonest answer of each group in train, or another by its rank; equal counts by the answer's text."""

from __future__ import annotations

import numpy as np

from compsplit.model.column import Codes, Column, distinct
from compsplit.probes.asking import Guesses, Lessons, Questions, in_turn


def ranked(groups: Column, answers: Column, rank: int | None = 1) -> Codes:
    """Return an answer of each group, -1 for a group without a row; shape (n_groups,).

    Args:
        groups: The group of each row, -1 for none.
        answers: The answer of each row, names in alphabetical order.
        rank: 1 is the commonest; the last where a group has fewer answers, or where it is None. Equal counts: the
            earlier text is the commoner.

    Example:
        >>> groups, answers = Column.of(["g", "g", "g", "h"]), Column.of(["a", "b", "b", "a"])
        >>> ranked(groups, answers).tolist(), ranked(groups, answers, 2).tolist()
        ([1, 0], [0, 0])
    """
    there = groups.codes >= 0
    n_answers = max(len(answers.names), 1)
    packed, counts = distinct(groups.codes[there].astype(np.int64) * n_answers + answers.codes[there])
    owners, codes = np.divmod(packed, n_answers)
    order = np.lexsort((codes, -counts, owners))
    n_of_group = np.bincount(owners, minlength=len(groups.names))
    starts = np.cumsum(n_of_group) - n_of_group
    last = n_of_group - 1
    place = starts + (last if rank is None else np.minimum(rank - 1, last))
    chosen = np.full(len(groups.names), -1, dtype=np.int32)
    held = n_of_group > 0
    chosen[held] = codes[order[place[held]]]
    return chosen


def commonest(answers: Column) -> int:
    """Return the code of the commonest answer of all."""
    return int(np.argmax(np.bincount(answers.codes, minlength=len(answers.names))))


def by_columns(lessons: Lessons, asked: Questions, names: tuple[str, ...], rank: int | None = 1) -> Guesses:
    """Return what groups answer, the columns taken in turn: a group unseen in train decides nothing.

    Args:
        lessons: What is learned from.
        asked: The questions.
        names: Columns, the first in front.
        rank: As for ``ranked``; of all answers the commonest is taken in any case.

    Raises:
        UnknownNameError: There is no such column.
    """
    choices = {}
    for name in dict.fromkeys(names):
        chosen = ranked(lessons.questions.column(name), lessons.answers, rank)
        choices[name] = np.append(chosen, np.int32(-1))[asked.column(name).codes]
    whole = commonest(lessons.answers)
    if not choices:
        choices = {"no column": np.full(len(asked), -1, dtype=np.int32)}
        answers, found_by = in_turn(choices, whole)
        del found_by["no column"]
        return Guesses(answers, found_by)
    answers, found_by = in_turn(choices, whole)
    return Guesses(answers, found_by, label=names[0])

"""What a probe is shown, and what it says: questions with their answers to learn from, questions alone to answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from compsplit.errors import UnknownNameError, counted
from compsplit.model.column import Codes, Column, frozen

COMMONEST = "commonest answer of all"
"""How an answer came about that nothing in the question decided."""


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """Questions of some rows without their answers: a probe cannot be shown what it is asked for.

    Attributes:
        columns: What is known of each question: ``"question"`` as written, ``"question (reduced)"``,
            ``"question_type"``, and further columns that the answer has no part in. Codes of one column mean the same
            in the rows to learn from and in those to answer.
    """

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        if len({len(column) for column in self.columns.values()}) != 1:
            raise ValueError("questions need columns, all of one length")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return f"Questions({counted(len(self), 'row')}, {counted(len(self.columns), 'column')})"

    def column(self, name: str) -> Column:
        """Return a column.

        Raises:
            UnknownNameError: There is none of that name, or no row has a value there.
        """
        if name not in self.columns or not self.columns[name].names:
            raise UnknownNameError("column of questions", name, [n for n, c in self.columns.items() if c.names])
        return self.columns[name]

    def first_of(self, *names: str) -> str:
        """Return the first name that is a column with values, the last if none is."""
        return next((name for name in names if name in self.columns and self.columns[name].names), names[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """Questions with their answers, in the seeded order of the rows' ids.

    Attributes:
        questions: The questions.
        answers: The answer of each, in alphabetical order of ``names``, so that the lower of two codes is the earlier
            text; every row has one.
    """

    questions: Questions
    answers: Column

    def __post_init__(self) -> None:
        if len(self.questions) != len(self.answers):
            raise ValueError(f"{len(self.questions)} questions have {len(self.answers)} answers")
        if not len(self.answers) or self.answers.codes.min() < 0:
            raise ValueError("there must be a row to learn from, and every one needs an answer")

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """What a probe answers.

    Attributes:
        answers: A code of the lessons' answers for each question, shape (n_questions,).
        found_by: What decided the answer -> how many questions, what is asked first in front; they add up to
            n_questions.
        label: What the probe was set to, such as the column that it goes by.
        facts: What was counted while it learned, as JSON values.
        learned: Whether it is computed in floating point, which another platform may round otherwise.
    """

    answers: Codes
    found_by: Mapping[str, int]
    label: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    learned: bool = False

    def __post_init__(self) -> None:
        if len(self.answers) and self.answers.min() < 0:
            raise ValueError("every question needs an answer")
        if sum(self.found_by.values()) != len(self.answers):
            raise ValueError(f"{sum(self.found_by.values())} ways for {len(self.answers)} answers")
        frozen(self.answers)
        for name in ("found_by", "facts"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


def in_turn(choices: Mapping[str, Codes], commonest: int) -> tuple[Codes, dict[str, int]]:
    """Return the first answer that a question is given, and how many were given by each choice.

    Args:
        choices: What decides -> an answer for each question, -1 where it decides nothing; shape (n_questions,) each.
        commonest: The answer where nothing does.
    """
    n = len(next(iter(choices.values())))
    answers = np.full(n, -1, dtype=np.int32)
    found_by = {}
    for name, given in choices.items():
        taken = (answers < 0) & (given >= 0)
        answers[taken] = given[taken]
        found_by[name] = int(taken.sum())
    without = answers < 0
    answers[without] = commonest
    return answers, {**found_by, COMMONEST: int(without.sum())}

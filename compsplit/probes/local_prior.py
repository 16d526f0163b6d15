"""Local prior: the commonest train answer of the question's group.

Formula: argmax over answers a of the number of train rows of the group with answer a; equal counts: the earlier text.
The group is GQA's local group, else the question type; any other column can be named, such as the reduced question.
Source: Hudson and Manning 2019, arXiv 1902.09506, table 1 ("Local Prior"); Agrawal et al. 2018, arXiv 1712.00377 (per
question type). Deviation: the papers do not say what a question without a group gets, or one whose group train lacks;
here it falls back to its structural type (question type in data that have none), then to the commonest answer of all,
each counted. Cost: O(rows log rows).
"""

from __future__ import annotations

from compsplit.probes.asking import Guesses, Lessons, Questions
from compsplit.probes.by_group import by_columns
from compsplit.registry import register


@register("probe", "local-prior", source="Hudson and Manning 2019, arXiv 1902.09506, table 1")
def answer(lessons: Lessons, asked: Questions, *, column: str = "auto") -> Guesses:
    """Answer with the commonest train answer of the question's group: its local group in GQA, else its type.

    Args:
        lessons: What is learned from.
        asked: The questions.
        column: The column of groups, such as ``question (reduced)``; ``auto`` takes ``group_local`` where the data have
            it, else the question type.

    Raises:
        UnknownNameError: There is no such column.
    """
    if column == "auto":
        column = lessons.questions.first_of("group_local", "question_type")
    return by_columns(lessons, asked, (column, lessons.questions.first_of("structural", "question_type")))

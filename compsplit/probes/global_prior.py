"""Global prior: the commonest answer of train, or of the question's global group where the data have such groups.

Formula: argmax over answers a of the number of train rows of the group with answer a; equal counts: the earlier text.
Source: Hudson and Manning 2019, arXiv 1902.09506, table 1 ("Global Prior": by GQA's global groups); on data without
groups the one group is all of train, the prior of Agrawal et al. 2018, arXiv 1712.00377. Deviation: the papers do not
say what a question without a group gets; here it falls back to its structural type (question type in data that have
none), then to the commonest answer of all, each counted. Cost: O(rows log rows).
"""

from __future__ import annotations

from compsplit.probes.asking import Guesses, Lessons, Questions
from compsplit.probes.by_group import by_columns
from compsplit.registry import register


@register("probe", "global-prior", source="Hudson and Manning 2019, arXiv 1902.09506, table 1")
def answer(lessons: Lessons, asked: Questions, *, column: str = "auto") -> Guesses:
    """Answer with the commonest answer of train, or of the question's global group in GQA.

    Args:
        lessons: What is learned from.
        asked: The questions.
        column: The column of global groups; ``auto`` takes ``group_global`` where the data have it, ``none`` takes no
            groups.

    Raises:
        UnknownNameError: There is no such column.
    """
    if column == "auto":
        column = lessons.questions.first_of("group_global", "none")
    if column == "none":
        return by_columns(lessons, asked, ())
    return by_columns(lessons, asked, (column, lessons.questions.first_of("structural", "question_type")))

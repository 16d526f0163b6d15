"""Groups of the same question type and the same answer.

Source: Agrawal et al. 2018, arXiv 1712.00377 (VQA-CP), as a third party's notes tell it; the paper's own text was not
to be had. Decided: the answer is the reduced one, as for C-VQA, else the normalised one.
"""

from __future__ import annotations

from compsplit.errors import UsageError
from compsplit.model.column import crossed
from compsplit.model.grouping import Grouping
from compsplit.model.rows import Rows
from compsplit.registry import register


@register("grouper", "question-type-answer", source="Agrawal et al. 2018, arXiv 1712.00377")
def group(rows: Rows) -> Grouping:
    """Keep rows of the same question type and answer together.

    Raises:
        UsageError: The rows have no questions or no answers.
        MissingValueError: Some of them have none.
    """
    answer = next((name for name in ("answer (reduced)", "answer (normalised)") if name in rows.columns), None)
    if answer is None or "question_type" not in rows.columns:
        raise UsageError("Groups of question type and answer need questions and answers; the table lacks one of them.")
    return Grouping.of("question type and answer", crossed(rows.key("question_type"), rows.key(answer)))

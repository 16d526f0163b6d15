"""Answer types and answers of each part.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2; see ``shares`` for the measures. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.shares import SOURCE, distribution
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "answer-types", source=SOURCE, unit="fraction", bounds=(0, 1), better="")
def answer_typedistribution(rows: Rows, split: Split) -> Audited:
    """Answer types and answers of each part, and how far two parts are apart in them."""
    one = distribution(rows, split, "answer_type", "answer types")
    other = distribution(rows, split, "answer (exact)", "answers")
    return Audited((*one.measures, *other.measures), {**one.tables, **other.tables})

"""Question types and openings of each part.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2; see ``shares`` for the measures. Cost: O(rows).
"""

from __future__ import annotations

from compsplit.audits.shares import SOURCE, distribution
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "question-types", source=SOURCE, unit="fraction", bounds=(0, 1), better="")
def question_typedistribution(rows: Rows, split: Split) -> Audited:
    """Question types and question openings of each part, and how far two parts are apart in them."""
    one = distribution(rows, split, "question_type", "question types")
    other = distribution(rows, split, "first four words", "first four words")
    return Audited((*one.measures, *other.measures), {**one.tables, **other.tables})

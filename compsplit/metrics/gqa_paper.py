"""GQA's consistency, distribution and grounding as the text of the paper defines them.

- consistency: "for any question q answered correctly by the model from the set of all correctly answered questions Q,
  let E_q denote the set of entailed or equivalent questions": 1 / |Q| times the sum over q of the share of E_q that is
  answered rightly. A set: each question counts once, equivalent ones too. Decided: Q is made of the scored questions,
  and those whose E_q holds no question but themselves are not in it (the formula divides by zero).
- distribution: chi-square between the true and the predicted distribution of answers, "sum over k of
  (P(a_k) - Q(a_k))^2 / (P(a_k) + epsilon)", conditional on the question: in shares, in each global group, the mean
  weighted by questions. Decided: k runs over the true answers of the group, where epsilon has no effect and is 0; with
  other predicted answers the value would be what epsilon, which is not given, makes of it.
- grounding: "let r represent the set of spatial locations identified by ground-truth visual pointers for the question
  and answer entities", grounding is "the cumulative visual attention probability mass assigned by the model to r" with
  the "normalized attention weight" of each location. So: attention divided by its sum, and each location once however
  many regions hold it; a cell counts with the share of it that regions cover. Decided: the pointers are those of
  question and full answer; a question without any is left out and counted; attention that sums to 0 is on no region.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 4.4. It runs when it is asked for. Cost: O(rows + listed
questions), and O((cells of a side + regions)^2 x regions) for each question with attention.
"""

from __future__ import annotations

from compsplit.metrics.gqa_consistency import consistency
from compsplit.metrics.gqa_scoring import attention_share, distribution, distributions
from compsplit.model.answered import Answered, Scored
from compsplit.registry import register

OF = "gqa paper"


def _never(answered: Answered) -> bool:
    return False


@register(
    "metric",
    "gqa-paper",
    source="Hudson and Manning 2019, arXiv 1902.09506, section 4.4",
    unit="%",
    bounds=(0, 100),
    better="higher",
    fits=_never,
    lists=("entailed", "equivalent"),
)
def measure(answered: Answered) -> Scored:
    """Consistency, distribution and grounding of GQA as the paper defines them, not as its program computes them."""
    consistent = consistency(answered, OF, ("entailed", "equivalent"), once=True)
    grounded, findings = attention_share(answered, OF)
    return Scored(
        (consistent.mean, grounded),
        (distribution(distributions(answered), OF, shares=True),),
        findings=(*consistent.findings, *findings),
    )

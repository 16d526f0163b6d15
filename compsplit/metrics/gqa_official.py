"""GQA's accuracy, consistency, validity, plausibility, distribution and grounding, by the official program.

Let B be the scored (balanced) questions; a prediction is right if it equals the answer exactly.

- accuracy: mean over B; open: over those of structural type query; binary: over all others (so choose is binary).
- validity, plausibility: share of B whose prediction is in the question's list, whether right or not.
- consistency: for each rightly answered question of B that entails others, the share of these that are answered
  rightly, listed twice counting twice; the mean over such questions (``gqa_consistency``).
- distribution: in each global group of B, sum over the right answers of (predicted - right)^2 / right, in numbers of
  questions; the mean weighted by questions, divided by 100. Lower is better; ten copies of the data give ten times as
  much, and predictions that are right nowhere in the group add nothing.
- grounding: over the objects that question and full answer point at, attention times the share of the cell that the
  object's box covers, added up object by object; the mean over B, times 100. Neither boxes nor attention are held to
  the image or to a sum of 1, so it can pass 100; a question without objects scores 0.

Accuracy is broken down by structural type, semantic type (short names, as that program prints them), steps and words.

One deviation: an empty text as global group is no group, as null is; the program counts it as a group of its own.

Source: the evaluation program of the release of Hudson and Manning 2019, arXiv 1902.09506. Deviations: what it prints
as 0 for "could not compute", or stops at, is undefined with the reason; consistency is computed whether or not it is
asked for. Cost: O(rows + answers + listed questions + regions).
"""

from __future__ import annotations

from compsplit.kernels.attention import attention_in_each
from compsplit.metrics.exact import cleaning_would_help
from compsplit.metrics.gqa_consistency import consistency
from compsplit.metrics.gqa_scoring import (
    accuracy,
    distribution,
    distribution_tables,
    distributions,
    open_and_binary,
    ungrounded,
    untyped,
    validity_and_plausibility,
    without_attention,
)
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.report import Finding
from compsplit.registry import register

OF = "gqa official"


def _is_gqa(answered: Answered) -> bool:
    return answered.table.format == "gqa"


@register(
    "metric",
    "gqa-official",
    source="the evaluation program of Hudson and Manning 2019, arXiv 1902.09506",
    unit="%",
    bounds=(0, None),
    better="higher",
    fits=_is_gqa,
)
def measure(answered: Answered) -> Scored:
    """Accuracy and GQA's five further metrics, as the official program computes them."""
    choosing, without_choices = validity_and_plausibility(answered, OF)
    consistent = consistency(answered, OF)
    found = distributions(answered)
    grounded, without = _grounding(answered)
    return Scored(
        (accuracy(answered, OF), *open_and_binary(answered, OF), *choosing, consistent.mean, grounded),
        (distribution(found, OF, shares=False),),
        distribution_tables(found),
        (*cleaning_would_help(answered), *untyped(answered), *without_choices, *consistent.findings, *without),
    )


def _grounding(answered: Answered) -> tuple[RowMean, tuple[Finding, ...]]:
    grounding = answered.grounding
    if grounding is None or grounding.unknown is not None:
        return ungrounded(answered, OF), () if grounding is None else grounding.findings
    mean = RowMean(
        name="grounding",
        of=OF,
        scores=attention_in_each(grounding.maps, grounding.starts, grounding.boxes),
        counted=answered.scored & grounding.there,
        whole=None,
        options={"map_size": grounding.maps.shape[1]},
    )
    return mean, (*grounding.findings, *without_attention(answered, grounding.there))

"""VQA accuracy with everything cleaned and normalised, on whichever question.

The formula of the official programs without their exception for questions on which all people agree.

Source: compsplit, as many evaluation tools do it; no official figure is scored so. Cost: O(answers + characters of
different ones).
"""

from __future__ import annotations

from compsplit.metrics.vqa_scoring import ALWAYS_CLEAN, EqualRecords, scored
from compsplit.model.answered import Answered, Scored
from compsplit.registry import register


def _never(answered: Answered) -> bool:
    return False


@register("metric", "vqa-always-clean", source="compsplit", unit="%", bounds=(0, 100), better="higher", fits=_never)
def measure(answered: Answered, *, equal_records: EqualRecords = "position") -> Scored:
    """Share of people who gave the predicted answer, three being enough, everything cleaned and normalised.

    Args:
        answered: Rows with their predictions.
        equal_records: ``"drop"`` leaves answer records that are equal as a whole out together.
    """
    return scored(answered, ALWAYS_CLEAN, equal_records)

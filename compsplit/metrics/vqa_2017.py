"""VQA accuracy as the official program of 2017 computes it, which most leaderboards and ports follow.

The prediction is always cleaned and put through both steps of normalising. The answers of people, where they are not
all written the same, go through the punctuation step alone (capitals, number words and articles stay); where they are,
through none.

Source: GT-Vision-Lab/VQA, commit a4f1afd of 2017; formula and deviations in ``vqa_scoring``, the steps in
``vqa_normalising``. Cost: O(answers + characters of different ones).
"""

from __future__ import annotations

from compsplit.metrics.vqa_normalising import without_punctuation
from compsplit.metrics.vqa_scoring import EqualRecords, Rule, cleaned_and_normalised, scored
from compsplit.model.answered import Answered, Scored
from compsplit.registry import register

RULE = Rule("vqa 2017-release", str, without_punctuation, cleaned_and_normalised, cleaned_and_normalised)


def _never(answered: Answered) -> bool:
    return False


@register(
    "metric", "vqa-2017", source="GT-Vision-Lab/VQA, commit a4f1afd (2017)", unit="%", bounds=(0, 100), better="higher",
    fits=_never,
)  # fmt: skip
def measure(answered: Answered, *, equal_records: EqualRecords = "position") -> Scored:
    """Share of people who gave the predicted answer, three being enough, by the official rule of 2017.

    Args:
        answered: Rows with their predictions.
        equal_records: ``"drop"`` leaves answer records that are equal as a whole out together.
    """
    return scored(answered, RULE, equal_records)

"""VQA accuracy as the official program of 2021 computes it.

The prediction and all answers of people are cleaned (new lines and tabs are spaces, outer space is off). Where the
answers are then not all the same, both steps of normalising are applied to them and to the prediction; where they are,
to neither, so that "two" is wrong where ten people said "2".

Source: GT-Vision-Lab/VQA, commit a013f00 of 2021; formula and deviations in ``vqa_scoring``, the steps in
``vqa_normalising``. Cost: O(answers + characters of different ones).
"""

from __future__ import annotations

from compsplit.metrics.vqa_normalising import clean
from compsplit.metrics.vqa_scoring import EqualRecords, Rule, cleaned_and_normalised, has_people, scored
from compsplit.model.answered import Answered, Scored
from compsplit.registry import register

RULE = Rule("vqa 2021-head", clean, cleaned_and_normalised, clean, cleaned_and_normalised)


@register(
    "metric", "vqa-2021", source="GT-Vision-Lab/VQA, commit a013f00 (2021)", unit="%", bounds=(0, 100), better="higher",
    fits=has_people,
)  # fmt: skip
def measure(answered: Answered, *, equal_records: EqualRecords = "position") -> Scored:
    """Share of people who gave the predicted answer, three being enough, by the official rule of 2021.

    Args:
        answered: Rows with their predictions.
        equal_records: ``"drop"`` leaves answer records that are equal as a whole out together.
    """
    return scored(answered, RULE, equal_records)

"""Accuracy after cleaning: outer space, capitals and end punctuation do not count.

Source: compsplit's own; no published figure is scored so, which is why it has a name of its own and runs only when it
is asked for. Cost: O(rows).
"""

from __future__ import annotations

import numpy as np

from compsplit.metrics.cleaning import cleaned_correct
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.registry import register


def _never(answered: Answered) -> bool:
    return False


@register("metric", "cleaned", source="compsplit", unit="%", bounds=(0, 100), better="higher", fits=_never)
def measure(answered: Answered) -> Scored:
    """Share of the scored rows whose prediction is the answer, outer space, capitals and end punctuation aside."""
    scores = cleaned_correct(answered).astype(np.float64)
    return Scored((RowMean(name="accuracy", of="cleaned", scores=scores, counted=answered.scored),))

"""Predictions and answers cleaned: outer space, capitals and end punctuation off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.model.answered import Answered
from compsplit.model.column import Column, concatenated

_END = " \t\r\n.,;:!?"


def cleaned(text: str) -> str:
    """Return a text without outer space, capitals and end punctuation.

    Example:
        >>> cleaned(" Yes. ")
        'yes'
    """
    return text.strip().lower().rstrip(_END)


def cleaned_correct(answered: Answered) -> NDArray[np.bool_]:
    """Return the rows whose cleaned prediction is the cleaned answer, shape (n_rows,)."""
    both = concatenated([answered.predictions, answered.table.answers])
    forms = Column.of([cleaned(name) for name in both.names])
    as_form = np.append(forms.codes, np.int32(-1))[both.codes]
    predicted, right = as_form[: len(answered)], as_form[len(answered) :]
    return np.asarray((predicted >= 0) & (predicted == right) & ~answered.not_text)

"""Points of a prediction against the answers of several people, each of whom is left out in turn.

O(answers); nothing is allocated for a row.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def leave_one_out(
    starts: NDArray[np.int64],
    answers: NDArray[np.int32],
    if_same: NDArray[np.int32],
    if_not: NDArray[np.int32],
    predicted_if_same: NDArray[np.int32],
    predicted_if_not: NDArray[np.int32],
    rests: NDArray[np.int32],
    tally: NDArray[np.int64],
    points: NDArray[np.int64],
) -> None:
    """Write to ``points`` the sum over left-out answers of the matches among the others, each at most 3.

    Args:
        starts: Row r has the answers ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        answers: The name of each answer; shape (n_answers,).
        if_same: The form of each name where all forms of a row are the same; shape (n_names,).
        if_not: The form of each name in all other rows; shape (n_names,).
        predicted_if_same: The form of each row's prediction, -1 for none; shape (n_rows,).
        predicted_if_not: Likewise, for rows whose answers are not all the same.
        rests: What else each answer's record says; those of equal form and rest drop out together. Empty where each
            answer drops out alone.
        tally: Zeros, one for each rest; zeros again at the end.
        points: Room for the outcome; a row's accuracy is its points by three times its answers. Shape (n_rows,).
    """
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1]
        forms, wanted = if_same, predicted_if_same[row]
        for i in range(first + 1, last):
            if if_same[answers[i]] != if_same[answers[first]]:
                forms, wanted = if_not, predicted_if_not[row]
                break
        matches = 0
        for i in range(first, last):
            if forms[answers[i]] == wanted:
                matches += 1
        points[row] = (last - first - matches) * min(3, matches)
        if len(rests) == 0:
            points[row] += matches * min(3, max(matches - 1, 0))
            continue
        for i in range(first, last):
            if forms[answers[i]] == wanted:
                tally[rests[i]] += 1
        for i in range(first, last):
            if forms[answers[i]] == wanted:
                points[row] += min(3, matches - tally[rests[i]])
        for i in range(first, last):
            tally[rests[i]] = 0


@numba.njit(cache=True, nogil=True)
def any_repeated(starts: NDArray[np.int64], values: NDArray[np.int32], met: NDArray[np.int64]) -> bool:
    """Tell whether a row holds a value twice.

    Args:
        starts: Row r has the values ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        values: From 0 on; shape (n_values,).
        met: A number below 0 for each different value; it is written over.
    """
    for row in range(len(starts) - 1):
        for i in range(starts[row], starts[row + 1]):
            if met[values[i]] == row:
                return True
            met[values[i]] = row
    return False

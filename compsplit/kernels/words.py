"""Eight bytes of a text as one number, so that texts are compared eight bytes at a time."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

PAD = 8
"""Bytes that must follow a text, for the last word to be read."""

_U = np.uint64


def wrapping() -> np.errstate:
    """Return a context in which whole numbers wrap around in silence, as they do where kernels are compiled."""
    return np.errstate(over="ignore")


@numba.njit(cache=True, nogil=True, inline="always")
def word_at(data: NDArray[np.uint8], i: np.uint64) -> np.uint64:
    """Return eight bytes as one number; the compiler makes one load of it."""
    return (
        _U(data[i])
        | (_U(data[i + _U(1)]) << _U(8))
        | (_U(data[i + _U(2)]) << _U(16))
        | (_U(data[i + _U(3)]) << _U(24))
        | (_U(data[i + _U(4)]) << _U(32))
        | (_U(data[i + _U(5)]) << _U(40))
        | (_U(data[i + _U(6)]) << _U(48))
        | (_U(data[i + _U(7)]) << _U(56))
    )

"""Which steps of programs hold one of some texts, found in the bytes of a file without decoding them. O(bytes)."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_ROOM = 256

WITHOUT, WITH, LOOK = range(3)
"""What is known of a step: it holds none of the texts, it holds one, or it has to be decoded first."""


@numba.njit(cache=True, nogil=True)
def steps_with(
    data: NDArray[np.uint8],
    cells: NDArray[np.int32],
    texts: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    known: NDArray[np.uint8],
) -> None:
    """Tell which steps hold a text in "operation: argument".

    Args:
        data: Bytes of JSON.
        cells: Where each step's operation and argument begin and end, without their quotes; shape (n_steps, 2, 2).
        texts: The texts' bytes, shorter ones padded; shape (n_texts, width).
        sizes: How many bytes each has, at least one; shape (n_texts,).
        known: Room for WITHOUT, WITH or LOOK, which is for escapes and very long steps; shape (n_steps,).
    """
    whole = np.empty(_ROOM, np.uint8)
    for step in range(len(cells)):
        operation, argument = cells[step, 0, 0], cells[step, 1, 0]
        n_operation, n_argument = cells[step, 0, 1] - operation, cells[step, 1, 1] - argument
        size = n_operation + 2 + n_argument
        known[step] = LOOK
        if size > _ROOM:
            continue
        for k in range(n_operation):
            whole[k] = data[operation + k]
        whole[n_operation] = 58
        whole[n_operation + 1] = 32
        for k in range(n_argument):
            whole[n_operation + 2 + k] = data[argument + k]
        found = False
        escaped = False
        for at in range(size):
            escaped |= whole[at] == 92
            for text in range(len(sizes)):
                if whole[at] == texts[text, 0] and at + sizes[text] <= size:
                    same = True
                    for k in range(1, sizes[text]):
                        if whole[at + k] != texts[text, k]:
                            same = False
                            break
                    found |= same
        if not escaped:
            known[step] = WITH if found else WITHOUT

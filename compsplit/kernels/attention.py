"""Attention on regions: what of a map of cells lies in boxes, box by box or in all of them together."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 16
"""Boxes that are looked at together."""


def attention_in_each(
    maps: NDArray[np.float64], starts: NDArray[np.int64], boxes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the attention in the boxes of each row, added up box by box; shape (n_rows,).

    A cell counts with the share of it that a box covers, once for every box.

    Args:
        maps: Shape (n_rows, n, n), the first index along x.
        starts: Row r has boxes ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        boxes: Left, top, right, bottom as shares of the image; shape (n_boxes, 4).

    Example:
        >>> left_half = np.array([[0.0, 0.0, 0.5, 1.0]])
        >>> attention_in_each(np.array([[[0.25, 0.25], [0.5, 0.0]]]), np.array([0, 1]), left_half)
        array([0.5])
    """
    n = maps.shape[1]
    edges = np.arange(n + 1) / n
    rows = np.repeat(np.arange(len(maps)), np.diff(starts))
    in_box = np.zeros(len(boxes))
    for first in range(0, len(boxes), _CHUNK):
        chosen = slice(first, first + _CHUNK)
        left, top, right, bottom = boxes[chosen].T[..., None]
        across = np.clip(np.minimum(right, edges[1:]) - np.maximum(left, edges[:-1]), 0, None) * n
        down = np.clip(np.minimum(bottom, edges[1:]) - np.maximum(top, edges[:-1]), 0, None) * n
        in_box[chosen] = ((across[:, :, None] * maps[rows[chosen]]).sum(axis=1) * down).sum(axis=1)
    return np.asarray(np.bincount(rows, weights=in_box, minlength=len(maps)), dtype=np.float64)


def attention_in_all(
    maps: NDArray[np.float64], starts: NDArray[np.int64], boxes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each row's attention that lies in its boxes taken together, in [0, 1]; shape (n_rows,).

    A cell counts with the share of it that the boxes cover, once however many they are. A map without attention has
    none in any box.

    Args:
        maps: No cell negative; shape (n_rows, n, n), the first index along x.
        starts: Row r has boxes ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        boxes: Left, top, right, bottom as shares of the image; shape (n_boxes, 4).
    """
    shares = np.zeros(len(maps))
    _fill_shares(maps, starts, boxes, shares)
    return shares


@numba.njit(cache=True, nogil=True)
def _fill_shares(maps, starts, boxes, shares):  # type: ignore[no-untyped-def]  # compiled; typed by its one caller
    n = maps.shape[1]
    for r in range(len(maps)):
        first, last = starts[r], starts[r + 1]
        total = maps[r].sum()
        if first == last or total <= 0:
            continue
        # Between neighbouring edges of cells and boxes, a point stands for all.
        across = np.empty(n + 1 + 2 * (last - first))
        down = np.empty(n + 1 + 2 * (last - first))
        for i in range(n + 1):
            across[i] = down[i] = i / n
        for k in range(first, last):
            at = n + 1 + 2 * (k - first)
            across[at], across[at + 1] = min(max(boxes[k, 0], 0.0), 1.0), min(max(boxes[k, 2], 0.0), 1.0)
            down[at], down[at + 1] = min(max(boxes[k, 1], 0.0), 1.0), min(max(boxes[k, 3], 0.0), 1.0)
        across.sort()
        down.sort()
        found = 0.0
        for a in range(len(across) - 1):
            width = across[a + 1] - across[a]
            x = across[a] + width / 2
            for b in range(len(down) - 1):
                height = down[b + 1] - down[b]
                y = down[b] + height / 2
                if width <= 0 or height <= 0:
                    continue
                for k in range(first, last):
                    if boxes[k, 0] <= x < boxes[k, 2] and boxes[k, 1] <= y < boxes[k, 3]:
                        found += maps[r, min(int(x * n), n - 1), min(int(y * n), n - 1)] * width * height * n * n
                        break
        shares[r] = min(found / total, 1.0)

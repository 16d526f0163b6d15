"""Number of steps of a program, as the official program of GQA counts them and all of them.

Source: the official evaluation program of Hudson and Manning 2019, arXiv 1902.09506: a step counts if its text
"operation: argument" contains none of three texts, plain and case-sensitive. So ``select: existing wall`` does not
count, and ``choose`` with the argument ``name`` does. Cost: O(letters).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.step_texts import LOOK, WITH, steps_with
from compsplit.model.program import Program

_EXIST, _QUERY_NAME, _CHOOSE_NAME = "exist", "query: name", "choose name"


def official_steps(steps: Sequence[tuple[str, str]]) -> int:
    """Return how many steps the official program counts.

    Args:
        steps: Operation and argument of each, as written in the file, outer spaces and ids of objects included.

    Example:
        >>> official_steps([("select", "motorcycle (1)"), ("relate", "_,on,s (2)"), ("query", "name")])
        2
    """
    n = len(steps)
    for operation, argument in steps:
        text = f"{operation}: {argument}"
        # Written out: a generator for each step takes four times as long, and there are 60 million of them.
        n -= _EXIST in text or _QUERY_NAME in text or _CHOOSE_NAME in text
    return n


def official_steps_counting(data: bytes, cells: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which steps the official program counts, of steps that stand in bytes of JSON; shape (n_steps,).

    Args:
        data: The bytes.
        cells: Where each step's operation and argument begin and end, without their quotes; shape (n_steps, 2, 2).
    """
    texts = [text.encode() for text in (_EXIST, _QUERY_NAME, _CHOOSE_NAME)]
    sizes = np.array(list(map(len, texts)), dtype=np.int64)
    padded = np.zeros((len(texts), int(sizes.max())), dtype=np.uint8)
    for row, text in zip(padded, texts, strict=True):
        row[: len(text)] = np.frombuffer(text, dtype=np.uint8)
    known = np.empty(len(cells), dtype=np.uint8)
    steps_with(np.frombuffer(data, dtype=np.uint8), cells, padded, sizes, known)
    counting: NDArray[np.bool_] = known != WITH
    for step in np.flatnonzero(known == LOOK).tolist():
        operation, argument = (json.loads(b'"%b"' % data[start:stop]) for start, stop in cells[step].tolist())
        counting[step] = official_steps([(operation, argument)]) == 1
    return counting


def official_steps_of(program: Program) -> int:
    """Return the same of a program that was read: its texts have no ids, which hold no letters, and no outer spaces."""
    return official_steps([(step.operation, ",".join(step.arguments)) for step in program.steps])


def all_steps(program: Program) -> int:
    """Return how many steps a program has."""
    return len(program.steps)

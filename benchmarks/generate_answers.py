"""Make the rows that balancing is measured on: questions in groups whose answers follow Zipf's law.

    python benchmarks/generate_answers.py FILE.csv [--rows N] [--global N] [--local N]

Everything comes from a counter-based generator keyed by names, so the same call gives the same bytes everywhere. A CSV
with id, image, question, answer, group_global and group_local; 2,000,000 rows, 30 global and 2,000 local groups:

* Local group l has a weight of 1 / (l + 50) ** 0.7, which is assumed: the largest has 13 times
  the rows of the smallest.
* Local group l belongs to global group l modulo their number, which has 62 answers (30 of them are GQA's 1,878). Its
  different answers are 10 to 32 of these, each number equally often, in an order of its own that resembles that of the
  global group: by rank in the global group times a number in [0, 1) to the power of 2.5. That power is assumed, and it
  matters: at 1 local groups agree so much that the rarest answers of the global groups hardly occur, and the global
  step, whose bound is met at the head, leaves 0.1 % of the rows.
* Answer r of a local group (from 1) has a weight of 1 / r ** e, where e rises evenly from 1.8 for the first local group
  to 2.4 for the last one, in an order of its own that is not that of their sizes.
* An image is one of as many as there are tenths of rows; what is asked is one of 40 wordings of the local group. So few
  rows ask an image what another row asks it, and those that do are near-repeats.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.files import csv_lines
from compsplit.order import uniforms

N_ROWS, N_GLOBAL, N_LOCAL = 2_000_000, 30, 2_000
N_ANSWERS, FEWEST, MOST = 62, 10, 32
OWN = 2.5
LEAST, GREATEST = 1.8, 2.4
N_WORDINGS = 40
SHIFT, POWER = 50.0, 0.7
_BATCH = 1 << 15


def drawn(weights: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return places of weights for numbers in [0, 1), as often as their share says; shape (n,)."""
    whole = np.cumsum(weights)
    return np.searchsorted(whole / whole[-1], numbers, side="right").astype(np.int64)


def answers(
    n: int, n_global: int = N_GLOBAL, n_local: int = N_LOCAL, *, least: float = LEAST, greatest: float = GREATEST
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the global group, the local group and the answer of each row; an answer belongs to one global group."""
    local = drawn(1 / (np.arange(n_local) + SHIFT) ** POWER, uniforms(0, "local groups", n))
    place = np.argsort(uniforms(0, "exponents", n_local), kind="stable")
    exponents = least + (greatest - least) * place / max(n_local - 1, 1)
    numbers = uniforms(0, "answers", n)
    common = np.arange(1.0, N_ANSWERS + 1)
    n_answers = FEWEST + (uniforms(0, "different answers", n_local) * (MOST - FEWEST + 1)).astype(np.int64)
    answer = np.zeros(n, dtype=np.int64)
    by_group = np.argsort(local, kind="stable")
    starts = np.searchsorted(local[by_group], np.arange(n_local + 1))
    for g in range(n_local):
        rows = by_group[starts[g] : starts[g + 1]]
        # The smaller the number, the earlier the answer: common ones of the global group tend to be common here.
        keys = common * uniforms(0, f"answers of {g}", N_ANSWERS) ** OWN
        ranked = np.argsort(keys, kind="stable")[: n_answers[g]]
        weights = 1 / np.arange(1.0, len(ranked) + 1) ** exponents[g]
        answer[rows] = (g % n_global) * N_ANSWERS + ranked[drawn(weights, numbers[rows])]
    return local % n_global, local, answer


def write(file: Path, n: int, n_global: int = N_GLOBAL, n_local: int = N_LOCAL) -> None:
    """Write the rows as CSV."""
    whole, local, answer = answers(n, n_global, n_local)
    image = (uniforms(0, "images", n) * max(n // 10, 1)).astype(np.int64)
    wording = (uniforms(0, "wordings", n) * N_WORDINGS).astype(np.int64)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        out.write("id,image,question,answer,group_global,group_local\n")
        for first in range(0, n, _BATCH):
            rows = range(first, min(first + _BATCH, n))
            part = slice(first, first + _BATCH)
            groups = local[part].tolist()
            out.write(
                csv_lines(
                    [
                        [f"{row:08}" for row in rows],
                        [f"n{each}" for each in image[part].tolist()],
                        [f"which{w} kind{g} thing{w}?" for w, g in zip(wording[part].tolist(), groups, strict=True)],
                        [f"answer{each}" for each in answer[part].tolist()],
                        [f"global{each}" for each in whole[part].tolist()],
                        [f"local{each}" for each in groups],
                    ]
                )
            )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--global", type=int, default=N_GLOBAL, dest="n_global")
    parser.add_argument("--local", type=int, default=N_LOCAL, dest="n_local")
    arguments = parser.parse_args()
    write(arguments.file, arguments.rows, arguments.n_global, arguments.n_local)


if __name__ == "__main__":
    main()

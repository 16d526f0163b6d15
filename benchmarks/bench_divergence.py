"""Print how far apart the divergence splitter gets the compounds of SCAN, and time it on 100,000 generated rows.

    python benchmarks/bench_divergence.py [--scan DIR] [--rows N] [--proposals N] [--seeds N] [--only WHAT]

WHAT is frontier, must or speed. DIR holds `tasks_train_simple.txt` and `tasks_test_simple.txt` of SCAN's simple split,
20,910 commands together; without it only the generated rows are timed. Tables are Markdown. Mean lengths are words of
commands and actions: a split by length in disguise shows there. The baseline tries the same exchanges in pure Python,
in the same run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

VERBS, COLOURS, THINGS, PLACES = 40, 60, 300, 12


def sentences(n: int) -> list[str]:
    """Return rows such as "v3 the c7 t12 p1 the c0 t5": words by a law that makes the first common, the last rare."""
    from compsplit.order import uniforms

    sizes = (VERBS, COLOURS, THINGS, PLACES, COLOURS, THINGS)
    draws = np.stack([uniforms(0, f"word {k}", n) ** 2 * size for k, size in enumerate(sizes)]).astype(int)
    short = uniforms(0, "short", n) < 0.3
    rows = []
    for i, (verb, colour, thing, place, other, second) in enumerate(draws.T.tolist()):
        first = f"v{verb} the c{colour} t{thing}"
        rows.append(first if short[i] else f"{first} p{place} the c{other} t{second}")
    return rows


def recipe(extract: dict[str, object], seed: int, **split: object):
    from compsplit.recipe.parsing import from_mapping

    written = {"title": "Benchmark", "seed": seed, "extract": extract, "group": {"by": "row"}}
    return from_mapping("benchmark", {**written, "split": {"method": "divergence", **split}})


def searched(table, extract: dict[str, object], seed: int, proposals: int, **split: object):
    """Run a search; return the run and its seconds."""
    from compsplit.recipe.running import run_on_table

    start = time.perf_counter()
    run = run_on_table(recipe(extract, seed, proposals=proposals, **split), table)
    return run, time.perf_counter() - start


def line(told: str, run, seconds: float) -> str:
    """Return a line of a table, measured by the audits."""
    of = next(iter(run.rows.compounds.values()))
    report = run.report
    values = [
        told,
        *(f"{size:,}" for size in run.split.sizes.values()),
        f"{report.get('compound-divergence', of.of).number:.3f}",
        f"{report.get('atom-divergence', of.atoms.of).number:.4f}",
        f"{report.get('coverage', of.atoms.of).number:g}",
        *(
            " / ".join(f"{report.get('mean-length', text, part=part).number:.1f}" for part in run.split.parts)
            for text in ("question", "answer")
        ),
        f"{run.split.facts['proposals']:,}",
        f"{seconds:.1f}",
    ]
    return f"| {' | '.join(values)} |"


HEAD = (
    "| what | train | test | compound divergence | atom divergence | atoms covered "
    "| mean words, command (train / test) | mean actions (train / test) | proposals | s |\n|" + " --- |" * 10
)


def frontier(table, proposals: int, seeds: int) -> None:
    """Print how high word bigrams get with so much left out."""
    print(f"Word bigrams of commands, train 80 % and test 20 % of what is kept\n\n{HEAD}")
    for left_out in (0.0, 0.25, 0.5, 0.75):
        for seed in range(seeds):
            run, seconds = searched(table, {"of": "word-ngrams"}, seed, proposals, left_out=left_out,
                                    parts={"train": "4/5", "test": "1/5"})  # fmt: skip
            print(line(f"{left_out:.0%} left out, seed {seed}", run, seconds), flush=True)


def must(table, proposals: int, seeds: int) -> None:
    """Print the splits that have to be reached."""
    print(f"\nSCAN, atom divergence at most 0.02, the rest left out\n\n{HEAD}")
    large = {"left_out": 0.55, "parts": {"train": "8/9", "test": "1/9"}}
    small = {"left_out": 0.7609, "parts": {"train": "4/5", "test": "1/5"}}
    for told, extract, sizes in (
        ("action bigrams", {"of": "word-ngrams", "text": "answer"}, large),
        ("action trigrams", {"of": "word-ngrams", "text": "answer", "n": 3}, large),
        ("pieces", {"of": "scan-pieces"}, large),
        ("pieces", {"of": "scan-pieces"}, small),
    ):
        for seed in range(seeds):
            run, seconds = searched(table, extract, seed, proposals, **sizes)
            print(line(f"{told}, seed {seed}", run, seconds), flush=True)


def speed(n: int, proposals: int) -> None:
    """Time generated rows, and exchanges in pure Python on the same."""
    import pandas

    from compsplit.recipe.running import read_table

    rows = sentences(n)
    frame = pandas.DataFrame({"id": [f"r{i}" for i in range(n)], "question": rows, "answer": ["x"] * n})
    table = read_table([frame])
    options = {"left_out": 0.5, "parts": {"train": "4/5", "test": "1/5"}}
    searched(read_table([frame[:3000]]), {"of": "word-ngrams"}, 0, 1000, atom_divergence=1.0, **options)  # compiles
    run, seconds = searched(table, {"of": "word-ngrams"}, 0, proposals, **options)
    print(f"\n{n:,} generated rows, half left out\n\n{HEAD}\n{line('word bigrams', run, seconds)}")
    ours, theirs = in_kernel(run), in_python(rows, run.split.part_of_row.tolist())
    print(f"\nAn exchange: kernel {ours * 1e6:.2f} us, pure Python {theirs * 1e6:.1f} us; ratio {theirs / ours:.0f}")


def in_kernel(run, exchanges: int = 500_000) -> float:
    """Return the seconds of an exchange between train and test."""
    from compsplit.kernels.divergence_search import Aim, exchange
    from compsplit.order import uniforms
    from compsplit.splitters import Problem
    from compsplit.splitters.divergence import Search

    problem = Problem(run.grouping, run.recipe.targets, 0, None, None, run.rows)
    search = Search.of(problem, run.rows.compounds["question word 2-grams"], "occurrences",
                       [len(run.rows) * 4 // 5, len(run.rows) // 5], 1, may_leave_out=True)  # fmt: skip
    aim = Aim(1.0, 0.02, 1, 1.0)
    search.construct(aim, 1)
    held = (search.state, search.compounds, search.atoms, aim)
    draws = uniforms(1, "exchanges", 4 * exchanges)
    exchange(*held, draws[:400], 0, 100, 0.0)
    start = time.perf_counter()
    exchange(*held, draws, 0, exchanges, 0.0)
    return (time.perf_counter() - start) / exchanges


def in_python(rows: list[str], parts: list[int], exchanges: int = 20_000) -> float:
    """Return the seconds of an exchange between train and test in pure Python, sums kept as they change."""
    from collections import Counter
    from itertools import pairwise

    from compsplit.order import uniforms

    kinds: list[tuple[float, list[list[tuple[str, int]]], list[Counter[str]], list[float]]] = []
    for alpha in (0.1, 0.5):
        bags = []
        for row in rows[: len(parts)]:
            words = row.split()
            bags.append(list(Counter(map(" ".join, pairwise(words)) if alpha == 0.1 else words).items()))
        counts: list[Counter[str]] = [Counter(), Counter()]
        for bag, part in zip(bags, parts, strict=True):
            for name, n in bag:
                counts[part][name] += n
        total = sum(p**alpha * counts[1][name] ** (1 - alpha) for name, p in counts[0].items())
        kinds.append((alpha, bags, counts, [total, counts[0].total(), counts[1].total()]))

    def move(row: int, old: int) -> None:
        for alpha, bags, (train, test), sums in kinds:
            for name, n in bags[row]:
                sums[0] -= train[name] ** alpha * test[name] ** (1 - alpha)
                (train, test)[old][name] -= n
                (train, test)[1 - old][name] += n
                sums[0] += train[name] ** alpha * test[name] ** (1 - alpha)
                sums[1 + old] -= n
                sums[2 - old] += n

    def cost() -> float:
        one, other = (1 - s[0] / (s[1] ** alpha * s[2] ** (1 - alpha)) for alpha, _, _, s in kinds)
        return 1 - one + 20 * max(other - 0.02, 0)

    members = [[row for row, part in enumerate(parts) if part == side] for side in (0, 1)]
    draws = uniforms(1, "python", 2 * exchanges).tolist()
    now = cost()
    start = time.perf_counter()
    for k in range(exchanges):
        i, j = (int(draws[2 * k + side] * len(members[side])) for side in (0, 1))
        one, other = members[0][i], members[1][j]
        move(one, 0)
        move(other, 1)
        then = cost()
        if then <= now:
            now = then
            members[0][i], members[1][j] = other, one
        else:
            move(other, 0)
            move(one, 1)
    return (time.perf_counter() - start) / exchanges


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scan", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--proposals", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", choices=("frontier", "must", "speed"))
    asked = parser.parse_args()
    if asked.scan is not None:
        from compsplit import api

        table = api.read(*(asked.scan / f"tasks_{part}_simple.txt" for part in ("train", "test")))
        if asked.only in (None, "frontier"):
            frontier(table, asked.proposals, asked.seeds)
        if asked.only in (None, "must"):
            must(table, asked.proposals, asked.seeds)
    if asked.only in (None, "speed"):
        speed(asked.rows, asked.proposals)


if __name__ == "__main__":
    main()

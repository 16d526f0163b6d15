"""Time compsplit against named baselines, all in one run, each measurement in a process of its own.

    python benchmarks/bench.py [--questions N] [--rounds N] [--folder DIR]

What is compared (ratios hold within one run; absolute times are of one machine):
* the whole command `compsplit run`, JSON to JSON, with `json.load` of the same files;
* the page of that split, `compsplit report`, with `compsplit run`;
* reading into columns, with `orjson.loads` as it comes (garbage collector on);
* the greedy step on 250,000 groups, with a twin that looks for the best group by numpy.argmax.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generate import VQA_V1, make

HERE = Path(__file__).resolve()


def timed(command: list[str]) -> tuple[float, float, str]:
    """Run a command and return wall seconds, peak memory in MiB and what it printed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {child.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, text


def inner(name: str, files: list[str]) -> None:
    """Do one measurement inside this process and print it as JSON."""
    print(json.dumps(INNER[name](files)))


def read_compsplit(files: list[str]) -> dict[str, float]:
    """Read the files into columns, kernels compiled before."""
    from compsplit.readers import inputs
    from compsplit.registry import plugin

    reader = plugin("reader", "vqa")
    small = make(Path(tempfile.mkdtemp()), 200)
    reader.make(inputs(small))
    shutil.rmtree(small[0].parent)
    start = time.perf_counter()
    table = reader.make(inputs(files))
    return {"seconds": time.perf_counter() - start, "rows": len(table)}


def read_orjson(files: list[str]) -> dict[str, float]:
    """Load the files with orjson, as it comes."""
    import orjson

    start = time.perf_counter()
    loaded = [orjson.loads(Path(file).read_bytes()) for file in files]
    return {"seconds": time.perf_counter() - start, "rows": len(loaded)}


def greedy(files: list[str]) -> dict[str, float]:
    """Deal 250,000 groups with the kernel and with the argmax twin; both must agree."""
    import numpy as np

    from compsplit.kernels.greedy import greedy_cover
    from compsplit.model import Targets
    from compsplit.readers import inputs
    from compsplit.recipe.parsing import load
    from compsplit.recipe.running import extracted
    from compsplit.registry import plugin
    from compsplit.splitters import Problem

    recipe = load("agrawal2017_cvqa")
    table = plugin("reader", "vqa").make(inputs(files))
    rows, _ = extracted(recipe, table)
    grouping = recipe.group.make(rows)
    problem = Problem(grouping, Targets({"train": "2/3", "test": "1/3"}), 0, rows.concepts)
    order = problem.order()
    starts, concepts, n_concepts = problem.group_concepts(order)
    n = min(250_000, len(order))
    starts = starts[: n + 1]
    concepts = concepts[: starts[-1]]
    sizes, stays = grouping.sizes[order][:n], grouping.stays[order][:n]
    target = int(sizes.sum()) // 3
    given = (sizes, stays, starts, concepts, n_concepts, target)
    greedy_cover(np.ones(2, np.int64), np.zeros(2, bool), np.array([0, 1, 2]), np.zeros(2, np.int32), 1, 1)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        part, reached, turns = greedy_cover(*given)
        seconds.append(time.perf_counter() - start)
    start = time.perf_counter()
    twin, twin_turns = argmax_twin(*given)
    twin_seconds = time.perf_counter() - start
    if not (part == twin).all() or turns != twin_turns:
        raise SystemExit("the kernel and the argmax twin disagree")
    return {
        "seconds": min(seconds), "twin": twin_seconds, "groups": n, "entries": len(concepts), "turns": turns,
        "test": int(reached),
    }  # fmt: skip


def argmax_twin(sizes, stays, starts, concepts, n_concepts, target):
    """The greedy loop as one writes it in numpy: scores in an array, the best by argmax, updates by concept."""
    import numpy as np

    n = len(sizes)
    owners = np.repeat(np.arange(n), np.diff(starts))
    by_concept = np.argsort(concepts, kind="stable")
    holders = np.split(owners[by_concept], np.cumsum(np.bincount(concepts, minlength=n_concepts))[:-1])
    part = np.full(n, -1, dtype=np.int8)
    score = np.zeros(n, dtype=np.int64)
    free = np.ones(n, dtype=bool)
    unseen, needed, covered = 0, 1, 2
    state = np.zeros(n_concepts, dtype=np.int8)
    turns = reached = n_needed = 0

    def assign(g: int, where: int) -> None:
        nonlocal n_needed
        part[g], free[g], score[g] = where, False, -1
        for c in concepts[starts[g] : starts[g + 1]].tolist():
            held = holders[c]
            if where == 0:
                if state[c] == needed:
                    score[held] -= free[held]
                    n_needed -= 1
                state[c] = covered
            elif state[c] == unseen:
                score[held] += free[held]
                n_needed += 1
                state[c] = needed

    for g in np.flatnonzero(stays).tolist():
        assign(g, 0)
    for g in range(n):
        if not free[g]:
            continue
        if reached + sizes[g] > target:
            assign(g, 0)
            continue
        assign(g, 1)
        reached += sizes[g]
        if n_needed:
            best = int(score.argmax())
            if score[best] > 0:
                assign(best, 0)
                turns += 1
    return part, turns


INNER = {"read_compsplit": read_compsplit, "read_orjson": read_orjson, "greedy": greedy}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--questions", type=int, default=sum(VQA_V1.values()))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "generated")
    parser.add_argument("--inner", choices=INNER)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.inner:
        inner(arguments.inner, arguments.files)
        return
    marker = arguments.folder / "questions"
    if not marker.is_file() or marker.read_text() != str(arguments.questions):
        print(f"making {arguments.questions:,} questions in {arguments.folder} ...", flush=True)
        # In a process of its own: the peak memory of a child counts from what its parent held when it was made.
        generator = [sys.executable, str(HERE.with_name("generate.py")), str(arguments.folder)]
        timed([*generator, "--questions", str(arguments.questions)])
        marker.write_text(str(arguments.questions))
    files = sorted(map(str, arguments.folder.glob("*.json")))
    megabytes = sum(Path(file).stat().st_size for file in files) / 1e6
    print(f"{arguments.questions:,} questions with 10 answers each, {megabytes:.0f} MB of JSON in {len(files)} files")
    out = Path(tempfile.mkdtemp()) / "out"
    program = [sys.executable, "-m", "compsplit"]
    split = [*program, "run", "agrawal2017_cvqa", *files, "--out", str(out), "--force"]
    load = [sys.executable, "-c", "import json, sys\nfor f in sys.argv[1:]: json.load(open(f))", *files]
    page = [*program, "report", str(out), "--force"]
    # The command keeps nothing of a file once it is done with it, so nor does its baseline.
    timed(split)
    rounds = {"run": [], "json.load": [], "report": []}
    for _ in range(arguments.rounds):
        rounds["json.load"].append(timed(load))
        rounds["run"].append(timed(split))
        rounds["report"].append(timed(page))
    best = {name: min(seconds for seconds, _, _ in each) for name, each in rounds.items()}
    middle = {name: statistics.median(seconds for seconds, _, _ in each) for name, each in rounds.items()}
    peak = {name: max(memory for _, memory, _ in each) for name, each in rounds.items()}
    print("\n| whole process | best s | median s | peak MiB |\n| --- | --- | --- | --- |")
    for name in rounds:
        print(f"| {name} | {best[name]:.2f} | {middle[name]:.2f} | {peak[name]:.0f} |")
    print(
        f"\nrun / json.load: best {best['run'] / best['json.load']:.2f}, "
        f"median {middle['run'] / middle['json.load']:.2f}; report / run: best {best['report'] / best['run']:.2f}; "
        f"the page has {out.with_name('out.html').stat().st_size:,} bytes"
    )

    reading = {"read_compsplit": [], "read_orjson": []}
    for _ in range(arguments.rounds):
        for name in reading:
            _, memory, text = timed([sys.executable, str(HERE), "--inner", name, *files])
            reading[name].append((json.loads(text)["seconds"], memory))
    fast, slow = (min(each) for each in reading.values())
    print("\n| reading | best s | peak MiB |\n| --- | --- | --- |")
    print(
        f"| compsplit, to columns | {fast[0]:.2f} | {fast[1]:.0f} |\n| orjson.loads | {slow[0]:.2f} | {slow[1]:.0f} |"
    )
    print(f"\norjson.loads / compsplit: {slow[0] / fast[0]:.1f}")

    _, _, text = timed([sys.executable, str(HERE), "--inner", "greedy", *files])
    result = json.loads(text)
    print(
        f"\ngreedy step, {result['groups']:,} groups, {result['entries']:,} entries, "
        f"{result['turns']:,} covering turns: "
        f"{result['seconds']:.2f} s; numpy.argmax twin {result['twin']:.2f} s, same parts; "
        f"twin / compsplit: {result['twin'] / result['seconds']:.1f}"
    )
    shutil.rmtree(out.parent)


if __name__ == "__main__":
    main()

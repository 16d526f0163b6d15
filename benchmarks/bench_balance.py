"""Time `compsplit balance` on generated questions, and say what it did to the entropy of their answers.

    python benchmarks/bench_balance.py [--rows N] [--global N] [--local N] [--folder DIR]

What is measured, by the defaults, both levels until a round changes nothing: seconds (of the clock and of processors)
and memory of the whole command from CSV to CSV; rows kept; entropies by all three means; groups whose order changed at
one level (none may) and through both; and that the command on its own output drops nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench import timed
from generate_answers import N_GLOBAL, N_LOCAL, N_ROWS, write

MEANS = ("row-weighted-entropy", "entropy-by-rows-before", "plain-entropy")
ASKED = {"rise": 0.60, "kept": 0.07, "seconds": 60, "MiB": 1024}


def balanced(file: Path, out: Path) -> tuple[dict, dict[str, float]]:
    """Run the command once and return its report, with seconds and memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory, text = timed(
        [sys.executable, "-m", "compsplit", "balance", str(file), "--out", str(out), "--json"]
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(text), {"seconds": seconds, "processor": processor, "MiB": memory}


def value(report: dict, name: str, level: str, part: str) -> float:
    """Return one measure of a level."""
    return next(
        m["value"] for m in report["measures"] if (m["name"], m["of"], m["part"]) == (name, f"answers ({level})", part)
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--global", type=int, default=N_GLOBAL, dest="n_global")
    parser.add_argument("--local", type=int, default=N_LOCAL, dest="n_local")
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent / "generated" / "answers")
    arguments = parser.parse_args()
    file = arguments.folder / f"answers_{arguments.rows}_{arguments.n_global}_{arguments.n_local}.csv"
    if not file.is_file():
        write(file, arguments.rows, arguments.n_global, arguments.n_local)
    with tempfile.TemporaryDirectory() as folder:
        report, cost = balanced(file, Path(folder) / "out")
        again, _ = balanced(Path(folder) / "out" / "kept.csv", Path(folder) / "again")
    kept = report["subject"]["kept"] / report["subject"]["rows"]
    print(
        f"{report['subject']['rows']:,} rows, {arguments.n_global} global and {arguments.n_local:,} local groups, "
        f"{file.stat().st_size / 1e6:.0f} MB of CSV: {cost['seconds']:.1f} s ({cost['processor']:.1f} s of "
        f"processors), {cost['MiB']:.0f} MiB; {kept:.1%} kept after {report['subject']['rounds']} rounds\n"
    )
    print("| entropy in bits | before | after | rise |\n| --- | --- | --- | --- |")
    rises = {}
    for level in ("global", "local"):
        for mean in MEANS:
            before, after = (value(report, mean, level, part) for part in ("before", "after"))
            rises[level, mean] = value(report, f"{mean}-rise", level, "after")
            print(f"| {level}, {mean} | {before:.3f} | {after:.3f} | {rises[level, mean]:+.1%} |")
    table = {row[0]: dict(zip(("global", "local"), row[1:], strict=True)) for row in report["tables"]["levels"]["rows"]}
    print()
    for what in ("groups whose order this level changed", "groups whose order changed against the original",
                 "answers of groups that lost all rows"):  # fmt: skip
        print(f"{what}: global {table[what]['global']:,}, local {table[what]['local']:,}")
    dropped = again["subject"]["rows"] - again["subject"]["kept"]
    print(f"the command on its own output: {dropped} rows dropped")
    got = {"rise": rises["local", MEANS[0]], "kept": kept, "seconds": cost["seconds"], "MiB": cost["MiB"]}
    missed = [name for name, bound in ASKED.items() if (got[name] < bound) == (name in ("rise", "kept"))]
    wrong = any(table["groups whose order this level changed"].values()) or dropped
    print("as asked: local row-weighted rise >= 60 %, >= 7 % kept, < 60 s, < 1 GiB, order kept, stable"
          if not missed and not wrong else f"MISSED: {', '.join(missed) or 'order or stability'}")  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()

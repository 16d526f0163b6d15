"""Time audits of scenes against named baselines, all in one run, each measurement in a process of its own.

    python benchmarks/bench_scenes.py [--images N] [--rounds N] [--folder DIR] [--cases DIR]

What is compared (ratios hold within one run; absolute times are of one machine):
* the pair audit of scenes of Visual Genome's shape, from columns, with a self-join in DuckDB on the same columns;
* five random splits with one;
* the whole command `compsplit audit`, JSON to report, with `json.load` of the same file;
* memory of the same command on 5,000 and 20,000 images of cases/48, and time and memory on cases/49.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench import timed

HERE = Path(__file__).resolve()


def columns(n_images: int):
    """Return scene and class of each object, the class names, and which scenes are test."""
    import numpy as np
    from generate_scenes import N_CLASSES, n_objects, word, zipf

    from compsplit.order import uniforms

    sizes = n_objects(n_images)
    classes = zipf("classes", int(sizes.sum()), N_CLASSES)
    scenes = np.repeat(np.arange(n_images, dtype=np.int32), sizes)
    names = tuple(word(k) for k in range(N_CLASSES))
    return scenes, classes, names, (uniforms(0, "test", n_images) < 0.3).astype(np.int16)


def audited(scenes, classes, names, in_test):
    """Count everything that audits of pairs count from."""
    from compsplit.audits.comparing import compared
    from compsplit.model import Column, ObjectPairs, Split
    from compsplit.model.compounds import occurring

    atoms = occurring("object classes", len(in_test), scenes, Column(classes, names))
    return compared(ObjectPairs(atoms), Split(("train", "test"), in_test), "train", "test")


def pairs(n_images: int) -> dict[str, float]:
    """Audit pairs from columns, three times; kernels compiled before."""
    import numpy as np

    scenes, classes, names, in_test = columns(n_images)
    audited(np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32), ("a", "b"), in_test[:2])
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        found = audited(scenes, classes, names, in_test)
        seconds.append(time.perf_counter() - start)
    counts = np.bincount(scenes, minlength=n_images)
    return {
        "seconds": min(seconds), "common": found.total(found.common), "occurrences": found.total(found.occurrences),
        "pairs": int((counts * (counts - 1) // 2).sum()), "classes": len(np.unique(classes)),
    }  # fmt: skip


def splits(n_images: int) -> dict[str, float]:
    """Audit one random split, and five, from columns."""
    from compsplit.audits.comparing import compared
    from compsplit.model import Column, ObjectPairs
    from compsplit.model.compounds import occurring
    from compsplit.model.grouping import Grouping
    from compsplit.model.targets import Targets
    from compsplit.recipe.random_splits import random_parts

    scenes, classes, names, _ = columns(n_images)
    ids = Column.of(map(str, range(n_images)))
    shares = Targets({"train": "0.7", "test": "0.3"}).fractions

    def run(n: int) -> float:
        start = time.perf_counter()
        atoms = occurring("object classes", n_images, scenes, Column(classes, names))
        grouping = Grouping.of("row", ids)
        for seed in range(n):
            compared(ObjectPairs(atoms), random_parts(grouping, shares, seed), "train", "test")
        return time.perf_counter() - start

    run(1)
    one = min(run(1) for _ in range(3))
    return {"one": one, "five": min(run(5) for _ in range(3))}


def duckdb(n_images: int) -> dict[str, float]:
    """Join the objects of each scene with themselves, grouped by class before, three times."""
    import duckdb
    import pandas

    scenes, classes, _, in_test = columns(n_images)
    objects = pandas.DataFrame({"scene": scenes, "class": classes, "test": in_test[scenes]})
    connection = duckdb.connect()
    connection.execute("create table objects as select * from objects")
    del objects
    query = """
        with held as (select scene, class, test, count(*) n from objects group by all),
        pairs as (
            select a.test, a.class one, b.class other,
                case when a.class = b.class then a.n * (a.n - 1) // 2 else a.n * b.n end k
            from held a join held b on a.scene = b.scene and a.class <= b.class
            where a.class < b.class or a.n > 1
        ),
        train as (
            select one, other, sum(case when one = other then 2 * k else k end) c from pairs where test = 0 group by all
        )
        select sum(p.k), sum(p.k * t.c) from pairs p join train t using (one, other) where p.test = 1
    """
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        common, occurrences = connection.execute(query).fetchone()
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "common": int(common), "occurrences": int(occurrences)}


INNER = {"pairs": pairs, "splits": splits, "duckdb": duckdb}


def measured(name: str, n_images: int) -> tuple[dict[str, float], float]:
    """Run one measurement in a process of its own and return what it says, and its peak memory in MiB."""
    _, memory, text = timed([sys.executable, str(HERE), "--inner", name, "--images", str(n_images)])
    return json.loads(text), memory


def main() -> None:
    """Run from the command line."""
    from generate_scenes import VISUAL_GENOME

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--images", type=int, default=VISUAL_GENOME)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "generated" / "scenes")
    parser.add_argument("--cases", type=Path, default=None, help="Folder of cases/48 and cases/49.")
    parser.add_argument("--inner", choices=INNER)
    arguments = parser.parse_args()
    if arguments.inner:
        print(json.dumps(INNER[arguments.inner](arguments.images)))
        return
    ours, memory = measured("pairs", arguments.images)
    theirs, their_memory = measured("duckdb", arguments.images)
    if (ours["common"], ours["occurrences"]) != (theirs["common"], theirs["occurrences"]):
        raise SystemExit("compsplit and DuckDB count other pairs")
    print(f"{arguments.images:,} scenes, {ours['classes']:,} names, {ours['pairs'] / 1e6:.1f}M object pairs\n")
    print("| pair audit from columns | best s | peak MiB |\n| --- | --- | --- |")
    print(f"| compsplit | {ours['seconds']:.2f} | {memory:.0f} |")
    print(f"| DuckDB self-join, same sums | {theirs['seconds']:.2f} | {their_memory:.0f} |")
    print(f"\nDuckDB / compsplit: {theirs['seconds'] / ours['seconds']:.1f}")
    many, _ = measured("splits", arguments.images)
    print(f"\nfive random splits {many['five']:.2f} s, one {many['one']:.2f} s: {many['five'] / many['one']:.1f} times")
    _reports(arguments)
    if arguments.cases is not None:
        _cases(arguments.cases)


def _reports(arguments: argparse.Namespace) -> None:
    arguments.folder.mkdir(parents=True, exist_ok=True)
    file = arguments.folder / f"scene_graphs_{arguments.images}.json"
    if not file.is_file():
        print(f"\nmaking {file.name} ...", flush=True)
        timed([sys.executable, str(HERE.with_name("generate_scenes.py")), str(file), "--images", str(arguments.images)])
    audit = [sys.executable, "-m", "compsplit", "audit", str(file), "--random-splits", "1", "--test", "0.3", "--json"]
    load = [sys.executable, "-c", "import json, sys\njson.load(open(sys.argv[1]))", str(file)]
    timed(audit)
    rounds = {"audit": [], "json.load": []}
    for _ in range(arguments.rounds):
        rounds["json.load"].append(timed(load))
        rounds["audit"].append(timed(audit))
    best = {name: min(seconds for seconds, _, _ in each) for name, each in rounds.items()}
    middle = {name: statistics.median(seconds for seconds, _, _ in each) for name, each in rounds.items()}
    peak = {name: max(memory for _, memory, _ in each) for name, each in rounds.items()}
    print(f"\n{file.stat().st_size / 1e6:.0f} MB of JSON\n")
    print("| whole process | best s | median s | peak MiB |\n| --- | --- | --- | --- |")
    for name in rounds:
        print(f"| {name} | {best[name]:.2f} | {middle[name]:.2f} | {peak[name]:.0f} |")
    print(
        f"\njson.load / audit: best {best['json.load'] / best['audit']:.1f}, "
        f"median {middle['json.load'] / middle['audit']:.1f}"
    )


def _cases(cases: Path) -> None:
    big, table = next(cases.glob("48-*")), next(cases.glob("49-*"))
    with tempfile.TemporaryDirectory() as folder:
        peaks = {}
        for n in (5000, 20000):
            file = Path(folder) / f"{n}.json"
            subprocess.run([sys.executable, str(big / "make_input.py"), str(n), str(file)], check=True)
            _, peaks[n], _ = timed(
                [sys.executable, "-m", "compsplit", "audit", str(file), "--random-splits", "1", "--json"]
            )
        grown = peaks[20000] - peaks[5000]
        print(f"\ncases/48: {peaks[5000]:.0f} MiB for 5,000 images, {grown:.0f} MiB more for 20,000")
        file = Path(folder) / "samples.csv"
        subprocess.run([sys.executable, str(table / "make_input.py"), "200000", str(file)], check=True)
        seconds, memory, _ = timed(
            [sys.executable, "-m", "compsplit", "audit", str(file), "--part-column", "split", "--json"]
        )
        print(f"cases/49: {seconds:.1f} s, {memory:.0f} MiB for 200,000 rows")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()

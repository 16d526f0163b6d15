"""Time the group rule on generated questions and scenes, each measurement in a process of its own.

    python benchmarks/bench_groups.py [--questions N] [--scenes N] [--folder DIR]

What is measured:
* questions of GQA's shape, k = 5, roles swapped, from the column of mentioned classes to the split and its audit: rows
  in train, in test and left out, with groups seeded, searched and spectral, and with images apart;
* scenes of UOUC's make-up with their file of groups: AvgCoPair, and whether what is left out is what the rule forbids;
* the whole command `compsplit run uouc_groups_questions` on the questions as CSV.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench import timed

HERE = Path(__file__).resolve()

ASKED = {
    "seeded": {}, "search": {"partition": "search"}, "spectral": {"partition": "spectral"},
    "seeded, images apart": {"disjoint": "image"},
}  # fmt: skip


def split_and_audit(compounds, images, ids, grouping, **options):
    """Return the split and the audited share of common pairs of test, with the seconds of both."""
    from compsplit.audits.comparing import compared
    from compsplit.model import Column, Rows, Targets
    from compsplit.registry import plugin
    from compsplit.splitters import Problem

    start = time.perf_counter()
    import numpy as np

    columns = {"image": images} if isinstance(images, Column) else {}
    rows = Rows(ids, columns, None, np.zeros(len(ids), dtype=bool), compounds={compounds.of: compounds})
    problem = Problem(grouping, Targets(by_rule=("train", "test")), rows=rows)
    split = plugin("splitter", "co-occurrence-groups").make(problem, **options)
    middle = time.perf_counter()
    kept = np.flatnonzero(split.placed)
    found = compared(compounds.taken(kept), split.taken(kept), "train", "test")
    return split, found, middle - start, time.perf_counter() - middle


def of_questions(n: int) -> dict[str, dict[str, float]]:
    """Split questions in each way; the column of classes is made before the clock starts, taken apart after."""
    import numpy as np
    from generate_groups import class_name, questions

    from compsplit.extractors import mentioned_classes
    from compsplit.model import Column, Grouping, Rows, texts

    image, starts, classes = questions(n)
    names = [class_name(code) for code in range(int(classes.max()) + 1)]
    written = [";".join([names[code] for code in classes[a:b].tolist()]) for a, b in itertools.pairwise(starts)]
    ids = texts(f"{row:07}" for row in range(n))
    start = time.perf_counter()
    rows = Rows(ids, {"mentioned": Column.of(written)}, None, np.zeros(n, dtype=bool))
    pairs = mentioned_classes.extract(None, rows, mentions="mentioned")
    grouping = Grouping.of("row", Column.of(ids.tolist()))
    images = Column.of(f"n{each}" for each in image.tolist())
    extracting = time.perf_counter() - start
    made = {}
    for how, options in ASKED.items():
        options = {"k": 5, "swapped": True, **options}
        # Once on a few rows, so that no kernel is compiled within the time.
        few = np.arange(min(n, 1000))
        split_and_audit(pairs.taken(few), images.take(few), ids[few], grouping.taken(few), **options)
        split, found, splitting, auditing = split_and_audit(pairs, images, ids, grouping, **options)
        made[how] = {
            "classes": len(pairs.atoms.names), "extracting": extracting, "splitting": splitting, "auditing": auditing,
            **split.sizes, "left out": int((~split.placed).sum()), "common": found.total(found.common),
            "pairs of test": found.total(found.instances),
        }  # fmt: skip
    return made


def of_scenes(n: int) -> dict[str, float]:
    """Split scenes of UOUC's make-up by their file of groups."""
    from generate_groups import write_scenes

    from compsplit.extractors import object_pairs, prepared
    from compsplit.model import Grouping
    from compsplit.readers import inputs
    from compsplit.registry import plugin

    with tempfile.TemporaryDirectory() as folder:
        file, groups = Path(folder) / "scenes.jsonl", Path(folder) / "groups.csv"
        write_scenes(file, groups, n, n * 3 // 20)
        start = time.perf_counter()
        table = plugin("reader", "scenes").make(inputs([file]))
        rows = prepared(table)
        pairs = object_pairs.extract(table, rows)
        grouping = Grouping.of("row", rows.column("id"))
        reading = time.perf_counter() - start
        split, found, splitting, auditing = split_and_audit(pairs, None, rows.ids, grouping, groups=str(groups))
    parts = {0: "train", 1: "test", -1: "left-out"}
    given = zip(rows.ids.tolist(), split.part_of_row.tolist(), strict=True)
    wrong = sum(not name.startswith(parts[part]) for name, part in given)
    return {
        "reading": reading, "splitting": splitting, "auditing": auditing, **split.sizes,
        "left out": int((~split.placed).sum()), "wrong": wrong, "common": found.total(found.common),
        "pairs of test": found.total(found.instances), "classes": len(pairs.atoms.names),
    }  # fmt: skip


INNER = {"questions": of_questions, "scenes": of_scenes}


def main() -> None:
    """Run from the command line."""
    from generate_groups import N_QUESTIONS, UOUC_TRAIN

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--questions", type=int, default=N_QUESTIONS)
    parser.add_argument("--scenes", type=int, default=UOUC_TRAIN, help="Train scenes.")
    parser.add_argument("--folder", type=Path, default=HERE.parent / "generated" / "groups")
    parser.add_argument("--inner", choices=INNER)
    arguments = parser.parse_args()
    if arguments.inner:
        n = arguments.questions if arguments.inner == "questions" else arguments.scenes
        print(json.dumps(INNER[arguments.inner](n)))
        return
    _, memory, text = timed(
        [sys.executable, str(HERE), "--inner", "questions", "--questions", str(arguments.questions)]
    )
    found = json.loads(text)
    first = next(iter(found.values()))
    print(f"{arguments.questions:,} questions, {first['classes']:,} classes, k = 5, swapped; {memory:.0f} MiB")
    print(f"mentions to pairs in {first['extracting']:.1f} s\n")
    print("| groups | train | test | left out | common / pairs of test | split s | audit s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for how, each in found.items():
        shares = " | ".join(f"{100 * each[part] / arguments.questions:.1f} %" for part in ("train", "test", "left out"))
        print(f"| {how} | {shares} | {each['common']:,} / {each['pairs of test']:,} | {each['splitting']:.2f} | "
              f"{each['auditing']:.2f} |")  # fmt: skip
    _, memory, text = timed([sys.executable, str(HERE), "--inner", "scenes", "--scenes", str(arguments.scenes)])
    one = json.loads(text)
    print(
        f"\nscenes of {one['classes']} classes in 10 groups: train {one['train']:,}, test {one['test']:,}, left out "
        f"{one['left out']:,}, {one['wrong']} of them or others not as they were made; common pairs {one['common']} of "
        f"{one['pairs of test']:,}; read {one['reading']:.1f} s, split {one['splitting']:.2f} s, audit "
        f"{one['auditing']:.2f} s, {memory:.0f} MiB"
    )
    _command(arguments)


def _command(arguments: argparse.Namespace) -> None:
    arguments.folder.mkdir(parents=True, exist_ok=True)
    file = arguments.folder / f"questions_{arguments.questions}.csv"
    if not file.is_file():
        timed([sys.executable, str(HERE.with_name("generate_groups.py")), "questions", str(file),
               "--rows", str(arguments.questions)])  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        seconds, memory, _ = timed(
            [sys.executable, "-m", "compsplit", "run", "uouc_groups_questions", str(file),
             "--set", "extract.mentions=mentioned", "--out", str(Path(folder) / "out")]
        )  # fmt: skip
    print(f"\nwhole command, {file.stat().st_size / 1e6:.0f} MB of CSV: {seconds:.1f} s, {memory:.0f} MiB")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()

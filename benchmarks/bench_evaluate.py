"""Time `compsplit evaluate` on a million predictions, against plain Python that does the same sums without intervals.

    python benchmarks/bench_evaluate.py [--questions N] [--rounds N] [--folder DIR]

Two data sets are made, each with as many predictions as questions, and evaluated in turn, each measurement in a process
of its own:
* `vqa`: questions and annotations of VQA's layout, 10 answers each (`generate.py`); a prediction is what one of the ten
  people said, in one of five spellings, or another question's answer;
* `gqa`: questions of GQA's layout with programs, types, groups and entailed questions, all balanced; structural and
  semantic types and numbers of steps in the shares that GQA's paper gives, about nine questions an image; a prediction
  is the answer, or another question's.
`compsplit evaluate` reads, joins, scores by the official rule, breaks down by type, and draws 1,000 samples of images
for the intervals. The baseline loads the same files with json and follows the published formulas row by row: the VQA
rule of 2021 by question type and answer type; GQA's accuracy by type, words and steps, consistency and distribution.
Both must give the same overall figures. Seconds are of the clock and, since a busy machine takes longer, of processors.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench import timed

HERE = Path(__file__).resolve()
N_QUESTIONS = 1_000_000
ROUNDS = 3
BATCH = 1 << 15

# Shares in per cent, as GQA's paper gives them.
STRUCTURAL = {"query": 53, "verify": 22, "choose": 12, "logical": 10, "compare": 3}
SEMANTIC = {"rel": 52, "attr": 28, "obj": 11, "cat": 6, "global": 3}
STEPS = {1: 6, 2: 42, 3: 44, 4: 8}
LAST_STEPS = {
    "query": "query", "verify": "verify color", "choose": "choose color", "logical": "and", "compare": "same color",
}  # fmt: skip
NAMES = (
    "man woman boy girl dog cat horse cow sheep bird bear car bus truck train plane boat bike sign light street house "
    "door window wall floor table chair bed couch lamp clock phone laptop screen keyboard book shirt hat shoe jacket"
).split()
RELATIONS = ("to the left of", "to the right of", "on", "near", "behind", "in front of", "holding", "wearing")
GROUPS = ("color", "size", "material", "place", "animal", "person", "vehicle", "furniture", "clothing", "room")
N_ANSWERS = 60
IMAGES_A_QUESTION = 1 / 9


def made_vqa(folder: Path, n: int) -> None:
    """Make questions, annotations and predictions of VQA's layout."""
    from generate import make

    import compsplit
    from compsplit.order import uniforms

    files = make(folder, n)
    table = compsplit.read(*files, keep_answers=True)
    answers = table.lists["answers"]
    chosen = answers.starts[:-1] + (uniforms(0, "who is followed", n) * answers.lengths).astype(int)
    other = (uniforms(0, "other questions", n) * n).astype(int)
    lost = uniforms(0, "lost", n) < 0.3
    chosen[lost] = chosen[other[lost]]
    spellings = ["{}", "{}", "{}", "The {}.", " {}\n"]
    spelling = (uniforms(0, "spellings", n) * len(spellings)).astype(int).tolist()
    said = answers.values.take(chosen).values()
    results = [
        {"question_id": int(name), "answer": spellings[k].format(answer)}
        for name, answer, k in zip(table.ids.tolist(), said, spelling, strict=True)
    ]
    (folder / "predictions.json").write_text(json.dumps(results), "utf-8")


def drawn(shares: dict, name: str, n: int) -> list:
    """Return keys of shares, drawn by their weight."""
    import numpy as np

    from compsplit.order import uniforms

    keys = list(shares)
    whole = np.cumsum(list(shares.values())) / sum(shares.values())
    return [keys[k] for k in np.searchsorted(whole, uniforms(0, name, n), side="right").tolist()]


def made_gqa(folder: Path, n: int) -> None:
    """Make questions and predictions of GQA's layout."""
    from compsplit.order import uniforms

    def numbers(name: str, size: int) -> list[int]:
        return (uniforms(0, name, n) * size).astype(int).tolist()

    structural, semantic, steps = (
        drawn(shares, name, n)
        for shares, name in ((STRUCTURAL, "structural"), (SEMANTIC, "semantic"), (STEPS, "steps"))
    )
    # Cubes: the first answers of a group are by far the commonest.
    ranks = (uniforms(0, "ranks", n) ** 3 * N_ANSWERS).astype(int).tolist()
    group, first, second = numbers("groups", len(GROUPS)), numbers("first", len(NAMES)), numbers("second", len(NAMES))
    relation, image = numbers("relations", len(RELATIONS)), numbers("images", max(int(n * IMAGES_A_QUESTION), 1))
    yes, lost, other = numbers("yes", 2), numbers("lost", 10), numbers("other", n)
    answers = [
        f"{GROUPS[group[k]]} {ranks[k]}" if structural[k] in ("query", "choose") else ("no", "yes")[yes[k]]
        for k in range(n)
    ]
    with (folder / "questions.json").open("w", encoding="utf-8") as out:
        for k in range(n):
            name, near, between = NAMES[first[k]], NAMES[second[k]], RELATIONS[relation[k]]
            program = [("select", f"{name} ({k % 997})", [])]
            program += [("relate", f"{near},{between},s ({(k + j) % 997})", [j]) for j in range(steps[k] - 1)]
            program.append((LAST_STEPS[structural[k]], GROUPS[group[k]], [len(program) - 1]))
            where = f" {between} the {near}" * (steps[k] - 1)
            opening = "What is" if structural[k] == "query" else "Is it"
            record = {
                "semantic": [{"operation": o, "argument": a, "dependencies": d} for o, a, d in program],
                "entailed": [f"{j:08d}" for j in (k - 1, k - 2) if j >= 0 and image[k] % 3],
                "equivalent": [f"{k:08d}"],
                "question": f"{opening} the {GROUPS[group[k]]} of the {name}{where}?",
                "imageId": str(2_300_000 + image[k]),
                "isBalanced": True,
                "groups": {"global": GROUPS[group[k]], "local": f"{len(where) % 20:02d}-{name}_{GROUPS[group[k]]}"},
                "answer": answers[k],
                "semanticStr": "->".join(f"{o}: {a} {d}" for o, a, d in program),
                "annotations": {"answer": {}, "question": {"4": str(k % 997)}, "fullAnswer": {"1": str(k % 997)}},
                "types": {"detailed": f"{semantic[k]}Query", "semantic": semantic[k], "structural": structural[k]},
                "fullAnswer": f"The {name} is {answers[k]}.",
            }
            out.write(f'{", " if k else "{"}"{k:08d}": {json.dumps(record)}')
        out.write("}")
    predictions = [{"questionId": f"{k:08d}", "prediction": answers[k if lost[k] < 7 else other[k]]} for k in range(n)]
    (folder / "predictions.json").write_text(json.dumps(predictions), "utf-8")


def plain_vqa(folder: Path) -> dict[str, float]:
    """Score VQA's files by the rule of 2021, row by row."""
    from compsplit.metrics.vqa_normalising import CONTRACTIONS

    marks = [";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`", ",", "?", "!"]
    digits = {
        word: str(k) for k, word in enumerate("zero one two three four five six seven eight nine ten".split())
    } | {"none": "0"}
    comma, stop = re.compile(r"\d,\d", re.ASCII), re.compile(r"\.(?!\d)", re.ASCII)

    def clean(text: str) -> str:
        return text.replace("\n", " ").replace("\t", " ").strip()

    def normalised(text: str) -> str:
        outcome = text
        for mark in marks:
            gone = mark + " " in text or " " + mark in text or comma.search(text)
            outcome = outcome.replace(mark, "" if gone else " ")
        outcome = stop.sub("", outcome, count=32)
        words = [digits.get(word, word) for word in outcome.lower().split()]
        return " ".join(CONTRACTIONS.get(word, word) for word in words if word not in ("a", "an", "the"))

    said = {each["question_id"]: each["answer"] for each in json.loads((folder / "predictions.json").read_text())}
    total, n = 0.0, 0
    by_type: dict[str, list[float]] = defaultdict(list)
    for file in sorted(folder.glob("*annotations.json")):
        for each in json.loads(file.read_text("utf-8"))["annotations"]:
            people = [clean(one["answer"]) for one in each["answers"]]
            predicted = clean(said[each["question_id"]])
            if len(set(people)) > 1:
                people, predicted = [normalised(one) for one in people], normalised(predicted)
            points = [
                min(1.0, sum(other == predicted for k, other in enumerate(people) if k != left_out) / 3)
                for left_out in range(len(people))
            ]
            score = sum(points) / len(points)
            total, n = total + score, n + 1
            by_type[each["question_type"]].append(score)
            by_type[each["answer_type"]].append(score)
    return {"accuracy": 100 * total / n, "types": len([sum(scores) / len(scores) for scores in by_type.values()])}


def plain_gqa(folder: Path) -> dict[str, float]:
    """Score GQA's files by the official formulas, row by row."""
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    given = json.loads((folder / "predictions.json").read_text("utf-8"))
    said = {each["questionId"]: each["prediction"] for each in given}
    by_type: dict[object, list[float]] = defaultdict(list)
    gold: dict[str, Counter[str]] = defaultdict(Counter)
    predicted: dict[str, Counter[str]] = defaultdict(Counter)
    right, shares = 0, []
    skipped = ("exist", "query: name", "choose name")
    for name, each in questions.items():
        correct = said[name] == each["answer"]
        right += correct
        written = [f"{step['operation']}: {step['argument']}" for step in each["semantic"]]
        n_steps = sum(not any(text in step for text in skipped) for step in written)
        for kind in (each["types"]["structural"], each["types"]["semantic"], len(each["question"].split()), -n_steps):
            by_type[kind].append(correct)
        entailed = [other for other in each["entailed"] if other != name]
        if correct and entailed:
            shares.append(sum(said[other] == questions[other]["answer"] for other in entailed) / len(entailed))
        group = each["groups"]["global"]
        gold[group][each["answer"]] += 1
        predicted[group][said[name]] += 1
    distances = {
        group: sum((predicted[group][answer] - n) ** 2 / n for answer, n in counts.items())
        for group, counts in gold.items()
    }
    sizes = {group: sum(counts.values()) for group, counts in gold.items()}
    return {
        "accuracy": 100 * right / len(questions),
        "consistency": 100 * sum(shares) / len(shares),
        "distribution": sum(distances[group] * sizes[group] for group in gold) / sum(sizes.values()) / 100,
        "types": len(by_type),
    }


MAKERS = {"vqa": made_vqa, "gqa": made_gqa}
PLAIN = {"vqa": plain_vqa, "gqa": plain_gqa}


def cost(command: list[str]) -> tuple[float, float, float, str]:
    """Run a command and return seconds of the clock and of processors, peak memory in MiB and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory, text = timed(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor, memory, text


def agree(name: str, report: dict, plain: dict[str, float]) -> None:
    """Stop if the two do not give the same figures."""
    for measure, value in plain.items():
        found = [each["value"] for each in report["measures"] if each["name"] == measure and each["value"] is not None]
        if measure not in ("seconds", "types") and not any(
            abs(each - value) < 1e-9 * max(abs(value), 1) for each in found[:1]
        ):
            raise SystemExit(f"{name}: {measure} is {value} by the plain program, {found[:1]} by compsplit")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--questions", type=int, default=N_QUESTIONS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "generated" / "evaluate")
    parser.add_argument("--only", choices=MAKERS)
    parser.add_argument("--make", choices=MAKERS, help=argparse.SUPPRESS)
    parser.add_argument("--plain", choices=PLAIN, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        MAKERS[arguments.make](arguments.folder, arguments.questions)
        return
    if arguments.plain:
        start = time.perf_counter()
        found = PLAIN[arguments.plain](arguments.folder)
        print(json.dumps({"seconds": time.perf_counter() - start, **found}))
        return
    print(f"{arguments.questions:,} predictions each; load of the machine before: {os.getloadavg()[0]:.1f}\n")
    print("| data | program | best s | median s | processor s | peak MiB |\n| --- | --- | --- | --- | --- | --- |")
    for name in [arguments.only] if arguments.only else list(MAKERS):
        folder = arguments.folder / name
        marker = folder / "questions"
        if not marker.is_file() or marker.read_text() != str(arguments.questions):
            folder.mkdir(parents=True, exist_ok=True)
            # In a process of its own: the peak memory of a child counts from what its parent held when it was made.
            timed([
                sys.executable, str(HERE), "--make", name, "--folder", str(folder),
                "--questions", str(arguments.questions),
            ])  # fmt: skip
            marker.write_text(str(arguments.questions))
        data = sorted(str(file) for file in folder.glob("*.json") if file.name != "predictions.json")
        evaluate = [
            sys.executable, "-m", "compsplit", "evaluate", *data, str(folder / "predictions.json"), "--json",
        ]  # fmt: skip
        plain = [sys.executable, str(HERE), "--plain", name, "--folder", str(folder)]
        timed(evaluate)
        costs: dict[str, list[tuple[float, float, float, str]]] = {"compsplit evaluate": [], "plain Python": []}
        for _ in range(arguments.rounds):
            costs["compsplit evaluate"].append(cost(evaluate))
            costs["plain Python"].append(cost(plain))
        agree(name, *(json.loads(each[0][3]) for each in costs.values()))
        for program, each in costs.items():
            seconds = [one[0] for one in each]
            print(
                f"| {name} | {program} | {min(seconds):.1f} | {statistics.median(seconds):.1f} "
                f"| {min(one[1] for one in each):.1f} | {max(one[2] for one in each):.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

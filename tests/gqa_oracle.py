"""Every figure of the official programs of GQA and GQA-OOD, beside what compsplit gives for it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from vqa_oracle import Figure

from compsplit import api
from compsplit.errors import CompsplitError
from compsplit.evaluation.prediction_join import JoinRules, joined
from compsplit.model.answered import Answered, Scored
from compsplit.model.report import Measure, Report, Undefined
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.readers.predictions import predictions_of
from compsplit.registry import plugin

EXCEPTIONS: dict[str, str] = {
    name: reason
    for reason, names in json.loads(Path(__file__).with_name("gqa_oracle_exceptions.json").read_text("utf-8")).items()
    for name in names
}
"""Figures that are not to agree, and why."""

_NAMES = ("accuracy", "binary", "open", "validity", "plausibility", "consistency", "grounding", "distribution")
_BY = {
    "accuracyPerStructuralType": "structural type",
    "accuracyPerSemanticType": "semantic type",
    "accuracyPerLength": "words",
    "accuracyPerSteps": "steps",
}
_ANSWERS = "answers of global groups"
_MORE: dict[str, dict[str, Any]] = {
    "duplicate_predictions": {"repeated": "last", "allow_unjoined": True},
    # One prediction is null, which is a wrong answer there and none here.
    "exact_match_only": {"missing": "wrong"},
}
"""What the official program does unasked."""


def eval_figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of GQA's evaluation: the main runs, then the edge cases."""
    expected = json.loads((folder / "main" / "expected.json").read_text("utf-8"))
    shared = {key: expected["consistency"]["scores"][key] for key in _BY}
    for name, run in expected.items():
        files = {kind: folder / "main" / f"val_all_{kind}.json" for kind in run.get("files", _FILES)}
        scores = None if "raises" in run else {**shared, **run["scores"]}
        yield from _run(f"main/{name}", scores, run.get("dist"), _given(files), run["arguments"], {})
    with tempfile.TemporaryDirectory() as made:
        for case in json.loads((folder / "edge_cases.json").read_text("utf-8")):
            files = {}
            for kind in ("questions", "predictions", "choices", "sceneGraphs", "attentions"):
                if case[kind] is not None:
                    files[kind] = Path(made, f"{case['name']}-{kind}.json")
                    files[kind].write_text(json.dumps(case[kind]), "utf-8")
            scores, more = case["expected"].get("scores"), _MORE.get(case["name"], {})
            yield from _run(f"edge_cases/{case['name']}", scores, None, _given(files), case["arguments"], more)


_FILES = ("questions", "choices", "predictions", "sceneGraphs")


def _given(files: Mapping[str, Path]) -> dict[str, Path]:
    """Return the files by what compsplit calls them."""
    names = {"sceneGraphs": "scenes"}
    return {names.get(kind.split("_")[0], kind.split("_")[0]): path for kind, path in files.items()}


def _run(
    name: str,
    scores: Mapping[str, Any] | None,
    answers: Mapping[str, Any] | None,
    files: dict[str, Path],
    arguments: list[str],
    more: dict[str, Any],
) -> Iterator[Figure]:
    if "--objectFeatures" in arguments:
        yield Figure(name, "an error", "there is no such mode")
        return
    size = int(arguments[arguments.index("--mapSize") + 1]) if "--mapSize" in arguments else 7
    data, predictions = files.pop("questions"), files.pop("predictions")
    try:
        report = api.evaluate(data, predictions, **files, map_size=size, format="gqa", replicates=0, **more).report
    except CompsplitError as error:
        yield Figure(name, "an error" if scores is None else "figures", "an error" if scores is None else str(error))
        return
    if scores is None:
        undefined = [f"{m.name}: {m.value.reason}" for m in report.measures if isinstance(m.value, Undefined)]
        yield Figure(name, "an error", "; ".join(undefined))
        return
    for figure in _NAMES:
        yield Figure(f"{name}/{figure}", scores[figure], _ours(report.get(figure, "gqa official")))
    for kind, by in _BY.items():
        measures = {
            m.options["class"]: m for m in report.measures if m.options.get("by") == by and m.of == "gqa official"
        }
        yield Figure(f"{name}/{kind}", " ".join(sorted(scores[kind])), " ".join(sorted(measures)))
        for type_, official in scores[kind].items():
            yield Figure(f"{name}/{kind}/{type_}/percent", official["percent"], _ours(measures[type_]))
            yield Figure(f"{name}/{kind}/{type_}/questions", official["questions"], float(measures[type_].n))
    if answers is not None:
        yield from _answers(name, answers, report)


def _answers(name: str, official: Mapping[str, Any], report: Report) -> Iterator[Figure]:
    for which, place in (("gold", 2), ("predicted", 3)):
        ours = {(line[0], line[1]): line[place] for line in report.tables[_ANSWERS].rows if line[place]}
        theirs = {(group, answer): n for group, counts in official[which].items() for answer, n in counts.items()}
        for key in sorted(ours.keys() | theirs.keys()):
            yield Figure(f"{name}/{which}/{'/'.join(key)}", theirs.get(key, 0), float(ours.get(key, 0)))


def _ours(measure: Measure) -> object:
    return measure.value.reason if isinstance(measure.value, Undefined) else float(measure.value)


def ood_figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of GQA-OOD: the five alphas, then the edge cases."""
    table = read(folder / "questions.json")
    records = json.loads((folder / "predictions.json").read_text("utf-8"))
    rows = answered(table, {each["questionId"]: each["prediction"] for each in records})
    for expected in json.loads((folder / "expected.json").read_text("utf-8")):
        yield from _alpha(f"main/alpha {expected['alpha']:g}", expected, rows)
    with tempfile.TemporaryDirectory() as made:
        for case in json.loads((folder / "edge_cases.json").read_text("utf-8")):
            given = [
                (group, answer) for group, counts in case["groups"] for answer, n in counts.items() for _ in range(n)
            ]
            questions = {
                f"e{i:03}": {
                    "question": "?", "answer": answer, "imageId": str(i // 3), "isBalanced": True,
                    "groups": {"local": group, "global": None},
                }
                for i, (group, answer) in enumerate(given)
            }  # fmt: skip
            file = Path(made, f"{case['name']}.json")
            file.write_text(json.dumps(questions), "utf-8")
            answers = {key: each["answer"] for key, each in questions.items()}
            yield from _alpha(f"edge_cases/{case['name']}", case["expected"], answered(read(file), answers))


def _alpha(name: str, expected: Mapping[str, Any], rows: Answered) -> Iterator[Figure]:
    said: Scored = plugin("metric", "gqa-ood").make(rows, alpha=expected["alpha"])
    measures = {measure.name: measure for measure in said.measures}
    means = {mean.name: mean for mean in said.means}
    for theirs, ours in (("mean", "mean"), ("std_population", "deviation"), ("threshold", "threshold")):
        official = expected[f"entropy_{theirs}"]
        value = measures[f"entropy-{ours}"].value
        is_there = "undefined" if isinstance(value, Undefined) else "defined"
        if official is None:
            yield Figure(f"{name}/entropy_{theirs}", "undefined", is_there)
        else:
            yield Figure(f"{name}/entropy_{theirs}", official, _ours(measures[f"entropy-{ours}"]))
    yield from _groups(name, expected, said)
    for part in ("all", "head", "tail"):
        ids = sorted(rows.table.ids[means[f"acc-{part}"].counted].tolist())
        yield Figure(f"{name}/{part}", " ".join(sorted(expected[part])), " ".join(ids))
        yield Figure(f"{name}/images/{part}", expected["images"][part], _ours(measures[f"images-{part}"]))
    everywhere = np.ones(len(rows), dtype=bool)
    for part, scores in expected.get("accuracy", {}).items():
        if "raises" in scores:
            value, _ = means[f"acc-{part}"].over(everywhere)
            yield Figure(f"{name}/accuracy/{part}", "an error", _ours(means[f"acc-{part}"].measure(everywhere)))
            continue
        for theirs, ours in (("accuracy", "acc"), ("binary", "binary"), ("open", "open")):
            mean = means[f"{ours}-{part}"].measure(everywhere)
            yield Figure(f"{name}/accuracy/{part}/{theirs}", scores[theirs], _ours(mean))
        distance = _ours(measures[f"distribution-{part}"])
        yield Figure(f"{name}/accuracy/{part}/distribution", scores["distribution"], distance)
        n = means[f"acc-{part}"].measure(everywhere).n
        yield Figure(f"{name}/accuracy/{part}/questions", scores["questions"], float(n))


def _groups(name: str, expected: Mapping[str, Any], said: Scored) -> Iterator[Figure]:
    lines = said.tables["question groups (gqa-ood)"].rows if said.tables else ()
    answers = said.tables["answers of kept question groups (gqa-ood)"].rows if said.tables else ()
    yield Figure(f"{name}/groups", " ".join(sorted(expected["groups"])), " ".join(sorted(line[0] for line in lines)))
    for group, size, n_answers, entropy, kept, mean_share, limit in lines:
        official, label = expected["groups"][group], f"{name}/groups/{group}"
        yield Figure(f"{label}/questions", sum(official["answers"].values()), float(size))
        yield Figure(f"{label}/answers", len(official["answers"]), float(n_answers))
        yield Figure(f"{label}/normalised_entropy", official["normalised_entropy"], entropy)
        yield Figure(f"{label}/kept", "yes" if official["kept"] else "no", kept)
        yield Figure(f"{label}/mean_share", official["mean_share"], mean_share)
        yield Figure(f"{label}/tail_threshold_share", official["tail_threshold_share"], limit)
        for part in ("head", "tail"):
            ours = {line[1]: line[2] for line in answers if line[0] == group and line[3] == part}
            theirs = {answer: official["answers"][answer] for answer in official[f"{part}_answers"] or ()}
            yield Figure(
                f"{label}/{part}_answers", json.dumps(theirs, sort_keys=True), json.dumps(ours, sort_keys=True)
            )


def answered(table: QATable, given: Mapping[str, Any]) -> Answered:
    """Return all rows with their predictions, those that are balanced scored."""
    balanced = np.array([value == "true" for value in table.columns["balanced"].values()], dtype=bool)
    found = joined(table, predictions_of(given, "model"), balanced, JoinRules())
    return Answered(table=table, predictions=found.values, not_text=found.not_text, scored=found.scored)


def read(file: Path) -> QATable:
    """Return GQA questions with their lists."""
    table: QATable = plugin("reader", "gqa").make(inputs([file]), keep_lists=True)
    return table

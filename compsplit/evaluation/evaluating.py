"""Evaluate predictions: join them to the rows, score them by named rules, break the scores down, compare models.

Decided: rows with an answer are scored, of GQA those that are balanced, as its official program does. Where rows have
parts, those parts are scored of which some row has a prediction. What was not given (choices, attention, the questions
that ``entailed`` names) leaves its metrics undefined, with the reason. Intervals are those of ``intervals``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingFieldError, UnknownNameError, UsageError, counted, listed
from compsplit.evaluation.comparing import compared
from compsplit.evaluation.intervals import Units, described
from compsplit.evaluation.novelty import novelty
from compsplit.evaluation.prediction_join import JoinRules, joined, rows_with_predictions
from compsplit.evaluation.reporting import reported
from compsplit.evaluation.scoring import Drawing, Found, fitting, scored
from compsplit.metrics.czsl import pairs_shown, with_pair_seen
from compsplit.model.answered import Answered, Choices, Grounding, PairScores
from compsplit.model.column import Column, concatenated
from compsplit.model.report import Finding, Report
from compsplit.model.scenes import RowTable
from compsplit.model.table import Input, QATable
from compsplit.readers import detected, inputs
from compsplit.readers.gqa_choices import read_choices
from compsplit.readers.gqa_grounding import read_grounding
from compsplit.readers.pair_scores import read_pair_scores
from compsplit.readers.predictions import Predictions, predictions_of, read_predictions
from compsplit.recipe.auditing import Assigned
from compsplit.recipe.joining import joined as one_after_the_other
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.readings import key_and_value
from compsplit.recipe.reporting import decided, without_tables
from compsplit.recipe.running import Watch, extracted, no_watch, read_table
from compsplit.registry import Plugin, plugin

_READ = {"keep_answers": True, "brief": True, "without_questions": True}
"""Options of readers: what metrics need is kept, what none of them does is not made, and not asked for."""

_LISTS = ("entailed",)
"""Lists of each row that metrics need which run by themselves; others say which they need."""

_NOT_GIVEN = {
    "choices": "no choices are given (--choices FILE)",
    "grounding": "no attention is given (--attentions FILE, with --scenes FILE)",
    "entailed": "the data name no entailed questions",
    "pair_scores": "no scores of pairs are given (--pair-scores FILE)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluating:
    """How predictions are evaluated.

    Attributes:
        metrics: Names; those that fit the data, and those that have options, without any.
        options: Metric -> its options.
        rules: What is done where predictions and rows do not fit.
        score: Which rows are scored: GQA's balanced ones, or all.
        parts: The parts that are scored.
        reference: The part that novelty is told from; ``train`` if there is one.
        drawing: How intervals are drawn.
        recipe: Says how questions are reduced, for novelty.
        choices: File of valid and plausible answers.
        attentions: File of attention maps.
        scenes: File of scene graphs, for the regions that attention is held against.
        map_size: Cells of an attention map along each side.
        pair_scores: File of what each row's pairs score, for ``czsl``.
        watch: Told each stage.
    """

    metrics: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: JoinRules = field(default_factory=JoinRules)
    score: Literal["balanced", "all"] = "balanced"
    parts: tuple[str, ...] = ()
    reference: str | None = None
    drawing: Drawing = field(default_factory=Drawing)
    recipe: Recipe = field(default_factory=lambda: from_mapping("evaluate", {"title": "Evaluation"}))
    choices: Input | None = None
    attentions: Input | None = None
    scenes: Input | None = None
    map_size: int = 7
    pair_scores: Input | None = None
    watch: Watch = no_watch


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What predictions score, and the rows they are of.

    Attributes:
        report: All measures, tables and findings.
        table: Every row that was read.
        models: The joined predictions of each model, as ``Answered``.
        found: What each model scores.
        columns: Further columns of the rows, such as part and novelty.
    """

    report: Report
    table: QATable
    models: Mapping[str, Answered]
    found: tuple[Found, ...]
    columns: Mapping[str, Column]


def lists_of(metrics: Sequence[str], attentions: bool) -> tuple[str, ...]:
    """Return the lists of each row that metrics need, those that run by themselves included.

    Args:
        metrics: Names of those that are asked for.
        attentions: Whether attention is held against regions.
    """
    asked = (name for metric in metrics for name in plugin("metric", metric).facts.get("lists", ()))
    return tuple(dict.fromkeys((*_LISTS, *asked, *(("regions",) if attentions else ()))))


def read_answered(
    files: Sequence[Any], format: str | None, options: Mapping[str, Any], lists: Sequence[str] = _LISTS
) -> QATable:
    """Return questions with everything that metrics need.

    Args:
        files: Files, or one table.
        format: Name of a reader; the content decides if it is not given.
        options: The reader's options.
        lists: The lists of each row that are kept, where the reader has lists.

    Raises:
        UsageError: The files hold scenes.
    """
    if files and all(isinstance(file, str | Path) for file in files):
        found = inputs(files)
        format = format or detected(found)
        known = plugin("reader", format).options
        wanted = {**_READ, "keep_lists": list(lists)}
        options = {**{name: kept for name, kept in wanted.items() if name in known}, **options}
        files = found
    table: RowTable = (
        files[0] if len(files) == 1 and isinstance(files[0], QATable) else read_table(files, format, options)
    )
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}), and predictions are of questions.", field="format")
    return table


def models_of(given: Mapping[str, Any]) -> list[Predictions]:
    """Return the predictions of models: name -> file, or id -> answer in memory.

    Raises:
        CompsplitError: As its message says.
    """
    if not given:
        raise UsageError("No predictions are given.")
    return [
        predictions_of(each, name) if isinstance(each, Mapping) else read_predictions(_one(each), name)
        for name, each in given.items()
    ]


def metric_options_of(written: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return metric -> its options, of ``METRIC.KEY=VALUE`` texts.

    Raises:
        UsageError: A text is not of this form.
        CompsplitError: There is no such metric or option.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in written:
        form = "METRIC.KEY=VALUE, such as gqa-ood.alpha=0.5"
        key, value = key_and_value(each, form, "--metric-option")
        name, dot, option = key.partition(".")
        if not dot or not option:
            raise UsageError(f'"{each}" is not {form}.', field="--metric-option")
        found.setdefault(name, {})[option] = value
    return {name: plugin("metric", name).check(given, name) for name, given in found.items()}


def _one(given: Any) -> Input:
    if isinstance(given, Input):
        return given
    found = inputs([given])
    if len(found) != 1:
        raise UsageError(f"{Path(given).name} is an archive of {len(found)} files; name one: ARCHIVE//MEMBER.")
    return found[0]


def evaluated(
    data: QATable | Assigned,
    predictions: Sequence[Predictions],
    how: Evaluating,
    further: QATable | None = None,
) -> Evaluation:
    """Return what models' predictions score.

    Args:
        data: The rows that are scored, or rows with their parts.
        predictions: Of each model, under different names.
        how: How they are evaluated.
        further: More rows that only ``entailed`` lists speak of, such as GQA's all questions.

    Raises:
        CompsplitError: As its message says.
    """
    names = [each.name for each in predictions]
    if len(set(names)) < len(names):
        several = listed(sorted({name for name in names if names.count(name) > 1}))
        raise UsageError(f"Two models are called {several}; name them apart: NAME=FILE.")
    table, parts, notes = _with_parts(data, further)
    how.watch("joining predictions")
    wanted, more = _scored_rows(table, parts, predictions, how, table_rows=len(table) - _n_further(data, further))
    table, pair_scores = _pairs(table, parts, how, wanted)
    absent = dict(_NOT_GIVEN)
    choices = _choices(table, how, wanted)
    grounding = _grounding(table, how, wanted)
    if choices is not None:
        del absent["choices"]
    if grounding is not None:
        del absent["grounding"]
        notes += grounding.findings
    if "entailed" in table.lists:
        del absent["entailed"]
    if pair_scores is not None:
        del absent["pair_scores"]
    models: dict[str, Answered] = {}
    for each in predictions:
        found = joined(table, each, wanted, how.rules)
        notes += list(found.findings)
        models[each.name] = Answered(
            table=table, predictions=found.values, not_text=found.not_text, scored=found.scored,
            choices=choices, grounding=grounding, pair_scores=pair_scores, absent=absent,
        )  # fmt: skip
    further_columns, novel_facts, novel_notes = _breakdowns(table, parts, wanted, how)
    metrics = _metrics(how, next(iter(models.values())))
    units = Units.of(table)
    results = []
    for name, answered in models.items():
        how.watch(f"scoring {name}")
        results.append(scored(name, answered, metrics, further_columns, units, how.drawing))
    comparison = compared(results, list(models.values()), units, how.drawing) if len(results) > 1 else None
    findings = [*notes, *more, *novel_notes, *table.findings, *decided(table)]
    drawing = how.drawing
    told = {
        "metrics": [metric.name for metric, _ in metrics],
        "novelty": novel_facts,
        "intervals": described(units, drawing.replicates, drawing.seed, drawing.level) if drawing.replicates else None,
    }
    of_gqa = how.score == "balanced" and table.format == "gqa"
    how_scored = "scored, the balanced ones" if of_gqa else "scored"
    report = reported(table, int(wanted.sum()), results, comparison, findings, told, how_scored)
    return Evaluation(report, table, models, tuple(results), further_columns)


def _n_further(data: QATable | Assigned, further: QATable | None) -> int:
    if further is None:
        return 0
    known = set((data.table if isinstance(data, Assigned) else data).ids.tolist())
    return sum(name not in known for name in further.ids.tolist())


def _with_parts(data: QATable | Assigned, further: QATable | None) -> tuple[QATable, Column | None, list[Finding]]:
    """Return all rows, the part of each, and what is to be said of it."""
    notes: list[Finding] = []
    if isinstance(data, Assigned):
        table, part = data.table, Column(data.part_of_row.astype(np.int32), data.parts)
        notes += data.notes
    else:
        table, part = data, None
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}), and predictions are of questions.", field="format")
    if further is None:
        return table, part, notes
    known = set(table.ids.tolist())
    new = np.array([name not in known for name in further.ids.tolist()], dtype=bool)
    rest = further.keep(new, "is among the data", "questions of both files, taken once")
    rest = dataclasses.replace(rest, left_out=further.left_out)
    n = len(rest)
    notes.append(
        Finding(
            kind="further-questions",
            count=n,
            message=f"{counted(n, 'further question')} of --all-questions can be entailed; none of them is scored.",
        )
    )
    if not n:
        return table, part, notes
    whole = one_after_the_other({"scored": table, "further": rest})
    if part is not None:
        part = concatenated([part, Column.absent(n)])
    if not isinstance(whole, QATable):
        raise UsageError("Questions and further questions must both be questions.")
    return dataclasses.replace(whole, ids_repeat=table.ids_repeat), part, notes


def _scored_rows(
    table: QATable,
    parts: Column | None,
    predictions: Sequence[Predictions],
    how: Evaluating,
    table_rows: int,
) -> tuple[NDArray[np.bool_], list[Finding]]:
    """Return the rows that are scored, and what is to be said of those that are not."""
    wanted = np.arange(len(table)) < table_rows
    notes: list[Finding] = []
    balanced = table.columns.get("balanced") if table.format == "gqa" else None
    if balanced is not None and how.score == "balanced":
        lacking = wanted & (balanced.codes < 0)
        if lacking.any():
            n, first = int(lacking.sum()), min(table.ids[lacking].tolist())
            raise MissingFieldError(
                "isBalanced",
                [name for name, column in table.columns.items() if column.n_used],
                file=table.inputs[0].name if table.inputs else None,
                mend=f"{counted(n, 'question lacks', 'questions lack')} it (first: {first}), and only balanced "
                "questions are scored. Pass --score all to score every question",
            )
        is_balanced = np.array([name == "true" for name in balanced.names] + [False])[balanced.codes]
        n_other = int((wanted & ~is_balanced).sum())
        wanted = wanted & is_balanced
        if n_other:
            notes.append(
                Finding(
                    kind="not-balanced",
                    count=n_other,
                    message=f"{counted(n_other, 'question is', 'questions are')} not balanced and not scored.",
                )
            )
    if parts is not None:
        wanted = wanted & _in_parts(table, parts, predictions, how)
    answered = table.answers.codes >= 0
    without = wanted & ~answered
    if without.any():
        notes.append(
            Finding(
                kind="no-answer",
                count=int(without.sum()),
                first=tuple(sorted(table.ids[without].tolist())[:5]),
                message=f"{counted(int(without.sum()), 'row has', 'rows have')} no answer and "
                f"{'is' if without.sum() == 1 else 'are'} not scored.",
            )
        )
    wanted = wanted & answered
    if not wanted.any():
        raise UsageError(
            "No row is scored: none of those that were read "
            + ("is balanced and has" if balanced is not None and how.score == "balanced" else "has")
            + " an answer.",
            field="answer",
        )
    return wanted, notes


def _in_parts(table: QATable, parts: Column, predictions: Sequence[Predictions], how: Evaluating) -> NDArray[np.bool_]:
    names = list(parts.names)
    for name in how.parts:
        if name not in names:
            raise UnknownNameError("part", name, names)
    chosen = list(how.parts)
    if not chosen:
        predicted = np.zeros(len(table), dtype=bool)
        for each in predictions:
            predicted |= rows_with_predictions(table, each)
        held = np.bincount(parts.codes[predicted & (parts.codes >= 0)], minlength=len(names))
        chosen = [name for name, n in zip(names, held.tolist(), strict=True) if n]
    if not chosen:
        raise UsageError(f"No row of {listed(names)} has a prediction; ids are compared as text.", field="question_id")
    return np.isin(parts.codes, [names.index(name) for name in chosen])


def _pairs(
    table: QATable, parts: Column | None, how: Evaluating, wanted: NDArray[np.bool_]
) -> tuple[QATable, PairScores | None]:
    """Return the table with the column that says which pairs train shows, where ``czsl`` is asked for, and scores."""
    if "czsl" not in (*how.metrics, *how.options):
        if how.pair_scores is not None:
            raise UsageError(
                "Scores of pairs are for the metric czsl; ask for it: --metric czsl.", field="--pair-scores"
            )
        return table, None
    reference = how.reference or "train"
    if parts is None or reference not in parts.names:
        raise UsageError(
            "czsl tells pairs that train shows from those that it does not; say which rows are train: --train FILE, "
            "--split SPLIT or --part-column NAME.",
            field="--metric",
        )
    in_train = parts.codes == list(parts.names).index(reference)
    table = with_pair_seen(table, in_train)
    if how.pair_scores is None:
        return table, None
    how.watch("reading scores of pairs")
    needed = None if how.rules.allow_unjoined else wanted
    return table, read_pair_scores(how.pair_scores, table, pairs_shown(table, in_train), needed)


def _choices(table: QATable, how: Evaluating, wanted: NDArray[np.bool_]) -> Choices | None:
    if how.choices is None:
        return None
    how.watch("reading choices")
    return read_choices(how.choices, table.ids, None if how.rules.allow_unjoined else wanted)


def _grounding(table: QATable, how: Evaluating, wanted: NDArray[np.bool_]) -> Grounding | None:
    if how.attentions is None:
        return None
    if how.scenes is None:
        raise UsageError("Attention is held against objects of scenes; give them with --scenes FILE.", field="--scenes")
    how.watch("reading attention")
    return read_grounding(how.attentions, how.scenes, table, how.map_size, None if how.rules.allow_unjoined else wanted)


def _breakdowns(
    table: QATable, parts: Column | None, wanted: NDArray[np.bool_], how: Evaluating
) -> tuple[dict[str, Column], dict[str, Any], list[Finding]]:
    """Return what every headline is broken down by beside its own types: part, and novelty to the reference part."""
    if parts is None:
        return {}, {}, []
    columns = {"part": Column(np.where(wanted, parts.codes, -1).astype(np.int32), parts.names)}
    reference = how.reference or ("train" if "train" in parts.names else None)
    if reference is None:
        message = f"No part is called train; name the one that novelty is told from: {listed(parts.names)}."
        return columns, {}, [Finding(kind="no-reference", count=0, message=message)]
    if reference not in parts.names:
        raise UnknownNameError("part", reference, parts.names)
    how.watch("telling what is new")
    rows, reducer = extracted(how.recipe, table)
    in_reference = parts.codes == list(parts.names).index(reference)
    found = novelty(rows, in_reference)
    others = wanted & ~in_reference
    facts = {"reference": reference, "reducer": without_tables(reducer), "rows": int(others.sum())}
    n = int((wanted & in_reference).sum())
    message = f"{counted(n, 'scored row is', 'scored rows are')} of {reference} itself, and in no line of novelty."
    notes = [Finding(kind="reference-scored", count=n, message=message)] if n else []
    return {**columns, **found.columns(others)}, facts, notes


def _metrics(how: Evaluating, answered: Answered) -> list[tuple[Plugin, Mapping[str, Any]]]:
    """Return the metrics that are asked for, else those that fit and those that have options, with their options."""
    names = how.metrics or (*fitting(answered), *how.options)
    strangers = [name for name in how.options if name not in names]
    if strangers:
        raise UsageError(
            f"--metric-option {strangers[0]}.… is of a metric that is not asked for: {listed(names)}.",
            field="--metric-option",
        )
    found = [plugin("metric", name) for name in dict.fromkeys(names)]
    return [(metric, metric.check(how.options.get(metric.name, {}), metric.name)) for metric in found]

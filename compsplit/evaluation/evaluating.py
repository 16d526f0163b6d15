"""Evaluate predictions: join them to the rows, score them by named rules, break the scores down, compare models.

Decided: rows with an answer are scored, of GQA those that are balanced, as its official program does. Where rows have
parts, those parts are scored of which some row has a prediction. What was not given (choices, attention, the questions
that ``entailed`` names) leaves its metrics undefined, with the reason. Intervals are those of ``intervals``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UnknownNameError, UsageError, counted, listed
from compsplit.evaluation.comparing import compared
from compsplit.evaluation.intervals import Units, described
from compsplit.evaluation.novelty import novelty
from compsplit.evaluation.prediction_join import JoinRules, joined
from compsplit.evaluation.reporting import reported
from compsplit.evaluation.scored_rows import Score, scored_rows, unscored, with_parts
from compsplit.evaluation.scoring import Drawing, Found, fitting, scored
from compsplit.metrics.czsl import pairs_shown, with_pair_seen
from compsplit.model.answered import Answered, Choices, Grounding, PairScores
from compsplit.model.column import Column
from compsplit.model.report import Finding, Report
from compsplit.model.table import Input, QATable
from compsplit.readers.gqa_choices import read_choices
from compsplit.readers.gqa_grounding import read_grounding
from compsplit.readers.pair_scores import read_pair_scores
from compsplit.readers.predictions import Predictions
from compsplit.recipe.auditing import Assigned
from compsplit.recipe.joining import joined as one_after_the_other
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.reporting import decided, without_tables
from compsplit.recipe.running import Watch, extracted, no_watch
from compsplit.registry import Plugin, plugin

_PARTS = " --part names the parts that are scored; without it, those with a prediction are."

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
    score: Score = "balanced"
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


def evaluated(
    data: QATable | Assigned,
    predictions: Sequence[Predictions],
    how: Evaluating,
    *,
    further: QATable | None = None,
    train: QATable | None = None,
) -> Evaluation:
    """Return what models' predictions score.

    Args:
        data: The rows that are scored, or rows with their parts.
        predictions: Of each model, under different names.
        how: How they are evaluated.
        further: More rows that only ``entailed`` lists speak of, such as GQA's all questions.
        train: Rows that novelty is told from, which are never scored; instead of parts.

    Raises:
        CompsplitError: As its message says.
    """
    names = [each.name for each in predictions]
    if len(set(names)) < len(names):
        several = listed(sorted({name for name in names if names.count(name) > 1}))
        raise UsageError(f"Two models are called {several}; name them apart: NAME=FILE.")
    table, parts, notes, n_rows = with_parts(data, further)
    _refuse_unused(table, parts, train, how)
    how.watch("joining predictions")
    wanted, more = scored_rows(table, parts, predictions, how.score, how.parts, n_rows)
    shown, in_train = _shown(table, parts, train, how)
    table, pair_scores = _pairs(table, shown, how, wanted)
    absent = dict(_NOT_GIVEN)
    choices = _choices(table, how, wanted)
    grounding = _grounding(table, how, wanted)
    given = {"choices": choices, "grounding": grounding, "pair_scores": pair_scores}
    for name in (*(name for name, each in given.items() if each is not None), *table.lists):
        absent.pop(name, None)
    notes += () if grounding is None else grounding.findings
    hint = "" if parts is None or how.parts else _PARTS
    models: dict[str, Answered] = {}
    for each in predictions:
        found = joined(table, each, wanted, how.rules, hint)
        notes += [*found.findings, *unscored(table, each, found, wanted, parts)]
        models[each.name] = Answered(
            table=table, predictions=found.values, not_text=found.not_text, scored=found.scored, choices=choices,
            grounding=grounding, pair_scores=pair_scores, others=further is not None, absent=absent,
        )  # fmt: skip
    scored_by_any = np.logical_or.reduce([answered.scored for answered in models.values()])
    if not scored_by_any.any():
        raise UsageError("No row that is scored has a prediction; ids are compared as text.", field="question_id")
    further_columns, novel_facts, novel_notes = _breakdowns(table, parts, train, wanted, in_train, how)
    metrics = _metrics(how, next(iter(models.values())))
    units = Units.of(table, scored_by_any)
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
    report = reported(table, int(scored_by_any.sum()), results, comparison, findings, told, how_scored)
    return Evaluation(report, table, models, tuple(results), further_columns)


def _refuse_unused(table: QATable, parts: Column | None, train: QATable | None, how: Evaluating) -> None:
    """Refuse what is given and would be passed over in silence."""
    for option, given in (("--part", how.parts), ("--reference", how.reference)):
        if given and parts is None:
            raise UsageError(
                f"{option} is about parts, and the rows have none: say them with --split or --part-column.",
                field=option,
            )
    of_gqa = table.format == "gqa" or any(name.startswith("gqa-") for name in (*how.metrics, *how.options))
    for option, file in (("--choices", how.choices), ("--attentions", how.attentions)):
        if file is not None and not of_gqa:
            raise UsageError(
                f"{option} is for GQA's metrics, and the data are {table.format}. Name one: --metric gqa-official.",
                field=option,
            )


def _shown(
    table: QATable, parts: Column | None, train: QATable | None, how: Evaluating
) -> tuple[frozenset[str] | None, NDArray[np.bool_]]:
    """Return the answers that the reference part shows, None where there is none, and which of the rows are its."""
    if train is not None:
        return pairs_shown(train, np.ones(len(train), dtype=bool)), np.zeros(len(table), dtype=bool)
    reference = how.reference or "train"
    if parts is None or reference not in parts.names:
        return None, np.zeros(len(table), dtype=bool)
    in_train = parts.codes == list(parts.names).index(reference)
    return pairs_shown(table, in_train), in_train


def _pairs(
    table: QATable, shown: frozenset[str] | None, how: Evaluating, wanted: NDArray[np.bool_]
) -> tuple[QATable, PairScores | None]:
    """Return the table with the column that says which pairs train shows, where ``czsl`` is asked for, and scores."""
    if "czsl" not in (*how.metrics, *how.options):
        if how.pair_scores is not None:
            raise UsageError(
                "Scores of pairs are for the metric czsl; ask for it: --metric czsl.", field="--pair-scores"
            )
        return table, None
    if shown is None:
        raise UsageError(
            "czsl tells pairs that train shows from those that it does not; say which rows are train: --train FILE, "
            "--split SPLIT or --part-column NAME.",
            field="--metric",
        )
    table = with_pair_seen(table, shown)
    if how.pair_scores is None:
        return table, None
    how.watch("reading scores of pairs")
    needed = None if how.rules.allow_unjoined else wanted
    return table, read_pair_scores(how.pair_scores, table, shown, needed)


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
    table: QATable,
    parts: Column | None,
    train: QATable | None,
    wanted: NDArray[np.bool_],
    in_train: NDArray[np.bool_],
    how: Evaluating,
) -> tuple[dict[str, Column], dict[str, Any], list[Finding]]:
    """Return what every headline is broken down by beside its own types: part, and novelty to the reference part."""
    columns: dict[str, Column] = {}
    if parts is not None:
        columns["part"] = Column(np.where(wanted, parts.codes, -1).astype(np.int32), parts.names)
        if how.reference is not None and how.reference not in parts.names:
            raise UnknownNameError("part", how.reference, parts.names)
    if train is None and not in_train.any():
        if parts is None:
            return {}, {}, []
        message = f"No part is called train; name the one that novelty is told from: {listed(parts.names)}."
        return columns, {}, [Finding(kind="no-reference", count=0, message=message)]
    how.watch("telling what is new")
    # Rows of train in a file of their own stand behind the others: they are never among those that are scored.
    joint = table if train is None else one_after_the_other({"scored": table, "train": train})
    in_reference = in_train if train is None else np.arange(len(joint)) >= len(table)
    rows, reducer = extracted(how.recipe, joint)
    found = novelty(rows, in_reference).taken(np.arange(len(table)))
    others = wanted & ~in_train
    reference = how.reference or "train"
    facts = {"reference": reference, "reducer": without_tables(reducer), "rows": int(others.sum())}
    n = int((wanted & in_train).sum())
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

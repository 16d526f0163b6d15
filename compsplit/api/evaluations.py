"""Evaluate predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from compsplit.errors import OptionValueError, UsageError
from compsplit.evaluation.evaluating import Evaluating, Evaluation, evaluated
from compsplit.evaluation.intervals import LEVEL, REPLICATES
from compsplit.evaluation.prediction_join import JoinRules, Missing, Repeated
from compsplit.evaluation.reading import lists_of, metric_options_of, models_of, read_answered, reads_programs
from compsplit.evaluation.rows import as_csv, columns_of
from compsplit.evaluation.scored_rows import Score
from compsplit.evaluation.scoring import Drawing
from compsplit.model.report import Report
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.auditing import (
    Assigned,
    parts_of_column,
    parts_of_lists,
)
from compsplit.recipe.id_lists import SplitLists
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.running import Watch, no_watch
from compsplit.report import markdown

if TYPE_CHECKING:
    import pandas
from compsplit.api.given import recipe_named, several, split_named


class Evaluated:
    """Predictions that were evaluated: the report, and what can be written of it."""

    def __init__(self, found: Evaluation, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> None:
        self._found = found
        self._files = files
        self._asked = asked

    def __repr__(self) -> str:
        return f"Evaluated({self.report.verdict})"

    @property
    def report(self) -> Report:
        """All measures, tables and findings."""
        return self._found.report

    def to_frame(self) -> pandas.DataFrame:
        """Return every scored row with its answer, predictions and scores as a pandas table."""
        import pandas

        head, rows = columns_of(self._found)
        return pandas.DataFrame(list(rows), columns=head)

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md, rows.csv (every scored row) and manifest.json to a folder."""
        made_from = {
            use: inputs([file for file in files if isinstance(file, str | Path)]) for use, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report), "rows.csv": as_csv(self._found)},
        )  # fmt: skip


def evaluate(
    data: Any,
    predictions: Any,
    *,
    train: Any = None,
    split: SplitLists | None = None,
    part_column: str | None = None,
    parts: Sequence[str] = (),
    reference: str | None = None,
    all_questions: Any = None,
    choices: str | Path | None = None,
    scenes: str | Path | None = None,
    attentions: str | Path | None = None,
    map_size: int = 7,
    pair_scores: str | Path | None = None,
    metrics: Sequence[str] = (),
    metric_options: Sequence[str] = (),
    score: Score = "balanced",
    missing: Missing = "stop",
    repeated: Repeated = "stop",
    allow_unjoined: bool = False,
    join_zeros: bool = False,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    seed: int = 0,
    recipe: str | Recipe | None = None,
    settings: Sequence[str] = (),
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Evaluated:
    """Return what predictions score: by the official rule of the data, by type, by part, by novelty, with intervals.

    Args:
        data: File, files or table of questions with answers.
        predictions: A file, or id -> answer; or, of several models, name -> such.
        train: File, files or table of the questions that the model was trained on: novelty is told from them.
        split: A folder that ``run`` wrote, or an id list, that says each row's part.
        part_column: The column that says it.
        parts: The parts that are scored; those with predictions without it.
        reference: The part that novelty is told from; train without it.
        all_questions: Further questions that ``entailed`` lists speak of.
        choices: GQA's valid and plausible answers.
        scenes: Scene graphs, for grounding.
        attentions: Attention maps, for grounding.
        map_size: Cells of a map along each side.
        pair_scores: What each row's pairs score, for the metric czsl.
        metrics: Names; those that fit the data without it.
        metric_options: ``METRIC.KEY=VALUE``, such as ``gqa-ood.alpha=0.5``.
        score: ``"all"`` scores GQA's unbalanced questions, too.
        missing: Scored rows without a prediction: ``"stop"``, ``"wrong"`` or ``"leave-out"``.
        repeated: Several predictions of a row: ``"stop"`` or ``"last"``.
        allow_unjoined: Leave predictions of no row out, and count them.
        join_zeros: Join ids that lack leading zeros.
        replicates: Draws of the bootstrap; 0 for no interval.
        level: The share of draws inside an interval.
        seed: Of the draws.
        recipe: Says how questions are reduced, for novelty.
        settings: ``section.key=value`` overrides of the recipe.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options.

    Raises:
        PredictionsError: Predictions and rows do not fit.
        CompsplitError: As its message says.
    """
    if sum(each is not None for each in (train, split, part_column)) > 1:
        raise UsageError("Say parts in one way: train, split or part_column.")
    for option, value, known in (
        ("missing", missing, get_args(Missing)),
        ("repeated", repeated, get_args(Repeated)),
        ("score", score, get_args(Score)),
    ):
        if value not in known:
            raise OptionValueError(option, value, f"one of {', '.join(known)}")
    for option, number, least in (("replicates", replicates, 0), ("map_size", map_size, 1), ("seed", seed, None)):
        if type(number) is not int or (least is not None and number < least):
            raise OptionValueError(option, number, "a whole number" + ("" if least is None else f" from {least} on"))
    if not 0 < level < 1:
        raise OptionValueError("level", level, "a number between 0 and 1")
    if (recipe is not None or settings) and train is None and split is None and part_column is None:
        raise UsageError(
            "A recipe says how questions are reduced, which only novelty needs: give --train, --split or "
            "--part-column.",
            field="--recipe",
        )
    models = predictions if isinstance(predictions, Mapping) and _names_models(predictions) else {"": predictions}
    named = {name or _model_name(given): given for name, given in models.items()}
    watch("reading predictions")
    read_models = models_of(named)
    how = Evaluating(
        metrics=tuple(metrics),
        options=metric_options_of(metric_options),
        rules=JoinRules(missing=missing, repeated=repeated, allow_unjoined=allow_unjoined, join_zeros=join_zeros),
        score=score,
        parts=tuple(parts),
        reference=reference,
        drawing=Drawing(replicates=replicates, seed=seed, level=level),
        recipe=recipe_named(recipe, settings),
        choices=None if choices is None else inputs([choices])[0],
        attentions=None if attentions is None else inputs([attentions])[0],
        scenes=None if scenes is None else inputs([scenes])[0],
        map_size=map_size,
        pair_scores=None if pair_scores is None else inputs([pair_scores])[0],
        watch=watch,
    )
    watch("reading")
    files = {"data": several(data)}
    asked_for = (*how.metrics, *how.options)
    keeping: dict[str, Any] = {
        "lists": lists_of(asked_for, attentions is not None),
        "programs": reads_programs(asked_for),
        "allow_unjoined": allow_unjoined,
    }
    table = read_answered(files["data"], format, options, **keeping)
    rows: QATable | Assigned = table
    if split is not None:
        rows = parts_of_lists(table, split, allow_unjoined=allow_unjoined)
    elif part_column is not None:
        rows = parts_of_column(table, part_column)
    shown_in_training = further = None
    if train is not None:
        files["train"] = several(train)
        shown_in_training = read_answered(files["train"], None, options, (), allow_unjoined=allow_unjoined)
    if all_questions is not None:
        files["all questions"] = several(all_questions)
        further = read_answered(files["all questions"], format, options, **keeping)
    found = evaluated(rows, read_models, how, further=further, train=shown_in_training)
    given_files = {
        "choices": choices, "scenes": scenes, "attentions": attentions, "pair scores": pair_scores, "split": split
    }  # fmt: skip
    for use, given in given_files.items():
        if isinstance(given, str | Path) and Path(given).is_file():
            files[use] = [given]
    files |= {f"predictions of {name}": [given] for name, given in named.items() if isinstance(given, str | Path)}
    asked = {
        "metrics": list(metrics),
        "metric_options": {name: dict(own) for name, own in how.options.items()},
        "parts": list(parts),
        "reference": reference,
        "score": score,
        "missing": missing,
        "repeated": repeated,
        "allow_unjoined": allow_unjoined,
        "join_zeros": join_zeros,
        "part_column": part_column,
        "split": split_named(split),
        "map_size": map_size,
        "intervals": {"replicates": replicates, "level": level, "seed": seed},
        "format": format,
        "recipe": dict(how.recipe.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }
    return Evaluated(found, files, asked)


def _names_models(given: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping is name -> predictions, and not id -> answer."""
    return bool(given) and all(
        isinstance(each, Path | Mapping) or (isinstance(each, str) and Path(each.partition("//")[0]).is_file())
        for each in given.values()
    )


def _model_name(given: Any) -> str:
    return inputs([given])[0].source if isinstance(given, str | Path) else "predictions"

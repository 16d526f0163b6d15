"""What a notebook needs: read, split, run, audit, describe, verify and reduce, with the numbers of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from compsplit.balancing.balancing import Balance, BalancePlan, balance_recipe, balance_table, type_shares
from compsplit.balancing.bounds import Bounds, exact
from compsplit.balancing.folder import write_balance
from compsplit.describing.entailed_rows import entailed_file
from compsplit.describing.entailing import Entailing, derive_questions
from compsplit.describing.profiling import Tagging, profile_tables, speech_of
from compsplit.describing.program_rows import check_rows_file, write_rows
from compsplit.describing.programs import DescribedPrograms, described_programs
from compsplit.describing.questions import describe_table
from compsplit.describing.scenes import describe_scenes
from compsplit.errors import UsageError
from compsplit.evaluation.evaluating import (
    Evaluating,
    Evaluation,
    evaluated,
    metric_options_of,
    models_of,
    read_answered,
)
from compsplit.evaluation.intervals import LEVEL, REPLICATES
from compsplit.evaluation.prediction_join import JoinRules, Missing, Repeated
from compsplit.evaluation.rows import as_csv, columns_of
from compsplit.evaluation.scoring import Drawing
from compsplit.files import check_free_file, new_folder, text_of
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import Input, QATable
from compsplit.probing.divisions import Saying, divided, order_of
from compsplit.probing.files import probe_files
from compsplit.probing.probing import ProbedRows, Probing, answerable, named_probes, probed, read_questions
from compsplit.probing.reporting import reported as probe_report
from compsplit.programs.entailment import LIMIT
from compsplit.programs.vocabulary import Vocabulary, common_words
from compsplit.readers import detected, inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.auditing import (
    Assigned,
    Audit,
    Plan,
    audit_assigned,
    audit_random,
    parts_of_column,
    parts_of_files,
    parts_of_lists,
    random_shares,
)
from compsplit.recipe.folder import write_folder
from compsplit.recipe.id_lists import SplitLists, list_files
from compsplit.recipe.pair_table import write_pair_table
from compsplit.recipe.parsing import Recipe, Setting, from_mapping, load
from compsplit.recipe.promises import Promise
from compsplit.recipe.readings import readings_of
from compsplit.recipe.running import Run, Watch, no_watch, overriding, read_table, run_on_table, run_recipe
from compsplit.recipe.scene_join import join_scenes
from compsplit.recipe.several import are_splits, run_each
from compsplit.recipe.thresholds import MinCount
from compsplit.recipe.verifying import verify_folder
from compsplit.reducers.tagging import Tagger, installed_pipeline
from compsplit.registry import plugin
from compsplit.report import markdown, read_report
from compsplit.writers.scenes import write_scenes

if TYPE_CHECKING:
    import pandas


def read(*files: Any, format: str | None = None, **options: Any) -> RowTable:
    """Return the questions or scenes of files, or of one pandas or Arrow table.

    Args:
        files: Paths, or one table.
        format: Name of a reader; the content decides if it is not given.
        options: The reader's options, such as ``id_scope="file"`` or ``columns={"answer": "label"}``.
    """
    return read_table(files, format, options)


def run(
    recipe: str | Recipe,
    *files: Any,
    out: str | Path | None = None,
    force: bool = False,
    settings: Sequence[str] = (),
    seed: int | None = None,
    share: Mapping[str, Any] | None = None,
    by: str | None = None,
    format: str | None = None,
    plan: bool = False,
    watch: Watch = no_watch,
    **options: Any,
) -> Run:
    """Run a recipe on files (or one table) and return everything that it made.

    Args:
        recipe: Name or path of a recipe, or a recipe.
        files: As for ``read``; a table that was read already will do, too.
        out: Folder to write; nothing is written without one.
        force: Replace an older folder.
        settings: ``section.key=value`` overrides.
        seed: Seed of the order, in place of the recipe's.
        share: Part -> share, such as ``{"test": 0.3}``; train takes the rest.
        by: What stays together: question-answer, row, image or any column.
        format: Name of a reader.
        plan: Ask the writer whether it could write the split, though nothing is written.
        watch: Told each stage.
        options: The reader's options.
    """
    shares = [f"{part}={fraction}" for part, fraction in (share or {}).items()]
    overrides = overriding(settings, seed=seed, share=shares, by=by)
    if overrides and not isinstance(recipe, str):
        raise UsageError("Settings, seed, share and by belong to a recipe that is named; this one is loaded already.")
    loaded = load(recipe, overrides) if isinstance(recipe, str) else recipe
    if len(files) == 1 and isinstance(files[0], QATable | SceneTable):
        made = run_on_table(loaded, files[0], watch, writes=plan or out is not None)
    else:
        writes = plan or out is not None
        made = run_recipe(loaded, files, format=format, options=options, watch=watch, writes=writes)
    if out is not None:
        write_folder(made, Path(out), force=force, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
    else:
        watch("auditing")
        # A check that names no measure is an error of this call, not of whoever looks at the report first.
        made.report  # noqa: B018  # made here, and kept
    return made


def run_several(
    recipes: Mapping[str, Recipe],
    *files: Any,
    out: str | Path | None = None,
    force: bool = False,
    format: str | None = None,
    plan: bool = False,
    watch: Watch = no_watch,
    **options: Any,
) -> dict[str, Report]:
    """Run several recipes on the same files, such as one with several seeds, and return their reports by name.

    Args:
        recipes: Name -> recipe, such as ``recipe.several.variants`` makes.
        files: As for ``read``.
        out: Folder to write, with a folder of that name for each; nothing is written without one.
        force: Replace an older folder of such splits.
        format: Name of a reader.
        plan: Ask the writer whether it could write the splits, though nothing is written.
        watch: Told each stage.
        options: The reader's options.
    """
    each = run_each(recipes, files, format=format, options=options, watch=watch, writes=plan or out is not None)
    if out is None:
        return {name: made.report for name, made in each}
    reports = {}
    with new_folder(Path(out), force, are_splits) as folder:
        for name, made in each:
            write_folder(made, folder / name, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
            reports[name] = made.report
    return reports


def split(
    *files: Any, method: str = "agrawal2017_cvqa", settings: Sequence[str] = (), **options: Any
) -> dict[str, list[str]]:
    """Return the ids of each part that a recipe makes; further options are those of ``run``."""
    return run(method, *files, settings=settings, **options).parts


class Audited:
    """An audit that was made: its report, and what can be written of it."""

    def __init__(self, found: Audit, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> None:
        self._found = found
        self._files = files
        self._asked = asked

    def __repr__(self) -> str:
        return f"Audited({self.report.verdict})"

    @property
    def report(self) -> Report:
        """All measures, tables and findings."""
        return self._found.report

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md and manifest.json (inputs with checksums, options, versions) to a folder."""
        made_from = {
            use: inputs([file for file in files if isinstance(file, str | Path)]) for use, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report)},
        )  # fmt: skip

    def write_pairs(self, path: str | Path, *, force: bool = False) -> int:
        """Write every pair of object classes with its counts in each part to a Parquet file; return how many."""
        return write_pair_table(self._found.rows, self._found.split, Path(path), force=force)


def audit(parts: Mapping[str, Any] | Any, **how: Any) -> Report:
    """Return the report of parts that exist already, or of random ones; the options are those of ``measure``."""
    return measure(parts, **how).report


def earlier_report(path: str | Path) -> Mapping[str, Any]:
    """Return a report that an audit printed or wrote.

    Raises:
        UsageError: The file holds none.
    """
    return read_report(Path(path))


def _table(given: Sequence[Any], format: str | None, options: Mapping[str, Any]) -> RowTable:
    return given[0] if isinstance(given[0], QATable | SceneTable) else read_table(given, format, options)


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def measure(
    parts: Mapping[str, Any] | Any,
    *,
    part_column: str | None = None,
    split: SplitLists | None = None,
    random_splits: int | None = None,
    share: Mapping[str, Any] | None = None,
    by: str | None = None,
    scenes: Any = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    readings: Mapping[str, Any] | Sequence[str] = (),
    further: Sequence[str] = (),
    min_count: int | str | None = None,
    subsample: int | None = None,
    format: str | None = None,
    recipe: str | Recipe | None = None,
    of: Sequence[str] = (),
    settings: Sequence[str] = (),
    watch: Watch = no_watch,
    **options: Any,
) -> Audited:
    """Return what was measured of parts that exist already, or of random ones: a report that can be written.

    Args:
        parts: Part -> file, files or table; or one file or table with ``part_column``, ``split`` or ``random_splits``.
        part_column: The column that names each row's part.
        split: A folder that ``run`` wrote, an id list, or part -> file of ids, that says each row's part.
        random_splits: Number of random splits to measure; 5 is usual.
        share: Part -> share of the units in a random split; test 0.3 and train the rest without it.
        by: What random splits keep together (row, or a column such as image), or what ``split`` lists instead of ids.
        scenes: The scenes of questions: file, files or table.
        reference: The part that others are held against: train, else the first.
        checks: Bounds, such as ``"avg-co-pair <= 5"``.
        readings: Options of audits, ``{"same_class": "out"}`` or ``{"avg-co-pair.unit": "classes"}``.
        further: Audits that do not run by default, such as ``"adversarial"``.
        min_count: Least count of an object class, ``3`` or ``"3,unit=images,counted=all"``.
        subsample: At most so many rows of each part, for a first look.
        format: Name of a reader.
        recipe: Says how questions are reduced, what is extracted and what is checked.
        of: Extractors; those that fit the data without it.
        settings: ``section.key=value`` overrides of the recipe.
        watch: Told each stage.
        options: The reader's options.
    """
    plan = Plan(
        recipe=_audit_recipe(recipe, of, settings),
        reference=reference,
        checks=tuple(checks),
        readings=readings_of(readings),
        further=tuple(further),
        min_count=None if min_count is None else MinCount.parse(str(min_count)),
        subsample=subsample,
        allow_unjoined=bool(options.get("allow_unjoined", False)),
        watch=watch,
    )
    if sum(each is not None for each in (part_column, split, random_splits)) > 1:
        raise UsageError("Say parts in one way: by files, part_column, split or random_splits.")
    asked = {
        "part_column": part_column,
        "random_splits": random_splits,
        "share": {part: str(value) for part, value in (share or {}).items()},
        "by": by,
        "reference": reference,
        "checks": list(checks),
        "readings": plan.readings,
        "further": list(further),
        "min_count": None if min_count is None else str(min_count),
        "subsample": subsample,
        "format": format,
        "recipe": dict(plan.recipe.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }
    watch("reading")
    known = _scenes(scenes, options)
    if isinstance(parts, Mapping):
        files = {part: _several(given) for part, given in parts.items()}
        found = audit_assigned(parts_of_files(files, format=format, options=options), plan, known)
    else:
        files = {"all": _several(parts)}
        given = files["all"]
        # The table is handed on and not kept: what is extracted of it stands for it.
        if part_column is not None:
            found = audit_assigned(parts_of_column(_table(given, format, options), part_column), plan, known)
        elif split is not None:
            # The option is about the lists here; most readers have nothing to join.
            reading = {name: value for name, value in options.items() if name != "allow_unjoined"}
            found = audit_assigned(
                parts_of_lists(_table(given, format, reading), split, by, allow_unjoined=plan.allow_unjoined),
                plan,
                known,
            )
        elif random_splits is not None:
            shares, unit = random_shares(share), by or "row"
            found = audit_random(
                _table(given, format, options), plan, n_splits=random_splits, shares=shares, by=unit, scenes=known
            )
        else:
            raise UsageError("Say which row is in which part: {part: file}, part_column, split, or random_splits.")
    if scenes is not None:
        files["scenes"] = _several(scenes)
    return Audited(found, files, asked)


def _audit_recipe(recipe: str | Recipe | None, of: Sequence[str], settings: Sequence[str]) -> Recipe:
    overrides: list[str | Setting] = [*settings, *([Setting("extract.of", list(of), "--of")] if of else [])]
    if isinstance(recipe, Recipe):
        if overrides:
            raise UsageError("Settings belong to a recipe that is named; this one is loaded already.")
        return recipe
    return load(recipe, overrides) if recipe else from_mapping("audit", {"title": "Audit"}, overrides)


def _scenes(given: Any, options: Mapping[str, Any]) -> SceneTable | None:
    """Return the scenes of questions, with the ids of their objects where their reader keeps them."""
    if given is None or isinstance(given, SceneTable):
        return given
    found = inputs(_several(given))
    reader = plugin("reader", detected(found))
    table = reader.make(found, **({"keep_object_ids": True} if "keep_object_ids" in reader.options else {}))
    if not isinstance(table, SceneTable):
        raise UsageError(f"{found[0].name} holds no scenes; it looks like {reader.name}.", file=found[0].name)
    return table


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
    score: Literal["balanced", "all"] = "balanced",
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
    if replicates < 0 or not 0 < level < 1:
        raise UsageError(f"An interval needs draws and a level between 0 and 1, got {replicates} and {level}.")
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
        recipe=_recipe_named(recipe, settings),
        choices=None if choices is None else inputs([choices])[0],
        attentions=None if attentions is None else inputs([attentions])[0],
        scenes=None if scenes is None else inputs([scenes])[0],
        map_size=map_size,
        pair_scores=None if pair_scores is None else inputs([pair_scores])[0],
        watch=watch,
    )
    watch("reading")
    files = {"data": _several(data)}
    table = read_answered(files["data"], format, options)
    rows: QATable | Assigned = table
    if train is not None:
        files["train"] = _several(train)
        rows = parts_of_files({"train": [read_answered(files["train"], format, options)], "test": [table]})
    elif split is not None:
        rows = parts_of_lists(table, split, allow_unjoined=allow_unjoined)
    elif part_column is not None:
        rows = parts_of_column(table, part_column)
    further = None
    if all_questions is not None:
        files["all questions"] = _several(all_questions)
        further = read_answered(files["all questions"], format, options)
    found = evaluated(rows, read_models, how, further)
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
        "map_size": map_size,
        "intervals": {"replicates": replicates, "level": level, "seed": seed},
        "format": format,
        "recipe": dict(how.recipe.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }
    return Evaluated(found, files, asked)


def _recipe_named(recipe: str | Recipe | None, settings: Sequence[str]) -> Recipe:
    """Return the recipe that says how questions are reduced; the default reduction without one."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe is not None:
        return load(recipe, list(settings))
    return from_mapping("evaluate", {"title": "Evaluation"}, list(settings))


def _names_models(given: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping is name -> predictions, and not id -> answer."""
    return bool(given) and all(
        isinstance(each, Path | Mapping) or (isinstance(each, str) and Path(each).is_file()) for each in given.values()
    )


def _model_name(given: Any) -> str:
    return inputs([given])[0].source if isinstance(given, str | Path) else "predictions"


def convert(
    *files: Any,
    out: str | Path,
    force: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> SceneTable:
    """Write scenes of any format as compsplit's own JSON lines, and return them.

    Args:
        files: As for ``read``; scenes that were read already will do, too.
        out: File to write.
        force: Replace what is there.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options; ids of objects are kept where the reader can.

    Raises:
        UsageError: The files hold questions.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    path = Path(out)
    check_free_file(path, force)
    watch("reading")
    if len(files) == 1 and isinstance(files[0], SceneTable):
        table: RowTable = files[0]
    else:
        if files and all(isinstance(file, str | Path) for file in files):
            files = inputs(files)
            format = format or detected(files)
            if "keep_object_ids" in plugin("reader", format).options:
                options = {"keep_object_ids": True, **options}
        table = read_table(files, format, options)
    if not isinstance(table, SceneTable):
        raise UsageError(f"The files hold questions ({table.format}); only scenes can be converted.", field="format")
    watch("writing")
    write_scenes(table, path, force=force)
    return table


def describe(*files: Any, format: str | None = None, watch: Watch = no_watch, **options: Any) -> Report:
    """Return what is in one data set, and what is odd about it."""
    watch("reading")
    given = len(files) == 1 and isinstance(files[0], QATable | SceneTable)
    table = files[0] if given else read_table(files, format, options)
    if isinstance(table, SceneTable):
        return describe_scenes(table, watch=watch)
    return describe_table(table, watch=watch)


class Profiled:
    """A profile that was made: its report, and what can be written of it."""

    def __init__(self, report: Report, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> None:
        self.report = report
        self._files = files
        self._asked = asked

    def __repr__(self) -> str:
        return f"Profiled({self.report.verdict})"

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md and manifest.json (inputs with checksums, options, versions) to a folder."""
        made_from = {
            name: inputs([file for file in files if isinstance(file, str | Path)])
            for name, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report)},
        )  # fmt: skip


def profile(
    sets: Mapping[str, Any],
    *,
    tagger: str = "auto",
    tags: Sequence[str] = (),
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Profiled:
    """Return how the questions of one data set are made, or of two side by side.

    Args:
        sets: Name -> file, files or table of a data set; at most two.
        tagger: A spaCy pipeline, by name or folder, for parts of speech; ``"auto"`` takes an installed English one, and
            leaves those figures undefined where there is none; ``"none"`` takes none.
        tags: ``KIND=TAG,TAG``: what counts as verbs, nouns, adjectives or prepositions, such as ``"verbs=VERB"``.
        format: Name of a reader; the content decides for each data set if it is not given.
        watch: Told each stage.
        options: Options of the readers; each goes to the readers that have it.

    Raises:
        ResourceError: A pipeline that is named is not there.
        UsageError: A data set holds scenes, or no question.
    """
    kinds = speech_of(tags)
    name = installed_pipeline() if tagger == "auto" else tagger
    if tagger == "none":
        tagging = Tagging.turned_off()
    else:
        tagging = Tagging(tagger=None if name is None else Tagger(name), kinds=kinds)
    files = {each: _several(given) for each, given in sets.items()}
    watch("reading")
    tables = {each: _questions(each, given, format, options, len(files)) for each, given in files.items()}
    asked = {
        "tagger": tagger,
        "tags": {kind: ", ".join(found) for kind, found in kinds.items()},
        "format": format,
        "read": {option: str(value) for option, value in sorted(options.items())},
    }
    return Profiled(profile_tables(tables, tagging, watch=watch), files, asked)


def _questions(name: str, given: Sequence[Any], format: str | None, options: Mapping[str, Any], n_sets: int) -> QATable:
    """Return the questions of a data set; of two, a reader takes the options that it has."""
    taken = dict(options)
    if n_sets > 1 and options and all(isinstance(file, str | Path) for file in given):
        reader = plugin("reader", format or detected(inputs(given)))
        taken = {option: value for option, value in options.items() if option in reader.options}
    table = _table(given, format, taken)
    if isinstance(table, SceneTable):
        raise UsageError(f"{name} holds scenes ({table.format}); a profile is of questions.")
    return table


def balance(
    *files: Any,
    out: str | Path | None = None,
    force: bool = False,
    bound: Any = "1",
    r_min: Any = "0.5",
    r_max: Any = "0.9",
    head: Any = "0.2",
    floor: int = 1,
    levels: Sequence[str] | None = None,
    groups: str | None = None,
    global_column: str | None = None,
    local_column: str | None = None,
    answers: str = "exact",
    near_repeats: bool = True,
    types: Sequence[str] = (),
    tolerance: Any = "0.01",
    rounds: int | None = None,
    seed: int | None = None,
    settings: Sequence[str] = (),
    format: str | None = None,
    plan: bool = False,
    watch: Watch = no_watch,
    **options: Any,
) -> Balance:
    """Throw rows away so that the answers of each group are spread more evenly, and return all that was found out.

    Args:
        files: As for ``read``, all together; a table that was read already will do, too.
        out: Folder to write; nothing is written without one.
        force: Replace an older folder.
        bound: Most rows of the head for each row of the tail, at the end of the head and before.
        r_min: Least ratio of a head answer's next neighbour to it.
        r_max: Most that this ratio may become, where it was lower.
        head: Share of the different answers that is the head.
        floor: Rows that an answer keeps, or all that it has.
        levels: ``"global"`` and ``"local"`` in the order of their turns; those that have labels without it.
        groups: Where labels come from: ``"labels"`` (GQA's own), ``"program"`` or ``"question"``.
        global_column: The column of global groups, or several as ``a+b``.
        local_column: The column of local groups, or several as ``a+b``.
        answers: Whether answers are compared ``"exact"`` or ``"normalised"``.
        near_repeats: Whether rows are dropped that ask an image what another row asks it.
        types: Shares of types, as ``"structural:query=0.53"``.
        tolerance: How far shares of types may be from what is asked.
        rounds: At most so many; without it, until one changes nothing.
        seed: Seed of the order; 0 without it.
        settings: ``section.key=value`` of the sections reduce and write.
        format: Name of a reader.
        plan: Ask the writer whether it could write the rows, though nothing is written.
        watch: Told each stage.
        options: The reader's options.
    """
    named = {"global": global_column, "local": local_column}
    asked = BalancePlan(
        bounds=Bounds(bound=bound, r_min=r_min, r_max=r_max, head=head, floor=floor),
        levels=None if levels is None else tuple(levels),
        groups=groups,
        columns={level: column for level, column in named.items() if column is not None},
        answers=answers,
        near_repeats=near_repeats,
        types=type_shares(types),
        tolerance=exact("tolerance", tolerance, "a share from 0 to below 1, such as 0.01"),
        rounds=rounds,
        recipe=balance_recipe(settings, seed),
    )
    watch("reading")
    given = len(files) == 1 and isinstance(files[0], QATable | SceneTable)
    reading = {**asked.recipe.read_options, **options}
    table = files[0] if given else read_table(files, format or asked.recipe.format, reading)
    # How many files are read at a time shows in no result.
    reading = {name: value for name, value in reading.items() if name != "threads"}
    made = balance_table(table, asked, read_options=reading, writes=plan or out is not None, watch=watch)
    if out is not None:
        write_balance(made, Path(out), force=force, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
    return made


def describe_programs(
    *files: Any,
    scenes: Any = None,
    vocabulary: str | Path | None = None,
    out: str | Path | None = None,
    force: bool = False,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> DescribedPrograms:
    """Return what the programs of questions say: types, steps, labels, equivalents, and answers on scenes.

    Args:
        files: As for ``read``; a table that was read already will do, too.
        scenes: Files of the images' scenes, or scenes; each program is answered on its scene.
        vocabulary: File of kinds, classes and converses, beside our own tables.
        out: File to write, one line a question: ``.csv`` or ``.jsonl``.
        force: Replace what is there.
        allow_unjoined: Whether questions may be about images without a scene.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options; lists, and ids of objects where there are scenes, are kept where it can.

    Raises:
        UsageError: No question has a program, or questions have no scene.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    if out is not None:
        check_rows_file(Path(out), force)
    table, known, words = _programs_read(files, scenes, vocabulary, format, watch, options)
    found = described_programs(table, known, words=words, allow_unjoined=allow_unjoined, watch=watch)
    if out is not None:
        watch("writing")
        write_rows(found, Path(out), force=force)
    return found


def entail(
    *files: Any,
    mode: str = "match",
    scenes: Any = None,
    vocabulary: str | Path | None = None,
    limit: int = LIMIT,
    closed: Sequence[str] = (),
    out: str | Path | None = None,
    force: bool = False,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Report:
    """Return what the rules of entailment derive from questions with their answers, and how far the data agree.

    Args:
        files: As for ``describe_programs``.
        mode: ``"match"`` derives questions that the data have about the image, ``"generate"`` makes them.
        scenes: Files of the images' scenes, or scenes; each derived question is answered on its scene.
        vocabulary: File of kinds, classes and relations, beside our own tables; its ``exclusive`` kinds have one value.
        limit: Derived questions at most, of one question.
        closed: Kinds with two values of which a thing always has one: no to one is yes to the other.
        out: File to write, one line a derived question: ``.csv`` or ``.jsonl``.
        force: Replace what is there.
        allow_unjoined: Whether questions may be about images without a scene.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options.

    Raises:
        UsageError: No question has a program, or questions have no scene.
        OptionValueError: ``mode`` or ``limit`` cannot be.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    asked = Entailing(mode, limit, frozenset(closed))
    if out is not None:
        check_rows_file(Path(out), force)
    table, known, words = _programs_read(files, scenes, vocabulary, format, watch, options)
    join = None if known is None else join_scenes(table, known, allow_unjoined=allow_unjoined)
    if out is None:
        return derive_questions(table, join, words, asked, watch=watch)
    with entailed_file(Path(out), force=force) as write:
        return derive_questions(table, join, words, asked, write=write, watch=watch)


def _programs_read(
    files: Sequence[Any],
    scenes: Any,
    vocabulary: str | Path | None,
    format: str | None,
    watch: Watch,
    options: Mapping[str, Any],
) -> tuple[QATable, SceneTable | None, Vocabulary]:
    """Return questions with their lists, and with the ids of objects where there are scenes; scenes; and words."""
    words = common_words()
    if vocabulary is not None:
        path = Path(vocabulary)
        words = words.with_file(text_of(Input(path, path.stem)), path.name)
    watch("reading")
    known = _scenes(scenes, options)
    if len(files) == 1 and isinstance(files[0], QATable):
        table: RowTable = files[0]
    else:
        if files and all(isinstance(file, str | Path) for file in files):
            files = inputs(files)
            format = format or detected(files)
            wanted = {"keep_lists": True, **({"keep_object_ids": True} if known is not None else {})}
            kept = plugin("reader", format).options
            options = {**{name: value for name, value in wanted.items() if name in kept}, **options}
        table = read_table(files, format, options)
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}); programs are of questions.", field="format")
    return table, known, words


class Probed:
    """A split that was probed: the report, and what can be written of it."""

    def __init__(
        self, found: ProbedRows, report: Report, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]
    ) -> None:
        self._found = found
        self._files = files
        self._asked = asked
        self.report = report

    def __repr__(self) -> str:
        return f"Probed({self.report.verdict})"

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md, predictions and difficulty as CSV, and manifest.json to a folder."""
        made_from = {
            use: inputs([file for file in files if isinstance(file, str | Path)]) for use, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report), **probe_files(self._found)},
        )  # fmt: skip


def probe(
    *files: Any,
    split: SplitLists | None = None,
    by: str | None = None,
    part_column: str | None = None,
    recipe: str | Recipe | None = None,
    settings: Sequence[str] = (),
    reference: str | None = None,
    part: str | None = None,
    original: SplitLists | None = None,
    original_by: str | None = None,
    original_column: str | None = None,
    original_part: str | None = None,
    probes: Sequence[str] = (),
    random_splits: int = 5,
    halvings: int = 4,
    least_rows: int = 20,
    replicates: int = REPLICATES,
    seed: int = 0,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Probed:
    """Return what can be answered from questions alone on a split, held against the original split and random ones.

    Args:
        files: As for ``read``, all together; a table that was read already will do, too.
        split: The split to probe: a folder that ``run`` wrote, an id list, or part -> file of ids.
        by: What ``split`` lists instead of ids, such as image.
        part_column: The column that names each row's part, in place of ``split``.
        recipe: The recipe that makes the split, in place of ``split``; beside one, it says how questions are reduced.
        settings: ``section.key=value`` overrides of the recipe.
        reference: The part to learn from; train, else the one whose name begins so, else the first.
        part: The part to answer; test, else the one whose name begins so, else val.
        original: The split to hold it against, as ``split``.
        original_by: What ``original`` lists instead of ids.
        original_column: The column that names each row's part in the original split, such as source or origin.
        original_part: The part of the original split to answer.
        probes: Names, with options as ``"local-prior,column=image"``; every probe without it.
        random_splits: Random splits of the same sizes that are measured beside the original one, or stand for it.
        halvings: A learning curve begins at 1 / 2 ** halvings of train; 0 for none.
        least_rows: Question types are held against each other that have so many rows in each test part.
        replicates: Draws of images for the intervals; 0 for none.
        seed: Of the draws.
        allow_unjoined: Pass over entries of id lists that the data do not have, and count them.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options.
    """
    told = split is not None or part_column is not None
    used = _recipe_named(recipe, settings) if recipe is not None else from_mapping("probe", {"title": "Blind probes"})
    if recipe is None and settings:
        raise UsageError("Settings belong to a recipe that is named: --recipe NAME.", field="--set")
    saying = Saying(
        lists=split, by=by, column=part_column, recipe=None if told or recipe is None else used, reference=reference,
        part=part, allow_unjoined=allow_unjoined,
    )  # fmt: skip
    before = None
    if original is not None or original_column is not None:
        before = Saying(
            lists=original, by=original_by, column=original_column, part=original_part, allow_unjoined=allow_unjoined
        )
    how = Probing(
        probes=named_probes(probes), random_splits=random_splits, halvings=halvings, least_rows=least_rows,
        drawing=Drawing(replicates=replicates, seed=seed), recipe=used, watch=watch,
    )  # fmt: skip
    watch("reading")
    whole = read_questions(files, format or used.format, {**used.read_options, **options})
    table = answerable(whole)
    order = order_of(table)
    watch("splitting")
    new, notes = divided("new", saying, whole, table, order)
    old, further = (None, ()) if before is None else divided("original", before, whole, table, order)
    found = probed(table, new, old, how)
    asked = {
        "split": _listed(split), "by": by, "part_column": part_column, "reference": reference, "part": part,
        "original": _listed(original), "original_by": original_by, "original_column": original_column,
        "original_part": original_part, "probes": list(probes), "random_splits": random_splits, "halvings": halvings,
        "least_rows": least_rows, "replicates": replicates, "seed": seed, "allow_unjoined": allow_unjoined,
        "format": format, "recipe": dict(used.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }  # fmt: skip
    lists = {"split": list_files(split), "original": list_files(original)}
    made_from = {"data": list(files), **{use: named for use, named in lists.items() if named}}
    return Probed(found, probe_report(found, how, (*notes, *further)), made_from, asked)


def _listed(split: SplitLists | None) -> Any:
    """Return the names of the files that say a split, as JSON values: no folder of this machine is among them."""
    if isinstance(split, Mapping):
        return {part: Path(file).name for part, file in split.items()}
    return None if split is None else Path(split).name


def verify(
    folder: str | Path, *inputs: str | Path, watch: Watch = no_watch, near: Sequence[str | Path] = ()
) -> list[Promise]:
    """Return every promise of a run's folder, and whether it is kept; broken ones first.

    Args:
        folder: What ``run`` wrote.
        inputs: Inputs that are no longer where they were, or folders that hold them.
        watch: Told each stage.
        near: Further files that are inputs if their content is.
    """
    return verify_folder(Path(folder), inputs, watch, list(map(Path, near)))


def reduce(*texts: str, reducer: str = "lexical", **options: Any) -> list[tuple[str, ...]]:
    """Return the concepts of each question.

    Example:
        >>> reduce("What color are the cones?", "What is the color of the cones?")
        [('what', 'color', 'cone'), ('what', 'color', 'cone')]
    """
    found = plugin("reducer", reducer)
    return found.make(**found.check(options)).reduce(texts)  # type: ignore[no-any-return]  # plug-ins are of any type

"""What a notebook needs: read, split, run, audit, describe, verify and reduce, with the numbers of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.files import check_free_file, new_folder
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.auditing import (
    Audit,
    Plan,
    audit_assigned,
    audit_random,
    parts_of_column,
    parts_of_files,
    parts_of_lists,
    random_shares,
)
from compsplit.recipe.describing import describe_table
from compsplit.recipe.describing_scenes import describe_scenes
from compsplit.recipe.folder import write_folder
from compsplit.recipe.id_lists import SplitLists
from compsplit.recipe.pair_table import write_pair_table
from compsplit.recipe.parsing import Recipe, Setting, from_mapping, load
from compsplit.recipe.promises import Promise
from compsplit.recipe.readings import readings_of
from compsplit.recipe.running import Run, Watch, no_watch, overriding, read_table, run_on_table, run_recipe
from compsplit.recipe.several import are_splits, run_each
from compsplit.recipe.thresholds import MinCount
from compsplit.recipe.verifying import verify_folder
from compsplit.registry import plugin
from compsplit.report import markdown, read_report
from compsplit.writers.scenes import write_scenes


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

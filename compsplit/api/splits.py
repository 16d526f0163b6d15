"""Read, run, split, verify, convert and reduce, with the numbers of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.describing.questions import describe_table
from compsplit.describing.scenes import describe_scenes
from compsplit.errors import UsageError
from compsplit.files import check_free_file, new_folder
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.recipe.folder import write_folder
from compsplit.recipe.parsing import Recipe, load
from compsplit.recipe.promises import Promise
from compsplit.recipe.running import Run, Watch, no_watch, overriding, read_table, run_on_table, run_recipe
from compsplit.recipe.several import are_splits, run_each
from compsplit.recipe.verifying import verify_folder
from compsplit.registry import plugin
from compsplit.report import markdown
from compsplit.writers.scenes import write_scenes

if TYPE_CHECKING:
    pass


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
    with new_folder(Path(out), force, are_splits, "several splits") as folder:
        for name, made in each:
            write_folder(made, folder / name, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
            reports[name] = made.report
    return reports


def split(
    *files: Any, method: str = "agrawal2017_cvqa", settings: Sequence[str] = (), **options: Any
) -> dict[str, list[str]]:
    """Return the ids of each part that a recipe makes; further options are those of ``run``."""
    return run(method, *files, settings=settings, **options).parts


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

"""What a notebook needs: read, split, run, audit, describe, verify and reduce, with the numbers of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.model.report import Report
from compsplit.model.table import QATable
from compsplit.recipe.auditing import audit_column, audit_parts, audit_split
from compsplit.recipe.describing import describe_table
from compsplit.recipe.folder import write_folder
from compsplit.recipe.parsing import Recipe, load
from compsplit.recipe.promises import Promise
from compsplit.recipe.running import Run, Watch, no_watch, overriding, read_table, run_on_table, run_recipe
from compsplit.recipe.verifying import verify_folder
from compsplit.registry import plugin
from compsplit.report import markdown


def read(*files: Any, format: str | None = None, **options: Any) -> QATable:
    """Return the question-answer pairs of files, or of one pandas or Arrow table.

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
        watch: Told each stage.
        options: The reader's options.
    """
    shares = [f"{part}={fraction}" for part, fraction in (share or {}).items()]
    overrides = overriding(settings, seed=seed, share=shares, by=by)
    if overrides and not isinstance(recipe, str):
        raise UsageError("Settings, seed, share and by belong to a recipe that is named; this one is loaded already.")
    loaded = load(recipe, overrides) if isinstance(recipe, str) else recipe
    if len(files) == 1 and isinstance(files[0], QATable):
        made = run_on_table(loaded, files[0], watch)
    else:
        made = run_recipe(loaded, files, format=format, options=options, watch=watch)
    if out is not None:
        write_folder(made, Path(out), force=force, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
    else:
        watch("auditing")
        # A check that names no measure is an error of this call, not of whoever looks at the report first.
        made.report  # noqa: B018  # made here, and kept
    return made


def split(
    *files: Any, method: str = "agrawal2017_cvqa", settings: Sequence[str] = (), **options: Any
) -> dict[str, list[str]]:
    """Return the ids of each part that a recipe makes; further options are those of ``run``."""
    return run(method, *files, settings=settings, **options).parts


def audit(
    parts: Mapping[str, Any] | Any,
    *,
    part_column: str | None = None,
    split: str | Path | None = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    format: str | None = None,
    recipe: str | Recipe | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Report:
    """Return the report of parts that exist already.

    Args:
        parts: Part -> file, files or table; or one file or table with ``part_column`` or ``split``.
        part_column: The column that names each row's part.
        split: A folder that ``run`` wrote, or an id list, that says each row's part.
        reference: The part that others are held against: train, else the first.
        checks: Bounds, such as ``"qa-overlap <= 0"``.
        format: Name of a reader.
        recipe: Says how questions are reduced, and what is checked.
        watch: Told each stage.
        options: The reader's options.
    """
    loaded = load(recipe) if isinstance(recipe, str) else recipe
    told: dict[str, Any] = {"recipe": loaded, "reference": reference, "checks": checks, "watch": watch}
    if isinstance(parts, Mapping):
        files = {part: list(given) if isinstance(given, list | tuple) else [given] for part, given in parts.items()}
        return audit_parts(files, format=format, options=options, **told)
    given = list(parts) if isinstance(parts, list | tuple) else [parts]
    watch("reading")
    table = given[0] if isinstance(given[0], QATable) else read_table(given, format, options)
    if part_column is not None:
        return audit_column(table, part_column, **told)
    if split is not None:
        return audit_split(table, split, **told)
    raise UsageError("Say which row is in which part: {part: file}, part_column, or split.")


def describe(*files: Any, format: str | None = None, watch: Watch = no_watch, **options: Any) -> Report:
    """Return what is in one data set, and what is odd about it."""
    watch("reading")
    table = files[0] if len(files) == 1 and isinstance(files[0], QATable) else read_table(files, format, options)
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

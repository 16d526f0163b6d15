"""compsplit run: read, split, audit, write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compsplit.cli import options as shared

if TYPE_CHECKING:
    from compsplit.recipe.running import Run


def run(
    recipe: Annotated[
        str,
        typer.Argument(metavar="RECIPE", help="Path of a recipe, or the name of a shipped one (`compsplit recipes`)."),
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]...", help="Files, or NAME=FILE; in any order.", show_default=False),
    ] = None,
    format: shared.Format = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder to write; by default the recipe's name.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace DIR once the new one is complete.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say sizes and coverage, and write nothing.")] = False,
    settings: shared.Settings = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the order.", show_default=False)] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="PART=FRACTION",
            help="Share of a part, such as test=0.3; train takes the rest. May be repeated.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="UNIT",
            help="What stays together: question-answer, row, image or any column.",
            show_default=False,
        ),
    ] = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    threads: shared.Threads = None,
    json: shared.Json = False,
) -> None:
    """Read data, split it by a recipe, audit the split and write it to a folder.

    Exit code 0: done and every check holds; 1: a check is broken; 2: wrong usage or bad input; 3: impossible.

    Example: compsplit run agrawal2017_cvqa questions.json annotations.json --out cvqa
    """
    from compsplit import api
    from compsplit.recipe.folder import check_out
    from compsplit.recipe.parsing import load
    from compsplit.recipe.running import overriding
    from compsplit.report import plain, show

    loaded = load(recipe, overriding(settings or [], seed=seed, share=share or [], by=by))
    folder = out or Path(loaded.name)
    if not plan:
        check_out(folder, force)
    given: dict[str, Any] = shared.reading(columns, id_scope, new_ids, allow_unjoined, threads)
    with shared.progress() as watch:
        made = api.run(
            loaded, *(files or ()), out=None if plan else folder, force=force, format=format, watch=watch, **given
        )
    if json:
        shared.print_json(made.report.to_json())
    else:
        console = shared.console()
        show(made.report, console)
        console.print("\nNothing was written (--plan)." if plan else f"\nWritten to {plain(folder)}/", markup=False)
        if not plan:
            # A line to copy, so it is not folded.
            console.print(f"Verify it: {plain(_verifying(folder, made))}", markup=False, soft_wrap=True)
    raise typer.Exit(1 if made.report.failed else 0)


def _verifying(folder: Path, made: Run) -> str:
    """Return the command that verifies a split; files given by an absolute path are named, as no manifest holds it."""
    import shlex

    files = [given.path for given in made.table.inputs if given.path.is_absolute()]
    named = [*files, *made.recipe.files.values()]
    inputs = [word for path in sorted(set(named)) for word in ("--input", str(path))]
    return shlex.join(["compsplit", "verify", str(folder), *inputs])

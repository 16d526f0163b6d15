"""compsplit run: read, split, audit, write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError

if TYPE_CHECKING:
    from compsplit.recipe.parsing import Recipe
    from compsplit.recipe.running import Run

_SPLIT = "How the split is made"


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
    plan: Annotated[
        bool, typer.Option("--plan", help="Say sizes, coverage and what would be left out, and write nothing.")
    ] = False,
    settings: shared.Settings = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the order.", show_default=False, rich_help_panel=_SPLIT)
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="N|LIST",
            help="One split a seed, in DIR/seed-0, DIR/seed-1 ...: how many, or a list such as 0,1,7.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="K",
            help="One split a fold, in DIR/fold-1 ...: each row, template or held-out compound is in one fold.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = 0,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="PART=FRACTION",
            help="Share of a part, such as test=0.3; train takes the rest. May be repeated.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="EXTRACTOR",
            help="Compounds that are kept apart, or COLUMN+COLUMN. Repeatable.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="UNIT",
            help="What stays together: question-answer, row, image or any column.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    val_iid: Annotated[
        str | None,
        typer.Option(
            "--val-iid",
            metavar="SHARE",
            help="Share of train for a part val-iid, which is like train.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    val_ood: Annotated[
        str | None,
        typer.Option(
            "--val-ood",
            metavar="SHARE",
            help="Share of test for a part val-ood, which is held out like test.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    read: shared.Read = None,
    threads: shared.Threads = None,
    html: shared.Html = False,
    json: shared.Json = False,
) -> None:
    """Read questions or scenes, split them by a recipe, audit the split and write it to a folder.

    Exit code 0: done and every check holds; 1: a check is broken; 2: wrong usage or bad input; 3: impossible.

    Example: compsplit run agrawal2017_cvqa questions.json annotations.json --out cvqa
    """
    from compsplit.recipe.parsing import load
    from compsplit.recipe.running import overriding
    from compsplit.recipe.several import seeds_of, variants

    overrides = overriding(
        settings or [], seed=seed, share=share or [], by=by, of=of or [],
        validation={"val-iid": val_iid, "val-ood": val_ood},
    )  # fmt: skip
    loaded = load(recipe, overrides)
    given: dict[str, Any] = shared.reading(columns, id_scope, new_ids, allow_unjoined, threads)
    folder = out or Path(loaded.name)
    page = shared.page_beside(html, folder, force, plan=plan)
    how = _How(folder, force, plan, json, format, given | shared.read_options(read), page)
    if seeds is not None or folds:
        if seed is not None:
            raise UsageError("Give one seed with --seed, or several with --seeds.", field="--seeds")
        each = variants(recipe, overrides, seeds=seeds_of(seeds) if seeds is not None else (), folds=folds)
        failed = _run_several(each, files or [], how)
    else:
        failed = _run_one(loaded, files or [], how)
    raise typer.Exit(1 if failed else 0)


@dataclass(frozen=True, slots=True)
class _How:
    """What the options of a run say besides the recipe."""

    folder: Path
    force: bool
    plan: bool
    json: bool
    format: str | None
    reading: dict[str, Any]
    page: Path | None


def _run_one(recipe: Recipe, files: list[str], how: _How) -> bool:
    """Run one recipe, show and write its split, and tell whether a check is broken."""
    from compsplit import api
    from compsplit.recipe.folder import check_out
    from compsplit.report import plain, show

    if not how.plan:
        check_out(how.folder, how.force)
    with shared.progress() as watch:
        made = api.run(
            recipe, *files, out=None if how.plan else how.folder, force=how.force, format=how.format, plan=how.plan,
            watch=watch, **how.reading,
        )  # fmt: skip
        shared.make_page(how.page, how.folder, how.force, watch)
    if how.json:
        shared.print_json(made.report.to_json())
        return made.report.failed
    console = shared.console()
    show(made.report, console)
    console.print("\nNothing was written (--plan)." if how.plan else f"\nWritten to {plain(how.folder)}/", markup=False)
    if not how.plan:
        # A line to copy, so it is not folded.
        console.print(f"Verify it: {plain(_verifying(how.folder, made))}", markup=False, soft_wrap=True)
    shared.tell_page(how.page)
    return made.report.failed


def _run_several(recipes: Mapping[str, Recipe], files: list[str], how: _How) -> bool:
    """Run a recipe with several seeds or folds, and tell whether a check is broken in any."""
    from compsplit import api
    from compsplit.report import listing, plain

    with shared.progress() as watch:
        reports = api.run_several(
            recipes, *files, out=None if how.plan else how.folder, force=how.force, format=how.format, plan=how.plan,
            watch=watch, **how.reading,
        )  # fmt: skip
        shared.make_page(how.page, how.folder, how.force, watch)
    if how.json:
        shared.print_json({"runs": {name: report.to_json() for name, report in reports.items()}})
    else:
        console = shared.console()
        rows = [(name, plain(report.verdict, 1000)) for name, report in reports.items()]
        console.print(listing(("split", "verdict"), rows))
        console.print(
            "Nothing was written (--plan)." if how.plan else f"Written to {plain(how.folder)}/, one folder each.",
            markup=False,
        )
        shared.tell_page(how.page)
    return any(report.failed for report in reports.values())


def _verifying(folder: Path, made: Run) -> str:
    """Return the command that verifies a split; files given by an absolute path are named, as no manifest holds it."""
    from compsplit.recipe.folder import own_files
    from compsplit.report.page.command_words import verify_line

    files = [given.path for given in made.table.inputs if given.path.is_absolute()]
    named = {*files, *own_files(made).values()}
    return verify_line(str(folder), list(map(str, sorted(named))))

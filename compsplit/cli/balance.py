"""compsplit balance: spread the answers of each group more evenly, and write the rows that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from compsplit.cli import options as shared

_GROUPS = "What the groups are"
_BOUNDS = "What is asked of each group"


def balance(
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="Files, or NAME=FILE; balanced together.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write.", show_default=True)] = Path(
        "balanced"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace DIR once the new one is complete.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be kept, and write nothing.")] = False,
    bound: Annotated[
        str,
        typer.Option("--bound", "-b", metavar="B", help="Most head rows for each tail row.", rich_help_panel=_BOUNDS),
    ] = "1",
    r_min: Annotated[
        str,
        typer.Option(
            "--r-min", metavar="R", help="Least ratio of a head answer's next one to it.", rich_help_panel=_BOUNDS
        ),
    ] = "0.5",
    r_max: Annotated[
        str,
        typer.Option(
            "--r-max", metavar="R", help="Most that this ratio may become, where it was lower.", rich_help_panel=_BOUNDS
        ),
    ] = "0.9",
    head: Annotated[
        str,
        typer.Option(
            "--head", metavar="SHARE", help="Share of the different answers that is the head.", rich_help_panel=_BOUNDS
        ),
    ] = "0.2",
    floor: Annotated[
        int,
        typer.Option("--floor", metavar="N", help="Rows that an answer keeps, or all it has.", rich_help_panel=_BOUNDS),
    ] = 1,
    levels: Annotated[
        str | None,
        typer.Option(
            "--levels",
            metavar="LIST",
            help="global,local, or one of them; by default those that have labels.",
            show_default=False,
            rich_help_panel=_GROUPS,
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="FROM",
            help="labels (GQA's own), program (made from programs), question (question type; reduced question).",
            show_default=False,
            rich_help_panel=_GROUPS,
        ),
    ] = None,
    global_column: Annotated[
        str | None,
        typer.Option(
            "--global",
            metavar="COLUMN",
            help="Column of global groups, or COLUMN+COLUMN.",
            show_default=False,
            rich_help_panel=_GROUPS,
        ),
    ] = None,
    local_column: Annotated[
        str | None,
        typer.Option(
            "--local",
            metavar="COLUMN",
            help="Column of local groups, or COLUMN+COLUMN.",
            show_default=False,
            rich_help_panel=_GROUPS,
        ),
    ] = None,
    answers: Annotated[
        str,
        typer.Option("--answers", metavar="FORM", help="Compare answers exact or normalised.", rich_help_panel=_GROUPS),
    ] = "exact",
    keep_near_repeats: Annotated[
        bool, typer.Option("--keep-near-repeats", help="Keep rows that ask an image what another row asks it.")
    ] = False,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="COLUMN:TYPE=SHARE",
            help="Share of a type after the groups, such as structural:query=0.53. One for each type of the column.",
            show_default=False,
        ),
    ] = None,
    tolerance: Annotated[
        str, typer.Option("--tolerance", metavar="SHARE", help="How far shares of types may be from what is asked.")
    ] = "0.01",
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds", metavar="N", help="At most N rounds; by default until one changes nothing.", show_default=False
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the order.", show_default=False)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE",
            help="How questions are reduced (reduce.KEY) or rows written (write.as). May be repeated.",
            show_default=False,
        ),
    ] = None,
    format: shared.Format = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    read: shared.Read = None,
    threads: shared.Threads = None,
    html: shared.Html = False,
    json: shared.Json = False,
) -> None:
    """Throw rows away so that the answers of each group are spread more evenly, and write the rows that are kept.

    No answer gains rows; the order of answers is kept at each level; the result balanced again is itself.

    Example: compsplit balance train_all_questions.json --out balanced

    Example: compsplit balance questions.json annotations.json --groups question --out balanced
    """
    from compsplit import api
    from compsplit.balancing.folder import check_balance_out
    from compsplit.report import plain, show

    given: dict[str, Any] = shared.reading(columns, id_scope, new_ids, allow_unjoined, threads)
    given |= shared.read_options(read)
    if not plan:
        check_balance_out(out, force)
    page = shared.page_beside(html, out, force, plan=plan)
    with shared.progress() as watch:
        made = api.balance(
            *files, out=None if plan else out, force=force, format=format, bound=bound, r_min=r_min, r_max=r_max,
            head=head, floor=floor, levels=None if levels is None else [each.strip() for each in levels.split(",")],
            groups=groups, global_column=global_column, local_column=local_column, answers=answers,
            near_repeats=not keep_near_repeats, types=types or [], tolerance=tolerance, rounds=rounds, seed=seed,
            settings=settings or [], plan=plan, watch=watch, **given,
        )  # fmt: skip
        shared.make_page(page, out, force, watch)
    if json:
        shared.print_json(made.report.to_json())
    else:
        console = shared.console()
        show(made.report, console)
        console.print("\nNothing was written (--plan)." if plan else f"\nWritten to {plain(out)}/", markup=False)
        shared.tell_page(page)
    raise typer.Exit(1 if made.report.failed else 0)

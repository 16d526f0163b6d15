"""compsplit probe: what can be answered from questions alone, on the original split and on a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared

_SPLIT = "The split that is probed"
_ORIGINAL = "What it is held against"
_PROBES = "Probes"
_RESULTS = "Results"


def probe(
    files: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="Questions with answers (and annotations), all together; or NAME=FILE."),
    ],
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split",
            metavar="SPLIT",
            help="Folder that `run` wrote, or ids by part: JSON {part: [ids]}, CSV of id and part, folder of PART.txt; "
            "or PART=FILE of ids, repeated.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="What --split lists instead of ids, such as image.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    part_column: Annotated[
        str | None,
        typer.Option(
            "--part-column",
            metavar="NAME",
            help="Column that names each row's part.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="Recipe that makes the split in place; beside --split or --part-column, how questions are reduced.",
            show_default=False,
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    settings: shared.Settings = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="PART",
            help="Part to learn from.",
            show_default="train, else what begins so, else the first",
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Part to answer.",
            show_default="test, else what begins so, else val",
            rich_help_panel=_SPLIT,
        ),
    ] = None,
    original: Annotated[
        list[str] | None,
        typer.Option(
            "--original",
            metavar="SPLIT",
            help="The original split, said as --split; without one, random splits of the same sizes stand for it.",
            show_default=False,
            rich_help_panel=_ORIGINAL,
        ),
    ] = None,
    original_by: Annotated[
        str | None,
        typer.Option(
            "--original-by",
            metavar="COLUMN",
            help="What --original lists instead of ids, such as image.",
            show_default=False,
            rich_help_panel=_ORIGINAL,
        ),
    ] = None,
    original_column: Annotated[
        str | None,
        typer.Option(
            "--original-column",
            metavar="NAME",
            help="Column that names each row's part in the original split, such as source (the file) or origin.",
            show_default=False,
            rich_help_panel=_ORIGINAL,
        ),
    ] = None,
    original_part: Annotated[
        str | None,
        typer.Option(
            "--original-part",
            metavar="PART",
            help="Part of the original split to answer.",
            show_default="as of --part",
            rich_help_panel=_ORIGINAL,
        ),
    ] = None,
    random_splits: Annotated[
        int,
        typer.Option(
            "--random-splits",
            metavar="N",
            min=0,
            help="Random splits of the same sizes, measured beside the original one or in its place.",
            rich_help_panel=_ORIGINAL,
        ),
    ] = 5,
    probes: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            metavar="NAME[,KEY=VALUE]",
            help='Probe with its options, such as "local-prior,column=question (reduced)"; every probe by default. '
            "`compsplit list probe` names them. Repeatable.",
            show_default=False,
            rich_help_panel=_PROBES,
        ),
    ] = None,
    halvings: Annotated[
        int,
        typer.Option(
            "--halvings",
            metavar="N",
            min=0,
            help="Learning curves begin at 1 / 2^N of train; 0 for none.",
            rich_help_panel=_PROBES,
        ),
    ] = 4,
    least_rows: Annotated[
        int,
        typer.Option(
            "--least-rows",
            metavar="N",
            min=1,
            help="Question types are held against each other that have so many rows in each test part.",
            rich_help_panel=_PROBES,
        ),
    ] = 20,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            metavar="N",
            min=0,
            help="Draws of images for the intervals; 0 for none.",
            rich_help_panel=_RESULTS,
        ),
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the draws.", rich_help_panel=_RESULTS)] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write report.json, report.md, each probe's predictions, how hard each row is, and manifest.json.",
            show_default=False,
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    force: shared.Force = False,
    html: shared.Html = False,
    json: shared.Json = False,
    format: shared.Format = None,
    columns: shared.Columns = None,
    read: shared.Read = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    threads: shared.Threads = None,
) -> None:
    """Say how hard a split is without a GPU: what is answered from questions alone, and how far that drops.

    Example: compsplit probe questions.json annotations.json --split cvqa --original-column origin

    Example: compsplit probe data.csv --recipe agrawal2017_cvqa
    """
    from compsplit import api
    from compsplit.errors import UsageError
    from compsplit.recipe.audit_folder import check_audit_out
    from compsplit.report import show

    if original_by is not None and not original:
        raise UsageError("--original-by says what --original lists; give --original.", field="--original-by")
    if original_part is not None and not original and original_column is None:
        raise UsageError("--original-part names a part of the original split; give --original or --original-column.")
    if out is not None:
        # Before any work, not after it.
        check_audit_out(out, force)
    page = shared.page_beside(html, out, force)
    given = {**shared.reading(columns, id_scope, new_ids, False, threads), **shared.read_options(read)}
    with shared.progress() as watch:
        made = api.probe(
            *files, split=shared.split_lists(split, "--split"), by=by, part_column=part_column, recipe=recipe,
            settings=settings or (), reference=reference, part=part,
            original=shared.split_lists(original, "--original"), original_by=original_by,
            original_column=original_column, original_part=original_part,
            probes=probes or (), random_splits=random_splits, halvings=halvings, least_rows=least_rows,
            replicates=replicates, seed=seed, allow_unjoined=allow_unjoined, format=format, watch=watch, **given,
        )  # fmt: skip
        if out is not None:
            watch("writing the report")
            made.write(out, force=force)
            shared.make_page(page, out, force, watch)
    if json:
        shared.print_json(made.report.to_json())
    else:
        show(made.report, shared.console())
        shared.tell_page(page)

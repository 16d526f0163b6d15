"""compsplit audit: how far parts that exist already are apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError


def audit(
    parts: Annotated[
        list[str],
        typer.Argument(
            metavar="PART=FILE...",
            help="The files of each part, which may be named several times; plain FILES with --part-column or --split.",
        ),
    ],
    format: shared.Format = None,
    part_column: Annotated[
        str | None,
        typer.Option("--part-column", metavar="NAME", help="Column that names each row's part.", show_default=False),
    ] = None,
    split: Annotated[
        Path | None,
        typer.Option(
            "--split",
            metavar="SPLIT",
            help="Folder that `run` wrote, or ids by part: JSON {part: [ids]}, CSV of id and part, folder of PART.txt.",
            show_default=False,
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="PART",
            help="Part that the others are held against; train, else the first.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="CHECK",
            help="Bound on a measure, such as 'qa-overlap <= 0'; exit 1 when it is broken. May be repeated.",
            show_default=False,
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe", metavar="RECIPE", help="How questions are reduced, and what is checked.", show_default=False
        ),
    ] = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    threads: shared.Threads = None,
    json: shared.Json = False,
) -> None:
    """Measure what two or more parts share: ids, images, questions, answers, concepts, priors.

    Example: compsplit audit train=train.json test=test.json --check "qa-overlap <= 0"
    """
    from compsplit import api
    from compsplit.report import show

    if part_column and split:
        raise UsageError("Say parts in one way: --part-column or --split.", field="--split")
    given = shared.reading(columns, id_scope, new_ids, allow_unjoined, threads)
    what: Any = parts if part_column or split else _by_part(parts)
    with shared.progress() as watch:
        report = api.audit(
            what, part_column=part_column, split=split, reference=reference, checks=check or (), format=format,
            recipe=recipe, watch=watch, **given,
        )  # fmt: skip
    if json:
        shared.print_json(report.to_json())
    else:
        show(report, shared.console())
    raise typer.Exit(1 if report.failed else 0)


def _by_part(given: list[str]) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for each in given:
        part, _, file = each.partition("=")
        if not part or not file:
            raise UsageError(
                f'"{each}" does not say its part; name it PART={each}, or say parts with --part-column or --split.',
                file=each,
            )
        parts.setdefault(part, []).append(file)
    return parts

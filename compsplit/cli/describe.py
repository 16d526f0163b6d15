"""compsplit describe: what is in one data set, and what is odd about it."""

from __future__ import annotations

from typing import Annotated

import typer

from compsplit.cli import options as shared


def describe(
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="Files, or NAME=FILE; in any order.")],
    format: shared.Format = None,
    columns: shared.Columns = None,
    read: shared.Read = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    threads: shared.Threads = None,
    json: shared.Json = False,
) -> None:
    """Say what is in a data set: counts, concepts, commonest and rarest, and what is odd, with ids.

    Example: compsplit describe questions.json annotations.json
    """
    from compsplit import api
    from compsplit.report import show

    given = {**shared.reading(columns, id_scope, new_ids, allow_unjoined, threads), **shared.read_options(read)}
    with shared.progress() as watch:
        report = api.describe(*files, format=format, watch=watch, **given)
    if json:
        shared.print_json(report.to_json())
    else:
        show(report, shared.console())

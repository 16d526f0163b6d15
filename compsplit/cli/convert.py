"""compsplit convert: any format of scenes to compsplit's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared


def convert(
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="Files, or NAME=FILE; in any order.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write; packed where its name ends in .gz or .zst.",
            show_default=False,
        ),
    ],
    format: shared.Format = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE once the new one is complete.")] = False,
    read: shared.Read = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
) -> None:
    """Turn scenes of any format into compsplit's own JSON lines, one scene a line.

    Example: compsplit convert annotations_test.json --out vrd.jsonl
    """
    from compsplit import api
    from compsplit.errors import counted
    from compsplit.report import plain

    given = {**shared.reading(columns, id_scope, new_ids, allow_unjoined, None), **shared.read_options(read)}
    with shared.progress() as watch:
        table = api.convert(*files, out=out, force=force, format=format, watch=watch, **given)
    held = (counted(len(table), "scene"), counted(table.n_objects, "object"), counted(table.n_relations, "relation"))
    typer.echo(f"{plain(out)}: {', '.join(held)}")
    for what, n in table.decisions.items():
        typer.echo(f"  {n:,} {plain(what)}")
    for finding in table.findings:
        typer.echo(f"  {plain(finding.message)}")

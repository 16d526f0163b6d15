"""compsplit report: a page, figures or a table of what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared


def report(
    reports: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR_OR_REPORT...",
            help="Folders that run, audit, balance, evaluate, probe, profile or compare wrote, folders of several such, "
            "or report.json files.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PAGE",
            help="Page to write; by default DIR.html beside DIR.",
            show_default=False,
        ),
    ] = None,
    force: shared.Force = False,
) -> None:
    """Make one page of reports, with figures: a single file that needs no network and no JavaScript.

    Example: compsplit report cvqa
    """
    from compsplit import api
    from compsplit.report import plain

    with shared.progress() as watch:
        watch("drawing")
        made = api.page(*reports, out=out, force=force)
    shared.console().print(f"Open {plain(made)} in a browser.", markup=False, soft_wrap=True)

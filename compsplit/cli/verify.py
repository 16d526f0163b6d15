"""compsplit verify: prove or refute every promise of a split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared
from compsplit.cli.demo import installed_files


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `compsplit run` wrote.")],
    inputs: Annotated[
        list[Path] | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="An input that is no longer where it was, or a folder that holds it. May be repeated.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print verdict and promises as JSON on stdout.")] = False,
) -> None:
    """Read inputs and outputs of a split again and hold every promise against them.

    Nothing lost, nothing twice, no shared group, sizes, coverage, bytes. Exit code 1 names what is broken.

    Example: compsplit verify cvqa
    """
    from rich.text import Text

    from compsplit import api
    from compsplit.errors import counted
    from compsplit.report import plain

    with shared.progress() as watch:
        promises = api.verify(folder, *(inputs or ()), watch=watch, near=installed_files())
    broken = [promise for promise in promises if not promise.kept]
    verdict = (
        f"BROKEN: {len(broken)} of {counted(len(promises), 'promise')}. First: {broken[0].name} ({broken[0].told})."
        if broken
        else f"Verified: {counted(len(promises), 'promise is', 'promises are')} kept."
    )
    if json:
        shared.print_json({"verdict": verdict, "kept": not broken, "promises": [p.to_json() for p in promises]})
    else:
        console = shared.console()
        console.print(Text(plain(verdict, 1000), style="bold red" if broken else "bold green"))
        for promise in promises:
            mark = Text("yes     ", style="green") if promise.kept else Text("BROKEN  ", style="bold red")
            console.print(mark.append(Text(plain(f"{promise.name}: {promise.told}", 1000), style="default")))
    raise typer.Exit(1 if broken else 0)

"""compsplit compare: two splits of the same rows, who moved and what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared

_SAID = "folder that `run` wrote, JSON {part: [ids]}, CSV of id and part, folder of PART.txt, or PART=FILE,PART=FILE."


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=f"A split: {_SAID}", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The other split, said alike.", show_default=False)],
    out: shared.ReportOut = None,
    force: shared.Force = False,
    html: shared.Html = False,
    json: shared.Json = False,
    allow_unjoined: Annotated[
        bool, typer.Option("--allow-unjoined", help="Compare the rows that both have, and count the others.")
    ] = False,
) -> None:
    """Hold two splits of the same rows against each other: which rows moved, and what that changed.

    Example: compsplit compare random cvqa

    Example: compsplit compare cvqa train=train_ids.txt,test=test_ids.txt
    """
    from compsplit import api
    from compsplit.recipe.audit_folder import check_audit_out
    from compsplit.report import show

    if out is not None:
        # Before any work, not after it.
        check_audit_out(out, force)
    page = shared.page_beside(html, out, force)
    one, other = (shared.split_lists(_pieces(each), f"--{name}") for each, name in ((a, "A"), (b, "B")))
    with shared.progress() as watch:
        made = api.compare(one, other, allow_unjoined=allow_unjoined, watch=watch)
        if out is not None:
            watch("writing the report")
            made.write(out, force=force)
            shared.make_page(page, out, force, watch)
    if json:
        shared.print_json(made.report.to_json())
    else:
        show(made.report, shared.console())
        shared.tell_page(page)


def _pieces(given: str) -> list[str]:
    """Return one path, or each PART=FILE."""
    return [given] if "=" not in given or Path(given).exists() else given.split(",")

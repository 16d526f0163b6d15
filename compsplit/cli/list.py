"""compsplit list: what can be named in recipes and options."""

from __future__ import annotations

from typing import Annotated

import typer

from compsplit.cli import options as shared


def list_plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]", help="reader, reducer, extractor, grouper, splitter, audit or writer.", show_default=False
        ),
    ] = None,
    json: shared.Json = False,
) -> None:
    """List readers, reducers, extractors, groupers, splitters, audits and writers, with their options.

    Example: compsplit list splitter
    """
    from compsplit.registry import KINDS, plugins

    kinds = KINDS if kind is None else (kind.removesuffix("s"),)
    found = [plugin for each in kinds for plugin in plugins(each).values()]
    if json:
        shared.print_json(
            [
                {"kind": p.kind, "name": p.name, "summary": p.summary, "source": p.source,
                 "options": {name: repr(o.default) for name, o in p.options.items()},
                 "facts": {k: list(v) if isinstance(v, tuple) else v for k, v in p.facts.items()}}
                for p in found
            ]
        )  # fmt: skip
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "name", "what it does", "options"):
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for plugin in found:
        options = ", ".join(f"{name}={o.default!r}" for name, o in plugin.options.items())
        table.add_row(plugin.kind, plugin.name, Text(plugin.summary), Text(options))
    shared.console().print(table)

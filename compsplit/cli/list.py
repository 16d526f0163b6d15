"""compsplit list: what can be named in recipes and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.registry import KINDS


def list_plugins(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON on stdout.")] = False,
) -> None:
    """List what recipes and options can name, of one kind or of all, with its options.

    Example: compsplit list splitter
    """
    from compsplit.registry import plugins

    kinds = KINDS if kind is None else (kind.removesuffix("s"),)
    found = [plugin for each in kinds for plugin in plugins(each).values()]
    if json:
        shared.print_json(
            [
                {"kind": p.kind, "name": p.name, "summary": p.summary, "source": p.source,
                 "options": {name: o.default for name, o in p.options.items()}, "facts": _plain(p.facts)}
                for p in found
            ]
        )  # fmt: skip
        return
    from compsplit.report import listing

    rows = [(p.name, p.kind, p.summary, ", ".join(f"{n}={o.default!r}" for n, o in p.options.items())) for p in found]
    shared.console().print(listing(("name", "kind", "what it does", "options"), rows))


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that are values."""
    return {name: fact for name, fact in facts.items() if not callable(fact)}

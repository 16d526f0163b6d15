"""compsplit recipes: the recipes that come with compsplit."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from compsplit.cli import options as shared


def recipes(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Print this one, to copy and change.", show_default=False)
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the list, or the recipe with its defaults, as JSON on stdout.")
    ] = False,
) -> None:
    """List the shipped recipes, or print one.

    Example: compsplit recipes agrawal2017_cvqa > mine.toml
    """
    from compsplit.recipe.parsing import load, recipe_names, recipe_text

    if name is not None:
        if json:
            shared.print_json(load(name).resolved)
        else:
            sys.stdout.write(recipe_text(name))
        return
    loaded = [load(each) for each in recipe_names()]
    if json:
        shared.print_json(
            [{"name": r.name, "title": r.title, "source": r.source, "method": r.split.plugin.name} for r in loaded]
        )
        return
    from compsplit.report import listing

    rows = [(each.name, each.title, each.split.plugin.name, each.source) for each in loaded]
    shared.console().print(listing(("recipe", "title", "method", "source"), rows))

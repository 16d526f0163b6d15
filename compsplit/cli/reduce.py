"""compsplit reduce: the concepts of questions."""

from __future__ import annotations

import json as json_library
import sys
from typing import Annotated, Any

import typer

from compsplit.errors import EncodingError, UsageError


def reduce(
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]...", help="Questions; without any, one a line from stdin.", show_default=False),
    ] = None,
    reducer: Annotated[
        str, typer.Option("--reducer", metavar="NAME", help="Reducer (`compsplit list reducer`).")
    ] = "lexical",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Option of the reducer. May be repeated.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one {question, concepts} a line.")] = False,
) -> None:
    """Show the concepts that a question is reduced to.

    Example: compsplit reduce "What color are the cones?"
    """
    from compsplit.registry import plugin

    found = plugin("reducer", reducer)
    made = found.make(**found.check(dict(_option(each) for each in settings or [])))
    questions = texts or _lines()
    for question, concepts in zip(questions, made.reduce(questions), strict=True):
        if json:
            line = json_library.dumps({"question": question, "concepts": list(concepts)}, ensure_ascii=False)
        else:
            line = " ".join(concepts)
        sys.stdout.write(f"{line}\n")


def _lines() -> list[str]:
    raw = sys.stdin.buffer.read()
    try:
        return raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise EncodingError("stdin", error.start) from error


def _option(written: str) -> tuple[str, Any]:
    import tomllib

    name, equals, text = written.partition("=")
    if not equals:
        raise UsageError(f'"{written}" is not KEY=VALUE.', field="--set")
    try:
        return name, tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return name, text

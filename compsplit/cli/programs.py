"""compsplit programs: what the programs of questions say, and whether the data agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError


def programs(
    files: Annotated[list[str], typer.Argument(metavar="QUESTIONS...", help="Questions of GQA or CLEVR.")],
    scenes: Annotated[
        list[str] | None,
        typer.Option(
            "--scenes",
            metavar="F",
            help="Scenes of the images: each program is answered on its scene. Repeatable.",
            show_default=False,
        ),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            "--vocabulary",
            metavar="F",
            help="JSON of kinds of attributes, classes above names and converses, beside our own tables.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write one line a question (types, steps, labels, canonical program), with --entailed one a derived "
            "question. FILE ends in .csv or .jsonl.",
            show_default=False,
        ),
    ] = None,
    entailed: Annotated[
        str | None,
        typer.Option(
            "--entailed",
            metavar="match|generate",
            help="Derive what follows from each question and its answer instead: questions of the data, or made ones.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help="With --entailed: derived questions of one question at most; 64.", show_default=False
        ),
    ] = None,
    closed: Annotated[
        list[str] | None,
        typer.Option(
            "--closed",
            metavar="KIND",
            help="With --entailed: a kind of two values of which a thing always has one, such as gender. Repeatable.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE once the new one is complete.")] = False,
    format: shared.Format = None,
    read: shared.Read = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    json: shared.Json = False,
) -> None:
    """Derive types, steps, group labels and equivalents from programs, answer them on scenes, and compare.

    Example: compsplit programs CLEVR_questions.json --scenes CLEVR_scenes.json --out programs.csv
    """
    from compsplit import api
    from compsplit.report import show

    given = {**shared.reading(columns, id_scope, new_ids, False, None), **shared.read_options(read)}
    if entailed is None and (limit is not None or closed):
        raise UsageError("--limit and --closed are of derived questions: give --entailed, too.", field="--entailed")
    asked: dict[str, Any] = {
        "scenes": scenes or None, "vocabulary": vocabulary, "out": out, "force": force, "format": format,
        "allow_unjoined": allow_unjoined,
    }  # fmt: skip
    with shared.progress() as watch:
        if entailed is None:
            report = api.describe_programs(*files, watch=watch, **asked, **given).report
        else:
            rules: dict[str, Any] = {} if limit is None else {"limit": limit}
            report = api.entail(*files, mode=entailed, closed=closed or (), watch=watch, **rules, **asked, **given)
    if json:
        shared.print_json(report.to_json())
    else:
        show(report, shared.console())

"""compsplit profile: how the questions of one data set are made, or those of two side by side."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError

_SPEECH = "Parts of speech"


def profile(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FILE...",
            help="One data set, or two: a file each, or all files of each by its name, which may stand several times.",
        ),
    ],
    tagger: Annotated[
        str | None,
        typer.Option(
            "--tagger",
            metavar="MODEL",
            help="spaCy pipeline, installed or a folder, that tells verbs, nouns, adjectives and prepositions; `none` "
            "for none. An installed English one by default.",
            show_default=False,
            rich_help_panel=_SPEECH,
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option(
            "--tags",
            metavar="KIND=TAG,TAG",
            help="Universal parts of speech that are verbs, nouns, adjectives or prepositions, such as verbs=VERB. "
            "Repeatable.",
            show_default="verbs=VERB,AUX nouns=NOUN,PROPN adjectives=ADJ prepositions=ADP",
            rich_help_panel=_SPEECH,
        ),
    ] = None,
    out: shared.ReportOut = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    html: shared.Html = False,
    json: shared.Json = False,
    format: shared.Format = None,
    columns: shared.Columns = None,
    read: shared.Read = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
    threads: shared.Threads = None,
) -> None:
    """Tell how questions are made: length, parts of speech, kinds, types, vocabulary; two data sets side by side.

    Example: compsplit profile gqa=train_balanced_questions.json vqa=questions.json vqa=annotations.json
    """
    from compsplit import api
    from compsplit.recipe.audit_folder import check_audit_out
    from compsplit.report import show

    if out is not None:
        # Before any work, not after it.
        check_audit_out(out, force)
    page = shared.page_beside(html, out, force)
    given = {**shared.reading(columns, id_scope, new_ids, allow_unjoined, threads), **shared.read_options(read)}
    with shared.progress() as watch:
        made = api.profile(
            by_name(files), tagger="auto" if tagger is None else tagger, tags=tags or (), format=format, watch=watch,
            **given,
        )  # fmt: skip
        if out is not None:
            watch("writing the report")
            made.write(out, force=force)
            shared.make_page(page, out, force, watch)
    if json:
        shared.print_json(made.report.to_json())
    else:
        # Every measure stands in the tables, mean and spread together.
        show(dataclasses.replace(made.report, measures=()), shared.console())
        shared.tell_page(page)


def by_name(given: list[str]) -> dict[str, list[str]]:
    """Return name -> files: as they are named, or each file by itself under its stem.

    Raises:
        UsageError: Some files are named and others are not, or two have one stem.
    """
    named = [each.partition("=") for each in given if not Path(each).exists()]
    if not named or not any(equals for _, equals, _ in named):
        stems = [Path(each).name.partition(".")[0] or each for each in given]
        if len(set(stems)) < len(stems):
            raise UsageError(f"Two files are called {stems[0]}; name the data sets, as NAME={given[0]}.", file=given[0])
        return {stem: [file] for stem, file in zip(stems, given, strict=True)}
    sets: dict[str, list[str]] = {}
    for each in given:
        name, equals, file = each.partition("=")
        if not equals or not name or not file or Path(each).exists():
            raise UsageError(f'"{each}" does not say its data set; name it NAME={each}, as the others.', file=each)
        sets.setdefault(name, []).append(file)
    return sets

"""compsplit audit: how far parts that exist already are apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError

_PARTS = "Parts"
_MEASURES = "What is measured"
_RESULTS = "Results"


def audit(
    parts: Annotated[
        list[str],
        typer.Argument(
            metavar="PART=FILE...",
            help="The files of each part, which may be named several times; a folder of one file a part; or plain "
            "FILES with --part-column, --split or --random-splits.",
        ),
    ],
    part_column: Annotated[
        str | None,
        typer.Option(
            "--part-column",
            metavar="NAME",
            help="Column that names each row's part.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split",
            metavar="SPLIT",
            help="Folder that `run` wrote, or ids by part: JSON {part: [ids]}, CSV of id and part, folder of PART.txt; "
            "or PART=FILE of ids, repeated.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    random_splits: Annotated[
        int | None,
        typer.Option(
            "--random-splits",
            metavar="N",
            min=1,
            help="Measure N random splits: mean and spread.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar="SHARE",
            help="Share of test in random splits; short for --share test=SHARE.",
            show_default="0.3",
            rich_help_panel=_PARTS,
        ),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="PART=SHARE",
            help="Share of a part in random splits; train takes the rest. Repeatable.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="What random splits keep together (row, image, any column), or what --split lists instead of ids.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="PART",
            help="Part that the others are held against; train, else the first.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    subsample: Annotated[
        int | None,
        typer.Option(
            "--subsample",
            metavar="N",
            min=1,
            help="At most N rows of each part, for a first look.",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="EXTRACTOR",
            help="Compounds to extract, or COLUMN+COLUMN; those that fit the data by default. Repeatable.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading",
            metavar="[AUDIT.]KEY=VALUE",
            help="Option of an audit, such as same_class=out or avg-co-pair.unit=classes. Repeatable.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    further: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="AUDIT",
            help="Audit that does not run by default, such as adversarial. Repeatable.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    min_count: Annotated[
        str | None,
        typer.Option(
            "--min-count",
            metavar="N[,KEY=VALUE]",
            help="Object classes that count: at least N objects in train; unit=images, counted=all, "
            "comparison=more-than say otherwise.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    scenes: Annotated[
        list[str] | None,
        typer.Option(
            "--scenes",
            metavar="FILE",
            help="Scenes of the questions' images. Repeatable.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="How questions are reduced, what is extracted and checked.",
            show_default=False,
            rich_help_panel=_MEASURES,
        ),
    ] = None,
    settings: shared.Settings = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="CHECK",
            help="Bound on a measure, such as 'avg-co-pair <= 5'; exit 1 when it is broken. Repeatable.",
            show_default=False,
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="REPORT.json",
            help="Another audit's report, shown beside this one.",
            show_default=False,
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    top_pairs: Annotated[
        Path | None,
        typer.Option(
            "--top-pairs",
            metavar="FILE.parquet",
            help="Write every pair of object classes with its counts in each part.",
            show_default=False,
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    out: shared.ReportOut = None,
    force: shared.Force = False,
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
    """Measure how far the parts of a data set are apart: questions or scenes, whatever the files are called.

    Example: compsplit audit train=train_scenes.json test=val_scenes.json --check "avg-co-pair <= 5"

    Example: compsplit audit scene_graphs.json --random-splits 5 --test 0.3
    """
    from compsplit import api
    from compsplit.report import beside, show

    given = {**shared.reading(columns, id_scope, new_ids, allow_unjoined, threads), **shared.read_options(read)}
    one_table = part_column is not None or bool(split) or random_splits is not None
    if random_splits is None and (test is not None or share):
        raise UsageError("--test and --share belong to --random-splits.", field="--test" if test else "--share")
    page = shared.page_beside(html, out, force)
    files: Any = parts if one_table else _by_part(parts)
    earlier = None if compare is None else api.earlier_report(compare)
    with shared.progress() as watch:
        made = api.measure(
            files, part_column=part_column, split=shared.split_lists(split, "--split"), random_splits=random_splits,
            share=_shares(test, share), by=by, scenes=scenes or None, reference=reference, checks=check or (),
            readings=reading or (), further=further or (), min_count=min_count, subsample=subsample, format=format,
            recipe=recipe, of=of or (), settings=settings or (), watch=watch, **given,
        )  # fmt: skip
        if top_pairs is not None:
            watch("writing pairs")
            made.write_pairs(top_pairs, force=force)
        if out is not None:
            watch("writing the report")
            made.write(out, force=force)
            shared.make_page(page, out, force, watch)
    report = made.report if earlier is None else beside(made.report, earlier)
    if json:
        shared.print_json(report.to_json())
    else:
        show(report, shared.console())
        shared.tell_page(page)
    raise typer.Exit(1 if report.failed else 0)


def _by_part(given: list[str]) -> dict[str, list[str]]:
    if len(given) == 1 and Path(given[0]).is_dir():
        return _in_folder(Path(given[0]))
    parts: dict[str, list[str]] = {}
    for each in given:
        part, equals, file = each.partition("=")
        if not equals or not part or not file:
            raise UsageError(
                f'"{each}" does not say its part; name it PART={each}, or say parts with --part-column, --split or '
                "--random-splits.",
                file=each,
            )
        parts.setdefault(part, []).append(file)
    return parts


def _in_folder(folder: Path) -> dict[str, list[str]]:
    """Return the files of a folder, each a part named by its stem; hidden ones and documents are passed over."""
    passed_over = (".md", ".html", ".pdf", ".png", ".jpg", ".toml", ".yaml", ".yml")
    files = sorted(
        file
        for file in folder.iterdir()
        if file.is_file() and not file.name.startswith(".") and file.suffix.lower() not in passed_over
    )
    parts: dict[str, list[str]] = {}
    for file in files:
        parts.setdefault(file.name.partition(".")[0], []).append(str(file))
    if len(parts) < 2 or any(len(found) > 1 for found in parts.values()):
        names = ", ".join(file.name for file in files) or "no file"
        raise UsageError(
            f"{folder}: a folder stands for one file a part, and here is {names}. Name the parts: PART=FILE, or say "
            "them with --part-column, --split or --random-splits.",
            file=str(folder),
        )
    return parts


def _shares(test: str | None, share: list[str] | None) -> dict[str, str] | None:
    """Return part -> share."""
    shares: dict[str, str] = {}
    for each in [*(share or []), *([f"test={test}"] if test is not None else [])]:
        part, equals, text = each.partition("=")
        if not equals or not part or part in shares:
            raise UsageError(f'"{each}" is not PART=SHARE, each part once, such as test=0.3.', field="--share")
        shares[part] = text
    return shares or None

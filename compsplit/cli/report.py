"""compsplit report: a page, figures or a table of what was measured."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compsplit.cli import options as shared
from compsplit.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from compsplit.model.figure import Figure
    from compsplit.model.report import Table
    from compsplit.report.page import Given

_FIGURES = "Figures as files"
_TABLES = "Tables on stdout"


class _Kind(StrEnum):
    svg = "svg"
    pdf = "pdf"
    png = "png"


class _Form(StrEnum):
    latex = "latex"
    markdown = "markdown"
    csv = "csv"


def report(
    reports: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR_OR_REPORT...",
            help="Folders that run, audit, balance, evaluate, probe, profile or compare wrote, folders of several "
            "such, or report.json files.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PAGE.html",
            help="Page to write; by default DIR.html beside DIR.",
            show_default=False,
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="Write every figure to this folder, with the numbers behind it as CSV; a page only with --out.",
            show_default=False,
            rich_help_panel=_FIGURES,
        ),
    ] = None,
    kinds: Annotated[
        list[_Kind] | None,
        typer.Option(
            "--as", help="What figures are drawn as. Repeatable.", show_default="svg", rich_help_panel=_FIGURES
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            metavar="NAME",
            help="Figure to write, by a name that --list prints; all by default. Repeatable.",
            show_default=False,
            rich_help_panel=_FIGURES,
        ),
    ] = None,
    table: Annotated[
        _Form | None,
        typer.Option("--table", help="Print a table, and write nothing.", show_default=False, rich_help_panel=_TABLES),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="TABLE",
            help="Table to print, or figure whose numbers to print, by a name that --list prints. Repeatable.",
            show_default="measures",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    listing: Annotated[
        bool,
        typer.Option("--list", help="List tables and figures, and write nothing.", rich_help_panel=_TABLES),
    ] = False,
    force: shared.Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was written, or the list, as JSON.")] = False,
) -> None:
    """Make one page of reports, with figures: a single file that needs no network and no JavaScript.

    Or write its figures as files for a paper, or print its tables as LaTeX, Markdown or CSV.

    Example: compsplit report cvqa

    Example: compsplit report cvqa random --out both.html

    Example: compsplit report cvqa --figures figures --as pdf --as png

    Example: compsplit report cvqa --table latex --name "question types of train and test"
    """
    from compsplit import api

    _check(out, figures, kinds, figure, table, name, listing, json)
    given = api.opened(reports)
    if listing:
        _list(given, json)
    elif table is not None:
        _print_tables(given, table.value, name or ["measures"])
    else:
        page = api.place_of(reports, out) if out is not None or figures is None else None
        made = _written(given, page, figures, [each.value for each in kinds or [_Kind.svg]], figure or [], force)
        if json:
            shared.print_json(made)
        else:
            _tell(made)


def _check(
    out: Path | None,
    figures: Path | None,
    kinds: Sequence[_Kind] | None,
    figure: Sequence[str] | None,
    table: _Form | None,
    name: Sequence[str] | None,
    listing: bool,
    json: bool,
) -> None:
    """Raise where options do not fit together.

    Raises:
        UsageError: They do not.
    """
    if figures is None and (kinds or figure):
        option = "--as" if kinds else "--figure"
        raise UsageError(f"{option} says how figures are written; say where: --figures DIR.", field=option)
    if table is None and name:
        raise UsageError("--name says which table is printed; say how: --table latex, markdown or csv.", field="--name")
    if listing and table is not None:
        raise UsageError("--list and --table both print; give one of them.", field="--list")
    if (listing or table is not None) and (out is not None or figures is not None):
        option = "--list" if listing else "--table"
        raise UsageError(f"{option} prints and writes nothing; leave out --out and --figures.", field=option)
    if table is not None and json:
        raise UsageError("--table prints a table as it is asked for; the JSON of every table is in report.json.")


def _written(
    given: Sequence[Given], page: Path | None, figures: Path | None, kinds: Sequence[Any], names: Sequence[str],
    force: bool,
) -> dict[str, Any]:  # fmt: skip
    """Write what is asked for, and return what ``--json`` prints."""
    from compsplit.report.figure_files import check_figures_out, chosen, figures_by_name, write_figures
    from compsplit.report.page import write_page

    drawn = figures_by_name(given)
    if figures is not None:
        check_figures_out(figures, force)
        drawn = chosen(drawn, names)
    written: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    with shared.progress() as watch:
        if page is not None:
            watch("making the page")
            written = write_page(given, page, force=force)
        if figures is not None:
            files = write_figures(drawn, figures, kinds=kinds, force=force, watch=watch)
    return {
        "page": str(page) if page else None,
        "bytes": page.stat().st_size if page else None,
        "tables": list(map(str, written[1:])),
        "figures": list(drawn),
        "files": list(map(str, files)),
    }


def _tell(made: Mapping[str, Any]) -> None:
    from compsplit.report import plain

    console = shared.console()

    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    if made["files"]:
        folder = plain(Path(made["files"][0]).parent)
        say(f"Figures: {folder}/")
        for each in made["files"]:
            say(f"  {plain(Path(each).name)}")
    if made["page"] is not None:
        say(f"Page: {plain(made['page'])} ({made['bytes'] / 1000:,.0f} kB). Open it in a browser.")
    if made["tables"]:
        say(f"Whole tables beside it: {plain(Path(made['tables'][0]).parent)}/")
        for each in made["tables"]:
            say(f"  {plain(Path(each).name)}")


def _print_tables(given: Sequence[Given], form: Any, names: Sequence[str]) -> None:
    """Print tables of reports; several are told apart by a comment or a heading.

    Raises:
        UnknownNameError: No report has a table or figure of a name.
        UsageError: Several are to be one CSV.
    """
    from compsplit.report.tables import as_text, left_out_of

    found = [(each, name, table) for name in dict.fromkeys(names) for each, table in _called(given, name)]
    if len(found) > 1 and form == "csv":
        told = ", ".join(f"{name} of {each.name}" for each, name, _ in found)
        raise UsageError(f"CSV is one table, and here are {len(found)}: {told}. Name one.", field="--name")
    texts = [as_text(table, form, f"{name} of {each.name}", titled=len(found) > 1) for each, name, table in found]
    sys.stdout.write("\n".join(texts))
    left_out = left_out_of(found[0][2])
    if form == "csv" and left_out:
        typer.echo(f"These are {left_out}; a report holds no more.", err=True)


def _called(given: Sequence[Given], name: str) -> list[tuple[Given, Table]]:
    """Return the tables of one name, or else the numbers behind the figures of that name, with their reports.

    A name may be written as ``--list`` shows it, too: with marks that steer text escaped.
    """
    from compsplit.report import plain
    from compsplit.report.figure_files import figures_by_name
    from compsplit.report.tables import tables_of

    tables = [(each, tables_of(each.report)) for each in given]
    for said in (str, plain):
        found = [(each, table) for each, known in tables for key, table in known.items() if said(key) == name]
        if found:
            return found
    figures = [(each, figure) for each in given for figure in figures_by_name([each]).items()]
    found = [(each, figure.table) for each, (known, figure) in figures if known == name]
    if not found:
        known = {name for _, known in tables for name in known} | {name for _, (name, _) in figures}
        raise UnknownNameError("table or figure", name, known)
    return found


def _list(given: Sequence[Given], json: bool) -> None:
    """List tables and figures of each report with their sizes."""
    from compsplit.report import plain
    from compsplit.report.figure_files import figures_by_name
    from compsplit.report.tables import tables_of

    found = [(each.name, tables_of(each.report), figures_by_name([each])) for each in given]
    if json:
        shared.print_json({"reports": {name: _sizes(tables, figures) for name, tables, figures in found}})
        return
    for name, tables, figures in found:
        named = [("table", known, table) for known, table in tables.items()]
        named += [("figure", known, figure.table) for known, figure in figures.items()]
        counted = [f"{len(table.rows):,}" + (f" of {table.total:,}" if table.total else "") for _, _, table in named]
        room = max(map(len, counted))
        typer.echo(f"{plain(name)}: tables and figures, with their rows")
        for count, (kind, known, _) in zip(counted, named, strict=True):
            # Names come last and are never folded, as they are there to be copied.
            typer.echo(f"  {count:>{room}}  {kind:6}  {plain(known)}")


def _sizes(tables: Mapping[str, Table], figures: Mapping[str, Figure]) -> dict[str, Any]:
    def size(table: Table) -> dict[str, Any]:
        return {"columns": list(table.columns), "rows": len(table.rows), "total": table.total}

    return {
        "tables": [{"name": name, **size(table)} for name, table in tables.items()],
        "figures": [{"name": name, "title": figure.title, **size(figure.table)} for name, figure in figures.items()],
    }

"""Options that several commands share, and how results, progress and errors are shown."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compsplit.cli.memory import give_back
from compsplit.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="F", help="Format of the files; by default the content decides.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON on stdout.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Column that plays a role: id, image, question, answer, question_type, answer_type, origin; for scenes "
        "objects, relations, scene, object, attribute, subject, predicate. Repeatable.",
        show_default=False,
    ),
]
IdScope = Annotated[
    str | None,
    typer.Option(
        "--id-scope", metavar="all|file", help="`file`: ids are told apart by their file.", show_default=False
    ),
]
NewIds = Annotated[bool, typer.Option("--new-ids", help="Number the rows (source:number) instead of using their ids.")]
AllowUnjoined = Annotated[
    bool, typer.Option("--allow-unjoined", help="Leave records out that find no partner, and count them.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        help="Files that are read at a time; by default one a processor. The result is the same.",
        show_default=False,
    ),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="KEY=VALUE",
        help="Option of the reader, such as names=all or aliases.objects=FILE; the formats' page has them. Repeatable.",
        show_default=False,
    ),
]
ReportOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write report.json, report.md and manifest.json (inputs with checksums, versions, options).",
        show_default=False,
        rich_help_panel="Results",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.", rich_help_panel="Results")]
Html = Annotated[
    bool, typer.Option("--html", help="Make a page of it, too: DIR.html beside DIR, to open in a browser.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Override one key of the recipe. May be repeated.",
        show_default=False,
    ),
]


def reading(
    columns: list[str] | None, id_scope: str | None, new_ids: bool, allow_unjoined: bool, threads: int | None
) -> dict[str, Any]:
    """Return the reader's options that were given; a reader that has no such option says so."""
    options: dict[str, Any] = {}
    if columns:
        options["columns"] = dict(_pair(each) for each in columns)
    if id_scope is not None:
        options["id_scope"] = id_scope
    if new_ids:
        options["new_ids"] = True
    if allow_unjoined:
        options["allow_unjoined"] = True
    if threads is not None:
        options["threads"] = threads
    return options


def read_options(given: list[str] | None) -> dict[str, Any]:
    """Return the reader's options that ``KEY=VALUE`` texts say; ``KEY.NAME=VALUE`` is one entry of an option.

    Raises:
        UsageError: A text is not of this form, or says an option twice.
    """
    found: dict[str, Any] = {}
    for written in given or []:
        key, equals, text = written.partition("=")
        option, dot, name = key.strip().partition(".")
        if not equals or not option or (dot and not name):
            raise UsageError(f'"{written}" is not KEY=VALUE, such as names=all.', field="--read")
        inner = found.setdefault(option, {}) if dot else found
        within = name if dot else option
        if not isinstance(inner, dict) or within in inner:
            raise UsageError(f'"{key}" is given twice.', field="--read")
        inner[within] = _value(text.strip())
    return found


def split_lists(given: list[str] | None, option: str) -> Any:
    """Return what ``--split`` says: one path, or part -> file of ids; None where it is not given.

    Raises:
        UsageError: Several are not each PART=FILE, each part once.
    """
    if not given:
        return None
    pairs = [each.partition("=") for each in given]
    if len(given) == 1 and (not pairs[0][1] or Path(given[0]).exists()):
        return Path(given[0])
    if not all(part and equals and file for part, equals, file in pairs):
        raise UsageError(f"Several {option} options each say PART=FILE.", field=option)
    if len({part for part, _, _ in pairs}) < len(pairs):
        raise UsageError("Each part has one file of ids.", field=option)
    return {part: file for part, _, file in pairs}


def _value(text: str) -> Any:
    """Return what a text says as TOML, else the text itself."""
    import tomllib

    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _pair(written: str) -> tuple[str, str]:
    role, equals, name = written.partition("=")
    if not equals:
        raise UsageError(f'"{written}" is not ROLE=NAME, such as answer=label.', field="--column")
    return role, name


def console(*, stderr: bool = False) -> Console:
    """Return a console; its width is that of the terminal or $COLUMNS, or 110 where there is neither."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 110
    return Console(stderr=stderr, highlight=False, soft_wrap=False, width=width)


def page_beside(html: bool, out: Path | None, force: bool, *, plan: bool = False) -> Path | None:
    """Return where ``--html`` puts the page of a folder, None where none is asked for.

    To be called before any work, since a page that is there already must not be found after it.

    Raises:
        UsageError: No folder is written that a page could be of.
        OutputExistsError: There is one, and ``force`` is not set.
    """
    if not html:
        return None
    if plan:
        raise UsageError("--html makes a page of what is written, and --plan writes nothing.", field="--html")
    if out is None:
        raise UsageError("--html needs --out DIR: the page stands beside the folder, as DIR.html.", field="--html")
    from compsplit.report.page import check_page_out, page_place

    place = page_place(out)
    check_page_out(place, force)
    return place


def make_page(place: Path | None, folder: Path | None, force: bool, watch: Callable[[str], None]) -> None:
    """Make the page of a folder, if one is asked for."""
    if place is not None and folder is not None:
        from compsplit import api

        watch("making the page")
        api.page(folder, out=place, force=force)


def tell_page(place: Path | None) -> None:
    """Say on stdout where the page is, if one was made."""
    if place is not None:
        from compsplit.report import plain

        console().print(f"Page: {plain(place)}", markup=False, soft_wrap=True)


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Give a function that is told each stage: it shows the stage on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: give_back()
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def tell(stage: str) -> None:
            give_back()
            bar.update(task, description=stage)

        yield tell


def print_json(value: Any) -> None:
    """Print canonical JSON on stdout."""
    from compsplit.files import canonical_json

    sys.stdout.write(canonical_json(value))

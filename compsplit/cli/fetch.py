"""``compsplit fetch``: bring a published data set from its publisher."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compsplit.cli import options as shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compsplit.fetching import DataSet, Fetched, Watch


def fetch(
    dataset: Annotated[
        str | None,
        typer.Argument(help="Name of a data set; without one, the known ones are listed.", metavar="DATASET"),
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Folder to fetch into; data/DATASET if not said.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this file, or pattern of files; may be repeated.")
    ] = None,
    mirror: Annotated[
        str | None, typer.Option("--from", help="Address of a mirror's folder, in place of the publisher's.")
    ] = None,
    sha256: Annotated[
        list[str] | None, typer.Option("--sha256", help="FILE=HASH that the file must have; may be repeated.")
    ] = None,
    unpack: Annotated[
        bool, typer.Option("--unpack", help="Unpack the archives too. compsplit itself reads them as they are.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Fetch again what is already there.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what is there and what is not; fetch nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fetch a published data set, or list those that are known.

    A broken-off download goes on where it stopped. What is already there is checked and not fetched again. The records
    are counted and compared with the published figures; a difference is an error.

    Example: compsplit fetch vqa-v1 --to data/vqa-v1
    """
    from rich.console import Console

    from compsplit.errors import UsageError
    from compsplit.fetching import DATA_SETS, data_set
    from compsplit.fetching import fetch as bring

    if dataset is None:
        if to or only or mirror or sha256 or unpack or force or dry_run:
            raise UsageError("Say which data set to fetch: only the list of them, and --json, need no name.")
        if as_json:
            _print_json({"datasets": [_described(one) for one in DATA_SETS.values()]})
        else:
            _print_list()
        return
    chosen = data_set(dataset)
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    err.print(f"{chosen.name}: licence: {chosen.licence} ({chosen.home})", markup=False)
    with _watching(err) as watch:
        fetched = bring(
            chosen,
            to or Path("data") / chosen.name,
            only=only or (),
            mirror=mirror,
            pins=_pins(sha256 or []),
            unpacked=unpack,
            force=force,
            dry_run=dry_run,
            watch=watch,
        )
    if as_json:
        _print_json(_outcome(fetched))
    else:
        _print_outcome(fetched)


def _pins(written: list[str]) -> dict[str, str]:
    from compsplit.errors import OptionValueError

    pins = {}
    for one in written:
        name, _, value = one.partition("=")
        if len(value) != 64 or not set(value.lower()) <= set("0123456789abcdef"):
            raise OptionValueError("--sha256", one, "FILE=HASH with 64 hexadecimal digits")
        pins[name] = value
    return pins


@contextmanager
def _watching(err: Any) -> Iterator[Watch]:
    """Yield a watch that shows a bar on a terminal, and only the sentences elsewhere."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from compsplit.fetching import Watch

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=err, disable=not err.is_terminal) as progress:
        tasks: dict[str, Any] = {}

        def moved(label: str, done: int, total: int | None) -> None:
            if label not in tasks:
                # What an earlier run left must not count as speed, so the bar starts where this run does.
                tasks[label] = progress.add_task(label, total=total, completed=done)
            progress.update(tasks[label], completed=done, total=total)

        yield Watch(lambda text: err.print(text, markup=False), moved)


def _described(one: DataSet) -> dict[str, Any]:
    return {
        "name": one.name,
        "what": one.what,
        "licence": one.licence,
        "home": one.home,
        "files": [
            {"name": file.name, "what": file.what, "address": one.base + file.name, "published_size": file.size or None}
            for file in one.files
        ],
    }


def _outcome(fetched: Fetched) -> dict[str, Any]:
    return {
        "format": "compsplit-fetch",
        "format_version": 1,
        "dataset": fetched.data_set.name,
        "licence": fetched.data_set.licence,
        "home": fetched.data_set.home,
        "folder": fetched.folder.as_posix(),
        "dry_run": fetched.dry_run,
        "verdict": fetched.verdict,
        "files": [
            {
                "name": file.name,
                "address": file.address,
                "state": file.state,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "unpacked": file.unpacked,
                "counts": [
                    {
                        "what": one.what,
                        "members": one.members,
                        "counted": one.counted,
                        "published": one.published,
                        "source": one.source or None,
                        "verdict": one.verdict,
                    }
                    for one in file.counts
                ],
            }
            for file in fetched.files
        ],
    }


def _print_json(value: dict[str, Any]) -> None:
    from compsplit.files import canonical_json

    typer.echo(canonical_json(value), nl=False)


def _print_list() -> None:
    from compsplit.fetching import DATA_SETS
    from compsplit.report import listing

    # Two columns and a row for each line, so that addresses and file names are whole on a terminal of 80 characters.
    rows: list[tuple[str, str]] = []
    for one in DATA_SETS.values():
        files = [f"  {file.name}" + (f" ({file.size})" if file.size else "") for file in one.files]
        lines = [one.what, f"licence: {one.licence}", one.home, "files:", *files]
        rows += [("", "")] * bool(rows) + [(one.name if not k else "", line) for k, line in enumerate(lines)]
    shared.console().print(listing(("name", "data set"), rows))


def _print_outcome(fetched: Fetched) -> None:
    from rich.table import Table

    out = _out()
    out.print(fetched.verdict, markup=False, soft_wrap=True)
    table = Table("record count of", "of", "counted", "published", "verdict", box=None)
    for file in fetched.files:
        size = "" if file.bytes is None else f", {file.bytes:,} bytes"
        out.print(f"{file.name}: {file.state}{size}", markup=False, soft_wrap=True)
        if fetched.dry_run and file.state in ("missing", "partial"):
            out.print(f"  would be fetched from {file.address}", markup=False, soft_wrap=True)
        if file.sha256:
            out.print(f"  to pin it: --sha256 {file.name}={file.sha256}", markup=False, soft_wrap=True)
        if file.unpacked:
            out.print(f"  unpacked into {(fetched.folder / file.unpacked).as_posix()}", markup=False, soft_wrap=True)
        for one in file.counts:
            published = "-" if one.published is None else f"{one.published:,}"
            table.add_row(one.members, one.what, f"{one.counted:,}", published, one.verdict)
    if table.row_count:
        out.print(table)


def _out() -> Any:
    from rich.console import Console

    return Console(highlight=False)

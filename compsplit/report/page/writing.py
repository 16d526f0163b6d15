"""Write a page, and beside it the CSV files of what it has no room for.

A manifest in the folder of those says which files a page has written there; a folder with any other is none of ours.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from compsplit.errors import UsageError
from compsplit.files import MANIFEST, canonical_json, check_free, check_free_file, new_folder, replaced
from compsplit.model.report_reading import MANIFEST_VERSION, read_as_data
from compsplit.plain import plain
from compsplit.report.page.given import REPORT, Given, read_given
from compsplit.report.page.making import Page, page_of
from compsplit.report.tables import as_csv

_KIND = "tables of a page"
_FORMAT = "compsplit-page-tables"


def page_place(place: Path) -> Path:
    """Return where the page of a folder, or of a report's file, stands if nothing else is said: beside it.

    Not in it: a split's folder holds what its manifest lists, and ``verify`` says so.

    Example:
        >>> page_place(Path("out/cvqa")).as_posix()
        'out/cvqa.html'
    """
    whole = Path(os.path.abspath(place))
    if whole.name == REPORT and (whole.parent / MANIFEST).is_file():
        whole = whole.parent
    beside = whole.with_suffix(".html") if whole.is_file() else whole.with_name(f"{whole.name}.html")
    return beside if place.is_absolute() else Path(os.path.relpath(beside))


def write_page(places: Sequence[Path | Given], out: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write a page of the reports at some places, and return every file that it is, the page first.

    A page that is there already with the same bytes, tables included, is left as it is, ``force`` or not. Of another
    one nothing stays behind. Where something cannot be written, nothing is.

    Raises:
        OutputExistsError: Another page is there, and ``force`` is not set, or its tables stand among other files.
        CompsplitError: As its message says.
    """
    check_free_file(out, force=True)
    folder = tables_place(out)
    page = page_made(read_given(places), folder.name)
    html = page.html.encode("utf-8", "backslashreplace")
    tables = {name: as_csv(table).encode("utf-8", "surrogatepass") for name, table in page.tables.items()}
    if tables:
        tables[MANIFEST] = _manifest(tables)
    written = (out, *(folder / name for name in tables if name != MANIFEST))
    old, old_tables = _held(out), _all_held(folder)
    if old == html and old_tables == tables:
        return written
    if old not in (None, html) or old_tables not in ({}, tables):
        check_page_out(out, force)
    with replaced(out) as file:
        file.write(html)
        file.flush()  # a disk that is full says so before anything else is there
        if old_tables != tables:
            _replace_tables(folder, tables)
    return written


def check_page_out(out: Path, force: bool) -> None:
    """Raise if a page, or its tables, are there already and must not be replaced.

    Raises:
        OutputExistsError: ``force`` is not set, or the folder for its tables holds something else.
        FileError: Its parent is not there, or it is a folder.
    """
    check_free_file(out, force)
    check_free(tables_place(out), force, _are_tables, _KIND)


def tables_place(out: Path) -> Path:
    """Return the folder in which the CSV files of a page are."""
    return out.with_suffix(".tables")


def page_made(given: Sequence[Given], folder: str) -> Page:
    """Return the page of reports; where it cannot be made, the one that is broken is named.

    Raises:
        UsageError: One of them is.
    """
    try:
        with read_as_data(" and ".join(plain(each.name, 100) for each in given[:3]), "a page"):
            return page_of(given, folder)
    except UsageError:
        for each in given if len(given) > 1 else ():
            with read_as_data(plain(each.name, 100), "a page"):
                page_of([each], folder)
        raise


def _manifest(tables: Mapping[str, bytes]) -> bytes:
    outputs = [{"file": name} for name in sorted(tables)]
    return canonical_json({"format": _FORMAT, "format_version": MANIFEST_VERSION, "outputs": outputs}).encode()


def _are_tables(folder: Path) -> bool:
    """Tell whether a folder holds what a page wrote there, and nothing else."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names = {MANIFEST, *(each["file"] for each in manifest["outputs"])}
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return False
    found = list(folder.iterdir())
    only_files = all(each.is_file() and not each.is_symlink() for each in found)
    return manifest.get("format") == _FORMAT and only_files and {each.name for each in found} <= names


def _replace_tables(folder: Path, tables: Mapping[str, bytes]) -> None:
    if not tables:
        shutil.rmtree(folder)
        return
    with new_folder(folder, True, _are_tables, _KIND) as aside:
        for name, content in tables.items():
            (aside / name).write_bytes(content)


def _held(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _all_held(folder: Path) -> dict[str, bytes | None]:
    return {each.name: _held(each) for each in folder.iterdir()} if folder.is_dir() else {}

"""Write a page, and beside it the CSV files of what it has no room for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from compsplit.files import check_free, check_free_file, new_folder, replaced
from compsplit.report.page.given import Given, read_given
from compsplit.report.page.making import page_of
from compsplit.report.tables import as_csv

_KIND = "tables of a page"


def page_place(place: Path) -> Path:
    """Return where the page of a folder, or of a report's file, stands if nothing else is said: beside it.

    Not in it: a split's folder holds what its manifest lists, and ``verify`` says so.

    Example:
        >>> page_place(Path("out/cvqa")).as_posix()
        'out/cvqa.html'
    """
    whole = Path(os.path.abspath(place))
    beside = whole.with_suffix(".html") if whole.is_file() else whole.with_name(f"{whole.name}.html")
    return beside if place.is_absolute() else Path(os.path.relpath(beside))


def write_page(places: Sequence[Path | Given], out: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write a page of the reports at some places, and return every file that it is, the page first.

    A page that is there already with the same bytes, tables included, is left as it is, ``force`` or not. Of another
    one nothing stays behind.

    Raises:
        OutputExistsError: Another page is there, and ``force`` is not set, or its tables stand among other files.
        CompsplitError: As its message says.
    """
    check_free_file(out, force=True)
    folder = tables_place(out)
    page = page_of(read_given(places), folder.name)
    html = page.html.encode("utf-8", "backslashreplace")
    tables = {name: as_csv(table).encode("utf-8", "surrogatepass") for name, table in page.tables.items()}
    written = (out, *(folder / name for name in tables))
    old, old_tables = _held(out), _all_held(folder)
    if old == html and old_tables == tables:
        return written
    if old not in (None, html) or old_tables not in ({}, tables):
        check_page_out(out, force)
    if tables:
        with new_folder(folder, True, _are_tables, _KIND) as aside:
            for name, content in tables.items():
                (aside / name).write_bytes(content)
    elif old_tables:
        shutil.rmtree(folder)
    with replaced(out) as file:
        file.write(html)
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


def _are_tables(folder: Path) -> bool:
    return all(each.suffix == ".csv" and each.is_file() and not each.is_symlink() for each in folder.iterdir())


def _held(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _all_held(folder: Path) -> dict[str, bytes | None]:
    return {each.name: _held(each) for each in folder.iterdir()} if folder.is_dir() else {}

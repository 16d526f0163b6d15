"""Write a page, and beside it the CSV files of what it has no room for."""

from __future__ import annotations

import os
from pathlib import Path

from compsplit.files import check_free_file, replaced
from compsplit.report.page.given import read_given
from compsplit.report.page.making import page_of
from compsplit.report.tables import as_csv


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


def write_page(places: list[Path], out: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write a page of the reports at some places, and return every file that was written, the page first.

    Raises:
        CompsplitError: As its message says.
    """
    check_free_file(out, force)
    folder = out.with_suffix(".tables")
    page = page_of(read_given(places), folder.name)
    written = [out]
    if page.tables:
        folder.mkdir(exist_ok=True)
    for name, table in page.tables.items():
        with replaced(folder / name) as file:
            file.write(as_csv(table).encode("utf-8", "surrogatepass"))
        written.append(folder / name)
    with replaced(out) as file:
        file.write(page.html.encode("utf-8", "backslashreplace"))
    return tuple(written)

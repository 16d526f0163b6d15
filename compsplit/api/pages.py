"""Pages, figures and tables of reports that were written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from compsplit.errors import UsageError
from compsplit.report.page import page_place, write_page


def page(*reports: str | Path, out: str | Path | None = None, force: bool = False) -> Path:
    """Write one self-contained page of reports, and return where it is.

    Args:
        reports: Folders that ``run``, ``audit`` and their kin wrote, folders of several such, or report files.
        out: The page; beside the folder, under its name, if it is not given and there is one.
        force: Replace an older one.

    Raises:
        CompsplitError: As its message says.
    """
    places = [Path(each) for each in reports]
    return write_page(places, place_of(places, out), force=force)[0]


def place_of(places: Sequence[Path], out: str | Path | None = None) -> Path:
    """Return where a page of reports at some places is to be.

    Raises:
        UsageError: There are none, or several and no place is given.
    """
    if not places:
        raise UsageError("No report is given.")
    if out is not None:
        return Path(out)
    if len(places) > 1:
        raise UsageError("Say where the page of several reports is to be: --out PAGE.html.", field="--out")
    return page_place(places[0])

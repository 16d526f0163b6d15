"""Pages, figures and tables of reports: of those that were written, or of one in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.files import canonical_json
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.model.report_reading import read_as_data, report_of
from compsplit.recipe.running import Watch, no_watch
from compsplit.report import figure_files
from compsplit.report.drawing import KINDS, Kind, figures_of
from compsplit.report.page import page_place, read_given, write_page
from compsplit.report.page.given import Given
from compsplit.report.tables import tables_of

Place = str | Path
"""A folder that ``run``, ``audit`` and their kin wrote, a folder of several such, or a report's file."""


def page(*reports: Place | Report, out: Place | None = None, force: bool = False) -> Path:
    """Write one self-contained page of reports, and return where it is.

    Args:
        reports: Folders that ``run``, ``audit`` and their kin wrote, folders of several such, report files, or reports.
        out: The page; beside the folder, under its name, if it is not given and there is one.
        force: Replace an older one.

    Raises:
        CompsplitError: As its message says.
    """
    return write_page(opened(reports), place_of(reports, out), force=force)[0]


def place_of(reports: Sequence[Place | Report], out: Place | None = None) -> Path:
    """Return where a page of reports is to be.

    Raises:
        UsageError: There are none, or no place is given and it does not follow from them, or it is none for a page.
    """
    _check(reports)
    if out is not None:
        if Path(out).suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"{out} is no name of a page; end it in .html.", file=str(out), field="--out")
        return Path(out)
    if len(reports) > 1 or isinstance(reports[0], Report):
        what = "several reports" if len(reports) > 1 else "a report in memory"
        raise UsageError(f"Say where the page of {what} is to be: --out PAGE.html.", field="--out")
    return page_place(Path(reports[0]))


def figures(report: Place | Report) -> tuple[Figure, ...]:
    """Return every figure of a report (or of several in one folder), with the numbers behind it.

    Raises:
        CompsplitError: As its message says.
    """
    return tuple(figure for each in opened([report]) for figure in figures_of(each.report, each.name))


def write_figures(
    *reports: Place | Report,
    out: Place,
    kinds: Kind | Sequence[Kind] = ("svg",),
    names: str | Sequence[str] = (),
    force: bool = False,
    watch: Watch = no_watch,
) -> tuple[Path, ...]:
    """Write figures of reports as files, each with a CSV of its numbers, and return the files.

    Args:
        reports: As for ``page``.
        out: The folder, which is new.
        kinds: ``svg``, ``pdf``, ``png``, or several of them.
        names: Figures to write; all of them by default.
        force: Replace an older folder of figures.
        watch: Told each figure.

    Raises:
        CompsplitError: As its message says.
    """
    several: Sequence[Kind] = _several(kinds)
    for kind in several:
        if kind not in KINDS:
            raise UsageError(f'A figure is drawn as {", ".join(KINDS)}; "{kind}" is none of them.', field="kinds")
    chosen = figure_files.chosen(figure_files.figures_by_name(opened(reports)), _several(names))
    return figure_files.write_figures(chosen, Path(out), kinds=several, force=force, watch=watch)


def tables(report: Place | Report) -> Mapping[str, Table]:
    """Return every table of one report by name; ``measures`` are all its measures.

    Raises:
        UsageError: There are several reports.
    """
    found = opened([report])
    if len(found) > 1:
        raise UsageError(f"{report} holds several reports: {', '.join(each.name for each in found)}. Name one.")
    return tables_of(found[0].report)


def opened(reports: Sequence[Place | Report]) -> tuple[Given, ...]:
    """Return reports as pages take them; one in memory as it would be read again, but without a manifest.

    Raises:
        CompsplitError: There is none at a place, or it is broken.
    """
    _check(reports)
    return read_given([_in_memory(each) if isinstance(each, Report) else Path(each) for each in reports])


def _check(reports: Sequence[Any]) -> None:
    """Raise where something else is given than reports and their places.

    Raises:
        UsageError: It is.
    """
    if not reports:
        raise UsageError("No report is given.")
    for each in reports:
        if not isinstance(each, str | os.PathLike | Report):
            raise UsageError(
                f"A report is given as a folder, a file or a Report; found {type(each).__name__}. Several are given "
                "one after the other: page(one, two)."
            )
        if each == "":
            raise UsageError("A report is given as an empty text; expected a folder or a file.")


def _several(given: Any) -> Sequence[Any]:
    """Return one text as a list of it."""
    return (given,) if isinstance(given, str) else tuple(given)


def _in_memory(report: Report) -> Given:
    name = str(report.subject.get("title") or report.subject.get("kind") or "the report")
    with read_as_data(name, "JSON"):
        found = json.loads(canonical_json(report.to_json()))
    return Given(name, report_of(found, name), {})

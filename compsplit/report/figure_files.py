"""Every figure of reports as a file of its own, for a paper, and the numbers behind it as CSV.

A figure NAME is NAME.svg, NAME.pdf or NAME.png and NAME.csv; of several reports, NAME begins with that of the report.
The same reports give the same bytes. Cost: a tenth of a second or two for each figure and kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compsplit.errors import UnknownNameError, UsageError
from compsplit.figures.drawing import slug
from compsplit.files import check_free, new_folder
from compsplit.model.figure import Figure
from compsplit.report.drawing import KINDS, Kind, drawn, figures_of
from compsplit.report.page.given import Given
from compsplit.report.tables import as_csv

_KIND = "figures"
_NAME = re.compile(rf"([a-z0-9-]+)\.({'|'.join(KINDS)}|csv)")


def figures_by_name(given: Sequence[Given]) -> dict[str, Figure]:
    """Return every figure of some reports by the name of its files."""
    named: dict[str, Figure] = {}
    for each in given:
        for figure in figures_of(each.report, each.name):
            whole = f"{slug(each.name)[:40]}-{figure.name}" if len(given) > 1 else figure.name
            # Names of reports in scripts that no file's name keeps may leave nothing to tell them apart by.
            name, again = whole, 1
            while name in named:
                again += 1
                name = f"{whole}-{again}"
            named[name] = figure
    return named


def chosen(figures: Mapping[str, Figure], names: Sequence[str]) -> dict[str, Figure]:
    """Return the figures with some names, of their files or their own; all of them if no name is given.

    Raises:
        UsageError: There is no figure at all.
        UnknownNameError: No figure has a name.
    """
    if not figures:
        raise UsageError("The reports have nothing that is drawn; --list says what they have, --table prints a table.")
    for name in names:
        if not any(name in (file, figure.name) for file, figure in figures.items()):
            raise UnknownNameError("figure", name, figures)
    return {file: figure for file, figure in figures.items() if not names or file in names or figure.name in names}


def write_figures(
    figures: Mapping[str, Figure],
    out: Path,
    *,
    kinds: Sequence[Kind] = ("svg",),
    force: bool = False,
    watch: Callable[[str], None] = lambda _: None,
) -> tuple[Path, ...]:
    """Write figures and the numbers behind them to a new folder, and return its files.

    Args:
        figures: Name of the files -> figure.
        out: The folder.
        kinds: What each is drawn as.
        force: Replace an older folder of figures.
        watch: Told each figure.

    Raises:
        OutputExistsError: The folder is there, and ``force`` is not set, or it holds something else.
    """
    names: list[str] = []
    with new_folder(out, force, are_figures, _KIND) as folder:
        for at, (name, figure) in enumerate(figures.items(), start=1):
            watch(f"drawing {name}, {at} of {len(figures)}")
            try:
                made = {f"{name}.{kind}": drawn(figure, kind) for kind in dict.fromkeys(kinds)}
            except ValueError as error:
                raise UsageError(f"The figure {name} cannot be drawn of its report: {error}", file=name) from error
            made[f"{name}.csv"] = as_csv(figure.table).encode("utf-8", "surrogatepass")
            for file, content in made.items():
                (folder / file).write_bytes(content)
            names += made
    return tuple(out / name for name in names)


def check_figures_out(out: Path, force: bool) -> None:
    """Raise if a folder is there already and must not be replaced.

    Raises:
        OutputExistsError: ``force`` is not set, or it holds something else than figures.
        FileError: Its parent is not there, or it is a file.
    """
    check_free(out, force, are_figures, _KIND)


def are_figures(folder: Path) -> bool:
    """Tell whether a folder holds figures alone: each drawing with its CSV, each CSV with a drawing."""
    found = [(each, _NAME.fullmatch(each.name)) for each in folder.iterdir()]
    if not all(name and each.is_file() and not each.is_symlink() for each, name in found):
        return False
    names = [(name[1], name[2]) for _, name in found if name]
    return {name for name, kind in names if kind == "csv"} == {name for name, kind in names if kind != "csv"}

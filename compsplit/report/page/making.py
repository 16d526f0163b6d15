"""A page of reports: what stands in it, in which order, and how much of it, so that it is never larger than 300 kB.

The template escapes everything; nothing here is markup but the figures, which ``report.drawing`` makes. A page depends
on what the files hold and on nothing else: no time, no path, no random name.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from compsplit.model.figure import Figure
from compsplit.model.report import Finding, Report, Table
from compsplit.registry import plugins
from compsplit.report.drawing import inline
from compsplit.report.headlines import SECTIONS, headlines, written
from compsplit.report.page.cells import cell, is_number
from compsplit.report.page.citing import citations
from compsplit.report.page.definitions import Definition, definition
from compsplit.report.page.given import Given
from compsplit.report.page.made_again import MadeAgain, made_again
from compsplit.report.page.opening import opening
from compsplit.report.plain import joined, plain
from compsplit.version import VERSION

LARGEST = 300_000
"""Bytes of a page."""
_ROWS = (50, 30, 20, 10, 5)
"""Rows of a table that a page shows: the first of these with which it is small enough."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and what it has no room for.

    Attributes:
        html: The page.
        tables: Name of a CSV file -> a table of which the page shows the first rows only.
    """

    html: str
    tables: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as a page shows it.

    Attributes:
        name: Its name.
        columns: (name, whether it holds numbers).
        rows: Texts.
        more: What is said of rows that are not shown; may be empty.
        file: Name of the CSV file that has all that the report has; empty where the page has all.
    """

    name: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]
    more: str
    file: str


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as a page shows it: ``svg`` is markup, everything else is text."""

    figure: Figure
    id: str
    svg: str
    table: ShownTable


@dataclass(frozen=True, slots=True)
class Section:
    """Everything of one report as a page shows it."""

    id: str
    given: Given
    sentences: tuple[str, str, str]
    findings: tuple[tuple[Finding, str], ...]
    figures: tuple[ShownFigure, ...]
    measures: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]
    culprits: tuple[ShownTable, ...]
    published: ShownTable | None
    tables: tuple[ShownTable, ...]
    made: tuple[tuple[str, str], ...]
    again: MadeAgain
    citations: tuple[str, ...]


def figures_of(report: Report) -> tuple[Figure, ...]:
    """Return every figure that can be drawn of a report, in the order in which they are best looked at."""
    found = [figure for each in plugins("figure").values() for figure in each.make(report)]
    return tuple(found)


def page_of(given: Sequence[Given], folder: str) -> Page:
    """Return a page of one or more reports, at most ``LARGEST`` bytes.

    Args:
        given: The reports.
        folder: Name of the folder beside the page in which the CSV files of what it does not show are to be.
    """
    drawn = [[(figure, inline(figure)) for figure in figures_of(each.report)] for each in given]
    page = None
    for most in _ROWS:
        page = _page(given, drawn, folder, most)
        if len(page.html.encode("utf-8", "replace")) <= LARGEST:
            return page
    assert page is not None
    return page


def _page(given: Sequence[Given], drawn: Sequence[Sequence[tuple[Figure, str]]], folder: str, most: int) -> Page:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    kept: dict[str, Table] = {}
    sections = [
        _section(each, f"r{at}" if len(given) > 1 else "r", figures, folder, most, kept)
        for at, (each, figures) in enumerate(zip(given, drawn, strict=True), start=1)
    ]
    environment = Environment(
        loader=PackageLoader("compsplit.report.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _text("page.css"), _text("page.js")
    html = environment.get_template("page.html").render(
        title=plain(" and ".join(_title(each) for each in given), 200),
        sections=sections,
        definitions=_definitions(given),
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        version=VERSION,
        cell=cell,
    )
    return Page(html, kept)


def _text(name: str) -> str:
    return resources.files("compsplit.report.page").joinpath(name).read_text(encoding="utf-8")


def _title(given: Given) -> str:
    return str(given.report.subject.get("title") or given.report.subject["kind"])


def _section(
    given: Given, id: str, drawn: Sequence[tuple[Figure, str]], folder: str, most: int, kept: dict[str, Table]
) -> Section:
    report = given.report
    shown = {name: _shown(given, name, table, folder, most, kept) for name, table in report.tables.items()}
    return Section(
        id=id,
        given=given,
        sentences=opening(given),
        findings=tuple((each, ", ".join(map(joined, each.first[:5]))) for each in report.findings),
        figures=tuple(
            ShownFigure(each, f"{id}-{each.name}", svg, _shown(given, each.name, each.table, folder, most, kept))
            for each, svg in drawn
        ),
        measures=_measures(report),
        culprits=tuple(shown[name] for name, table in report.tables.items() if table.culprits),
        published=shown.get("published beside obtained"),
        tables=tuple(
            shown[name]
            for name, table in report.tables.items()
            if not table.culprits and name != "published beside obtained"
        ),
        made=tuple(_flat(report.subject)),
        again=made_again(given),
        citations=citations(given),
    )


def _shown(given: Given, name: str, table: Table, folder: str, most: int, kept: dict[str, Table]) -> ShownTable:
    rows = table.rows[:most]
    n_all = len(table.rows) if table.total is None else table.total
    file = ""
    if len(rows) < len(table.rows):
        from compsplit.figures.drawing import slug

        file = f"{slug(given.name, name)}.csv"
        kept[file] = table
    numbers = [all(is_number(row[at]) or row[at] is None for row in rows) for at in range(len(table.columns))]
    return ShownTable(
        plain(name, 200),
        tuple((plain(column, 60), number) for column, number in zip(table.columns, numbers, strict=True)),
        tuple(tuple(map(cell, row)) for row in rows),
        f"The first {len(rows):,} of {n_all:,}." if len(rows) < n_all else "",
        f"{folder}/{file}" if file else "",
    )


def _measures(report: Report) -> tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]:
    """Return the measures by what they say, each with its n and unit."""
    lines = headlines(report, every=True)
    sections = [
        (
            section,
            tuple(
                {"label": line.label, "parts": line.parts, "value": line.value, "reason": line.reason, "n": line.n,
                 "unit": line.n_unit, "name": ""}
                for line in lines if line.section == section
            ),
        )
        for section in SECTIONS
    ]  # fmt: skip
    counts = tuple(
        {"label": m.name, "parts": m.part or "", "value": written(m), "reason": "", "n": m.n, "unit": m.n_unit,
         "name": m.name}
        for m in report.measures if m.unit == "count"
    )  # fmt: skip
    return tuple((section, lines) for section, lines in [*sections, ("counts", counts)] if lines)


def _definitions(given: Sequence[Given]) -> tuple[tuple[str, Definition], ...]:
    names = sorted({measure.name for each in given for measure in each.report.measures})
    return tuple((name, found) for name in names if (found := definition(name)) is not None)


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _flat(value[key], f"{name} / {key}" if name else str(key))
    elif value not in (None, "", [], {}):
        yield name, cell(value)

"""A page of reports: what stands in it, in which order, and how much of it, so that it is never larger than 300 kB.

The template escapes everything; nothing here is markup but the figures, which ``report.drawing`` makes. A page depends
on what the files hold and on nothing else: no time, no path, no random name. Cost: drawing the figures, once; then the
page is filled once, and five times at most where it must be made smaller.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from compsplit.errors import UsageError
from compsplit.model.figure import Figure
from compsplit.model.report import Finding, Report, Table
from compsplit.report.drawing import figures_of, inline
from compsplit.report.page.citing import citations
from compsplit.report.page.definitions import Definition, definition
from compsplit.report.page.given import Given
from compsplit.report.page.made_again import MadeAgain, made_again
from compsplit.report.page.measures import RUNS, Groups, measures_shown
from compsplit.report.page.opening import opening
from compsplit.report.page.room import ROOMS, Room
from compsplit.report.page.shown import (
    EXAMPLES,
    Files,
    ShownFigure,
    ShownTable,
    figures_shown,
    flat,
    lines_shown,
    tables_of,
)
from compsplit.report.plain import joined, plain
from compsplit.report.tables import measures as table_of_measures
from compsplit.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Template

LARGEST = 300_000
"""Bytes of a page."""
_PUBLISHED = "published beside obtained"

T = TypeVar("T")
Drawn = Sequence[tuple[Figure, str]]


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and what it has no room for.

    Attributes:
        html: The page.
        tables: Name of a CSV file -> a table of which the page does not show the whole.
    """

    html: str
    tables: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Section:
    """Everything of one report as a page shows it, texts not yet escaped.

    Attributes:
        id: What every id in it begins with.
        name: Name of its folder.
        title: What it is.
        failed: Whether a check is broken.
        verdict: One sentence with counts; empty where the sentences say it.
        sentences: What it is, what holds, what to know before use.
        findings: (finding, its message, its first ids).
        figures: Figures, each with its table.
        no_room: Titles of figures that are left out.
        n_no_room: How many they are.
        measures: Measures in groups.
        runs: Those of each random split by itself.
        more_measures: What is said of measures that are left out, the link to all, and the file's name.
        culprits: Tables that are searched, the one of example rows last.
        published: Published beside obtained.
        tables: Other tables.
        more_tables: Names of tables that stand in CSV files only.
        tables_first: Whether the measures are told by those tables, which come before them.
        made: Inputs, versions and settings.
        again: The recipe and the command that make it again.
        citations: What to cite.
    """

    id: str
    name: str
    title: str
    failed: bool
    verdict: str
    sentences: tuple[str, ...]
    findings: tuple[tuple[Finding, str, str], ...]
    figures: tuple[ShownFigure, ...]
    no_room: tuple[str, ...]
    n_no_room: int
    measures: Groups
    runs: Groups
    more_measures: tuple[str, str, str]
    culprits: tuple[ShownTable, ...]
    published: ShownTable | None
    tables: tuple[ShownTable, ...]
    more_tables: tuple[str, ...]
    tables_first: bool
    made: tuple[ShownTable, ...]
    again: MadeAgain
    citations: tuple[str, ...]

    @property
    def contents(self) -> tuple[tuple[str, str], ...]:
        """Its parts as (id, heading); a part without anything in it is none."""
        parts: tuple[tuple[str, str, Any], ...] = (
            ("findings", "What to know", self.findings),
            ("figures", "Figures", self.figures or self.no_room),
            ("tables", "Tables", self.tables_first),
            ("measures", "Measures", self.measures or self.runs),
            ("published", "Published beside obtained", self.published),
            ("culprits", "Culprits and examples", self.culprits),
            ("tables", "Other tables", not self.tables_first and (self.tables or self.more_tables)),
            ("made", "How it was made", True),
            ("cite", "How to cite", self.citations),
        )
        return tuple((f"{self.id}-{name}", heading) for name, heading, there in parts if there)


def page_of(given: Sequence[Given], folder: str) -> Page:
    """Return a page of one or more reports, at most ``LARGEST`` bytes.

    Args:
        given: The reports.
        folder: Name of the folder beside the page in which the CSV files of what it does not show are to be.
    """
    drawn = [
        [
            (figure, inline(figure, f"{_id(given, at)}-{number}"))
            for number, figure in enumerate(figures_of(each.report))
        ]
        for at, each in enumerate(given[: ROOMS[0].reports])
    ]
    page = _page(given, drawn, folder, ROOMS[0])
    if _size(page) <= LARGEST:
        return page
    # Of smaller and smaller rooms the widest in which everything fits, found by halving.
    low, high = 1, len(ROOMS) - 1
    best = _page(given, drawn, folder, ROOMS[high])
    while low < high:
        middle = (low + high) // 2
        page = _page(given, drawn, folder, ROOMS[middle])
        if _size(page) <= LARGEST:
            best, high = page, middle
        else:
            low = middle + 1
    return best


def _size(page: Page) -> int:
    return len(page.html.encode("utf-8", "backslashreplace"))


def _id(given: Sequence[Given], at: int) -> str:
    return f"r{at + 1}" if len(given) > 1 else "r"


def _page(given: Sequence[Given], drawn: Sequence[Drawn], folder: str, whole_room: Room) -> Page:
    shown = given[: whole_room.reports]
    room = whole_room.of_each(len(shown))
    files = Files(folder)
    sections = [_section(each, _id(given, at), drawn[at], files, room) for at, each in enumerate(shown)]
    style, script = _text("page.css"), _text("page.js")
    html = _template().render(
        title=_title(given),
        sections=sections,
        n_reports=len(given),
        definitions=_definitions(shown),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        version=VERSION,
    )
    return Page(html, files.kept)


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("compsplit.report.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")


def _text(name: str) -> str:
    return resources.files("compsplit.report.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what a content security policy calls an inline text by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _title(given: Sequence[Given]) -> str:
    titles = list(dict.fromkeys(_title_of(each) for each in given))
    named = " and ".join(titles[:3]) + (" and others" if len(titles) > 3 else "")
    return f"{named}: {len(given):,} reports" if len(given) > 1 else named


def _title_of(given: Given) -> str:
    return plain(given.report.subject.get("title") or given.report.subject["kind"], 100)


def _section(given: Given, id: str, drawn: Drawn, files: Files, room: Room) -> Section:
    report = given.report
    sentences = tuple(plain(each, room.text) for each in _told(opening, given) if each)
    verdict = plain(report.verdict, room.text)
    tables = tables_of(id, given.name, report, files, room)
    figures, no_room = figures_shown(id, given.name, drawn, files, room)
    measures, n_more = measures_shown(report, room.measures)
    all_measures = files.name(given.name, "measures")
    more = ("", "", "")
    if n_more:
        said = f"{len(report.measures) - n_more:,} of {len(report.measures):,} measures are here."
        more = (said, files.link(all_measures, table_of_measures(report)), all_measures)
    culprits = [name for name in tables if report.tables[name].culprits and name != EXAMPLES]
    culprits += [EXAMPLES] if EXAMPLES in tables else []
    return Section(
        id=id,
        name=plain(given.name, 100),
        title=_title_of(given),
        failed=report.failed,
        verdict="" if any(verdict in each for each in sentences) else verdict,
        sentences=sentences,
        findings=_findings(report, room),
        figures=figures,
        no_room=_first(no_room, room.lines),
        n_no_room=len(no_room),
        measures=tuple(each for each in measures if each[0] != RUNS),
        runs=tuple(each for each in measures if each[0] == RUNS),
        more_measures=more,
        culprits=tuple(tables[name] for name in culprits),
        published=tables.get(_PUBLISHED),
        tables=tuple(each for name, each in tables.items() if name not in (*culprits, _PUBLISHED)),
        more_tables=_first([plain(name, 60) for name in report.tables if name not in tables], room.lines),
        tables_first=report.subject.get("measures in tables") is True and bool(tables),
        made=_made(given, id, room),
        again=_again(given, room),
        citations=_first([plain(each, room.text) for each in _told(citations, given)], room.lines),
    )


def _told(make: Callable[[Given], T], given: Given) -> T:
    """Return what is made of what a report and its manifest say of themselves.

    Raises:
        UsageError: They lack what every one of their kind has.
    """
    try:
        return make(given)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{plain(given.name, 100)} is a broken report: what it or its manifest says of itself is not as "
            f"the format has it ({type(error).__name__}: {error}). Make it again.",
            file=given.name,
        ) from error


def _findings(report: Report, room: Room) -> tuple[tuple[Finding, str, str], ...]:
    shown = [
        (each, plain(each.message, room.text), ", ".join(joined(one) for one in each.first[:5]))
        for each in report.findings[: room.lines]
    ]
    if len(report.findings) > room.lines:
        n_more = len(report.findings) - room.lines
        more = Finding(kind="more", count=n_more, message=f"{n_more:,} more findings are in report.json.")
        shown.append((more, more.message, ""))
    return tuple(shown)


def _first(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the first of some texts, and how many more there are as the last."""
    return (*texts[:most], f"and {len(texts) - most:,} more") if len(texts) > most else tuple(texts)


def _again(given: Given, room: Room) -> MadeAgain:
    again = _told(made_again, given)
    lines = [plain(line, room.text) for line in again.recipe.splitlines()]
    recipe: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > 10 * room.text:
            recipe.append(f"# {len(lines) - len(recipe):,} more lines: the whole recipe is in manifest.json.")
            break
        recipe.append(line)
    command, note = plain(again.command), plain(again.note, room.text)
    if len(command) > 4 * room.text:
        # A part of a command would do something else.
        command, note = "", f"The command has {len(command):,} characters, for which there is no room here. {note}"
    return MadeAgain("\n".join(recipe), command, note)


def _made(given: Given, id: str, room: Room) -> tuple[ShownTable, ...]:
    manifest = given.manifest
    inputs = [
        (each.get("file"), each.get("used_as") or each.get("source"), each.get("records"), each.get("sha256"))
        for each in manifest.get("inputs", ())
        if isinstance(each, Mapping)
    ]
    versions = list(flat(manifest.get("versions", {})))
    tables = (
        lines_shown(f"{id}-inputs", "Inputs", ("file", "read as", "records", "SHA-256"), inputs, room, open=True),
        lines_shown(f"{id}-versions", "Versions", ("program", "version"), versions, room),
        lines_shown(f"{id}-recorded", "Everything recorded", ("what", "value"), flat(given.report.subject), room),
    )
    return tuple(each for each in tables if each.rows)


def _definitions(given: Sequence[Given]) -> dict[str, Definition]:
    """Return what is known of the measures in the reports, by name."""
    names = sorted({measure.name for each in given for measure in each.report.measures})
    return {name: found for name in names if (found := definition(name)) is not None}

"""A page of reports: what stands in it, in which order, and how much of it, so that it is never larger than 300 kB.

The template escapes everything; nothing here is markup but the figures, which ``report.drawing`` makes. A page depends
on what the files hold and on nothing else: no time, no path, no random name. Cost: drawing the figures, once; then the
page is filled until what it shows is as much as fits: about ten times, each for a tenth of a second at most.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from compsplit.errors import UsageError
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.plain import plain
from compsplit.recipe.part_orders import in_order
from compsplit.recipe.toml_text import recipe_toml
from compsplit.report.drawing import figures_of, inline
from compsplit.report.page.citing import citations
from compsplit.report.page.definitions import Definition, definition
from compsplit.report.page.findings import ShownFinding, findings_shown
from compsplit.report.page.given import Given
from compsplit.report.page.made_again import MadeAgain, made_again
from compsplit.report.page.measures import RUNS, Groups, measures_shown, note_of
from compsplit.report.page.opening import opening
from compsplit.report.page.room import ROOMS, WIDENED, Room
from compsplit.report.page.shown import (
    EXAMPLES,
    PUBLISHED,
    Files,
    ShownFigure,
    ShownTable,
    figures_shown,
    flat,
    lines_shown,
    tables_of,
)
from compsplit.report.page.side_by_side import side_by_side
from compsplit.report.tables import measures as table_of_measures
from compsplit.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

LARGEST = 300_000
"""Bytes of a page."""
_FULL = LARGEST * 97 // 100
"""Bytes of a page that is not widened any more."""
_GRAIN = 1_000
"""Bytes of figures, which are large enough not to be weighed more exactly."""

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
        findings: Findings in the order of their weight.
        figures: Figures, each with its table.
        no_room: Titles of figures that are left out.
        n_no_room: How many they are.
        note: How values over several random splits are written; may be empty.
        measures: Measures in groups.
        runs: Those of each random split by itself.
        more_measures: What is said of measures that are left out, the link to all, and the file's name.
        culprits: Tables that are searched, what leaks first, the one of example rows last.
        not_searched: What is said of rows that a search does not see; may be empty.
        published: Published beside obtained.
        tables: Other tables.
        more_tables: Names of tables that stand in CSV files only.
        tables_first: Whether the measures are told by those tables, which come before them.
        made: Inputs, versions and settings.
        again: The recipe and the command that make it again.
        came_to: Whether the command names another recipe, and this one is what it came to.
        citations: What to cite.
    """

    id: str
    name: str
    title: str
    failed: bool
    verdict: str
    sentences: tuple[str, ...]
    findings: tuple[ShownFinding, ...]
    figures: tuple[ShownFigure, ...]
    no_room: tuple[str, ...]
    n_no_room: int
    note: str
    measures: Groups
    runs: Groups
    more_measures: tuple[str, str, str]
    culprits: tuple[ShownTable, ...]
    not_searched: str
    published: ShownTable | None
    tables: tuple[ShownTable, ...]
    more_tables: tuple[str, ...]
    tables_first: bool
    made: tuple[ShownTable, ...]
    again: MadeAgain
    came_to: bool
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What is the same of a report in every room: its id, its figures, and what it and its manifest say in words."""

    given: Given
    id: str
    drawn: Drawn
    sentences: tuple[str, ...]
    again: MadeAgain
    came_to: bool
    citations: tuple[str, ...]


def page_of(given: Sequence[Given], folder: str) -> Page:
    """Return a page of one or more reports, at most ``LARGEST`` bytes.

    Args:
        given: The reports.
        folder: Name of the folder beside the page in which the CSV files of what it does not show are to be.
    """
    several = len(given) > 1
    told = [_told(each, f"r{at}" if several else "r") for at, each in enumerate(given[: ROOMS[0].reports], start=1)]

    def make(room: Room) -> Page:
        return _page(given, told[: room.reports], folder, room)

    for room in (each.of_each(len(given)) for each in ROOMS):
        page = make(room)
        if _size(page) <= LARGEST:
            break
    all_figures = max(sum(len(svg.encode()) for _, svg in each.drawn) for each in told)
    return _filled(make, room, page, all_figures)


def _filled(make: Callable[[Room], Page], room: Room, page: Page, all_figures: int) -> Page:
    """Return the page that is as full as it may be: one thing after another is widened, how far is found by halving."""
    stuck = set()
    for name, most in WIDENED:
        low, limit, high = getattr(room, name), all_figures if most is None else most, None
        grain = _GRAIN if most is None else 1
        while _size(page) < _FULL and name not in stuck and low < limit:
            middle = min(4 * low or limit, limit) if high is None else (low + high) // 2
            widened: dict[str, Any] = {name: middle}
            wider = replace(room, **widened)
            tried = make(wider)
            if _size(tried) <= LARGEST:
                page, room, low = tried, wider, middle
            else:
                high = middle
            if high is not None and high - low <= grain:
                stuck.add(name)
    return page


def _size(page: Page) -> int:
    return len(page.html.encode("utf-8", "backslashreplace"))


def _page(given: Sequence[Given], told: Sequence[_Told], folder: str, room: Room) -> Page:
    files = Files(folder)
    sections = [_section(each, files, room) for each in told]
    shown = [each.given for each in told]
    style, script = _text("page.css"), _text("page.js")
    html = _template().render(
        title=_title(given),
        sections=sections,
        side_by_side=side_by_side(shown),
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
    environment.filters["coded"] = _coded
    return environment.get_template("page.html")


def _coded(text: str) -> Markup:
    """Return text in which what stands between backticks is code; everything is escaped.

    Example:
        >>> print(_coded("a `<b>` c"))
        a <code>&lt;b&gt;</code> c
    """
    from markupsafe import Markup, escape

    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return Markup().join(Markup("<code>{}</code>").format(each) if at % 2 else escape(each)
                         for at, each in enumerate(pieces))  # fmt: skip


def _text(name: str) -> str:
    return resources.files("compsplit.report.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what a content security policy calls an inline text by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _title(given: Sequence[Given]) -> str:
    """Return what the reports are; several are counted by their kind, and their titles named."""
    if len(given) == 1:
        return _title_of(given[0])
    kinds = Counter(plain(each.report.subject["kind"], 60) for each in given)
    counts = [f"{n:,} {kind}s" if n > 1 else f"1 {kind}" for kind, n in kinds.items()]
    titles = [plain(each.report.subject["title"], 100) for each in given if each.report.subject.get("title")]
    distinct = list(dict.fromkeys(titles))
    named = " and ".join(distinct[:3]) + (" and others" if len(distinct) > 3 else "")
    return f"{' and '.join(counts)}{': ' if named else ''}{named}"


def _title_of(given: Given) -> str:
    subject = given.report.subject
    return plain(subject.get("title") or subject["kind"].capitalize(), 100)


def _section(told: _Told, files: Files, room: Room) -> Section:
    given, id = told.given, told.id
    report = given.report
    sentences = tuple(plain(each, room.text) for each in told.sentences if each)
    verdict = plain(report.verdict, room.text)
    tables = tables_of(id, given.name, report, files, room)
    figures, no_room = figures_shown(id, given.name, told.drawn, files, room)
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
        findings=findings_shown(report, {name: tables[name].id for name in culprits}, room.lines, room.text),
        figures=figures,
        no_room=_first(no_room, room.lines),
        n_no_room=len(no_room),
        note=note_of(report),
        measures=tuple(each for each in measures if each[0] != RUNS),
        runs=tuple(each for each in measures if each[0] == RUNS),
        more_measures=more,
        culprits=tuple(tables[name] for name in culprits),
        not_searched=_not_searched(report, [tables[name] for name in culprits], tables),
        published=tables.get(PUBLISHED),
        tables=tuple(each for name, each in tables.items() if name not in (*culprits, PUBLISHED)),
        more_tables=_first([plain(name, 60) for name in report.tables if name not in tables], room.lines),
        tables_first=report.subject.get("measures in tables") is True and bool(tables),
        made=_made(given, id, room),
        again=_cut(told.again, room),
        came_to=told.came_to,
        citations=_first([plain(each, room.text) for each in told.citations], room.lines),
    )


def _not_searched(report: Report, shown: Sequence[ShownTable], names: Collection[str]) -> str:
    """Return what is said of rows of culprits that are not on the page."""
    absent = [table for name, table in report.tables.items() if table.culprits and name not in names]
    n_held = sum(each.n_held for each in shown) + sum(len(table.rows) for table in absent)
    n_counted = sum(each.n_counted for each in shown)
    n_counted += sum(table.total - len(table.rows) for table in absent if table.total is not None)
    said = [f"{n_held:,} {'row' if n_held == 1 else 'rows'}, in CSV files"] if n_held else []
    said += [f"{n_counted:,} that {'is' if n_counted == 1 else 'are'} only counted"] if n_counted else []
    return f"Not on the page: {' and '.join(said)}." if said else ""


def _told(given: Given, id: str) -> _Told:
    """Return what is the same in every room."""
    figures = enumerate(figures_of(given.report, given.name))
    again = _made_of(made_again, given)
    recipe = "" if again.recipe else _made_of(_recipe, given)
    return _Told(
        given=given,
        id=id,
        drawn=[(figure, inline(figure, f"{id}-{number}")) for number, figure in figures],
        sentences=_made_of(opening, given),
        again=replace(again, recipe=again.recipe or recipe),
        came_to=bool(recipe),
        citations=_made_of(citations, given),
    )


def _recipe(given: Given) -> str:
    """Return everything that the recipe of a manifest came to, as TOML; empty where it holds none."""
    manifest = given.manifest
    resolved = manifest.get("recipe") or manifest.get("options", {}).get("recipe")
    if not resolved:
        return ""
    seed = {"seed": manifest["seed"]} if "seed" in manifest else {}
    return recipe_toml({**in_order(resolved, manifest.get("part_orders", {})), **seed})


def _made_of(make: Callable[[Given], T], given: Given) -> T:
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


def _first(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the first of some texts, and how many more there are as the last."""
    return (*texts[:most], f"and {len(texts) - most:,} more") if len(texts) > most else tuple(texts)


def _cut(again: MadeAgain, room: Room) -> MadeAgain:
    """Return what makes a report again as far as there is room for it."""
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
        for each in given.inputs
    ]
    inputs += [(file, what, None, digest) for file, what, digest in given.further_files]
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

"""What to cite: compsplit, the method, the definitions of the measures, the data, published figures.

Sources are those of recipe and registry. A work is known by its arXiv id, else by its words without section and table;
it stands once, where it is met first, with everything that it is the source of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compsplit.errors import CompsplitError, listed
from compsplit.registry import plugin
from compsplit.report.page.definitions import definition, makers_of
from compsplit.report.page.given import Given
from compsplit.version import VERSION

PROJECT = "compsplit"
_PLACE = re.compile(
    r"(?P<work>.*?), (?P<place>(?:(?:section|sections|table|tables|figure|figures|equation) [^,;]+(?:, )?)+)"
)


def citations(given: Given) -> tuple[str, ...]:
    """Return what to cite, a line each, compsplit first."""
    version = given.manifest.get("versions", {}).get(PROJECT, VERSION)
    first = f"{PROJECT} {version}, the {PROJECT} developers: build and judge compositional train/test splits."
    works: dict[str, tuple[str, dict[str, None]]] = {}
    for source, use in _uses(given):
        for written in source.split("; "):
            work, place = _parted(written.removeprefix(f"{PROJECT}, after ").removeprefix(f"{PROJECT}, "))
            if PROJECT in work or work.startswith("beyond "):
                # Its own part is cited first of all.
                continue
            arxiv = re.search(r"arXiv (\d{4}\.\d{4,5})", work)
            key = arxiv[1] if arxiv else work.casefold()
            uses = works.setdefault(key, (work, {}))[1]
            uses[f"{use} ({place})" if place and not use.startswith("measure ") else use] = None
    return (first, *(f"{work}: {_told(list(uses))}." for work, uses in works.values()))


def _parted(written: str) -> tuple[str, str]:
    """Return a work, and the place in it.

    Example:
        >>> _parted("Agrawal et al. 2017, arXiv 1704.08243, section 3.1")
        ('Agrawal et al. 2017, arXiv 1704.08243', 'section 3.1')
    """
    found = _PLACE.fullmatch(written.strip())
    return (found["work"], found["place"]) if found else (written.strip(), "")


def _told(uses: list[str]) -> str:
    """Return what a work is the source of: roles, then measures together."""
    measures = [use.removeprefix("measure ") for use in uses if use.startswith("measure ")]
    told = [use for use in uses if not use.startswith("measure ")]
    if measures:
        told.append(f"{'measure' if len(measures) == 1 else 'measures'} {listed(measures, shown=len(measures))}")
    return "; ".join(told)


def _uses(given: Given) -> Iterator[tuple[str, str]]:
    """Yield each source with what it is the source of, in the order in which they are read."""
    report, manifest = given.report, given.manifest
    subject = report.subject
    if subject.get("source"):
        yield str(subject["source"]), "the method"
    if "method" in subject:
        yield from _of_plugin("splitter", subject["method"], f"the splitter {subject['method']}")
    for format in _formats(given):
        yield from _of_plugin("reader", format, f"the data, or their format {format}")
    for metric in subject.get("metrics", ()):
        yield from _of_plugin("metric", metric, f"the rule {metric}")
    for probe in subject.get("probes", ()):
        yield from _of_plugin("probe", probe, f"the probe {probe}")
    for name in dict.fromkeys(measure.name for measure in report.measures):
        found = definition(name)
        if found is not None and not any(kind == "metric" for kind, _ in makers_of(name)) and name != "accuracy":
            yield found.source, f"measure {name}"
    recipe = manifest.get("recipe") or manifest.get("options", {}).get("recipe") or {}
    if recipe.get("published", {}).get("source"):
        yield str(recipe["published"]["source"]), "published figures"


def _formats(given: Given) -> list[str]:
    """Return the formats of the data, as far as they are told."""
    subject, manifest = given.report.subject, given.manifest
    sets: Any = subject.get("sets", {})
    told = [
        manifest.get("read", {}).get("format"), subject.get("format"), manifest.get("options", {}).get("format"),
        *(held.get("format") for held in sets.values()),
    ]  # fmt: skip
    return list(dict.fromkeys(str(each) for each in told if each))


def _of_plugin(kind: str, name: str, use: str) -> Iterator[tuple[str, str]]:
    try:
        yield plugin(kind, name).source, use
    except CompsplitError:
        # A report of another version may know what this one does not.
        return

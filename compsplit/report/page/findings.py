"""Findings of a report as a page shows them: in the order of their weight, each with the table of its culprits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compsplit.model.report import Finding, Report
from compsplit.plain import joined, plain

LEAK = " that are in "
"""What stands in the names of tables of what one part shares with another."""
_LEAKS = ("identical-parts", "torn-groups", "linked-images")
_LEFT_OUT = ("left-out", "decision")
_LEAST = ("part-absent", "columns")
_TABLES = (
    ("unseen-concepts", re.compile(r"(?P<what>.+) of (?P<part>.+) unseen in (?P<reference>.+)")),
    ("shared-", re.compile(rf".+ of (?P<part>.+){LEAK}(?P<reference>.+?) \((?P<aspect>.+)\)")),
    ("torn-groups", re.compile(rf".+ of (?P<part>.+){LEAK}(?P<reference>.+?) \((?P<aspect>.+)\)")),
    ("linked-images", re.compile(rf".+ of (?P<part>.+){LEAK}(?P<reference>.+?) \((?P<aspect>.+)\)")),
    ("reversed-relations", re.compile(r"triples of (?P<part>.+) that (?P<reference>.+) has from the other side")),
    ("rows-that-cannot-move", re.compile("concepts in the way")),
)
"""How a kind of findings begins -> the names of its tables; what they name, the finding's message names, too."""
_RUN = re.compile(r" \(run \d+\)$")


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding as a page shows it.

    Attributes:
        broken: Whether it is a check that does not hold.
        message: What it says.
        first: Its first ids.
        table: Name of the table that has its culprits; may be empty.
        link: The id of that table in the page.
    """

    broken: bool
    message: str
    first: str = ""
    table: str = ""
    link: str = ""


def findings_shown(report: Report, tables: Mapping[str, str], most: int, text: int) -> tuple[ShownFinding, ...]:
    """Return the findings: what is broken, what leaks or is left out, all others, and what is there by intention.

    Args:
        report: The report.
        tables: Name of each table that the page shows -> its id in the page.
        most: Findings.
        text: Characters of a message.
    """
    ordered = sorted(report.findings, key=_weight)
    shown = []
    for each in ordered[:most]:
        name = _table(each, tables)
        first = ", ".join(joined(one) for one in each.first[:5])
        shown.append(
            ShownFinding(each.level == "fail", plain(each.message, text), first, plain(name, 200), tables.get(name, ""))
        )
    if len(ordered) > most:
        shown.append(ShownFinding(False, f"{len(ordered) - most:,} more findings are in report.json."))
    return tuple(shown)


def _weight(finding: Finding) -> int:
    if finding.level == "fail":
        return 0
    if finding.kind.startswith("shared-") or finding.kind in _LEAKS:
        return 1
    return 2 if finding.kind in _LEFT_OUT else 4 if finding.kind in _LEAST else 3


def _table(finding: Finding, tables: Iterable[str]) -> str:
    """Return the first table that has the culprits of a finding; empty where none has."""
    for kind, pattern in _TABLES:
        for name in tables if finding.kind.startswith(kind) else ():
            found = pattern.fullmatch(_RUN.sub("", name))
            if found and all(_says(finding.message, each) for each in found.groups()):
                return name
    return ""


def _says(message: str, words: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", message) is not None

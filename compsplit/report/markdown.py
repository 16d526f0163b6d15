"""A report as Markdown: everything that the JSON has, for reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from compsplit.model.report import Report, Table
from compsplit.plain import joined, plain
from compsplit.report.cut_tables import rest_told
from compsplit.report.headlines import headlines, written

_MOST_ROWS = 20
_MOST_CHARACTERS = 200
# Most cells hold none of what is escaped below.
_MAY_ACT = re.compile(r"[\\&<>|`*_\[\]~$@:]|www", re.IGNORECASE)


def markdown(report: Report) -> str:
    """Return the report as Markdown text."""
    subject = report.subject
    blocks = [f"# {safe(subject.get('title') or subject['kind'])}", _opening(report.verdict, 2000)]
    if subject.get("source"):
        blocks.append(f"Source: {safe(subject['source'])}")
    if report.findings:
        lines = []
        for finding in report.findings:
            mark = "**BROKEN** " if finding.level == "fail" else ""
            first = f" First: {safe(', '.join(map(joined, finding.first[:5])), 2000)}." if finding.first else ""
            lines.append(f"- {mark}{_opening(finding.message, 2000)}{first}")
        blocks += ["## What to know", "\n".join(lines)]
    measures = headlines(report, every=True)
    if measures:
        rows = [(m.label, m.parts, f"undefined: {m.reason}" if m.reason else m.value, m.n, m.n_unit) for m in measures]
        blocks += ["## Measures", grid(("measure", "parts", "value", "n", "of"), rows)]
    counts = [m for m in report.measures if m.unit == "count"]
    if counts:
        between = [" and ".join(part for part in (m.reference, m.part) if part) for m in counts]
        in_parts = [(m.name, parts, written(m), m.of) for m, parts in zip(counts, between, strict=True)]
        blocks += ["## Counts", grid(("count", "part", "value", "of"), in_parts)]
    for name, table in report.tables.items():
        blocks += [f"## {safe(name)}", _table(table)]
    blocks += ["## How it was made", grid(("what", "value"), _flat(subject))]
    return "\n\n".join(blocks) + "\n"


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for key in sorted(value) for pair in _flat(value[key], f"{name} / {key}" if name else str(key))]
    return [(name, str(value))]


def _table(table: Table) -> str:
    lines = grid(table.columns, table.rows[:_MOST_ROWS])
    rest = rest_told(table, _MOST_ROWS, "report.json")
    return f"{lines}\n\n{rest}" if rest else lines


def grid(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    right: Sequence[bool] = (),
    most: int | None = _MOST_CHARACTERS,
) -> str:
    """Return a table as Markdown, in which no text acts.

    Args:
        columns: Names of the columns.
        rows: A value for each column.
        right: For each column whether it is set to the right; none is if it is empty.
        most: Characters of a cell that are shown; all of them if None.
    """
    marks = ["---:" if at_right else "---" for at_right in right] or ["---"] * len(columns)
    head = [_line([safe(name, most) for name in columns]), f"| {' | '.join(marks)} |"]
    return "\n".join(head + [_line([safe(_cell(cell), most) for cell in row]) for row in rows])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def safe(text: Any, most: int | None = _MOST_CHARACTERS) -> str:
    """Escape what Markdown or HTML would act on: tags, emphasis, links, addresses, formulas, emoji names."""
    shown = plain(text, most)
    if not _MAY_ACT.search(shown):
        return " ".join(shown.split())
    shown = shown.replace("\\", "\\\\")
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = re.sub(r"([|`*_\[\]~$@])", r"\\\1", shown)
    shown = re.sub(r":(?=//|[\w+-]+:)", r"\\:", shown)
    return re.sub(r"(?i)\b(www)\.", r"\1\\.", " ".join(shown.split()))


def _opening(text: Any, most: int) -> str:
    """Escape text that begins a line, where a few more characters mean something."""
    shown = safe(text, most)
    return re.sub(r"^(\d+)([.)])(?=\s|$)|^([#+=-])", lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", shown)

"""A report as Markdown: everything that the JSON has, for reading."""

from __future__ import annotations

from typing import Any

from compsplit.model.report import Report, Table
from compsplit.report.headlines import headlines, written

_MOST = 20


def markdown(report: Report) -> str:
    """Return the report as Markdown text."""
    subject = report.subject
    blocks = [f"# {_safe(subject.get('title') or subject['kind'])}", _safe(report.verdict)]
    if subject.get("source"):
        blocks.append(f"Source: {_safe(subject['source'])}")
    if report.findings:
        lines = [
            f"- {'**broken** ' if f.level == 'fail' else ''}{_safe(f.message)}"
            + (f" First: {_safe(', '.join(map(_joined, f.first)))}." if f.first else "")
            for f in report.findings
        ]
        blocks += ["## What to know", "\n".join(lines)]
    measures = headlines(report, every=True)
    if measures:
        rows = tuple((m.told, m.of, m.parts, m.value, m.n) for m in measures)
        blocks += ["## Measures", _table(Table(("measure", "of", "parts", "value", "n"), rows), most=len(rows))]
    counts = [m for m in report.measures if m.unit == "count"]
    if counts:
        rows = tuple((m.name, m.part or "", written(m), m.n_unit) for m in counts)
        blocks += ["## Counts", _table(Table(("count", "part", "value", "of"), rows), most=len(rows))]
    for name, table in report.tables.items():
        blocks += [f"## {_safe(name)}", _table(table)]
    blocks += ["## How it was made", _table(Table(("what", "value"), tuple(_flat(subject))), most=1000)]
    return "\n\n".join(blocks) + "\n"


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for key in sorted(value) for pair in _flat(value[key], f"{name} / {key}" if name else str(key))]
    return [(name, str(value))]


def _joined(value: Any) -> str:
    return " / ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _table(table: Table, most: int = _MOST) -> str:
    lines = ["| " + " | ".join(map(_safe, table.columns)) + " |", "|" + " --- |" * len(table.columns)]
    lines += ["| " + " | ".join(_safe(_cell(cell)) for cell in row) + " |" for row in table.rows[:most]]
    if len(table.rows) > most:
        lines.append(f"\n{len(table.rows) - most:,} more rows are in report.json.")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _safe(text: Any) -> str:
    """Escape what Markdown or HTML would act on."""
    escaped = str(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "|`*_[]":
        escaped = escaped.replace(mark, "\\" + mark)
    return " ".join(escaped.split())

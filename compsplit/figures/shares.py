"""Shares of the commonest values of a table in each part, as grouped bars.

The tables count every value: what is not among the 50 commonest is in one line after them, ``N others``; a value that
is called so stands among them. Cost: O(bars).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from compsplit.figures.drawing import called, grouped_bars, in_run, percent, shortened, slug, spec, told_apart
from compsplit.model.figure import Figure
from compsplit.model.report import LISTED, Report, Table

_BARS = 15
_PARTS = 4


def shares(report: Report, name: str, of: str, counted: str = "rows with a value") -> tuple[Figure, ...]:
    """Return the figure of a table that counts values in each part; none where the report lacks it or it has one value.

    Args:
        report: A report.
        name: The table, whose first column names values and whose others are parts.
        of: What its values are called in a sentence, and in measures.
        counted: What the numbers of the table count.
    """
    for run in (None, 0):
        table = report.tables.get(f"{name}{in_run(run)}")
        if table is not None and len(table.rows) > 1 and len(table.columns) > 1:
            return (_figure(table, of, counted, run, _apart(report, of, run, table.columns[1 : _PARTS + 1])),)
    return ()


def _apart(report: Report, of: str, run: int | None, parts: Sequence[str]) -> list[str]:
    """Return how far two of the parts are apart in what is counted, in words."""
    return [
        f"{float(each.value):.3f} between {shortened(each.reference)} and {shortened(each.part)}"
        for each in report.measures
        if (each.name, each.of, each.run) == ("total-variation", of, run)
        and isinstance(each.value, Fraction)
        and {each.reference, each.part} <= set(parts)
    ]


def _figure(table: Table, of: str, counted: str, run: int | None, apart: Sequence[str]) -> Figure:
    parts = table.columns[1:]
    wholes = [sum(row[at] for row in table.rows) for at in range(1, len(table.columns))]
    rest = re.fullmatch(r"([\d,]{1,20}) others", str(table.rows[-1][0])) if len(table.rows) == LISTED + 1 else None
    told = table.rows[:-1] if rest else table.rows
    rows = tuple(
        (row[0], part, row[at], whole, row[at] / whole if whole else None)
        for row in table.rows
        for at, (part, whole) in enumerate(zip(parts, wholes, strict=True), start=1)
    )
    shown, drawn_parts = told[:_BARS], parts[:_PARTS]
    n_values = len(told) + (int(rest[1].replace(",", "")) if rest else 0)
    sizes = ", ".join(f"{whole:,} of {shortened(part, 24)}" for part, whole in zip(drawn_parts, wholes, strict=False))
    left = [
        f"{percent(whole - sum(row[at] for row in shown), whole)} of {shortened(part, 24)}"
        for at, (part, whole) in enumerate(zip(drawn_parts, wholes, strict=False), start=1)
    ]
    caption = [f"Share of the {counted} in each part ({sizes})."]
    if n_values > len(shown):
        caption.append(
            f"The {len(shown)} commonest of {n_values:,} {of}; the others, which are not drawn, are {', '.join(left)}."
        )
    if len(parts) > len(drawn_parts):
        caption.append(f"The first {len(drawn_parts)} of {len(parts)} parts.")
    if apart:
        caption.append(f"Total variation, over all {of}: {', '.join(apart)}.")
    top = [
        f"{shortened(called(max(told, key=lambda row: row[at])[0]), 40)!r} in {shortened(part, 24)} "
        f"({percent(max(row[at] for row in told), wholes[at - 1])})"
        for at, part in enumerate(drawn_parts, start=1)
    ]
    return Figure(
        name=slug(of, "by part"),
        title=f"Shares of {of} in each part{in_run(run)}",
        caption=" ".join(caption),
        alt=f"Bars of the shares of {len(shown)} {of} in {len(drawn_parts)} parts. Commonest is {', '.join(top)}.",
        spec=_spec(shown, drawn_parts, wholes, counted),
        table=Table((of, "part", "count", f"{counted} in the part", "share"), rows),
    )


def _spec(
    shown: Sequence[tuple[Any, ...]], parts: Sequence[str], wholes: Sequence[int], counted: str
) -> dict[str, Any]:
    values, series = told_apart([called(row[0]) for row in shown], 25), told_apart(parts, 14)
    data = [
        {
            "name": value,
            "series": named,
            "share": row[at] / whole,
            "tip": f"{shortened(called(row[0]), 60)}: {percent(row[at], whole)} of {shortened(part)} "
            f"({row[at]:,} / {whole:,})",
        }
        for value, row in zip(values, shown, strict=True)
        for at, (part, named, whole) in enumerate(zip(parts, series, wholes, strict=False), start=1)
        if whole
    ]
    return spec(data, **grouped_bars(values, series, f"share of the {counted} in the part"))

"""The commonest object classes, attributes and predicates, with their shares of each part.

Source: UOUC, figure 8, which shows how evenly the properties of objects are spread in train and in test. Made of the tables
``object classes by part`` and its kin; cost: nothing beside them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from compsplit.figures.drawing import (
    grouped_bars,
    in_run,
    percent,
    shortened,
    slug,
    spec,
    tables_called,
    told_apart,
    without_run,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_WHAT = ("object classes", "attributes", "predicates")
_SHOWN = 15
_OTHERS = re.compile(r"[0-9,]+ others?")


@register("figure", "object-shares", source="UOUC, figure 8")
def object_shares(report: Report) -> tuple[Figure, ...]:
    """The commonest object classes, attributes and predicates, with their shares of each part."""
    figures = []
    for rest, table in tables_called(report).items():
        name, run = without_run(rest)
        what, by, _ = name.partition(" by part")
        if what in _WHAT and by and table.rows and len(table.columns) > 1:
            figures.append(_figure(what, run, table))
    return tuple(figures)


def _figure(what: str, run: int | None, table: Table) -> Figure:
    parts = table.columns[1:]
    totals = [sum(row[1 + at] for row in table.rows) for at in range(len(parts))]
    named, others = _named(table)
    shown = named[:_SHOWN]
    labels = told_apart([row[0] for row in shown], 22)
    series = told_apart(parts, 20)
    data = [
        {
            "name": label,
            "series": part,
            "share": row[1 + at] / totals[at],
            "tip": f"{shortened(row[0], 60)}: {_share(row[1 + at], totals[at])} in {part}",
        }
        for row, label in zip(shown, labels, strict=True)
        for at, part in enumerate(series)
        if row[1 + at]
    ]
    in_all = ", ".join(f"{part} {total:,}" for part, total in zip(series, totals, strict=True))
    left = [total - sum(row[1 + at] for row in shown) for at, total in enumerate(totals)]
    rest = ", ".join(f"{percent(n, total)} of {part}" for n, total, part in zip(left, totals, series, strict=True))
    return Figure(
        name=slug(what, "by part", *([] if run is None else ["run", run])),
        title=f"{what[0].upper()}{what[1:]} by part{in_run(run)}",
        caption=(
            f"Share of each of the {len(shown)} commonest {what} among all {_things(what)} of a part (n: {in_all}). "
            + (f"Not drawn: {_rest(len(named) - len(shown), others)}, {rest}." if any(left) else "None is left out.")
        ),
        alt=(
            f"Bars in groups. The commonest of the {what} is {shortened(shown[0][0], 40)}: "
            + ", ".join(
                f"{_share(n, total)} of {part}" for n, total, part in zip(shown[0][1:], totals, series, strict=True)
            )
            + "."
        ),
        spec=spec(data, **grouped_bars(labels, series, "share of the part")),
        table=Table(
            (what, *(column for part in parts for column in (part, f"{part} share"))),
            tuple((row[0], *_with_shares(row[1:], totals)) for row in table.rows),
        ),
    )


def _named(table: Table) -> tuple[list[tuple[Any, ...]], str]:
    """Return the rows of names, commonest first as the report has them, and what the last row calls the others."""
    last = str(table.rows[-1][0])
    if len(table.rows) > 1 and _OTHERS.fullmatch(last):
        return list(table.rows[:-1]), last
    return list(table.rows), ""


def _rest(more: int, others: str) -> str:
    """Return how many names are not drawn."""
    number = int(re.sub("[^0-9]", "", others) or 0) + more
    return f"{number:,} others"


def _things(what: str) -> str:
    """Return what the names are counted over."""
    return {"object classes": "objects", "attributes": "attributes of objects", "predicates": "relations"}[what]


def _share(n: int, total: int) -> str:
    return f"{percent(n, total)} ({n:,} of {total:,})"


def _with_shares(counts: Sequence[int], totals: Sequence[int]) -> list[int | float | None]:
    """Return each count and its share; None where a part has nothing."""
    return [each for n, total in zip(counts, totals, strict=True) for each in (n, n / total if total else None)]

"""Structural types, semantic types and steps of the questions of each data set: figure 6 of GQA's paper.

Source: Hudson and Manning 2019, arXiv 1902.09506, figure 6 (there pie charts of one data set). Made of the tables of a
profile; cost: nothing beside them. A data set that does not tell its types has no bars.
"""

from __future__ import annotations

from typing import Any

from compsplit.figures.drawing import grouped_bars, percent, shortened, spec, told_apart
from compsplit.figures.words_a_question import sets_of
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLES = {
    "structural types": ("structural-types", "structural type"),
    "semantic types": ("semantic-types", "semantic type"),
    "steps (official)": ("steps", "number of steps"),
}
"""Table of a profile -> name of its figure, what each of its rows is."""
_SHOWN = 20


@register("figure", "type-shares", source="Hudson and Manning 2019, arXiv 1902.09506, figure 6", place=44)
def type_shares(report: Report) -> tuple[Figure, ...]:
    """Shares of the structural types, semantic types and numbers of steps of each profiled data set."""
    if report.subject.get("kind") != "profile":
        return ()
    found = ((name, report.tables.get(name)) for name in _TABLES)
    return tuple(_figure(name, table) for name, table in found if table is not None and table.rows)


def _figure(name: str, table: Table) -> Figure:
    called, one = _TABLES[name]
    sets = sets_of(table)
    series = dict(zip(sets, told_apart(list(sets), 24), strict=True))
    telling = [each for each in sets if any(row[sets[each] + 1] is not None for row in table.rows)]
    silent = [series[each] for each in sets if each not in telling]
    totals = {each: sum(row[sets[each]] or 0 for row in table.rows) for each in telling}
    # In the report's order, which is the same for all data sets; where there are many, those with the most questions.
    often = sorted(table.rows, key=lambda row: -max((row[sets[each] + 1] or 0.0 for each in telling), default=0.0))
    kept = {id(row) for row in often[:_SHOWN]}
    shown = [row for row in table.rows if id(row) in kept]
    labels = told_apart([row[0] for row in shown], 22)
    data: list[dict[str, Any]] = [
        {
            "name": label,
            "series": series[each],
            "share": row[sets[each] + 1],
            "tip": f"{shortened(row[0], 60)}: {percent(row[sets[each] + 1])} of {series[each]} "
            f"({row[sets[each]]:,} of {totals[each]:,})",
        }
        for row, label in zip(shown, labels, strict=True)
        for each in telling
        if row[sets[each]]
    ]
    in_all = ", ".join(f"{series[each]} {totals[each]:,}" for each in telling)
    without = f" Undefined for {' and '.join(silent)}, which does not tell it." if silent else ""
    left = f" The {len(shown)} commonest of {len(table.rows):,}." if len(shown) < len(table.rows) else ""
    return Figure(
        name=called,
        title=f"{name[0].upper()}{name[1:]} of questions",
        caption=f"Share of the questions of each {one} among those of which it is known (n: {in_all}).{left}{without}",
        alt="Bars in groups. " + " ".join(_alt(table, series[each], sets[each], one) for each in telling),
        spec=spec(data, **grouped_bars(labels, [series[each] for each in telling], "share of the questions")),
        table=table,
    )


def _alt(table: Table, name: str, column: int, one: str) -> str:
    most = max(table.rows, key=lambda row: row[column] or 0)
    return f"The commonest {one} of {name} is {shortened(most[0], 40)} with {percent(most[column + 1])}."

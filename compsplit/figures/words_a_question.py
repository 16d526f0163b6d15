"""How many words questions have, one line a data set.

Source: Hudson and Manning 2019, arXiv 1902.09506, which compares the lengths of GQA's questions with those of VQA. Made
of the table ``words a question`` of a profile; cost: nothing beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compsplit.figures.drawing import TIP, WIDTH, colour_scale, percent, spec, told_apart
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table
from compsplit.registry import register

_NAME = "words a question"
_POINTS = 40
"""Of a line, at most; with longer questions a point stands for several numbers of words."""
_LEFT_OUT = 0.005
"""Share of the longest questions that may be left out, so that a few do not press all others together."""


@register("figure", "words-a-question", source="Hudson and Manning 2019, arXiv 1902.09506", place=42)
def words_a_question(report: Report) -> tuple[Figure, ...]:
    """Share of the questions of each profiled data set with each number of words."""
    table = report.tables.get(_NAME)
    if report.subject.get("kind") != "profile" or table is None or not table.rows:
        return ()
    return (_figure(report, table),)


def sets_of(table: Table) -> dict[str, int]:
    """Return the data sets of a table of a profile, with the column of their counts; that of their shares is next."""
    return {table.columns[at]: at for at in range(1, len(table.columns) - 1, 2)}


def _figure(report: Report, table: Table) -> Figure:
    sets = sets_of(table)
    labels = dict(zip(sets, told_apart(list(sets), 24), strict=True))
    totals = {name: sum(row[at] for row in table.rows) for name, at in sets.items()}
    first, last = table.rows[0][0], _last(table, sets, totals)
    step = (last - first) // _POINTS + 1
    counts = {(name, start): 0 for name in sets for start in range(first, last + 1, step)}
    left = dict.fromkeys(sets, 0)
    for row in table.rows:
        for name, at in sets.items():
            if row[0] > last:
                left[name] += row[at]
            else:
                counts[name, first + (row[0] - first) // step * step] += row[at]
    data: list[dict[str, Any]] = []
    for (name, start), n in counts.items():
        words = str(start) if step == 1 else f"{start} to {min(start + step - 1, last)}"
        whole = totals[name]
        tip = f"{words} words: {percent(n, whole)} of {labels[name]} ({n:,} of {whole:,})"
        data.append({"words": start, "set": labels[name], "share": n / whole if whole else 0.0, "tip": tip})
    x = {
        "field": "words",
        "type": "quantitative",
        "scale": {"domain": [first, max(last, first + 1)], "nice": False},
        "axis": {"title": "words of a question", "tickCount": 10, "tickMinStep": 1, "format": "d", "grid": False},
    }
    # Up to the next 5 %, so that no point lies on the edge.
    top = (int(max(each["share"] for each in data) * 20) + 1) / 20
    y = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, top]},
        "axis": {"format": "~%", "title": "share of the questions"},
    }
    colour = {
        "field": "set",
        "type": "nominal",
        "scale": colour_scale(list(labels.values())),
        "legend": {"orient": "bottom", "title": None},
    }
    return Figure(
        name="words-a-question",
        title="Words of a question",
        caption=_caption(report, labels, totals, left, last, step),
        alt="Lines. " + " ".join(_alt(table, labels[name], at, totals[name]) for name, at in sets.items()),
        spec=spec(
            data,
            width=WIDTH - 70,
            height=200,
            encoding={"x": x, "y": y, "color": colour},
            layer=[
                {"mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round", "aria": False}},
                {"mark": {"type": "point", "filled": True, "size": 36, "opacity": 1}, "encoding": {"description": TIP}},
            ],
        ),
        table=table,
    )


def _last(table: Table, sets: Mapping[str, int], totals: Mapping[str, int]) -> int:
    """Return the greatest number of words that is drawn."""
    longer = dict.fromkeys(sets, 0)
    for row in reversed(table.rows):
        for name, at in sets.items():
            longer[name] += row[at]
        if any(longer[name] > _LEFT_OUT * totals[name] for name in sets):
            return int(row[0])
    return int(table.rows[-1][0])


def _caption(
    report: Report,
    labels: Mapping[str, str],
    totals: Mapping[str, int],
    left: Mapping[str, int],
    last: int,
    step: int,
) -> str:
    told = [f"{label} {totals[name]:,}{_mean(report, name)}" for name, label in labels.items()]
    longer = [f"{n:,} of {labels[name]}" for name, n in left.items() if n]
    return (
        f"Share of the questions of each data set with each number of words (n: {'; '.join(told)})."
        + (f" A point stands for {step} numbers of words, the least of which is its place." if step > 1 else "")
        + (f" Questions with more than {last} words are not drawn: {', '.join(longer)}." if longer else "")
    )


def _mean(report: Report, name: str) -> str:
    """Return mean and spread, where the report has them."""
    found: list[Measure] = [
        each
        for wanted in ("words-a-question", "words-a-question-spread")
        for each in report.measures
        if each.name == wanted and each.part == name and each.number is not None
    ]
    return f", mean {found[0].number:.2f}, standard deviation {found[1].number:.2f}" if len(found) == 2 else ""


def _alt(table: Table, label: str, column: int, total: int) -> str:
    most = max(table.rows, key=lambda row: row[column])
    return f"Most questions of {label} have {most[0]} words ({percent(most[column], total)})."

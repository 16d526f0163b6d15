"""How far each probe drops from the old to the new split on questions of each type, with intervals.

Made of the table ``drop by question type`` of a probe report. Source: compsplit; Agrawal et al. 2017, arXiv 1704.08243,
section 3.2, tell such drops in words. Cost: nothing beside the table.
"""

from __future__ import annotations

from compsplit.figures.drawing import shortened, told_apart
from compsplit.figures.points import Point, chart, intervals_told, within
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TABLE = "drop by question type"
_TYPES = 8
_PROBE, _TYPE, _OLD_N, _NEW_N, _OLD, _NEW, _DROP, _LOW, _HIGH = range(9)


@register("figure", "drop-by-question-type", source="Agrawal et al. 2017, arXiv 1704.08243, section 3.2", place=16)
def drop_by_question_type(report: Report) -> tuple[Figure, ...]:
    """How far each probe drops by question type, with intervals; the types on which one drops most."""
    table = report.tables.get(_TABLE)
    if report.subject.get("kind") != "probe" or table is None or len(table.columns) != _HIGH + 1:
        return ()
    if not any(row[_DROP] is not None for row in table.rows):
        return ()
    return (_figure(report, table),)


def _figure(report: Report, table: Table) -> Figure:
    defined = [row for row in table.rows if row[_DROP] is not None]
    most: dict[str, float] = {}
    for row in defined:
        most[row[_TYPE]] = max(row[_DROP], most.get(row[_TYPE], row[_DROP]))
    # Those on which some probe drops most; ties by name.
    types = sorted(most, key=lambda kind: (-most[kind], kind))[:_TYPES]
    probes = list(dict.fromkeys(row[_PROBE] for row in defined))
    n = {row[_TYPE]: row[_NEW_N] for row in defined}
    labels = dict(zip(types, told_apart([f"{shortened(each, 22)} ({n[each]:,})" for each in types], 32), strict=True))
    series = dict(zip(probes, told_apart(probes, 26), strict=True))
    points = [_point(row, labels[row[_TYPE]], series[row[_PROBE]]) for row in defined if row[_TYPE] in labels]
    first = max(defined, key=lambda row: row[_DROP])
    old = shortened(table.columns[_OLD], 40)
    shown = f" The {len(types)} of {len(most):,} types on which a probe drops most." if len(types) < len(most) else ""
    least = report.subject.get("least rows of a question type")
    left = f" Types of fewer than {least:,} rows in a test part are left out." if isinstance(least, int) else ""
    gone = len(table.rows) - len(defined)
    undefined = f" Not drawn, since undefined: {gone:,}." if gone else ""
    return Figure(
        name="drop-by-question-type",
        title="Drop of each probe by question type",
        caption=f"Accuracy on the old split ({old}) minus accuracy on the new one, in points; right of 0 the new split "
        f"is harder. In brackets: test rows of the new split.{shown}{left}{undefined} {intervals_told(report)}",
        alt=f"Drop of each probe by question type. The greatest is of {shortened(first[_PROBE], 40)} on "
        f"{shortened(first[_TYPE], 40)}: {first[_OLD]:.2f} % to {first[_NEW]:.2f} %, {first[_DROP]:.2f} points"
        f"{within(_bounds(first))}.",
        spec=chart(list(labels.values()), list(series.values()), points, "drop, points"),
        table=table,
    )


def _bounds(row: tuple[float | None, ...]) -> tuple[float, float] | None:
    low, high = row[_LOW], row[_HIGH]
    return None if low is None or high is None else (low, high)


def _point(row: tuple[object, ...], label: str, series: str) -> Point:
    numbers: tuple[float, ...] = row[_OLD:]  # type: ignore[assignment]  # the columns behind the names hold numbers
    old, new, drop = numbers[:3]
    bounds = _bounds(row)  # type: ignore[arg-type]  # as above
    tip = (
        f"{shortened(row[_PROBE], 60)}, {shortened(row[_TYPE], 60)}: {old:.2f} % to {new:.2f} %, drop {drop:.2f} points"
        f"{within(bounds)}, n = {row[_NEW_N]:,}"
    )
    return Point(label, series, drop, bounds, tip)

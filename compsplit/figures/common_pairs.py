"""How many pairs, relations or other compounds of a scene of test are common with train: UOUC's table 2 as a picture.

Source: UOUC, section 3.2 and table 2, which give means; here is what they are means of. Made of the tables of the audit
``common-compounds`` and the measures ``avg-co-...``; cost: nothing beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compsplit.figures.drawing import (
    COLOURS,
    TIP,
    WIDTH,
    in_run,
    percent,
    room_for,
    shortened,
    slug,
    spec,
    told_apart,
    without_run,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.registry import register

_SIDE_BY_SIDE = 3


@dataclass(frozen=True, slots=True)
class _Histogram:
    """How many rows of a part have each number of common compounds.

    Attributes:
        of: The compounds.
        counts: (the numbers, as the report writes them; rows), from the least; without gaps.
    """

    of: str
    counts: tuple[tuple[str, int], ...]

    @property
    def rows(self) -> int:
        return sum(n for _, n in self.counts)


@register("figure", "common-pairs", source="UOUC, section 3.2, table 2", place=32)
def common_pairs(report: Report) -> tuple[Figure, ...]:
    """Rows of each part by how many of their pairs, triples or other compounds the reference part has."""
    found: dict[tuple[str, str, int | None], list[_Histogram]] = {}
    for name, table in report.tables.items():
        called, run = without_run(name)
        if len(table.columns) != 2 or not table.rows or not table.columns[0].startswith("common "):
            continue
        rows = table.columns[1]
        part, by, of = called.removeprefix(f"{rows} of ").rpartition(" by common ")
        # That all rows have alike many, as none in a split that keeps pairs apart, is told in words.
        if by and called.startswith(f"{rows} of ") and len(table.rows) > 1:
            found.setdefault((rows, part, run), []).append(_Histogram(of, _without_gaps(table)))
    return tuple(
        _figure(report, rows, part, run, every[at : at + _SIDE_BY_SIDE], at // _SIDE_BY_SIDE)
        for (rows, part, run), every in found.items()
        for at in range(0, len(every), _SIDE_BY_SIDE)
    )


def _without_gaps(table: Table) -> tuple[tuple[str, int], ...]:
    """Return the lines of a table with those that it lacks between 0 and its last: 0, 1, 2-3, 4-7 and so on."""
    counts = {str(numbers): int(n) for numbers, n in table.rows}
    last = max(int(numbers.partition("-")[0]) for numbers in counts)
    bins = [_numbers(bits) for bits in range(last.bit_length() + 1)]
    return tuple((numbers, counts.get(numbers, 0)) for numbers in bins)


def _numbers(bits: int) -> str:
    low, high = (1 << bits) >> 1, (1 << bits) - 1
    return str(low) if low >= high else f"{low}-{high}"


def _figure(
    report: Report, rows: str, part: str, run: int | None, histograms: Sequence[_Histogram], number: int
) -> Figure:
    labels = told_apart([each.of for each in histograms], 20)
    numbers_of_all = [numbers for numbers, _ in max((each.counts for each in histograms), key=len)]
    room = room_for(numbers_of_all)
    shown = shortened(part)
    data = [
        {
            "of": label,
            "at": at,
            "numbers": numbers,
            "share": n / each.rows,
            "tip": f"{numbers} common {each.of}: {n:,} of {each.rows:,} {rows} of {shown} ({percent(n, each.rows)})",
        }
        for at, (label, each) in enumerate(zip(labels, histograms, strict=True))
        for numbers, n in each.counts
        if n
    ]
    means = [measure for each in histograms for measure in _means(report, each.of, part, run)]
    reference = next((measure.reference for measure in means if measure.reference), report.subject.get("reference"))
    also = f"{shortened(reference)} has as well" if reference else "the reference part has as well"
    *before, last = (each.of for each in histograms)
    listed = f"{', '.join(before)} and {last}" if before else last
    return Figure(
        name=slug("common pairs", part, *([] if run is None else ["run", run]), *([number + 1] if number else [])),
        title=f"Common {listed} in {rows} of {shown}{in_run(run)}",
        caption=(
            f"Share of the {histograms[0].rows:,} {rows} of {shown} by how many of their {listed} {also}; those "
            "without one stand at 0. " + " ".join(map(_told, means))
        ).strip(),
        alt="Histogram. " + " ".join(_alt(each, rows, shown) for each in histograms),
        spec=spec(
            data,
            facet={
                "column": {
                    "field": "of",
                    "type": "nominal",
                    "sort": {"field": "at", "op": "min"},
                    "title": None,
                    "header": {"labelPadding": 4},
                }
            },
            spacing=16,
            spec={
                "width": (WIDTH - room - 40 - 16 * (len(histograms) - 1)) // len(histograms),
                "height": {"step": 15},
                "mark": {"type": "bar", "color": COLOURS[0], "size": 11},
                "encoding": {
                    "y": {
                        "field": "numbers",
                        "type": "ordinal",
                        "scale": {"domain": numbers_of_all},
                        "axis": {"title": "common ones", "minExtent": room, "maxExtent": room, "ticks": False},
                    },
                    "x": {
                        "field": "share",
                        "type": "quantitative",
                        "axis": {"format": "~%", "title": f"of the {rows}", "tickCount": 3},
                    },
                    "description": TIP,
                },
            },
        ),
        table=Table(
            ("common", "how many", rows, f"{rows} in all", "share"),
            tuple((each.of, numbers, n, each.rows, n / each.rows) for each in histograms for numbers, n in each.counts),
        ),
    )


def _means(report: Report, of: str, part: str, run: int | None) -> list[Measure]:
    """Return the first measure of each name that is a mean over these compounds."""
    found: dict[str, Measure] = {}
    for each in report.measures:
        if each.name.startswith("avg-co-") and (each.of, each.part, each.run) == (of, part, run):
            found.setdefault(each.name, each)
    return list(found.values())


def _told(measure: Measure) -> str:
    value, name = measure.value, "".join(word.capitalize() for word in measure.name.split("-"))
    if isinstance(value, Undefined):
        return f"{name} is undefined: {shortened(value.reason, 90)}."
    return f"{name}: {float(value):,.6g} {measure.unit} (n = {measure.n:,} {shortened(measure.n_unit, 60)})."


def _alt(each: _Histogram, rows: str, part: str) -> str:
    numbers, most = max(each.counts, key=lambda line: line[1])
    return (
        f"{each.counts[0][1]:,} of {each.rows:,} {rows} of {part} have no common {each.of}; most have {numbers} "
        f"({most:,} {rows})."
    )

"""What each probe answers rightly on the old and on the new split, with intervals.

Made of a probe report's measures of accuracy over all answer types. Source: Agrawal et al. 2017, arXiv 1704.08243,
table 4, which prints the drop of each model from VQA to C-VQA. Cost: nothing beside the measures.
"""

from __future__ import annotations

from collections.abc import Mapping

from compsplit.figures.drawing import shortened, told_apart
from compsplit.figures.points import Point, chart, interval_of, intervals_told, spanned, within
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.registry import register


@register("figure", "probes", source="Agrawal et al. 2017, arXiv 1704.08243, table 4", place=14)
def probes(report: Report) -> tuple[Figure, ...]:
    """Accuracy of each probe on the old and on the new split, with intervals."""
    if report.subject.get("kind") != "probe":
        return ()
    found = overall(report, "accuracy")
    if not any(not isinstance(each.value, Undefined) for each in found.values()):
        return ()
    names = list(dict.fromkeys(probe for probe, _ in found))
    splits = list(dict.fromkeys(split for _, split in found))
    labels = dict(zip(names, told_apart(names, 26), strict=True))
    sizes = {split: _sizes(report, found, split) for split in splits}
    with_n = [f"{shortened(split, 24)} ({_rows(sizes[split])})" for split in splits]
    series = dict(zip(splits, told_apart(with_n, 48), strict=True))
    points = [
        _point(each, labels[probe], series[split], probe, split)
        for (probe, split), each in found.items()
        if not isinstance(each.value, Undefined)
    ]
    first = next(iter(found.values()))
    return (
        Figure(
            name="probes",
            title="Blind probes on the old and on the new split",
            caption=_caption(report, found, first),
            alt=f"Blind probes on the old and on the new split. {_alt(report, names)}",
            spec=chart(
                list(labels.values()), list(series.values()), points, f"accuracy ({shortened(first.of, 24)}), %"
            ),
            table=_table(report, found),
        ),
    )


def overall(report: Report, name: str) -> dict[tuple[str, str], Measure]:
    """Return the measures of that name over all answer types: (probe, split) -> measure."""
    return {
        (str(each.options["probe"]), str(each.options["split"])): each
        for each in report.measures
        if each.name == name
        and each.options.get("answer type") == "overall"
        and {"probe", "split"} <= each.options.keys()
    }


def _sizes(report: Report, found: Mapping[tuple[str, str], Measure], split: str) -> list[int]:
    """Return the test rows of a split; of a mean of splits, those of each, whose mean alone the measures tell."""
    known = report.subject.get("splits")
    divisions = known if isinstance(known, Mapping) and split not in known else {}
    series = {one for _, one in found}
    of_each = [division["test"] for name, division in divisions.items() if name not in series]
    return of_each or [each.n for (_, one), each in found.items() if one == split]


def _rows(sizes: list[int]) -> str:
    return f"{spanned(sizes)} {'row' if max(sizes) == 1 else 'rows'}"


def _point(measure: Measure, label: str, series: str, probe: str, split: str) -> Point:
    value, bounds = float(measure.number or 0), interval_of(measure)
    tip = f"{shortened(probe, 60)}, {shortened(split, 60)}: {value:.2f} %{within(bounds)}, n = {measure.n:,}"
    return Point(label, series, value, bounds, tip)


def _caption(report: Report, found: Mapping[tuple[str, str], Measure], first: Measure) -> str:
    said = [
        f"Share of test rows that each probe, which sees questions alone, answers rightly (rule: "
        f"{shortened(first.of, 40)}).",
        intervals_told(report),
    ]
    gone = [key for key, each in found.items() if isinstance(each.value, Undefined)]
    if gone:
        probe, split = gone[0]
        said.append(
            f"Not drawn, since undefined: {len(gone):,} (first: {shortened(probe, 40)} on {shortened(split, 40)})."
        )
    return " ".join(said)


def _alt(report: Report, names: list[str]) -> str:
    """Return the drop of the probe that drops most, and of the one that drops least."""
    drops = {
        probe: (float(each.number or 0), within(interval_of(each)))
        for (probe, split), each in overall(report, "drop").items()
        if split.endswith(" to new") and not isinstance(each.value, Undefined)
    }
    if not drops:
        return "No drop is defined."
    most, least = max(drops, key=lambda each: drops[each][0]), min(drops, key=lambda each: drops[each][0])
    said = f"{shortened(most, 40)} drops most, by {drops[most][0]:.2f} points{drops[most][1]}"
    rest = f"; {shortened(least, 40)} least, by {drops[least][0]:.2f} points{drops[least][1]}" if least != most else ""
    return f"Of {len(names)} probes, {said}{rest}."


def _table(report: Report, found: Mapping[tuple[str, str], Measure]) -> Table:
    rows = []
    for (probe, split), each in (*found.items(), *overall(report, "drop").items()):
        low, high = interval_of(each) or (None, None)
        value = f"undefined: {each.value.reason}" if isinstance(each.value, Undefined) else each.number
        rows.append((probe, each.name, split, each.n, value, each.unit, low, high))
    return Table(("probe", "measure", "split", "test rows", "value", "unit", "low", "high"), tuple(rows))

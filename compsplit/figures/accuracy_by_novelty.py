"""Accuracy by how new a row is to train, with intervals: by novelty, by novel pairs, by rows with the rarest pair.

Made of an evaluation's measures of classes of rows: a line a class, a point a model. The classes are those of
``evaluation.novelty``. Cost: nothing beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

from compsplit.figures.drawing import shortened, slug, told_apart
from compsplit.figures.points import Point, chart, interval_of, intervals_told, spanned, within
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.registry import register

_ASPECTS = {
    "novelty": "how new they are to train",
    "novel pairs": "novel pairs of concepts",
    "rows with the rarest pair": "train rows with their rarest pair",
}
"""What classes are by -> how a title says it."""
_MOST = 30
"""Classes that are drawn."""


@register("figure", "accuracy-by-novelty", source="compsplit", place=20)
def accuracy_by_novelty(report: Report) -> tuple[Figure, ...]:
    """Scores of rows by how new they are to train, with their intervals, for each model."""
    found: dict[tuple[str, str, str], list[Measure]] = {}
    for measure in report.measures if report.subject.get("kind") == "evaluation" else ():
        if measure.options.get("by") in _ASPECTS and "class" in measure.options:
            found.setdefault((str(measure.options["by"]), measure.name, measure.of), []).append(measure)
    # Those of one rule together, aspects in the order of the titles.
    ordered = sorted(found, key=lambda key: [*_ASPECTS].index(key[0]))
    figures = (_figure(report, key, found[key]) for key in ordered)
    return tuple(figure for figure in figures if figure is not None)


def _figure(report: Report, key: tuple[str, str, str], measures: Sequence[Measure]) -> Figure | None:
    by, name, of = key
    classes = list(dict.fromkeys(str(each.options["class"]) for each in measures))
    models = list(dict.fromkeys(str(each.options.get("model", "")) for each in measures))
    sizes = {each: [m.n for m in measures if str(m.options["class"]) == each] for each in classes}
    shown = classes[:_MOST]
    # Of several models, n stands at the line only if it is that of each of them.
    with_n = [f"{shortened(each, 30)} ({spanned(sizes[each])})" for each in shown]
    labels = dict(zip(shown, told_apart(with_n, 40), strict=True))
    series = dict(zip(models, told_apart(models, 34), strict=True))
    points = [_point(each, labels, series) for each in measures if _is_shown(each, labels)]
    if not points:
        return None
    n_unit = measures[0].n_unit
    reference = (report.subject.get("novelty") or {}).get("reference", "train")
    title = f"{name[:1].upper()}{name[1:]} of rows by {_ASPECTS[by].replace('train', shortened(reference, 24))}"
    return Figure(
        name=slug(name, "by", by, of),
        title=title,
        caption=_caption(report, measures, shown, len(classes), of, n_unit),
        alt=f"{title}. {_alt(measures, labels, series)}",
        spec=chart(
            list(labels.values()), list(series.values()), points, f"{name} ({shortened(of, 24)}), {measures[0].unit}"
        ),
        table=_table(by, measures),
    )


def _is_shown(measure: Measure, labels: dict[str, str]) -> bool:
    return str(measure.options["class"]) in labels and not isinstance(measure.value, Undefined)


def _point(measure: Measure, labels: dict[str, str], series: dict[str, str]) -> Point:
    name, model = str(measure.options["class"]), str(measure.options.get("model", ""))
    bounds, value = interval_of(measure), float(measure.number or 0)
    of_model = f"{shortened(model, 60)}, " if model else ""
    tip = f"{of_model}{shortened(name, 60)}: {value:.2f} {measure.unit}{within(bounds)}, n = {measure.n:,}"
    return Point(labels[name], series[model], value, bounds, tip)


def _caption(
    report: Report, measures: Sequence[Measure], shown: Sequence[str], n_classes: int, of: str, n_unit: str
) -> str:
    said = [f"Rule: {shortened(of, 40)}. In brackets: {n_unit} of the class.", intervals_told(report)]
    undefined = [each for each in measures if isinstance(each.value, Undefined)]
    bare = [each for each in measures if not isinstance(each.value, Undefined) and interval_of(each) is None]
    if undefined and isinstance(undefined[0].value, Undefined):
        first = shortened(undefined[0].options["class"], 40)
        said.append(f"Not drawn, since undefined: {len(undefined):,} (first: {first}, {undefined[0].value.reason}).")
    if bare and report.subject.get("intervals"):
        said.append(f"{len(bare):,} of {len(measures):,} points have no interval, since no draw gives one.")
    if len(shown) < n_classes:
        said.append(f"The first {len(shown):,} of {n_classes:,} classes.")
    return " ".join(said)


def _alt(measures: Sequence[Measure], labels: dict[str, str], series: dict[str, str]) -> str:
    """Return the first and the last class of each model."""
    said = []
    for model in series:
        mine = [each for each in measures if str(each.options.get("model", "")) == model and _is_shown(each, labels)]
        ends = [mine[0], mine[-1]] if len(mine) > 1 else mine
        told = (
            f"{shortened(each.options['class'], 40)} {each.number:.2f} {each.unit}{within(interval_of(each))}, "
            f"n = {each.n:,}"
            for each in ends
        )
        said.append(f"{shortened(model, 40)}: " * bool(model) + "; ".join(told) + ".")
    return " ".join(said)


def _table(by: str, measures: Sequence[Measure]) -> Table:
    rows = []
    for each in measures:
        low, high = interval_of(each) or (None, None)
        value = f"undefined: {each.value.reason}" if isinstance(each.value, Undefined) else each.number
        rows.append((each.options.get("model"), each.options["class"], each.n, value, low, high))
    several = any(row[0] is not None for row in rows)
    columns = ("model", by, measures[0].n_unit, measures[0].unit, "low", "high")
    return Table(columns[not several :], tuple(row[not several :] for row in rows))

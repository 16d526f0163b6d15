"""The answers of each question type in each part, types with the greatest shift first (C-VQA's figure 3).

Source: Agrawal et al. 2017, arXiv 1704.08243, figure 3 (there of 60,000 random questions; here of all). Made of the
tables of the audit ``answer-priors``, which tell the five commonest answers of either part of a type apart. An answer
has one colour in all bars. Colours are given so that no two answers that meet in a bar, and no two of a type, share
one, as far as nine colours go: answers with most rows first, each takes the colour that clashes least, then the one
given least often. Cost: O(answers drawn).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from compsplit.figures.drawing import (
    COLOURS,
    INK,
    REST,
    TIP,
    called,
    in_run,
    percent,
    shortened,
    slug,
    spec,
    told_apart,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Measure, Report, Table
from compsplit.registry import register

_TYPES = 14
_LINES_BEFORE = 6
"""Of a type with more than five answers, in reports of before."""
_BAR, _GAP = 13, 8
"""Heights."""
_LEFT, _WIDTH = 152, 276
_CHARACTER = 5.2
"""Room that a character of a text in a bar takes, in the mean of the wide and the narrow."""
_MEETING = 1000
"""How much worse it is for two answers of one colour to meet in a bar than to be apart in it."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A question type, as the two parts have it.

    Attributes:
        name: The type.
        rows: Of each part.
        commonest: The commonest answer of each part.
        answers: Answers with their rows in each part, in the report's order; the last may be all others, together.
            And whether it is that.
        apart: Total variation.
    """

    name: str
    rows: tuple[int, int]
    commonest: tuple[str, str]
    answers: tuple[tuple[str, int, int, bool], ...]
    apart: float


@register("figure", "answers-by-type", source="Agrawal et al. 2017, arXiv 1704.08243, figure 3", place=26)
def answers_by_type(report: Report) -> tuple[Figure, ...]:
    """Answers of each question type in each part, types with the greatest shift first."""
    return tuple(
        _figure(measure, kinds)
        for measure in report.measures
        if measure.name == "commonest-answer-differs" and (kinds := _kinds(report, measure))
    )


def _one(measure: Measure) -> str:
    group = measure.options.get("group")
    return "question type" if group is None else f"value of {group}"


def _kinds(report: Report, measure: Measure) -> list[_Kind]:
    """Return the types that the report lists, those with most rows first."""
    parts = f"{measure.reference} and {measure.part}"
    sizes = report.tables.get(f"{measure.of} of {parts}{in_run(measure.run)}")
    answers = report.tables.get(f"answers by {_one(measure)}, {parts}{in_run(measure.run)}")
    if sizes is None or answers is None:
        return []
    found: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for kind, answer, n, m in answers.rows:
        found[kind].append((answer, n, m))
    return [
        _Kind(kind, (n, m), (first, other), _with_rest(found[kind], *n_answers), apart)
        for kind, n, m, first, other, _, apart, *n_answers in sizes.rows
        if n and m
    ]


def _with_rest(
    lines: Sequence[tuple[str, int, int]], n_answers: int | None = None
) -> tuple[tuple[str, int, int, bool], ...]:
    """Return the lines of a type, each with whether it is the rest: the last of fewer lines than the type has answers.

    Reports of before do not say how many answers a type has; of more than five, the rest was the sixth line.
    """
    has_rest = len(lines) == _LINES_BEFORE if n_answers is None else len(lines) < n_answers
    return tuple((*line, has_rest and at == len(lines)) for at, line in enumerate(lines, 1))


def _figure(measure: Measure, kinds: Sequence[_Kind]) -> Figure:
    one, both = _one(measure), (str(measure.reference), str(measure.part))
    reference, part, told, kind_told = (shortened(each, 40) for each in (*both, measure.of, one))
    # By divergence, greatest first; ties in the report's order, types with most rows first.
    shown = sorted(kinds[:_TYPES], key=lambda kind: -kind.apart)
    shift = shown[0]
    commonest = [shortened(called(answer), 40) for answer in shift.commonest]
    rows = tuple(
        (kind.name, which, _said(answer, rest) if rest else answer, got, whole, got / whole, kind.apart)
        for kind in [*shown, *(each for each in kinds if each not in shown)]
        for which, (whole, counts) in zip(both, _by_part(kind), strict=True)
        for answer, got, rest in counts
    )
    return Figure(
        name=slug("answers by", one, *both),
        title=f"Answers of each {kind_told} in {reference} and {part}{in_run(measure.run)}",
        caption=(
            f"Share of each answer among the rows of its {kind_told}: upper bar {reference}, lower bar {part}, each "
            f"with its rows; on the right the total variation between the two. Of {measure.n:,} {told} that both parts "
            f"have, the {len(shown)} with most rows (in the part where each has fewer: "
            f"{min(min(kind.rows) for kind in shown):,} or more), the greatest shift first. Of each {kind_told} the "
            f"five commonest answers of either part are told apart, the others are together at the right end. An "
            f"answer has the same colour in all bars; different answers may share one."
        ),
        alt=(
            f"Stacked bars of answers. The greatest shift of {len(shown)} is in "
            f"{shortened(called(shift.name), 60)!r}: total variation {shift.apart:.3f}, commonest answer "
            f"{commonest[0]!r} in {reference} and {commonest[1]!r} in {part}."
        ),
        spec=_spec(shown, both),
        table=Table((one, "part", "answer", "rows", f"rows of the {one}", "share", "total variation"), rows),
    )


def _said(answer: str, rest: bool) -> str:
    """Return the name of a line; the number in that of the rest is of both parts together."""
    return f"other answers ({answer.partition(' ')[0]} in both)" if rest else called(answer)


def _by_part(kind: _Kind) -> Iterator[tuple[int, list[tuple[str, int, bool]]]]:
    """Yield the rows of the type, and of each line of its answers, in the reference and in the part."""
    yield kind.rows[0], [(answer, n, rest) for answer, n, _, rest in kind.answers]
    yield kind.rows[1], [(answer, m, rest) for answer, _, m, rest in kind.answers]


def _spec(shown: Sequence[_Kind], parts: tuple[str, str]) -> dict[str, Any]:
    kinds, named = told_apart([called(kind.name) for kind in shown], 16), told_apart(parts, 7)
    colours = _colours(shown)
    segments: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for at, kind in enumerate(shown):
        for lower, (whole, counts) in enumerate(_by_part(kind)):
            place = {"type": at, "lower": lower}
            bars.append({**place, "part": f"{named[lower]} {whole:,}"})
            start = 0
            for answer, got, rest in counts:
                if got:
                    segments.append(
                        {
                            **place,
                            "from": start / whole,
                            "to": (start + got) / whole,
                            "middle": (start + got / 2) / whole,
                            "colour": REST if rest else colours[answer],
                            "rest": rest,
                            "text": _fitting("others" if rest else called(answer), _WIDTH * got / whole, rest),
                            "tip": f"{shortened(called(kind.name), 60)}, {shortened(parts[lower])}: "
                            f"{shortened(_said(answer, rest), 60)} "
                            f"{percent(got, whole)} ({got:,} of {whole:,})",
                        }
                    )
                start += got
    sides = [
        {"centre": at + 0.5, "type": label, "apart": f"{kind.apart:.3f}", "empty": called(kind.name) != kind.name}
        for at, (label, kind) in enumerate(zip(kinds, shown, strict=True))
    ]
    return _drawn(segments, bars, sides)


def _fitting(answer: str, room: float, rest: bool) -> str:
    """Return the answer where there is room for it or for a beginning that says something, else nothing."""
    most = int((room - 4) / _CHARACTER)
    return shortened(answer, most) if most >= len(answer) or (most >= 4 and not rest) else ""


def _colours(shown: Sequence[_Kind]) -> dict[str, str]:
    """Return the colour of each answer: none twice side by side, nor in a type, as far as there are enough."""
    beside: defaultdict[str, Counter[str]] = defaultdict(Counter)
    weights: defaultdict[str, float] = defaultdict(float)
    for kind in shown:
        told = [(answer, n / kind.rows[0] + m / kind.rows[1]) for answer, n, m, rest in kind.answers if not rest]
        for answer, weight in told:
            weights[answer] += weight
            beside[answer].update(other for other, _ in told if other != answer)
        for _, counts in _by_part(kind):
            for (one, *_), (other, *_) in pairwise(line for line in counts if line[1] and not line[2]):
                beside[one][other] += _MEETING
                beside[other][one] += _MEETING
    found: dict[str, str] = {}
    given: Counter[str] = Counter()
    for answer in sorted(weights, key=lambda each: (-weights[each], each)):
        clashes: Counter[str] = Counter()
        for other, weight in beside[answer].items():
            if other in found:
                clashes[found[other]] += weight
        found[answer] = min(COLOURS[:-1], key=lambda each: (clashes[each], given[each], COLOURS.index(each)))
        given[found[answer]] += 1
    return found


def _drawn(
    segments: Sequence[Mapping[str, Any]], bars: Sequence[Mapping[str, Any]], sides: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    whole = 2 * _BAR + _GAP
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, len(sides)], "reverse": True}}
    place = f"datum.type + {_GAP / 2 / whole} + datum.lower * {_BAR / whole}"
    steps = [
        {"calculate": place, "as": "top"},
        {"calculate": f"{place} + {(_BAR - 1) / whole}", "as": "bottom"},
        {"calculate": f"{place} + {_BAR / 2 / whole}", "as": "centre"},
    ]
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    axis = {"format": "%", "title": "share of the rows of the type", "tickCount": 5, "grid": False}
    text = {"type": "text", "baseline": "middle", "aria": False}
    italic = {"expr": "datum.empty ? 'italic' : 'normal'"}
    return spec(
        segments,
        width=_WIDTH,
        height=whole * len(sides),
        transform=steps,
        layer=[
            {
                "mark": {"type": "bar"},
                "encoding": {
                    "x": {**x, "field": "from", "axis": axis},
                    "x2": {"field": "to"},
                    "y": {**y, "field": "top"},
                    "y2": {"field": "bottom"},
                    "color": {"field": "colour", "type": "nominal", "scale": None},
                    "fillOpacity": {"condition": {"test": "datum.rest", "value": 0.3}, "value": 1},
                    "description": TIP,
                },
            },
            {
                "transform": [{"filter": "datum.text"}],
                "mark": {**text, "fontSize": 9, "limit": {"expr": "(datum.to - datum.from) * width - 3"}},
                "encoding": {
                    "x": {**x, "field": "middle"},
                    "y": {**y, "field": "centre"},
                    "text": {"field": "text", "type": "nominal"},
                    "color": {"condition": {"test": "datum.rest", "value": INK}, "value": "white"},
                },
            },
            {
                "data": {"values": list(bars)},
                "transform": steps,
                "mark": {**text, "fontSize": 9, "align": "right", "dx": -4, "limit": 70},
                "encoding": {
                    "x": {"datum": 0, **x},
                    "y": {**y, "field": "centre"},
                    "text": {"field": "part", "type": "nominal"},
                },
            },
            {
                "data": {"values": list(sides)},
                "mark": {**text, "align": "left", "x": -_LEFT, "limit": 88, "fontStyle": italic},
                "encoding": {"y": {**y, "field": "centre"}, "text": {"field": "type", "type": "nominal"}},
            },
            {
                "data": {"values": list(sides)},
                "mark": {**text, "align": "left", "x": "width", "dx": 6},
                "encoding": {"y": {**y, "field": "centre"}, "text": {"field": "apart", "type": "nominal"}},
            },
            {
                "data": {"values": [{"text": "total variation"}]},
                "mark": {**text, "fontSize": 9, "align": "right", "x": "width", "dx": 38, "y": -4},
                "encoding": {"text": {"field": "text", "type": "nominal"}},
            },
        ],
    )

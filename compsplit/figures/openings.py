"""Sunbursts of the first four words of the questions of each part, side by side (C-VQA's figure 2).

Source: Agrawal et al. 2017, arXiv 1704.08243, figure 2, of 60,000 random questions; here of all, or of those that the
audit ``question-openings`` took: its table says how many in its first row, that of no words. An arc is as long as the
share of questions that begin with its words; where no arc is drawn, questions end or go on with what is drawn nowhere.
Vega's ``stratify`` and ``partition`` place the arcs: every prefix has a weight of its own, its questions less those of
the prefixes drawn beyond it, and a parent is as wide as it and its children. Cost: O(prefixes log prefixes).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from compsplit.figures.drawing import (
    COLOURS,
    FONT,
    INK,
    REST,
    VEGA,
    WIDTH,
    greyed,
    in_run,
    percent,
    shortened,
    slug,
    told_apart,
)
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_NAME = "openings of questions"
_WORDS = 4
_PARTS = 3
_ARCS = 140
"""In all parts together, so that the figure stays small."""
_LEAST = 200
"""An arc stands for one of so many questions of its part, or more, 0.5 %, as in the table; thinner ones are unseen."""
_RINGS = ((0.07, 0.34), (0.34, 0.56), (0.56, 0.78), (0.78, 1.0))
"""From where to where a ring reaches, for a radius of 1; words of the first are read most."""
_GREYED = (0.0, 0.18, 0.34, 0.48)
_CHARACTER = 0.56
"""Width of a character, in the mean, for a font size of 1."""
_HEAD, _HEAD_FONT = 32, 11
"""Room above a sunburst, for its name and its questions; size of their letters."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part: its questions that were counted, and how many of them begin with each prefix that has an arc in it."""

    name: str
    whole: int
    begun: Mapping[tuple[str, ...], int]


_Begun: TypeAlias = Mapping[tuple[str, ...], Mapping[str, int]]
"""Prefix -> part -> how many of its questions begin so; in the table's order."""


@register("figure", "openings", source="Agrawal et al. 2017, arXiv 1704.08243, figure 2", place=24)
def openings(report: Report) -> tuple[Figure, ...]:
    """Sunbursts of the first four words of the questions of each part."""
    for run in (None, 0):
        table = report.tables.get(f"{_NAME}{in_run(run)}")
        # Reports of before do not have the row of no words, and so do not say what was counted.
        if table is not None and table.rows and not any(table.rows[0][:_WORDS]):
            wholes = dict(zip(table.columns[_WORDS:], table.rows[0][_WORDS:], strict=True))
            parts = _drawn(table, wholes)
            if any(part.begun for part in parts):
                return (_figure(table, parts, wholes, run, _sampled(report, wholes, run)),)
    return ()


def _drawn(table: Table, wholes: Mapping[str, int]) -> list[_Part]:
    """Return the parts that are drawn, with the prefixes that have arcs: the first and the greatest, in order."""
    given: _Begun = {
        tuple(word for word in row[:_WORDS] if word): dict(zip(wholes, row[_WORDS:], strict=True))
        for row in table.rows[1:]
    }
    asked = [part for part in wholes if wholes[part]]
    greatest = sorted(asked, key=lambda part: (part != asked[0], -wholes[part]))[:_PARTS]
    shown = {part: wholes[part] for part in asked if part in greatest}
    chosen = _commonest(given, shown, _ARCS // len(shown)) if shown else []
    return [
        _Part(part, whole, _wide({each: given[each][part] for each in chosen}, whole)) for part, whole in shown.items()
    ]


def _commonest(given: _Begun, wholes: Mapping[str, int], most: int) -> list[tuple[str, ...]]:
    """Return the prefixes with the greatest share in any of the parts, in the table's order."""
    shares = {prefix: max(counts[part] / whole for part, whole in wholes.items()) for prefix, counts in given.items()}
    kept = set(sorted(shares, key=lambda prefix: -shares[prefix])[:most])
    return [prefix for prefix in given if prefix in kept]


def _wide(begun: Mapping[tuple[str, ...], int], whole: int) -> dict[tuple[str, ...], int]:
    """Return the prefixes of a part whose arcs are wide enough to be seen, each with the prefix before it."""
    kept: dict[tuple[str, ...], int] = {(): whole}
    for prefix, n in begun.items():
        if prefix and n * _LEAST >= whole and prefix[:-1] in kept:
            kept[prefix] = n
    del kept[()]
    return kept


def _sampled(report: Report, wholes: Mapping[str, int], run: int | None) -> bool:
    """Tell whether not all questions were counted: a finding says so, or a part has as many as were asked for."""
    asked_for = [each.options.get("most_questions") for each in report.measures if each.run == run]
    told = any(finding.kind == "sampled-questions" for finding in report.findings)
    return told or any(most in wholes.values() for most in asked_for if most)


def _figure(table: Table, parts: Sequence[_Part], wholes: Mapping[str, int], run: int | None, sampled: bool) -> Figure:
    drawn = {prefix for part in parts for prefix in part.begun}
    n_all = (len(table.rows) if table.total is None else table.total) - 1
    questions = ", ".join(f"{part.whole:,} of {shortened(part.name, 24)}" for part in parts)
    at_random = f"; at most {max(wholes.values()):,} of each part, taken at random" if sampled else ""
    caption = [
        f"Questions by their first words, the first innermost: an arc is as long as the share of questions that begin "
        f"so ({questions}{at_random}).",
        f"Of {n_all:,} beginnings of one to four words the {len(drawn):,} with the greatest share in a part are drawn, "
        f"in each part where it is {percent(1, _LEAST)} or more; where there is no arc, questions end or go on with "
        f"others.",
        "A first word has the same colour in all parts.",
    ]
    if len(wholes) > len(parts):
        caption.append(
            f"Drawn are {', '.join(shortened(part.name, 24) for part in parts)}: of {len(wholes)} parts the first that "
            f"has questions, and those with most."
        )
    told = "; ".join(f"{shortened(part.name, 24)}: {_top(part, 1)}, {_top(part, _WORDS)}" for part in parts)
    return Figure(
        name=slug("openings"),
        title=f"First four words of questions{in_run(run)}",
        caption=" ".join(caption),
        alt=f"Sunbursts of the first four words of questions. The commonest first word and first four words: {told}.",
        spec=_spec(parts, _colours(parts)),
        table=Table(
            (*table.columns, *(f"share of {part}" for part in wholes)),
            tuple(
                (*words, *counts, *(got / n if n else None for got, n in zip(counts, wholes.values(), strict=True)))
                for words, counts in [
                    (("(all questions)", *("",) * (_WORDS - 1)), tuple(wholes.values())),
                    *((row[:_WORDS], row[_WORDS:]) for row in table.rows[1:]),
                ]
            ),
            table.total,
        ),
    )


def _top(part: _Part, n_words: int) -> str:
    """Return the commonest beginning of so many words, with its share."""
    counts = {prefix: n for prefix, n in part.begun.items() if len(prefix) == n_words}
    if not counts:
        return f"none of {n_words} words is common"
    prefix = max(counts, key=lambda each: counts[each])
    return f"{shortened(' '.join(prefix), 50)!r} ({percent(counts[prefix], part.whole)})"


def _colours(parts: Sequence[_Part]) -> dict[str, tuple[str, str]]:
    """Return label and colour of each first word: a colour of its own for the nine commonest."""
    often: Counter[str] = Counter()
    for part in parts:
        often.update({prefix[0]: n for prefix, n in part.begun.items() if len(prefix) == 1})
    firsts = [word for word, _ in often.most_common()]
    kept = told_apart(firsts[: len(COLOURS) - 1], 12)
    named = [*zip(kept, COLOURS, strict=False), *[("other words", REST)] * (len(firsts) - len(kept))]
    return dict(zip(firsts, named, strict=True))


def _spec(parts: Sequence[_Part], colours: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    room = min(WIDTH // len(parts), 320)
    radius, size = room // 2 - 3, 9 if len(parts) < _PARTS else 8
    legend = dict(colours.values())
    return {
        "$schema": VEGA,
        "width": room * len(parts),
        "height": room + _HEAD,
        "padding": 0,
        "autosize": {"type": "pad"},
        "data": [
            {
                "name": f"part{at}",
                "values": _nodes(part, colours, radius, size),
                "transform": [
                    {"type": "stratify", "key": "id", "parentKey": "parent"},
                    {
                        "type": "partition",
                        "field": "own",
                        "size": [2 * math.pi, 1],
                        "as": ["start", "inner", "end", "outer", "depth", "children"],
                    },
                    {"type": "filter", "expr": "datum.depth > 0"},
                ],
            }
            for at, part in enumerate(parts)
        ],
        "scales": [{"name": "words", "type": "ordinal", "domain": list(legend), "range": list(legend.values())}],
        "legends": [
            {
                "fill": "words",
                "orient": "bottom",
                "direction": "horizontal",
                "columns": 5,
                "symbolType": "square",
                "labelFont": FONT,
            }
        ],
        "marks": [_sunburst(at, part, room, radius, size) for at, part in enumerate(parts)],
    }


def _nodes(part: _Part, colours: Mapping[str, tuple[str, str]], radius: float, size: float) -> list[dict[str, Any]]:
    """Return the tree of a part: its root, then a node for each prefix, with what only it begins."""
    beyond: Counter[tuple[str, ...]] = Counter()
    for prefix, n in part.begun.items():
        beyond[prefix[:-1]] += n
    numbers = {prefix: number for number, prefix in enumerate(((), *part.begun))}
    nodes: list[dict[str, Any]] = [{"id": 0, "parent": None, "own": max(part.whole - beyond[()], 0)}]
    for prefix, n in part.begun.items():
        ring = len(prefix) - 1
        near, far = (radius * each for each in _RINGS[ring])
        text, across = _fitting(prefix[-1], far - near, math.tau * n / part.whole * (near + far) / 2, size)
        nodes.append(
            {
                "id": numbers[prefix],
                "parent": numbers[prefix[:-1]],
                "own": max(n - beyond[prefix], 0),
                "near": round(near, 2),
                "far": round(far - 1, 2),
                "colour": greyed(colours[prefix[0]][1], _GREYED[ring]),
                "text": text,
                "across": across,
                "tip": f"{shortened(' '.join(prefix), 60)}: {n:,} of {part.whole:,} ({percent(n, part.whole)})",
            }
        )
    return nodes


def _fitting(word: str, depth: float, length: float, size: float) -> tuple[str, bool]:
    """Return what of a word fits into an arc, and whether it is written across the radius.

    The whole word, across or along the radius; else a beginning that says something, along it; else nothing.
    """
    wide = len(word) * _CHARACTER * size
    # Text is straight: across an arc it needs the depth of the bow that it cuts off as well.
    bow = wide**2 / (8 * max(length, 1))
    if length >= wide + 8 and depth >= size + 3 + bow:
        return shortened(word, len(word)), True
    most = int((depth - 4) / (_CHARACTER * size))
    if length < size + 1 or most < min(len(word), 3):
        return "", False
    return shortened(word, most), False


def _sunburst(at: int, part: _Part, room: int, radius: int, size: int) -> dict[str, Any]:
    most = int((room - 8) / (_CHARACTER * _HEAD_FONT))
    centre = {"x": {"value": room / 2}, "y": {"value": room / 2 + _HEAD}}
    middle = "(datum.start + datum.end) / 2"
    # Never upside down.
    across, along = f"(abs({middle} - PI) < PI / 2 ? 180 : 0)", f"({middle} < PI ? -90 : 90)"
    return {
        "type": "group",
        "encode": {"enter": {"x": {"value": at * room}}},
        "marks": [
            {
                "type": "text",
                "aria": False,
                "encode": {
                    "enter": {
                        "x": {"value": room / 2},
                        "y": {"value": 8},
                        "align": {"value": "center"},
                        "baseline": {"value": "middle"},
                        "text": {"value": [shortened(part.name, most), f"{part.whole:,} questions"]},
                        "lineHeight": {"value": 13},
                        "limit": {"value": room - 8},
                        "font": {"value": FONT},
                        "fontSize": {"value": _HEAD_FONT},
                        "fill": {"value": INK},
                    }
                },
            },
            {
                "type": "arc",
                "from": {"data": f"part{at}"},
                "encode": {
                    "enter": {
                        **centre,
                        "startAngle": {"field": "start"},
                        "endAngle": {"field": "end"},
                        "innerRadius": {"field": "near"},
                        "outerRadius": {"field": "far"},
                        "padAngle": {"value": 1 / radius},
                        "fill": {"field": "colour"},
                        "description": {"field": "tip"},
                    }
                },
            },
            {
                "type": "text",
                "aria": False,
                "from": {"data": f"part{at}"},
                "encode": {
                    "enter": {
                        **centre,
                        "theta": {"signal": middle},
                        "radius": {"signal": "(datum.near + datum.far) / 2"},
                        "angle": {"signal": f"{middle} * 180 / PI + (datum.across ? {across} : {along})"},
                        "align": {"value": "center"},
                        "baseline": {"value": "middle"},
                        "text": {"field": "text"},
                        "font": {"value": FONT},
                        "fontSize": {"value": size},
                        "limit": {"signal": "datum.across ? 0 : datum.far - datum.near - 2"},
                        "fill": {"value": "white"},
                    }
                },
            },
        ],
    }

"""The answers of each question type in each part, types with the greatest shift first (C-VQA's figure 3).

Source: Agrawal et al. 2017, arXiv 1704.08243, figure 3 (there of 60,000 random questions; here of all). Made of the tables
of the audit ``answer-priors``; cost: nothing beside them.
"""

from __future__ import annotations

from collections import defaultdict

from compsplit.figures.drawing import COLOURS, REST, TIP, percent, shortened, slug, spec, tables_called
from compsplit.model.figure import Figure
from compsplit.model.report import Report, Table
from compsplit.registry import register

_TYPES = 16
_ANSWERS = 9
"""Answers with a colour of their own; others are grey."""


@register("figure", "answers-by-type", source="Agrawal et al. 2017, arXiv 1704.08243, figure 3")
def answers_by_type(report: Report) -> tuple[Figure, ...]:
    """Answers of each question type in each part, types with the greatest shift first."""
    figures = []
    for parts, table in tables_called(report, "answers by question type, ").items():
        types = report.tables.get(f"question types of {parts}")
        reference, joint, part = parts.partition(" and ")
        if types is not None and joint and types.rows:
            figures.append(_figure(reference, part, types, table))
    return tuple(figures)


def _figure(reference: str, part: str, types: Table, answers: Table) -> Figure:
    # By divergence, greatest first; ties in the table's own order, largest types first.
    ordered = sorted(types.rows, key=lambda row: -row[6])
    shown = ordered[:_TYPES]
    sizes = {row[0]: (row[1], row[2]) for row in ordered}
    totals: defaultdict[str, int] = defaultdict(int)
    for kind, answer, n, m in answers.rows:
        if kind in {row[0] for row in shown}:
            totals[answer] += n + m
    rest = {answer for answer in totals if answer.endswith(" others") and answer[:1].isdigit()}
    named = sorted(set(totals) - rest, key=lambda answer: (-totals[answer], answer))[:_ANSWERS]
    data, rows = [], []
    for kind, answer, n, m in answers.rows:
        if kind not in sizes:
            continue
        for which, got, whole in ((reference, n, sizes[kind][0]), (part, m, sizes[kind][1])):
            rows.append((kind, which, answer, got, whole, got / whole))
            if kind in {row[0] for row in shown} and got:
                data.append(
                    {
                        "type": shortened(kind, 22),
                        "part": which,
                        "answer": shortened(answer, 14) if answer in named else "other answers",
                        "rank": named.index(answer) if answer in named else len(named),
                        "share": got / whole,
                        "tip": f"{kind}, {which}: {shortened(answer, 60)} {percent(got, whole)} ({got:,} of {whole:,})",
                    }
                )
    colours = [*(shortened(answer, 14) for answer in named), "other answers"]
    kinds = [shortened(row[0], 22) for row in shown]
    first = shown[0]
    return Figure(
        name=slug("answers by type", reference, part),
        title=f"Answers of each question type in {reference} and {part}",
        caption=(
            f"Share of each answer among the rows of its question type: upper bar {reference}, lower bar {part}. Types with "
            f"the greatest shift (total variation) first; {len(shown)} of the {len(ordered)} types that both parts have "
            f"and the report lists. The five commonest answers of a type are told apart."
        ),
        alt=(
            f"Stacked bars of answers by question type. The greatest shift is in {shortened(first[0], 60)!r}: total "
            f"variation {first[6]:.3f}, commonest answer {shortened(first[3], 40)!r} in {reference} and "
            f"{shortened(first[4], 40)!r} in {part}."
        ),
        spec=spec(
            data,
            width=300,
            height={"step": 12},
            mark={"type": "bar"},
            encoding={
                "y": {
                    "field": "type",
                    "type": "nominal",
                    "sort": kinds,
                    "title": None,
                    "axis": {"minExtent": 150, "maxExtent": 150},
                },
                "yOffset": {"field": "part", "type": "nominal", "sort": [reference, part]},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "stack": "zero",
                    "axis": {"format": "%", "title": "share of the type's rows", "tickCount": 5},
                    "scale": {"domain": [0, 1]},
                },
                "color": {
                    "field": "answer",
                    "type": "nominal",
                    "scale": {"domain": colours, "range": [*COLOURS[: len(named)], REST]},
                    "legend": {"orient": "bottom", "columns": 4, "title": None},
                },
                "order": {"field": "rank", "type": "quantitative"},
                "description": TIP,
            },
        ),
        table=Table(("question type", "part", "answer", "rows", "rows of the type", "share"), tuple(rows)),
    )

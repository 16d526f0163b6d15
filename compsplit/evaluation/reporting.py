"""The report of an evaluation: every score in one table, then what it comes to by type, part and novelty."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from compsplit.errors import counted
from compsplit.evaluation.scoring import Found, bounds_of
from compsplit.model.report import Finding, Measure, Report, Table, Undefined
from compsplit.model.table import QATable


def reported(
    table: QATable,
    n_scored: int,
    results: Sequence[Found],
    comparison: tuple[Sequence[Measure], Table] | None,
    findings: Sequence[Finding],
    told: Mapping[str, Any],
    scored: str = "scored",
) -> Report:
    """Return the report of what models score.

    Args:
        table: Every row that was read.
        n_scored: Rows that are scored.
        results: Of each model.
        comparison: Models held against the first.
        findings: What was found out before.
        told: Further facts of the subject.
        scored: What the verdict says of the rows that are.
    """
    several = len(results) > 1
    measures: list[Measure] = []
    tables: dict[str, Table] = {}
    lines: list[tuple[Any, ...]] = []
    notes = list(findings)
    for found in results:
        for measure in found.measures:
            named = {**measure.options, "model": found.model} if several else measure.options
            measures.append(dataclasses.replace(measure, options=named))
            if "by" not in measure.options:
                lines.append((*((found.model,) if several else ()), *_line(measure)))
        tables |= {f"{name} of {found.model}" if several else name: each for name, each in found.tables.items()}
        notes += [each for each in found.findings if each not in notes]
    columns = (*(("model",) if several else ()), "rule", "measure", "value", "low", "high", "n", "unit")
    first = {"scores": Table(columns, tuple(lines))}
    if comparison is not None:
        measures += comparison[0]
        first["models compared"] = comparison[1]
    subject = {
        "kind": "evaluation",
        "title": "Evaluation",
        "rows": len(table),
        "scored": n_scored,
        "models": [found.model for found in results],
        **told,
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "measures in tables": True,
        "shown tables": [*first, *(name for name in tables if " by " in name)],
        "verdict": _verdict(results, n_scored, f"{n_scored:,} of {counted(len(table), 'row')} {scored}"),
    }
    return Report(subject, tuple(measures), {**first, **tables}, tuple(notes))


def _line(measure: Measure) -> tuple[Any, ...]:
    undefined = isinstance(measure.value, Undefined)
    low, high = bounds_of(measure)
    value: Any = "undefined" if undefined else measure.number
    return (measure.of, measure.name, value, low, high, measure.n, "" if undefined else measure.unit)


def _verdict(results: Sequence[Found], n_scored: int, rows: str) -> str:
    told = []
    for found in results:
        headline = found.measures[0]
        if isinstance(headline.value, Undefined):
            told.append(f"{found.model}: {headline.name} ({headline.of}) undefined: {headline.value.reason}")
            continue
        low, high = bounds_of(headline)
        around = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
        over = "" if headline.n == n_scored else f", n = {headline.n:,}"
        told.append(
            f"{found.model}: {headline.name} {headline.number:.2f} {headline.unit}{around} by {headline.of}{over}"
        )
    return f"{'; '.join(told)}; {rows}."

"""Distributions of types, answers and question openings over the parts, and how far they are apart.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 and figures 2 and 3. Total variation = half the sum of
|p - q|, exact. Divergence = 1 - sum of sqrt(p q), the Chernoff coefficient with alpha 0.5 (Keysers et al. 2020, arXiv
1912.09713). Both over all values; tables show the commonest and count the rest. Cost: O(rows).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, pairs, references
from compsplit.model.column import Column, crossed
from compsplit.model.report import Audited, Finding, Measure, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2; Keysers et al. 2020, arXiv 1912.09713"
_SHOWN = 50


@register("audit", "question-types", source=_SOURCE, unit="fraction", bounds=(0, 1), better="")
def question_type_distribution(rows: Rows, split: Split) -> Audited:
    """Question types and question openings of each part, and how far two parts are apart in them."""
    one = _distribution(rows, split, "question_type", "question types")
    other = _distribution(rows, split, "first four words", "first four words")
    return Audited((*one.measures, *other.measures), {**one.tables, **other.tables})


@register("audit", "answer-types", source=_SOURCE, unit="fraction", bounds=(0, 1), better="")
def answer_type_distribution(rows: Rows, split: Split) -> Audited:
    """Answer types and answers of each part, and how far two parts are apart in them."""
    one = _distribution(rows, split, "answer_type", "answer types")
    other = _distribution(rows, split, "answer (exact)", "answers")
    return Audited((*one.measures, *other.measures), {**one.tables, **other.tables})


@register("audit", "answer-priors", source=_SOURCE, unit="fraction", bounds=(0, 1), better="")
def answer_priors(rows: Rows, split: Split) -> Audited:
    """Answers of each question type in two parts, and the types whose commonest answer differs."""
    if "question_type" not in rows.columns or "answer (exact)" not in rows.columns:
        return Audited()
    kinds, answers = rows.columns["question_type"], rows.columns["answer (exact)"]
    joint = crossed(kinds, answers)
    there = joint.codes >= 0
    kind_of = np.zeros(len(joint.names), dtype=np.int64)
    answer_of = np.zeros(len(joint.names), dtype=np.int64)
    kind_of[joint.codes[there]] = kinds.codes[there]
    answer_of[joint.codes[there]] = answers.codes[there]
    measures: list[Measure] = []
    findings: list[Finding] = []
    tables: dict[str, Table] = {}
    for reference, part in references(split):
        counts = held(joint, split.rows_in(reference)), held(joint, split.rows_in(part))
        by_kind = [np.bincount(kind_of, weights=each, minlength=len(kinds.names)).astype(np.int64) for each in counts]
        both = np.flatnonzero((by_kind[0] > 0) & (by_kind[1] > 0)).tolist()
        commonest = [_commonest(each, kind_of, answer_of, answers) for each in counts]
        apart = _apart(counts, kind_of, by_kind)
        table = [
            (
                kinds.names[k], int(by_kind[0][k]), int(by_kind[1][k]),
                commonest[0][k], commonest[1][k], commonest[0][k] != commonest[1][k], apart[k],
            )
            for k in both
        ]  # fmt: skip
        table.sort(key=lambda row: (-min(row[1], row[2]), row[0]))
        differing = [row for row in table if row[5]]
        n = len(both)
        measures.append(
            Measure(
                name="commonest-answer-differs", of="question types", unit="fraction", n=n,
                n_unit=f"question types in {reference} and {part}", reference=reference, part=part,
                value=Fraction(len(differing), n) if n else Undefined("no question type is in both parts"),
            )  # fmt: skip
        )
        tables[f"answers by question type, {reference} and {part}"] = Table(
            ("question type", f"rows in {reference}", f"rows in {part}", f"commonest in {reference}",
             f"commonest in {part}", "differs", "total variation"),
            tuple(table[:_SHOWN]),
        )  # fmt: skip
        if differing:
            findings.append(
                Finding(
                    kind="commonest-answer-differs",
                    count=len(differing),
                    first=tuple((row[0], row[3], row[4]) for row in differing[:5]),
                    message=f"{len(differing):,} of {n:,} question types have another commonest answer in {part} than "
                    f"in {reference}.",
                )
            )
    return Audited(tuple(measures), tables, tuple(findings))


def _commonest(
    counts: NDArray[np.int64], kind_of: NDArray[np.int64], answer_of: NDArray[np.int64], answers: Column
) -> dict[int, str]:
    """Return the commonest answer of each type; of equals the first in alphabetical order."""
    best: dict[int, tuple[int, str]] = {}
    for pair in np.flatnonzero(counts).tolist():
        kind, key = int(kind_of[pair]), (-int(counts[pair]), answers.names[int(answer_of[pair])])
        if kind not in best or key < best[kind]:
            best[kind] = key
    return {kind: answer for kind, (_, answer) in best.items()}


def _apart(
    counts: tuple[NDArray[np.int64], NDArray[np.int64]], kind_of: NDArray[np.int64], by_kind: list[NDArray[np.int64]]
) -> list[float]:
    p, q = (each / np.maximum(totals[kind_of], 1) for each, totals in zip(counts, by_kind, strict=True))
    half = np.bincount(kind_of, weights=np.abs(p - q), minlength=len(by_kind[0])) / 2
    return [float(x) for x in half]


def _distribution(rows: Rows, split: Split, aspect: str, told: str) -> Audited:
    column = rows.columns.get(aspect)
    if column is None or not len(column.names):
        return Audited()
    counts = {part: held(column, split.rows_in(part)) for part in split.parts}
    whole = held(column, np.ones(len(column), dtype=bool))
    measures = []
    for reference, part in pairs(split):
        measures += _divergences(counts[reference], counts[part], told, reference, part)
    for part in split.parts[1:]:
        measures += _divergences(whole, counts[part], told, "whole", part)[:1]
    used = np.flatnonzero(whole)
    cut = np.sort(whole[used])[::-1][:_SHOWN][-1:]
    often = used[whole[used] >= cut[0]] if len(cut) else used
    names = {code: column.names[code] for code in often.tolist()}
    shown = sorted(names, key=lambda code: (-int(whole[code]), names[code]))[:_SHOWN]
    table: list[tuple[object, ...]] = [(names[c], *(int(counts[part][c]) for part in split.parts)) for c in shown]
    if len(used) > len(shown):
        rest = (int(counts[part].sum() - counts[part][shown].sum()) for part in split.parts)
        table.append((f"{len(used) - len(shown):,} others", *rest))
    return Audited(tuple(measures), {told: Table((told, *split.parts), tuple(table))})


def _divergences(p: NDArray[np.int64], q: NDArray[np.int64], told: str, reference: str, part: str) -> list[Measure]:
    n, m = int(p.sum()), int(q.sum())
    total_variation: Fraction | Undefined
    divergence: float | Undefined
    if not n or not m:
        total_variation = divergence = Undefined(f"{part if n else reference} has no value of {told}")
    else:
        used = (p > 0) | (q > 0)
        difference = sum(abs(a * m - b * n) for a, b in zip(p[used].tolist(), q[used].tolist(), strict=True))
        total_variation = Fraction(difference, 2 * n * m)
        divergence = max(1.0 - float(np.sqrt((p / n) * (q / m)).sum()), 0.0)
    shared = {"of": told, "n": m, "n_unit": f"rows of {part}", "unit": "fraction", "reference": reference, "part": part}
    return [
        Measure(name="total-variation", value=total_variation, **shared),  # type: ignore[arg-type]  # one dict for both
        Measure(name="divergence", value=divergence, options={"alpha": 0.5}, **shared),  # type: ignore[arg-type]
    ]

"""Distributions of types, answers and question openings over the parts, and how far they are apart.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 and figures 2 and 3. Total variation = half the sum of
|p - q|, exact. Divergence = 1 - sum of sqrt(p q), the Chernoff coefficient with alpha 0.5 (Keysers et al. 2020, arXiv
1912.09713, section 2.1), to 12 decimals, which no order of summing changes. Both over all values; tables show the
commonest and count the rest. Cost: O(rows), O(n log n) in the distinct values.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, pairs, references
from compsplit.model.column import Column, crossed
from compsplit.model.report import Audited, Finding, Measure, Table, Undefined, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2; Keysers et al. 2020, arXiv 1912.09713"
_SHOWN = 50
_ANSWERS_SHOWN = 5


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
    """Share of question types whose commonest answer differs between two parts, with the answers of each type.

    Types that both parts have count. It differs if no answer is commonest in both; of equally common answers the first
    in alphabetical order is shown.
    """
    if "question_type" not in rows.columns or "answer (exact)" not in rows.columns:
        return Audited()
    kinds, answers = rows.columns["question_type"], rows.columns["answer (exact)"]
    joint = crossed(kinds, answers)
    there = np.flatnonzero(joint.codes >= 0)
    a_row = np.zeros(len(joint.names), dtype=np.int64)
    a_row[joint.codes[there]] = there
    pairs_named = [(str(kinds[row]), str(answers[row])) for row in a_row.tolist()]
    found = [
        _priors(_by_type(pairs_named, joint, split, reference, part), reference, part)
        for reference, part in references(split)
    ]
    return Audited(
        tuple(measure for each in found for measure in each.measures),
        {name: table for each in found for name, table in each.tables.items()},
        tuple(finding for each in found for finding in each.findings),
    )


_Answers: TypeAlias = list[tuple[str, int, int]]
"""Answers with their rows in the reference part and in the part."""


def _by_type(
    pairs_named: list[tuple[str, str]], joint: Column, split: Split, reference: str, part: str
) -> dict[str, _Answers]:
    """Return the answers of each question type that both parts have, types and answers commonest first."""
    found: defaultdict[str, _Answers] = defaultdict(list)
    counts = (held(joint, split.rows_in(each)).tolist() for each in (reference, part))
    for (kind, answer), n, m in zip(pairs_named, *counts, strict=True):
        if n or m:
            found[kind].append((answer, n, m))
    both = {kind: _totals(answers) for kind, answers in found.items()}
    shown = sorted((kind for kind in both if min(both[kind])), key=lambda kind: (-min(both[kind]), kind))
    return {kind: sorted(found[kind], key=lambda a: (-a[1] - a[2], a[0])) for kind in shown}


def _totals(answers: _Answers) -> tuple[int, int]:
    return sum(n for _, n, _ in answers), sum(m for _, _, m in answers)


def _priors(by_type: dict[str, _Answers], reference: str, part: str) -> Audited:
    table = []
    commonest_answers: list[tuple[object, ...]] = []
    for kind, answers in by_type.items():
        n, m = _totals(answers)
        most, most_in_part = max(a for _, a, _ in answers), max(b for *_, b in answers)
        firsts = {name for name, a, _ in answers if a == most}
        others = {name for name, _, b in answers if b == most_in_part}
        shared = firsts & others
        apart = Fraction(sum(abs(a * m - b * n) for _, a, b in answers), 2 * n * m)
        table.append((kind, n, m, min(shared or firsts), min(shared or others), not shared, float(apart)))
        commonest_answers += [(kind, *answer) for answer in answers[:_ANSWERS_SHOWN]]
        if len(answers) > _ANSWERS_SHOWN:
            rest = answers[_ANSWERS_SHOWN:]
            commonest_answers.append((kind, f"{len(rest):,} others", *_totals(rest)))
    differing = [row for row in table if row[5]]
    measure = Measure(
        name="commonest-answer-differs",
        of="question types",
        value=ratio(len(differing), len(table), f"no question type is in both {reference} and {part}"),
        n=len(table),
        n_unit=f"question types in {reference} and {part}",
        unit="fraction",
        reference=reference,
        part=part,
    )
    shown = {row[0] for row in table[:_SHOWN]}
    tables = {
        f"question types of {reference} and {part}": Table(
            (
                "question type", f"rows in {reference}", f"rows in {part}", f"commonest in {reference}",
                f"commonest in {part}", "differs", "total variation",
            ),
            tuple(table[:_SHOWN]),
        ),
        f"answers by question type, {reference} and {part}": Table(
            ("question type", "answer", f"rows in {reference}", f"rows in {part}"),
            tuple(row for row in commonest_answers if row[0] in shown),
        ),
    }  # fmt: skip
    if not differing:
        return Audited((measure,), tables)
    finding = Finding(
        kind="commonest-answer-differs",
        count=len(differing),
        first=tuple((kind, first, other) for kind, _, _, first, other, *_ in differing[:5]),
        message=f"{len(differing):,} of {len(table):,} question types have another commonest answer in {part} than in "
        f"{reference}.",
    )
    return Audited((measure,), tables, (finding,))


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
        same = math.fsum(math.sqrt(a * b) for a, b in zip(p[used].tolist(), q[used].tolist(), strict=True))
        divergence = max(round(1 - same / math.sqrt(n * m), 12), 0.0)
    shared = {"of": told, "n": m, "n_unit": f"rows of {part}", "unit": "fraction", "reference": reference, "part": part}
    return [
        Measure(name="total-variation", value=total_variation, **shared),  # type: ignore[arg-type]  # one dict for both
        Measure(name="divergence", value=divergence, options={"alpha": 0.5}, **shared),  # type: ignore[arg-type]  # the same
    ]

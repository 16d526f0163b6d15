"""Answer priors: question types, or other groups, whose commonest answer differs between two parts.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 and figure 3; Agrawal et al. 2018, arXiv 1712.00377. Total
variation = half the sum of |p - q| over the answers of a type, exact. Cost: O(rows), O(n log n) in answers of types.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from compsplit.audits.parts import held, references
from compsplit.audits.shares import SOURCE
from compsplit.model.column import Column, crossed
from compsplit.model.report import LISTED, Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_ANSWERS_SHOWN = 5
"""Of each of the two parts."""


@register("audit", "answer-priors", source=SOURCE, unit="fraction", bounds=(0, 1), better="")
def answer_priors(rows: Rows, split: Split, *, group: str | None = None) -> Audited:
    """Share of question types whose commonest answer differs between two parts, with the answers of each type.

    Types that both parts have count. It differs if no answer is commonest in both; of equally common answers the first
    in alphabetical order is shown.

    Args:
        rows: Questions with answers.
        split: Their parts.
        group: The column that answers are grouped by, in place of the question type.

    Raises:
        UnknownNameError: There is no such column.
    """
    if "answer (exact)" not in rows.columns or (group is None and "question_type" not in rows.columns):
        return Audited()
    kinds, answers = rows.column(group or "question_type"), rows.columns["answer (exact)"]
    joint = crossed(kinds, answers)
    there = np.flatnonzero(joint.codes >= 0)
    a_row = np.zeros(len(joint.names), dtype=np.int64)
    a_row[joint.codes[there]] = there
    pairs_named = [(str(kinds[row]), str(answers[row])) for row in a_row.tolist()]
    found = [
        _priors(_by_type(pairs_named, joint, split, reference, part), reference, part, group)
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


def _commonest(answers: _Answers, told_first: tuple[str, str]) -> _Answers:
    """Return the commonest answers of either part, and all others in one line, which is never for one alone.

    Args:
        answers: Of one type.
        told_first: The answer that is told to be the commonest of the reference part, and of the part.
    """
    kept: set[str] = set()
    in_parts = ([(name, n) for name, n, _ in answers], [(name, m) for name, _, m in answers])
    for told, counts in zip(told_first, in_parts, strict=True):
        ranked = heapq.nsmallest(_ANSWERS_SHOWN, ((-n, name != told, name) for name, n in counts if n))
        kept |= {name for *_, name in ranked}
    rest = [answer for answer in answers if answer[0] not in kept]
    if len(rest) < 2:
        return answers
    return [*(answer for answer in answers if answer[0] in kept), (f"{len(rest):,} others", *_totals(rest))]


def _priors(by_type: dict[str, _Answers], reference: str, part: str, group: str | None) -> Audited:
    told, one = ("question types", "question type") if group is None else (f"values of {group}", f"value of {group}")
    table = []
    commonest_answers: list[tuple[object, ...]] = []
    for kind, answers in by_type.items():
        n, m = _totals(answers)
        most, most_in_part = max(a for _, a, _ in answers), max(b for *_, b in answers)
        firsts = {name for name, a, _ in answers if a == most}
        others = {name for name, _, b in answers if b == most_in_part}
        shared = firsts & others
        apart = Fraction(sum(abs(a * m - b * n) for _, a, b in answers), 2 * n * m)
        told_first = min(shared or firsts), min(shared or others)
        table.append((kind, n, m, *told_first, not shared, float(apart), len(answers)))
        commonest_answers += [(kind, *line) for line in _commonest(answers, told_first)]
    differing = [row for row in table if row[5]]
    measure = Measure(
        name="commonest-answer-differs",
        of=told,
        value=ratio(len(differing), len(table), f"no {one} is in both {reference} and {part}"),
        n=len(table),
        n_unit=f"{told} in {reference} and {part}",
        unit="fraction",
        reference=reference,
        part=part,
        options={} if group is None else {"group": group},
    )
    shown = {row[0] for row in table[:LISTED]}
    tables = {
        f"{told} of {reference} and {part}": Table.first_of(
            (
                one, f"rows in {reference}", f"rows in {part}", f"commonest in {reference}",
                f"commonest in {part}", "differs", "total variation", "answers",
            ),
            table,
            LISTED,
        ),
        f"answers by {one}, {reference} and {part}": Table.first_of(
            (one, "answer", f"rows in {reference}", f"rows in {part}"),
            [row for row in commonest_answers if row[0] in shown],
            len(commonest_answers),
            total=len(commonest_answers),
        ),
    }  # fmt: skip
    if not differing:
        return Audited((measure,), tables)
    finding = Finding(
        kind="commonest-answer-differs",
        count=len(differing),
        first=tuple((kind, first, other) for kind, _, _, first, other, *_ in differing[:5]),
        message=f"{len(differing):,} of {len(table):,} {told} have another commonest answer in {part} than in "
        f"{reference}.",
    )
    return Audited((measure,), tables, (finding,))

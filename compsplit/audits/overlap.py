"""Overlaps: what a part shares with another, by row and by distinct value, and who the culprits are.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 (46.06 % of question strings, 32.49 % of question-answer pairs
of VQA v1.0 val are in train). The paper does not say over what: both readings are given, over rows (the headline) and
over distinct values, in exact form (outer space stripped, case kept), normalised form (lower-cased, white space folded,
end punctuation off) and reduced form. Cost: O(rows).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compsplit.audits.parts import held, least_ids, pairs
from compsplit.model.column import Column
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_PAPER = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2"
_FORMS = ("exact", "normalised", "reduced")
_CULPRITS = 20


@register("audit", "question-overlap", source=_PAPER, unit="fraction", bounds=(0, 1), better="lower")
def question_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the questions of a part whose text is in the reference part, in three forms."""
    return _overlaps(rows, split, "question-overlap", [f"question ({form})" for form in _FORMS])


@register("audit", "qa-overlap", source=_PAPER, unit="fraction", bounds=(0, 1), better="lower")
def qa_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the question-answer pairs of a part that are in the reference part, in three forms."""
    aspects = [f"qa ({form})" for form in _FORMS]
    return _overlaps(rows, split, "qa-overlap", aspects, finding="shared-question-answer", told="question-answer pairs")


@register("audit", "group-overlap", source=_PAPER, unit="fraction", bounds=(0, 1), better="lower")
def group_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose group has rows in the reference part; 0 where no group is torn."""
    return _overlaps(rows, split, "group-overlap", ["group"], finding="torn-groups", told="groups")


@register("audit", "image-overlap", source="compsplit", unit="fraction", bounds=(0, 1), better="lower")
def image_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose image is in the reference part, and the same with question and answer."""
    one = _overlaps(rows, split, "image-overlap", ["image"], finding="shared-images", told="images")
    both = _overlaps(
        rows, split, "image-qa-overlap", ["image + qa (normalised)"],
        finding="shared-image-question-answer", told="images with the same question and answer",
    )  # fmt: skip
    return Audited((*one.measures, *both.measures), {**one.tables, **both.tables}, (*one.findings, *both.findings))


@register("audit", "id-overlap", source="compsplit", unit="fraction", bounds=(0, 1), better="lower")
def id_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose id is in the reference part, and parts that hold the same records."""
    if len(rows.column("id").names) == len(rows):
        return Audited()
    ids = _overlaps(rows, split, "id-overlap", ["id"], finding="shared-ids", told="ids")
    same = []
    content = [rows.columns[name].codes for name in ("id", "image", "question (exact)", "answer (exact)") if name in rows.columns]
    for one, other in pairs(split):
        records = [
            sorted(zip(*(codes[split.rows_in(part)].tolist() for codes in content), strict=True)) for part in (one, other)
        ]
        if records[0] == records[1]:
            same.append(
                Finding(
                    kind="identical-parts",
                    count=len(records[0]),
                    first=(one, other),
                    message=f"{one} and {other} hold the same {len(records[0]):,} records.",
                )
            )
    return Audited(ids.measures, ids.tables, (*same, *ids.findings))


def _overlaps(
    rows: Rows, split: Split, name: str, aspects: Sequence[str], *, finding: str = "", told: str = ""
) -> Audited:
    measures: list[Measure] = []
    findings: list[Finding] = []
    tables: dict[str, Table] = {}
    for reference, part in pairs(split):
        for aspect in aspects:
            if aspect not in rows.columns:
                continue
            column = rows.columns[aspect]
            shown = held(column, split.rows_in(reference))
            asked = held(column, split.rows_in(part))
            shared = (shown > 0) & (asked > 0)
            for unit, numerator, n in (
                ("rows", int(asked[shared].sum()), int(asked.sum())),
                ("distinct", int(shared.sum()), int((asked > 0).sum())),
            ):
                measures.append(
                    Measure(
                        name=name,
                        of=aspect,
                        value=ratio(numerator, n, f"no row of {part} has a value for {aspect}"),
                        n=n,
                        n_unit=f"rows of {part}" if unit == "rows" else f"distinct values in {part}",
                        unit="fraction",
                        reference=reference,
                        part=part,
                        options={"unit": unit},
                    )
                )
            if finding and shared.any():
                table, example = _culprits(rows, split, column, reference, part, shown, asked)
                tables[f"{told} of {part} that are in {reference} ({aspect})"] = table
                findings.append(
                    Finding(
                        kind=finding,
                        count=int(shared.sum()),
                        first=example,
                        message=f"{int(shared.sum()):,} {told} are in {reference} and in {part} ({aspect}), "
                        f"in {int(asked[shared].sum()):,} rows of {part}.",
                    )
                )
    return Audited(tuple(measures), tables, tuple(findings))


def _culprits(
    rows: Rows, split: Split, column: Column, reference: str, part: str, shown: np.ndarray, asked: np.ndarray
) -> tuple[Table, tuple[object, ...]]:
    """Return the values that most rows share, and the first as pairs of ids (or the values themselves, for images)."""
    shared = np.flatnonzero((shown > 0) & (asked > 0))
    totals = asked[shared]
    cut = np.sort(totals)[::-1][: _CULPRITS][-1]
    often = shared[totals >= cut]
    names = {code: column.names[code] for code in often.tolist()}
    worst = sorted(names, key=lambda code: (-int(asked[code]), names[code]))[:_CULPRITS]
    wanted = np.array(worst)
    left = least_ids(rows, column.codes, split.rows_in(reference), wanted)
    right = least_ids(rows, column.codes, split.rows_in(part), wanted)
    table = Table(
        ("value", f"rows in {reference}", f"rows in {part}", f"example in {reference}", f"example in {part}"),
        tuple((names[c], int(shown[c]), int(asked[c]), left[c], right[c]) for c in worst),
    )
    if len(shared) <= _CULPRITS:
        return table, tuple(sorted((left[c], right[c]) for c in worst)[:5])
    return table, tuple((left[c], right[c]) for c in worst[:5])

"""Overlaps: what a part shares with another, by row and by distinct value, and who the culprits are.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 (46.06 % of question strings, 32.49 % of question-answer
pairs of VQA v1.0 val are in train). The paper does not say over what: both readings are given, over rows (the headline)
and over distinct values, in exact form (outer space stripped, case kept), normalised form (lower-cased, white space
folded, end punctuation off) and reduced form. Every two parts are held against each other, the earlier one as
reference. Cost: O(rows).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, least_ids, pairs
from compsplit.errors import counted, in_units
from compsplit.model.column import Column
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_PAPER = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2"
_FORMS = ("exact", "normalised", "reduced")
_CULPRITS = 20
_IDS = ("id", "image")
"""Columns whose values are ids themselves."""


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
    ids = _overlaps(rows, split, "id-overlap", ["id"], finding="shared-ids", told="ids")
    if len(rows.column("id").names) == len(rows):
        return ids  # no id stands twice, so no two parts hold the same records
    fields = [name for name in ("id", "image", "question (exact)", "answer (exact)") if name in rows.columns]
    content = np.stack([rows.columns[name].codes for name in fields])
    sizes = split.sizes
    same = tuple(
        Finding(
            kind="identical-parts",
            count=sizes[one],
            first=(one, other),
            message=f"{one} and {other} hold the same {counted(sizes[one], 'record')}.",
        )
        for one, other in pairs(split)
        if sizes[one] == sizes[other] > 0
        and np.array_equal(_in_order(content[:, split.rows_in(one)]), _in_order(content[:, split.rows_in(other)]))
    )
    return Audited(ids.measures, ids.tables, (*same, *ids.findings))


def _in_order(records: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return records, one a column, in an order that depends on their content alone."""
    return records[:, np.lexsort(records)]


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
            without = part if shown.any() else reference
            for unit, numerator, n in (
                ("rows", int(asked[shared].sum()), int(asked.sum())),
                ("distinct", int(shared.sum()), int((asked > 0).sum())),
            ):
                measures.append(
                    Measure(
                        name=name,
                        of=aspect,
                        # Against an empty part nothing is said, not even 0.
                        value=ratio(
                            numerator, n if shown.any() else 0, f"no row of {without} has a value for {aspect}"
                        ),
                        n=n,
                        n_unit=f"rows of {part}" if unit == "rows" else f"distinct values in {part}",
                        unit="fraction",
                        reference=reference,
                        part=part,
                        options={"unit": unit},
                    )
                )
            if finding and shared.any():
                culprits = _culprits(rows, split, column, reference, part, shown, asked)
                tables[f"{told} of {part} that are in {reference} ({aspect})"] = culprits
                example = [row[0] if aspect in _IDS else row[3:] for row in culprits.rows[:5]]
                findings.append(
                    Finding(
                        kind=finding,
                        count=int(shared.sum()),
                        first=tuple(example),
                        message=f"{_shared_told(int(shared.sum()), told)} in {reference} and in {part} ({aspect}), "
                        f"in {counted(int(asked[shared].sum()), 'row')} of {part}.",
                    )
                )
    return Audited(tuple(measures), tables, tuple(findings))


def _shared_told(n: int, told: str) -> str:
    return f"{in_units(n, told)} {'is' if n == 1 else 'are'}"


def _culprits(
    rows: Rows,
    split: Split,
    column: Column,
    reference: str,
    part: str,
    shown: NDArray[np.int64],
    asked: NDArray[np.int64],
) -> Table:
    """Return the shared values that most rows of the part have, each with its least ids; ties by these ids."""
    shared = np.flatnonzero((shown > 0) & (asked > 0))
    cut = np.sort(asked[shared])[::-1][:_CULPRITS][-1]
    often = shared[asked[shared] >= cut]
    left = least_ids(rows, column.codes, split.rows_in(reference), often)
    right = least_ids(rows, column.codes, split.rows_in(part), often)
    worst = sorted(often.tolist(), key=lambda c: (-int(asked[c]), left[c], right[c], column.names[c]))[:_CULPRITS]
    return Table(
        ("value", f"rows in {reference}", f"rows in {part}", f"example in {reference}", f"example in {part}"),
        tuple((column.names[c], int(shown[c]), int(asked[c]), left[c], right[c]) for c in worst),
    )

"""Averages over the scenes of a part of what is common with the reference part, and how often it occurs there.

Source: UOUC, section 4, which gives sentences and no formula; the readings are those of compsplit's specification,
section 2, the first of each being the one that agrees with the published CoGenT row. Of questions that are joined to
scenes the rows are the questions, each with all of its scene, so that a scene counts once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from compsplit.audits.comparing import Comparison
from compsplit.audits.parts import references
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.report import Audited, Measure, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split

Averaged: TypeAlias = tuple[Fraction | Undefined, int, str]
"""The value, over how many it is taken, and what they are."""


def averaged(
    rows: Rows,
    split: Split,
    of: str,
    name: str,
    unit: str,
    reading: Mapping[str, Any],
    average: Callable[[Compounds | ObjectPairs, str, str], Averaged],
) -> Audited:
    """Return one measure for each part but the reference, of one kind of compounds, where the rows have it.

    Args:
        rows: The rows.
        split: Their parts.
        of: The compounds.
        name: Name of the measure.
        unit: Unit of its value.
        reading: The options that were used.
        average: Compounds, reference part and part -> the average.
    """
    compounds = rows.compounds.get(of)
    if compounds is None:
        return Audited()
    measures = []
    for reference, part in references(split):
        value, n, n_unit = average(compounds, reference, part)
        measures.append(
            Measure(
                name=name,
                of=of,
                value=value,
                n=n,
                n_unit=n_unit,
                unit=unit,
                reference=reference,
                part=part,
                options={**reading, **compounds.rules},
            )
        )
    return Audited(tuple(measures))


def per_row(found: Comparison, common: int, rows_with_common: int, scenes: str, row: str) -> Averaged:
    """Return common compounds a row: of all rows of the part, or of those with a common one."""
    if not found.part_rows:
        return Undefined(f"{found.part} holds no {row}"), 0, f"{row}s of {found.part}"
    if scenes == "all":
        return Fraction(common, found.part_rows), found.part_rows, f"{row}s of {found.part}"
    told = f"{row}s of {found.part} with a common {found.noun}"
    if not rows_with_common:
        return Undefined(f"no {row} of {found.part} has a {found.noun} that {found.reference} has"), 0, told
    return Fraction(common, rows_with_common), rows_with_common, told


def mean_count(found: Comparison, total: int, n: int, told: str, row: str) -> Averaged:
    """Return the mean count in the reference part, over n; undefined where nothing is common."""
    n_unit = f"{told} of {found.part}"
    if not found.part_rows:
        return Undefined(f"{found.part} holds no {row}"), 0, n_unit
    if not n:
        return Undefined(f"no {found.noun} of {found.part} occurs in {found.reference}"), 0, n_unit
    return Fraction(total, n), n, n_unit

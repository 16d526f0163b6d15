"""Distributions of the values of a column over the parts, and how far they are apart.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 and figures 2 and 3. Total variation = half the sum of
|p - q|, exact. Divergence = 1 - sum of sqrt(p q), the Chernoff coefficient with alpha 0.5 (Keysers et al. 2020, arXiv
1912.09713, section 2.1), to 12 decimals, which no order of summing changes. Both over all values; tables show the
commonest and count the rest. Cost: O(rows), O(n log n) in the distinct values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, pairs
from compsplit.model.report import LISTED, Audited, Measure, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2; Keysers et al. 2020, arXiv 1912.09713"


def distribution(rows: Rows, split: Split, aspect: str, told: str) -> Audited:
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
    return Audited(tuple(measures), {told: by_part(told, column.names, counts, whole)})


def by_part(
    told: str, names: Sequence[str], counts: Mapping[str, NDArray[np.int64]], whole: NDArray[np.int64]
) -> Table:
    """Return how often each part has the commonest values, and all others together.

    Args:
        told: What the values are.
        names: Of the values.
        counts: Part -> how often it has each value.
        whole: What decides which are the commonest; values that have none here are not there.
    """
    used = np.flatnonzero(whole)
    cut = np.sort(whole[used])[::-1][:LISTED][-1:]
    often = used[whole[used] >= cut[0]] if len(cut) else used
    named = {code: names[code] for code in often.tolist()}
    shown = sorted(named, key=lambda code: (-int(whole[code]), named[code]))[:LISTED]
    table: list[tuple[object, ...]] = [(named[c], *(int(each[c]) for each in counts.values())) for c in shown]
    if len(used) > len(shown):
        rest = (int(each.sum() - each[shown].sum()) for each in counts.values())
        table.append((f"{len(used) - len(shown):,} others", *rest))
    return Table((told, *counts), tuple(table))


def total_variation(
    p: NDArray[np.int64],
    q: NDArray[np.int64],
    told: str,
    reference: str,
    part: str,
    *,
    counted: str = "rows of",
    options: Mapping[str, Any] | None = None,
) -> Measure:
    """Return half the sum of the differences between the shares of two counts of the same values; exact.

    Args:
        p: The reference's counts.
        q: The part's.
        told: What the values are.
        reference: What is counted against.
        part: What is measured.
        counted: What n counts, before the part's name.
        options: The reading.
    """
    n, m = int(p.sum()), int(q.sum())
    value: Fraction | Undefined
    if not n or not m:
        value = Undefined(f"{part if n else reference} has no value of {told}")
    else:
        used = (p > 0) | (q > 0)
        difference = sum(abs(a * m - b * n) for a, b in zip(p[used].tolist(), q[used].tolist(), strict=True))
        value = Fraction(difference, 2 * n * m)
    return Measure(
        name="total-variation", of=told, value=value, n=m, n_unit=f"{counted} {part}", unit="fraction",
        reference=reference, part=part, options=options or {},
    )  # fmt: skip


def _divergences(p: NDArray[np.int64], q: NDArray[np.int64], told: str, reference: str, part: str) -> list[Measure]:
    variation = total_variation(p, q, told, reference, part)
    divergence: float | Undefined
    if isinstance(variation.value, Undefined):
        divergence = variation.value
    else:
        used = (p > 0) & (q > 0)
        same = math.fsum(math.sqrt(a * b) for a, b in zip(p[used].tolist(), q[used].tolist(), strict=True))
        divergence = max(round(1 - same / math.sqrt(int(p.sum()) * int(q.sum())), 12), 0.0)
    return [variation, dataclasses.replace(variation, name="divergence", value=divergence, options={"alpha": 0.5})]

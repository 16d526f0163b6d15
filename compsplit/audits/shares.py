"""Distributions of the values of a column over the parts, and how far they are apart.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.2 and figures 2 and 3. Total variation = half the sum of
|p - q|, exact. Divergence = 1 - sum of sqrt(p q), the Chernoff coefficient with alpha 0.5 (Keysers et al. 2020, arXiv
1912.09713, section 2.1), to 12 decimals, which no order of summing changes. Both over all values; tables show the
commonest and count the rest. Cost: O(rows), O(n log n) in the distinct values.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, pairs
from compsplit.model.report import Audited, Measure, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.2; Keysers et al. 2020, arXiv 1912.09713"
SHOWN = 50


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
    used = np.flatnonzero(whole)
    cut = np.sort(whole[used])[::-1][:SHOWN][-1:]
    often = used[whole[used] >= cut[0]] if len(cut) else used
    names = {code: column.names[code] for code in often.tolist()}
    shown = sorted(names, key=lambda code: (-int(whole[code]), names[code]))[:SHOWN]
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

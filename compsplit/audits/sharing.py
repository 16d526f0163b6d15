"""What a part shares with another, by row and by distinct value, and who the culprits are.

Two readings are given: over rows (the headline) and over distinct values. Every two parts are held against each other,
the earlier one as reference. Cost: O(rows), O(n log n) in the shared values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.examples import Examples
from compsplit.audits.parts import held, pairs
from compsplit.errors import counted, in_units
from compsplit.model.column import Column
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split

FORMS = ("exact", "normalised", "reduced")
"""Forms of a text: outer space stripped, case kept; lower-cased, white space folded, end punctuation off; reduced."""

_CULPRITS = 1000
_IDS = ("id", "image")
"""Columns whose values are ids themselves."""


def overlaps(
    rows: Rows, split: Split, name: str, aspects: Sequence[str], *, finding: str = "", told: str = ""
) -> Audited:
    measures: list[Measure] = []
    findings: list[Finding] = []
    tables: dict[str, Table] = {}
    examples = Examples(rows, split)
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
                culprits = _culprits(examples, column, reference, part, shown, asked)
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
    examples: Examples,
    column: Column,
    reference: str,
    part: str,
    shown: NDArray[np.int64],
    asked: NDArray[np.int64],
) -> Table:
    """Return the shared values that most rows of the part have, each with its least ids; ties by these ids."""
    shared = np.flatnonzero((shown > 0) & (asked > 0))
    left, right = (examples.ranks_of_values(column, which)[shared] for which in (reference, part))
    order = np.lexsort((right, left, -asked[shared]))
    last = order[:_CULPRITS][-1]
    # Rows of one id in one part, which only a table in memory may have, leave it to the names.
    same = (asked[shared] == asked[shared[last]]) & (left == left[last]) & (right == right[last])
    among = dict.fromkeys([*order[:_CULPRITS].tolist(), *np.flatnonzero(same).tolist()])
    keys = {k: (-int(asked[shared[k]]), int(left[k]), int(right[k]), column.names[shared[k]]) for k in among}
    first = np.array(sorted(among, key=keys.__getitem__)[:_CULPRITS])
    worst = shared[first].tolist()
    lines = [
        (column.names[c], int(shown[c]), int(asked[c]), one, other)
        for c, one, other in zip(worst, examples.ids_of(left[first]), examples.ids_of(right[first]), strict=True)
    ]
    columns = ("value", f"rows in {reference}", f"rows in {part}", f"example in {reference}", f"example in {part}")
    return Table.first_of(columns, lines, _CULPRITS, total=len(shared), culprits=True)

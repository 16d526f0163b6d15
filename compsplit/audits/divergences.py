"""Divergence of what two parts hold: 1 minus the Chernoff coefficient of their shares.

Source: Keysers et al. 2020, arXiv 1912.09713, section 2.1. C_alpha(P, Q) = sum of p^alpha q^(1-alpha), P the reference
part. To 12 decimals; the sum is of whole numbers, so no order changes it. A part that has rows but nothing to count is
wholly apart from another: 1; without rows it is undefined. A figure is comparable with others of the same extractor and
alpha only. Sub-compound weights and split scores are those of the program of aalto-speech/dbca.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from compsplit.audits.parts import references
from compsplit.kernels.chernoff import affinity
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.report import Measure, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SOURCE = "Keysers et al. 2020, arXiv 1912.09713, section 2.1"
Counted: TypeAlias = Literal["occurrences", "presence"]


def divergence(reference: Iterable[int], part: Iterable[int], alpha: float) -> float:
    """Return the divergence of counts, in the same order of what is counted, to 12 decimals; 1 if one side is empty.

    Example:
        >>> divergence([1, 2, 1, 0], [1, 1, 0, 2], 0.5)  # 1 - (0.25 + sqrt(0.125))
        0.396446609407
    """
    shown, asked = (np.array(list(counts)) for counts in (reference, part))
    return rounded(affinity(shown, asked, alpha))


def rounded(coefficient: float) -> float:
    """Return 1 - C to 12 decimals, never below 0, which rounding may give."""
    return max(round(1 - coefficient, 12), 0.0)


def sub_compound_weight(super_compounds: Mapping[str, int]) -> float:
    """Return 1 minus the share of the commonest super-compound among the occurrences of a sub-compound.

    Example:
        >>> sub_compound_weight({"jump twice": 3, "walk twice": 1})
        0.25
    """
    total = sum(super_compounds.values())
    return 1 - max(super_compounds.values(), default=0) / total if total else 1.0


def split_score(
    atom_divergence: float, compound_divergence: float, *, atom_target: float = 0.0, compound_target: float = 1.0
) -> float:
    """Return minus the distances of both divergences from their targets; higher is better.

    Example:
        >>> split_score(0.25, 0.5)
        -0.75
    """
    return -abs(compound_divergence - compound_target) - abs(atom_divergence - atom_target)


def measured(
    name: str,
    incidence: Incidence | Kinds,
    rows: Rows,
    split: Split,
    alpha: float,
    counted: Counted,
    rules: Mapping[str, Any],
) -> list[Measure]:
    """Return the divergence of every part from the reference part."""
    measures = []
    for reference, part in references(split):
        count = incidence.occurrences if counted == "occurrences" else incidence.rows_with
        shown, asked = (count(split.rows_in(each)) for each in (reference, part))
        empty = [each for each in (reference, part) if not split.sizes[each]]
        value: float | Undefined
        value = Undefined(f"{empty[0]} holds no {rows.noun}") if empty else rounded(affinity(shown, asked, alpha))
        measures.append(
            Measure(
                name=name,
                of=incidence.of,
                value=value,
                n=int(asked.sum()),
                n_unit=f"{counted} in {part}",
                unit="fraction",
                reference=reference,
                part=part,
                options={"alpha": alpha, "counted": counted, **rules},
            )
        )
    return measures

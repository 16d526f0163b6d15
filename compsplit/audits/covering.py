"""Concepts of a part that the reference part shows, for every kind of concept that rows have.

The concepts of the rows come first, then the atoms of their compounds. Every part but the first is held against the
first. Cost: O(non-zeros).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.comparing import occurrences_in
from compsplit.audits.parts import references
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.report import Measure, Undefined, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split

SOURCE = "Agrawal et al. 2017, arXiv 1704.08243, section 3.1"

Counts: TypeAlias = NDArray[np.int64]


def kinds_of_concepts(rows: Rows) -> Iterator[Incidence | Kinds]:
    """Yield the concepts of the rows, then the atoms of their compounds, each kind once."""
    met = set()
    for found in (rows.concepts, *(compounds.atoms for compounds in rows.compounds.values())):
        if found is not None and found.of not in met:
            met.add(found.of)
            yield found


def single_kinds(rows: Rows) -> Iterator[Incidence]:
    """Yield every kind of concept by itself, also where compounds are made of several kinds; each once."""
    met = set()
    for found in kinds_of_concepts(rows):
        for kind in found.each if isinstance(found, Kinds) else (found,):
            if kind.of not in met:
                met.add(kind.of)
                yield kind


def shown_and_asked(concepts: Incidence | Kinds, split: Split) -> Iterator[tuple[str, str, Counts, Counts]]:
    """Yield reference, part, and how often each concept occurs in them."""
    for reference, part in references(split):
        yield reference, part, occurrences_in(concepts, split, reference), occurrences_in(concepts, split, part)


def share(
    name: str,
    concepts: Incidence | Kinds,
    covered: int,
    n: int,
    unit: Callable[[str], str],
    any_shown: bool,
    reference: str,
    part: str,
) -> Measure:
    """Return covered / n; against an empty part nothing is said, not even 0."""
    told = unit(concepts.of)
    singular = "concept" if concepts.of == "concepts" else f"of the {concepts.of}"
    reason = f"{part if any_shown else reference} holds no {singular}"
    value: Fraction | Undefined = ratio(covered, n if any_shown else 0, reason)
    return Measure(
        name=name, of=concepts.of, value=value, n=n, n_unit=told, unit="fraction", reference=reference, part=part
    )

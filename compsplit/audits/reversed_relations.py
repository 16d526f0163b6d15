"""Reversed relations: unseen triples that the reference part has from the other side.

Source: compsplit. "plate near cup" is no new composition where "cup near plate" was seen and near is symmetric. Counted
on the triples as they are written, before symmetric predicates are made one way. Cost: O(distinct triples).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import references
from compsplit.errors import counted
from compsplit.model.compounds import Compounds
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SHOWN = 20


@register("audit", "reversed-relations", source="compsplit", unit="fraction", bounds=(0, 1), better="")
def reversed_relations(rows: Rows, split: Split) -> Audited:
    """Share of the unseen different triples of a part that the reference part has with subject and object exchanged."""
    found = rows.compounds.get("relations")
    if not isinstance(found, Compounds):
        return Audited()
    symmetric = set(found.rules.get("symmetric predicates", ()))
    triples = found.as_written or found
    atoms = triples.atoms.names
    width = len(atoms)
    codes = triples.parts.reshape(-1, 3)

    def packed(which: NDArray[np.bool_], one: int, other: int) -> NDArray[np.int64]:
        found: NDArray[np.int64] = codes[which, one].astype(np.int64)
        for column in (1, other):
            found *= width
            found += codes[which, column]
        return found

    measures, findings, tables = [], [], {}
    for reference, part in references(split):
        shown = triples.rows.occurrences(split.rows_in(reference)) > 0
        asked = triples.rows.occurrences(split.rows_in(part)) > 0
        unseen = asked & ~shown
        # A triple of one class is its own reversal, and so is never both unseen and seen.
        known = np.sort(packed(shown, 0, 2))
        turned = packed(unseen, 2, 0)
        place = np.minimum(np.searchsorted(known, turned), max(len(known) - 1, 0))
        found_turned = known[place] == turned if len(known) else np.zeros(len(turned), dtype=bool)
        reversals = np.flatnonzero(unseen)[found_turned]
        names = [tuple(atoms[a] for a in codes[c].tolist()) for c in reversals.tolist()]
        told = [name for name in names if name[1] in symmetric] if symmetric else names
        n = int(unseen.sum())
        measures.append(
            Measure(
                name="reversed-relations",
                of="relations",
                value=ratio(len(told), n if shown.any() else 0, f"{part} has no triple that {reference} lacks"),
                n=n,
                n_unit=f"different triples of {part} unseen in {reference}",
                unit="fraction",
                reference=reference,
                part=part,
                options=dict(found.rules),
            )
        )
        if told:
            told.sort()
            tables[f"triples of {part} that {reference} has from the other side"] = Table(
                ("subject", "predicate", "object"), tuple(told[:_SHOWN])
            )
            if symmetric:
                said = "their predicates are symmetric, so they are counted as seen"
            else:
                said = "where their predicates are symmetric they are nothing new: name these (extract.symmetric)"
            findings.append(
                Finding(
                    kind="reversed-relations",
                    count=len(told),
                    first=tuple(told[:5]),
                    message=f"{counted(len(told), 'triple')} of {part} unseen in {reference} but from the other side; "
                    f"{said}.",
                )
            )
    return Audited(tuple(measures), tables, tuple(findings))

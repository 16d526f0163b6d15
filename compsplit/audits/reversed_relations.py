"""Reversed relations: unseen triples that the reference part has from the other side.

Source: compsplit. "plate near cup" is no new composition where "cup near plate" was seen and near is symmetric. Counted
on the triples as they are written, before symmetric predicates are made one way. Cost: O(n log n) in the distinct
triples, O(non-zeros) for the examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.examples import Examples
from compsplit.audits.parts import references
from compsplit.errors import counted
from compsplit.model.compounds import Compounds
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SHOWN = 1000


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
    examples = Examples(rows, split)
    for reference, part in references(split):
        shown = triples.rows.occurrences(split.rows_in(reference)) > 0
        asked = triples.rows.occurrences(split.rows_in(part)) > 0
        unseen = asked & ~shown
        # A triple of one class is its own reversal, and so is never both unseen and seen.
        known, turned_codes = packed(shown, 0, 2), np.flatnonzero(shown)
        order = np.argsort(known)
        known, turned_codes = known[order], turned_codes[order]
        turned = packed(unseen, 2, 0)
        place = np.minimum(np.searchsorted(known, turned), max(len(known) - 1, 0))
        found_turned = known[place] == turned if len(known) else np.zeros(len(turned), dtype=bool)
        as_they_are = np.flatnonzero(unseen)[found_turned]
        both = zip(as_they_are.tolist(), turned_codes[place[found_turned]].tolist(), strict=True)
        named = sorted((*(atoms[a] for a in codes[c].tolist()), c, other) for c, other in both)
        named = [each for each in named if each[1] in symmetric] if symmetric else named
        told = [each[:3] for each in named]
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
            tables[f"triples of {part} that {reference} has from the other side"] = Table.first_of(
                ("subject", "predicate", "object", f"example in {reference}", f"example in {part}"),
                _with_examples(named[:_SHOWN], triples, examples, reference, part),
                _SHOWN,
                total=len(told),
                culprits=True,
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


def _with_examples(
    named: Sequence[tuple[Any, ...]], triples: Compounds, examples: Examples, reference: str, part: str
) -> list[tuple[Any, ...]]:
    """Return triples with the least id of a row that has them turned, and of one that has them as they are."""
    turned = examples.of(triples.rows, reference, [other for *_, other in named])
    as_they_are = examples.of(triples.rows, part, [code for *_, code, _ in named])
    return [(*each[:3], one, other) for each, one, other in zip(named, turned, as_they_are, strict=True)]

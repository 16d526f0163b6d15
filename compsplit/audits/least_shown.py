"""Least shown: how many groups of the reference part show the concept of a part that the fewest of them show.

Source: compsplit (section 1b of its definitions: every test concept in at least k train groups); Shaw et al. 2021,
arXiv 2010.12725 (TMCD keeps each atom of test in at least k train rows). Coverage says whether a concept is shown at
all, this how often at least. Groups are those of the split; where rows are not grouped, each is its own. Cost: O(non-
zeros log non-zeros), some groups at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.covering import kinds_of_concepts, shown_and_asked
from compsplit.audits.examples import Examples
from compsplit.model.column import distinct
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.report import Audited, Measure, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_CULPRITS = 50
_ROWS = 1 << 16
"""Rows, ordered by their groups, whose concepts are told apart at a time."""


@register(
    "audit",
    "least-shown",
    source="compsplit",
    unit="groups",
    bounds=(0, None),
    better="higher",
    by_default=False,
    measures=("least-shown",),
)
def least_shown(rows: Rows, split: Split) -> Audited:
    """Smallest number of groups of the reference part that show a concept of a part."""
    measures, tables = [], {}
    examples = Examples(rows, split)
    held: dict[tuple[str, str], NDArray[np.int64]] = {}
    for concepts in kinds_of_concepts(rows):
        names, of = concepts.names, concepts.of
        for reference, part, shown, asked in shown_and_asked(concepts, split):
            if (of, reference) not in held:
                held[of, reference] = _groups_with(concepts, rows, split.rows_in(reference))
            groups = held[of, reference]
            there = np.flatnonzero(asked > 0)
            known = len(there) > 0 and bool(shown.any())
            singular = "concept" if of == "concepts" else f"of the {of}"
            measures.append(
                Measure(
                    name="least-shown",
                    of=of,
                    value=int(groups[there].min())
                    if known
                    else Undefined(f"{part if shown.any() else reference} holds no {singular}"),
                    n=len(there),
                    n_unit=f"distinct {of}",
                    unit="groups",
                    reference=reference,
                    part=part,
                )
            )
            if known:
                worst = sorted(there.tolist(), key=lambda c: (groups[c], -int(asked[c]), names[c]))[:_CULPRITS]
                least = examples.of(concepts, part, worst)
                tables[f"{of} of {part} least shown in {reference}"] = Table.first_of(
                    ("concept", f"groups of {reference}", f"occurrences in {part}", f"example in {part}"),
                    [(names[c], int(groups[c]), int(asked[c]), x) for c, x in zip(worst, least, strict=True)],
                    _CULPRITS,
                    total=len(there),
                    culprits=True,
                )
    return Audited(tuple(measures), tables)


def _groups_with(concepts: Incidence | Kinds, rows: Rows, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many groups have each concept in one of their marked rows; shape (n_concepts,)."""
    group = rows.columns.get("group")
    if group is None or not len(group.names) or group.n_used == len(rows):
        return concepts.rows_with(marked)
    kinds = concepts.each if isinstance(concepts, Kinds) else (concepts,)
    return np.concatenate([_groups_of_kind(kind, group.codes, marked) for kind in kinds])


def _groups_of_kind(kind: Incidence, groups: NDArray[np.int32], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    counts = np.zeros(len(kind.names), dtype=np.int64)
    width = max(len(kind.names), 1)
    among = np.flatnonzero(marked & (groups >= 0))
    among = among[np.argsort(groups[among], kind="stable")]
    first = 0
    while first < len(among):
        # A group is never cut: its concepts are told apart together.
        last = int(np.searchsorted(groups[among], groups[among[min(first + _ROWS, len(among)) - 1]], side="right"))
        some = among[first:last]
        held, _ = distinct(groups[some].astype(np.int64) * kind.n_bags + kind.bag_of_row[some])
        owners, bags = np.divmod(held, kind.n_bags)
        lengths = np.diff(kind.starts)[bags]
        entries = np.arange(int(lengths.sum())) + np.repeat(kind.starts[bags] - (np.cumsum(lengths) - lengths), lengths)
        pairs, _ = distinct(np.repeat(owners, lengths) * width + kind.concepts[entries])
        counts += np.bincount(pairs % width, minlength=len(kind.names))[: len(kind.names)]
        first = last
    return counts

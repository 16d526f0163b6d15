"""Novel compounds: unseen ones whose atoms are all seen; rows with unseen atoms are told apart.

Source: compsplit's product rule 6; Keysers et al. 2020, arXiv 1912.09713 (atoms shared, compounds new). A compound of
the part that the reference part lacks is novel if each of its atoms occurs there; else it has an unseen atom. A row
with an unseen atom is counted as such, whatever its compounds. Cost: that of the comparison, see ``comparing``.
"""

from __future__ import annotations

from fractions import Fraction

from compsplit.audits.comparing import Comparison, compared, occurrences_in
from compsplit.audits.examples import Examples
from compsplit.audits.parts import references
from compsplit.errors import plural
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.report import Audited, Measure, Undefined, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "Keysers et al. 2020, arXiv 1912.09713"


@register("audit", "novel-compounds", source=_SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def novel_compounds(rows: Rows, split: Split) -> Audited:
    """Share of the different compounds of a part that are new though their atoms are not, and of rows with one."""
    measures, tables = [], {}
    examples = Examples(rows, split)
    for compounds in rows.compounds.values():
        for reference, part in references(split):
            found = compared(compounds, split, reference, part)
            measures += _measures(rows, compounds, split, found)
            if found.top_novel:
                tables[f"novel {found.of} of {part}"] = examples.table(
                    compounds, reference, part, found.top_novel, found.n_novel
                )
    return Audited(tuple(measures), tables)


def _measures(rows: Rows, compounds: Compounds | ObjectPairs, split: Split, found: Comparison) -> list[Measure]:
    reference, part = found.reference, found.part
    n_unseen = found.n_distinct - found.n_common - found.n_novel
    strangers = _rows_with_unseen_atoms(compounds, split, reference, part)
    with_novel = found.rows_where(found.novel > 0)
    kinds, everyone = f"different {plural(found.noun)} of {part}", f"{rows.noun}s of {part}"
    nothing = f"{part if found.reference_rows else reference} has no {found.noun}"
    empty = f"{part if found.reference_rows else reference} holds no {rows.noun}"
    n_kinds = found.n_distinct if found.reference_rows else 0
    n_rows = found.part_rows if found.reference_rows else 0
    values: tuple[tuple[str, Fraction | Undefined, int, str], ...] = (
        ("novel-compounds", ratio(found.n_novel, n_kinds, nothing), found.n_distinct, kinds),
        ("compounds-with-unseen-atoms", ratio(n_unseen, n_kinds, nothing), found.n_distinct, kinds),
        ("rows-with-novel-compounds", ratio(with_novel, n_rows, empty), found.part_rows, everyone),
        ("rows-with-unseen-atoms", ratio(strangers, n_rows, empty), found.part_rows, everyone),
    )
    return [
        Measure(
            name=name,
            of=found.of,
            value=value,
            n=n,
            n_unit=n_unit,
            unit="fraction",
            reference=reference,
            part=part,
            options=dict(compounds.rules),
        )
        for name, value, n, n_unit in values
    ]


def _rows_with_unseen_atoms(compounds: Compounds | ObjectPairs, split: Split, reference: str, part: str) -> int:
    """Return how many rows of the part have an atom that the reference part lacks."""
    unseen = occurrences_in(compounds.atoms, split, reference) == 0
    return int((compounds.atoms.rows_with_any(unseen) & split.rows_in(part)).sum())

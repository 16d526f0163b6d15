"""Common compounds: the share of the compounds of a part that occur in the reference part, and which they are.

Source: UOUC, section 4 (its averages count common pairs; the share says of how many). Given over occurrences (the
headline) and over distinct compounds; with the distribution over rows. Cost: that of the comparison, see ``comparing``.
"""

from __future__ import annotations

from compsplit.audits.comparing import Comparison, compared
from compsplit.audits.examples import Examples
from compsplit.audits.parts import references
from compsplit.errors import counted, plural
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register


@register("audit", "common-compounds", source="UOUC, section 4", unit="fraction", bounds=(0, 1), better="lower")
def common_compounds(rows: Rows, split: Split) -> Audited:
    """Share of the compounds of a part that also occur in the reference part."""
    measures, findings, tables = [], [], {}
    examples = Examples(rows, split)
    for compounds in rows.compounds.values():
        for reference, part in references(split):
            found = compared(compounds, split, reference, part)
            for unit, common, n in (
                ("instances", found.total(found.common), found.total(found.instances)),
                ("distinct", found.n_common, found.n_distinct),
            ):
                measures.append(
                    Measure(
                        name="common-compounds",
                        of=found.of,
                        # Against an empty part nothing is said, not even 0.
                        value=ratio(common, n if found.reference_rows else 0, _reason(found)),
                        n=n,
                        n_unit=f"{'different ' if unit == 'distinct' else ''}{plural(found.noun)} of {part}",
                        unit="fraction",
                        reference=reference,
                        part=part,
                        options={"unit": unit, **compounds.rules},
                    )
                )
            if found.top_common:
                name = f"common {found.of} of {part} and {reference}"
                tables[name] = examples.table(compounds, reference, part, found.top_common, found.n_common)
            if found.part_rows and found.reference_rows:
                tables[f"{rows.noun}s of {part} by common {found.of}"] = _distribution(found, rows.noun)
                without = found.part_rows - found.rows_where(found.common > 0)
                if without:
                    findings.append(
                        Finding(
                            kind="rows-without-common",
                            count=without,
                            message=f"{counted(without, rows.noun)} of {found.part_rows:,} in {part} without a "
                            f"{found.noun} ({found.of}) that {reference} has.",
                        )
                    )
    return Audited(tuple(measures), tables, tuple(findings))


def _reason(found: Comparison) -> str:
    return f"{found.part if found.reference_rows else found.reference} has no {found.noun}"


def _distribution(found: Comparison, noun: str) -> Table:
    """Return how many rows have 0, 1, 2 to 3, 4 to 7 ... common compounds."""
    counts: dict[int, int] = {}
    for common, n in zip(found.common.tolist(), found.weights.tolist(), strict=True):
        if n:
            counts[common.bit_length()] = counts.get(common.bit_length(), 0) + n
    lines = []
    for bits, n in sorted(counts.items()):
        low, high = (1 << bits) >> 1, (1 << bits) - 1
        lines.append((str(low) if low == high or not bits else f"{low}-{high}", n))
    return Table((f"common {plural(found.noun)}", f"{noun}s"), tuple(lines))

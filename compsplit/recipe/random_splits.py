"""Audit a data set that has no split: several random ones, with mean and spread of every measure.

Source: UOUC, section 4 (Visual Genome: random 70-30 splits, mean). In the seeded order of the units (images, rows, or
the values of any column) the first floor(share n) go to each part in turn, the parts in the order in which they are
given but the reference part first, which takes the floor of what the others leave; the last part takes the rest.
Spread is the population standard deviation. Cost: one audit for each split.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from compsplit.errors import UsageError, counted
from compsplit.model.grouping import Grouping
from compsplit.model.report import Measure, Table, Undefined
from compsplit.model.split import Split


def random_parts(grouping: Grouping, shares: Mapping[str, Fraction], seed: int) -> Split:
    """Return one random split.

    Args:
        grouping: Units that stay together.
        shares: Part -> share of the units, the reference part first; they add up to 1.
        seed: Of the order.

    Raises:
        UsageError: A part would be empty.
    """
    n = grouping.n_groups
    sizes = [math.floor(share * n) for share in shares.values()]
    sizes[-1] = n - sum(sizes[:-1])
    if min(sizes) < 1:
        asked = ", ".join(f"{part} {float(share):g}" for part, share in shares.items())
        raise UsageError(f"{counted(n, grouping.unit)} cannot be divided into {asked}: a part would be empty.")
    part_of_group = np.empty(n, dtype=np.int16)
    part_of_group[grouping.order(seed)] = np.repeat(np.arange(len(sizes), dtype=np.int16), sizes)
    return Split(tuple(shares), part_of_group[grouping.group_of_row])


def summed_up(runs: Sequence[Sequence[Measure]]) -> tuple[list[Measure], Table]:
    """Return the mean of each measure over the runs, and a table with mean, spread, least and largest value.

    A measure that is undefined in a run has no mean: the reason says in which.
    """
    means: list[Measure] = []
    lines: list[tuple[object, ...]] = []
    for same in _by_measure(runs):
        first = same[0]
        undefined = [m for m in same if isinstance(m.value, Undefined)]
        value: Fraction | float | Undefined
        if len(same) < len(runs):
            value = Undefined(f"is measured in {counted(len(same), 'run')} of {len(runs)} only")
        elif undefined:
            value = Undefined(f"undefined in run {undefined[0].run}: {undefined[0].value.reason}")  # type: ignore[union-attr]  # they are
        elif any(isinstance(m.value, float) for m in same):
            value = math.fsum(float(m.number or 0) for m in same) / len(same)
        else:
            value = sum((Fraction(m.value) for m in same), Fraction(0)) / len(same)  # type: ignore[arg-type]  # exact
        means.append(
            Measure(
                name=first.name,
                of=first.of,
                value=value,
                n=len(runs),
                n_unit="random splits",
                unit=first.unit,
                reference=first.reference,
                part=first.part,
                options={**first.options, "over runs": "mean"},
                note=first.note,
            )
        )
        numbers = [float(m.number) for m in same if m.number is not None]
        if isinstance(value, Undefined):
            lines.append((first.written, _reading(first), None, None, None, None))
        else:
            mean = float(value)
            spread = math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / len(numbers))
            lines.append((first.written, _reading(first), mean, spread, min(numbers), max(numbers)))
    columns = ("measure", "reading", "mean", "spread", "least", "largest")
    return means, Table(columns, tuple(lines))


def _by_measure(runs: Sequence[Sequence[Measure]]) -> Iterator[list[Measure]]:
    """Yield what is the same measure in all runs, in the order of the first run that has it."""
    found: dict[tuple[object, ...], list[Measure]] = {}
    for measures in runs:
        for m in measures:
            found.setdefault((m.name, m.of, _reading(m), m.reference, m.part), []).append(m)
    yield from found.values()


def _reading(measure: Measure) -> str:
    return ", ".join(
        f"{name} {value}" for name, value in sorted(measure.options.items()) if isinstance(value, str | int | float)
    )

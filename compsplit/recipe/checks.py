"""Checks: ``NAME[of][reference->part] OP NUMBER``, held against the measures of a report."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from compsplit.errors import UnknownNameError, UsageError, counted, in_units
from compsplit.model.report import Finding, Measure, Undefined

IID = "val-iid"
"""The part that is like train on purpose, so that a check that says no parts is not about it."""

_OPERATORS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_WRITTEN = re.compile(
    r"\s*(?P<name>[\w-]+)\s*(?:\[(?P<of>(?:(?!->)[^\]])*)\])?\s*(?:\[(?:(?P<reference>[^\]]*)->)?(?P<part>[^\]]*)\])?"
    r"\s*(?P<operator><=|>=|==|<|>)\s*(?P<number>[-+]?[\d.]+(?:/\d+)?(?:e[-+]?\d+)?)\s*",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One bound on every measure of a name (and of what was counted, and between which parts, where that is said).

    Without parts it is about all that a method made: measures of ``val-iid``, which is like train, are passed over.
    """

    written: str
    name: str
    of: str | None
    reference: str | None
    part: str | None
    operator: str
    number: Fraction

    @classmethod
    def parse(cls, written: str) -> Check:
        """Return the check that a text says.

        Raises:
            UsageError: It does not say one.

        Example:
            >>> Check.parse("coverage[concepts][train->test] >= 0.7").number
            Fraction(7, 10)
        """
        found = _WRITTEN.fullmatch(written)
        try:
            if found is None:
                raise ValueError(written)
            return cls(
                " ".join(written.split()),
                found["name"],
                found["of"],
                found["reference"],
                found["part"],
                found["operator"],
                Fraction(found["number"]),
            )
        except (ValueError, ZeroDivisionError) as error:
            raise UsageError(
                f'"{written}" is not a check; expected NAME[of][reference->part] OP NUMBER with OP one of '
                f"{' '.join(_OPERATORS)}, such as coverage[concepts][train->test] >= 0.7.",
                field="check",
            ) from error

    def is_about(self, measure: Measure) -> bool:
        """Tell whether the bound is one on a measure."""
        return (
            self.name == measure.name
            and self.of in (None, measure.of)
            and self.reference in (None, measure.reference)
            and self.part in (None, measure.part)
            and (self.part is not None or IID not in (measure.reference, measure.part))
        )

    def broken(self, measures: Sequence[Measure]) -> tuple[Measure, ...]:
        """Return the measures that do not keep the bound.

        Raises:
            UnknownNameError: No measure has that name, or none for those parts.
        """
        named = [measure for measure in measures if measure.name == self.name]
        if not named:
            raise UnknownNameError("measure", self.name, {measure.name for measure in measures})
        meant = [measure for measure in named if self.is_about(measure)]
        if not meant:
            raise UnknownNameError("measure", self.written, {measure.written for measure in named})
        return tuple(measure for measure in meant if not self._holds(measure))

    def _holds(self, measure: Measure) -> bool:
        if isinstance(measure.value, Undefined):
            return False
        # A float is compared as it is printed, with 12 digits: 0.1 as a float is more than a tenth.
        value = Fraction(f"{measure.value:.12g}") if isinstance(measure.value, float) else Fraction(measure.value)
        return _OPERATORS[self.operator](value, self.number)

    def finding(self, broken: Sequence[Measure], first: tuple[Any, ...]) -> Finding:
        """Return the finding that says which measure does not keep the bound, and how many more.

        Args:
            broken: As ``broken`` returns them, at least one.
            first: The first ids or concepts that the first of them is about.
        """
        measure = broken[0]
        got = measure.value.reason if isinstance(measure.value, Undefined) else f"{measure.number:.6g}"
        options = "".join(f", {name} {value}" for name, value in measure.options.items())
        more = f"; nor for {counted(len(broken) - 1, 'other measure')}" if len(broken) > 1 else ""
        return Finding(
            kind="check",
            level="fail",
            count=len(broken),
            first=first or (measure.written,),
            message=f"{self.written} does not hold: {measure.written}{options} is {got} ("
            f"n = {in_units(measure.n, measure.n_unit)}){more}.",
        )

"""Reports: measures, tables and findings, each with what is needed to read it alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from compsplit.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas

FORMAT_VERSION = 1
LISTED = 50
"""Values that a distribution lists before the line that counts all others."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A value that does not exist, and why."""

    reason: str


def ratio(part: int, whole: int, reason: str) -> Fraction | Undefined:
    """Return part / whole exactly, or Undefined with the reason where there is no whole."""
    return Fraction(int(part), int(whole)) if whole else Undefined(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number with its definition at hand.

    Attributes:
        name: What was measured.
        of: The extractor or text form that was counted.
        value: An exact fraction or count, a float, or Undefined.
        n: How many units it is taken over.
        n_unit: What those units are.
        unit: Unit of the value.
        reference: The part counted against.
        part: The part measured.
        run: Number of a random split, if it is one of several.
        options: The reading that was used.
        note: Further members of its JSON: ``{"reproducible": ...}`` where it is not exact on every platform,
            ``{"interval": [low, high]}`` where it was drawn again and again.
    """

    name: str
    of: str
    value: Fraction | int | float | Undefined
    n: int
    n_unit: str
    unit: str
    reference: str | None = None
    part: str | None = None
    run: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    note: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.value, float) and not math.isfinite(self.value):
            raise ValueError(f"{self.name} is {self.value}; a value that does not exist is Undefined, with a reason")

    @property
    def number(self) -> float | int | None:
        """The value as a plain number, None where it is undefined."""
        if isinstance(self.value, Undefined):
            return None
        return float(self.value) if isinstance(self.value, Fraction) else self.value

    @property
    def written(self) -> str:
        """Name, what was counted and the parts, as a check writes them."""
        parts = f"[{self.reference}->{self.part}]" if self.reference else f"[{self.part}]" if self.part else ""
        return f"{self.name}[{self.of}]{parts}"

    def to_json(self) -> dict[str, Any]:
        """Return the measure as the report format has it."""
        value = self.value
        return {
            "name": self.name,
            "of": self.of,
            "options": dict(self.options),
            "reference": self.reference,
            "part": self.part,
            "run": self.run,
            "value": self.number,
            "fraction": f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else None,
            "n": self.n,
            "n_unit": self.n_unit,
            "unit": self.unit,
            "reason": value.reason if isinstance(value, Undefined) else None,
            **self.note,
        }


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and their rows.

    Attributes:
        columns: Names of the columns.
        rows: A value for each column.
        total: How many rows there are in all, where the table holds only the first of them.
        culprits: Whether the rows are what a reader would look up: what leaks, what is unseen, what is in the way.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int | None = None
    culprits: bool = False

    @classmethod
    def first_of(
        cls,
        columns: tuple[str, ...],
        rows: Sequence[tuple[Any, ...]],
        most: int,
        *,
        total: int | None = None,
        culprits: bool = False,
    ) -> Table:
        """Return the table of the first rows, which tells how many there are where it does not hold all.

        Args:
            columns: Names of the columns.
            rows: All rows, or only the first.
            most: How many it holds at most.
            total: How many rows there are in all; those given where it is not said.
            culprits: As for the table.
        """
        held = tuple(rows[:most])
        n = len(rows) if total is None else total
        return cls(columns, held, n if n > len(held) else None, culprits)

    def to_json(self) -> dict[str, Any]:
        """Return the table as the report format has it."""
        return {
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            **({} if self.total is None else {"total": self.total}),
            **({"culprits": True} if self.culprits else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a user should know, with the first ids.

    Attributes:
        kind: One word or two, for programs.
        level: ``"fail"`` where a check of the recipe is broken, else ``"report"``.
        count: How many records it is about.
        first: The first ids or names.
        message: A sentence.
    """

    kind: str
    level: Literal["report", "fail"] = "report"
    count: int
    first: tuple[Any, ...] = ()
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the report format has it."""
        return {
            "kind": self.kind,
            "level": self.level,
            "count": self.count,
            "first": [list(x) if isinstance(x, tuple) else x for x in self.first],
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was measured.

    Attributes:
        subject: What was measured: verdict, parts, rows.
        measures: All measures, in the order they are best read.
        tables: Distributions and culprits by name.
        findings: What to know, failures first.
    """

    subject: Mapping[str, Any]
    measures: tuple[Measure, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> str:
        """One quotable sentence with counts."""
        return str(self.subject.get("verdict", ""))

    @property
    def failed(self) -> bool:
        """Whether a check or promise is broken."""
        return any(finding.level == "fail" for finding in self.findings)

    def get(self, name: str, of: str | None = None, reference: str | None = None, part: str | None = None) -> Measure:
        """Return the first measure of that name.

        Raises:
            UnknownNameError: There is none.
        """
        for measure in self.measures:
            if measure.name == name and all(
                wanted in (None, got)
                for wanted, got in ((of, measure.of), (reference, measure.reference), (part, measure.part))
            ):
                return measure
        raise UnknownNameError("measure", name, {measure.name for measure in self.measures})

    def to_json(self) -> dict[str, Any]:
        """Return the report as its published format has it."""
        return {
            "format": "compsplit-report",
            "format_version": FORMAT_VERSION,
            "subject": dict(self.subject),
            "measures": [measure.to_json() for measure in self.measures],
            "tables": {name: table.to_json() for name, table in self.tables.items()},
            "findings": [finding.to_json() for finding in self.findings],
        }

    def to_frame(self) -> pandas.DataFrame:
        """Return the measures as a pandas table, one row a measure."""
        import pandas

        return pandas.DataFrame([measure.to_json() for measure in self.measures])


def failures_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with those that fail in front, otherwise in their order."""
    return tuple(sorted(findings, key=lambda finding: finding.level != "fail"))


@dataclass(frozen=True, slots=True)
class Audited:
    """What one audit found out."""

    measures: tuple[Measure, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

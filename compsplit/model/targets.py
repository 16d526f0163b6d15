"""Targets: the sizes that are asked for, or the parts whose sizes a rule decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from compsplit.errors import FractionError, OptionValueError, UsageError

_EXPECTED = "a fraction such as 0.3 or 1/3"


def exact_fraction(value: object) -> Fraction:
    """Return a fraction as it was written: 0.3 is three tenths, "1/3" one third.

    Raises:
        OptionValueError: It is not a number.
    """
    try:
        if not isinstance(value, bool) and isinstance(value, int | float | str | Fraction):
            return value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise OptionValueError("share", value, _EXPECTED) from error
    raise OptionValueError("share", value, _EXPECTED)


@dataclass(frozen=True, slots=True)
class Targets:
    """The share of all rows that each part shall have.

    Attributes:
        fractions: Part -> fraction; positive, summing to 1 exactly; the first part is the reference part. Empty where
            a rule decides sizes.
        by_rule: The parts in that case.

    Raises:
        OptionValueError: A share is not a number.
        FractionError: They are not positive or do not sum to 1.
        UsageError: There are fewer than two.

    Example:
        >>> Targets({"train": "2/3", "test": "1/3"}).sizes(100)
        {'train': 67, 'test': 33}
    """

    fractions: Mapping[str, Fraction] = field(default_factory=dict)
    by_rule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.by_rule:
            if self.fractions:
                raise ValueError("a rule decides sizes, or fractions do")
            object.__setattr__(self, "fractions", MappingProxyType({}))
            return
        exact = {part: exact_fraction(value) for part, value in self.fractions.items()}
        if len(exact) < 2:
            raise UsageError(f"A split needs two parts or more, got {', '.join(exact) or 'none'}.", field="share")
        if any(value <= 0 for value in exact.values()) or sum(exact.values()) != 1:
            raise FractionError(exact)
        object.__setattr__(self, "fractions", MappingProxyType(exact))

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts, the reference part first."""
        return self.by_rule or tuple(self.fractions)

    def sizes(self, n_rows: int) -> dict[str, int]:
        """Return the rows asked for in each part: rounded down, the reference part takes the rest; none by a rule."""
        if self.by_rule:
            return {}
        sizes = {part: int(n_rows * value) for part, value in self.fractions.items()}
        sizes[self.parts[0]] += n_rows - sum(sizes.values())
        return sizes

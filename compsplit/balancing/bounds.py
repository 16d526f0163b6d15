"""What a smoothing asks of each group: five numbers, read as exact fractions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from compsplit.errors import OptionValueError, UsageError

_WRITTEN = re.compile(r"[-+]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][-+]?\d{1,2})?|\d{1,18}/\d{1,18}")
"""Numbers as they may be written: so long at most, since one with a huge exponent would never be done."""


@dataclass(frozen=True, slots=True, init=False)
class Bounds:
    """The bounds of a smoothing; the defaults are ours, since none was published.

    Attributes:
        bound: b, the most rows of the head for each row of the tail; above 0.
        r_min: Least ratio of a head answer's next neighbour to it; in [0, 1].
        r_max: Most that this ratio may become in any place where it was lower; in (0, 1].
        head: Share of the different answers that counts as head; in (0, 1].
        floor: Rows that an answer keeps at least, or all that it has; 1 or more.

    Raises:
        OptionValueError: A number is outside its range.
        UsageError: ``r_min`` is above ``r_max``.

    Example:
        >>> Bounds(bound=3, r_min="0.3").r_min
        Fraction(3, 10)
    """

    bound: Fraction = Fraction(1)
    r_min: Fraction = Fraction(1, 2)
    r_max: Fraction = Fraction(9, 10)
    head: Fraction = Fraction(1, 5)
    floor: int = 1

    def __init__(
        self, *, bound: Any = "1", r_min: Any = "0.5", r_max: Any = "0.9", head: Any = "0.2", floor: Any = 1
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "bound", exact("bound", bound, "a number above 0, such as 1 or 2.5"))
        set_field(self, "r_min", exact("r_min", r_min, "a number from 0 to 1"))
        set_field(self, "r_max", exact("r_max", r_max, "a number above 0 and up to 1"))
        set_field(self, "head", exact("head", head, "a number above 0 and up to 1"))
        if self.bound <= 0:
            raise OptionValueError("bound", bound, "a number above 0, such as 1 or 2.5")
        if not 0 <= self.r_min <= 1:
            raise OptionValueError("r_min", r_min, "a number from 0 to 1")
        for name, value, given in (("r_max", self.r_max, r_max), ("head", self.head, head)):
            if not 0 < value <= 1:
                raise OptionValueError(name, given, "a number above 0 and up to 1")
        if self.r_min > self.r_max:
            raise UsageError(
                f"r_min is {shown(self.r_min)} and r_max {shown(self.r_max)}: the least ratio of neighbouring answers "
                "cannot be above the most. Change one of them.",
                field="r_min",
                facts={"r_min": str(self.r_min), "r_max": str(self.r_max)},
            )
        rows = exact("floor", floor, "a whole number of rows, 1 or more")
        if rows < 1 or rows.denominator != 1:
            raise OptionValueError("floor", floor, "a whole number of rows, 1 or more")
        set_field(self, "floor", int(rows))

    def head_of(self, k: int) -> int:
        """Return m, how many of k answers can be the head; 0 where nothing can be smoothed.

        Example:
            >>> [Bounds().head_of(k) for k in (1, 2, 4, 10)]
            [0, 1, 1, 2]
        """
        return 0 if k < 2 else min(k - 1, max(1, self.head.numerator * k // self.head.denominator))

    def only_equal(self, k: int) -> bool:
        """Tell whether only equal counts can satisfy the bound at the last head answer of k: b <= m / (k - m)."""
        m = self.head_of(k)
        return m > 0 and self.bound <= Fraction(m, k - m)

    def to_json(self) -> dict[str, str | int]:
        """Return the numbers as a report has them: as decimals where they are, else as fractions."""
        return {
            "bound": shown(self.bound),
            "r_min": shown(self.r_min),
            "r_max": shown(self.r_max),
            "head": shown(self.head),
            "floor": self.floor,
        }


def exact(option: str, value: Any, expected: str) -> Fraction:
    """Return a number as it was written: 0.3 is three tenths, "1/3" one third.

    Raises:
        OptionValueError: It is not a number.
    """
    try:
        if not isinstance(value, bool) and isinstance(value, int | float | str | Fraction):
            if isinstance(value, Fraction):
                return value
            if _WRITTEN.fullmatch(str(value).strip()):
                return Fraction(str(value).strip())
    except ZeroDivisionError as error:
        raise OptionValueError(option, value, expected) from error
    raise OptionValueError(option, value, expected)


def shown(value: Fraction) -> str:
    """Return a number as a decimal where it is one, else as a fraction.

    Example:
        >>> shown(Fraction(3, 10)), shown(Fraction(2)), shown(Fraction(1, 3))
        ('0.3', '2', '1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    decimal = str(float(value))
    return decimal if Fraction(decimal) == value else str(value)

"""Values as the text of a page: one line each, of a bounded length, control characters shown escaped."""

from __future__ import annotations

from typing import Any

from compsplit.plain import plain

LONGEST = 160
"""Characters of one cell; the CSV beside the page has the whole."""
_LONGEST_NAME = 60
_MOST_NAMES = 8


def cell(value: Any, most: int = LONGEST) -> str:
    """Return a value as text of about so many characters; what is longer is cut, and its length said.

    Example:
        >>> cell(12468), cell(None), cell(["red", "cone"]), cell("a" * 100, 3)
        ('12,468', '–', 'red / cone', 'aaa... (100 characters)')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**18 else plain(value, most)
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 10**15 else decimal(value)
    if isinstance(value, list | tuple):
        more = f" / and {len(value) - _MOST_NAMES:,} more" if len(value) > _MOST_NAMES else ""
        return " / ".join(plain(one, min(most, _LONGEST_NAME)) for one in value[:_MOST_NAMES]) + more
    return plain(value, most)


def decimal(number: float) -> str:
    """Return a number with four decimals; what is nearer to 0 keeps its digits, and what is less than 1 is no 1.

    Example:
        >>> decimal(1234.5), decimal(0.00001), decimal(0.99999)
        ('1,234.5000', '1.00e-05', '0.9999+')
    """
    if 0 < abs(number) < 0.00005 or abs(number) >= 10**15:
        return f"{number:.2e}"
    text = f"{number:,.4f}"
    return "0.9999+" if text == "1.0000" and number < 1 else text


def is_cut(value: Any, most: int = LONGEST) -> bool:
    """Tell whether ``cell`` shows less than the whole value."""
    if isinstance(value, list | tuple):
        return len(value) > _MOST_NAMES or any(len(str(one)) > min(most, _LONGEST_NAME) for one in value)
    return isinstance(value, str) and len(value) > most


def is_number(value: Any) -> bool:
    """Tell whether a value stands to the right of its column."""
    return isinstance(value, int | float) and not isinstance(value, bool)

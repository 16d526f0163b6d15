"""Values as the text of a page: one line each, of a bounded length, control characters shown escaped."""

from __future__ import annotations

from typing import Any

from compsplit.report.plain import plain

LONGEST = 160
"""Characters of one cell; the CSV beside the page has the whole."""


def cell(value: Any) -> str:
    """Return a value as text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return " / ".join(plain(one, 60) for one in value)
    return plain(value, LONGEST)


def is_number(value: Any) -> bool:
    """Tell whether a value stands to the right of its column."""
    return isinstance(value, int | float) and not isinstance(value, bool)

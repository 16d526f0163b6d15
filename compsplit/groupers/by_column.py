"""Groups of one value of a column (an image, an origin, anything), and rows by themselves.

Source: compsplit.
"""

from __future__ import annotations

from compsplit.model.grouping import Grouping
from compsplit.model.rows import Rows
from compsplit.registry import register


@register("grouper", "column", source="compsplit")
def group(rows: Rows, *, column: str = "image") -> Grouping:
    """Keep rows with the same value of a column together.

    Args:
        rows: Rows that all have a value there.
        column: Its name.

    Raises:
        MissingValueError: Rows have no value there.
    """
    return Grouping.of(column, rows.key(column))


@register("grouper", "row", source="compsplit")
def alone(rows: Rows) -> Grouping:
    """Make each row a group of its own."""
    return Grouping.of("row", rows.key("id"))

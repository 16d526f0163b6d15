"""What is said below a table of which not all rows are shown."""

from __future__ import annotations

from compsplit.model.report import Table


def rest_told(table: Table, shown: int, where: str) -> str:
    """Return how many rows are not shown, and how many there are in all; nothing where all are shown.

    Args:
        table: The table as the report has it.
        shown: How many of its rows are shown at most.
        where: What has the rows that the report has.

    Example:
        >>> rest_told(Table(("n",), ((1,), (2,), (3,)), total=40), 1, "report.json")
        '2 more rows are in report.json, 40 in all.'
    """
    more = len(table.rows) - shown
    if more > 0:
        in_all = "" if table.total is None else f", {table.total:,} in all"
        return f"{more:,} more {'row is' if more == 1 else 'rows are'} in {where}{in_all}."
    return "" if table.total is None else f"These are the first {len(table.rows):,} of {table.total:,}."

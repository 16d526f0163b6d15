"""How much of each thing a page has room for: what fits for certain, and what is widened until the page is full."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Room:
    """The most that is shown of each thing.

    Attributes:
        rows: Rows of a table, fifty at most; a CSV beside the page has what the report has.
        data: Rows of the table of numbers behind a figure; the CSV beside the page has all of them.
        figures: Bytes of the figures of each report, without their tables.
        measures: Measures of each report.
        cell: Characters of a cell.
        tables: Tables of each report; of others the name of their CSV file is said.
        text: Characters of a sentence or a recipe's line; a recipe may have ten times as many.
        lines: Findings, lines of how it was made, inputs and citations, each.
        reports: Reports; more than the widest room has are not drawn.
        beside: Whether an example's question and answer stand beside its id.
    """

    rows: int = 5
    data: int = 0
    figures: int = 0
    measures: int = 1_000
    cell: int = 160
    tables: int = 30
    text: int = 2_000
    lines: int = 200
    reports: int = 60
    beside: bool = True

    @property
    def examples(self) -> int:
        """Example rows."""
        return 4 * self.rows

    def of_each(self, n_reports: int) -> Room:
        """Return the room that each of some reports has."""
        n = min(n_reports, self.reports)
        return replace(
            self,
            rows=max(self.rows // n, 1),
            measures=max(self.measures // n, 1),
            tables=max(self.tables // n, 1),
            lines=max(self.lines // n, 1),
        )


WIDENED = (("figures", None), ("tables", 300), ("rows", 50), ("data", 50), ("data", 100_000))
"""What is widened in turn, and how far at most: figures as far as they go, since what they show is read first; fifty
rows of a table, since nobody reads on."""


def _rooms() -> tuple[Room, ...]:
    """Return smaller and smaller rooms, no figure in them: texts and rows go first, numbers with a definition last."""
    whole = Room()
    least = replace(whole, rows=3, cell=100, lines=100, text=1_000)
    small = replace(least, cell=60, lines=30, tables=20, measures=700, beside=False)
    short = replace(small, rows=2, measures=400, text=500)
    return (
        whole,
        least,
        small,
        short,
        replace(short, measures=250, reports=40),
        replace(short, measures=120, lines=20, reports=20),
        replace(short, measures=60, tables=10, rows=1, text=300, lines=10, cell=40, reports=10),
        replace(short, measures=20, tables=5, rows=1, text=200, lines=3, cell=30, reports=3),
    )


ROOMS = _rooms()
"""The widest first. The last holds any report: its texts are bounded in number and length."""

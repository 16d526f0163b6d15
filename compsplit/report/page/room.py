"""How much of each thing a page has room for, from all that is wanted down to what fits for certain."""

from __future__ import annotations

from dataclasses import dataclass, replace

_ALL = 10**9


@dataclass(frozen=True, slots=True)
class Room:
    """The most that is shown of each thing.

    Attributes:
        rows: Rows of a table.
        data: Rows of the table of numbers behind a figure.
        examples: Example rows.
        figures: Bytes of all figures of a report together, with their tables.
        measures: Measures.
        cell: Characters of a cell.
        tables: Tables; of others the name of their CSV file is said.
        text: Characters of a sentence or a recipe's line; a recipe may have ten times as many.
        lines: Findings, lines of how it was made, inputs and citations, each.
        reports: Reports; more than the widest room has are not drawn.
    """

    rows: int = 50
    data: int = 50
    examples: int = 200
    figures: int = _ALL
    measures: int = 1_000
    cell: int = 160
    tables: int = 100
    text: int = 2_000
    lines: int = 200
    reports: int = 60

    def of_each(self, n_reports: int) -> Room:
        """Return the room that each of some reports has."""
        return replace(
            self,
            figures=self.figures // n_reports,
            measures=max(self.measures // n_reports, 1),
            tables=max(self.tables // n_reports, 1),
            lines=max(self.lines // n_reports, 1),
        )


def _rooms() -> tuple[Room, ...]:
    """Return smaller and smaller rooms: rows of tables go first, figures after them, numbers with a definition last."""
    whole = Room()
    fewer = [replace(whole, rows=rows, data=data, examples=4 * rows)
             for rows, data in ((30, 50), (20, 50), (20, 20), (10, 10), (5, 5))]  # fmt: skip
    least = replace(fewer[-1], cell=100, lines=100, text=1_000)
    drawn = [replace(least, figures=most) for most in (180_000, 140_000, 110_000, 80_000)]
    small = replace(drawn[-1], cell=60, lines=30, tables=60, rows=3, data=3, examples=9)
    short = [
        replace(small, measures=400),
        replace(small, measures=250, figures=60_000, tables=40, reports=40),
        replace(small, measures=120, figures=30_000, tables=30, rows=2, data=2, text=500, lines=20, reports=20),
        replace(small, measures=60, figures=0, tables=10, rows=1, examples=3, text=300, lines=10, cell=40, reports=10),
        replace(small, measures=20, figures=0, tables=5, rows=1, examples=1, text=200, lines=3, cell=30, reports=3),
    ]
    return (whole, *fewer, least, *drawn, small, *short)


ROOMS = _rooms()
"""The widest first. The last holds any report: its texts are bounded in number and length."""

"""How a report is made again: its recipe as TOML, and the command."""

from __future__ import annotations

from dataclasses import dataclass

from compsplit.report.page.given import Given


@dataclass(frozen=True, slots=True)
class MadeAgain:
    """What makes a report again.

    Attributes:
        recipe: The recipe as TOML; empty where a shipped one is named, or there is none.
        command: The command line; empty where it is not known.
        note: What must be done before, or why there is no command; may be empty.
    """

    recipe: str
    command: str
    note: str


def made_again(given: Given) -> MadeAgain:
    """Return how a report is made again."""
    return MadeAgain("", "", "")

"""What each measure is, in a sentence, with its source: every number of a page links here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure is.

    Attributes:
        text: A sentence or two: the formula in words, the bounds, which way is better.
        source: Where it comes from.
    """

    text: str
    source: str


def definition(measure: str) -> Definition | None:
    """Return what a measure of that name is, None where nothing is known of it."""
    return None

"""Promises of a split, each kept or broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from compsplit.errors import listed


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise of a split, and whether it is kept.

    Attributes:
        name: What is promised.
        kept: Whether it holds.
        told: What was compared, or what is broken.
    """

    name: str
    kept: bool
    told: str

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain values."""
        return {"promise": self.name, "kept": self.kept, "told": self.told}


def unless(wrong: Sequence[str], name: str, broken: Callable[[str], str], kept: str) -> Promise:
    """Return a promise that is broken if there are wrong names.

    Args:
        wrong: What breaks it.
        name: What is promised.
        broken: Makes the sentence from the first wrong names.
        kept: What was compared.
    """
    return Promise(name, not wrong, broken(listed(wrong)) if wrong else kept)

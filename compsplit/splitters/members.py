"""Splitters that a combinator is made of: each with its own options and targets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError, UsageError
from compsplit.model.column import Column
from compsplit.model.compounds import counted_by_row
from compsplit.model.incidence import Incidence
from compsplit.model.split import Split
from compsplit.model.targets import Targets
from compsplit.registry import Plugin, plugin
from compsplit.splitters.problem import Problem
from compsplit.splitters.unseen import Held

_SHARES = {"train": Fraction(2, 3), "test": Fraction(1, 3)}
_EXAMPLE = '{ method = "primitive", word = "jump" }'


@dataclass(frozen=True, slots=True)
class Member:
    """One splitter of several.

    Attributes:
        plugin: The splitter.
        options: Its options.
        targets: What it is asked for.
    """

    plugin: Plugin
    options: Mapping[str, Any]
    targets: Targets

    @classmethod
    def of(cls, written: object, key: str) -> Member:
        """Return the member that a table says.

        Args:
            written: ``method``, ``parts`` where the method takes shares, and the method's options.
            key: Where it stands in a recipe, for messages.

        Raises:
            OptionValueError: It is no such table.
            UnknownNameError, UnknownOptionError: There is no such splitter, or it has no such option.
        """
        if not isinstance(written, Mapping) or not isinstance(written.get("method"), str):
            raise OptionValueError(key, written, f"a table with a method, such as {_EXAMPLE}")
        found = plugin("splitter", written["method"])
        parts = written.get("parts")
        options = {name: value for name, value in written.items() if name not in ("method", "parts")}
        if "parts" in found.facts:
            if parts is not None:
                raise OptionValueError(f"{key}.parts", parts, f"nothing: {found.name} decides sizes by its rule")
            targets = Targets(by_rule=tuple(found.facts["parts"]))
        elif parts is None or isinstance(parts, Mapping):
            targets = Targets(_SHARES if parts is None else dict(parts))
        else:
            raise OptionValueError(f"{key}.parts", parts, "a table of shares, such as { train = 0.8, test = 0.2 }")
        return cls(found, found.check(options, key), targets)

    def split(self, problem: Problem) -> Split:
        """Return the member's split of the problem's rows."""
        made: Split = self.plugin.make(dataclasses.replace(problem, targets=self.targets), **self.options)
        return made

    def keeps(self) -> tuple[str, ...]:
        """Return its guarantee as checks, its own options put in."""
        options = {name: option.default for name, option in self.plugin.options.items()} | dict(self.options)
        keeps = self.plugin.facts.get("keeps", ())
        found = []
        for template in keeps(options) if callable(keeps) else keeps:
            for name, value in options.items():
                if value not in ("", None):
                    template = template.replace(f"{{{name}}}", str(value))
            found.append(template)
        return tuple(found)


def members(written: Sequence[Any], key: str) -> tuple[Member, ...]:
    """Return the members that a list of tables says, two or more.

    Raises:
        OptionValueError: There are fewer.
    """
    if len(written) < 2:
        raise OptionValueError(key, list(written), f"a list of two splitters or more, such as [{_EXAMPLE}, ...]")
    return tuple(Member.of(each, f"{key}.{number}") for number, each in enumerate(written))


def two_parts(member: Member, problem: Problem) -> Split:
    """Return the member's split, which must have two parts.

    Raises:
        UsageError: It has others.
    """
    split = member.split(problem)
    if len(split.parts) != 2:
        raise UsageError(
            f"{member.plugin.name} makes the parts {', '.join(split.parts)}; splitters that are combined make two.",
            field="split.of",
        )
    return split


def reasons(splits: Iterable[Split]) -> Column | None:
    """Return why a row is left out by any of the splits, the first that does; None where none is."""
    found: Column | None = None
    for split in splits:
        if split.left_out is not None:
            found = split.left_out if found is None else found.or_else(split.left_out)
    return found


def held_together(held: Iterable[tuple[Incidence | None, NDArray[np.int64]]], n_rows: int) -> Incidence | None:
    """Return what rows were held out for by several splits.

    Args:
        held: What each split says, and the places of its rows among all.
        n_rows: How many rows there are.
    """
    kinds = [(Held.of(things), places) for things, places in held if things is not None]
    if not kinds:
        return None
    rows, codes = [], []
    names: list[str] = []
    for things, places in kinds:
        rows.append(places[things.rows])
        codes.append(np.repeat(np.arange(len(things.names)), np.diff(things.starts)) + len(names))
        names += list(things.names)
    return counted_by_row("things held out", n_rows, np.concatenate(rows), np.concatenate(codes), names)

"""The guarantee of a splitter as checks, so that audits decide whether it is kept, and not the splitter's own word.

A splitter declares ``keeps``: checks with names in braces, which stand for what the rows hold and what the parts are
called. Every split promises besides that no group is torn.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.rows import Rows
from compsplit.recipe.checks import IID, Check
from compsplit.recipe.parsing import Stage

_TEMPLATE = re.compile(r"(?P<name>[\w-]+)\[(?P<of>.*)\]\[\{train\}->\{test\}\] (?P<operator>[<>=]+) (?P<number>\S+)")

SHOWN = frozenset({"coverage", "least-shown", "rows-with-lone-words", "rows-with-novel-compounds"})
"""Measures that fall when train shows less."""


def guaranteed(stage: Stage, rows: Rows, parts: Sequence[str]) -> tuple[Check, ...]:
    """Return the checks that a splitter's guarantee comes to.

    Args:
        stage: The splitter with its options.
        rows: What was divided.
        parts: Names of the parts, the reference first.
    """
    options = {name: option.default for name, option in stage.plugin.options.items()} | dict(stage.options)
    keeps: Sequence[str] | Callable[[Mapping[str, Any]], Sequence[str]] = stage.plugin.facts.get("keeps", ())
    templates = keeps(options) if callable(keeps) else keeps
    names = {**options, **_extracted(rows, str(options.get("of") or ""))}
    made = [part for part in parts if part != IID]
    checks = [
        _check("group-overlap[group][{train}->{test}] == 0", {"train": one, "test": other})
        for one, other in itertools.combinations(made, 2)
    ]
    for template in templates:
        for part in made[1:]:
            checks.append(_check(template, {**names, "train": made[0], "test": part}))
    return tuple(dict.fromkeys(checks))


def _check(template: str, names: Mapping[str, Any]) -> Check:
    """Return the check that a template says, whatever signs names hold."""
    found = _TEMPLATE.fullmatch(template)
    if found is None:
        raise ValueError(f"{template} is no check between train and test")
    of, number = found["of"].format(**names), found["number"].format(**names)
    reference, part = str(names["train"]), str(names["test"])
    written = f"{found['name']}[{of}][{reference}->{part}] {found['operator']} {number}"
    return Check(written, found["name"], of, reference, part, found["operator"], Fraction(number))


def _extracted(rows: Rows, of: str) -> dict[str, str]:
    """Return what was extracted, by the names that templates have for it."""
    names = {"concepts": rows.concepts.of if rows.concepts is not None else "concepts"}
    found: Compounds | ObjectPairs | None = rows.compounds.get(of) if of else None
    if found is None and len(rows.compounds) == 1:
        found = next(iter(rows.compounds.values()))
    if found is not None:
        names |= {"of": found.of, "atoms": found.atoms.of}
    return names

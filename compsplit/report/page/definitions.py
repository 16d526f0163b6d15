"""What each measure is, in a sentence, with its source: every number of a page links here.

Texts stand in ``defined_audits`` and ``defined_others``; where a plug-in makes the measure, its source, bounds and
which way is better are the registry's.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from compsplit.registry import Plugin, plugin
from compsplit.report.page.defined_audits import DEFINED
from compsplit.report.page.defined_others import GROUPS

_DIFFERENCE = "-difference"
_KOEHN = "Efron and Tibshirani 1993; Koehn 2004 (paired bootstrap)"


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
    """Return what a measure of that name is, None where nothing is known of it.

    Example:
        >>> definition("id-overlap").text.endswith("0 to 1; lower is better.")
        True
    """
    found = _definitions().get(measure)
    of_what = measure.removesuffix(_DIFFERENCE)
    if found is None and of_what != measure and of_what in _definitions():
        return Definition(
            f"{of_what} of a model minus {of_what} of the first one, on rows that both are scored on; above 0 where "
            "the model is above the first. The interval is of draws that both share.",
            _KOEHN,
        )
    return found


def makers_of(measure: str) -> tuple[tuple[str, str], ...]:
    """Return kind and name of the plug-in that a measure is defined by; none where no plug-in is."""
    for audit, texts in DEFINED.items():
        if measure in texts:
            return (("audit", audit),)
    return tuple(group.plugin for group in GROUPS if group.plugin is not None and measure in group.texts)


@functools.cache
def _definitions() -> Mapping[str, Definition]:
    found: dict[str, Definition] = {}
    for audit, texts in DEFINED.items():
        made_by = plugin("audit", audit)
        for name, text in texts.items():
            found[name] = Definition(text + _bounds(made_by, name), made_by.source)
    for group in GROUPS:
        source = group.source if group.plugin is None else plugin(*group.plugin).source
        found |= {name: Definition(text, source) for name, text in group.texts.items()}
    return found


def _bounds(made_by: Plugin, measure: str) -> str:
    """Return bounds in words, and which way is better of the measure that the plug-in is named for."""
    low, high = made_by.facts["bounds"]
    better = made_by.facts["better"] if measure == made_by.name else ""
    said = f" {low} or more" if high is None else f" {low} to {high}"
    return f"{said}; {better} is better." if better else f"{said}."

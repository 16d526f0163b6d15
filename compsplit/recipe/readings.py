"""Readings: options of audits, ``KEY=VALUE`` for every audit that has them, or ``AUDIT.KEY=VALUE`` for one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compsplit.errors import CompsplitError, UnknownNameError, UnknownOptionError, UsageError
from compsplit.recipe.checks import Check
from compsplit.registry import plugin, plugins


def readings_of(written: Sequence[str] | Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of each audit that has any.

    Args:
        written: ``KEY=VALUE`` texts, or keys -> values.

    Raises:
        UsageError: A text is not of this form, or no audit takes the value.
        UnknownNameError, UnknownOptionError: There is no such audit, or none with such an option.

    Example:
        >>> readings_of(["avg-co-pair.same_class=out"])
        {'avg-co-pair': {'same_class': 'out'}}
    """
    given = (
        written.items()
        if isinstance(written, Mapping)
        else [key_and_value(each, "KEY=VALUE, such as unit=classes", "--reading") for each in written]
    )
    found: dict[str, dict[str, Any]] = {}
    for key, value in given:
        name, dot, option = key.rpartition(".")
        takers = {name: plugin("audit", name)} if dot else plugins("audit")
        having = {name: audit for name, audit in takers.items() if option.replace("-", "_") in audit.options}
        if not having:
            known = {option for audit in takers.values() for option in audit.options}
            raise UnknownOptionError(f"The audit {name}" if dot else "Every audit", option, known)
        refused: CompsplitError | None = None
        taken = False
        for name, audit in having.items():
            try:
                found.setdefault(name, {}).update(audit.check({option: value}, name))
                taken = True
            except CompsplitError as error:
                refused = error
        if refused is not None and not taken:
            raise refused
    return {name: options for name, options in found.items() if options}


def key_and_value(written: str, form: str, field: str) -> tuple[str, Any]:
    """Return the key of a text, and what it says as TOML, else as text.

    Args:
        written: The text.
        form: What it should look like, for the message.
        field: The option that it is of.

    Raises:
        UsageError: It is not of this form.

    Example:
        >>> key_and_value("unit=2", "KEY=VALUE", "--reading")
        ('unit', 2)
    """
    key, equals, text = written.partition("=")
    if not equals or not key.strip():
        raise UsageError(f'"{written}" is not {form}.', field=field)
    try:
        return key.strip(), tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return key.strip(), text.strip()


def asked_by(checks: Iterable[Check]) -> tuple[str, ...]:
    """Return the names of audits that do not run by default and whose measures checks are about."""
    wanted = {check.name for check in checks}
    return tuple(
        name
        for name, audit in plugins("audit").items()
        if not audit.facts.get("by_default", True) and wanted.intersection(audit.facts.get("measures", (name,)))
    )


def audit_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of audits to run: those that run by default, and those named; in alphabetical order.

    Raises:
        UnknownNameError: There is none of that name.
    """
    known = plugins("audit")
    for name in names:
        if name not in known:
            raise UnknownNameError("audit", name, known)
    return tuple(name for name, audit in known.items() if audit.facts.get("by_default", True) or name in names)

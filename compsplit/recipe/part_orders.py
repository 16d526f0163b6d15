"""The order of parts, whose first is the reference, where canonical JSON does not keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PARTS = "parts"


def part_orders(values: Any, before: str = "") -> dict[str, list[str]]:
    """Return the order of every table of parts inside of values, by its place.

    Example:
        >>> part_orders({"first": {"parts": {"train": "1/2", "test": "1/2"}}})
        {'first.parts': ['train', 'test']}
    """
    found: dict[str, list[str]] = {}
    members = values.items() if isinstance(values, Mapping) else enumerate(values) if isinstance(values, list) else ()
    for key, value in members:
        if key == _PARTS and isinstance(value, Mapping):
            found[f"{before}{key}"] = list(value)
        else:
            found |= part_orders(value, f"{before}{key}.")
    return found


def in_order(values: Any, orders: Mapping[str, list[str]], before: str = "") -> Any:
    """Return the values with every table of parts in its order."""
    if isinstance(values, list):
        return [in_order(value, orders, f"{before}{number}.") for number, value in enumerate(values)]
    if not isinstance(values, Mapping):
        return values
    return {
        key: {part: value[part] for part in orders[f"{before}{key}"]}
        if f"{before}{key}" in orders
        else in_order(value, orders, f"{before}{key}.")
        for key, value in values.items()
    }

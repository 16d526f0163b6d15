"""Values as TOML text: keys and values on one line each, and whole recipes.

What stands in a text is taken as it is: quotes, line ends and what does not show are escaped, so that a text holds one
value only and looks like what it is. TOML has no null: a key without a value is left out. Cost: O(characters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_SECTIONS = ("read", "reduce", "extract", "group", "split", "validate", "write")
_HARMLESS = "\u00ad\u200c\u200d"
"""Soft hyphen and the joiners that Persian, Indic scripts and emoji are written with."""


def toml_pairs(values: Mapping[str, Any]) -> list[str]:
    """Return ``key = value`` lines.

    Example:
        >>> toml_pairs({"by": "row", "a b": [1, True]})
        ['by = "row"', '"a b" = [1, true]']
    """
    return [f"{_key(name)} = {toml_value(value)}" for name, value in values.items() if value is not None]


def toml_value(value: Any) -> str:
    """Return a value as TOML on one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(toml_pairs(value))} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str):
        # TOML takes the escapes of JSON, and wants some more.
        return "".join(map(_shown, json.dumps(value, ensure_ascii=False)))
    return str(value).lower() if isinstance(value, bool) else repr(value)


def recipe_toml(values: Mapping[str, Any]) -> str:
    """Return everything that a recipe says as TOML that says the same.

    Args:
        values: Sections and keys, such as ``Recipe.resolved``; empty ones are left out.
    """
    first = ("title", "source", "seed")
    lines = toml_pairs({name: values[name] for name in first if values.get(name) not in ("", None)})
    for section in _SECTIONS:
        held = {key: value for key, value in (values.get(section) or {}).items() if value not in ([], None)}
        if held:
            lines += ["", f"[{section}]", *toml_pairs(held)]
    for check in values.get("check") or ():
        lines += ["", "[[check]]", *toml_pairs(check)]
    lines += _published(values.get("published") or {})
    return "\n".join(lines).lstrip("\n") + "\n"


def _published(published: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a paper publishes: plain keys first, then each list of tables."""
    listed = {name: each for name, each in published.items() if _is_tables(each)}
    if published:
        yield from ("", "[published]")
        yield from toml_pairs({name: each for name, each in published.items() if name not in listed})
    for name, tables in listed.items():
        for table in tables:
            yield from ("", f"[[published.{_key(name)}]]")
            yield from toml_pairs(table)


def _is_tables(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def _shown(character: str) -> str:
    if character.isprintable() or character in _HARMLESS or "\ud800" <= character <= "\udfff":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"

"""Files of the user that a recipe names: found beside the recipe, known to a split by name and checksum alone.

A recipe may name files beside itself or in a folder there, and nowhere else, so that a recipe from elsewhere reads
nothing it should not. What the command line sets (``--set split.groups=FILE``, ``--set variables.groups=FILE``) is the
user's own word, and may stand anywhere. A split keeps no folder of this machine: names and checksums only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from compsplit.registry import plugins

_SECTIONS = {"reduce": "reducer", "extract": "extractor", "group": "grouper", "split": "splitter"}
"""Sections whose plug-ins may take files."""


@cache
def _options(section: str) -> frozenset[str]:
    """Return the names of the options of a section that name files."""
    return frozenset(name for each in plugins(_SECTIONS[section]).values() for name in each.files)


def named_files(values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield section, key and path of each file that a recipe's values name; keys inside tables with dots."""
    for section in _SECTIONS:
        held = values.get(section)
        if isinstance(held, Mapping):
            for key, path in _within(section, held, ""):
                yield section, key, path


def _within(section: str, held: Any, before: str) -> Iterator[tuple[str, str]]:
    if isinstance(held, Mapping):
        for key, value in held.items():
            if isinstance(value, str) and key.replace("-", "_") in _options(section):
                yield f"{before}{key}", value
            else:
                yield from _within(section, value, f"{before}{key}.")
    elif isinstance(held, list):
        for place, value in enumerate(held):
            yield from _within(section, value, f"{before}{place}.")


def with_files(values: Mapping[str, Any], place: Callable[[str, str, str], str]) -> dict[str, Any]:
    """Return the values in which each file's path is what ``place`` makes of section, key and path."""
    return {
        section: _placed(section, held, "", place) if section in _SECTIONS else held for section, held in values.items()
    }


def _placed(section: str, held: Any, before: str, place: Callable[[str, str, str], str]) -> Any:
    if isinstance(held, Mapping):
        return {
            key: place(section, f"{before}{key}", value)
            if isinstance(value, str) and key.replace("-", "_") in _options(section)
            else _placed(section, value, f"{before}{key}.", place)
            for key, value in held.items()
        }
    if isinstance(held, list):
        return [_placed(section, value, f"{before}{number}.", place) for number, value in enumerate(held)]
    return held


def stands_beside(path: str) -> bool:
    """Tell whether a path leads to the folder of its recipe or one below."""
    return not Path(path).is_absolute() and ".." not in Path(path).parts

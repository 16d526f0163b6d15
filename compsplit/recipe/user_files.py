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

_SECTIONS = {"read": "reader", "reduce": "reducer", "extract": "extractor", "group": "grouper", "split": "splitter"}
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


def _within(section: str, held: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for key, value in held.items():
        if key.replace("-", "_") in _options(section):
            for name, path in value.items() if isinstance(value, Mapping) else [("", value)]:
                if isinstance(path, str):
                    yield f"{before}{key}.{name}" if name else f"{before}{key}", path
        else:
            for place, table in _members(section, value):
                yield from _within(section, table, f"{before}{key}.{place}")


def _members(section: str, value: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the splitters that a splitter joins, with their places: tables, or a list of tables."""
    if section != "split":
        return []
    if isinstance(value, Mapping):
        return [("", value)]
    numbered = enumerate(value) if isinstance(value, list | tuple) else ()
    return [(f"{number}.", each) for number, each in numbered if isinstance(each, Mapping)]


def with_files(values: Mapping[str, Any], place: Callable[[str, str, str], str]) -> dict[str, Any]:
    """Return the values in which each file's path is what ``place`` makes of section, key and path."""
    return {
        section: _placed(section, held, "", place) if section in _SECTIONS else held for section, held in values.items()
    }


def _placed(section: str, held: Any, before: str, place: Callable[[str, str, str], str]) -> Any:
    if not isinstance(held, Mapping):
        return held
    placed: dict[str, Any] = {}
    for key, value in held.items():
        if key.replace("-", "_") in _options(section):
            if isinstance(value, Mapping):
                placed[key] = {
                    name: place(section, f"{before}{key}.{name}", path) if isinstance(path, str) else path
                    for name, path in value.items()
                }
            else:
                placed[key] = place(section, f"{before}{key}", value) if isinstance(value, str) else value
        elif section == "split" and isinstance(value, list | tuple):
            placed[key] = [
                _placed(section, each, f"{before}{key}.{number}.", place) if isinstance(each, Mapping) else each
                for number, each in enumerate(value)
            ]
        else:
            placed[key] = _placed(section, value, f"{before}{key}.", place) if section == "split" else value
    return placed


def stands_beside(path: str, folder: Path) -> bool:
    """Tell whether a path leads to the folder of its recipe or one below, links followed."""
    if Path(path).is_absolute() or ".." in Path(path).parts:
        return False
    return folder.resolve() in (folder / path).resolve().parents

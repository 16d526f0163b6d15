"""Words of a command line that says again what was asked: files, the reader's options, a recipe; quoted for a shell.

A word that a shell, or a reader, would take for something else is quoted; one that holds what does not show (line ends,
direction marks, bytes that are no text) is written in bash's ``$'...'`` form, so that it shows what it is.
"""

from __future__ import annotations

import ast
import functools
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from compsplit.errors import CompsplitError
from compsplit.files import canonical_json
from compsplit.recipe.parsing import Recipe, Setting, load, recipe_names
from compsplit.recipe.part_orders import part_orders
from compsplit.recipe.toml_text import recipe_toml, toml_value
from compsplit.recipe.written import KEYS, PLUGIN_KEY

_MOST_SETTINGS = 6
"""A command with more settings than these is harder to read than a recipe."""
_OWN_OPTIONS = {"id_scope": "--id-scope", "new_ids": "--new-ids", "allow_unjoined": "--allow-unjoined"}
"""Options of readers that commands have by a name of their own, beside ``--column``."""


def command_line(command: str, positional: Sequence[str], options: Sequence[str]) -> str:
    """Return a command line; words that begin with a dash stand where none is taken for an option."""
    words = (
        [*options, "--", *positional] if any(each.startswith("-") for each in positional) else [*positional, *options]
    )
    return " ".join(["compsplit", command, *map(quoted, words)])


def quoted(word: str) -> str:
    """Return a word as a shell takes it for itself.

    Example:
        >>> quoted("a.csv"), quoted("$(x).csv"), quoted("a\\nb")
        ('a.csv', "'$(x).csv'", "$'a\\\\nb'")
    """
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is no text
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[character]
    return f"\\u{ord(character):04x}" if ord(character) < 1 << 16 else f"\\U{ord(character):08x}"


def place_of(entry: Mapping[str, Any]) -> str:
    """Return where an input of a manifest is: the relative path that was given, else its name; with its member."""
    path = str(entry.get("given") or entry["file"])
    return f"{path}//{entry['member']}" if entry.get("member") else path


def source_words(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the files of a manifest that knows their sources, named where they would be called otherwise."""
    places = _told_apart(entries)
    called = _sources(places)
    return [
        place if each["source"] == source or "/" in each["source"] else f"{each['source']}={place}"
        for each, place, source in zip(entries, places, called, strict=True)
    ]


def _told_apart(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return where inputs are; of files of one name in several folders their sources tell the folders."""
    places = [place_of(each) for each in entries]
    return [
        f"{each['source']}{''.join(PurePosixPath(each['file']).suffixes)}" if places.count(place) > 1 else place
        for each, place in zip(entries, places, strict=True)
    ]


def verify_words(manifest: Mapping[str, Any]) -> list[str]:
    """Return the files that have to be named to verify a split: those whose place its manifest does not hold."""
    lost = {
        (each["file"], each.get("sha256")): {**each, "member": None}
        for each in manifest.get("inputs", ())
        if not each.get("given") and "beside" not in each
    }
    own = [str(each["file"]) for each in manifest.get("files", {}).values()]
    return list(dict.fromkeys([*_told_apart(list(lost.values())), *own]))


def verify_line(folder: str, files: Sequence[str]) -> str:
    """Return the command that verifies a split, with files that it would not find by itself."""
    return command_line("verify", [folder], [word for file in files for word in ("--input", file)])


def _sources(places: Sequence[str]) -> list[str]:
    """Return what files are called by default: their stems, with as many folders as tell them apart."""
    steps = [[*PurePosixPath(place).parts[:-1], _stem(PurePosixPath(place).name)] for place in places]
    for depth in range(1, max(map(len, steps), default=1) + 1):
        names = ["/".join(each[-depth:]) for each in steps]
        if len(set(names)) == len(names):
            return names
    return ["/".join(each) for each in steps]


def _stem(name: str) -> str:
    return re.sub(r"(?i)(\.(json|jsonl|csv|tsv|txt|parquet))?(\.(gz|xz|zst|zip))?$", "", name) or name


def read_words(options: Mapping[str, Any], said: Mapping[str, Any] | None = None) -> list[str]:
    """Return the options of a reader as the command line takes them.

    Args:
        options: Name -> value; texts of values, as some manifests hold them, will do.
        said: Options that the recipe says already.
    """
    words: list[str] = []
    for name, written in options.items():
        value = _value(written)
        if said is not None and name in said and said[name] == value:
            continue
        if name == "columns" and isinstance(value, Mapping):
            words += [word for role, column in value.items() for word in ("--column", f"{role}={column}")]
        elif name in _OWN_OPTIONS and value is True:
            words.append(_OWN_OPTIONS[name])
        elif name == "id_scope":
            words += [_OWN_OPTIONS[name], str(value)]
        elif name != "threads":
            words += ["--read", f"{name}={plain_value(value)}"]
    return words


def _value(written: Any) -> Any:
    """Return the value that a text of Python stands for, else the text."""
    if not isinstance(written, str):
        return written
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return written


def plain_value(value: Any) -> str:
    """Return a value as ``KEY=VALUE`` takes it: as TOML, or as it is where that is read as a text anyway."""
    if isinstance(value, str) and value == value.strip():
        try:
            tomllib.loads(f"x = {value}")
        except (tomllib.TOMLDecodeError, RecursionError):
            return value
    return toml_value(value)


@dataclass(frozen=True, slots=True)
class RecipeWords:
    """How a recipe is said again.

    Attributes:
        name: Its name; ``recipe.toml`` where it has to be saved, empty where none is needed.
        options: Words that say what is set over it.
        toml: The recipe to save; empty where a name will do.
    """

    name: str
    options: tuple[str, ...]
    toml: str


def recipe_words(
    resolved: Mapping[str, Any],
    name: str | None,
    plain: Callable[[Sequence[Setting]], Recipe] | None = None,
    orders: Mapping[str, list[str]] | None = None,
) -> RecipeWords:
    """Return the shortest way to say a recipe: nothing, a shipped one, some settings over it, or all of it.

    Args:
        resolved: Everything that it says.
        name: What it is called, None where that is not known.
        plain: Makes the recipe of a command to which none is named; None where one must be.
        orders: The order of parts, where that is known.
    """
    found = None if plain is None else _settings(plain, resolved, orders)
    if found is not None:
        return RecipeWords("", tuple(found), "")
    for each in recipe_names():
        if name == each or (name is None and _titled(each, resolved)):
            found = _settings(functools.partial(load, each), resolved, orders)
            if found is not None:
                return RecipeWords(each, tuple(found), "")
    titled = {**resolved, "title": resolved.get("title") or name or ""}
    return RecipeWords("recipe.toml", (), recipe_toml(titled))


def _titled(name: str, resolved: Mapping[str, Any]) -> bool:
    try:
        found = load(name).resolved
    except CompsplitError:
        # It needs a variable, which nothing tells of.
        return False
    return all(found[key] == resolved.get(key) for key in ("title", "source"))


def _settings(
    make: Callable[[Sequence[Setting]], Recipe], resolved: Mapping[str, Any], orders: Mapping[str, list[str]] | None
) -> list[str] | None:
    """Return the options that make a recipe say the same; None where a few do not."""
    try:
        settings = list(_differences(make([]).resolved, resolved))
        if len(settings) > _MOST_SETTINGS or any("." not in each.key and each.key != "seed" for each in settings):
            return None
        texts = [f"{each.key}={plain_value(each.value)}" for each in settings]
        made = make([Setting.parse(text) for text in texts]).resolved
    except CompsplitError:
        return None
    same = canonical_json(made) == canonical_json(resolved) and (orders is None or part_orders(made) == dict(orders))
    return [word for text in texts for word in ("--set", text)] if same else None


def _differences(base: Mapping[str, Any], resolved: Mapping[str, Any]) -> Iterator[Setting]:
    """Yield what is set otherwise, the plug-in of a section first, since naming another drops its options."""
    for section, held in resolved.items():
        under = base.get(section)
        if not isinstance(held, Mapping) or not isinstance(under, Mapping):
            if canonical_json(held) != canonical_json(under):
                yield Setting(section, held)
            continue
        first = PLUGIN_KEY.get(section)
        other = first in held and held[first] != under.get(first)
        kept = {key: value for key, value in under.items() if not other or key in KEYS.get(section, ())}
        for key in sorted(held, key=lambda each: (each != first, each)):
            if key not in kept or canonical_json(kept[key]) != canonical_json(held[key]):
                yield Setting(f"{section}.{key}", held[key])

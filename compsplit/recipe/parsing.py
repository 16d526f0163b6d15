"""Recipes: TOML files that say how a split is made, checked against what plug-ins know.

Sections: ``extends``, ``title``, ``source``, ``seed``, ``[read]``, ``[reduce]``, ``[extract]``, ``[group]``,
``[split]``, ``[[check]]``, ``[write]``, ``[published]``. A section names its plug-in; its other keys are that plug-in's
options. Every error names the file, the line and the nearest valid name.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compsplit.errors import CompsplitError, FractionError, RecipeError, UnknownNameError
from compsplit.model.targets import Targets
from compsplit.recipe.checks import Check
from compsplit.registry import Plugin, plugin, plugins

_KEYS: dict[str, tuple[str, ...]] = {
    "": ("extends", "title", "source", "seed", "read", "reduce", "extract", "group", "split", "check", "write",
         "published"),
    "read": ("format",),
    "reduce": ("reducer",),
    "extract": ("of",),
    "group": ("by", "missing"),
    "split": ("method", "parts", "strata"),
    "check": ("require",),
    "write": ("as",),
}  # fmt: skip
"""What each section may hold besides the options of its plug-in."""

_PLUGIN_KEY = {"read": "format", "reduce": "reducer", "extract": "of", "group": "by", "split": "method", "write": "as"}
_KIND = {
    "read": "reader", "reduce": "reducer", "extract": "extractor", "group": "grouper", "split": "splitter",
    "write": "writer",
}  # fmt: skip
_DEFAULTS: dict[str, Any] = {
    "title": "",
    "source": "",
    "seed": 0,
    "read": {},
    "reduce": {"reducer": "lexical"},
    "extract": {"of": "qa"},
    "group": {"by": "row", "missing": "stop"},
    "split": {"method": "random", "parts": {"train": "2/3", "test": "1/3"}, "strata": []},
    "check": [],
    "write": {"as": "same"},
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One plug-in with its options."""

    plugin: Plugin
    options: Mapping[str, Any]

    def make(self, *arguments: Any, **more: Any) -> Any:
        """Call the plug-in."""
        return self.plugin.make(*arguments, **self.options, **more)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe whose every name is known.

    Attributes:
        name: File name without its ending.
        title: One line.
        source: Where the method is from.
        seed: Seed of the order.
        format: Reader, None where the content decides.
        read_options: The reader's options.
        reduce, extract, group, split, write: The plug-ins with their options.
        missing: ``"stop"`` or ``"leave-out"``: what becomes of rows without a group.
        targets: What is asked for.
        strata: Columns whose combinations are spread evenly.
        checks: Bounds on measures.
        published: Figures of the paper, as written.
        resolved: Everything as plain values, for the manifest.
    """

    name: str
    title: str
    source: str
    seed: int
    format: str | None
    read_options: Mapping[str, Any]
    reduce: Stage
    extract: Stage
    group: Stage
    split: Stage
    write: Stage
    missing: str
    targets: Targets
    strata: tuple[str, ...]
    checks: tuple[Check, ...]
    published: Mapping[str, Any] = field(default_factory=dict)
    resolved: Mapping[str, Any] = field(default_factory=dict)


def shipped() -> Path:
    """Return the folder of the recipes that come with compsplit, in a wheel and in an editable install alike."""
    package = Path(__file__).parents[1]
    inside = package / "recipes"
    return inside if inside.is_dir() else package.parent / "recipes"


def recipe_names() -> list[str]:
    """Return the names of the shipped recipes."""
    return sorted(path.stem for path in shipped().glob("*.toml"))


def recipe_text(name: str) -> str:
    """Return a recipe as it is written, by path or by name."""
    return _located(name).read_text(encoding="utf-8")


def load(name: str, settings: Sequence[str] = ()) -> Recipe:
    """Return a recipe by path or by the name of a shipped one.

    Args:
        name: Path or name.
        settings: ``section.key=value`` overrides, values as TOML or plain text.

    Raises:
        RecipeError: Something in it is not known or does not fit.
        UnknownNameError: There is no such recipe.
    """
    path = _located(name)
    written = _merged(path, [])
    for setting in settings:
        _override(written, setting)
    return _checked(path, written)


def from_mapping(name: str, written: Mapping[str, Any]) -> Recipe:
    """Return the recipe that a mapping says, for callers in Python."""
    return _checked(Path(f"{name}.toml"), _over(_DEFAULTS, written))


def _located(name: str) -> Path:
    path = Path(name)
    if path.is_file():
        return path
    if name in recipe_names():
        return shipped() / f"{name}.toml"
    raise UnknownNameError("recipe", name, recipe_names())


def _merged(path: Path, seen: list[Path]) -> dict[str, Any]:
    if path in seen:
        raise RecipeError(path.name, f"extends itself through {seen[-1].name}.", key="extends")
    try:
        text = path.read_text(encoding="utf-8")
        written = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise RecipeError(path.name, f"is not UTF-8 (byte {error.start}).") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise RecipeError(path.name, f"is not TOML: {error}.", line=int(line[1]) if line else None) from error
    _known_keys(path, text, written)
    base = written.pop("extends", None)
    if base is None:
        return _over(_DEFAULTS, written)
    if not isinstance(base, str) or Path(base).name != base:
        raise RecipeError(
            path.name, "extends names a shipped recipe or a file beside this one, without a path.",
            line=_line(text, "", "extends"), key="extends",
        )  # fmt: skip
    beside = path.parent / (base if base.endswith(".toml") else f"{base}.toml")
    try:
        under = _merged(beside if beside.is_file() else _located(base), [*seen, path])
    except UnknownNameError as error:
        raise RecipeError(path.name, error.message, line=_line(text, "", "extends"), key="extends") from error
    return _over(under, written)


def _over(under: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one mapping over another: sections key by key, lists and parts as a whole, checks added."""
    result = {key: dict(value) if isinstance(value, Mapping) else value for key, value in under.items()}
    for key, value in top.items():
        if isinstance(value, Mapping) and isinstance(result.get(key), Mapping):
            named = _PLUGIN_KEY.get(key)
            if named in value and value[named] != result[key].get(named):
                # Another plug-in: the options of the one before do not concern it.
                result[key] = {k: v for k, v in result[key].items() if k in _KEYS.get(key, ())}
            result[key] = {**result[key], **value}
        elif key == "check":
            result[key] = [*result.get(key, []), *value]
        else:
            result[key] = value
    return result


def _override(written: dict[str, Any], setting: str) -> None:
    key, equals, text = setting.partition("=")
    steps = key.strip().split(".")
    if not equals or not all(steps):
        raise RecipeError("--set", f'"{setting}" is not section.key=value.', key=key)
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    top: dict[str, Any] = {}
    inner = top
    for step in steps[:-1]:
        inner = inner.setdefault(step, {})
    inner[steps[-1]] = value
    _known_keys(Path("--set"), "", top)
    merged = _over(written, top)
    if len(steps) == 3 and isinstance(written.get(steps[0], {}).get(steps[1]), Mapping):
        merged[steps[0]][steps[1]] = {**written[steps[0]][steps[1]], steps[2]: value}
    written.clear()
    written.update(merged)


def _known_keys(path: Path, text: str, written: Mapping[str, Any]) -> None:
    for key, value in written.items():
        if key not in _KEYS[""]:
            raise RecipeError(
                path.name,
                f'there is no section or key "{key}". {_nearest(key, _KEYS[""])}',
                line=_line(text, "", key),
                key=key,
            )
        sections = value if key == "check" and isinstance(value, list) else [value]
        if key in _PLUGIN_KEY or key == "check":
            for section in sections:
                if not isinstance(section, Mapping):
                    raise RecipeError(path.name, f"{key} must be a section.", line=_line(text, "", key), key=key)
                for name in section if key == "check" else ():
                    if name not in _KEYS["check"]:
                        raise RecipeError(
                            path.name, f'a check has no key "{name}". {_nearest(name, _KEYS["check"])}',
                            line=_line(text, "check", name), key=name,
                        )  # fmt: skip


def _nearest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f'Did you mean "{close[0]}"?' if close else f"Known: {', '.join(sorted(known))}."


def _line(text: str, section: str, key: str) -> int | None:
    """Return the line that a key stands on, in the section of that name."""
    within = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        if header:
            within = header[1].split(".")[0].strip()
            if section == "" and within == key:
                return number
        elif within == section and re.match(rf"\s*['\"]?{re.escape(key)}['\"]?\s*[.=]", line):
            return number
    return None


def _checked(path: Path, written: dict[str, Any]) -> Recipe:
    text = path.read_text(encoding="utf-8") if path.is_file() else ""

    def stage(section: str) -> Stage:
        values = {k.replace("-", "_"): v for k, v in written[section].items()}
        name = values.get(_PLUGIN_KEY[section])
        if section == "group" and name not in plugins("grouper"):
            values["column"], name = name, "column"
        try:
            found = plugin(_KIND[section], str(name))
            options = {k: v for k, v in values.items() if k not in _KEYS[section]}
            return Stage(found, found.check(options))
        except (UnknownNameError, CompsplitError) as error:
            key = error.field or _PLUGIN_KEY[section]
            key = key.split(".")[-1]
            raise RecipeError(
                path.name, error.message, line=_line(text, section, key), key=f"{section}.{key}"
            ) from error

    def fault(what: str, section: str, key: str) -> RecipeError:
        return RecipeError(path.name, what, line=_line(text, section, key), key=f"{section}.{key}" if section else key)

    if not isinstance(written["seed"], int) or isinstance(written["seed"], bool):
        raise fault(f"seed is {written['seed']!r}; expected a whole number.", "", "seed")
    missing = written["group"].get("missing", "stop")
    if missing not in ("stop", "leave-out"):
        raise fault(f'missing is {missing!r}; expected "stop" or "leave-out".', "group", "missing")
    strata = written["split"].get("strata", [])
    if not isinstance(strata, list) or not all(isinstance(name, str) for name in strata):
        raise fault("strata must be a list of column names.", "split", "strata")
    parts = written["split"].get("parts")
    try:
        targets = Targets(dict(parts) if isinstance(parts, Mapping) else {})
    except FractionError as error:
        raise fault(error.message, "split", "parts") from error
    except ValueError as error:
        raise fault(f'parts must be fractions such as 0.3 or "1/3" ({error}).', "split", "parts") from error
    for part in targets.parts:
        if not re.fullmatch(r"[\w.-]+", part) or part.startswith("."):
            raise fault(f'"{part}" cannot name a part: letters, digits, "-", "_" and "." only.', "split", "parts")
    try:
        checks = tuple(Check.parse(str(check.get("require", ""))) for check in written["check"])
    except CompsplitError as error:
        raise fault(error.message, "check", "require") from error
    reader = written["read"].get("format")
    if reader is not None:
        stage("read")
    return Recipe(
        name=path.stem,
        title=str(written["title"] or path.stem),
        source=str(written["source"]),
        seed=written["seed"],
        format=reader,
        read_options={k: v for k, v in written["read"].items() if k != "format"},
        reduce=stage("reduce"),
        extract=stage("extract"),
        group=stage("group"),
        split=stage("split"),
        write=stage("write"),
        missing=missing,
        targets=targets,
        strata=tuple(strata),
        checks=checks,
        published=written.get("published", {}),
        resolved={
            **{k: v for k, v in written.items() if k != "published"},
            "check": [{"require": c.written} for c in checks],
        },
    )

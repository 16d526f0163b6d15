"""Recipes as they are written: found by name or path, laid over what they extend, overridden, every key placed.

A key keeps the file and line that it came from, so that an error names the place where it can be mended.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compsplit.errors import FileError, RecipeError, UnknownNameError, nearest
from compsplit.recipe.user_files import named_files, stands_beside, with_files

KEYS: dict[str, tuple[str, ...]] = {
    "": ("extends", "title", "source", "seed", "read", "reduce", "extract", "group", "split", "validate", "check",
         "write", "published", "variables"),
    "read": ("format",),
    "reduce": ("reducer",),
    "extract": ("of",),
    "group": ("by", "missing"),
    "split": ("method", "parts", "strata", "fold"),
    "validate": ("val-iid", "val-ood", "by"),
    "check": ("require",),
    "write": ("as",),
    "published": ("source", "known_by", "figure", "original", "accuracy", "accuracy_by_input", "accuracy_by_steps",
                  "balancing", "coverage", "drop", "profile", "shares", "transfer"),
}  # fmt: skip
"""What each section may hold besides the options of its plug-in."""

PLUGIN_KEY = {"read": "format", "reduce": "reducer", "extract": "of", "group": "by", "split": "method", "write": "as"}
"""The key by which each section names its plug-in."""

_DEFAULTS: dict[str, Any] = {
    "title": "",
    "source": "",
    "seed": 0,
    "read": {},
    "reduce": {"reducer": "lexical"},
    "extract": {"of": "auto"},
    "group": {"by": "row", "missing": "stop"},
    "split": {"method": "random", "strata": []},
    "validate": {},
    "check": [],
    "write": {"as": "same"},
    "variables": {},
}


_VARIABLE = re.compile(r"\$\{([\w-]+)\}")


class _Default(str):
    """The value that a recipe gives a variable, with the folder that the recipe stands in."""

    __slots__ = ("folder",)
    folder: Path

    def __new__(cls, value: str, folder: Path) -> _Default:
        made = super().__new__(cls, value)
        made.folder = folder
        return made


@dataclass(frozen=True, slots=True)
class Setting:
    """One key that the command line overrides.

    Attributes:
        key: Sections and key, such as ``split.method``.
        value: Its value.
        option: The option that said so, for messages.
    """

    key: str
    value: Any
    option: str = "--set"

    @classmethod
    def parse(cls, written: str) -> Setting:
        """Return the setting that ``section.key=value`` says; the value is TOML, else plain text.

        Raises:
            RecipeError: It says none.
        """
        key, equals, text = written.partition("=")
        key = key.strip()
        if not equals or not all(key.split(".")):
            raise RecipeError("--set", f'"{written}" is not section.key=value.', key=key)
        try:
            return cls(key, tomllib.loads(f"x = {text}")["x"])
        except (tomllib.TOMLDecodeError, RecursionError):
            return cls(key, text.strip())


@dataclass(slots=True)
class Written:
    """A recipe's values, and where each key was written.

    Attributes:
        name: File name without its ending.
        values: Sections and keys.
        places: (section, key) -> file (or option) and line; the section of keys at the top is "".
    """

    name: str
    values: dict[str, Any]
    places: dict[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)

    def fault(self, what: str, section: str, key: str) -> RecipeError:
        """Return the error about a key, with the place where it stands, else where its section begins."""
        found = self.places.get((section, key)) or self.places.get(("", section))
        file, line = found or (f"{self.name}.toml", None)
        return RecipeError(file, what, line=line, key=f"{section}.{key}" if section else key)

    def lay(self, values: Mapping[str, Any], places: Mapping[tuple[str, str], tuple[str, int | None]]) -> None:
        """Lay other values over these: sections key by key, lists and parts as a whole, checks added."""
        for key, value in values.items():
            under = self.values.get(key)
            if key == "check":
                self.values[key] = [*(under or []), *value]
            elif isinstance(value, Mapping) and isinstance(under, Mapping):
                named = PLUGIN_KEY.get(key)
                if named in value and value[named] != under.get(named):
                    # Another plug-in: the options of the one before do not concern it.
                    under = {name: kept for name, kept in under.items() if name in KEYS[key]}
                self.values[key] = {**under, **value}
            else:
                self.values[key] = value
            if not isinstance(value, Mapping):
                self.places = {place: at for place, at in self.places.items() if place[0] != key}
        self.places |= places

    def set(self, setting: Setting) -> None:
        """Override one key.

        Raises:
            RecipeError: No recipe has such a key.
        """
        steps = setting.key.split(".")
        section, key = (steps[0], steps[1]) if len(steps) > 1 else ("", steps[0])
        value = setting.value
        if len(steps) == 3:
            inner = self.values.get(section, {}).get(key)
            value = {**(inner if isinstance(inner, Mapping) else {}), steps[2]: value}
        elif len(steps) > 3:
            raise RecipeError(setting.option, f'"{setting.key}" is nested too deeply for a recipe.', key=setting.key)
        values = {section: {key: value}} if section else {key: value}
        _check_keys(values, setting.option, "")
        if section == "variables" and key not in self.values["variables"]:
            what = f'the recipe has no variable "{key}". {nearest(key, self.values["variables"])}'
            raise RecipeError(setting.option, what, key=setting.key)
        if key == "extends":
            raise RecipeError(setting.option, "extends is said in a recipe only.", key=key)
        places: dict[tuple[str, str], tuple[str, int | None]] = {(section, key): (setting.option, None)}
        self.lay(values, places)


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
    return _text(_located(name))


def read_recipe(name: str, settings: Sequence[Setting] = ()) -> Written:
    """Return what a recipe says, by path or by the name of a shipped one, with the settings laid over it.

    Raises:
        RecipeError: It is no recipe, or a key is not known.
        UnknownNameError: There is no such recipe.
    """
    path = _located(name)
    written = _with_defaults(path.stem)
    for values, places in _layers(path, []):
        written.lay(values, places)
    for setting in settings:
        written.set(setting)
    return _with_variables(written)


def mapped_recipe(name: str, values: Mapping[str, Any], settings: Sequence[Setting] = ()) -> Written:
    """Return what a mapping says with the settings laid over it, for recipes made in Python."""
    _check_keys(values, name, "")
    written = _with_defaults(name)
    written.lay(values, {})
    for setting in settings:
        written.set(setting)
    return _with_variables(written)


def _with_variables(written: Written) -> Written:
    """Put the values of variables where ``${NAME}`` stands for them.

    Raises:
        RecipeError: A variable is not known or has no value.
    """
    variables = written.values.pop("variables")
    files = {(section, key) for section, key, _ in named_files(written.values)}

    def put(section: str, key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: put(section, f"{key}.{name}" if key else name, each) for name, each in value.items()}
        if isinstance(value, list):
            return [put(section, f"{key}.{number}", each) for number, each in enumerate(value)]
        if not isinstance(value, str) or not _VARIABLE.search(value):
            return value

        def fault(what: str) -> RecipeError:
            return written.fault(what, section, key.split(".")[0])

        for name in _VARIABLE.findall(value):
            if name not in variables:
                raise fault(f'there is no variable "{name}". {nearest(name, variables)}')
            if variables[name] == "":
                raise fault(f"the variable {name} has no value; give it one: --set variables.{name}=VALUE.")
        whole = _VARIABLE.fullmatch(value)
        given = variables[whole[1]] if whole else None
        put_in = str(given) if whole else _VARIABLE.sub(lambda found: str(variables[found[1]]), value)
        if (section, key) in files and not (whole and not isinstance(given, _Default)):
            # Any word of the recipe's own in a path keeps it where recipes may read.
            folder = next((v.folder for v in variables.values() if isinstance(v, _Default)), Path())
            if not stands_beside(put_in, folder):
                raise fault(f"{put_in!r} must stand beside the recipe or in a folder there.")
            return str(folder / put_in)
        return given if whole and not isinstance(given, str) else put_in

    # Published figures are the paper's words.
    written.values = {
        section: held if section == "published" else put("" if isinstance(held, str) else section, "", held)
        for section, held in written.values.items()
    }
    return written


def _with_defaults(name: str) -> Written:
    return Written(name, {k: dict(v) if isinstance(v, dict) else v for k, v in _DEFAULTS.items()})


def _located(name: str) -> Path:
    """Return the path of a recipe: a bare name is a shipped one before it is a file."""
    if name in recipe_names():
        return shipped() / f"{name}.toml"
    path = Path(name)
    if path.is_dir():
        raise FileError(name, "is a folder, a recipe was expected")
    if not path.is_file():
        raise UnknownNameError("recipe", name, recipe_names(), file=name)
    return path


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeError(path.name, f"is not UTF-8 (byte {error.start}).") from error
    except OSError as error:
        raise FileError(str(path), (error.strerror or str(error)).lower()) from error


_Layer = tuple[dict[str, Any], dict[tuple[str, str], tuple[str, int | None]]]


def _layers(path: Path, seen: list[Path]) -> Iterator[_Layer]:
    """Yield what a recipe and those that it extends say, the undermost first."""
    if path.resolve() in seen:
        raise RecipeError(path.name, f"extends itself through {seen[-1].name}.", key="extends")
    text = _text(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        last = max(len(text.splitlines()), 1)
        raise RecipeError(path.name, f"is not TOML: {error}.", line=int(line[1]) if line else last) from error
    except RecursionError as error:
        raise RecipeError(path.name, "is nested too deeply for a recipe.") from error
    _check_keys(values, path.name, text)
    base = values.pop("extends", None)
    if base is not None:
        yield from _layers(_extended(path, text, base), [*seen, path.resolve()])
    places = {
        (section, key): (path.name, _line(text, section, key))
        for section, held in [("", values), *values.items()]
        for key in _names_in(held)
    }
    for name, value in values.get("variables", {}).items():
        if isinstance(value, str):
            values["variables"][name] = _Default(value, path.parent)
    yield _beside(path, values, places), places


def _beside(path: Path, values: dict[str, Any], places: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """Return the values with the paths of files that stand beside the recipe.

    Raises:
        RecipeError: A file is named that stands elsewhere.
    """

    def placed(section: str, key: str, named: str) -> str:
        if _VARIABLE.search(named):
            return named
        if not stands_beside(named, path.parent):
            what = f"{key} must stand beside the recipe or in a folder there, got {named!r}."
            line = places[section, key.split(".")[0]][1]
            raise RecipeError(path.name, what, line=line, key=f"{section}.{key}")
        return str(path.parent / named)

    return with_files(values, placed)


def _names_in(held: Any) -> list[str]:
    """Return the keys of a section, or of all tables of a list."""
    tables = held if isinstance(held, list) else [held]
    return [key for table in tables if isinstance(table, Mapping) for key in table]


def _extended(path: Path, text: str, base: Any) -> Path:
    line = _line(text, "", "extends")
    if not isinstance(base, str) or not re.fullmatch(r"[\w-][\w.-]*", base):
        raise RecipeError(
            path.name, "extends names a shipped recipe or a file beside this one, without a path.", line=line,
            key="extends",
        )  # fmt: skip
    beside = path.parent / (base if base.endswith(".toml") else f"{base}.toml")
    if beside.is_file():
        return beside
    if base in recipe_names():
        return shipped() / f"{base}.toml"
    raise RecipeError(
        path.name, f'extends "{base}", which is neither a file beside it nor a shipped recipe. '
        f"{nearest(base, recipe_names())}", line=line, key="extends",
    )  # fmt: skip


def _check_keys(values: Mapping[str, Any], file: str, text: str) -> None:
    """Raise if a section or key is none of a recipe, or a section is no section."""
    for key, value in values.items():

        def fault(what: str, section: str, name: str) -> RecipeError:
            line = _line(text, section, name)
            return RecipeError(file, what, line=line, key=f"{section}.{name}" if section else name)

        if key not in KEYS[""]:
            raise fault(f'there is no section or key "{key}". {nearest(key, KEYS[""])}', "", key)
        if key == "check" and not (isinstance(value, list) and all(isinstance(each, Mapping) for each in value)):
            raise fault("checks are a list of sections: [[check]].", "", key)
        if (key in PLUGIN_KEY or key in ("published", "validate", "variables")) and not isinstance(value, Mapping):
            raise fault(f"{key} must be a section: [{key}].", "", key)
        if key in ("check", "published", "validate"):
            for name in _names_in(value):
                if name not in KEYS[key]:
                    raise fault(f'{key} has no key "{name}". {nearest(name, KEYS[key])}', key, name)
        if key in ("title", "source") and not isinstance(value, str):
            raise fault(f"{key} is {value!r}; expected text.", "", key)


def _line(text: str, section: str, key: str) -> int | None:
    """Return the line that a key stands on, in the section of that name."""
    within = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        if header:
            steps = header[1].split(".")
            within = steps[0].strip()
            if (section == "" and within == key) or (within == section and steps[1:2] == [key]):
                return number
        elif within == section and re.match(rf"\s*['\"]?{re.escape(key)}['\"]?\s*[.=]", line):
            return number
    return None

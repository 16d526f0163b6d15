"""Recipes: TOML files that say how a split is made, checked against what plug-ins know.

Sections: ``extends``, ``title``, ``source``, ``seed``, ``[read]``, ``[reduce]``, ``[extract]``, ``[group]``,
``[split]``, ``[validate]``, ``[[check]]``, ``[write]``, ``[published]``, ``[variables]``. A section names its plug-in;
its other keys are that plug-in's options. ``${NAME}`` stands for a variable, which ``--set variables.NAME=VALUE`` sets.
Every error names the file, the line and the nearest valid name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from compsplit.errors import CompsplitError, UsageError
from compsplit.model.targets import Targets
from compsplit.recipe.checks import Check
from compsplit.recipe.extraction import Extraction, extraction
from compsplit.recipe.user_files import named_files, with_files
from compsplit.recipe.validation import Validation, validation
from compsplit.recipe.written import (
    KEYS,
    PLUGIN_KEY,
    Setting,
    Written,
    mapped_recipe,
    read_recipe,
    recipe_names,
    recipe_text,
)
from compsplit.registry import Plugin, plugin, plugins
from compsplit.splitters import Fold

__all__ = ["Recipe", "Setting", "Stage", "from_mapping", "load", "recipe_names", "recipe_text"]

_KIND = {
    "read": "reader", "reduce": "reducer", "group": "grouper", "split": "splitter", "write": "writer",
}  # fmt: skip
_SHARES = {"train": Fraction(2, 3), "test": Fraction(1, 3)}
"""What is asked for where nothing is."""

_TAKEN = ("assignment", "left_out", "manifest", "report", "whole")
"""Names of a run's other files, and of all parts together, which no part can have."""


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
        reduce, group, split, write: The plug-ins with their options.
        extract: What is taken from the rows.
        missing: ``"stop"`` or ``"leave-out"``: what becomes of rows without a group.
        targets: What is asked for.
        fold: The fold that is test, where folds are asked for.
        validation: Parts that are taken out of train and test for choosing a model.
        strata: Columns whose combinations are spread evenly.
        checks: Bounds on measures.
        published: Figures of the paper, as written.
        files: Option -> file of the user that it names, such as ``split.groups``.
        resolved: Everything as plain values, for the manifest.
    """

    name: str
    title: str
    source: str
    seed: int
    format: str | None
    read_options: Mapping[str, Any]
    reduce: Stage
    extract: Extraction
    group: Stage
    split: Stage
    write: Stage
    missing: str
    targets: Targets
    fold: Fold | None
    validation: Validation | None
    strata: tuple[str, ...]
    checks: tuple[Check, ...]
    published: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    resolved: Mapping[str, Any] = field(default_factory=dict)


def load(name: str, settings: Sequence[str | Setting] = ()) -> Recipe:
    """Return a recipe by path or by the name of a shipped one.

    Args:
        name: Path or name.
        settings: ``section.key=value`` overrides, values as TOML or plain text.

    Raises:
        RecipeError: Something in it is not known or does not fit.
        UnknownNameError: There is no such recipe.
    """
    return _checked(read_recipe(name, _parsed(settings)))


def from_mapping(name: str, written: Mapping[str, Any], settings: Sequence[str | Setting] = ()) -> Recipe:
    """Return the recipe that a mapping says, with settings as for ``load``, for callers in Python."""
    return _checked(mapped_recipe(name, written, _parsed(settings)))


def _parsed(settings: Sequence[str | Setting]) -> list[Setting]:
    return [Setting.parse(each) if isinstance(each, str) else each for each in settings]


def _checked(written: Written) -> Recipe:
    values = written.values
    if not isinstance(values["seed"], int) or isinstance(values["seed"], bool):
        raise written.fault(f"seed is {values['seed']!r}; expected a whole number.", "", "seed")
    missing = values["group"].get("missing", "stop")
    if missing not in ("stop", "leave-out"):
        raise written.fault(f'missing is {missing!r}; expected "stop" or "leave-out".', "group", "missing")
    strata = values["split"].get("strata", [])
    if not isinstance(strata, list) or not all(isinstance(name, str) for name in strata):
        raise written.fault("strata must be a list of column names.", "split", "strata")
    try:
        checks = tuple(Check.parse(str(check.get("require", ""))) for check in values["check"])
    except CompsplitError as error:
        raise written.fault(error.message, "check", "require") from error
    stages = {section: _stage(written, section) for section in _KIND if section != "read" or values["read"]}
    fold = _fold(written, stages["split"].plugin)
    return Recipe(
        name=written.name,
        title=values["title"] or written.name,
        source=values["source"],
        seed=values["seed"],
        format=values["read"].get("format"),
        read_options={k: v for k, v in values["read"].items() if k != "format"},
        reduce=stages["reduce"],
        extract=extraction(written),
        group=stages["group"],
        split=stages["split"],
        write=stages["write"],
        missing=missing,
        targets=_targets(written, stages["split"].plugin, fold),
        fold=fold,
        validation=validation(written, stages["split"].plugin),
        strata=tuple(strata),
        checks=checks,
        published=_published(written),
        files={f"{section}.{key}": Path(path) for section, key, path in named_files(values)},
        # The folder of a file is of one machine only.
        resolved=with_files(
            {
                **values,
                "check": [{"require": c.written} for c in checks],
            },
            lambda section, key, path: Path(path).name,
        ),
    )


def _stage(written: Written, section: str) -> Stage:
    values = dict(written.values[section])
    key = PLUGIN_KEY[section]
    name = values.get(key)
    if section == "read" and name is None:
        # The content decides the reader, which then checks the options.
        return Stage(plugin("reader", "table"), {})
    if not isinstance(name, str):
        raise written.fault(f"{key} is {name!r}; expected the name of a {_KIND[section]}.", section, key)
    if section == "group" and name not in plugins("grouper"):
        values["column"], name = name, "column"
    options = {k: v for k, v in values.items() if k not in KEYS[section]}
    try:
        found = plugin(_KIND[section], name)
        return Stage(found, found.check(options, section))
    except CompsplitError as error:
        wrong = (error.field or key).split(".")[-1]
        raise written.fault(error.message, section, wrong if wrong in written.values[section] else key) from error


def _targets(written: Written, splitter: Plugin, fold: Fold | None) -> Targets:
    parts = written.values["split"].get("parts")
    _shares_count(written, splitter)
    by_rule: tuple[str, ...] = tuple(splitter.facts.get("parts", ()))
    try:
        if by_rule:
            targets = Targets(by_rule=_named_parts(parts, by_rule, splitter.name))
        else:
            targets = Targets({**_SHARES} if parts is None else dict(parts) if isinstance(parts, Mapping) else {})
            if fold is not None and written.places.get(("split", "parts"), ("", None))[0] != "--share":
                # A fold takes what it can get; compounds of several folds may be in one row.
                share = Fraction(2, fold.k + 1)
                targets = Targets({targets.parts[0]: 1 - share, targets.parts[1]: share})
    except CompsplitError as error:
        raise written.fault(error.message, "split", "parts") from error
    for part in targets.parts:
        if not re.fullmatch(r"\w[\w.-]{0,99}", part):
            told = "letters, digits, _, - and . only, a letter, digit or _ first, at most 100"
            raise written.fault(f'"{part[:110]}" cannot name a part: {told}.', "split", "parts")
        if part.lower() in _TAKEN:
            raise written.fault(f'no part can be called "{part}": that name has another use.', "split", "parts")
    if len({part.lower() for part in targets.parts}) < len(targets.parts):
        raise written.fault(
            f"{', '.join(targets.parts)} differ only in capitals, which some file systems do not tell apart.",
            "split", "parts",
        )  # fmt: skip
    return targets


def _shares_count(written: Written, splitter: Plugin) -> None:
    """Raise where shares are asked for on the command line that an option or a fold makes no matter of."""
    if written.places.get(("split", "parts"), ("", None))[0] != "--share":
        return
    values = written.values["split"]
    given = [name for name in splitter.facts.get("rules", ()) if values.get(name) or values.get(name.replace("_", "-"))]
    if "fold" in values:
        given.append("fold")
    if given:
        what = f"{splitter.name} takes its test part from split.{given[0]}, so no share can be asked for besides."
        raise written.fault(what, "split", "parts")


def _named_parts(parts: Any, by_rule: tuple[str, ...], splitter: str) -> tuple[str, ...]:
    """Return the names of parts whose sizes a rule decides: the rule's own, or those that a list gives them."""
    if parts is None:
        return by_rule
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UsageError(
            f"{splitter} decides by its rule how large each part is, so shares cannot be asked for; parts may only be "
            f"named, as [{', '.join(by_rule)}]. Its options move its sizes."
        )
    if len(parts) != len(by_rule) or len(set(parts)) < len(parts):
        told = ", ".join(parts) or "none"
        raise UsageError(f"{splitter} makes {len(by_rule)} parts ({', '.join(by_rule)}) to be named, got {told}.")
    return tuple(parts)


def _fold(written: Written, splitter: Plugin) -> Fold | None:
    value = written.values["split"].get("fold")
    if value is None:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", str(value))
    if found is None or not 1 <= int(found[1]) <= int(found[2]) or int(found[2]) < 2:
        raise written.fault(f'fold is {value!r}; expected one of k, as "1/5".', "split", "fold")
    if not splitter.facts.get("folds", False):
        told = ", ".join(name for name, each in plugins("splitter").items() if each.facts.get("folds", False))
        raise written.fault(f"{splitter.name} makes no folds; these do: {told}.", "split", "fold")
    return Fold(int(found[1]), int(found[2]))


def _published(written: Written) -> Mapping[str, Any]:
    published: Mapping[str, Any] = written.values.get("published", {})
    known_by = published.get("known_by", {})
    counts = ("answers", "images", "questions")
    if not isinstance(known_by, Mapping) or not all(k in counts and type(v) is int for k, v in known_by.items()):
        raise written.fault(f"known_by gives whole numbers for {', '.join(counts)}.", "published", "known_by")
    for name in ("figure", "original"):
        figures = published.get(name, [])
        whole = isinstance(figures, list) and all(
            isinstance(each, Mapping)
            and set(each) == {"measure", "value", "place"}
            and isinstance(each["measure"], str)
            and isinstance(each["place"], str)
            and type(each["value"]) in (int, float)
            for each in figures
        )
        if not whole:
            raise written.fault(f"each {name} has measure (text), value (number) and place (text).", "published", name)
    return published

"""How a report is made again: its recipe as TOML, and the command.

Both are read off the manifest, which holds what was asked and names the files. A command is for the folder that holds
the files; where it cannot be said whole, a note says why. Cost: a few recipes are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from compsplit.recipe.parsing import Recipe, Setting, from_mapping
from compsplit.recipe.part_orders import in_order
from compsplit.report.page.again_settings import balance_words, evaluate_words, given_words, probe_words, profile_words
from compsplit.report.page.command_words import (
    command_line,
    place_of,
    plain_value,
    quoted,
    read_words,
    recipe_words,
    source_words,
)
from compsplit.report.page.given import Given

_HERE = "Run it in the folder that holds the files."
_SAVE = "Save the recipe as recipe.toml first."
_MEMORY = "It was made from a table in memory, which no command can name."


@dataclass(frozen=True, slots=True)
class MadeAgain:
    """What makes a report again.

    Attributes:
        recipe: The recipe as TOML; empty where a shipped one is named, or there is none.
        command: The command line; empty where it is not known.
        note: What must be done before, or why there is no command; may be empty.
    """

    recipe: str
    command: str
    note: str


def made_again(given: Given) -> MadeAgain:
    """Return how a report is made again."""
    manifest = given.manifest
    make = _KINDS.get(given.report.subject.get("kind", ""))
    if make is None or not manifest:
        return MadeAgain("", "", "It has no manifest, so how it was made is not known here.")
    if not manifest.get("inputs") or manifest.get("read", {}).get("options", {}) is None:
        return MadeAgain("", "", _MEMORY)
    return make(given, manifest)


def _split(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    orders = manifest.get("part_orders", {})
    resolved = {**in_order(manifest["recipe"], orders), "seed": manifest["seed"]}
    recipe = recipe_words(resolved, manifest["recipe_name"], orders=orders)
    said = resolved.get("read", {})
    options = [
        *_with_seed(recipe.options),
        *_format_words(manifest["read"]["format"], said.get("format")),
        *read_words(manifest["read"]["options"], said),
    ]
    command = command_line("run", [recipe.name, *source_words(given.inputs)], [*options, "--out", given.folder])
    return MadeAgain(recipe.toml, command, _note(recipe.toml, given))


def _with_seed(options: Sequence[str]) -> Iterator[str]:
    """Yield settings as ``run`` takes them: the seed has an option of its own."""
    for flag, text in zip(options[::2], options[1::2], strict=True):
        yield from ("--seed", text.removeprefix("seed=")) if text.startswith("seed=") else (flag, text)


def _format_words(format: str, said: str | None) -> list[str]:
    return [] if format == said else ["--format", format]


def _note(toml: str, given: Given) -> str:
    """Return what has to be done before, and what the command cannot say."""
    notes = [_SAVE] if toml else []
    notes.append(_HERE)
    further = sorted({file for file, *_ in given.further_files})
    if further:
        notes.append(f"It needs these files there, too: {', '.join(map(quoted, further))}.")
    places = [place_of(each) for each in given.inputs]
    if len(set(places)) < len(places) and "source" in given.inputs[0]:
        notes.append("Files of one name stand in folders, as the command names them.")
    return " ".join(notes)


def _balance(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    table = given.report.tables.get("rounds")
    options = balance_words(manifest, () if table is None else table.columns[1:-1])
    command = command_line("balance", source_words(given.inputs), [*options, "--out", given.folder])
    return MadeAgain("", command, _HERE)


class _Asked:
    """What an audit, or one of its kin, was asked, and the files that it names by their use."""

    def __init__(self, given: Given) -> None:
        self.options: Mapping[str, Any] = given.manifest["options"]
        self.files: dict[str, list[str]] = {}
        self.entries: dict[str, list[Mapping[str, Any]]] = {}
        for each in given.inputs:
            self.files.setdefault(each["used_as"], []).append(place_of(each))
            self.entries.setdefault(each["used_as"], []).append(each)

    def reading(self) -> Iterator[str]:
        """Yield the reader and its options."""
        if self.options.get("format") is not None:
            yield from ("--format", self.options["format"])
        yield from read_words(self.options.get("read", {}))

    def split(self, flag: str) -> Iterator[str]:
        """Yield what ``--split``, or an option like it, says."""
        name = flag.removeprefix("--")
        told = self.options.get(name)
        if isinstance(told, Mapping):
            by_file = {PurePosixPath(place).name: place for place in self.files.get(name, [])}
            for part, file in told.items():
                yield from (flag, f"{part}={by_file.get(PurePosixPath(file).name, file)}")
        elif told is not None:
            yield from (flag, told)


def _again(
    given: Given, command: str, positional: Sequence[str], options: Sequence[str], base: str | None, note: str = ""
) -> MadeAgain:
    """Return the command of an audit or its kin; ``base`` is the title of the recipe that it has if none is named."""
    manifest = given.manifest
    if base is None:
        line = command_line(command, positional, [*options, "--out", given.folder])
        return MadeAgain("", line, note or _note("", given))
    resolved = _train_first(manifest["options"]["recipe"])

    def plain(settings: Sequence[Setting]) -> Recipe:
        return from_mapping(command, {"title": base}, list(settings))

    recipe = recipe_words(resolved, None, plain)
    named = ["--recipe", recipe.name] if recipe.name else []
    line = command_line(command, positional, [*options, *named, *recipe.options, "--out", given.folder])
    return MadeAgain(recipe.toml, line, _note(recipe.toml, given))


def _train_first(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe whose parts have train in front, where the file does not keep their order."""
    split = dict(resolved.get("split", {}))
    parts = split.get("parts")
    if isinstance(parts, Mapping):
        split["parts"] = dict(sorted(parts.items(), key=lambda each: (each[0] != "train", each[0])))
    return {**resolved, "split": split}


def _audit(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    asked = _Asked(given)
    options = asked.options
    one_table = any(options.get(each) is not None for each in ("part_column", "split", "random_splits"))
    known = {"scenes", "split"} if one_table else {"scenes"}
    positional = [
        place if one_table else f"{use}={place}"
        for use, places in asked.files.items()
        if use not in known
        for place in places
    ]
    if not positional:
        return MadeAgain("", "", _MEMORY)
    words = [
        *asked.split("--split"),
        *given_words(options, "part_column", "random_splits", "by", "reference", "subsample", "min_count"),
        *(word for part, share in options.get("share", {}).items() for word in ("--share", f"{part}={share}")),
        *(word for place in asked.files.get("scenes", []) for word in ("--scenes", place)),
        *(
            word
            for audit, held in options.get("readings", {}).items()
            for key, value in held.items()
            for word in ("--reading", f"{audit}.{key}={plain_value(value)}")
        ),
        *(word for audit in options.get("further", []) for word in ("--with", audit)),
        *(word for check in options.get("checks", []) for word in ("--check", check)),
        *asked.reading(),
    ]
    return _again(given, "audit", positional, words, "Audit")


def _evaluate(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    asked = _Asked(given)
    before = "predictions of "
    models = {use.removeprefix(before): places[0] for use, places in asked.files.items() if use.startswith(before)}
    if "data" not in asked.files or not models:
        return MadeAgain("", "", _MEMORY)
    named = [place if PurePosixPath(place).stem == model else f"{model}={place}" for model, place in models.items()]
    words = [
        *(word for each in named[1:] for word in ("--compare", each)),
        *asked.split("--split"),
        *evaluate_words(asked.options, asked.files),
        *asked.reading(),
    ]
    return _again(given, "evaluate", [*asked.files["data"], named[0]], words, "Evaluation")


def _probe(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    asked = _Asked(given)
    if "data" not in asked.files:
        return MadeAgain("", "", _MEMORY)
    words = [*asked.split("--split"), *asked.split("--original"), *probe_words(asked.options), *asked.reading()]
    return _again(given, "probe", asked.files["data"], words, "Blind probes")


def _profile(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    asked = _Asked(given)
    positional = [f"{name}={place}" for name, places in asked.files.items() for place in places]
    return _again(given, "profile", positional, [*profile_words(asked.options), *asked.reading()], None)


def _comparison(given: Given, manifest: Mapping[str, Any]) -> MadeAgain:
    asked = _Asked(given)
    said = []
    for letter in "AB":
        places = list(map(PurePosixPath, asked.files.get(letter, [])))
        name = str(given.report.subject["splits"][letter]["name"])
        if len(places) > 1 and name == ", ".join(each.name for each in places):
            return MadeAgain("", "", f"Which part each list of ids of {letter} is of is not kept.")
        folder = places[0].parent if places else PurePosixPath(name)
        if len(places) == 1 and places[0].name == name:
            said.append(places[0].as_posix())
        else:
            said.append(folder.as_posix() if folder.name == name else name)
    words = ["--allow-unjoined"] if asked.options.get("allow_unjoined") else []
    return _again(given, "compare", said, words, None, "Run it in the folder that holds both splits.")


_KINDS: Mapping[str, Callable[[Given, Mapping[str, Any]], MadeAgain]] = {
    "split": _split,
    "balance": _balance,
    "audit": _audit,
    "evaluation": _evaluate,
    "probe": _probe,
    "profile": _profile,
    "comparison": _comparison,
}

"""What was asked of a command as its options: those that are not what they are by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compsplit.balancing.balancing import balance_recipe
from compsplit.balancing.labels import LEVELS
from compsplit.describing.profiling import SPEECH
from compsplit.programs.labels import RULES
from compsplit.report.page.command_words import plain_value, read_words, recipe_words

_BALANCE = {"bound": "1", "r_min": "0.5", "r_max": "0.9", "head": "0.2", "floor": 1, "answers": "exact", "seed": 0,
            "tolerance": "0.01"}  # fmt: skip
_MADE = {
    "question": {"global": "question type", "local": "question type + reduced question"},
    "program": {"global": f"{RULES}: category of the answer", "local": f"{RULES}: local label, by the program's words"},
    "labels": {"global": "group_global", "local": "group_local"},
}
"""``--groups`` -> what groups of each level are called then; ``labels`` is what needs no word."""
_PROBE = {"random_splits": 5, "halvings": 4, "least_rows": 20, "replicates": 1000, "seed": 0}
_INTERVALS = {"replicates": 1000, "level": 0.95, "seed": 0}


def given_words(options: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Yield the options of these names that were given, each with its value."""
    for name in names:
        if options.get(name) is not None:
            yield from (_flag(name), str(options[name]))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _other_than(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    for name, usual in defaults.items():
        if name in options and options[name] != usual:
            yield from (_flag(name), str(options[name]))


def balance_words(manifest: Mapping[str, Any], stages: Sequence[str]) -> list[str]:
    """Return the options of a balance.

    Args:
        manifest: Of its folder.
        stages: Levels and types in the order of their turns, which the manifest's settings do not keep.
    """
    settings = manifest["settings"]
    words = list(_level_words(settings["levels"], stages))
    words += _other_than(_BALANCE, settings)
    if settings["near_repeats"] == "kept":
        words.append("--keep-near-repeats")
    for column in sorted(settings["types"], key=lambda name: (stages.index(name) if name in stages else 0, name)):
        for of, share in settings["types"][column].items():
            words += ["--type", f"{column}:{of}={share}"]
    if isinstance(settings["rounds"], int):
        words += ["--rounds", str(settings["rounds"])]
    resolved = {**balance_recipe().resolved, **manifest["recipe"]}
    words += recipe_words(resolved, None, balance_recipe).options
    return [*words, "--format", manifest["read"]["format"], *read_words(manifest["read"]["options"])]


def _level_words(levels: Mapping[str, str], stages: Sequence[str]) -> Iterator[str]:
    """Yield where groups come from: labels that are made, or columns; and which levels take turns, in which order."""
    groups = next((each for each, names in _MADE.items() if any(levels[at] == names[at] for at in levels)), None)
    if groups not in (None, "labels"):
        yield from ("--groups", str(groups))
    for level, of in levels.items():
        if groups is None or of != _MADE[groups][level]:
            yield from (f"--{level}", of)
    turns = [stage for stage in stages if stage in levels] or list(levels)
    if tuple(turns) != LEVELS:
        yield from ("--levels", ",".join(turns))


def evaluate_words(options: Mapping[str, Any], files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the options of an evaluation, with the files that it was given besides data and predictions."""
    words = [word for place in files.get("train", ()) for word in ("--train", place)]
    words += given_words(options, "part_column", "reference")
    words += [word for part in options.get("parts", ()) for word in ("--part", part)]
    words += [word for place in files.get("all questions", ()) for word in ("--all-questions", place)]
    for use in ("choices", "scenes", "attentions", "pair scores"):
        words += [word for place in files.get(use, ()) for word in (_flag(use.replace(" ", "_")), place)]
    words += _other_than({"map_size": 7, "score": "balanced", "missing": "stop", "repeated": "stop"}, options)
    words += [_flag(name) for name in ("allow_unjoined", "join_zeros") if options.get(name)]
    words += [word for metric in options.get("metrics", ()) for word in ("--metric", metric)]
    for metric, held in options.get("metric_options", {}).items():
        for key, value in held.items():
            words += ["--metric-option", f"{metric}.{key}={plain_value(value)}"]
    return [*words, *_other_than(_INTERVALS, options.get("intervals", {}))]


def probe_words(options: Mapping[str, Any]) -> list[str]:
    """Return the options of probes, but for those that name splits."""
    words = list(given_words(options, "by", "part_column", "reference", "part"))
    words += given_words(options, "original_by", "original_column", "original_part")
    words += [word for probe in options.get("probes", ()) for word in ("--probe", probe)]
    words += _other_than(_PROBE, options)
    return [*words, *(["--allow-unjoined"] if options.get("allow_unjoined") else [])]


def profile_words(options: Mapping[str, Any]) -> list[str]:
    """Return the options of a profile."""
    words = [] if options.get("tagger", "auto") == "auto" else ["--tagger", str(options["tagger"])]
    for kind, tags in options.get("tags", {}).items():
        if tags != ", ".join(SPEECH.get(kind, ())):
            words += ["--tags", f"{kind}={tags.replace(' ', '')}"]
    return words

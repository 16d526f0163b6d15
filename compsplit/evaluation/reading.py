"""Read what is evaluated: questions with what metrics need of them, predictions, options of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.model.scenes import RowTable
from compsplit.model.table import Input, QATable
from compsplit.readers import detected, inputs
from compsplit.readers.predictions import Predictions, predictions_of, read_predictions
from compsplit.recipe.readings import key_and_value
from compsplit.recipe.running import read_table
from compsplit.registry import plugin

_READ = {"keep_answers": True, "without_questions": True}
"""Options of readers: what metrics need is kept, and what none of them does is not asked for."""


_LISTS = ("entailed",)
"""Lists of each row that metrics need which run by themselves; others say which they need."""


def reads_programs(metrics: Sequence[str]) -> bool:
    """Tell whether one of the metrics looks at programs."""
    return any(plugin("metric", metric).facts.get("programs", False) for metric in metrics)


def lists_of(metrics: Sequence[str], attentions: bool) -> tuple[str, ...]:
    """Return the lists of each row that metrics need, those that run by themselves included.

    Args:
        metrics: Names of those that are asked for.
        attentions: Whether attention is held against regions.
    """
    asked = (name for metric in metrics for name in plugin("metric", metric).facts.get("lists", ()))
    return tuple(dict.fromkeys((*_LISTS, *asked, *(("regions",) if attentions else ()))))


def read_answered(
    files: Sequence[Any],
    format: str | None,
    options: Mapping[str, Any],
    lists: Sequence[str] = _LISTS,
    *,
    programs: bool = False,
    allow_unjoined: bool = False,
) -> QATable:
    """Return questions with everything that metrics need.

    Args:
        files: Files, or one table.
        format: Name of a reader; the content decides if it is not given.
        options: The reader's options.
        lists: The lists of each row that are kept, where the reader has lists.
        programs: Whether programs are kept, where the reader has them.
        allow_unjoined: Whether the reader may leave out records without a partner, where it joins files.

    Raises:
        UsageError: The files hold scenes.
    """
    if files and all(isinstance(file, str | Path) for file in files):
        found = inputs(files)
        format = format or detected(found)
        known = plugin("reader", format).options
        wanted = {**_READ, "keep_lists": list(lists), "brief": not programs, "allow_unjoined": allow_unjoined}
        options = {**{name: kept for name, kept in wanted.items() if name in known}, **options}
        files = found
    table: RowTable = (
        files[0] if len(files) == 1 and isinstance(files[0], QATable) else read_table(files, format, options)
    )
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}), and predictions are of questions.", field="format")
    return table


def models_of(given: Mapping[str, Any]) -> list[Predictions]:
    """Return the predictions of models: name -> file, or id -> answer in memory.

    Raises:
        CompsplitError: As its message says.
    """
    if not given:
        raise UsageError("No predictions are given.")
    return [
        predictions_of(each, name) if isinstance(each, Mapping) else read_predictions(_one(each), name)
        for name, each in given.items()
    ]


def metric_options_of(written: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return metric -> its options, of ``METRIC.KEY=VALUE`` texts.

    Raises:
        UsageError: A text is not of this form.
        CompsplitError: There is no such metric or option.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in written:
        form = "METRIC.KEY=VALUE, such as gqa-ood.alpha=0.5"
        key, value = key_and_value(each, form, "--metric-option")
        name, dot, option = key.partition(".")
        if not dot or not option:
            raise UsageError(f'"{each}" is not {form}.', field="--metric-option")
        found.setdefault(name, {})[option] = value
    return {name: plugin("metric", name).check(given, name) for name, given in found.items()}


def _one(given: Any) -> Input:
    if isinstance(given, Input):
        return given
    found = inputs([given])
    if len(found) != 1:
        raise UsageError(f"{Path(given).name} is an archive of {len(found)} files; name one: ARCHIVE//MEMBER.")
    return found[0]

"""Run a recipe: read, reduce, group, split, report. Writing the folder is another step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import ImpossibleError, MissingValueError, UsageError, counted, listed
from compsplit.model.column import Column, crossed
from compsplit.model.grouping import Grouping
from compsplit.model.report import Report
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable
from compsplit.model.targets import exact_fraction
from compsplit.readers import detected, inputs
from compsplit.recipe.checks import Check
from compsplit.recipe.guarantees import SHOWN, guaranteed
from compsplit.recipe.parsing import Recipe, Setting
from compsplit.recipe.reporting import reported, shown_sizes
from compsplit.recipe.scene_join import SceneJoin
from compsplit.registry import plugin
from compsplit.splitters import Problem

Watch = Callable[[str], None]
"""Told the name of each stage as it begins."""


_MADE = ("question_type", "answer_type")
"""Columns that are made of a row's text where records do not say."""


def no_watch(_: str) -> None:
    """Watch nothing."""


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a recipe made.

    Attributes:
        recipe: The recipe.
        table: The rows that were divided, and what was left out.
        rows: The same rows with columns and concepts.
        grouping: Rows that stay together.
        split: The part of each row.
        reducer: What the reducer says of itself, None where none was needed.
        read_options: The reader's options; None for a table that was given in memory, which nobody can read again.
    """

    recipe: Recipe
    table: RowTable
    rows: Rows
    grouping: Grouping
    split: Split
    reducer: Mapping[str, Any] | None
    read_options: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"Run({self.report.verdict})"

    @cached_property
    def report(self) -> Report:
        """What was measured, with the checks' findings; made when it is first asked for.

        Raises:
            UnknownNameError: A check names a measure that there is not.
        """
        return reported(self.recipe, self.table, self.rows, self.grouping, self.split, self.reducer, self.checks)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The recipe's checks, and those that the splitter's guarantee comes to."""
        return tuple(dict.fromkeys((*self.recipe.checks, *guaranteed(self.recipe.split, self.rows, self.split.parts))))

    @property
    def parts(self) -> dict[str, list[str]]:
        """The ids of each part."""
        return {part: self.table.ids[self.split.rows_in(part)].tolist() for part in self.split.parts}


def read_table(files: Sequence[Any], format: str | None = None, options: Mapping[str, Any] | None = None) -> RowTable:
    """Read files, or one pandas or Arrow table, into a table.

    Args:
        files: Paths, ``NAME=PATH``, inputs, or one table.
        format: Name of a reader; the content decides if it is not given.
        options: The reader's options.

    Raises:
        CompsplitError: As its message says.
    """
    if not files:
        raise UsageError("No file is given.")
    if len(files) > 1 and not all(isinstance(file, str | Path | Input) for file in files):
        raise UsageError("Give files, or one table; put tables together before.")
    if len(files) == 1 and not isinstance(files[0], str | Path | Input):
        return plugin("reader", "table").make(files, **plugin("reader", "table").check(options or {}, "read"))  # type: ignore[no-any-return]  # plug-ins are of any type
    found = tuple(files) if isinstance(files[0], Input) else inputs(files)
    reader = plugin("reader", format or detected(found))
    given = {name: v for name, v in (options or {}).items() if name != "threads" or name in reader.options}
    table: RowTable = reader.make(found, **reader.check(given, "read"))
    if isinstance(table, SceneTable):
        held = np.bincount(table.sources.codes[table.sources.codes >= 0], minlength=len(table.sources.names)).tolist()
        by_source = dict(zip(table.sources.names, held, strict=True))
        n_scenes = tuple(by_source.get(each.source, 0) for each in found)
        table = dataclasses.replace(table, inputs=found, n_scenes=n_scenes)
    if not len(table):
        names = listed(file.name for file in found)
        raise UsageError(f"{names}: no row is in {'it' if len(found) == 1 else 'them'}.", file=found[0].name)
    return table


def run_recipe(
    recipe: Recipe,
    files: Sequence[Any],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    watch: Watch = no_watch,
    writes: bool = False,
) -> Run:
    """Run a recipe on files and return everything that it made; nothing is written.

    Args:
        recipe: The recipe.
        files: As for ``read_table``.
        format: Reader, in place of the recipe's.
        options: Options of the reader, over the recipe's.
        watch: Told each stage.
        writes: Whether the split is to be written, so that a writer that cannot says so before any work.

    Raises:
        CompsplitError: As its message says, ImpossibleError where the targets cannot be had.
    """
    watch("reading")
    reading = {**recipe.read_options, **(options or {})}
    table = read_table(files, format or recipe.format, reading)
    return with_reading(run_on_table(recipe, table, watch, writes=writes), reading)


def with_reading(run: Run, reading: Mapping[str, Any]) -> Run:
    """Return the run with the options that its files were read with."""
    # How many files are read at a time shows in no result.
    return dataclasses.replace(run, read_options={name: v for name, v in reading.items() if name != "threads"})


def run_on_table(recipe: Recipe, table: RowTable, watch: Watch = no_watch, *, writes: bool = False) -> Run:
    """Run a recipe on a table that was read already; ``writes`` as for ``run_recipe``.

    Raises:
        CompsplitError: As its message says, ImpossibleError where what is asked cannot be had.
    """
    asks = recipe.write.plugin.facts.get("check")
    if writes and asks is not None:
        asks(table)
    watch("reducing")
    table = completed(recipe, table)
    rows, described = extracted(recipe, table)
    grouping = recipe.group.make(rows)
    strata = crossed(*(rows.column(name) for name in recipe.strata)) if recipe.strata else None
    watch("splitting")
    problem = Problem(grouping, recipe.targets, recipe.seed, rows.concepts, strata, rows, recipe.fold)
    split = recipe.split.make(problem)
    if recipe.validation is not None:
        watch("taking out validation parts")
        promised = {check.name for check in guaranteed(recipe.split, rows, split.parts)}
        split = recipe.validation.taken_out(problem, split, shown=bool(promised & SHOWN))
    empty = [part for part, size in split.sizes.items() if not size]
    if empty:
        gone = int((~split.placed).sum())
        left = f", {gone:,} of them left out" if gone else ""
        asked = f" ({shown_sizes(split.asked)})" if split.asked else ""
        raise ImpossibleError(
            f"Part {', '.join(empty)} would be empty: none of {counted(grouping.n_groups, 'group')} of "
            f"{counted(len(rows), rows.noun)}{left} fits what is asked{asked}. Nothing was written.",
            facts={"sizes": dict(split.sizes), "asked": dict(split.asked), "left_out": gone},
        )
    return narrowed(Run(recipe, table, rows, grouping, split, described))


def narrowed(run: Run) -> Run:
    """Return the run of the rows that have a part; the others are left out of the table, each with its reason."""
    split, table = run.split, run.table
    if split.left_out is None:
        return run
    reasons = split.left_out
    codes = reasons.codes
    # In alphabetical order, as a split that is read from its folder knows no other.
    for reason, code in sorted((reason, code) for code, reason in enumerate(reasons.names)):
        there = codes != code
        table = table.keep(there, reason, f"{run.rows.noun}s left out: {reason}")
        codes = codes[there]
    kept = np.flatnonzero(split.placed)
    return dataclasses.replace(
        run, table=table, rows=run.rows.taken(kept), grouping=run.grouping.taken(kept), split=split.taken(kept)
    )


def completed(recipe: Recipe, table: RowTable) -> RowTable:
    """Return the table of the rows that can be grouped.

    Rows without an answer are left out where groups are made of answers; other rows without what decides their group
    stop the run, or are left out if the recipe says so.

    Raises:
        UsageError: No row has an answer.
        MissingValueError: A row has no value there.
    """
    if recipe.group.plugin.name in ("question-answer", "question-type-answer") and isinstance(table, QATable):
        has_answer = table.answers.codes >= 0
        if not has_answer.any():
            raise UsageError(
                "No row has an answer, and the recipe groups rows by question and answer. Add the annotations file, or "
                "name the column with --column answer=NAME.",
                field="answer",
            )
        table = table.keep(has_answer, "no answer", "rows without an answer left out")
        return _with_key(recipe, table, "question", table.questions, "rows without a question left out")
    if recipe.group.plugin.name == "column":
        name = recipe.group.options.get("column", recipe.group.plugin.options["column"].default)
        column = table.named_columns().get(name)
        if column is None or name in _MADE:
            column = extracted(recipe, table)[0].column(name)
        return _with_key(recipe, table, name, column, f"rows without {name} left out")
    return table


def _with_key(recipe: Recipe, table: RowTable, name: str, key: Column, decision: str) -> RowTable:
    """Stop, or leave rows out, where the column that decides groups has no value."""
    there = key.codes >= 0
    if there.all() or not key.names:
        return table
    if recipe.missing == "stop" or not there.any():
        raise MissingValueError(name, sorted(table.ids[~there].tolist()))
    return table.keep(there, f"no {name}", decision)


def extracted(
    recipe: Recipe, table: RowTable, scenes: SceneJoin | None = None
) -> tuple[Rows, Mapping[str, Any] | None]:
    """Return the rows with their concepts and compounds, and what the reducer says of itself.

    Args:
        recipe: Says how questions are reduced and what is extracted.
        table: The rows.
        scenes: The scenes of questions.
    """
    if isinstance(table, SceneTable) or not table.questions.names:
        return recipe.extract.rows(table, None, scenes), None
    reducer = recipe.reduce.make()
    return recipe.extract.rows(table, reducer, scenes), reducer.described


def share_settings(shares: Sequence[str]) -> list[Setting]:
    """Return the recipe settings that ``--share test=0.3`` options mean; train takes the rest, and stands first.

    Raises:
        UsageError: A share is not NAME=FRACTION, or a part has two.
    """
    fractions: dict[str, Fraction] = {}
    for share in shares:
        part, equals, text = share.partition("=")
        part = part.strip()
        if part in fractions:
            raise UsageError(f'The share of "{part}" is given twice.', field="--share")
        try:
            if not equals:
                raise ValueError(share)
            fractions[part] = exact_fraction(text.strip())
        except ValueError as error:
            raise UsageError(f'"{share}" is not PART=FRACTION, such as test=0.3.', field="--share") from error
    if not fractions:
        return []
    rest = 1 - sum(fractions.values(), Fraction(0))
    if "train" in fractions or rest:
        fractions = {"train": fractions.get("train", rest), **fractions}
    return [Setting("split.parts", {part: str(value) for part, value in fractions.items()}, "--share")]


def overriding(
    settings: Sequence[str | Setting],
    *,
    seed: int | None = None,
    share: Sequence[str] = (),
    by: str | None = None,
    of: Sequence[str] = (),
    validation: Mapping[str, str | None] | None = None,
) -> list[str | Setting]:
    """Return the settings over what ``--by`` and ``--of`` say, under ``--seed``, ``--share`` and ``--val-...``."""
    return [
        # What names a plug-in comes first: it takes away the options of the one before.
        *([] if by is None else [Setting("group.by", by, "--by")]),
        *([Setting("extract.of", list(of) if len(of) > 1 else of[0], "--of")] if of else []),
        *settings,
        *share_settings(share),
        *([] if seed is None else [Setting("seed", seed, "--seed")]),
        *(Setting(f"validate.{name}", value, f"--{name}") for name, value in (validation or {}).items() if value),
    ]

"""Run a recipe: read, reduce, group, split, audit, check. Writing the folder is another step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from compsplit.errors import ImpossibleError, MissingValueError, UsageError
from compsplit.model.column import Column, crossed
from compsplit.model.grouping import Grouping
from compsplit.model.report import Audited, Finding, Measure, Report, Table, Undefined, failures_first
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable
from compsplit.readers import detected, inputs
from compsplit.recipe.checks import Check
from compsplit.recipe.parsing import Recipe
from compsplit.registry import plugin, plugins
from compsplit.splitters import Problem

Watch = Callable[[str], None]
"""Told the name of each stage as it begins."""


def no_watch(_: str) -> None:
    """Watch nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Everything that a recipe made.

    Attributes:
        recipe: The recipe.
        table: The rows that were divided, and what was left out.
        rows: The same rows with columns and concepts.
        grouping: Rows that stay together.
        split: The part of each row.
        report: What was measured, with the checks' findings.
        reducer: What the reducer says of itself, None where none was needed.
        read_options: The reader's options.
    """

    recipe: Recipe
    table: QATable
    rows: Rows
    grouping: Grouping
    split: Split
    report: Report
    reducer: Mapping[str, Any] | None
    read_options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, list[str]]:
        """The ids of each part."""
        return {part: self.table.ids[self.split.rows_in(part)].tolist() for part in self.split.parts}


def read_table(files: Sequence[Any], format: str | None = None, options: Mapping[str, Any] | None = None) -> QATable:
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
    if len(files) == 1 and not isinstance(files[0], str | Path | Input):
        return plugin("reader", "table").make(files, **plugin("reader", "table").check(options or {}))  # type: ignore[no-any-return]
    found = tuple(files) if isinstance(files[0], Input) else inputs(files)
    reader = plugin("reader", format or detected(found))
    given = {name: v for name, v in (options or {}).items() if name != "processes" or name in reader.options}
    return reader.make(found, **reader.check(given))  # type: ignore[no-any-return]


def run_recipe(
    recipe: Recipe,
    files: Sequence[Any],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    watch: Watch = no_watch,
) -> Run:
    """Run a recipe on files and return everything that it made; nothing is written.

    Args:
        recipe: The recipe.
        files: As for ``read_table``.
        format: Reader, in place of the recipe's.
        options: Options of the reader, over the recipe's.
        watch: Told each stage.

    Raises:
        CompsplitError: As its message says, ImpossibleError where the targets cannot be had.
    """
    watch("reading")
    reading = {**recipe.read_options, **(options or {})}
    table = read_table(files, format or recipe.format, reading)
    # How many processes read shows in no result.
    kept = {name: value for name, value in reading.items() if name != "processes"}
    return dataclasses.replace(run_on_table(recipe, table, watch), read_options=kept)


def run_on_table(recipe: Recipe, table: QATable, watch: Watch = no_watch) -> Run:
    """Run a recipe on a table that was read already."""
    watch("reducing")
    table = answered(table, recipe)
    rows, described = extracted(recipe, table)
    table, rows = _with_groups(recipe, table, rows)
    grouping = recipe.group.make(rows)
    strata = crossed(*(rows.column(name) for name in recipe.strata)) if recipe.strata else None
    watch("splitting")
    split = recipe.split.make(Problem(grouping, recipe.targets, recipe.seed, rows.concepts, strata))
    empty = [part for part, size in split.sizes.items() if not size]
    if empty:
        raise ImpossibleError(
            f"Part {', '.join(empty)} would be empty: none of {grouping.n_groups:,} groups of {len(rows):,} rows fits "
            f"what is asked ({shown_sizes(split.asked)}). Nothing was written.",
            facts={"sizes": dict(split.sizes), "asked": dict(split.asked)},
        )
    watch("auditing")
    report = reported(recipe, table, rows, grouping, split, described)
    return Run(recipe, table, rows, grouping, split, report, described)


def answered(table: QATable, recipe: Recipe) -> QATable:
    """Leave rows without an answer out where groups are made of answers.

    Raises:
        UsageError: No row has an answer.
    """
    if recipe.group.plugin.name != "question-answer":
        return table
    has_answer = table.answers.codes >= 0
    if not has_answer.any():
        raise UsageError(
            "No row has an answer, and the recipe groups rows by question and answer. Add the annotations file, or "
            "name the column with --column answer=NAME.",
            field="answer",
        )
    return table.keep(has_answer, "no answer", "rows without an answer left out")


def extracted(recipe: Recipe, table: QATable) -> tuple[Rows, Mapping[str, Any] | None]:
    """Return the rows with their concepts, and what the reducer says of itself."""
    if not table.questions.names or not table.answers.names:
        return recipe.extract.make(table, None), None
    reducer = recipe.reduce.make()
    return recipe.extract.make(table, reducer), reducer.described


def _with_groups(recipe: Recipe, table: QATable, rows: Rows) -> tuple[QATable, Rows]:
    """Stop, or leave rows out, where the column that decides groups has no value."""
    if recipe.group.plugin.name != "column":
        return table, rows
    name = recipe.group.options["column"]
    there = rows.column(name).codes >= 0
    if there.all():
        return table, rows
    if recipe.missing == "stop":
        raise MissingValueError(name, sorted(table.ids[~there].tolist()))
    kept = table.keep(there, f"no {name}", f"rows without {name} left out")
    return kept, extracted(recipe, kept)[0]


def grouped(rows: Rows, grouping: Grouping) -> Rows:
    """Return the rows with the column ``group``."""
    return dataclasses.replace(rows, columns={**rows.columns, "group": Column(grouping.group_of_row, grouping.names)})


def audited(rows: Rows, split: Split) -> Audited:
    """Return what all audits say, in the order of their names but sizes first."""
    found = [
        audit.make(rows, split) for _, audit in sorted(plugins("audit").items(), key=lambda a: (a[0] != "sizes", a[0]))
    ]
    return Audited(
        tuple(measure for each in found for measure in each.measures),
        {name: table for each in found for name, table in each.tables.items()},
        tuple(finding for each in found for finding in each.findings),
    )


def checked(measures: Sequence[Measure], checks: Iterable[Check], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with those of broken checks in front."""
    broken = [finding for check in checks for finding in check.broken(measures)]
    return failures_first([*broken, *findings])


def reported(
    recipe: Recipe, table: QATable, rows: Rows, grouping: Grouping, split: Split, reducer: Mapping[str, Any] | None
) -> Report:
    """Return the report of a split."""
    found = audited(grouped(rows, grouping), split)
    tables = {**found.tables, **_published(recipe, rows, found.measures)}
    findings = checked(found.measures, recipe.checks, (*table.findings, *_split_findings(split), *found.findings))
    facts = {name: value for name, value in split.facts.items() if not isinstance(value, dict | list)}
    subject = {
        "kind": "split",
        "title": recipe.title,
        "source": recipe.source,
        "method": recipe.split.plugin.name,
        "seed": recipe.seed,
        "rows": len(rows),
        "groups": grouping.n_groups,
        "group": grouping.unit,
        "largest group": int(grouping.sizes.max()),
        "reference": split.parts[0],
        "parts": {part: {"asked": split.asked.get(part), "got": n} for part, n in split.sizes.items()},
        "reducer": None if reducer is None else {k: v for k, v in reducer.items() if k != "tables"},
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "extraction": dict(rows.facts),
        "splitter": facts,
    }
    subject["verdict"] = _verdict(recipe, rows, split, found.measures, findings)
    return Report(subject, found.measures, tables, findings)


def shown_sizes(sizes: Mapping[str, int]) -> str:
    """Return sizes as ``train 8,312, test 4,156``."""
    return ", ".join(f"{part} {n:,}" for part, n in sizes.items())


def _verdict(recipe: Recipe, rows: Rows, split: Split, measures: Sequence[Measure], findings: Sequence[Finding]) -> str:
    broken = [finding for finding in findings if finding.level == "fail"]
    head = f"{len(broken)} of {len(recipe.checks)} checks broken. " if broken else ""
    sizes = ", ".join(
        f"{part} {n:,}" + (f" (asked {split.asked[part]:,})" if part in split.asked else "")
        for part, n in split.sizes.items()
    )
    said = [f"{recipe.title}: {len(rows):,} rows into {sizes}"]
    for name, of, told in (
        ("coverage", "concepts", "coverage"),
        ("weighted-coverage", "concepts", "weighted"),
        ("qa-overlap", "qa (reduced)", "QA overlap"),
    ):
        measure = next((m for m in measures if m.name == name and m.of == of), None)
        if measure is not None:
            value = measure.value
            said.append(f"{told} {'undefined' if isinstance(value, Undefined) else f'{measure.number:.4g}'}")
    return head + "; ".join(said) + "."


def _split_findings(split: Split) -> list[Finding]:
    """Say where the got sizes are not the asked ones, and what kept rows from moving."""
    findings = []
    short = {part: asked - split.sizes[part] for part, asked in split.asked.items() if asked != split.sizes[part]}
    if short:
        said = ", ".join(f"{part} asked {split.asked[part]:,} got {split.sizes[part]:,}" for part in short)
        findings.append(
            Finding(
                kind="size-not-reached",
                count=max(map(abs, short.values())),
                first=tuple(short),
                message=f"Sizes differ from what was asked: {said}. No group is torn to reach a size.",
            )
        )
    stuck = split.facts.get("rows_that_cannot_move")
    if stuck:
        ways = split.facts.get("in_the_way", [])
        named = ", ".join(f"{name} ({rows:,} rows)" for name, rows in ways[:5])  # type: ignore[index]  # pairs
        findings.append(
            Finding(
                kind="rows-that-cannot-move",
                count=int(stuck),  # type: ignore[call-overload]  # a whole number
                first=tuple(name for name, _ in ways[:5]),  # type: ignore[index]
                message=f"{stuck:,} rows hold a concept that too few groups show, so they stay in {split.parts[0]}; the "
                f"other parts can hold at most {split.facts['ceiling']:,} rows. In the way first: {named}.",
            )
        )
    alone = split.facts.get("strata_of_one_group")
    if alone:
        names = list(alone)  # type: ignore[call-overload]  # names
        findings.append(
            Finding(
                kind="strata-of-one-group",
                count=len(names),
                first=tuple(names[:5]),
                message=f"{len(names):,} strata have one group only; it stays in {split.parts[0]}.",
            )
        )
    return findings


def _published(recipe: Recipe, rows: Rows, measures: Sequence[Measure]) -> dict[str, Table]:
    """Return published beside obtained figures, if the data are known by their counts."""
    known_by = recipe.published.get("known_by")
    if not known_by:
        return {}
    image = rows.columns["image"]
    counts = {"questions": len(rows), "answers": int(rows.counts["answers"].sum()), "images": len(image.names)}
    if any(counts.get(name) != n for name, n in known_by.items()):
        return {}
    by_name = {
        measure.written: measure for measure in reversed(measures) if measure.options.get("unit", "rows") == "rows"
    }
    table = []
    for figure in recipe.published.get("figure", []):
        got = by_name.get(figure["measure"])
        table.append((figure["measure"], figure["value"], None if got is None else got.number, figure["place"]))
    return {"published beside obtained": Table(("measure", "published", "obtained", "place"), tuple(table))}


def share_settings(shares: Sequence[str]) -> list[str]:
    """Return the recipe settings that ``--share test=0.3`` options mean; train takes the rest.

    Raises:
        UsageError: A share is not NAME=FRACTION.
    """
    from compsplit.model.targets import exact_fraction

    fractions: dict[str, Fraction] = {}
    for share in shares:
        part, equals, text = share.partition("=")
        try:
            if not equals:
                raise ValueError(share)
            fractions[part.strip()] = exact_fraction(text.strip())
        except (ValueError, ZeroDivisionError) as error:
            raise UsageError(f'"{share}" is not PART=FRACTION, such as test=0.3.', field="--share") from error
    if not fractions:
        return []
    rest = 1 - sum(fractions.values(), Fraction(0))
    if "train" not in fractions:
        fractions = {"train": rest, **fractions}
    entries = ", ".join(f'"{part}" = "{value}"' for part, value in fractions.items())
    return [f"split.parts={{{entries}}}"]

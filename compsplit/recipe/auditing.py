"""Audit parts that exist already: files named by part, one file with a part column, or a split beside the data."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingValueError, UnknownIdsError, UnknownNameError, UsageError, counted, listed
from compsplit.model.column import Column
from compsplit.model.report import Audited, Finding, Measure, Report, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable
from compsplit.model.targets import Targets, exact_fraction
from compsplit.order import name_hashes, seeded_order
from compsplit.readers import inputs
from compsplit.recipe.checks import Check
from compsplit.recipe.id_lists import SplitLists, listed_files, read_id_lists
from compsplit.recipe.joining import joined
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.random_splits import random_parts, summed_up
from compsplit.recipe.readings import asked_by
from compsplit.recipe.reporting import (
    audited,
    broken_first,
    checked,
    decided,
    left_out_told,
    part_sizes,
    published_beside,
    shown_sizes,
    without_tables,
)
from compsplit.recipe.running import Watch, extracted, no_watch, read_table
from compsplit.recipe.scene_join import SceneJoin, join_scenes
from compsplit.recipe.thresholds import MinCount
from compsplit.registry import plugin

_SHARED = (
    ("id-overlap", "id", "id", "ids"),
    ("image-overlap", "image", "image", "images"),
    ("qa-overlap", "qa (normalised)", "question-answer pair", "question-answer pairs"),
    (
        "image-qa-overlap",
        "image + qa (normalised)",
        "image with the same question and answer",
        "images with the same question and answer",
    ),
)
"""What a verdict counts: measure, form, and what one and several are called."""

_SHARED_TEXT = ("question-overlap", "question (exact)", "question text", "question texts")
"""What it counts where rows have no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How parts are audited.

    Attributes:
        recipe: Says how rows are read and reduced, what is extracted, and what is checked.
        reference: The part that others are held against; ``train`` if there is one, else the first.
        checks: Further checks.
        readings: Audit -> its options.
        further: Names of audits that do not run by default.
        min_count: Object classes that are counted.
        subsample: At most so many rows of each part, the first in the seeded order; a first look.
        allow_unjoined: Whether questions without a scene are left out.
        watch: Told each stage.
    """

    recipe: Recipe = field(default_factory=lambda: from_mapping("audit", {"title": "Audit"}))
    reference: str | None = None
    checks: tuple[str, ...] = ()
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    further: tuple[str, ...] = ()
    min_count: MinCount | None = None
    subsample: int | None = None
    allow_unjoined: bool = False
    watch: Watch = no_watch

    @property
    def every_check(self) -> tuple[Check, ...]:
        """The recipe's checks, and the further ones."""
        return (*self.recipe.checks, *(Check.parse(each) for each in self.checks))


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """Rows whose part is known.

    Attributes:
        table: The rows.
        parts: Names of the parts.
        part_of_row: A position in ``parts`` for each row; shape (n_rows,).
        notes: What was found out while the parts were told.
    """

    table: RowTable
    parts: tuple[str, ...]
    part_of_row: NDArray[np.int16]
    notes: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a table says of itself; the rows themselves need not be held while they are audited.

    Attributes:
        is_scenes: Whether the rows are scenes.
        left_out: (id, reason) of records that are not rows.
        decisions: What was decided while reading -> how often.
        findings: What a user should know about the input.
    """

    is_scenes: bool
    left_out: tuple[tuple[str, str], ...]
    decisions: Mapping[str, int]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, table: RowTable) -> Told:
        """Return what a table says."""
        return cls(isinstance(table, SceneTable), table.left_out, table.decisions, table.findings)


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What was measured, and of what.

    Attributes:
        report: All measures, tables and findings.
        rows: The rows that were counted.
        split: Their parts; one part called ``all`` where several random splits were measured.
    """

    report: Report
    rows: Rows
    split: Split


def parts_of_files(
    parts: Mapping[str, Sequence[Any]], *, format: str | None = None, options: Mapping[str, Any] | None = None
) -> Assigned:
    """Return the rows of parts given as files (or as one table each).

    Args:
        parts: Part -> its files; two or more.
        format: Reader; each part's content decides if it is not given.
        options: The reader's options.

    Raises:
        UsageError: Fewer than two parts, or one without a row.
    """
    if len(parts) < 2:
        raise UsageError(f"An audit needs two parts or more, got {listed(parts) or 'none'}. Name each: PART=FILE.")
    tables = {part: _part_table(part, files, format, options) for part, files in _told_apart(parts).items()}
    sizes = [len(each) for each in tables.values()]
    return Assigned(joined(tables), tuple(tables), np.repeat(np.arange(len(sizes)), sizes).astype(np.int16))


def _told_apart(parts: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the files of each part, each with a source of its own, as formats whose ids are only numbers need."""
    if not all(isinstance(file, str | Path) for files in parts.values() for file in files):
        return dict(parts)
    found = {part: inputs(files) for part, files in parts.items()}
    sources = [file.source for files in found.values() for file in files]
    different = {(file.path.resolve(), file.member) for files in found.values() for file in files}
    if len(set(sources)) == len(sources) or len(different) < len(sources):
        return dict(found)
    named = iter(inputs(list(itertools.chain.from_iterable(parts.values()))))
    return {part: tuple(itertools.islice(named, len(files))) for part, files in found.items()}


def _part_table(part: str, files: Sequence[Any], format: str | None, options: Mapping[str, Any] | None) -> RowTable:
    table = (
        files[0]
        if len(files) == 1 and isinstance(files[0], QATable | SceneTable)
        else read_table(files, format, options)
    )
    if not len(table):
        file = files[0].name if files and isinstance(files[0], Input) else None
        raise UsageError(f"Part {part} holds no row, so nothing can be measured.", file=file, facts={"part": part})
    return table


def parts_of_column(table: RowTable, column: str) -> Assigned:
    """Return the rows of one table whose column names each row's part.

    Raises:
        UnknownNameError: There is no such column.
        MissingValueError: A row has no part.
        UsageError: There is one part only.
    """
    columns = table.named_columns()
    if column not in columns:
        raise UnknownNameError("column", column, [name for name, found in columns.items() if found.names])
    found = columns[column]
    if (found.codes < 0).any():
        raise MissingValueError(
            column, sorted(table.ids[found.codes < 0].tolist()), mend="take such rows out of the file first"
        )
    return _by_name(table, found)


def parts_of_lists(
    table: RowTable, split: SplitLists, by: str | None = None, *, allow_unjoined: bool = False
) -> Assigned:
    """Return the rows of one table that a split of its ids names: our folder, or JSON, CSV or text id lists.

    Args:
        table: The rows.
        split: Where the lists are: one path, or part -> file of ids.
        by: The column whose values are listed, such as image; ids without it.
        allow_unjoined: Pass over entries that the data do not have, and count them.

    Raises:
        UsageError: The split names no row, or rows twice.
        UnknownNameError: There is no such column.
    """
    part_of_id = read_id_lists(split)
    told = listed_files(split)
    columns = table.named_columns()
    if by is not None and by not in columns:
        raise UnknownNameError("column", by, [name for name, found in columns.items() if found.names])
    values = table.ids.tolist() if by is None else columns[by].values()
    known = set(values)
    unknown = sorted(set(part_of_id) - known)
    what = "id" if by is None else by
    could_be_rows = _could_be_rows(part_of_id, len(table))
    if unknown and (not allow_unjoined or len(unknown) == len(part_of_id)):
        raise UnknownIdsError(told, what, unknown, n_entries=len(part_of_id), could_be_rows=could_be_rows)
    there = np.array([name in part_of_id for name in values], dtype=bool)
    kept = table.keep(there, "in no part of the split", "rows in no part of the split left out")
    column = Column.of(part_of_id[str(name)] for name, here in zip(values, there.tolist(), strict=True) if here)
    notes: tuple[Finding, ...] = ()
    if unknown:
        notes = (
            Finding(
                kind="entries-unknown",
                count=len(unknown),
                first=tuple(unknown[:5]),
                message=f"{counted(len(unknown), 'entry', 'entries')} of {told} that the data do not have passed over.",
            ),
        )
    if by is None and could_be_rows and not table.numbered:
        notes = (
            *notes,
            Finding(
                kind="ids-or-row-numbers",
                count=len(part_of_id),
                message=f"The entries of {told} are taken as ids, by rule; they could also be row numbers.",
            ),
        )
    return dataclasses.replace(_by_name(kept, column), notes=notes)


def _could_be_rows(entries: Mapping[str, str], n_rows: int) -> bool:
    """Tell whether entries are the numbers 0 or 1 to n_rows, or some of the lowest of them without a gap."""
    if not all(entry.isdigit() for entry in entries):
        return False
    numbers = {int(entry) for entry in entries}
    return bool(numbers) and len(numbers) <= n_rows and max(numbers) - min(numbers) < n_rows and min(numbers) <= 1


def _by_name(table: RowTable, column: Column) -> Assigned:
    names = sorted(column.names, key=lambda name: (name != "train", name))
    if len(names) < 2:
        raise UsageError(f"An audit needs two parts or more, got {listed(names) or 'none'}.")
    number = {name: p for p, name in enumerate(names)}
    part_of_row = np.array([number[name] for name in column.names], dtype=np.int16)[column.codes]
    return Assigned(table, tuple(names), part_of_row)


def audit_assigned(assigned: Assigned, plan: Plan, scenes: SceneTable | None = None) -> Audit:
    """Return the audit of rows whose parts are known.

    Args:
        assigned: The rows.
        plan: How they are audited.
        scenes: The scenes of the questions.

    Raises:
        CompsplitError: As its message says.
    """
    split, before = _in_order(assigned, plan), assigned.notes
    table, split, joint, notes = _narrowed(assigned.table, split, plan, scenes)
    del assigned
    plan.watch("extracting")
    rows, described = extracted(plan.recipe, table, joint)
    told = Told.of(table)
    # What was extracted stands for the rows; the table may be as large as all of it.
    del table, joint
    plan.watch("auditing")
    found = audited(rows, split, plan.readings, (*plan.further, *asked_by(plan.every_check)))
    report = _reported(told, rows, split, plan, found, described, (*before, *notes))
    return Audit(report, rows, split)


def random_shares(share: Mapping[str, Any] | None) -> dict[str, Fraction]:
    """Return part -> share of the units, train first, which takes what the others leave; test 0.3 where none is given.

    Raises:
        FractionError: The shares do not fit.
    """
    given = {part: exact_fraction(value) for part, value in (share or {"test": "0.3"}).items()}
    rest = 1 - sum(given.values(), Fraction(0))
    if "train" not in given and rest > 0:
        given = {"train": rest, **given}
    return dict(Targets(given).fractions)


def audit_random(
    table: RowTable,
    plan: Plan,
    *,
    n_splits: int,
    shares: Mapping[str, Fraction],
    by: str,
    scenes: SceneTable | None = None,
) -> Audit:
    """Return the audit of several random splits of one table: each run, and mean and spread of all.

    Args:
        table: The rows.
        plan: How they are audited.
        n_splits: How many; seeds 0 to n_splits - 1.
        shares: Part -> share of the units.
        by: What stays together: row, or a column such as image.
        scenes: The scenes of the questions.

    Raises:
        CompsplitError: As its message says.
    """
    reference = plan.reference or ("train" if "train" in shares else next(iter(shares)))
    if reference not in shares:
        raise UnknownNameError("part", reference, shares)
    ordered = {reference: shares[reference], **shares}
    if plan.min_count is not None and plan.min_count.counted == "train":
        raise UsageError(
            "With random splits a minimum count is one of all data: each split would have another vocabulary. Say "
            "--min-count N,counted=all."
        )
    everyone = Split(tuple(ordered), np.zeros(len(table), dtype=np.int16))
    table, everyone, joint, notes = _narrowed(table, everyone, plan, scenes)
    plan.watch("extracting")
    rows, described = extracted(plan.recipe, table, joint)
    about = Told.of(table)
    del table, joint
    grouping = plugin("grouper", "row").make(rows) if by == "row" else plugin("grouper", "column").make(rows, column=by)
    runs: list[list[Measure]] = []
    tables: dict[str, Table] = {}
    for seed in range(n_splits):
        plan.watch(f"auditing split {seed + 1} of {n_splits}")
        split = random_parts(grouping, ordered, seed)
        found = audited(rows, split, plan.readings, (*plan.further, *asked_by(plan.every_check)))
        runs.append([dataclasses.replace(measure, run=seed) for measure in found.measures])
        tables = tables or {f"{name} (run 0)": each for name, each in found.tables.items()}
    means, spread = summed_up(runs)
    whole = Audited(tuple(means), {"over random splits": spread, **tables})
    every = (*means, *(measure for run in runs for measure in run))
    told = Finding(
        kind="random-splits",
        count=n_splits,
        message=f"{counted(n_splits, 'random split')} by {by}, seeds 0 to {n_splits - 1}; the figures are means over "
        "them, the spread is the population standard deviation.",
    )
    report = _reported(about, rows, split, plan, whole, described, (told, *notes), every)
    whole_split = Split(("all",), np.zeros(len(rows), dtype=np.int16))
    return Audit(report, rows, whole_split)


def _in_order(assigned: Assigned, plan: Plan) -> Split:
    """Return the split, the reference part first."""
    parts = assigned.parts
    reference = plan.reference or ("train" if "train" in parts else parts[0])
    if reference not in parts:
        raise UnknownNameError("part", reference, parts)
    order = [reference, *(part for part in parts if part != reference)]
    renumbered = np.array([order.index(part) for part in parts], dtype=np.int16)
    return Split(tuple(order), renumbered[assigned.part_of_row])


def _narrowed(
    table: RowTable, split: Split, plan: Plan, scenes: SceneTable | None
) -> tuple[RowTable, Split, SceneJoin | None, tuple[Finding, ...]]:
    """Return the rows that are audited, their split and scenes, and what is to be said of rows that are not."""
    notes: tuple[Finding, ...] = ()
    if plan.subsample is not None:
        table, split, notes = _subsampled(table, split, plan.subsample)
    if plan.min_count is not None:
        table = plan.min_count.applied(table, split.rows_in(split.parts[0]))
    if scenes is None:
        return table, split, None, notes
    joint = join_scenes(table, scenes, allow_unjoined=plan.allow_unjoined)
    split = Split(split.parts, split.part_of_row[joint.kept])
    return joint.table, split, joint, (*notes, *joint.findings, *scenes.findings, *decided(scenes))


def _subsampled(table: RowTable, split: Split, n: int) -> tuple[RowTable, Split, tuple[Finding, ...]]:
    """Return at most n rows of each part, the first in the seeded order of their ids."""
    if n < 1:
        raise UsageError(f"--subsample takes a number of rows, at least 1; got {n}.", field="--subsample")
    names = table.ids.tolist()
    order = seeded_order(name_hashes(names, len(names)), 0, names)
    kept = np.zeros(len(names), dtype=bool)
    for part in range(len(split.parts)):
        kept[order[split.part_of_row[order] == part][:n]] = True
    if kept.all():
        return table, split, ()
    told = Finding(
        kind="subsample",
        count=int(kept.sum()),
        message=f"A first look: {int(kept.sum()):,} of {len(kept):,} rows, at most {n:,} of each part in the seeded "
        "order of ids; no figure is that of the whole.",
    )
    smaller = table.keep(kept, "not in the subsample", "rows outside the subsample left out")
    smaller = dataclasses.replace(smaller, left_out=table.left_out)
    return smaller, Split(split.parts, split.part_of_row[kept]), (told,)


def _reported(
    table: Told,
    rows: Rows,
    split: Split,
    plan: Plan,
    found: Audited,
    described: Mapping[str, Any] | None,
    notes: Sequence[Finding],
    measures: Sequence[Measure] = (),
) -> Report:
    """Return the report; ``measures`` are those of each random split as well, where there are several."""
    parts = split.parts
    absent = [name for name in ("val",) if name not in parts and {"train", "test"} <= set(parts)]
    more = [
        Finding(kind="part-absent", count=0, first=(name,), message=f"There is no part {name}; nothing stands for it.")
        for name in absent
    ]
    findings = checked(
        found, plan.every_check, (*notes, *table.findings, *decided(table), *_strangers(rows, split), *more)
    )
    tables = {**found.tables, **published_beside(plan.recipe, "original", rows, found.measures)}
    subject = {
        "kind": "audit",
        "title": plan.recipe.title,
        "rows": len(rows),
        "row": rows.noun,
        "reference": parts[0],
        "parts": part_sizes(rows, split, {}),
        "reducer": without_tables(described),
        "extracted": {each.of: {"noun": each.noun, **each.rules} for each in rows.compounds.values()},
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "extraction": dict(rows.facts),
        "verdict": _verdict(table, rows, split, findings, measures or found.measures),
    }
    return Report(subject, tuple(measures) or found.measures, tables, findings)


def _strangers(rows: Rows, split: Split) -> list[Finding]:
    """Return a finding for each two parts that have no concept in common, which is likely a mistake."""
    if rows.concepts is None:
        return []
    held = {part: rows.concepts.occurrences(split.rows_in(part)) > 0 for part in split.parts}
    return [
        Finding(
            kind="no-common-vocabulary",
            count=int(held[part].sum()),
            first=tuple(rows.concepts.names[code] for code in np.flatnonzero(held[part])[:3].tolist()),
            message=f"{split.parts[0]} and {part} have none of their {rows.concepts.of} in common; the files, their "
            "columns or their naming (names against synsets) are likely not what they should be.",
        )
        for part in split.parts[1:]
        if held[part].any() and held[split.parts[0]].any() and not (held[part] & held[split.parts[0]]).any()
    ]


_SEPARATION = (
    ("avg-co-pair", "AvgCoPair"),
    ("avg-co-pair-occ", "AvgCoPairOcc"),
    ("avg-co-rel", "AvgCoRel"),
    ("avg-co-rel-occ", "AvgCoRelOcc"),
)


def _verdict(table: Told, rows: Rows, split: Split, findings: Sequence[Finding], measures: Sequence[Measure]) -> str:
    same = [finding for finding in findings if finding.kind == "identical-parts"]
    told = [finding.message for finding in same]
    told += [finding.message for finding in findings if finding.kind in ("random-splits", "subsample")]
    answered = any(measure.name == "qa-overlap" for measure in measures)
    kinds = _SHARED if answered else (*_SHARED, _SHARED_TEXT)
    on_average = " on average" if any(measure.run is not None for measure in measures) else ""
    for one, other in itertools.combinations(split.parts, 2):
        if any(set(finding.first) == {one, other} for finding in same):
            continue
        shared = [
            f"{float(n):,.6g} {noun if n == 1 else nouns}"
            for name, of, noun, nouns in kinds
            for n in [_n_shared(measures, name, of, one, other)]
            if n
        ]
        if shared:
            told.append(f"{one} and {other} share {', '.join(shared)}{on_average}.")
    for part in split.parts[1:]:
        said = [
            f"{label} {'undefined' if isinstance(measure.value, Undefined) else f'{measure.number:,.6g}'}"
            for name, label in _SEPARATION
            for measure in measures[:]
            if measure.name == name and measure.part == part and measure.run is None
        ]
        if said:
            told.append(f"{split.parts[0]} → {part}: {', '.join(said)}.")
    if not same and not any(" share " in each for each in told) and not table.is_scenes:
        told.insert(0, f"No id, image or question{'-answer pair' if answered else ''} is shared.")
    sizes = f"{counted(len(rows), rows.noun)} in {shown_sizes(split.sizes)}{left_out_told(table)}"
    return f"{broken_first(findings)}{sizes}. {' '.join(told)}".rstrip()


def _n_shared(measures: Sequence[Measure], name: str, of: str, reference: str, part: str) -> Fraction:
    """Return how many distinct values two parts share; of several random splits, the mean."""
    asked = (name, of, reference, part, "distinct")
    counts = [
        round(measure.value * measure.n)
        for measure in measures
        if (measure.name, measure.of, measure.reference, measure.part, measure.options.get("unit")) == asked
        # A mean over splits is of shares, and its n is that of splits.
        and "over runs" not in measure.options
        and not isinstance(measure.value, Undefined)
    ]
    return Fraction(sum(counts), len(counts) or 1)

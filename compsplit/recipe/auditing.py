"""Audit parts that exist already: files named by part, one file with a part column, or a split beside the data."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import MissingValueError, UnknownNameError, UsageError, counted, listed
from compsplit.model.column import Column, concatenated, texts
from compsplit.model.report import Finding, Measure, Report, Undefined
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable
from compsplit.readers import inputs
from compsplit.recipe.checks import Check
from compsplit.recipe.id_lists import read_id_lists
from compsplit.recipe.parsing import Recipe, from_mapping
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

_FIELDS = ("images", "questions", "answers", "question_types", "answer_types", "origins", "sources")


def audit_parts(
    parts: Mapping[str, Sequence[Any]],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    recipe: Recipe | None = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Report:
    """Return the report of parts given as files (or as one table each).

    Args:
        parts: Part -> its files; two or more.
        format: Reader; each part's content decides if it is not given.
        options: The reader's options.
        recipe: Says how questions are reduced and what is checked; the default reducer and no check without one.
        reference: The part that others are held against; ``train`` if there is one, else the first.
        checks: Further checks.
        watch: Told each stage.

    Raises:
        UsageError: Fewer than two parts, or an unknown reference.
    """
    if len(parts) < 2:
        raise UsageError(f"An audit needs two parts or more, got {listed(parts) or 'none'}. Name each: PART=FILE.")
    watch("reading")
    tables = {part: _part_table(part, files, format, options) for part, files in _told_apart(parts).items()}
    table = joined(list(tables.values()))
    sizes = [len(each) for each in tables.values()]
    part_of_row = np.repeat(np.arange(len(sizes)), sizes).astype(np.int16)
    return audit_table(
        table, tuple(tables), part_of_row, recipe=recipe, reference=reference, checks=checks, watch=watch
    )


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


def _part_table(part: str, files: Sequence[Any], format: str | None, options: Mapping[str, Any] | None) -> QATable:
    table = files[0] if len(files) == 1 and isinstance(files[0], QATable) else read_table(files, format, options)
    if not len(table):
        file = files[0].name if files and isinstance(files[0], Input) else None
        raise UsageError(f"Part {part} holds no row, so nothing can be measured.", file=file, facts={"part": part})
    return table


def audit_column(
    table: QATable,
    column: str,
    *,
    recipe: Recipe | None = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Report:
    """Return the report of one table whose column names each row's part.

    Raises:
        UnknownNameError: There is no such column.
        MissingValueError: A row has no part.
    """
    columns = table.named_columns()
    if column not in columns:
        raise UnknownNameError("column", column, [name for name, found in columns.items() if found.names])
    found = columns[column]
    if (found.codes < 0).any():
        raise MissingValueError(
            column, sorted(table.ids[found.codes < 0].tolist()), mend="take such rows out of the file first"
        )
    return _by_name(table, found, recipe, reference, checks, watch)


def audit_split(
    table: QATable,
    split: str | Path,
    *,
    recipe: Recipe | None = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Report:
    """Return the report of one table and a split of its ids: our folder, or JSON, CSV or text id lists.

    Raises:
        UsageError: The split names no row, or rows twice.
    """
    part_of_id = read_id_lists(Path(split))
    ids = table.ids.tolist()
    unknown = sorted(set(part_of_id) - set(ids))
    if unknown:
        raise UsageError(
            f"{Path(split).name} names {counted(len(unknown), 'id')} that the data do not have ({listed(unknown)}).",
            file=Path(split).name,
            field="id",
        )
    there = np.array([name in part_of_id for name in ids], dtype=bool)
    kept = table.keep(there, "in no part of the split", "rows in no part of the split left out")
    column = Column.of(part_of_id[name] for name in kept.ids.tolist())
    return _by_name(kept, column, recipe, reference, checks, watch)


def _by_name(
    table: QATable, column: Column, recipe: Recipe | None, reference: str | None, checks: Sequence[str], watch: Watch
) -> Report:
    names = sorted(column.names, key=lambda name: (name != "train", name))
    if len(names) < 2:
        raise UsageError(f"An audit needs two parts or more, got {listed(names) or 'none'}.")
    number = {name: p for p, name in enumerate(names)}
    part_of_row = np.array([number[name] for name in column.names], dtype=np.int16)[column.codes]
    return audit_table(table, tuple(names), part_of_row, recipe=recipe, reference=reference, checks=checks, watch=watch)


def audit_table(
    table: QATable,
    parts: tuple[str, ...],
    part_of_row: np.ndarray[Any, np.dtype[np.int16]],
    *,
    recipe: Recipe | None = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Report:
    """Return the report of a table whose rows' parts are known."""
    reference = reference or ("train" if "train" in parts else parts[0])
    if reference not in parts:
        raise UnknownNameError("part", reference, parts)
    order = [reference, *(part for part in parts if part != reference)]
    renumbered = np.array([order.index(part) for part in parts], dtype=np.int16)
    split = Split(tuple(order), renumbered[part_of_row])
    recipe = recipe or from_mapping("audit", {"title": "Audit"})
    watch("reducing")
    rows, described = extracted(recipe, table)
    watch("auditing")
    found = audited(rows, split)
    bounds = (*recipe.checks, *(Check.parse(each) for each in checks))
    absent = [name for name in ("val",) if name not in parts and {"train", "test"} <= set(parts)]
    notes = [
        Finding(kind="part-absent", count=0, first=(name,), message=f"There is no part {name}; nothing stands for it.")
        for name in absent
    ]
    findings = checked(found, bounds, (*table.findings, *decided(table), *notes))
    tables = {**found.tables, **published_beside(recipe, "original", rows, found.measures)}
    subject = {
        "kind": "audit",
        "title": recipe.title,
        "rows": len(table),
        "reference": reference,
        "parts": part_sizes(rows, split, {}),
        "reducer": without_tables(described),
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "extraction": dict(rows.facts),
        "verdict": _verdict(table, split, findings, found.measures),
    }
    return Report(subject, found.measures, tables, findings)


def _verdict(table: QATable, split: Split, findings: Sequence[Finding], measures: Sequence[Measure]) -> str:
    same = [finding for finding in findings if finding.kind == "identical-parts"]
    told = [finding.message for finding in same]
    for one, other in itertools.combinations(split.parts, 2):
        if any(set(finding.first) == {one, other} for finding in same):
            continue
        shared = [
            counted(n, noun, nouns)
            for name, of, noun, nouns in _SHARED
            for n in [_n_shared(measures, name, of, one, other)]
            if n
        ]
        if shared:
            told.append(f"{one} and {other} share {', '.join(shared)}.")
    said = " ".join(told) or "No id, image or question-answer pair is shared."
    sizes = f"{counted(len(table), 'row')} in {shown_sizes(split.sizes)}{left_out_told(table)}"
    return f"{broken_first(findings)}{sizes}. {said}"


def _n_shared(measures: Sequence[Measure], name: str, of: str, reference: str, part: str) -> int:
    """Return how many distinct values two parts share."""
    for measure in measures:
        named = (measure.name, measure.of, measure.reference, measure.part, measure.options.get("unit"))
        if named == (name, of, reference, part, "distinct") and not isinstance(measure.value, Undefined):
            return round(measure.value * measure.n)
    return 0


def joined(tables: Sequence[QATable]) -> QATable:
    """Return tables one after the other, for an audit: ids may repeat, and records are not kept."""
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    columns: dict[str, Any] = {name: concatenated([getattr(table, name) for table in tables]) for name in _FIELDS}
    counts: dict[str, int] = {}
    for table in tables:
        for name, n in table.decisions.items():
            counts[name] = counts.get(name, 0) + n
    return QATable(
        format=tables[0].format,
        ids=texts(name for table in tables for name in table.ids.tolist()),
        n_answers=np.concatenate([table.n_answers for table in tables]),
        columns={name: concatenated([table.columns[name] for table in tables]) for name in shared},
        scoped=any(table.scoped for table in tables),
        ids_repeat=True,
        left_out=tuple(entry for table in tables for entry in table.left_out),
        decisions=counts,
        findings=tuple(finding for table in tables for finding in table.findings),
        **columns,
    )

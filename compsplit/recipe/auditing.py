"""Audit parts that exist already: files named by part, one file with a part column, or a split beside the data."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import (
    BrokenFileError,
    FileError,
    MissingValueError,
    RecordsError,
    UnknownNameError,
    UsageError,
)
from compsplit.errors import Problem as BadRecord
from compsplit.files import text_of
from compsplit.model.column import Column, concatenated, texts
from compsplit.model.report import Finding, Report
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable
from compsplit.recipe.checks import Check
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.running import Watch, audited, checked, extracted, no_watch, read_table, shown_sizes

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
        raise UsageError(f"An audit needs two parts or more, got {', '.join(parts) or 'none'}. Name each: PART=FILE.")
    watch("reading")
    tables = {part: read_table(files, format, options) for part, files in parts.items()}
    table = joined(list(tables.values()))
    sizes = [len(each) for each in tables.values()]
    part_of_row = np.repeat(np.arange(len(sizes)), sizes).astype(np.int16)
    return audit_table(
        table, tuple(tables), part_of_row, recipe=recipe, reference=reference, checks=checks, watch=watch
    )


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
        raise MissingValueError(column, sorted(table.ids[found.codes < 0].tolist()))
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
            f"{Path(split).name} names {len(unknown):,} ids that the data do not have ({', '.join(unknown[:5])}).",
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
        raise UsageError(f"An audit needs two parts or more, got {', '.join(names) or 'none'}.")
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
    findings = checked(found.measures, bounds, (*table.findings, *found.findings, *notes))
    subject = {
        "kind": "audit",
        "title": recipe.title,
        "rows": len(table),
        "reference": reference,
        "parts": {part: {"asked": None, "got": n} for part, n in split.sizes.items()},
        "reducer": None if described is None else {k: v for k, v in described.items() if k != "tables"},
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "extraction": dict(rows.facts),
        "verdict": _verdict(split, findings, len(bounds)),
    }
    return Report(subject, found.measures, found.tables, findings)


def _verdict(split: Split, findings: Sequence[Finding], n_checks: int) -> str:
    broken = [finding for finding in findings if finding.level == "fail"]
    head = f"{len(broken)} of {n_checks} checks broken. " if broken else ""
    wanted = (
        "identical-parts",
        "shared-ids",
        "shared-images",
        "shared-question-answer",
        "shared-image-question-answer",
    )
    leaks = [f for kind in wanted for f in findings if f.kind == kind]
    said = " ".join(finding.message for finding in leaks[:4]) or "No id, image or question-answer pair is shared."
    return f"{head}{len(split.part_of_row):,} rows in {shown_sizes(split.sizes)}. {said}"


def joined(tables: Sequence[QATable]) -> QATable:
    """Return tables one after the other, for an audit: ids may repeat, and records are not kept."""
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
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
        **{name: concatenated([getattr(table, name) for table in tables]) for name in _FIELDS},
    )


def read_id_lists(path: Path) -> dict[str, str]:
    """Return id -> part from our folder, JSON ``{part: [ids]}``, CSV of id and part, or a folder of text files.

    Raises:
        CompsplitError: It is none of these, or an id stands in two parts.
    """
    if path.is_dir():
        inner = path / "assignment.csv"
        if inner.is_file():
            return _from_csv(inner)
        lists = sorted(path.glob("*.txt"))
        if not lists:
            raise FileError(str(path), "holds neither assignment.csv nor id lists (PART.txt)")
        return _one_part_each((file.stem, line, file.name) for file in lists for line in _lines(file))
    if not path.is_file():
        raise FileError(str(path), "there is no such file")
    text = text_of(Input(path, path.stem))
    if text.lstrip()[:1] == "{":
        try:
            lists_of = json.loads(text)
        except ValueError as error:
            raise BrokenFileError(path.name, f"is not JSON ({error})") from error
        if not all(isinstance(ids, list) for ids in lists_of.values()):
            raise BrokenFileError(path.name, "is not {part: [ids]}")
        return _one_part_each((part, str(name), path.name) for part, ids in lists_of.items() for name in ids)
    return _from_csv(path)


def _lines(path: Path) -> list[str]:
    return [line for line in text_of(Input(path, path.stem)).split("\n") if line]


def _from_csv(path: Path) -> dict[str, str]:
    reader = csv.DictReader(io.StringIO(text_of(Input(path, path.stem)), newline=""), strict=True)
    fields = reader.fieldnames or []
    name = next((field for field in ("id", "question_id", "qid") if field in fields), None)
    part = next((field for field in ("part", "split") if field in fields), None)
    if name is None or part is None:
        raise BrokenFileError(path.name, f"needs columns id and part, has {', '.join(fields)}")
    entries = []
    for number, row in enumerate(reader, 1):
        if not row.get(name) or not row.get(part):
            raise RecordsError([BadRecord(path.name, number, part if row.get(name) else name, "is missing")])
        entries.append((str(row[part]), str(row[name]), path.name))
    return _one_part_each(iter(entries))


def _one_part_each(entries: Any) -> dict[str, str]:
    part_of_id: dict[str, str] = {}
    for part, name, file in entries:
        if name in part_of_id:
            raise UsageError(
                f'{file}: id "{name}" stands in {part_of_id[name]} and again in {part}.',
                file=file,
                record=name,
                field="id",
            )
        part_of_id[name] = part
    return part_of_id

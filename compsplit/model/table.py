"""Tables of question-answer pairs, and where their records stand in the files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Codes, Column, Texts, frozen
from compsplit.model.lists import Lists
from compsplit.model.report import Finding


@dataclass(frozen=True, slots=True)
class Input:
    """One file to read, or one member of a zip archive.

    Attributes:
        path: Where it is.
        source: The name that ids and messages know it by.
        member: The archive member, where the file is a zip archive.
    """

    path: Path
    source: str
    member: str | None = None

    @property
    def name(self) -> str:
        """What messages call it: file name, with the member behind it."""
        return f"{self.path.name}//{self.member}" if self.member else self.path.name


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of one kind in one file.

    Attributes:
        input: The file; None for a table that was given in memory.
        kind: ``"questions"``, ``"annotations"``, or ``"records"`` where one record holds both.
        layout: ``"object"`` (a list inside an object), ``"keyed"`` (an object's members, each with its key),
            ``"list"``, ``"lines"``, ``"rows"`` (delimited text, a header line first), ``"pairs"`` (alternating lines),
            ``"text"`` (lines of text), ``"lists"`` (one of several lists inside an object), ``"shared"`` (a record
            holds several rows, and is no row's own) or ``"arrow"``.
        starts: First byte of each record in the decompressed file; shape (n_records,), empty for ``"arrow"``.
        stops: The byte after each; shape (n_records,).
        rows: The table row that each record belongs to, the first where it holds several, -1 where it is left out;
            shape (n_records,).
        header: Members of the object around the list, as raw JSON, in file order.
        key: The member that holds the list.
        head: The header line of delimited text, with its line end.
        arrow: The pyarrow table itself.
        beside: Files without which the records say nothing, by the name that they must have beside the records.
    """

    input: Input | None
    kind: str
    layout: str
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    rows: Codes
    header: tuple[tuple[str, bytes], ...] = ()
    key: str | None = None
    head: bytes = b""
    arrow: Any = None
    beside: tuple[tuple[str, Path], ...] = ()

    def __post_init__(self) -> None:
        for array in (self.starts, self.stops, self.rows):
            frozen(array)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QATable:
    """Question-answer pairs; every column has one entry a row.

    Attributes:
        format: Name of the reader's format.
        ids: The rows' ids as text, all different unless ``ids_repeat``; shape (n_rows,).
        images: Image ids as text.
        questions: Question texts as written.
        answers: Ground-truth answers as written; -1 where there is none.
        question_types: As recorded; -1 where not recorded.
        answer_types: As recorded; -1 where not recorded.
        origins: What the file's header, or the record, says it is from, such as train2014.
        sources: The file of each row.
        n_answers: How many answers people gave; shape (n_rows,).
        columns: Further columns by name.
        lists: Several values of each row by name, where the reader was asked to keep them.
        records: Where the records stand.
        scoped: Whether ids are qualified by their source.
        numbered: Whether ids only number the records of each file, in their order.
        ids_repeat: Whether ids may repeat, as those of parts that are audited together may.
        left_out: (id, reason) of records that are not rows.
        decisions: What was decided while reading -> how often.
        findings: What a user should know about the input.
    """

    format: str
    ids: Texts
    images: Column
    questions: Column
    answers: Column
    question_types: Column
    answer_types: Column
    origins: Column
    sources: Column
    n_answers: NDArray[np.int64]
    columns: Mapping[str, Column] = field(default_factory=dict)
    lists: Mapping[str, Lists] = field(default_factory=dict)
    records: tuple[Records, ...] = ()
    scoped: bool = False
    numbered: bool = False
    ids_repeat: bool = False
    left_out: tuple[tuple[str, str], ...] = ()
    decisions: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.named_columns().items()}
        for name, length in (lengths | {name: len(lists) for name, lists in self.lists.items()}).items():
            if length != len(self.ids):
                raise ValueError(f"column {name} has {length} entries for {len(self.ids)} rows")
        frozen(self.ids)
        frozen(self.n_answers)
        for name in ("columns", "lists", "decisions"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        held = ((self.images, "image"), (self.questions, "question"), (self.answers, "answer"))
        said = [counted(len(self), "row"), *(counted(column.n_used, noun) for column, noun in held)]
        return f"QATable({', '.join(said)}, format {self.format})"

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The files, as often as they hold records of different kinds."""
        return tuple(records.input for records in self.records if records.input is not None)

    def named_columns(self) -> dict[str, Column]:
        """Return all columns by name: the fixed ones, then the further ones that have another name."""
        fixed = {
            "image": self.images,
            "question": self.questions,
            "answer": self.answers,
            "question_type": self.question_types,
            "answer_type": self.answer_types,
            "origin": self.origins,
            "source": self.sources,
        }
        return {**self.columns, **fixed}

    def keep(self, rows: NDArray[np.bool_], reason: str, decision: str) -> QATable:
        """Return the table of the marked rows; the others are left out with the reason, and counted."""
        if rows.all():
            return self
        kept = np.flatnonzero(rows)
        gone = sorted(self.ids[~rows].tolist())
        named = {
            name: getattr(self, name).take(kept)
            for name in ("images", "questions", "answers", "question_types", "answer_types", "origins", "sources")
        }
        return dataclasses.replace(
            self,
            ids=frozen(self.ids[kept]),
            n_answers=self.n_answers[kept],
            columns={name: column.take(kept) for name, column in self.columns.items()},
            lists={name: lists.take(kept) for name, lists in self.lists.items()},
            records=kept_records(self.records, kept, len(self)),
            left_out=(*self.left_out, *((name, reason) for name in gone)),
            decisions={**self.decisions, decision: self.decisions.get(decision, 0) + len(gone)},
            **named,
        )


def kept_records(records: Sequence[Records], kept: NDArray[np.int64], n_rows: int) -> tuple[Records, ...]:
    """Return records whose rows are numbered anew, where these rows alone are kept.

    Args:
        records: The records of all rows.
        kept: The rows that are kept, ascending.
        n_rows: Rows before.
    """
    renumbered = np.full(n_rows + 1, -1, dtype=np.int32)
    renumbered[kept] = np.arange(len(kept), dtype=np.int32)
    return tuple(dataclasses.replace(each, rows=renumbered[each.rows]) for each in records)

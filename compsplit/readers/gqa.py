"""GQA questions: an object whose members are questions by id, or a list of them.

Source: Hudson and Manning 2019, arXiv 1902.09506. The column ``program`` has each question's program without object ids
(``model.program``), ``program_objects`` the ids, if asked for, in one text with spaces between
(``program_step_objects``: those of each step), ``steps`` the number of steps as the official program counts them. The
lists ``entailed`` and ``equivalent`` hold question ids, ``regions`` the ids of objects that question and full answer
point at; all as they are listed, repeats too. With ``regions`` comes the column ``annotated``, true where the question
has the field that tells them. Empty and null groups both mean no group. In a list ``question_id`` may be a whole number
that lost its leading zeros; it is taken as it is, and that is said. Cost: O(bytes), one block of questions at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np

from compsplit.errors import UnknownNameError, counted
from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.program import gqa_program, objects_by_step
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable, Records
from compsplit.programs.steps import official_steps
from compsplit.readers.building import IdScope, built, counted_once, row_ids
from compsplit.readers.gqa_columns import USUAL_LISTS, GqaColumns, ListBuilder
from compsplit.readers.json_inside import Numbered
from compsplit.readers.json_records import Block, JsonRecords
from compsplit.registry import register


class _Step(msgspec.Struct, gc=False):
    operation: str
    argument: str = ""
    dependencies: list[int] = []


class _StepText(msgspec.Struct, gc=False):
    """A step of which nothing but its text is wanted."""

    operation: str
    argument: str = ""


class _Groups(msgspec.Struct, gc=False):
    local: str | None = None
    global_: str | None = msgspec.field(default=None, name="global")


class _Types(msgspec.Struct, gc=False):
    structural: str | None = None
    semantic: str | None = None
    detailed: str | None = None


class _Brief(msgspec.Struct, gc=False):
    """A question with what every use of it needs."""

    question: str
    imageId: str | int | None = None
    image: str | int | None = None
    question_id: str | int | None = None
    answer: str | None = None
    isBalanced: bool | None = None
    groups: _Groups | None = None
    types: _Types | None = None


class _Question(_Brief, gc=False):
    """A question with its program and full answer."""

    fullAnswer: str | None = None
    semantic: list[_Step] | None = None


class _Annotations(msgspec.Struct, gc=False):
    question: dict[str, str | int] | None = None
    fullAnswer: dict[str, str | int] | None = None


_Ids: TypeAlias = list[str | int] | None
_LISTS: dict[str, tuple[str, Any]] = {
    "entailed": ("entailed", _Ids),
    "equivalent": ("equivalent", _Ids),
    "regions": ("annotations", _Annotations | None),
}
"""List of a row -> the field of the record that says it, and what it holds."""


def _record(lists: Sequence[str], brief: bool) -> type[Any]:
    """Return the type of a record with the fields that are wanted; all others are passed over."""
    fields: list[Any] = [(*_LISTS[name], None) for name in lists]
    if brief:
        fields.append(("semantic", list[_StepText] | None, None))
    return msgspec.defstruct("_Wanted", fields, bases=(_Brief if brief else _Question,), gc=False)


_COLUMNS = (
    "full_answer", "balanced", "group_local", "group_global", "structural", "semantic", "detailed", "program",
    "program_objects", "program_step_objects", "steps",
)  # fmt: skip
_OF_OBJECTS = ("program_objects", "program_step_objects")


@register("reader", "gqa", source="Hudson and Manning 2019, arXiv 1902.09506")
def read(
    files: Sequence[Input],
    *,
    keep_object_ids: bool = False,
    keep_lists: bool | Sequence[str] = False,
    brief: bool = False,
    id_scope: IdScope = "all",
    new_ids: bool = False,
) -> QATable:
    """Read GQA questions.

    Args:
        files: Files of questions.
        keep_object_ids: Keep the ids of the objects that programs name, to hold them against scenes.
        keep_lists: Keep what scores of predictions need: ``entailed`` and ``equivalent`` questions, ``regions`` (the
            objects that are pointed at); all of them, or those that are named.
        brief: Pass over programs, of which only the steps are counted, and full answers: quicker, and all that scores
            of predictions need.
        id_scope: ``"file"`` qualifies each question id by its file.
        new_ids: Give the rows new ids, source:number.

    Raises:
        RecordsError: A field is absent or of the wrong type, or a step of a program takes a later one's result.
        RepeatedKeysError: A file holds a question id twice.
        RepeatedIdError: Two files hold the same question id.
    """
    builders = {name: ColumnBuilder() for name in ("image", "question", "answer", *_COLUMNS)}
    lists = tuple(_LISTS) if keep_lists is True else tuple(keep_lists or ())
    for name in lists:
        if name not in _LISTS:
            raise UnknownNameError("list of GQA questions", name, _LISTS)
    listing = {name: ListBuilder() for name in lists}
    if "regions" in listing:
        builders["annotated"] = ColumnBuilder()
    record = _record(lists, brief)
    numbered: dict[str, Numbered] = {}
    written, sources, records = [], [], []
    n_whole = n_rows = 0
    for file in files:
        stream: JsonRecords[Any] = (
            GqaColumns(file, record, builders, listing, numbered)
            if brief and set(lists) <= set(USUAL_LISTS)
            else JsonRecords(file, record, keyed=True)
        )
        ids: list[str] = []
        starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for block in stream:
            ids += block.keys or [str(each.question_id) for each in block.records]
            n_whole += 0 if block.keys else sum(isinstance(each.question_id, int) for each in block.records)
            if block.records:
                _note_missing(stream, block)
                _extend(builders, stream, block, keep_object_ids, brief)
                _extend_lists(listing, block)
            if "regions" in listing:
                builders["annotated"].extend([None if each.annotations is None else "true" for each in block.records])
            starts.append(block.starts)
            stops.append(block.stops)
        stream.finish()
        written.append(texts(ids))
        sources.append(Column(np.zeros(len(ids), dtype=np.int32), (file.source,)))
        rows = np.arange(n_rows, n_rows + len(ids), dtype=np.int32)
        layout = stream.header.layout
        records.append(Records(file, "questions", layout, np.concatenate(starts), np.concatenate(stops), rows))
        n_rows += len(ids)
    images = builders.pop("image").column()
    names, scoped = row_ids(
        written, [file.source for file in files], images,
        field="question_id", id_scope=id_scope, new_ids=new_ids, file=files[0].name,
    )  # fmt: skip
    questions, answers = builders.pop("question").column(), builders.pop("answer").column()
    absent = Column.absent(n_rows)
    made = {name: builder.column() for name, builder in builders.items()}
    return built(
        format="gqa",
        ids=names,
        images=images,
        questions=questions,
        answers=answers,
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=concatenated(sources),
        n_answers=counted_once(answers),
        columns={name: column for name, column in made.items() if keep_object_ids or name not in _OF_OBJECTS},
        lists={name: builder.lists() for name, builder in listing.items()},
        records=tuple(records),
        scoped=scoped,
        numbered=new_ids,
        findings=_whole_ids(n_whole),
    )


def _note_missing(stream: JsonRecords[Any], block: Block[Any]) -> None:
    if all(each.imageId is not None for each in block.records) and block.keys:
        return
    for number, each in zip(block.numbers.tolist(), block.records, strict=True):
        if each.imageId is None and each.image is None:
            stream.note(number, "imageId", "is missing")
        if each.question_id is None and not block.keys:
            stream.note(number, "question_id", "is missing")


def _extend(
    builders: dict[str, ColumnBuilder],
    stream: JsonRecords[Any],
    block: Block[Any],
    keep_object_ids: bool,
    brief: bool,
) -> None:
    records = block.records
    none = _Groups(), _Types()
    builders["image"].extend([each.image if each.imageId is None else each.imageId for each in records])
    builders["question"].extend([each.question for each in records])
    builders["answer"].extend([each.answer for each in records])
    builders["balanced"].extend([None if each.isBalanced is None else str(each.isBalanced).lower() for each in records])
    builders["group_local"].extend([(each.groups or none[0]).local or None for each in records])
    builders["group_global"].extend([(each.groups or none[0]).global_ or None for each in records])
    for name in ("structural", "semantic", "detailed"):
        builders[name].extend([getattr(each.types or none[1], name) or None for each in records])
    programs: list[str | None] = []
    objects: list[str | None] = []
    builders["steps"].extend(
        None if each.semantic is None else official_steps([(s.operation, s.argument) for s in each.semantic])
        for each in records
    )
    if brief:
        for name in ("full_answer", "program", *_OF_OBJECTS):
            builders[name].extend([None] * len(records))
        return
    builders["full_answer"].extend([each.fullAnswer or None for each in records])
    for number, each in zip(block.numbers.tolist(), records, strict=True):
        written: str | None = None
        ids: tuple[str, ...] = ()
        if each.semantic:
            try:
                program, ids = gqa_program([(s.operation, s.argument, s.dependencies) for s in each.semantic])
                written = program.written
            except ValueError as error:
                stream.note(number, "semantic", str(error))
        programs.append(written)
        objects.append(" ".join(ids) or None)
    builders["program"].extend(programs)
    builders["program_objects"].extend(objects if keep_object_ids else [None] * len(objects))
    if keep_object_ids:
        builders["program_step_objects"].extend(
            [objects_by_step([step.argument for step in each.semantic or ()]) or None for each in records]
        )


def _extend_lists(listing: dict[str, ListBuilder], block: Block[Any]) -> None:
    for name, builder in listing.items():
        if name == "regions":
            pointed = (each.annotations or _Annotations() for each in block.records)
            builder.extend([[*(a.question or {}).values(), *(a.fullAnswer or {}).values()] for a in pointed])
        else:
            builder.extend([getattr(each, name) or () for each in block.records])


def _whole_ids(n: int) -> tuple[Finding, ...]:
    if not n:
        return ()
    return (
        Finding(
            kind="numeric-ids",
            count=n,
            message=f"{counted(n, 'question id is', 'question ids are')} a whole number: GQA's ids are text and may "
            "begin with zeros, which such a number lost. They are taken as they stand.",
        ),
    )

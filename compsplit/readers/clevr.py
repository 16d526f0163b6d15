"""CLEVR questions, of the released files and of the generator: steps are named ``function`` or ``type``.

Source: Johnson et al. 2017, arXiv 1612.06890. true and false are the answers yes and no, whole numbers are text; test
files have no answers and no programs. A row's id is its part (or source) and question index; where these repeat in a
file, as in CLOSURE, the template file stands between them. Family numbers are told apart by file, since they mean
nothing across files. A question about several images is one row for each. Cost: O(bytes), one block at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import msgspec
import numpy as np

from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.program import Program, Step
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import IdScope, built, counted_once, row_ids
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register

_INDICES = "question ids with the template file in them, since question_index repeats"
_SEVERAL = "questions about several images, each a row for every image"


class _Step(msgspec.Struct):
    function: str | None = None
    type: str | None = None
    inputs: list[int] = []
    value_inputs: list[str] = []


class _Question(msgspec.Struct):
    question: str
    image_filename: str | None = None
    image_index: int | str | None = None
    answer: str | int | bool | None = None
    program: list[Any] | None = None
    question_index: int | str | None = None
    question_family_index: int | str | None = None
    split: str | None = None
    template_filename: str | None = None
    image_filenames: list[str] | None = None
    answers: list[str | int | bool | None] | None = None


_Row = tuple[str | None, Any, Any]
"""Image, answer and program of a question."""

_COLUMNS = ("split", "family_in_file", "template", "program")
_NAMES = ("image", "question", "answer", *_COLUMNS)


@register("reader", "clevr", source="Johnson et al. 2017, arXiv 1612.06890")
def read(files: Sequence[Input], *, id_scope: IdScope = "all", new_ids: bool = False) -> QATable:
    """Read CLEVR questions.

    Args:
        files: Files of questions.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Give the rows new ids, source:number.

    Raises:
        RecordsError: A field is absent or of the wrong type, a program is none, or lists differ in length.
        RepeatedIdError: An id names two rows.
    """
    builders = {name: ColumnBuilder() for name in _NAMES}
    counts = {_INDICES: 0, _SEVERAL: 0}
    written, sources, records = [], [], []
    n_rows = 0
    for file in files:
        stream: JsonRecords[_Question] = JsonRecords(file, _Question, ("questions",))
        keys: list[tuple[str, str, str, str]] = []
        first_rows: list[int] = []
        starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        n_several = 0
        for block in stream:
            values: dict[str, list[Any]] = {name: [] for name in _NAMES}
            for number, question in zip(block.numbers.tolist(), block.records, strict=True):
                rows = list(_rows(question))
                if not rows:
                    stream.note(number, "image_filenames", "differ in number from answers or programs, or are none")
                n_several += question.image_filenames is not None
                first_rows.append(n_rows + len(keys))
                for k, (image, answer, program) in enumerate(rows):
                    keys.append(_key(question, number, f":{k}" if len(rows) > 1 else "", file.source))
                    template, family = _base(question.template_filename), question.question_family_index
                    values["image"].append(image)
                    values["question"].append(question.question)
                    values["answer"].append(_answer(answer))
                    values["split"].append(question.split)
                    values["family_in_file"].append(None if family is None else f"{file.source}:{family}")
                    values["template"].append(template)
                    values["program"].append(_written(program, stream, number))
                    if image is None:
                        stream.note(number, "image_filename", "is missing")
            for name in _NAMES:
                builders[name].extend(values[name])
            starts.append(block.starts)
            stops.append(block.stops)
        stream.finish()
        ids = [f"{part}:{index}{k}" for part, _, index, k in keys]
        if len(set(ids)) < len(ids):
            ids = [f"{part}:{template}:{index}{k}" for part, template, index, k in keys]
            counts[_INDICES] += len(ids)
        counts[_SEVERAL] += n_several
        written.append(texts(ids))
        sources.append(Column(np.zeros(len(ids), dtype=np.int32), (file.source,)))
        records.append(
            Records(
                file, "questions", "shared" if n_several else stream.header.layout,
                np.concatenate(starts), np.concatenate(stops), np.array(first_rows, dtype=np.int32),
                header=tuple(stream.header.members), key=stream.header.key,
            )
        )  # fmt: skip
        n_rows += len(ids)
    made = {name: builder.column() for name, builder in builders.items()}
    ids_of_rows, scoped = row_ids(
        written, [file.source for file in files], made["image"],
        field="question_index", id_scope=id_scope, new_ids=new_ids, file=files[0].name,
    )  # fmt: skip
    absent = Column.absent(n_rows)
    return built(
        format="clevr",
        ids=ids_of_rows,
        images=made["image"],
        questions=made["question"],
        answers=made["answer"],
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=concatenated(sources),
        n_answers=counted_once(made["answer"]),
        columns={name: made[name] for name in _COLUMNS},
        records=tuple(records),
        scoped=scoped,
        numbered=new_ids,
        decisions=counts,
    )


def _rows(question: _Question) -> Iterator[_Row]:
    """Yield image, answer and program of each image of a question; nothing where their numbers differ."""
    program: Any = question.program
    if question.image_filenames is None:
        image = question.image_filename
        yield image or (None if question.image_index is None else str(question.image_index)), question.answer, program
        return
    images = question.image_filenames
    answers: Sequence[Any] = question.answers or [None] * len(images)
    programs: Sequence[Any] = program or [None] * len(images)
    if len(images) == len(answers) == len(programs):
        yield from zip(images, answers, programs, strict=True)


def _key(question: _Question, number: int, which: str, source: str) -> tuple[str, str, str, str]:
    """Return what tells a row apart: its part or source, its template, its index, and which of several images."""
    index = number - 1 if question.question_index is None else question.question_index
    return question.split or source, _base(question.template_filename) or "", str(index), which


def _answer(answer: str | int | bool | None) -> str | None:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return None if answer is None else str(answer)


def _base(name: str | None) -> str | None:
    """Return a file's own name: its folders are those of its author's machine."""
    return None if name is None else PureWindowsPath(PurePosixPath(name).name).name


def _written(given: Any, stream: JsonRecords[_Question], number: int) -> str | None:
    """Return a program on one line; what is wrong with it is noted."""
    if not given:
        return None
    try:
        steps = msgspec.convert(given, list[_Step])
        made = []
        for i, step in enumerate(steps):
            operation = step.function or step.type
            if operation is None:
                raise ValueError(f"step {i} has no function and no type")
            made.append(Step(operation, tuple(step.value_inputs), tuple(step.inputs)))
        return Program(tuple(made)).written
    except ValueError as error:  # msgspec's errors are such, too
        what = str(error).partition(" - at `$")[0]
        stream.note(number, "program", what[:1].lower() + what[1:])
        return None

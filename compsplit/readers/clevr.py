"""CLEVR questions, of the released files and of the generator: steps are named ``function`` or ``type``.

Source: Johnson et al. 2017, arXiv 1612.06890. true and false are the answers yes and no, whole numbers are text. A
row's id is its part (or source) and question index; where these repeat, as in CLOSURE, the template file stands between
them. Family numbers are told apart by file. A question about several images is one row for each. Cost: O(bytes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import msgspec
import numpy as np

from compsplit.errors import Problem, RecordsError
from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.program import Program, Step
from compsplit.model.table import Input, QATable
from compsplit.readers.building import IdScope, built, counted_once, row_ids
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register


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
    answers: list[str | int | bool] | None = None


_Row = tuple[str | None, Any, Any]
"""Image, answer and program of a question."""


@register("reader", "clevr", source="Johnson et al. 2017, arXiv 1612.06890")
def read(files: Sequence[Input], *, id_scope: IdScope = "all", new_ids: bool = False) -> QATable:
    """Read CLEVR questions.

    Args:
        files: Files of questions.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Give the rows new ids, source:number.

    Raises:
        RecordsError, RepeatedIdError: As their messages say.
    """
    names = ("image", "question", "answer", "split", "family", "template", "program")
    builders = {name: ColumnBuilder() for name in names}
    written, sources = [], []
    counts = {
        "question indices repeat, ids have the template file in them": 0,
        "rows made of questions about several images": 0,
    }
    for file in files:
        stream: JsonRecords[_Question] = JsonRecords(file, _Question, ("questions",))
        keys: list[tuple[str, str, str, str]] = []
        problems: list[Problem] = []
        for block in stream:
            values: dict[str, list[Any]] = {name: [] for name in names}
            for number, question in zip(block.numbers.tolist(), block.records, strict=True):
                rows = list(_rows(question))
                if not rows:
                    problems.append(Problem(file.name, number, "answers", "differ in number from images and programs"))
                several = len(rows) > 1
                counts["rows made of questions about several images"] += len(rows) if several else 0
                for k, (image, answer, program) in enumerate(rows):
                    template = _base(question.template_filename)
                    index = str(number - 1 if question.question_index is None else question.question_index)
                    keys.append((question.split or file.source, template or "", index, f":{k}" if several else ""))
                    family = question.question_family_index
                    values["image"].append(image)
                    values["question"].append(question.question)
                    values["answer"].append(_answer(answer))
                    values["split"].append(question.split)
                    values["family"].append(None if family is None else f"{file.source}:{family}")
                    values["template"].append(template)
                    try:
                        values["program"].append(_written(program))
                    except msgspec.ValidationError as error:
                        problems.append(Problem(file.name, number, "program", str(error).partition(" - at")[0].lower()))
                        values["program"].append(None)
            for name in names:
                builders[name].extend(values[name])
        stream.finish()
        if problems:
            raise RecordsError(problems)
        short = [f"{part}:{index}{k}" for part, _, index, k in keys]
        if len(set(short)) < len(short):
            counts["question indices repeat, ids have the template file in them"] += len(short)
            short = [f"{part}:{template}:{index}{k}" for part, template, index, k in keys]
        written.append(texts(short))
        sources.append(Column(np.zeros(len(short), dtype=np.int32), (file.source,)))
    made = {name: builder.column() for name, builder in builders.items()}
    n = len(made["question"])
    ids, scoped = row_ids(
        written, [file.source for file in files], made["image"],
        field="question_index", id_scope=id_scope, new_ids=new_ids, file=files[0].name,
    )  # fmt: skip
    absent = Column.absent(n)
    further = ("split", "family", "template", "program")
    return built(
        format="clevr",
        ids=ids,
        images=made["image"],
        questions=made["question"],
        answers=made["answer"],
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=concatenated(sources),
        n_answers=counted_once(made["answer"]),
        columns={name: made[name] for name in further if made[name].names},
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


def _answer(answer: str | int | bool | None) -> str | None:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return None if answer is None else str(answer)


def _base(name: str | None) -> str | None:
    return None if name is None else PureWindowsPath(PurePosixPath(name).name).name


def _written(given: Any) -> str | None:
    """Return a program on one line.

    Raises:
        ValueError: It is none.
    """
    if not given:
        return None
    steps = msgspec.convert(given, list[_Step])
    made = (Step(s.function or s.type or "", tuple(s.value_inputs), tuple(s.inputs)) for s in steps)
    return Program(tuple(made)).written

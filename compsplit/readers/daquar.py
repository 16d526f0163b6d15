"""DAQUAR: questions and answers on alternating lines, the image named at the end of the question.

Source: Malinowski and Fritz 2014, arXiv 1410.0210 (text files of the 894-class version). The tail that names the
image (" in the image3 ?", and a few rarer wordings) is cut off; an answer that lists several things stays one answer.
Rows have no id, so they are named source:number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from compsplit.errors import BrokenFileError, EmptyFileError, Problem, RecordsError, TruncatedError
from compsplit.files import Bytes
from compsplit.model.column import Column, texts
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import built, counted_once
from compsplit.registry import register

TAIL = re.compile(r"(?i)(?:\s+(?:in|on|of|from))?(?:\s+the)?\s+(image\d+)\s*\?*\s*$")


@register("reader", "daquar", source="Malinowski and Fritz 2014, arXiv 1410.0210")
def read(files: Sequence[Input]) -> QATable:
    """Read DAQUAR's alternating lines of question and answer."""
    ids: list[str] = []
    images: list[str] = []
    questions: list[str] = []
    answers: list[str] = []
    sources: list[str] = []
    records: list[Records] = []
    problems: list[Problem] = []
    for file in files:
        lines, ends, size = _lines(file)
        if not lines:
            raise EmptyFileError(file.name)
        if next(line for line in lines if line.strip()).lstrip().startswith(("{", "[")):
            what = "is JSON, not alternating lines of question and answer; leave --format out to let the content decide"
            raise BrokenFileError(file.name, what)
        if len(lines) % 2:
            raise TruncatedError(file.name, size, len(lines) // 2)
        for number, (question, answer) in enumerate(zip(lines[::2], lines[1::2], strict=True), 1):
            image, text = None, question
            while found := TAIL.search(text):
                image = image or found[1]
                text = text[: found.start()]
            if image is None:
                problems.append(Problem(file.name, number, "question", "names no image (... in the image3 ?)"))
                continue
            ids.append(f"{file.source}:{number}")
            images.append(image)
            questions.append(text.strip() + " ?")
            answers.append(answer)
            sources.append(file.source)
        n = len(lines) // 2
        rows = np.arange(len(ids) - n, len(ids), dtype=np.int32)
        records.append(Records(file, "records", "pairs", ends[0:-1:2], ends[2::2], rows))
    if problems:
        raise RecordsError(problems)
    answered = Column.of(answers)
    return built(
        format="daquar",
        ids=texts(ids),
        images=Column.of(images),
        questions=Column.of(questions),
        answers=answered,
        question_types=Column.absent(len(ids)),
        answer_types=Column.absent(len(ids)),
        origins=Column.absent(len(ids)),
        sources=Column.of(sources),
        n_answers=counted_once(answered),
        records=tuple(records),
        scoped=True,
        numbered=True,
    )


def _lines(file: Input) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    """Return the lines, the offset at which each begins and the last ends, and the number of bytes."""
    with Bytes(file) as stream:
        raw = b"".join(iter(stream.read, b""))
        mark = stream.offset - len(raw)
    lines = raw.splitlines(keepends=True)
    while lines and not lines[-1].strip():
        lines.pop()
    ends = np.cumsum([mark, *map(len, lines)])
    return [line.decode().rstrip("\r\n") for line in lines], ends, mark + len(raw)

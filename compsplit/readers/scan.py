"""SCAN: one command and its actions a line, ``IN: ... OUT: ...``.

Source: Lake and Baroni 2018, arXiv 1711.00350. The command is the question, the actions are the answer. Rows have
no id, so they are named source:number. Cost: O(bytes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from compsplit.errors import EmptyFileError, Problem, RecordsError
from compsplit.files import text_of
from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.table import Input, QATable
from compsplit.readers.building import built, counted_once
from compsplit.registry import register

LINE = re.compile(r"IN: (?P<command>.+?) OUT: (?P<actions>.+)")


@register("reader", "scan", source="Lake and Baroni 2018, arXiv 1711.00350")
def read(files: Sequence[Input]) -> QATable:
    """Read SCAN's commands and actions.

    Raises:
        RecordsError: A line is none of these.
    """
    questions, answers = ColumnBuilder(), ColumnBuilder()
    ids: list[str] = []
    sources = []
    for file in files:
        lines = [line.rstrip() for line in text_of(file).split("\n")]
        found = [(number, LINE.fullmatch(line)) for number, line in enumerate(lines, 1) if line]
        if not found:
            raise EmptyFileError(file.name)
        wrong = [number for number, match in found if match is None]
        if wrong:
            what = "is not IN: command OUT: actions"
            raise RecordsError([Problem(file.name, number, None, what) for number in wrong])
        matches = [match for _, match in found if match is not None]
        questions.extend([match["command"] for match in matches])
        answers.extend([match["actions"] for match in matches])
        ids += [f"{file.source}:{number}" for number in range(1, len(matches) + 1)]
        sources.append(Column(np.zeros(len(matches), dtype=np.int32), (file.source,)))
    absent = Column.absent(len(ids))
    actions = answers.column()
    return built(
        format="scan",
        ids=texts(ids),
        images=absent,
        questions=questions.column(),
        answers=actions,
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=concatenated(sources),
        n_answers=counted_once(actions),
        scoped=True,
        numbered=True,
    )

"""SCAN: one command and its actions a line, ``IN: ... OUT: ...``.

Source: Lake and Baroni 2018, arXiv 1711.00350. The command is the question, the actions are the answer. Rows have
no id, so they are named source:number. Cost: O(bytes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import EmptyFileError, Problem, RecordsError
from compsplit.files import Bytes
from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import built, counted_once
from compsplit.registry import register

LINE = re.compile(r"IN: (?P<command>.+?) OUT: (?P<actions>.+)")


@register("reader", "scan", source="Lake and Baroni 2018, arXiv 1711.00350")
def read(files: Sequence[Input]) -> QATable:
    """Read SCAN's commands and actions.

    Args:
        files: Files of lines; empty lines are passed over.

    Raises:
        RecordsError: A line is none of these.
    """
    questions, answers = ColumnBuilder(), ColumnBuilder()
    ids: list[str] = []
    sources, records = [], []
    problems: list[Problem] = []
    for file in files:
        lines, ends = _lines(file)
        there = [k for k, line in enumerate(lines) if line]
        if not there:
            raise EmptyFileError(file.name)
        found = [(k, LINE.fullmatch(lines[k])) for k in there]
        problems += [
            Problem(file.name, k + 1, None, "is not IN: command OUT: actions") for k, match in found if match is None
        ]
        matches = [match for _, match in found if match is not None]
        rows = np.arange(len(ids), len(ids) + len(matches), dtype=np.int32)
        places = np.array(there, dtype=np.int64)[: len(matches)]
        records.append(Records(file, "records", "text", ends[places], ends[places + 1], rows))
        questions.extend([match["command"] for match in matches])
        answers.extend([match["actions"] for match in matches])
        ids += [f"{file.source}:{number}" for number in range(1, len(matches) + 1)]
        sources.append(Column(np.zeros(len(matches), dtype=np.int32), (file.source,)))
    if problems:
        raise RecordsError(problems)
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
        records=tuple(records),
        scoped=True,
        numbered=True,
    )


def _lines(file: Input) -> tuple[list[str], NDArray[np.int64]]:
    """Return the lines, and the offset at which each begins and the last ends; shape (n_lines + 1,)."""
    with Bytes(file) as stream:
        raw = b"".join(iter(stream.read, b""))
        mark = stream.offset - len(raw)
    lines = raw.splitlines(keepends=True)
    return [line.decode().rstrip() for line in lines], np.cumsum([mark, *map(len, lines)])

"""text2sql-data: SQL queries with the sentences that ask for them, and two splits, by query and by question.

Source: Finegan-Dollak et al. 2018, arXiv 1806.09029. A row is a sentence; its answer and its column ``query`` are the
first SQL text of its query, with placeholders. Columns ``query_split`` and ``question_split`` name its parts. Rows have
no id, so they are named source:number. Cost: O(bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from compsplit.errors import Problem, RecordsError
from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.table import Input, QATable
from compsplit.readers.building import built, counted_once
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register


class _Sentence(msgspec.Struct, rename={"question_split": "question-split"}):
    text: str
    question_split: str | int | None = None
    variables: dict[str, str] = {}


class _Query(msgspec.Struct, rename={"query_split": "query-split"}):
    sql: list[str]
    sentences: list[_Sentence]
    query_split: str | int | None = None


@register("reader", "text2sql", source="Finegan-Dollak et al. 2018, arXiv 1806.09029")
def read(files: Sequence[Input], *, variables: Literal["filled", "named"] = "filled") -> QATable:
    """Read questions with their SQL.

    Args:
        files: Files of queries.
        variables: Whether a question's placeholders are filled with their values, or stay.

    Raises:
        RecordsError: As its message says.
    """
    names = ("question", "answer", "query", "query_split", "question_split")
    builders = {name: ColumnBuilder() for name in names}
    ids: list[str] = []
    sources = []
    for file in files:
        stream: JsonRecords[_Query] = JsonRecords(file, _Query)
        n = 0
        problems: list[Problem] = []
        for block in stream:
            for number, query in zip(block.numbers.tolist(), block.records, strict=True):
                if not query.sql:
                    problems.append(Problem(file.name, number, "sql", "is empty"))
                    continue
                sql = query.sql[0]
                for each in query.sentences:
                    text = _filled(each.text, each.variables) if variables == "filled" else each.text
                    row = (text, sql, sql, query.query_split, each.question_split)
                    for name, value in zip(names, row, strict=True):
                        builders[name].extend([value])
                    n += 1
        stream.finish()
        if problems:
            raise RecordsError(problems)
        ids += [f"{file.source}:{number}" for number in range(1, n + 1)]
        sources.append(Column(np.zeros(n, dtype=np.int32), (file.source,)))
    made = {name: builder.column() for name, builder in builders.items()}
    absent = Column.absent(len(ids))
    return built(
        format="text2sql",
        ids=texts(ids),
        images=absent,
        questions=made["question"],
        answers=made["answer"],
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=concatenated(sources),
        n_answers=counted_once(made["answer"]),
        columns={name: made[name] for name in ("query", "query_split", "question_split") if made[name].names},
        scoped=True,
        numbered=True,
    )


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """Return the text with its placeholders filled.

    Example:
        >>> _filled("cities in state_name0", {"state_name0": "texas"})
        'cities in texas'
    """
    return re.sub(r"\w+", lambda found: variables.get(found[0]) or found[0], text)

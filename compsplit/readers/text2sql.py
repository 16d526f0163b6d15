"""text2sql-data: SQL queries with the sentences that ask for them, and two splits, by query and by question.

Source: Finegan-Dollak et al. 2018, arXiv 1806.09029. A row is a sentence; its answer and its column ``query`` are the
first SQL text of its query, with placeholders. Columns ``query_split`` and ``question_split`` name its parts. Rows have
no id, so they are named source:number. A placeholder without a value stays. Cost: O(bytes), one block at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.table import Input, QATable, Records
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
        RecordsError: A field is absent or of the wrong type, or a query has no SQL.
    """
    names = ("question", "answer", "query", "query_split", "question_split")
    builders = {name: ColumnBuilder() for name in names}
    ids: list[str] = []
    sources, records = [], []
    counts = {"queries without a sentence, not rows": 0, "SQL texts after a query's first, passed over": 0}
    for file in files:
        stream: JsonRecords[_Query] = JsonRecords(file, _Query)
        n = 0
        first_rows: list[int] = []
        starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for block in stream:
            starts.append(block.starts)
            stops.append(block.stops)
            for number, query in zip(block.numbers.tolist(), block.records, strict=True):
                if not query.sql:
                    stream.note(number, "sql", "is empty")
                    continue
                first_rows.append(len(ids) + n if query.sentences else -1)
                counts["queries without a sentence, not rows"] += not query.sentences
                counts["SQL texts after a query's first, passed over"] += len(query.sql) - 1
                sql = query.sql[0]
                for each in query.sentences:
                    text = _filled(each.text, each.variables) if variables == "filled" else each.text
                    row = (text, sql, sql, query.query_split, each.question_split)
                    for name, value in zip(names, row, strict=True):
                        builders[name].extend([value])
                    n += 1
        stream.finish()
        spans = np.concatenate(starts), np.concatenate(stops)
        records.append(Records(file, "records", "shared", *spans, np.array(first_rows, dtype=np.int32)))
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
        columns={name: made[name] for name in ("query", "query_split", "question_split")},
        records=tuple(records),
        decisions=counts,
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

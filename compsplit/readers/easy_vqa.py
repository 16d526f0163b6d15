"""easy-VQA: lists of [question, answer, image id], image ids restarting in each file.

Source: the PyPI package easy-vqa. Rows have no id, so they are named source:number; image ids are scoped by file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compsplit.model.column import Column, ColumnBuilder, concatenated, texts
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import built, counted_once
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register

_Triple = tuple[str, str, int | str]


@register("reader", "easy-vqa", source="PyPI package easy-vqa 1.0 (Zhou 2019)")
def read(files: Sequence[Input]) -> QATable:
    """Read easy-VQA's lists of [question, answer, image id]."""
    builders = {name: ColumnBuilder() for name in ("image", "question", "answer")}
    records: list[Records] = []
    sources: list[Column] = []
    ids: list[str] = []
    for file in files:
        stream: JsonRecords[_Triple] = JsonRecords(file, _Triple)  # type: ignore[arg-type]  # a tuple type decodes too
        starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        n_before = 0
        for block in stream:
            builders["question"].extend([question for question, _, _ in block.records])
            builders["answer"].extend([answer for _, answer, _ in block.records])
            builders["image"].extend([f"{file.source}:{image}" for _, _, image in block.records])
            starts.append(block.starts)
            stops.append(block.stops)
            n_before += len(block.records)
        stream.finish()
        rows = np.arange(len(ids), len(ids) + n_before, dtype=np.int32)
        ids += [f"{file.source}:{number}" for number in range(1, n_before + 1)]
        sources.append(Column(np.zeros(n_before, dtype=np.int32), (file.source,)))
        records.append(
            Records(file, "records", stream.header.layout, np.concatenate(starts), np.concatenate(stops), rows)
        )
    answers = builders["answer"].column()
    return built(
        format="easy-vqa",
        ids=texts(ids),
        images=builders["image"].column(),
        questions=builders["question"].column(),
        answers=answers,
        question_types=Column.absent(len(ids)),
        answer_types=Column.absent(len(ids)),
        origins=Column.absent(len(ids)),
        sources=concatenated(sources),
        n_answers=counted_once(answers),
        records=tuple(records),
        scoped=True,
        numbered=True,
    )

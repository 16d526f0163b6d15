"""The rows of an evaluation as a table for people and programs: each with its answer, predictions and scores."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from compsplit.evaluation.evaluating import Evaluation


def columns_of(evaluation: Evaluation) -> tuple[list[str], Iterator[tuple[object, ...]]]:
    """Return the names of the columns, and every scored row, ordered by id as text.

    A score is that of the headline of each metric, 1 for a right answer; a row that a metric does not count has none.
    """
    table = evaluation.table
    several = len(evaluation.models) > 1
    head = ["id", "image", "question", "answer", *evaluation.columns]
    columns = [
        table.ids.tolist(),
        table.images.values(),
        table.questions.values(),
        table.answers.values(),
        *(column.values() for column in evaluation.columns.values()),
    ]
    scored = np.zeros(len(table), dtype=bool)
    for found, answered in zip(evaluation.found, evaluation.models.values(), strict=True):
        scored |= answered.scored
        of = f" of {found.model}" if several else ""
        head.append(f"prediction{of}")
        columns.append(answered.predictions.values())
        for mean in (each for means in found.means.values() for k, each in enumerate(means) if k == 0 or each.headline):
            head.append(f"{mean.name} ({mean.of}){of}")
            scores = [f"{score:.12g}" for score in mean.scores.tolist()]
            columns.append([s if there else None for s, there in zip(scores, mean.counted.tolist(), strict=True)])
    rows = np.flatnonzero(scored).tolist()
    rows.sort(key=columns[0].__getitem__)
    return head, (tuple(column[row] for column in columns) for row in rows)


def as_csv(evaluation: Evaluation) -> str:
    """Return the rows as delimited text; a field without a value is empty."""
    head, rows = columns_of(evaluation)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return text.getvalue()

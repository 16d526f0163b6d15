"""Which rows are scored: those with an answer, of GQA the balanced ones, of parts those with predictions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingFieldError, UnknownNameError, UsageError, counted, listed
from compsplit.evaluation.prediction_join import Joined, rows_with_predictions
from compsplit.model.column import Column, concatenated
from compsplit.model.report import Finding
from compsplit.model.table import QATable
from compsplit.readers.predictions import Predictions
from compsplit.recipe.auditing import Assigned
from compsplit.recipe.joining import joined as one_after_the_other

Score = Literal["balanced", "all"]
"""Which of GQA's questions are scored."""


def with_parts(data: QATable | Assigned, further: QATable | None) -> tuple[QATable, Column | None, list[Finding], int]:
    """Return all rows, the part of each, what is to be said of it, and how many of the rows can be scored."""
    notes: list[Finding] = []
    if isinstance(data, Assigned):
        table, part = data.table, Column(data.part_of_row.astype(np.int32), data.parts)
        notes += data.notes
    else:
        table, part = data, None
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}), and predictions are of questions.", field="format")
    if further is None:
        return table, part, notes, len(table)
    place = {name: row for row, name in enumerate(table.ids.tolist())}
    at = np.array([place.get(name, -1) for name in further.ids.tolist()], dtype=np.int64)
    _refuse_conflicts(table, further, at)
    rest = further.keep(at < 0, "is among the data", "questions of both files, taken once")
    rest = dataclasses.replace(rest, left_out=further.left_out)
    n = len(rest)
    notes.append(
        Finding(
            kind="further-questions",
            count=n,
            message=f"{counted(n, 'further question')} of --all-questions can be entailed; none of them is scored.",
        )
    )
    if not n:
        return table, part, notes, len(table)
    whole = one_after_the_other({"scored": table, "further": rest})
    if part is not None:
        part = concatenated([part, Column.absent(n)])
    if not isinstance(whole, QATable):
        raise UsageError("Questions and further questions must both be questions.")
    return dataclasses.replace(whole, ids_repeat=table.ids_repeat), part, notes, len(table)


def _refuse_conflicts(table: QATable, further: QATable, at: NDArray[np.int64]) -> None:
    """Refuse further questions that are the data's by their ids and not by what they say."""
    there = np.flatnonzero(at >= 0)
    for what, one, other in (
        ("image", table.images, further.images),
        ("question", table.questions, further.questions),
        ("answer", table.answers, further.answers),
    ):
        both = concatenated([one, other]).codes
        differ = there[both[at[there]] != both[len(table) + there]]
        if len(differ):
            ids = sorted(further.ids[differ].tolist())
            raise UsageError(
                f"{counted(len(ids), 'question has', 'questions have')} another {what} in --all-questions than in the "
                f"data ({listed(ids)}). Give files of one release.",
                file=further.inputs[0].name if further.inputs else None,
                record=ids[0],
                field=what,
            )


def scored_rows(
    table: QATable,
    parts: Column | None,
    predictions: Sequence[Predictions],
    score: Score,
    chosen: Sequence[str],
    table_rows: int,
) -> tuple[NDArray[np.bool_], list[Finding]]:
    """Return the rows that are scored, and what is to be said of those that are not."""
    wanted = np.arange(len(table)) < table_rows
    notes: list[Finding] = []
    balanced = table.columns.get("balanced") if table.format == "gqa" else None
    if balanced is not None and score == "balanced":
        lacking = wanted & (balanced.codes < 0)
        if lacking.any():
            n, first = int(lacking.sum()), min(table.ids[lacking].tolist())
            raise MissingFieldError(
                "isBalanced",
                [name for name, column in table.columns.items() if column.n_used],
                file=table.inputs[0].name if table.inputs else None,
                mend=f"{counted(n, 'question lacks', 'questions lack')} it (first: {first}), and only balanced "
                "questions are scored. Pass --score all to score every question",
            )
        is_balanced = np.array([name == "true" for name in balanced.names] + [False])[balanced.codes]
        n_other = int((wanted & ~is_balanced).sum())
        wanted = wanted & is_balanced
        if n_other:
            notes.append(
                Finding(
                    kind="not-balanced",
                    count=n_other,
                    message=f"{counted(n_other, 'question is', 'questions are')} not balanced and not scored.",
                )
            )
    if parts is not None:
        wanted = wanted & _in_parts(table, parts, predictions, chosen)
    answered = table.answers.codes >= 0
    without = wanted & ~answered
    if without.any():
        notes.append(
            Finding(
                kind="no-answer",
                count=int(without.sum()),
                first=tuple(sorted(table.ids[without].tolist())[:5]),
                message=f"{counted(int(without.sum()), 'row has', 'rows have')} no answer and "
                f"{'is' if without.sum() == 1 else 'are'} not scored.",
            )
        )
    wanted = wanted & answered
    if not wanted.any():
        raise UsageError(
            "No row is scored: none of those that were read "
            + ("is balanced and has" if balanced is not None and score == "balanced" else "has")
            + " an answer.",
            field="answer",
        )
    return wanted, notes


def _in_parts(
    table: QATable, parts: Column, predictions: Sequence[Predictions], chosen: Sequence[str]
) -> NDArray[np.bool_]:
    names = list(parts.names)
    for name in chosen:
        if name not in names:
            raise UnknownNameError("part", name, names)
    if not chosen:
        predicted = np.zeros(len(table), dtype=bool)
        for each in predictions:
            predicted |= rows_with_predictions(table, each)
        held = np.bincount(parts.codes[predicted & (parts.codes >= 0)], minlength=len(names))
        chosen = [name for name, n in zip(names, held.tolist(), strict=True) if n]
    if not chosen:
        raise UsageError(f"No row of {listed(names)} has a prediction; ids are compared as text.", field="question_id")
    return np.isin(parts.codes, [names.index(name) for name in chosen])


def unscored(
    table: QATable, predictions: Predictions, found: Joined, wanted: NDArray[np.bool_], parts: Column | None
) -> list[Finding]:
    """Return a finding for predictions of rows that are in no scored part."""
    if parts is None:
        return []
    passed_over = (found.values.codes >= 0) & ~wanted & (parts.codes >= 0)
    n = int(passed_over.sum())
    if not n:
        return []
    message = (
        f"{counted(n, 'prediction')} of {predictions.name} {'is' if n == 1 else 'are'} of rows that are not scored."
    )
    return [
        Finding(
            kind="predictions-not-scored",
            count=n,
            first=tuple(sorted(table.ids[passed_over].tolist())[:5]),
            message=message,
        )
    ]

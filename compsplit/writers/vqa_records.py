"""VQA's questions and annotations, made of rows of any format.

Ids are as the row's own JSON record writes them, whole numbers as such, else text. ``answers`` are those of that
record, else the one that is known. ``question_type`` and ``answer_type`` are there where they are known: nothing is
made up. What is lost: further columns, members of records that VQA does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.model.table import QATable
from compsplit.writers.rows import columns_of, further_columns, needed
from compsplit.writers.spans import json_records

_IDS = ("question_id", "id", "qid", "questionId", "uid")
_IMAGES = ("image_id", "image", "imageId", "image_name", "img_id")
_MEMBERS = ("answer", "answer_confidence", "answer_id")
"""What VQA says of an answer."""


class VqaRecords:
    """Makes the records of rows, and counts what nobody knows.

    Args:
        table: The rows.
        writer: Who asks, for messages.

    Raises:
        UsageError: A row has no image or no question.
    """

    def __init__(self, table: QATable, writer: str) -> None:
        needed(table, writer, "image", "question")
        self._table = table
        known = columns_of(table)
        n_further = len(further_columns(table, {name: known[name] for name in known if name not in table.columns}))
        self.lost: Counter[str] = Counter({"further columns": n_further} if n_further else {})
        origins = table.origins
        # One origin is the file's, as in official files; several are their records'.
        self.origin = origins.names[int(origins.codes[0])] if _one_value(origins.codes) else None

    @property
    def answered(self) -> bool:
        """Whether any row has an answer."""
        return bool((self._table.answers.codes >= 0).any())

    def questions(self, rows: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
        """Yield the question of each row."""
        table = self._table
        for row, given in zip(rows.tolist(), json_records(table, rows), strict=True):
            record = {**self._ids(row, given), "question": table.questions[row]}
            origin = table.origins[row]
            if origin is not None and self.origin is None:
                record["coco_split"] = origin
            yield record

    def annotations(self, rows: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
        """Yield the annotation of each row, and count what it does not know."""
        table = self._table
        for row, given in zip(rows.tolist(), json_records(table, rows), strict=True):
            record = self._ids(row, given)
            answer = table.answers[row]
            answers = _answers(given.get("answers"))
            if answer is None:
                self.lost["no answer is known"] += 1
            else:
                record["multiple_choice_answer"] = answer
                if not answers:
                    self.lost["one answer is known"] += 1
                    answers = [{"answer": answer, "answer_id": 1}]
            if answers:
                record["answers"] = answers
            for name, column in (("question_type", table.question_types), ("answer_type", table.answer_types)):
                value = column[row]
                if value is None:
                    self.lost[f"no {name} is known"] += 1
                else:
                    record[name] = value
            origin = table.origins[row]
            if origin is not None and self.origin is None:
                record["coco_split"] = origin
            yield record

    def _ids(self, row: int, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "question_id": _as_given(str(self._table.ids[row]), given, _IDS),
            "image_id": _as_given(str(self._table.images[row]), given, _IMAGES),
        }


def _one_value(codes: NDArray[np.int32]) -> bool:
    return bool(len(codes) and codes[0] >= 0 and (codes == codes[0]).all())


def _as_given(known: str, given: Mapping[str, Any], names: tuple[str, ...]) -> str | int:
    """Return an id in the type that a record has it in.

    Example:
        >>> _as_given("7", {"id": 7}, ("id",)), _as_given("7", {"id": "7"}, ("id",)), _as_given("a:7", {"id": 7}, ("id",))
        (7, '7', 'a:7')
    """
    found = (given[name] for name in names if type(given.get(name)) is int)
    return next((value for value in found if str(value) == known), known)


def _answers(given: Any) -> list[dict[str, Any]]:
    """Return the answers that a record lists, texts numbered; none where it is no such list."""
    if not isinstance(given, list):
        return []
    if all(isinstance(each, str) for each in given):
        return [{"answer": each, "answer_id": number} for number, each in enumerate(given, 1)]
    if not all(isinstance(each, dict) and isinstance(each.get("answer"), str) for each in given):
        return []
    return [{name: each[name] for name in _MEMBERS if type(each.get(name)) in (str, int)} for each in given]

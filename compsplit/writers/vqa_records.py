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
from compsplit.writers.rows import lost_columns, needed
from compsplit.writers.spans import json_records

_IDS = ("question_id", "id", "qid", "questionId", "uid")
_IMAGES = ("image_id", "image", "imageId", "image_name", "img_id")
_MEMBERS = ("answer", "answer_confidence", "answer_id")
"""What VQA says of an answer."""


class VqaRecords:
    """Makes the records of rows, and counts what nobody knows.

    Args:
        table: The rows.
        rows: Those whose records are wanted, in that order.
        writer: Who asks, for messages.
        header: Whether a header may say where all records are from; their own coco_split says it otherwise.

    Attributes:
        origin: What the header is to say.
        lost: What the records lack -> in how many.

    Raises:
        UsageError: A row has no image or no question.
    """

    def __init__(self, table: QATable, rows: NDArray[np.int64], writer: str, *, header: bool) -> None:
        needed(table, writer, "image", "question")
        self._table = table
        self._rows = rows
        self.lost: Counter[str] = Counter(lost_columns(table, rows))
        codes = table.origins.codes
        same = header and bool(len(codes) and codes[0] >= 0 and (codes == codes[0]).all())
        self.origin = table.origins[0] if same else None

    @property
    def answered(self) -> bool:
        """Whether any row has an answer."""
        return bool((self._table.answers.codes >= 0).any())

    def questions(self) -> Iterator[dict[str, Any]]:
        """Yield the question of each row."""
        for row, given in self._given():
            yield {**self._known(row, given), "question": self._table.questions[row]}

    def annotations(self) -> Iterator[dict[str, Any]]:
        """Yield the annotation of each row, and count what it does not know."""
        table = self._table
        for row, given in self._given():
            record = self._known(row, given)
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
            yield record

    def _given(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        return zip(self._rows.tolist(), json_records(self._table, self._rows), strict=True)

    def _known(self, row: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what both records of a row say."""
        origin = self._table.origins[row]
        return {
            "question_id": _as_given(str(self._table.ids[row]), given, _IDS),
            "image_id": _as_given(str(self._table.images[row]), given, _IMAGES),
            **({} if origin is None or self.origin is not None else {"coco_split": origin}),
        }


def _as_given(known: str, given: Mapping[str, Any], names: tuple[str, ...]) -> str | int:
    """Return an id in the type that a record has it in.

    Example:
        >>> _as_given("7", {"id": 7}, ("id",)), _as_given("a:7", {"id": 7}, ("id",))
        (7, 'a:7')
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

"""GQA's choices: for each question the answers that are valid and those that are plausible.

Source: Hudson and Manning 2019, arXiv 1902.09506: one object, ``{id: {"valid": [...], "plausible": [...]}}``. Questions
that the file has and the table does not are passed over: the files of a release hold all questions. Cost: O(bytes).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, JoinError
from compsplit.model.answered import Choices
from compsplit.model.column import ColumnBuilder, Texts
from compsplit.model.lists import Lists
from compsplit.model.table import Input
from compsplit.readers.json_records import JsonRecords


class _Choice(msgspec.Struct):
    valid: list[str]
    plausible: list[str]


def read_choices(file: Input, ids: Texts, needed: NDArray[np.bool_] | None = None) -> Choices:
    """Return the choices of questions.

    Args:
        file: The file.
        ids: Ids of the questions, shape (n_rows,).
        needed: Questions that must have choices, if the file has any at all: the official program takes an empty object
            for no file. By default none must.

    Raises:
        JoinError: A question that must have choices has none.
        BrokenFileError, RecordsError, RepeatedKeysError: As their messages say.
    """
    place = {name: row for row, name in enumerate(ids.tolist())}
    entry_of_row = np.full(len(ids), -1, dtype=np.int64)
    valid, plausible = _Built(), _Built()
    stream: JsonRecords[_Choice] = JsonRecords(file, _Choice, keyed=True)
    for block in stream:
        if stream.header.layout != "keyed":
            raise BrokenFileError(file.name, "is a list, expected an object whose members are the choices of questions")
        known = [(place[key], each) for key, each in zip(block.keys, block.records, strict=True) if key in place]
        entry_of_row[[row for row, _ in known]] = np.arange(valid.n, valid.n + len(known))
        valid.extend([each.valid for _, each in known])
        plausible.extend([each.plausible for _, each in known])
    stream.finish()
    there = entry_of_row >= 0
    if needed is not None and there.any() and not there[needed].all():
        faults = {"questions without choices": sorted(ids[needed & ~there].tolist())}
        raise JoinError(int(there[needed].sum()), faults, file=file.name, what="Questions and choices")
    return Choices(valid.of(entry_of_row), plausible.of(entry_of_row), there)


class _Built:
    """Collects lists of texts."""

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._values = ColumnBuilder()

    @property
    def n(self) -> int:
        """How many lists there are."""
        return len(self._lengths)

    def extend(self, lists: Sequence[list[str]]) -> None:
        """Add further lists."""
        self._lengths += map(len, lists)
        self._values.extend(value for each in lists for value in each)

    def of(self, entry_of_row: NDArray[np.int64]) -> Lists:
        """Return the list of each row, an empty one for -1."""
        starts = np.append(0, np.cumsum([*self._lengths, 0], dtype=np.int64))
        return Lists(starts, self._values.column()).take(np.where(entry_of_row < 0, self.n, entry_of_row))

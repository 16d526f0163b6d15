"""The answers that people gave to each question, one by one, from the list in its record.

An answer is an object with the field ``answer``, or a plain text; it is kept as written. What else its record says
matters only for telling equal records of one question: each record is known by the place of the first of its question
that says the same besides the answer, which takes 4 bytes. Lists of the usual make, whose records have different ids,
never become Python objects. Cost: O(bytes).
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.json_scan import TEXT, TEXT_OR_WHOLE, list_texts, packed_keys, scan_lists
from compsplit.kernels.words import PAD, wrapping
from compsplit.model.column import Codes, Column, Growing
from compsplit.model.lists import Lists
from compsplit.readers.json_columns import Cells, JsonColumns, Names
from compsplit.readers.json_spans import is_text, type_name

_FIELDS = {"answer": TEXT, "answer_id": TEXT_OR_WHOLE}
_KEYS = packed_keys(list(_FIELDS))
_KINDS = np.array(list(_FIELDS.values()), dtype=np.uint8)
_BYTES_OF_AN_ANSWER = 24
_HALF = "holds half of a surrogate pair, which is no text"


class _Answer(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    answer: str
    answer_confidence: str | msgspec.UnsetType | None = msgspec.UNSET
    answer_id: int | str | msgspec.UnsetType | None = msgspec.UNSET


_decoder = msgspec.json.Decoder(list[_Answer])


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Answers of some of a block's lists: the list, the place in it, the text's number, and the record's."""

    owners: NDArray[np.int64]
    places: NDArray[np.int64]
    codes: Codes
    rests: NDArray[np.int64]

    def of_rows(self, rows: NDArray[np.bool_]) -> _Values:
        mine = rows[self.owners]
        return _Values(self.owners[mine], self.places[mine], self.codes[mine], self.rests[mine])


class PeoplesAnswers:
    """Collects the lists under one field of records as blocks come.

    Args:
        stream: The records' file, which is told what is wrong with a list.
        name: The field that holds the lists.
    """

    def __init__(self, stream: JsonColumns, name: str) -> None:
        self._stream = stream
        self._name = name
        self._texts = Names()
        self._codes = Growing()
        self._rests = Growing()
        self._lengths: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        self._n_lists = 0

    def add(self, cells: Cells) -> None:
        """Add the lists of further records."""
        data = np.frombuffer(cells.data, dtype=np.uint8)
        starts, stops = cells.where(self._name)
        there = cells.there(self._name)
        self._n_lists += int(there.sum())
        found, settled = self._objects(data, starts, stops)
        settled &= (starts >= 0) | ~there
        if not settled.all():
            texts, plain = self._plain_texts(data, np.where(settled, np.int32(-1), starts), stops)
            others = self._one_by_one(cells, np.flatnonzero(~settled & ~plain).tolist())
            found = _in_order([found.of_rows(settled), texts, others])
        self._lengths.append(np.bincount(found.owners, minlength=len(cells)))
        self._codes.extend(found.codes)
        self._rests.extend(found.rests)

    def finished(self) -> tuple[Lists, Lists] | None:
        """Return the answers of each record, and what their records say besides; None where no record has a list.

        Records of which an answer is no text are noted.
        """
        lengths = np.concatenate(self._lengths)
        codes, rests = self._codes.taken(), self._rests.taken()
        if not self._n_lists:
            return None
        starts = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        names, escaped = self._texts.names()
        values = Column(codes, tuple(names))
        if escaped:
            for code in (code for code, name in enumerate(names) if not is_text(name)):
                for place in np.flatnonzero(codes == code).tolist():
                    self._note(int(np.searchsorted(starts, place, side="right")), _HALF)
            # A text that is written with escapes may equal one that is not.
            told_apart = Column.of(names)
            values = Column(told_apart.codes[codes], told_apart.names)
        return Lists(starts, values), Lists(
            starts, Column(rests, tuple(map(str, range(1, int(lengths.max(initial=0)) + 1))))
        )

    def _objects(
        self, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]
    ) -> tuple[_Values, NDArray[np.bool_]]:
        """Return the answers of lists of objects, and which lists need no other look."""
        counts = np.zeros(len(starts), dtype=np.int64)
        firsts, lasts = starts.astype(np.int64), stops.astype(np.int64)
        room = max(int((lasts - firsts)[firsts >= 0].sum()) // _BYTES_OF_AN_ANSWER, 16)
        while True:
            doubtful = np.empty(room, dtype=np.bool_)
            cells = np.empty((room, len(_FIELDS), 2), dtype=np.int32)
            with wrapping():
                n = scan_lists(data, firsts, lasts, _KEYS, _KINDS, doubtful, cells, counts)
            if n >= 0:
                break
            room *= 2
        answers, written_ids = (np.ascontiguousarray(cells[:n, k].T) for k in range(len(_FIELDS)))
        # Ids are only told apart within a list, so their texts need not be kept.
        known = Names()
        ids = known.number(data, *written_ids).astype(np.int64)
        if self._stream.escaped and known.names()[1]:
            ids[:] = -1
        settled = counts >= 0
        owners, places = _placed(np.maximum(counts, 0))
        settled[owners[doubtful[:n] | (answers[0] < 0)]] = False
        # Where ids differ, so do the records, whatever else they say; no id is an id like any other.
        keys = np.sort(owners * (known.n + 1) + ids + 1)
        settled[keys[1:][keys[1:] == keys[:-1]] // (known.n + 1)] = False
        # Only what is settled is numbered: a doubtful answer may be no text.
        answers[0, ~settled[owners]] = -1
        return _Values(owners, places, self._texts.number(data, *answers), places), settled

    def _plain_texts(
        self, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]
    ) -> tuple[_Values, NDArray[np.bool_]]:
        """Return the answers of lists of texts, and which lists are such; their records say nothing besides."""
        counts = np.zeros(len(starts), dtype=np.int64)
        room = max(10 * len(starts), 16)
        while True:
            firsts, lasts = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
            with wrapping():
                n = list_texts(data, starts, stops, firsts, lasts, counts)
            if n >= 0:
                break
            room *= 2
        owners, places = _placed(np.maximum(counts, 0))
        codes = self._texts.number(data, firsts[:n], lasts[:n])
        return _Values(owners, places, codes, np.zeros(n, dtype=np.int64)), (counts >= 0) & (starts >= 0)

    def _one_by_one(self, cells: Cells, rows: list[int]) -> _Values:
        """Return the answers of lists that need a slower look; what is wrong with them is noted."""
        answers: list[str] = []
        rests: list[int] = []
        lengths = np.zeros(len(cells), dtype=np.int64)
        for row in rows:
            raw = cells.raw(self._name, row)
            before = len(answers)
            first_with: dict[Hashable, int] = {}
            try:
                records = _decoder.decode(raw)
            except msgspec.DecodeError:
                told = self._told(raw, cells.first_number + row)
            else:
                told = [(each.answer, (each.answer_confidence, each.answer_id)) for each in records]
            for place, (answer, rest) in enumerate(told):
                answers.append(answer)
                rests.append(first_with.setdefault(rest, place))
            lengths[row] = len(answers) - before
        owners, places = _placed(lengths)
        return _Values(owners, places, self._numbered(answers), np.array(rests, dtype=np.int64))

    def _told(self, raw: bytes, number: int) -> list[tuple[str, Hashable]]:
        """Return the answers of one list, each with what else its record says; none if something is wrong."""
        listed = json.loads(raw)
        if not isinstance(listed, list):
            self._note(number, f"is {type_name(listed)}, expected a list")
            return []
        told: list[tuple[str, Hashable]] = []
        for place, each in enumerate(listed, start=1):
            answer = each.pop("answer", None) if isinstance(each, dict) else each
            if answer is None:
                self._note(number, f"answer {place} has no text")
                return []
            if not isinstance(answer, str):
                self._note(number, f"answer {place} is {type_name(answer)}, expected a text")
                return []
            if not is_text(answer):
                self._note(number, _HALF)
                return []
            told.append((answer, _hashable(each) if isinstance(each, dict) else None))
        return told

    def _note(self, number: int, what: str) -> None:
        """Note what is wrong with a list, unless that was seen when the ground truth was looked for."""
        if all((each.record, each.field) != (number, self._name) for each in self._stream.problems):
            self._stream.note(number, self._name, what)

    def _numbered(self, answers: list[str]) -> Codes:
        place = {answer: k for k, answer in enumerate(dict.fromkeys(answers))}
        written = [json.dumps(answer, ensure_ascii=False)[1:-1].encode() for answer in place]
        ends = np.zeros(len(written) + 1, dtype=np.int32)
        np.cumsum(list(map(len, written)), out=ends[1:])
        data = np.frombuffer(b"".join(chain(written, [b"\0" * PAD])), dtype=np.uint8)
        codes = self._texts.number(data, ends[:-1], ends[1:])
        return codes[np.fromiter((place[answer] for answer in answers), dtype=np.int64, count=len(answers))]


def _placed(lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the list and the place in it of each value of lists that stand one after the other."""
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners, np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _in_order(parts: Sequence[_Values]) -> _Values:
    """Return the values of all parts, list by list."""
    columns = [(each.owners, each.places, each.codes, each.rests) for each in parts]
    owners, places, codes, rests = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.lexsort((places, owners))
    return _Values(owners[order], places[order], codes[order], rests[order])


def _hashable(value: Any) -> Hashable:
    """Return a value of JSON such that equal ones are equal, as Python compares them."""
    if isinstance(value, dict):
        return frozenset((name, _hashable(each)) for name, each in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value

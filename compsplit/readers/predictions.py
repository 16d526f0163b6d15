"""Predictions of a model: VQA's list of results, GQA's list of predictions, JSON lines, ``{id: answer}``, or CSV.

An id is question_id, questionId, qid or id; what was predicted is answer or prediction. Ids are text: a whole number in
JSON is its decimal text, and delimited text is never a number. NaN, Infinity, null and empty text are no prediction;
another number or a truth value is one that is no text, and so equals no answer. An object is one of answers by id if it
stands alone, has no field of a record and holds no list of records. Cost: O(bytes).

Source: GT-Vision-Lab/VQA, the result format; Hudson and Manning 2019, arXiv 1902.09506, the evaluation's format.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, Problem, RecordsError, counted, listed
from compsplit.files import Bytes, text_of
from compsplit.model.column import Column, ColumnBuilder, Texts, frozen, texts
from compsplit.model.report import Finding
from compsplit.model.table import Input
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.json_spans import NotANumber, type_name

_IDS = ("question_id", "questionId", "qid", "id")
_VALUES = ("prediction", "answer", "predicted_answer")
_LISTS = ("results", "predictions", "answers")
_LAST = "Is this the file of predictions? It is named after the data"
_SHOWN = 5
# What is looked at to tell the layout: a first record that is longer, or has more members, is none of JSON lines.
_HEAD = 2 << 20
_MEMBERS = 1000
_KEY = re.compile(r'\s*(?:,\s*)?"(?P<key>(?:[^"\\]|\\.)*)"\s*:\s*')


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What one model predicted.

    Attributes:
        name: What the model is called.
        file: The file, for messages; None where they were given in memory.
        ids: As written, in file order; an id may stand several times. Shape (n,).
        values: The prediction of each, -1 where there is none.
        not_text: Which are numbers or truth values; shape (n,).
        findings: What was odd.
    """

    name: str
    file: str | None
    ids: Texts
    values: Column
    not_text: NDArray[np.bool_]
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        frozen(self.not_text)


class _Record(msgspec.Struct):
    question_id: str | int | None = None
    questionId: str | int | None = None
    qid: str | int | None = None
    id: str | int | None = None
    prediction: Any = msgspec.UNSET
    answer: Any = msgspec.UNSET
    predicted_answer: Any = msgspec.UNSET

    @property
    def name(self) -> str | int | None:
        """The id, None where there is none."""
        return next((found for field in _IDS if (found := getattr(self, field)) is not None), None)

    @property
    def value(self) -> Any:
        """What was predicted, unset where no field says."""
        return next((found for name in _VALUES if (found := getattr(self, name)) is not msgspec.UNSET), msgspec.UNSET)


class _Collected:
    """Predictions as they come."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.values = ColumnBuilder()
        self.not_text: list[int] = []
        self.empty: list[str] = []
        self.not_numbers: list[str] = []

    def add(self, names: Iterable[str], values: Iterable[Any]) -> None:
        """Add predictions; a value that is neither text nor a number, truth value or nothing is not expected here."""
        names, values = list(names), list(values)
        if not set(map(type, values)) <= {str} or "" in values:
            for k, value in enumerate(values):
                if value and type(value) is str:
                    continue
                if value is None or value == "" or isinstance(value, NotANumber):
                    (self.not_numbers if isinstance(value, NotANumber) else self.empty).append(names[k])
                    values[k] = None
                else:
                    self.not_text.append(len(self.ids) + k)
                    values[k] = msgspec.json.encode(value).decode()
        self.ids += names
        self.values.extend(values)

    def made(self, name: str, file: str | None) -> Predictions:
        """Return all of them."""
        not_text = np.zeros(len(self.ids), dtype=bool)
        not_text[self.not_text] = True
        found = [
            ("prediction-empty", self.empty, "holds nothing", "hold nothing", "as missing"),
            ("not-a-number", self.not_numbers, "is NaN or Infinity", "are NaN or Infinity", "as missing"),
            (
                "prediction-no-text",
                [self.ids[k] for k in self.not_text],
                "is a number or a truth value, no text,",
                "are numbers or truth values, no text,",
                "as wrong: official rules compare text",
            ),
        ]
        findings = tuple(
            Finding(
                kind=kind,
                count=len(ids),
                first=tuple(sorted(ids)[:_SHOWN]),
                message=f"{counted(len(ids), f'prediction of {name} {one}', f'predictions of {name} {many}')} and "
                f"{'counts' if len(ids) == 1 else 'count'} {how}.",
            )
            for kind, ids, one, many, how in found
            if ids
        )
        return Predictions(name, file, texts(self.ids), self.values.column(), not_text, findings)


def predictions_of(given: Mapping[Any, Any], name: str) -> Predictions:
    """Return predictions that are at hand as id -> answer.

    Raises:
        RecordsError: A prediction is neither text nor a number, a truth value or nothing.
    """
    collected = _Collected()
    values: list[Any] = []
    problems: list[Problem] = []
    for number, (key, value) in enumerate(given.items(), 1):
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, float) and not math.isfinite(value):
            value = NotANumber([], str(value))
        elif value is not None and not isinstance(value, str | bool | int | float):
            problems.append(Problem(name, number, None, f"{key} is of type {type(value).__name__}, expected a string"))
        values.append(str(value) if isinstance(value, str) else value)
    if problems:
        raise RecordsError(problems)
    collected.add([str(key) for key in given], values)
    return collected.made(name, None)


def read_predictions(file: Input, name: str) -> Predictions:
    """Return the predictions of a file.

    Args:
        file: The file; its content says which layout it has.
        name: What the model is called.

    Raises:
        BrokenFileError: It is none of the layouts.
        RecordsError: A record has no id, or nothing that was predicted, or a list or object for it.
    """
    with Bytes(file) as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    collected = _Collected()
    if head[:1] == "{" and _is_by_id(head):
        _read_by_id(file, collected)
    elif head[:1] in ("{", "["):
        _read_records(file, collected)
    else:
        _read_delimited(file, collected)
    if not collected.ids:
        raise BrokenFileError(file.name, "holds no prediction")
    return collected.made(name, file.name)


def _is_by_id(head: str) -> bool:
    """Tell whether an object holds answers by id: it stands alone, is no record and holds no list of them.

    Args:
        head: How the file begins, with the object's brace first.
    """
    decoder = json.JSONDecoder()
    at = 1
    for _ in range(_MEMBERS):
        member = _KEY.match(head, at)
        if member is None:
            break
        begins = head[member.end() : member.end() + 1]
        if member["key"] in (*_IDS, *_VALUES) or (member["key"] in _LISTS and begins == "["):
            return False
        try:
            _, at = decoder.raw_decode(head, member.end())
        except (ValueError, RecursionError):  # cut or broken; if broken, the error is told where it is read
            return True
    rest = head[at:].lstrip()
    return not (rest.startswith("}") and rest[1:].lstrip())


def _read_records(file: Input, collected: _Collected) -> None:
    stream: JsonRecords[_Record] = JsonRecords(file, _Record, _LISTS)
    for block in stream:
        usual = _usual(block.records)
        if usual is not None:
            collected.add(*usual)
            continue
        names: list[str] = []
        values: list[Any] = []
        for number, record in zip(block.numbers.tolist(), block.records, strict=True):
            name, value = record.name, record.value
            if name is None:
                stream.note(number, "question_id", f"is missing; expected one of {', '.join(_IDS)}. {_LAST}")
            elif value is msgspec.UNSET:
                stream.note(number, "prediction", f"is missing; expected one of {', '.join(_VALUES)}. {_LAST}")
            elif isinstance(value, list | dict):
                stream.note(number, "prediction", f"is {type_name(value)}, expected a string")
            else:
                names.append(str(name))
                values.append(value)
        collected.add(names, values)
    stream.finish()


def _usual(records: Sequence[_Record]) -> tuple[list[str], list[Any]] | None:
    """Return ids and values of records that all have them under the same names, as most files do; None for others."""
    found: list[list[Any]] = []
    for fields, none in ((_IDS, None), (_VALUES, msgspec.UNSET)):
        for field in fields:
            column = list(map(attrgetter(field), records))
            lacking = column.count(none)
            if not lacking:
                found.append(column)
                break
            if lacking < len(column):
                return None
        else:
            return None
    names, values = found
    if any(issubclass(kind, list | dict) for kind in set(map(type, values))):
        return None
    return list(map(str, names)), values


def _read_by_id(file: Input, collected: _Collected) -> None:
    stream: JsonRecords[Any] = JsonRecords(file, Any, keyed=True)
    for block in stream:
        for number, value in zip(block.numbers.tolist(), block.records, strict=True):
            if isinstance(value, list | dict):
                stream.note(number, None, f"is {type_name(value)}, expected a string")
        collected.add(block.keys, [None if isinstance(each, list | dict) else each for each in block.records])
    stream.finish()


def _read_delimited(file: Input, collected: _Collected) -> None:
    text = text_of(file)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    problems: list[Problem] = []
    number = 0
    try:
        head = next(reader, [])
        twice = [field for field, n in Counter(head).items() if n > 1]
        if twice:
            raise BrokenFileError(file.name, f'the column "{twice[0]}" stands twice')
        name = next((field for field in _IDS if field in head), None)
        value = next((field for field in _VALUES if field in head), None)
        if name is None or value is None:
            raise BrokenFileError(
                file.name,
                "holds no predictions: expected a JSON list, JSON lines, {id: answer}, or delimited text "
                f"with an id ({', '.join(_IDS)}) and a prediction ({', '.join(_VALUES)}); its first line has "
                f"{listed(head)}",
            )
        at_name, at_value = head.index(name), head.index(value)
        names, values = [], []
        for number, row in enumerate(reader, 1):
            if not row:
                continue
            if len(row) != len(head):
                problems.append(
                    Problem(file.name, number, None, f"has {counted(len(row), 'field')}, expected {len(head)}")
                )
            elif not row[at_name]:
                problems.append(Problem(file.name, number, name, "is missing"))
            else:
                names.append(row[at_name])
                values.append(row[at_value])
    except csv.Error as error:
        raise BrokenFileError(
            file.name, f"record {number + 1} is not delimited text ({error})", record=number + 1
        ) from error
    if problems:
        raise RecordsError(problems)
    collected.add(names, values)

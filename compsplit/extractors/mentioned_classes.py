"""Pairs of the object classes that a question mentions; atoms are the classes.

Source: UOUC, section 4, with questions in place of scenes; Hudson and Manning 2019, arXiv 1902.09506 (programs). On
natural images nearly all scenes hang together through shared pairs, and what questions mention does not. The image
still shows the other objects.

A class is mentioned once, however often it is named, so that a question about one class has no pair. Where the classes
come from:
* the programs of GQA (what they select, relate to and choose among by name; the program's own words, such as vehicle,
  and whether or not the image has one) and of CLEVR (shapes);
* a column, each cell a JSON list or names with semicolons between them;
* a file of class names, one a line or a JSON list: those whose words follow each other in the reduced question, the
  longest first ("traffic light" is no light).

Cost: O(steps of distinct programs), or O(words of distinct questions).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import BrokenFileError, UnknownNameError, UsageError
from compsplit.extractors.commonest import commonest_classes
from compsplit.extractors.programs import program_column, programs
from compsplit.files import text_of
from compsplit.model.column import Column
from compsplit.model.compounds import ObjectPairs
from compsplit.model.incidence import Incidence, bagged
from compsplit.model.program import Program
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import Input
from compsplit.registry import UserFile, register

_UNNAMED = ("_", "scene", "")
"""Anything, the whole image, nothing."""


@register("extractor", "mentioned-classes", source="UOUC, section 4, with questions in place of scenes")
def extract(
    table: RowTable, rows: Rows, *, mentions: str = "", vocabulary: UserFile | None = None, commonest: int = 0
) -> ObjectPairs:
    """Take all pairs of different object classes that a question mentions.

    Args:
        table: Questions.
        rows: The same, prepared.
        mentions: The column that lists the classes, where programs do not say.
        vocabulary: A file of class names, to find in the reduced questions.
        commonest: Keep so many classes, those that most questions mention; 0 keeps all.

    Raises:
        UsageError: Nothing says which classes are mentioned, or two things do, or the rows are scenes.
        UnknownNameError: There is no such column.
        BrokenFileError: The file holds no names.
        OptionValueError: commonest is negative.
    """
    if isinstance(table, SceneTable):
        raise UsageError("Questions mention classes, and these rows are scenes: extract object-pairs.", field="of")
    if mentions and vocabulary is not None:
        raise UsageError(
            "A column or a vocabulary says which classes a question mentions; leave extract.mentions or "
            "extract.vocabulary out.",
            field="extract.mentions",
        )
    rules: dict[str, Any] = {"classes": "of programs"}
    if mentions:
        found = _of_column(rows, mentions)
        rules = {"classes": f"of column {mentions}"}
    elif vocabulary is not None:
        found, rules = _of_words(rows, vocabulary)
    elif "program" in rows.columns and rows.columns["program"].names:
        column = program_column(rows)
        found = _bags(column, map(_of_program, programs(column)))
    else:
        raise UsageError(
            "No row has a program to say which classes its question mentions. Name a column that lists them "
            "(--set extract.mentions=COLUMN), or a file of class names (--set extract.vocabulary=FILE).",
            field="extract.mentions",
        )
    if commonest:
        rules["commonest classes"] = commonest
    return ObjectPairs(commonest_classes(found, commonest), rules, of="mentioned class pairs")


def _of_program(program: Program) -> list[str]:
    """Return the classes that the steps of a program name.

    Example:
        >>> _of_program(Program.parse('[["select",["car"],[]],["relate",["man","near","s"],[0]],["exist",[],[1]]]'))
        ['car', 'man']
    """
    named: list[str] = []
    for step in program.steps:
        kind, _, rest = step.operation.partition(" ")
        # CLEVR's relate has a direction alone.
        if kind == "select" or ((kind == "relate" or rest == "rel") and len(step.arguments) > 1):
            named += step.arguments[:1]
        elif step.operation == "filter_shape" or (rest == "name" and kind in ("choose", "verify", "filter")):
            named += (option for argument in step.arguments for option in argument.split("|"))
    return [plain for name in named if (plain := _plain(name)) not in _UNNAMED]


def _of_column(rows: Rows, name: str) -> Incidence:
    column = rows.column(name)
    if not column.names:
        raise UnknownNameError("column with values", name, [n for n, each in rows.columns.items() if len(each.names)])

    def listed(cell: str, code: int) -> list[str]:
        try:
            return _items(cell)
        except ValueError as error:
            row = str(rows.ids[int(np.argmax(column.codes == code))])
            raise UsageError(f"Row {row}, {name}: {error}. A JSON list of names was expected, or names with "
                             "semicolons between them.", record=row, field=name) from error  # fmt: skip

    return _bags(column, (listed(cell, code) for code, cell in enumerate(column.names)))


def _items(cell: str) -> list[str]:
    """Return the names of a cell.

    Example:
        >>> _items("cup; Traffic  light;"), _items('["cup"]')
        (['cup', 'traffic light'], ['cup'])
    """
    items: Any = cell.split(";")
    if cell.lstrip().startswith("["):
        try:
            items = json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"begins like a JSON list and is none ({error})") from error
        if not all(isinstance(item, str) for item in items):
            raise ValueError("holds something else than text in its list")
    return [plain for item in items if (plain := _plain(item))]


def _of_words(rows: Rows, vocabulary: str) -> tuple[Incidence, dict[str, Any]]:
    text = text_of(Input(Path(vocabulary), Path(vocabulary).stem))
    name = Path(vocabulary).name
    column = rows.columns.get("question (reduced)")
    if column is None or not column.names:
        raise UsageError("A vocabulary is found in questions, and no row has one.", field="extract.vocabulary")
    find = _finder(_names(text, name))
    digest = sha256(text.encode()).hexdigest()
    rules = {"classes": "words of reduced questions", "vocabulary": {"file": name, "sha256": digest}}
    return _bags(column, (find(question.split(" ")) for question in column.names)), rules


def _names(text: str, file: str) -> list[str]:
    if text.lstrip().startswith("["):
        try:
            names = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BrokenFileError(file, f"begins like a JSON list and is none ({error})") from error
    else:
        names = text.split("\n")
    if not all(isinstance(name, str) for name in names) or not any(map(_plain, names)):
        raise BrokenFileError(file, "holds no class names; one a line or a JSON list of them was expected")
    return [plain for name in names if (plain := _plain(name))]


def _finder(names: Iterable[str]) -> Callable[[list[str]], list[str]]:
    """Return what finds names in words, the longest first and none inside another.

    Example:
        >>> _finder(["light", "traffic light"])(["the", "traffic", "light", "or", "light"])
        ['traffic light', 'light']
    """
    by_first: dict[str, list[list[str]]] = {}
    for name in sorted(set(names), key=lambda name: (-name.count(" "), name)):
        by_first.setdefault(name.split(" ")[0], []).append(name.split(" "))

    def find(words: list[str]) -> list[str]:
        found = []
        place = 0
        while place < len(words):
            known = by_first.get(words[place], ())
            match = next((each for each in known if words[place : place + len(each)] == each), None)
            if match:
                found.append(" ".join(match))
            place += len(match or " ")
        return found

    return find


def _bags(column: Column, mentioned: Iterable[list[str]]) -> Incidence:
    """Return the incidence of what each value of a column mentions, each class once; equal rows share a bag."""
    numbers: dict[str, int] = {}
    bags: dict[tuple[int, ...], int] = {(): 0}
    bag_of_code = [0] * (len(column.names) + 1)
    for code, names in enumerate(mentioned):
        held = tuple(sorted({numbers.setdefault(name, len(numbers)) for name in names}))
        bag_of_code[code] = bags.setdefault(held, len(bags))
    names = sorted(numbers)
    place = np.zeros(len(names) + 1, dtype=np.int64)
    place[[numbers[name] for name in names]] = np.arange(len(names))
    # A row without a value has the last code, and nothing.
    bag_of_row = np.array(bag_of_code, dtype=np.int32)[column.codes]
    held_by_bag = [tuple(place[list(held)].tolist()) for held in bags]
    return bagged("mentioned classes", bag_of_row, held_by_bag, tuple(names))


def _plain(name: str) -> str:
    """Return a name as readers of scenes make it: lower-cased, single spaces."""
    return " ".join(name.lower().split())

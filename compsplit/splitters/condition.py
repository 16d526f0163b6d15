"""Conditions that say which rows train may show, and which test: CoGenT's files, or expressions.

Source: CoGenT (Johnson et al. 2017, arXiv 1612.06890, section 4.7). A condition file maps a class to the attributes
that it may have, ``{"cube": ["gray", "blue"], ...}``; a row satisfies it if none of its pairs joins a class of the file
with an attribute that the file names for some class but not for this one. So attributes that the file never names
(sizes) and classes that it does not have are free, and a row without such a pair satisfies every file. The pairs are
whatever was extracted: attributes with classes, two attributes of an object, two columns. Expressions: see
``expressions``.

Rows that satisfy one condition go to its part, rows that satisfy neither are left out, rows that satisfy both go where
``both`` says; both kinds are counted. Where one condition is given, the other part takes the rows that do not satisfy
it. A group satisfies a condition if all its rows do.

Guarantee: rows of a part satisfy its condition. Where train has a file and rows that satisfy both are not in test, each
group of test shows a pair that train lacks. Cost: O(non-zeros).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, ImpossibleError, RecordsError, UsageError, counted, listed, nearest
from compsplit.errors import Problem as Wrong
from compsplit.files import text_of
from compsplit.model.compounds import Compounds
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.registry import UserFile, register
from compsplit.splitters.expressions import OneOf, parsed, refused, truth
from compsplit.splitters.listing import listed_compounds, named_as, only
from compsplit.splitters.problem import Problem

_MEMBERS = {"attribute-objects": ("attribute", "class"), "relations": ("subject", "predicate", "object")}
"""What the members of a compound are called inside of any(...), by what was extracted."""

_ANY_MEMBER = "member"


def _keeps(options: Mapping[str, Any]) -> Sequence[str]:
    if options["train_file"] is None or options["both"] == "test":
        return ()
    return ("groups-with-unseen-compounds[{of}][{train}->{test}] == 1",)


@register(
    "splitter",
    "condition",
    source="Johnson et al. 2017, arXiv 1612.06890, section 4.7 (CoGenT)",
    guarantee="Every row satisfies the condition of its part; with a file for train, and rows that satisfy both kept "
    "out of test, every group of test shows a pair that train lacks.",
    cost="O(non-zeros)",
    parts=("train", "test"),
    keeps=_keeps,
)
def assign(
    problem: Problem,
    *,
    train: str = "",
    test: str = "",
    train_file: UserFile | None = None,
    test_file: UserFile | None = None,
    both: Literal["train", "test", "leave-out"] = "train",
    of: str = "",
) -> Split:
    """Give each part the rows that satisfy its condition.

    Args:
        problem: Groups, and rows with columns and compounds.
        train: The condition of train, such as "not any(class == cube and attribute == red)", "color != red if shape ==
            cube".
        test: The condition of test.
        train_file: A file in place of train: class -> attributes that it may have.
        test_file: A file in place of test.
        both: Where rows go that satisfy both: "train", "test", or they are left out.
        of: What was extracted, where several things were.

    Raises:
        ImpossibleError: No group satisfies a condition alone.
        UsageError: No condition is given, or two for one part; or one names what the rows do not have.
    """
    conditions = [_Condition(problem, of, *each) for each in (("train", train, train_file), ("test", test, test_file))]
    if not any(condition.given for condition in conditions):
        raise UsageError(
            "No condition is given. Say one as split.train or split.test (such as color == red), or as a file of "
            "classes with the attributes that they may have, split.train_file or split.test_file.",
            field="split.train",
        )
    in_train, in_test = (condition.rows() if condition.given else None for condition in conditions)
    in_train, in_test = (
        ~in_test if in_train is None and in_test is not None else in_train,
        ~in_train if in_test is None and in_train is not None else in_test,
    )
    assert in_train is not None
    assert in_test is not None
    order = problem.order()
    one, other = (_whole_groups(problem, rows)[order] for rows in (in_train, in_test))
    stays = problem.grouping.stays[order]
    part = np.full(len(order), -1, dtype=np.int16)
    part[one & ~other] = 0
    part[other & ~one] = 1
    if both != "leave-out":
        part[one & other] = 0 if both == "train" else 1
    part[stays] = np.where(one[stays], 0, -1)
    _check_parts(problem, part, conditions)
    forbidden = conditions[0].forbidden
    return problem.split(
        part,
        order,
        {
            "its group must stay in train and does not satisfy the condition of train": stays & ~one,
            "satisfies both conditions": one & other,
            "rows of its group satisfy different conditions": _whole_groups(problem, in_train | in_test)[order],
            "satisfies neither condition": np.ones(len(order), dtype=bool),
        },
        held=None if forbidden is None else only(conditions[0].compounds.rows, forbidden),
        **{"rows that satisfy both": int((in_train & in_test).sum())},
        **{"rows that satisfy neither": int((~in_train & ~in_test).sum())},
        **{
            f"never met of the condition of {condition.part}": listed(condition.never_met)
            for condition in conditions
            if condition.never_met
        },
    )


def _whole_groups(problem: Problem, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which groups have marked rows alone; shape (n_groups,)."""
    whole = np.ones(problem.grouping.n_groups, dtype=bool)
    whole[problem.grouping.group_of_row[~rows]] = False
    return whole


def _check_parts(problem: Problem, part: NDArray[np.int16], conditions: Sequence[_Condition]) -> None:
    """Raise if a part would be empty."""
    for number, name in enumerate(problem.targets.parts):
        if not (part == number).any():
            told = ", ".join(f"{each.part} {each.satisfied:,}" for each in conditions if each.given)
            raise ImpossibleError(
                f"No {problem.grouping.unit} would be in {name}: of "
                f"{counted(len(problem.grouping.group_of_row), 'row')} these satisfy the condition of {told}; "
                f"{int((part >= 0).sum()):,} of {counted(problem.grouping.n_groups, problem.grouping.unit)} have a "
                "part. Change a condition, or both. Nothing was written.",
                facts={each.part: each.satisfied for each in conditions if each.given},
            )


class _Condition:
    """The condition of one part."""

    def __init__(self, problem: Problem, of: str, part: str, written: str, file: str | None) -> None:
        if written and file is not None:
            raise UsageError(
                f"split.{part} and split.{part}_file both give the condition of {part}; give one of them.",
                field=f"split.{part}",
            )
        self.problem, self.of, self.part = problem, of, part
        self.written, self.file = written.strip(), file
        self.given = bool(self.written) or file is not None
        self.satisfied = 0
        self.forbidden: NDArray[np.bool_] | None = None
        self.never_met: list[str] = []
        self._compounds: Compounds | None = None

    @property
    def compounds(self) -> Compounds:
        """The compounds that it is about."""
        if self._compounds is None:
            self._compounds = listed_compounds(self.problem.compounds(self.of))
        return self._compounds

    def rows(self) -> NDArray[np.bool_]:
        """Return the rows that satisfy it."""
        if self.file is not None:
            self.forbidden = self._forbidden(Input(Path(self.file), self.part))
            found = ~self.compounds.rows.rows_with_any(self.forbidden)
        else:
            expression = parsed(self.written, f"split.{self.part}")
            found = truth(expression, self._of_test, self._rows_with)
        self.satisfied = int(found.sum())
        return found

    # --- a file

    def _forbidden(self, file: Input) -> NDArray[np.bool_]:
        """Return which pairs the condition of a file forbids; shape (n_compounds,)."""
        compounds = self.compounds
        if compounds.starts != 2:
            raise UsageError(
                f"{file.name} says which attributes a class may have, so it is about pairs, and {compounds.of} are "
                "none. Extract attribute-objects, attribute-pairs or two columns, such as color+shape.",
                file=file.name,
                field="extract.of",
            )
        allowed = _allowed(file, named_as(compounds))
        names = list(compounds.atoms.names)
        values = {value for each in allowed.values() for value in each}
        is_key = np.array([name in allowed for name in names], dtype=bool)
        is_value = np.array([name in values for name in names], dtype=bool)
        forbidden = np.zeros(len(compounds.rows.names), dtype=bool)
        concerned = np.zeros(len(forbidden), dtype=bool)
        for keys, others in (
            (compounds.parts[0::2], compounds.parts[1::2]),
            (compounds.parts[1::2], compounds.parts[0::2]),
        ):
            about = np.flatnonzero(is_key[keys] & is_value[others])
            concerned[about] = True
            for c in about.tolist():
                forbidden[c] |= names[others[c]] not in allowed[names[keys[c]]]
        there = compounds.rows.rows_with(np.ones(len(self.problem.grouping.group_of_row), dtype=bool)) > 0
        if not (concerned & there).any():
            raise UsageError(
                f"{file.name}: no {compounds.noun} of these rows ({compounds.of}) joins one of its classes "
                f"({listed(sorted(allowed))}) with one of its attributes ({listed(sorted(values))}); they are such as "
                f"{listed(compounds.rows.names, shown=3)}. Read or extract the rows so that these are pairs.",
                file=file.name,
                field="extract.of",
            )
        self.never_met = sorted({*allowed, *values} - set(names))
        return forbidden

    # --- an expression

    def _rows_with(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return self.compounds.rows.rows_with_any(marked)

    def _of_test(self, test: OneOf, inside: bool) -> NDArray[np.bool_]:
        return self._compounds_where(test) if inside else self._rows_where(test)

    def _rows_where(self, test: OneOf) -> NDArray[np.bool_]:
        columns = {} if self.problem.rows is None else self.problem.rows.columns
        if test.name not in columns:
            raise self._unknown("column", test.name, columns, test.place)
        column = columns[test.name]
        code_of = {name: code for code, name in enumerate(column.names)}
        self._check_values(test, code_of)
        marked = np.zeros(len(column.names) + 1, dtype=bool)
        marked[[code_of[value] for value in test.values]] = True
        found: NDArray[np.bool_] = marked[column.codes]
        return found

    def _compounds_where(self, test: OneOf) -> NDArray[np.bool_]:
        compounds = self.compounds
        columns = compounds.of.split("+")
        members = tuple(columns) if len(columns) > 1 else _MEMBERS.get(compounds.of, ())
        if test.name != _ANY_MEMBER and test.name not in members:
            raise self._unknown(f"member of {compounds.of}", test.name, (*members, _ANY_MEMBER), test.place)
        names = compounds.atoms.names
        if test.name == _ANY_MEMBER:
            parts, owners = compounds.parts, _owners(compounds)
        else:
            parts = compounds.parts[members.index(test.name) :: len(members)]
            owners = np.arange(len(parts))
        codes_of: dict[str, list[int]] = {}
        for code in np.unique(parts).tolist():
            codes_of.setdefault(names[code], []).append(code)
        test = dataclasses.replace(test, values=tuple(map(named_as(compounds), test.values)))
        self._check_values(test, codes_of)
        marked = np.zeros(len(names), dtype=bool)
        marked[[code for value in test.values for code in codes_of[value]]] = True
        found = np.zeros(len(compounds.rows.names), dtype=bool)
        found[owners[marked[parts]]] = True
        return found

    def _check_values(self, test: OneOf, known: Mapping[str, Any]) -> None:
        for value, place in zip(test.values, test.places, strict=True):
            if value not in known:
                raise self._unknown(f"value of {test.name}", value, known, place)

    def _unknown(self, what: str, name: str, known: Mapping[str, Any] | Sequence[str], place: int) -> UsageError:
        told = nearest(name, known) if len(known) <= 10_000 else ""
        if not told.startswith("Did"):
            told = f"Known: {listed(sorted(known), shown=20) or 'none'}."
        return refused(f"split.{self.part}", place, f'there is no {what} "{name}". {told.removesuffix(".")}')


def _owners(compounds: Compounds) -> NDArray[np.int64]:
    """Return the compound of each part."""
    n = len(compounds.rows.names)
    lengths = np.diff(compounds.starts) if not isinstance(compounds.starts, int) else np.full(n, compounds.starts)
    return np.repeat(np.arange(n), lengths)


def _allowed(file: Input, named: Callable[[str], str]) -> dict[str, frozenset[str]]:
    """Return the attributes that a condition file allows each class.

    Args:
        file: The file.
        named: Makes of a name in the file the name that rows have.

    Raises:
        BrokenFileError: It is not JSON, or not an object.
        RecordsError: An entry is no list of names, or of a class that stands there already.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BrokenFileError(file.name, f'the key "{twice}" stands twice in one object')
        return dict(pairs)

    text = text_of(file)
    try:
        held = json.loads(text, object_pairs_hook=once)
    except BrokenFileError:
        raise
    except ValueError as error:
        raise BrokenFileError(file.name, f"is not JSON ({error})") from error
    except RecursionError as error:
        raise BrokenFileError(file.name, "is nested too deeply for a condition") from error
    if not isinstance(held, dict) or not held:
        raise BrokenFileError(file.name, "is no condition: expected {class: [attributes that it may have]}")
    allowed: dict[str, frozenset[str]] = {}
    wrong = []
    for number, (key, value) in enumerate(held.items(), 1):
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            wrong.append(Wrong(file.name, number, key, "is no list of attributes, each a text"))
        elif named(key) in allowed:
            wrong.append(Wrong(file.name, number, key, f'is the class "{named(key)}", which stands there already'))
        else:
            allowed[named(key)] = frozenset(map(named, value))
    if wrong:
        raise RecordsError(wrong)
    return allowed

"""Programs of questions: steps with an operation, arguments and the steps whose results they take.

GQA's and CLEVR's dialects become one value, written on one line so that it fits a column; equal programs are written
equally. Ids of objects are no part of it: they differ from image to image. What they said of the image, whether the
thing named is there, is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_IDS = re.compile(r"-|[0-9]+(\s*,\s*[0-9]+)*")
_NOT = re.compile(r"^not\((?P<attribute>.*)\)$", re.DOTALL)
_ROLES = ("s", "o", "_")
_quoted = json.encoder.encode_basestring
_UNNAMED = ("_", "scene", "")
"""Anything, the whole image, nothing."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What an argument of a GQA step says.

    Attributes:
        name: The class of the object; None where any will do, or none is named.
        ids: The objects of the scene that are meant.
        exists: Whether the scene has such an object; None where nothing is said.
        relation: Of ``relate`` and its kin.
        role: ``"subject"`` or ``"object"``: what the object named is in the relation; None for neither.
        attribute: Of ``filter`` and ``verify``.
        negated: Whether the attribute is one that the object must not have.
        choices: Of ``choose``.
        property: Of ``query`` and comparisons.
    """

    name: str | None = None
    ids: tuple[str, ...] = ()
    exists: bool | None = None
    relation: str | None = None
    role: str | None = None
    attribute: str | None = None
    negated: bool = False
    choices: tuple[str, ...] = ()
    property: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program.

    Attributes:
        operation: Its name.
        arguments: What it is told, as text without object ids.
        inputs: The places of the steps whose results it takes.
        exists: False where the thing named is not in the image.
    """

    operation: str
    arguments: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()
    exists: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """What the arguments name: options one by one, negated values as such; no roles, nothing for "anything".

        Example:
            >>> Step("relate", ("_", "holding", "o")).words, Step("choose color", ("red|blue",)).words
            (('holding',), ('red', 'blue'))
        """
        given = self.arguments[:2] if len(self.arguments) == 3 and self.arguments[2] in _ROLES else self.arguments
        options = (option for argument in given for option in argument.split("|"))
        named = (found["attribute"] if (found := _NOT.match(option)) else option for option in options)
        return tuple(name for name in named if name not in _UNNAMED)


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of one question, in order; each takes the results of steps before it.

    Raises:
        ValueError: A step takes the result of one that is not before it.
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        for i, step in enumerate(self.steps):
            for taken in step.inputs:
                if not 0 <= taken < i:
                    raise ValueError(f"step {i} takes the result of {taken}, which is no step before it (from 0)")

    @property
    def written(self) -> str:
        """The program on one line.

        Example:
            >>> Program((Step("select", ("car",)), Step("exist", (), (0,)))).written
            '[["select",["car"],[]],["exist",[],[0]]]'
        """
        return written_steps([(s.operation, s.arguments, s.inputs, s.exists) for s in self.steps])

    @classmethod
    def parse(cls, written: str) -> Program:
        """Return the program that ``written`` wrote.

        Raises:
            ValueError: It wrote none such.
        """
        try:
            steps = json.loads(written)
            made = cls(tuple(Step(each[0], tuple(each[1]), tuple(each[2]), *each[3:]) for each in steps))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise ValueError(f"no program: {written[:60]}") from error
        texts = (text for step in made.steps for text in (step.operation, *step.arguments))
        places = (place for step in made.steps for place in step.inputs)
        # Written again it must be the same, so that nothing else passes for a program.
        if {*map(type, texts)} - {str} or {*map(type, places)} - {int} or made.written != written:
            raise ValueError(f"no program: {written[:60]}")
        return made


def written_steps(steps: Iterable[tuple[str, Iterable[str], Iterable[int], bool]]) -> str:
    """Return steps (operation, arguments, inputs, whether the thing is there) on one line, as ``Program.parse`` reads.

    It is what ``json.dumps`` makes without white space, four times as fast: every question is written once.
    """
    lines = [
        f"[{_quoted(operation)},[{','.join(map(_quoted, arguments))}],[{','.join(map(str, inputs))}]"
        f"{']' if exists else ',false]'}"
        for operation, arguments, inputs, exists in steps
    ]
    return f"[{','.join(lines)}]"


def without_ids(argument: str) -> tuple[str, tuple[str, ...], bool | None]:
    """Return an argument of GQA without the ids behind it, the ids, and whether they say that the thing is there.

    Example:
        >>> without_ids("traffic light (50013,50014)")
        ('traffic light', ('50013', '50014'), True)
    """
    text = argument.strip()
    if not text.endswith(")"):
        return text, (), None
    before, opened, inner = text.removesuffix(")").rpartition("(")
    if not opened or _IDS.fullmatch(inner) is None:
        return text, (), None
    ids = () if inner == "-" else tuple(each.strip() for each in inner.split(","))
    return before.strip(), ids, bool(ids)


def gqa_argument(operation: str, argument: str) -> Argument:
    """Return what an argument of a GQA step says.

    Example:
        >>> gqa_argument("relate", "man,to the left of,s (50015)").role
        'subject'
    """
    text, ids, exists = without_ids(argument)
    kind = operation.split(" ")[0]
    if text in ("?", "", "scene"):
        return Argument(ids=ids, exists=exists)
    if kind == "select":
        return Argument(name=text, ids=ids, exists=exists)
    parts = text.split(",")
    if kind == "relate" or operation in ("verify rel", "choose rel"):
        name = None if parts[0] in ("_", "") else parts[0]
        if len(parts) < 3:
            return Argument(name=name, ids=ids, exists=exists, relation=parts[1] if len(parts) > 1 else None)
        role = {"s": "subject", "o": "object"}.get(parts[2])
        choices = tuple(parts[1].split("|")) if operation == "choose rel" else ()
        relation = None if choices else parts[1]
        return Argument(name=name, ids=ids, exists=exists, relation=relation, role=role, choices=choices)
    if kind == "choose":
        return Argument(choices=tuple(text.split("|")), ids=ids, exists=exists)
    if kind in ("filter", "verify"):
        negated = _NOT.match(text)
        return Argument(attribute=negated["attribute"] if negated else text, negated=negated is not None, ids=ids)
    return Argument(property=text, ids=ids, exists=exists)


def gqa_program(steps: Sequence[tuple[str, str, Sequence[int]]]) -> tuple[Program, tuple[str, ...]]:
    """Return a program of (operation, argument, dependencies), and the ids of the objects that it names, in order.

    Raises:
        ValueError: A step depends on one that is not before it.
    """
    made = []
    ids: list[str] = []
    for operation, argument, inputs in steps:
        text, named, exists = without_ids(argument)
        ids += named
        arguments = () if text in ("?", "") else tuple(text.split(",")) if "," in text else (text,)
        made.append(Step(operation.strip(), arguments, tuple(inputs), exists is not False))
    return Program(tuple(made)), tuple(dict.fromkeys(ids))


def objects_by_step(arguments: Sequence[str]) -> str:
    """Return the object ids of GQA's arguments, one word a step: ids with commas between, a dash for none.

    Example:
        >>> objects_by_step(["animal (17,21)", "white", "_,on,o (-)"])
        '17,21 - -'
    """
    return " ".join([",".join(without_ids(argument)[1]) or "-" for argument in arguments])


def ids_by_step(written: str) -> tuple[tuple[str, ...], ...]:
    """Return the ids of each step that ``objects_by_step`` wrote.

    Example:
        >>> ids_by_step("17,21 - -")
        (('17', '21'), (), ())
    """
    return tuple(() if word == "-" else tuple(word.split(",")) for word in written.split(" "))


def operations(written: str) -> str:
    """Return the operations of a written program, in order, without what they are told.

    Raises:
        ValueError: It is no program.

    Example:
        >>> operations('[["select",["car"],[]],["filter color",["red"],[0]],["exist",[],[1]]]')
        'select, filter color, exist'
    """
    # Not parsed as a whole, which takes seven times as long: audits look at every program.
    try:
        steps = json.loads(written)
        found: list[Any] = [step[0] for step in steps] if isinstance(steps, list) and steps else [None]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise ValueError(f"no program: {written[:60]}") from error
    if not all(isinstance(name, str) for name in found) or not all(isinstance(step, list) for step in steps):
        raise ValueError(f"no program: {written[:60]}")
    return ", ".join(found)

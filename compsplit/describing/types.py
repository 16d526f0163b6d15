"""What kinds of questions a data set has: by its own labels where it has them, else by its programs.

Columns ``structural`` and ``semantic`` are labels, ``steps`` is a number of steps, ``program`` a program. Which
questions are about a relation, compare, or take three steps or more follows from either; which are spatial or logical
only from programs, as ``programs.types`` defines it. What is related, logical or comparative is said of GQA's programs
alone, not of CLEVR's. A question that tells nothing of it is not counted. Source: Hudson
and Manning 2019, arXiv 1902.09506, section 4.1 and the comparison with VQA 2.0. Cost: one look at each distinct
program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Column
from compsplit.model.program import Program
from compsplit.model.report import Finding, Undefined
from compsplit.model.table import QATable
from compsplit.programs.steps import official_steps_of
from compsplit.programs.tree import is_clevr, tree_of
from compsplit.programs.types import LOGICAL_MEANS, NOT_OF_GQA, is_logical, is_spatial, semantic_type, structural_type
from compsplit.programs.vocabulary import common_words

_UNKNOWN = -1
_RELATION = ("rel", "relation")
_COMPARE = ("compare",)
_MANY_STEPS = 3

MEANS = {
    "relation": "the semantic type is relation",
    "spatial": "the asked relation says where a thing is, or a position is asked",
    "logical": LOGICAL_MEANS,
    "comparative": "the structural type is compare",
    "compositional": f"{_MANY_STEPS} or more steps, as GQA's official program counts them",
}
"""What each kind of question is."""

_NEEDS = {
    "relation": "a semantic type or a program that has one",
    "spatial": "a program",
    "logical": "a program",
    "comparative": "a structural type or a program that has one",
    "compositional": "a number of steps or a program",
}

_OF_GQA = ("relation", "logical", "comparative")
"""Kinds that programs of GQA alone tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """What is known of each question.

    Attributes:
        structural: Structural type of each row, -1 where it is not known.
        semantic: Semantic type.
        steps: Number of steps as text.
        marks: Kind, such as ``relation`` -> 1 where a row is of it, 0 where not, -1 where it is not known; shape
            (n_rows,).
        told_by: Column -> what tells it: ``labels``, ``programs``, both or nothing.
        findings: What to know.
        only_clevr: Whether there are programs, and all of them are CLEVR's.
    """

    structural: Column
    semantic: Column
    steps: Column
    marks: Mapping[str, NDArray[np.int8]]
    told_by: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    only_clevr: bool = False

    def lacking(self, kind: str) -> str:
        """Return why there is no share of a kind."""
        return NOT_OF_GQA if self.only_clevr and kind in _OF_GQA else f"no question has {_NEEDS[kind]}"


@dataclass(frozen=True, slots=True)
class _OfProgram:
    """What one program tells; None where it tells nothing."""

    structural: str | None = None
    semantic: str | None = None
    steps: str | None = None
    relation: int = _UNKNOWN
    logical: int = _UNKNOWN
    comparative: int = _UNKNOWN
    spatial: int = _UNKNOWN
    fault: str = ""
    clevr: bool = False


def kinds_of(table: QATable) -> Kinds:
    """Return what labels and programs tell of the questions of a table."""
    absent = Column.absent(len(table))
    programs = table.columns.get("program", absent)
    known: dict[_OfProgram, _OfProgram] = {}
    # Programs are many, what they tell is little: equal values are held once.
    told = [known.setdefault(each, each) for each in map(_told, programs.names)]
    findings = _faults(table, programs, told)
    columns: dict[str, Column] = {}
    labels: dict[str, Column] = {}
    told_by: dict[str, str] = {}
    for name in ("structural", "semantic", "steps"):
        given = table.columns.get(name, absent)
        if name == "steps":
            given, strange = _whole_numbers(given)
            findings += strange
        derived = programs.renamed([getattr(each, name) for each in told]) if programs.names else absent
        columns[name], labels[name] = given.or_else(derived), given
        made = (("labels", given.codes >= 0), ("programs", (given.codes < 0) & (derived.codes >= 0)))
        told_by[name] = ", ".join(what for what, rows in made if rows.any()) or "nothing"
    steps = _looked_up(columns["steps"], lambda name: int(int(name) >= _MANY_STEPS))
    marks = {
        "relation": _by_label(
            labels["semantic"], lambda name: int(name in _RELATION), _marked(programs, [each.relation for each in told])
        ),
        "spatial": _marked(programs, [each.spatial for each in told]),
        "logical": _marked(programs, [each.logical for each in told]),
        "comparative": _by_label(
            labels["structural"],
            lambda name: int(name in _COMPARE),
            _marked(programs, [each.comparative for each in told]),
        ),
        "compositional": steps,
    }
    asked = table.questions.codes >= 0
    marks = {name: np.where(asked, marked, np.int8(_UNKNOWN)) for name, marked in marks.items()}
    used = np.unique(programs.codes[programs.codes >= 0]).tolist()
    dialects = {told[code].clevr for code in used if told[code].spatial != _UNKNOWN}
    only_clevr = dialects == {True}
    return Kinds(**columns, marks=marks, told_by=told_by, findings=tuple(findings), only_clevr=only_clevr)


def _told(written: str) -> _OfProgram:
    try:
        program = Program.parse(written)
    except ValueError:
        return _OfProgram(fault="is no program")
    node = tree_of(program)
    if isinstance(node, Undefined):
        return _OfProgram(fault=node.reason)
    structural, semantic, clevr = structural_type(node), semantic_type(node), is_clevr(node)
    faults = [kind.reason for kind in (structural, semantic) if isinstance(kind, Undefined)]
    return _OfProgram(
        None if isinstance(structural, Undefined) else structural,
        None if isinstance(semantic, Undefined) else semantic,
        str(official_steps_of(program)),
        _UNKNOWN if clevr or isinstance(semantic, Undefined) else int(semantic in _RELATION),
        _UNKNOWN if clevr else int(is_logical(node)),
        _UNKNOWN if clevr or isinstance(structural, Undefined) else int(structural in _COMPARE),
        int(is_spatial(node, common_words())),
        faults[0] if faults else "",
        clevr,
    )


def _faults(table: QATable, programs: Column, told: Sequence[_OfProgram]) -> list[Finding]:
    """Say how many programs have no type, by reason."""
    reasons: dict[str, list[int]] = {}
    for code, each in enumerate(told):
        if each.fault:
            reasons.setdefault(each.fault, []).append(code)
    findings = []
    for reason, codes in sorted(reasons.items()):
        rows = np.isin(programs.codes, codes)
        ids = sorted(table.ids[rows].tolist())
        message = f"{counted(len(ids), 'question has', 'questions have')} a program without a type: {reason}."
        findings.append(Finding(kind="no-type", count=len(ids), first=tuple(ids[:5]), message=message))
    return findings


def _whole_numbers(column: Column) -> tuple[Column, list[Finding]]:
    """Return the column without values that are no whole number, which a column of that name may hold as well."""
    names = [name if name.isascii() and name.isdigit() else None for name in column.names]
    found = column.renamed(names)
    gone = int(((column.codes >= 0) & (found.codes < 0)).sum())
    if not gone:
        return column, []
    said = counted(gone, "row has", "rows have")
    message = f"{said} no whole number in the column steps; the steps of programs count there."
    return found, [Finding(kind="no-steps", count=gone, message=message)]


def _by_label(labels: Column, mark: Callable[[str], int], otherwise: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return what labels say of each row, else what its program says."""
    return np.where(labels.codes >= 0, _looked_up(labels, mark), otherwise)


def _looked_up(column: Column, mark: Callable[[str], int]) -> NDArray[np.int8]:
    return _marked(column, [mark(name) for name in column.names])


def _marked(column: Column, marks: Sequence[int]) -> NDArray[np.int8]:
    """Return what is known of each row by the value of a column, -1 where it has none."""
    found: NDArray[Any] = np.array([*marks, _UNKNOWN], dtype=np.int8)[column.codes]
    return found

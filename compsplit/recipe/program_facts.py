"""What the programs of questions say of them: types, steps, labels, canonical form; each distinct program is read once.

Cost: some 0.1 ms a distinct program, and O(rows) whole numbers besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.column import Column, crossed
from compsplit.model.program import Program
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.programs.canonical import canonical_text
from compsplit.programs.labels import global_label, local_label
from compsplit.programs.steps import all_steps, official_steps_of
from compsplit.programs.tree import Node, is_clevr, tree_of
from compsplit.programs.types import is_logical, is_spatial, mentions, semantic_type, structural_type
from compsplit.programs.vocabulary import Vocabulary

NONE = -1
"""Steps of a row without a program."""


@dataclass(frozen=True, slots=True, eq=False)
class ProgramFacts:
    """What programs say, one entry a row of the table.

    Attributes:
        programs: The program of each row, written on one line.
        structural: Structural type; none where it is undefined.
        semantic: Semantic type; none where it is undefined.
        canonical: Canonical program on one line; none where there is no tree of it.
        local_label: Local group label of our rules.
        global_label: Global group label of our rules.
        steps_official: Steps as the official program counts them, ``NONE`` without a program; shape (n_rows,).
        steps_all: All steps, likewise.
        entities: How many things the program names, 0 without one; shape (n_rows,).
        relations: How many relations it names, likewise.
        logical: Whether it is logical.
        spatial: Whether it asks for a relation in space or a position.
        in_scheme: Whether it is in GQA's dialect, of which types and labels speak.
        undefined: What is undefined -> reason -> rows.
    """

    programs: Column
    structural: Column
    semantic: Column
    canonical: Column
    local_label: Column
    global_label: Column
    steps_official: NDArray[np.int32]
    steps_all: NDArray[np.int32]
    entities: NDArray[np.int32]
    relations: NDArray[np.int32]
    logical: NDArray[np.bool_]
    spatial: NDArray[np.bool_]
    in_scheme: NDArray[np.bool_]
    undefined: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class _Derived:
    """Facts of distinct programs, gathered one after the other."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str | None]] = {
            name: [] for name in ("structural type", "semantic type", "canonical program", "local label")
        }
        self.numbers: dict[str, list[int]] = {
            name: [] for name in ("official", "all", "entities", "relations", "logical", "spatial", "in scheme")
        }
        self.reasons: dict[str, list[str | None]] = {name: [] for name in self.texts}

    def add(self, program: Program, words: Vocabulary) -> None:
        """Add those of one program."""
        tree = tree_of(program)
        found: dict[str, str | Undefined] = dict.fromkeys(self.texts, tree) if isinstance(tree, Undefined) else {}
        named: Mapping[str, tuple[str, ...]] = {}
        if isinstance(tree, Node):
            named = mentions(tree)
            found = {
                "structural type": structural_type(tree),
                "semantic type": semantic_type(tree),
                "canonical program": canonical_text(tree, words),
                "local label": local_label(tree),
            }
        for name, value in found.items():
            self.texts[name].append(None if isinstance(value, Undefined) else value)
            self.reasons[name].append(value.reason if isinstance(value, Undefined) else None)
        counted = {
            "official": official_steps_of(program),
            "all": all_steps(program),
            "entities": len(named.get("entities", ())),
            "relations": len(named.get("relations", ())),
            "logical": int(isinstance(tree, Node) and is_logical(tree)),
            "spatial": int(isinstance(tree, Node) and is_spatial(tree, words)),
            "in scheme": int(isinstance(tree, Node) and not is_clevr(tree)),
        }
        for name, n in counted.items():
            self.numbers[name].append(n)


def program_column(table: QATable) -> Column:
    """Return the programs of a table.

    Raises:
        UsageError: No row has one.
    """
    column = table.columns.get("program")
    if column is None or not column.n_used:
        raise UsageError(
            "No question has a program. GQA's questions have them as `semantic`, CLEVR's as `program`.", field="program"
        )
    return column


def parsed(written: str) -> Program:
    """Return a program of a table's column.

    Raises:
        UsageError: The column, which a table of one's own may have, holds something else.
    """
    try:
        return Program.parse(written)
    except ValueError as error:
        raise UsageError(
            f'The column "program" holds {error}. It should be a list of steps as compsplit writes them: '
            '[["select",["car"],[]],["exist",[],[0]]].',
            field="program",
        ) from error


def program_facts(table: QATable, words: Vocabulary) -> ProgramFacts:
    """Return what the programs of a table say.

    Args:
        table: Questions; rows without a program have no facts.
        words: Classes, kinds and converses.

    Raises:
        UsageError: No row has a program, or the column holds something else.
    """
    programs = program_column(table)
    used = np.unique(programs.codes[programs.codes >= 0])
    programs = Column(_renumbered(programs.codes, used), [programs.names[code] for code in used.tolist()])
    derived = _Derived()
    for written in programs.names:
        derived.add(parsed(written), words)
    n = np.bincount(programs.codes + 1, minlength=len(programs.names) + 1)[1:]
    reasons = {name: _counted(derived.reasons[name], n) for name in derived.texts}
    columns = {name: programs.renamed(texts) for name, texts in derived.texts.items()}
    numbers = {name: _spread(programs, values) for name, values in derived.numbers.items()}
    given = table.columns.get("steps")
    labels, reasons["global label"] = _global_labels(programs, table.answers, words)
    return ProgramFacts(
        programs=programs,
        structural=columns["structural type"],
        semantic=columns["semantic type"],
        canonical=columns["canonical program"],
        local_label=columns["local label"],
        global_label=labels,
        steps_official=numbers["official"] if given is None else _whole(given, numbers["official"]),
        steps_all=numbers["all"],
        entities=np.maximum(numbers["entities"], 0),
        relations=np.maximum(numbers["relations"], 0),
        logical=numbers["logical"] > 0,
        spatial=numbers["spatial"] > 0,
        in_scheme=numbers["in scheme"] > 0,
        undefined={name: found for name, found in reasons.items() if found},
    )


def _global_labels(programs: Column, answers: Column, words: Vocabulary) -> tuple[Column, Mapping[str, int]]:
    """Return the global label of each row, by distinct program and answer, and why others have none."""
    told = Column(np.where(answers.codes < 0, len(answers.names), answers.codes).astype(np.int32), [*answers.names, ""])
    pairs = crossed(programs, told)
    _, first = np.unique(pairs.codes, return_index=True)
    first = first[pairs.codes[first] >= 0]
    order = np.argsort(programs.codes[first], kind="stable")
    texts: list[str | None] = [None] * len(pairs.names)
    reasons: list[str | None] = [None] * len(pairs.names)
    before, tree = -1, tree_of(Program(()))
    # Rows of one program come together, so that each is parsed once and none is held.
    for row in first[order].tolist():
        code = int(programs.codes[row])
        if code != before:
            before, tree = code, tree_of(parsed(programs.names[code]))
        label = tree if isinstance(tree, Undefined) else global_label(tree, answers[row], words)
        place = int(pairs.codes[row])
        if isinstance(label, Undefined):
            reasons[place] = label.reason
        else:
            texts[place] = label
    n = np.bincount(pairs.codes + 1, minlength=len(texts) + 1)[1:]
    return pairs.renamed(texts), _counted(reasons, n)


def _renumbered(codes: NDArray[np.int32], used: NDArray[Any]) -> NDArray[np.int32]:
    table = np.full(int(used[-1]) + 2, -1, dtype=np.int32)
    table[used] = np.arange(len(used), dtype=np.int32)
    return table[codes]


def _counted(reasons: list[str | None], n: NDArray[Any]) -> Mapping[str, int]:
    """Return how many rows each reason is given for, the commonest first."""
    counts: Counter[str] = Counter()
    for reason, rows in zip(reasons, n.tolist(), strict=True):
        if reason is not None:
            counts[reason] += rows
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _spread(programs: Column, values: list[int]) -> NDArray[np.int32]:
    return np.array([*values, NONE], dtype=np.int32)[programs.codes]


def _whole(given: Column, otherwise: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the steps that a reader counted from the texts as written, else those counted here."""
    written = np.array([*(int(name) if name.isdecimal() else NONE for name in given.names), NONE], dtype=np.int32)
    found = written[given.codes]
    return np.where(found < 0, otherwise, found).astype(np.int32)

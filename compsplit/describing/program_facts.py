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
from compsplit.model.column import Column
from compsplit.model.program import Program
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.programs.canonical import canonical_text
from compsplit.programs.labels import answer_category, asked_category, local_label
from compsplit.programs.steps import all_steps, official_steps_of
from compsplit.programs.tree import Node, is_clevr, tree_of
from compsplit.programs.types import is_logical, is_spatial, mentions, semantic_type, structural_type
from compsplit.programs.vocabulary import Vocabulary

_NO_ANSWER = "without an answer it has no category"
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
            name: []
            for name in ("structural type", "semantic type", "canonical program", "local label", "global label")
        }
        self.numbers: dict[str, list[int]] = {
            name: []
            for name in ("official", "all", "entities", "relations", "logical", "spatial", "in scheme", "by answer")
        }
        self.reasons: dict[str, list[str | None]] = {name: [] for name in self.texts}

    def add(self, program: Program, words: Vocabulary) -> None:
        """Add those of one program."""
        tree = tree_of(program)
        found: dict[str, str | Undefined | None] = (
            dict.fromkeys(self.texts, tree) if isinstance(tree, Undefined) else {}
        )
        named: Mapping[str, tuple[str, ...]] = {}
        if isinstance(tree, Node):
            named = mentions(tree)
            found = {
                "structural type": structural_type(tree),
                "semantic type": semantic_type(tree),
                "canonical program": canonical_text(tree, words),
                "local label": local_label(tree),
                "global label": asked_category(tree),
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
            "by answer": int(found["global label"] is None),
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
    labels, undecided = _global_labels(columns["global label"], numbers["by answer"] > 0, table.answers, words)
    reasons["global label"] = _most_first(Counter(reasons["global label"]) + Counter(undecided))
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


def _global_labels(
    asked: Column, by_answer: NDArray[np.bool_], answers: Column, words: Vocabulary
) -> tuple[Column, Mapping[str, int]]:
    """Return the global label of each row, and why some that the answer decides have none.

    Args:
        asked: The category that the program asks for.
        by_answer: Rows in which only the answer says it.
        answers: Their answers.
        words: Classes above names.
    """
    found = [answer_category(name, words) for name in answers.names]
    reasons: list[str | None] = [each.reason if isinstance(each, Undefined) else None for each in found]
    named = answers.renamed([None if isinstance(each, Undefined) else each for each in found])
    both = Column.of([*asked.names, *named.names])
    table = np.append(both.codes, np.int32(NONE))
    theirs = np.where(named.codes < 0, NONE, table[named.codes + len(asked.names)])
    mine = np.where(asked.codes < 0, NONE, table[asked.codes])
    codes = np.where(by_answer, theirs, mine).astype(np.int32)
    n = np.bincount(answers.codes[by_answer] + 1, minlength=len(reasons) + 1)
    return Column(codes, both.names), _counted([_NO_ANSWER, *reasons], n)


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
    return _most_first(counts)


def _most_first(counts: Counter[str]) -> Mapping[str, int]:
    return dict(sorted(((reason, n) for reason, n in counts.items() if n), key=lambda entry: (-entry[1], entry[0])))


def _spread(programs: Column, values: list[int]) -> NDArray[np.int32]:
    return np.array([*values, NONE], dtype=np.int32)[programs.codes]


def _whole(given: Column, otherwise: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the steps that a reader counted from the texts as written, else those counted here."""
    written = np.array([*(int(name) if name.isdecimal() else NONE for name in given.names), NONE], dtype=np.int32)
    found = written[given.codes]
    return np.where(found < 0, otherwise, found).astype(np.int32)

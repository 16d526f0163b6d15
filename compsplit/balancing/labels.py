"""What a balance looks at: the groups of each level, what repeats a question, and types, as columns of the rows.

Group labels are, in this order: the columns that are named; those that are asked for with ``groups`` (``question``: the
question type as global group, with the reduced question as local one; ``program``: labels made from programs); GQA's
own. Nothing is reduced, and no program is read, unless a column needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError, UnknownNameError, UsageError
from compsplit.extractors.text_forms import answer_types, first_four_words, normalised, question_types
from compsplit.model.column import Codes, Column, crossed
from compsplit.model.program import Program
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.programs.canonical import canonical_text
from compsplit.programs.labels import RULES, global_label, local_label
from compsplit.programs.tree import Node, tree_of
from compsplit.programs.types import semantic_type, structural_type

LEVELS = ("global", "local")
GROUPS = ("labels", "program", "question")
_WITH_PROGRAMS = ("gqa", "clevr")
"""Formats whose readers write the column of programs themselves."""
_LABELS = {"global": "group_global", "local": "group_local"}
_HOW = (
    "Name columns with --global COLUMN and --local COLUMN (COLUMN+COLUMN for combinations), or have labels made: "
    "--groups question (the question type, and with the reduced question), --groups program (from programs)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The groups of one level.

    Attributes:
        level: ``"global"`` or ``"local"``.
        column: The group of each row, -1 where it has none.
        of: What the groups are, in words.
    """

    level: str
    column: Column
    of: str


@dataclass(frozen=True, eq=False)
class Aspects:
    """Columns of a table by name, and those that are made of its texts and programs when they are asked for.

    Attributes:
        table: The rows.
        reducer: Makes the reducer of questions.
        described: What the reducer says of itself, once it was needed.
    """

    table: QATable
    reducer: Callable[[], Any]
    described: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def reduced(self) -> Column:
        """The concepts of each question in order, none where it reduces to nothing."""
        made = self.reducer()
        self.described.update(made.described)
        names = self.table.questions.names
        return self.table.questions.renamed([" ".join(words) or None for words in made.reduce(list(names))])

    @cached_property
    def written_programs(self) -> Column | None:
        """What the column of programs holds, None where no row has a value."""
        column = self.table.columns.get("program")
        return column if column is not None and (column.codes >= 0).any() else None

    @cached_property
    def programs(self) -> Column | None:
        """The programs as written, none for what is none: a column of one's own may have that name, too."""
        column = self.written_programs
        if column is None or self.table.format in _WITH_PROGRAMS:
            return column
        column = column.renamed([name if _is_program(name) else None for name in column.names])
        return column if (column.codes >= 0).any() else None

    @cached_property
    def no_programs(self) -> NDArray[np.bool_]:
        """Rows that have something else in the column of programs, shape (n_rows,)."""
        written, programs = self.written_programs, self.programs
        there = np.zeros(len(self.table), dtype=bool) if written is None else written.codes >= 0
        return there if programs is None else there & (programs.codes < 0)

    def named(self, written: str) -> Column:
        """Return a column by its name, or the combinations of several, as ``a+b``.

        Raises:
            UnknownNameError: There is none of that name.
            UsageError: It has no value.
        """
        column = self._one(written)
        if column is None and "+" in written:
            names = [name.strip() for name in written.split("+")]
            if not all(names):
                raise UsageError(
                    f'"{written}" names no column on one side of a "+"; expected COLUMN or COLUMN+COLUMN.',
                    field=written,
                )
            parts = [(name, self._one(name)) for name in names]
            unknown = next((name for name, found in parts if found is None), None)
            if unknown is not None:
                raise UnknownNameError("column", unknown, self.known())
            column = crossed(*(found for _, found in parts if found is not None))
        if column is None:
            raise UnknownNameError("column", written, self.known())
        if not (column.codes >= 0).any():
            raise UsageError(f'The column "{written}" has no value in any row.', field=written)
        return column

    def known(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(dict.fromkeys((*self.table.named_columns(), *self._made())))

    def _made(self) -> dict[str, Callable[[], Column]]:
        questions, answers = self.table.questions, self.table.answers
        made: dict[str, Callable[[], Column]] = {}
        if questions.names:
            made["question (reduced)"] = lambda: self.reduced
            made["question (normalised)"] = lambda: questions.mapped(normalised)
            made["first four words"] = lambda: questions.mapped(first_four_words)
            made["question_type"] = lambda: question_types(self.table, Column.absent(len(self.table)))
        if answers.names:
            made["answer (normalised)"] = lambda: answers.mapped(normalised)
            made["answer_type"] = lambda: answer_types(self.table)
        if self.written_programs is not None:
            for name in ("structural", "semantic"):
                given = self.table.columns.get(name)
                if given is None or not (given.codes >= 0).any():
                    made[name] = lambda name=name: self.typed(name)  # type: ignore[misc]  # mypy takes no default here
        return made

    def _one(self, name: str) -> Column | None:
        made = self._made()
        column = made[name]() if name in made else self.table.named_columns().get(name)
        # What is white space alone says nothing.
        return None if column is None else column.renamed([each if each.strip() else None for each in column.names])

    def of_programs(self, tell: Callable[[Node], str | Undefined]) -> Column:
        """Return what is said of each row's program, once a program; none where that is undefined."""
        programs = self.programs
        if programs is None:
            return Column.absent(len(self.table))
        # Trees are not held: large data have millions of different programs.
        return programs.renamed([_said(tell, _tree(written)) for written in programs.names])

    def of_programs_with_answers(self, tell: Callable[[Node, str], str | Undefined]) -> Column:
        """Return what is said of each row's program and answer, once a pair; none where that is undefined."""
        programs, answers = self.programs, self.table.answers
        if programs is None:
            return Column.absent(len(self.table))
        width = max(len(answers.names), 1)
        there = (programs.codes >= 0) & (answers.codes >= 0)
        packed = programs.codes[there].astype(np.int64) * width + answers.codes[there]
        pairs, codes = np.unique(packed, return_inverse=True)
        told: list[str | None] = []
        for program, some in groupby(pairs.tolist(), lambda pair: int(pair) // width):
            tree = _tree(programs.names[program])
            told += [_said(partial(_with_answer, tell, answers.names[pair % width]), tree) for pair in some]
        every = np.full(len(there), -1, dtype=np.int32)
        every[there] = codes
        return Column(every, tuple(map(str, range(len(pairs))))).renamed(told)

    def check_programs(self) -> None:
        """Raise if the column of programs holds something else, for what asks for programs by name.

        Raises:
            UsageError: It does.
        """
        if self.no_programs.any() and self.written_programs is not None:
            names = self.written_programs.names
            _tree(min(names[code] for code in self.written_programs.codes[self.no_programs].tolist()))

    def typed(self, name: str) -> Column:
        """Return the structural or semantic type of each row's program.

        Raises:
            UsageError: A text is no program.
        """
        self.check_programs()
        return self.of_programs({"structural": structural_type, "semantic": semantic_type}[name])


def labels_of(
    aspects: Aspects,
    *,
    levels: Sequence[str] | None,
    groups: str | None,
    columns: Mapping[str, str],
) -> list[Labels]:
    """Return the groups of the levels that take turns, in their order.

    Args:
        aspects: The rows.
        levels: The levels that are wanted; without it, those that have labels.
        groups: Where labels come from for which no column is named; without it, the data's own, where no column is
            named at all.
        columns: Level -> column.

    Raises:
        OptionValueError: A level, or ``groups``, is none that there is.
        UsageError: No row has a label, or none has one of a level that is wanted.
    """
    if groups is not None and groups not in GROUPS:
        raise OptionValueError("groups", groups, f"one of {', '.join(GROUPS)}")
    wanted = LEVELS if levels is None else tuple(levels)
    if not wanted or len(set(wanted)) < len(wanted) or not set(wanted) <= set(LEVELS):
        raise OptionValueError("levels", ",".join(wanted), "global, local, or both with a comma between")
    found = []
    for level in wanted:
        labels = _labels(aspects, level, groups, columns)
        if labels is not None and (labels.column.codes >= 0).any():
            found.append(labels)
        elif levels is not None:
            raise UsageError(
                f"No row has a label of the {level} level. {_HOW}.", field=f"--{level}", facts={"level": level}
            )
    for level in columns:
        if level not in wanted:
            raise UsageError(f"A column is named for the {level} level, which is not among --levels.", field="--levels")
    if not found:
        raise UsageError(
            f"No row has a group label (columns group_global and group_local of GQA's questions). {_HOW}.",
            field="--groups",
            facts={"columns": sorted(aspects.table.columns)},
        )
    return found


def _labels(aspects: Aspects, level: str, groups: str | None, columns: Mapping[str, str]) -> Labels | None:
    if level in columns:
        return Labels(level, aspects.named(columns[level]), columns[level])
    if groups is None and columns:
        return None
    if groups == "question":
        return _of_questions(aspects, level)
    if groups == "program":
        return _of_programs(aspects, level)
    column = _LABELS[level]
    return Labels(level, aspects.named(column), column) if _has_value(aspects.table, column) else None


def _has_value(table: QATable, name: str) -> bool:
    column = table.columns.get(name)
    return column is not None and any(column.names[code].strip() for code in np.unique(column.codes[column.codes >= 0]))


def _of_questions(aspects: Aspects, level: str) -> Labels:
    if not aspects.table.questions.names:
        raise UsageError(
            "--groups question makes labels of questions, and no row has one. Name columns with --global and --local.",
            field="--groups",
        )
    types = aspects.named("question_type")
    if level == "global":
        return Labels(level, types, "question type")
    return Labels(level, crossed(types, aspects.reduced), "question type + reduced question")


def _of_programs(aspects: Aspects, level: str) -> Labels:
    aspects.check_programs()
    if aspects.programs is None:
        raise UsageError(
            '--groups program makes labels of programs, and no row has one (column "program"). Name columns with '
            "--global and --local, or have labels made of questions: --groups question.",
            field="--groups",
        )
    if level == "global":
        return Labels(level, aspects.of_programs_with_answers(global_label), f"{RULES}: category of the answer")
    # Without a scene graph a thing is called what the program calls it.
    return Labels(level, aspects.of_programs(local_label), f"{RULES}: local label, by the program's words")


def _is_program(written: str) -> bool:
    try:
        Program.parse(written)
    except ValueError:
        return False
    return True


def _tree(written: str) -> Node | Undefined:
    try:
        return tree_of(Program.parse(written))
    except ValueError as error:
        raise UsageError(f'The column "program" holds {error}.', field="program") from error


def _with_answer(tell: Callable[[Node, str], str | Undefined], answer: str, tree: Node) -> str | Undefined:
    return tell(tree, answer)


def _said(tell: Callable[[Node], str | Undefined], tree: Node | Undefined) -> str | None:
    said = tree if isinstance(tree, Undefined) else tell(tree)
    return None if isinstance(said, Undefined) else said


def question_keys(aspects: Aspects, answers: Column) -> tuple[Codes, str]:
    """Return what each row asks of its image as a number, -1 for nothing, and in words what tells near-repeats.

    A row with a program asks its canonical program; another one its reduced question with its answer. A row without an
    image, or whose question reduces to nothing, repeats none.
    """
    table = aspects.table
    images = table.images
    keys: list[Column] = []
    told: list[str] = []
    if aspects.programs is not None:
        keys.append(crossed(images, aspects.of_programs(canonical_text)))
        told.append("canonical program")
    if table.questions.names and (not keys or (keys[0].codes < 0).any()):
        keys.append(crossed(images, aspects.reduced, answers))
        told.append("reduced question and answer")
    codes, n_keys = np.full(len(table), -1, dtype=np.int32), 0
    for key in keys:
        codes = np.where((codes < 0) & (key.codes >= 0), key.codes + np.int32(n_keys), codes)
        n_keys += len(key.names)
    return codes, " or ".join(told)

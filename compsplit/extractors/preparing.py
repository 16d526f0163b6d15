"""Rows of a table with their columns and concepts: reduced questions with their answers, or the objects of scenes.

For scenes the concepts are the object classes. What follows is about questions and answers.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 3.1 (question reduction, reduced QA grouping). The compound of
a row is its reduced question (concepts in order) with its answer; its atoms are the concepts and the answer, in one
vocabulary, so that "red" in a question covers the answer "red". An answer that reduces to nothing falls back to its
normalised text. Cost: one reduction a distinct question; O(rows) integers besides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import MissingFieldError
from compsplit.extractors.scene_classes import class_incidence
from compsplit.extractors.text_forms import answer_types, first_four_words, normalised, question_types
from compsplit.model.column import Column, ColumnBuilder, crossed, distinct
from compsplit.model.incidence import Incidence
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable

_BATCH = 4096
"""Questions that are reduced at a time, so that the words of all of them are never held together."""


def prepared(
    table: QATable | SceneTable,
    reducer: Any = None,
    *,
    answers: Literal["whole", "words"] = "whole",
    question_type: str | None = None,
) -> Rows:
    """Take the concepts of reduced questions and answers, and the text forms that overlaps are counted in.

    Args:
        table: Question-answer pairs; rows without an answer have no compound.
        reducer: Turns questions into concepts; without one there are text forms only.
        answers: Whether an answer is one concept or one for each of its words.
        question_type: The column that holds question types, where records do not say.
    """
    columns = {**table.named_columns(), "id": _ids(table)}
    if isinstance(table, SceneTable):
        return _scenes(table, columns)
    facts: dict[str, Any] = {}
    if question_type is not None and question_type not in table.columns:
        raise MissingFieldError(
            f'column "{question_type}"', list(table.columns), file=None, mend="Name another as extract.question_type"
        )
    given = table.columns[question_type] if question_type else Column.absent(len(table))
    columns["question_type"] = question_types(table, given)
    columns["answer_type"] = answer_types(table)
    if table.questions.names:
        columns["question (exact)"] = table.questions.mapped(str.strip)
        columns["question (normalised)"] = table.questions.mapped(normalised)
        columns["first four words"] = table.questions.mapped(first_four_words)
    if table.answers.names:
        columns["answer (exact)"] = table.answers.mapped(str.strip)
        columns["answer (normalised)"] = table.answers.mapped(normalised)
    blank = np.zeros(len(table), dtype=bool)
    concepts: Incidence | None = None
    if table.questions.names and reducer is not None:
        columns["question (reduced)"] = reduced = _reduced(table.questions, reducer)
        blank = np.array([not name for name in reduced.names] + [False])[reduced.codes]
        facts["distinct questions"] = columns["question (exact)"].n_used
        facts["distinct reduced questions"] = reduced.n_used
        facts["questions that reduce to nothing"] = int(blank.sum())
    if table.questions.names and table.answers.names:
        for form in ("exact", "normalised"):
            columns[f"qa ({form})"] = crossed(columns[f"question ({form})"], columns[f"answer ({form})"])
        if table.images.names:
            columns["image + qa (normalised)"] = crossed(columns["image"], columns["qa (normalised)"])
        if reducer is not None:
            concepts = _answered(table, reducer, answers, columns, facts)
    return Rows(table.ids, columns, concepts, blank, {"answers": table.n_answers}, facts)


def _ids(table: QATable | SceneTable) -> Column:
    if table.ids_repeat:
        return Column.of(table.ids.tolist())
    names: Any = table.ids  # packed text is a sequence of text
    return Column(np.arange(len(table), dtype=np.int32), names)


def _scenes(table: SceneTable, columns: dict[str, Column]) -> Rows:
    """Return scenes as rows; their concepts are the classes of their objects."""
    counts = {"objects": np.diff(table.object_starts), "relations": np.diff(table.relation_starts)}
    facts = {
        "objects": table.n_objects,
        "objects without a name": int((table.classes.codes < 0).sum()),
        "object classes": table.classes.n_used,
        "attributes": len(table.attributes),
        "distinct attributes": table.attributes.n_used,
        "relations": table.n_relations,
        "predicates": table.predicates.n_used,
        "rules": dict(table.rules),
    }
    blank = np.zeros(len(table), dtype=bool)
    return Rows(table.ids, columns, class_incidence(table), blank, counts, facts, noun="scene")


def _reduced(questions: Column, reducer: Any) -> Column:
    written = questions.names
    builder = ColumnBuilder()
    for first in range(0, len(written), _BATCH):
        builder.extend(map(" ".join, reducer.reduce(written[first : first + _BATCH])))
    forms = builder.column()
    return Column(np.append(forms.codes, np.int32(-1))[questions.codes], forms.names)


def _answered(
    table: QATable, reducer: Any, answers: str, columns: dict[str, Column], facts: dict[str, Any]
) -> Incidence:
    reduced = columns["question (reduced)"]
    answer_forms = reducer.answer(table.answers.names)
    answered = table.answers.renamed(
        [form or " ".join(name.lower().split()) for form, name in zip(answer_forms, table.answers.names, strict=True)]
    )
    columns["answer (reduced)"] = answered
    columns["qa (reduced)"] = compound = crossed(reduced, answered)
    facts.update(
        {
            "distinct answers": columns["answer (exact)"].n_used,
            "distinct reduced answers": answered.n_used,
            "distinct question-answer pairs": columns["qa (exact)"].n_used,
            "groups": len(compound.names),
        }
    )
    return _concepts(reduced, answered, compound, answers)


def _concepts(reduced: Column, answered: Column, compound: Column, answers: str) -> Incidence:
    """Return the incidence whose bags are the compounds; a row without one has the last, empty bag."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    q_starts, q_codes = _ragged(map(str.split, reduced.names), numbers)
    a_starts, a_codes = _ragged(map(str.split if answers == "words" else _whole, answered.names), numbers)
    met = list(numbers)
    alphabetical = np.array(sorted(range(len(met)), key=met.__getitem__), dtype=np.int64)
    code_of = np.empty(len(met), dtype=np.int64)
    code_of[alphabetical] = np.arange(len(met))
    # Any row of a compound tells its question and answer.
    there = compound.codes >= 0
    row_of = np.zeros(len(compound.names), dtype=np.int64)
    row_of[compound.codes[there]] = np.flatnonzero(there)
    n = max(len(met), 1)
    sides = []
    for starts, flat, column in ((q_starts, q_codes, reduced), (a_starts, a_codes, answered)):
        which = column.codes[row_of]
        first = np.where(which >= 0, starts[which], 0)
        lengths = np.where(which >= 0, starts[which + 1] - starts[which], 0)
        # In place: these arrays are the largest of a run.
        side = np.repeat(first - (np.cumsum(lengths) - lengths), lengths)
        side += np.arange(len(side))
        side = code_of[flat[side]]
        side += np.repeat(np.arange(len(row_of)) * n, lengths)
        sides.append(side)
    packed = np.concatenate(sides)
    del sides, side
    packed, counts = distinct(packed)
    bag, concept = np.divmod(packed, n)
    n_bags = len(row_of) + 1
    bag_starts = np.zeros(n_bags + 1, dtype=np.int64)
    np.cumsum(np.bincount(bag, minlength=n_bags), out=bag_starts[1:])
    bag_of_row = np.where(there, compound.codes, n_bags - 1).astype(np.int32)
    names = tuple(met[code] for code in alphabetical.tolist())
    return Incidence("concepts", bag_of_row, bag_starts, concept.astype(np.int32), counts.astype(np.int32), names)


def _whole(name: str) -> list[str]:
    return [name]


def _ragged(words: Iterable[list[str]], numbers: defaultdict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return lists of words as starts and numbers, some lists at a time."""
    lengths: list[int] = [0]
    flat = [np.zeros(0, dtype=np.int32)]
    lists = iter(words)
    while batch := list(islice(lists, _BATCH)):
        lengths += map(len, batch)
        flat.append(np.array([numbers[word] for each in batch for word in each], dtype=np.int32))
    return np.cumsum(lengths), np.concatenate(flat)

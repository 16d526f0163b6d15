"""Tables one after the other, for an audit of parts that stand in different files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.model.column import Column, concatenated, frozen, texts
from compsplit.model.lists import Lists, chained
from compsplit.model.report import Finding
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import QATable

_FIELDS = ("images", "questions", "answers", "question_types", "answer_types", "origins", "sources")


def joined(tables: Mapping[str, RowTable]) -> RowTable:
    """Return tables one after the other: ids may repeat, and records are not kept.

    Args:
        tables: Part -> its table; all hold questions, or all hold scenes.

    Raises:
        UsageError: Some hold questions and others scenes.
    """
    scenes = {part: table for part, table in tables.items() if isinstance(table, SceneTable)}
    questions = {part: table for part, table in tables.items() if isinstance(table, QATable)}
    if scenes and questions:
        one, other = next(iter(scenes)), next(iter(questions))
        raise UsageError(
            f"Part {one} holds scenes and part {other} questions: they cannot be held against each other. "
            "Give the scenes of questions with --scenes FILE."
        )
    return _scenes(list(scenes.values())) if scenes else _questions(list(questions.values()))


def _questions(tables: Sequence[QATable]) -> QATable:
    columns: dict[str, Any] = {name: concatenated([getattr(table, name) for table in tables]) for name in _FIELDS}
    return QATable(
        format=tables[0].format,
        ids=texts(name for table in tables for name in table.ids.tolist()),
        n_answers=np.concatenate([table.n_answers for table in tables]),
        columns=_shared_columns(tables),
        lists=_shared_lists(tables),
        **_told(tables),
        **columns,
    )


def _scenes(tables: Sequence[SceneTable]) -> SceneTable:
    object_offsets = np.cumsum([0, *(table.n_objects for table in tables)])[:-1].tolist()
    # Part by part, so that no list of all ends is held twice.
    ends = {
        name: np.concatenate(
            [getattr(table, name) + np.int32(n) for table, n in zip(tables, object_offsets, strict=True)]
        )
        for name in ("subjects", "objects", "further_objects")
    }
    known = [table.object_ids for table in tables if table.object_ids is not None]
    rules = dict(tables[0].rules)
    for table in tables[1:]:
        rules = {name: value for name, value in rules.items() if table.rules.get(name) == value}
    return SceneTable(
        format=tables[0].format,
        ids=texts(name for table in tables for name in table.ids.tolist()),
        images=concatenated([table.images for table in tables]),
        sources=concatenated([table.sources for table in tables]),
        object_starts=_chained([table.object_starts for table in tables]),
        classes=concatenated([table.classes for table in tables]),
        attribute_starts=_chained([table.attribute_starts for table in tables]),
        attributes=concatenated([table.attributes for table in tables]),
        relation_starts=_chained([table.relation_starts for table in tables]),
        subjects=ends["subjects"],
        objects=ends["objects"],
        predicates=concatenated([table.predicates for table in tables]),
        further_objects=ends["further_objects"],
        further_names=concatenated([table.further_names for table in tables]),
        object_ids=frozen(np.concatenate(known)) if len(known) == len(tables) else None,
        columns=_shared_columns(tables),
        rules=rules,
        **_told(tables),
    )


def _chained(starts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the starts of lists that stand one after the other."""
    whole = [np.zeros(1, dtype=np.int64)]
    offset = 0
    for each in starts:
        whole.append(each[1:] + offset)
        offset += int(each[-1])
    return np.concatenate(whole)


def _shared_columns(tables: Sequence[RowTable]) -> dict[str, Column]:
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    return {name: concatenated([table.columns[name] for table in tables]) for name in shared}


def _shared_lists(tables: Sequence[QATable]) -> dict[str, Lists]:
    shared = [name for name in tables[0].lists if all(name in table.lists for table in tables)]
    return {name: chained([table.lists[name] for table in tables]) for name in shared}


def _told(tables: Sequence[RowTable]) -> dict[str, Any]:
    """Return what the tables say of themselves, added up."""
    counts: dict[str, int] = {}
    findings: list[Finding] = []
    left_out: list[tuple[str, str]] = []
    for table in tables:
        for name, n in table.decisions.items():
            counts[name] = counts.get(name, 0) + n
        findings += table.findings
        left_out += table.left_out
    return {
        "scoped": any(table.scoped for table in tables),
        "ids_repeat": True,
        "decisions": counts,
        "findings": tuple(findings),
        "left_out": tuple(left_out),
    }

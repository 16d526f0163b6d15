"""Class co-occurrence: in how many scenes of each part the commonest object classes are together.

Source: UOUC, section 4, whose groups of classes are what test pairs across and train does not: ordered by them, the
matrix shows the rule. A scene counts once for a pair, however many objects of the two classes it has; on the diagonal
stand the scenes that hold the class. Of an object with several names the first counts, as in pairs. Questions that are
joined to scenes count each image of a part once. Where questions say which classes they mention, the same is counted of
them, question by question. Cost: O(non-zeros), and the sparse product of the 24 commonest classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.covering import single_kinds
from compsplit.model.compounds import ObjectPairs
from compsplit.model.incidence import Incidence
from compsplit.model.report import Audited, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SHOWN = 24
_HOLDERS = {"object classes": "scene", "mentioned classes": "question"}
"""Kind of classes -> what holds them."""


@register(
    "audit", "class-co-occurrence", source="UOUC, section 4", unit="classes", bounds=(0, None), better=""
)  # fmt: skip
def class_co_occurrence(rows: Rows, split: Split) -> Audited:
    """Mean number of different classes of a scene, and in how many scenes the commonest classes are together."""
    measures: list[Measure] = []
    tables: dict[str, Table] = {}
    for classes in _kinds_of_classes(rows):
        holder = _HOLDERS[classes.of]
        counted = {part: _counted(rows, split.rows_in(part), holder) for part in split.parts}
        held = {part: classes.rows_with(marked) for part, marked in counted.items()}
        for part, marked in counted.items():
            n = int(marked.sum())
            mean = ratio(int(held[part].sum()), n, f"{part} holds no {holder}")
            measures.append(
                Measure(
                    name="mean-classes", of=classes.of, value=mean, n=n, n_unit=f"{holder}s of {part}", unit="classes",
                    part=part,
                )
            )  # fmt: skip
        whole = np.sum(list(held.values()), axis=0)
        n_held = int(np.count_nonzero(whole))
        if n_held:
            groups: Any = split.facts.get("class_groups", ())
            shown, group_of = _ordered(classes, whole, dict(groups))
            together = _together(classes, shown, counted)
            lines = [
                (
                    *(classes.names[shown[at]] for at in (i, j)),
                    *(group_of[at] for at in (i, j)),
                    *(int(each[i, j]) for each in together),
                )
                for i, j in combinations_with_replacement(range(len(shown)), 2)
            ]
            columns = ("class", "other class", "group", "other group", *split.parts)
            total = n_held * (n_held + 1) // 2
            tables[f"classes together in {holder}s"] = Table.first_of(columns, lines, len(lines), total=total)
    return Audited(tuple(measures), tables)


def _kinds_of_classes(rows: Rows) -> Iterator[Incidence]:
    """Yield the classes that pairs are made of; where there are no pairs, those of the rows."""
    found = {each.atoms.of: each.atoms for each in rows.compounds.values() if isinstance(each, ObjectPairs)}
    for kind in single_kinds(rows):
        found.setdefault(kind.of, kind)
    yield from (found[of] for of in _HOLDERS if of in found)


def _counted(rows: Rows, marked: NDArray[np.bool_], holder: str) -> NDArray[np.bool_]:
    """Return which of the marked rows are counted: one of each image, where scenes are counted and rows are not."""
    images = rows.columns.get("image")
    if rows.noun == holder or holder == "question" or images is None:
        return marked
    among = np.flatnonzero(marked & (images.codes >= 0))
    first = np.unique(images.codes[among], return_index=True)[1]
    counted = np.zeros(len(rows), dtype=bool)
    counted[among[first]] = True
    return counted


def _ordered(classes: Incidence, held: NDArray[np.int64], groups: dict[str, str]) -> tuple[list[int], list[str | None]]:
    """Return the commonest classes by group, commonest first, and the group of each."""
    names = classes.names
    some = np.flatnonzero(held)
    if len(some) > _SHOWN:
        some = some[held[some] >= np.partition(held[some], len(some) - _SHOWN)[len(some) - _SHOWN]]
    commonest = sorted(some.tolist(), key=lambda code: (-int(held[code]), names[code]))[:_SHOWN]
    shown = sorted(commonest, key=lambda code: _place(groups.get(names[code])))
    return shown, [groups.get(names[code]) for code in shown]


def _place(group: str | None) -> tuple[int, int, str]:
    """Return what groups are ordered by: numbers, then names, and classes without a group at the end."""
    if group is None:
        return 2, 0, ""
    return (0, len(group), group) if group.isdecimal() else (1, 0, group)


def _together(classes: Incidence, shown: list[int], counted: dict[str, NDArray[np.bool_]]) -> list[NDArray[np.int64]]:
    """Return for each part how many counted rows hold both of two classes; shape (n_shown, n_shown)."""
    from scipy.sparse import csr_array

    place = np.full(len(classes.names), -1, dtype=np.int32)
    place[shown] = np.arange(len(shown), dtype=np.int32)
    places = place[classes.concepts]
    there = places >= 0
    places = places[there]
    starts = np.append(0, np.cumsum(there))[classes.starts]
    lengths, shape = np.diff(starts), (classes.n_bags, len(shown))
    holds = csr_array((np.ones(len(places), dtype=np.int64), places, starts), shape=shape)
    weights = (np.repeat(classes.rows_of_bags(marked), lengths) for marked in counted.values())
    return [(csr_array((each, places, starts), shape=shape).T @ holds).toarray() for each in weights]

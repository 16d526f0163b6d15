"""Relations of a scene: (subject class, predicate, object class); atoms are the classes and the predicates.

Source: UOUC, section 4 (AvgCoRel). Direction matters, but for the predicates that are named as symmetric: of these
triples the class that is first in alphabetical order is the subject, in all parts. With ``direction = "ignored"`` every
predicate is taken as symmetric. A relation that stands twice in a scene counts twice. Cost: O(n log n).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from compsplit.errors import FileError
from compsplit.extractors.scene_classes import classes_in_pairs, scenes_of
from compsplit.model.column import Column
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.registry import register


def _fits(table: QATable | SceneTable, rows: Rows) -> bool:
    return isinstance(table, SceneTable) and table.n_relations > 0


@register("extractor", "relations", source="UOUC, section 4", scenes=True, fits=_fits)
def extract(
    table: QATable | SceneTable,
    rows: Rows,
    *,
    symmetric: Sequence[str] | str = (),
    direction: Literal["kept", "ignored"] = "kept",
) -> Compounds:
    """Take the triples of a scene's relations.

    Args:
        table: Scenes.
        rows: The same, prepared.
        symmetric: Predicates that say the same from both sides, or a file that has one a line.
        direction: ``"ignored"``: all predicates do.

    Raises:
        FileError: There is no file of that name.
    """
    scenes = scenes_of(table, "Relations")
    named = symmetric_predicates(symmetric)
    rules: dict[str, Any] = {**scenes.rules, "direction": direction}
    if named:
        rules["symmetric predicates"] = sorted(named)
    subjects, objects = (scenes.classes.take(ends.astype(np.int64)) for ends in (scenes.subjects, scenes.objects))
    names = scenes.classes.names
    rank = np.zeros(len(names) + 1, dtype=np.int64)
    rank[np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)] = np.arange(len(names))
    both_ways = np.array([direction == "ignored" or name in named for name in scenes.predicates.names], dtype=bool)
    turned = rank[subjects.codes] > rank[objects.codes]
    turned &= np.append(both_ways, False)[scenes.predicates.codes]
    one = Column(np.where(turned, objects.codes, subjects.codes).astype(np.int32), names)
    other = Column(np.where(turned, subjects.codes, objects.codes).astype(np.int32), names)
    predicates = occurring("predicates", len(scenes), scenes.scene_of_relation, scenes.predicates)
    atoms = (classes_in_pairs(scenes, rows), predicates)
    where = scenes.scene_of_relation

    def triples(subject: Column, other: Column, told: dict[str, Any]) -> Compounds:
        members = (subject, scenes.predicates, other)
        return combined("relations", "triple", len(scenes), where, members, (0, 1, 0), atoms, told)

    found = triples(one, other, rules)
    if not turned.any():
        return found
    return dataclasses.replace(found, as_written=triples(subjects, objects, dict(scenes.rules)))


def symmetric_predicates(given: Sequence[str] | str) -> frozenset[str]:
    """Return the predicates named, or those of a file, as scenes have them: lower-cased, white space folded."""
    if isinstance(given, str):
        path = Path(given)
        if not path.is_file():
            raise FileError(given, "there is no such file; symmetric is a file of predicates, or a list of them")
        given = path.read_text(encoding="utf-8-sig").splitlines()
    return frozenset(" ".join(name.lower().split()) for name in given) - {""}

"""Relations of a scene: (subject class, predicate, object class); atoms are the classes and the predicates.

Source: UOUC, section 4 (AvgCoRel). Direction matters, but for the predicates that are named as symmetric: of these
triples the class that is first in alphabetical order is the subject, in all parts. With ``direction = "ignored"`` every
predicate is taken as symmetric. A relation that stands twice in a scene counts twice. Cost: O(n log n).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import FileError
from compsplit.extractors.scene_classes import classes_in_pairs, scenes_of
from compsplit.model.column import Codes
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.model.incidence import Incidence
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
    predicates = occurring("predicates", len(scenes), scenes.scene_of_relation, scenes.predicates)
    atoms = (classes_in_pairs(scenes, rows), predicates)
    both_ways = np.array([direction == "ignored" or name in named for name in scenes.predicates.names], dtype=bool)
    turned = _turned(scenes, both_ways) if both_ways.any() else np.zeros(0, dtype=bool)
    if not turned.any():
        return _triples(scenes, scenes.subjects, scenes.objects, atoms, rules)
    one, other = (
        np.where(turned, *ends) for ends in ((scenes.objects, scenes.subjects), (scenes.subjects, scenes.objects))
    )
    as_written = _triples(scenes, scenes.subjects, scenes.objects, atoms, dict(scenes.rules))
    return dataclasses.replace(_triples(scenes, one, other, atoms, rules), as_written=as_written)


def _triples(
    scenes: SceneTable, subjects: Codes, objects: Codes, atoms: Sequence[Incidence], rules: Mapping[str, Any]
) -> Compounds:
    classes = scenes.classes
    # Nothing here keeps the columns: those of large data are as large as the scenes.
    return combined(
        "relations",
        "triple",
        len(scenes),
        scenes.scene_of_relation,
        [classes.take(subjects), scenes.predicates, classes.take(objects)],
        (0, 1, 0),
        atoms,
        rules,
    )


def _turned(scenes: SceneTable, both_ways: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which relations of symmetric predicates have their classes in the wrong order."""
    names = scenes.classes.names
    rank = np.zeros(len(names) + 1, dtype=np.int64)
    rank[np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)] = np.arange(len(names))
    ranks = rank[scenes.classes.codes]
    wrong: NDArray[np.bool_] = ranks[scenes.subjects] > ranks[scenes.objects]
    wrong &= np.append(both_ways, False)[scenes.predicates.codes]
    return wrong


def symmetric_predicates(given: Sequence[str] | str) -> frozenset[str]:
    """Return the predicates named, or those of a file, as scenes have them: lower-cased, white space folded."""
    if isinstance(given, str):
        path = Path(given)
        if not path.is_file():
            raise FileError(given, "there is no such file; symmetric is a file of predicates, or a list of them")
        given = path.read_text(encoding="utf-8-sig").splitlines()
    return frozenset(" ".join(name.lower().split()) for name in given) - {""}

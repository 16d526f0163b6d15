"""Classes of objects as concepts of their scenes, each further name of an object beside its class."""

from __future__ import annotations

import numpy as np

from compsplit.errors import UsageError
from compsplit.model.column import concatenated
from compsplit.model.compounds import occurring
from compsplit.model.incidence import Incidence
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable


def class_incidence(table: SceneTable, *, further: bool = True) -> Incidence:
    """Return how many objects of each class a scene has; those without a name have none.

    Args:
        table: Scenes.
        further: Whether further names of an object count, too; in pairs they do not.
    """
    scenes = table.scene_of_object
    if not further or not len(table.further_objects):
        return occurring("object classes", len(table), scenes, table.classes)
    both = concatenated([table.classes, table.further_names])
    where = np.concatenate([scenes, scenes[table.further_objects]])
    return occurring("object classes", len(table), where, both)


def classes_in_pairs(table: SceneTable, rows: Rows) -> Incidence:
    """Return the classes of objects that take part in pairs: those of the rows, but for further names."""
    if rows.concepts is not None and not len(table.further_objects):
        return rows.concepts
    return class_incidence(table, further=False)


def scenes_of(table: QATable | SceneTable, what: str) -> SceneTable:
    """Return the table as scenes.

    Raises:
        UsageError: It has none.
    """
    if not isinstance(table, SceneTable):
        raise UsageError(
            f"{what} are made of scenes, and these rows are questions. Give the scenes with --scenes FILE."
        )
    return table

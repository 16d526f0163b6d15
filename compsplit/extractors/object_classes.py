"""Object classes: each class is a compound of one atom.

Source: UOUC (papers/004), table 1. Cost: O(objects log objects).
"""

from __future__ import annotations

import numpy as np

from compsplit.extractors.scene_classes import class_incidence, scenes_of
from compsplit.model.compounds import Compounds
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.registry import register


@register("extractor", "object-classes", source="UOUC, table 1", scenes=True)
def extract(table: QATable | SceneTable, rows: Rows) -> Compounds:
    """Take the classes of a scene's objects."""
    classes = class_incidence(scenes_of(table, "Object classes"))
    n = len(classes.names)
    return Compounds("class", classes, classes, np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int32), {})

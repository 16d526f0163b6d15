"""Attributes of objects: (attribute, class) pairs; atoms are the attributes and the classes.

Source: Misra et al. 2017 (CZSL), whose pairs are an attribute and an object. An attribute counts once for each object.
Cost: O(n log n).
"""

from __future__ import annotations

from compsplit.extractors.scene_classes import classes_in_pairs, scenes_of
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.registry import register


def _fits(table: QATable | SceneTable, rows: Rows) -> bool:
    return isinstance(table, SceneTable) and len(table.attributes) > 0


@register(
    "extractor",
    "attribute-objects",
    source="Misra, Gupta, Hebert 2017 (compositional zero-shot learning)",
    scenes=True,
    fits=_fits,
)
def extract(table: QATable | SceneTable, rows: Rows) -> Compounds:
    """Take each attribute of each object together with the object's class."""
    scenes = scenes_of(table, "Attribute-object pairs")
    where = scenes.scene_of_object[scenes.object_of_attribute]
    attributes = occurring("attributes", len(scenes), where, scenes.attributes)
    return combined(
        "attribute-objects",
        "pair",
        len(scenes),
        where,
        [scenes.attributes, scenes.classes.take(scenes.object_of_attribute)],
        (0, 1),
        (attributes, classes_in_pairs(scenes, rows)),
        dict(scenes.rules),
    )

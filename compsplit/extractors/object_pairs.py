"""Pairs of a scene's objects by their classes; atoms are the classes.

Source: UOUC, section 4 (AvgCoPair counts pairs of objects that occur together in train). Objects without a name are in
no pair; of an object with several names the first takes part. The pairs are not stored. Cost: O(objects log objects).
"""

from __future__ import annotations

from compsplit.extractors.commonest import commonest_classes
from compsplit.extractors.scene_classes import classes_in_pairs, scenes_of
from compsplit.model.compounds import ObjectPairs
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.registry import register


def _fits(table: QATable | SceneTable, rows: Rows) -> bool:
    return isinstance(table, SceneTable)


@register("extractor", "object-pairs", source="UOUC, section 4", scenes=True, fits=_fits)
def extract(table: QATable | SceneTable, rows: Rows, *, commonest: int = 0) -> ObjectPairs:
    """Take all pairs of a scene's objects, as pairs of classes.

    Args:
        table: Scenes.
        rows: The same, prepared.
        commonest: Keep so many classes, those of which there are most objects; others take part in no pair. 0 keeps
            all.

    Raises:
        UsageError: The rows are questions.
        OptionValueError: commonest is negative.
    """
    scenes = scenes_of(table, "Object pairs")
    classes = commonest_classes(classes_in_pairs(scenes, rows), commonest)
    return ObjectPairs(classes, {**scenes.rules, **({"commonest classes": commonest} if commonest else {})})

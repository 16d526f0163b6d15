"""Pairs of attributes that one object has; atoms are the attributes.

Source: CoGenT (Johnson et al. 2017, arXiv 1612.06890, section 4.7) keeps combinations of two attributes apart. A pair
is unordered, the first in alphabetical order stands first. Cost: O(sum over objects of k (k - 1) / 2), k attributes.
"""

from __future__ import annotations

import numpy as np

from compsplit.extractors.scene_classes import scenes_of
from compsplit.model.compounds import Compounds, combined, occurring, sorted_column
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.registry import register


@register("extractor", "attribute-pairs", source="Johnson et al. 2017, arXiv 1612.06890, section 4.7", scenes=True)
def extract(table: QATable | SceneTable, rows: Rows) -> Compounds:
    """Take every two attributes of each object."""
    scenes = scenes_of(table, "Attribute pairs")
    attributes = sorted_column(scenes.attributes)
    owners = scenes.object_of_attribute
    # Attributes of an object in the order of their codes: then the lesser stands first in a pair.
    order = np.lexsort((attributes.codes, owners))
    lengths = np.diff(scenes.attribute_starts)
    # Attribute i of an object pairs with the k - 1 - i that follow it.
    place = np.arange(len(order)) - np.repeat(scenes.attribute_starts[:-1], lengths)
    follow = np.repeat(lengths, lengths) - 1 - place
    firsts = np.repeat(np.arange(len(order)), follow)
    steps = np.arange(len(firsts)) - np.repeat(np.cumsum(follow) - follow, follow)
    seconds = firsts + 1 + steps
    where = scenes.scene_of_object
    return combined(
        "attribute-pairs",
        "pair",
        len(scenes),
        where[owners[firsts]],
        (attributes.take(order[firsts]), attributes.take(order[seconds])),
        (0, 0),
        (occurring("attributes", len(scenes), where[owners], scenes.attributes),),
        dict(scenes.rules),
    )

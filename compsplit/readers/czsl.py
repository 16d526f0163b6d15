"""Pair lists of compositional zero-shot learning: one ``attribute object`` a line.

Source: Misra et al. 2017; Purushwalkam et al. 2019 (natural splits). Lists declare pairs and have no samples: each pair
is a scene with one object, named by the pair. Seen and unseen are decided from samples, never from lists.
Cost: O(bytes).
"""

from __future__ import annotations

from collections.abc import Sequence

from compsplit.errors import EmptyFileError, Problem, RecordsError
from compsplit.files import text_of
from compsplit.model.scenes import SceneTable
from compsplit.model.table import Input
from compsplit.readers.building import IdScope
from compsplit.readers.scene_building import SceneBuilder, SceneIds, Scenes
from compsplit.registry import register


@register("reader", "czsl", source="Misra, Gupta, Hebert 2017")
def read(files: Sequence[Input], *, id_scope: IdScope = "all") -> SceneTable:
    """Read lists of attribute-object pairs.

    Args:
        files: Lists.
        id_scope: ``"file"`` qualifies each pair by its file.

    Raises:
        RecordsError: A line is no pair.
        RepeatedIdError: A pair stands twice.
    """
    builder = SceneBuilder()
    ids = SceneIds(id_scope, False, "pair")
    for file in files:
        ids.begin(file.source)
        flat = Scenes()
        problems = []
        for number, line in enumerate(text_of(file).split("\n"), 1):
            words = line.split()
            if not words:
                continue
            if len(words) != 2:
                problems.append(Problem(file.name, number, None, f"is no pair of attribute and object: {line[:60]!r}"))
                continue
            ids.add(" ".join(words), None)
            flat.n_objects.append(1)
            flat.classes.append(words[1])
            flat.n_attributes.append(1)
            flat.attributes.append(words[0])
            flat.n_relations.append(0)
        if problems:
            raise RecordsError(problems)
        if not flat.n_objects:
            raise EmptyFileError(file.name)
        flat.give(builder)
    return builder.table(format="czsl", rules={"pairs": "declared"}, **ids.fields(files[0].name))

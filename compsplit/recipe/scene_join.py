"""Questions and the scenes that they are about, joined by image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, counted, listed
from compsplit.model.column import Column
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable


@dataclass(frozen=True, slots=True, eq=False)
class SceneJoin:
    """The scene of each question.

    Attributes:
        table: Questions that have a scene.
        scenes: All scenes.
        scene_of_row: Place of each question's scene; shape (n_rows,).
        kept: Which of the questions given have one; shape (n_given,).
        findings: Questions that name objects which their scene does not have.
    """

    table: QATable
    scenes: SceneTable
    scene_of_row: NDArray[np.int64]
    kept: NDArray[np.bool_]
    findings: tuple[Finding, ...] = ()


def join_scenes(table: Any, scenes: Any, *, allow_unjoined: bool = False) -> SceneJoin:
    """Return questions joined to scenes by image: the scene's image, or its id where it has none.

    Raises:
        UsageError: The tables are not questions and scenes, or questions have no scene.
    """
    if not isinstance(table, QATable) or not isinstance(scenes, SceneTable):
        raise UsageError("--scenes joins scenes to questions: give questions as parts and scenes there.")
    if not table.images.names:
        raise UsageError("The questions do not name images, so no scene can be found for them.", field="image")
    images = scenes.images.or_else(Column.of(scenes.ids.tolist()))
    place: dict[str, int] = {}
    for scene, image in enumerate(images.values()):
        if place.setdefault(str(image), scene) != scene:
            raise UsageError(f'Two scenes are of image "{image}"; questions cannot be joined to them.', record=image)
    by_image = np.array([place.get(name, -1) for name in table.images.names] + [-1], dtype=np.int64)
    found = by_image[table.images.codes]
    lacking = found < 0
    if lacking.any():
        ids = sorted(table.ids[lacking].tolist())
        if not allow_unjoined or lacking.all():
            raise UsageError(
                f"{counted(len(ids), 'question is', 'questions are')} about images without a scene (first: "
                f"{listed(ids)}). --allow-unjoined leaves such questions out and counts them.",
                field="image",
                facts={"questions without a scene": len(ids)},
            )
        table = table.keep(~lacking, "no scene of its image", "questions without a scene left out")
    return SceneJoin(table, scenes, found[~lacking], ~lacking, _unknown_objects(table, scenes, found[~lacking]))


def _unknown_objects(table: QATable, scenes: SceneTable, scene_of_row: NDArray[np.int64]) -> tuple[Finding, ...]:
    """Return a finding of ids that programs name and their scenes do not have."""
    named = table.columns.get("program_objects")
    if named is None or scenes.object_ids is None:
        return ()
    known: dict[int, set[str]] = {}
    starts = scenes.object_starts
    missing = []
    for name, scene, ids in zip(table.ids.tolist(), scene_of_row.tolist(), named.values(), strict=True):
        if ids:
            if scene not in known:
                known[scene] = set(scenes.object_ids[starts[scene] : starts[scene + 1]].tolist())
            missing += [(name, each) for each in ids.split() if each not in known[scene]]
    if not missing:
        return ()
    return (
        Finding(
            kind="objects-not-in-scene",
            count=len(missing),
            first=tuple(sorted(missing)[:5]),
            message=f"{counted(len(missing), 'object id')} of programs (question, object) not in the question's scene.",
        ),
    )

"""Answers of programs on the scenes of their images, held against the data's own answers.

Questions are taken scene by scene, so that one scene is held as objects at a time. Where programs come with the ids of
the objects that they mean, these are taken, classes above names are learnt from them, and local labels call the anchor
by its own name. Cost: O(steps x objects and relations) a question, some 0.04 ms, and O(objects and relations) a scene.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from compsplit.describing.program_facts import parsed, program_column
from compsplit.model.column import Column
from compsplit.model.program import Program, ids_by_step
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.programs.clevr_interpreter import clevr_answer
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.labels import local_label
from compsplit.programs.scene import SceneGraph, graph_of
from compsplit.programs.tree import Node, is_clevr, tree_of
from compsplit.programs.vocabulary import Vocabulary
from compsplit.recipe.scene_join import SceneJoin

_NAMING = ("select", "relate")
_PARSED = 1 << 14
"""Programs that are kept parsed: those of one scene, and the common ones."""


@dataclass(frozen=True, slots=True, eq=False)
class ProgramAnswers:
    """What the interpreter says of the questions that have a scene.

    Attributes:
        answers: Its answer to each question; none where it is undefined, or the question has no program.
        local_label: Local label with the anchor's own name; none where that is undefined.
        agree: Questions whose own answer it gives.
        disagree: (id, own answer, its answer), ordered by id.
        unanswered: Questions that it answers, and the data do not.
        undefined: Reason -> questions, the commonest first.
        n_learnt: Classes above names that the data showed.
        with_ids: Whether the programs say which objects they mean.
    """

    answers: Column
    local_label: Column
    agree: int
    disagree: tuple[tuple[str, str, str], ...]
    unanswered: int
    undefined: Mapping[str, int] = field(default_factory=dict)
    n_learnt: int = 0
    with_ids: bool = False


def by_scene(join: SceneJoin) -> Iterator[tuple[SceneGraph, NDArray[np.int64]]]:
    """Yield each scene that has questions, and the rows of these, ascending."""
    order = np.argsort(join.scene_of_row, kind="stable")
    scenes, first = np.unique(join.scene_of_row[order], return_index=True)
    for scene, rows in zip(scenes.tolist(), np.split(order, first[1:]), strict=True):
        yield graph_of(join.scenes, scene), rows


class ProgramTrees:
    """The trees of a table's programs, with the ids that they mean where these were kept."""

    def __init__(self, table: QATable) -> None:
        self._programs = program_column(table)
        self._objects = table.columns.get("program_step_objects")
        self._parsed: Callable[[str], Program] = lru_cache(maxsize=_PARSED)(parsed)

    @property
    def with_ids(self) -> bool:
        """Whether any program says which objects it means."""
        return self._objects is not None and bool(self._objects.n_used)

    def of_row(self, row: int) -> Node | Undefined | None:
        """Return the tree of a row, None where it has no program."""
        written = self._programs[row]
        if written is None:
            return None
        program = self._parsed(written)
        objects = None if self._objects is None else self._objects[row]
        ids = None if objects is None else ids_by_step(objects)
        return tree_of(program, ids if ids is not None and len(ids) == len(program.steps) else None)


def learnt_classes(join: SceneJoin, words: Vocabulary) -> tuple[Vocabulary, int]:
    """Return the vocabulary with what the data show, and how many classes above names that added.

    A step that says "animal" and means an object whose name is "giraffe" shows a class above it.
    """
    trees = ProgramTrees(join.table)
    if not trees.with_ids:
        return words, 0
    pairs: set[tuple[str, str]] = set()
    for scene, rows in by_scene(join):
        for row in rows.tolist():
            tree = trees.of_row(row)
            if isinstance(tree, Node):
                pairs.update(_shown(tree, scene))
    new = sorted((name, above) for name, above in pairs if name != above and above not in words.above(name))
    return words.with_classes(new), len(new)


def _shown(tree: Node, scene: SceneGraph) -> Iterator[tuple[str, str]]:
    for node in tree.walk():
        word = node.argument.name
        if word is not None and node.head in _NAMING:
            for each in node.ids:
                thing = scene.by_id.get(each)
                if thing is not None and thing.name is not None:
                    yield thing.name, word


def own_name(scene: SceneGraph) -> Callable[[Node], str | None]:
    """Return what says the own name of the objects that a step means; None where there is not exactly one."""

    def name(node: Node) -> str | None:
        names = {scene.by_id[each].name for each in node.ids if each in scene.by_id}
        return next(iter(names)) if len(names) == 1 else None

    return name


def answered_programs(join: SceneJoin, words: Vocabulary) -> ProgramAnswers:
    """Answer the program of each question on its scene.

    Args:
        join: Questions and the scenes of their images.
        words: Kinds, classes and converses; what the data show is added.
    """
    table = join.table
    words, n_learnt = learnt_classes(join, words)
    interpreter = GqaInterpreter.of(join.scenes.classes.names, words)
    trees = ProgramTrees(table)
    answers: list[str | None] = [None] * len(table)
    labels: list[str | None] = [None] * len(table)
    reasons: Counter[str] = Counter()
    for scene, rows in by_scene(join):
        for row in rows.tolist():
            tree = trees.of_row(row)
            if tree is None:
                continue
            if isinstance(tree, Undefined):
                reasons[tree.reason] += 1
                continue
            label = local_label(tree, own_name(scene))
            labels[row] = None if isinstance(label, Undefined) else label
            found = clevr_answer(tree, scene) if is_clevr(tree) else interpreter.answer(tree, scene)
            if isinstance(found, Undefined):
                reasons[found.reason] += 1
            else:
                answers[row] = found
    own = table.answers.values()
    said = [(row, mine, given) for row, (mine, given) in enumerate(zip(answers, own, strict=True)) if mine is not None]
    differing = sorted((str(table.ids[row]), given, mine) for row, mine, given in said if given not in (None, mine))
    return ProgramAnswers(
        answers=Column.of(answers),
        local_label=Column.of(labels),
        agree=sum(mine == given for _, mine, given in said),
        disagree=tuple((name, str(given), mine) for name, given, mine in differing),
        unanswered=sum(given is None for _, _, given in said),
        undefined=dict(sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))),
        n_learnt=n_learnt,
        with_ids=trees.with_ids,
    )

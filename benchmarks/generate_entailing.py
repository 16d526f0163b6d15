"""Make the questions that entailment is measured on: of many kinds, about given GQA scene graphs, with their answers.

    python benchmarks/generate_entailing.py SCENES.json QUESTIONS.json [--questions N]

Everything comes from a counter-based generator, so the same call gives the same bytes everywhere. Images take turns.
A question is about a thing of the scene, often by a relation that it has there or by an attribute; what is asked of it
may be wrong. Its answer is the interpreter's; where that has none, the next question is made.

    compsplit programs QUESTIONS.json --scenes SCENES.json --entailed match
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from compsplit import api
from compsplit.files import canonical_json
from compsplit.model.scenes import SceneTable
from compsplit.order import uniforms
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.question_texts import question_text
from compsplit.programs.scene import SceneGraph, SceneObject, graph_of
from compsplit.programs.surroundings import spoken
from compsplit.programs.tree import (
    Node,
    both,
    choose,
    choose_relation,
    either,
    exist,
    filtered,
    program_of,
    query,
    related,
    select,
    shared,
    verify,
    verify_relation,
)
from compsplit.programs.vocabulary import common_words

N_QUESTIONS = 4_000
WORDS = common_words()
SOMETIMES_ABSENT = ("dog", "tree", "wall", "cat")
_BLOCK = 64
"""Choices of one question at most."""

T = TypeVar("T")


class Draw:
    """The choices of one question."""

    def __init__(self, number: int) -> None:
        self._numbers = iter(uniforms(0, "entailing", _BLOCK, number * _BLOCK).tolist())

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return int(next(self._numbers) * n)

    def of(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]


def thing_of(draw: Draw, scene: SceneGraph) -> tuple[Node, SceneObject]:
    """Return a description, and the thing that it is of."""
    thing = draw.of(scene.objects)
    node = select(str(thing.name))
    ends = [(r, b, "o") for r, b in scene.out[thing.place]] + [(r, b, "s") for r, b in scene.into[thing.place]]
    if ends and draw.below(2):
        relation, place, role = draw.of(ends)
        thing = scene.objects[place]
        node = related(node, draw.of((thing.name, thing.name, None)), relation, role)
    if thing.attributes and draw.below(3) == 0:
        value = draw.of(thing.attributes)
        node = filtered(node, value, next(iter(WORDS.kinds_of(value)), ""))
    return node, thing


def question_of(draw: Draw, scene: SceneGraph) -> Node:
    """Return a question of one of eleven kinds."""
    node, thing = thing_of(draw, scene)
    value = draw.of(thing.attributes) if thing.attributes else "red"
    kind = next(iter(WORDS.kinds_of(value)), "color")
    other = draw.of(sorted(WORDS.kinds[kind]))
    out = scene.out[thing.place]
    relation, place = draw.of(out) if out else ("on", thing.place)
    named = str(scene.objects[place].name)
    opposite = WORDS.opposites.get(relation, "behind")
    made = (
        exist(node),
        query(node, kind),
        query(node, "name"),
        verify(node, draw.of((value, other)), kind),
        choose(node, (value, other), kind),
        verify_relation(select(str(thing.name)), named, draw.of((relation, opposite)), "o"),
        choose_relation(select(str(thing.name)), named, (relation, opposite), "o"),
        Node("same color", (), (node, thing_of(draw, scene)[0])),
        draw.of((both, either))(exist(node), exist(select(draw.of(SOMETIMES_ABSENT)))),
        verify(select("scene"), "indoors", "location"),
        query(select("scene"), "location"),
    )
    return draw.of(made)


def record(node: Node, image: str, answer: str) -> dict[str, Any]:
    """Return a question as GQA's files have it."""
    steps = [
        {
            "operation": step.operation,
            "argument": ",".join(step.arguments) or ("?" if step.operation == "exist" else ""),
            "dependencies": list(step.inputs),
        }
        for step in program_of(shared(node)).steps
    ]
    return {"question": question_text(node), "imageId": image, "answer": spoken(answer), "semantic": steps}


def main() -> None:
    """Write the questions."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("scenes", type=Path)
    asked.add_argument("out", type=Path)
    asked.add_argument("--questions", type=int, default=N_QUESTIONS)
    given = asked.parse_args()
    scenes = api.read(given.scenes)
    if not isinstance(scenes, SceneTable):
        raise SystemExit(f"{given.scenes.name} holds no scenes")
    interpreter = GqaInterpreter.of(scenes.classes.names)
    graphs = [graph_of(scenes, place) for place in range(len(scenes))]
    made: dict[str, Any] = {}
    number = 0
    while len(made) < given.questions:
        scene = graphs[number % len(graphs)]
        node = question_of(Draw(number), scene)
        answer = interpreter.answer(node, scene)
        if isinstance(answer, str):
            made[f"{number:08d}"] = record(node, scene.image, answer)
        number += 1
    given.out.write_text(canonical_json(made))


if __name__ == "__main__":
    main()

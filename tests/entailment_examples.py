"""Scenes and questions made from a seed, for the tests of entailment."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TypeVar

from compsplit.order import uniforms
from compsplit.programs.scene import SceneGraph, scene_graph
from compsplit.programs.tree import (
    Node,
    both,
    choose,
    choose_relation,
    either,
    exist,
    filtered,
    query,
    related,
    select,
    verify,
    verify_relation,
)
from compsplit.programs.vocabulary import common_words

# With a name that no table has, and a plural: what is called so may be meant by other words, too.
NAMES = ("apple", "plate", "man", "horse", "table", "grass", "bird", "pillow", "pillows", "gizmo")
# "light colored" is of no kind; "dark green" may be called green.
KINDS = {
    "color": ("red", "green", "white", "dark green", "light colored"),
    "size": ("large", "small"),
    "height": ("tall", "short"),
    "material": ("wood", "metal"),
}
RELATIONS = ("wearing", "on", "holding", "near", "to the left of", "to the right of")
CHOICES = (("to the left of", "to the right of"), ("on", "holding"), ("to the left of", "on"))

T = TypeVar("T")


class Draw:
    """Choices that a seed makes."""

    def __init__(self, seed: int) -> None:
        self._numbers = uniforms(seed, "entailment", 20_000).tolist()
        self._next = 0

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        self._next += 1
        return int(self._numbers[self._next] * n)

    def of(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]


def made_scene(draw: Draw) -> SceneGraph:
    """Return a scene of 2 to 5 things, mostly of different names; what is left of what is drawn without circles."""
    n = 2 + draw.below(4)
    names = list(NAMES)
    objects: dict[str, tuple[str, list[str]]] = {}
    for k in range(n):
        attributes = [draw.of(values) for values in KINDS.values() if draw.below(4) < 3]
        attributes += [draw.of(values) for values in KINDS.values() if draw.below(12) == 0]
        name = draw.of(names)
        if draw.below(4):
            names.remove(name)
        objects[str(k)] = (name, attributes)
    relations = []
    for a, b in permutations(objects, 2):
        if int(a) < int(b) and draw.below(3) < 2:
            relations.append((a, "to the left of", b))
            relations += [(b, "to the right of", a)] if draw.below(2) else []
        if draw.below(4) == 0:
            relations.append((a, draw.of(RELATIONS[:4]), b))
    return scene_graph("1", objects, relations, location=draw.of(("indoors", "outdoors")), weather="sunny")


def made_thing(draw: Draw, scene: SceneGraph, depth: int = 1) -> Node:
    """Return a description, mostly of a thing of the scene."""
    thing = draw.of(scene.objects)
    node = select(str(thing.name))
    ends = [(r, b, "o") for r, b in scene.out[thing.place]] + [(r, b, "s") for r, b in scene.into[thing.place]]
    if depth and ends and draw.below(2):
        relation, place, role = draw.of(ends)
        thing = scene.objects[place]
        anchor = made_thing(draw, scene, 0) if draw.below(4) == 0 else node
        node = related(anchor, draw.of((thing.name, thing.name, None)), relation, role)
        if draw.below(6) == 0:
            node = related(anchor, None, "same color", "_")
    if thing.attributes and draw.below(3) == 0:
        value = draw.of(thing.attributes)
        node = filtered(node, value, next((kind for kind, values in KINDS.items() if value in values), ""))
    if draw.below(6) == 0:
        kind = draw.of(tuple(KINDS))
        node = filtered(node, draw.of(KINDS[kind]), kind, negated=draw.below(3) == 0)
    return node


def made_question(draw: Draw, scene: SceneGraph) -> Node:
    """Return a question of any kind about the scene."""
    node, kind = made_thing(draw, scene), draw.of(tuple(KINDS))
    value, other = draw.of(KINDS[kind]), draw.of(KINDS[kind])
    names, relation, role = [str(each.name) for each in scene.objects], draw.of(RELATIONS), draw.of(("s", "o"))
    image = select("scene")
    match draw.below(13):
        case 0 | 1:
            return exist(node)
        case 2:
            return verify(node, value, kind)
        case 3:
            return query(node, kind)
        case 4:
            return query(node, "name")
        case 5 if value != other:
            return choose(node, (value, other), kind)
        case 6:
            return choose(node, (draw.of(names), draw.of(NAMES)), "name")
        case 7:
            return verify_relation(node, draw.of(names), relation, role)
        case 8:
            return choose_relation(node, draw.of(names), draw.of(CHOICES), role)
        case 9:
            return Node(f"same {kind}", (), (node, made_thing(draw, scene)))
        case 10:
            return Node("common", (), (node, made_thing(draw, scene)))
        case 11:
            asked = (query(image, "weather"), query(image, "location"), verify(image, "indoors", "location"))
            return draw.of((*asked, choose(image, ("indoors", "outdoors"), "location")))
        case _:
            first = draw.of((exist(node), verify(node, value, kind)))
            second = draw.of((exist(made_thing(draw, scene)), verify(node, draw.of(KINDS["size"]), "size")))
            return draw.of((both, either))(first, second)


def words_of_scenes() -> frozenset[str]:
    """Return the names that the scenes may have, and that the interpreter is to know."""
    return frozenset(NAMES) | set(common_words().classes)

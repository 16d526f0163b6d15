"""What is known around a question: the scene graph of its image, and the words that the image offers.

Entailment asks here whether a description holds for exactly one thing, whether a value rules others out, and which
other values, names and descriptions a conclusion may speak of. Those are the words that questions about the image
use, and, where questions are made, the words of its scene graph too. Cost: each description is looked up on the scene
graph once an image, O(objects and relations of the scene).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from compsplit.model.report import Undefined
from compsplit.programs.canonical import canonical, canonical_text
from compsplit.programs.descriptions import ANYTHING, Description, brings, described
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.scene import SceneGraph, SceneObject
from compsplit.programs.tree import Node
from compsplit.programs.vocabulary import Vocabulary

MOST_OFFERED = 4
"""Names, descriptions and partners at most that one rule is offered to make questions with."""
_Things: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Places of the objects that are surely meant, and of those that may be."""
_SIDE = re.compile(r"to the (\w+) of")
_PLAIN_KINDS = ("color", "material", "size", "shape")
"""Kinds that any thing may be asked for."""


def spoken(relation: str) -> str:
    """Return a relation as GQA's answers say it.

    Example:
        >>> spoken("to the left of"), spoken("behind")
        ('left', 'behind')
    """
    found = _SIDE.fullmatch(relation)
    return found[1] if found else relation


def is_near(one: str, other: str) -> bool:
    """Return whether two values may both be said of one thing, as "dark blue" and "blue".

    Example:
        >>> is_near("dark blue", "blue"), is_near("red", "blue")
        (True, False)
    """
    return one == other or one.endswith(f" {other}") or other.endswith(f" {one}")


@dataclass(frozen=True)
class Surroundings:
    """What is known of one image.

    Attributes:
        interpreter: Answers programs on its scene graph; has the tables of words.
        makes: Whether questions are made, so that its scene graph offers words, too, not only its questions.
        scene: Its scene graph, None for none.
        asked: The programs of its questions.
        closed: Kinds of which a thing has one of two values and never none, by the user's word.
    """

    interpreter: GqaInterpreter
    makes: bool = True
    scene: SceneGraph | None = None
    asked: tuple[Node, ...] = ()
    closed: frozenset[str] = frozenset()
    _texts: dict[Node, str] = field(default_factory=dict, repr=False, compare=False)
    _things: dict[Description, _Things | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def words(self) -> Vocabulary:
        """Tables of kinds, classes and relations."""
        return self.interpreter.words

    # What is known

    def text(self, node: Node) -> str:
        """Return the canonical program on one line."""
        if node not in self._texts:
            self._texts[node] = canonical_text(node, self.words)
        return self._texts[node]

    def objects(self, thing: Description) -> tuple[int, ...] | None:
        """Return the places of the objects that a description holds for, None where that cannot be told."""
        found = self._looked_up(thing)
        return None if found is None or found[1] else found[0]

    def are_several(self, thing: Description) -> bool:
        """Return whether a description surely holds for more than one object, whatever else it may hold for."""
        found = self._looked_up(thing)
        return found is not None and len(found[0]) > 1

    def _looked_up(self, thing: Description) -> _Things | None:
        if self.scene is None:
            return None
        if thing not in self._things:
            # Without what a program says of ids and absence: the scene graph itself is asked.
            found = self.interpreter.things(canonical(thing.node, self.words), self.scene)
            self._things[thing] = None if isinstance(found, Undefined) else found
        return self._things[thing]

    def only(self, thing: Description) -> SceneObject | None:
        """Return the object that a description holds for, where it is known to be the only one."""
        places = self.objects(thing)
        return None if self.scene is None or places is None or len(places) != 1 else self.scene.objects[places[0]]

    def answer(self, node: Node) -> str | Undefined:
        """Return what the scene graph answers to a program, whatever ids and absences it names."""
        if self.scene is None:
            return Undefined("there is no scene graph")
        return self.interpreter.answer(canonical(node, self.words), self.scene)

    def attributes(self, thing: Description | None) -> frozenset[str]:
        """Return what the scene graph says of the only such object, of any kind; empty where that is not known."""
        found = None if thing is None else self.only(thing)
        return frozenset() if found is None else frozenset(found.attributes)

    def is_exclusive(self, thing: Description | None, kind: str, value: str) -> bool:
        """Return whether a thing of this value has no other of the kind: by the scene graph, else by the table.

        Args:
            thing: None for the whole image.
            kind: Such as color.
            value: The value that it has.
        """
        values = self.attributes(thing) & self.words.kinds.get(kind, frozenset())
        return values == {value} if values else kind in self.words.exclusive

    def excludes(self, name: str, other: str) -> bool:
        """Return whether nothing that is called by one name is what the other says, by the table of classes."""
        return self.words.is_a(name, other) is False and self.words.is_a(other, name) is False

    # What is offered

    def above(self, name: str) -> tuple[str, ...]:
        """Return the classes above a name that a conclusion may speak of."""
        found = sorted(self.words.above(name))
        return tuple(found) if self.makes else tuple(each for each in found if each in self._names)

    def values(self, kind: str) -> tuple[str, ...]:
        """Return the offered values of a kind."""
        return self._values.get(kind, ())

    def other_names(self, name: str) -> Iterator[str]:
        """Yield names that a thing of this name might have been taken for."""
        if not self.makes:
            yield from self._with(self._name_choices, name)
            return
        classes = self.words.above(name)
        known = (each for each in sorted(self._names) if classes & self.words.above(each) and each not in classes)
        yield from islice(known, MOST_OFFERED)

    def other_relations(self, relation: str) -> Iterator[str]:
        """Yield relations that questions may offer beside one."""
        opposite = self.words.opposites.get(relation)
        if opposite is not None:
            yield opposite
        yield from (each for each in self._with(self._relation_choices, relation) if each != opposite)

    def narrower(self, thing: Description) -> Iterator[Description]:
        """Yield offered descriptions that hold for nothing where this one holds for nothing."""
        for each in self._described:
            if each != thing and brings(each, thing, self.words):
                yield each
        if self.makes:
            yield from islice(self._made_narrower(thing), MOST_OFFERED)

    def partners(self, node: Node) -> Iterator[Node]:
        """Yield yes/no questions that one may be joined to: of the same thing, or whether another thing is there."""
        if node.operation == "exist":
            names = (each for each in sorted(self._names) if Description(each).node != node.inputs[0])
            yield from (Node("exist", (), (Description(each).node,)) for each in islice(names, 2))
        elif node.head == "verify" and node.rest not in ("", "rel") and not node.inputs[0].is_scene:
            thing = described(node.inputs[0])
            said = {node.rest} if thing is None else {node.rest, *(each.partition(" ")[2] for each, _ in thing.filters)}
            kinds = (kind for kind in _PLAIN_KINDS if kind not in said and self.values(kind))
            for kind in islice(kinds, 1):
                yield Node(f"verify {kind}", (self.values(kind)[0],), node.inputs)

    @cached_property
    def joining(self) -> tuple[tuple[Node, tuple[str, ...]], ...]:
        """The image's questions that join others by "and" or "or", with the canonical texts of what they join."""
        joined = (each for each in self.asked if each.operation in ("and", "or"))
        return tuple((each, tuple(self.text(part) for part in each.inputs)) for each in joined)

    @cached_property
    def _steps(self) -> tuple[Node, ...]:
        return tuple(dict.fromkeys(step for node in self.asked for step in node.walk()))

    @cached_property
    def _names(self) -> frozenset[str]:
        said = {step.argument.name for step in self._steps if step.head in ("select", "relate") or step.rest == "rel"}
        said.update(name for names in self._name_choices for name in names)
        if self.makes and self.scene is not None:
            said.update(each.name for each in self.scene.objects)
        return frozenset(each for each in said if each is not None)

    @cached_property
    def _values(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, set[str]] = {}
        for step in self._steps:
            if step.head in ("filter", "verify", "choose") and step.rest not in ("", "rel", "name"):
                said = step.argument
                found.setdefault(step.rest, set()).update(said.choices or ((said.attribute,) if said.attribute else ()))
        if self.makes:
            there = {value for each in self.scene.objects for value in each.attributes} if self.scene else set()
            for kind, values in self.words.kinds.items():
                # The other one of two is always a fair question.
                found.setdefault(kind, set()).update(values if len(values) == 2 else values & there)
        return {kind: tuple(sorted(value.strip() for value in values)) for kind, values in found.items()}

    @cached_property
    def _name_choices(self) -> tuple[tuple[str, ...], ...]:
        return tuple(step.argument.choices for step in self._steps if step.operation == "choose name")

    @cached_property
    def _relation_choices(self) -> tuple[tuple[str, ...], ...]:
        return tuple(step.argument.choices for step in self._steps if step.operation == "choose rel")

    @cached_property
    def _described(self) -> tuple[Description, ...]:
        """What the image's questions ask the existence of."""
        found: dict[Description, None] = {}
        for step in self._steps:
            thing = asked_thing(step)
            if thing is not None:
                found[thing] = None
        return tuple(found)

    def _made_narrower(self, thing: Description) -> Iterator[Description]:
        # One filter and no more: rules are applied again, and what is said of nothing can be said without end.
        kinds = [] if thing.filters else [kind for kind in _PLAIN_KINDS if self.values(kind)]
        for kind in kinds[:2]:
            yield from (
                Description(
                    thing.name, (*thing.filters, (f"filter {kind}", value)), thing.anchor, thing.relation, thing.role,
                    thing.exists,
                )
                for value in self.values(kind)[:2]
            )  # fmt: skip
        below = (each for each in sorted(self._names) if thing.name in self.words.above(each))
        yield from map(thing.named, islice(below, 2))

    @staticmethod
    def _with(choices: Iterable[tuple[str, ...]], chosen: str) -> Iterator[str]:
        others = {other for options in choices if chosen in options for other in options if other != chosen}
        yield from sorted(others)


def asked_thing(node: Node) -> Description | None:
    """Return what an ``exist`` or ``verify rel`` step asks the existence of, None for other steps.

    Example:
        >>> from compsplit.programs.tree import select, verify_relation
        >>> asked_thing(verify_relation(select("man"), "hat", "wearing", "o")).node.arguments
        ('hat', 'wearing', 'o')
    """
    if node.operation == "exist" and len(node.inputs) == 1:
        return described(node.inputs[0])
    if node.operation == "verify rel" and len(node.inputs) == 1 and len(node.arguments) == 3:
        return described(Node("relate", node.arguments, node.inputs, node.exists))
    return None


def references(node: Node) -> frozenset[Description]:
    """Return the things that a question speaks of as "the ...": what it takes for given, not what it asks for.

    Example:
        >>> from compsplit.programs.tree import exist, related, select
        >>> [each.name for each in references(exist(related(select("grass"), "horse", "in", "s")))]
        ['grass']
    """
    found: set[Description] = set()
    for step in node.walk():
        for taken in step.inputs:
            thing = described(taken)
            if thing is not None and step.head != "filter" and step.operation != "exist":
                found.add(thing)
        if step.operation == "choose rel" and len(step.arguments) == 3 and step.arguments[0] != ANYTHING:
            found.add(Description(step.arguments[0]))
    return frozenset(found)

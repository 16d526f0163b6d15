"""Answers of GQA's programs on a scene graph: what the graph says, or why it does not say it.

Source: the operations of Hudson and Manning 2019, arXiv 1902.09506, section 3.3; the authors' own engine is not
published. How the graph is read:

* It is *closed* for objects, for relations and for references: what it does not have is not there, so ``exist`` says
  no, and a thing without the attribute "red" is not meant by "the red thing". Converses and symmetric relations count.
* It is *open* for values: ``verify color: red`` is no only of a thing that has another color; without one the answer is
  undefined. So is every question about a thing that is not there, or is not the only one of its kind.
* ``not(v)`` in a filter is a thing with another value of the kind.
* A word that is neither a name of the scenes nor in the table of classes is unknown, not absent. A thing whose name no
  table has may belong to any class: it makes an answer undefined where the answer depends on it.
* The anchor of a relation may be several things; any of them will do. Everything else asks for exactly one.
* Where a step says which objects it means (by their ids in the file), these are taken.

Never a guess: an answer is text, or Undefined with its reason. Cost: O(steps x objects and relations of the scene).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from compsplit.model.report import Undefined
from compsplit.programs.scene import SceneGraph, SceneObject
from compsplit.programs.tree import Node
from compsplit.programs.vocabulary import POSITIONS, Vocabulary, common_words, relation_answer

_YES, _NO = "yes", "no"
_SAME = "same "
"""How a relation begins that asks for equal values, ``same color``."""
_COMPARED = {
    "older": ("age", "old", "young"),
    "younger": ("age", "young", "old"),
    "newer": ("age", "new", "old"),
    "larger": ("size", "large", "small"),
    "bigger": ("size", "large", "small"),
    "smaller": ("size", "small", "large"),
    "taller": ("height", "tall", "short"),
    "shorter": ("height", "short", "tall"),
    "longer": ("length", "long", "short"),
    "wider": ("width", "wide", "narrow"),
    "thicker": ("thickness", "thick", "thin"),
    "thinner": ("thickness", "thin", "thick"),
    "cleaner": ("cleanliness", "clean", "dirty"),
    "darker": ("tone", "dark", "light"),
    "lighter": ("tone", "light", "dark"),
    "heavier": ("weight", "heavy", "light"),
}
"""What is compared -> kind, the value that one thing has, the value that the other has."""
_COMMON = ("color", "material", "shape", "size", "pattern")
"""Kinds that ``common`` looks at."""


@dataclass(frozen=True, slots=True)
class _Things:
    """The objects that a step gives.

    Attributes:
        sure: Their places, ascending.
        perhaps: Places of objects whose names no table has, so that they may belong to them; ascending.
    """

    sure: tuple[int, ...]
    perhaps: tuple[int, ...] = ()


class _Image:
    """The whole image, as what a step gives."""


_Given: TypeAlias = "_Things | _Image | str"


class _NoAnswer(Exception):
    """Why there is no answer; it never leaves this file."""


@dataclass(frozen=True)
class GqaInterpreter:
    """Answers programs on scenes.

    Attributes:
        words: Tables of kinds, classes and converses.
        names: Names of objects that the scenes know, beside those of the tables: such a thing is absent where it is
            not found, and not unknown.
    """

    words: Vocabulary
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str] = (), words: Vocabulary | None = None) -> GqaInterpreter:
        """Return an interpreter of our own tables, or of those given."""
        return cls(words or common_words(), frozenset(names))

    def answer(self, node: Node, scene: SceneGraph) -> str | Undefined:
        """Return the answer of a program on a scene.

        Example:
            >>> from compsplit.programs.scene import scene_graph
            >>> from compsplit.programs.tree import query, related, select
            >>> scene = scene_graph("1", {"a": ("apple", ["red"]), "p": ("plate", [])}, [("a", "on", "p")])
            >>> on_plate = related(select("plate"), None, "on", "s")
            >>> ask = GqaInterpreter.of().answer
            >>> ask(query(on_plate, "name"), scene), ask(query(on_plate, "size"), scene)
            ('apple', Undefined(reason='no size is known of the apple'))
        """
        try:
            given = _Asking(self, scene).give(node)
        except _NoAnswer as reason:
            return Undefined(str(reason))
        return (
            given if isinstance(given, str) else Undefined(f'the last step is "{node.operation}", which is no answer')
        )

    def things(self, node: Node, scene: SceneGraph) -> tuple[tuple[int, ...], tuple[int, ...]] | Undefined:
        """Return the places of the objects that a step gives: those that are surely meant, and those that may be."""
        try:
            given = _Asking(self, scene).give(node)
        except _NoAnswer as reason:
            return Undefined(str(reason))
        return (given.sure, given.perhaps) if isinstance(given, _Things) else Undefined("the step gives no objects")

    @cached_property
    def operations(self) -> Mapping[str, Callable[[_Asking, Node], _Given]]:
        """The operations by their heads."""
        return MappingProxyType(
            {
                "select": _Asking.select,
                "filter": _Asking.filter,
                "relate": _Asking.relate,
                "exist": _Asking.exist,
                "verify": _Asking.verify,
                "query": _Asking.query,
                "choose": _Asking.choose,
                "and": _Asking.join,
                "or": _Asking.join,
                "same": _Asking.same,
                "different": _Asking.same,
                "common": _Asking.common,
            }
        )


class _Asking:
    """One program on one scene; what a step gave is kept, so that it is worked out once."""

    def __init__(self, interpreter: GqaInterpreter, scene: SceneGraph) -> None:
        self.words = interpreter.words
        self.names = interpreter.names
        self.operations = interpreter.operations
        self.scene = scene
        self.known: dict[int, _Given] = {}

    def give(self, node: Node) -> _Given:
        """Return what a step gives."""
        if id(node) not in self.known:
            operation = self.operations.get(node.head)
            if operation is None:
                raise _NoAnswer(f'no operation is called "{node.operation}"')
            self.known[id(node)] = operation(self, node)
        return self.known[id(node)]

    # Objects

    def select(self, node: Node) -> _Given:
        if node.is_scene:
            return _Image()
        return self._meant(node, range(len(self.scene.objects)))

    def relate(self, node: Node) -> _Given:
        anchors = self._things(node)
        said = node.argument
        if said.relation is None:
            raise _NoAnswer("a relate step names no relation")
        sure = self._ends(anchors.sure, said.relation, said.role)
        perhaps = self._ends(anchors.perhaps, said.relation, said.role) - sure
        found = self._meant(node, sorted(sure))
        # The relation to a thing that may not be meant is no more sure than the thing.
        further = self._meant(node, sorted(perhaps))
        return _Things(found.sure, tuple(sorted({*found.perhaps, *further.sure, *further.perhaps})))

    def filter(self, node: Node) -> _Given:
        things = self._things(node)
        value, kind = node.argument.attribute, node.rest
        if value is None:
            raise _NoAnswer("a filter step names no attribute")
        if node.argument.negated:
            kinds = self._kinds(value, kind)
            return self._those(things, lambda thing: self._has_other(thing, value, kinds))
        if kind in POSITIONS and not any(
            self._values(self.scene.objects[k], kind) for k in (*things.sure, *things.perhaps)
        ):
            raise _NoAnswer(f"the graph gives no {kind} of the objects")
        return self._those(things, lambda thing: value in thing.attributes)

    def _meant(self, node: Node, places: Iterable[int]) -> _Things:
        """Return those of the objects that a step names, or that its ids say."""
        there = tuple(places)
        if not node.exists or not there:
            return _Things(())
        if node.ids:
            missing = [each for each in node.ids if each not in self.scene.by_id]
            if missing:
                raise _NoAnswer(f"the scene has no object {missing[0]}")
            meant = {self.scene.by_id[each].place for each in node.ids}
            return _Things(tuple(place for place in there if place in meant))
        name = node.argument.name
        if name is None:
            return _Things(there)
        known = name in self.names or self.words.knows(name)
        if not known and not any(name in each.names for each in self.scene.objects):
            raise _NoAnswer(f'"{name}" is neither a name of the scenes nor a class of the table')
        sure, perhaps = [], []
        for place in there:
            told = [self.words.is_a(each, name) for each in self.scene.objects[place].names]
            if True in told:
                sure.append(place)
            elif None in told:
                perhaps.append(place)
        return _Things(tuple(sure), tuple(perhaps))

    def _those(self, things: _Things, fits: Callable[[SceneObject], bool]) -> _Things:
        objects = self.scene.objects
        sure = tuple(place for place in things.sure if fits(objects[place]))
        return _Things(sure, tuple(place for place in things.perhaps if fits(objects[place])))

    def _ends(self, anchors: Iterable[int], relation: str, role: str | None) -> set[int]:
        """Return the objects in the relation to any of the anchors: its subjects or its objects as the role says."""
        if relation.startswith(_SAME):
            return self._alike(anchors, relation.removeprefix(_SAME))
        if role is None:
            raise _NoAnswer(f'the relation "{relation}" has no direction')
        converse = self.words.converse(relation)
        forth, back = (self.scene.into, self.scene.out) if role == "subject" else (self.scene.out, self.scene.into)
        found = set()
        for anchor in anchors:
            found |= {other for predicate, other in forth[anchor] if predicate == relation}
            if converse is not None:
                found |= {other for predicate, other in back[anchor] if predicate == converse}
        return found

    def _alike(self, anchors: Iterable[int], kind: str) -> set[int]:
        """Return the other objects that share a value of the kind with an anchor."""
        found = set()
        for anchor in anchors:
            values = self._values(self.scene.objects[anchor], kind)
            found |= {
                each.place for each in self.scene.objects if each.place != anchor and values & self._values(each, kind)
            }
        return found

    # Answers

    def exist(self, node: Node) -> _Given:
        given = self._input(node)
        if isinstance(given, str | _Image):
            raise _NoAnswer('"exist" is asked of no objects')
        if given.sure:
            return _YES
        if given.perhaps:
            raise _NoAnswer(self._unsure(given))
        return _NO

    def verify(self, node: Node) -> _Given:
        if node.rest == "rel":
            return self._verify_relation(node)
        value = node.argument.attribute
        if value is None:
            raise _NoAnswer("a verify step names no attribute")
        given = self._input(node)
        told = self._is_called(given, value) if node.rest == "name" else self._has(given, value, node.rest)
        return _YES if told is not node.argument.negated else _NO

    def query(self, node: Node) -> _Given:
        kind = node.argument.property
        if kind is None:
            raise _NoAnswer("a query step names nothing")
        given = self._input(node)
        if kind == "name" and not isinstance(given, _Image):
            return self._name(self._one(given))
        return self._value(given, kind)

    def choose(self, node: Node) -> _Given:
        if len(node.inputs) > 2:
            raise _NoAnswer(f'"{node.operation}" takes {len(node.inputs)} results, two are compared')
        if len(node.inputs) == 2:
            return self._choose_thing(node)
        said = node.argument
        if node.rest == "rel":
            return self._choose_relation(node)
        given = self._input(node)
        if node.rest == "name":
            names = self._one(given).names
            told = [True in [self.words.is_a(name, option) for name in names] for option in said.choices]
        else:
            told = [self._has(given, option, node.rest, among=said.choices) for option in said.choices]
        return self._only(said.choices, told)

    def join(self, node: Node) -> _Given:
        if not node.inputs:
            raise _NoAnswer(f'"{node.operation}" joins nothing')
        told = []
        for each in node.inputs:
            given = self.give(each)
            if given not in (_YES, _NO):
                raise _NoAnswer(f'"{node.operation}" joins what is neither yes nor no')
            told.append(given == _YES)
        return _YES if (all(told) if node.head == "and" else any(told)) else _NO

    def same(self, node: Node) -> _Given:
        kind = node.rest or (node.arguments[0] if node.arguments else "")
        if not kind:
            raise _NoAnswer(f'"{node.operation}" names no kind')
        things = self._compared(node)
        values = [frozenset(each.names) if kind == "type" else self._values(each, kind) for each in things]
        for thing, found in zip(things, values, strict=True):
            if not found:
                raise _NoAnswer(f"no {kind} is known of the {thing.name}")
        shared = bool(frozenset.intersection(*values))
        if not shared and kind == "type":
            self._surely_other(things)
        return _YES if shared is (node.head == "same") else _NO

    def common(self, node: Node) -> _Given:
        things = self._compared(node)
        kinds = [kind for kind in _COMMON if frozenset.intersection(*(self._values(each, kind) for each in things))]
        if len(kinds) != 1:
            raise _NoAnswer(f"the things have {'several kinds' if kinds else 'nothing'} in common that the graph knows")
        return kinds[0]

    # Parts of them

    def _input(self, node: Node) -> _Given:
        if not node.inputs:
            raise _NoAnswer(f'"{node.operation}" takes no result')
        return self.give(node.inputs[0])

    def _things(self, node: Node) -> _Things:
        given = self._input(node)
        if not isinstance(given, _Things):
            raise _NoAnswer(f'"{node.operation}" takes what is no object')
        return given

    def _one(self, given: _Given) -> SceneObject:
        """Return the only object that a step gave."""
        if not isinstance(given, _Things):
            raise _NoAnswer("an object is asked for where there is none")
        if not given.sure and not given.perhaps:
            raise _NoAnswer("no object is meant")
        if len(given.sure) > 1:
            raise _NoAnswer("several objects may be meant")
        if given.perhaps:
            raise _NoAnswer(self._unsure(given))
        return self.scene.objects[given.sure[0]]

    def _unsure(self, given: _Things) -> str:
        names = sorted({self.scene.objects[place].name or "" for place in given.perhaps})
        return f'the classes above "{names[0]}" are not known'

    def _name(self, thing: SceneObject) -> str:
        if thing.name is None:
            raise _NoAnswer("the object has no name")
        return thing.name

    def _is_called(self, given: _Given, name: str) -> bool:
        told = [self.words.is_a(each, name) for each in self._one(given).names]
        if None in told and True not in told:
            raise _NoAnswer(f'whether "{self._one(given).name}" is "{name}" is not known')
        return True in told

    def _kinds(self, value: str, kind: str) -> tuple[str, ...]:
        """Return the kinds that a value is said, or known, to be of."""
        kinds = (kind,) if kind in self.words.kinds else self.words.kinds_of(value)
        if not kinds:
            raise _NoAnswer(f'no kind of attribute is known for "{value}"')
        return kinds

    def _values(self, thing: SceneObject, kind: str) -> frozenset[str]:
        """Return the values of a kind that an object has."""
        if kind not in self.words.kinds:
            raise _NoAnswer(f'no values are known of the kind "{kind}"')
        return self.words.kinds[kind].intersection(thing.attributes)

    def _has_other(self, thing: SceneObject, value: str, kinds: Iterable[str]) -> bool:
        return value not in thing.attributes and any(self._values(thing, kind) for kind in kinds)

    def _has(self, given: _Given, value: str, kind: str, among: tuple[str, ...] = ()) -> bool:
        """Return whether the thing, or the image, has a value; undefined where it has none of the kind."""
        if isinstance(given, _Image):
            return self._fact_is(value, kind, among)
        thing = self._one(given)
        if value in thing.attributes:
            return True
        if any(other in thing.attributes for other in among):
            return False
        kinds = self._kinds(value, kind)
        others = sorted({other for each in kinds for other in self._values(thing, each)})
        if not others:
            raise _NoAnswer(f"no {kind or kinds[0]} is known of the {thing.name}")
        for other in others:
            if other.endswith(f" {value}") or value.endswith(f" {other}"):
                raise _NoAnswer(f'whether "{other}" is "{value}" is not known')
        return False

    def _fact_is(self, value: str, kind: str, among: tuple[str, ...]) -> bool:
        """Return whether a value is said of the image; of a kind without a name, whether of any.

        What is said rules out another value only if the kind has one value at a time, or that other one is offered.
        """
        kinds = (kind,) if kind else self.words.kinds_of(value)
        said = {each: fact for each in kinds if (fact := self._fact(each)) is not None}
        if value in said.values():
            return True
        if any(fact in among or each in self.words.exclusive for each, fact in said.items()):
            return False
        raise _NoAnswer(f"the scene does not say whether the {kind or 'image'} is {value}")

    def _fact(self, kind: str) -> str | None:
        """Return what is said of the image; a scene graph's location is "indoors" or "outdoors", a room or a place."""
        location = self.scene.facts.get("location")
        sides = self.words.kinds.get("location", frozenset())
        if kind == "location":
            return location if location in sides else None
        if kind in self.scene.facts or location is None or location in sides:
            return self.scene.facts.get(kind)
        if kind == "room":
            return location if location in self.words.kinds.get("room", ()) else None
        return location if kind == "place" else None

    def _value(self, given: _Given, kind: str) -> str:
        """Return the only value of a kind that the thing, or the image, has."""
        if isinstance(given, _Image):
            fact = self._fact(kind)
            if fact is None:
                raise _NoAnswer(f"the scene says nothing of the {kind}")
            return fact
        thing = self._one(given)
        values = sorted(self._values(thing, kind))
        if len(values) != 1:
            raise _NoAnswer(f"{'more than one' if values else 'no'} {kind} is known of the {thing.name}")
        return values[0]

    def _verify_relation(self, node: Node) -> str:
        relation = node.argument.relation
        if relation is None:
            raise _NoAnswer("a verify step names no relation")
        anchor = self._one(self._input(node))
        found = self._targets(node, anchor, relation)
        if found.sure:
            return _YES
        if found.perhaps:
            raise _NoAnswer(self._unsure(found))
        return _NO

    def _choose_relation(self, node: Node) -> str:
        anchor = self._one(self._input(node))
        told = []
        for relation in node.argument.choices:
            found = self._targets(node, anchor, relation)
            if found.perhaps and not found.sure:
                raise _NoAnswer(self._unsure(found))
            told.append(bool(found.sure))
        return relation_answer(self._only(node.argument.choices, told))

    def _targets(self, node: Node, anchor: SceneObject, relation: str) -> _Things:
        """Return the things of the step's name that the anchor has the relation to."""
        return self._meant(node, sorted(self._ends((anchor.place,), relation, node.argument.role)))

    def _choose_thing(self, node: Node) -> str:
        """Return the name of that of two things which is the older one, the taller one ..."""
        compared = _COMPARED.get(node.rest)
        if compared is None:
            raise _NoAnswer(f'what "{node.rest}" compares is not known')
        _, more, less = compared
        things = self._compared(node)
        chosen = [a for a, b in (things, things[::-1]) if more in a.attributes and less in b.attributes]
        if len(chosen) != 1:
            raise _NoAnswer(f"the graph does not say which is {node.rest}")
        return self._name(chosen[0])

    def _compared(self, node: Node) -> tuple[SceneObject, ...]:
        """Return the things that a step compares: one of each input, or all of its only one."""
        if len(node.inputs) > 1:
            return tuple([self._one(self.give(each)) for each in node.inputs])
        given = self._things(node)
        if given.perhaps:
            raise _NoAnswer(self._unsure(given))
        if len(given.sure) < 2:
            raise _NoAnswer("fewer than two objects are compared")
        return tuple(self.scene.objects[place] for place in given.sure)

    def _surely_other(self, things: tuple[SceneObject, ...]) -> None:
        """Raise where names differ, but one may be a class above the other."""
        for one in things:
            for other in things:
                if one is not other and self.words.is_a(str(one.name), str(other.name)) is not False:
                    raise _NoAnswer(f'whether "{one.name}" is "{other.name}" is not known')

    def _only(self, options: tuple[str, ...], told: list[bool]) -> str:
        chosen = [option for option, true in zip(options, told, strict=True) if true]
        if len(chosen) != 1:
            raise _NoAnswer(f"{'several' if chosen else 'none'} of the options {'are' if chosen else 'is'} right")
        return chosen[0]

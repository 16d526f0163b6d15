"""Answers of CLEVR's programs on a scene.

Source: Johnson et al. 2017, arXiv 1612.06890, appendix A and ``metadata.json`` of its generator: every function of it
that is not for templates alone. A scene is complete, so the answer is always defined for programs of the generator; for
others the reason is said. ``relate[left]`` are the objects that are left of the anchor; ``same_...`` the other objects
of equal value. Cost: O(steps x objects and relations of the scene).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from compsplit.model.report import Undefined
from compsplit.programs.scene import SceneGraph, SceneObject
from compsplit.programs.tree import Node

_VALUES = {
    "shape": frozenset(("cube", "sphere", "cylinder")),
    "color": frozenset(("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")),
    "size": frozenset(("small", "large")),
    "material": frozenset(("rubber", "metal")),
}


class _One(int):
    """The place of one object, which ``unique`` gives."""


_Given: TypeAlias = "frozenset[int] | _One | int | bool | str"


class _NoAnswer(Exception):
    """Why there is no answer; it never leaves this file."""


def clevr_answer(node: Node, scene: SceneGraph) -> str | Undefined:
    """Return the answer of a program on a scene: yes, no, a number or a value, as text.

    Example:
        >>> from compsplit.programs.scene import scene_graph
        >>> cubes = Node("filter_shape", ("cube",), (Node("scene"),))
        >>> clevr_answer(Node("count", (), (cubes,)), scene_graph("1", {"0": ("cube", ["red", "small", "metal"])}))
        '1'
    """
    try:
        given = _Asking(scene).give(node)
    except _NoAnswer as reason:
        return Undefined(str(reason))
    if isinstance(given, bool):
        return "yes" if given else "no"
    if isinstance(given, frozenset | _One):
        return Undefined(f'the last step is "{node.operation}", which is no answer')
    return str(given)


class _Asking:
    """One program on one scene; what a step gave is kept, so that it is worked out once."""

    def __init__(self, scene: SceneGraph) -> None:
        self.scene = scene
        self.known: dict[int, _Given] = {}

    def give(self, node: Node) -> _Given:
        """Return what a step gives."""
        if id(node) not in self.known:
            self.known[id(node)] = self._worked_out(node)
        return self.known[id(node)]

    def _worked_out(self, node: Node) -> _Given:
        head, kind = node.head, node.rest
        if kind and head == "filter":
            value = self._told(node, kind)
            return frozenset(place for place in self._set(node) if self._value(self._at(place), kind) == value)
        if kind and head == "query":
            return self._value(self._at(self._one(node)), kind)
        if kind and head == "same":
            me = self._one(node)
            mine = self._value(self._at(me), kind)
            return frozenset(
                k for k, each in enumerate(self.scene.objects) if k != me and self._value(each, kind) == mine
            )
        if kind == "integer" or node.operation in ("less_than", "greater_than"):
            return self._compared(node)
        if head == "equal" and (kind in _VALUES or kind == "object"):
            left, right = self._two(node)
            if (
                isinstance(left, frozenset)
                or isinstance(right, frozenset)
                or (isinstance(left, _One) and isinstance(right, _One)) is not (kind == "object")
            ):
                raise _NoAnswer(f'"{node.operation}" compares what it cannot')
            return left == right
        plain = _PLAIN.get(node.operation)
        if plain is None:
            raise _NoAnswer(f'no function is called "{node.operation}"')
        return plain(self, node)

    def whole(self, node: Node) -> _Given:
        return frozenset(range(len(self.scene.objects)))

    def unique(self, node: Node) -> _Given:
        found = self._set(node)
        if len(found) != 1:
            raise _NoAnswer(f'"unique" is asked of {len(found) or "no"} object{"s" if len(found) > 1 else ""}')
        return _One(next(iter(found)))

    def relate(self, node: Node) -> _Given:
        anchor = self._one(node)
        side = node.arguments[0] if node.arguments else ""
        return frozenset(other for predicate, other in self.scene.into[anchor] if predicate == side)

    def join(self, node: Node) -> _Given:
        left, right = self._two(node)
        if not isinstance(left, frozenset) or not isinstance(right, frozenset):
            raise _NoAnswer(f'"{node.operation}" joins what are no objects')
        return left & right if node.operation == "intersect" else left | right

    def count(self, node: Node) -> _Given:
        return len(self._set(node))

    def exist(self, node: Node) -> _Given:
        return bool(self._set(node))

    def _compared(self, node: Node) -> bool:
        left, right = self._two(node)
        if type(left) is not int or type(right) is not int:
            raise _NoAnswer(f'"{node.operation}" compares what are no numbers')
        if node.operation == "less_than":
            return left < right
        return left > right if node.operation == "greater_than" else left == right

    def _at(self, place: int) -> SceneObject:
        return self.scene.objects[place]

    def _value(self, thing: SceneObject, kind: str) -> str:
        """Return an object's value of a kind; a class may be of several members, "red cube"."""
        if kind not in _VALUES:
            raise _NoAnswer(f'objects have no "{kind}"')
        known = {*thing.attributes, *(word for name in thing.names for word in name.split())}
        found = sorted(_VALUES[kind] & known)
        if len(found) != 1:
            raise _NoAnswer(f"an object has {len(found) or 'no'} known {kind}{'s' if len(found) > 1 else ''}")
        return found[0]

    def _told(self, node: Node, kind: str) -> str:
        if len(node.arguments) != 1:
            raise _NoAnswer(f'"{node.operation}" is told {len(node.arguments) or "no"} values, not one')
        value = node.arguments[0]
        if value not in _VALUES.get(kind, ()):
            raise _NoAnswer(f'"{value}" is no {kind} of CLEVR')
        return value

    def _set(self, node: Node) -> frozenset[int]:
        given = self.give(node.inputs[0]) if len(node.inputs) == 1 else None
        if not isinstance(given, frozenset):
            raise _NoAnswer(f'"{node.operation}" takes what are no objects')
        return given

    def _one(self, node: Node) -> int:
        given = self.give(node.inputs[0]) if len(node.inputs) == 1 else None
        if not isinstance(given, _One):
            raise _NoAnswer(f'"{node.operation}" takes what is no single object')
        return int(given)

    def _two(self, node: Node) -> tuple[_Given, _Given]:
        if len(node.inputs) != 2:
            raise _NoAnswer(f'"{node.operation}" takes two results')
        return self.give(node.inputs[0]), self.give(node.inputs[1])


_PLAIN: dict[str, Callable[[_Asking, Node], _Given]] = {
    "scene": _Asking.whole,
    "unique": _Asking.unique,
    "relate": _Asking.relate,
    "intersect": _Asking.join,
    "union": _Asking.join,
    "count": _Asking.count,
    "exist": _Asking.exist,
}
"""The functions that have no kind."""

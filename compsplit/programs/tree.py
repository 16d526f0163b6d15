"""Programs as trees: a step with the steps whose results it takes, for GQA's and CLEVR's dialects alike.

A program (``model.program``) is a list of steps that name each other by place; rules and interpreters look at a step
together with what it stands on. GQA writes operations with a space (``filter color``), CLEVR with an underscore
(``filter_color``); head and rest tell them apart in the same way. A step that two others take is one node that stands
twice in the tree, and one step again on the way back. Cost: O(steps of the tree), which are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from compsplit.model.program import Argument, Program, Step, gqa_argument
from compsplit.model.report import Undefined

MOST_STEPS = 128
"""Steps of a tree at most: a program that takes one result again and again would grow without bounds, and a long one
would be too deep to walk. Those of GQA and CLEVR have some 25 at most."""

SCENE = "scene"
CLEVR_HEADS = ("filter", "query", "same", "equal")
"""Heads of CLEVR's operations that have an attribute as their rest."""


@dataclass(frozen=True, slots=True)
class Node:
    """A step with all that it takes.

    Attributes:
        operation: As written, ``"filter color"`` or ``"filter_color"``.
        arguments: What it is told, as ``model.program.Step`` has it: no ids, split at commas.
        inputs: The nodes whose results it takes.
        exists: False where the thing named is not in the image.
        ids: The objects of the scene that the step means, where they are known; no part of the program.
    """

    operation: str
    arguments: tuple[str, ...] = ()
    inputs: tuple[Node, ...] = ()
    exists: bool = True
    ids: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The first word of the operation.

        Example:
            >>> Node("filter color", ("red",)).head, Node("equal_integer").head, Node("same_size").rest
            ('filter', 'equal', 'size')
        """
        return _parts(self.operation)[0]

    @property
    def rest(self) -> str:
        """What follows the first word of the operation, "" for nothing."""
        return _parts(self.operation)[1]

    @property
    def argument(self) -> Argument:
        """What a GQA step is told, by role: name, relation, attribute, choices ...; without ids."""
        return _argument(self.operation, self.arguments)

    @property
    def is_scene(self) -> bool:
        """Whether it is the whole image: ``select: scene`` of GQA, ``scene`` of CLEVR."""
        return self.operation == SCENE or (self.operation == "select" and self.arguments == (SCENE,))

    @property
    def feeder(self) -> Node | None:
        """The step that gives its objects: its first input, every filter skipped; None for a step without inputs."""
        node = self
        while node.inputs:
            node = node.inputs[0]
            if node.head != "filter":
                return node
        return None

    @property
    def root(self) -> Node:
        """The first step on the path of first inputs."""
        node = self
        while node.inputs:
            node = node.inputs[0]
        return node

    def walk(self) -> Iterator[Node]:
        """Yield every node, inputs first; one that two others take comes twice."""
        for node in self.inputs:
            yield from node.walk()
        yield self


def tree_of(program: Program, ids: Sequence[Sequence[str]] | None = None) -> Node | Undefined:
    """Return the last step of a program with all that it stands on.

    Args:
        program: Steps that the last one does not stand on, directly or not, are left out.
        ids: The objects that each step means, one entry a step.

    Returns:
        Undefined for a program without a step, and for one that is no program of ``MOST_STEPS`` steps as a tree.

    Example:
        >>> tree_of(Program((Step("select", ("car",)), Step("exist", (), (0,))))).feeder.argument.name
        'car'
    """
    if not program.steps:
        return Undefined("the program has no step")
    sizes: list[int] = []
    made: list[Node] = []
    for i, step in enumerate(program.steps):
        sizes.append(1 + sum(sizes[k] for k in step.inputs))
        if sizes[i] > MOST_STEPS:
            return Undefined(f"the program has more than {MOST_STEPS} steps as a tree")
        inputs = tuple(made[k] for k in step.inputs)
        made.append(Node(step.operation, step.arguments, inputs, step.exists, tuple(ids[i]) if ids else ()))
    return made[-1]


def program_of(node: Node) -> Program:
    """Return the program of a tree: a node that stands in it twice is one step, inputs before what takes them.

    ``program_of(tree_of(program))`` is the program, if every step is used and stands right after its inputs. Ids are
    no part of it.
    """
    steps: list[Step] = []
    place: dict[int, int] = {}

    def put(each: Node) -> int:
        if id(each) not in place:
            inputs = tuple([put(taken) for taken in each.inputs])
            place[id(each)] = len(steps)
            steps.append(Step(each.operation, each.arguments, inputs, each.exists))
        return place[id(each)]

    put(node)
    return Program(tuple(steps))


def shared(node: Node) -> Node:
    """Return an equal tree in which equal nodes are one, so that its program has each step once."""
    known: dict[Node, Node] = {}

    def one(each: Node) -> Node:
        made = Node(each.operation, each.arguments, tuple([one(i) for i in each.inputs]), each.exists, each.ids)
        return known.setdefault(made, made)

    return one(node)


def select(name: str, *, exists: bool = True) -> Node:
    """Return the node of all things of a name; ``"scene"`` is the image, ``"_"`` anything."""
    return Node("select", (name,), exists=exists)


def filtered(node: Node, value: str, kind: str = "", *, negated: bool = False) -> Node:
    """Return the node of those of its things that have the value (or have it not), of a kind such as color."""
    return Node(f"filter {kind}".strip(), (f"not({value})" if negated else value,), (node,))


def related(node: Node, name: str | None, relation: str, role: str, *, exists: bool = True) -> Node:
    """Return the node of the things of a name in the relation to its things.

    Args:
        node: The anchor.
        name: Of the things; None is anything.
        relation: Such as ``"on"`` or ``"same color"``.
        role: ``"s"``: thing - relation - anchor; ``"o"``: anchor - relation - thing; ``"_"``: neither.
        exists: False where no such thing is in the image.
    """
    return Node("relate", (name or "_", relation, role), (node,), exists)


def exist(node: Node) -> Node:
    """Return the node that asks whether it has a thing."""
    return Node("exist", (), (node,))


def verify(node: Node, value: str, kind: str = "") -> Node:
    """Return the node that asks whether its thing has the value."""
    return Node(f"verify {kind}".strip(), (value,), (node,))


def verify_relation(node: Node, name: str, relation: str, role: str, *, exists: bool = True) -> Node:
    """Return the node that asks whether its thing is in the relation to one of the name; roles as in ``related``."""
    return Node("verify rel", (name, relation, role), (node,), exists)


def query(node: Node, kind: str) -> Node:
    """Return the node that asks for the value of a kind, or for the name."""
    return Node("query", (kind,), (node,))


def choose(node: Node, options: Sequence[str], kind: str = "") -> Node:
    """Return the node that asks which of the options is its thing's value, or name for the kind ``"name"``."""
    return Node(f"choose {kind}".strip(), ("|".join(options),), (node,))


def choose_relation(node: Node, name: str, options: Sequence[str], role: str) -> Node:
    """Return the node that asks in which of the relations its thing is to one of the name."""
    return Node("choose rel", (name, "|".join(options), role), (node,))


def both(left: Node, right: Node) -> Node:
    """Return the node that joins two yes/no questions by "and"."""
    return Node("and", (), (left, right))


def either(left: Node, right: Node) -> Node:
    """Return the node that joins two yes/no questions by "or"."""
    return Node("or", (), (left, right))


@lru_cache(maxsize=1 << 12)
def _parts(operation: str) -> tuple[str, str]:
    head, space, rest = operation.partition(" ")
    if space:
        return head, rest.strip()
    head, underscore, rest = operation.partition("_")
    return (head, rest) if underscore and head in CLEVR_HEADS else (operation, "")


@lru_cache(maxsize=1 << 16)
def _argument(operation: str, arguments: tuple[str, ...]) -> Argument:
    return gqa_argument(operation, ",".join(arguments))


def is_clevr(node: Node) -> bool:
    """Return whether a program is in CLEVR's dialect: all its paths begin with ``scene``."""
    return node.root.operation == SCENE


def replaced(node: Node, changes: Mapping[int, Node]) -> Node:
    """Return the tree in which nodes (by identity) are replaced by others."""
    if id(node) in changes:
        return changes[id(node)]
    inputs = tuple([replaced(each, changes) for each in node.inputs])
    same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
    return node if same else Node(node.operation, node.arguments, inputs, node.exists, node.ids)

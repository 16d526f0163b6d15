"""Descriptions of things in programs: a name, what it must and must not be, and what it is related to.

Every GQA question speaks of things by such a description: "the red apple that is left of the white plate" is the name
apple, the filter red, and the relation to another description. Read as a set it is monotone: with less said of any of
its things it describes the same things or more. The rules of entailment rest on that. Cost: O(steps).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from compsplit.programs.tree import Node, related, select
from compsplit.programs.vocabulary import Vocabulary

ANYTHING = "_"
FLIPPED = {"s": "o", "o": "s", "_": "_"}
"""The role of the other thing of a relation."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a program says of the things of one step.

    Attributes:
        name: What they are called; ``"_"`` for anything.
        filters: (operation, value) of each filter, as the program has them.
        anchor: The thing that they are related to, None for none.
        relation: The relation to it.
        role: ``"s"``: they - relation - anchor; ``"o"``: anchor - relation - they; ``"_"``: neither.
        exists: False where the program says that the image has no such thing.
    """

    name: str
    filters: tuple[tuple[str, str], ...] = ()
    anchor: Description | None = None
    relation: str = ""
    role: str = ""
    exists: bool = True

    @property
    def node(self) -> Node:
        """The step of a program that gives these things."""
        if self.anchor is None:
            node = select(self.name, exists=self.exists)
        else:
            node = related(self.anchor.node, self.name, self.relation, self.role, exists=self.exists)
        for operation, value in self.filters:
            node = Node(operation, (value,), (node,))
        return node

    @property
    def alone(self) -> Description:
        """The same without the relation."""
        return replace(self, anchor=None, relation="", role="")

    def named(self, name: str) -> Description:
        """Return the same with another name."""
        return replace(self, name=name)


def described(node: Node) -> Description | None:
    """Return the description that a step gives things by; None where it is another kind of step, or the whole image.

    Example:
        >>> from compsplit.programs.tree import filtered, related, select
        >>> found = described(filtered(related(select("plate"), "apple", "on", "s"), "red", "color"))
        >>> found.name, found.filters, found.anchor.name
        ('apple', (('filter color', 'red'),), 'plate')
    """
    filters: list[tuple[str, str]] = []
    while node.head == "filter" and len(node.inputs) == 1 and len(node.arguments) == 1:
        filters.append((node.operation, node.arguments[0]))
        node = node.inputs[0]
    # Said twice it is said once, or leaving it out would leave it there.
    said = tuple(dict.fromkeys(reversed(filters)))
    if node.operation == "select" and not node.inputs and len(node.arguments) == 1 and not node.is_scene:
        return Description(node.arguments[0], said, exists=node.exists)
    if node.operation == "relate" and len(node.inputs) == 1 and len(node.arguments) == 3:
        anchor = described(node.inputs[0])
        name, relation, role = node.arguments
        if anchor is not None and role in FLIPPED:
            return Description(name, said, anchor, relation, role, node.exists)
    return None


def swapped(thing: Description) -> Description | None:
    """Return the description of the anchor by its relation to the thing, which it is the other end of.

    None where the thing is anything, or where its anchor is itself known by a relation: a program has no step for
    things that stand in two.

    Example:
        >>> from compsplit.programs.tree import related, select
        >>> swapped(described(related(select("plate"), "apple", "on", "s"))).node.arguments
        ('plate', 'on', 'o')
    """
    if thing.anchor is None or thing.name == ANYTHING or thing.anchor.anchor is not None:
        return None
    return replace(thing.anchor, anchor=thing.alone, relation=thing.relation, role=FLIPPED[thing.role])


def widened(thing: Description, above: Callable[[str], Iterable[str]]) -> Iterator[Description]:
    """Yield the descriptions that say one thing less, and so hold for no fewer things.

    A filter is left out, a class above stands for a name, or the relation is left out: of the thing or of its anchor.

    Args:
        thing: What is described.
        above: The classes above a name, in an order that is always the same.
    """
    for i in range(len(thing.filters)):
        yield replace(thing, filters=(*thing.filters[:i], *thing.filters[i + 1 :]))
    for name in above(thing.name):
        yield thing.named(name)
    if thing.anchor is not None:
        if thing.name != ANYTHING:
            yield thing.alone
        for anchor in widened(thing.anchor, above):
            yield replace(thing, anchor=anchor)


def narrower(one: Description, other: Description, words: Vocabulary) -> bool:
    """Return whether whatever is the one is the other too, by their words alone.

    Example:
        >>> from compsplit.programs.tree import filtered, select
        >>> from compsplit.programs.vocabulary import common_words
        >>> red_apple, fruit = described(filtered(select("apple"), "red", "color")), Description("fruit")
        >>> narrower(red_apple, fruit, common_words()), narrower(fruit, red_apple, common_words())
        (True, False)
    """
    if not set(one.filters) >= set(other.filters):
        return False
    if other.name not in (one.name, ANYTHING) and other.name not in words.above(one.name):
        return False
    if other.anchor is None:
        return True
    if one.anchor is None or not _same_relation(one, other, words):
        return False
    return narrower(one.anchor, other.anchor, words)


def brings(one: Description, other: Description, words: Vocabulary) -> bool:
    """Return whether there is another wherever there is one: the one, or a thing that it is related to, is such."""
    return narrower(one, other, words) or (one.anchor is not None and brings(one.anchor, other, words))


def _same_relation(one: Description, other: Description, words: Vocabulary) -> bool:
    if (one.relation, one.role) == (other.relation, other.role):
        return True
    return words.converse(one.relation) == other.relation and FLIPPED[one.role] == other.role

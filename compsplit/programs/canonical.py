"""One form for all programs that ask the same: the ground for saying that two questions are equivalent.

Ids of objects, and what they say of the image, are dropped; ``not`` stands inside the filter; successive filters of one
object are sorted and said once; what may change places is sorted: operands of and, or, same, different, common, the two
things or the options of choose (and of CLEVR: union, intersect, equal). A relation with a converse is written in the
smaller of its two directions by text; not so the options of ``choose rel``, unless each is its own converse: the answer
is one of them, and seen from the other side it is another. ``filter`` with ``exist`` and ``verify`` stay apart: they
presuppose different things. Two questions are equivalent if image and canonical program agree. Cost: O(steps x log
steps) a program.
"""

from __future__ import annotations

import re
from dataclasses import replace

from compsplit.model.program import written_steps
from compsplit.programs.tree import Node
from compsplit.programs.vocabulary import Vocabulary, common_words

_UNORDERED = ("and", "or", "same", "different", "common", "choose", "union", "intersect", "equal")
_NOT = re.compile(r"^\s*not\(\s*(?P<value>.*?)\s*\)\s*$", re.DOTALL)
_FLIPPED = {"s": "o", "o": "s"}


def canonical(node: Node, words: Vocabulary | None = None) -> Node:
    """Return the canonical form of a program; that of a canonical form is itself.

    Args:
        node: The program.
        words: Has the converses of relations; by default our own tables.

    Example:
        >>> from compsplit.programs.tree import related, select
        >>> canonical(related(select("tree"), "dog", "in front of", "s")).arguments
        ('dog', 'behind', 'o')
    """
    words = words or common_words()
    inputs = tuple([canonical(each, words) for each in node.inputs])
    operation, arguments = " ".join(node.operation.split()), node.arguments
    head, rest = node.head, node.rest
    if head == "filter" and rest.startswith("not "):
        operation, arguments = f"filter {rest[4:]}", tuple(f"not({value})" for value in arguments)
        rest = rest[4:]
    if head in ("filter", "verify") and rest != "rel":
        arguments = tuple(map(_plain_not, arguments))
    elif head == "relate" or rest == "rel":
        arguments = _smaller_direction(arguments, words)
    elif head == "choose":
        arguments = tuple("|".join(sorted(each.split("|"))) for each in arguments)
    if head in _UNORDERED and len(inputs) > 1:
        inputs = tuple(sorted(inputs, key=_text))
    made = Node(operation, arguments, inputs)
    return _sorted_filters(made) if head == "filter" and len(inputs) == 1 else made


def canonical_text(node: Node, words: Vocabulary | None = None) -> str:
    """Return the canonical form on one line, each step once; equal texts are equivalent programs.

    Example:
        >>> from compsplit.programs.tree import either, exist, select
        >>> dogs, cats = exist(select("dog")), exist(select("cat"))
        >>> canonical_text(either(dogs, cats)) == canonical_text(either(cats, dogs))
        True
    """
    return _text(canonical(node, words))


def _text(node: Node) -> str:
    """Return a tree as ``model.program.Program`` writes it, equal nodes as one step."""
    place: dict[tuple[str, tuple[str, ...], tuple[int, ...]], int] = {}

    def put(each: Node) -> int:
        key = (each.operation, each.arguments, tuple([put(taken) for taken in each.inputs]))
        return place.setdefault(key, len(place))

    put(node)
    return written_steps([(*step, True) for step in place])


def _plain_not(value: str) -> str:
    """Return a value with at most one ``not`` around it."""
    negated = False
    while found := _NOT.match(value):
        value, negated = found["value"], not negated
    return f"not({value})" if negated else value.strip()


def _smaller_direction(arguments: tuple[str, ...], words: Vocabulary) -> tuple[str, ...]:
    """Return name, relation (or relations to choose from) and direction, in the smaller of both ways to say it."""
    if len(arguments) != 3:
        return arguments
    name, relation, role = arguments
    options = sorted(relation.split("|"))
    ways = [("|".join(options), role)]
    converses = [words.converse(each) for each in options]
    if role in _FLIPPED and (converses == options or (len(options) == 1 and converses[0] is not None)):
        ways.append(("|".join(filter(None, converses)), _FLIPPED[role]))
    return (name, *min(ways))


def _sorted_filters(node: Node) -> Node:
    """Return a chain of filters whose lower part is sorted, sorted as a whole and without repeats."""
    chain: list[Node] = []
    below = node
    while below.head == "filter" and len(below.inputs) == 1:
        chain.append(below)
        below = below.inputs[0]
    for each in sorted({(one.operation, one.arguments): one for one in chain}.items()):
        below = replace(each[1], inputs=(below,))
    return below

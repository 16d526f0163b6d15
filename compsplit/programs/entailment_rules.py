"""Rules of entailment: from a question with its answer to others about the same image.

Source: Hudson and Manning 2019, arXiv 1902.09506, sections 3.3 and 4.4, say that there are such rules between kinds of
programs, and give examples; their table is not published. These are ours, each by its name in ``docs/entailment.md``.
They hold whatever the image shows, but for what they ask ``Surroundings`` to know: that a description is of exactly one
thing, or that a kind has one value a thing. "and: no" and "or: yes" give nothing, and "no" to one value nothing on
another.

How questions are read: ``exist`` asks whether there is such a thing, its anchors being any such thing ("the" is no more
than their name); every other question speaks of the one thing that its description holds for; the thing that ``verify
rel`` names is any such thing, the one that ``choose rel`` names is the only one. Cost: O(offered words) a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from compsplit.programs.descriptions import ANYTHING, FLIPPED, Description, described, narrower, swapped, widened
from compsplit.programs.surroundings import Surroundings, asked_thing, is_near, spoken
from compsplit.programs.tree import (
    Node,
    both,
    choose,
    choose_relation,
    either,
    exist,
    query,
    verify,
    verify_relation,
)

YES, NO = "yes", "no"
NAME, RELATION = "name", "rel"


@dataclass(frozen=True, slots=True)
class Statement:
    """A question with its answer."""

    node: Node
    answer: str


@dataclass(frozen=True)
class Context:
    """What a conclusion may rest on.

    Attributes:
        image: What is known of the image.
        premise: The question that all began with.
        references: What it speaks of as "the ...", as canonical programs.
    """

    image: Surroundings
    premise: Node
    references: frozenset[str]

    def is_definite(self, thing: Description | None) -> bool:
        """Return whether "the ..." may be said: of exactly one object, or, where that is not known, as the premise did.

        None is the whole image.
        """
        if thing is None:
            return True
        if not thing.exists:
            return False
        places = self.image.objects(thing)
        if places is not None:
            return len(places) == 1
        return not self.image.are_several(thing) and self.image.text(thing.node) in self.references

    def are_two(self, thing: Description) -> bool:
        """Return whether "the ..." may be said of a thing and of the one that it is related to.

        Not where one description holds for the other thing, or for one that this is known by, as of "the pillow left of
        the brown pillow".
        """
        one, other, words = thing.alone, thing.anchor, self.image.words
        link = other
        while link is not None:
            if narrower(one, link, words) or narrower(link, one, words):
                return False
            link = link.anchor
        return other is not None and self.is_definite(one) and self.is_definite(other)


Rule: TypeAlias = Callable[[Statement, Context], Iterator[Statement]]


def a1(said: Statement, context: Context) -> Iterator[Statement]:
    """The value of a kind: it is that value, chosen before others; where things have one value, no other."""
    asked = _attribute(said.node, "query", context)
    if asked is not None and not _is_global(said.node):
        yield Statement(verify(asked.node, said.answer, asked.kind), YES)
        yield from _before_others(asked, said.answer, context)


def a2(said: Statement, context: Context) -> Iterator[Statement]:
    """It has the value: it is chosen before others; where things have one value, it is *the* value and no other is."""
    asked = _attribute(said.node, "verify", context)
    if asked is not None and said.answer == YES and not said.node.argument.negated:
        value = said.node.arguments[0].strip()
        yield from _before_others(asked, value, context)
        if context.image.is_exclusive(asked.thing, asked.kind, value):
            yield Statement(query(asked.node, asked.kind), value)


def a3(said: Statement, context: Context) -> Iterator[Statement]:
    """It lacks the value: it has the other one, only of a kind with two values that the user says is closed."""
    asked = _attribute(said.node, "verify", context)
    if asked is not None and said.answer == NO and asked.kind in context.image.closed:
        value = said.node.arguments[0].strip()
        values = context.image.words.kinds.get(asked.kind, frozenset())
        if len(values) == 2 and value in values:
            (other,) = values - {value}
            yield Statement(verify(asked.node, other, asked.kind), YES)


def a4(said: Statement, context: Context) -> Iterator[Statement]:
    """The value chosen of two: it is that one and not the other; where things have one value, it is *the* value."""
    asked = _attribute(said.node, "choose", context)
    options = said.node.argument.choices if asked is not None else ()
    if asked is None or said.answer not in options:
        return
    exclusive = context.image.is_exclusive(asked.thing, asked.kind, said.answer)
    if exclusive:
        yield Statement(query(asked.node, asked.kind), said.answer)
    yield Statement(verify(asked.node, said.answer, asked.kind), YES)
    # That one option is wrong is the word of who asked; a choice that we derived may be between two that are right.
    if exclusive or said.node == context.premise:
        for other in options:
            if not is_near(other, said.answer) and other not in context.image.attributes(asked.thing):
                yield Statement(verify(asked.node, other, asked.kind), NO)


def a4_of_names(said: Statement, context: Context) -> Iterator[Statement]:
    """The name chosen of two: it is that and not the other; its own name, where that is no class of names."""
    node, image = said.node, context.image
    thing = described(node.inputs[0]) if node.operation == "choose name" and len(node.inputs) == 1 else None
    if thing is None or said.answer not in node.argument.choices or not context.is_definite(thing):
        return
    yield Statement(verify(thing.node, said.answer, NAME), YES)
    for other in node.argument.choices:
        if image.excludes(said.answer, other):
            yield Statement(verify(thing.node, other, NAME), NO)
    found = image.only(thing)
    own = not image.words.is_class(said.answer) if found is None else found.name == said.answer
    if own:
        yield Statement(query(thing.node, NAME), said.answer)


def e1(said: Statement, context: Context) -> Iterator[Statement]:
    """There is such a thing: there is one of which less is said, and there is what it is related to."""
    thing = _existing(said, YES)
    if thing is None:
        return
    for wider in widened(thing, context.image.above):
        yield Statement(exist(wider.node), YES)
    if thing.anchor is not None:
        yield Statement(exist(thing.anchor.node), YES)


def e2(said: Statement, context: Context) -> Iterator[Statement]:
    """There is no such thing: there is none of which more is said."""
    thing = _existing(said, NO)
    if thing is not None:
        for each in context.image.narrower(thing):
            # What is absent stays so, whatever more is said of it.
            absent = not thing.exists and narrower(each, thing, context.image.words)
            yield Statement(exist((replace(each, exists=False) if absent else each).node), NO)


def r1(said: Statement, context: Context) -> Iterator[Statement]:
    """X is r to Y: there are such an X and such a Y, Y is r' to X, r before another relation, and who X and Y are."""
    thing = asked_thing(said.node) if said.answer == YES else None
    if thing is None or thing.anchor is None or not thing.relation:
        return
    for way in _both_ways(thing):
        yield Statement(exist(way.node), YES)
        anchor = way.anchor
        if anchor is None or not context.is_definite(anchor):
            continue
        if not way.filters and way.name != ANYTHING:
            yield Statement(verify_relation(anchor.node, way.name, way.relation, way.role), YES)
            yield from _relation_choices(way, context)
        yield from _who(way, context)


def r2(said: Statement, context: Context) -> Iterator[Statement]:
    """X is not r to Y: Y is not r' to X. X is r to Y: it is not the opposite. Nothing on any other relation."""
    thing = asked_thing(said.node)
    if thing is None or thing.anchor is None or said.answer not in (YES, NO):
        return
    opposite = context.image.words.opposites.get(thing.relation)
    if said.answer == NO:
        yield from _not_related(thing, context)
    elif opposite is not None and context.are_two(thing):
        yield from _not_related(replace(thing, relation=opposite), context)


def r3(said: Statement, context: Context) -> Iterator[Statement]:
    """What is r to Y is called x: there is an x that is r to Y, x before another name, and so when a class is asked."""
    thing = _named(said, context)
    if thing is None or thing.anchor is None:
        return
    yield Statement(exist(thing.named(said.answer).node), YES)
    yield from _named_before_others(thing, said.answer, context)
    words = context.image.words
    for above in context.image.above(said.answer):
        asked = thing.named(above)
        # Without the scene graph the same thing is meant by every narrower class, and by no wider one.
        if context.is_definite(asked) or (
            context.image.objects(asked) is None and (thing.name == ANYTHING or thing.name in words.above(above))
        ):
            yield Statement(query(asked.node, NAME), said.answer)


def r4(said: Statement, context: Context) -> Iterator[Statement]:
    """The relation chosen of two: it is that one, not the other if that is its opposite; and so in other wordings."""
    node = said.node
    if node.operation != "choose rel" or len(node.inputs) != 1 or len(node.arguments) != 3:
        return
    options = node.argument.choices
    chosen = [each for each in options if said.answer in (each, spoken(each))]
    anchor, (name, _, role) = described(node.inputs[0]), node.arguments
    if len(chosen) != 1 or anchor is None or not context.is_definite(anchor) or name == ANYTHING:
        return
    yield Statement(verify_relation(anchor.node, name, chosen[0], role), YES)
    thing = Description(name, (), anchor, chosen[0], role)
    opposite = context.image.words.opposites.get(chosen[0])
    if opposite in options and context.are_two(thing):
        yield Statement(verify_relation(anchor.node, name, opposite, role), NO)
    yield from _other_wordings(thing, [each for each in options if each != chosen[0]], context)


def c1(said: Statement, context: Context) -> Iterator[Statement]:
    """The thing is called x: there is an x, and such a thing; it is an x, and x is chosen before another name."""
    thing = _named(said, context)
    if thing is None:
        return
    if thing.anchor is None:
        yield Statement(exist(Description(said.answer).node), YES)
        yield from _named_before_others(thing, said.answer, context)
    yield Statement(exist(thing.node), YES)
    yield Statement(verify(thing.node, said.answer, NAME), YES)


def l1(said: Statement, context: Context) -> Iterator[Statement]:
    """A and B: both."""
    if said.node.operation == "and" and said.answer == YES:
        for each in said.node.inputs:
            yield Statement(each, YES)


def l2(said: Statement, context: Context) -> Iterator[Statement]:
    """Not A or B: neither."""
    if said.node.operation == "or" and said.answer == NO:
        for each in said.node.inputs:
            yield Statement(each, NO)


def p1(said: Statement, context: Context) -> Iterator[Statement]:
    """They are the same in a kind: they are not different in it. No value follows."""
    node = said.node
    # Of one description it is said of all its things, however many they are; such a question is found, but not made.
    of_one = len(node.inputs) == 1 and not context.image.makes
    if node.head == "same" and said.answer == YES and (of_one or _are_definite(node, context)):
        yield Statement(replace(node, operation=f"different {node.rest}".strip()), NO)


def p2(said: Statement, context: Context) -> Iterator[Statement]:
    """They have a kind in common: they are the same in it."""
    if said.node.operation == "common" and _are_definite(said.node, context):
        yield Statement(Node(f"same {said.answer}", (), said.node.inputs), YES)


def g1(said: Statement, context: Context) -> Iterator[Statement]:
    """The value of a kind of the whole image: as of a thing."""
    asked = _attribute(said.node, "query", context)
    if asked is not None and _is_global(said.node):
        yield Statement(verify(asked.node, said.answer, asked.kind), YES)
        yield from _before_others(asked, said.answer, context)


RULES: tuple[tuple[str, Rule], ...] = (
    ("A1", a1), ("A2", a2), ("A3", a3), ("A4", a4), ("A4", a4_of_names), ("C1", c1), ("E1", e1), ("E2", e2), ("R1", r1),
    ("R2", r2), ("R3", r3), ("R4", r4), ("L1", l1), ("L2", l2), ("P1", p1), ("P2", p2), ("G1", g1),
)  # fmt: skip
"""The rules that conclusions are given to again, by their names."""
NAMES = ("A1", "A2", "A3", "A4", "E1", "E2", "R1", "R2", "R3", "R4", "C1", "L1", "L2", "L3", "P1", "P2", "G1")


def joined(said: Statement, image: Surroundings) -> Iterator[tuple[str, Statement]]:
    """Yield what a yes/no answer says of questions that join it to another, with the rule: A3, E1, E2 or L3.

    A: yes gives "A or B": yes, A: no gives "A and B": no, whatever B is. Nothing follows from such an answer.
    """
    node = said.node
    if said.answer not in (YES, NO) or node.operation in ("and", "or"):
        return
    word, join = ("or", either) if said.answer == YES else ("and", both)
    if node.operation == "exist":
        rule = "E1" if said.answer == YES else "E2"
    else:
        rule = "A3" if said.answer == NO and node.head == "verify" and node.rest != RELATION else "L3"
    if not image.makes:
        text = image.text(node)
        for question, parts in image.joining:
            if question.operation == word and text in parts:
                yield rule, Statement(question, said.answer)
        return
    for partner in image.partners(node):
        yield rule, Statement(join(node, partner), said.answer)


# Parts of the rules


@dataclass(frozen=True, slots=True)
class _Asked:
    """A thing, or the whole image (None), and the kind of attribute that is asked of it."""

    node: Node
    thing: Description | None
    kind: str


def _attribute(node: Node, head: str, context: Context) -> _Asked | None:
    """Return what a question on an attribute of one thing asks; None for others."""
    if node.head != head or len(node.inputs) != 1 or len(node.arguments) != 1:
        return None
    kind = node.arguments[0] if head == "query" else node.rest
    below = node.inputs[0]
    thing = None if below.is_scene else described(below)
    if kind in ("", NAME, RELATION) or (thing is None and not below.is_scene) or not context.is_definite(thing):
        return None
    return _Asked(below, thing, kind)


def _are_definite(node: Node, context: Context) -> bool:
    """Return whether a comparison is of two things that "the ..." may be said of."""
    things = [described(each) for each in node.inputs]
    return len(things) == 2 and all(each is not None and context.is_definite(each) for each in things)


def _is_global(node: Node) -> bool:
    return bool(node.inputs) and node.inputs[0].is_scene


def _before_others(asked: _Asked, value: str, context: Context) -> Iterator[Statement]:
    # What the scene graph says of the thing is not wrong, whatever kind the table has it in.
    held = context.image.attributes(asked.thing)
    others = [w for w in context.image.values(asked.kind) if not is_near(w, value) and w not in held]
    exclusive = context.image.is_exclusive(asked.thing, asked.kind, value)
    for other in others:
        yield Statement(choose(asked.node, (value, other), asked.kind), value)
    if exclusive:
        for other in others:
            yield Statement(verify(asked.node, other, asked.kind), NO)


def _existing(said: Statement, answer: str) -> Description | None:
    if said.node.operation != "exist" or said.answer != answer:
        return None
    return asked_thing(said.node)


def _both_ways(thing: Description) -> Iterator[Description]:
    yield thing
    other = swapped(thing)
    if other is not None:
        yield other


def _relation_choices(way: Description, context: Context) -> Iterator[Statement]:
    """Yield the choices between the relation and another, of two things that are the only ones."""
    anchor, image = way.anchor, context.image
    if anchor is None or not context.are_two(way):
        return
    for said in (way, *_conversely(way, context)):
        for other in image.other_relations(said.relation):
            holds = image.objects(replace(said, relation=other))
            if holds == () or (holds is None and image.words.opposites.get(said.relation) == other):
                options = (said.relation, other)
                yield Statement(choose_relation(anchor.node, said.name, options, said.role), spoken(said.relation))


def _other_wordings(thing: Description, others: Sequence[str], context: Context) -> Iterator[Statement]:
    """Yield a choice of relations as it is asked from the other side, and with the converses of all its options.

    A canonical program keeps the options as they are, since the answer is one of them: each wording is one of its own.
    """
    words = context.image.words
    other = swapped(thing) if context.are_two(thing) else None
    for way in (thing, *(() if other is None else (other,))):
        for said in (way, *_conversely(way, context)):
            changed = said.role != way.role
            rest = [words.converse(each) for each in others] if changed else others
            if said.anchor is not None and None not in rest:
                options = (said.relation, *filter(None, rest))
                yield Statement(choose_relation(said.anchor.node, said.name, options, said.role), spoken(said.relation))


def _conversely(thing: Description, context: Context) -> Iterator[Description]:
    """Yield the description by the converse of its relation, where there is one: of "left of" by "right of"."""
    relation = context.image.words.converse(thing.relation)
    if relation is not None and thing.role in ("s", "o"):
        yield replace(thing, relation=relation, role=FLIPPED[thing.role])


def _who(way: Description, context: Context) -> Iterator[Statement]:
    """Yield the questions for the name of what is so related, where the scene graph has one such thing of that name."""
    image = context.image
    for filters in dict.fromkeys((way.filters, ())):
        for name in (ANYTHING, *image.above(way.name)):
            asked = replace(way, name=name, filters=filters)
            found = image.only(asked)
            if found is not None and found.name == way.name:
                yield Statement(query(asked.node, NAME), way.name)


def _not_related(thing: Description, context: Context) -> Iterator[Statement]:
    for way in _both_ways(thing):
        yield Statement(exist(way.node), NO)
        if way.anchor is not None and not way.filters and way.name != ANYTHING and context.is_definite(way.anchor):
            yield Statement(verify_relation(way.anchor.node, way.name, way.relation, way.role, exists=way.exists), NO)


def _named(said: Statement, context: Context) -> Description | None:
    """Return the thing whose name is asked for."""
    node = said.node
    if node.operation != "query" or node.arguments != (NAME,) or len(node.inputs) != 1:
        return None
    thing = described(node.inputs[0])
    return thing if thing is not None and context.is_definite(thing) else None


def _named_before_others(thing: Description, name: str, context: Context) -> Iterator[Statement]:
    for other in context.image.other_names(name):
        if context.image.excludes(name, other):
            yield Statement(choose(thing.node, (name, other), NAME), name)

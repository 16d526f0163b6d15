"""Questions in English from programs: one plain pattern for each kind of last step.

Made for derived questions that no data set has asked. The patterns are ours, and have no variation: GQA's 524 are not
published. "The" is said of things that are taken for given; in "Is there any ..." only where the caller knows that
there is one. Cost: O(steps) a question.
"""

from __future__ import annotations

from collections.abc import Callable

from compsplit.model.report import Undefined
from compsplit.programs.descriptions import ANYTHING, Description, described
from compsplit.programs.tree import Node

_PLURALS = ("people", "men", "women", "children", "mice", "geese", "teeth", "feet")
_SINGULAR_ENDS = ("ss", "us", "is", "gas", "bus", "lens")
_JOINED_AT_ONCE = ("of", "with")
_DOING = ("pose", "activity", "sportactivity")
_SAME = "same "
_NOT = "not("

Known = Callable[[Description], bool]


def question_text(node: Node, is_known: Known | None = None) -> str | Undefined:
    """Return a question that the program answers.

    Args:
        node: A program of GQA's dialect.
        is_known: Whether "the" may be said of the thing that another one is looked for by; always, if not given.

    Example:
        >>> from compsplit.programs.tree import exist, filtered, query, related, select
        >>> question_text(exist(related(filtered(select("grass"), "tall", "height"), "horse", "in", "s")))
        'Is there any horse that is in the tall grass?'
        >>> question_text(query(related(select("plate"), None, "to the right of", "s"), "name"))
        'What is to the right of the plate?'
    """
    said = _asked(node, is_known or _always)
    return Undefined(f'no pattern has the last step "{node.operation}"') if said is None else f"{said}?"


def _always(_: Description) -> bool:
    return True


def is_plural(name: str) -> bool:
    """Return whether a name is of several things, by its form.

    Example:
        >>> is_plural("trees"), is_plural("glass"), is_plural("fire truck")
        (True, False, False)
    """
    last = name.split(" ")[-1]
    return last in _PLURALS or (last.endswith("s") and not last.endswith(_SINGULAR_ENDS))


def _asked(node: Node, is_known: Known) -> str | None:
    if node.operation in ("and", "or"):
        parts = [_asked(each, is_known) for each in node.inputs]
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            return None
        return f"{parts[0]}, {node.operation} {parts[1][0].lower()}{parts[1][1:]}"
    if len(node.inputs) == 1 and node.inputs[0].is_scene:
        return _of_the_image(node)
    things = [described(each) for each in node.inputs]
    if not things or any(each is None for each in things):
        return None
    known = [each for each in things if each is not None]
    if len(known) == 2:
        return _of_two(node, *known)
    pattern = _PATTERNS.get(node.operation if node.rest == "rel" else node.head)
    return None if pattern is None or len(known) != 1 else pattern(node, known[0], is_known)


# Things


def _phrase(thing: Description, is_known: Known = _always) -> str:
    """Return a thing without an article: "red apple that is on the plate"."""
    before, behind = [], []
    for operation, value in thing.filters:
        kind = operation.partition(" ")[2]
        if value.startswith(_NOT):
            behind.append(f"is not {value.removeprefix(_NOT).removesuffix(')')}")
        elif kind in ("hposition", "vposition") or kind in _DOING:
            behind.append(f"is {_predicate(kind, value)}")
        else:
            before.append(value)
    words = " ".join([*before, "thing" if thing.name == ANYTHING else thing.name])
    if thing.anchor is not None:
        clause = _clause(thing, is_known)
        if thing.relation in _JOINED_AT_ONCE and thing.role == "s":
            words += f" {clause}"
        else:
            behind.append(clause)
    return words + "".join(f" {'that' if i == 0 else 'and that'} {each}" for i, each in enumerate(behind))


def _clause(thing: Description, is_known: Known) -> str:
    """Return what follows "that": "is on the plate", "the man is wearing", or "of the food"."""
    if thing.anchor is None:
        return ""
    anchor = _given(thing.anchor, is_known)
    if thing.relation.startswith(_SAME):
        return f"has the {thing.relation} as {anchor}"
    if thing.role == "o":
        return f"{anchor} {_be(thing.anchor)} {thing.relation}"
    if thing.relation in _JOINED_AT_ONCE:
        return f"{thing.relation} {anchor}"
    return f"{_be(thing)} {thing.relation} {anchor}"


def _the(thing: Description) -> str:
    return f"the {_phrase(thing)}"


def _given(thing: Description, is_known: Known) -> str:
    return f"{'the' if is_known(thing) else 'some'} {_phrase(thing, is_known)}"


def _any(name: str) -> str:
    """Return a name as one that a thing may have."""
    if is_plural(name):
        return name
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _be(thing: Description) -> str:
    return "are" if is_plural(thing.name) else "is"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _predicate(kind: str, value: str) -> str:
    """Return what stands behind "is" to say a value."""
    if kind == "hposition":
        return f"on the {value} side of the picture"
    if kind == "vposition":
        return f"in the {value} part of the picture"
    return f"made of {value}" if kind == "material" else value


# Questions


def _exist(node: Node, thing: Description, is_known: Known) -> str:
    phrase = _phrase(thing, is_known)
    any_such = f"any{phrase}" if phrase.startswith("thing") else f"any {phrase}"
    return f"{_capital(_be(thing))} there {any_such}"


def _verify(node: Node, thing: Description, is_known: Known) -> str | None:
    if len(node.arguments) != 1:
        return None
    value = node.arguments[0]
    negated = "not " if value.startswith(_NOT) else ""
    value = value.removeprefix(_NOT).removesuffix(")") if negated else value
    said = _any(value) if node.rest == "name" else _predicate(node.rest, value)
    return f"{_capital(_be(thing))} {_the(thing)} {negated}{said}"


def _query(node: Node, thing: Description, is_known: Known) -> str | None:
    kind = node.arguments[0] if node.arguments else ""
    if kind == "name":
        return _what(thing)
    if kind == "hposition":
        return f"On which side of the picture {_be(thing)} {_the(thing)}"
    if kind == "vposition":
        return f"In which part of the picture {_be(thing)} {_the(thing)}"
    if kind == "material":
        return f"What {_be(thing)} {_the(thing)} made of"
    if kind in _DOING:
        return f"What {_be(thing)} {_the(thing)} doing"
    return f"What {kind} {_be(thing)} {_the(thing)}" if kind else None


def _what(thing: Description) -> str:
    """Return the question for the name of a thing."""
    if thing.anchor is None:
        return f"What is the name of {_the(thing)}"
    plain = thing.alone
    what = "What" if plain.name == ANYTHING and not plain.filters else f"What {_phrase(plain)}"
    if thing.role == "o":
        return f"{what} {_be(thing.anchor)} {_the(thing.anchor)} {thing.relation}"
    if thing.relation in _JOINED_AT_ONCE:
        return f"{what} is {thing.relation} {_the(thing.anchor)}"
    return f"{what} {_clause(thing, _always)}"


def _choose(node: Node, thing: Description, is_known: Known) -> str | None:
    options = node.argument.choices
    if len(options) != 2:
        return None
    one, other = options
    if node.rest == "hposition":
        said = f"on the {one} or on the {other} side of the picture"
    elif node.rest == "vposition":
        said = f"in the {one} or in the {other} part of the picture"
    elif node.rest == "name":
        said = f"{_any(one)} or {_any(other)}"
    elif node.rest == "material":
        said = f"made of {one} or of {other}"
    else:
        said = f"{one} or {other}"
    return f"{_capital(_be(thing))} {_the(thing)} {said}"


def _verify_relation(node: Node, thing: Description, is_known: Known) -> str | None:
    if len(node.arguments) != 3:
        return None
    name, relation, role = node.arguments
    named = Description(name)
    if relation.startswith(_SAME):
        return f"{'Do' if is_plural(thing.name) else 'Does'} {_the(thing)} have the {relation} as any {name}"
    if role == "s":
        return f"{_capital(_be(named))} any {name} {relation} {_the(thing)}"
    return f"{_capital(_be(thing))} {_the(thing)} {relation} any {name}"


def _choose_relation(node: Node, thing: Description, is_known: Known) -> str | None:
    if len(node.arguments) != 3 or len(node.argument.choices) != 2:
        return None
    named, role = Description(node.arguments[0]), node.arguments[2]
    one, other = (thing, named) if role == "o" else (named, thing)
    return f"{_capital(_be(one))} {_the(one)} {' or '.join(node.argument.choices)} {_the(other)}"


_PATTERNS: dict[str, Callable[[Node, Description, Known], str | None]] = {
    "exist": _exist,
    "verify": _verify,
    "verify rel": _verify_relation,
    "query": _query,
    "choose": _choose,
    "choose rel": _choose_relation,
    "same": lambda node, thing, _: f"Do all of {_the(thing)} have the same {_kind(node)}",
    "different": lambda node, thing, _: f"Do any of {_the(thing)} differ in {_kind(node)}",
}


def _kind(node: Node) -> str:
    return node.rest or " ".join(node.arguments)


def _of_two(node: Node, one: Description, other: Description) -> str | None:
    things = f"{_the(one)} and {_the(other)}"
    if node.head == "same":
        return f"Do {things} have the same {_kind(node)}"
    if node.head == "different":
        return f"Do {things} differ in {_kind(node)}"
    if node.operation == "common":
        return f"What do {things} have in common"
    return f"Which is {node.rest}, {_the(one)} or {_the(other)}" if node.head == "choose" and node.rest else None


def _of_the_image(node: Node) -> str | None:
    said = node.argument
    kind = (said.property or "") if node.head == "query" else node.rest
    subject = "the weather" if kind == "weather" else "it"
    article = kind in ("place", "room")
    if node.head == "verify" and said.attribute:
        negated = "not " if said.negated else ""
        return f"Is {subject} {negated}{_any(said.attribute) if article else said.attribute}"
    if node.head == "choose" and len(said.choices) == 2:
        return f"Is {subject} {' or '.join(map(_any, said.choices) if article else said.choices)}"
    if node.head != "query" or not kind:
        return None
    return {"weather": "How is the weather", "place": "Which place is it", "location": "Is it indoors or outdoors"}.get(
        kind, f"What {kind} is it"
    )

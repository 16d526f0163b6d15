"""Group labels of questions from their programs, for data that have none: after the scheme of GQA's own labels.

Source: labels of GQA's released files, Hudson and Manning 2019, arXiv 1902.09506, section 4.4. A local label is a
family, a dash and the content: ``10q-dish_color``, ``14-candle_on,o``. A thing is called by its own name in the scene
graph, where objects are known by the ids that programs name; without them by the program's word. A global label is the
category of the answer. Labels made here are those of ``RULES``, and never stand where a file's own labels do.

Decided where the scheme is silent: one verified attribute is family 05 with one value; a choice about the scene is 02c;
``or`` of attributes is 05or; ``common`` and a comparison of two are 09common and 09 with the comparison; a choice of
names behind a relation is 14c or 15c. "Names the category" is read as: the relation's step has a name, other than
person. Deviation: GQA's own labels put "What animal ..." into 14 (three of the four records at hand). Cost: O(steps).
"""

from __future__ import annotations

from collections.abc import Callable

from compsplit.model.report import Undefined
from compsplit.programs.tree import Node, is_clevr
from compsplit.programs.types import asks_name, structural_type
from compsplit.programs.vocabulary import POSITIONS, Vocabulary, common_words

RULES = "compsplit-gqa-1"
"""The name of this rule set."""
_PEOPLE = "person"
_NOT_CLEVR = "the scheme is of GQA's programs, not of CLEVR's"


def local_label(node: Node, own_name: Callable[[Node], str | None] | None = None) -> str | Undefined:
    """Return the local label of a question.

    Args:
        node: Its program.
        own_name: Says what the object that a step means is called in the scene graph, None where it is not known.

    Example:
        >>> from compsplit.programs.tree import query, related, select
        >>> local_label(query(related(select("candle"), None, "on", "o"), "name"))
        '14-candle_on,o'
    """
    kind = structural_type(node)
    if isinstance(kind, Undefined):
        return kind
    if is_clevr(node):
        return Undefined(_NOT_CLEVR)
    if not node.inputs:
        return Undefined("the last step takes no result")
    return _FAMILIES[kind](_Names(own_name), node)


def global_label(node: Node, answer: str | None, words: Vocabulary | None = None) -> str | Undefined:
    """Return the global label of a question: the category of its answer.

    Args:
        node: Its program.
        answer: Its answer.
        words: Has the classes above names; by default our own tables.

    Returns:
        Undefined where the scheme has none, and where the tables do not know the category.

    Example:
        >>> from compsplit.programs.tree import query, related, select
        >>> global_label(query(related(select("plate"), None, "on", "o"), "name"), "desk")
        'furniture'
    """
    category = asked_category(node)
    if category is not None:
        return category
    if answer is None:
        return Undefined("without an answer it has no category")
    return answer_category(answer, words or common_words())


def asked_category(node: Node) -> str | Undefined | None:
    """Return the category that a program asks for, Undefined where it has none, None where only the answer says it."""
    kind = structural_type(node)
    if isinstance(kind, Undefined):
        return kind
    if is_clevr(node):
        return Undefined(_NOT_CLEVR)
    if not node.inputs:
        return Undefined("the last step takes no result")
    if kind not in ("query", "choose") or (kind == "choose" and node.operation != "choose name"):
        return Undefined(f"a {kind} question has no global group")
    if asks_name(node):
        return None if node.feeder is None else node.feeder.argument.name
    asked = node.argument.property
    if node.root.is_scene or asked is None or asked in POSITIONS:
        return Undefined("neither positions nor the scene have a global group")
    return asked


def answer_category(answer: str, words: Vocabulary) -> str | Undefined:
    """Return the category of a name: the class right above it, the first by text of several; a class is its own."""
    if words.is_class(answer):
        return answer
    above = words.classes.get(answer, frozenset())
    return min(above) if above else Undefined("the tables do not know the category of the answer")


class _Names:
    """What things are called: their own name, or the program's word."""

    def __init__(self, own_name: Callable[[Node], str | None] | None) -> None:
        self._own_name = own_name

    def of(self, node: Node) -> str:
        """Return what the objects of a step are called, filters skipped."""
        while node.head == "filter" and node.inputs:
            node = node.inputs[0]
        own = self._own_name(node) if self._own_name else None
        return own or node.argument.name or "_"


def _verify(names: _Names, node: Node) -> str | Undefined:
    below = node.inputs[0]
    if below.is_scene:
        value = node.argument.attribute
        return Undefined("the scene is verified by nothing") if value is None else f"01-{node.rest}_{value}"
    if node.rest == "rel":
        return f"13-{names.of(below)}_{node.argument.name or '_'}"
    if node.operation == "exist":
        feeder = node.feeder
        if feeder is not None and feeder.head == "relate":
            return f"13-{names.of(feeder.inputs[0])}_{feeder.argument.name or '_'}"
        return f"03-{_word(below)}"
    value = _value(node)
    return Undefined("the step verifies nothing") if value is None else f"05-{value}"


def _query(names: _Names, node: Node) -> str | Undefined:
    asked = node.argument.property
    if asked is None:
        return Undefined("the step asks for nothing")
    if node.root.is_scene:
        return f"02q-{asked}"
    return _named(names, node, "q") if asks_name(node) else f"10q-{names.of(node.inputs[0])}_{asked}"


def _choose(names: _Names, node: Node) -> str | Undefined:
    if node.root.is_scene:
        return f"02c-{_chosen(node)}"
    if node.rest == "rel":
        return f"13-{names.of(node.inputs[0])}_{node.argument.name or '_'}"
    return _named(names, node, "c") if asks_name(node) else f"10c-{names.of(node.inputs[0])}_{_chosen(node)}"


def _named(names: _Names, node: Node, way: str) -> str | Undefined:
    """Return the label of a question for a name: of a category, or behind a relation."""
    feeder = node.feeder
    if feeder is None or not feeder.head:
        return Undefined("no step says of what the name is asked")
    said = feeder.argument
    if feeder.head == "relate":
        role = feeder.arguments[2] if len(feeder.arguments) == 3 else "_"
        family = "14" if said.name in (None, _PEOPLE) or role == "_" else "15"
        family += "c" if way == "c" else ""
        return f"{family}-{names.of(feeder.inputs[0])}_{said.relation},{role}"
    filters = []
    below = node.inputs[0]
    while below.head == "filter" and below.inputs:
        filters.append(_value(below) or "")
        below = below.inputs[0]
    if not filters:
        return f"11{way}-{said.name or '_'}"
    return f"12{way}-{'_'.join([said.name or '_', *sorted(filters)])}"


def _logical(names: _Names, node: Node) -> str | Undefined:
    joined = "And" if node.operation == "and" else "Or"
    if all(each.operation == "exist" for each in node.inputs):
        things = sorted(_word(each.inputs[0]) if each.inputs else "_" for each in node.inputs)
        return f"09exist{joined}-{'_'.join(things)}"
    if all(each.head == "verify" and each.rest != "rel" for each in node.inputs):
        values = sorted(_value(each) or "" for each in node.inputs)
        return f"05{'or' if joined == 'Or' else ''}-{'_'.join(values)}"
    return Undefined("no family has a program that joins such questions")


def _compare(names: _Names, node: Node) -> str | Undefined:
    what = node.rest if node.head == "choose" else node.head
    if len(node.inputs) == 1:
        word = names.of(node.inputs[0])
        return f"07{what}-all{word if word.endswith('s') else f'{word}s'}"
    return f"09{what}-{'_'.join(sorted(map(names.of, node.inputs)))}"


_FAMILIES = {"verify": _verify, "query": _query, "choose": _choose, "logical": _logical, "compare": _compare}


def _word(node: Node) -> str:
    """Return the program's word for what a step gives, filters skipped."""
    return _Names(None).of(node)


def _chosen(node: Node) -> str:
    """Return the kind of a choice; where the program does not name it, the options themselves."""
    return node.rest or "|".join(sorted(node.argument.choices))


def _value(node: Node) -> str | None:
    """Return the value of a filter or verify step, n# before one that is negated."""
    said = node.argument
    return f"n#{said.attribute}" if said.negated else said.attribute

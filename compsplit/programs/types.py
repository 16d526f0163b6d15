"""Structural and semantic type of a question, and what it mentions, from its program.

Source: Hudson and Manning 2019, arXiv 1902.09506, sections 3.2 and 3.6 and its released files: the first rule that fits
decides. They give the published labels of every real record at hand. A program that no rule speaks of has no type, and
the reason is said. Deviation: the authors' tables are not published; what follows was found from the paper and from
labels. CLEVR's programs get a type where the rules speak of them: ``exist`` and ``query_...``. Cost: O(steps).
"""

from __future__ import annotations

from collections.abc import Mapping

from compsplit.model.report import Undefined
from compsplit.programs.tree import Node, is_clevr
from compsplit.programs.vocabulary import POSITIONS, Vocabulary

STRUCTURAL = ("verify", "query", "choose", "logical", "compare")
SEMANTIC = ("obj", "attr", "cat", "rel", "global")
_LOGICAL = ("and", "or")
_COMPARING = ("same", "different", "common")

LOGICAL_MEANS = "programs that hold and, or, not(...) or different"
"""Our definition of the share of logical questions; the paper has none."""
NOT_OF_GQA = "types and logic are of GQA's programs, and there is none"
"""Why there is no share of such questions."""


def structural_type(node: Node) -> str | Undefined:
    """Return the structural type: what kind of answer the last step gives.

    Example:
        >>> from compsplit.programs.tree import query, select
        >>> structural_type(query(select("car"), "color"))
        'query'
    """
    if node.operation == "exist" or node.head == "verify":
        return "verify"
    if node.head == "query":
        return "query"
    if not is_clevr(node):
        if node.operation in _LOGICAL:
            return "logical"
        if node.head in _COMPARING:
            return "compare"
        if node.head == "choose" and node.inputs:
            if len(node.inputs) > 2:
                return Undefined(
                    f'the last step is "{node.operation}" and takes {len(node.inputs)} results, of which no rule speaks'
                )
            return "choose" if len(node.inputs) == 1 else "compare"
    return Undefined(f'the last step is "{node.operation}", of which no rule speaks')


def semantic_type(node: Node) -> str | Undefined:
    """Return the semantic type: what the question is about.

    Example:
        >>> from compsplit.programs.tree import query, related, select
        >>> dish = related(select("food"), "dish", "of", "s")
        >>> semantic_type(query(dish, "color")), semantic_type(query(dish, "name"))
        ('attr', 'rel')
    """
    kind = structural_type(node)
    if isinstance(kind, Undefined):
        return kind
    if kind == "logical":
        return semantic_type(node.inputs[0]) if node.inputs else Undefined(f'"{node.operation}" joins nothing')
    if kind == "compare":
        return "attr"
    clevr = is_clevr(node)
    if node.root.is_scene and not clevr:
        return "global"
    if node.rest == "rel":
        return "rel"
    feeder = node.feeder
    related = feeder is not None and feeder.head == "relate"
    if node.operation == "exist":
        if clevr and feeder is not None and not related and not feeder.is_scene:
            return Undefined(f'no rule says what the objects of "{feeder.operation}" make of a question')
        return "rel" if related else "obj"
    if asks_name(node):
        return "rel" if related else "cat"
    return "attr"


def asks_name(node: Node) -> bool:
    """Return whether the last step asks for a name: ``query: name`` or ``choose name``."""
    return node.operation == "choose name" or (node.operation == "query" and node.arguments == ("name",))


def is_logical(node: Node) -> bool:
    """Return whether a program is logical by ``LOGICAL_MEANS``."""
    return any(each.operation in _LOGICAL or each.head == "different" or each.argument.negated for each in node.walk())


def asked_relations(node: Node) -> tuple[str, ...]:
    """Return the relation of the last relate, verify rel or choose rel step; several where it offers a choice."""
    found: tuple[str, ...] = ()
    for each in node.walk():
        if each.head == "relate" or each.rest == "rel":
            said = each.argument
            # CLEVR's relate is told the relation alone.
            found = said.choices or ((said.relation,) if said.relation else each.arguments[:1])
    return found


def asked_kind(node: Node) -> str | None:
    """Return the kind of attribute that the last step asks for or verifies, None for none."""
    if node.head == "query":
        return node.rest or (node.arguments[0] if node.arguments else None)
    return node.rest or None if node.head in ("verify", "choose", "same", "different") else None


def is_spatial(node: Node, words: Vocabulary) -> bool:
    """Return whether the asked relation says where a thing is, or a position is asked."""
    return asked_kind(node) in POSITIONS or any(each in words.spatial for each in asked_relations(node))


def mentions(node: Node) -> Mapping[str, tuple[str, ...]]:
    """Return the entities and the relations that a program names, in order, a step that two others take once.

    Example:
        >>> from compsplit.programs.tree import query, related, select
        >>> mentions(query(related(select("food"), "dish", "of", "s"), "color"))
        {'entities': ('food', 'dish'), 'relations': ('of',)}
    """
    entities: list[str] = []
    relations: list[str] = []
    met: set[int] = set()
    for each in node.walk():
        if id(each) in met:
            continue
        met.add(id(each))
        said = each.argument
        if said.name is not None and (each.head in ("select", "relate") or each.rest == "rel"):
            entities.append(said.name)
        if each.head == "relate" or each.rest == "rel":
            relations += said.choices or ((said.relation,) if said.relation else each.arguments[:1])
        if each.operation == "choose name":
            entities += said.choices
    return {"entities": tuple(entities), "relations": tuple(relations)}

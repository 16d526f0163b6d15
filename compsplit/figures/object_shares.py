"""The commonest object classes, attributes and predicates, with their shares of each part.

Source: UOUC, figure 8, which shows how evenly the properties of objects are spread in train and in test. Made of the
tables of the audit ``object-shares``, which count every object, attribute and relation. Cost: nothing beside them.
"""

from __future__ import annotations

from compsplit.figures.shares import shares
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.registry import register

_COUNTED = {"object classes": "objects", "attributes": "attributes of objects", "predicates": "relations"}


@register("figure", "object-shares", source="UOUC, figure 8", place=36)
def object_shares(report: Report) -> tuple[Figure, ...]:
    """The commonest object classes, attributes and predicates, with their shares of each part."""
    return tuple(figure for of, counted in _COUNTED.items() for figure in shares(report, f"{of} by part", of, counted))

"""Extractors: a table to rows, and rows to the compounds and atoms that they hold."""

from compsplit.extractors import attribute_objects, attribute_pairs, object_classes, object_pairs, qa, relations
from compsplit.extractors.preparing import prepared

__all__ = [
    "attribute_objects",
    "attribute_pairs",
    "object_classes",
    "object_pairs",
    "prepared",
    "qa",
    "relations",
]

"""Extractors: a table to rows, and rows to the compounds and atoms that they hold."""

from compsplit.extractors import (
    answer_given_type,
    attribute_objects,
    attribute_pairs,
    columns,
    mentioned_classes,
    object_classes,
    object_pairs,
    program_operations,
    program_pairs,
    program_trees,
    qa,
    question_words,
    relations,
    scan_pieces,
    word_ngrams,
)
from compsplit.extractors.preparing import prepared

__all__ = [
    "answer_given_type",
    "attribute_objects",
    "attribute_pairs",
    "columns",
    "mentioned_classes",
    "object_classes",
    "object_pairs",
    "prepared",
    "program_operations",
    "program_pairs",
    "program_trees",
    "qa",
    "question_words",
    "relations",
    "scan_pieces",
    "word_ngrams",
]

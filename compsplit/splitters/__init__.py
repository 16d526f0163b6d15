"""Splitters: a part for every group."""

from compsplit.splitters import co_occurrence_groups, compound_holdout, condition, cover, declared, greedy_coverage, random
from compsplit.splitters.problem import Fold, Problem

__all__ = [
    "Fold",
    "Problem",
    "co_occurrence_groups",
    "compound_holdout",
    "condition",
    "cover",
    "greedy_coverage",
    "random",
]

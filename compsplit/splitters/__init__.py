"""Splitters: a part for every group."""

from compsplit.splitters import cover, greedy_coverage, random
from compsplit.splitters.problem import Fold, Problem

__all__ = ["Fold", "Problem", "cover", "greedy_coverage", "random"]

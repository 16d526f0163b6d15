"""Splitters: a part for every group."""

from compsplit.splitters import cover, greedy_coverage, random
from compsplit.splitters.problem import Problem

__all__ = ["Problem", "cover", "greedy_coverage", "random"]

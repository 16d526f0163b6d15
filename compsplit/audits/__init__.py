"""Audits: a split of rows to numbers, each with its definition."""

from compsplit.audits import coverage, distributions, overlap, sizes

__all__ = ["coverage", "distributions", "overlap", "sizes"]

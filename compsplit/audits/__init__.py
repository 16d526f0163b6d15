"""Audits: a split of rows to numbers, each with its definition."""

from compsplit.audits import (
    avg_co_pair,
    avg_co_pair_occ,
    avg_co_rel,
    avg_co_rel_occ,
    coverage,
    distributions,
    overlap,
    sizes,
)

__all__ = [
    "avg_co_pair",
    "avg_co_pair_occ",
    "avg_co_rel",
    "avg_co_rel_occ",
    "coverage",
    "distributions",
    "overlap",
    "sizes",
]

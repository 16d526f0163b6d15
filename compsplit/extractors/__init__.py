"""Extractors: a table to rows with concepts."""

from compsplit.extractors import qa

__all__ = ["qa"]

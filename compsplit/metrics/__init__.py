"""Metrics: predictions to numbers, each by a rule that has a name."""

from compsplit.metrics import cleaned, exact

__all__ = ["cleaned", "exact"]

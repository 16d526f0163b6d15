"""Figures of reports: specifications in Vega or Vega-Lite, and the numbers behind them."""

from compsplit.figures import answers_by_type

__all__ = ["answers_by_type"]

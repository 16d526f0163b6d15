"""Blind probes: what a model that sees the questions alone gets right."""

from compsplit.probes import global_prior, inverted_prior, linear, local_prior, nearest_question
from compsplit.probes.asking import Guesses, Lessons, Questions

__all__ = [
    "Guesses",
    "Lessons",
    "Questions",
    "global_prior",
    "inverted_prior",
    "linear",
    "local_prior",
    "nearest_question",
]

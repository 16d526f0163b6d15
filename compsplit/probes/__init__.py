"""Blind probes: what a model that sees the questions alone gets right."""

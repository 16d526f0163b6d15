"""Predictions to scores: joined by id, scored by metrics, with intervals, by part and by novelty."""

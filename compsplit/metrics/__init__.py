"""Metrics: predictions to numbers, each by a rule that has a name."""

from compsplit.metrics import (
    cleaned,
    czsl,
    exact,
    gqa_corrected,
    gqa_official,
    gqa_ood,
    gqa_paper,
    vqa_2017,
    vqa_2021,
    vqa_always_clean,
)

__all__ = [
    "cleaned",
    "czsl",
    "exact",
    "gqa_corrected",
    "gqa_official",
    "gqa_ood",
    "gqa_paper",
    "vqa_2017",
    "vqa_2021",
    "vqa_always_clean",
]

"""Readers: a file, or several, to one table."""

from compsplit.readers import (
    clevr,
    clevr_scenes,
    coco,
    czsl,
    daquar,
    easy_vqa,
    gqa,
    gqa_scenes,
    nlvr,
    scan,
    scenes,
    table,
    text2sql,
    visual_genome,
    vqa,
    vrd,
)
from compsplit.readers.detecting import detected
from compsplit.readers.sources import inputs

__all__ = [
    "clevr",
    "clevr_scenes",
    "coco",
    "czsl",
    "daquar",
    "detected",
    "easy_vqa",
    "gqa",
    "gqa_scenes",
    "inputs",
    "nlvr",
    "scan",
    "scenes",
    "table",
    "text2sql",
    "visual_genome",
    "vqa",
    "vrd",
]

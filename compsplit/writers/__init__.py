"""Writers: the parts of a split back to files."""

from compsplit.writers import bare_list, clevr, czsl, genbench, gqa, huggingface, same, scenes, tables, vqa
from compsplit.writers.spans import Written

__all__ = [
    "Written",
    "bare_list",
    "clevr",
    "czsl",
    "genbench",
    "gqa",
    "huggingface",
    "same",
    "scenes",
    "tables",
    "vqa",
]

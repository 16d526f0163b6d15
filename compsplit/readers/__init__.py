"""Readers: a file, or several, to one table."""

from compsplit.readers import daquar, easy_vqa, table, vqa
from compsplit.readers.detecting import detected
from compsplit.readers.sources import inputs

__all__ = ["daquar", "detected", "easy_vqa", "inputs", "table", "vqa"]

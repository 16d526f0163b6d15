"""Writers: the parts of a split back to files."""

from compsplit.writers import bare_list, same, tables
from compsplit.writers.spans import Written

__all__ = ["Written", "bare_list", "same", "tables"]

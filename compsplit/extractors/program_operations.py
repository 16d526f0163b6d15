"""Steps of programs: an operation with its arguments; atoms are the operations and the arguments.

Source: Keysers et al. 2020, arXiv 1912.09713 (compounds of rules), on the functional programs of CLEVR and GQA. Cost:
O(steps of distinct programs).
"""

from __future__ import annotations

from compsplit.extractors.programs import program_column, programs
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "program-operations", source="Keysers et al. 2020, arXiv 1912.09713")
def extract(table: RowTable, rows: Rows) -> Compounds:
    """Take each step of each program.

    Raises:
        UsageError: No row has a program.
    """
    column = program_column(rows)
    found = ([(step.operation, *step.arguments) for step in each.steps] for each in programs(column))
    taken = (([(" : ".join(s), s) for s in steps], [atom for step in steps for atom in step]) for steps in found)
    return of_texts("program operations", "step", column, taken, {}, atoms_of="operations and arguments")

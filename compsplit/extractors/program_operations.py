"""Steps of programs: an operation with its arguments; atoms are the operations and what the arguments name.

Source: Keysers et al. 2020, arXiv 1912.09713 (compounds of rules), on the functional programs of CLEVR and GQA.
Options are atoms one by one, a negated value is the value; roles, "anything" and the whole scene are none. Things that
the image lacks count like others: a question names them. Cost: O(steps of distinct programs).
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
    found = ([(" : ".join((s.operation, *s.arguments)), (s.operation, *s.words)) for s in each.steps]
             for each in programs(column))  # fmt: skip
    taken = ((steps, [atom for _, atoms in steps for atom in atoms]) for steps in found)
    return of_texts("program operations", "step", column, taken, {}, atoms_of="operations and words of arguments")

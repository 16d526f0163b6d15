"""Neighbouring operations of programs: a step, and one whose result it takes; atoms are the operations.

Source: Keysers et al. 2020, arXiv 1912.09713; Shaw et al. 2021, arXiv 2010.12725 (parent and child). Cost: O(steps of
distinct programs).
"""

from __future__ import annotations

from compsplit.extractors.programs import has_programs, program_column, programs
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.program import Step
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "program-pairs", source="Shaw et al. 2021, arXiv 2010.12725", fits=has_programs)
def extract(table: RowTable, rows: Rows, *, arguments: bool = False) -> Compounds:
    """Take every two operations of which one takes the other's result.

    Args:
        table: Questions.
        rows: The same, prepared.
        arguments: Whether an operation is told apart by its arguments, too.

    Raises:
        UsageError: No row has a program.
    """

    def named(step: Step) -> str:
        return " : ".join((step.operation, *step.arguments)) if arguments else step.operation

    column = program_column(rows)
    taken = (
        (
            [_pair(named(each.steps[i]), named(step)) for step in each.steps for i in step.inputs],
            [named(step) for step in each.steps],
        )
        for each in programs(column)
    )
    rules = {"arguments": "kept" if arguments else "left out"}
    return of_texts("program pairs", "pair", column, taken, rules, atoms_of="operations")


def _pair(taken: str, taking: str) -> tuple[str, tuple[str, str]]:
    return f"{taken} > {taking}", (taken, taking)

"""Sub-trees of programs: a step with all that it takes, down to a depth; atoms are the operations.

Source: Keysers et al. 2020, arXiv 1912.09713; Shaw et al. 2021, arXiv 2010.12725. Trees of two steps and more, as deep
as is said; deeper branches are cut off, and so named. Cost: O(steps of distinct programs x their trees).
"""

from __future__ import annotations

from compsplit.errors import OptionValueError
from compsplit.extractors.programs import program_column, programs
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.program import Program
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "program-trees", source="Keysers et al. 2020, arXiv 1912.09713")
def extract(table: RowTable, rows: Rows, *, depth: int = 3) -> Compounds:
    """Take the sub-tree of operations below each step that takes another's result.

    Args:
        table: Questions.
        rows: The same, prepared.
        depth: Steps from the top of a tree to its deepest, at least 2.

    Raises:
        UsageError: No row has a program.
        OptionValueError: depth is less than 2.
    """
    if depth < 2:
        raise OptionValueError("extract.depth", depth, "at least 2; single steps are program-operations")
    column = program_column(rows)
    taken = ((_trees(each, depth), [step.operation for step in each.steps]) for each in programs(column))
    return of_texts("program trees", "tree", column, taken, {"depth": depth}, atoms_of="operations")


def _trees(program: Program, most: int) -> list[tuple[str, list[str]]]:
    """Return the tree below each step, cut off at every depth that makes it another one."""
    depths: list[int] = []
    trees = []
    for top, step in enumerate(program.steps):
        depths.append(1 + max((depths[i] for i in step.inputs), default=0))
        trees += [_tree(program, top, depth) for depth in range(2, min(most, depths[top]) + 1)]
    return trees


def _tree(program: Program, top: int, depth: int) -> tuple[str, list[str]]:
    """Return a tree written with brackets, dots where a branch is cut off, and its operations."""
    step = program.steps[top]
    if not step.inputs:
        return step.operation, [step.operation]
    if depth == 1:
        return f"{step.operation}(...)", [step.operation]
    branches = [_tree(program, i, depth - 1) for i in step.inputs]
    written = f"{step.operation}({', '.join(name for name, _ in branches)})"
    return written, [step.operation, *(name for _, inner in branches for name in inner)]

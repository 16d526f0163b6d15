"""The greedy resplitter of C-VQA, exactly as its wording reads, in linear time.

Source: Agrawal, Kembhavi, Batra, Parikh 2017, arXiv 1704.08243, section 3.1. The groups are visited in a seeded
order. One that no part has yet goes to test, and its concepts that train lacks are needed from then on; then the
unassigned group with the most different needed concepts (ties: the earliest) goes to train.

Decided where the paper is silent: test stops at its target (one third is exactly the paper's test size); a group that
no longer fits goes to train at once and covers, without a covering turn; once the target is reached all that is left
goes to train. Groups that must stay in train (questions that reduce to nothing) are there, and cover, from the start.

Deviation: the paper calls "stop light" one concept; our reducers give two words.
Guarantee: no group is torn, so no compound is shared; test holds at most its target. Cost: O(non-zeros).
"""

from __future__ import annotations

from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.splitters.problem import Problem, rows_for_test


@register(
    "splitter",
    "greedy-coverage",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 3.1",
    guarantee="No group is torn; test holds at most its target.",
    cost="O(non-zeros)",
)
def assign(problem: Problem, *, covering: bool = True) -> Split:
    """Deal groups to test and train by turns so that train covers the concepts of test (C-VQA).

    Args:
        problem: Groups, concepts, and targets of two parts.
        covering: Off to see what the covering step does: every group that fits goes to test.
    """
    from compsplit.kernels.greedy import greedy_cover

    target = rows_for_test(problem, "greedy-coverage")
    order = problem.order()
    starts, concepts, n_concepts = problem.group_concepts(order)
    part, _, turns = greedy_cover(
        problem.grouping.sizes[order], problem.grouping.stays[order], starts, concepts, n_concepts, target, covering
    )
    return problem.split(part, order, covering_turns=turns)

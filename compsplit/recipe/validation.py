"""Parts for choosing a model: ``val-iid`` out of train, ``val-ood`` out of test.

Every split that was published without them was tuned on its test set. ``val-iid`` holds units of train (the split's
groups, or whole images, or the values of any column) in the seeded order, none of which is the last to show train a
concept of the other parts, so that what the split promises of train and test stays true. ``val-ood`` holds units of
test, so it is held out as test is; where the splitter says what rows were held out for, no such thing is in both, and
test rows that would show one to the other are left out and counted.

Source: compsplit; Bogin, Gupta, Berant 2021, arXiv 2109.10613 (a validation part of each kind). Cost: O(non-zeros).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from compsplit.model.split import Split
from compsplit.recipe.written import Written
from compsplit.splitters import Problem

IID, OOD = "val-iid", "val-ood"


@dataclass(frozen=True, slots=True)
class Validation:
    """What is taken out of train and test.

    Attributes:
        iid: Share of train that goes to ``val-iid``, 0 for no such part.
        ood: Share of test that goes to ``val-ood``, 0 for no such part.
        by: What stays together: ``"group"`` (the split's own) or a column, such as image.
    """

    iid: Fraction
    ood: Fraction
    by: str

    def taken_out(self, problem: Problem, split: Split) -> Split:
        """Return the split with the validation parts."""
        raise NotImplementedError


def validation(written: Written) -> Validation | None:
    """Return what a recipe's ``[validate]`` says, None where it says nothing."""
    return None

"""Test rows are about an object that no train row is about.

Source: Agrawal et al. 2017, arXiv 1704.08243, section 2, of its reference 39: "Is the dog black and white?" where "dog"
is never seen in training, neither in questions nor in answers. The objects of scenes are their classes. Those of
questions are concepts that a list names, or the atoms of what is extracted. An object is looked for among concepts,
which are single words in questions, so names of several words are none that a question can be told to hold.

What it does not promise: the image of a train row may show the object, unless scenes are divided.

Guarantee: every test row holds an object that no train row holds. Cost: O(non-zeros of rows).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from compsplit.errors import OptionValueError, UsageError, counted, listed
from compsplit.files import text_of
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.registry import UserFile, register
from compsplit.splitters.problem import Problem
from compsplit.splitters.unseen import unseen_in_train


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    if options["of"]:
        return ("rows-with-unseen-atoms[{of}][{train}->{test}] == 1",)
    return ("rows-with-unseen-concepts[{concepts}][{train}->{test}] == 1",)


@register(
    "splitter",
    "unseen-object",
    source="Agrawal et al. 2017, arXiv 1704.08243, section 2",
    guarantee="Every test row holds an object that no train row holds.",
    cost="O(non-zeros of rows)",
    rules=("objects",),
    keeps=_keeps,
)
def assign(
    problem: Problem,
    *,
    of: str = "",
    objects: Sequence[str] = (),
    classes: UserFile | None = None,
    choose: Literal["random", "rare"] = "random",
) -> Split:
    """Hold out every row about one of some objects.

    Args:
        problem: Groups, targets of two parts, and concepts.
        of: What is extracted whose atoms are the objects, such as "object classes"; concepts by default.
        objects: The objects themselves; chosen until the target is reached where none are given.
        classes: A file of the names that are objects, one a line, to choose among the concepts of questions.
        choose: "random", or "rare" for the rarest first.

    Raises:
        UsageError: Nothing says which concepts of questions are objects.
        OptionValueError: A name that is given has several words, or none of the file's is in any row.
        UnknownNameError: An object that is given is in no row.
        ImpossibleError: No object can be held out, or nothing is left for train.
    """
    if of:
        return unseen_in_train(problem, problem.compounds(of).atoms, "object", wanted=objects, choose=choose)
    scenes = problem.rows is not None and problem.rows.noun == "scene"
    if problem.concepts is None or not (scenes or objects or classes):
        raise UsageError(
            "Nothing says which words are objects. Name them as split.objects, give a file of names as split.classes, "
            "or name as split.of what is extracted whose atoms are objects. Questions need answers, too.",
            field="split.objects",
        )
    names = problem.concepts.names
    several = [name for name in objects if len(name.split()) > 1 and not scenes]
    if several:
        raise OptionValueError("split.objects", listed(several), "single words, as the concepts of questions are")
    if classes is None or objects:
        return unseen_in_train(problem, problem.concepts, "object", wanted=objects, choose=choose)
    path = Path(classes)
    given = {line.strip().lower() for line in text_of(Input(path, path.stem)).splitlines() if line.strip()}
    usable = given if scenes else {name for name in given if len(name.split()) == 1}
    among = np.array([name in usable for name in names], dtype=bool)
    if not among.any():
        raise OptionValueError(
            "split.classes", path.name, f"names that rows hold: none of its {counted(len(given), 'name')} is a concept"
        )
    facts = {
        "names of several words": len(given) - len(usable),
        "names that no row holds": len(usable) - int(among.sum()),
    }
    return unseen_in_train(problem, problem.concepts, "object", among=among, choose=choose, facts=facts)

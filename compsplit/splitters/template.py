"""Whole templates go to test: by list, by phrase, by pattern, or at random up to the target.

Source: Finegan-Dollak et al. 2018, arXiv 1806.09029 (the query split: all questions of one SQL query are in one part);
Loula, Baroni, Lake 2018, arXiv 1807.07545 (SCAN's "around right": test holds the commands with that phrase). A template
is a value of a column: the reduced question, the query, the program, or its operations. At random, what hangs together
through templates and groups is one unit, divided as ``random`` divides groups, folds included.

Deviation: the published test of "around right" holds a part of the commands with that phrase only, this all of them.
Guarantee: no template is in two parts. Cost: O(rows), O(n log n) in the distinct templates.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, OptionValueError, UnknownNameError, UsageError, counted
from compsplit.files import text_of
from compsplit.model.column import Column
from compsplit.model.compounds import occurring
from compsplit.model.program import operations
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.model.words import words
from compsplit.registry import UserFile, register
from compsplit.splitters import random
from compsplit.splitters.by_rows import split_by_rows, without_targets
from compsplit.splitters.joining import MEASURED, OPERATIONS, joined, never_shared, whole_column
from compsplit.splitters.problem import Problem


def _keeps(options: Mapping[str, Any]) -> tuple[str, ...]:
    return (never_shared(options["by"]),)


@register(
    "splitter",
    "template",
    source="Finegan-Dollak et al. 2018, arXiv 1806.09029; Loula et al. 2018, arXiv 1807.07545",
    guarantee="No template is in two parts.",
    cost="O(rows), O(n log n) in the distinct templates",
    rules=("templates", "listed_in", "phrases", "pattern"),
    keeps=_keeps,
    folds=True,
)
def assign(
    problem: Problem,
    *,
    by: str = "question (reduced)",
    templates: Sequence[str] = (),
    listed_in: UserFile | None = None,
    phrases: Sequence[str] = (),
    pattern: str = "",
) -> Split:
    """Hold out whole templates.

    Args:
        problem: Groups, targets, the fold that is test, and rows with the column.
        by: The column whose values are templates; "program (operations)" is made of the column program.
        templates: The templates of test; without this and the next three they are chosen at random.
        listed_in: A file of them, one a line.
        phrases: Words that stand one after the other in every template of test.
        pattern: A regular expression that is found in every template of test.

    Raises:
        OptionValueError: No audit measures whether values of that column are shared, or the pattern is none.
        UsageError: Templates are chosen in two ways, or a fold of chosen ones is asked for.
        UnknownNameError: A template that is listed is none.
        ImpossibleError: No template is chosen, or every one.
    """
    if by not in MEASURED:
        raise OptionValueError("split.by", by, f"one of {', '.join(MEASURED)}; else group by it: --by {by}")
    asked = {"templates": templates, "listed_in": listed_in, "phrases": phrases, "pattern": pattern}
    ways = [name for name, value in asked.items() if value]
    if len(ways) > 1:
        raise UsageError(f"Templates are chosen by {' and by '.join(ways)}; choose them in one way.", field="split")
    column = _column(problem, by)
    if not ways:
        whole = joined(problem, column, by)
        split: Split = random.assign(whole)
        return _with_held(dataclasses.replace(split, facts={**split.facts, "templates": column.n_used}), column, by)
    if problem.fold is not None:
        raise UsageError(f"Templates are chosen by {ways[0]}, so there are no folds of them.", field="split.fold")
    if listed_in is not None:
        path = Path(listed_in)
        templates = [line.strip() for line in text_of(Input(path, path.stem)).splitlines() if line.strip()]
    if not all(isinstance(each, str) for each in (*templates, *phrases)):
        raise OptionValueError(f"split.{ways[0]}", list(templates or phrases), "a list of texts")
    names = column.names
    if templates:
        marked = _listed(names, templates, by)
    else:
        marked = _with_phrase(names, phrases) if phrases else _matching(names, pattern)
    used = np.bincount(column.codes, minlength=len(names)) > 0
    n_chosen, n = int((marked & used).sum()), int(used.sum())
    if n_chosen in (0, n):
        raise ImpossibleError(
            f"{'Every one' if n_chosen else 'None'} of {counted(n, 'template')} ({by}) is chosen by {ways[0]}, so that "
            "a part would be empty. Nothing was written.",
            facts={"templates": n, "chosen": n_chosen},
        )
    split = split_by_rows(
        without_targets(problem),
        marked[column.codes].astype(np.int64),
        facts={"templates": n, "templates chosen": n_chosen},
    )
    return _with_held(split, column, by)


def _column(problem: Problem, by: str) -> Column:
    if by != OPERATIONS:
        return whole_column(problem, by)
    try:
        return whole_column(problem, "program").mapped(operations)
    except ValueError as error:
        raise UsageError(f'The column "program" holds {error}; it has no operations.', field="split.by") from error


def _listed(names: Sequence[str], wanted: Sequence[str], by: str) -> NDArray[np.bool_]:
    known = {name: code for code, name in enumerate(names)}
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"template ({by})", name, known)
    marked = np.zeros(len(names), dtype=bool)
    marked[[known[name] for name in wanted]] = True
    return marked


def _with_phrase(names: Sequence[str], phrases: Sequence[str]) -> NDArray[np.bool_]:
    wanted = [f" {' '.join(words(phrase))} " for phrase in phrases]
    if "  " in wanted:
        raise OptionValueError("split.phrases", list(phrases), 'a list of phrases, such as ["around right"]')
    texts = (f" {' '.join(words(name))} " for name in names)
    return np.array([any(phrase in text for phrase in wanted) for text in texts], dtype=bool)


def _matching(names: Sequence[str], pattern: str) -> NDArray[np.bool_]:
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise OptionValueError("split.pattern", pattern, f"a regular expression ({error})") from error
    return np.array([found.search(name) is not None for name in names], dtype=bool)


def _with_held(split: Split, column: Column, by: str) -> Split:
    """Return the split that knows which template each row of test was held out for."""
    out = np.flatnonzero(split.part_of_row > 0)
    return dataclasses.replace(split, held=occurring(by, len(column), out, column.take(out)))

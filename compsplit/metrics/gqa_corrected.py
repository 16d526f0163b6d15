"""GQA's official metrics where the official program is plainly wrong, put right.

- steps: operations are told apart by their names, not by letters inside names or arguments. ``exist``, ``query`` of the
  name and ``choose name`` do not count; ``select: existing wall``, ``query: nameplate`` do.
- consistency: a question that is listed twice counts once.
- distribution: shares of answers are compared instead of their numbers, so that ten copies of the data give the same;
  in other words the sum over the right answers of (predicted share - right share)^2 / right share, not divided by 100.
- grounding: attention divided by its sum; each location once, however many objects are there; and the whole image for a
  question about the scene (``select: scene``), which that program means to add and never does. A question without
  regions is left out and counted.

All else is as in ``gqa-official``. Left as it is, since it is a choice and no mistake: exact text, ``choose`` among the
binary types, color, material and shape as the choices of "Common" types.

Source: compsplit's own, after the evaluation program of Hudson and Manning 2019, arXiv 1902.09506. It runs when it is
asked for. Cost: as ``gqa-official`` and ``gqa-paper``.
"""

from __future__ import annotations

import json

import numpy as np

from compsplit.metrics.gqa_consistency import consistency
from compsplit.metrics.gqa_scoring import accuracy, attention_share, distribution, distributions
from compsplit.model.answered import Answered, Scored
from compsplit.model.column import Column
from compsplit.registry import register

OF = "gqa corrected"


def _never(answered: Answered) -> bool:
    return False


@register(
    "metric",
    "gqa-corrected",
    source="compsplit, after the evaluation program of Hudson and Manning 2019, arXiv 1902.09506",
    unit="%",
    bounds=(0, 100),
    better="higher",
    fits=_never,
    programs=True,
)
def measure(answered: Answered) -> Scored:
    """Accuracy by steps, consistency, distribution and grounding of GQA without the mistakes of its program."""
    programs = answered.table.columns.get("program", Column.absent(len(answered)))
    steps = programs.mapped(_steps)
    of_scene = np.array([_of_scene(name) for name in programs.names] + [False], dtype=np.bool_)[programs.codes]
    consistent = consistency(answered, OF, once=True)
    grounded, findings = attention_share(answered, OF, of_scene)
    return Scored(
        (accuracy(answered, OF, steps), consistent.mean, grounded),
        (distribution(distributions(answered), OF, shares=True),),
        findings=(*consistent.findings, *findings),
    )


def _steps(written: str) -> str:
    """Return the number of steps of a written program that count."""
    return str(sum(not _is_name(operation, arguments) for operation, arguments, *_ in json.loads(written)))


def _is_name(operation: str, arguments: list[str]) -> bool:
    return operation in ("exist", "choose name") or (operation == "query" and arguments == ["name"])


def _of_scene(written: str) -> bool:
    return any(operation == "select" and arguments == ["scene"] for operation, arguments, *_ in json.loads(written))

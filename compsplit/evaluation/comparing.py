"""Models held against the first one on the same rows: a paired bootstrap of the difference.

Source: Efron and Tibshirani 1993 (both means from the same draws of images); Koehn 2004, paired bootstrap resampling.
Only rows that both models are scored on count; a measure that is over fewer of them for reasons of its own, such as
consistency, which is over what a model answers rightly, is over each model's own. Cost: that of ``intervals``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.evaluation.intervals import Interval, Units, interval, replicated
from compsplit.evaluation.scoring import Drawing, Found
from compsplit.model.answered import Answered, RowMean
from compsplit.model.report import Measure, Table, Undefined

_COLUMNS = (
    "rule",
    "measure",
    "model",
    "against",
    "difference",
    "low",
    "high",
    "n",
    "right alone",
    "wrong alone",
    "draws at or below 0",
)


def compared(
    results: Sequence[Found], models: Sequence[Answered], units: Units, drawing: Drawing
) -> tuple[list[Measure], Table]:
    """Return the difference of each model to the first, by every mean of row scores that both have.

    Args:
        results: What each model scores, two or more.
        models: Their rows, in the same order.
        units: What is drawn.
        drawing: How.
    """
    first = results[0]
    measures: list[Measure] = []
    lines: list[tuple[Any, ...]] = []
    for k, other in enumerate(results[1:], 1):
        both = models[0].scored & models[k].scored
        for metric, means in other.means.items():
            for mine, theirs in zip(means, first.means[metric], strict=True):
                measure, line = _difference(mine, theirs, both, (other.model, first.model), units, drawing)
                measures.append(measure)
                lines.append(line)
    return measures, Table(_COLUMNS, tuple(lines))


def _difference(
    mine: RowMean,
    theirs: RowMean,
    scored: NDArray[np.bool_],
    names: tuple[str, str],
    units: Units,
    drawing: Drawing,
) -> tuple[Measure, tuple[Any, ...]]:
    model, against = names
    of_mine, of_theirs = mine.counted & scored, theirs.counted & scored
    (one, n), (other, _) = mine.over(of_mine), theirs.over(of_theirs)
    value = one if isinstance(one, Undefined) else other if isinstance(other, Undefined) else one - other
    note: dict[str, Any] = {}
    bound: Interval | Undefined | None = None
    below: float | None = None
    if drawing.replicates and not isinstance(value, Undefined):
        asked = [(mine.scores, of_mine), (theirs.scores, of_theirs)]
        drawn = replicated(asked, units, n=drawing.replicates, seed=drawing.seed)
        gains = (drawn[:, 0] - drawn[:, 1]) * mine.times
        bound = interval(gains, units, drawing.level, units.among(of_mine | of_theirs))
        known = gains[~np.isnan(gains)]
        below = int((known <= 0).sum()) / len(known) if len(known) else None
    if isinstance(bound, Interval):
        note = {"interval": [bound.low, bound.high]}
    elif isinstance(bound, Undefined):
        note = {"interval": None, "interval reason": bound.reason}
    low, high = (bound.low, bound.high) if isinstance(bound, Interval) else (None, None)
    # Who is right where the other is wrong; of scores that are not all or nothing, who scores more.
    both = of_mine & of_theirs
    better = int((both & (mine.scores > theirs.scores)).sum())
    worse = int((both & (mine.scores < theirs.scores)).sum())
    facts = {"model": model, "against": against, "better": better, "worse": worse, "draws at or below 0": below}
    measure = Measure(
        name=f"{mine.name}-difference", of=mine.of, value=value, n=n, n_unit=mine.n_unit,
        unit="points" if mine.unit == "%" else mine.unit, options={**mine.options, **facts}, note=note,
    )  # fmt: skip
    return measure, (mine.of, mine.name, model, against, measure.number, low, high, n, better, worse, below)

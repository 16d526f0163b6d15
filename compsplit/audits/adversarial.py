"""Adversarial check: can a linear classifier tell from its words, or concepts, which part a row is of?

Source: compsplit; the idea is adversarial validation. A logistic regression on counts (words of questions, or object
classes of scenes) is trained on four fifths and tested on one, five times; no image is in two fifths. AUC 0.5: it
cannot tell. Scores are held against each other within a fifth only, since those of two models do not compare: pooled,
they say less than 0.5 of parts that cannot be told apart. The interval, 95 %, is made of the standard errors of Hanley
and McNeil 1982 of the fifths; it takes rows as independent, so many questions of an image make it too narrow. Rows are
those first in the seeded order of ids, at most so many of each part; ids decide the fifths, too. Cost: O(non-zeros) an
iteration.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import references
from compsplit.model.incidence import Incidence
from compsplit.model.report import Audited, Measure, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.order import name_hash, name_hashes, seeded_order
from compsplit.registry import register

_FIFTHS = 5
_FEWEST = 20
_TOLD = 20
_PREFERRED = ("question words", "concepts")


@register(
    "audit", "adversarial", source="compsplit; Hanley and McNeil 1982", unit="AUC", bounds=(0, 1), better="lower",
    by_default=False,
)  # fmt: skip
def adversarial(rows: Rows, split: Split, *, most_rows: int = 10000) -> Audited:
    """Area under the curve of a classifier that tells a part from the reference part; 0.5 where it cannot.

    Args:
        rows: Rows with concepts.
        split: Their parts.
        most_rows: At most so many rows of each part.
    """
    concepts = _concepts(rows)
    if concepts is None:
        return Audited()
    measures, tables = [], {}
    for reference, part in references(split):
        chosen = np.concatenate([_first(rows, split.rows_in(each), most_rows) for each in (reference, part)])
        is_part = split.rows_in(part)[chosen]
        fewest = min(int(is_part.sum()), int((~is_part).sum()))
        value: float | Undefined
        interval = {}
        if fewest < _FEWEST:
            value = Undefined(f"one of the parts has fewer than {_FEWEST} rows")
        elif (alone := _one_fifth_alone(fifths := _fifths(rows, chosen), is_part)) is not None:
            one = part if alone else reference
            value = Undefined(f"all rows of {one} are in one fifth, so none are left to learn from")
        elif not any(len(np.unique(is_part[fifths == fifth])) == 2 for fifth in range(_FIFTHS)):
            value = Undefined(f"no fifth has rows of {reference} and of {part}")
        else:
            scores, weights = _scores(concepts, chosen, is_part, fifths)
            value, error = _within_fifths(scores, is_part, fifths)
            low, high = max(value - 1.96 * error, 0), min(value + 1.96 * error, 1)
            interval = {"interval": f"{low:.6f} to {high:.6f} (95 %)"}
            tables[f"words that tell {part} from {reference}"] = _telling(concepts, weights, reference, part)
        measures.append(
            Measure(
                name="adversarial", of=concepts.of, value=value, n=len(chosen),
                n_unit=f"rows of {reference} and {part}", unit="AUC", reference=reference, part=part,
                options={"most_rows": most_rows}, note={"reproducible": "same platform", **interval},
            )
        )  # fmt: skip
    return Audited(tuple(measures), tables)


def _concepts(rows: Rows) -> Incidence | None:
    atoms = {each.atoms.of: each.atoms for each in rows.compounds.values() if isinstance(each.atoms, Incidence)}
    known = {**atoms, **({} if rows.concepts is None else {rows.concepts.of: rows.concepts})}
    return next((known[name] for name in _PREFERRED if name in known), rows.concepts)


def _first(rows: Rows, marked: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
    """Return the marked rows that are first in the seeded order of their ids."""
    places = np.flatnonzero(marked)
    names = rows.ids[places].tolist()
    return places[seeded_order(name_hashes(names, len(names)), 0, names)[:n]]


def _one_fifth_alone(fifths: NDArray[np.int64], is_part: NDArray[np.bool_]) -> bool | None:
    """Return which side, the part or not, has its rows in one fifth; None if neither."""
    return next((side for side in (True, False) if len(np.unique(fifths[is_part == side])) == 1), None)


def _scores(
    concepts: Incidence, chosen: NDArray[np.int64], is_part: NDArray[np.bool_], fifths: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a score of each row from a model that has not seen it, and the mean weights of the concepts."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    every = csr_matrix(
        (concepts.counts.astype(np.float64), concepts.concepts, concepts.starts),
        shape=(concepts.n_bags, len(concepts.names)),
    )
    counts = every[concepts.bag_of_row[chosen]]
    scores = np.zeros(len(chosen))
    weights = np.zeros(len(concepts.names))
    for fifth in range(_FIFTHS):
        test = fifths == fifth
        if not test.any():
            continue
        model = LogisticRegression(solver="lbfgs", max_iter=1000, class_weight="balanced")
        model.fit(counts[~test], is_part[~test])
        scores[test] = model.decision_function(counts[test])
        weights += model.coef_[0] / _FIFTHS
    return scores, weights


def _fifths(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fifth of each row: that of its image where it has one, else of its id."""
    images = rows.columns.get("image")
    names = rows.ids[chosen].tolist()
    if images is not None and images.names:
        names = [images[row] or name for row, name in zip(chosen.tolist(), names, strict=True)]
    by_name = {name: name_hash(f"fifth {name}") % _FIFTHS for name in dict.fromkeys(names)}
    return np.array([by_name[name] for name in names], dtype=np.int64)


def _within_fifths(
    scores: NDArray[np.float64], is_part: NDArray[np.bool_], fifths: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the AUC over pairs of rows of one fifth, and its standard error; both to 6 decimals.

    Scores are rounded, so that rows that a model cannot tell apart are equal whatever the order of its sums.
    """
    right = variance = 0.0
    n_pairs = 0
    for fifth in range(_FIFTHS):
        test = fifths == fifth
        n, m = int(is_part[test].sum()), int((~is_part[test]).sum())
        if n and m:
            auc = _auc(np.round(scores[test], 6), is_part[test])
            right += auc * n * m
            variance += (_standard_error(auc, n, m) * n * m) ** 2
            n_pairs += n * m
    return round(right / n_pairs, 6), round(math.sqrt(variance) / n_pairs, 6)


def _auc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Return how often a row of the part has the higher score, ties counting half."""
    _, ranks = np.unique(scores, return_inverse=True)
    counts = np.bincount(ranks)
    middle = np.cumsum(counts) - (counts - 1) / 2
    n, m = int(positive.sum()), int((~positive).sum())
    return float((middle[ranks[positive]].sum() - n * (n + 1) / 2) / (n * m))


def _standard_error(auc: float, n: int, m: int) -> float:
    """Return the standard error of an AUC (Hanley and McNeil 1982)."""
    one, two = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = (auc * (1 - auc) + (n - 1) * (one - auc * auc) + (m - 1) * (two - auc * auc)) / (n * m)
    return math.sqrt(max(variance, 0.0))


def _telling(concepts: Incidence, weights: NDArray[np.float64], reference: str, part: str) -> Table:
    rounded = np.round(weights, 6)
    telling = np.flatnonzero(rounded)
    strongest = sorted(telling.tolist(), key=lambda c: (-abs(rounded[c]), concepts.names[c]))[:_TOLD]
    lines = [(concepts.names[c], part if rounded[c] > 0 else reference, float(rounded[c])) for c in strongest]
    return Table.first_of(("concept", "speaks for", "weight"), lines, _TOLD, total=len(telling))

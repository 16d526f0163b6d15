"""Compositional zero-shot learning: accuracy on pairs that train shows, on pairs that it does not, and both together.

A row's answer and prediction are pairs as text. The column ``pair_seen`` says of each row whether its own pair is one
that some row of train has: yes or no (``with_pair_seen`` makes it). From samples, never from lists.

- seen, unseen: share of the rows of each kind whose predicted pair is their own.
- harmonic-mean: 2 S U / (S + U) of the two; 0 where both are 0.
- From scores of pairs (``model.answered.PairScores``), with a bias b added to the scores of unseen pairs: a row whose
  own pair is seen is right if that scores highest of the seen ones and the best seen one still leads (b < lead), one
  whose own pair is unseen if that scores highest of the unseen ones and leads (b > lead). A tie within a kind is not
  right. best-seen and best-unseen are the ends of the curve (b to minus and to plus infinity), best-harmonic-mean the
  highest on it, auc the area under seen accuracy as a function of unseen accuracy, in per cent of the unit square.

Source: Chao, Changpinyo, Gong, Sha 2016, arXiv 1605.04253 (the curve and its area); Purushwalkam, Nickel, Gupta,
Ranzato 2019, arXiv 1905.05908 (for pairs). Deviations: accuracy is over rows, as in the second, and not a mean over
classes; the curve has a point between any two biases at which some row changes, not some 20, so the area is exact.
Scores exactly at a threshold count for neither side; two rows of both kinds that change at one bias are joined by a
straight line. Cost: O(rows log rows).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.answered import Answered, PairScores, RowMean, Scored
from compsplit.model.report import Finding, Measure, Table, Undefined
from compsplit.model.table import QATable
from compsplit.registry import register

OF = "czsl"
PAIR_SEEN = "pair_seen"
"""Name of the column that says whether train shows a row's own pair."""

_POINTS = 100
_SHOWN = 5


def pairs_shown(table: QATable, in_train: NDArray[np.bool_]) -> frozenset[str]:
    """Return the answers of the rows of train: the pairs that it shows."""
    codes = table.answers.codes[in_train]
    return frozenset(table.answers.names[code] for code in np.unique(codes[codes >= 0]).tolist())


def with_pair_seen(table: QATable, shown: Collection[str]) -> QATable:
    """Return the table with the column that says whether each row's own pair is one that train shows."""
    names = [("yes" if name in shown else "no") for name in table.answers.names]
    return dataclasses.replace(table, columns={**table.columns, PAIR_SEEN: table.answers.renamed(names)})


def _has_pairs(answered: Answered) -> bool:
    """Tell whether it is known of some row whether train shows its pair."""
    return PAIR_SEEN in answered.table.columns and answered.table.columns[PAIR_SEEN].n_used > 0


@register(
    "metric",
    "czsl",
    source="Chao et al. 2016, arXiv 1605.04253; Purushwalkam et al. 2019, arXiv 1905.05908",
    unit="%",
    bounds=(0, 100),
    better="higher",
    fits=_has_pairs,
)
def measure(answered: Answered) -> Scored:
    """Accuracy on pairs that train shows and on those it does not, their harmonic mean, and the area under both."""
    kinds = _kinds(answered)
    scores = answered.correct.astype(np.float64)
    seen, unseen = (
        RowMean(name=name, of=OF, scores=scores, counted=rows, headline=True, undefined=why)
        for name, rows, why in zip(("seen", "unseen"), kinds, _why(answered), strict=True)
    )
    everywhere = np.ones(len(answered), dtype=np.bool_)
    (s, n_seen), (u, n_unseen) = seen.over(everywhere), unseen.over(everywhere)
    both = _measure("harmonic-mean", _harmonic_mean(s, u), n_seen + n_unseen)
    biased, tables, findings = _biased(answered, kinds)
    return Scored((seen, unseen), (both, *biased), tables, findings)


def _kinds(answered: Answered) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the scored rows whose pair is seen, and those whose pair is not."""
    column = answered.table.columns.get(PAIR_SEEN)
    if column is None:
        none = np.zeros(len(answered), dtype=np.bool_)
        return none, none
    told = [np.array([name == value for name in column.names] + [False])[column.codes] for value in ("yes", "no")]
    return answered.scored & told[0], answered.scored & told[1]


def _why(answered: Answered) -> tuple[str, str]:
    if not _has_pairs(answered):
        why = f"it is not known which pairs train shows (column {PAIR_SEEN})"
        return why, why
    return "no scored row has a pair that train shows", "train shows the pair of every scored row"


def _measure(name: str, value: Fraction | float | Undefined, n: int) -> Measure:
    return Measure(name=name, of=OF, value=value, n=n, n_unit="rows", unit="%")


def _harmonic_mean(s: Fraction | float | Undefined, u: Fraction | float | Undefined) -> Fraction | float | Undefined:
    if isinstance(s, Undefined):
        return s
    if isinstance(u, Undefined):
        return u
    return 2 * s * u / (s + u) if s + u else Fraction(0)


def _biased(
    answered: Answered, kinds: tuple[NDArray[np.bool_], NDArray[np.bool_]]
) -> tuple[list[Measure], dict[str, Table], tuple[Finding, ...]]:
    names = ("best-seen", "best-unseen", "best-harmonic-mean", "auc")
    scores = answered.pair_scores
    if scores is None:
        why = answered.absent.get("pair_scores", "it needs a score of every pair for each row, and none are given")
        return [_measure(name, Undefined(why), 0) for name in names], {}, ()
    seen, unseen = kinds[0] & scores.there, kinds[1] & scores.there
    n_seen, n_unseen = int(seen.sum()), int(unseen.sum())
    findings = (*scores.findings, *_without_scores(answered, scores, kinds[0] | kinds[1]))
    if not (n_seen and n_unseen):
        why = f"of the rows with scores, {n_seen:,} have a seen pair and {n_unseen:,} an unseen one; both are needed"
        return [_measure(name, Undefined(why), 0) for name in names], {}, findings
    biases, n_right_seen, n_right_unseen = curve(scores, seen, unseen)
    area = int((np.diff(n_right_unseen) * (n_right_seen[1:] + n_right_seen[:-1])).sum())
    highest = _highest(n_right_seen / n_seen, n_right_unseen / n_unseen)
    values: tuple[Fraction | float | Undefined, ...] = (
        Fraction(100 * int(n_right_seen[0]), n_seen),
        Fraction(100 * int(n_right_unseen[-1]), n_unseen),
        _harmonic_mean(
            Fraction(100 * int(n_right_seen[highest]), n_seen), Fraction(100 * int(n_right_unseen[highest]), n_unseen)
        ),
        Fraction(100 * area, 2 * n_seen * n_unseen),
    )
    n_rows = (n_seen, n_unseen, n_seen + n_unseen, n_seen + n_unseen)
    measures = [_measure(*each) for each in zip(names, values, n_rows, strict=True)]
    return (
        measures,
        {"accuracy by bias (czsl)": _table(biases, n_right_seen / n_seen, n_right_unseen / n_unseen)},
        findings,
    )


def curve(
    scores: PairScores, seen: NDArray[np.bool_], unseen: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the biases at which rows change, ascending, and the right rows before each and after the last.

    Args:
        scores: Of pairs.
        seen: Rows whose own pair is seen.
        unseen: Rows whose own pair is not.

    Returns:
        Biases of shape (n,), right rows with a seen and with an unseen pair of shape (n + 1,) each.
    """
    falls, rises = scores.lead[seen & scores.right], scores.lead[unseen & scores.right]
    biases = np.unique(np.concatenate([falls, rises]))
    n_falls = np.bincount(np.searchsorted(biases, falls), minlength=len(biases))
    n_rises = np.bincount(np.searchsorted(biases, rises), minlength=len(biases))
    return biases, len(falls) - np.append(0, np.cumsum(n_falls)), np.append(0, np.cumsum(n_rises))


def _highest(s: NDArray[np.float64], u: NDArray[np.float64]) -> int:
    """Return which point of the curve has the highest harmonic mean, the first of equal ones."""
    return int(np.divide(s * u, s + u, out=np.zeros(len(s)), where=s + u > 0).argmax())


def _table(biases: NDArray[np.float64], s: NDArray[np.float64], u: NDArray[np.float64]) -> Table:
    """Return some hundred points of the curve: the bias above which each holds, and both accuracies in per cent."""
    step = max(-(-len(s) // _POINTS), 1)
    points = sorted({*range(0, len(s), step), len(s) - 1})
    lines = [(None if k == 0 else float(biases[k - 1]), 100 * float(s[k]), 100 * float(u[k])) for k in points]
    return Table(("bias above", "seen", "unseen"), tuple(lines))


def _without_scores(answered: Answered, scores: PairScores, scored: NDArray[np.bool_]) -> tuple[Finding, ...]:
    """Return findings of scored rows that are not on the curve, or there for nothing."""
    told = (
        ("without-pair-scores", scored & ~scores.there,
         "no scores of pairs of both kinds and {be} left out of the curve over the bias."),
        ("own-pair-without-score", scored & scores.there & ~scores.own,
         "no score of the own pair, and {be} never right on the curve over the bias."),
    )  # fmt: skip
    findings = []
    for kind, rows, what in told:
        n = int(rows.sum())
        if n:
            message = what.replace("{be}", "is" if n == 1 else "are")
            findings.append(
                Finding(
                    kind=kind,
                    count=n,
                    first=tuple(sorted(answered.table.ids[rows].tolist())[:_SHOWN]),
                    message=f"{counted(n, 'scored row has', 'scored rows have')} {message}",
                )
            )
    return tuple(findings)

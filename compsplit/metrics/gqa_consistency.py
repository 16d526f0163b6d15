"""Consistency: are the questions that a right answer entails answered rightly, too?

Decided, as the official program stops where compsplit can still tell:
- An entailed id that no row has is left out and counted, if rows are known that only others speak of (the file of all
  questions is at hand, and does not hold it). If none are, only the balanced file was read: consistency is undefined as
  soon as a rightly answered question entails a question that is not there.
- A row that is not scored and has no prediction, but is entailed by a rightly answered question, makes consistency
  undefined: the official program wants a prediction for every question. A scored one counts as wrong.
- A question's own id does not count, and a question without any other is no source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted, listed
from compsplit.model.answered import Answered, RowMean
from compsplit.model.column import concatenated, positions, texts
from compsplit.model.lists import Lists
from compsplit.model.report import Finding

_NOUN = "questions answered rightly that entail others"
_MOST = 1 << 31
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Consistency:
    """What consistency comes to.

    Attributes:
        mean: Of the shares of entailed questions that are answered rightly, over rightly answered questions.
        findings: What was left out.
    """

    mean: RowMean
    findings: tuple[Finding, ...] = ()


def consistency(
    answered: Answered, of: str, names: Sequence[str] = ("entailed",), *, once: bool = False
) -> Consistency:
    """Return the consistency of predictions.

    Args:
        answered: Rows with their predictions.
        of: The rule that reports name.
        names: The lists whose questions are held against a rightly answered one.
        once: Whether a question that is listed several times counts once.
    """
    lists = [answered.table.lists[name] for name in names if name in answered.table.lists]
    if len(lists) < len(names) or not any(len(each.values) for each in lists):
        why = answered.absent.get("entailed", "the data list no entailed questions")
        return Consistency(_mean(answered, of, undefined=why))
    if answered.table.numbered:
        why = "the rows have new ids, and the lists name the old ones"
        return Consistency(_mean(answered, of, undefined=why))
    entailed = _entailed(answered, lists, once)
    sources, targets = entailed.sources, entailed.targets
    from_right = answered.correct[sources]
    findings = _left_out(answered, entailed)
    gone = from_right & (targets < 0)
    if gone.any() and not _holds_others(answered):
        ids = entailed.names_of(gone)
        why = f"{counted(len(ids), 'entailed question is', 'entailed questions are')} not in this file ({listed(ids)})"
        return Consistency(_mean(answered, of, undefined=f"not computed: {why}"), findings)
    asked = from_right & (targets >= 0)
    mute = asked & (answered.predictions.codes < 0)[targets] & ~answered.scored[targets]
    if mute.any():
        ids = entailed.names_of(mute)
        why = f"{counted(len(ids), 'entailed question has', 'entailed questions have')} no prediction ({listed(ids)})"
        return Consistency(_mean(answered, of, undefined=f"not computed: {why}"), findings)
    n_asked = np.bincount(sources[asked], minlength=len(answered))
    n_right = np.bincount(sources[asked][answered.correct[targets[asked]]], minlength=len(answered))
    return Consistency(_mean(answered, of, n_asked, n_right), findings)


def _holds_others(answered: Answered) -> bool:
    """Tell whether rows are known that only others speak of: GQA's unbalanced ones, or further ones that were given."""
    balanced = answered.table.columns.get("balanced")
    if balanced is None or not balanced.n_used:
        return answered.others
    return bool(np.isin(balanced.codes, [code for code, name in enumerate(balanced.names) if name == "false"]).any())


def _mean(
    answered: Answered,
    of: str,
    n_asked: NDArray[np.int64] | None = None,
    n_right: NDArray[np.int64] | None = None,
    undefined: str = "no rightly answered question entails another",
) -> RowMean:
    if n_asked is None or n_right is None:
        n_asked = n_right = np.zeros(len(answered), dtype=np.int64)
    whole = 1
    for n in np.unique(n_asked[n_asked > 0]).tolist():
        whole = math.lcm(whole, n)
    return RowMean(
        name="consistency",
        of=of,
        scores=n_right / np.maximum(n_asked, 1),
        counted=n_asked > 0,
        whole=whole if whole < _MOST else None,
        n_unit=_NOUN,
        undefined=undefined,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Entailed:
    """Pairs of a scored question and another that it lists.

    Attributes:
        sources: The row that lists it.
        targets: Its row, -1 where no row has its id.
        listed_as: A position in ``names``.
        names: Ids.
    """

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    listed_as: NDArray[np.int64]
    names: Sequence[str]

    def taken(self, pairs: NDArray[np.bool_] | NDArray[np.int64]) -> _Entailed:
        """Return some of the pairs."""
        return _Entailed(self.sources[pairs], self.targets[pairs], self.listed_as[pairs], self.names)

    def names_of(self, pairs: NDArray[np.bool_]) -> list[str]:
        """Return the different ids that some of the pairs list, in order."""
        return sorted({self.names[code] for code in np.unique(self.listed_as[pairs]).tolist()})


def _entailed(answered: Answered, lists: Sequence[Lists], once: bool) -> _Entailed:
    """Return what scored questions list but for their own ids; with ``once``, each question once for a source."""
    sources = np.concatenate([each.row_of_value for each in lists])
    values = concatenated([each.values for each in lists])
    kept = answered.scored[sources]
    sources, codes = sources[kept], values.codes[kept].astype(np.int64)
    found = _Entailed(sources, _rows_of(answered, values.names, sources, codes), codes, values.names)
    found = found.taken(found.targets != sources)
    if once:
        _, first = np.unique(found.sources * max(len(values.names), 1) + found.listed_as, return_index=True)
        found = found.taken(first)
    return found


def _rows_of(
    answered: Answered, names: Sequence[str], sources: NDArray[np.int64], listed_as: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the row of each listed id, -1 where no row has it; ids that are qualified by file are of the same file."""
    table = answered.table
    if not table.scoped:
        return positions(table.ids, texts(names)).astype(np.int64)[listed_as]
    width = max(len(names), 1)
    met, code = np.unique(table.sources.codes[sources].astype(np.int64) * width + listed_as, return_inverse=True)
    qualified = texts(f"{table.sources.names[each // width]}:{names[each % width]}" for each in met.tolist())
    return positions(table.ids, qualified).astype(np.int64)[code]


def _left_out(answered: Answered, entailed: _Entailed) -> tuple[Finding, ...]:
    ids = entailed.names_of(entailed.targets < 0)
    if not ids:
        return ()
    left_out = " and left out" if _holds_others(answered) else ""
    return (
        Finding(
            kind="entailed-missing",
            count=len(ids),
            first=tuple(ids[:_SHOWN]),
            message=f"{counted(len(ids), 'entailed question is', 'entailed questions are')} not among the rows"
            f"{left_out}: consistency.",
        ),
    )

"""What GQA's metrics share: accuracy with its breakdowns, choices, answers of groups, attention in regions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.kernels.attention import attention_in_all
from compsplit.model.answered import Answered, RowMean
from compsplit.model.column import Column, concatenated
from compsplit.model.report import Finding, Measure, Table, Undefined

OPEN = "query"
"""The structural type whose questions are open; all others are binary."""

_COMMON = ("color", "material", "shape")
_SHOWN = 5
_NO_GROUP = "no scored question has a global group"


def accuracy(answered: Answered, of: str, steps: Column | None = None) -> RowMean:
    """Return the share of scored questions whose prediction is the answer, as exact text.

    Args:
        answered: Rows with their predictions.
        of: The rule that reports name.
        steps: The number of steps of each question's program; the official one by default.
    """
    columns = answered.table.named_columns()
    types = {"structural type": "structural", "semantic type": "semantic"}
    by = {name: columns[column] for name, column in types.items() if column in columns}
    if steps is None:
        steps = columns.get("steps")
    if steps is not None:
        by["steps"] = steps
    by["words"] = answered.table.questions.mapped(_n_words)
    return RowMean(
        name="accuracy",
        of=of,
        scores=answered.correct.astype(np.float64),
        counted=answered.scored,
        by={name: column for name, column in by.items() if column.n_used},
    )


def _n_words(text: str) -> str:
    return str(len(text.split()))


def open_and_binary(answered: Answered, of: str) -> tuple[RowMean, RowMean]:
    """Return accuracy on open questions and on all others; a question without a structural type is neither."""
    structural = answered.table.columns.get("structural", Column.absent(len(answered)))
    is_open = np.array([name == OPEN for name in structural.names] + [False])[structural.codes]
    typed = structural.codes >= 0
    scores = answered.correct.astype(np.float64)
    means = [
        RowMean(name=name, of=of, scores=scores, counted=answered.scored & typed & chosen, undefined=why)
        for name, chosen, why in (
            ("open", is_open, f"no scored question has the structural type {OPEN}"),
            ("binary", ~is_open, f"no scored question has another structural type than {OPEN}"),
        )
    ]
    return means[0], means[1]


def untyped(answered: Answered) -> tuple[Finding, ...]:
    """Return a finding of the scored questions that have no structural type."""
    structural = answered.table.columns.get("structural", Column.absent(len(answered)))
    without = answered.scored & (structural.codes < 0)
    n = int(without.sum())
    if not n:
        return ()
    return (
        Finding(
            kind="no-structural-type",
            count=n,
            first=tuple(sorted(answered.table.ids[without].tolist())[:_SHOWN]),
            message=f"{counted(n, 'scored question has', 'scored questions have')} no structural type, so "
            f"{'is' if n == 1 else 'are'} neither open nor binary.",
        ),
    )


def validity_and_plausibility(answered: Answered, of: str) -> tuple[tuple[RowMean, RowMean], tuple[Finding, ...]]:
    """Return the shares of predictions that are in their question's lists, whether right or not.

    Where the detailed type holds "Common", both lists are color, material and shape, as in the official program.
    Questions without choices are left out and counted.
    """
    choices = answered.choices
    n_rows = len(answered)
    if choices is None or not choices.there.any():
        why = "the file of choices holds none" if choices else answered.absent.get("choices", "no choices were given")
        none = np.zeros(n_rows)
        means = [
            RowMean(name=name, of=of, scores=none, counted=none > 0, undefined=why)
            for name in ("validity", "plausibility")
        ]
        return (means[0], means[1]), ()
    detailed = answered.table.columns.get("detailed", Column.absent(n_rows))
    common = np.array(["Common" in name for name in detailed.names] + [False])[detailed.codes]
    predicted = answered.predictions
    in_common = np.array([name in _COMMON for name in predicted.names] + [False])[predicted.codes]
    counted_rows = answered.scored & choices.there
    means = []
    for name, lists in (("validity", choices.valid), ("plausibility", choices.plausible)):
        both = concatenated([predicted, lists.values])
        wanted, values = both.codes[:n_rows], both.codes[n_rows:]
        rows = lists.row_of_value
        found = np.zeros(n_rows, dtype=np.bool_)
        found[rows[(values == wanted[rows]) & (values >= 0)]] = True
        fits = np.where(common, in_common, found) & ~answered.not_text
        means.append(RowMean(name=name, of=of, scores=fits.astype(np.float64), counted=counted_rows))
    return (means[0], means[1]), _without(answered, choices.there, "choices", "validity and plausibility")


def _without(answered: Answered, there: NDArray[np.bool_], what: str, where: str) -> tuple[Finding, ...]:
    without = answered.scored & ~there
    n = int(without.sum())
    if not n:
        return ()
    return (
        Finding(
            kind=f"without-{what.split()[-1]}",
            count=n,
            first=tuple(sorted(answered.table.ids[without].tolist())[:_SHOWN]),
            message=f"{counted(n, 'scored question has', 'scored questions have')} no {what} and "
            f"{'is' if n == 1 else 'are'} left out: {where}.",
        ),
    )


def without_attention(answered: Answered, there: NDArray[np.bool_]) -> tuple[Finding, ...]:
    """Return a finding of the scored questions without attention, or without the scene graph of their regions."""
    return _without(answered, there, "scene graph or attention", "grounding")


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """Right and predicted answers of global groups.

    Attributes:
        groups: Names of the groups that some scored question has, in order.
        sizes: Scored questions of each.
        distances: Sum over the right answers of (predicted - right)^2 / right, in questions.
        answers: Lines of group, answer, how often right, how often predicted.
    """

    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    distances: tuple[float, ...]
    answers: tuple[tuple[str, str, int, int], ...]


def distributions(answered: Answered, rows: NDArray[np.bool_] | None = None) -> Distributions:
    """Return how right and predicted answers are distributed in each global group.

    Args:
        answered: Rows with their predictions; one that is no text is in no line.
        rows: The rows to look at; those that are scored by default.
    """
    groups = answered.table.columns.get("group_global", Column.absent(len(answered)))
    chosen = answered.scored if rows is None else rows
    held = np.flatnonzero(chosen & (groups.codes >= 0) & (answered.table.answers.codes >= 0))
    both = concatenated([answered.table.answers, answered.predictions])
    right, predicted = both.codes[: len(answered)].astype(np.int64), both.codes[len(answered) :].astype(np.int64)
    width = max(len(both.names), 1)
    group = groups.codes[held].astype(np.int64) * width
    as_text = (predicted[held] >= 0) & ~answered.not_text[held]
    counts: dict[int, list[int]] = {}
    for which, packed in enumerate((group + right[held], (group + predicted[held])[as_text])):
        for line, n in zip(*(part.tolist() for part in np.unique(packed, return_counts=True)), strict=True):
            counts.setdefault(line, [0, 0])[which] = n
    lines = sorted(
        (groups.names[line // width], both.names[line % width], n_right, n_predicted)
        for line, (n_right, n_predicted) in counts.items()
    )
    terms: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    for name, _, n_right, n_predicted in lines:
        sizes[name] = sizes.get(name, 0) + n_right
        if n_right:
            terms.setdefault(name, []).append((n_predicted - n_right) ** 2 / n_right)
    names = tuple(sorted(sizes))
    return Distributions(
        groups=names,
        sizes=tuple(sizes[name] for name in names),
        distances=tuple(math.fsum(terms[name]) for name in names),
        answers=tuple(lines),
    )


def distribution(
    found: Distributions,
    of: str,
    *,
    shares: bool,
    name: str = "distribution",
    options: Mapping[str, object] | None = None,
) -> Measure:
    """Return the distance of predicted from right answers, the mean over groups weighted by their questions.

    Args:
        found: The answers of each group.
        of: The rule that reports name.
        shares: Whether shares of answers are compared; else numbers of questions, and the mean divided by 100.
        name: Of the measure.
        options: The reading.
    """
    total = sum(found.sizes)
    value: float | Undefined = Undefined(_NO_GROUP)
    if total:
        # The distance of shares is that of numbers divided by the number of questions.
        weighted = found.distances if shares else [d * n for d, n in zip(found.distances, found.sizes, strict=True)]
        value = math.fsum(weighted) / total / (1 if shares else 100)
    return Measure(
        name=name,
        of=of,
        value=value,
        n=total,
        n_unit="questions with a global group",
        unit="chi-square of shares" if shares else "chi-square / 100",
        options=options or MappingProxyType({}),
    )


def distribution_tables(found: Distributions) -> dict[str, Table]:
    """Return the groups with their distances, and their answers."""
    if not found.groups:
        return {}
    groups = [
        (name, n, distance, distance / n)
        for name, n, distance in zip(found.groups, found.sizes, found.distances, strict=True)
    ]
    return {
        "distribution by global group": Table(
            ("global group", "questions", "chi-square", "chi-square of shares"), tuple(groups)
        ),
        "answers of global groups": Table(("global group", "answer", "right", "predicted"), found.answers),
    }


def ungrounded(answered: Answered, of: str) -> RowMean:
    """Return grounding over no question, with the reason."""
    grounding = answered.grounding
    why = None if grounding is None else grounding.unknown
    why = why or answered.absent.get("grounding", "no attention was given")
    none = np.zeros(len(answered))
    return RowMean(name="grounding", of=of, scores=none, counted=none > 0, whole=None, undefined=why)


def attention_share(
    answered: Answered, of: str, whole: NDArray[np.bool_] | None = None
) -> tuple[RowMean, tuple[Finding, ...]]:
    """Return the share of attention that lies in a question's regions taken together, and what is left out.

    Args:
        answered: Rows with their predictions.
        of: The rule that reports name.
        whole: Questions whose region is the whole image.
    """
    grounding = answered.grounding
    if grounding is None or grounding.unknown is not None:
        return ungrounded(answered, of), () if grounding is None else grounding.findings
    scores = attention_in_all(grounding.maps, grounding.starts, grounding.boxes)
    has_region = np.diff(grounding.starts) > 0
    if whole is not None:
        scores = np.where(whole, (grounding.maps.sum(axis=(1, 2)) > 0).astype(np.float64), scores)
        has_region = has_region | whole
    negative = (grounding.maps < 0).any(axis=(1, 2))
    asked = answered.scored & grounding.there
    mean = RowMean(
        name="grounding",
        of=of,
        scores=np.where(negative, 0.0, scores),
        counted=asked & has_region & ~negative,
        whole=None,
        n_unit="questions with regions",
        undefined="no scored question points at a region and has attention that is nowhere negative",
        options={"map_size": grounding.maps.shape[1]},
    )
    findings = [*grounding.findings, *without_attention(answered, grounding.there)]
    for kind, rows, one, many in (
        ("no-region", asked & ~has_region, "points at no region", "point at no region"),
        ("negative-attention", asked & has_region & negative, "has negative attention", "have negative attention"),
    ):
        n = int(rows.sum())
        if n:
            findings.append(
                Finding(
                    kind=kind,
                    count=n,
                    first=tuple(sorted(answered.table.ids[rows].tolist())[:_SHOWN]),
                    message=f"{counted(n, f'scored question {one}', f'scored questions {many}')} and "
                    f"{'is' if n == 1 else 'are'} left out: grounding ({of}).",
                )
            )
    return mean, tuple(findings)

"""GQA-OOD: accuracy on the common and on the rare answers of unevenly answered question groups.

Groups, entropies, head and tail are those of ``kernels.head_tail``, made from the scored questions themselves (not from
train), whose own answers decide. acc-all is accuracy over the questions of the groups that are kept, acc-head and
acc-tail over those with a common and a rare answer; a prediction is right if it equals the answer exactly. For each of
the three also open, binary and distribution, as ``gqa-official`` has them, and the images. The curve repeats accuracy
for other alpha: from -0.5 to 1 in tenths unless others are asked for.

Source: Kervadec, Antipov, Baccouche, Wolf 2021, arXiv 2006.05121, as their published program computes it. Deviations:
an empty set divides by zero there, and is undefined with the reason; data without any question group are, too. The gap
between head and tail is in no program of theirs, and in none of the measures. It runs when it is asked for. Cost:
O(rows), and O(different answers of groups) for each alpha.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError, counted
from compsplit.kernels.head_tail import EVEN, HEAD, TAIL, QuestionGroups, question_groups
from compsplit.metrics.gqa_scoring import distribution, distributions, open_and_binary
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Column, crossed
from compsplit.model.report import Finding, Measure, Table, Undefined
from compsplit.model.targets import exact_fraction
from compsplit.registry import register

OF = "gqa-ood"
_CURVE = tuple(k / 10 for k in range(-5, 11))
_SETS = ("all", "head", "tail")


def _never(answered: Answered) -> bool:
    return False


@register(
    "metric",
    "gqa-ood",
    source="Kervadec et al. 2021, arXiv 2006.05121, and its published program",
    unit="%",
    bounds=(0, 100),
    better="higher",
    fits=_never,
)
def measure(
    answered: Answered, *, alpha: float = 0.2, group: str = "group_local", alphas: Sequence[float] = _CURVE
) -> Scored:
    """Accuracy on the common and on the rare answers of unevenly answered question groups.

    Args:
        answered: Rows with their predictions.
        alpha: How far above the mean share the tail reaches: 0 for the mean, at least -1.
        group: The column of question groups.
        alphas: The points of the curve.

    Raises:
        OptionValueError: An alpha is less than -1.
    """
    for name, value in (("alpha", alpha), *(("alphas", each) for each in alphas)):
        if not (math.isfinite(value) and value >= -1):
            raise OptionValueError(f"{OF}.{name}", value, "a number of at least -1")
    options = {"alpha": alpha, "group": group}
    columns = answered.table.named_columns()
    rows = answered.scored & (answered.table.answers.codes >= 0)
    if group not in columns or not (columns[group].codes[rows] >= 0).any():
        why = f"no scored question has a group ({group})"
        sets = {name: np.zeros(len(answered), dtype=np.bool_) for name in _SETS}
        return Scored(
            _means(answered, sets, options, dict.fromkeys(_SETS, why)), _measures(answered, sets, options, why)
        )
    kinds = columns[group].or_else(Column.of(["none"] * len(answered)))
    # A row that is not scored has no answer here, so that it decides nothing.
    answers = Column(np.where(rows, answered.table.answers.codes, -1).astype(np.int32), answered.table.answers.names)
    pairs = crossed(kinds, answers)
    groups = question_groups(kinds, pairs)
    sets = _sets(groups, pairs, alpha)
    return Scored(
        _means(answered, sets, options, {name: _why(name, groups, alpha) for name in _SETS}),
        _measures(answered, sets, options, groups),
        {
            "accuracy by alpha (gqa-ood)": _curve(answered, groups, pairs, alphas),
            "question groups (gqa-ood)": _group_table(groups, kinds, alpha),
            "answers of kept question groups (gqa-ood)": _answer_table(groups, kinds, answers, pairs, alpha),
        },
        _left_out(answered, rows, sets["all"]),
    )


def _sets(groups: QuestionGroups, pairs: Column, alpha: float) -> dict[str, NDArray[np.bool_]]:
    """Return the questions of all kept groups, of their head and of their tail."""
    part = np.append(groups.part_of_pair(exact_fraction(alpha)), EVEN)[pairs.codes]
    return {"all": part != EVEN, "head": part == HEAD, "tail": part == TAIL}


def _why(name: str, groups: QuestionGroups, alpha: float) -> str:
    if not groups.n_kept:
        return f"none of {counted(len(groups.kinds), 'question group')} is answered unevenly enough"
    return f"no answer of {counted(groups.n_kept, 'kept question group')} is in the {name} at alpha {alpha:g}"


def _accuracy(answered: Answered, rows: NDArray[np.bool_], name: str, options: dict[str, object], why: str) -> RowMean:
    scores = answered.correct.astype(np.float64)
    return RowMean(name=f"acc-{name}", of=OF, scores=scores, counted=rows, undefined=why, options=options)


def _means(
    answered: Answered, sets: dict[str, NDArray[np.bool_]], options: dict[str, object], why: dict[str, str]
) -> tuple[RowMean, ...]:
    """Return accuracy on each set, then on its open and on its other questions."""
    by_type = [
        RowMean(
            name=f"{mean.name}-{name}", of=OF, scores=mean.scores, counted=mean.counted & rows, options=options,
            undefined=mean.undefined.replace("scored question", f"question of {name}") if rows.any() else why[name],
        )
        for name, rows in sets.items()
        for mean in open_and_binary(answered, OF)
    ]  # fmt: skip
    return (*(_accuracy(answered, rows, name, options, why[name]) for name, rows in sets.items()), *by_type)


def _measures(
    answered: Answered,
    sets: dict[str, NDArray[np.bool_]],
    options: dict[str, object],
    groups: QuestionGroups | str,
) -> tuple[Measure, ...]:
    """Return distribution and images of each set, and the entropies of groups, or why there are none."""
    images = answered.table.images.codes
    values: dict[str, float | Undefined] = dict.fromkeys(("mean", "deviation", "threshold"), Undefined(str(groups)))
    n_groups = 0
    if isinstance(groups, QuestionGroups):
        values = {"mean": groups.mean, "deviation": groups.deviation, "threshold": groups.threshold}
        n_groups = len(groups.kinds)
    return (
        *(
            distribution(distributions(answered, rows), OF, shares=False, name=f"distribution-{name}", options=options)
            for name, rows in sets.items()
        ),
        *(
            Measure(
                name=f"images-{name}", of=OF, value=len(np.unique(images[rows & (images >= 0)])), n=int(rows.sum()),
                n_unit="questions", unit="images", options=options,
            )
            for name, rows in sets.items()
        ),
        *(
            Measure(
                name=f"entropy-{name}", of=OF, value=value, n=n_groups, n_unit="question groups",
                unit="normalised entropy", options={"group": options["group"]},
            )
            for name, value in values.items()
        ),
    )  # fmt: skip


def _curve(answered: Answered, groups: QuestionGroups, pairs: Column, alphas: Sequence[float]) -> Table:
    everything = np.ones(len(answered), dtype=np.bool_)
    lines = []
    for alpha in sorted(set(alphas)):
        sets = _sets(groups, pairs, alpha)
        line: list[float | int | None] = [alpha]
        for name in ("head", "tail"):
            value, n = _accuracy(answered, sets[name], name, {}, "empty").over(everything)
            line += [n, None if isinstance(value, Undefined) else float(value)]
        lines.append(tuple(line))
    return Table(("alpha", "head questions", "acc-head", "tail questions", "acc-tail"), tuple(lines))


def _group_table(groups: QuestionGroups, kinds: Column, alpha: float) -> Table:
    lines = [
        (kinds.names[kind], size, n_answers, entropy, "yes" if kept else "no", 1 / n_answers, (1 + alpha) / n_answers)
        for kind, size, n_answers, entropy, kept in zip(
            groups.kinds.tolist(), groups.sizes.tolist(), groups.n_answers.tolist(), groups.entropies.tolist(),
            groups.kept.tolist(), strict=True,
        )
    ]  # fmt: skip
    columns = ("question group", "questions", "answers", "normalised entropy", "kept", "mean share", "tail below share")
    return Table(columns, tuple(sorted(lines)))


def _answer_table(groups: QuestionGroups, kinds: Column, answers: Column, pairs: Column, alpha: float) -> Table:
    part = groups.part_of_pair(exact_fraction(alpha))
    row_of = np.zeros(len(part), dtype=np.int64)
    there = np.flatnonzero(pairs.codes >= 0)
    row_of[pairs.codes[there]] = there
    lines = [
        (kinds[int(row_of[pair])], answers[int(row_of[pair])], int(groups.counts[pair]), _SETS[1 + part[pair]])
        for pair in np.flatnonzero(part != EVEN).tolist()
    ]
    return Table(("question group", "answer", "questions", "set"), tuple(sorted(lines)))


def _left_out(answered: Answered, rows: NDArray[np.bool_], kept: NDArray[np.bool_]) -> tuple[Finding, ...]:
    n = int((rows & ~kept).sum())
    if not n:
        return ()
    return (
        Finding(
            kind="evenly-answered",
            count=n,
            first=tuple(sorted(answered.table.ids[rows & ~kept].tolist())[:5]),
            message=f"{counted(n, 'scored question is', 'scored questions are')} of groups that are answered too "
            "evenly and in none of the sets of gqa-ood.",
        ),
    )

"""VQA accuracy of each question by any rule of normalising, and what to know of it.

Of a question with n answers, m of them equal to the prediction, each answer is left out in turn: the mean over the n
ways of min(1, matches among the others / 3). That is (m min(3, m - 1) + (n - m) min(3, m)) / 3n, an exact fraction.

Source: Antol et al. 2015, arXiv 1505.00468; GT-Vision-Lab/VQA, ``vqaEval.py``. There an answer record is left out
together with all that equal it as a whole after normalising, which happens only to records without distinct
``answer_id``; here each counts by its position unless that is asked for. Deviations: a question that nobody answered is
not counted (a division by zero there), inputs are never changed (so a second call gives what the first gave), a
prediction outside the choices of a multiple-choice task is simply wrong, and an empty prediction never gets here from a
file: it is missing, where that program holds it to equal answers of which normalising leaves nothing, such as "the".
Cost: O(answers + characters of different ones).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.kernels.leave_one_out import any_repeated, leave_one_out
from compsplit.metrics.vqa_normalising import clean, normalised
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Codes
from compsplit.model.lists import Lists
from compsplit.model.report import Finding, Measure

EqualRecords: TypeAlias = Literal["position", "drop"]

_BY = {"question type": "question_type", "answer type": "answer_type"}
_MATCHES_NEEDED = 3
_EXACT = 1 << 50
"""Scores are floats; times a number up to this they still round to the right whole number."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How answers and predictions are written before they are compared.

    Attributes:
        name: What reports call it.
        answer_if_same: Of the answers of a question that are all the same when they are so written.
        answer_if_not: Of the answers of any other question.
        prediction_if_same: Of the prediction, in the first case.
        prediction_if_not: Of the prediction, in the second.
    """

    name: str
    answer_if_same: Callable[[str], str]
    answer_if_not: Callable[[str], str]
    prediction_if_same: Callable[[str], str]
    prediction_if_not: Callable[[str], str]


def cleaned_and_normalised(text: str) -> str:
    """Return the text cleaned, then after both steps."""
    return normalised(clean(text))


ALWAYS_CLEAN = Rule("vqa always-clean", *[cleaned_and_normalised] * 4)


def has_people(answered: Answered) -> bool:
    """Tell whether the data hold the answers that people gave, one by one."""
    return "answers" in answered.table.lists


def scored(answered: Answered, rule: Rule, equal_records: EqualRecords) -> Scored:
    """Return the accuracy by a rule, and what to know of it."""
    columns = answered.table.named_columns()
    by = {name: columns[column] for name, column in _BY.items() if columns[column].n_used}
    options = {"equal_records": equal_records}
    lacking = _lacking(answered, equal_records)
    if lacking is not None:
        none = np.zeros(len(answered))
        mean = RowMean(name="accuracy", of=rule.name, scores=none, counted=none > 0, by=by, undefined=lacking)
        return Scored((mean,))
    people = answered.table.lists["answers"]
    points = points_of(answered, rule, equal_records)
    counted_rows = answered.scored & (people.lengths > 0)
    most = np.maximum(people.lengths * _MATCHES_NEEDED, 1)
    mean = RowMean(
        name="accuracy",
        of=rule.name,
        scores=points / most,
        counted=counted_rows,
        whole=_common_denominator(most[counted_rows]),
        by=by,
        undefined="no question that is scored has an answer of people",
        options=options,
    )
    measures, findings = _against_always_clean(answered, rule, equal_records, mean, points)
    return Scored(
        (mean,),
        measures,
        findings=(
            *findings,
            *_without_answers(answered, people),
            *_too_few_answers(answered, people),
            *_equal_records(answered, rule, equal_records, points, counted_rows),
        ),
    )


def points_of(answered: Answered, rule: Rule, equal_records: EqualRecords) -> NDArray[np.int64]:
    """Return what each question's prediction reaches, in units of one third of one answer; shape (n_rows,)."""
    people = answered.table.lists["answers"]
    # Equal forms have equal numbers, whichever side they are of.
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__

    def forms(function: Callable[[str], str], names: Sequence[str]) -> Codes:
        return np.fromiter((numbers[function(name)] for name in names), dtype=np.int32, count=len(names))

    def of_rows(function: Callable[[str], str]) -> Codes:
        found = np.append(forms(function, answered.predictions.names), np.int32(-1))[answered.predictions.codes]
        return np.where(answered.not_text, np.int32(-1), found)

    if_same = forms(rule.answer_if_same, people.values.names)
    if_not = if_same
    if rule.answer_if_not is not rule.answer_if_same:
        if_not = forms(rule.answer_if_not, people.values.names)
    predicted_if_same = of_rows(rule.prediction_if_same)
    predicted_if_not = predicted_if_same
    if rule.prediction_if_not is not rule.prediction_if_same:
        predicted_if_not = of_rows(rule.prediction_if_not)
    rests, n_rests = np.zeros(0, dtype=np.int32), 0
    if equal_records == "drop":
        others = answered.table.lists["answer_records"].values
        rests, n_rests = others.codes, len(others.names)
    points = np.zeros(len(people), dtype=np.int64)
    leave_one_out(
        people.starts, people.values.codes, if_same, if_not, predicted_if_same, predicted_if_not, rests,
        np.zeros(n_rests, dtype=np.int64), points,
    )  # fmt: skip
    return points


def _lacking(answered: Answered, equal_records: EqualRecords) -> str | None:
    if not has_people(answered):
        return "the data do not hold the answers that people gave, one by one"
    if equal_records == "drop" and "answer_records" not in answered.table.lists:
        return "the data do not tell which answer records are equal"
    return None


def _common_denominator(most: NDArray[np.int64]) -> int | None:
    """Return the least number by which all accuracies are whole numbers, None where it is too large to be exact."""
    whole = 1
    for each in np.unique(most).tolist():
        whole = math.lcm(whole, each)
        if whole > _EXACT or whole * len(most) >= 1 << 62:
            return None
    return whole


def _first(answered: Answered, rows: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(sorted(answered.table.ids[rows].tolist())[:5])


def _against_always_clean(
    answered: Answered, rule: Rule, equal_records: EqualRecords, mean: RowMean, points: NDArray[np.int64]
) -> tuple[tuple[Measure, ...], tuple[Finding, ...]]:
    """Return on how many questions the rule and the always-clean rule differ."""
    if rule is ALWAYS_CLEAN:
        return (), ()
    always = points_of(answered, ALWAYS_CLEAN, equal_records)
    differ = (always != points) & mean.counted
    n, n_questions = int(differ.sum()), int(mean.counted.sum())
    measure = Measure(
        name="questions-scored-otherwise", of=rule.name, value=n, n=n_questions, n_unit="questions", unit="questions",
        options={"rule": ALWAYS_CLEAN.name},
    )  # fmt: skip
    if not n:
        return (measure,), ()
    most = np.maximum(answered.table.lists["answers"].lengths * _MATCHES_NEEDED, 1)
    would, _ = RowMean(
        name="accuracy", of=ALWAYS_CLEAN.name, scores=always / most, counted=mean.counted, whole=mean.whole
    ).over(mean.counted)
    finding = Finding(
        kind="rules-differ",
        count=n,
        first=_first(answered, differ),
        message=f"{counted(n, 'question')} of {n_questions:,} {'scores' if n == 1 else 'score'} otherwise if answers "
        f"and predictions are always cleaned: {rule.name} does not normalise the answers of a question on which all "
        f"agree. The metric `vqa-always-clean` gives {_per_cent(would)} % on the same questions.",
    )
    return (measure,), (finding,)


def _per_cent(value: object) -> str:
    return f"{float(value):.2f}"  # type: ignore[arg-type]  # there is a value, since questions differ


def _without_answers(answered: Answered, people: Lists) -> tuple[Finding, ...]:
    none = answered.scored & (people.lengths == 0)
    n = int(none.sum())
    if not n:
        return ()
    message = f"{counted(n, 'question')} that nobody answered {'is' if n == 1 else 'are'} not counted."
    return (Finding(kind="no-answers", count=n, first=_first(answered, none), message=message),)


def _too_few_answers(answered: Answered, people: Lists) -> tuple[Finding, ...]:
    few = answered.scored & (people.lengths > 0) & (people.lengths <= _MATCHES_NEEDED)
    n = int(few.sum())
    if not n:
        return ()
    return (
        Finding(
            kind="few-answers",
            count=n,
            first=_first(answered, few),
            message=f"{counted(n, 'question')} of {int(answered.scored.sum()):,} {'has' if n == 1 else 'have'} fewer "
            "than four answers of people, so that no prediction reaches 100 %: at most 0 % with one, 33.33 % with two, "
            "66.67 % with three.",
        ),
    )


def _equal_records(
    answered: Answered,
    rule: Rule,
    equal_records: EqualRecords,
    points: NDArray[np.int64],
    counted_rows: NDArray[np.bool_],
) -> tuple[Finding, ...]:
    """Return a finding of the questions that score otherwise if equal records are left out together."""
    records = answered.table.lists.get("answer_records")
    if records is None:
        return ()
    others = records.values
    if not any_repeated(records.starts, others.codes, np.full(len(others.names), -1, dtype=np.int64)):
        return ()
    other = points_of(answered, rule, "drop" if equal_records == "position" else "position")
    changed = (other != points) & counted_rows
    n = int(changed.sum())
    if not n:
        return ()
    how = {
        "position": "each counts by its position. The option equal_records = drop leaves equal ones out together, as "
        "the official program does",
        "drop": "equal ones are left out together, as the official program does. The option equal_records = position "
        "counts each by its position",
    }[equal_records]
    return (
        Finding(
            kind="equal-records",
            count=n,
            first=_first(answered, changed),
            message=f"Answer records without an answer_id of their own: {how}, which changes the accuracy of "
            f"{counted(n, 'question')}.",
        ),
    )

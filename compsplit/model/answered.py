"""Rows with a ground truth and a prediction, and what a metric says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from compsplit.model.column import Column, frozen
from compsplit.model.lists import Lists
from compsplit.model.report import Finding, Measure, Table, Undefined
from compsplit.model.table import QATable


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Answers that fit each question, and those that make sense for it.

    Attributes:
        valid: One list a row.
        plausible: One list a row.
        there: Rows that have an entry, shape (n_rows,).
    """

    valid: Lists
    plausible: Lists
    there: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Grounding:
    """Where a model looked, and the regions that question and answer speak of.

    Attributes:
        maps: Attention of each cell; shape (n_rows, n, n), the first index along x, the second along y.
        there: Rows that have a map, shape (n_rows,).
        starts: Row r has regions ``starts[r]`` to ``starts[r + 1]``; shape (n_rows + 1,).
        boxes: Left, top, right and bottom of each region as shares of the image, not clamped; shape (n_regions, 4).
        unknown: Why it is not known which regions questions point at, None where it is.
        findings: What was odd about the files.
    """

    maps: NDArray[np.float64]
    there: NDArray[np.bool_]
    starts: NDArray[np.int64]
    boxes: NDArray[np.float64]
    unknown: str | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PairScores:
    """What a model gives to each row's best pair of those that train shows, and of those that it does not.

    Attributes:
        there: Rows that have scores for both kinds, shape (n_rows,).
        lead: The highest score of a pair seen in train minus that of an unseen one; 0 where not there, shape (n_rows,).
        right: Rows whose own pair has the highest score of its kind, above every other; shape (n_rows,).
        own: Rows whose own pair has a score, shape (n_rows,).
        n_seen: How many different pairs seen in train are scored.
        n_unseen: How many others.
        findings: What was left out.
    """

    there: NDArray[np.bool_]
    lead: NDArray[np.float64]
    right: NDArray[np.bool_]
    own: NDArray[np.bool_]
    n_seen: int
    n_unseen: int
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answered:
    """Rows with their predictions, and what else metrics need.

    Attributes:
        table: All rows that are known, those that are scored and those that only others speak of. Its ``lists`` hold
            ``answers`` (of people), ``answer_records`` and ``entailed`` where the data have them.
        predictions: The prediction of each row, -1 where there is none.
        not_text: Rows whose prediction was a number or another value that is no text: it equals no answer.
        scored: Rows that metrics are about, such as GQA's balanced ones; shape (n_rows,).
        choices: Valid and plausible answers.
        grounding: Attention and regions.
        pair_scores: Scores of pairs, for data whose answers are pairs.
        others: Whether rows were given that only ``entailed`` lists speak of.
        absent: Why something was not given, by its name (``choices``, ``grounding``, ``entailed``, ``pair_scores``).
    """

    table: QATable
    predictions: Column
    not_text: NDArray[np.bool_]
    scored: NDArray[np.bool_]
    choices: Choices | None = None
    grounding: Grounding | None = None
    pair_scores: PairScores | None = None
    others: bool = False
    absent: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, entries in (("predictions", self.predictions), ("not_text", self.not_text), ("scored", self.scored)):
            if len(entries) != len(self.table):
                raise ValueError(f"{name} has {len(entries)} entries for {len(self.table)} rows")
        for array in (self.not_text, self.scored):
            frozen(array)
        object.__setattr__(self, "absent", MappingProxyType(dict(self.absent)))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Rows whose prediction is the answer, as exact text; shape (n_rows,)."""
        place = {name: code for code, name in enumerate(self.table.answers.names)}
        as_answer = np.array([place.get(name, -1) for name in self.predictions.names] + [-1], dtype=np.int64)
        predicted = as_answer[self.predictions.codes]
        return np.asarray((predicted >= 0) & (predicted == self.table.answers.codes) & ~self.not_text)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RowMean:
    """A measure that is the mean of what rows score, so that it can be had for any of them.

    Attributes:
        name: Name of the measure, such as ``accuracy``.
        of: The rule, such as ``gqa official``.
        scores: What each row scores, 1 for a right answer; shape (n_rows,).
        counted: The rows that the mean is taken over, shape (n_rows,).
        whole: Scores times this are whole numbers, so that their mean is an exact fraction; None where they are not.
        unit: Unit of the value: per cent, unless it is named otherwise.
        times: The mean is multiplied by this.
        n_unit: What the rows are.
        by: What the measure is broken down by, such as ``question type``: a column each.
        headline: Whether it is broken down by part and novelty, too; the first of a metric always is.
        undefined: Why there is no value where no row is counted.
        options: The reading that was used.
    """

    name: str
    of: str
    scores: NDArray[np.float64]
    counted: NDArray[np.bool_]
    whole: int | None = 1
    unit: str = "%"
    times: int = 100
    n_unit: str = "questions"
    by: Mapping[str, Column] = field(default_factory=dict)
    headline: bool = False
    undefined: str = "no question is scored"
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.counted):
            raise ValueError(f"{len(self.scores)} scores for {len(self.counted)} rows")
        if not np.isfinite(self.scores).all():
            raise ValueError("scores must be finite; a row that has none is not counted")
        frozen(self.scores)
        frozen(self.counted)

    def over(self, rows: NDArray[np.bool_]) -> tuple[Fraction | float | Undefined, int]:
        """Return the measure of these rows alone, and over how many of them it is taken."""
        scores = self.scores[self.counted & rows]
        n = len(scores)
        if not n:
            return Undefined(self.undefined), 0
        if self.whole is None:
            # Sorted first, so that the last bit does not depend on the order of the rows.
            return float(np.sort(scores).sum()) / n * self.times, n
        total = int(np.rint(scores * self.whole).astype(np.int64).sum())
        return Fraction(total * self.times, n * self.whole), n

    def measure(self, rows: NDArray[np.bool_], part: str | None = None, **options: object) -> Measure:
        """Return the measure of these rows alone."""
        value, n = self.over(rows)
        return Measure(
            name=self.name, of=self.of, value=value, n=n, n_unit=self.n_unit, unit=self.unit, part=part,
            options={**self.options, **options},
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What one metric says.

    Attributes:
        means: Measures that are means of what rows score, the headline first.
        measures: Measures that are not, such as a distance of two distributions.
        tables: By name.
        findings: What to know.
    """

    means: tuple[RowMean, ...] = ()
    measures: tuple[Measure, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

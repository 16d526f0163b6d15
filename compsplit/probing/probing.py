"""Probe a split blindly: what is answered from questions alone on the original split, on the new one, on random ones.

Source: Agrawal et al. 2017, arXiv 1704.08243, table 2 (the same models on VQA v1.0 and on C-VQA, by answer type), with
probes in place of networks. The drop is accuracy on the original split minus accuracy on the new one, in points. Where
no original split is given, random ones of the same sizes stand for it, by their mean. Random splits are measured beside
an original one, too: the drop to them is what sizes and chance come to.

Intervals draw images (``intervals``), the same draws for all splits, so those of drops are paired. That of a mean of
random splits is of the draws of all of them together, and so holds what one random split differs from another, too;
what is learned from is not drawn anew. Cost: each probe once a split, and once more for each point of a curve.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, counted
from compsplit.evaluation.intervals import Units, replicated_by
from compsplit.evaluation.scoring import Drawing
from compsplit.extractors import prepared
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Column
from compsplit.model.lists import Lists
from compsplit.model.rows import Rows
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.probes import Guesses, Lessons, Questions
from compsplit.probing.difficulty import Difficulty, difficulty, neighbouring_pairs
from compsplit.probing.divisions import Division, order_of, random_division, shares_images
from compsplit.readers import detected, inputs
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.readings import key_and_value
from compsplit.recipe.running import Watch, no_watch, read_table
from compsplit.registry import Plugin, plugin, plugins

_TOLD_BY_ANSWERS = ("answer", "qa (", "image + qa", "full_answer")
"""How the names of columns begin that an answer has part in."""

TYPES = ("yes/no", "number", "other")
"""Answer types as the C-VQA paper's table has them; others stand behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """How a split is probed.

    Attributes:
        probes: The probes with their options.
        random_splits: How many random splits stand beside, or for, the original one.
        halvings: A learning curve begins at 1 / 2 ** halvings of train; 0 for none.
        least_rows: Question types are held against each other that have at least so many rows in each test part.
        drawing: How intervals are drawn.
        recipe: Says how questions are reduced, and holds published figures.
        watch: Told each stage.
    """

    probes: tuple[tuple[Plugin, Mapping[str, Any]], ...]
    random_splits: int = 5
    halvings: int = 4
    least_rows: int = 20
    drawing: Drawing = field(default_factory=Drawing)
    recipe: Recipe = field(default_factory=lambda: from_mapping("probe", {"title": "Blind probes"}))
    watch: Watch = no_watch

    def __post_init__(self) -> None:
        for name, value, least in (
            ("random-splits", self.random_splits, 0),
            ("halvings", self.halvings, 0),
            ("least-rows", self.least_rows, 1),
        ):
            if value < least:
                raise UsageError(f"--{name} takes a whole number, at least {least}; got {value}.", field=f"--{name}")


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What one probe answers on one division.

    Attributes:
        division: The rows.
        guesses: What it answers, test row by test row.
        predictions: The same as texts.
        mean: What each test row scores.
        drawn: Accuracy of each draw, by answer type and last of all rows; shape (n_draws, n_types + 1).
    """

    division: Division
    guesses: Guesses
    predictions: Column
    mean: RowMean
    drawn: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ProbeResults:
    """What one probe answers on every division.

    Attributes:
        name: What it is called.
        base: On the original split, or on each random one that stands for it.
        new: On the split that is probed.
        random: On random splits beside the original one.
        curve: (name of the division, rows learned from, mean over the test rows, draws) from the fewest rows on.
    """

    name: str
    base: tuple[Result, ...]
    new: Result
    random: tuple[Result, ...]
    curve: tuple[tuple[str, int, RowMean, NDArray[np.float64]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ProbedRows:
    """Everything that was found out, before it is told.

    Attributes:
        table: Rows with question and answer.
        rows: The same, prepared.
        base: The original division, or random ones that stand for it.
        new: The division that is probed.
        random: Random divisions beside an original one.
        by_image: Whether random divisions keep images together.
        types: Answer types, in the order of the table.
        type_of_row: The answer type of each row.
        results: Of each probe.
        difficulty: Of the rows of the base (the first, where there are several) and of the new division; None where
            rows have no pairs.
        units: What is drawn for intervals.
        metric: The name of the rule.
        reducer: What the reducer says of itself.
    """

    table: QATable
    rows: Rows
    base: tuple[Division, ...]
    new: Division
    random: tuple[Division, ...]
    by_image: bool
    types: tuple[str, ...]
    type_of_row: Column
    results: tuple[ProbeResults, ...]
    difficulty: tuple[Difficulty, Difficulty] | None
    units: Units
    metric: str
    reducer: Mapping[str, Any]


def named_probes(written: Sequence[str]) -> tuple[tuple[Plugin, Mapping[str, Any]], ...]:
    """Return probes with their options, of ``NAME`` and ``NAME,KEY=VALUE`` texts; every probe where there is none.

    Raises:
        UsageError: A text is not of this form, or stands twice.
        CompsplitError: There is no such probe or option.

    Example:
        >>> [(each.name, dict(options)) for each, options in named_probes(["local-prior,column=image", "linear"])]
        [('local-prior', {'column': 'image'}), ('linear', {})]
    """
    found = []
    for each in written:
        name, *settings = (piece.strip() for piece in each.split(","))
        options = {}
        for setting in settings:
            key, value = key_and_value(setting, "KEY=VALUE, as in local-prior,column=image", "--probe")
            options[key] = value
        probe = plugin("probe", name)
        found.append((probe, probe.check(options, name)))
    if len({(probe.name, tuple(sorted(options.items()))) for probe, options in found}) < len(found):
        raise UsageError("A probe is asked for twice with the same options.", field="--probe")
    return tuple(found) or tuple((probe, {}) for probe in plugins("probe").values())


def read_questions(files: Sequence[Any], format: str | None, options: Mapping[str, Any]) -> QATable:
    """Return questions with what people answered, where their reader keeps that; options are the reader's.

    Raises:
        UsageError: The files hold scenes.
    """
    if files and all(isinstance(file, str | Path) for file in files):
        files = inputs(files)
        format = format or detected(files)
        if "keep_answers" in plugin("reader", format).options:
            options = {"keep_answers": True, **options}
    given = len(files) == 1 and isinstance(files[0], QATable | SceneTable)
    table = files[0] if given else read_table(files, format, options)
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}), and probes answer questions.", field="format")
    return table


def answerable(table: QATable) -> QATable:
    """Return the rows that have a question and an answer; the others are left out and counted.

    Raises:
        UsageError: No row has both.
    """
    for name, column in (("answer", table.answers), ("question", table.questions)):
        if not column.n_used:
            raise UsageError(
                f"No row has {'an' if name == 'answer' else 'a'} {name}, and probes learn answers from questions. Add "
                f"the file that holds them, or name the column with --column {name}=NAME.",
                field=name,
            )
    table = table.keep(table.answers.codes >= 0, "no answer", "rows without an answer left out")
    if not len(table) or not table.questions.n_used:
        raise UsageError("No row has both a question and an answer, and probes learn answers from questions.")
    return table.keep(table.questions.codes >= 0, "no question", "rows without a question left out")


def probed(table: QATable, new: Division, original: Division | None, how: Probing) -> ProbedRows:
    """Return what probes answer.

    Args:
        table: Rows that all have a question and an answer.
        new: The rows of the split that is probed.
        original: Those of the split that it is held against; random ones without it.
        how: What is asked.

    Raises:
        UsageError: There is neither an original split nor a random one.
    """
    how.watch("reducing")
    reducer = how.recipe.reduce.make()
    rows = prepared(table, reducer, **how.recipe.extract.prepare)
    order = order_of(table)
    by_image = bool(table.images.n_used) and (original is None or not shares_images(table, original))
    random = tuple(
        random_division(table, new, number, order, by_image=by_image) for number in range(1, how.random_splits + 1)
    )
    if original is None and not random:
        raise UsageError(
            "There is nothing to hold the split against: give --original, or at least one of --random-splits.",
            field="--random-splits",
        )
    base = random if original is None else (original,)
    beside = () if original is None else random
    types = rows.column("answer_type")
    held = {types.names[code] for code in np.unique(types.codes[types.codes >= 0]).tolist()}
    # All three, as the paper's table has them, unless the records know other types alone.
    names = [*(TYPES if held & set(TYPES) else ()), *sorted(held - set(TYPES))]
    numbers = {name: number for number, name in enumerate(names)}
    renumbered = np.array([numbers.get(name, -1) for name in types.names], dtype=np.int32)[types.codes]
    metric = plugin("metric", "vqa-2021" if "answers" in table.lists else "exact")
    shown = _Shown(table, _questions(rows), metric, Column(renumbered, tuple(names)), Units.of(table), how.drawing)
    results = []
    for name, (probe, options) in zip(_names(how.probes), how.probes, strict=True):
        how.watch(f"probing: {name}")
        made = {each.name: shown.result(each, probe, options) for each in (*base, new, *beside)}
        curve = [
            point
            for each in (base[0], new)
            for point in shown.curve(each, probe, options, how.halvings, made[each.name])
        ]
        results.append(
            ProbeResults(
                name,
                tuple(made[each.name] for each in base),
                made[new.name],
                tuple(made[each.name] for each in beside),
                tuple(curve),
            )
        )
    how.watch("telling how hard rows are")
    pairs = neighbouring_pairs(table, rows)
    told = None
    if pairs is not None:
        told = (difficulty(pairs, *_masks(base[0], len(table))), difficulty(pairs, *_masks(new, len(table))))
    return ProbedRows(
        table=table, rows=rows, base=base, new=new, random=beside, by_image=by_image, types=tuple(names),
        type_of_row=shown.types, results=tuple(results), difficulty=told, units=shown.units, metric=metric.name,
        reducer=reducer.described,
    )  # fmt: skip


def _masks(division: Division, n_rows: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    train, test = np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    train[division.train] = True
    test[division.test] = True
    return train, test


def _names(probes: Sequence[tuple[Plugin, Mapping[str, Any]]]) -> list[str]:
    """Return what each probe is called: its name, and its options where any are given."""
    return [
        f"{probe.name} ({', '.join(f'{name} {value}' for name, value in sorted(options.items()))})"
        if options
        else probe.name
        for probe, options in probes
    ]


def _questions(rows: Rows) -> dict[str, Column]:
    """Return the columns that an answer has no part in."""
    return {
        name: column
        for name, column in rows.columns.items()
        if not name.startswith(_TOLD_BY_ANSWERS) and name != "id" and column.names
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """What probes are shown, and how their answers are scored.

    Attributes:
        table: All rows.
        questions: Their columns without the answers.
        metric: The rule.
        types: The answer type of each row.
        units: What is drawn for intervals.
        drawing: How.
    """

    table: QATable
    questions: Mapping[str, Column]
    metric: Plugin
    types: Column
    units: Units
    drawing: Drawing

    def result(self, division: Division, probe: Plugin, options: Mapping[str, Any]) -> Result:
        """Return what a probe answers on a division."""
        guesses, predictions = self._guessed(division.train, division.test, probe, options)
        mean = self._scored(division.test, predictions)
        return Result(division, guesses, predictions, mean, self._drawn(division.test, mean))

    def curve(
        self, division: Division, probe: Plugin, options: Mapping[str, Any], halvings: int, whole: Result
    ) -> list[tuple[str, int, RowMean, NDArray[np.float64]]]:
        """Return what the probe scores when it learns from the first rows of train alone."""
        points = []
        sizes = [len(division.train) >> halving for halving in range(halvings, 0, -1)]
        for size in dict.fromkeys(size for size in sizes if size):
            _, predictions = self._guessed(division.train[:size], division.test, probe, options)
            mean = self._scored(division.test, predictions)
            points.append((division.name, size, mean, self._drawn(division.test, mean)[:, -1]))
        if points:
            points.append((division.name, len(division.train), whole.mean, whole.drawn[:, -1]))
        return points

    def _guessed(
        self, train: NDArray[np.int64], test: NDArray[np.int64], probe: Plugin, options: Mapping[str, Any]
    ) -> tuple[Guesses, Column]:
        given = self.table.answers.take(train)
        # Numbered in alphabetical order, and those of train alone: no probe knows what only test answers.
        held = sorted(np.unique(given.codes).tolist(), key=given.names.__getitem__)
        numbers = np.full(len(given.names), -1, dtype=np.int32)
        numbers[held] = np.arange(len(held), dtype=np.int32)
        names = tuple(given.names[code] for code in held)
        lessons = Lessons(
            Questions({name: column.take(train) for name, column in self.questions.items()}),
            Column(numbers[given.codes], names),
        )
        asked = Questions({name: column.take(test) for name, column in self.questions.items()})
        guesses: Guesses = probe.make(lessons, asked, **options)
        return guesses, Column(guesses.answers, names)

    def _scored(self, test: NDArray[np.int64], predictions: Column) -> RowMean:
        everywhere = np.ones(len(test), dtype=bool)
        answered = Answered(
            table=_only(self.table, test), predictions=predictions, not_text=~everywhere, scored=everywhere
        )
        said: Scored = self.metric.make(answered)
        return said.means[0]

    def _drawn(self, test: NDArray[np.int64], mean: RowMean) -> NDArray[np.float64]:
        n_rows, n_types = len(self.table), len(self.types.names)
        if not self.drawing.replicates:
            return np.zeros((0, n_types + 1))
        counted, scores = np.zeros(n_rows, dtype=bool), np.zeros(n_rows)
        counted[test] = mean.counted
        # Whole numbers, so that sums do not depend on their order.
        scale = mean.whole or 1
        scores[test] = mean.scores * scale
        whole = np.zeros(n_rows, dtype=np.int64)
        asked = [(scores, counted, self.types.codes.astype(np.int64), n_types), (scores, counted, whole, 1)]
        values = replicated_by(asked, self.units, n=self.drawing.replicates, seed=self.drawing.seed).values
        return values * (mean.times / scale)


def _only(table: QATable, rows: NDArray[np.int64]) -> QATable:
    """Return what metrics need of these rows."""
    lists: dict[str, Lists] = {name: each.take(rows) for name, each in table.lists.items()}
    named = {
        name: getattr(table, name).take(rows)
        for name in ("images", "questions", "answers", "question_types", "answer_types", "origins", "sources")
    }
    return dataclasses.replace(
        table, ids=table.ids[rows], n_answers=table.n_answers[rows], columns={}, lists=lists, records=(), left_out=(),
        decisions={}, findings=(), **named,
    )  # fmt: skip


def rows_told(table: QATable) -> str:
    """Return how many rows there are, of how many images."""
    told = counted(len(table), "row")
    return f"{told} about {counted(table.images.n_used, 'image')}" if table.images.n_used else told

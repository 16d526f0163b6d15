"""The report of probes: the table of the C-VQA paper's kind, drops by question type, curves, and what is hard."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.evaluation.intervals import Interval, described, interval, replicated_by
from compsplit.model.answered import RowMean
from compsplit.model.report import Finding, Measure, Report, Table, Undefined
from compsplit.probes.asking import COMMONEST
from compsplit.probing.difficulty import Difficulty, auc, correlation, ranks
from compsplit.probing.probing import ProbedRows, ProbeResults, Probing, Result, rows_told
from compsplit.recipe.reporting import decided, left_out_told, without_tables

OVERALL = "overall"
_SHOWN_DROPS = 3
"""Question types of each probe that a person is shown; the table of all stands beside."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure with its interval.

    Attributes:
        value: In per cent, or points.
        n: Rows that it is over; the mean number where it is a mean of several splits.
        bounds: Its interval; None where none was asked for.
    """

    value: Fraction | float | Undefined
    n: int
    bounds: Interval | Undefined | None

    @property
    def written(self) -> str:
        """Value and interval with one digit, two for the value."""
        if isinstance(self.value, Undefined):
            return "-"
        value = f"{float(self.value):.2f}"
        if not isinstance(self.bounds, Interval):
            return value
        return f"{value} ({self.bounds.low:.1f}, {self.bounds.high:.1f})"

    @property
    def plain(self) -> tuple[float | None, float | None, float | None]:
        """Value, low and high as numbers, None where there is none."""
        value = None if isinstance(self.value, Undefined) else float(self.value)
        if value is None or not isinstance(self.bounds, Interval):
            return value, None, None
        return value, self.bounds.low, self.bounds.high


class _Told:
    """What is told of one set of results; figures are made when they are asked for."""

    def __init__(self, found: ProbedRows, how: Probing) -> None:
        self.found = found
        self.how = how
        self.base_name = found.base[0].name if len(found.base) == 1 else f"random, mean of {len(found.base)}"
        self.random_name = f"random, mean of {len(found.random)}"
        self.columns = (*found.types, OVERALL)

    def accuracy(self, results: Sequence[Result], column: int) -> Cell:
        """Return accuracy by answer type (or overall) on a split, or its mean over several."""
        values = []
        n = 0
        for each in results:
            value, rows = each.mean.over(self._marked(each, column))
            if isinstance(value, Undefined):
                return Cell(Undefined(f"no test row is of the type {self.columns[column]}"), 0, None)
            values.append(value)
            n += rows
        drawn = np.concatenate([each.drawn[:, column] for each in results])
        return Cell(sum(values[1:], values[0]) / len(values), round(n / len(results)), self.between(drawn))

    def drop(self, base: Sequence[Result], new: Result, column: int) -> Cell:
        """Return accuracy on one split minus accuracy on another."""
        before, after = self.accuracy(base, column), self.accuracy([new], column)
        if isinstance(before.value, Undefined) or isinstance(after.value, Undefined):
            missing = before.value if isinstance(before.value, Undefined) else after.value
            return Cell(missing, 0, None)
        drawn = np.concatenate([each.drawn[:, column] - new.drawn[:, column] for each in base])
        return Cell(before.value - after.value, after.n, self.between(drawn))

    def sampled(self, mean: RowMean, drawn: NDArray[np.float64]) -> Cell:
        """Return a mean over all its rows."""
        value, n = mean.over(np.ones(len(mean.scores), dtype=bool))
        return Cell(value, n, self.between(drawn))

    def between(self, drawn: NDArray[np.float64]) -> Interval | Undefined | None:
        drawing = self.how.drawing
        return interval(drawn, self.found.units, drawing.level) if drawing.replicates else None

    def _marked(self, result: Result, column: int) -> NDArray[np.bool_]:
        if column == len(self.found.types):
            return np.ones(len(result.division.test), dtype=bool)
        return np.asarray(self.found.type_of_row.codes[result.division.test] == column)


def reported(found: ProbedRows, how: Probing, notes: Sequence[Finding] = ()) -> Report:
    """Return the report of what probes answer.

    Args:
        found: What they answer.
        how: What was asked.
        notes: What was found out before.
    """
    told = _Told(found, how)
    measures = [measure for each in found.results for measure in _measures(told, each)]
    shown: dict[str, Table] = {"accuracy": _accuracy_table(told)}
    if found.random:
        shown["random splits of the same sizes"] = _random_table(told)
    drops = _drops(told)
    shown["question types that drop most"] = _most(drops)
    tables = {**shown, "drop by question type": drops, "how answers were found": _found_table(told)}
    if any(each.curve for each in found.results):
        shown["learning curves"] = _curves(told)
        tables |= {"learning curves": shown["learning curves"], "points of the curves": _points(told)}
    if found.difficulty is not None:
        hard, accuracies, more = _difficulty_tables(told, found.difficulty)
        shown |= {"difficulty and success": hard, "accuracy by unseen pairs": accuracies}
        tables |= {**shown, "unseen pairs": found.difficulty[1].unseen}
        measures += more
    published = _published(found, how)
    tables |= published
    divisions = (*found.base, found.new, *found.random)
    drawing = how.drawing
    subject = {
        "kind": "probe",
        "title": how.recipe.title,
        "rows": len(found.table),
        "splits": {
            each.name: {
                "train": len(each.train), "test": len(each.test), "parts": list(each.parts), "in neither": each.n_other,
            }
            for each in divisions
        },
        "random splits keep together": "images" if found.by_image else "rows",
        "rule": found.metric,
        "probes": {
            each.name: {"by": each.new.guesses.label, **each.new.guesses.facts} for each in found.results
        },
        "pairs": None if found.difficulty is None else found.difficulty[1].of,
        "intervals": described(found.units, drawing.replicates, drawing.seed, drawing.level)
        if drawing.replicates
        else None,
        "least rows of a question type": how.least_rows,
        "reducer": without_tables(found.reducer),
        "decisions": dict(found.table.decisions),
        "left out": len(found.table.left_out),
        "measures in tables": True,
        "shown tables": [*shown, *published],
        "verdict": _verdict(told),
    }  # fmt: skip
    findings = (*notes, *_findings(told), *found.table.findings, *decided(found.table))
    return Report(subject, tuple(measures), tables, findings)


def _measures(told: _Told, each: ProbeResults) -> list[Measure]:
    made = []
    for column, name in enumerate(told.columns):
        cells = [
            ("accuracy", told.base_name, told.accuracy(each.base, column), "%"),
            ("accuracy", "new", told.accuracy([each.new], column), "%"),
            ("drop", f"{told.base_name} to new", told.drop(each.base, each.new, column), "points"),
        ]
        if each.random:
            named = f"{told.base_name} to {told.random_name}"
            cells += [
                ("accuracy", told.random_name, told.accuracy(each.random, column), "%"),
                ("drop", named, _to_random(told, each, column), "points"),
            ]
        made += [_measure(told, each, *cell, {"answer type": name}) for cell in cells]
    return made


def _measure(
    told: _Told, each: ProbeResults, name: str, split: str, cell: Cell, unit: str, options: Mapping[str, Any]
) -> Measure:
    note: dict[str, Any] = {"reproducible": "same platform"} if each.new.guesses.learned else {}
    if isinstance(cell.bounds, Interval):
        note["interval"] = [cell.bounds.low, cell.bounds.high]
    elif isinstance(cell.bounds, Undefined):
        note |= {"interval": None, "interval reason": cell.bounds.reason}
    return Measure(
        name=name, of=each.new.mean.of, value=cell.value, n=cell.n, n_unit="test rows", unit=unit,
        options={"probe": each.name, "split": split, **options}, note=note,
    )  # fmt: skip


def _to_random(told: _Told, each: ProbeResults, column: int) -> Cell:
    """Return accuracy on the original split minus the mean accuracy on random ones."""
    before, after = told.accuracy(each.base, column), told.accuracy(each.random, column)
    if isinstance(before.value, Undefined) or isinstance(after.value, Undefined):
        return Cell(before.value if isinstance(before.value, Undefined) else after.value, 0, None)
    drawn = np.concatenate([each.base[0].drawn[:, column] - one.drawn[:, column] for one in each.random])
    return Cell(before.value - after.value, after.n, told.between(drawn))


def _accuracy_table(told: _Told) -> Table:
    first = told.found.results[0]
    places = range(len(told.columns))
    lines: list[tuple[Any, ...]] = [
        ("test rows", told.base_name, *(f"{told.accuracy(first.base, k).n:,}" for k in places)),
        ("test rows", "new", *(f"{told.accuracy([first.new], k).n:,}" for k in places)),
    ]
    for each in told.found.results:
        lines += [
            (each.name, told.base_name, *(told.accuracy(each.base, k).written for k in places)),
            (each.name, "new", *(told.accuracy([each.new], k).written for k in places)),
            (each.name, "drop", *(told.drop(each.base, each.new, k).written for k in places)),
        ]
    return Table(("probe", "split", *told.columns), tuple(lines))


def _random_table(told: _Told) -> Table:
    """Return the drop to the mean of random splits, and to how many of them alone it is one that may be nothing."""
    last = len(told.columns) - 1
    lines = []
    for each in told.found.results:
        cell = _to_random(told, each, last)
        alone = [told.accuracy([one], last).plain[0] for one in each.random]
        spread = [value for value in alone if value is not None]
        single = [_holds_zero(told.drop(each.base, one, last)) for one in each.random]
        lines.append(
            (
                each.name,
                told.accuracy(each.base, last).written,
                told.accuracy(each.random, last).written,
                round(min(spread), 2),
                round(max(spread), 2),
                cell.written,
                _holds_zero(cell),
                f"{single.count(True)} of {len(single)}" if single.count(None) == 0 else None,
            )
        )
    columns = (
        "probe", told.base_name, told.random_name, "least", "most", "drop", "0 within", "each alone",
    )  # fmt: skip
    return Table(columns, tuple(lines))


def _holds_zero(cell: Cell) -> bool | None:
    """Tell whether an interval holds zero; None where there is none."""
    _, low, high = cell.plain
    return None if low is None or high is None else low <= 0 <= high


def _drops(told: _Told) -> Table:
    """Return the drop of each question type that has enough rows in every test part, the largest first, by probe."""
    found, how = told.found, told.how
    types = found.rows.column("question_type")
    counts = [np.bincount(types.codes[each.test], minlength=len(types.names)) for each in (*found.base, found.new)]
    eligible = np.flatnonzero(np.min(counts, axis=0) >= how.least_rows)
    numbers = np.full(len(types.names) + 1, -1, dtype=np.int64)
    numbers[eligible] = np.arange(len(eligible))
    number_of_row = numbers[types.codes]
    lines = []
    for each in found.results if len(eligible) else ():
        drawn = [_by_type(told, one, number_of_row, len(eligible)) for one in (*each.base, each.new)]
        made = []
        for k, code in enumerate(eligible.tolist()):
            over = [one.mean.over(number_of_row[one.division.test] == k)[0] for one in (*each.base, each.new)]
            if any(isinstance(value, Undefined) for value in over):
                continue
            values: list[Any] = over
            before = sum(values[1:-1], values[0]) / (len(values) - 1)
            draws = np.concatenate([one[:, k] - drawn[-1][:, k] for one in drawn[:-1]])
            cell = Cell(before - values[-1], 0, told.between(draws))
            n_before = round(int(sum(n[code] for n in counts[:-1])) / len(found.base))
            made.append((each.name, types.names[code], n_before, int(counts[-1][code]), float(before),
                         float(values[-1]), *cell.plain))  # fmt: skip
        lines += sorted(made, key=lambda line: (-float(line[6] or 0), line[1]))
    columns = (
        "probe", "question type", f"rows, {told.base_name}", "rows, new", told.base_name, "new", "drop", "low", "high",
    )  # fmt: skip
    return Table(columns, tuple(lines))


def _by_type(told: _Told, one: Result, number_of_row: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    drawing, mean = told.how.drawing, one.mean
    if not drawing.replicates:
        return np.zeros((0, n))
    scores, counted_rows = np.zeros(len(number_of_row)), np.zeros(len(number_of_row), dtype=bool)
    scale = mean.whole or 1
    scores[one.division.test] = mean.scores * scale
    counted_rows[one.division.test] = mean.counted
    asked = [(scores, counted_rows, number_of_row, n)]
    drawn = replicated_by(asked, told.found.units, n=drawing.replicates, seed=drawing.seed)
    return drawn.values * (mean.times / scale)


def _most(drops: Table) -> Table:
    """Return the first question types of each probe."""
    lines: list[tuple[Any, ...]] = []
    for name in dict.fromkeys(line[0] for line in drops.rows):
        lines += [line for line in drops.rows if line[0] == name][:_SHOWN_DROPS]
    return Table.first_of(drops.columns, lines, len(lines), total=len(drops.rows))


def _curves(told: _Told) -> Table:
    """Return a line a probe and split, and a column a share of train."""
    found = told.found
    shares = [f"1/{1 << halving}" if halving else "all" for halving in range(told.how.halvings, -1, -1)]
    lines: list[tuple[Any, ...]] = []
    for division in (found.base[0], found.new):
        sizes = [len(division.train) >> halving for halving in range(told.how.halvings, -1, -1)]
        lines.append(("train rows", division.name, *(f"{size:,}" for size in sizes)))
    for each in found.results:
        for division in (found.base[0], found.new):
            points = {
                size: dataclasses.replace(told.sampled(mean, drawn), bounds=None).written
                for name, size, mean, drawn in each.curve
                if name == division.name
            }
            sizes = [len(division.train) >> halving for halving in range(told.how.halvings, -1, -1)]
            lines.append((each.name, division.name, *(points.get(size, "-") for size in sizes)))
    return Table(("probe", "split", *shares), tuple(lines))


def _points(told: _Told) -> Table:
    lines = []
    for each in told.found.results:
        for name, size, mean, drawn in each.curve:
            cell = told.sampled(mean, drawn)
            lines.append((each.name, name, size, *cell.plain, cell.n))
    return Table(("probe", "split", "rows learned from", "accuracy", "low", "high", "test rows"), tuple(lines))


def _found_table(told: _Told) -> Table:
    lines = []
    for each in told.found.results:
        for one in (*each.base, each.new, *each.random):
            n = len(one.division.test)
            lines += [(each.name, one.division.name, by, k, k / n) for by, k in one.guesses.found_by.items()]
    return Table(("probe", "split", "decided by", "test rows", "share"), tuple(lines))


def _difficulty_tables(told: _Told, of: tuple[Difficulty, Difficulty]) -> tuple[Table, Table, list[Measure]]:
    """Return how difficulty goes with success on each split, accuracy with and without unseen pairs, and measures."""
    found = told.found
    lines, accuracies, measures = [], [], []
    for each in found.results:
        for result, hard in zip((each.base[0], each.new), of, strict=True):
            rows = result.division.test[result.mean.counted]
            scores = result.mean.scores[result.mean.counted]
            hardness = hard.difficulty[rows]
            values = (
                correlation(ranks(hardness), ranks(scores)),
                correlation(hardness, scores),
                auc(hardness, scores == 0),
            )
            units = (("spearman", "correlation"), ("pearson", "correlation"), ("auc", "AUC"))
            for (name, unit), value in zip(units, values, strict=True):
                cell = Cell(value, len(rows), None)
                told_by = {"of": "difficulty and success"}
                measures.append(_measure(told, each, name, result.division.name, cell, unit, told_by))
            plain = ["undefined" if isinstance(value, Undefined) else value for value in values]
            lines.append((each.name, result.division.name, len(rows), *plain))
            unseen = hard.n_unseen[result.division.test] > 0
            cells = [result.mean.over(mask) for mask in (~unseen, unseen)]
            told_cells = [("undefined" if isinstance(v, Undefined) else float(v), n) for v, n in cells]
            accuracies.append(
                (
                    each.name,
                    result.division.name,
                    told_cells[0][1],
                    told_cells[0][0],
                    told_cells[1][1],
                    told_cells[1][0],
                )
            )
    hard_columns = ("probe", "split", "test rows", "Spearman", "Pearson", "AUC of failure")
    accuracy_columns = (
        "probe", "split", "rows, no pair unseen", "accuracy", "rows, a pair unseen", "accuracy of these",
    )  # fmt: skip
    return Table(hard_columns, tuple(lines)), Table(accuracy_columns, tuple(accuracies)), measures


def _published(found: ProbedRows, how: Probing) -> dict[str, Table]:
    """Return what the paper prints of networks, where the data are known by their counts to be its data."""
    known_by = how.recipe.published.get("known_by")
    counts = {
        "questions": len(found.table),
        "answers": int(found.table.n_answers.sum()),
        "images": found.table.images.n_used,
    }
    if not known_by or any(counts.get(name) != n for name, n in known_by.items()):
        return {}
    tables = {}
    for kind in ("accuracy", "drop"):
        printed = how.recipe.published.get(kind)
        if printed:
            lines = tuple(tuple(line) for line in printed["rows"])
            tables[f"published {kind}, {printed['place']}"] = Table(tuple(printed["columns"]), lines)
    return tables


def _findings(told: _Told) -> list[Finding]:
    found = told.found
    findings = []
    last = len(told.columns) - 1
    for each in found.results if found.random else ():
        cell = _to_random(told, each, last)
        value, low, high = cell.plain
        if _holds_zero(cell) is False:
            findings.append(
                Finding(
                    kind="random-splits-differ",
                    count=len(each.random),
                    first=(each.name,),
                    message=f"{each.name}: random splits of the same sizes differ from the original one, too, by "
                    f"{value:.2f} points ({low:.2f} to {high:.2f}); so much of its drop is not the new split's.",
                )
            )
    for each in found.results:
        n = each.new.guesses.found_by.get(COMMONEST, 0)
        if n and len(each.new.guesses.found_by) > 1:
            findings.append(
                Finding(
                    kind="fell-back",
                    count=n,
                    first=(each.name,),
                    message=f"{each.name}: {counted(n, 'test row')} of the new split got the commonest answer of all, "
                    "since nothing in the question was seen in train.",
                )
            )
        left = {name: n for name, n in each.new.guesses.facts.items() if "not learned from" in name and n}
        for name, n in left.items():
            findings.append(
                Finding(kind="not-learned-from", count=n, first=(each.name,), message=f"{each.name}: {n:,} {name}.")
            )
    if found.new.n_other:
        findings.append(
            Finding(
                kind="in-neither-part",
                count=found.new.n_other,
                first=found.new.parts,
                message=f"{counted(found.new.n_other, 'row is', 'rows are')} in neither {found.new.parts[0]} nor "
                f"{found.new.parts[1]} of the new split.",
            )
        )
    return findings


def _verdict(told: _Told) -> str:
    found = told.found
    last = len(told.columns) - 1
    drops = [(each, told.drop(each.base, each.new, last)) for each in found.results]
    known = [(each, cell) for each, cell in drops if not isinstance(cell.value, Undefined)]
    said = f"Blind probes on {rows_told(found.table)}"
    if not known:
        return f"{said}: no accuracy is defined{left_out_told(found.table)}."
    most = max(known, key=lambda entry: (float(entry[1].value), entry[0].name))  # type: ignore[arg-type]  # defined
    learned = next((entry for entry in known if entry[0].new.guesses.learned), most)
    parts = []
    for each, cell in dict.fromkeys((learned, most)):
        before, after = told.accuracy(each.base, last), told.accuracy([each.new], last)
        low, high = cell.plain[1:]
        around = "" if low is None else f" ({low:.1f} to {high:.1f})"
        parts.append(
            f"{each.name} {float(before.value):.2f} % on the {told.base_name} split"  # type: ignore[arg-type]  # defined
            f" ({before.n:,} test rows), {float(after.value):.2f} % on the new one ({after.n:,}): "  # type: ignore[arg-type]  # defined
            f"drop {float(cell.value):.2f} points{around}"  # type: ignore[arg-type]  # defined
        )
    largest = "; the largest drop" if len(parts) == 1 else ""
    return f"{said}: {'; the largest drop: '.join(parts)}{largest}{left_out_told(found.table)}."

"""Two reports side by side: each measure of both, and how far they are apart."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.files import text_of
from compsplit.model.report import Measure, Report, Table
from compsplit.model.table import Input

NAME = "this audit beside the other"


def read_report(path: Path) -> Mapping[str, Any]:
    """Return a report as JSON has it.

    Raises:
        UsageError: The file holds none.
        FileError: There is no such file.
    """
    try:
        found = json.loads(text_of(Input(path, path.stem)))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} is no report: it is not JSON.", file=path.name) from error
    if not isinstance(found, dict) or found.get("format") != "compsplit-report":
        raise UsageError(
            f"{path.name} is no report of compsplit; expected what `compsplit audit --json` prints.", file=path.name
        )
    return found


def beside(report: Report, other: Mapping[str, Any]) -> Report:
    """Return the report with a table of its measures beside those of another report.

    Measures are the same if name, what was counted, reading, parts and run are; those of one audit alone have no value
    in the other's column.
    """
    rows = []
    for shown, one, two in _paired([measure.to_json() for measure in report.measures], other["measures"]):
        values = [None if each is None else each["value"] for each in (one, two)]
        rows.append((_written(shown), *values, _apart(values[0], values[1]), _reading(shown)))
    columns = ("measure", "this audit", "the other", "difference", "reading")
    return dataclasses.replace(report, tables={NAME: Table(columns, tuple(rows)), **report.tables})


def measures_of_both(one: Report, other: Report) -> Table:
    """Return each measure of two reports, A and B, and how far B is from A, where both have a value.

    A value that is undefined says why; one that the other report alone has is None.
    """
    rows = []
    measures = ([measure.to_json() for measure in report.measures] for report in (one, other))
    for shown, a, b in _paired(*measures):
        values = [None if each is None else _value(each) for each in (a, b)]
        n = [None if each is None else each["n"] for each in (a, b)]
        apart = None if any(isinstance(value, str) for value in values) else _apart(values[1], values[0])
        rows.append((_written(shown), *values, apart, shown["unit"], *n, _reading(shown)))
    return Table(("measure", "A", "B", "B - A", "unit", "n in A", "n in B", "reading"), tuple(rows))


def most_apart(both: Table, most: int) -> Table:
    """Return the shares of ``measures_of_both`` that are furthest apart, furthest first.

    Measures of other units are not of one scale, and those without a difference are left out.
    """
    apart = [row for row in both.rows if row[4] == "fraction" and row[3]]
    apart.sort(key=lambda row: -abs(row[3]))
    lines = tuple((*row[:4], row[7]) for row in apart[:most])
    return Table((*both.columns[:4], both.columns[7]), lines, len(apart))


_Measures = Sequence[Mapping[str, Any]]


def _paired(
    one: _Measures, other: _Measures
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None, Mapping[str, Any] | None]]:
    """Yield each measure with what either report says of it, in the order of the first, then of the second."""
    mine, theirs = ({_key(each): each for each in measures} for measures in (one, other))
    for key in [*mine, *(key for key in theirs if key not in mine)]:
        yield mine[key] if key in mine else theirs[key], mine.get(key), theirs.get(key)


def _apart(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _value(measure: Mapping[str, Any]) -> Any:
    return f"undefined: {measure['reason']}" if measure["reason"] is not None else measure["value"]


def _key(measure: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("name", "of", "reference", "part", "run")
    return (*(str(measure[name]) for name in names), json.dumps(measure["options"], sort_keys=True))


def _written(measure: Mapping[str, Any]) -> str:
    made = {name: measure[name] for name in ("name", "of", "reference", "part")}
    run = "" if measure["run"] is None else f" run {measure['run']}"
    return Measure(value=0, n=0, n_unit="", unit="", **made).written + run


def _reading(measure: Mapping[str, Any]) -> str:
    options = measure["options"]
    return ", ".join(
        f"{name} {value}" for name, value in sorted(options.items()) if isinstance(value, str | int | float)
    )

"""Two audits side by side: each measure of both, and how far they are apart."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
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
    theirs = {_key(each): each for each in other["measures"]}
    mine = {_key(each): each for each in (measure.to_json() for measure in report.measures)}
    rows = []
    for key in [*mine, *(key for key in theirs if key not in mine)]:
        one, two = mine.get(key), theirs.get(key)
        values = [None if each is None else each["value"] for each in (one, two)]
        apart = None if values[0] is None or values[1] is None else values[0] - values[1]
        shown = one or two
        assert shown is not None
        rows.append((_written(shown), *values, apart, _reading(shown)))
    columns = ("measure", "this audit", "the other", "difference", "reading")
    return dataclasses.replace(report, tables={NAME: Table(columns, tuple(rows)), **report.tables})


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

"""A report back from its published format."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from compsplit.errors import UsageError
from compsplit.model.report import FORMAT_VERSION, Finding, Measure, Report, Table, Undefined

_MEASURE = ("name", "of", "options", "reference", "part", "run", "n", "n_unit", "unit")
_OTHER = ("value", "fraction", "reason")


def report_of(found: Mapping[str, Any], file: str) -> Report:
    """Return the report that ``Report.to_json`` wrote.

    Args:
        found: What a JSON file holds.
        file: Its name, for errors.

    Raises:
        UsageError: It is no report, of a later format, or a member of it is missing or of another type.
    """
    if not isinstance(found, Mapping) or found.get("format") != "compsplit-report":
        raise UsageError(f"{file} is no report of compsplit; expected a report.json.", file=file)
    if found.get("format_version") != FORMAT_VERSION:
        raise UsageError(
            f"{file} is a report of format {found.get('format_version')!r}; this compsplit reads format "
            f"{FORMAT_VERSION}. Make it again.",
            file=file,
        )
    place = ""
    try:
        place = "subject"
        subject = dict(_of(found["subject"], Mapping))
        subject["kind"] = str(subject["kind"])
        measures = []
        for at, each in enumerate(_of(found["measures"], list)):
            place = f"measures, number {at + 1}"
            measures.append(_measure(each))
        tables = {}
        for name, each in _of(found["tables"], Mapping).items():
            place = f"tables, {name}"
            tables[name] = _table(each)
        findings = []
        for at, each in enumerate(_of(found["findings"], list)):
            place = f"findings, number {at + 1}"
            findings.append(_finding(each))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, ZeroDivisionError) as error:
        raise UsageError(
            f"{file} is a broken report: {place} is not as the format has it ({error}).", file=file
        ) from None
    return Report(subject, tuple(measures), tables, tuple(findings))


def _of(value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        named = kind.__name__ if isinstance(kind, type) else " or ".join(each.__name__ for each in kind)
        raise TypeError(f"expected {named}, found {type(value).__name__}")
    return value


def _measure(each: Mapping[str, Any]) -> Measure:
    members = {name: each[name] for name in _MEASURE}
    for name in ("name", "of", "n_unit", "unit"):
        _of(members[name], str)
    for name in ("reference", "part"):
        _of(members[name], (str, type(None)))
    _of(members["options"], Mapping)
    _of(members["n"], int)
    value: Fraction | int | float | Undefined
    if each["reason"] is not None:
        value = Undefined(_of(each["reason"], str))
    elif each["fraction"] is not None:
        value = Fraction(_of(each["fraction"], str))
    else:
        value = _of(each["value"], (int, float))
    note = {name: said for name, said in each.items() if name not in (*_MEASURE, *_OTHER)}
    return Measure(**members, value=value, note=note)


def _table(each: Mapping[str, Any]) -> Table:
    columns = tuple(_of(name, str) for name in _of(each["columns"], list))
    rows = tuple(tuple(_of(row, list)) for row in _of(each["rows"], list))
    if any(len(row) != len(columns) for row in rows):
        raise ValueError("a row has not as many values as there are columns")
    total = each.get("total")
    return Table(columns, rows, None if total is None else _of(total, int), each.get("culprits") is True)


def _finding(each: Mapping[str, Any]) -> Finding:
    if each["level"] not in ("report", "fail"):
        raise ValueError(f"level {each['level']!r}")
    first = tuple(tuple(one) if isinstance(one, list) else one for one in _of(each["first"], list))
    return Finding(
        kind=_of(each["kind"], str),
        level=each["level"],
        count=_of(each["count"], int),
        first=first,
        message=_of(each["message"], str),
    )

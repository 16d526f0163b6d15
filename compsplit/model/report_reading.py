"""A report, and the manifest beside it, back from their published formats; each member is checked, at any depth.

What only some kinds of reports have (``subject`` beyond kind and parts, which columns a table has) is checked by those
that ask for it.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from compsplit.errors import UsageError
from compsplit.model.report import FORMAT_VERSION, Finding, Measure, Report, Table, Undefined

MANIFEST_VERSION = 1
"""Of every kind of manifest."""
_MEASURE = ("name", "of", "options", "reference", "part", "run", "n", "n_unit", "unit")
_OTHER = ("value", "fraction", "reason")
_FRACTION = re.compile("-?[0-9]{1,300}/0*[1-9][0-9]{0,299}")
"""What is longer is more than a float holds."""
_MOST_SAID = 200
"""Characters of what Python says of a fault."""
_LONGEST = 60
"""Characters of a found value that an error shows."""


def report_of(found: Any, file: str) -> Report:
    """Return the report that ``Report.to_json`` wrote.

    Args:
        found: What a JSON file holds.
        file: Its name, for errors.

    Raises:
        UsageError: It is no report, of a later format, or a member of it is missing or of another type.
    """
    if not isinstance(found, Mapping) or found.get("format") != "compsplit-report":
        raise UsageError(f"{file} is no report of compsplit; expected a report.json.", file=file)
    _check_version(found, FORMAT_VERSION, file, "a report")
    try:
        return Report(
            _subject(_member(found, "subject")),
            tuple(_measure(each, place) for each, place in _list(found, "measures")),
            {name: _table(each, place) for name, each, place in _mapping(found, "tables")},
            tuple(_finding(each, place) for each, place in _list(found, "findings")),
        )
    except _Broken as broken:
        raise UsageError(f"{file} is a broken report: {broken}. Make it again.", file=file) from None


def manifest_of(found: Any, file: str) -> Mapping[str, Any]:
    """Return a manifest that was written beside a report.

    Args:
        found: What a JSON file holds.
        file: Its name, for errors.

    Raises:
        UsageError: It is no manifest, of a later format, or a member of it is of another type.
    """
    if not isinstance(found, Mapping) or not str(found.get("format", "")).startswith("compsplit-"):
        raise UsageError(f"{file} is no manifest of compsplit.", file=file)
    _check_version(found, MANIFEST_VERSION, file, "a manifest")
    try:
        for name in ("versions", "recipe", "options", "settings", "read", "decisions"):
            if name in found:
                _of(found[name], Mapping, name)
        if "files" in found:
            for _, each, place in _mapping(found, "files"):
                _of(each, Mapping, place)
        if "inputs" in found:
            for each, place in _list(found, "inputs"):
                _of(each, Mapping, place)
    except _Broken as broken:
        raise UsageError(f"{file} is a broken manifest: {broken}. Make it again.", file=file) from None
    return found


@contextlib.contextmanager
def read_as_data(file: str, what: str) -> Iterator[None]:
    """Make an error of Python's, met in making something of a report, one of the report: it is data, and data err.

    Each member is checked as a report is read, but which members a kind of report has, and which columns a table, is
    known only where they are used. What Python says is kept, for the case that the fault is ours.

    Args:
        file: Name of the report.
        what: What was being made, such as ``the figure coverage``.

    Raises:
        UsageError: There was an error.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        if type(error) is UsageError:
            raise
        said = f"{type(error).__name__}: {str(error)[:_MOST_SAID]}"
        raise UsageError(
            f"{file} is a broken report: {what} cannot be made of it ({said}). "
            "Make the report again; if that of the new one fails as well, tell us.",
            file=file,
        ) from error


class _Broken(Exception):
    """What is not as the format has it, and where."""


_NAMED: Mapping[Any, str] = {
    Mapping: "an object", list: "a list", str: "a text", int: "a whole number", float: "a number",
    bool: "true or false", type(None): "null",
}  # fmt: skip


def _check_version(found: Mapping[str, Any], version: int, file: str, what: str) -> None:
    if found.get("format_version") != version or found["format_version"] is True:
        raise UsageError(
            f"{file} is {what} of format {_shown(found.get('format_version'))}; this compsplit reads format {version}. "
            "Make it again.",
            file=file,
        )


def _not(place: str, expected: str, found: Any) -> NoReturn:
    raise _Broken(f"{place} is {_shown(found)}; expected {expected}")


def _shown(value: Any) -> str:
    """Return a found value in words, or itself where it is short and plain."""
    if isinstance(value, Mapping | list):
        return _NAMED[Mapping if isinstance(value, Mapping) else list]
    if isinstance(value, str):
        return f'the text "{value[:_LONGEST]}{"..." if len(value) > _LONGEST else ""}"'
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else _number_shown(value)


def _number_shown(value: Any) -> str:
    # Of a whole number without end, Python does not say the digits.
    return repr(value) if isinstance(value, float) or abs(value) < 10**15 else f"{'-' * (value < 0)}10^15 or more"


def _of(value: Any, kinds: Any, place: str) -> Any:
    """Return a value that is of one of some types; true and false are no numbers."""
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, every) or (isinstance(value, bool) and bool not in every):
        _not(place, " or ".join(_NAMED[kind] for kind in every), value)
    return value


def _member(found: Mapping[str, Any], name: str, within: str = "") -> Any:
    if name not in found:
        raise _Broken(f'{within or "the report"} has no member "{name}"')
    return found[name]


def _list(found: Mapping[str, Any], name: str, within: str = "") -> list[tuple[Any, str]]:
    """Return the members of a list, each with its place."""
    place = f"{within}, {name}" if within else name
    return [(each, f"{place}, number {at}")
            for at, each in enumerate(_of(_member(found, name, within), list, place), start=1)]  # fmt: skip


def _mapping(found: Mapping[str, Any], name: str, within: str = "") -> list[tuple[str, Any, str]]:
    """Return the members of an object, each with its name and place."""
    place = f"{within}, {name}" if within else name
    return [(key, each, f"{place}, {key}") for key, each in _of(_member(found, name, within), Mapping, place).items()]


def _subject(found: Any) -> Mapping[str, Any]:
    subject = _of(found, Mapping, "subject")
    _of(_member(subject, "kind", "subject"), str, "subject, kind")
    for name in ("title", "verdict"):
        _of(subject.get(name), (str, type(None)), f"subject, {name}")
    if "parts" in subject:
        for _, each, place in _mapping(subject, "parts", "subject"):
            _of(each, Mapping, place)
    return dict(subject)


def _count(value: Any, place: str) -> int:
    if _of(value, int, place) < 0:
        _not(place, "0 or more", value)
    return int(value)


def _finite(value: Any, place: str) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        _not(place, "a number that is finite", value)
    return value


def _scalar(value: Any, place: str) -> Any:
    """Return a text, number, true, false or null."""
    if isinstance(value, Mapping | list):
        _not(place, "a text, a number, true, false or null", value)
    return _finite(value, place)


def _cell(value: Any, place: str) -> Any:
    """Return a scalar or a list of scalars."""
    return [_scalar(each, place) for each in value] if isinstance(value, list) else _scalar(value, place)


def _measure(each: Any, place: str) -> Measure:
    _of(each, Mapping, place)
    members = {name: _member(each, name, place) for name in _MEASURE}
    for name in ("name", "of", "n_unit", "unit"):
        _of(members[name], str, f"{place}, {name}")
    for name in ("reference", "part"):
        _of(members[name], (str, type(None)), f"{place}, {name}")
    _of(members["options"], Mapping, f"{place}, options")
    _count(members["n"], f"{place}, n")
    if _of(members["run"], (int, type(None)), f"{place}, run") is not None:
        _count(members["run"], f"{place}, run")
    note = {name: said for name, said in each.items() if name not in (*_MEASURE, *_OTHER)}
    return Measure(**members, value=_value(each, place), note=note)


def _value(each: Mapping[str, Any], place: str) -> Fraction | int | float | Undefined:
    """Return the value of a measure: its reason, its fraction, or its number, whichever it has first."""
    value, fraction, reason = (_member(each, name, place) for name in _OTHER)
    if reason is not None:
        return Undefined(_of(reason, str, f"{place}, reason"))
    if fraction is not None:
        if not _FRACTION.fullmatch(_of(fraction, str, f"{place}, fraction")):
            _not(f"{place}, fraction", "a text such as 2/3", fraction)
        return Fraction(fraction)
    number: int | float = _finite(_of(value, (int, float), f"{place}, value"), f"{place}, value")
    return number


def _table(each: Any, place: str) -> Table:
    _of(each, Mapping, place)
    columns = tuple(_of(name, str, at) for name, at in _list(each, "columns", place))
    rows = []
    for row, at in _list(each, "rows", place):
        if len(_of(row, list, at)) != len(columns):
            raise _Broken(f"{at} has {len(row):,} values; expected {len(columns):,}, one for each column")
        rows.append(tuple(_cell(value, f"{at}, {name}") for name, value in zip(columns, row, strict=True)))
    total = each.get("total")
    culprits = _of(each.get("culprits", False), bool, f"{place}, culprits")
    return Table(columns, tuple(rows), None if total is None else _count(total, f"{place}, total"), culprits)


def _finding(each: Any, place: str) -> Finding:
    _of(each, Mapping, place)
    level = _member(each, "level", place)
    if level not in ("report", "fail"):
        _not(f"{place}, level", '"report" or "fail"', level)
    first = [_cell(one, at) for one, at in _list(each, "first", place)]
    return Finding(
        kind=_of(_member(each, "kind", place), str, f"{place}, kind"),
        level=level,
        count=_count(_member(each, "count", place), f"{place}, count"),
        first=tuple(tuple(one) if isinstance(one, list) else one for one in first),
        message=_of(_member(each, "message", place), str, f"{place}, message"),
    )

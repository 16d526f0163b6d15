"""Every error class and every sentence it says.

Raise with facts; the class writes the sentence: what was found, what was expected, what to do. Each error knows the
file, record and field it is about (or None) and the exit code of the command line: 2 for wrong usage or bad input,
3 for what was asked but is impossible.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

_SHOWN = 5
_MOST_SAID = 200
"""Characters of what the code of others says of a fault."""


class CompsplitError(Exception):
    """Base of all errors.

    Args:
        message: One sentence or more, ready to print.
        file: Name of the file it is about.
        record: Number (from 1) or id of the record it is about.
        field: Name of the field it is about.
        facts: Counts, ids and names as JSON values, for programs.
    """

    kind = "error"
    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        record: int | str | None = None,
        field: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.record = record
        self.field = field
        self.facts = dict(facts or {})

    def to_json(self) -> dict[str, Any]:
        """Return the value that ``--json`` prints."""
        return {
            "error": {
                "kind": self.kind,
                "message": self.message,
                "file": self.file,
                "record": self.record,
                "field": self.field,
                "facts": self.facts,
            }
        }


def listed(names: Iterable[object], shown: int = _SHOWN) -> str:
    """Return the first few names, and how many more there are.

    Example:
        >>> listed(["a", "b", "c"], shown=2)
        'a, b and 1 more'
    """
    every = [str(name) for name in names]
    if len(every) <= shown:
        return ", ".join(every)
    return f"{', '.join(every[:shown])} and {len(every) - shown:,} more"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    Example:
        >>> counted(1, "row"), counted(1200, "row")
        ('1 row', '1,200 rows')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def plural(one: str) -> str:
    """Return the plural of a noun.

    Example:
        >>> plural("pair"), plural("class")
        ('pairs', 'classes')
    """
    return one + ("es" if one.endswith("s") else "s")


def in_units(n: int, units: str) -> str:
    """Return a count with its unit, which is given in the plural.

    Example:
        >>> in_units(1, "rows of test"), in_units(2, "distinct concepts")
        ('1 row of test', '2 distinct concepts')
    """
    return counted(n, re.sub(r"s\b", "", units, count=1), units)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the known name that is most like this one, else with all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f'Did you mean "{close[0]}"?'
    return f"Known: {', '.join(known) or 'none'}."


class UsageError(CompsplitError, ValueError):
    """What was asked does not fit together."""

    kind = "usage"


class RepeatedKeysError(CompsplitError, ValueError):
    """An object of records holds the same key twice."""

    kind = "repeated-key"

    def __init__(self, file: str, keys: Sequence[str], n_records: int) -> None:
        super().__init__(
            f"{file}: {counted(len(keys), 'key stands', 'keys stand')} twice in one object of "
            f"{counted(n_records, 'record')} ({listed(keys)}); which record is meant cannot be told. Rename or "
            "remove one.",
            file=file,
            record=keys[0],
            facts={"repeated keys": list(keys), "records": n_records},
        )


class UnknownIdsError(UsageError):
    """A split names rows that the data do not have."""

    kind = "unknown-ids"

    def __init__(self, file: str, what: str, unknown: Sequence[str], *, n_entries: int, could_be_rows: bool) -> None:
        known = n_entries - len(unknown)
        rows = " The entries look like row numbers, not like ids; a split must name ids." if could_be_rows else ""
        super().__init__(
            f"{file} names {counted(len(unknown), what)} that the data do not have ({listed(unknown)}); {known:,} of "
            f"its {counted(n_entries, 'entry', 'entries')} are known.{rows} "
            "--allow-unjoined passes over such entries and counts them.",
            file=file,
            field=what,
            facts={"entries": n_entries, "known": known, "look like row numbers": could_be_rows},
        )


class UnknownNameError(CompsplitError, KeyError):
    """A name that nothing has."""

    kind = "unknown-name"

    def __init__(self, what: str, name: str, known: Iterable[str], *, file: str | None = None) -> None:
        names = sorted(known)
        super().__init__(
            f'There is no {what} "{name}". {nearest(name, names)}',
            file=file,
            facts={"name": name, "known": names},
        )

    def __str__(self) -> str:  # KeyError would print the repr
        return self.message


class UnknownOptionError(CompsplitError, TypeError):
    """An option that a plug-in does not have."""

    kind = "unknown-option"

    def __init__(self, plugin: str, option: str, known: Iterable[str]) -> None:
        names = sorted(known)
        super().__init__(
            f'{plugin} has no option "{option}". {nearest(option, names)}',
            field=option,
            facts={"option": option, "known": names},
        )


class OptionValueError(CompsplitError, ValueError):
    """An option with a value that it cannot take."""

    kind = "option-value"

    def __init__(self, option: str, value: object, expected: str) -> None:
        super().__init__(
            f"Option {option} is {value!r}; expected {expected}.", field=option, facts={"value": str(value)}
        )


class FractionError(CompsplitError, ValueError):
    """Part fractions that are not positive or do not sum to 1."""

    kind = "fractions"

    def __init__(self, fractions: Mapping[str, Fraction]) -> None:
        super().__init__(
            f"Part fractions must be positive and sum to 1, got {_summed(fractions)}. Change one of them: "
            "compsplit never rescales what you asked for.",
            facts={"fractions": {part: str(value) for part, value in fractions.items()}},
        )


class TypeSharesError(CompsplitError, ValueError):
    """Shares of types that are negative or do not sum to 1.

    Args:
        column: The column of types.
        shares: Type -> share.
        types: The types that rows have.
    """

    kind = "type-shares"

    def __init__(self, column: str, shares: Mapping[str, Fraction], types: Iterable[str]) -> None:
        met = sorted(types)
        super().__init__(
            f"Shares of the types of {column} must be 0 or more and sum to 1, got {_summed(shares)}; rows have "
            f"{listed(met) or 'no type'}. Change one of them: compsplit never rescales what you asked for.",
            field=column,
            facts={"column": column, "shares": {name: str(share) for name, share in shares.items()}, "types": met},
        )


def _summed(fractions: Mapping[str, Fraction]) -> str:
    """Return fractions with their sum."""

    def shown(value: Fraction) -> str:
        exact = str(float(value))
        return exact if Fraction(exact) == value else str(value)

    terms = " + ".join(f"{name}={shown(value)}" for name, value in fractions.items())
    return f"{terms} = {shown(sum(fractions.values(), Fraction(0)))}"


class FileError(CompsplitError, OSError):
    """A file that is not there or cannot be read."""

    kind = "file"

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"{file}: {what}.", file=file)

    def __str__(self) -> str:  # OSError would print the errno form
        return self.message


class EmptyFileError(CompsplitError, ValueError):
    """A file without content."""

    kind = "empty-file"

    def __init__(self, file: str) -> None:
        super().__init__(f"{file}: file is empty.", file=file, facts={"bytes": 0})


class TruncatedError(CompsplitError, ValueError):
    """A file that stops before its end."""

    kind = "truncated"

    def __init__(self, file: str, n_bytes: int, n_complete: int) -> None:
        before = counted(n_complete, "complete record stands", "complete records stand")
        super().__init__(
            f"{file}: ends inside a record at byte {n_bytes}, looks truncated; {before} before it. Nothing was "
            "used: get the whole file.",
            file=file,
            record=n_complete + 1,
            facts={"bytes": n_bytes, "complete_records_before": n_complete},
        )


class BrokenFileError(CompsplitError, ValueError):
    """Bytes that are not what their layout says."""

    kind = "broken-file"

    def __init__(self, file: str, what: str, *, byte: int | None = None, record: int | None = None) -> None:
        place = "" if byte is None else f" at byte {byte}"
        super().__init__(f"{file}: {what}{place}.", file=file, record=record, facts={"byte_offset": byte})


class EncodingError(CompsplitError, ValueError):
    """Bytes that are not UTF-8."""

    kind = "encoding"

    def __init__(self, file: str, byte: int) -> None:
        super().__init__(
            f"{file}: not UTF-8, first bad byte at offset {byte}. compsplit does not guess an encoding: convert the "
            "file to UTF-8.",
            file=file,
            facts={"byte_offset": byte},
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one record."""

    file: str
    record: int
    field: str | None
    what: str

    def __str__(self) -> str:
        place = f"{self.file}, record {self.record}"
        return f"{place}, {self.field}: {self.what}" if self.field else f"{place}: {self.what}"


class RecordsError(CompsplitError, ValueError):
    """Records that a reader cannot take, all of one run together.

    Args:
        problems: The first problems, in file and record order.
        n_problems: How many there are; the given ones by default.
    """

    kind = "records"

    def __init__(self, problems: Sequence[Problem], n_problems: int | None = None) -> None:
        n = len(problems) if n_problems is None else n_problems
        first = problems[0]
        head = f"{counted(n, 'bad record')}. "
        more = f"; and {n - _SHOWN:,} more" if n > _SHOWN else ""
        super().__init__(
            head + "; ".join(map(str, problems[:_SHOWN])) + more + ".",
            file=first.file,
            record=first.record,
            field=first.field,
            facts={"n_problems": n, "first": [str(p) for p in problems[:_SHOWN]]},
        )


class RepeatedIdError(CompsplitError, ValueError):
    """Ids that name more than one row."""

    kind = "repeated-ids"

    def __init__(
        self,
        field: str,
        repeated: Sequence[str],
        *,
        file: str | None,
        n_ids: int,
        n_rows: int,
        across_files: bool,
        equal_to: str | None = None,
        n_equal: int = 0,
        noun: str = "question",
        mend: str | None = None,
    ) -> None:
        where = "across files " if across_files else ""
        cause = f"; {field} equals {equal_to} in every row" if equal_to and n_equal == n_rows else ""
        if across_files:
            mend = "Pass --id-scope file to qualify each id by its file"
        elif mend is None:
            mend = "Pass --new-ids to number the rows instead (source:number), or repair the ids"
        super().__init__(
            f"{counted(len(repeated), 'id is', 'ids are')} repeated {where}({listed(repeated)}): "
            f"{counted(n_ids, 'id covers', 'ids cover')} {counted(n_rows, noun)}{cause}. {mend}.",
            file=file,
            record=repeated[0],
            field=field,
            facts={
                "repeated": len(repeated),
                "first": list(repeated[:_SHOWN]),
                "distinct_ids": n_ids,
                "rows": n_rows,
                "equal_to_image_id": n_equal,
            },
        )


class JoinError(CompsplitError, ValueError):
    """Questions and annotations that do not belong together.

    Args:
        joined: How many records agree.
        faults: What is wrong -> the ids, in file order.
        hint: What the ids look like, if that explains it.
        file: The file of the first fault.
        what: What was joined.
        field: The field it was joined by.
    """

    kind = "join"

    def __init__(
        self,
        joined: int,
        faults: Mapping[str, Sequence[str]],
        *,
        file: str,
        hint: str | None = None,
        what: str = "Questions and annotations",
        field: str = "question_id",
    ) -> None:
        present = {name: ids for name, ids in faults.items() if ids}
        parts = "; ".join(f"{len(ids):,} {name} ({listed(ids)})" for name, ids in present.items())
        first = next(iter(present.values()))[0]
        super().__init__(
            f"{what} do not fit: {joined:,} joined; {parts}."
            + (f" {hint}" if hint else "")
            + " Check that the files are of one release and one split, or pass --allow-unjoined to leave such "
            "records out and count them.",
            file=file,
            record=first,
            field=field,
            facts={
                "joined": joined,
                **{name: {"count": len(ids), "first": list(ids[:_SHOWN])} for name, ids in faults.items()},
                "hint": hint,
            },
        )


class PredictionsError(CompsplitError, ValueError):
    """Predictions that do not fit the rows that are scored.

    Args:
        joined: How many rows have one.
        file: The file of predictions, or the model's name.
        missing: Ids of rows without a prediction.
        unknown: Ids of predictions without a row.
        repeated: Ids that have several.
        zeros: Unknown id -> the row's id that it is without leading zeros.
        hint: What else may be the way on.
    """

    kind = "predictions"

    def __init__(
        self,
        joined: int,
        *,
        file: str,
        missing: Sequence[str] = (),
        unknown: Sequence[str] = (),
        repeated: Sequence[str] = (),
        zeros: Mapping[str, str] | None = None,
        hint: str = "",
    ) -> None:
        zeros = zeros or {}
        told = []
        if missing:
            told.append(
                f"{counted(len(missing), 'row has', 'rows have')} none ({listed(missing)}): --missing wrong counts "
                "such rows as wrong, --missing leave-out scores the others alone"
            )
        if unknown:
            told.append(
                f"{counted(len(unknown), 'prediction is', 'predictions are')} of no row ({listed(unknown)}): "
                "--allow-unjoined leaves such predictions out"
            )
        if zeros:
            pairs = listed(f"{name} is {known} without its leading zeros" for name, known in zeros.items())
            told.append(f"{pairs}: --join-zeros joins such ids")
        if repeated:
            told.append(
                f"{counted(len(repeated), 'row has', 'rows have')} several ({listed(repeated)}): --repeated last takes "
                "the last, as the official programs do"
            )
        super().__init__(
            f"{file} does not fit the data: {counted(joined, 'row has', 'rows have')} a prediction; "
            f"{'; '.join(told)}.{hint}",
            file=file,
            record=next(iter((*missing, *unknown, *repeated))),
            field="question_id",
            facts={
                "joined": joined,
                **{
                    name: {"count": len(ids), "first": list(ids[:_SHOWN])}
                    for name, ids in (("missing", missing), ("unknown", unknown), ("repeated", repeated))
                },
                "without leading zeros": dict(list(zeros.items())[:_SHOWN]),
            },
        )


class FormatError(CompsplitError, ValueError):
    """Content that no reader, or more than one, claims."""

    kind = "format"

    def __init__(self, file: str, candidates: Sequence[str], known: Sequence[str], what: str = "") -> None:
        if candidates:
            said = f"could be {' or '.join(candidates)}; say which with --format"
        else:
            said = f"no reader knows this layout; name one with --format ({', '.join(known)})"
        super().__init__(
            f"{file}: {what + '; ' if what else ''}{said}.",
            file=file,
            facts={"candidates": list(candidates), "known": list(known)},
        )


class MissingFieldError(CompsplitError, ValueError):
    """A column that is needed and that a table does not have."""

    kind = "missing-field"

    def __init__(self, field: str, columns: Sequence[str], *, file: str | None, mend: str) -> None:
        super().__init__(
            f"{file or 'The table'} has no {field}: its columns are {', '.join(columns) or 'none'}. {mend}.",
            file=file,
            field=field,
            facts={"columns": list(columns)},
        )


class MissingValueError(CompsplitError, ValueError):
    """Rows without a value where one decides parts or groups."""

    kind = "missing-values"

    def __init__(
        self,
        field: str,
        ids: Sequence[str],
        *,
        file: str | None = None,
        of: int | None = None,
        mend: str = "pass --set group.missing=leave-out to leave them out and count them",
    ) -> None:
        n = len(ids) if of is None else of
        super().__init__(
            f"{counted(n, 'row has', 'rows have')} no value in {field}, which decides the part ({listed(ids)}). Give "
            f"each one, or {mend}.",
            file=file,
            record=ids[0],
            field=field,
            facts={"rows": list(ids[:_SHOWN]), "count": n},
        )


class ImpossibleError(CompsplitError, ValueError):
    """What was asked cannot be had from these data; says what can."""

    kind = "impossible"
    exit_code = 3


class TooFewGroupsError(ImpossibleError):
    """More parts than groups to fill them."""

    kind = "too-few-groups"

    def __init__(self, n_parts: int, n_groups: int, unit: str) -> None:
        super().__init__(
            f"{n_parts} parts need at least {n_parts} {unit}s, there {'is' if n_groups == 1 else 'are'} {n_groups}. "
            "Nothing was written.",
            facts={"parts": n_parts, "groups": n_groups, "unit": unit},
        )


class ResourceError(CompsplitError, LookupError):
    """Language data or a model that is not installed here.

    Args:
        resource: What is missing.
        setting: What says its place.
        how: How to get it.
        instead: What does without it.
    """

    kind = "missing-resource"

    def __init__(
        self, resource: str, setting: str, how: str, instead: str = "The default reducer, lexical, needs none."
    ) -> None:
        super().__init__(
            f"{resource} is not installed. Its place is set by {setting}. {how} {instead}",
            field=setting,
            facts={"resource": resource, "setting": setting},
        )


class BrokenResourceError(CompsplitError, ValueError):
    """A model that is there and cannot be used.

    Args:
        resource: What it is.
        setting: What says its place.
        why: What its own code said of it.
        how: What to do.
    """

    kind = "broken-resource"

    def __init__(self, resource: str, setting: str, why: str, how: str) -> None:
        said = " ".join(why.split()).rstrip(".")
        shown = said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID].rstrip()} ..."
        super().__init__(
            f"{resource} is there and cannot be used: {shown or 'no reason is given'}. Its place is set by {setting}. "
            f"{how}",
            field=setting,
            facts={"resource": resource, "setting": setting, "why": said},
        )


class NotTextError(CompsplitError, TypeError):
    """Something else than text where a question or an answer was expected.

    Args:
        what: "question", "answer" or another word for the text.
        index: Its place in what was passed, from 0; a caller who knows ids raises again with ``id``.
        found: Name of the type found.
        id: Id of the row, if known.
    """

    kind = "not-text"

    def __init__(self, what: str, index: int, found: str, *, id: str | None = None) -> None:
        place = f"at index {index:,}" if id is None else f"of row {id}"
        super().__init__(
            f"The {what} {place} is of type {found}; expected text (str). Nothing is turned into text by itself, or a "
            'missing value would become the concept "nan": leave such rows out, or give them text.',
            record=index if id is None else id,
            field=what,
            facts={"index": index, "found": found},
        )
        self.what = what
        self.index = index
        self.found = found


class RecipeError(CompsplitError, ValueError):
    """A recipe that cannot be run."""

    kind = "recipe"

    def __init__(self, file: str, what: str, *, line: int | None = None, key: str | None = None) -> None:
        place = f"{file}, line {line}" if line else file
        super().__init__(f"{place}: {what}", file=file, record=line, field=key, facts={"line": line})


class OutputExistsError(CompsplitError, FileExistsError):
    """A folder or file that is already there.

    Args:
        path: Its path.
        why: Why it cannot be replaced at all; nothing if --force would do.
    """

    kind = "output-exists"

    def __init__(self, path: str, why: str | None = None) -> None:
        super().__init__(
            f"{path} is already there. Pass --force to replace it once the new one is complete."
            if why is None
            else f"{path} is already there and {why}, so it is not replaced. Name another folder.",
            file=path,
        )

    def __str__(self) -> str:
        return self.message


class DownloadError(CompsplitError, OSError):
    """A file that could not be fetched whole."""

    kind = "download"

    def __init__(self, address: str, what: str) -> None:
        super().__init__(f"{address}: {what}.", file=address)

    def __str__(self) -> str:
        return self.message

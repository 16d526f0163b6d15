"""Tables: CSV, TSV, JSON lists, JSON lines, Parquet, and pandas or Arrow tables from Python.

Columns play roles (id, image, question, answer, question_type, answer_type, origin): by their usual names, or as the
option ``columns`` says. All other columns of plain values stay at hand by name, to group or stratify by.

Only an empty field is a missing value: NA, null, None and nan are text. Numbers are read as they are written. Cost:
O(bytes), delimited text by Python's own csv module.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import (
    BrokenFileError,
    EmptyFileError,
    FormatError,
    MissingFieldError,
    Problem,
    RecordsError,
    UnknownNameError,
    UsageError,
)
from compsplit.files import Bytes
from compsplit.model.column import Column, ColumnBuilder, Texts, concatenated, texts
from compsplit.model.report import Finding
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import Input, Records
from compsplit.readers.building import IdScope, built, counted_once, not_number_findings, row_ids
from compsplit.readers.json_records import JsonRecords
from compsplit.readers.json_spans import NotANumber, type_name
from compsplit.readers.table_scenes import LISTS, SCENE_ROLES, SceneRows, scene_roles, scene_table
from compsplit.registry import plugins, register

ROLES: dict[str, tuple[str, ...]] = {
    "id": ("question_id", "id", "qid", "questionId", "uid"),
    "image": ("image_id", "image", "imageId", "image_name", "img_id", "image_filename"),
    "question": ("question", "sentence", "text"),
    "answer": ("answer", "multiple_choice_answer"),
    "question_type": ("question_type",),
    "answer_type": ("answer_type",),
    "origin": ("origin", "coco_split"),
}
"""Role -> the column names that are taken for it, the first that a table has."""

LONE_OBJECT = "one JSON object, not a list of records, and no member of it is known as a question or an answer"

_BATCH = 1 << 14
_KEPT_PROBLEMS = 1000
_LONGEST_LINE = 16 << 20
_SHOWN_COLUMNS = 20
_SHOWN_NAME = 60


@register("reader", "table", source="compsplit")
def read(
    files: Sequence[Input | Any],
    *,
    columns: Mapping[str, str] | None = None,
    id_scope: IdScope = "all",
    new_ids: bool = False,
) -> RowTable:
    """Read tables of question-answer pairs or of scenes; columns are told by name, or by the option columns.

    Args:
        files: Files, or one pandas or Arrow table.
        columns: Role -> column name.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Give the rows new ids, source:number.

    Raises:
        MissingFieldError: A file lacks a column that was named; or no column is named, and none of its own is known.
        FormatError: A file is one JSON object without a member that is known.
        RecordsError, RepeatedIdError: As their messages say.
    """
    for role in columns or {}:
        if role not in ROLES and role not in SCENE_ROLES:
            raise UnknownNameError("column role", role, (*ROLES, *SCENE_ROLES))
    parts = [_read_one(file, columns or {}, new_ids) for file in files]
    if not SCENE_ROLES.keys().isdisjoint(parts[0].roles):
        return _as_scenes(parts, id_scope, new_ids)
    with_ids = _have_ids(parts)
    made = {role: concatenated([part.role(role) for part in parts]) for role in ROLES if role != "id"}
    ids, scoped = row_ids(
        [part.ids for part in parts],
        [part.source for part in parts],
        made["image"],
        field=parts[0].roles.get("id", "id"),
        id_scope=id_scope if with_ids else "all",
        new_ids=new_ids or not with_ids,
        file=parts[0].source,
    )
    rows = np.cumsum([0, *map(len, parts)])
    named = dict.fromkeys(name for part in parts for name in part.columns)
    return built(
        format="table",
        ids=ids,
        images=made["image"],
        questions=made["question"],
        answers=made["answer"],
        question_types=made["question_type"],
        answer_types=made["answer_type"],
        origins=made["origin"],
        sources=concatenated([Column(np.zeros(len(part), dtype=np.int32), (part.source,)) for part in parts]),
        n_answers=counted_once(made["answer"]),
        columns={name: concatenated([part.named(name) for part in parts]) for name in named},
        records=tuple(part.records(np.arange(rows[k], rows[k + 1], dtype=np.int32)) for k, part in enumerate(parts)),
        scoped=scoped,
        numbered=new_ids or not with_ids,
        decisions={"rows numbered, the table has no id column": 0 if with_ids or new_ids else len(ids)},
        findings=(*_taken(parts), *not_number_findings(name for part in parts for name in part.not_numbers)),
    )


def _as_scenes(parts: Sequence[_Part], id_scope: IdScope, new_ids: bool) -> SceneTable:
    """Return the scenes that the columns of all files make."""
    rows = [SceneRows(part.name, part.source, len(part), part.roles, part.with_lists()) for part in parts]
    return scene_table(rows, id_scope=id_scope, new_ids=new_ids, findings=_taken(parts))


def _have_ids(parts: Sequence[_Part]) -> bool:
    """Tell whether all files have an id column.

    Raises:
        MissingFieldError: Only some have one.
    """
    lacking = [part for part in parts if "id" not in part.roles]
    if lacking and len(lacking) < len(parts):
        names = _shortened(list(lacking[0].columns))
        raise MissingFieldError("id column", names, file=lacking[0].source, mend="Other files have one")
    return not lacking


def _taken(parts: Sequence[_Part]) -> tuple[Finding, ...]:
    """Return a finding of the column that plays each role; where files differ, that of the first file with one."""
    every = (*ROLES, *SCENE_ROLES)
    taken = {role: next((part.roles[role] for part in parts if role in part.roles), None) for role in every}
    told = tuple(f"{role} = {name}" for role, name in taken.items() if name is not None)
    if not told:
        return ()
    return (Finding(kind="columns", count=len(told), first=told, message=f"Columns taken: {', '.join(told)}."),)


class _Part:
    """One file's columns by name, and where its records stand."""

    def __init__(self, source: str, columns: dict[str, Column], roles: dict[str, str], **made: Any) -> None:
        self.source = source
        self.columns = columns
        self.roles = roles
        self.made = made
        self.not_numbers: list[str] = []

    def __len__(self) -> int:
        return int(self.made["n"])

    @property
    def ids(self) -> Texts:
        """The ids as text, shape (n,); as many empty ones where there is no id column."""
        return texts(name or "" for name in self.role("id").values())

    def role(self, role: str) -> Column:
        return self.named(self.roles.get(role))

    def named(self, name: str | None) -> Column:
        """Return a column by name, without any value where the file has none of that name."""
        return self.columns[name] if name in self.columns else Column.absent(len(self))

    @property
    def name(self) -> str:
        """What messages call the file."""
        file: Input | None = self.made["input"]
        return self.source if file is None else file.name

    def with_lists(self) -> dict[str, Column]:
        """Return all columns by name, and those of lists that play a role, each list as JSON."""
        lists: dict[str, Column] = self.made.get("lists", {})
        return {**self.columns, **{name: column for name, column in lists.items() if name in self.roles.values()}}

    def records(self, rows: NDArray[np.int32]) -> Records:
        made = self.made
        return Records(made["input"], "records", made["layout"], made["starts"], made["stops"], rows,
                       head=made.get("head", b""), arrow=made.get("arrow"))  # fmt: skip


def _roles_of(
    names: Sequence[str], wanted: Mapping[str, str], source: str, plain: bool, n_rows: int = 0
) -> dict[str, str]:
    """Return the column of each role; a plain table, whose rows get new ids, need not have any."""
    roles = {}
    for role, usual in (*ROLES.items(), *SCENE_ROLES.items()):
        if role in wanted:
            if wanted[role] not in names:
                raise MissingFieldError(
                    f'column "{wanted[role]}"',
                    _shortened(names),
                    file=source,
                    mend=f"Name another for {role} with --column",
                )
            roles[role] = wanted[role]
        else:
            found = next((name for name in usual if name in names and name not in wanted.values()), None)
            if found:
                roles[role] = found
    # Columns of questions may be called like those of scenes.
    of_scenes = scene_roles(roles, wanted)
    roles = of_scenes or {role: name for role, name in roles.items() if role in ROLES}
    known = wanted or of_scenes or plain
    if (names or n_rows) and not known and not {"id", "question", "answer"} & set(roles):
        mend = (
            "Give it a header line if it has none, or say which column is which with --column ROLE=NAME, such as "
            "--column question=NAME for texts, --column objects=NAME for lists of objects, or --column object=NAME "
            "for one object a row; --new-ids takes columns of any kind, and numbers the rows"
        )
        raise MissingFieldError("question, answer, objects or id column", _shortened(names), file=source, mend=mend)
    return roles


def _may_be_list(wanted: Mapping[str, str]) -> set[str]:
    """Return the names of columns that may hold lists of objects or relations."""
    usual = {name for role in LISTS if role not in wanted for name in SCENE_ROLES[role]}
    return usual | {wanted[role] for role in LISTS if role in wanted}


def _shortened(names: Sequence[str]) -> list[str]:
    """Return names as an error shows them: a file read wrongly may have thousands, each a sentence."""
    shown = [name if len(name) <= _SHOWN_NAME else f"{name[:_SHOWN_NAME]}..." for name in names[:_SHOWN_COLUMNS]]
    more = len(names) - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown


def _read_one(file: Input | Any, wanted: Mapping[str, str], plain: bool) -> _Part:
    if not isinstance(file, Input):
        return _from_arrow(_arrow(file), None, "table", wanted, plain)
    with Bytes(file, text=False) as stream:
        head = stream.read(1 << 16)
    if head.startswith(b"PAR1"):
        return _from_arrow(_parquet(file), file, file.source, wanted, plain)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return _from_json(file, wanted, plain) if start in (b"[", b"{") else _from_delimited(file, wanted, plain)


def _arrow(given: Any) -> Any:
    import pyarrow

    if isinstance(given, pyarrow.Table):
        return given
    if type(given).__module__.split(".")[0] == "pandas":
        try:
            return pyarrow.Table.from_pandas(given, preserve_index=False)
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            raise UsageError(f"The pandas table cannot be read: {error}") from error
    raise UsageError(f"A table is read from files, or from a pandas or Arrow table, not from {type(given).__name__}.")


def _parquet(file: Input) -> Any:
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(file.path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BrokenFileError(file.name, f"is not a whole Parquet file ({str(error).splitlines()[0]})") from error


def _from_arrow(table: Any, file: Input | None, source: str, wanted: Mapping[str, str], plain: bool) -> _Part:
    import pyarrow

    columns: dict[str, Column] = {}
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise BrokenFileError(source, f'the column "{repeated[0]}" stands twice')
    lists: dict[str, Column] = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        if pyarrow.types.is_list(kind) and name in _may_be_list(wanted):
            lists[name] = Column.of(_list_text(value) for value in table.column(name).to_pylist())
            continue
        if pyarrow.types.is_dictionary(kind):
            kind = kind.value_type
        if not (
            pyarrow.types.is_primitive(kind) or pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
        ):
            continue
        values = table.column(name).to_pylist()
        columns[name] = Column.of(_text(value) for value in values)
    roles = _roles_of(table.column_names, wanted, source, plain)
    none = np.zeros(0, dtype=np.int64)
    part = _Part(
        source, columns, roles, n=table.num_rows, input=file, layout="arrow", arrow=table, starts=none, stops=none,
        lists=lists,
    )  # fmt: skip
    problems = []
    for role, name in roles.items():
        if name not in columns and not (role in LISTS and name in lists):
            problems.append(Problem(source, 1, name, "is not a column of plain values"))
        elif role == "id":
            for i in np.flatnonzero(columns[name].codes < 0).tolist():
                problems.append(Problem(source, i + 1, name, "is missing"))
    if problems:
        raise RecordsError(problems)
    return part


def _list_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _from_delimited(file: Input, wanted: Mapping[str, str], plain: bool) -> _Part:
    with Bytes(file) as stream, _long_fields():
        lines = _Lines(stream)
        first = next(lines, "")
        if not first.strip():
            raise EmptyFileError(file.name) if stream.offset == lines.end else _broken(file, "the first line is empty")
        delimiter = "\t" if "\t" in first else ","
        header = _header(file, first, delimiter)
        roles = _roles_of(header, wanted, file.name, plain)
        id_at = header.index(roles["id"]) if "id" in roles else None
        builders = [ColumnBuilder() for _ in header]
        problems: list[Problem] = []
        starts: list[int] = []
        stops: list[int] = []
        batch: list[list[str]] = []
        number = 0
        before = lines.end
        try:
            for fields in csv.reader(lines, delimiter=delimiter, strict=True):
                start, before = before, lines.end
                if not fields:  # an empty line
                    continue
                number += 1
                if len(fields) != len(header):
                    what = f"has {len(fields)} fields, the header has {len(header)}"
                    problems.append(Problem(file.name, number, None, what))
                elif id_at is not None and not fields[id_at]:
                    problems.append(Problem(file.name, number, roles["id"], "is missing"))
                else:
                    batch.append(fields)
                    starts.append(start)
                    stops.append(before)
                    if len(batch) == _BATCH:
                        _add(batch, builders)
        except csv.Error as error:
            raise BrokenFileError(
                file.name, f"record {number + 1} is not delimited text ({_told(error)})", byte=before, record=number + 1
            ) from error
        _add(batch, builders)
    if problems:
        raise RecordsError(problems)
    return _Part(
        file.source, dict(zip(header, (builder.column() for builder in builders), strict=True)), roles,
        n=len(starts), input=file, layout="rows", head=first.encode(),
        starts=np.array(starts, dtype=np.int64), stops=np.array(stops, dtype=np.int64),
    )  # fmt: skip


def _header(file: Input, line: str, delimiter: str) -> list[str]:
    try:
        header = next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise _broken(file, f"the header line is not delimited text ({_told(error)})") from error
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise _broken(file, f'the column "{repeated[0]}" stands twice in the header')
    if len(header) == 1 and ";" in line:
        raise BrokenFileError(
            file.name, "the header is separated by semicolons; commas and tabs are read, so convert the file"
        )
    return header


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let a field be as long as the longest line; Python's own limit, which holds for all of a process, is put back."""
    before = csv.field_size_limit(_LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _told(error: csv.Error) -> str:
    """Return what is wrong in our words, where Python's speak of its own options."""
    said = str(error)
    if "new-line character" in said:
        return r"a carriage return alone ends no line; end lines with \n or \r\n"
    if "field limit" in said:
        return f"a field is longer than {_LONGEST_LINE >> 20} MiB"
    return said


def _broken(file: Input, what: str) -> BrokenFileError:
    return BrokenFileError(file.name, what, byte=0)


def _add(batch: list[list[str]], builders: list[ColumnBuilder]) -> None:
    for k, builder in enumerate(builders):
        builder.extend([fields[k] or None for fields in batch])
    batch.clear()


class _Lines:
    """The lines of a file with their ends, and in ``end`` the offset after the line that was given last."""

    def __init__(self, stream: Bytes) -> None:
        self.end = 0
        self._lines = self._read(stream)

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        return next(self._lines)

    def _read(self, stream: Bytes) -> Iterator[str]:
        rest: list[bytes] = []
        n_rest = 0
        while block := stream.read():
            if not self.end and not n_rest:
                self.end = stream.offset - len(block)
            *lines, last = block.split(b"\n")
            for line in lines:
                whole = b"".join((*rest, line, b"\n"))
                rest, n_rest = [], 0
                self.end += len(whole)
                yield whole.decode()
            rest.append(last)
            n_rest += len(last)
            if n_rest > _LONGEST_LINE:
                raise BrokenFileError(stream.name, f"a line is longer than {_LONGEST_LINE >> 20} MiB", byte=self.end)
        if n_rest:
            self.end += n_rest
            yield b"".join(rest).decode()


def _from_json(file: Input, wanted: Mapping[str, str], plain: bool) -> _Part:
    stream: JsonRecords[dict[str, Any]] = JsonRecords(file, dict[str, Any], as_written=True)
    columns: dict[str, _JsonColumn] = {}
    may_be_list = _may_be_list(wanted)
    starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    n = 0
    for block in stream:
        for name in dict.fromkeys(name for record in block.records for name in record):
            if name not in columns:
                columns[name] = _JsonColumn(n, name in may_be_list)
        for name, column in columns.items():
            column.extend([record.get(name) for record in block.records], block.numbers)
        starts.append(block.starts)
        stops.append(block.stops)
        n += len(block.records)
    if (
        stream.header.layout == "lines"
        and n == 1
        and not wanted
        and not any(name in columns for usual in ROLES.values() for name in usual)
    ):
        stream.finish()
        raise FormatError(file.name, [], list(plugins("reader")), LONE_OBJECT)
    roles = _roles_of(list(columns), wanted, file.name, plain, n)
    for role, name in roles.items():
        for number, what in columns[name].odd:
            stream.note(number, name, what)
        stream.n_problems += columns[name].n_odd - len(columns[name].odd)
        if role == "id" and not columns[name].odd:
            for i in np.flatnonzero(columns[name].made().codes < 0).tolist():
                stream.note(i + 1, name, "is missing")
    stream.finish()
    texts = {name: column.made() for name, column in columns.items() if column.is_plain and not column.has_lists}
    lists = {name: column.made() for name, column in columns.items() if column.has_lists}
    part = _Part(
        file.source, texts, roles,
        n=n, input=file, layout=stream.header.layout, starts=np.concatenate(starts), stops=np.concatenate(stops),
        lists=lists,
    )  # fmt: skip
    named = texts.get(roles.get("id", ""))
    part.not_numbers = [
        f"{file.source}:{number}" if named is None else str(named[number - 1]) for number in stream.not_numbers
    ]
    return part


class _JsonColumn:
    """One field of JSON records; an empty text is no value."""

    def __init__(self, n_before: int, may_be_list: bool = False) -> None:
        self.has_lists = False
        self._may_be_list = may_be_list
        self.odd: list[tuple[int, str]] = []
        self.n_odd = 0
        self.is_plain = True
        self._made: Column | None = None
        self._builder = ColumnBuilder()
        self._builder.extend([None] * n_before)

    def extend(self, values: list[Any], numbers: NDArray[np.int64]) -> None:
        """Add the field of further records, None where it is absent."""
        if not set(map(type, values)) <= {int, str, type(None)}:
            for i, value in enumerate(values):
                if isinstance(value, bool):
                    values[i] = "true" if value else "false"
                elif isinstance(value, list) and self._may_be_list:
                    self.has_lists = True
                    values[i] = _list_text(value)
                elif not isinstance(value, int | str | None):
                    values[i] = None
                    self.is_plain &= isinstance(value, NotANumber)
                    self.n_odd += 1
                    if len(self.odd) < _KEPT_PROBLEMS:
                        self.odd.append((int(numbers[i]), f"is {type_name(value)}, expected a string or a number"))
        self._builder.extend([None if value == "" else value for value in values])

    def made(self) -> Column:
        """Return the column of all values given; none can be added after."""
        if self._made is None:
            self._made = self._builder.column()
        return self._made

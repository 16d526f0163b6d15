"""Tables: CSV, TSV, JSON lists, JSON lines, Parquet, and pandas or Arrow tables from Python.

Columns play roles (id, image, question, answer, question_type, answer_type, origin): by their usual names, or as the
option ``columns`` says. All other columns of plain values stay at hand by name, to group or stratify by.

Only an empty field is a missing value: NA, null, None and nan are text. Numbers are read as they are written. Cost:
O(bytes), delimited text by Python's own csv module.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence

from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, MissingFieldError, Problem, RecordsError, UnknownNameError, UsageError
from compsplit.files import Bytes
from compsplit.model.column import Column, ColumnBuilder, concatenated
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import IdScope, built, counted_once, packed, row_ids
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register

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

Values = dict[str, list[int | str | None]]


@register("reader", "table", source="compsplit")
def read(
    files: Sequence[Input | Any],
    *,
    columns: Mapping[str, str] | None = None,
    id_scope: IdScope = "all",
    new_ids: bool = False,
) -> QATable:
    """Read tables of question-answer pairs; columns are told by name, or by the option columns.

    Args:
        files: Files, or one pandas or Arrow table.
        columns: Role -> column name.
        id_scope: ``"file"`` qualifies each id by its file.
        new_ids: Give the rows new ids, source:number.

    Raises:
        MissingFieldError: A file lacks a column that was named.
        RecordsError, RepeatedIdError: As their messages say.
    """
    for role in columns or {}:
        if role not in ROLES:
            raise UnknownNameError("column role", role, ROLES)
    parts = [_read_one(file, columns or {}) for file in files]
    roles = {role: [part.roles.get(role) for part in parts] for role in ROLES}
    if any(name is None for name in roles["id"]) and any(roles["id"]):
        lacking = next(part for part in parts if "id" not in part.roles)
        raise MissingFieldError("id column", list(lacking.columns), file=lacking.source, mend="Other files have one")
    made = {role: concatenated([part.role(role) for part in parts]) for role in ROLES if role != "id"}
    sizes = [len(part) for part in parts]
    with_ids = all(roles["id"])
    ids, scoped = row_ids(
        [part.ids for part in parts],
        [part.source for part in parts],
        made["image"],
        field=roles["id"][0] or "id",
        id_scope=id_scope if with_ids else "all",
        new_ids=new_ids or not with_ids,
        file=parts[0].source,
    )
    rows = np.cumsum([0, *sizes])
    shared = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
    return built(
        format="table",
        ids=ids,
        images=made["image"],
        questions=made["question"],
        answers=made["answer"],
        question_types=made["question_type"],
        answer_types=made["answer_type"],
        origins=made["origin"],
        sources=concatenated(
            [Column(np.zeros(n, dtype=np.int32), (part.source,)) for n, part in zip(sizes, parts, strict=True)]
        ),
        n_answers=counted_once(made["answer"]),
        columns={name: concatenated([part.columns[name] for part in parts]) for name in shared},
        records=tuple(part.records(np.arange(rows[k], rows[k + 1], dtype=np.int32)) for k, part in enumerate(parts)),
        scoped=scoped,
        numbered=new_ids or not with_ids,
        decisions={"rows numbered, the table has no id column": 0 if with_ids or new_ids else len(ids)},
        findings=tuple(finding for part in parts for finding in part.findings),
    )


class _Part:
    """One file's columns by name, and where its records stand."""

    def __init__(self, source: str, columns: dict[str, Column], raw_ids: dict[str, NDArray[Any]]) -> None:
        self.source = source
        self.columns = columns
        self.roles: dict[str, str] = {}
        self.raw_ids = raw_ids
        self.made: dict[str, Any] = {}
        self.findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return int(self.made["n"])

    @property
    def ids(self) -> NDArray[Any]:
        return self.raw_ids.get("id", np.zeros(len(self), dtype=np.int64))

    def role(self, role: str) -> Column:
        name = self.roles.get(role)
        return Column.absent(len(self)) if name is None else self.columns[name]

    def records(self, rows: NDArray[np.int32]) -> Records:
        made = self.made
        return Records(made["input"], "records", made["layout"], made["starts"], made["stops"], rows,
                       head=made.get("head", b""), arrow=made.get("arrow"))  # fmt: skip


def _roles_of(names: Sequence[str], wanted: Mapping[str, str], source: str) -> dict[str, str]:
    roles = {}
    for role, usual in ROLES.items():
        if role in wanted:
            if wanted[role] not in names:
                raise MissingFieldError(
                    f'column "{wanted[role]}"', names, file=source, mend=f"Name another for {role} with --column"
                )
            roles[role] = wanted[role]
        else:
            found = next((name for name in usual if name in names and name not in wanted.values()), None)
            if found:
                roles[role] = found
    return roles


def _read_one(file: Input | Any, wanted: Mapping[str, str]) -> _Part:
    if not isinstance(file, Input):
        return _from_arrow(_arrow(file), None, "table", wanted)
    with Bytes(file, text=False) as stream:
        head = stream.read(1 << 16)
    if head.startswith(b"PAR1"):
        return _from_arrow(_parquet(file), file, file.source, wanted)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return _from_json(file, wanted) if start in (b"[", b"{") else _from_delimited(file, wanted)


def _arrow(given: Any) -> Any:
    import pyarrow

    if isinstance(given, pyarrow.Table):
        return given
    if type(given).__module__.split(".")[0] == "pandas":
        return pyarrow.Table.from_pandas(given, preserve_index=False)
    raise UsageError(f"A table is read from files, or from a pandas or Arrow table, not from {type(given).__name__}.")


def _parquet(file: Input) -> Any:
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(file.path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BrokenFileError(file.name, f"is not a whole Parquet file ({str(error).splitlines()[0]})") from error


def _from_arrow(table: Any, file: Input | None, source: str, wanted: Mapping[str, str]) -> _Part:
    import pyarrow

    columns: dict[str, Column] = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        if pyarrow.types.is_dictionary(kind):
            kind = kind.value_type
        if not (
            pyarrow.types.is_primitive(kind) or pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
        ):
            continue
        values = table.column(name).to_pylist()
        columns[name] = Column.of(_text(value) for value in values)
    roles = _roles_of(table.column_names, wanted, source)
    part = _Part(source, columns, {})
    part.roles = roles
    part.made = {
        "n": table.num_rows, "input": file, "layout": "arrow", "arrow": table,
        "starts": np.zeros(0, dtype=np.int64), "stops": np.zeros(0, dtype=np.int64),
    }  # fmt: skip
    problems = []
    for role, name in roles.items():
        if name not in columns:
            problems.append(Problem(source, 1, name, "is not a column of plain values"))
        elif role == "id":
            for i in np.flatnonzero(columns[name].codes < 0).tolist():
                problems.append(Problem(source, i + 1, name, "is missing"))
    if problems:
        raise RecordsError(problems)
    if "id" in roles:
        part.raw_ids["id"] = packed([value or "" for value in columns[roles["id"]].values()])
    return part


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _from_delimited(file: Input, wanted: Mapping[str, str]) -> _Part:
    ends = [0]
    builders: list[ColumnBuilder] = []
    ids: list[int | str] = []
    problems: list[Problem] = []
    stops: list[int] = []
    with Bytes(file) as stream:
        lines = _lines_of(stream, ends)
        first = next(lines, "")
        delimiter = "\t" if "\t" in first else ","
        try:
            header = next(csv.reader([first], delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise BrokenFileError(file.name, f"the header line is not delimited text ({error})", byte=0) from error
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise BrokenFileError(file.name, f'the column "{repeated[0]}" stands twice in the header', byte=0)
        roles = _roles_of(header, wanted, file.name)
        builders = [ColumnBuilder() for _ in header]
        at = header.index(roles["id"]) if "id" in roles else None
        head_end = ends[-1]
        batch: list[list[str]] = []
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        number = 0
        starts: list[int] = []
        before = head_end
        try:
            for fields in reader:
                if not fields:
                    before = ends[-1]
                    continue
                number += 1
                if len(fields) != len(header):
                    what = f"has {len(fields)} fields, the header has {len(header)}"
                    problems.append(Problem(file.name, number, None, what))
                elif at is not None and not fields[at]:
                    problems.append(Problem(file.name, number, roles["id"], "is missing"))
                else:
                    batch.append(fields)
                    starts.append(before)
                    stops.append(ends[-1])
                    if len(batch) == 65536:
                        _add(batch, builders, ids, at)
                before = ends[-1]
        except csv.Error as error:
            raise BrokenFileError(
                file.name, f"record {number + 1} is not delimited text ({error})", byte=before, record=number + 1
            ) from error
        _add(batch, builders, ids, at)
    if problems:
        raise RecordsError(problems)
    part = _Part(file.source, dict(zip(header, (b.column() for b in builders), strict=True)), {})
    part.roles = roles
    part.made = {
        "n": len(starts), "input": file, "layout": "rows", "head": first.encode(),
        "starts": np.array(starts, dtype=np.int64), "stops": np.array(stops, dtype=np.int64),
    }  # fmt: skip
    if at is not None:
        part.raw_ids["id"] = packed(ids)
    return part


def _add(batch: list[list[str]], builders: list[ColumnBuilder], ids: list[int | str], at: int | None) -> None:
    for k, builder in enumerate(builders):
        builder.extend([fields[k] or None for fields in batch])
    if at is not None:
        ids += [fields[at] for fields in batch]
    batch.clear()


def _lines_of(stream: Bytes, ends: list[int]) -> Iterator[str]:
    """Yield lines with their ends, and keep in ``ends[-1]`` the offset after the line that was given last."""
    rest = b""
    started = False
    while block := stream.read():
        if not started:
            ends[-1] = stream.offset - len(block)
            started = True
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        for line in lines:
            ends[-1] += len(line) + 1
            yield line.decode() + "\n"
    if rest:
        ends[-1] += len(rest)
        yield rest.decode()


def _from_json(file: Input, wanted: Mapping[str, str]) -> _Part:
    stream: JsonRecords[dict[str, Any]] = JsonRecords(file, dict[str, Any])
    builders: dict[str, ColumnBuilder] = {}
    dropped: set[str] = set()
    roles: dict[str, str] = {}
    ids: list[int | str] = []
    starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    n_before = 0
    for block in stream:
        records = block.records
        names = dict.fromkeys(name for record in records for name in record)
        if n_before == 0:
            roles = _roles_of(list(names), wanted, file.name)
        for name in (*builders, *(name for name in names if name not in builders)):
            if name in dropped:
                continue
            values = [record.get(name) for record in records]
            if not set(map(type, values)) <= {int, str, type(None)}:
                values = [value if type(value) in (int, str) or value is None else _scalar(value) for value in values]
            if _Odd in values:
                if name not in roles.values():
                    dropped.add(name)
                    builders.pop(name, None)
                    continue
                for i in (i for i, value in enumerate(values) if value is _Odd):
                    stream.note(n_before + i + 1, name, "is not a text or a number")
                values = [None if value is _Odd else value for value in values]
            if name not in builders:
                builders[name] = ColumnBuilder()
                builders[name].extend([None] * n_before)
            builders[name].extend([None if value == "" else value for value in values])
        if "id" in roles:
            for i, record in enumerate(records):
                value = record.get(roles["id"])
                if type(value) not in (int, str) or value == "":
                    stream.note(n_before + i + 1, roles["id"], "is missing" if value in (None, "") else "is no id")
                ids.append(value if type(value) in (int, str) else "")
        starts.append(block.starts)
        stops.append(block.stops)
        n_before += len(records)
    stream.finish()
    part = _Part(file.source, {name: builder.column() for name, builder in builders.items()}, {})
    part.roles = roles
    part.made = {
        "n": n_before, "input": file, "layout": stream.header.layout,
        "starts": np.concatenate(starts), "stops": np.concatenate(stops),
    }  # fmt: skip
    if "id" in roles:
        part.raw_ids["id"] = packed(ids)
    return part


class _Odd:
    """Marks a value that is no text, number or truth value."""


def _scalar(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(value)
    return _Odd

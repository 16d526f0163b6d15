"""VQA v1 and v2, and all that share their layout: questions and annotations, joined by question id.

Which file is which is recognised by content: the member that holds the records, or the fields of the first record.
Official objects and bare lists are read, open-ended and multiple-choice questions, real and abstract scenes, several
files together, and lists whose records hold question and answer at once (as changing-priors splits are passed on).

Source: GT-Vision-Lab/VQA, the data format of the VQA releases. Ground truth is ``multiple_choice_answer``, else
``answer``, else the most frequent of ``answers`` (ties: the first met), which is counted. Cost: O(bytes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import JoinError, UsageError
from compsplit.model.column import Codes, Column, ColumnBuilder, as_texts, concatenated, positions
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import IdScope, built, packed, row_ids
from compsplit.readers.json_records import JsonRecords
from compsplit.registry import register

_NOTHING = msgspec.Raw(b"null")


class _Record(msgspec.Struct, gc=False):
    question_id: int | str
    image_id: int | str | None = None
    question: str | None = None
    multiple_choice_answer: str | None = None
    answer: str | None = None
    answers: msgspec.Raw = _NOTHING
    question_type: str | None = None
    answer_type: str | None = None
    coco_split: str | None = None


_FIELDS = {
    "questions": ("image_id", "question", "coco_split"),
    "annotations": ("image_id", "question_type", "answer_type", "coco_split"),
    "records": ("image_id", "question", "question_type", "answer_type", "coco_split"),
}
"""The fields that are used of each kind of record, besides id and answers."""


class _Answer(msgspec.Struct, gc=False):
    answer: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _File:
    """Everything that is used of one file, in record order."""

    input: Input
    kind: str
    layout: str
    header: tuple[tuple[str, bytes], ...]
    key: str | None
    subset: str | None
    task: str | None
    ids: NDArray[Any]
    images: Column
    questions: Column
    question_types: Column
    answer_types: Column
    answers: Column
    origins: Column
    n_answers: NDArray[np.int64]
    n_majority: int
    not_numbers: list[int]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


@register("reader", "vqa", source="Antol et al. 2015, arXiv 1505.00468; GT-Vision-Lab/VQA")
def read(
    files: Sequence[Input],
    *,
    id_scope: IdScope = "all",
    new_ids: bool = False,
    allow_unjoined: bool = False,
    processes: int = 1,
) -> QATable:
    """Read VQA questions and annotations in the official layout or as bare lists.

    Args:
        files: Questions and annotations, in any order.
        id_scope: ``"file"`` qualifies each id by its questions file.
        new_ids: Give the rows new ids, source:number.
        allow_unjoined: Leave records out that find no partner, and count them.
        processes: Files are decoded in this many processes; the result is the same.

    Raises:
        JoinError: Questions and annotations do not fit.
        RecordsError, RepeatedIdError, UsageError: As their messages say.
    """
    if processes > 1 and len(files) > 1:
        with ProcessPoolExecutor(min(processes, len(files))) as pool:
            read_files = list(pool.map(_read_file, files))
    else:
        read_files = [_read_file(file) for file in files]
    asked = _without_multiple_choice([file for file in read_files if file.kind != "annotations"])
    told = [file for file in read_files if file.kind == "annotations"]
    if not asked:
        raise UsageError(
            f"Only annotations are given ({', '.join(file.input.name for file in told)}); add the questions file.",
            file=told[0].input.name,
            field="question",
        )
    passed_over = len(read_files) - len(asked) - len(told)
    return _joined(asked, told, id_scope, new_ids, allow_unjoined, passed_over)


def _without_multiple_choice(files: list[_File]) -> list[_File]:
    """Pass over multiple-choice questions that stand beside the open-ended ones of the same images."""
    open_ended = {file.subset for file in files if file.task == "Open-Ended"}
    return [file for file in files if file.task != "Multiple-Choice" or file.subset not in open_ended]


def _read_file(source: Input) -> _File:
    stream = JsonRecords(source, _Record, ("questions", "annotations"), counted="answers")
    columns = {name: ColumnBuilder() for name in (*_FIELDS["records"], "answer")}
    ids: list[int | str] = []
    starts, stops, n_answers = [], [], []
    n_majority = n_before = 0
    kind = ""
    for block in stream:
        records = block.records
        if not records:
            continue
        kind = kind or _kind(stream.header.key, records[0])
        ids += map(attrgetter("question_id"), records)
        for name in _FIELDS[kind]:
            values = list(map(attrgetter(name), records))
            if kind != "annotations" and name in ("image_id", "question") and None in values:
                for i in (i for i, value in enumerate(values) if value is None):
                    stream.note(n_before + i + 1, name, "is missing")
            columns[name].extend(values)
        if kind != "questions":
            answers, majority = _ground_truth(stream, records, n_before)
            columns["answer"].extend(answers)
            n_majority += majority
        starts.append(block.starts)
        stops.append(block.stops)
        n_answers.append(block.lengths)
        n_before += len(records)
    stream.finish()
    made = {name: builder.column() for name, builder in columns.items()}
    made = {name: column if len(column) else Column.absent(len(ids)) for name, column in made.items()}
    counts = np.concatenate(n_answers) if n_answers else np.zeros(0, dtype=np.int64)
    return _File(
        input=source,
        kind=kind or stream.header.key or "questions",
        layout=stream.header.layout,
        header=tuple(stream.header.members),
        key=stream.header.key,
        subset=stream.header.value("data_subtype"),
        task=stream.header.value("task_type"),
        ids=packed(ids),
        images=made["image_id"],
        questions=made["question"],
        question_types=made["question_type"],
        answer_types=made["answer_type"],
        answers=made["answer"],
        origins=made["coco_split"],
        n_answers=np.maximum(counts, made["answer"].codes >= 0),
        n_majority=n_majority,
        not_numbers=stream.not_numbers,
        starts=np.concatenate(starts) if starts else counts,
        stops=np.concatenate(stops) if stops else counts,
    )


def _kind(key: str | None, first: _Record) -> str:
    answered = first.multiple_choice_answer is not None or first.answer is not None or first.answers != _NOTHING
    if first.question is not None and answered:
        return "records"
    if key:
        return key
    return "questions" if first.question is not None else "annotations"


def _ground_truth(
    stream: JsonRecords[_Record], records: list[_Record], n_before: int
) -> tuple[list[str | None], int]:
    answers = [record.multiple_choice_answer for record in records]
    n_majority = 0
    if None in answers:
        for i, record in enumerate(records):
            if answers[i] is None and record.answer is not None:
                answers[i] = record.answer
            elif answers[i] is None and record.answers != _NOTHING:
                try:
                    given = msgspec.json.decode(record.answers, type=list[_Answer | str])
                except msgspec.ValidationError as error:
                    stream.note(n_before + i + 1, "answers", str(error).partition(" - at")[0])
                    continue
                counts = Counter(one if isinstance(one, str) else one.answer for one in given)
                if counts:
                    # Counter keeps the order of first sight, and max the first of equals.
                    answers[i] = max(counts, key=counts.__getitem__)
                    n_majority += 1
    return answers, n_majority


def _joined(
    asked: list[_File], told: list[_File], id_scope: IdScope, new_ids: bool, allow_unjoined: bool, passed_over: int
) -> QATable:
    sources = concatenated([_constant(file.input.source, len(file)) for file in asked])
    images = concatenated([file.images for file in asked])
    ids, scoped = row_ids(
        [file.ids for file in asked],
        [file.input.source for file in asked],
        images,
        field="question_id",
        id_scope=id_scope,
        new_ids=new_ids,
        file=asked[0].input.name,
    )
    n_rows = len(ids)
    places = _Places(asked, id_scope, new_ids)
    row_of_record = [places.rows(file) for file in told]
    faults = _faults(asked, told, row_of_record, images, n_rows)
    joined = n_rows - len(faults.unanswered) - len(faults.other_image) if told else n_rows
    if told and faults.any and not allow_unjoined:
        first = asked if faults.unanswered else told
        raise JoinError(joined, faults.listed, file=first[0].input.name, hint=_id_hint(asked, told))

    answered = faults.rows
    answers = _gathered([file.answers for file in told], answered, n_rows)
    question_types = _gathered([file.question_types for file in told], answered, n_rows)
    answer_types = _gathered([file.answer_types for file in told], answered, n_rows)
    n_answers = np.concatenate([file.n_answers for file in asked])
    for file, rows in zip(told, answered, strict=True):
        n_answers[rows[rows >= 0]] = file.n_answers[rows >= 0]
    subsets = [file.origins.or_else(_constant(file.subset, len(file))) for file in asked]
    table = built(
        format="vqa",
        ids=ids,
        images=images,
        questions=concatenated([file.questions for file in asked]),
        answers=answers.or_else(concatenated([file.answers for file in asked])),
        question_types=question_types.or_else(concatenated([file.question_types for file in asked])),
        answer_types=answer_types.or_else(concatenated([file.answer_types for file in asked])),
        origins=concatenated(subsets),
        sources=sources,
        n_answers=n_answers,
        records=(*_records(asked, _ranges(asked)), *_records(told, answered)),
        scoped=scoped,
        left_out=tuple(
            sorted((name, "annotation without question") for name in faults.unasked)
            + sorted((name, "annotation repeated") for name in faults.repeated)
        ),
        decisions={
            "ground truth by majority of answers": sum(file.n_majority for file in (*asked, *told)),
            "annotations without question left out": len(faults.unasked),
            "repeated annotations left out": len(faults.repeated),
            "multiple-choice question files passed over": passed_over,
        },
        findings=_not_number_findings((*asked, *told)),
    )
    if not told:
        return table
    row_ok = np.ones(n_rows, dtype=bool)
    row_ok[faults.unanswered] = False
    table_ok = table.keep(row_ok | _marked(faults.other_image, n_rows), "no annotation", "questions without annotation left out")
    other = np.isin(table_ok.ids, table.ids[faults.other_image]) if faults.other_image else np.zeros(len(table_ok), bool)
    return table_ok.keep(~other, "annotation names another image", "questions with another image left out")


def _marked(rows: list[int], n_rows: int) -> NDArray[np.bool_]:
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    return mask


def _constant(value: str | None, n_rows: int) -> Column:
    return Column.absent(n_rows) if value is None else Column(np.zeros(n_rows, dtype=np.int32), (value,))


def _ranges(files: list[_File]) -> list[Codes]:
    starts = np.cumsum([0, *(len(file) for file in files)])
    return [np.arange(starts[k], starts[k + 1], dtype=np.int32) for k in range(len(files))]


def _records(files: list[_File], rows: list[Codes]) -> Iterable[Records]:
    for file, row in zip(files, rows, strict=True):
        yield Records(file.input, file.kind, file.layout, file.starts, file.stops, row, file.header, file.key)


def _gathered(columns: list[Column], rows: list[Codes], n_rows: int) -> Column:
    """Return what the annotations say, by row."""
    if not columns:
        return Column.absent(n_rows)
    whole = concatenated(columns)
    codes = np.full(n_rows, -1, dtype=np.int32)
    place = np.concatenate(rows)
    codes[place[place >= 0]] = whole.codes[place >= 0]
    return Column(codes, whole.names)


class _Places:
    """Finds the row that an annotation belongs to."""

    def __init__(self, asked: list[_File], id_scope: IdScope, new_ids: bool) -> None:
        self._asked = asked
        self._by_file = len(asked) > 1 and (id_scope == "file" or new_ids)
        self._offsets = np.cumsum([0, *(len(file) for file in asked)]).tolist()
        same_type = len({file.ids.dtype for file in asked}) == 1
        self._keys = np.concatenate([file.ids if same_type else as_texts(file.ids) for file in asked])

    def rows(self, file: _File) -> Codes:
        """Return the row of each annotation, -1 where no question has its id."""
        if not self._by_file:
            return positions(self._keys, file.ids)
        partner = self._partner(file)
        rows = positions(self._asked[partner].ids, file.ids)
        return np.where(rows >= 0, rows + np.int32(self._offsets[partner]), rows)

    def _partner(self, file: _File) -> int:
        same = [k for k, asked in enumerate(self._asked) if asked.subset == file.subset]
        if len(same) != 1:
            shared = [int((positions(asked.ids, file.ids) >= 0).sum()) for asked in self._asked]
            same = [k for k, n in enumerate(shared) if n == max(shared)]
        if len(same) != 1:
            raise UsageError(
                f"{file.input.name} could belong to more than one questions file; ids scoped by file need "
                "questions and annotations of which each pair has its own data_subtype.",
                file=file.input.name,
                field="data_subtype",
            )
        return same[0]


@dataclass(frozen=True, slots=True)
class _Faults:
    """What does not fit, as rows of the questions or as ids of annotations."""

    unanswered: list[int]
    other_image: list[int]
    unasked: list[str]
    repeated: list[str]
    rows: list[Codes]
    listed: dict[str, list[str]]

    @property
    def any(self) -> bool:
        return any(self.listed.values())


def _faults(
    asked: list[_File], told: list[_File], row_of_record: list[Codes], images: Column, n_rows: int
) -> _Faults:
    seen = np.zeros(n_rows, dtype=bool)
    other_image: list[int] = []
    unasked: list[str] = []
    repeated: list[str] = []
    used: list[Codes] = []
    for file, rows in zip(told, row_of_record, strict=True):
        rows = rows.copy()
        unasked += as_texts(file.ids[rows < 0]).tolist()
        known = np.flatnonzero(rows >= 0)
        _, first = np.unique(rows[known], return_index=True)
        again = np.ones(len(known), dtype=bool)
        again[first] = False
        again |= seen[rows[known]]
        repeated += as_texts(file.ids[known[again]]).tolist()
        rows[known[again]] = -1
        seen[rows[rows >= 0]] = True
        both = concatenated([images, file.images]).codes
        named, told_row = both[n_rows:], rows >= 0
        differs = told_row & (named >= 0)
        differs[told_row] &= named[told_row] != both[rows[told_row]]
        other_image += rows[differs].tolist()
        used.append(rows)
    unanswered = np.flatnonzero(~seen).tolist() if told else []
    names = [str(name) for file in asked for name in file.ids.tolist()] if unanswered or other_image else []
    listed = {
        "questions without annotation": [names[row] for row in unanswered],
        "annotations without question": unasked,
        "questions whose annotation names another image": [names[row] for row in other_image],
        "annotations that repeat an id": repeated,
    }
    return _Faults(unanswered, other_image, unasked, repeated, used, listed)


def _id_hint(asked: list[_File], told: list[_File]) -> str | None:
    """Say how the ids of both sides are built from image ids, if that differs."""
    patterns = [{_id_pattern(file) for file in files} for files in (asked, told)]
    if patterns[0] == patterns[1] or None in patterns[0] | patterns[1]:
        return None
    questions, annotations = (" or ".join(sorted(map(str, side))) for side in patterns)
    return (
        f"The ids look like {questions} in the questions and {annotations} in the annotations: these files are of "
        "different releases."
    )


def _id_pattern(file: _File) -> str | None:
    images = file.images.values()
    for base in (10, 1000):
        if len(file) and all(
            str(name).isdecimal() and image is not None and image.isdecimal() and int(name) // base == int(image)
            for name, image in zip(file.ids[:1000].tolist(), images[:1000], strict=True)
        ):
            return f"image_id*{base}+k"
    return None


def _not_number_findings(files: Sequence[_File]) -> tuple[Finding, ...]:
    places = [(file.input.source, number) for file in files for number in file.not_numbers]
    if not places:
        return ()
    return (
        Finding(
            kind="not-a-number",
            count=len(places),
            first=tuple(f"{source}:{number}" for source, number in sorted(places)[:5]),
            message=f"{len(places):,} records hold NaN or Infinity in a field that is not used; they are copied as "
            "they are.",
        ),
    )




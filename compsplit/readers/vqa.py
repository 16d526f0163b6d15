"""VQA v1 and v2, and all that share their layout: questions and annotations, joined by question id.

Which file is which is recognised by content: the member that holds the records, or the fields of the first record.
Official objects and bare lists are read, open-ended and multiple-choice questions, real and abstract scenes, several
files together, and lists whose records hold question and answer at once (as changing-priors splits are passed on).

Source: GT-Vision-Lab/VQA, the data format of the VQA releases. Ground truth is ``multiple_choice_answer``, else
``answer``, else the most frequent of ``answers`` (ties: the first met), which is counted. Cost: O(bytes).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from compsplit.errors import JoinError, OptionValueError, UsageError
from compsplit.model.column import Codes, Column, as_texts, concatenated, positions
from compsplit.model.lists import Lists, chained
from compsplit.model.table import Input, QATable, Records
from compsplit.readers.building import IdScope, built, not_number_findings, row_ids
from compsplit.readers.json_columns import ANYTHING, TEXT, TEXT_OR_WHOLE, Cells, Ids, JsonColumns, Names
from compsplit.readers.peoples_answers import PeoplesAnswers
from compsplit.registry import register

_KEYS = ("questions", "annotations")

_FIELDS = {
    "question_id": TEXT_OR_WHOLE,
    "image_id": TEXT_OR_WHOLE,
    "question": TEXT,
    "multiple_choice_answer": TEXT,
    "answer": TEXT,
    "answers": ANYTHING,
    "question_type": TEXT,
    "answer_type": TEXT,
    "coco_split": TEXT,
}
"""The fields that are used of a record."""


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
    images: Names
    questions: Names
    question_types: Column
    answer_types: Column
    answers: Column
    origins: Column
    n_answers: NDArray[np.int64]
    people: tuple[Lists, Lists] | None
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
    keep_answers: bool = False,
    without_questions: bool = False,
    threads: int | None = None,
) -> QATable:
    """Read VQA questions and annotations in the official layout or as bare lists.

    Args:
        files: Questions and annotations, in any order.
        id_scope: ``"file"`` qualifies each id by its questions file.
        new_ids: Give the rows new ids, source:number.
        allow_unjoined: Leave records out that find no partner, and count them.
        keep_answers: Keep the answers of people one by one, as the lists ``answers``, and in ``answer_records`` what
            else each one's record says: the place, from 1, of the first of its question that says the same. Without
            any such answer in the files there are no lists.
        without_questions: Take annotations for the rows where no file holds questions, as predictions are scored.
        threads: So many files are read at a time; by default one a processor. The result is the same.

    Raises:
        JoinError: Questions and annotations do not fit.
        RecordsError, RepeatedIdError, UsageError: As their messages say.
    """
    if threads is not None and threads < 1:
        raise OptionValueError("reader.threads", threads, "a number from 1 on")
    # Threads, not processes: the kernels that do nearly all of the work run without the interpreter's lock.
    with ThreadPoolExecutor(threads or min(len(files), os.cpu_count() or 1)) as pool:
        read_files = list(pool.map(partial(_read_file, keep_answers=keep_answers), files))
    asked = _without_multiple_choice([file for file in read_files if file.kind != "annotations"])
    told = [file for file in read_files if file.kind == "annotations"]
    if not asked and without_questions:
        asked, told = told, []
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


def _read_file(source: Input, keep_answers: bool) -> _File:
    stream = JsonColumns(source, _FIELDS, _KEYS, counted="answers")
    people = PeoplesAnswers(stream, "answers") if keep_answers else None
    ids = Ids(stream, "question_id")
    columns = {name: Names(name) for name, kind in _FIELDS.items() if kind != ANYTHING and name != "question_id"}
    n_majority = 0
    kind = ""
    starts, stops, lengths = ([np.zeros(0, np.int64)] for _ in range(3))
    for cells in stream:
        kind = kind or _kind(stream.header.key, cells)
        stream.require(cells, "question_id", *(() if kind == "annotations" else ("image_id", "question")))
        if kind != "questions":
            n_majority += _settle_answers(stream, cells)
        ids.add(cells)
        for column in columns.values():
            column.add(cells)
        if people is not None:
            people.add(cells)
        starts.append(cells.starts)
        stops.append(cells.stops)
        lengths.append(cells.lengths)
    for column in columns.values():
        column.check(stream)
    lists = people.finished() if people is not None else None
    stream.finish()
    made = {name: Names.merged([columns[name]]) for name in ("question_type", "answer_type", "coco_split")}
    answers = Names.merged([columns["multiple_choice_answer"]])
    if kind == "questions":
        answers = Column.absent(len(answers))
    return _File(
        input=source,
        kind=kind or stream.header.key or "questions",
        layout=stream.header.layout,
        header=tuple(stream.header.members),
        key=stream.header.key,
        subset=_text(stream.header.value("data_subtype")),
        task=_text(stream.header.value("task_type")),
        ids=ids.ids(),
        images=columns["image_id"],
        questions=columns["question"],
        question_types=made["question_type"],
        answer_types=made["answer_type"],
        answers=answers,
        origins=made["coco_split"],
        n_answers=np.maximum(np.concatenate(lengths), answers.codes >= 0),
        people=lists,
        n_majority=n_majority,
        not_numbers=stream.not_numbers,
        starts=np.concatenate(starts),
        stops=np.concatenate(stops),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _kind(key: str | None, cells: Cells) -> str:
    asks = bool(cells.there("question")[0])
    if asks and any(cells.there(name)[0] for name in ("multiple_choice_answer", "answer", "answers")):
        return "records"
    return key or ("questions" if asks else "annotations")


def _settle_answers(stream: JsonColumns, cells: Cells) -> int:
    """Put the ground truth where ``multiple_choice_answer`` is absent; return how many are by majority."""
    settled = cells.there("multiple_choice_answer")
    if settled.all():
        return 0
    cells.move("answer", "multiple_choice_answer", ~settled)
    n_majority = 0
    for row in np.flatnonzero(~cells.there("multiple_choice_answer") & cells.there("answers")).tolist():
        try:
            given = msgspec.json.decode(cells.raw("answers", row), type=list[_Answer | str])
        except msgspec.DecodeError as error:
            stream.note(cells.first_number + row, "answers", str(error).partition(" - at")[0])
            continue
        counts = Counter(one if isinstance(one, str) else one.answer for one in given)
        if counts:
            # Counter keeps the order of first sight, and max the first of equals.
            cells.put("multiple_choice_answer", row, max(counts, key=counts.__getitem__))
            n_majority += 1
    return n_majority


def _joined(
    asked: list[_File], told: list[_File], id_scope: IdScope, new_ids: bool, allow_unjoined: bool, passed_over: int
) -> QATable:
    sources = concatenated([_constant(file.input.source, len(file)) for file in asked])
    # Numbered together, so that images are compared as integers; those of the questions come first.
    shown = Names.merged([file.images for file in (*asked, *told)])
    n_rows = sum(map(len, asked))
    n_shown = int(shown.codes[:n_rows].max(initial=-1)) + 1
    images = Column(shown.codes[:n_rows].copy(), shown.names[:n_shown])
    ids, scoped = row_ids(
        [file.ids for file in asked],
        [file.input.source for file in asked],
        images,
        field="question_id",
        id_scope=id_scope,
        new_ids=new_ids,
        file=asked[0].input.name,
    )
    places = _Places(asked, id_scope, new_ids)
    row_of_record = [places.rows(file) for file in told]
    faults = _faults(asked, told, row_of_record, shown.codes)
    joined = n_rows - len(faults.unanswered) - len(faults.other_image) if told else n_rows
    if told and faults.any and not allow_unjoined:
        first = asked if faults.unanswered else told
        raise JoinError(joined, faults.listed, file=first[0].input.name, hint=_id_hint(asked, told))

    subsets = [file.origins.or_else(_constant(file.subset, len(file))) for file in asked]
    table = built(
        format="vqa",
        ids=ids,
        images=images,
        questions=Names.merged([file.questions for file in asked]),
        **_told_of_rows(asked, told, faults.rows),
        lists=_people_of_rows(asked, told, faults.rows),
        origins=concatenated(subsets),
        sources=sources,
        records=(*_records(asked, _ranges(asked)), *_records(told, faults.rows)),
        scoped=scoped,
        numbered=new_ids,
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
        findings=not_number_findings(
            str(file.ids[number - 1]) for file in (*asked, *told) for number in file.not_numbers
        ),
    )
    return _without_faulty(table, faults) if told else table


def _told_of_rows(asked: list[_File], told: list[_File], rows_of: list[Codes]) -> dict[str, Any]:
    """Return what annotations say of each row; where none does, what the question's own record says."""
    n_answers = np.concatenate([file.n_answers for file in asked])
    for file, rows in zip(told, rows_of, strict=True):
        n_answers[rows[rows >= 0]] = file.n_answers[rows >= 0]

    def column(name: str) -> Column:
        theirs = _gathered([getattr(file, name) for file in told], rows_of, len(n_answers))
        return theirs.or_else(concatenated([getattr(file, name) for file in asked]))

    return {"n_answers": n_answers, **{name: column(name) for name in ("answers", "question_types", "answer_types")}}


def _people_of_rows(asked: list[_File], told: list[_File], rows_of: list[Codes]) -> dict[str, Lists]:
    """Return the answers of people by row, those that annotations hold where a row has one."""
    n_rows = sum(map(len, asked))
    if all(file.people is None for file in (*asked, *told)):
        return {}
    records = np.arange(n_rows)
    n_before = n_rows
    for file, rows in zip(told, rows_of, strict=True):
        records[rows[rows >= 0]] = n_before + np.flatnonzero(rows >= 0)
        n_before += len(file)
    in_order = not told or (n_before == 2 * n_rows and np.array_equal(records, np.arange(n_rows, n_before)))
    lists = {}
    for k, name in enumerate(("answers", "answer_records")):
        whole = [file.people[k] if file.people else _no_lists(len(file)) for file in (*asked, *told)]
        if in_order:
            # Nothing is copied where annotations stand in the order of the questions.
            whole = whole[len(asked) :] if told else whole
            lists[name] = whole[0] if len(whole) == 1 else chained(whole)
        else:
            lists[name] = chained(whole).take(records)
    return lists


def _no_lists(n_rows: int) -> Lists:
    return Lists(np.zeros(n_rows + 1, dtype=np.int64), Column.absent(0))


def _without_faulty(table: QATable, faults: _Faults) -> QATable:
    """Return the rows whose annotation is there and names the same image."""
    n_rows = len(table)
    row_ok = np.ones(n_rows, dtype=bool)
    row_ok[faults.unanswered] = False
    table_ok = table.keep(
        row_ok | _marked(faults.other_image, n_rows), "no annotation", "questions without annotation left out"
    )
    other = (
        np.isin(table_ok.ids, table.ids[faults.other_image]) if faults.other_image else np.zeros(len(table_ok), bool)
    )
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


def _faults(asked: list[_File], told: list[_File], row_of_record: list[Codes], images: Codes) -> _Faults:
    n_rows = n_before = sum(map(len, asked))
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
        named = images[n_before : n_before + len(file)]
        n_before += len(file)
        differs = (rows >= 0) & (named >= 0) & (named != images[rows])
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
    images = Names.merged([file.images]).values()
    for base in (10, 1000):
        if len(file) and all(
            str(name).isdecimal() and image is not None and image.isdecimal() and int(name) // base == int(image)
            for name, image in zip(file.ids[:1000].tolist(), images[:1000], strict=True)
        ):
            return f"image_id*{base}+k"
    return None

"""Scores that a model gives to pairs, for each row: delimited text, long or wide.

Long: columns of an id (question_id, questionId, qid or id), ``pair`` and ``score``, a line for each row and pair. Wide:
a column of an id, and a column for every pair, headed by it; an empty field is no score. A pair is written as the
answers of the data are, and must be the answer of some row, scored or of train. Only the best of each kind is kept, and
whether it is the row's own. Cost: O(scores).

Source: compsplit's own layout.
"""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, JoinError, Problem, RecordsError, counted, listed
from compsplit.files import text_of
from compsplit.model.answered import PairScores
from compsplit.model.report import Finding
from compsplit.model.table import Input, QATable

_IDS = ("question_id", "questionId", "qid", "id")
_LONG = ("pair", "score")
_SHOWN = 5


def read_pair_scores(
    file: Input, table: QATable, seen: Collection[str], needed: NDArray[np.bool_] | None = None
) -> PairScores:
    """Return what each row's best pairs score.

    Args:
        file: The file.
        table: The rows; their answers are pairs.
        seen: The pairs that some row of train has.
        needed: Rows that must have scores. By default none must, and ids of no row and pairs that no row has are left
            out and counted.

    Raises:
        BrokenFileError: It is not such a file.
        RecordsError: A score is no finite number, or a row has two scores of a pair.
        JoinError: A row that must have scores has none, an id is of no row, or a pair is the answer of none.
    """
    place = {name: row for row, name in enumerate(table.ids.tolist())}
    numbers: dict[str, int] = {}
    records, rows, pairs, scores = array("i"), array("i"), array("i"), array("d")
    problems: list[Problem] = []
    known = {table.answers.names[code] for code in np.unique(table.answers.codes).tolist() if code >= 0}.union(seen)
    unknown: set[str] = set()
    strangers: set[str] = set()
    for number, name, cells in _lines(file):
        row = place.get(name)
        if row is None:
            unknown.add(name)
            continue
        for pair, text in cells:
            if pair not in known:
                strangers.add(pair)
                continue
            score = _number(text)
            if score is None:
                problems.append(Problem(file.name, number, "score", f"of {pair} is {text!r}, expected a finite number"))
                continue
            records.append(number)
            rows.append(row)
            pairs.append(numbers.setdefault(pair, len(numbers)))
            scores.append(score)
    if problems:
        raise RecordsError(problems)
    names = list(numbers)
    of_row, of_pair = np.array(rows, dtype=np.int64), np.array(pairs, dtype=np.int64)
    twice = _twice(of_row, of_pair, len(names))
    if len(twice):
        said = [(records[k], f"{table.ids[rows[k]]} has another score of {names[pairs[k]]}") for k in twice.tolist()]
        raise RecordsError([Problem(file.name, number, "pair", what) for number, what in said])
    if needed is not None:
        has = np.zeros(len(table), dtype=np.bool_)
        has[of_row] = True
        faults = {
            "pairs that are the answer of no row": sorted(strangers),
            "rows without scores": sorted(table.ids[needed & ~has].tolist()),
            "ids of no row": sorted(unknown),
        }
        if any(faults.values()):
            raise JoinError(int(has[needed].sum()), faults, file=file.name, what="Rows and scores of pairs", field="id")
    is_seen = np.array([name in seen for name in names], dtype=np.bool_)
    findings = _findings(file, sorted(unknown), sorted(strangers))
    return _best(table, of_row, of_pair, names, np.array(scores), is_seen, findings)


def _findings(file: Input, unknown: Sequence[str], strangers: Sequence[str]) -> tuple[Finding, ...]:
    """Return what was left out."""
    told = (
        ("scores-of-no-row", unknown, "id", "is of no row and left out.", "are of no row and left out."),
        ("scores-of-unknown-pairs", strangers, "pair", "is no row's answer and left out.",
         "are no row's answers and left out."),
    )  # fmt: skip
    return tuple(
        Finding(
            kind=kind,
            count=len(names),
            first=tuple(names[:_SHOWN]),
            message=f"{counted(len(names), what)} of {file.name} {one if len(names) == 1 else many}",
        )
        for kind, names, what, one, many in told
        if names
    )


def _lines(file: Input) -> Iterator[tuple[int, str, list[tuple[str, str]]]]:
    """Yield the number of each record, the id that it is about, and its scores by pair, as written."""
    text = text_of(file)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = next(reader, [])
        twice = [name for name, n in Counter(head).items() if n > 1]
        if twice:
            raise BrokenFileError(file.name, f'the column "{twice[0]}" stands twice')
        at = next((head.index(name) for name in _IDS if name in head), None)
        is_long = all(name in head for name in _LONG)
        if at is None or len(head) < 2:
            raise BrokenFileError(
                file.name, f"holds no scores of pairs: its first line has {listed(head)}, expected an id "
                f"({', '.join(_IDS)}) and either pair and score or a column for every pair",
            )  # fmt: skip
        for number, fields in enumerate(reader, 1):
            if not fields:
                continue
            if len(fields) != len(head):
                raise RecordsError(
                    [Problem(file.name, number, None, f"has {len(fields)} fields, expected {len(head)}")]
                )
            if is_long:
                yield number, fields[at], [(fields[head.index("pair")], fields[head.index("score")])]
            else:
                cells = zip(head, fields, strict=True)
                yield number, fields[at], [(pair, cell) for k, (pair, cell) in enumerate(cells) if k != at and cell]
    except csv.Error as error:
        raise BrokenFileError(file.name, f"is not delimited text ({error})") from error


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _twice(rows: NDArray[np.int64], pairs: NDArray[np.int64], n_pairs: int) -> NDArray[np.int64]:
    """Return which scores are of a row and pair that has one before, ascending."""
    packed = rows * max(n_pairs, 1) + pairs
    order = np.argsort(packed, kind="stable")
    return np.sort(order[1:][packed[order[1:]] == packed[order[:-1]]])


def _best(
    table: QATable,
    rows: NDArray[np.int64],
    pairs: NDArray[np.int64],
    names: Sequence[str],
    scores: NDArray[np.float64],
    is_seen: NDArray[np.bool_],
    findings: tuple[Finding, ...],
) -> PairScores:
    place = {name: code for code, name in enumerate(names)}
    own_code = np.array([place.get(name, -1) for name in table.answers.names] + [-1])[table.answers.codes]
    best = np.full((2, len(table)), -np.inf)
    kind = is_seen[pairs].astype(np.int64)
    np.maximum.at(best, (kind, rows), scores)
    own = own_code[rows] == pairs
    own_score, others = np.full(len(table), -np.inf), np.full(len(table), -np.inf)
    own_score[rows[own]] = scores[own]
    own_kind = np.append(is_seen, False)[own_code].astype(np.int64)
    rival = ~own & (kind == own_kind[rows])
    np.maximum.at(others, rows[rival], scores[rival])
    there = np.isfinite(best).all(axis=0)
    lead = np.zeros(len(table))
    lead[there] = best[1, there] - best[0, there]
    return PairScores(
        there=there,
        lead=lead,
        right=(own_code >= 0) & (own_score > others),
        own=np.isfinite(own_score),
        n_seen=int(is_seen.sum()),
        n_unseen=int((~is_seen).sum()),
        findings=findings,
    )

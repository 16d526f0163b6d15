"""Predictions joined to rows by id: as text, and never in silence where they do not fit.

Decided: rows without a prediction, predictions without a row and repeated ids stop the evaluation, each with its own
way on, which is counted. An id that is a row's without leading zeros is told; it is joined only where that is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import PredictionsError, UsageError, counted, listed
from compsplit.model.column import Column, all_differ, positions
from compsplit.model.report import Finding
from compsplit.model.table import QATable
from compsplit.readers.predictions import Predictions

_SHOWN = 5

Missing = Literal["stop", "wrong", "leave-out"]
Repeated = Literal["stop", "last"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinRules:
    """What is done where predictions and rows do not fit.

    Attributes:
        missing: Scored rows without a prediction: stop, count them as wrong, or score the others alone.
        repeated: Several predictions of one row: stop, or take the last.
        allow_unjoined: Whether predictions of no row are left out.
        join_zeros: Whether an id may lack leading zeros.
    """

    missing: Missing = "stop"
    repeated: Repeated = "stop"
    allow_unjoined: bool = False
    join_zeros: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Predictions by row.

    Attributes:
        values: The prediction of each row, -1 where there is none.
        not_text: Rows whose prediction is no text, shape (n_rows,).
        scored: The rows that are scored, shape (n_rows,).
        findings: What did not fit, and what became of it.
    """

    values: Column
    not_text: NDArray[np.bool_]
    scored: NDArray[np.bool_]
    findings: tuple[Finding, ...]


def rows_with_predictions(table: QATable, predictions: Predictions) -> NDArray[np.bool_]:
    """Return the rows whose id has a prediction, shape (n_rows,)."""
    known = set(predictions.ids.tolist())
    return np.fromiter((name in known for name in table.ids.tolist()), dtype=bool, count=len(table))


def joined(
    table: QATable, predictions: Predictions, scored: NDArray[np.bool_], rules: JoinRules, hint: str = ""
) -> Joined:
    """Return the prediction of each row.

    Args:
        table: The rows.
        predictions: Of one model.
        scored: Rows that need one, shape (n_rows,).
        rules: What is done where something does not fit.
        hint: What else may be the way on where rows have no prediction.

    Raises:
        PredictionsError: Something does not fit, and the rules do not say what to do.
        UsageError: An id that is predicted names several rows.
    """
    _refuse_ambiguous(table, predictions)
    given = predictions.ids.tolist()
    place = positions(table.ids, predictions.ids)
    strangers = np.flatnonzero(place < 0).tolist()
    zeros = _without_zeros(table.ids.tolist(), {given[k] for k in strangers})
    if zeros and rules.join_zeros:
        of_row = {name: row for row, name in enumerate(table.ids.tolist())}
        place = place.copy()
        for k in strangers:
            place[k] = of_row.get(zeros.get(given[k], ""), -1)
    unknown = sorted({given[k] for k in np.flatnonzero(place < 0).tolist()})
    there = place >= 0
    times = np.bincount(place[there], minlength=len(table))
    repeated = sorted(table.ids[times > 1].tolist())
    codes = np.full(len(table), -1, dtype=np.int32)
    from_entry = np.full(len(table), -1, dtype=np.int64)
    # Later entries overwrite earlier ones: numpy assigns in order.
    from_entry[place[there]] = np.flatnonzero(there)
    held = from_entry >= 0
    codes[held] = predictions.values.codes[from_entry[held]]
    not_text = np.zeros(len(table), dtype=bool)
    not_text[held] = predictions.not_text[from_entry[held]]
    missing = sorted(table.ids[scored & (codes < 0)].tolist())
    file = predictions.file or predictions.name
    faults = {
        "missing": missing if rules.missing == "stop" else [],
        "unknown": unknown if not rules.allow_unjoined else [],
        "repeated": repeated if rules.repeated == "stop" else [],
    }
    if any(faults.values()):
        told = {} if rules.join_zeros else zeros
        raise PredictionsError(
            int((codes[scored] >= 0).sum()), file=file, zeros=told, hint=hint if faults["missing"] else "", **faults
        )
    if rules.missing == "leave-out":
        scored = scored & (codes >= 0)
    findings = _findings(file, rules, missing, unknown, repeated, zeros if rules.join_zeros else {})
    return Joined(Column(codes, predictions.values.names), not_text, scored, (*predictions.findings, *findings))


def _refuse_ambiguous(table: QATable, predictions: Predictions) -> None:
    """Refuse predictions for ids that name several rows."""
    if all_differ(table.ids):
        return
    wanted = set(predictions.ids.tolist())
    several = sorted(name for name, n in Counter(table.ids.tolist()).items() if n > 1 and name in wanted)
    if several:
        raise UsageError(
            f"{counted(len(several), 'id names', 'ids name')} rows of several parts ({listed(several)}), so their "
            "predictions belong to no one row. Pass --id-scope file, and qualify the ids of predictions alike.",
            record=several[0],
            field="question_id",
        )


def _without_zeros(names: Sequence[str], unknown: Collection[str]) -> dict[str, str]:
    """Return unknown id -> the one id of the data that it is without leading zeros."""
    if not unknown:
        return {}
    bare: dict[str, list[str]] = {}
    for name in names:
        if name[:1] == "0" and name.isdecimal():
            bare.setdefault(name.lstrip("0"), []).append(name)
    return {name: bare[name][0] for name in sorted(unknown) if len(bare.get(name, ())) == 1}


def _findings(
    file: str,
    rules: JoinRules,
    missing: Sequence[str],
    unknown: Sequence[str],
    repeated: Sequence[str],
    zeros: dict[str, str],
) -> list[Finding]:
    kept = "count as wrong" if rules.missing == "wrong" else "are not scored"
    told = [
        ("predictions-missing", missing, f"rows have no prediction in {file} and {kept}."),
        ("predictions-unknown", unknown, f"predictions of {file} are of no row and left out."),
        ("predictions-repeated", repeated, f"rows have several predictions in {file}; the last is taken."),
        ("predictions-without-zeros", list(zeros), f"ids of {file} lack the leading zeros of the data; joined."),
    ]
    return [
        Finding(kind=kind, count=len(ids), first=tuple(ids[:_SHOWN]), message=f"{len(ids):,} {message}")
        for kind, ids, message in told
        if ids
    ]

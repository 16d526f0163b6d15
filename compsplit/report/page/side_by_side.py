"""Reports of one kind side by side: a row for each measure that is read first, a column for each report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compsplit.plain import plain
from compsplit.report.page.given import Given
from compsplit.report.page.measures import note_of, read_first
from compsplit.report.page.shown import ShownCell, ShownRow, ShownTable

_REPORTS = 12
_MEASURES = 60


def side_by_side(given: Sequence[Given]) -> tuple[ShownTable, ...]:
    """Return a table for each kind of which there are two reports or more."""
    by_kind: dict[str, list[Given]] = {}
    for each in given:
        by_kind.setdefault(plain(each.report.subject["kind"], 60), []).append(each)
    several = ((kind, some) for kind, some in by_kind.items() if len(some) > 1)
    return tuple(_table(f"side-{at}", kind, some) for at, (kind, some) in enumerate(several, start=1))


def _table(id: str, kind: str, given: Sequence[Given]) -> ShownTable:
    told = [{**_sizes(each), **read_first(each.report)} for each in given[:_REPORTS]]
    lines = list(dict.fromkeys(key for values in told for key in values))
    rows = tuple(
        ShownRow(tuple(ShownCell(text) for text in (*key, *(values.get(key, "–") for values in told))))
        for key in lines[:_MEASURES]
    )
    names = (plain(each.name, 60) for each in given[:_REPORTS])
    more = [note_of(each.report) for each in given[:1] if note_of(each.report)]
    if len(given) > _REPORTS:
        more.append(f"{_REPORTS} of {len(given):,} reports are in this table.")
    if len(lines) > _MEASURES:
        more.append(f"{_MEASURES} of {len(lines):,} measures are in this table; all stand with each report.")
    columns = (("measure", False), ("parts", False), *((name, True) for name in names))
    return ShownTable(id, f"{len(given):,} {kind}s side by side", columns, rows, " ".join(more))


def _sizes(given: Given) -> Mapping[tuple[str, str], str]:
    """Return how many rows each part has."""
    subject = given.report.subject
    parts = sorted(subject.get("parts", {}).items(), key=lambda each: each[0] != subject.get("reference"))
    return {("rows", plain(part, 60)): f"{size['got']:,}" for part, size in parts if "got" in size}

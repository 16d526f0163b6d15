"""The rows that culprits name as examples, as a person reads them: beside an id stands what is written there.

Examples are the ids in columns ``example in PART`` of tables of culprits. Of each table the first rows count, which are
those that a reader looks at; where all together are too many, the first rows of every table come before the second.
Cost: O(rows) once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compsplit.model.incidence import Incidence
from compsplit.model.report import Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split

NAME = "example rows"
"""What the table is called."""

_EXAMPLE = "example in "
_FIRST = 50
"""Rows of each table of culprits whose examples are told."""
_MOST = 1000
_CLASSES = 12
"""Classes of a scene that are named."""
_IDS = 1 << 16
"""Ids that are looked at together."""

_TEXTS = ("question", "answer", "image")


def with_example_rows(rows: Rows, split: Split, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables, and behind them that of the rows which culprits name, where they name any."""
    wanted = _named(tables, split)
    if not wanted:
        return dict(tables)
    chosen = sorted(wanted[:_MOST], key=lambda each: (each[1], split.parts.index(each[0])))
    found = _places(rows, split, chosen)
    columns, cells = _scenes(rows) if rows.noun == "scene" else _texts(rows)
    lines = [(name, part, *cells(found[part, name])) for part, name in chosen]
    return {**tables, NAME: Table.first_of(("id", "part", *columns), lines, _MOST, total=len(wanted))}


def _named(tables: Mapping[str, Table], split: Split) -> list[tuple[str, str]]:
    """Return (part, id) of every example, each once: those of the tables' first rows, then of their second, ..."""
    columns = [
        (table, at, column.removeprefix(_EXAMPLE))
        for table in tables.values()
        if table.culprits
        for at, column in enumerate(table.columns)
        if column.startswith(_EXAMPLE) and column.removeprefix(_EXAMPLE) in split.parts
    ]
    examples = (
        (part, table.rows[place][at])
        for place in range(_FIRST)
        for table, at, part in columns
        if place < len(table.rows) and table.rows[place][at] is not None
    )
    return list(dict.fromkeys(examples))


def _places(rows: Rows, split: Split, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Return the row of each (part, id); parts that are audited together may have rows of the same id."""
    names = frozenset(name for _, name in wanted)
    found: dict[tuple[str, str], int] = {}
    for first in range(0, len(rows), _IDS):
        for row, name in enumerate(rows.ids[first : first + _IDS].tolist(), start=first):
            if name in names:
                part = int(split.part_of_row[row])
                if part >= 0:
                    found.setdefault((split.parts[part], name), row)
    return found


def _texts(rows: Rows) -> tuple[tuple[str, ...], Callable[[int], tuple[Any, ...]]]:
    """Return which texts rows have, and what gives those of a row."""
    held = [(name, rows.columns[name]) for name in _TEXTS if name in rows.columns and len(rows.columns[name].names)]
    return tuple(name for name, _ in held), lambda row: tuple(column[row] for _, column in held)


def _scenes(rows: Rows) -> tuple[tuple[str, ...], Callable[[int], tuple[Any, ...]]]:
    """Return the same for the objects of scenes."""
    classes = rows.concepts
    return ((), lambda row: ()) if classes is None else (("objects",), lambda row: (_objects(classes, row),))


def _objects(classes: Incidence, row: int) -> str:
    """Return the classes of a scene's objects, commonest first, then by name."""
    bag = int(classes.bag_of_row[row])
    entries = slice(classes.starts[bag], classes.starts[bag + 1])
    held = zip(classes.counts[entries].tolist(), classes.concepts[entries].tolist(), strict=True)
    names = [name for _, name in sorted((-n, classes.names[code]) for n, code in held)]
    more = f" and {len(names) - _CLASSES:,} more" if len(names) > _CLASSES else ""
    return f"{', '.join(names[:_CLASSES])}{more}"

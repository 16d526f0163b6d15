"""The folder of compositional zero-shot learning: lists of pairs, and samples that agree with them.

``PART_pairs.txt`` has one ``attribute object`` a line and lists exactly the pairs that samples of the part show, each
once, in alphabetical order. ``PART.csv`` has the samples: id, image, attribute, object. ``all_pairs.csv`` counts the
samples of each pair in each part, and says whether the reference part shows it: seen and unseen are counted from
samples, never from lists. White space in a name becomes a dot, in lists and samples alike.

Source: Misra, Gupta, Hebert 2017; Purushwalkam et al. 2019 (the layout of the lists). A sample is a scene with one
object that has one attribute, or a question with columns ``attribute`` and ``object``. What is lost: everything else
that a row says. Cost: O(rows log rows).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, counted, listed
from compsplit.files import csv_lines, sha256
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.registry import register
from compsplit.writers.rows import lost_columns, values
from compsplit.writers.spans import Written, rows_of_part

_COUNTS = "all_pairs"


@register("writer", "czsl", source="Misra, Gupta, Hebert 2017")
def write(table: RowTable, split: Split, folder: Path) -> list[Written]:
    """Write lists of attribute-object pairs, and the samples that they are counted from.

    Raises:
        UsageError: A row is no sample of one pair, two names become one, or a part has the name of the counts.
    """
    if _COUNTS in split.parts:
        raise UsageError(f"No part can be called {_COUNTS} here: {_COUNTS}.csv counts the pairs of all parts.")
    attributes, objects = _dotted(_roles(table))
    written: list[Written] = []
    samples: dict[str, Counter[tuple[str, str]]] = {}
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        pairs = list(zip(_texts(attributes, rows), _texts(objects, rows), strict=True))
        samples[part] = Counter(pairs)
        listing = folder / f"{part}_pairs.txt"
        listing.write_text(
            "".join(f"{attribute} {name}\n" for attribute, name in sorted(samples[part])), encoding="utf-8", newline=""
        )
        written.append(Written(listing.name, part, "pairs", len(samples[part]), sha256(listing)))
        images = [value or "" for value in values(table.images, rows)]
        columns = [table.ids[rows].tolist(), images, [a for a, _ in pairs], [o for _, o in pairs]]
        path = folder / f"{part}.csv"
        path.write_text("id,image,attribute,object\n" + csv_lines(columns), encoding="utf-8", newline="")
        written.append(Written(path.name, part, "records", len(rows), sha256(path), _lost(table, rows)))
    return [*written, _counts(samples, folder)]


def _roles(table: RowTable) -> tuple[Column, Column]:
    """Return the attribute and the object of each row.

    Raises:
        UsageError: A row has none, or several.
    """
    if isinstance(table, SceneTable):
        n_objects = np.diff(table.object_starts)
        n_attributes = np.diff(table.attribute_starts[table.object_starts])
        whole = (n_objects == 1) & (n_attributes == 1)
        _complete(table, whole, "A sample is a scene with one object that has one attribute")
        names = (table.attributes, table.classes)
        there = (names[0].codes >= 0) & (names[1].codes >= 0)
        _complete(table, there, "A sample is a scene whose object and attribute have a name")
        return names
    lacking = [name for name in ("attribute", "object") if name not in table.columns]
    if lacking:
        raise UsageError(
            f"czsl writes samples of attribute-object pairs: scenes, or questions with columns attribute and object. "
            f"There is no column {' and no column '.join(lacking)}. Write another format: --set write.as=jsonl.",
            field="write.as",
        )
    attributes, objects = table.columns["attribute"], table.columns["object"]
    _complete(table, (attributes.codes >= 0) & (objects.codes >= 0), "A sample has an attribute and an object")
    return attributes, objects


def _complete(table: RowTable, samples: NDArray[np.bool_], rule: str) -> None:
    if samples.all():
        return
    n = int((~samples).sum())
    raise UsageError(
        f"{rule}, and {counted(n, 'row')} of {len(table):,} {'is' if n == 1 else 'are'} none "
        f"(id {listed(sorted(table.ids[~samples].tolist()))}). Write another format: --set write.as=jsonl.",
        field="write.as",
    )


def _dotted(columns: tuple[Column, Column]) -> tuple[Column, Column]:
    """Return names without white space, which parts the two names on a line.

    Raises:
        UsageError: Two different names become one, or one becomes nothing.
    """
    made = []
    for column, what in zip(columns, ("attribute", "object"), strict=True):
        used = sorted({column.names[code] for code in np.unique(column.codes).tolist()})
        dotted: dict[str, str] = {}
        for name in used:
            short = ".".join(name.split())
            if not short or short in dotted:
                other = f'"{dotted[short]}" and "{name}" would be one {what}' if short else f"an {what} is blank"
                raise UsageError(f"Pairs are written without white space inside names, and {other}. Rename one.")
            dotted[short] = name
        made.append(column.renamed([".".join(name.split()) or None for name in column.names]))
    return made[0], made[1]


def _texts(column: Column, rows: NDArray[np.int64]) -> list[str]:
    return [str(value) for value in values(column, rows)]


def _lost(table: RowTable, rows: NDArray[np.int64]) -> dict[str, int]:
    counts = lost_columns(table, rows, "attribute", "object")
    if isinstance(table, QATable):
        for name, column in (("question", table.questions), ("answer", table.answers)):
            counts[name] = int((column.codes[rows] >= 0).sum())
    return {name: n for name, n in counts.items() if n}


def _counts(samples: dict[str, Counter[tuple[str, str]]], folder: Path) -> Written:
    pairs = sorted(set().union(*samples.values()))
    reference = next(iter(samples))
    columns = [
        [attribute for attribute, _ in pairs],
        [name for _, name in pairs],
        *([str(found[pair]) for pair in pairs] for found in samples.values()),
        ["true" if samples[reference][pair] else "false" for pair in pairs],
    ]
    head = csv_lines([[name] for name in ("attribute", "object", *samples, f"seen in {reference}")])
    path = folder / f"{_COUNTS}.csv"
    path.write_text(head + csv_lines(columns), encoding="utf-8", newline="")
    return Written(path.name, None, "pairs", len(pairs), sha256(path))

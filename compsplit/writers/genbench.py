"""GenBench's file of a split: for train, validation and test, which examples of the original data are in it.

Source: Hupkes et al. 2023, arXiv 2210.03050; GenBench/genbench_cbt, README, "split.jsonnet". The file holds
``{"train": ["train:10", "test:21"], "validation": [...], "test": [...]}``: each entry is ``SOURCE:INDEX``, a split of
the original data and an example's place in it, from 0. The file is JSON, and so it is Jsonnet. GenBench has no other
names: ``val`` and ``dev`` are its validation, as is the part that the option names; another part is an error.

``SOURCE`` is the name of the row's input file here; ``NAME=FILE`` gives it that of GenBench's split. GenBench cuts a
name at its first dot and reads ``dev`` as ``validation``, so that a name is refused that it would change or could not
take apart. What is lost: everything but which row is where. Cost: O(rows).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from compsplit.errors import UsageError
from compsplit.files import sha256
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import Records
from compsplit.registry import register
from compsplit.writers.layouts import by_source
from compsplit.writers.spans import Written

_NAMES = {"train": "train", "val": "validation", "dev": "validation", "validation": "validation", "test": "test"}


@register("writer", "genbench", source="Hupkes et al. 2023, arXiv 2210.03050; GenBench/genbench_cbt")
def write(table: RowTable, split: Split, folder: Path, *, validation: str | None = None) -> list[Written]:
    """Write GenBench's split.jsonnet: each row of a part by its file and its place in it.

    Args:
        table: The rows.
        split: The part of each row.
        folder: Where to.
        validation: The part that is GenBench's validation, such as val-iid.

    Raises:
        UsageError: A part or a file has a name that GenBench does not have, or rows have no record of their own.
    """
    named = _named(split.parts, validation)
    sources = _sources(table)
    entries: dict[str, list[str]] = {name: [] for name in named.values()}
    for records, source in sources:
        rows = records.rows
        part_of_record = np.where(rows >= 0, split.part_of_row[rows], -1)
        for p, part in enumerate(split.parts):
            entries[named[part]] += [f"{source}:{number}" for number in np.flatnonzero(part_of_record == p).tolist()]
    path = folder / "split.jsonnet"
    lists = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in found) + "\n]"
        for name, found in sorted(entries.items())
    )
    path.write_text("{\n" + ",\n".join(lists) + "\n}\n", encoding="utf-8", newline="")
    return [Written(path.name, None, "ids", len(table), sha256(path))]


def _named(parts: Sequence[str], validation: str | None) -> dict[str, str]:
    """Return what GenBench calls each part."""
    if validation is not None and validation not in parts:
        raise UsageError(f'There is no part "{validation}" to be validation; there are {", ".join(parts)}.')
    names = {**_NAMES, **({validation: "validation"} if validation else {})}
    strange = [part for part in parts if part not in names]
    if strange:
        raise UsageError(
            f"GenBench has train, validation and test, and no part {', '.join(strange)}. Name the one that is its "
            "validation with --set write.validation=PART, and leave others out of the recipe, or write another format: "
            "--set write.as=ids.",
            field="write.as",
        )
    named = {part: names[part] for part in parts}
    if len(set(named.values())) < len(named):
        both = ", ".join(part for part in parts if named[part] == "validation")
        raise UsageError(f"GenBench has one validation, and these parts would all be it: {both}. Rename one.")
    return named


def _sources(table: RowTable) -> list[tuple[Records, str]]:
    """Return the records of each file, a row a record, and what GenBench is to call the file.

    Raises:
        UsageError: A row is no record of its own, or GenBench would misread a name.
    """
    kind = next((records.kind for records in table.records), "")
    sources = by_source(table.records, kind)
    told = np.zeros(len(table), dtype=bool)
    for records in sources:
        told[records.rows[records.rows >= 0]] = True
    if any(records.layout == "shared" for records in sources) or not told.all():
        raise UsageError(
            f"GenBench names a row by its record's place in its file, and a row of {table.format} is no record of its "
            "own here. Write another format: --set write.as=ids.",
            field="write.as",
        )
    found = []
    for records in sources:
        source = "table" if records.input is None else records.input.source
        if ":" in source or "." in source or ("dev" in source):
            raise UsageError(
                f'GenBench would misread the name "{source}": it takes names apart at ":" and ".", and reads dev as '
                "validation. Name the file as GenBench's data do with NAME=FILE, such as train=FILE.",
                field="write.as",
            )
        found.append((records, source))
    return found

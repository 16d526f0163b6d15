"""Parquet, from tables that came in as Parquet, pandas or Arrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError
from compsplit.files import sha256
from compsplit.model.split import Split
from compsplit.model.table import Records
from compsplit.writers.spans import Written


def write_arrow(
    sources: Sequence[Records], split: Split, folder: Path, place_of_row: NDArray[np.int64]
) -> list[Written]:
    """Write the rows of Arrow tables, each part as one Parquet file, values and types unchanged.

    Args:
        sources: The tables.
        split: The part of each row.
        folder: Where to.
        place_of_row: Rows are written in this order; shape (n_rows,).
    """
    import pyarrow
    import pyarrow.parquet

    written = []
    try:
        records = pyarrow.concat_tables([source.arrow for source in sources], promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise UsageError(
            f"The tables have columns of different types, which one file cannot have ({error}). Write another format: "
            "--set write.as=csv.",
            field="write.as",
        ) from error
    records = records.replace_schema_metadata(_metadata(records.schema.metadata))
    rows = np.concatenate([source.rows for source in sources])
    for p, part in enumerate(split.parts):
        mine = np.flatnonzero((rows >= 0) & (split.part_of_row[rows] == p))
        mine = mine[np.argsort(place_of_row[rows[mine]], kind="stable")]
        whole = records.take(pyarrow.array(mine))
        path = folder / f"{part}.parquet"
        pyarrow.parquet.write_table(whole, path)
        written.append(Written(path.name, part, "records", whole.num_rows, sha256(path)))
    return written


def _metadata(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    """Return a table's metadata without pandas' numbering of its rows, which is no part's."""
    if not metadata or b"pandas" not in metadata:
        return metadata
    pandas = json.loads(metadata[b"pandas"])
    pandas["index_columns"] = [index for index in pandas.get("index_columns", []) if isinstance(index, str)]
    return {**metadata, b"pandas": json.dumps(pandas).encode()}

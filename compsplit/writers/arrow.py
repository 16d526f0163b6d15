"""Parquet, from tables that came in as Parquet, pandas or Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from compsplit.files import sha256
from compsplit.model.split import Split
from compsplit.model.table import Records
from compsplit.writers.spans import Written


def write_arrow(sources: Sequence[Records], split: Split, folder: Path) -> list[Written]:
    """Write the rows of Arrow tables, each part as one Parquet file, values and types unchanged."""
    import pyarrow
    import pyarrow.parquet

    written = []
    for p, part in enumerate(split.parts):
        pieces = []
        for records in sources:
            kept = records.rows >= 0
            mine = np.flatnonzero(np.where(kept, split.part_of_row[records.rows], -1) == p)
            pieces.append(records.arrow.take(pyarrow.array(mine)))
        whole = pyarrow.concat_tables(pieces, promote_options="default")
        path = folder / f"{part}.parquet"
        pyarrow.parquet.write_table(whole, path)
        written.append(Written(path.name, part, "records", whole.num_rows, sha256(path)))
    return written

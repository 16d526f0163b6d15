"""Combinations of the values of named columns: ``a+b`` on the command line; atoms are the values.

Source: compsplit. A row that lacks one of the values has no compound. Cost: O(rows log rows).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compsplit.errors import MissingFieldError, UsageError
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register


@register("extractor", "columns", source="compsplit")
def extract(table: RowTable, rows: Rows, *, columns: Sequence[str] = ()) -> Compounds:
    """Take the values of named columns together.

    Args:
        table: Rows.
        rows: The same, prepared.
        columns: Names of two columns or more.

    Raises:
        UsageError: Fewer than two are named, or one twice.
        MissingFieldError: There is no such column.
    """
    if len(columns) < 2 or len(set(columns)) < len(columns):
        raise UsageError(
            "A cross of columns names two or more, each once: --of COLUMN+COLUMN.", field="extract.columns"
        )
    known = {**table.named_columns(), **rows.columns}
    for name in columns:
        if name not in known or not len(known[name].names):
            raise MissingFieldError(
                f'column "{name}"', sorted(n for n, c in known.items() if len(c.names)), file=None, mend="Name another"
            )
    members = [known[name] for name in columns]
    every = np.arange(len(rows))
    atoms = [occurring(name, len(rows), every, column) for name, column in zip(columns, members, strict=True)]
    of = "+".join(columns)
    return combined(of, "combination", len(rows), every, members, range(len(members)), atoms, {})

"""The full table of object pairs, streamed to Parquet: classes, and in each part the pairs and the scenes with them.

Pairs are unordered, the first class in alphabetical order first; rows are ordered by the two classes. One class's pairs
are held at a time. Cost: that of ``kernels.pairs``, and the pairs that are written.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from compsplit.errors import UsageError
from compsplit.files import check_free_file, replaced
from compsplit.model.compounds import ObjectPairs
from compsplit.model.rows import Rows
from compsplit.model.split import Split

_BATCH = 1 << 18


def write_pair_table(rows: Rows, split: Split, path: Path, *, force: bool = False) -> int:
    """Write every pair of object classes that some part has, and return how many there are.

    Args:
        rows: Scenes with object pairs.
        split: Their parts.
        path: Where to.
        force: Replace what is there.

    Raises:
        UsageError: The rows have no object pairs.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    import pyarrow
    import pyarrow.parquet

    from compsplit.kernels.pairs import list_pairs, pair_index

    pairs = rows.compounds.get("object pairs")
    if not isinstance(pairs, ObjectPairs):
        raise UsageError("There are no object pairs to write: pairs are made of scenes.", field="--top-pairs")
    check_free_file(path, force)
    atoms = pairs.atoms
    n = len(atoms.names)
    parts = np.stack([atoms.rows_of_bags(split.rows_in(part)) for part in split.parts])
    index = pair_index(atoms.starts, atoms.concepts, n)
    counts, held = np.zeros((len(parts), n), dtype=np.int64), np.zeros((len(parts), n), dtype=np.int64)
    met, touched = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int32)
    columns = [f"{what} in {part}" for part in split.parts for what in ("pairs", "scenes")]
    schema = pyarrow.schema(
        [("class", pyarrow.string()), ("other class", pyarrow.string()), *((name, pyarrow.int64()) for name in columns)]
    )
    names = pyarrow.array(list(atoms.names), type=pyarrow.string())
    waiting: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = []
    total = n_waiting = 0
    with replaced(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        for a in range(n + 1):
            if n_waiting and (n_waiting >= _BATCH or a == n):
                block = np.concatenate(waiting, axis=1)
                classes = [names.take(pyarrow.array(block[k])) for k in (0, 1)]
                writer.write_table(pyarrow.table([*classes, *map(pyarrow.array, block[2:])], schema=schema))
                waiting, n_waiting = [], 0
            if a == n:
                break
            k = list_pairs(a, atoms.starts, atoms.concepts, atoms.counts, *index, parts, counts, held, met, touched)
            others = np.sort(touched[:k])
            block = np.empty((2 + len(columns), k), dtype=np.int64)
            block[0], block[1] = a, others
            block[2::2], block[3::2] = counts[:, others], held[:, others]
            counts[:, others] = held[:, others] = 0
            met[others] = False
            block = block[:, block[3::2].any(axis=0)]
            waiting.append(block)
            n_waiting += block.shape[1]
            total += block.shape[1]
    return total

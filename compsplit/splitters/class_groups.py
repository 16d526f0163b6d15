"""Classes in k groups: given by a file, dealt at random with similar make-up, by spectral clustering, by local search.

* A file says the group of each class, in CSV with the columns class and group.
* ``seeded``: classes by how many objects are of them, k at a time; the k classes of a round go to the k groups, in the
  seeded order. So every group has common and rare classes alike, and sizes differ by one at most.
* ``search``: from there, two classes of a round exchange their groups as long as that keeps more rows. Groups stay of
  similar make-up; without that condition the best groups are one that holds nearly all, and others with the rest.
* ``spectral``: scikit-learn's spectral clustering (cluster_qr: no random starts) of the matrix that says how many rows
  two classes share. Groups differ much in size. Parts of it that share no row are joined to the commonest class as if
  one row joined them; classes that are alone in all their rows are dealt as ``seeded`` does.

Groups never depend on the rows' order: classes have alphabetical codes, counts are whole numbers, ties go by place in
the seeded order. Spectral clustering decides on rounded numbers and is the same on the same platform.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import (
    BrokenFileError,
    ImpossibleError,
    MissingFieldError,
    OptionValueError,
    Problem,
    RecordsError,
    UsageError,
    counted,
    listed,
)
from compsplit.files import text_of
from compsplit.model.column import Codes, frozen
from compsplit.model.incidence import Incidence
from compsplit.model.table import Input
from compsplit.order import name_hash, name_hashes, seeded_order

Partition: TypeAlias = Literal["seeded", "spectral", "search"]

_ROUNDS = 30
_FIELDS = ("class", "group")


@dataclass(frozen=True, slots=True, eq=False)
class ClassGroups:
    """Classes in groups.

    Attributes:
        group_of_class: The group of each class, -1 where it has none or no row holds it; shape (n_classes,).
        names: The groups' names.
    """

    group_of_class: Codes
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        frozen(self.group_of_class)

    def __len__(self) -> int:
        return len(self.names)


def in_groups(classes: Incidence, k: int, seed: int, how: Partition = "seeded") -> ClassGroups:
    """Return the classes that rows hold in k groups, called 1 to k.

    Args:
        classes: Classes of the rows' objects.
        k: How many groups.
        seed: Seed of the classes' order.
        how: See above.

    Raises:
        OptionValueError: k is less than 2.
        ImpossibleError: There are fewer classes.
    """
    if k < 2:
        raise OptionValueError("split.k", k, "a whole number of at least 2")
    weights = np.bincount(classes.bag_of_row, minlength=classes.n_bags).astype(np.int64)
    objects = classes.occurrences(np.ones(classes.n_rows, dtype=bool))
    n_held = int((objects > 0).sum())
    if n_held < k:
        raise ImpossibleError(
            f"{counted(n_held, 'class', 'classes')} cannot make {k} groups: ask for at most {n_held} with split.k."
            if n_held > 1
            else f"Rows hold {counted(n_held, 'class', 'classes')}; two groups need two at least.",
            facts={"classes": n_held, "groups": k},
        )
    rounds = _rounds(classes.names, objects, k, seed)
    dealt = np.full(len(objects), -1, dtype=np.int32)
    dealt[rounds] = np.arange(len(rounds), dtype=np.int32) % np.int32(k)
    if how == "search":
        dealt = _searched(classes, weights, rounds, dealt, k)
    elif how == "spectral":
        dealt = _spectral(classes, weights, objects, dealt, k, seed)
    return ClassGroups(dealt, tuple(str(number + 1) for number in range(k)))


def groups_of_file(path: str, classes: Incidence) -> ClassGroups:
    """Return the groups that a file gives to classes; a class that it lacks has none.

    Args:
        path: CSV with the columns class and group, in any order and with others beside them.
        classes: Classes of the rows' objects.

    Raises:
        MissingFieldError: A column is missing.
        RecordsError: A line lacks a value, or a class has two groups.
        UsageError: All classes are in one group.
    """
    name = Path(path).name
    try:
        lines = iter(list(csv.reader(io.StringIO(text_of(Input(Path(path), Path(path).stem)), newline=""))))
    except csv.Error as error:
        raise BrokenFileError(name, f"is no CSV ({error})") from error
    header = [field.strip().lower() for field in next(lines, [])]
    for field in _FIELDS:
        if field not in header:
            raise MissingFieldError(
                f'column "{field}"', header, file=name, mend="Its first line must name the columns class and group"
            )
    at = [header.index(field) for field in _FIELDS]
    given: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate((line for line in lines if line), 1):
        values = [line[place].strip() if place < len(line) else "" for place in at]
        lacking = [field for field, value in zip(_FIELDS, values, strict=True) if not value]
        known = _plain(values[0])
        if lacking:
            problems.append(Problem(name, number, lacking[0], "is missing"))
        elif given.setdefault(known, values[1]) != values[1]:
            told = f'"{known}" is in group {given[known]} and in group {values[1]}'
            problems.append(Problem(name, number, "group", told))
    if problems:
        raise RecordsError(problems)
    names = tuple(sorted(set(given.values())))
    if not names:
        raise UsageError(f"{name} names no class; a line for each class with its group was expected.", file=name)
    if len(names) == 1:
        raise UsageError(f"{name}: every class is in group {names[0]}; groups must be two at least.", file=name)
    number_of = {group: number for number, group in enumerate(names)}
    codes = [number_of[given[known]] if (known := _plain(each)) in given else -1 for each in classes.names]
    return ClassGroups(np.array(codes, dtype=np.int32), names)


def _plain(name: str) -> str:
    """Return a name as readers of scenes make it: lower-cased, single spaces."""
    return " ".join(name.lower().split())


def _rounds(names: Any, objects: NDArray[np.int64], k: int, seed: int) -> NDArray[np.int64]:
    """Return the classes that occur, commonest first, each k of them in the seeded order."""
    order = seeded_order(name_hashes(names, len(names)), seed, names)
    order = order[objects[order] > 0]
    by_count = np.argsort(-objects[order], kind="stable")
    # Places in the seeded order decide within a round.
    return order[by_count[np.lexsort((by_count, np.arange(len(by_count)) // k))]]


def _searched(classes: Incidence, weights: NDArray[np.int64], rounds: NDArray[np.int64], dealt: Codes, k: int) -> Codes:
    from compsplit.kernels.class_groups import exchange

    sizes = _sums(classes.counts, classes.starts)
    # Two objects are of one group or of two: such rows are kept however classes are grouped.
    bags = np.flatnonzero((sizes > 2) & (weights > 0))
    lengths = np.diff(classes.starts)[bags]
    starts = np.append(0, np.cumsum(lengths)).astype(np.int64)
    entries = np.repeat(classes.starts[bags] - starts[:-1], lengths) + np.arange(int(starts[-1]))
    held = classes.concepts[entries]
    by_class = np.argsort(held, kind="stable")
    holders = np.repeat(np.arange(len(bags), dtype=np.int32), lengths)[by_class]
    holder_starts = np.append(0, np.cumsum(np.bincount(held, minlength=len(classes.names)))).astype(np.int64)
    block_starts = np.append(np.arange(0, len(rounds), k), len(rounds)).astype(np.int64)
    found = dealt.copy()
    exchange(
        starts, held, sizes[bags], weights[bags], holder_starts, holders, block_starts, rounds.astype(np.int32), found,
        k, _ROUNDS,
    )  # fmt: skip
    return found


def _spectral(
    classes: Incidence, weights: NDArray[np.int64], objects: NDArray[np.int64], dealt: Codes, k: int, seed: int
) -> Codes:
    from scipy.sparse import coo_array, csr_array, diags_array
    from scipy.sparse.csgraph import connected_components
    from sklearn.cluster import spectral_clustering

    holds = csr_array(
        (np.ones(len(classes.concepts)), classes.concepts, classes.starts), shape=(classes.n_bags, len(classes.names))
    )
    shared = (holds.T @ diags_array(weights.astype(np.float64)) @ holds).tocoo()
    apart = (shared.row != shared.col) & (shared.data > 0)
    rows, columns, counts = shared.row[apart], shared.col[apart], shared.data[apart]
    together = np.flatnonzero(np.bincount(rows, minlength=len(classes.names)))
    found = dealt.copy()
    if len(together) <= k:
        return found
    place = np.full(len(classes.names), -1, dtype=np.int64)
    place[together] = np.arange(len(together))
    n = len(together)
    matrix = coo_array((counts, (place[rows], place[columns])), shape=(n, n)).tocsr()
    n_pieces, piece = connected_components(matrix, directed=False)
    if n_pieces > 1:
        commonest = np.lexsort((np.arange(n), -objects[together]))
        first = np.unique(piece[commonest], return_index=True)[1]
        ends = commonest[np.sort(first)]
        links = np.concatenate([ends[1:], np.repeat(ends[0], len(ends) - 1)])
        back = np.concatenate([links[len(ends) - 1 :], links[: len(ends) - 1]])
        matrix = matrix + coo_array((np.ones(len(links)), (links, back)), shape=(n, n)).tocsr()
    # scikit-learn takes indices of 32 bits alone.
    matrix = csr_array((matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)), shape=(n, n))
    start = name_hash(f"spectral {seed}") % (1 << 32)
    labels = spectral_clustering(matrix, n_clusters=k, random_state=start, assign_labels="cluster_qr")
    # Groups are numbered by their first class, whatever the clustering called them.
    met, first = np.unique(labels, return_index=True)
    number = np.zeros(k, dtype=np.int32)
    number[met[np.argsort(first)]] = np.arange(len(met), dtype=np.int32)
    found[together] = number[labels]
    return found


def _sums(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums of stretches of values, shape (n_stretches,)."""
    return np.diff(np.append(0, np.cumsum(values, dtype=np.int64))[starts])


def ungrouped(groups: ClassGroups, classes: Incidence, file: str) -> UsageError:
    """Return the error that says which classes of the rows a file gives no group."""
    held = classes.rows_with(np.ones(classes.n_rows, dtype=bool))
    missing = np.flatnonzero((groups.group_of_class < 0) & (held > 0))
    marked = np.zeros(len(classes.names), dtype=bool)
    marked[missing] = True
    n_rows = int(classes.rows_with_any(marked).sum())
    return UsageError(
        f"{file} gives no group to {counted(len(missing), 'class', 'classes')} that {counted(n_rows, 'row')} hold "
        f"({listed(classes.names[code] for code in missing.tolist())}). Add "
        f"{'it' if len(missing) == 1 else 'them'}, or pass --set split.unlisted=leave-out to leave such rows out and "
        "count them.",
        file=file,
        field="class",
        facts={"classes": len(missing), "rows": n_rows},
    )

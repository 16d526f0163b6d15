"""Hold the compounds of one part against those of a reference part: what every audit of compounds counts from.

A compound of the part is *common* if it occurs in the reference part; *novel* if it does not though all its atoms do;
else it has an *unseen atom*. Counts are whole numbers, exact; they are kept for each bag of rows, so that their
distribution over rows is at hand. Cost: O(non-zeros) for listed compounds; for object pairs see ``kernels.pairs``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, Literal, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.chernoff import ONE
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.split import Split

T = TypeVar("T")
R = TypeVar("R")
Counting: TypeAlias = Literal["ordered-instances", "unordered-instances", "instances", "scenes"]

ALPHAS = (0.1, 0.5)
"""Exponents of the reference part for which affinities are counted with everything else."""

_TOP = 50
_CLASSES = 1 << 10
_BAGS = 1 << 14


@dataclass(frozen=True, slots=True)
class Top:
    """A compound that a part has often.

    Attributes:
        name: Its name.
        codes: Its code, or the codes of the two classes of an object pair.
        count: How often it occurs in the part.
    """

    name: str
    codes: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison:
    """What was counted; vectors have one entry a bag, and hold for one row of the part with that bag.

    Attributes:
        of: What was extracted.
        noun: What one compound is called.
        reference: The part counted against.
        part: The part measured.
        reference_rows: Rows of the reference part.
        part_rows: Rows of the part, those without a compound included.
        bag_of_row: The bag of each row of the data; shape (n_rows,).
        weights: Rows of the part with each bag; shape (n_bags,).
        instances: Compound occurrences.
        common: Those that are common.
        occurrences: The reference's counts, summed over common occurrences.
        distinct: Different compounds.
        distinct_common: Those that are common.
        distinct_occurrences: The reference's counts, summed over these.
        novel: Occurrences of novel compounds.
        distinct_novel: Different novel compounds.
        n_reference: Compound occurrences in the reference part.
        n_distinct: Different compounds of the part.
        n_distinct_reference: Different compounds of the reference part.
        n_common: Different common compounds.
        n_common_occurrences: The reference's counts, summed over these.
        n_novel: Different novel compounds.
        affinities: alpha -> sum of p^alpha q^(1-alpha), p the reference part's shares, q the part's; of object pairs
            alone, which are not listed to be counted from again.
        top_common: The commonest common compounds.
        top_novel: The commonest novel ones.
    """

    of: str
    noun: str
    reference: str
    part: str
    reference_rows: int
    part_rows: int
    bag_of_row: NDArray[np.int32]
    weights: NDArray[np.int64]
    instances: NDArray[np.int64]
    common: NDArray[np.int64]
    occurrences: NDArray[np.int64]
    distinct: NDArray[np.int64]
    distinct_common: NDArray[np.int64]
    distinct_occurrences: NDArray[np.int64]
    novel: NDArray[np.int64]
    distinct_novel: NDArray[np.int64]
    n_reference: int
    n_distinct: int
    n_distinct_reference: int
    n_common: int
    n_common_occurrences: int
    n_novel: int
    affinities: Mapping[float, float]
    top_common: tuple[Top, ...]
    top_novel: tuple[Top, ...]

    def total(self, values: NDArray[np.int64]) -> int:
        """Return the sum over the part's rows of what is kept for each bag."""
        return int((values * self.weights).sum())

    def rows_where(self, marked: NDArray[np.bool_]) -> int:
        """Return how many rows of the part have a marked bag."""
        return int(self.weights[marked].sum())

    def mean_of_means(self) -> Fraction:
        """Return the mean, over rows with a common compound, of their mean reference count; exact."""
        some = (self.common > 0) & (self.weights > 0)
        by_divisor: dict[int, int] = {}
        for total, n, rows in zip(
            self.occurrences[some].tolist(), self.common[some].tolist(), self.weights[some].tolist(), strict=True
        ):
            by_divisor[n] = by_divisor.get(n, 0) + total * rows
        whole = sum((Fraction(total, n) for n, total in sorted(by_divisor.items())), Fraction(0))
        return whole / int(self.weights[some].sum())


_kept: WeakKeyDictionary[Split, dict[tuple[Any, ...], tuple[Any, Comparison]]] = WeakKeyDictionary()
"""Comparisons of the splits that are in use, with what was compared: most audits count from the same ones."""


def compared(
    compounds: Compounds | ObjectPairs,
    split: Split,
    reference: str,
    part: str,
    *,
    counting: Counting | None = None,
    same_class: bool = True,
) -> Comparison:
    """Return the comparison of two parts, counted once for each split and reading.

    Args:
        compounds: Compounds of all rows.
        split: Their parts.
        reference: The part counted against.
        part: The part measured.
        counting: How the reference counts a compound; instances by default, for object pairs ordered ones.
        same_class: For object pairs, whether two objects of one class are a pair.
    """
    counting = counting or ("ordered-instances" if isinstance(compounds, ObjectPairs) else "instances")
    kept = _kept.setdefault(split, {})
    key = (id(compounds), compounds.of, reference, part, counting, same_class)
    if key not in kept:
        if isinstance(compounds, ObjectPairs):
            found = _pairs(compounds, split, reference, part, counting, same_class)
        else:
            found = _listed(compounds, split, reference, part, counting)
        kept[key] = compounds, found
    return kept[key][1]


_counts: WeakKeyDictionary[Split, dict[tuple[int, str], tuple[Incidence | Kinds, NDArray[np.int64]]]] = (
    WeakKeyDictionary()
)
"""How often atoms occur in the parts of splits that are in use, with what was counted; compounds may be too many."""


def occurrences_in(incidence: Incidence | Kinds, split: Split, part: str) -> NDArray[np.int64]:
    """Return how often each atom occurs in a part, counted once for each split; shape (n_concepts,)."""
    kept = _counts.setdefault(split, {})
    key = id(incidence), part
    if key not in kept:
        kept[key] = incidence, incidence.occurrences(split.rows_in(part))
    return kept[key][1]


def _listed(
    compounds: Compounds,
    split: Split,
    reference: str,
    part: str,
    counting: Counting,
) -> Comparison:
    rows = compounds.rows
    ours, theirs = split.rows_in(reference), split.rows_in(part)
    shown, asked = rows.occurrences(ours), rows.occurrences(theirs)
    common = shown > 0
    novel = ~common & compounds.made_of(occurrences_in(compounds.atoms, split, reference) > 0)
    counts = rows.rows_with(ours) if counting == "scenes" else shown
    weights = rows.rows_of_bags(theirs)
    sums = _by_bag(rows, common, novel, np.where(common, counts, 0))
    in_part = asked > 0
    return Comparison(
        of=compounds.of,
        noun=compounds.noun,
        reference=reference,
        part=part,
        reference_rows=int(ours.sum()),
        part_rows=int(theirs.sum()),
        bag_of_row=rows.bag_of_row,
        weights=weights,
        instances=sums[0],
        common=sums[1],
        occurrences=sums[2],
        distinct=np.diff(rows.starts),
        distinct_common=sums[3],
        distinct_occurrences=sums[4],
        novel=sums[5],
        distinct_novel=sums[6],
        n_reference=int(shown.sum()),
        n_distinct=int(in_part.sum()),
        n_distinct_reference=int(common.sum()),
        n_common=int((in_part & common).sum()),
        n_common_occurrences=int(counts[in_part & common].sum()),
        n_novel=int((in_part & novel).sum()),
        affinities={},
        top_common=_top(rows, asked, common),
        top_novel=_top(rows, asked, novel),
    )


def _by_bag(
    rows: Incidence, common: NDArray[np.bool_], novel: NDArray[np.bool_], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what each bag has, some bags at a time: occurrences, common ones, counts over these, the same two of
    different compounds, novel occurrences and compounds; shape (7, n_bags)."""
    sums = np.zeros((7, rows.n_bags), dtype=np.int64)
    for first in range(0, rows.n_bags, _BAGS):
        last = min(first + _BAGS, rows.n_bags)
        entries = slice(rows.starts[first], rows.starts[last])
        places = rows.starts[first : last + 1] - rows.starts[first]
        held, codes = rows.counts[entries].astype(np.int64), rows.concepts[entries]
        is_common, is_novel, count = common[codes], novel[codes], counts[codes]
        of_entries = (held, held * is_common, held * count, is_common, count, held * is_novel, is_novel)
        for k, values in enumerate(of_entries):
            whole = np.zeros(len(codes) + 1, dtype=np.int64)
            np.cumsum(values, out=whole[1:])
            sums[k, first:last] = np.diff(whole[places])
    return sums


def _top(rows: Incidence, counts: NDArray[np.int64], marked: NDArray[np.bool_]) -> tuple[Top, ...]:
    """Return the marked names with the highest counts above 0; ties by code, which follows the names' order."""
    among = counts[marked]
    cut = max(int(np.partition(among, len(among) - _TOP)[len(among) - _TOP]) if len(among) > _TOP else 1, 1)
    some = np.flatnonzero(marked & (counts >= cut))
    best = some[np.argsort(-counts[some], kind="stable")][:_TOP]
    return tuple(Top(rows.names[code], (code,), int(counts[code])) for code in best.tolist())


def _pairs(
    compounds: ObjectPairs,
    split: Split,
    reference: str,
    part: str,
    counting: Counting,
    same_class: bool,
) -> Comparison:
    from compsplit.kernels import pairs as kernel

    atoms = compounds.atoms
    ours, theirs = split.rows_in(reference), split.rows_in(part)
    n_classes = len(atoms.names)
    weights = atoms.rows_of_bags(theirs)
    reference_weights = atoms.rows_of_bags(ours)
    index = kernel.pair_index(atoms.starts, atoms.concepts, n_classes)
    n_pairs = kernel.pairs_of_bags(atoms.starts, atoms.counts, same_class)
    totals = [int((n_pairs * held).sum()) for held in (reference_weights, weights)]
    how = {"ordered-instances": kernel.ORDERED, "unordered-instances": kernel.UNORDERED, "scenes": kernel.SCENES}
    alphas = np.array(ALPHAS)
    by_class = np.zeros((n_classes, 5), dtype=np.int64)
    affinities = np.zeros((n_classes, len(ALPHAS)), dtype=np.int64)
    seen = occurrences_in(atoms, split, reference) > 0

    buffers: SimpleQueue[NDArray[np.int64]] = SimpleQueue()
    for _ in range(_n_threads()):
        buffers.put(np.zeros((atoms.n_bags, 8), dtype=np.int64))

    def run(span: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        # Each thread adds to a vector of its own; sums of whole numbers are the same in any order.
        mine = buffers.get()
        top_counts = np.zeros((2, _TOP), dtype=np.int64)
        top_pairs = np.full((2, _TOP, 2), n_classes, dtype=np.int32)
        kernel.compare_pairs(
            *span, atoms.starts, atoms.concepts, atoms.counts, index[0], index[1], index[2],
            reference_weights, weights, seen, same_class, how[counting], alphas, max(totals[0], 1), max(totals[1], 1),
            mine, by_class, affinities, top_counts, top_pairs,
        )  # fmt: skip
        buffers.put(mine)
        return top_counts, top_pairs

    tops: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]] = ([], [])
    for top_counts, top_pairs in _in_threads(run, _spans(atoms, *index)):
        for kind, found in enumerate(tops):
            both = zip(top_counts[kind].tolist(), top_pairs[kind].tolist(), strict=True)
            found += [(-count, a, b) for count, (a, b) in both if count]
    by_bag = buffers.get()
    for _ in range(_n_threads() - 1):
        by_bag += buffers.get()
    names = atoms.names
    common, novel = (
        tuple(Top(f"{names[a]} | {names[b]}", (a, b), -count) for count, a, b in sorted(found)[:_TOP]) for found in tops
    )
    found = by_class.sum(axis=0)
    return Comparison(
        of=compounds.of,
        noun=compounds.noun,
        reference=reference,
        part=part,
        reference_rows=int(ours.sum()),
        part_rows=int(theirs.sum()),
        bag_of_row=atoms.bag_of_row,
        weights=weights,
        instances=by_bag[:, kernel.INSTANCES],
        common=by_bag[:, kernel.COMMON],
        occurrences=by_bag[:, kernel.OCCURRENCES],
        distinct=by_bag[:, kernel.DISTINCT],
        distinct_common=by_bag[:, kernel.DISTINCT_COMMON],
        distinct_occurrences=by_bag[:, kernel.DISTINCT_OCCURRENCES],
        novel=by_bag[:, kernel.NOVEL],
        distinct_novel=by_bag[:, kernel.DISTINCT_NOVEL],
        n_reference=totals[0],
        n_distinct=int(found[kernel.PAIRS]),
        n_distinct_reference=int(found[kernel.IN_REFERENCE]),
        n_common=int(found[kernel.IN_BOTH]),
        n_common_occurrences=int(found[kernel.BOTH_OCCURRENCES]),
        n_novel=int(found[kernel.ALL_NOVEL]),
        affinities={alpha: int(affinities[:, k].sum()) / ONE for k, alpha in enumerate(ALPHAS)},
        top_common=common,
        top_novel=novel,
    )


def _spans(
    atoms: Incidence, starts: NDArray[np.int64], bags: NDArray[np.int32], places: NDArray[np.int32]
) -> list[tuple[int, int]]:
    """Return ranges of classes of about the same work."""
    by_class = np.zeros(len(starts), dtype=np.int64)
    # Some classes at a time, since a vector of all entries is as large as the incidence.
    for first in range(0, len(starts) - 1, _CLASSES):
        last = min(first + _CLASSES, len(starts) - 1)
        entries = slice(starts[first], starts[last])
        work = np.append(0, np.cumsum(atoms.starts[bags[entries] + 1] - places[entries]))
        by_class[first + 1 : last + 1] = by_class[first] + work[starts[first + 1 : last + 1] - starts[first]]
    n = 4 * _n_threads()
    cuts = np.searchsorted(by_class, by_class[-1] * np.arange(1, n) // n)
    ends = sorted({0, len(starts) - 1, *cuts.tolist()})
    return list(pairwise(ends))


def _n_threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_threads(function: Callable[[T], R], arguments: Sequence[T]) -> Iterator[R]:
    """Yield the results as they come; what is made of them must not depend on their order."""
    with ThreadPoolExecutor(_n_threads()) as pool:
        for done in as_completed([pool.submit(function, each) for each in arguments]):
            yield done.result()

"""Count all pairs of objects in two parts and hold one part against the other, one class at a time.

The pairs (a, b >= a) of a class a are counted in two vectors of the size of the vocabulary, used and cleared again, so
that no table of pairs is ever stored. Cost: O(sum over bags of m (m + 1) / 2), m the different classes of a bag, time;
O(classes + bags) memory a thread. Classes are independent, so ranges of them may run in different threads.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from compsplit.kernels.chernoff import ONE

ORDERED, UNORDERED, SCENES = range(3)
"""How the reference counts a pair: ordered object pairs, unordered ones, or rows that have it."""

INSTANCES, COMMON, OCCURRENCES, DISTINCT, DISTINCT_COMMON, DISTINCT_OCCURRENCES, NOVEL, DISTINCT_NOVEL = range(8)
"""Columns of what is found for each bag of the part."""

PAIRS, IN_REFERENCE, IN_BOTH, BOTH_OCCURRENCES, ALL_NOVEL = range(5)
"""Columns of what is found for each class a over its pairs: distinct ones of the part, of the reference, common ones,
the sum of the reference's counts over these, and unseen ones whose two classes are seen."""

_OURS, _OUR_ROWS, _THEIRS, _MET = range(4)
"""What is counted of a class b while one class a is looked at: pairs and rows of the reference part, pairs of the part,
and whether b was met."""


def pair_index(
    starts: NDArray[np.int64], concepts: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return where each class stands: starts by class, and the bag and the entry of each place."""
    index_starts = np.zeros(n_classes + 1, dtype=np.int64)
    np.cumsum(np.bincount(concepts, minlength=n_classes), out=index_starts[1:])
    bags, places = np.empty(len(concepts), dtype=np.int32), np.empty(len(concepts), dtype=np.int32)
    _fill_index(starts, concepts, index_starts[:-1].copy(), bags, places)
    return index_starts, bags, places


@numba.njit(cache=True, nogil=True)
def _fill_index(
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    next_place: NDArray[np.int64],
    bags: NDArray[np.int32],
    places: NDArray[np.int32],
) -> None:
    """Put every entry behind those of its class that are there already."""
    for bag in range(len(starts) - 1):
        for place in range(starts[bag], starts[bag + 1]):
            at = next_place[concepts[place]]
            next_place[concepts[place]] += 1
            bags[at] = bag
            places[at] = place


@numba.njit(cache=True, nogil=True)
def pairs_of_bags(starts: NDArray[np.int64], counts: NDArray[np.int32], same_class: bool) -> NDArray[np.int64]:
    """Return the unordered pairs of different objects of each bag; shape (n_bags,)."""
    pairs = np.zeros(len(starts) - 1, np.int64)
    for bag in range(len(starts) - 1):
        n = np.int64(0)
        same = np.int64(0)
        for place in range(starts[bag], starts[bag + 1]):
            n += counts[place]
            same += np.int64(counts[place]) * (counts[place] - 1) // 2
        pairs[bag] = n * (n - 1) // 2 - (np.int64(0) if same_class else same)
    return pairs


@numba.njit(cache=True, nogil=True)
def compare_pairs(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    counts: NDArray[np.int32],
    index_starts: NDArray[np.int64],
    index_bags: NDArray[np.int32],
    index_places: NDArray[np.int32],
    reference: NDArray[np.int64],
    part: NDArray[np.int64],
    seen: NDArray[np.bool_],
    same_class: bool,
    counting: int,
    alphas: NDArray[np.float64],
    reference_total: float,
    part_total: float,
    by_bag: NDArray[np.int64],
    by_class: NDArray[np.int64],
    affinity: NDArray[np.int64],
    top_counts: NDArray[np.int64],
    top_pairs: NDArray[np.int32],
) -> None:
    """Compare the pairs whose lesser class is in [first, last).

    Args:
        first: First class.
        last: The class after the last.
        starts: Bag b holds entries ``starts[b]`` to ``starts[b + 1]``.
        concepts: Classes of each bag, ascending.
        counts: Objects of each.
        index_starts: Class c is in entries ``index_starts[c]`` to ``index_starts[c + 1]`` of the index.
        index_bags: The bag of each index entry.
        index_places: The entry of the bag's lists that it is.
        reference: Rows of the reference part with each bag.
        part: Rows of the measured part with each bag.
        seen: Whether some row of the reference part has the class.
        same_class: Whether two objects of one class are a pair.
        counting: ``ORDERED``, ``UNORDERED`` or ``SCENES``.
        alphas: Exponents of the reference part's share.
        reference_total: Object pairs of the reference part.
        part_total: Object pairs of the measured part.
        by_bag: Added to; shape (n_bags, 8).
        by_class: Written; shape (n_classes, 5).
        affinity: For each class and alpha the sum of p^alpha q^(1-alpha) over its pairs, in units of 1 / ONE; written.
        top_counts: For common and novel pairs, counts in the part, descending; shape (2, n_top); changed in place.
        top_pairs: Their classes, ``a`` and ``b``, and the rest in order of classes; shape (2, n_top, 2).
    """
    n_classes = len(index_starts) - 1
    n_top = top_counts.shape[1]
    # What is counted of a class b stands in one cache line.
    held = np.zeros((n_classes, 4), np.int64)
    touched = np.zeros(n_classes, np.int32)
    for a in range(first, last):
        n_touched = 0
        for entry in range(index_starts[a], index_starts[a + 1]):
            bag = index_bags[entry]
            w = reference[bag]
            v = part[bag]
            if w == 0 and v == 0:
                continue
            place = index_places[entry]
            n = np.int64(counts[place])
            j = np.int64(place)
            pairs = n * (n - 1) // 2
            if pairs == 0 or not same_class:
                j += 1
                if j == starts[bag + 1]:
                    continue
                pairs = n * counts[j]
            while True:
                b = concepts[j]
                if held[b, _MET] == 0:
                    held[b, _MET] = 1
                    touched[n_touched] = b
                    n_touched += 1
                if w != 0:
                    held[b, _OURS] += w * pairs
                    held[b, _OUR_ROWS] += w
                if v != 0:
                    held[b, _THEIRS] += v * pairs
                j += 1
                if j == starts[bag + 1]:
                    break
                pairs = n * counts[j]
        for t in range(n_touched):
            b = touched[t]
            m = held[b, _THEIRS]
            r = held[b, _OURS]
            if r > 0:
                by_class[a, IN_REFERENCE] += 1
            if m == 0:
                continue
            by_class[a, PAIRS] += 1
            if r > 0:
                by_class[a, IN_BOTH] += 1
                for k in range(len(alphas)):
                    term = (r / reference_total) ** alphas[k] * (m / part_total) ** (1 - alphas[k])
                    affinity[a, k] += np.int64(term * ONE)
                if counting == ORDERED and a == b:
                    r = 2 * r
                elif counting == SCENES:
                    r = held[b, _OUR_ROWS]
                by_class[a, BOTH_OCCURRENCES] += r
                # From here on the vector holds what a common pair counts.
                held[b, _OURS] = r
                kind = 0
            elif seen[a] and seen[b]:
                by_class[a, ALL_NOVEL] += 1
                kind = 1
            else:
                continue
            if n_top and m >= top_counts[kind, n_top - 1]:
                _rank(top_counts[kind], top_pairs[kind], m, a, b)
        for entry in range(index_starts[a], index_starts[a + 1]):
            bag = index_bags[entry]
            if part[bag] == 0:
                continue
            place = index_places[entry]
            n = np.int64(counts[place])
            j = np.int64(place)
            pairs = n * (n - 1) // 2
            if pairs == 0 or not same_class:
                j += 1
                if j == starts[bag + 1]:
                    continue
                pairs = n * counts[j]
            instances = common = occurrences = distinct = distinct_common = distinct_occurrences = np.int64(0)
            novel = distinct_novel = np.int64(0)
            while True:
                b = concepts[j]
                instances += pairs
                distinct += 1
                r = held[b, _OURS]
                if r > 0:
                    common += pairs
                    occurrences += pairs * r
                    distinct_common += 1
                    distinct_occurrences += r
                elif seen[a] and seen[b]:
                    novel += pairs
                    distinct_novel += 1
                j += 1
                if j == starts[bag + 1]:
                    break
                pairs = n * counts[j]
            by_bag[bag, INSTANCES] += instances
            by_bag[bag, COMMON] += common
            by_bag[bag, OCCURRENCES] += occurrences
            by_bag[bag, DISTINCT] += distinct
            by_bag[bag, DISTINCT_COMMON] += distinct_common
            by_bag[bag, DISTINCT_OCCURRENCES] += distinct_occurrences
            by_bag[bag, NOVEL] += novel
            by_bag[bag, DISTINCT_NOVEL] += distinct_novel
        for t in range(n_touched):
            held[touched[t]] = 0


@numba.njit(cache=True, nogil=True)
def _rank(top: NDArray[np.int64], pairs: NDArray[np.int32], count: int, a: int, b: int) -> None:
    """Put a pair in its place: counts descending, ties by classes ascending; the last one falls out."""
    k = len(top) - 1
    if top[k] == count and (pairs[k, 0] < a or (pairs[k, 0] == a and pairs[k, 1] < b)):
        return
    while k > 0 and (
        top[k - 1] < count
        or (top[k - 1] == count and (pairs[k - 1, 0] > a or (pairs[k - 1, 0] == a and pairs[k - 1, 1] > b)))
    ):
        top[k] = top[k - 1]
        pairs[k, 0] = pairs[k - 1, 0]
        pairs[k, 1] = pairs[k - 1, 1]
        k -= 1
    top[k] = count
    pairs[k, 0] = a
    pairs[k, 1] = b


@numba.njit(cache=True, nogil=True)
def list_pairs(
    a: int,
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    counts: NDArray[np.int32],
    index_starts: NDArray[np.int64],
    index_bags: NDArray[np.int32],
    index_places: NDArray[np.int32],
    parts: NDArray[np.int64],
    pairs: NDArray[np.int64],
    rows: NDArray[np.int64],
    met: NDArray[np.bool_],
    touched: NDArray[np.int32],
) -> int:
    """Count the pairs of class a with every class b >= a in each part; return how many different ones there are.

    Args:
        a: The class.
        starts: As for ``compare_pairs``, and so are the five arrays that follow.
        concepts: See there.
        counts: See there.
        index_starts: See there.
        index_bags: See there.
        index_places: See there.
        parts: Rows of each part with each bag; shape (n_parts, n_bags).
        pairs: Object pairs by part and class b, zero before; added to; shape (n_parts, n_classes).
        rows: Rows that have the pair; zero before; added to; shape (n_parts, n_classes).
        met: Whether b was met, False before; shape (n_classes,).
        touched: The classes b met, in front; shape (n_classes,).
    """
    n_touched = 0
    for entry in range(index_starts[a], index_starts[a + 1]):
        bag = index_bags[entry]
        place = index_places[entry]
        n = np.int64(counts[place])
        for j in range(place, starts[bag + 1]):
            m = n * (n - 1) // 2 if j == place else n * counts[j]
            if m == 0:
                continue
            b = concepts[j]
            if not met[b]:
                met[b] = True
                touched[n_touched] = b
                n_touched += 1
            for p in range(len(parts)):
                pairs[p, b] += parts[p, bag] * m
                rows[p, b] += parts[p, bag]
    return n_touched

"""Count all pairs of objects in two parts and hold one part against the other, one class at a time.

The pairs (a, b >= a) of a class a are counted in two vectors of the size of the vocabulary, used and cleared again, so
that no table of pairs is ever stored. Cost: O(sum over bags of m (m + 1) / 2), m the different classes of a bag, time;
O(classes + bags) memory a thread. Classes are independent, so ranges of them may run in different threads.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

ORDERED, UNORDERED, SCENES = range(3)
"""How the reference counts a pair: ordered object pairs, unordered ones, or rows that have it."""

INSTANCES, COMMON, OCCURRENCES, DISTINCT, DISTINCT_COMMON, DISTINCT_OCCURRENCES, NOVEL, DISTINCT_NOVEL = range(8)
"""Columns of what is found for each bag of the part."""

PAIRS, IN_REFERENCE, IN_BOTH, BOTH_OCCURRENCES, ALL_NOVEL = range(5)
"""Columns of what is found for each class a over its pairs: distinct ones of the part, of the reference, common ones,
the sum of the reference's counts over these, and unseen ones whose two classes are seen."""

ONE = 1 << 62
"""Divergence terms are summed as whole numbers of 1 / ONE, so that no order of summing changes the sum."""


def pair_index(
    starts: NDArray[np.int64], concepts: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return where each class stands: starts by class, and the bag and the entry of each place."""
    places = np.argsort(concepts, kind="stable")
    bags = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))[places]
    index_starts = np.zeros(n_classes + 1, dtype=np.int64)
    np.cumsum(np.bincount(concepts, minlength=n_classes), out=index_starts[1:])
    return index_starts, bags, places


@numba.njit(cache=True, nogil=True)
def compare_pairs(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    concepts: NDArray[np.int32],
    counts: NDArray[np.int32],
    index_starts: NDArray[np.int64],
    index_bags: NDArray[np.int32],
    index_places: NDArray[np.int64],
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
    ours = np.zeros(n_classes, np.int64)
    ours_rows = np.zeros(n_classes, np.int64)
    theirs = np.zeros(n_classes, np.int64)
    met = np.zeros(n_classes, np.bool_)
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
            for j in range(place, starts[bag + 1]):
                if j == place:
                    if n < 2 or not same_class:
                        continue
                    pairs = n * (n - 1) // 2
                else:
                    pairs = n * counts[j]
                b = concepts[j]
                if not met[b]:
                    met[b] = True
                    touched[n_touched] = b
                    n_touched += 1
                ours[b] += w * pairs
                ours_rows[b] += w
                theirs[b] += v * pairs
        for t in range(n_touched):
            b = touched[t]
            m = theirs[b]
            r = ours[b]
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
                    r = ours_rows[b]
                by_class[a, BOTH_OCCURRENCES] += r
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
            for j in range(place, starts[bag + 1]):
                if j == place:
                    if n < 2 or not same_class:
                        continue
                    pairs = n * (n - 1) // 2
                else:
                    pairs = n * counts[j]
                b = concepts[j]
                by_bag[bag, INSTANCES] += pairs
                by_bag[bag, DISTINCT] += 1
                r = ours[b]
                if r > 0:
                    if counting == ORDERED and j == place:
                        r = 2 * r
                    elif counting == SCENES:
                        r = ours_rows[b]
                    by_bag[bag, COMMON] += pairs
                    by_bag[bag, OCCURRENCES] += pairs * r
                    by_bag[bag, DISTINCT_COMMON] += 1
                    by_bag[bag, DISTINCT_OCCURRENCES] += r
                elif seen[a] and seen[b]:
                    by_bag[bag, NOVEL] += pairs
                    by_bag[bag, DISTINCT_NOVEL] += 1
        for t in range(n_touched):
            b = touched[t]
            met[b] = False
            ours[b] = 0
            ours_rows[b] = 0
            theirs[b] = 0


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
    index_places: NDArray[np.int64],
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

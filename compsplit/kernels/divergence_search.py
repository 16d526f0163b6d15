"""Search for parts whose compounds are far apart while their atoms are close: construct, exchange, ruin.

Counts of both parts are kept for every compound and atom, and so are the sums of Chernoff terms, in whole numbers of
1 / scale: a move changes the terms of what the moved group holds and no other, and the sums never drift. Powers are
made of square roots, products and quotients alone, which every platform rounds alike, so that every decision is the
same everywhere. Parts are 0 (train), 1 (test) and 2 (in neither).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

OUT = 2
_TABLE = 1 << 20
"""Powers of larger counts are worked out when they are needed."""


class Held(NamedTuple):
    """What groups hold (compounds, or atoms), and how often both parts do.

    Attributes:
        starts: Group g holds entries ``starts[g]`` to ``starts[g + 1]``; shape (n_groups + 1,).
        codes: Different things of each group; shape (n_entries,).
        counts: How often they occur in the rows of the group.
        totals: The sum of each group's counts; shape (n_groups,).
        in_train: How often each thing occurs in train; changed in place.
        in_test: The same of test.
        low: n^alpha for small n, alpha the exponent of train's share.
        high: n^(1 - alpha) for small n.
        sums: The sum of terms times scale, the sum of in_train, that of in_test; shape (3,), changed in place.
        scale: One in units of the sum of terms; one number.
        root: Whether alpha is 1/2; else it is 1/10.
    """

    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    in_train: NDArray[np.int64]
    in_test: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sums: NDArray[np.int64]
    scale: float
    root: bool


class State(NamedTuple):
    """Where groups are.

    Attributes:
        part: Of each group; shape (n_groups,).
        rows: Rows of each group.
        members: Groups of each part that may be moved, in no particular order; shape (3, n_groups).
        sizes: How many they are; shape (3,).
        places: Of each group in its list.
        reached: Rows of train, of test and of neither; shape (3,).
        asked: Rows asked for in train and in test.
        room: Rows that they may hold at most.
        least: Rows that an exchange leaves in them, unless they hold fewer already.
        may_test: Groups that may be in test.
        showing: Train groups that hold each atom.
        testing: Test groups that hold each atom.
    """

    part: NDArray[np.int8]
    rows: NDArray[np.int64]
    members: NDArray[np.int64]
    sizes: NDArray[np.int64]
    places: NDArray[np.int64]
    reached: NDArray[np.int64]
    asked: NDArray[np.int64]
    room: NDArray[np.int64]
    least: NDArray[np.int64]
    may_test: NDArray[np.bool_]
    showing: NDArray[np.int64]
    testing: NDArray[np.int64]


class Aim(NamedTuple):
    """What is looked for.

    Attributes:
        divergence: The compound divergence to come close to.
        bound: The atom divergence that shall not be passed.
        cover: Train groups that must hold every atom of test.
        weight: What a step of 1 away from the compound divergence costs; passing the bound by 1 costs ``_PENALTY``.
    """

    divergence: float
    bound: float
    cover: int
    weight: float


_PENALTY = 20.0


def _compiled(function: F) -> F:
    """Compile a function that makes and keeps no array, without counts of references.

    Numba counts the references of every array of a tuple that is handed on, in nine tenths of the time.
    """
    options: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
    compiled: F = numba.njit(**options)(function)
    return compiled


@numba.njit(cache=True, nogil=True)
def power(n: int, root: bool) -> float:
    """Return n^(1/2), or n^(1/10) made of square roots: 0.1 is 0.000110011..., its digits in base 2."""
    if n <= 0:
        return 0.0
    factor = math.sqrt(float(n))
    if root:
        return factor
    product = 1.0
    for place in range(2, 45):
        factor = math.sqrt(factor)
        if place >= 4 and place % 4 < 2:
            product *= factor
    return product


@numba.njit(cache=True, nogil=True)
def powers(most: int, root: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return n^alpha and n^(1 - alpha) of all n up to most, or to the size of the table."""
    n = min(most + 1, _TABLE)
    low, high = np.zeros(n), np.zeros(n)
    for i in range(1, n):
        low[i] = power(i, root)
        high[i] = i / low[i]
    return low, high


@_compiled
def _term(held: Held, c: int) -> int:
    p, q = held.in_train[c], held.in_test[c]
    if p == 0 or q == 0:
        return 0
    low = held.low[p] if p < len(held.low) else power(p, held.root)
    high = held.high[q] if q < len(held.high) else q / power(q, held.root)
    return int(low * high * held.scale)


@_compiled
def divergence(held: Held) -> float:
    """Return 1 - the Chernoff coefficient of what both parts hold; 1 where one holds nothing."""
    p, q = held.sums[1], held.sums[2]
    if p == 0 or q == 0:
        return 1.0
    coefficient: float = held.sums[0] / held.scale / power(p, held.root) / (q / power(q, held.root))
    return 1.0 - coefficient


@_compiled
def cost(compounds: Held, atoms: Held, aim: Aim) -> float:
    """Return how far the parts are from the aim."""
    far = aim.weight * abs(aim.divergence - divergence(compounds))
    return far + _PENALTY * max(divergence(atoms) - aim.bound, 0.0)


@_compiled
def _recount(held: Held, g: int, old: int, new: int) -> None:
    change = 0
    for entry in range(held.starts[g], held.starts[g + 1]):
        c, n = held.codes[entry], held.counts[entry]
        change -= _term(held, c)
        if old == 0:
            held.in_train[c] -= n
        elif old == 1:
            held.in_test[c] -= n
        if new == 0:
            held.in_train[c] += n
        elif new == 1:
            held.in_test[c] += n
        change += _term(held, c)
    held.sums[0] += change
    if old < OUT:
        held.sums[1 + old] -= held.totals[g]
    if new < OUT:
        held.sums[1 + new] += held.totals[g]


@_compiled
def _move(state: State, compounds: Held, atoms: Held, g: int, new: int, cover: int) -> int:
    """Move a group and return by how many the test atoms with too few train groups have become more."""
    old = state.part[g]
    _recount(compounds, g, old, new)
    _recount(atoms, g, old, new)
    uncovered = 0
    for entry in range(atoms.starts[g], atoms.starts[g + 1]):
        a = atoms.codes[entry]
        uncovered -= int(state.testing[a] > 0 and state.showing[a] < cover)
        state.showing[a] += int(new == 0) - int(old == 0)
        state.testing[a] += int(new == 1) - int(old == 1)
        uncovered += int(state.testing[a] > 0 and state.showing[a] < cover)
    state.part[g] = new
    state.reached[old] -= state.rows[g]
    state.reached[new] += state.rows[g]
    return uncovered


@_compiled
def _relist(state: State, g: int, old: int) -> None:
    """Move a group from the list of its old part to that of its new one."""
    new = state.part[g]
    place, last = state.places[g], state.members[old, state.sizes[old] - 1]
    state.members[old, place] = last
    state.places[last] = place
    state.sizes[old] -= 1
    state.members[new, state.sizes[new]] = g
    state.places[g] = state.sizes[new]
    state.sizes[new] += 1


@_compiled
def place(state: State, compounds: Held, atoms: Held, g: int, new: int) -> None:
    """Put a group in a part for good: it is in no list from then on, and never moved."""
    old = state.part[g]
    _move(state, compounds, atoms, g, new, 0)
    last = state.members[old, state.sizes[old] - 1]
    state.members[old, state.places[g]] = last
    state.places[last] = state.places[g]
    state.sizes[old] -= 1


@_compiled
def _tried(state: State, compounds: Held, atoms: Held, aim: Aim, g: int, side: int) -> float:
    """Return the cost with a group of neither part in this one; infinite where it may not be there."""
    if state.rows[g] > state.room[side] - state.reached[side] or (side == 1 and not state.may_test[g]):
        return np.inf
    uncovered = _move(state, compounds, atoms, g, side, aim.cover)
    found = cost(compounds, atoms, aim)
    _move(state, compounds, atoms, g, OUT, aim.cover)
    return np.inf if uncovered > 0 else found


@_compiled
def construct(state: State, compounds: Held, atoms: Held, aim: Aim, tries: int, uniforms: NDArray[np.float64]) -> int:
    """Fill both parts in proportion, each time with the best of some groups; return how many were tried.

    A part takes groups until none fits that leaves the atoms of test covered.

    Args:
        state, compounds, atoms: Changed in place.
        aim: What is looked for.
        tries: Groups that are tried for each place.
        uniforms: Numbers that choose them, used again from the first when they are used up.
    """
    used = 0
    tried = 0
    while state.sizes[OUT] > 0:
        first = 0 if state.reached[0] * state.asked[1] <= state.reached[1] * state.asked[0] else 1
        best, chosen = np.inf, -1
        side = first
        for turn in range(2):
            side = first if turn == 0 else 1 - first
            if state.reached[side] >= state.room[side]:
                continue
            for _ in range(tries):
                g = state.members[OUT, int(uniforms[used] * state.sizes[OUT])]
                used = used + 1 if used + 1 < len(uniforms) else 0
                found = _tried(state, compounds, atoms, aim, g, side)
                if found < best:
                    best, chosen = found, g
            tried += tries
            if chosen >= 0:
                break
        if chosen < 0:
            # Few or none fit: the first that does, if there is one.
            for turn in range(2):
                side = turn
                for i in range(state.sizes[OUT]):
                    g = state.members[OUT, i]
                    if _tried(state, compounds, atoms, aim, g, side) < np.inf:
                        chosen = g
                        break
                if chosen >= 0:
                    break
        if chosen < 0:
            break
        _move(state, compounds, atoms, chosen, side, aim.cover)
        _relist(state, chosen, OUT)
    return tried


@_compiled
def exchange(
    state: State,
    compounds: Held,
    atoms: Held,
    aim: Aim,
    uniforms: NDArray[np.float64],
    start: int,
    total: int,
    heat: float,
) -> None:
    """Exchange groups of different parts, two at a time, where that costs at most a falling and random threshold.

    Args:
        state, compounds, atoms: Changed in place.
        aim: What is looked for.
        uniforms: Four numbers for each exchange.
        start: Exchanges that were tried before.
        total: Exchanges that will have been tried in the end.
        heat: The threshold at the beginning; it falls to 0 with the square of what is left.
    """
    now = cost(compounds, atoms, aim)
    for k in range(len(uniforms) // 4):
        left = 1.0 - (start + k) / total
        draw = uniforms[4 * k]
        one, other = 0, 1
        if state.sizes[OUT] > 0 and draw < 0.9:
            one, other = (1, OUT) if draw < 0.5 else (0, OUT)
        if state.sizes[one] == 0 or state.sizes[other] == 0:
            continue
        g = state.members[one, int(uniforms[4 * k + 1] * state.sizes[one])]
        h = state.members[other, int(uniforms[4 * k + 2] * state.sizes[other])]
        grows = state.rows[h] - state.rows[g]
        if not _allowed(state, one, grows) or not _allowed(state, other, -grows):
            continue
        if (one == 1 and not state.may_test[h]) or (other == 1 and not state.may_test[g]):
            continue
        uncovered = _move(state, compounds, atoms, g, other, aim.cover)
        uncovered += _move(state, compounds, atoms, h, one, aim.cover)
        then = cost(compounds, atoms, aim)
        if uncovered <= 0 and then - now <= heat * left * left * uniforms[4 * k + 3]:
            now = then
            _relist(state, g, one)
            _relist(state, h, other)
        else:
            _move(state, compounds, atoms, h, other, aim.cover)
            _move(state, compounds, atoms, g, one, aim.cover)


@_compiled
def _allowed(state: State, part: int, grows: int) -> bool:
    if grows > 0:
        return bool(state.reached[part] + grows <= state.room[part])
    return grows == 0 or bool(state.reached[part] + grows >= state.least[part])


@_compiled
def ruin(
    state: State,
    compounds: Held,
    atoms: Held,
    aim: Aim,
    holders: NDArray[np.int64],
    part: int,
    share: float,
    uniforms: NDArray[np.float64],
) -> int:
    """Take groups out of both parts and return how many.

    Args:
        state, compounds, atoms: Changed in place.
        aim: Says how many train groups must hold each atom of test; no group is taken out that they need.
        holders: Groups that are taken out of the part.
        part: Where that is.
        share: The share of either part that is taken out besides.
        uniforms: Numbers that choose those, used again from the first when they are used up.
    """
    # Test goes first, so that fewer atoms need train groups.
    taken = 0
    used = 0
    for side in (1, 0):
        if side == part:
            for g in holders:
                if state.part[g] == side and state.members[side, state.places[g]] == g:
                    taken += _taken_out(state, compounds, atoms, aim, g)
        for _ in range(int(share * state.sizes[side])):
            g = state.members[side, int(uniforms[used] * state.sizes[side])]
            used = used + 1 if used + 1 < len(uniforms) else 0
            taken += _taken_out(state, compounds, atoms, aim, g)
    return taken


@_compiled
def _taken_out(state: State, compounds: Held, atoms: Held, aim: Aim, g: int) -> bool:
    old = state.part[g]
    if _move(state, compounds, atoms, g, OUT, aim.cover) > 0:
        _move(state, compounds, atoms, g, old, aim.cover)
        return False
    _relist(state, g, old)
    return True


@_compiled
def restore(state: State, compounds: Held, atoms: Held, part: NDArray[np.int8]) -> None:
    """Bring every group back to where it was."""
    for g in range(len(part)):
        old = state.part[g]
        if old != part[g]:
            _move(state, compounds, atoms, g, part[g], 0)
            _relist(state, g, old)

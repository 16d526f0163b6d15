"""Things that test rows hold and no train row does: chosen one by one until the target is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, UnknownNameError, counted
from compsplit.model.column import distinct
from compsplit.model.compounds import counted_by_row
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.split import Split
from compsplit.order import name_hashes, seeded_order
from compsplit.splitters.by_rows import split_by_rows, without_targets
from compsplit.splitters.problem import Problem, rows_for_test

_KEPT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Which rows hold which things.

    Attributes:
        starts: The rows of thing t are ``rows[starts[t]:starts[t + 1]]``; shape (n_things + 1,).
        rows: Rows, ascending for each thing; shape (n_entries,).
        names: The things.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    names: Sequence[str]

    @classmethod
    def of(cls, things: Incidence | Kinds) -> Held:
        """Return the rows of each thing; O(non-zeros of rows)."""
        each = things.each if isinstance(things, Kinds) else (things,)
        rows, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        before = 0
        for kind in each:
            lengths = np.diff(kind.starts)[kind.bag_of_row]
            first = np.repeat(kind.starts[kind.bag_of_row] - (np.cumsum(lengths) - lengths), lengths)
            codes.append(kind.concepts[first + np.arange(len(first))].astype(np.int64) + before)
            rows.append(np.repeat(np.arange(kind.n_rows, dtype=np.int64), lengths))
            before += len(kind.names)
        every, owners = np.concatenate(codes), np.concatenate(rows)
        order = np.argsort(every, kind="stable")
        starts = np.zeros(before + 1, dtype=np.int64)
        np.cumsum(np.bincount(every, minlength=before), out=starts[1:])
        return cls(starts, owners[order], things.names)

    def rows_of(self, thing: int) -> NDArray[np.int64]:
        """Return the rows that hold a thing."""
        return self.rows[self.starts[thing] : self.starts[thing + 1]]


def unseen_in_train(
    problem: Problem,
    things: Incidence | Kinds,
    noun: str,
    *,
    wanted: Sequence[str] = (),
    among: NDArray[np.bool_] | None = None,
    choose: Literal["random", "rare"] = "random",
    facts: Mapping[str, object] | None = None,
) -> Split:
    """Return the split in which every test row holds a chosen thing and no train row does.

    A group is in test if all its rows hold a chosen thing, and left out if only some do. Things are visited in the
    seeded order of their names, or the rarest first; one is passed over if test would pass its target, if it would
    bring nothing to test, or leave more rows out than it brings.

    Args:
        problem: Groups, and targets of two parts.
        things: What the rows hold.
        noun: What one is called.
        wanted: The things themselves, where the user names them.
        among: Things that may be chosen, shape (n_things,); all by default.
        choose: The order in which they are visited.
        facts: What was counted, as JSON values.

    Raises:
        UnknownNameError: One that is wanted is in no row.
        ImpossibleError: None can be chosen, or nothing is left for train.
    """
    held = Held.of(things)
    n_rows = np.diff(held.starts)
    if wanted:
        known = {name: code for code, name in enumerate(held.names) if n_rows[code]}
        for name in wanted:
            if name not in known:
                raise UnknownNameError(noun, name, known)
        chosen = np.zeros(len(held.names), dtype=bool)
        chosen[[known[name] for name in wanted]] = True
        problem = without_targets(problem)
    else:
        target = rows_for_test(problem, f"unseen-{noun}")
        chosen = _filled(problem, held, noun, target, n_rows > 0 if among is None else among & (n_rows > 0), choose)
    entries = np.repeat(chosen, n_rows)
    codes = np.repeat(np.arange(len(held.names)), n_rows)[entries]
    with_it = np.zeros(len(problem.grouping.group_of_row), dtype=np.int64)
    with_it[held.rows[entries]] = 1
    names = [held.names[code] for code in np.flatnonzero(chosen).tolist()]
    held_out = counted_by_row(f"{noun}s held out", len(with_it), held.rows[entries], codes, held.names)
    counts = {f"{noun}s held out": len(names), f"{noun}s in all": int((n_rows > 0).sum()), **(facts or {})}
    split = split_by_rows(problem, with_it, held=held_out, facts={**counts, "held_out": names[:_KEPT]})
    if split.sizes[split.parts[0]] and not things.occurrences(split.rows_in(split.parts[0])).any():
        raise ImpossibleError(
            f"{split.parts[0]} would hold no {noun}: its {counted(split.sizes[split.parts[0]], 'row')} have none, so "
            f"every {noun} would be unseen. Nothing was written.",
            facts={"rows": split.sizes[split.parts[0]]},
        )
    if not all(split.sizes.values()):
        left = int((~split.placed).sum())
        raise ImpossibleError(
            f"{counted(int(with_it.sum()), 'row holds', 'rows hold')} {noun}s that are to be unseen, of "
            f"{len(with_it):,}; {left:,} are left out because only some rows of their group do, and "
            f"{' and '.join(part for part, size in split.sizes.items() if not size)} would be empty. Nothing was "
            "written.",
            facts={"rows": len(with_it), "rows held out": int(with_it.sum()), "left out": left},
        )
    return split


def _filled(
    problem: Problem, held: Held, noun: str, target: int, among: NDArray[np.bool_], choose: str
) -> NDArray[np.bool_]:
    """Return the things chosen so that test holds at most its target."""
    grouping = problem.grouping
    sizes = grouping.sizes
    n_rows = np.diff(held.starts)
    order = seeded_order(name_hashes(held.names, len(held.names)), problem.seed, held.names)
    if choose == "rare":
        order = order[np.argsort(n_rows[order], kind="stable")]
    chosen = np.zeros(len(held.names), dtype=bool)
    touched = np.zeros(len(grouping.group_of_row), dtype=bool)
    # Rows of each group without a chosen thing; a group is in test at 0, and of no part between 0 and its size.
    bare = sizes.copy()
    gap = target
    for thing in order[among[order]].tolist():
        rows = held.rows_of(thing)
        fresh = rows[~touched[rows]]
        groups, counts = distinct(grouping.group_of_row[fresh].astype(np.int64))
        if grouping.stays[groups].any():
            continue
        whole = bare[groups] == counts
        gain = int(sizes[groups[whole]].sum())
        spoiled = groups[~whole]
        loss = int(sizes[spoiled[bare[spoiled] == sizes[spoiled]]].sum())
        if gain == 0 or gain > gap or loss > gain:
            continue
        chosen[thing] = True
        touched[fresh] = True
        bare[groups] -= counts
        gap -= gain
        if not gap:
            break
    if not chosen.any():
        possible = np.flatnonzero(among)
        least = int(n_rows[possible].min()) if len(possible) else 0
        rarest = f", the rarest in {counted(least, 'row')}" if least else ""
        unit = grouping.unit
        whole = "" if unit == "row" else f", and all rows of a {unit} in test must hold one"
        raise ImpossibleError(
            f"No {noun} can be held out for a test of at most {counted(target, 'row')}: {counted(len(possible), noun)} "
            f"may be chosen{rarest}{whole}. Ask for a larger test{'' if unit == 'row' else ', or group by row'}. "
            "Nothing was written.",
            facts={"target": target, "may be chosen": len(possible), "rows of the rarest": least},
        )
    return chosen

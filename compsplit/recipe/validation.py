"""Parts for choosing a model: ``val-iid`` out of train, ``val-ood`` out of test.

Every split that was published without them was tuned on its test set. ``val-iid`` takes units of train (images, rows,
the split's groups, or the values of any column) in the seeded order, first those without which train keeps k units that
show each concept of the other parts (k as the splitter has it, else 1); others only where the splitter promises nothing
about what train shows, so that its promises stay true. ``val-ood`` takes rows of test, so it is held out as test is. No
group, no value of that column and, where the splitter says what rows were held out for, no such thing is in both test
and val-ood: what hangs together through them moves together. Where nearly all of test hangs together, things held out
are dealt one by one instead, and the rows that would show one part what the other tests are left out and counted. A
bound on divergences is one of the parts as they are: rows that are taken out of them may pass it, and the run's checks
then say so.

Source: compsplit; Bogin, Gupta, Berant 2021, arXiv 2109.10613 (a validation part of each kind). Cost: O(non-zeros).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import CompsplitError, ImpossibleError, UsageError, counted
from compsplit.model.column import Column
from compsplit.model.grouping import Grouping
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.split import Split
from compsplit.model.targets import exact_fraction
from compsplit.order import name_hashes, seeded_order
from compsplit.recipe.checks import IID
from compsplit.recipe.written import Written
from compsplit.registry import Plugin
from compsplit.splitters import Problem

OOD = "val-ood"
_GROUP, _ROW = "group", "row"
_BOTH = "held out for test and for val-ood alike"


@dataclass(frozen=True, slots=True)
class Validation:
    """What is taken out of train and test.

    Attributes:
        iid: Share of train's rows that goes to ``val-iid``; 0 for no such part.
        ood: Share of test's rows that goes to ``val-ood``; 0 for no such part.
        by: What stays together: ``"group"`` (the split's own groups), ``"row"``, or a column, such as image. Where
            nothing is said, ``val-iid`` keeps what a user groups by, else images, else rows; ``val-ood`` keeps groups.
        k: Units of train that must go on showing each concept of the other parts.
    """

    iid: Fraction
    ood: Fraction
    by: str
    k: int

    def taken_out(self, problem: Problem, split: Split, *, shown: bool = True) -> Split:
        """Return the split with the validation parts behind its own.

        Args:
            problem: What was divided.
            split: How.
            shown: Whether the split promises that train shows what other parts test.

        Raises:
            ImpossibleError: A part would be empty.
            UsageError: A part is called like one of these already, or there is no such column.
        """
        taken = [part for part in (IID, OOD) if part in split.parts]
        if taken:
            raise UsageError(f"The split has a part {taken[0]} already.", field=f"validate.{taken[0]}")
        if self.iid:
            split = self._in_distribution(problem, split, shown)
        return self._out_of_distribution(problem, split) if self.ood else split

    def _units(self, problem: Problem, by: str) -> Column:
        if by == _GROUP:
            return Column(problem.grouping.group_of_row, problem.grouping.names)
        if by == _ROW:
            return problem.column("id")
        return problem.column(by)

    def _like_train(self, problem: Problem, split: Split) -> str:
        """Return what stays together in val-iid: what is asked for, else what a user groups by, images, or rows."""
        if self.by:
            return self.by
        columns = problem.rows.columns if problem.rows is not None else {}
        if problem.grouping.unit in columns:
            return _GROUP
        image = columns.get("image")
        known = image is not None and bool((image.codes[split.part_of_row == 0] >= 0).all())
        return "image" if known else _ROW

    def _in_distribution(self, problem: Problem, split: Split, shown: bool) -> Split:
        from compsplit.kernels.quota import fill

        by = self._like_train(problem, split)
        units = self._units(problem, by)
        of_train = np.flatnonzero(split.part_of_row == 0)
        without = of_train[units.codes[of_train] < 0]
        there = of_train[units.codes[of_train] >= 0]
        if not len(there):
            raise ImpossibleError(f"{IID} would be empty: no row of {split.parts[0]} has a value in {by}.")
        grouping = Grouping.of(by, units.take(there))
        order = grouping.order(problem.seed)
        sizes = grouping.sizes[order]
        wanted = int(self.iid * len(of_train))
        starts, concepts, holders = self._to_be_shown(problem, split, grouping, order, there, without)
        moved, everyone = np.zeros(len(order), dtype=bool), np.ones(len(order), dtype=bool)
        nothing = np.zeros(len(order) + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)
        room = np.zeros(0, np.int64)
        kept_back = _any_of(holders <= self.k, starts, concepts)
        gap = fill(sizes, moved, everyone, starts, concepts, holders, self.k, *nothing, room, wanted, False)
        if not shown:
            fill(sizes, moved, everyone, *nothing, self.k, *nothing, room, int(gap), False)
        if not moved.any():
            raise ImpossibleError(
                f"{IID} would be empty: {wanted:,} of the {counted(len(of_train), 'row')} of {split.parts[0]} are "
                f"asked for. {split.parts[0]} holds {counted(len(order), by)}, the smallest of "
                f"{int(sizes.min()):,}; {int(kept_back.sum()):,} must stay, as they alone show a concept that other "
                "parts test. Ask for a larger share, or another validate.by.",
                facts={"asked": wanted, "units": len(order), "kept_back": int(kept_back.sum())},
            )
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        part_of_row = split.part_of_row.copy()
        part_of_row[there[moved[place[grouping.group_of_row]]]] = len(split.parts)
        facts = {f"{IID} by": by, f"{IID}: {by}s that alone show what other parts test": int(kept_back.sum())}
        return _with_part(split, IID, part_of_row, split.parts[0], wanted, facts)

    def _to_be_shown(
        self,
        problem: Problem,
        split: Split,
        grouping: Grouping,
        order: NDArray[np.int64],
        there: NDArray[np.int64],
        without: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return the concepts of each unit, and how many units show each; those that nobody tests count as safe."""
        tested = (split.part_of_row > 0) & split.placed
        kinds = []
        for each in _concepts_of(problem):
            kinds += list(each.each) if isinstance(each, Kinds) else [each]
        if not kinds:
            return np.zeros(len(order) + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)
        whole = Kinds(tuple(kinds))
        units = Problem(grouping, problem.targets)
        starts, concepts, n_concepts = units.members(whole.taken(there), order)
        holders = np.bincount(concepts, minlength=n_concepts).astype(np.int64)
        if len(without):
            marked = np.zeros(whole.n_rows, dtype=bool)
            marked[without] = True
            holders += whole.rows_with(marked)
        holders[whole.rows_with(tested) == 0] = np.iinfo(np.int64).max // 2
        return starts, concepts, holders

    def _out_of_distribution(self, problem: Problem, split: Split) -> Split:
        units = self._units(problem, self.by or _GROUP)
        test = "test" if "test" in split.parts else [part for part in split.parts if part != IID][-1]
        mine = np.flatnonzero(split.rows_in(test))
        wanted = int(self.ood * len(mine))
        together = _hanging_together(problem.grouping, units, split.held, mine)
        names = _least_names(problem, mine, together)
        order = seeded_order(name_hashes(names, len(names)), problem.seed, names)
        sizes = np.bincount(together, minlength=len(order))
        chosen = np.zeros(len(order), dtype=bool)
        got = 0
        for component in order.tolist():
            if got + sizes[component] <= wanted:
                chosen[component] = True
                got += int(sizes[component])
        part_of_row = split.part_of_row.copy()
        number = len(split.parts)
        part_of_row[mine[chosen[together]]] = number
        reasons = split.left_out
        held = split.held
        if 2 * got < wanted and held is not None and self.by in ("", _GROUP):
            ours, between = _dealt(problem, held, mine, wanted)
            if ours.any():
                part_of_row = split.part_of_row.copy()
                part_of_row[mine[ours]] = number
                part_of_row[mine[between]] = -1
                got = int(ours.sum())
                reasons = _with_reason(split, mine[between])
        if not got or got == len(mine):
            raise ImpossibleError(
                f"{OOD} and {test} cannot both be had: {wanted:,} of the {counted(len(mine), 'row')} of {test} are "
                f"asked for, and they hang together in {counted(len(order), 'piece')}, the smallest of "
                f"{int(sizes.min()):,}. Ask for another share, or leave validate.val-ood out.",
                facts={"asked": wanted, "pieces": len(order)},
            )
        facts = {f"{OOD}: pieces that hang together": len(order)}
        return _with_part(split, OOD, part_of_row, test, wanted, facts, reasons)


def _concepts_of(problem: Problem) -> list[Incidence | Kinds]:
    """Return everything that train has to show: the concepts of the rows, and the atoms of their compounds."""
    found: dict[str, Incidence | Kinds] = {}
    if problem.concepts is not None:
        found[problem.concepts.of] = problem.concepts
    for compounds in problem.rows.compounds.values() if problem.rows is not None else ():
        found.setdefault(compounds.atoms.of, compounds.atoms)
    return list(found.values())


def _any_of(marked: NDArray[np.bool_], starts: NDArray[np.int64], concepts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which units hold a marked concept."""
    sums = np.append(0, np.cumsum(marked[concepts])) if len(concepts) else np.zeros(1, np.int64)
    return np.diff(sums[starts]) > 0


def _hanging_together(
    grouping: Grouping, units: Column, held: Incidence | None, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a number for each of the rows: equal for rows joined by a group, a unit or something held out."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = grouping.n_groups
    groups = grouping.group_of_row[rows].astype(np.int64)
    ends = [(groups, n + units.codes[rows].astype(np.int64), units.codes[rows] >= 0)]
    n += len(units.names)
    if held is not None:
        bags = held.bag_of_row[rows]
        ends.append((groups, n + bags.astype(np.int64), np.ones(len(rows), dtype=bool)))
        n_bags = n + held.n_bags
        owners = np.repeat(np.arange(held.n_bags, dtype=np.int64), np.diff(held.starts))
        ends.append((n + owners, n_bags + held.concepts.astype(np.int64), np.ones(len(owners), dtype=bool)))
        n = n_bags + len(held.names)
    one = np.concatenate([a[there] for a, _, there in ends])
    other = np.concatenate([b[there] for _, b, there in ends])
    graph = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    _, together = np.unique(labels[groups], return_inverse=True)
    return together.astype(np.int64)


def _least_names(problem: Problem, rows: NDArray[np.int64], together: NDArray[np.int64]) -> list[str]:
    """Return a name for each piece that does not depend on the order of rows: its groups' least hash."""
    least = np.full(int(together.max()) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(least, together, problem.grouping.hashes[problem.grouping.group_of_row[rows]])
    return [f"{value:016x}" for value in least.tolist()]


def _dealt(
    problem: Problem, held: Incidence, rows: NDArray[np.int64], wanted: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Deal things held out to val-ood one by one, until both parts come closest to their shares of the rows.

    Returns:
        Which of the rows are held out for val-ood's things alone, and which for both parts' things; none of the former
        where both parts cannot be had.
    """
    grouping = problem.grouping.taken(rows)
    inside = held.taken(rows)
    starts, things, n = Problem(grouping, problem.targets).members(inside, np.arange(grouping.n_groups))
    owners = np.repeat(np.arange(grouping.n_groups), np.diff(starts))
    sizes = grouping.sizes
    total = np.diff(starts).astype(np.int64)
    by_thing = np.argsort(things, kind="stable")
    thing_starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(things, minlength=n), out=thing_starts[1:])
    order = [
        t
        for t in seeded_order(name_hashes(inside.names, n), problem.seed, inside.names).tolist()
        if thing_starts[t] < thing_starts[t + 1]
    ]
    left = total.copy()
    got, rest = 0, len(rows)
    best, n_best = 0, 0
    for number, thing in enumerate(order, 1):
        touched = owners[by_thing[thing_starts[thing] : thing_starts[thing + 1]]]
        rest -= int(sizes[touched[left[touched] == total[touched]]].sum())
        left[touched] -= 1
        got += int(sizes[touched[left[touched] == 0]].sum())
        # The smaller of both parts' shares of what is wanted of them, as whole numbers.
        closeness = min(got * (len(rows) - wanted), rest * wanted)
        if closeness > best:
            best, n_best = closeness, number
    ours = np.zeros(n, dtype=bool)
    ours[order[:n_best]] = True
    of_ours = np.bincount(owners, weights=ours[things], minlength=grouping.n_groups).astype(np.int64)
    whole = (of_ours == total) & (total > 0)
    between = (of_ours > 0) & (of_ours < total)
    return whole[grouping.group_of_row], between[grouping.group_of_row]


def _with_reason(split: Split, rows: NDArray[np.int64]) -> Column | None:
    """Return why rows are left out, with these rows besides."""
    if not len(rows):
        return split.left_out
    names = () if split.left_out is None else tuple(split.left_out.names)
    codes = (
        np.full(len(split.part_of_row), -1, dtype=np.int32) if split.left_out is None else split.left_out.codes.copy()
    )
    codes[rows] = len(names)
    return Column(codes, (*names, _BOTH))


def _with_part(
    split: Split,
    name: str,
    part_of_row: NDArray[np.int16],
    source: str,
    wanted: int,
    facts: Mapping[str, Any],
    left_out: Column | None = None,
) -> Split:
    """Return the split with one more part, which was taken out of another."""
    asked = dict(split.asked)
    if source in asked:
        asked[source] -= wanted
    return Split(
        (*split.parts, name),
        part_of_row,
        {**asked, name: wanted},
        {**split.facts, **facts},
        split.left_out if left_out is None else left_out,
        split.held,
    )


def validation(written: Written, splitter: Plugin) -> Validation | None:
    """Return what a recipe's ``[validate]`` says, None where it says nothing.

    Args:
        written: The recipe.
        splitter: Its splitter, which says how many train groups must show what test asks.

    Raises:
        RecipeError: A share is no fraction below 1, or nothing is asked for.
    """
    values = written.values["validate"]
    if not values:
        return None
    shares = {}
    for name in (IID, OOD):
        try:
            shares[name] = exact_fraction(values.get(name, 0))
        except CompsplitError as error:
            raise written.fault(
                f"{name} is {values[name]!r}; expected a share such as 0.1.", "validate", name
            ) from error
        if not 0 <= shares[name] < 1:
            raise written.fault(f"{name} is {values[name]!r}; expected a share below 1.", "validate", name)
    if not any(shares.values()):
        raise written.fault(f"validate asks for nothing: give {IID} or {OOD} a share.", "validate", "by")
    by = values.get("by", "")
    if not isinstance(by, str):
        raise written.fault(f"by is {by!r}; expected group or a column, such as image.", "validate", "by")
    split = written.values["split"]
    k = split.get(splitter.facts.get("shows", ""), 1)
    return Validation(shares[IID], shares[OOD], by, k if isinstance(k, int) and k > 0 else 1)

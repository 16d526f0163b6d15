"""Compounds as far apart as can be, atoms close together: the MCD and TMCD splits, by search.

Source: Keysers et al. 2020, arXiv 1912.09713, section 2 (maximum compound divergence); Shaw et al. 2021, arXiv
2010.12725, section 4.2 (TMCD: every atom of test stays in train). Divergence = 1 - sum of p^alpha q^(1-alpha), p the
shares in train, q in test; alpha 0.1 for compounds, 0.5 for atoms. The paper adds one row at a time to either part,
from empty parts, and leaves out what is not taken; a share that may be left out is part of the method, and is asked for
here. The sizes that are asked for are shares of the rows that are kept.

Both parts are filled from nothing, in proportion, each time with the best of some groups, from several starts. The best
start is then ruined and filled again, over and over: all train (or test) groups with one compound are taken out, and
some others; where the outcome is no worse, it stays. Where that leads nowhere, another start is made. Each filling is
followed by exchanges of two groups between train, test and what is left out, which may cost something at first
(threshold accepting, Dueck and Scheuer 1990). The cost is the distance from the compound divergence that is asked for,
plus 20 times what the atom divergence passes its bound by. Moves that leave an atom of test in too few train groups are
never made.

Guarantee: the atom divergence is at most what is asked, every atom of test is in at least ``cover`` train groups, no
group is torn, no part passes its target (but train where nothing may be left out). The compound divergence is as high
as the search got, not proven the highest; more proposals may end higher. Watch the lengths of both parts: a split by
length is the cheap way to a high figure. A figure is comparable with others of the same extractor only. Deviation:
compounds are not weighted by how often they occur outside a larger one. Cost: O(proposals x what a group holds).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, OptionValueError, UsageError, listed
from compsplit.errors import counted as in_words
from compsplit.kernels.chernoff import affinity
from compsplit.model.column import distinct
from compsplit.model.compounds import Compounds
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.split import Split
from compsplit.model.targets import exact_fraction
from compsplit.order import uniforms
from compsplit.registry import register
from compsplit.splitters.problem import Problem, rows_for_test

if TYPE_CHECKING:
    from compsplit.kernels.divergence_search import Aim, Held, State

_REASON = "left out to keep compounds apart"
_TRIES = (100, 50, 200, 100, 50, 200)
"""Groups that are tried for each place, from each start."""

_AGAIN = 50
"""The same where a ruined part is filled again."""

_SHARE = 0.1
_FEW = 10
"""At most this share of each part, or as many groups where that is more, is ruined besides those of one compound; never
more than half of a part."""

_PATIENCE = 30
"""After so many ruins that led to nothing better a new start is made; the best of all is kept."""

_DRAWS = 1 << 22
"""Numbers that are drawn at a time."""

_MARGIN = 1e-7
"""The search keeps this much below the bound on atom divergence, which is far more than what rounding adds."""


def _keeps(options: Mapping[str, Any]) -> Sequence[str]:
    covered = "least-shown[{atoms}][{train}->{test}] >= {cover}"
    # The audit counts occurrences; what was bounded by presence is another figure.
    if options["counted"] == "presence":
        return (covered,)
    return ("atom-divergence[{atoms}][{train}->{test}] <= {atom_divergence}", covered)


@register(
    "splitter",
    "divergence",
    source="Keysers et al. 2020, arXiv 1912.09713, section 2; Shaw et al. 2021, arXiv 2010.12725",
    guarantee="The atom divergence is at most what is asked; every atom of test is in at least so many train groups as "
    "cover says; no group is torn.",
    cost="O(proposals x what a group holds)",
    shows="cover",
    keeps=_keeps,
)
def assign(
    problem: Problem,
    *,
    of: str = "",
    left_out: float = 0.0,
    compound_divergence: float = 1.0,
    atom_divergence: float = 0.02,
    cover: int = 1,
    counted: Literal["occurrences", "presence"] = "occurrences",
    proposals: int = 0,
) -> Split:
    """Search for parts whose compounds are far apart and whose atoms are close together.

    Args:
        problem: Groups, rows with listed compounds, and targets of two parts.
        of: What was extracted, where several things were.
        left_out: The share of rows that may be left out; targets are shares of the others.
        compound_divergence: What to come close to; 1 is as high as can be.
        atom_divergence: What the atom divergence may be at most; 1 is no bound.
        cover: Train groups that must show each atom of test.
        counted: Whether each occurrence counts, or each row that has the compound or atom.
        proposals: Groups and exchanges to try; 0 is 1,000 for each group, at least 100,000 and at most 15
            million.

    Raises:
        OptionValueError: An option is out of its range.
        UsageError: Compounds are not listed one by one.
        ImpossibleError: Atoms keep too many rows out of test, or their divergence stays above its bound.
    """
    kept_share = 1 - _share("left_out", left_out)
    _share("compound_divergence", compound_divergence, whole=True)
    _share("atom_divergence", atom_divergence, whole=True)
    for name, value, least in (("cover", cover, 1), ("proposals", proposals, 0)):
        if value < least:
            raise OptionValueError(f"split.{name}", value, f"a whole number of at least {least}")
    compounds = problem.compounds(of)
    if not isinstance(compounds, Compounds):
        raise UsageError(
            f"divergence moves compounds that are listed one by one, and {compounds.of} are not. Extract others, such "
            "as attribute-objects, relations, word-ngrams or program-trees.",
            field="extract.of",
        )
    if not len(compounds.rows.concepts):
        raise ImpossibleError(f"No row has a {compounds.noun} ({compounds.of}), so nothing can be apart.")
    rows_for_test(problem, "divergence")  # two parts
    n_rows = len(problem.grouping.group_of_row)
    kept = n_rows - int(n_rows * (1 - kept_share))
    asked = problem.targets.sizes(kept)
    search = Search.of(problem, compounds, counted, list(asked.values()), cover, kept < n_rows)
    from compsplit.kernels.divergence_search import Aim

    aim = Aim(compound_divergence, max(atom_divergence - _MARGIN, 0.0), cover, 1.0)
    search.run(aim, proposals or min(max(1000 * problem.grouping.n_groups, 100_000), 15_000_000))
    part = np.where(search.state.part == 2, -1, search.state.part).astype(np.int16)
    split = problem.split(part, search.order, {_REASON: part < 0})
    found = {
        name: max(round(1 - affinity(held.in_train, held.in_test, alpha), 12), 0.0)
        for name, held, alpha in (("compound", search.compounds, 0.1), ("atom", search.atoms, 0.5))
    }
    _check_reached(search, split.sizes, asked, found, atom_divergence)
    facts = {
        "compound_divergence": found["compound"],
        "atom_divergence": found["atom"],
        "rows_left_out": int((~split.placed).sum()),
        "rows_that_cannot_be_test": int(search.state.rows[~search.state.may_test].sum()),
        "proposals": search.proposals,
    }
    return dataclasses.replace(split, asked=asked, facts=facts)


def _share(name: str, value: float, whole: bool = False) -> Fraction:
    """Return an option as the exact fraction that was written."""
    fraction = exact_fraction(value) if value == value and abs(value) <= 1 else Fraction(-1)
    if fraction < 0 or (fraction == 1 and not whole):
        raise OptionValueError(f"split.{name}", value, f"from 0 to {'1' if whole else 'less than 1'}")
    return fraction


@dataclass(slots=True, eq=False)
class Search:
    """Parts while they are searched for; groups are numbered by their place in the order."""

    order: NDArray[np.int64]
    state: State
    compounds: Held
    atoms: Held
    names: Sequence[str]
    holders: NDArray[np.int64]
    holder_starts: NDArray[np.int64]
    seed: int
    drawn: int = 0
    proposals: int = 0

    @classmethod
    def of(
        cls, problem: Problem, compounds: Compounds, counted: str, asked: list[int], cover: int, may_leave_out: bool
    ) -> Search:
        """Return a search whose groups are all in neither part, but those that must be in train.

        Raises:
            ImpossibleError: Too few rows may be in test.
        """
        from compsplit.kernels.divergence_search import OUT, State, place

        order = problem.order()
        grouping = problem.grouping
        rows = grouping.sizes[order]
        held = _held(problem, compounds.rows, order, counted, root=False)
        atoms = _held(problem, compounds.atoms, order, counted, root=True)
        n = len(order)
        showing = np.bincount(atoms.codes, minlength=len(atoms.in_train)).astype(np.int64)
        rare = showing <= cover
        may_test = ~grouping.stays[order]
        may_test[np.repeat(np.arange(n), np.diff(atoms.starts))[rare[atoms.codes]]] = False
        if int(rows[may_test].sum()) < asked[1] or not may_test.any():
            raise _too_few(problem, compounds.atoms.names, atoms, rare, rows, may_test, asked[1], cover)
        members = np.zeros((3, n), dtype=np.int64)
        members[OUT] = np.arange(n)
        # Exchanges of groups of several rows need some play; groups of one row have none.
        play = int(rows.sum()) // max(n, 1) - 1
        state = State(
            part=np.full(n, OUT, dtype=np.int8),
            rows=rows,
            members=members,
            sizes=np.array([0, 0, n], dtype=np.int64),
            places=np.arange(n, dtype=np.int64),
            reached=np.array([0, 0, rows.sum()], dtype=np.int64),
            asked=np.array(asked, dtype=np.int64),
            room=np.array([asked[0] if may_leave_out else rows.sum(), asked[1], rows.sum()], dtype=np.int64),
            least=np.array([max(asked[0] - play, 0), max(asked[1] - play, 0), 0], dtype=np.int64),
            may_test=may_test,
            showing=np.zeros(len(atoms.in_train), dtype=np.int64),
            testing=np.zeros(len(atoms.in_train), dtype=np.int64),
        )
        if not may_leave_out:
            state.least[0] = 0
        for g in np.flatnonzero(grouping.stays[order]).tolist():
            place(state, held, atoms, g, 0)
        owners = np.repeat(np.arange(n), np.diff(held.starts))
        starts = np.append(0, np.cumsum(np.bincount(held.codes, minlength=len(held.in_train)))).astype(np.int64)
        holders = owners[np.argsort(held.codes, kind="stable")]
        return cls(order, state, held, atoms, compounds.atoms.names, holders, starts, problem.seed)

    def run(self, aim: Aim, budget: int) -> None:
        """Search with about so many proposals."""
        empty = self.state.part.copy()
        exchanges = max(budget // 100, 100)
        best = (np.inf, empty)
        starts = itertools.cycle(_TRIES)
        while best[1] is empty or self.proposals < budget // 3:
            self._start(aim, next(starts), empty, exchanges)
            best = self._better(aim, best)
        self._restore(best[1])
        idle = 0
        while self.proposals < budget:
            if idle == _PATIENCE:
                best = self._better(aim, best)
                self._start(aim, next(starts), empty, exchanges)
                idle = 0
            idle = 0 if self._ruined(aim, exchanges // 10, heat=0.1) else idle + 1
        best = self._better(aim, best)
        self._restore(best[1])
        self._exchange(aim, max(budget // 10, 1000), heat=1.0)
        self._restore(self._better(aim, best)[1])
        self._bring_below(aim, budget)

    def _bring_below(self, aim: Aim, budget: int) -> None:
        """Where the atoms are still too far apart, look for parts where they are not, whatever the compounds."""
        from compsplit.kernels.divergence_search import divergence

        bounded = aim._replace(weight=0.0)
        exchanges = max(budget // 100, 100)
        last = self.proposals + budget
        if divergence(self.atoms) > aim.bound:
            self._exchange(bounded, exchanges, heat=0.0)
        while divergence(self.atoms) > aim.bound and self.proposals < last:
            self._ruined(bounded, exchanges, heat=0.0)
        # No exchange that costs anything is made: the bound holds from here on.
        self._exchange(aim, exchanges, heat=0.0)

    def _cost(self, aim: Aim) -> float:
        """Return the distance from the aim, with what share of their rows parts lack."""
        from compsplit.kernels.divergence_search import cost

        lacking = np.maximum(self.state.least - self.state.reached, 0)[:2] / np.maximum(self.state.asked, 1)
        return float(cost(self.compounds, self.atoms, aim)) + float(lacking[0]) + float(lacking[1])

    def _start(self, aim: Aim, tries: int, empty: NDArray[np.int8], exchanges: int) -> None:
        """Fill both parts from nothing."""
        self._restore(empty)
        self.construct(aim, tries)
        self._exchange(aim, exchanges, heat=1.0)

    def _better(self, aim: Aim, best: tuple[float, NDArray[np.int8]]) -> tuple[float, NDArray[np.int8]]:
        """Return the cost and the parts that are now, or the best so far where these are no better."""
        now = self._cost(aim)
        return (now, self.state.part.copy()) if now < best[0] else best

    def _restore(self, part: NDArray[np.int8]) -> None:
        from compsplit.kernels.divergence_search import restore

        restore(self.state, self.compounds, self.atoms, part)

    def _ruined(self, aim: Aim, exchanges: int, heat: float) -> bool:
        """Take groups out, fill the parts again, keep that if it is no worse, and return whether it is better."""
        from compsplit.kernels.divergence_search import ruin

        before, best = self.state.part.copy(), self._cost(aim)
        kind, which, share = self._draw(3).tolist()
        part = 0 if kind < 0.5 else 1
        there = np.flatnonzero(self.compounds.in_train if part == 0 else self.compounds.in_test)
        holders = np.zeros(0, dtype=np.int64)
        if kind < 0.8 and len(there):
            c = there[int(which * len(there))]
            holders = self.holders[self.holder_starts[c] : self.holder_starts[c + 1]]
        sizes = self.state.sizes
        draws = self._draw(int(sizes[0] + sizes[1]) + 1)
        most = min(max(_SHARE, _FEW / max(int(sizes[:2].sum()), 1)), 0.5)
        taken = ruin(self.state, self.compounds, self.atoms, aim, holders, part, most * share, draws)
        self.construct(aim, _AGAIN, int(taken))
        self._exchange(aim, exchanges, heat)
        # Copying and comparing all groups is work, too.
        self.proposals += len(before) // 50
        now = self._cost(aim)
        if now > best:
            self._restore(before)
        return now < best

    def construct(self, aim: Aim, tries: int, places: int | None = None) -> None:
        from compsplit.kernels.divergence_search import construct

        n = int(self.state.sizes[2]) if places is None else places
        draws = self._draw(min(n * tries + tries, _DRAWS))
        self.proposals += int(construct(self.state, self.compounds, self.atoms, aim, tries, draws))

    def _exchange(self, aim: Aim, total: int, heat: float) -> None:
        """Try exchanges; heat is told in tenths of what one group of test may change."""
        from compsplit.kernels.divergence_search import exchange

        hot = heat * 0.1 / max(int(self.state.sizes[1]), 1)
        for start in range(0, total, _DRAWS // 4):
            draws = self._draw(4 * min(total - start, _DRAWS // 4))
            exchange(self.state, self.compounds, self.atoms, aim, draws, start, total, hot)
        self.proposals += total

    def _draw(self, n: int) -> NDArray[np.float64]:
        drawn = uniforms(self.seed, "divergence", n, self.drawn)
        self.drawn += n
        return drawn


def _held(problem: Problem, of: Incidence | Kinds, order: NDArray[np.int64], counted: str, root: bool) -> Held:
    """Return what the groups hold, each thing as often as their rows do."""
    from compsplit.kernels.divergence_search import Held, powers

    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    group = places[problem.grouping.group_of_row]
    kinds = of.each if isinstance(of, Kinds) else (of,)
    width = max(sum(len(kind.names) for kind in kinds), 1)
    packed, weights = [], []
    offset = 0
    for kind in kinds:
        bags, rows = distinct(group * kind.n_bags + kind.bag_of_row)
        groups, bags = np.divmod(bags, kind.n_bags)
        lengths = np.diff(kind.starts)[bags]
        entries = np.repeat(kind.starts[bags] - (np.cumsum(lengths) - lengths), lengths)
        entries += np.arange(len(entries))
        packed.append(np.repeat(groups, lengths) * width + offset + kind.concepts[entries])
        each = kind.counts[entries].astype(np.int64) if counted == "occurrences" else 1
        weights.append(np.repeat(rows.astype(np.int64), lengths) * each)
        offset += len(kind.names)
    pairs, where = np.unique(np.concatenate(packed), return_inverse=True)
    # float64 sums of integers are exact below 2 ** 53
    counts = np.bincount(where, np.concatenate(weights), len(pairs)).astype(np.int64)
    owners, codes = np.divmod(pairs, width)
    starts = np.append(0, np.cumsum(np.bincount(owners, minlength=len(order)))).astype(np.int64)
    most = int(np.bincount(codes, counts).max(initial=0))
    total = int(counts.sum())
    low, high = powers(most, root)
    return Held(
        starts=starts,
        codes=codes.astype(np.int32),
        counts=counts,
        totals=np.bincount(owners, counts, len(order)).astype(np.int64),
        in_train=np.zeros(width, dtype=np.int64),
        in_test=np.zeros(width, dtype=np.int64),
        low=low,
        high=high,
        sums=np.zeros(3, dtype=np.int64),
        # No sum of terms is larger than the number of occurrences, so that it stays inside 61 bits.
        scale=float(2**60 // max(total, 1)),
        root=root,
    )


def _too_few(
    problem: Problem,
    names: Sequence[str],
    atoms: Held,
    rare: NDArray[np.bool_],
    rows: NDArray[np.int64],
    may_test: NDArray[np.bool_],
    asked: int,
    cover: int,
) -> ImpossibleError:
    unit, n_rows = problem.grouping.unit, int(rows.sum())
    most = int(rows[may_test].sum())
    found = np.flatnonzero(rare & (np.bincount(atoms.codes, minlength=len(rare)) > 0))
    return ImpossibleError(
        f"{problem.targets.parts[1]} is asked to hold {in_words(asked, 'row')}, and at most {most:,} of {n_rows:,} can "
        f"be in it: the others hold one of {in_words(len(found), 'atom')} of at most {in_words(cover, unit)} "
        f"({listed(names[a] for a in found[:5].tolist())}), which {problem.targets.parts[0]} needs, or must stay "
        "there. Ask for less, or a smaller cover. Nothing was written.",
        facts={"asked": asked, "possible": most, "rows": n_rows, "atoms_in_the_way": len(found)},
    )


def _check_reached(
    search: Search, sizes: Mapping[str, int], asked: Mapping[str, int], found: Mapping[str, float], bound: float
) -> None:
    """Raise if a part lacks more than one group, or the atoms are too far apart.

    Raises:
        ImpossibleError: One of these.
    """
    largest = int(search.state.rows.max())
    for part, size in sizes.items():
        if asked[part] - size >= largest:
            raise ImpossibleError(
                f"{part} is asked to hold {in_words(asked[part], 'row')}, and the search placed {size:,}; what "
                "is left would leave an atom of test with too few train groups, or is too large. Ask for less, leave "
                "out less, or a smaller cover. Nothing was written.",
                facts={"part": part, "asked": asked[part], "reached": size},
            )
    if Fraction(str(found["atom"])) > Fraction(str(bound)):
        raise ImpossibleError(
            f"The lowest atom divergence found is {found['atom']:.6g}, and at most {bound:g} is asked. Let more rows "
            "be left out, ask for a larger test, or allow more with "
            f"split.atom_divergence={_rounded_up(found['atom'])}. Nothing was written.",
            facts={"asked": bound, "possible": found["atom"]},
        )


def _rounded_up(value: float) -> float:
    """Return a value that is a little higher, of three decimals."""
    return min(int(value * 1000 + 1) / 1000, 1.0)

"""Compounds kept out of train: pairs, triples, attribute-object pairs, question-answer pairs, pieces, n-grams, columns.

Source: the pair hold-outs and zero-shot settings of many papers: Lu et al. 2016, arXiv 1608.00187 (unseen triples),
Misra et al. 2017 (unseen attribute-object pairs), Hou et al. 2020, arXiv 2007.12407 (verb-object pairs, the rarest or
the commonest first), Atzmon et al. 2020, arXiv 2006.14610. They differ in what is held out, not in how.

Everything starts in train. Compounds are tried in turn: in the seeded order of their names, the rarest or the commonest
first, or those of a list or a pattern. One is held out if all groups that hold it fit in test, and every atom of these
groups stays in at least k groups of train; then they move to test, which never passes its target. One that does not fit
never will, as test only grows: so one pass leaves none that could still be held out.

Guarantee: a held-out compound is in no row of train, each group of test holds one, and each atom of test is in at least
k train groups, so that the compound is novel. With folds, the compounds that can be held out by themselves are dealt in
k lots of about as many rows, one for each fold, so that none is held out twice.

Deviation: rows of test show other compounds besides; a row of one compound (a CZSL sample, two columns) shows none.
Cost: O(sum over groups of compounds x atoms) at most, twice; compounds that do not fit cost less.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import ImpossibleError, OptionValueError, UsageError, counted, listed, nearest, plural
from compsplit.files import text_of
from compsplit.model.column import Codes, Column
from compsplit.model.compounds import Compounds
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.order import name_hashes, seeded_order
from compsplit.registry import UserFile, register
from compsplit.splitters.listing import listed_compounds, named_as, only
from compsplit.splitters.problem import Problem, rows_for_test

_SHOWN = 20
_COMPARED = 10_000
"""Names that one is compared with at most, to say which of them is like it."""

_KEPT = 1000
"""Held-out compounds that are named one by one with their rows."""


def _keeps(options: Mapping[str, Any]) -> Sequence[str]:
    every_row = options["extra"] == "leave-out"
    novel = "rows-with-novel-compounds" if every_row else "groups-with-unseen-compounds"
    return (f"{novel}[{{of}}][{{train}}->{{test}}] == 1", "least-shown[{atoms}][{train}->{test}] >= {k}")


@register(
    "splitter",
    "compound-holdout",
    source="Lu et al. 2016, arXiv 1608.00187; Misra et al. 2017; Hou et al. 2020, arXiv 2007.12407",
    guarantee="Every group of test holds a compound that train lacks, and each of its atoms is in at least k train "
    "groups; no group is torn; test holds at most its target.",
    cost="O(sum over groups of compounds x atoms)",
    shows="k",
    keeps=_keeps,
    folds=True,
)
def assign(
    problem: Problem,
    *,
    of: str = "",
    choose: Literal["random", "rarest", "commonest", "list", "pattern"] = "random",
    held_out: UserFile | None = None,
    pattern: Sequence[str] | str = "",
    k: int = 1,
    blocked: Literal["stop", "train"] = "stop",
    absent: Literal["stop", "pass-over"] = "stop",
    extra: Literal["test", "leave-out"] = "test",
) -> Split:
    """Hold compounds out of train until test has its rows, while train shows all their atoms.

    Args:
        problem: Groups, rows with their compounds, and targets of two parts.
        of: What was extracted, where several things were.
        choose: Which compounds: at random, the rarest or the commonest first, or all of a list or a pattern.
        held_out: The list: a compound a line, as reports name it or as its parts with commas, tabs or spaces between.
        pattern: Names with * for anything, ? for a letter and [ab] for one of some, such as "red | *"; one of several
            must fit. Narrows down the other choices, too.
        k: Train groups that must show each atom of test.
        blocked: What becomes of compounds of a list or a pattern that cannot be held out: "stop", or they stay in
            train and are counted.
        absent: What becomes of entries of a list that no row has: "stop", or they are passed over and counted.
        extra: What becomes of rows without a held-out compound in groups that have one: "test", or they are left out.

    Raises:
        ImpossibleError: No compound can be held out, or not all of a list or a pattern.
        UsageError: Options do not fit together, or entries of a list are no compounds of these rows.
    """
    _check(choose, held_out, pattern, k)
    target = rows_for_test(problem, "compound-holdout")
    compounds = listed_compounds(problem.compounds(of))
    work = _Work.of(problem, compounds, k, target)
    entries = _Entries(np.zeros(0, dtype=np.int64), 0, 0)
    if choose == "list":
        assert held_out is not None
        entries = _entries(Input(Path(held_out), "held_out"), compounds, work.rows_with > 0, absent)
        candidates = entries.compounds
    else:
        candidates = _in_turn(problem, compounds, work.rows_with, choose)
        candidates = _fitting(candidates, compounds, pattern)
    if not len(candidates):
        raise _nothing_there(compounds, pattern)
    alone = work.alone(candidates)
    in_fold = candidates if problem.fold is None else _of_fold(problem, candidates, alone, work.rows_to_move)
    ordered = choose not in ("list", "pattern")
    work.hold(in_fold, every=not ordered)
    missing = in_fold[work.outcome[in_fold] != work.HELD]
    if not ordered and blocked == "stop" and len(missing):
        raise _not_all(compounds, work, in_fold, missing)
    held = work.outcome == work.HELD
    if not work.moved.any():
        raise _none_at_all(compounds, work, in_fold)
    return _made(
        problem,
        compounds,
        work,
        held,
        extra,
        {
            "ceiling": work.rows_of_any(candidates[alone]),
            **work.stuck(compounds),
            **({"listed": len(candidates)} if choose == "list" else {}),
            **({"listed_twice": entries.twice} if entries.twice else {}),
            **({"listed_but_absent": entries.absent} if entries.absent else {}),
            **({} if ordered else {"kept_in_train": len(missing)}),
        },
    )


def _check(choose: str, held_out: str | None, pattern: Sequence[str] | str, k: int) -> None:
    if k < 1:
        raise OptionValueError("split.k", k, "a whole number of at least 1")
    if (choose == "list") != (held_out is not None):
        raise UsageError(
            'choose = "list" takes a file of compounds, split.held_out, and nothing else does: '
            + ("say which file." if held_out is None else f'choose is "{choose}"; say "list", or name no file.'),
            field="split.held_out",
        )
    if choose == "pattern" and not pattern:
        raise UsageError('choose = "pattern" takes names with * in split.pattern.', field="split.pattern")
    if choose == "list" and pattern:
        raise UsageError('choose = "list" holds all of its list out; split.pattern has no use.', field="split.pattern")


# --- which compounds


def _in_turn(problem: Problem, compounds: Compounds, rows_with: NDArray[np.int64], choose: str) -> NDArray[np.int64]:
    """Return the compounds that occur, in the order in which they are tried."""
    names = compounds.rows.names
    order: NDArray[np.int64] = seeded_order(name_hashes(names, len(names)), problem.seed, names)
    if choose == "rarest":
        order = order[np.argsort(rows_with[order], kind="stable")]
    elif choose == "commonest":
        order = order[np.argsort(-rows_with[order], kind="stable")]
    occurring: NDArray[np.int64] = order[rows_with[order] > 0]
    return occurring


def _fitting(candidates: NDArray[np.int64], compounds: Compounds, pattern: Sequence[str] | str) -> NDArray[np.int64]:
    """Return those whose name fits a pattern; all where there is none."""
    if not pattern:
        return candidates
    # Only wildcards, no regular expressions: a recipe from elsewhere could make one that never ends.
    patterns = list(map(named_as(compounds), [pattern] if isinstance(pattern, str) else pattern))
    names = compounds.rows.names
    fits = [any(fnmatchcase(names[c], each) for each in patterns) for c in candidates.tolist()]
    fitting: NDArray[np.int64] = candidates[np.array(fits, dtype=bool)]
    return fitting


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """What a list names.

    Attributes:
        compounds: In the order of the list, each once.
        twice: Entries that stand there already.
        absent: Entries that no row has.
    """

    compounds: NDArray[np.int64]
    twice: int
    absent: int


def _entries(file: Input, compounds: Compounds, there: NDArray[np.bool_], absent: str) -> _Entries:
    """Return the compounds of a list.

    Raises:
        UsageError: No row has some of its entries.
    """
    names = compounds.rows.names
    code_of = {name: c for c, name in enumerate(names) if there[c]}
    columns, named = compounds.of.split("+"), named_as(compounds)
    found: dict[int, None] = {}
    unknown: list[tuple[int, str]] = []
    n = 0
    for number, line in enumerate(text_of(file).split("\n"), 1):
        written = line.strip()
        if not written or (number == 1 and len(columns) > 1 and _fields(written, ",") == columns):
            continue
        n += 1
        code = next((code_of[name] for name in _readings(named(written)) if name in code_of), None)
        if code is None:
            unknown.append((number, written))
        else:
            found.setdefault(code)
    if unknown and absent == "stop":
        first, written = unknown[0]
        told = listed(f"line {number}: {name}" for number, name in unknown)
        raise UsageError(
            f"{file.name}: {len(unknown):,} of {counted(n, 'entry', 'entries')} "
            f"{'is' if len(unknown) == 1 else 'are'} no {compounds.noun} of these rows ({told}). "
            f"{_like(written, code_of)} Mend the list, or pass over such entries with "
            "--set split.absent=pass-over, which counts them.",
            file=file.name,
            record=first,
            field="split.held_out",
            facts={"absent": [name for _, name in unknown[:_KEPT]], "count": len(unknown), "entries": n},
        )
    if not found:
        raise UsageError(f"{file.name}: no {compounds.noun} of these rows is in it.", file=file.name)
    codes = np.array(list(found), dtype=np.int64)
    return _Entries(codes, n - len(unknown) - len(codes), len(unknown))


def _readings(written: str) -> list[str]:
    """Return the names that a line may stand for: as it is, its parts, and two parts in the other order.

    Example:
        >>> _readings("red,cube")
        ['red,cube', 'red | cube', 'cube | red']
    """
    names = [written]
    for parts in (_fields(written, "\t"), _fields(written, ","), written.split()):
        if len(parts) > 1:
            names += [_named(order) for order in ((parts, parts[::-1]) if len(parts) == 2 else (parts,))]
    return names


def _fields(written: str, separator: str) -> list[str]:
    try:
        return [part.strip() for part in next(csv.reader([written], delimiter=separator))]
    except csv.Error:
        # No list of fields: a name that is longer than a field may be, or holds a line end.
        return [written]


def _named(parts: Sequence[str]) -> str:
    """Return the name of a compound with these parts: a bar inside any but the last is marked."""
    *others, last = parts
    return " | ".join([*(part.replace("|", "\\|") for part in others), last])


def _like(written: str, known: Mapping[str, int]) -> str:
    """Return a sentence with a name like the one written, or the first ones; all are too many to say."""
    names = _readings(written)[1:] if len(known) <= _COMPARED else []
    like = (told for told in (nearest(name, known) for name in names) if told.startswith("Did"))
    return next(like, "") or f"They have {counted(len(known), 'name')}: {listed(sorted(known))}."


def _of_fold(
    problem: Problem, candidates: NDArray[np.int64], alone: NDArray[np.bool_], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the compounds of the fold: each in turn goes to the fold with the fewest rows, ties to the first."""
    assert problem.fold is not None
    if problem.fold.k > int(alone.sum()):
        raise ImpossibleError(
            f"{problem.fold.k} folds need as many compounds that can be held out, there are {int(alone.sum()):,}. "
            "Nothing was written.",
            facts={"folds": problem.fold.k, "compounds": int(alone.sum())},
        )
    taken = [0] * problem.fold.k
    mine = []
    # Those that cannot be held out by themselves take no place in a fold, but are tried (and named) in the first.
    for c, fits in zip(candidates.tolist(), alone.tolist(), strict=True):
        fold = taken.index(min(taken)) if fits else 0
        taken[fold] += int(rows[c]) if fits else 0
        if fold == problem.fold.number - 1:
            mine.append(c)
    return np.array(mine, dtype=np.int64)


# --- the work


class _Work:
    """Groups, their compounds and atoms, and what has moved; groups are numbered by their place in the order."""

    def __init__(
        self,
        order: NDArray[np.int64],
        sizes: NDArray[np.int64],
        stays: NDArray[np.bool_],
        index: tuple[NDArray[np.int64], Codes],
        atoms: tuple[NDArray[np.int64], Codes, int],
        rows_with: NDArray[np.int64],
        k: int,
        target: int,
    ) -> None:
        from compsplit.kernels import holdout

        self.HELD, self.TOO_LARGE, self.BLOCKED, self.STAYS = (
            holdout.HELD, holdout.TOO_LARGE, holdout.BLOCKED, holdout.STAYS,
        )  # fmt: skip
        self.order, self.sizes, self.stays = order, sizes, stays
        self.holder_starts, self.holder = index
        self.starts, self.atoms, n_atoms = atoms
        self.shown = np.bincount(self.atoms, minlength=n_atoms).astype(np.int64)
        self.all_shown = self.shown.copy()
        self.rows_with = rows_with
        self.rows_to_move = np.bincount(
            np.repeat(np.arange(len(rows_with)), np.diff(self.holder_starts)),
            weights=sizes[self.holder],
            minlength=len(rows_with),
        ).astype(np.int64)
        self.k, self.target = k, target
        self.moved = np.zeros(len(order), dtype=bool)
        self.outcome = np.zeros(len(rows_with), dtype=np.int8)
        self.way = np.zeros(len(rows_with), dtype=np.int32)

    @classmethod
    def of(cls, problem: Problem, compounds: Compounds, k: int, target: int) -> _Work:
        """Return the work on a problem, with nothing moved."""
        order = problem.order()
        starts, codes, n_compounds = problem.members(compounds.rows, order)
        by_compound = np.argsort(codes, kind="stable")
        holder = np.repeat(np.arange(len(order), dtype=np.int32), np.diff(starts))[by_compound]
        holder_starts = np.zeros(n_compounds + 1, dtype=np.int64)
        np.cumsum(np.bincount(codes, minlength=n_compounds), out=holder_starts[1:])
        everyone = np.ones(compounds.n_rows, dtype=bool)
        return cls(
            order,
            problem.grouping.sizes[order],
            problem.grouping.stays[order],
            (holder_starts, holder),
            problem.members(compounds.atoms, order),
            compounds.rows.rows_with(everyone),
            k,
            target,
        )

    def alone(self, candidates: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which compounds could be held out if each were the only one and test had room for any."""
        outcome = np.zeros_like(self.outcome)
        self._run(candidates, int(self.sizes.sum()), True, True, outcome)
        found: NDArray[np.bool_] = outcome[candidates] == self.HELD
        return found

    def hold(self, candidates: NDArray[np.int64], *, every: bool) -> None:
        """Hold compounds out in turn; once is enough, as one that did not fit never fits with more in test.

        Args:
            candidates: In their order.
            every: Whether one that left train with others is held out, too.
        """
        self._run(candidates, self.target, every, False, self.outcome)

    def possible(self, candidates: NDArray[np.int64]) -> int:
        """Return the rows of test if it had room for all compounds that can be held out in turn."""
        free = _Work(
            self.order, self.sizes, self.stays, (self.holder_starts, self.holder),
            (self.starts, self.atoms, len(self.shown)), self.rows_with, self.k, int(self.sizes.sum()),
        )  # fmt: skip
        free.hold(candidates, every=True)
        return int(free.sizes[free.moved].sum())

    def rows_of_any(self, compounds: NDArray[np.int64]) -> int:
        """Return how many rows are in a group that holds one of the compounds."""
        wanted = np.zeros(len(self.rows_with), dtype=bool)
        wanted[compounds] = True
        groups = np.zeros(len(self.order), dtype=bool)
        groups[self.holder[np.repeat(wanted, np.diff(self.holder_starts))]] = True
        return int(self.sizes[groups].sum())

    def stuck(self, compounds: Compounds) -> dict[str, Any]:
        """Return how many rows can never move because of an atom of theirs, and which atoms those are."""
        rare = self.all_shown <= self.k
        owners = np.repeat(np.arange(len(self.order)), np.diff(self.starts))
        held_back = np.zeros(len(self.order), dtype=bool)
        held_back[owners[rare[self.atoms]]] = True
        rows = np.bincount(self.atoms, self.sizes[owners], len(rare)).astype(np.int64)
        found = np.flatnonzero(rare & (rows > 0)).tolist()
        names = compounds.atoms.names
        worst = sorted(found, key=lambda a: (-rows[a], names[a]))[:_SHOWN]
        return {
            "rows_that_cannot_move": int(self.sizes[held_back].sum()),
            "in_the_way": [[names[a], int(rows[a])] for a in worst],
            "concepts_in_the_way": len(found),
        }

    def _run(
        self, candidates: NDArray[np.int64], gap: int, every: bool, trial: bool, outcome: NDArray[np.int8]
    ) -> None:
        from compsplit.kernels.holdout import hold_out

        hold_out(
            candidates, self.holder_starts, self.holder, self.sizes, self.stays, self.starts, self.atoms, self.shown,
            self.k, gap, every, trial, self.moved, outcome, self.way,
        )  # fmt: skip


# --- what is made of it


def _made(
    problem: Problem,
    compounds: Compounds,
    work: _Work,
    held: NDArray[np.bool_],
    extra: str,
    facts: Mapping[str, Any],
) -> Split:
    names = compounds.rows.names
    codes = np.flatnonzero(held).tolist()
    most = sorted(codes, key=lambda c: (-int(work.rows_with[c]), names[c]))
    kind = plural(compounds.noun)
    told: dict[str, Any] = {
        f"{kind} held out": len(codes),
        f"{kind} in all": int((work.rows_with > 0).sum()),
        "first held out": listed((names[c] for c in most), shown=3),
        "held_out": [[names[c], int(work.rows_with[c])] for c in most[:_KEPT]],
        **facts,
    }
    split = problem.split(work.moved, work.order, held=only(compounds.rows, held), **told)
    if problem.fold is not None:
        # What is asked for is a fold, and no size.
        split = dataclasses.replace(split, asked={})
    if extra == "test":
        return split
    other = split.rows_in(problem.targets.parts[1]) & ~compounds.rows.rows_with_any(held)
    if not other.any():
        return split
    reason = f"in a group of test without a held-out {compounds.noun}"
    return dataclasses.replace(
        split,
        part_of_row=np.where(other, -1, split.part_of_row).astype(np.int16),
        left_out=Column(np.where(other, 0, -1).astype(np.int32), (reason,)),
    )


# --- what cannot be


def _nothing_there(compounds: Compounds, pattern: Sequence[str] | str) -> UsageError | ImpossibleError:
    names = compounds.rows.names
    if pattern and len(names):
        told = pattern if isinstance(pattern, str) else ", ".join(pattern)
        return UsageError(
            f"No {compounds.noun} of these rows ({compounds.of}) has a name like {told}; they are called "
            f"{listed(names, shown=3)}. * stands for anything.",
            field="split.pattern",
        )
    return ImpossibleError(
        f"The rows have no {compounds.noun} ({compounds.of}) to hold out. Nothing was written.", field="extract.of"
    )


def _none_at_all(compounds: Compounds, work: _Work, candidates: NDArray[np.int64]) -> ImpossibleError:
    n_rows = int(work.sizes.sum())
    noun = compounds.noun
    outcome = work.outcome[candidates]
    large = candidates[outcome == work.TOO_LARGE]
    fitting = large[work.alone(large)]
    said = f"No {noun} of {len(candidates):,} can be held out: {_why(compounds, work, candidates)}."
    facts: dict[str, Any] = {"candidates": len(candidates), "target": work.target, "rows": n_rows}
    if len(fitting):
        least = int(fitting[np.argmin(work.rows_to_move[fitting])])
        rows = int(work.rows_to_move[least])
        said += (
            f" The smallest that could is {compounds.rows.names[least]}, in {counted(rows, 'row')}: ask for a share of "
            f"at least {rows}/{n_rows}."
        )
        facts |= {"smallest": compounds.rows.names[least], "smallest rows": rows}
    return ImpossibleError(f"{said} Nothing was written.", facts=facts)


def _not_all(
    compounds: Compounds, work: _Work, candidates: NDArray[np.int64], missing: NDArray[np.int64]
) -> ImpossibleError:
    n_rows, names = int(work.sizes.sum()), compounds.rows.names
    kind = plural(compounds.noun)
    got = int(work.sizes[work.moved].sum())
    possible = work.possible(candidates)
    atoms = compounds.atoms.names
    barred = missing[work.outcome[missing] == work.BLOCKED]
    ask = f", or ask for a share of {possible}/{n_rows}" if possible > work.target else ""
    return ImpossibleError(
        f"{len(missing):,} of {len(candidates):,} {kind} cannot be held out ("
        f"{listed(names[c] for c in missing.tolist())}): {_why(compounds, work, missing)}. The others, "
        f"{len(candidates) - len(missing):,}, take {counted(got, 'row')}; with room for all, those that can be held "
        f"out in turn take {possible:,} of {n_rows:,}. Take the named {kind} out{ask}, or keep them in train "
        "with --set split.blocked=train. Nothing was written.",
        facts={
            "not held out": [names[c] for c in missing[:_KEPT].tolist()],
            "atoms in the way": sorted({atoms[a] for a in work.way[barred].tolist()}),
            "held out rows": got,
            "largest": possible,
            "target": work.target,
            "rows": n_rows,
        },
    )


def _why(compounds: Compounds, work: _Work, missing: NDArray[np.int64]) -> str:
    """Return why compounds are not held out, with counts, and the atoms in the way."""
    outcome = work.outcome[missing]
    barred = missing[outcome == work.BLOCKED]
    said = []
    if len(barred):
        names = compounds.atoms.names
        ways = dict.fromkeys(names[a] for a in work.way[barred].tolist())
        groups = counted(work.k, "train group")
        said.append(f"{len(barred):,} would leave an atom of test in fewer than {groups} ({listed(ways)})")
    large = int((outcome == work.TOO_LARGE).sum())
    if large:
        said.append(f"{large:,} would take test past its target of {counted(work.target, 'row')}")
    staying = int((outcome == work.STAYS).sum())
    if staying:
        said.append(f"{staying:,} are in a group that stays in train")
    return "; ".join(said)

"""The report of a balance: entropies before and after by all three means, heads and tails, what each stage dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.balancing import NEAR_REPEAT, Balance
from compsplit.balancing.bounds import shown
from compsplit.balancing.entropy import Spread, spread
from compsplit.balancing.levels import Level, reversed_groups
from compsplit.errors import counted
from compsplit.extractors.text_forms import normalised
from compsplit.model.report import Finding, Measure, Report, Table, Undefined, failures_first
from compsplit.recipe.reporting import decided, left_out_told, without_tables

MEANS = ("row-weighted-entropy", "entropy-by-rows-before", "plain-entropy")
"""The three means, by their measures' names."""
_TOLD = {
    "row-weighted-entropy": "weighted by rows",
    "entropy-by-rows-before": "weighted by rows before",
    "plain-entropy": "plain, over groups",
}
_SHOWN, _SHOWN_ANSWERS = 20, 100
"""Groups, and answers of groups, that the report shows; the folder's tables have all."""
_LARGEST, _TOLD_APART = 8, 10
"""Groups whose answers are shown before and after, and answers of each; the others are one line."""


def reported(balance: Balance) -> Report:
    """Return what was measured."""
    measures: list[Measure] = [*_counts(balance)]
    entropies: list[tuple[Any, ...]] = []
    for level, (before, after) in zip(balance.levels, balance.spreads, strict=True):
        made = _level_measures(level, before, after)
        measures += made
        entropies += _entropy_lines(level.name, made)
    tables = {
        "entropy in bits": Table(("level", "mean", "before", "after", "rise %"), tuple(entropies)),
        "levels": _levels_table(balance),
        "rounds": _rounds_table(balance),
        **{f"types: {each.name}": _types_table(balance, place) for place, each in enumerate(balance.types)},
        **{f"answers of {level.name} groups": _answers(balance, place) for place, level in enumerate(balance.levels)},
        **{
            f"{level.name} groups that lost most rows": _losers(level, before, after)
            for level, (before, after) in zip(balance.levels, balance.spreads, strict=True)
        },
        **{
            f"largest {level.name} groups before and after": _before_and_after(balance, place)
            for place, level in enumerate(balance.levels)
        },
    }
    table = balance.table
    findings = failures_first((*_findings(balance), *table.findings, *decided(table)))
    subject = {
        "kind": "balance",
        "title": "Balance",
        "source": "Hudson and Manning 2019, arXiv 1902.09506, section 3.4; bounds and rounds are compsplit's own",
        "format": table.format,
        "rows": len(table),
        "kept": int(balance.kept.sum()),
        "settings": settings(balance),
        "rounds": len(balance.rounds.dropped),
        "reducer": without_tables(balance.reducer),
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "shown tables": [name for name in tables if "groups" not in name],
    }
    subject["verdict"] = _verdict(balance, measures)
    return Report(subject, tuple(measures), tables, findings)


def settings(balance: Balance) -> dict[str, Any]:
    """Return what was asked, as JSON values."""
    plan = balance.plan
    return {
        **plan.bounds.to_json(),
        "seed": plan.recipe.seed,
        "levels": {each.level: each.of for each in balance.labels},
        "answers": plan.answers,
        "near_repeats": balance.repeats_by if plan.near_repeats else "kept",
        "types": {name: {of: shown(share) for of, share in shares.items()} for name, shares in plan.types.items()},
        "tolerance": shown(plan.tolerance),
        "rounds": "until one changes nothing" if plan.rounds is None else plan.rounds,
    }


def _counts(balance: Balance) -> Iterable[Measure]:
    n = len(balance.table)
    for name, value, unit in (
        ("rows-before", n, "rows"),
        ("rows-after", int(balance.kept.sum()), "rows"),
        ("near-repeats", int(balance.repeats.sum()), "rows dropped"),
        ("rounds", len(balance.rounds.dropped), "rounds, the last one included"),
    ):
        yield Measure(name=name, of=unit, value=value, n=n, n_unit=unit, unit="count")


def _level_measures(level: Level, before: Spread, after: Spread) -> list[Measure]:
    made = []

    def add(name: str, part: str | None, value: Any, n: int, n_unit: str, unit: str, **more: Any) -> None:
        made.append(
            Measure(
                name=name,
                of=f"answers ({level.name})",
                value=value,
                n=n,
                n_unit=n_unit,
                unit=unit,
                part=part,
                options={"unit": "groups"},
                **more,
            )
        )

    for part, each in (("before", before), ("after", after)):
        n_groups, n_rows = int(each.there.sum()), int(each.rows.sum())
        values = each.row_weighted(), each.weighted(before.rows), each.plain()
        for name, value in zip(MEANS, values, strict=True):
            add(name, part, value, n_groups, "groups with rows", "bits")
        add("commonest-answer-share", part, each.commonest_share(), n_rows, "rows with a group", "fraction")
        n_divided = int((each.head > 0).sum())
        add("head-to-tail", part, each.head_to_tail(), n_divided, "groups of two answers or more", "ratio")
        add("answers-of-groups", part, int(each.answers.sum()), n_groups, "groups with rows", "answers of groups")
    for name in MEANS:
        one, two = (next(m for m in made if m.name == name and m.part == part) for part in ("before", "after"))
        add(f"{name}-rise", "after", _rise(one.value, two.value), two.n, two.n_unit, "fraction", reference="before")
    return made


def _rise(before: Any, after: Any) -> float | Undefined:
    for value in (before, after):
        if isinstance(value, Undefined):
            return value
    if not before:
        return Undefined("the entropy before is 0")
    return float(after / before - 1)


def _entropy_lines(level: str, measures: Sequence[Measure]) -> Iterable[tuple[Any, ...]]:
    for name in MEANS:
        before, after = (next(m.number for m in measures if (m.name, m.part) == (name, p)) for p in ("before", "after"))
        rise = next(m.number for m in measures if m.name == f"{name}-rise")
        yield (level, _TOLD[name], before, after, None if rise is None else 100 * rise)


def _levels_table(balance: Balance) -> Table:
    """Return groups, answers and rows of each level, one column a level."""
    columns = [_level_column(balance, place) for place in range(len(balance.levels))]
    lines = [(what, *(column[what] for column in columns)) for what in columns[0]]
    return Table(("what", *(level.name for level in balance.levels)), tuple(lines))


def _level_column(balance: Balance, place: int) -> dict[str, int | float | None]:
    level, (before, after) = balance.levels[place], balance.spreads[place]
    cells_before, cells_after = balance.counts[place]
    touched = balance.rounds.touched[place]
    one = before.there & (before.answers < 2)
    shares = before.commonest_share(), after.commonest_share()
    ratios = before.head_to_tail(), after.head_to_tail()
    return {
        "groups": int(before.there.sum()),
        "groups smoothed": int(touched.sum()),
        "groups of one answer": int(one.sum()),
        "groups left alone": int((before.there & ~one & ~touched).sum()),
        "groups that lost all rows": int((before.there & ~after.there).sum()),
        "groups whose order changed against the original": len(reversed_groups(level, cells_before, cells_after)),
        "groups whose order this level changed": balance.rounds.reversed[place],
        "rows before": int(before.rows.sum()),
        "rows after": int(after.rows.sum()),
        "rows without a group": int((level.cell_of_row < 0).sum()),
        "answers of groups before": int(before.answers.sum()),
        "answers of groups after": int(after.answers.sum()),
        "answers of groups that lost all rows": int(((cells_before > 0) & (cells_after == 0)).sum()),
        "share of the commonest answer before": _number(shares[0]),
        "share of the commonest answer after": _number(shares[1]),
        "mean head / tail before": _number(ratios[0]),
        "mean head / tail after": _number(ratios[1]),
    }


def _number(value: Fraction | float | Undefined) -> float | None:
    return None if isinstance(value, Undefined) else float(value)


def _rounds_table(balance: Balance) -> Table:
    """Return the rows that each stage dropped, round by round, and how many were left."""
    left = len(balance.table) - int(balance.repeats.sum())
    lines: list[tuple[Any, ...]] = []
    for number, dropped in enumerate(balance.rounds.dropped, 1):
        left -= sum(dropped)
        lines.append((number, *dropped, left))
    return Table(("round", *balance.rounds.stages, "rows left"), tuple(lines))


def _types_table(balance: Balance, place: int) -> Table:
    types = balance.types[place]
    before, after = types.counts(np.ones(len(balance.table), dtype=bool)), types.counts(balance.kept)
    n_before, n_after = sum(before.values()), sum(after.values())
    lines = [
        (
            name, float(share), before[name] / n_before if n_before else None,
            after[name] / n_after if n_after else None, before[name], after[name],
        )
        for name, share in types.shares.items()
    ]  # fmt: skip
    return Table((types.name, "asked share", "share before", "share after", "rows before", "rows after"), tuple(lines))


GROUP_COLUMNS = (
    "group", "rows before", "rows after", "answers before", "answers after", "entropy before", "entropy after",
    "commonest before", "commonest after", "head / tail before", "head / tail after",
)  # fmt: skip


def group_lines(groups: NDArray[np.int64], level: Level, before: Spread, after: Spread) -> list[tuple[Any, ...]]:
    """Return what is known of each of some groups, one line a group in their order."""
    names = level.groups.names
    pairs = [(e.rows, e.answers, e.entropy, e.commonest, e.head, e.in_head) for e in (before, after)]
    lines = []
    for g in groups.tolist():
        told: list[list[Any]] = []
        for rows, answers, entropy, commonest, head, in_head in pairs:
            n, first = int(rows[g]), int(in_head[g])
            told.append(
                [
                    n, int(answers[g]), float(entropy[g]) if n else None, int(commonest[g]) / n if n else None,
                    first / (n - first) if head[g] else None,
                ]
            )  # fmt: skip
        lines.append((names[g], *(value for pair in zip(*told, strict=True) for value in pair)))
    return lines


def _first_groups(level: Level, values: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], int]:
    """Return the groups of the highest values, equal ones by name, and how many have a value above 0."""
    places = [g for g in np.argsort(-values, kind="stable").tolist() if values[g]]
    total = len(places)
    if total > most:
        places = [g for g in places if values[g] >= values[places[most - 1]]]
    chosen = sorted(places, key=lambda g: (-int(values[g]), level.groups.names[g]))[:most]
    return np.array(chosen, dtype=np.int64), total


def _losers(level: Level, before: Spread, after: Spread) -> Table:
    """Return the groups that lost most rows; equal losses by name."""
    chosen, total = _first_groups(level, before.rows - after.rows, _SHOWN)
    return Table.first_of(GROUP_COLUMNS, group_lines(chosen, level, before, after), _SHOWN, total=total)


def _before_and_after(balance: Balance, place: int) -> Table:
    """Return the commonest answers of the largest groups that lost rows; the others of a group are one line.

    Groups and answers are by rows before. The line of the others has no place.
    """
    level, (spread_before, spread_after) = balance.levels[place], balance.spreads[place]
    before, after = balance.counts[place]
    lost = spread_before.rows > spread_after.rows
    lines: list[tuple[Any, ...]] = []
    for g in _first_groups(level, np.where(lost, spread_before.rows, 0), _LARGEST)[0].tolist():
        first, last = np.searchsorted(level.group_of_cell, [g, g + 1]).tolist()
        cells = first + np.lexsort((level.places[first:last], -before[first:last]))
        name, told, others = level.groups.names[g], cells[:_TOLD_APART], cells[_TOLD_APART:]
        answers = [balance.answers.names[a] for a in level.answer_of_cell[told].tolist()]
        counts = zip(answers, before[told].tolist(), after[told].tolist(), strict=True)
        lines += [(name, at, *line) for at, line in enumerate(counts, 1)]
        if len(others):
            rest = counted(len(others), "other")
            lines.append((name, None, rest, int(before[others].sum()), int(after[others].sum())))
    return Table(("group", "place", "answer", "rows before", "rows after"), tuple(lines))


def _answers(balance: Balance, place: int) -> Table:
    """Return the commonest answers of groups, with their rows before and after; counts.csv has all."""
    level, (before, after) = balance.levels[place], balance.counts[place]
    cells = np.argsort(-before, kind="stable")
    if len(cells) > _SHOWN_ANSWERS:
        cells = np.flatnonzero(before >= before[cells[_SHOWN_ANSWERS - 1]])
    groups, answers = level.groups.names, balance.answers.names
    lines = [
        (groups[level.group_of_cell[cell]], answers[level.answer_of_cell[cell]], int(before[cell]), int(after[cell]))
        for cell in cells.tolist()
    ]
    chosen = sorted(lines, key=lambda line: (-line[2], line[0], line[1]))
    return Table.first_of(("group", "answer", "rows before", "rows after"), chosen, _SHOWN_ANSWERS, total=len(before))


def _findings(balance: Balance) -> list[Finding]:
    findings: list[Finding] = []
    for place, level in enumerate(balance.levels):
        findings += _level_findings(balance, place, level)
    if balance.rounds.further:
        n = balance.rounds.further
        findings.append(
            Finding(
                kind="not-stable",
                count=n,
                message=f"Rounds were stopped after {counted(len(balance.rounds.dropped), 'round')}: another run on "
                f"what is kept would drop {counted(n, 'more row')}.",
            )
        )
    return [
        *findings,
        *_program_findings(balance),
        *_repeat_findings(balance),
        *_answer_findings(balance),
        *_type_findings(balance),
    ]


def _level_findings(balance: Balance, place: int, level: Level) -> list[Finding]:
    findings: list[Finding] = []
    names = level.groups.names

    def note(kind: str, groups: NDArray[np.int64], message: str, *, fail: bool = False) -> None:
        if len(groups):
            first = tuple(sorted(names[g] for g in groups.tolist())[:5])
            findings.append(
                Finding(kind=kind, level="fail" if fail else "report", count=len(groups), first=first, message=message)
            )

    before, after = balance.spreads[place]
    cells_before, cells_after = balance.counts[place]
    if balance.rounds.reversed[place]:
        n = balance.rounds.reversed[place]
        message = f"{counted(n, 'group')} of the {level.name} level changed the order of its answers in one step."
        findings.append(Finding(kind="order-broken", level="fail", count=n, message=message))
    bounds = balance.plan.bounds
    entering = spread(level, level.counts(~balance.repeats), bounds)
    equal = np.array([bounds.only_equal(k) for k in range(int(entering.answers.max(initial=0)) + 1)])[entering.answers]
    # A group that meets the bound is not touched, and nothing falls there.
    equal &= balance.rounds.touched[place]
    at_floor = "one row" if bounds.floor == 1 else f"{bounds.floor:,} rows"
    fall = (
        "."
        if bounds.r_max == 1
        else f", and r_max = {shown(bounds.r_max)} keeps counts apart that were unequal, so that their answers can "
        f"fall to {at_floor} each. A bound above 1, or r_max = 1, avoids it in groups of two answers."
    )
    note(
        "only-equal-counts",
        np.flatnonzero(equal),
        f"b = {shown(bounds.bound)} is not above m / (k - m) for {counted(int(equal.sum()), f'{level.name} group')} "
        "that lost rows: only equal counts satisfy the bound there" + fall,
    )
    changed = reversed_groups(level, cells_before, cells_after)
    note(
        "order-changed",
        changed,
        f"{counted(len(changed), f'{level.name} group has', f'{level.name} groups have')} another order of answers "
        "than before all stages; within one step of one level none changes.",
    )
    gone = np.flatnonzero((cells_before > 0) & (cells_after == 0))
    if len(gone):
        lost = sorted(
            (names[g], balance.answers.names[a])
            for g, a in zip(level.group_of_cell[gone].tolist(), level.answer_of_cell[gone].tolist(), strict=True)
        )
        findings.append(
            Finding(
                kind="answers-gone",
                count=len(gone),
                first=tuple(lost[:5]),
                message=f"{counted(len(gone), f'answer of a {level.name} group', f'answers of {level.name} groups')} "
                f"lost all rows: {_taken(balance, place, gone)}. A level keeps some of each answer of its own groups, "
                "and does not look at others.",
            )
        )
    emptied = np.flatnonzero(before.there & ~after.there)
    n_emptied = counted(len(emptied), f"{level.name} group", f"{level.name} groups")
    note("groups-gone", emptied, f"{n_emptied} lost all rows; the means after are over those that have some.")
    without = level.cell_of_row < 0
    if without.any():
        ids = sorted(balance.table.ids[without].tolist())
        message = f"{counted(len(ids), 'row has', 'rows have')} no {level.name} group, and pass that level untouched."
        findings.append(Finding(kind="no-group", count=len(ids), first=tuple(ids[:5]), message=message))
    return findings


def _taken(balance: Balance, place: int, gone: NDArray[np.int64]) -> str:
    """Return in words which stages took the last row of answers that are gone, and how many each."""
    level, rounds = balance.levels[place], balance.rounds
    cells = level.cell_of_row
    rows = np.flatnonzero(np.isin(cells, gone))
    n_stages = len(rounds.stages) + 1
    # Near-repeats go before the first round, and stages take their turns in each.
    turn = rounds.round_of_row[rows].astype(np.int64) * n_stages + rounds.stage_of_row[rows] + 1
    last = np.full(len(level.group_of_cell), -1, dtype=np.int64)
    np.maximum.at(last, cells[rows], turn)
    counts = np.bincount(last[gone] % n_stages, minlength=n_stages).tolist()
    said = [f"the last row of {counts[0]:,} of them is a near-repeat of a row that stays"] if counts[0] else []
    for stage, (name, n) in enumerate(zip(rounds.stages, counts[1:], strict=True)):
        what = f"the {name} level" if stage < len(balance.levels) else f"the shares of {name}"
        said += [f"{what} took the last row of {n:,} of them"] if n else []
    return "; ".join(said)


def _program_findings(balance: Balance) -> list[Finding]:
    table = balance.table
    gone = np.flatnonzero(balance.no_programs)
    if not len(gone):
        return []
    first = sorted((str(table.ids[row]), str(table.columns["program"][row])) for row in gone.tolist())[:5]
    message = (
        f'{counted(len(gone), "row has", "rows have")} no program in the column "program"; what stands there is passed '
        "over (id, value)."
    )
    return [Finding(kind="no-program", count=len(gone), first=tuple(first), message=message)]


def _repeat_findings(balance: Balance) -> list[Finding]:
    plan, table = balance.plan, balance.table
    if not plan.near_repeats:
        return []
    images = int((table.images.codes < 0).sum())
    if not balance.repeats_by or images == len(table):
        reason = "no row has an image" if images == len(table) else "rows have neither questions nor programs"
        message = f"Near-repeats were not looked for: {reason}."
        return [Finding(kind="near-repeats-unknown", count=len(table), message=message)]
    findings = []
    n = int(balance.repeats.sum())
    if n:
        gone = np.flatnonzero(balance.repeats)
        ids = sorted(table.ids[gone].tolist())
        findings.append(
            Finding(
                kind=NEAR_REPEAT,
                count=n,
                first=tuple(ids[:5]),
                message=f"{counted(n, 'near-repeat is', 'near-repeats are')} dropped: rows with image and "
                f"{balance.repeats_by} of another one that is kept.",
            )
        )
        other = balance.answers.codes[gone] != balance.answers.codes[balance.stays[gone]]
        if other.any():
            ids = sorted(table.ids[gone[other]].tolist())
            message = (
                f"{counted(len(ids), 'near-repeat has', 'near-repeats have')} another answer than the row that stays "
                "for it: a conflict of the data."
            )
            findings.append(Finding(kind="near-repeats-in-conflict", count=len(ids), first=tuple(ids[:5]),
                                    message=message))  # fmt: skip
    if images:
        message = f"{counted(images, 'row has', 'rows have')} no image, and cannot be near-repeats."
        findings.append(Finding(kind="no-image", count=images, message=message))
    return findings


def _answer_findings(balance: Balance) -> list[Finding]:
    written = balance.table.answers
    if balance.plan.answers == "exact":
        return []
    otherwise = np.array([normalised(name) != name for name in written.names])
    n = int(otherwise[written.codes].sum())
    merged = written.n_used - balance.answers.n_used
    message = (
        f"Answers are compared normalised: {counted(n, 'row has', 'rows have')} an answer that is written otherwise, "
        f"and {counted(merged, 'different answer falls', 'different answers fall')} together with another."
    )
    return [Finding(kind="answers-normalised", count=n, message=message)]


def _type_findings(balance: Balance) -> list[Finding]:
    findings = []
    for each in balance.types:
        without = int((each.types.codes < 0).sum())
        if without:
            message = f"{counted(without, 'row has', 'rows have')} no {each.name} type, and stay whatever is asked."
            findings.append(Finding(kind="no-type", count=without, message=message))
    return findings


def _verdict(balance: Balance, measures: Sequence[Measure]) -> str:
    n, kept = len(balance.table), int(balance.kept.sum())
    levels = " and ".join(
        counted(int(before.there.sum()), f"{level.name} group")
        for level, (before, _) in zip(balance.levels, balance.spreads, strict=True)
    )
    said = f"{kept:,} of {counted(n, 'row')} kept ({kept / n:.1%}) in {levels}"
    for level in balance.levels:
        of = f"answers ({level.name})"
        before, after, rise = (
            next(m for m in measures if m.name == name and m.of == of and m.part == part)
            for name, part in (
                ("row-weighted-entropy", "before"), ("row-weighted-entropy", "after"),
                ("row-weighted-entropy-rise", "after"),
            )
        )  # fmt: skip
        if before.number is not None and after.number is not None:
            by = "" if rise.number is None else f" ({rise.number:+.1%})"
            said += f"; {level.name} entropy {before.number:.3f} to {after.number:.3f} bits{by}"
    done = len(balance.rounds.dropped)
    ended = "stopped before the end" if balance.rounds.further else "another run changes nothing"
    return f"{said}, row-weighted; {counted(done, 'round')}, {ended}{left_out_told(balance.table)}."

"""Balancing: the worked examples of its specification, its promises on random groups, levels, rounds, types, means."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from compsplit.balancing import smoothing
from compsplit.balancing.bounds import Bounds
from compsplit.balancing.entropy import spread
from compsplit.balancing.levels import Level, reversed_groups, smoothing_step
from compsplit.balancing.near_repeats import first_of_each
from compsplit.balancing.rounds import balanced
from compsplit.balancing.smoothing import fits, smoothed, smoothed_groups
from compsplit.balancing.type_shares import TypeShares
from compsplit.errors import ImpossibleError, OptionValueError, TypeSharesError, UsageError
from compsplit.model import Column, Undefined
from compsplit.order import uniforms

USUAL = Bounds()
OTHER = Bounds(bound=3, r_min="0.3", r_max="0.9", head="0.4")

EXAMPLES = [
    ([40, 30, 4, 1], USUAL, [35, 30, 4, 1], 1.321, 1.347),
    ([100, 40, 10, 5, 1], USUAL, [56, 40, 10, 5, 1], 1.375, 1.603),
    ([100, 40, 10, 5, 1], OTHER, [34, 13, 10, 5, 1], 1.375, 1.757),
    ([100, 40, 10, 5, 1], Bounds(bound=10, head="0.4"), [40, 20, 10, 5, 1], 1.375, 1.720),
    ([90, 6, 3, 1], Bounds(head="0.25"), [10, 6, 3, 1], 0.599, 1.648),
    ([60, 58, 30, 20, 10, 5, 4, 3, 2, 1], USUAL, [38, 36, 30, 20, 10, 5, 4, 3, 2, 1], 2.476, 2.664),
    ([1000, 300, 200, 100, 80, 60, 50, 40, 30, 20], USUAL, [360, 180, 162, 100, 80, 60, 50, 40, 30, 20], 2.251, 2.826),
    ([100, 40, 10], Bounds(bound=100, head=1), [40, 20, 10], 1.159, 1.379),
    ([12, 12, 12], USUAL, [12, 12, 12], 1.585, 1.585),
    ([100, 1], USUAL, [1, 1], 0.080, 1),
    ([100, 1], Bounds(bound=3, r_min="0.3"), [3, 1], 0.080, 0.811),
    ([50, 50, 50, 1], USUAL, [50, 50, 50, 1], 1.632, 1.632),
    ([50, 50, 50, 1], Bounds(head="0.5"), [1, 1, 1, 1], 1.632, 2),
    ([7], USUAL, [7], 0, 0),
]
"""The table of the specification: counts, bounds, result, entropy in bits before and after."""


def level_of(counts: dict[str, dict[str, int]], seed: int = 0) -> tuple[Level, Column]:
    """A level with so many rows of each group and answer, in an order of its own."""
    rows = [(g, a) for g, answers in counts.items() for a, n in answers.items() for _ in range(n)]
    order = np.argsort(uniforms(seed, "order", len(rows)), kind="stable")
    answers = Column.of(a for _, a in rows)
    return Level.of("local", Column.of(g for g, _ in rows), answers, order), answers


def kept_counts(level: Level, answers: Column, kept: np.ndarray) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in np.flatnonzero(kept & (level.cell_of_row >= 0)).tolist():
        of_group = found.setdefault(str(level.groups[row]), {})
        of_group[str(answers[row])] = of_group.get(str(answers[row]), 0) + 1
    return found


@pytest.mark.parametrize(("counts", "bounds", "result", "before", "after"), EXAMPLES)
def test_the_worked_examples_come_out(counts, bounds, result, before, after):
    assert smoothed(counts, bounds) == result
    level, _ = level_of({"g": {f"{place:02}": n for place, n in enumerate(counts)}})
    for rows, entropy in ((counts, before), (result, after)):
        found = spread(level, np.array(rows), bounds)
        assert found.row_weighted() == pytest.approx(entropy, abs=0.0006)


def test_the_examples_are_smoothed_together_as_alone():
    of_usual = [(counts, result) for counts, bounds, result, *_ in EXAMPLES if bounds == USUAL]
    starts = np.cumsum([0, *(len(counts) for counts, _ in of_usual)])
    made = smoothed_groups(starts, np.array([n for counts, _ in of_usual for n in counts]), USUAL)
    assert made.tolist() == [n for _, result in of_usual for n in result]


def cut(x: int, factor: Fraction, floor: int) -> int:
    return max(min(x, floor), math.floor(x * factor))


def by_the_text(c: list[int], b: Fraction, r_min: Fraction, r_max: Fraction, head: Fraction, floor: int) -> list[int]:
    """The specification word for word, in fractions and with sums made anew at every step."""
    k, x = len(c), list(c)
    if k < 2:
        return x
    m = min(k - 1, max(1, math.floor(head * k)))
    while True:
        before = list(x)
        for i in range(1, k):
            if i <= m:
                whole, rest = sum(x[:i]), sum(x[i:])
                b_i = max(b, Fraction(i, k - i))
                if whole > b_i * rest:
                    x[:i] = [cut(each, b_i * rest / whole, floor) for each in x[:i]]
                if x[i] < r_min * x[i - 1]:
                    factor = Fraction(x[i]) / (r_min * x[i - 1])
                    x[:i] = [cut(each, factor, floor) for each in x[:i]]
            u_i = max(r_max, Fraction(c[i], c[i - 1]))
            if x[i] > u_i * x[i - 1]:
                x[i] = cut(x[i], u_i * x[i - 1] / x[i], floor)
        if x == before:
            return x


def random_settings(number: int) -> Bounds:
    draw = uniforms(number, "settings", 8)
    r_max = Fraction(int(draw[0] * 20) + 1, 20)
    b = (Fraction(1), Fraction(1, 3), Fraction(5, 2), Fraction(10), Fraction(17, 100))[int(draw[1] * 5)]
    head = Fraction(int(draw[2] * 10) + 1, 10)
    return Bounds(bound=b, r_min=r_max * int(draw[3] * 5) / 4, r_max=r_max, head=head, floor=1 + int(draw[4] ** 3 * 5))


def random_groups(number: int, n: int) -> list[list[int]]:
    """Groups of up to 12 answers: steep, flat, with ties and with single rows."""
    sizes = 1 + (uniforms(number, "sizes", n) * 12).astype(int)
    draws = iter(uniforms(number, "counts", 12 * n).tolist())
    power = uniforms(number, "powers", n) * 6 + 0.5
    most = uniforms(number, "most", n) ** 3 * 2000 + 1
    return [
        sorted((1 + int(most[g] * next(draws) ** power[g]) for _ in range(sizes[g])), reverse=True) for g in range(n)
    ]


def together(groups: list[list[int]], bounds: Bounds) -> list[list[int]]:
    starts = np.cumsum([0, *map(len, groups)])
    made = smoothed_groups(starts, np.array([n for group in groups for n in group]), bounds).tolist()
    return [made[a:b] for a, b in pairwise(starts.tolist())]


def promises_kept(c: list[int], x: list[int], bounds: Bounds) -> bool:
    """All promises but that of a second run, in whole numbers."""
    k, floor = len(c), bounds.floor
    m = min(k - 1, max(1, math.floor(bounds.head * k))) if k > 1 else 0
    held = len(x) == k and all(1 <= new <= old for new, old in zip(x, c, strict=True))
    held = held and all(after <= before for before, after in pairwise(x))
    at_floor = [new <= floor for new in x]
    for i in range(1, k):
        if i <= m:
            b_i = max(bounds.bound, Fraction(i, k - i))
            held = held and (sum(x[:i]) <= b_i * sum(x[i:]) or any(at_floor[:i]))
            held = held and (x[i] >= bounds.r_min * x[i - 1] or at_floor[i - 1])
        u_i = max(bounds.r_max, Fraction(c[i], c[i - 1]))
        held = held and (x[i] <= u_i * x[i - 1] or at_floor[i])
    return held


def test_the_promises_hold_on_ten_thousand_random_groups():
    touched = 0
    for number in range(50):
        bounds, groups = random_settings(number), random_groups(number, 200)
        made = together(groups, bounds)
        wrong = [(c, x) for c, x in zip(groups, made, strict=True) if not promises_kept(c, x, bounds)]
        assert not wrong, (bounds, wrong[0])
        assert together(made, bounds) == made, bounds
        touched += sum(c != x for c, x in zip(groups, made, strict=True))
    assert 3000 < touched < 9500, "the random groups are too tame, or too wild, to say anything"


def test_groups_are_smoothed_as_the_text_says():
    for number in range(30):
        bounds, groups = random_settings(1000 + number), random_groups(1000 + number, 25)
        asked = bounds.bound, bounds.r_min, bounds.r_max, bounds.head, bounds.floor
        for c, x in zip(groups, together(groups, bounds), strict=True):
            assert x == by_the_text(c, *asked), (c, bounds)


def test_a_group_that_meets_the_bounds_is_not_touched():
    counts = [20, 18, 16, 10, 9]
    assert promises_kept(counts, counts, USUAL)
    assert smoothed(counts, USUAL) == counts


def test_exact_and_64_bit_arithmetic_agree_up_to_the_largest_products(monkeypatch):
    # 959,000,000 rows squared, times 10 (the denominator of 0.9), is just below 2 ** 63.
    groups = [[500_000_001, 300_000_007, 100_000_003, 40_000_001, 10_000_019, 7], [900_000_011, 50_000_021, 9_000_001]]
    assert fits(max(map(sum, groups)), 6, USUAL)
    assert not fits(1_000_000_000, 6, USUAL)
    narrow = together(groups, USUAL)
    monkeypatch.setattr(smoothing, "fits", lambda *_: False)
    assert together(groups, USUAL) == narrow
    for number in range(20):
        bounds, some = random_settings(2000 + number), random_groups(2000 + number, 20)
        exact = together(some, bounds)
        monkeypatch.undo()
        assert together(some, bounds) == exact
        monkeypatch.setattr(smoothing, "fits", lambda *_: False)


def test_bounds_with_long_decimals_are_taken_exactly():
    # 4 <= b 3 just holds for b = 4/3 rounded up in its last digit, and just not for one that is rounded down.
    above, below = Bounds(bound="1.333333333333333334"), Bounds(bound="1.333333333333333333")
    assert not fits(7, 3, above)
    assert not fits(7, 3, below)
    assert smoothed_groups(np.array([0, 3]), np.array([4, 2, 1]), above).tolist() == [4, 2, 1]
    assert smoothed_groups(np.array([0, 3]), np.array([4, 2, 1]), below).tolist() == [3, 2, 1]


def test_huge_counts_do_not_overflow():
    huge = 10**12
    made = smoothed_groups(np.array([0, 5]), np.array([100 * huge, 40 * huge, 10 * huge, 5 * huge, huge]), USUAL)
    assert made.tolist() == [56 * huge, 40 * huge, 10 * huge, 5 * huge, huge]


@pytest.mark.parametrize(
    "wrong",
    [
        {"bound": 0}, {"bound": "-1"}, {"bound": "much"}, {"r_min": "1.1"}, {"r_min": -0.1}, {"r_max": 0},
        {"r_max": "1.01"}, {"head": 0}, {"head": 2}, {"floor": 0}, {"floor": 1.5}, {"bound": "1/0"}, {"bound": True},
        {"bound": "1e999999999"}, {"bound": float("nan")}, {"bound": None},
    ],
)  # fmt: skip
def test_bounds_outside_their_ranges_are_errors_that_name_the_option(wrong):
    (name,) = wrong
    with pytest.raises(OptionValueError, match=f"Option {name} is"):
        Bounds(**wrong)


def test_a_least_ratio_above_the_most_is_an_error():
    with pytest.raises(UsageError, match=r"r_min is 0\.9 and r_max 0\.8"):
        Bounds(r_min="0.9", r_max="0.8")


def test_decimals_are_read_as_they_are_written():
    assert Bounds(bound=0.1, r_min=0.3, r_max="1/3").to_json() == {
        "bound": "0.1", "r_min": "0.3", "r_max": "1/3", "head": "0.2", "floor": 1,
    }  # fmt: skip
    assert Bounds(bound=0.1).bound == Fraction(1, 10)


def test_equal_counts_are_ordered_by_text_whatever_their_codes():
    for names in (("a", "b", "c"), ("c", "b", "a")):
        # Falling by text, b and c are the second and third; the cap lowers the third only: 50, 45, 45 -> 50, 45, 40.
        counts = {name: {"a": 100, "b": 50, "c": 50, "d": 40}[name] for name in names} | {"d": 40}
        level, answers = level_of({"g": counts})
        step = smoothing_step(level, np.ones(240, dtype=bool), Bounds(bound=100, r_min="0.5", r_max="0.9", head=1))
        kept = np.ones(240, dtype=bool)
        kept[step.dropped] = False
        assert kept_counts(level, answers, kept) == {"g": {"a": 100, "b": 50, "c": 50, "d": 40}}
        assert [answers.names[level.answer_of_cell[cell]] for cell in level.ordered(level.counts(kept))] == list("abcd")


def test_the_first_rows_of_the_seeded_order_stay():
    groups, answers = Column.of(["g"] * 7), Column.of(["red"] * 5 + ["blue"] * 2)
    order = np.array([6, 3, 1, 5, 0, 4, 2])
    level = Level.of("local", groups, answers, order)
    step = smoothing_step(level, np.ones(7, dtype=bool), Bounds(r_max=1))
    # Red may keep two: the first two of its rows in the order are 3 and 1.
    assert sorted(step.dropped.tolist()) == [0, 2, 4]


def test_rows_without_a_label_pass_a_level_untouched():
    groups = Column.of(["g"] * 5 + [None] * 20 + [""] * 20)
    answers = Column.of(["red"] * 4 + ["blue"] + ["red"] * 40)
    level = Level.of("local", groups, answers, np.arange(45))
    step = smoothing_step(level, np.ones(45, dtype=bool), USUAL)
    assert step.dropped.tolist() == [1, 2, 3]
    assert (level.cell_of_row[5:] == -1).all()


def test_ranks_may_turn_through_both_levels_and_that_is_counted():
    # The example of the specification: red apples 6, green 5; red cars 94, green 15; b = 1 leaves 20 red ones of 100.
    rows = [("apple", "red")] * 6 + [("apple", "green")] * 5 + [("car", "red")] * 94 + [("car", "green")] * 15
    answers = Column.of(a for _, a in rows)
    turned = 0
    for seed in range(20):
        order = np.argsort(uniforms(seed, "rows", len(rows)), kind="stable")
        whole = Level.of("global", Column.of(["color"] * len(rows)), answers, order)
        local = Level.of("local", Column.of(g for g, _ in rows), answers, order)
        rounds = balanced(np.ones(len(rows), dtype=bool), order, [whole], [], Bounds(r_max=1))
        assert rounds.reversed == (0,)
        assert kept_counts(whole, answers, rounds.kept) == {"color": {"red": 20, "green": 20}}
        after = kept_counts(local, answers, rounds.kept)
        everything = np.ones(len(rows), dtype=bool)
        changed = reversed_groups(local, local.counts(everything), local.counts(rounds.kept))
        expected = {g for g in ("apple", "car") if after[g].get("red", 0) < after[g].get("green", 0)}
        assert {local.groups.names[g] for g in changed} == expected
        turned += "apple" in expected
    assert turned >= 10, "a fifth of all red ones stays, so the apples mostly turn"


def test_groups_whose_bound_only_equal_counts_satisfy_fall_as_the_text_says():
    # With two answers b = 1 asks for equal counts, and r_max = 0.9 forbids them: both go on lowering each other.
    assert smoothed([100, 95], USUAL) == by_the_text([100, 95], *map(Fraction, ("1", "0.5", "0.9", "0.2")), 1) == [1, 1]
    assert smoothed([100, 95], Bounds(r_max=1)) == [95, 95]
    assert smoothed([100, 95], Bounds(bound="1.2")) == [100, 95]
    assert smoothed([100, 95], Bounds(floor=40)) == [40, 40]


def test_answers_that_became_equal_have_not_changed_their_order():
    level, _ = level_of({"g": {"a": 3, "b": 2, "c": 2}, "h": {"a": 3, "b": 2}})
    names = [(level.groups.names[g], a) for g, a in zip(level.group_of_cell, level.answer_of_cell, strict=True)]
    before = level.counts(np.ones(12, dtype=bool))
    assert reversed_groups(level, before, np.minimum(before, 2)).tolist() == []
    # Nor have answers that were equal before, whichever of them has fewer rows now.
    for fewer in ("b", "c"):
        cell = next(k for k, (g, a) in enumerate(names) if (g, "abc"[a]) == ("g", fewer))
        after = np.where(np.arange(len(before)) == cell, 1, before)
        assert reversed_groups(level, before, after).tolist() == []
    # h's answer that had 3 rows has none, and the one that had 2 has 2.
    after = np.array([0 if name == ("h", 0) else 2 for name in names])
    assert [level.groups.names[g] for g in reversed_groups(level, before, after)] == ["h"]


def test_rounds_repeat_until_one_changes_nothing():
    longest = 0
    bounds = Bounds(r_min="0.9")
    for seed in range(6):
        draw = uniforms(seed, "rows", 2000).reshape(2, 1000)
        group = [int(each**2 * 5) for each in draw[0]]
        answers = Column.of(f"a{(int(each**2 * 7) + 2 * g) % 7}" for each, g in zip(draw[1], group, strict=True))
        order = np.argsort(uniforms(seed, "order", 1000))
        wholes, parts = Column.of(f"g{g % 2}" for g in group), Column.of(f"l{g}" for g in group)
        levels = [Level.of("global", wholes, answers, order), Level.of("local", parts, answers, order)]
        rounds = balanced(np.ones(1000, dtype=bool), order, levels, [], bounds)
        assert not any(rounds.dropped[-1])
        assert all(any(each) for each in rounds.dropped[:-1])
        assert rounds.further == 0
        again = balanced(rounds.kept, order, levels, [], bounds)
        assert again.dropped == ((0, 0),)
        once = balanced(np.ones(1000, dtype=bool), order, levels, [], bounds, rounds=1)
        assert once.dropped == rounds.dropped[:1]
        assert once.further == sum(rounds.dropped[1])
        longest = max(longest, len(rounds.dropped))
    assert longest >= 3, "no example needs a second round, so nothing is said of rounds"


def test_the_first_near_repeat_of_the_seeded_order_stays():
    keys = np.array([4, -1, 4, 7, -1, 4, 7], dtype=np.int32)
    stays = first_of_each(keys, np.array([6, 5, 0, 1, 2, 3, 4]))
    assert stays.tolist() == [5, 1, 5, 6, 4, 5, 6]


def types_of(counts: dict[str | None, int], shares: dict[str, str], tolerance: str = "0.01") -> TypeShares:
    column = Column.of(name for name, n in counts.items() for _ in range(n))
    asked = {name: Fraction(share) for name, share in shares.items()}
    return TypeShares("structural", column, asked, Fraction(tolerance))


def dropped_by(types: TypeShares, kept: np.ndarray | None = None) -> dict[str, int]:
    n = len(types.types)
    everything = np.ones(n, dtype=bool) if kept is None else kept
    rows = types.step(everything, np.arange(n)[::-1].copy())
    return {name: sum(types.types[row] == name for row in rows.tolist()) for name in types.types.names}


def test_the_largest_total_is_taken_that_no_type_is_too_small_for():
    # By hand: N x 1/4 < 10 + 1 gives N = 43; floor(43 x 3/4) = 32 and floor(43 / 4) = 10.
    types = types_of({"query": 80, "verify": 10, None: 6}, {"query": "3/4", "verify": "1/4"})
    assert dropped_by(types) == {"query": 48, "verify": 0}


def test_each_type_keeps_the_first_rows_of_the_seeded_order():
    types = types_of({"query": 5, "verify": 1}, {"query": "1/2", "verify": "1/2"})
    # N = 3 gives each one row; from the end of the table the first query is row 4.
    assert sorted(types.step(np.ones(6, dtype=bool), np.arange(6)[::-1].copy()).tolist()) == [0, 1, 2, 3]


def test_shares_within_the_tolerance_change_nothing():
    counts, shares = {"query": 760, "verify": 240}, {"query": "0.75", "verify": "0.25"}
    assert dropped_by(types_of(counts, shares)) == {"query": 0, "verify": 0}
    # 0.76 is farther than 0.009 from 0.75: N = 963, floor(722.25) and floor(240.75).
    assert dropped_by(types_of(counts, shares, "0.009")) == {"query": 38, "verify": 0}


def test_shares_that_are_had_are_had_still_in_a_second_run():
    for number in range(200):
        draw = uniforms(number, "types", 8)
        counts = {name: 25 + int(each * 40) for name, each in zip("abc", draw, strict=False)}
        weights = [1 + int(each * 9) for each in draw[3:6]]
        shares = {name: str(Fraction(w, sum(weights))) for name, w in zip("abc", weights, strict=True)}
        types = types_of(counts, shares, "0")
        kept = np.ones(len(types.types), dtype=bool)
        order = np.arange(len(kept))
        kept[types.step(kept, order)] = False
        assert not len(types.step(kept, order)), (counts, shares)


def test_a_type_without_rows_that_shall_have_a_share_is_named():
    types = types_of({"query": 8}, {"query": "0.5", "verify": "0.5"})
    with pytest.raises(ImpossibleError, match="verify of structural: no row is left"):
        dropped_by(types)
    # Of one verify question N is 3, of which a sixth is none.
    small = types_of({"query": 80, "verify": 1, "choose": 60}, {"query": "1/6", "verify": "1/2", "choose": "1/3"})
    with pytest.raises(ImpossibleError, match="query of structural: no row would be left"):
        dropped_by(small)


def test_every_type_needs_a_share_and_shares_sum_to_one():
    with pytest.raises(UsageError, match=r"1 type of structural that rows have \(verify\)"):
        types_of({"query": 8, "verify": 1}, {"query": "1"})
    with pytest.raises(TypeSharesError):
        types_of({"query": 8}, {"query": "0.9"})
    assert dropped_by(types_of({"query": 8, "verify": 1}, {"query": "1", "verify": "0"})) == {"query": 0, "verify": 1}


def test_the_three_means_by_hand():
    # a: 4 + 4 rows, 1 bit; b: 6 + 2 rows, 0.811 bits; c: one answer, 0 bits. After: a 1 + 1, b 2 + 2, c 8.
    level, answers = level_of({"a": {"x": 4, "y": 4}, "b": {"x": 6, "y": 2}, "c": {"z": 8}})
    before = spread(level, level.counts(np.ones(24, dtype=bool)), USUAL)
    by_name = {
        (level.groups.names[g], answers.names[a]): cell
        for cell, (g, a) in enumerate(zip(level.group_of_cell, level.answer_of_cell, strict=True))
    }
    rows = np.zeros(5, dtype=np.int64)
    for cell, n in {("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 2, ("b", "y"): 2, ("c", "z"): 8}.items():
        rows[by_name[cell]] = n
    after = spread(level, rows, USUAL)
    quarter = 0.75 * math.log2(4 / 3) + 0.25 * 2
    assert before.row_weighted() == pytest.approx((1 + quarter) / 3, abs=1e-12)
    assert before.plain() == pytest.approx((1 + quarter) / 3, abs=1e-12)
    assert after.row_weighted() == pytest.approx((2 * 1 + 4 * 1) / 14, abs=1e-12)
    assert after.weighted(before.rows) == pytest.approx(2 / 3, abs=1e-12)
    assert after.plain() == pytest.approx(2 / 3, abs=1e-12)
    assert before.commonest_share() == Fraction(4 + 6 + 8, 24)
    # One answer of two is the head: 4 / 4 and 6 / 2; c has no tail.
    assert before.head_to_tail() == 2
    assert before.head.tolist() == [1, 1, 0]


def test_groups_that_have_no_rows_left_are_in_no_mean():
    level, _ = level_of({"a": {"x": 4, "y": 4}, "b": {"x": 6, "y": 2}})
    found = spread(level, np.array([4, 4, 0, 0]), USUAL)
    assert found.row_weighted() == found.plain() == found.weighted(np.array([1, 100])) == 1
    nothing = spread(level, np.zeros(4, dtype=np.int64), USUAL)
    for value in (nothing.row_weighted(), nothing.plain(), nothing.commonest_share(), nothing.head_to_tail()):
        assert isinstance(value, Undefined)


def test_a_group_of_one_answer_has_no_entropy_at_all():
    counts = range(1, 300)
    level = Level.of("local", Column.of(map(str, counts)), Column.of(["yes"] * len(counts)), np.arange(len(counts)))
    assert set(spread(level, np.array(counts), USUAL).entropy.tolist()) == {0.0}


def test_bounds_that_only_equal_counts_satisfy_are_known():
    # b <= m / (k - m): for two answers 1 <= 1, for four with a head of half 1 <= 2 / 2, for ten 1 > 2 / 8.
    assert USUAL.only_equal(2)
    assert Bounds(head="0.5").only_equal(4)
    assert not USUAL.only_equal(10)
    assert not USUAL.only_equal(1)
    assert not Bounds(bound="1.01").only_equal(2)

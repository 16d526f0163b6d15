"""Divergence: compounds far apart, atoms close together, as audits and a recount from nothing measure it."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.audits.divergences import divergence
from compsplit.errors import ImpossibleError, OptionValueError, UsageError
from compsplit.kernels import divergence_search as kernel
from compsplit.model import Column, QATable, texts
from compsplit.order import uniforms
from compsplit.recipe.parsing import from_mapping
from compsplit.recipe.running import Run, run_on_table
from compsplit.splitters import Problem
from compsplit.splitters.divergence import Search


def table_of(questions: list[str], images: list[str] | None = None) -> QATable:
    n = len(questions)
    absent = Column.absent(n)
    return QATable(
        format="table", ids=texts(map(str, range(n))), images=Column.of(images) if images else absent,
        questions=Column.of(questions), answers=absent, question_types=absent, answer_types=absent, origins=absent,
        sources=absent, n_answers=np.zeros(n, dtype=np.int64),
    )  # fmt: skip


def run(table: Any, seed: int = 0, by: str = "row", extract: dict[str, Any] | None = None, **split: Any) -> Run:
    written = {"extract": extract or {"of": "word-ngrams"}, "group": {"by": by}}
    recipe = from_mapping("d", {"title": "D", "seed": seed, **written, "split": {"method": "divergence", **split}})
    return run_on_table(recipe, table)


def made(n: int, seed: int = 0) -> list[str]:
    """Return n short texts: three words, each from a few."""
    draws = np.stack([uniforms(seed, f"word {k}", n) * m for k, m in enumerate((4, 5, 3))]).astype(int).T
    return [f"v{a} c{b} t{c}" for a, b, c in draws.tolist()]


def recounted(questions: list[str], parts: list[int], presence: bool = False) -> tuple[float, float]:
    """Return both divergences, counted from the texts by nothing but Python."""
    bags: list[tuple[Counter[str], Counter[str]]] = [(Counter(), Counter()) for _ in range(2)]
    for question, part in zip(questions, parts, strict=True):
        if part < 0:
            continue
        words = question.split()
        grams = [f"{a} {b}" for a, b in itertools.pairwise(words)]
        bags[part][0].update(set(grams) if presence else grams)
        bags[part][1].update(set(words) if presence else words)
    found = []
    for kind, alpha in ((0, 0.1), (1, 0.5)):
        names = sorted({*bags[0][kind], *bags[1][kind]})
        found.append(divergence([bags[0][kind][x] for x in names], [bags[1][kind][x] for x in names], alpha))
    return found[0], found[1]


def parts_of(found: Run, n: int) -> list[int]:
    """Return the part of each row by its number, -1 for those that are left out."""
    parts = [-1] * n
    for row, part in zip(found.table.ids.tolist(), found.split.part_of_row.tolist(), strict=True):
        parts[int(row)] = part
    return parts


@pytest.mark.parametrize("left_out", [0.0, 0.4])
@pytest.mark.parametrize("counted", ["occurrences", "presence"])
def test_its_figures_are_those_of_a_recount_from_the_texts(left_out, counted):
    questions = [f"{q} {q.split()[0]}" for q in made(60)]
    found = run(table_of(questions), left_out=left_out, counted=counted, atom_divergence=0.1, proposals=3000)
    compound, atom = recounted(questions, parts_of(found, 60), counted == "presence")
    assert found.split.facts["compound_divergence"] == compound
    assert found.split.facts["atom_divergence"] == atom <= 0.1
    if counted == "occurrences":
        assert found.report.get("compound-divergence").value == compound
        assert found.report.get("atom-divergence").value == atom
    assert not found.report.failed


def test_targets_are_shares_of_the_rows_that_are_kept():
    found = run(table_of(made(101)), left_out=0.3, parts={"train": "3/4", "test": "1/4"}, atom_divergence=0.2,
                proposals=3000)  # fmt: skip
    # 30 of 101 may be left out; a quarter of 71 is 17.
    assert dict(found.split.asked) == {"train": 54, "test": 17} == found.split.sizes
    assert found.split.facts["rows_left_out"] == 30
    assert {reason for _, reason in found.table.left_out} == {"left out to keep compounds apart"}


def test_nothing_is_left_out_unless_that_is_asked():
    found = run(table_of(made(50)), parts={"train": "4/5", "test": "1/5"}, atom_divergence=0.2, proposals=3000)
    assert found.split.sizes == {"train": 40, "test": 10}
    assert not found.table.left_out


@pytest.mark.large
@settings(max_examples=n_shown(30))
@given(st.integers(0, 10**6), st.integers(12, 60), st.integers(1, 3), st.sampled_from([0.0, 0.3]))
def test_groups_of_several_rows_are_not_torn_and_atoms_stay_covered(seed, n, cover, left_out):
    questions = made(n, seed)
    images = [f"i{int(x * n / 2)}" for x in uniforms(seed, "image", n).tolist()]
    try:
        found = run(table_of(questions, images), seed, "image", left_out=left_out, cover=cover, atom_divergence=0.3,
                    proposals=1500)  # fmt: skip
    except ImpossibleError:
        return
    parts = parts_of(found, n)
    assert len({(image, part) for image, part in zip(images, parts, strict=True)}) == len(set(images))
    largest = max(Counter(images).values())
    asked, sizes = found.split.asked, found.split.sizes
    assert asked["test"] - largest < sizes["test"] <= asked["test"]
    assert asked["train"] - largest < sizes["train"]
    assert sizes["train"] <= asked["train"] or not left_out
    for word in {w for q, part in zip(questions, parts, strict=True) if part == 1 for w in q.split()}:
        showing = {i for i, q, p in zip(images, questions, parts, strict=True) if p == 0 and word in q.split()}
        assert len(showing) >= cover
    assert recounted(questions, parts)[1] <= 0.3


def test_seeds_give_different_splits_and_a_seed_always_the_same():
    table = table_of(made(60))
    options = {"left_out": 0.3, "atom_divergence": 0.2, "proposals": 2000}
    one, again, other = (run(table, seed, **options).parts for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.large
def test_a_divergence_that_is_asked_for_is_come_close_to():
    table = table_of(made(200))
    highest = run(table, atom_divergence=0.2, proposals=20_000).split.facts["compound_divergence"]
    found = run(table, atom_divergence=0.2, compound_divergence=0.1, proposals=20_000)
    assert highest > 0.2
    assert found.split.facts["compound_divergence"] == pytest.approx(0.1, abs=0.01)


def test_no_split_of_a_small_set_is_better():
    """All splits of ten rows, 7 / 3, held against the search."""
    questions = made(10, 3)
    best = 0.0
    for test in itertools.combinations(range(10), 3):
        parts = [1 if i in test else 0 for i in range(10)]
        shown = {w for i, q in enumerate(questions) if parts[i] == 0 for w in q.split()}
        if all(w in shown for i in test for w in questions[i].split()):
            compound, atom = recounted(questions, parts)
            best = max(best, compound if atom <= 0.2 else 0.0)
    found = run(table_of(questions), atom_divergence=0.2, parts={"train": "7/10", "test": "3/10"}, proposals=5000)
    assert 0 < best == found.split.facts["compound_divergence"]


@pytest.mark.large
def test_it_ends_at_least_as_high_as_the_greedy_swaps_of_tmcd(shared):
    cases = json.loads((shared / "oracles/dbca/greedy_swap.json").read_text())
    assert len(cases) == 3
    for case, seed in itertools.product(cases, (0, 1)):
        questions = [*case["train"], *case["test"]]
        n, k = len(questions), case["min_atom_count"]
        parts = {"train": f"{len(case['train'])}/{n}", "test": f"{len(case['test'])}/{n}"}
        found = run(table_of(questions), seed, parts=parts, atom_divergence=1.0, counted="presence", cover=k)
        compound, _ = recounted(questions, parts_of(found, n), presence=True)
        assert found.split.sizes == {"train": len(case["train"]), "test": len(case["test"])}
        assert compound == found.split.facts["compound_divergence"] >= case["expected"]["divergence_after"] - 1e-12
        train = [questions[int(row)].split() for row in found.parts["train"]]
        for word in {word for row in found.parts["test"] for word in questions[int(row)].split()}:
            assert sum(word in words for words in train) >= k


# --- the kernel


def searching(questions: list[str], left_out: bool = True) -> tuple[Search, kernel.Aim]:
    whole = run(table_of(questions), atom_divergence=1.0, proposals=10)
    problem = Problem(whole.grouping, whole.recipe.targets, 0, None, None, whole.rows)
    compounds = whole.rows.compounds["question word 2-grams"]
    n = len(questions)
    search = Search.of(problem, compounds, "occurrences", [n // 2, n // 5], 1, left_out)
    return search, kernel.Aim(1.0, 0.1, 1, 1.0)


def consistent(search: Search) -> None:
    """What is kept move by move is what counting from nothing gives."""
    state = search.state
    for held in (search.compounds, search.atoms):
        owners = np.repeat(np.arange(len(state.part)), np.diff(held.starts))
        for part, counts in ((0, held.in_train), (1, held.in_test)):
            there = state.part[owners] == part
            naive = np.bincount(held.codes[there], held.counts[there], len(counts)).astype(np.int64)
            assert np.array_equal(naive, counts)
            assert held.sums[1 + part] == naive.sum()
        alpha = 0.5 if held.root else 0.1
        assert kernel.divergence(held) == pytest.approx(divergence(held.in_train, held.in_test, alpha), abs=1e-9)
        terms = zip(held.in_train.tolist(), held.in_test.tolist(), strict=True)
        assert held.sums[0] == sum(int(held.low[p] * held.high[q] * held.scale) for p, q in terms)
    for part in range(3):
        listed = state.members[part, : state.sizes[part]].tolist()
        assert sorted(listed) == np.flatnonzero(state.part == part).tolist()
        assert [state.places[g] for g in listed] == list(range(len(listed)))
        assert state.reached[part] == state.rows[state.part == part].sum()
    owners = np.repeat(np.arange(len(state.part)), np.diff(search.atoms.starts))
    for part, holders in ((0, state.showing), (1, state.testing)):
        assert np.array_equal(
            np.bincount(search.atoms.codes[state.part[owners] == part], minlength=len(holders)), holders
        )


def test_counts_kept_move_by_move_are_those_of_a_recount():
    search, aim = searching(made(80))
    empty = search.state.part.copy()
    search.construct(aim, 5)
    consistent(search)
    assert search.state.reached.tolist() == [40, 16, 24]
    search._exchange(aim, 500, heat=1.0)
    consistent(search)
    before = search.state.part.copy()
    c = int(np.flatnonzero(search.compounds.in_train)[0])
    holders = search.holders[search.holder_starts[c] : search.holder_starts[c + 1]]
    held = (search.state, search.compounds, search.atoms)
    kernel.ruin(*held, aim, holders, 0, 0.2, uniforms(0, "ruin", 99))
    consistent(search)
    assert (search.state.part != before).sum() > 10
    kernel.restore(*held, before)
    consistent(search)
    assert np.array_equal(search.state.part, before)
    kernel.restore(*held, empty)
    assert search.compounds.sums.tolist() == search.atoms.sums.tolist() == [0, 0, 0]


def test_exchanges_without_heat_never_cost_anything():
    search, aim = searching(made(80))
    search.construct(aim, 1)
    costs = []
    for _ in range(20):
        search._exchange(aim, 50, heat=0.0)
        costs.append(kernel.cost(search.compounds, search.atoms, aim))
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_powers_are_those_of_the_definition():
    for n in (1, 2, 3, 1023, 1024, 10**6, 10**12):
        assert kernel.power(n, False) == pytest.approx(n**0.1, rel=1e-12)
        assert kernel.power(n, True) == pytest.approx(n**0.5, rel=1e-15)
    low, high = kernel.powers(5, False)
    assert low * high == pytest.approx(np.arange(6), rel=1e-15)
    assert kernel.power(0, False) == 0.0


# --- what cannot be had


def test_atoms_that_few_groups_have_bound_the_size_of_test():
    questions = [f"only{i} word" for i in range(8)] + ["some word", "some word"]
    with pytest.raises(ImpossibleError, match=r"test is asked to hold 5 rows, and at most 2 of 10 can be in it.*8 atoms"
                       r" of at most 1 row .*only0") as refused:  # fmt: skip
        run(table_of(questions), parts={"train": "1/2", "test": "1/2"})
    assert refused.value.facts["possible"] == 2


def test_atoms_that_stay_too_far_apart_are_told_with_what_is_possible():
    questions = ["a b", "a b", "c d d d d", "c d d d"]
    with pytest.raises(ImpossibleError, match=r"lowest atom divergence found is .*split\.atom_divergence=") as refused:
        run(table_of(questions), parts={"train": "3/4", "test": "1/4"}, atom_divergence=0.001, proposals=500)
    possible = refused.value.facts["possible"]
    # All four splits by hand: the least that leaves the test row's words in train.
    least = min(recounted(questions, [int(i == test) for i in range(4)])[1] for test in range(4))
    assert possible == pytest.approx(least)
    found = run(table_of(questions), parts={"train": "3/4", "test": "1/4"}, atom_divergence=round(least + 0.001, 3),
                proposals=500)  # fmt: skip
    assert found.split.sizes == {"train": 3, "test": 1}


@pytest.mark.parametrize(
    ("option", "value"),
    [("left_out", 1.0), ("left_out", -0.1), ("atom_divergence", 1.5), ("compound_divergence", -1.0), ("cover", 0),
     ("proposals", -1), ("left_out", float("nan"))],
)  # fmt: skip
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(OptionValueError, match=f"split.{option}"):
        run(table_of(made(10)), **{option: value})


def test_pairs_that_are_not_listed_are_refused(tmp_path):
    scenes = [{"id": f"s{i}", "objects": [{"class": "ball"}, {"class": "hat"}]} for i in range(4)]
    file = tmp_path / "scenes.jsonl"
    file.write_text("".join(json.dumps(scene) + "\n" for scene in scenes))
    with pytest.raises(UsageError, match=r"listed one by one, and object pairs are not\. Extract others"):
        run(api.read(file), extract={"of": "object-pairs"})


# --- SCAN


@pytest.fixture(scope="module")
def scan(shared) -> Any:
    return api.read(*(shared / "data/scan/simple_split" / f"tasks_{part}_simple.txt" for part in ("train", "test")))


@pytest.mark.large
@pytest.mark.parametrize(
    ("extract", "left_out", "sizes", "least"),
    [
        ({"of": "word-ngrams", "text": "answer"}, 0.55, {"train": 8365, "test": 1045}, 0.7),
        ({"of": "word-ngrams", "text": "answer", "n": 3}, 0.55, {"train": 8365, "test": 1045}, 0.7),
        ({"of": "scan-pieces"}, 0.55, {"train": 8365, "test": 1045}, 0.6),
        ({"of": "scan-pieces"}, 0.7609, {"train": 4000, "test": 1000}, 0.7),
    ],
)
def test_scan_is_split_as_far_apart_as_asked(scan, extract, left_out, sizes, least):
    n = sum(sizes.values())
    parts = {part: f"{size}/{n}" for part, size in sizes.items()}
    found = run(scan, 1, extract=extract, left_out=left_out, parts=parts, proposals=3_000_000)
    assert found.split.sizes == sizes
    (compounds,) = found.rows.compounds.values()
    assert found.report.get("compound-divergence", compounds.of).value >= least
    assert found.report.get("atom-divergence", compounds.atoms.of).value <= 0.02
    assert found.report.get("coverage", compounds.atoms.of).value == 1
    assert not found.report.failed


@pytest.mark.large
@pytest.mark.parametrize("name", ["keysers2020_mcd", "keysers2020_mcd_scan", "shaw2021_tmcd"])
def test_recipes_keep_their_promises(shared, name, tmp_path):
    lines = (shared / "data/scan/simple_split/tasks_test_simple.txt").read_text().splitlines()[:1200]
    file = tmp_path / "commands.txt"
    file.write_text("\n".join(lines) + "\n")
    found = api.run(name, file, format="scan", settings=["split.proposals=20000"])
    assert not found.report.failed
    assert found.split.sizes["test"] == found.split.asked["test"]


def test_rows_without_compounds_are_told_so(command, tmp_path):
    (tmp_path / "rows.csv").write_text("id,question,answer\n" + "".join(f"{i},word{i},yes\n" for i in range(20)))
    refused = command("run", "keysers2020_mcd", "rows.csv", "--out", "d")
    assert refused.code == 3
    assert "No row has a 2-gram" in refused.message

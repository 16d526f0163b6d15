"""Changing priors (VQA-CP): the procedure against a naive twin, and what it promises on real data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import ImpossibleError, MissingValueError, UsageError
from compsplit.model import Column, Grouping, Split
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import Stage, from_mapping
from compsplit.recipe.reporting import grouped
from compsplit.recipe.running import Run, extracted, run_on_table
from compsplit.registry import plugin
from compsplit.splitters import Problem


def divided(table: Any, **sections: Any) -> Run:
    return run_on_table(from_mapping("made", {"split": {"method": "changing-priors"}, **sections}), table)


def pairs_of(run: Run, part: str) -> set[tuple[str, str]]:
    kinds, answers = run.rows.column("question_type"), run.rows.column("answer (exact)")
    return {(str(kinds[row]), str(answers[row])) for row in np.flatnonzero(run.split.rows_in(part)).tolist()}


# --- real data


@pytest.mark.large
@pytest.mark.parametrize(
    ("files", "size"),
    [(["daquar/all_qa_pairs.txt"], 4_156), (["easy_vqa/train/questions.json", "easy_vqa/test/questions.json"], None)],
)
def test_no_answer_of_a_question_type_is_on_both_sides(shared, files, size):
    table = api.read(*(shared / "data" / file for file in files))
    run = api.run("agrawal2018_vqacp", table)
    assert run.grouping.unit == "question type and answer"
    assert not pairs_of(run, "train") & pairs_of(run, "test")
    got, asked = run.split.sizes["test"], run.split.asked["test"]
    assert asked == len(table) // 3
    if size is not None:
        assert got == size
    sizes = run.grouping.sizes
    assert asked - got < int(sizes[run.grouping.group_of_row[run.split.rows_in("train")]].min())
    assert not [finding for finding in run.report.findings if finding.level == "fail"]
    by_name = {measure.written: measure for measure in run.report.measures}
    assert by_name["common-compounds[answers given type][train->test]"].value == 0
    # What changes is what the split is for: of the types that both parts have, each has another commonest answer.
    differs = next(m for m in run.report.measures if m.name == "commonest-answer-differs")
    assert differs.value == 1


def test_the_grouper_only_shows_what_the_splitter_keeps_whole(shared):
    table = api.read(shared / "data" / "daquar" / "all_qa_pairs.txt")
    alone, shown = divided(table), divided(table, group={"by": "question-type-answer"})
    assert alone.split.part_of_row.tolist() == shown.split.part_of_row.tolist()
    assert alone.split.facts["units"] == shown.grouping.n_groups == alone.split.facts["question types with an answer"]


@pytest.mark.large
def test_the_recipe_of_vqa_2_runs_on_real_questions_and_is_verified(shared, command):
    files = sorted((shared / "data" / "vqa" / "smallval").glob("*.json"))
    assert command("run", "agrawal2018_vqacp_vqa2", *files, "--out", "made").code == 0
    assert command("verify", "made", *(text for file in files for text in ("--input", file))).code == 0


# --- the procedure, word for word


def naive(groups: dict[str, tuple[int, frozenset[str]]], order: Sequence[str], target: int) -> set[str]:
    """Return the groups of test: visit each in the order, and after each that goes to test cover what is needed.

    Args:
        groups: Group -> its rows, and its concepts.
        order: The groups in the order of the seed.
        target: Rows that test may hold.
    """
    part: dict[str, str] = {}
    covered: set[str] = set()
    needed: set[str] = set()
    reached = 0
    for name in order:
        if name in part:
            continue
        size, concepts = groups[name]
        if reached + size > target:
            part[name] = "train"
            covered |= concepts
            needed -= concepts
            continue
        part[name] = "test"
        reached += size
        needed |= concepts - covered
        free = [other for other in order if other not in part and groups[other][1] & needed]
        if free:
            best = max(free, key=lambda other: (len(groups[other][1] & needed), -list(order).index(other)))
            part[best] = "train"
            covered |= groups[best][1]
            needed -= groups[best][1]
    return {name for name in order if part[name] == "test"}


ROW = st.tuples(st.sampled_from(["is it", "what is", "is the", "what"]), st.sampled_from(["it", "yes", "red", "Is"]))


@settings(deadline=None, max_examples=n_shown(200))
@given(st.lists(ROW, min_size=1, max_size=25), st.integers(0, 5), st.integers(1, 3))
def test_it_deals_as_the_procedure_of_c_vqa_does(pairs, seed, share):
    frame = pandas.DataFrame(
        [(f"r{i}", f"{kind} thing", answer, kind) for i, (kind, answer) in enumerate(pairs)],
        columns=["id", "question", "answer", "question_type"],
    )
    parts = {"train": f"{4 - share}/4", "test": f"{share}/4"}
    recipe = from_mapping("made", {"split": {"method": "changing-priors", "parts": parts}, "seed": seed})
    rows, _ = extracted(recipe, api.read(frame))
    reduced = rows.column("answer (reduced)").values()
    keys = [f"{kind} | {answer}" for (kind, _), answer in zip(pairs, reduced, strict=True)]
    grouping = Grouping.of("pair", Column.of(keys))
    groups: dict[str, tuple[int, frozenset[str]]] = {}
    for key, (kind, _), answer in zip(keys, pairs, reduced, strict=True):
        groups[key] = (groups.get(key, (0, None))[0] + 1, frozenset([*kind.split(), str(answer)]))
    order = [grouping.names[g] for g in grouping.order(seed).tolist()]
    target = len(pairs) * share // 4
    expected = naive(groups, order, target)
    problem = Problem(plugin("grouper", "row").make(rows), recipe.targets, seed, rows.concepts, None, rows)
    if not expected:
        with pytest.raises(ImpossibleError, match=f"Test may hold {target:,} rows?, and no question type"):
            recipe.split.make(problem)
        return
    split: Split = recipe.split.make(problem)
    assert {key for key, there in zip(keys, split.rows_in("test"), strict=True) if there} == expected
    measures = plugin("audit", "type-answer-overlap").make(rows, split).measures
    measures += plugin("audit", "group-overlap").make(grouped(rows, problem.grouping), split).measures
    if split.sizes["train"]:
        checks = guaranteed(recipe.split, rows, split.parts)
        assert {check.name for check in checks} == {"type-answer-overlap", "group-overlap"}
        assert not [check.written for check in checks if check.broken(measures)]


def test_groups_of_the_recipe_stay_whole_besides(tmp_path):
    kinds = ["is it", "is it", "what is", "what is", "how", "how"]
    frame = pandas.DataFrame(
        {
            "id": list("abcdef"),
            "question": [f"{kind} thing" for kind in kinds],
            "answer": ["yes", "no", "red", "red", "one", "two"],
            "question_type": kinds,
            "image": list("112334"),
        }
    )
    run = divided(api.read(frame), group={"by": "image"})
    # Image 1 joins (is it, yes) and (is it, no); images 2 and 3 share (what is, red), image 3 has (how, one).
    parts = dict(zip("abcdef", run.split.part_of_row.tolist(), strict=True))
    assert parts["a"] == parts["b"]
    assert parts["c"] == parts["d"] == parts["e"]
    assert run.split.facts["units"] == 3


# --- what is refused


@pytest.mark.large
def test_rows_without_answers_or_types_are_refused(shared: Path):
    table = api.read(shared / "data" / "okvqa" / "OpenEnded_mscoco_val2014_questions.json")
    with pytest.raises(UsageError, match="Priors are of answers given question types"):
        divided(table)
    with pytest.raises(UsageError, match="No row has an answer, and the recipe groups rows by"):
        divided(table, group={"by": "question-type-answer"})
    some = pandas.DataFrame({"id": ["1", "2"], "question": ["a b", "c d"], "answer": ["yes", None]})
    with pytest.raises(MissingValueError, match="1 row has no value in answer"):
        divided(api.read(some))


def test_a_test_too_small_for_any_pair_says_so():
    frame = pandas.DataFrame({"id": list("abc"), "question": ["is it"] * 3, "answer": ["yes"] * 3})
    with pytest.raises(
        ImpossibleError, match=r"Test may hold 1 row, .*there are 1, the smallest that may leave train of 3"
    ):
        divided(api.read(frame))


# --- the audit, by hand


def test_answers_of_a_type_that_are_in_both_parts_are_counted():
    frame = pandas.DataFrame(
        [
            ("1", "is it", "yes"),
            ("2", "is it", "no"),
            ("3", "is it", "yes"),
            ("4", "is he", "yes"),
            ("5", "is it", "maybe"),
        ],
        columns=["id", "question", "answer"],
    )
    rows, _ = extracted(from_mapping("made", {}), api.read(frame))
    split = Split(("train", "test"), np.array([0, 0, 1, 1, 1], dtype=np.int16))
    found = plugin("audit", "type-answer-overlap").make(rows, split).measures
    told: defaultdict[str, dict[Any, float]] = defaultdict(dict)
    for measure in found:
        told[measure.of][measure.options["unit"]] = measure.number
    assert told["question_type + answer (exact)"] == {"rows": pytest.approx(1 / 3), "distinct": pytest.approx(1 / 3)}
    assert Stage(plugin("grouper", "question-type-answer"), {}).make(rows).n_groups == 4

"""Head and tail: the authors' own figures, the rule by hand, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import ImpossibleError, OptionValueError, UnknownNameError, UsageError
from compsplit.kernels.head_tail import question_groups
from compsplit.model import Column, Split, crossed
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import from_mapping
from compsplit.recipe.running import Run, extracted, run_on_table
from compsplit.registry import plugin

UNDECIDED = ("all_groups_alike", "one_group_only", "two_groups")
"""Cases in which entropy and threshold are equal, so that the last bit decides; the oracle's README excepts them."""


def oracle(shared: Path, name: str) -> Any:
    return json.loads((shared / "oracles" / "gqa_ood" / name).read_text("utf-8"))


def divided(table: Any, options: dict[str, Any] | None = None, **sections: Any) -> Run:
    return run_on_table(from_mapping("made", {"split": {"method": "head-tail", **(options or {})}, **sections}), table)


def ids_of(groups: Column, answers: Column, ids: list[str], alpha: float) -> dict[str, list[str]]:
    """Return the ids of head and tail by the splitter's rule alone, either of which may be empty."""
    pairs = crossed(groups, answers)
    part = question_groups(groups, pairs).part_of_pair(Fraction(str(alpha)))[pairs.codes].tolist()
    return {
        name: sorted(i for i, p in zip(ids, part, strict=True) if p == n) for n, name in enumerate(("head", "tail"))
    }


@pytest.mark.parametrize("number", range(5))
def test_head_and_tail_of_the_oracles_questions_are_those_of_the_authors_program(shared, number):
    said = oracle(shared, "expected.json")[number]
    table = api.read(shared / "oracles" / "gqa_ood" / "questions.json")
    expected = {part: sorted(said[part]) for part in ("head", "tail")}
    groups = table.columns["group_local"].or_else(Column.of(["none"] * len(table)))
    assert ids_of(groups, table.answers, table.ids.tolist(), said["alpha"]) == expected
    options = {"alpha": said["alpha"]}
    if not all(expected.values()):
        with pytest.raises(ImpossibleError, match=r"head would be empty \(head 0, tail 58; 4 question groups kept\)"):
            divided(table, options)
        return
    run = divided(table, options)
    assert {part: sorted(ids) for part, ids in run.parts.items()} == expected
    assert len(run.table.left_out) == 208 - len(said["all"])
    facts = run.split.facts
    assert facts["entropy of kept at most"] == pytest.approx(said["entropy_threshold"], abs=1e-12)
    assert facts["question groups kept"] == sum(group["kept"] for group in said["groups"].values())
    for part in ("head", "tail"):
        images = run.rows.column("image").codes[run.split.rows_in(part)]
        assert len(set(images.tolist())) == said["images"][part]


def test_the_five_alphas_of_the_oracle_are_all_there(shared):
    assert [each["alpha"] for each in oracle(shared, "expected.json")] == [0.2, -0.5, 0.0, 1.0, 9.0]


def test_edge_cases_are_decided_as_the_authors_program_decides_them(shared):
    cases = oracle(shared, "edge_cases.json")
    decided = 0
    for case in cases:
        expected, rows = case["expected"], []
        for group, answers in case["groups"]:
            rows += [(group or "none", answer) for answer, n in answers.items() for _ in range(n)]
        if case["name"] in UNDECIDED:
            continue
        if not rows:
            assert expected["entropy_mean"] is None
            continue
        decided += 1
        ids = [f"e{i:03}" for i in range(len(rows))]
        groups, answers = Column.of(group for group, _ in rows), Column.of(answer for _, answer in rows)
        found = ids_of(groups, answers, ids, case["alpha"])
        assert found == {"head": sorted(expected["head"]), "tail": sorted(expected["tail"])}, case["name"]
    assert decided == len(cases) - 3 - sum(not case["groups"] for case in cases)
    assert decided > 5


def test_the_recipe_and_its_proof(shared, command):
    file = shared / "oracles" / "gqa_ood" / "questions.json"
    ran = command("run", "kervadec2021_gqaood", file, "--out", "made", "--json")
    assert ran.code == 0
    (measure,) = [m for m in ran.json["measures"] if m["name"] == "rows-not-rarer" and m["of"] == "group_local"]
    assert (measure["reference"], measure["part"], measure["value"], measure["n"]) == ("head", "tail", 0, 15)
    assert command("verify", "made", "--input", file).code == 0


def test_real_gqa_questions_are_divided_by_their_global_group(shared):
    file = shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json"
    table = api.read(file)
    run = divided(table, {"group": "group_global"})
    records = json.loads(file.read_text("utf-8"))
    group = {str(each["question_id"]): each["groups"]["global"] or "none" for each in records}
    answer = {str(each["question_id"]): each["answer"] for each in records}
    assert run.parts == naive(group, answer, 0.2)
    assert sum(map(len, run.parts.values())) + len(run.table.left_out) == 50
    # Hardly two of the fifty share a local group: each single answer has share 1, below 1.2.
    with pytest.raises(ImpossibleError, match=r"head would be empty \(head 0, tail 50"):
        divided(table)


# --- by hand, and from the definition


def naive(group: dict[str, str], answer: dict[str, str], alpha: float) -> dict[str, list[str]]:
    """Return head and tail from the definition, with numpy's own sums."""
    members = {kind: [i for i in group if group[i] == kind] for kind in group.values()}
    counts = {kind: Counter(answer[i] for i in ids) for kind, ids in members.items()}
    entropy = {}
    for kind, held in counts.items():
        share = np.array(list(held.values())) / sum(held.values())
        entropy[kind] = 1.0 if len(held) == 1 else float(-(share * np.log(share + 1e-9)).sum() / np.log(len(held)))
    limit = np.mean(list(entropy.values())) - np.std(list(entropy.values()))
    found: dict[str, list[str]] = {"head": [], "tail": []}
    for i, kind in group.items():
        if entropy[kind] <= limit + 1e-11:
            held = counts[kind]
            rare = Fraction(held[answer[i]], sum(held.values())) < (1 + Fraction(str(alpha))) / len(held)
            found["tail" if rare else "head"].append(i)
    return found


ANSWERED = [("even", "a"), ("even", "b"), ("even", "c"), ("even", "d")] * 3 + [("odd", "x")] * 8 + [("odd", "y")]


def made(pairs: list[tuple[str | None, str | None]], **columns: list[str]) -> Any:
    frame = {"id": [f"r{i}" for i in range(len(pairs))], "question": ["what is it"] * len(pairs)}
    frame |= {"answer": [a for _, a in pairs], "group_local": [g for g, _ in pairs], **columns}
    return api.read(pandas.DataFrame(frame))


def test_the_rare_answer_of_an_uneven_group_is_its_tail():
    run = divided(made([*ANSWERED, ("odd", None)]))
    assert run.parts == {"head": [f"r{i}" for i in range(12, 20)], "tail": ["r20"]}
    reasons = Counter(reason for _, reason in run.table.left_out)
    assert reasons == {"the answers of its question group are spread too evenly": 12, "no answer": 1}


def test_a_row_without_a_group_is_in_the_group_called_none():
    pairs: list[tuple[str | None, str | None]] = [(None if g == "odd" else g, a) for g, a in ANSWERED[:-1]]
    run = divided(made([*pairs, ("none", "y")]))
    assert run.parts["tail"] == ["r20"]


def test_parts_may_have_other_names_and_the_promise_follows_them():
    run = divided(made(list(ANSWERED)), {"parts": ["common", "rare"]})
    assert {part: len(ids) for part, ids in run.parts.items()} == {"common": 8, "rare": 1}
    (promise,) = [f.written for f in guaranteed(run.recipe.split, run.rows, run.split.parts) if "rarer" in f.name]
    assert promise == "rows-not-rarer[group_local][common->rare] == 0"


@pytest.mark.parametrize("alpha", [-1.5, float("nan"), float("inf")])
def test_alpha_is_a_number_of_at_least_minus_one(alpha):
    with pytest.raises(OptionValueError, match=r"split\.alpha is .*; expected a number of at least -1"):
        divided(made(list(ANSWERED)), {"alpha": alpha})


def test_what_head_and_tail_cannot_be_made_of_is_said():
    with pytest.raises(UnknownNameError, match=r'no column "group_locale".*Did you mean "group_local"'):
        divided(made(list(ANSWERED)), {"group": "group_locale"})
    with pytest.raises(ImpossibleError, match=r"tail would be empty \(head 9, tail 0; 1 question group kept\)"):
        divided(made(list(ANSWERED)), {"alpha": -1})
    images = ["i"] * len(ANSWERED)
    with pytest.raises(ImpossibleError, match=r"21 rows are in groups \(by image\) whose rows do not all belong"):
        divided(made(list(ANSWERED), image=images), group={"by": "image"})
    apart = made([("g", None), (None, "a")])
    with pytest.raises(UsageError, match="No row has an answer, and head and tail are made of answers"):
        divided(apart.keep(np.array([True, False]), "out", "rows left out"))


@settings(deadline=None, max_examples=n_shown(200))
@given(
    st.lists(st.tuples(st.sampled_from("ghi"), st.sampled_from("abcd")), min_size=1, max_size=40),
    st.sampled_from([-1, -0.5, 0, 0.2, 1, 9]),
)
def test_head_and_tail_follow_the_definition_and_the_promise_is_measured(pairs, alpha):
    ids = [f"r{i}" for i in range(len(pairs))]
    expected = naive(
        dict(zip(ids, (g for g, _ in pairs), strict=True)), dict(zip(ids, (a for _, a in pairs), strict=True)), alpha
    )
    groups, answers = Column.of(g for g, _ in pairs), Column.of(a for _, a in pairs)
    assert ids_of(groups, answers, ids, alpha) == {part: sorted(each) for part, each in expected.items()}
    if not all(expected.values()):
        with pytest.raises(ImpossibleError, match="would be empty"):
            divided(made(list(pairs)), {"alpha": alpha})
        return
    run = divided(made(list(pairs)), {"alpha": alpha})
    assert run.parts == expected
    measures = plugin("audit", "rarer-answers").make(run.rows, run.split).measures
    checks = [c for c in guaranteed(run.recipe.split, run.rows, run.split.parts) if c.name == "rows-not-rarer"]
    assert len(checks) == 1
    assert not checks[0].broken(measures)


def share_of(answers: str, parts: str) -> float:
    """Return the share of the tail that is not rarer, when the i-th row has the i-th answer and part."""
    rows = extracted(from_mapping("x", {}), made([("g", a) for a in answers]))[0]
    split = Split(("head", "tail", "val-iid")[: int(max(parts)) + 1], np.array([*map(int, parts)], dtype=np.int16))
    found = plugin("audit", "rarer-answers").make(rows, split).measures
    return next(m.number for m in found if m.of == "group_local" and m.part == "tail")


def test_an_answer_as_common_as_one_of_the_head_is_not_rarer():
    assert share_of("aabb", "0011") == 1
    # a occurs three times in all, twice for validation: b, which occurs twice, is rarer.
    assert share_of("aaabb", "02211") == 0
    # By hand: of bbc none is as common as a; of aaac the a are as common as b; of aaabb all are as common as c.
    assert [share_of("aaabbc", parts) for parts in ("000111", "111001", "111110")] == [0, 0.75, 1]

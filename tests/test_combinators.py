"""Union, intersection, and a split inside a part of another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import (
    CompsplitError,
    ImpossibleError,
    OptionValueError,
    UnknownNameError,
    UnknownOptionError,
    UsageError,
)
from compsplit.model import Rows, Split
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import from_mapping
from compsplit.recipe.reporting import grouped
from compsplit.recipe.running import Run, extracted, run_on_table
from compsplit.registry import plugin
from compsplit.splitters import Problem

JUMP = {"method": "primitive", "word": "jump"}
LONG = {"method": "length", "longest": 2}
RIGHT = {"method": "template", "by": "question (exact)", "phrases": ["right"]}
SCAN_LONG = {"method": "length", "text": "answer", "longest": 22}
COMMANDS = ["jump", "jump left", "walk left right", "walk", "jump left right", "run right", "look", "run left", "right"]


def divided(table: Any, split: Mapping[str, Any], **sections: Any) -> Run:
    return run_on_table(from_mapping("made", {"split": dict(split), **sections}), table)


def made(questions: list[str], **columns: list[str]) -> Any:
    ids = [f"r{i}" for i in range(len(questions))]
    return api.read(pandas.DataFrame({"id": ids, "question": questions, "answer": ["yes"] * len(ids), **columns}))


@pytest.fixture(scope="module")
def scan(shared: Path) -> Any:
    folder = shared / "data" / "scan" / "simple_split"
    return api.read(folder / "tasks_train_simple.txt", folder / "tasks_test_simple.txt")


def commands(table: Any) -> dict[str, tuple[list[str], int]]:
    """Return the words of each command of SCAN, and how many its actions are, by id."""
    questions, answers = table.questions.values(), table.answers.values()
    return {
        name: (question.split(), len(answer.split()))
        for name, question, answer in zip(table.ids.tolist(), questions, answers, strict=True)
    }


# --- on SCAN


def test_a_union_tests_what_any_rule_tests(scan):
    run = api.run("union_scan", scan)
    known = commands(scan)
    tested = {name for name, (words, n) in known.items() if ("jump" in words and len(words) > 1) or n > 22}
    assert set(run.parts["test"]) == tested
    assert set(run.parts["train"]) == set(known) - tested
    assert run.split.facts == {"test rows of member 1": 7_706, "test rows of member 2": 3_920}


@pytest.mark.large
def test_an_intersection_leaves_out_what_rules_differ_about_and_keeps_what_they_keep(scan, shared, command):
    files = sorted((shared / "data" / "scan" / "simple_split").glob("*.txt"))
    ran = command("run", "intersection_scan", *files, "--out", "made", "--json")
    assert ran.code == 0
    known = commands(scan)
    right = {name for name, (words, _) in known.items() if "around right" in " ".join(words)}
    long = {name for name, (_, n) in known.items() if n > 22}
    parts = {part: each["got"] for part, each in ran.json["subject"]["parts"].items()}
    assert parts == {"train": len(set(known) - right - long), "test": len(right & long)}
    assert ran.json["subject"]["left out"] == len(right ^ long)
    measured = {
        (m["name"], m["of"]): m["value"] for m in ran.json["measures"] if m["options"].get("unit") != "distinct"
    }
    assert measured["question-overlap", "question (exact)"] == 0
    assert (measured["length-overlap", "answer"], measured["rows-not-longer", "answer"]) == (0, 0)
    assert command("verify", "made", *(text for file in files for text in ("--input", file))).code == 0


def test_rows_that_rules_differ_about_may_stay_in_train(scan):
    right = {"method": "template", "by": "question (exact)", "phrases": ["around right"]}
    run = divided(scan, {"method": "intersection", "of": [right, SCAN_LONG]})
    assert run.split.sizes == {"train": 20_910 - 2_298, "test": 2_298}
    assert run.split.facts == {"rows on which members differ": 5_009}


@pytest.mark.large
def test_a_split_inside_train_leaves_test_as_it_is(scan, shared, command):
    files = sorted((shared / "data" / "scan" / "simple_split").glob("*.txt"))
    ran = command("run", "inside_scan", *files, "--out", "made", "--json")
    assert ran.code == 0
    parts = {part: (each["got"], each["asked"]) for part, each in ran.json["subject"]["parts"].items()}
    assert parts == {"train": (11_884, None), "val": (1_320, 1_320), "test": (7_706, None)}
    inside = api.run("inside_scan", scan)
    alone = divided(scan, JUMP)
    assert sorted(inside.parts["test"]) == sorted(alone.parts["test"])
    assert command("verify", "made", *(text for file in files for text in ("--input", file))).code == 0


# --- by hand


def test_three_ways_to_combine_two_rules():
    table = made(COMMANDS)
    jump, right = {"r1", "r4"}, {"r2", "r4", "r5", "r8"}
    union = divided(table, {"method": "union", "of": [JUMP, RIGHT]})
    assert set(union.parts["test"]) == jump | right
    both = divided(table, {"method": "intersection", "of": [JUMP, RIGHT], "mixed": "leave-out"})
    assert both.parts == {"train": ["r0", "r3", "r6", "r7"], "test": ["r4"]}
    assert dict(both.table.left_out) == dict.fromkeys(
        ["r1", "r2", "r5", "r8"], "splitters that are combined differ about it"
    )
    inside = divided(table, {"method": "inside", "first": JUMP, "part": "test", "then": RIGHT})
    # Of r1 and r4 the second splitter leaves r1 in its train, which is one part with the first's.
    assert inside.parts == {"train": ["r0", "r1", "r2", "r3", "r5", "r6", "r7", "r8"], "test": ["r4"]}


def test_what_a_member_leaves_out_is_left_out_with_its_reason():
    # Image b has a command with jump and one without, so primitive leaves it out; the union may not test it either.
    table = made(["jump", "jump left", "walk", "look", "right"], image=list("abbcd"))
    for method in ("union", "intersection"):
        split = {"method": method, "of": [RIGHT, JUMP]}
        if method == "intersection":
            with pytest.raises(ImpossibleError, match="Part test would be empty"):
                divided(table, split, group={"by": "image"})
            continue
        run = divided(table, split, group={"by": "image"})
        assert dict(run.table.left_out) == dict.fromkeys(["r1", "r2"], "rows of its group do not belong to one part")
        assert run.parts == {"train": ["r0", "r3"], "test": ["r4"]}
    inside = divided(
        made([*COMMANDS, "jump up"], image=list("abcdefghii")),
        {"method": "inside", "first": RIGHT, "then": JUMP}, group={"by": "image"},
    )  # fmt: skip
    assert {name for name, _ in inside.table.left_out} == {"r8", "r9"}


def test_what_rows_were_held_out_for_is_known_from_every_member():
    words = {"method": "unseen-word", "words": ["look"]}
    run = divided(made(COMMANDS), {"method": "union", "of": [RIGHT, words, LONG]})
    held = run.split.held
    assert held is not None
    of_row = {
        str(run.table.ids[row]): {held.names[c] for c in held.concepts[held.starts[b] : held.starts[b + 1]]}
        for row, b in enumerate(held.bag_of_row.tolist())
    }
    assert of_row["r6"] == {"look"}
    assert of_row["r2"] == {"walk left right"}
    assert of_row["r3"] == set()
    assert divided(made(COMMANDS), {"method": "union", "of": [JUMP, LONG]}).split.held is None


def test_members_take_shares_and_nest():
    table = made([f"{a} {b}" for a in "abcdefgh" for b in "uvwxyz"])
    shares = {"train": "3/4", "test": "1/4"}
    starting = {"method": "template", "by": "question (exact)", "phrases": ["a"]}
    inner = {"method": "intersection", "of": [starting, {"method": "random"}]}
    run = divided(table, {"method": "union", "of": [{"method": "random", "parts": shares}, inner]})
    assert run.split.facts["test rows of member 1"] == 12
    assert run.split.sizes["test"] >= 12


# --- what is refused


@pytest.mark.parametrize(
    ("split", "error", "said"),
    [
        ({"method": "union"}, OptionValueError, r"split\.of is \[\]; expected a list of two splitters or more"),
        ({"method": "union", "of": [JUMP]}, OptionValueError, "a list of two splitters or more"),
        ({"method": "union", "of": [JUMP, "length"]}, OptionValueError, r"split\.of\.1 is 'length'; expected a table"),
        ({"method": "union", "of": [JUMP, {"word": "x"}]}, OptionValueError, r"split\.of\.1 .*a table with a method"),
        ({"method": "union", "of": [JUMP, {"method": "lenght"}]}, UnknownNameError, 'Did you mean "length"'),
        ({"method": "union", "of": [JUMP, {**LONG, "longst": 3}]}, UnknownOptionError, 'Did you mean "longest"'),
        ({"method": "union", "of": [{**JUMP, "parts": {"a": 1}}, LONG]}, OptionValueError, "decides sizes by its rule"),
        ({"method": "union", "of": [JUMP, {**LONG, "parts": 3}]}, OptionValueError, r"split\.of\.1\.parts is 3"),
        (
            {"method": "union", "of": [JUMP, {"method": "random", "parts": {"a": "1/3", "b": "1/3", "c": "1/3"}}]},
            UsageError,
            "random makes the parts a, b, c; splitters that are combined make two",
        ),
        ({"method": "inside", "first": JUMP, "part": "val", "then": LONG}, UnknownNameError, "part of the first split"),
        ({"method": "inside", "first": JUMP}, OptionValueError, r"split\.then is .*a table with a method"),
        ({"method": "inside", "first": JUMP, "then": LONG, "parts": ["a", "b"]}, UsageError, "those of its two"),
    ],
)
def test_what_cannot_be_combined_is_refused(split, error, said):
    with pytest.raises(error, match=said):
        divided(made(COMMANDS), split)


# --- promises, on anything

QUESTION = st.lists(st.sampled_from(["jump", "walk", "right", "left"]), min_size=1, max_size=4).map(" ".join)
MEMBERS: list[dict[str, Any]] = [
    JUMP,
    LONG,
    RIGHT,
    {"method": "unseen-word", "words": ["left"]},
    {"method": "random", "parts": {"train": "1/2", "test": "1/2"}},
]


@pytest.mark.large
@settings(deadline=None, max_examples=n_shown(200))
@given(
    st.lists(st.tuples(QUESTION, st.sampled_from("uvwx")), min_size=3, max_size=20),
    st.lists(st.sampled_from(MEMBERS), min_size=2, max_size=3),
    st.sampled_from(["row", "image"]),
    st.integers(0, 5),
)
def test_combined_rows_are_where_the_members_say_and_promises_are_measured(given_rows, of, by, seed):
    table = made([question for question, _ in given_rows], image=[image for _, image in given_rows])
    recipes = {
        name: from_mapping("made", {"split": split, "seed": seed, "extract": {"of": "question-words"}})
        for name, split in {
            "union": {"method": "union", "of": of},
            "both": {"method": "intersection", "of": of},
            "apart": {"method": "intersection", "of": of, "mixed": "leave-out"},
            "inside": {"method": "inside", "first": of[0], "part": "train", "then": of[1]},
        }.items()
    }
    alone = [from_mapping("made", {"split": each, "seed": seed}) for each in of]
    rows, _ = extracted(recipes["union"], table)
    grouping = (
        plugin("grouper", "column").make(rows, column="image") if by == "image" else plugin("grouper", "row").make(rows)
    )

    def split_of(recipe: Any, which: Rows = rows) -> Split:
        problem = Problem(grouping, recipe.targets, seed, which.concepts, None, which)
        split: Split = recipe.split.make(problem)
        return split

    try:
        members = [split_of(each).part_of_row for each in alone]
    except CompsplitError:
        with pytest.raises(CompsplitError):
            split_of(recipes["union"])
        return
    out = np.any([part < 0 for part in members], axis=0)
    anyone, everyone = np.any([part == 1 for part in members], axis=0), np.all([part == 1 for part in members], axis=0)
    expected = {
        "union": np.where(out, -1, anyone),
        "both": np.where(out, -1, everyone),
        "apart": np.where(out | (anyone & ~everyone), -1, everyone),
    }
    for name, part in expected.items():
        split = split_of(recipes[name])
        assert split.part_of_row.tolist() == part.tolist()
        assert_promised(recipes[name], rows, grouping, split)
    try:
        inside = split_of(recipes["inside"])
    except CompsplitError:
        return
    outside = members[0] != 0
    assert inside.part_of_row[outside].tolist() == members[0][outside].tolist()
    assert_promised(recipes["inside"], rows, grouping, inside)


def assert_promised(recipe: Any, rows: Rows, grouping: Any, split: Split) -> None:
    if not all(split.sizes.values()):
        return
    placed = np.flatnonzero(split.placed)
    kept, parts = grouped(rows.taken(placed), grouping.taken(placed)), split.taken(placed)
    audits = ("group-overlap", "question-overlap", "length-overlap", "unseen-concepts", "lone-words")
    measures = [m for name in audits for m in plugin("audit", name).make(kept, parts).measures]
    checks = guaranteed(recipe.split, kept, parts.parts)
    assert checks
    for check in checks:
        assert not check.broken(measures), check.written

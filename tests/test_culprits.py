"""Culprits: the least id of a row that has each, how many there are in all, and the rows that are named."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.audits.examples import Examples
from compsplit.extractors import prepared
from compsplit.model import Column, QATable, Rows, Split, texts
from compsplit.model.compounds import ObjectPairs, occurring
from compsplit.model.incidence import Kinds
from compsplit.model.report import Table
from compsplit.recipe.example_rows import with_example_rows
from compsplit.recipe.reporting import audited
from compsplit.registry import plugin


class Words:
    """Reduces a question to its words."""

    def reduce(self, questions: list[str]) -> list[tuple[str, ...]]:
        return [tuple(question.lower().split()) for question in questions]

    def answer(self, answers: list[str]) -> list[str]:
        return [answer.lower() for answer in answers]


def questions(*rows: tuple[str, str, str, str], images: str = "") -> tuple[Rows, Split]:
    """Return rows given as (id, part, question, answer), concepts being the words, and their split."""
    absent = Column.absent(len(rows))
    table = QATable(
        format="table", ids=texts(name for name, *_ in rows),
        images=Column.of(images) if images else absent,
        questions=Column.of(question for *_, question, _ in rows), answers=Column.of(answer for *_, answer in rows),
        question_types=absent, answer_types=absent, origins=absent, sources=absent,
        n_answers=np.ones(len(rows), dtype=np.int64), ids_repeat=len({name for name, *_ in rows}) < len(rows),
    )  # fmt: skip
    made: Rows = prepared(table, Words())
    parts = tuple(dict.fromkeys(part for _, part, *_ in rows))
    return made, Split(parts, np.array([parts.index(part) for _, part, *_ in rows], dtype=np.int16))


def scenes(*rows: tuple[str, str, str]) -> tuple[Rows, Split]:
    """Return scenes given as (id, part, a letter an object), and their split."""
    where = np.array([k for k, (*_, held) in enumerate(rows) for _ in held], dtype=np.int32)
    atoms = occurring("object classes", len(rows), where, Column.of(name for *_, held in rows for name in held))
    none = np.zeros(len(rows), dtype=bool)
    made = Rows(
        texts(name for name, *_ in rows), {}, atoms, none, compounds={"object pairs": ObjectPairs(atoms)}, noun="scene"
    )
    parts = ("train", "test")
    return made, Split(parts, np.array([parts.index(part) for _, part, _ in rows], dtype=np.int16))


def tables(name: str, made: tuple[Rows, Split]) -> Any:
    return plugin("audit", name).make(*made).tables


# --- examples


def test_an_unseen_concept_is_named_with_the_least_id_of_a_row_of_the_part():
    made = questions(
        ("9", "test", "cat dog", "x"), ("10", "test", "cat", "x"), ("0", "train", "x", "x"), ("2", "test", "dog", "x"),
        ("1", "val", "cat", "x"),
    )  # fmt: skip
    split = Split(("train", "test", "val"), np.array([1, 1, 0, 1, 2], dtype=np.int16))
    found = tables("coverage", (made[0], split))
    # Ids are texts: 10 stands before 9. Row 1 is of another part.
    table = found["concepts of test unseen in train"]
    assert table.columns == ("concept", "occurrences", "example in test")
    assert table.rows == (("cat", 2, "10"), ("dog", 2, "2"))
    assert (table.total, table.culprits) == (None, True)
    assert found["concepts of val unseen in train"].rows == (("cat", 1, "1"),)


def test_examples_of_concepts_of_several_kinds_are_found_together():
    rows, split = scenes(("s2", "test", "ab"), ("s1", "test", "b"), ("s0", "train", "c"))
    assert rows.concepts is not None
    colours = occurring("colours", 3, np.array([0, 1, 2], dtype=np.int32), Column.of(["red", "red", "sad"]))
    kinds = Kinds((rows.concepts, colours))
    assert kinds.names == ("a", "b", "c", "red", "sad")
    assert Examples(rows, split).of(kinds, "test", [4, 3, 1, 0]) == [None, "s1", "s1", "s2"]
    assert Examples(rows, split).of(kinds, "train", [4, 3, 2]) == ["s0", None, "s0"]


def test_what_one_part_lacks_has_no_example_there():
    common = tables("common-compounds", scenes(("a", "train", "pq"), ("c", "test", "pq"), ("b", "test", "pp")))
    assert common["common object pairs of test and train"].rows == (("p | q", 1, 1, "a", "c"),)
    novel = tables("novel-compounds", scenes(("a", "train", "pq"), ("c", "test", "pq"), ("b", "test", "pp")))
    assert novel["novel object pairs of test"].rows == (("p | p", 0, 1, None, "b"),)


drawn = st.lists(st.tuples(st.sampled_from(["train", "test"]), st.text("abcd", max_size=5)), min_size=1, max_size=8)


@settings(max_examples=n_shown(100), deadline=None)
@given(drawn, st.randoms(use_true_random=False))
def test_pairs_have_the_counts_and_least_ids_that_looking_finds(held, random):
    rows = [(f"s{k}", part, "".join(sorted(letters))) for k, (part, letters) in enumerate(held)]
    counts = {part: Counter[str]() for part in ("train", "test")}
    least: dict[tuple[str, str], str] = {}
    for name, part, letters in rows:
        for pair in combinations(letters, 2):
            counts[part][" | ".join(pair)] += 1
            least.setdefault((part, " | ".join(pair)), name)
    common = sorted(counts["train"].keys() & counts["test"].keys(), key=lambda p: (-counts["test"][p], p))
    expected = tuple(
        (p, counts["train"][p], counts["test"][p], least["train", p], least["test", p]) for p in common
    )  # fmt: skip
    random.shuffle(rows)
    found = tables("common-compounds", scenes(*rows)).get("common object pairs of test and train")
    assert (() if found is None else found.rows) == expected


def test_a_row_in_another_place_changes_no_table():
    # Every eighth row asks about a thing of its own, the others about five.
    rows = [
        (f"{k:02}", "train" if k % 4 else "test", f"what {'abcde'[k % 5] if k % 8 else f'u{k}'}", "xy"[k % 2])
        for k in range(40)
    ]
    turned = list(reversed(rows))
    one, other = (
        audited(
            made, Split(("train", "test"), np.array([part == "test" for _, part, *_ in some], dtype=np.int16))
        ).tables
        for some, made in ((some, questions(*some)[0]) for some in (rows, turned))
    )
    assert len(one["example rows"].rows) > 5
    assert {name: table.to_json() for name, table in one.items()} == {n: table.to_json() for n, table in other.items()}


def test_ids_that_differ_behind_a_nul_character_are_different_rows():
    # NumPy compares texts up to it: the order of input must not decide, nor may a row of train stand for one of test.
    rows = [
        ("b\0y", "test", "who", "x"),
        ("b\0x", "train", "who", "x"),
        ("b", "train", "why", "x"),
        ("b", "test", "why", "x"),
    ]
    made, split = questions(*rows)
    examples = Examples(made, split)
    for part, expected in (("train", "b\0x"), ("test", "b\0y")):
        ranks = examples.ranks_of_values(made.columns["question"], part)
        found = dict(zip(made.columns["question"].names, examples.ids_of(ranks), strict=True))
        assert found == {"who": expected, "why": "b"}
    told = [row[:2] for row in audited(made, split).tables["example rows"].rows]
    assert told == [("b", "test"), ("b", "train"), ("b\0x", "train"), ("b\0y", "test")]


# --- totals


def test_of_more_than_a_thousand_unseen_concepts_a_thousand_are_named():
    words = " ".join(f"w{k:04}" for k in range(1003))
    found = tables(
        "coverage", questions(("0", "train", "x", "x"), ("1", "test", words, "x"), ("2", "test", "w1002", "x"))
    )
    table = found["concepts of test unseen in train"]
    assert (len(table.rows), table.total, table.rows[0]) == (1000, 1003, ("w1002", 2, "1"))
    assert table.to_json()["total"] == 1003


def test_least_shown_concepts_are_fifty_of_all():
    words = " ".join(f"w{k:02}" for k in range(60))
    found = tables("least-shown", questions(("0", "train", words, "x"), ("1", "test", words, "x")))
    table = found["concepts of test least shown in train"]
    assert (len(table.rows), table.total, table.culprits) == (50, 61, True)
    # All are shown by one group and occur once, so they stand by name.
    assert table.rows[0] == ("w00", 1, 1, "1")


def test_what_stands_in_the_way_is_counted_though_only_the_first_are_told(command):
    # Thirty questions have a word of their own, which can only be in train; the others share theirs.
    shared = [
        f"who has {animal} {place}" for animal in ("dogs", "cats", "cows") for place in ("here", "home", "outside")
    ]
    asked = [*(f"who has w{k:02}" for k in range(30)), *shared, *shared]
    Path("q.csv").write_text("id,question,answer\n" + "".join(f"{k},{q},x\n" for k, q in enumerate(asked)))
    assert command("run", "cover", "q.csv", "--out", "d").code in (0, 3)
    table = json.loads(Path("d/report.json").read_text())["tables"]["concepts in the way"]
    assert (len(table["rows"]), table["total"], table["culprits"]) == (20, 30, True)
    assert "These are the first 20 of 30." in Path("d/report.md").read_text()
    assert command("verify", "d").code == 0


def test_what_is_held_out_is_counted_though_only_the_first_thousand_are_told(command):
    # Every row has a word of its own, and nine in ten are to be test.
    Path("q.csv").write_text("id,question,answer\n" + "".join(f"{k},who has w{k:04},x\n" for k in range(1200)))
    ran = command("run", "unseen_word", "q.csv", "--share", "test=0.9", "--out", "d")
    assert ran.code in (0, 3), ran
    report = json.loads(Path("d/report.json").read_text())
    table = report["tables"]["held out"]
    assert len(table["rows"]) == 1000
    assert table["total"] == report["subject"]["splitter"]["words held out"] == 1080


# --- example rows


CULPRITS = Table(("value", "example in train", "example in test"), (("v", "b", "c"), ("w", "a", "c")), culprits=True)


def test_rows_that_culprits_name_stand_there_as_written_by_id():
    made = questions(
        ("c", "test", " Who is it? ", "Me "), ("b", "train", "Where?", "Here"), ("a", "train", "Why", "no"),
        ("d", "test", "?", "-"),
        images="ijkl",
    )  # fmt: skip
    split = Split(("train", "test"), np.array([1, 0, 0, 1], dtype=np.int16))
    found = with_example_rows(made[0], split, {"culprits": CULPRITS})
    assert list(found) == ["culprits", "example rows"]
    assert found["example rows"].to_json() == {
        "columns": ["id", "part", "question", "answer", "image"],
        "rows": [
            ["a", "train", "Why", "no", "k"], ["b", "train", "Where?", "Here", "j"],
            ["c", "test", " Who is it? ", "Me ", "i"],
        ],
    }  # fmt: skip


def test_what_rows_do_not_have_is_no_column():
    made = questions(("a", "train", "Why", "no"), ("b", "train", "Why", "no"), ("c", "test", "Why", "no"))
    assert with_example_rows(*made, {"culprits": CULPRITS})["example rows"].columns == (
        "id", "part", "question", "answer",
    )  # fmt: skip


def test_only_culprits_name_rows_and_without_any_there_is_no_table():
    made = questions(("a", "train", "Why", "no"), ("b", "train", "Why", "no"), ("c", "test", "Why", "no"))
    other = Table(CULPRITS.columns, CULPRITS.rows)
    assert list(with_example_rows(*made, {"t": other})) == ["t"]
    nobody = Table(("value", "example in train"), (("v", None),), culprits=True)
    assert list(with_example_rows(*made, {"t": nobody})) == ["t"]


def test_rows_of_one_id_in_two_parts_are_told_apart():
    made = questions(("a", "train", "Why", "no"), ("a", "test", "Who", "me"), ("b", "test", "How", "so"))
    table = Table(("value", "example in train", "example in test"), (("v", "a", "a"),), culprits=True)
    assert with_example_rows(*made, {"t": table})["example rows"].rows == (
        ("a", "train", "Why", "no"), ("a", "test", "Who", "me"),
    )  # fmt: skip


def test_of_each_table_the_first_fifty_count_and_of_all_a_thousand():
    n = 1200
    made = questions(*[(f"{k:04}", "train" if k % 2 else "test", "Why", "no") for k in range(n)])
    long = Table(("value", "example in test"), tuple(("v", f"{2 * k:04}") for k in range(60)), culprits=True)
    found = with_example_rows(*made, {"t": long})["example rows"]
    assert [row[0] for row in found.rows] == [f"{2 * k:04}" for k in range(50)]
    assert found.total is None
    # 22 tables of 50 different rows: 45 of each are told, and 10 that stand next in the first tables.
    many = {
        f"t{t:02}": Table(
            ("value", "example in test"), tuple(("v", f"{(50 * t + k):04}") for k in range(50)), culprits=True
        )
        for t in range(22)
    }
    rows, _ = made
    found = with_example_rows(rows, Split(("train", "test"), np.ones(n, dtype=np.int16)), many)["example rows"]
    assert (len(found.rows), found.total) == (1000, 1100)
    told = Counter(int(row[0]) // 50 for row in found.rows)
    assert sorted(told.values()) == [45] * 12 + [46] * 10
    assert {int(row[0]) % 50 for row in found.rows if int(row[0]) // 50 == 21} == set(range(45))


def test_scenes_are_told_by_their_classes_the_commonest_first():
    made = scenes(
        ("b", "train", "zaz"), ("a", "test", "abcdefghijklmnn"), ("c", "test", "abcdefghijkl"), ("d", "test", "")
    )
    table = Table(("value", "example in train", "example in test"), (("v", "b", x) for x in "acd"), culprits=True)
    found = with_example_rows(*made, {"t": Table(table.columns, tuple(table.rows), culprits=True)})["example rows"]
    assert found.columns == ("id", "part", "objects")
    assert found.rows == (
        ("a", "test", "n, a, b, c, d, e, f, g, h, i, j, k and 2 more"), ("b", "train", "z, a"),
        ("c", "test", "a, b, c, d, e, f, g, h, i, j, k, l"), ("d", "test", ""),
    )  # fmt: skip


@pytest.mark.parametrize("how", [{"part_column": "part"}, {"random_splits": 2, "share": {"test": "0.5"}}])
def test_audits_tell_the_rows_also_of_the_first_random_split(how, tmp_path):
    file = tmp_path / "q.csv"
    file.write_text(
        "id,question,answer,part\n" + "\n".join(f"{k},w{k} is,me,{'train' if k < 4 else 'test'}" for k in range(8))
    )
    report = api.audit(file, **how)
    end = " (run 0)" if "random_splits" in how else ""
    table = report.tables[f"example rows{end}"]
    assert table.columns == ("id", "part", "question", "answer")
    named = {row[2]: row[0] for row in report.tables[f"concepts of test unseen in train{end}"].rows}
    said = {row[0]: row[2] for row in table.rows if row[1] == "test"}
    assert {said[name] for name in named} == {f"w{name} is" for name in named}
    assert len(named) == 4

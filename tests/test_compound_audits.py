"""Common and novel compounds against plain Python, and the audits of templates, richness and vocabulary by hand."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import UnknownNameError
from compsplit.extractors import prepared
from compsplit.model import Audited, Column, QATable, Rows, Split, Undefined, texts
from compsplit.readers.scene_building import SceneBuilder
from compsplit.registry import plugin

Scene = tuple[list[str], list[tuple[int, str, int]]]
"""Classes of the objects, and relations between their places."""


def scene_rows(scenes: list[Scene]) -> Rows:
    builder = SceneBuilder()
    for classes, relations in scenes:
        builder.extend(
            [len(classes)], classes, n_relations=[len(relations)], subjects=[a for a, *_ in relations],
            predicates=[p for _, p, _ in relations], objects=[b for *_, b in relations],
        )  # fmt: skip
    names = [f"s{i}" for i in range(len(scenes))]
    table = builder.table(
        format="scenes",
        ids=names,
        images=Column.of(names),
        sources=Column.absent(len(scenes)),
        rules={"aliases": "none"},
    )
    rows: Rows = prepared(table)
    found = [plugin("extractor", name).make(table, rows) for name in ("object-pairs", "relations", "object-classes")]
    return dataclasses.replace(rows, compounds={each.of: each for each in found})


def question_rows(
    *rows: tuple[str, str], extractors: tuple[str, ...] = ("word-ngrams",), **columns: list[str | None]
) -> Rows:
    """Return rows given as (question, answer), with further columns."""
    n = len(rows)
    absent = Column.absent(n)
    table = QATable(
        format="table", ids=texts(f"r{i}" for i in range(n)), images=absent, questions=Column.of(q for q, _ in rows),
        answers=Column.of(a for _, a in rows), question_types=absent, answer_types=absent, origins=absent,
        sources=absent, n_answers=np.ones(n, dtype=np.int64),
        columns={name: Column.of(values) for name, values in columns.items()},
    )  # fmt: skip
    made: Rows = prepared(table)
    found = [plugin("extractor", name).make(table, made) for name in extractors]
    return dataclasses.replace(made, compounds={each.of: each for each in found})


def parts(*part_of_row: int) -> Split:
    return Split(("train", "test"), np.array(part_of_row, dtype=np.int16))


def audit(name: str, rows: Rows, split: Split, **options: Any) -> Audited:
    audited: Audited = plugin("audit", name).make(rows, split, **options)
    return audited


def values(audited: Audited, of: str) -> dict[tuple[str, str | None], Any]:
    """Return value by name and unit."""
    return {(m.name, m.options.get("unit")): m.value for m in audited.measures if m.of == of}


# --- common and novel compounds


@pytest.mark.parametrize("which", ["hand", "random"])
def test_shares_and_sizes_of_the_brute_force_oracle(which, shared):
    folder = shared / "oracles" / "copair_bruteforce"
    given_scenes = json.loads((folder / f"{which}_scenes.json").read_text())
    figures = json.loads((folder / f"{which}_expected.json").read_text())
    scenes: list[Scene] = []
    for scene in (*given_scenes["train"], *given_scenes["test"]):
        place = {each["id"]: k for k, each in enumerate(scene["objects"])}
        relations = [(place[a], p, place[b]) for a, p, b in scene["relations"]]
        scenes.append(([each["class"] for each in scene["objects"]], relations))
    n_test = len(given_scenes["test"])
    rows = scene_rows(scenes)
    audited = audit("common-compounds", rows, parts(*[0] * (len(scenes) - n_test), *[1] * n_test))
    share = Fraction(figures["pair_alternatives"]["share of test pairs that are common"]["fraction"])
    assert values(audited, "object pairs")["common-compounds", "instances"] == share
    for of, name, kind in (
        ("object pairs", "all pairs per test scene, common or not", "pair_alternatives"),
        ("relations", "all relations per test scene", "relation_alternatives"),
    ):
        n = next(m.n for m in audited.measures if (m.of, m.options["unit"]) == (of, "instances"))
        assert Fraction(n, n_test) == Fraction(figures[kind][name]["fraction"])


TRAIN: list[Scene] = [(["a", "b"], [(0, "on", 1)]), (["c"], []), (["a", "a"], [(0, "by", 1)])]
TEST: list[Scene] = [
    (["a", "b", "b"], [(0, "on", 1), (0, "on", 2), (1, "on", 0)]),  # ab ab common, bb novel
    (["a", "c"], []),  # ac novel
    (["a", "d"], [(0, "on", 1)]),  # ad has an unseen atom
    ([], []),
]


def by_hand() -> tuple[Rows, Split]:
    return scene_rows([*TRAIN, *TEST]), parts(0, 0, 0, 1, 1, 1, 1)


def test_common_and_novel_compounds_by_hand():
    rows, split = by_hand()
    common = audit("common-compounds", rows, split)
    assert values(common, "object pairs") == {
        ("common-compounds", "instances"): Fraction(2, 5),
        ("common-compounds", "distinct"): Fraction(1, 4),
    }
    assert values(common, "relations") == {
        ("common-compounds", "instances"): Fraction(2, 4),
        ("common-compounds", "distinct"): Fraction(1, 3),
    }
    novel = audit("novel-compounds", rows, split)
    assert values(novel, "object pairs") == {
        ("novel-compounds", None): Fraction(2, 4),
        ("compounds-with-unseen-atoms", None): Fraction(1, 4),
        ("rows-with-novel-compounds", None): Fraction(2, 4),
        ("rows-with-unseen-atoms", None): Fraction(1, 4),
    }
    assert values(novel, "relations")["novel-compounds", None] == Fraction(1, 3)  # b on a
    a_row = audit("novel-compounds-a-row", rows, split)
    assert values(a_row, "object pairs") == {("novel-compounds-a-row", None): Fraction(2, 4)}


def test_the_commonest_are_named_with_the_least_ids_of_rows_that_have_them():
    rows, split = by_hand()
    tables = audit("common-compounds", rows, split).tables | audit("novel-compounds", rows, split).tables
    assert tables["common object pairs of test and train"].rows == (("a | b", 1, 2, "s0", "s3"),)
    assert tables["novel object pairs of test"].rows == (("a | c", 0, 1, None, "s4"), ("b | b", 0, 1, None, "s3"))
    assert tables["common relations of test and train"].rows == (("a | on | b", 1, 2, "s0", "s3"),)
    assert tables["novel relations of test"].rows == (("b | on | a", 0, 1, None, "s3"),)
    assert tables["common object classes of test and train"].rows[0] == ("a", 3, 3, "s0", "s3")


def test_no_more_than_fifty_are_named_of_how_many_there_are():
    # 11 objects of different classes have 55 pairs; 45 of them are of the first 10.
    scene: Scene = ([chr(97 + k) for k in range(11)], [])
    few: Scene = (scene[0][:10], [])
    whole = audit("common-compounds", scene_rows([scene, scene]), parts(0, 1)).tables
    common = whole["common object pairs of test and train"]
    assert (len(common.rows), common.total, common.culprits) == (50, 55, True)
    less = audit("common-compounds", scene_rows([few, scene]), parts(0, 1)).tables
    common = less["common object pairs of test and train"]
    assert (len(common.rows), common.total, common.culprits) == (45, None, True)


def test_rows_are_counted_by_their_common_compounds_in_powers_of_two():
    # n objects of one class have n (n - 1) / 2 pairs: 0, 0, 1, 3, 6 and 10.
    scenes: list[Scene] = [(["a"] * n, []) for n in (0, 1, 2, 3, 4, 5)]
    audited = audit("common-compounds", scene_rows([(["a", "a"], []), *scenes]), parts(0, *[1] * 6))
    lines = audited.tables["scenes of test by common object pairs"].rows
    assert lines == (("0", 2), ("1", 1), ("2-3", 1), ("4-7", 1), ("8-15", 1))
    (without,) = (f for f in audited.findings if "(object pairs)" in f.message)
    assert (without.kind, without.count) == ("rows-without-common", 2)


@pytest.mark.parametrize(("train", "test"), [((0,), ()), ((), (0,))])
def test_against_or_of_a_part_without_rows_nothing_is_said(train, test):
    rows = scene_rows([TRAIN[0]])
    split = parts(*[0 for _ in train], *[1 for _ in test])
    for name in ("common-compounds", "novel-compounds", "novel-compounds-a-row"):
        for measure in audit(name, rows, split).measures:
            assert isinstance(measure.value, Undefined)
            assert ("test" if train else "train") in measure.value.reason


def test_a_train_part_of_empty_scenes_shares_nothing():
    rows = scene_rows([([], []), (["a", "b"], [(0, "on", 1)])])
    assert set(values(audit("common-compounds", rows, parts(0, 1)), "object pairs").values()) == {0}
    novel = values(audit("novel-compounds", rows, parts(0, 1)), "relations")
    assert novel["novel-compounds", None] == 0
    assert novel["compounds-with-unseen-atoms", None] == novel["rows-with-unseen-atoms", None] == 1


def test_every_count_repeats_its_rules_and_says_what_it_is_over():
    rows, split = by_hand()
    for name in ("common-compounds", "novel-compounds", "novel-compounds-a-row", "atom-divergence"):
        for measure in audit(name, rows, split).measures:
            if measure.of in ("object pairs", "relations"):
                assert measure.options["aliases"] == "none"
                assert measure.options["case"] == "lower"
    units = {m.n_unit for m in audit("common-compounds", rows, split).measures}
    assert units >= {"pairs of test", "different pairs of test", "triples of test", "classes of test"}


SCENES = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.lists(st.sampled_from("abcd"), max_size=5).flatmap(
            lambda classes: st.tuples(
                st.just(classes),
                st.lists(
                    st.tuples(st.integers(0, 4), st.sampled_from(["on", "by"]), st.integers(0, 4)).filter(
                        lambda r: r[0] != r[2] and max(r[0], r[2]) < len(classes)
                    ),
                    max_size=3,
                )
                if len(classes) > 1
                else st.just([]),
            )
        ),
    ),
    min_size=2,
    max_size=8,
)


@settings(deadline=None, max_examples=n_shown(60))
@given(SCENES)
def test_common_and_novel_compounds_are_those_of_their_definitions(drawn):
    rows = scene_rows([scene for _, scene in drawn])
    split = parts(*[part for part, _ in drawn])

    def pairs_of(scene: Scene) -> list[Any]:
        return [tuple(sorted(pair)) for pair in combinations(scene[0], 2)]

    def triples_of(scene: Scene) -> list[Any]:
        return [(scene[0][a], p, scene[0][b]) for a, p, b in scene[1]]

    kinds = {
        "object pairs": (
            pairs_of,
            lambda scene: [("class", c) for c in scene[0]],
            lambda pair: [("class", c) for c in pair],
        ),
        "relations": (
            triples_of,
            lambda scene: [*(("class", c) for c in scene[0]), *(("predicate", p) for _, p, _ in scene[1])],
            lambda t: [("class", t[0]), ("predicate", t[1]), ("class", t[2])],
        ),
    }  # fmt: skip
    train, test = ([scene for part, scene in drawn if part == which] for which in (0, 1))
    common, novel, a_row = (
        audit(name, rows, split) for name in ("common-compounds", "novel-compounds", "novel-compounds-a-row")
    )
    for of, (compounds_of, atoms_of, made_of) in kinds.items():
        seen = {each for scene in train for each in compounds_of(scene)}
        seen_atoms = {atom for scene in train for atom in atoms_of(scene)}
        held = Counter(each for scene in test for each in compounds_of(scene))
        new = {c for c in held if c not in seen and all(atom in seen_atoms for atom in made_of(c))}
        strange = {c for c in held if c not in seen and c not in new}
        expected = {
            ("common-compounds", "instances"): (sum(n for c, n in held.items() if c in seen), held.total()),
            ("common-compounds", "distinct"): (len(held.keys() & seen), len(held)),
            ("novel-compounds", None): (len(new), len(held)),
            ("compounds-with-unseen-atoms", None): (len(strange), len(held)),
            ("rows-with-novel-compounds", None): (sum(bool(new & {*compounds_of(s)}) for s in test), len(test)),
            ("rows-with-unseen-atoms", None): (sum(not {*atoms_of(s)} <= seen_atoms for s in test), len(test)),
            ("novel-compounds-a-row", None): (sum(len(new & {*compounds_of(s)}) for s in test), len(test)),
        }
        found = values(common, of) | values(novel, of) | values(a_row, of)
        for key, (count, whole) in expected.items():
            if whole and train:
                assert found[key] == Fraction(count, whole), (of, key)
            else:
                assert isinstance(found[key], Undefined), (of, key)


# --- coverage of atoms


def test_atoms_of_compounds_have_a_coverage_after_the_concepts():
    rows, split = by_hand()
    found = [(m.of, m.value) for m in audit("coverage", rows, split).measures]
    assert found == [("object classes", Fraction(3, 4)), ("object classes and predicates", Fraction(4, 5))]
    weighted = [(m.of, m.value) for m in audit("weighted-coverage", rows, split).measures]
    assert weighted == [("object classes", Fraction(6, 7)), ("object classes and predicates", Fraction(10, 11))]


# --- templates


def test_templates_are_the_columns_that_say_so():
    columns: dict[str, list[str | None]] = {"query": ["x", "y", "x", "z"], "program": ["p", "p", "p", None]}
    rows = question_rows(*[("q", "a")] * 4, **columns)
    audited = audit("template-overlap", rows, parts(0, 0, 1, 1))
    assert {(m.of, m.options["unit"]): m.value for m in audited.measures} == {
        ("program", "rows"): 1, ("program", "distinct"): 1,
        ("query", "rows"): Fraction(1, 2), ("query", "distinct"): Fraction(1, 2),
    }  # fmt: skip
    assert {f.kind for f in audited.findings} == {"shared-templates"}
    assert audit("template-overlap", question_rows(("q", "a"), ("q", "a")), parts(0, 1)) == Audited()


# --- answer priors of groups


def test_answers_may_be_grouped_by_any_column():
    rows = question_rows(*[("q", a) for a in ("x", "x", "y", "x", "y")], room=["k", "k", "l", "k", "k"])
    (measure,) = audit("answer-priors", rows, parts(0, 0, 0, 1, 1), group="room").measures
    # Only k is in both; y and x are equally common in test, so the commonest need not differ.
    assert (measure.of, measure.value, measure.n) == ("values of room", 0, 1)
    assert measure.options == {"group": "room"}
    audited = audit("answer-priors", rows, parts(0, 0, 0, 1, 1), group="room")
    assert audited.tables["values of room of train and test"].rows[0][:3] == ("k", 2, 2)
    with pytest.raises(UnknownNameError, match=r'There is no column "rooom"\. Did you mean "room"\?'):
        audit("answer-priors", rows, parts(0, 0, 0, 1, 1), group="rooom")


# --- richness, sizes, vocabulary


def test_richness_of_scenes_counts_what_each_part_and_the_whole_has():
    rows, split = by_hand()
    audited = audit("richness", rows, split)
    found = {(m.of, m.part): m.value for m in audited.measures}
    assert {part: found["object classes", part] for part in ("whole", "train", "test")} == {
        "whole": 4, "train": 3, "test": 4,
    }  # fmt: skip
    assert found["object classes and predicates", "test"] == 5
    assert found["image", "whole"] == 7
    assert found["objects in all", "test"] == 7
    assert found["relations in all", "train"] == 2


def test_sizes_of_scenes_are_called_scenes():
    audited = audit("sizes", *by_hand())
    assert audited.tables["table 1"].columns[2] == "scenes"
    assert {m.name for m in audited.measures} >= {"scenes", "images"}


def test_a_question_is_covered_if_the_other_has_each_of_its_words():
    rows = question_rows(
        ("What is red?", "Yes"), ("is it", "no"), ("is RED what", "yes."), ("is it blue", "no"), ("?", "maybe")
    )
    audited = audit("vocabulary-coverage", rows, parts(0, 0, 1, 1, 1))
    found = {m.of: (m.value, m.n) for m in audited.measures}
    # The question without a word is left aside; "Yes" and "yes." are one answer.
    assert found == {"questions by their words": (Fraction(1, 2), 2), "answers": (Fraction(2, 3), 3)}


def test_against_an_empty_vocabulary_nothing_is_covered_or_not():
    rows = question_rows(("?", "a"), ("is it", "a"))
    found = {m.of: m.value for m in audit("vocabulary-coverage", rows, parts(0, 1)).measures}
    assert found["questions by their words"] == Undefined("train has no question with a word")


# --- parts in one another


def test_a_part_whose_every_record_is_in_another_is_reported():
    rows = question_rows(("a", "x"), ("b", "x"), ("a", "x"), ("c", "x"))
    repeated = dataclasses.replace(rows, columns={**rows.columns, "id": Column.of(["1", "2", "1", "3"])})

    def kinds(*part_of_row: int) -> dict[str, Any]:
        split = Split(("train", "val", "test"), np.array(part_of_row, dtype=np.int16))
        return {f.kind: (f.first, f.count) for f in audit("id-overlap", repeated, split).findings}

    assert kinds(0, 0, 1, 2)["contained-part"] == (("val", "train"), 1)
    assert "contained-part" not in kinds(0, 0, 1, 1)  # val has a record that train lacks
    assert "identical-parts" in kinds(0, 2, 1, 2)


def test_scenes_with_the_same_ids_and_other_objects_are_not_the_same_records():
    rows = scene_rows([(["a", "b"], []), (["a", "c"], [])])
    repeated = dataclasses.replace(
        rows, columns={**rows.columns, "id": Column.of(["1", "1"]), "image": Column.of(["1", "1"])}
    )
    assert "identical-parts" not in {f.kind for f in audit("id-overlap", repeated, parts(0, 1)).findings}

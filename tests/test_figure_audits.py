"""What figures are drawn of: openings of questions, classes together in scenes, object shares; by hand and naively."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import OptionValueError
from compsplit.extractors import prepared
from compsplit.model import Audited, Column, QATable, Rows, SceneTable, Split, Undefined, texts
from compsplit.model.scenes import starts_of
from compsplit.order import name_hashes, seeded_order
from compsplit.registry import plugin

PARTS = ("train", "val", "test")
Scene = list[tuple[str, list[str]]]
"""Objects with their attributes; each is on the one before it."""


def audited(name: str, rows: Rows, split: Split, **options: Any) -> Audited:
    found: Audited = plugin("audit", name).make(rows, split, **options)
    return found


def split_of(parts: list[int], n_parts: int = 2, **facts: Any) -> Split:
    names = ("train", "test") if n_parts == 2 else PARTS
    return Split(names, np.array(parts, dtype=np.int16), facts=facts)


def questions(asked: list[str | None], ids: list[str] | None = None) -> Rows:
    absent = Column.absent(len(asked))
    table = QATable(
        format="table", ids=texts(ids or [f"q{i:02}" for i in range(len(asked))]), images=absent,
        questions=Column.of(asked), answers=absent, question_types=absent, answer_types=absent, origins=absent,
        sources=absent, n_answers=np.ones(len(asked), dtype=np.int64),
    )  # fmt: skip
    rows: Rows = prepared(table)
    return rows


def scenes(given_scenes: list[Scene], extracted: tuple[str, ...] = ("object-pairs",), *names_of_first: str) -> Rows:
    """Return scenes with what is extracted; the first object has further names."""
    n_objects = np.array([len(each) for each in given_scenes], dtype=np.int64)
    objects = [each for scene in given_scenes for each in scene]
    first = starts_of(n_objects)
    on = [int(first[s]) + k for s, scene in enumerate(given_scenes) for k in range(1, len(scene))]
    names = [f"s{i:02}" for i in range(len(given_scenes))]
    table = SceneTable(
        format="scenes", ids=texts(names), images=Column.of(names), sources=Column.absent(len(names)),
        object_starts=first, classes=Column.of(name for name, _ in objects),
        attribute_starts=starts_of(np.array([len(each) for _, each in objects], dtype=np.int64)),
        attributes=Column.of(each for _, some in objects for each in some),
        relation_starts=starts_of(np.maximum(n_objects - 1, 0)),
        subjects=np.array(on, dtype=np.int32), objects=np.array(on, dtype=np.int32) - np.int32(1),
        predicates=Column.of("on" for _ in on),
        further_objects=np.zeros(len(names_of_first), dtype=np.int32), further_names=Column.of(names_of_first),
    )  # fmt: skip
    rows: Rows = prepared(table)
    found = [plugin("extractor", name).make(table, rows) for name in extracted]
    return dataclasses.replace(rows, compounds={each.of: each for each in found})


def plain(*classes: str) -> Scene:
    return [(name, []) for name in classes]


# --- openings of questions


def openings(rows: Rows, split: Split, **options: Any) -> Any:
    return audited("question-openings", rows, split, **options).tables["openings of questions"]


def test_openings_stand_below_what_they_go_on_from_and_the_commonest_first():
    rows = questions(["What color is the cat?", "is it", "what COLOR is the dog", "What kind", "how many", "is  it?"])
    table = openings(rows, split_of([0, 0, 0, 1, 1, 1]))
    assert table.columns == ("word 1", "word 2", "word 3", "word 4", "train", "test")
    assert table.rows == (
        ("", "", "", "", 3, 3),
        ("what", "", "", "", 2, 1),
        ("what", "color", "", "", 2, 0),
        ("what", "color", "is", "", 2, 0),
        ("what", "color", "is", "the", 2, 0),
        ("what", "kind", "", "", 0, 1),
        ("is", "", "", "", 1, 1),
        ("is", "it", "", "", 1, 1),
        ("how", "", "", "", 0, 1),
        ("how", "many", "", "", 0, 1),
    )
    assert table.total is None


def test_an_opening_stands_in_the_table_from_half_a_percent_of_some_part_on():
    # 1 of 200 in train is 0.5 %, 1 of 201 in test is less; "b" has 2 of 401 in all.
    asked = ["a"] * 198 + ["b", "c"] + ["a"] * 198 + ["b", "d", "e f"]
    table = openings(questions(asked), split_of([0] * 200 + [1] * 201))
    assert [row[:2] for row in table.rows] == [("", ""), ("a", ""), ("b", ""), ("c", "")]
    assert table.rows[0][4:] == (200, 201)
    assert table.rows[2][4:] == (1, 1)
    assert table.total == 7  # all, a, b, c, d, e, e f


def test_parts_are_as_far_apart_in_openings_as_in_their_first_words():
    rows = questions(["what is it", "what is that", "what are", "what is it", "how are you"])
    found = audited("question-openings", rows, split_of([0, 0, 0, 1, 1]))
    values = {m.of: m.value for m in found.measures}
    assert values == {
        "first word": Fraction(1, 2),
        # what is: 2/3 and 1/2; what are: 1/3 and 0; how are: 0 and 1/2.
        "first two words": Fraction(1, 2),
        # what is it: 1/3 and 1/2; what is that 1/3 and 0; what are: 1/3 and 0; how are you: 0 and 1/2.
        "first three words": Fraction(2, 3),
    }
    assert {(m.name, m.reference, m.part, m.n, m.n_unit) for m in found.measures} == {
        ("total-variation", "train", "test", 2, "questions of test")
    }


def test_questions_without_words_and_rows_without_questions_begin_with_nothing():
    found = audited("question-openings", questions(["???", "who", None, "who"]), split_of([0, 0, 0, 1]))
    assert found.tables["openings of questions"].rows == (("", "", "", "", 2, 1), ("who", "", "", "", 1, 1))
    assert [m.value for m in found.measures] == [Fraction(1, 2)] * 3
    (finding,) = found.findings
    assert (finding.kind, finding.count) == ("questions-without-words", 1)
    assert finding.message == "1 question holds no word, and so the openings lack it."


def test_a_sample_is_drawn_of_the_parts_that_are_greater_and_told():
    asked = [*(f"{word} {n}" for word in ("who", "what") for n in range(10)), None]
    ids = [f"id {i}" for i in range(21)]
    parts = [0] * 15 + [1] * 6
    found = audited("question-openings", questions(asked, ids), split_of(parts), most_questions=6)
    drawn = [ids[i] for i in seeded_order(name_hashes(ids[:15], 15), 0, ids[:15])[:6].tolist()]
    begun = Counter("who" if ids.index(each) < 10 else "what" for each in drawn)
    assert 0 < begun["who"] < 6
    rows = {row[0]: row[4:] for row in found.tables["openings of questions"].rows if not row[1]}
    assert rows == {"": (6, 5), "who": (begun["who"], 0), "what": (begun["what"], 5)}
    assert all(m.options == {"most_questions": 6} and m.n == 5 for m in found.measures)
    (finding,) = found.findings
    assert (finding.kind, finding.count) == ("sampled-questions", 11)
    assert finding.first == (("train", 6, 15), ("test", 5, 5))
    assert "6 of 15 of train, 5 of 5 of test" in finding.message


def test_a_sample_that_all_questions_fit_in_is_the_whole():
    rows, split = questions(["who is it", "what", "who"]), split_of([0, 0, 1])
    found = audited("question-openings", rows, split, most_questions=2)
    assert found.tables == audited("question-openings", rows, split).tables
    assert found.findings == ()


def test_a_sample_of_no_question_is_refused():
    with pytest.raises(OptionValueError, match=r"question-openings\.most_questions is 0; expected a whole number of"):
        audited("question-openings", questions(["who"]), split_of([0]), most_questions=0)


def test_the_command_takes_the_number_of_questions_as_a_reading(command):
    for part, n in (("train", 5), ("test", 3)):
        Path(f"{part}.csv").write_text("id,question,answer\n" + "".join(f"{part}{i},who is {i},x\n" for i in range(n)))
    ran = command(
        "audit", "train=train.csv", "test=test.csv", "--reading", "question-openings.most_questions=4", "--json"
    )
    assert ran.code == 0
    assert ran.json["tables"]["openings of questions"]["rows"][:2] == [
        ["", "", "", "", 4, 3],
        ["who", "", "", "", 4, 3],
    ]
    (finding,) = (f for f in ran.json["findings"] if f["kind"] == "sampled-questions")
    assert finding["first"] == [["train", 4, 5], ["test", 3, 3]]


ASKED = st.lists(
    st.tuples(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), st.integers(0, 2)), min_size=1, max_size=15
)


@settings(max_examples=n_shown(60), deadline=None)
@given(ASKED, st.none() | st.integers(1, 6), st.randoms())
def test_openings_are_those_of_their_definition_whatever_the_order_of_rows(given_rows, most, random):
    asked, parts = [" ".join(words) for words, _ in given_rows], [part for _, part in given_rows]
    ids = [f"q{i}" for i in range(len(asked))]
    table = openings(questions(asked, ids), split_of(parts, 3), most_questions=most)
    counts = []
    for part in range(3):
        mine = [i for i in range(len(ids)) if parts[i] == part]
        names = [ids[i] for i in mine]
        order = seeded_order(name_hashes(names, len(names)), 0, names).tolist() if mine else []
        words = [tuple(asked[mine[i]].split()[:4]) for i in order[:most]]
        counts.append(Counter(each[:k] for each in words for k in range(len(each) + 1)))
    whole = sum(counts, Counter())
    by_hand = {prefix: tuple(each[prefix] for each in counts) for prefix in whole}
    assert {tuple(word for word in row[:4] if word): row[4:] for row in table.rows} == by_hand
    assert len(table.rows) == len(by_hand)
    shown = [tuple(word for word in row[:4] if word) for row in table.rows]
    assert shown[0] == ()
    assert shown == sorted(shown, key=lambda prefix: [(-whole[prefix[: k + 1]], w) for k, w in enumerate(prefix)])
    order = random.sample(range(len(ids)), len(ids))
    again = questions([asked[i] for i in order], [ids[i] for i in order])
    assert openings(again, split_of([parts[i] for i in order], 3), most_questions=most) == table


# --- classes together in scenes


def together(rows: Rows, split: Split) -> Any:
    return audited("class-co-occurrence", rows, split).tables["classes together in scenes"]


def test_scenes_are_counted_not_objects_and_no_pair_is_left_out():
    given_scenes = [plain("dog", "man", "dog"), plain("man"), plain("cat"), plain("man", "dog"), plain()]
    found = audited("class-co-occurrence", scenes(given_scenes), split_of([0, 0, 0, 1, 1]))
    table = found.tables["classes together in scenes"]
    assert table.columns == ("class", "other class", "group", "other group", "train", "test")
    assert table.rows == (
        ("man", "man", None, None, 2, 1),
        ("man", "dog", None, None, 1, 1),
        ("man", "cat", None, None, 0, 0),
        ("dog", "dog", None, None, 1, 1),
        ("dog", "cat", None, None, 0, 0),
        ("cat", "cat", None, None, 1, 0),
    )
    # Train holds 2 + 1 + 1 different classes in 3 scenes, test 2 + 0 in 2.
    assert [(m.name, m.part, m.value, m.n_unit) for m in found.measures] == [
        ("mean-classes", "train", Fraction(4, 3), "scenes of train"),
        ("mean-classes", "test", Fraction(1), "scenes of test"),
    ]


def test_classes_stand_by_the_groups_of_the_split_numbers_as_numbers_then_the_commonest_first():
    given_scenes = [plain("a", "b", "c", "d"), plain("a", "b", "d"), plain("b", "d"), plain("d")]
    groups = [["a", "10"], ["b", "2"], ["c", "2"], ["never there", "1"]]
    table = together(scenes(given_scenes), split_of([0, 0, 1, 1], class_groups=groups))
    assert [row[:4] for row in table.rows] == [
        ("b", "b", "2", "2"), ("b", "c", "2", "2"), ("b", "a", "2", "10"), ("b", "d", "2", None),
        ("c", "c", "2", "2"), ("c", "a", "2", "10"), ("c", "d", "2", None),
        ("a", "a", "10", "10"), ("a", "d", "10", None),
        ("d", "d", None, None),
    ]  # fmt: skip


def test_the_commonest_twenty_four_classes_are_shown_and_all_pairs_counted():
    # c00 to c19 are in two scenes, c20 to c29 in one: names decide among these.
    given_scenes = [plain(*(f"c{i:02}" for i in range(30))), plain(*(f"c{i:02}" for i in range(20)))]
    table = together(scenes(given_scenes), split_of([0, 1]))
    assert len(table.rows) == 24 * 25 // 2
    assert {row[0] for row in table.rows} == {f"c{i:02}" for i in range(24)}
    assert table.total == 30 * 31 // 2


def test_of_an_object_with_two_names_the_first_counts_as_in_pairs():
    rows = scenes([plain("man", "dog")], ("object-pairs",), "person")
    assert [row[0] for row in together(rows, split_of([0])).rows] == ["dog", "dog", "man"]
    without_pairs = dataclasses.replace(rows, compounds={})
    assert "person" in {row[0] for row in together(without_pairs, split_of([0])).rows}


def test_a_split_by_groups_of_classes_shows_its_groups_and_its_report_is_verified(command):
    names = [("a", "c"), ("b", "d"), ("a", "b"), ("c", "d"), ("a", "d"), ("b", "c")]
    lines = [f'{{"id": "{i}", "objects": ["{one}", "{other}"]}}\n' for i, (one, other) in enumerate(names)]
    Path("s.jsonl").write_text("".join(lines))
    Path("g.csv").write_text("class,group\na,one\nc,one\nb,two\nd,two\n")
    groups = ("--set", "split.groups='g.csv'", "--set", "split.k=2")
    assert command("run", "uouc_groups", "s.jsonl", *groups, "--out", "d").code == 0
    rows = json.loads(Path("d/report.json").read_text())["tables"]["classes together in scenes"]["rows"]
    # Pairs inside a group are in train alone, others in test alone.
    assert {(*row[:2], *row[2:4]): row[4:] for row in rows if row[0] != row[1]} == {
        ("a", "c", "one", "one"): [1, 0], ("b", "d", "two", "two"): [1, 0], ("a", "b", "one", "two"): [0, 1],
        ("a", "d", "one", "two"): [0, 1], ("c", "b", "one", "two"): [0, 1], ("c", "d", "one", "two"): [0, 1],
    }  # fmt: skip
    assert command("verify", "d").code == 0
    report = json.loads(Path("d/report.json").read_text())
    report["measures"] = [m for m in report["measures"] if m["name"] != "mean-classes"]
    Path("d/report.json").write_text(json.dumps(report))
    ran = command("verify", "d")
    assert ran.code == 1
    assert "mean-classes[object classes][test]: reported not measured, is 2.0" in " ".join(ran.out.split())


def test_questions_that_are_joined_to_scenes_count_each_image_of_a_part_once(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("s.jsonl").write_text('{"id": "i1", "objects": ["man", "dog", "dog"]}\n{"id": "i2", "objects": ["man"]}\n')
    Path("a.csv").write_text("question_id,image_id,question,answer\n1,i1,who,me\n2,i1,who,it\n3,i2,who,me\n")
    Path("b.csv").write_text("question_id,image_id,question,answer\n4,i1,what,it\n")
    report = api.audit({"train": "a.csv", "test": "b.csv"}, scenes="s.jsonl")
    assert report.tables["classes together in scenes"].rows == (
        ("man", "man", None, None, 2, 1), ("man", "dog", None, None, 1, 1), ("dog", "dog", None, None, 1, 1),
    )  # fmt: skip
    assert report.get("mean-classes", part="train").value == Fraction(3, 2)
    # Objects count with each question, as in atom divergence.
    assert report.tables["object classes by part"].rows == (("dog", 4, 2), ("man", 3, 1))


def test_classes_that_questions_mention_are_counted_question_by_question(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(
        "id,image,question,answer,about,part\n1,i,who,x,man;dog,train\n2,i,who,x,man,train\n3,i,who,x,dog;man,test\n"
    )
    settings = ["extract.of='mentioned-classes'", "extract.mentions='about'"]
    report = api.audit("a.csv", part_column="part", settings=settings)
    assert report.tables["classes together in questions"].rows == (
        ("man", "man", None, None, 2, 1), ("man", "dog", None, None, 1, 1), ("dog", "dog", None, None, 1, 1),
    )  # fmt: skip
    (train, test) = (m for m in report.measures if m.name == "mean-classes")
    assert (train.value, train.n_unit, test.value) == (Fraction(3, 2), "questions of train", Fraction(2))


CLASSES = st.lists(st.tuples(st.lists(st.sampled_from("abcd"), max_size=5), st.integers(0, 2)), min_size=1, max_size=8)


@settings(max_examples=n_shown(60), deadline=None)
@given(CLASSES, st.randoms())
def test_classes_together_are_those_of_their_definition_whatever_the_order_of_rows(given_rows, random):
    held, parts = [set(classes) for classes, _ in given_rows], [part for _, part in given_rows]
    found = audited("class-co-occurrence", scenes([plain(*classes) for classes, _ in given_rows]), split_of(parts, 3))
    counts = Counter(name for each in held for name in each)
    shown = sorted(counts, key=lambda name: (-counts[name], name))
    by_hand = tuple(
        (one, other, None, None, *(sum({one, other} <= h for h, p in zip(held, parts, strict=True) if p == k)
                                   for k in range(3)))
        for one, other in combinations_with_replacement(shown, 2)
    )  # fmt: skip
    assert (found.tables["classes together in scenes"].rows if shown else ()) == by_hand
    for k, measure in enumerate(found.measures):
        sizes = [len(h) for h, p in zip(held, parts, strict=True) if p == k]
        if sizes:
            assert measure.value == Fraction(sum(sizes), len(sizes))
        else:
            assert measure.value == Undefined(f"{PARTS[k]} holds no scene")
    order = random.sample(range(len(held)), len(held))
    again = scenes([plain(*given_rows[i][0]) for i in order])
    assert audited("class-co-occurrence", again, split_of([parts[i] for i in order], 3)) == found


# --- object shares

EVERY = ("object-pairs", "attribute-objects", "relations")


def test_objects_attributes_and_predicates_of_each_part_are_counted_one_by_one():
    given_scenes: list[Scene] = [
        [("dog", ["big", "red"]), ("dog", []), ("man", ["big"])],
        [("man", [])],
        [("man", ["red"]), ("cat", [])],
    ]
    found = audited("object-shares", scenes(given_scenes, EVERY), split_of([0, 0, 1]))
    assert {name: (table.columns, table.rows) for name, table in found.tables.items()} == {
        "object classes by part": (
            ("object classes", "train", "test"), (("man", 2, 1), ("dog", 2, 0), ("cat", 0, 1))
        ),
        "attributes by part": (("attributes", "train", "test"), (("big", 2, 0), ("red", 1, 1))),
        "predicates by part": (("predicates", "train", "test"), (("on", 2, 1),)),
    }  # fmt: skip
    assert [(m.name, m.of, m.value, m.n, m.n_unit) for m in found.measures] == [
        ("total-variation", "object classes", Fraction(1, 2), 2, "occurrences in test"),
        ("total-variation", "attributes", Fraction(2, 3), 1, "occurrences in test"),
        ("total-variation", "predicates", Fraction(0), 1, "occurrences in test"),
    ]


def test_what_the_data_lack_has_no_table():
    found = audited("object-shares", scenes([plain("a", "b"), plain("a", "b")], EVERY), split_of([0, 1]))
    assert list(found.tables) == ["object classes by part", "predicates by part"]
    assert audited("object-shares", questions(["who", "what"]), split_of([0, 1])) == Audited()


def test_classes_beyond_the_commonest_fifty_are_counted_together():
    given_scenes = [plain(*(f"c{i:02}" for i in range(60))), plain(*(f"c{i:02}" for i in range(57)))]
    rows = audited("object-shares", scenes(given_scenes), split_of([0, 1])).tables["object classes by part"].rows
    assert [row[0] for row in rows[:50]] == [f"c{i:02}" for i in range(50)]
    assert rows[50:] == (("10 others", 10, 7),)


@settings(max_examples=n_shown(60), deadline=None)
@given(CLASSES, st.randoms())
def test_object_shares_are_those_of_their_definition_whatever_the_order_of_rows(given_rows, random):
    parts = [part for _, part in given_rows]
    found = audited("object-shares", scenes([plain(*classes) for classes, _ in given_rows]), split_of(parts, 3))
    counts = [Counter(name for classes, p in given_rows if p == k for name in classes) for k in range(3)]
    whole = sum(counts, Counter())
    by_hand = tuple((name, *(each[name] for each in counts)) for name in sorted(whole, key=lambda n: (-whole[n], n)))
    assert (found.tables["object classes by part"].rows if whole else ()) == by_hand
    for k, measure in enumerate(found.measures, 1):
        n, m = counts[0].total(), counts[k].total()
        if n and m:
            apart = (abs(Fraction(counts[0][name], n) - Fraction(counts[k][name], m)) for name in whole)
            assert measure.value == sum(apart, Fraction(0)) / 2
        else:
            assert measure.value == Undefined(f"{PARTS[k] if n else 'train'} has no value of object classes")
    order = random.sample(range(len(parts)), len(parts))
    again = scenes([plain(*given_rows[i][0]) for i in order])
    assert audited("object-shares", again, split_of([parts[i] for i in order], 3)) == found

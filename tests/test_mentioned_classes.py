"""The classes that questions mention: of programs, of a column, of a vocabulary; and the commonest of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import BrokenFileError, OptionValueError, UnknownNameError, UsageError
from compsplit.extractors import mentioned_classes, object_pairs, prepared
from compsplit.extractors.commonest import commonest_classes
from compsplit.model import Column, Incidence, ObjectPairs, QATable, Rows, texts
from compsplit.model.compounds import occurring
from compsplit.readers import inputs
from compsplit.registry import plugin


def read(format: str, path: Path) -> Any:
    return plugin("reader", format).make(inputs([path]))


def mentioned(found: ObjectPairs) -> list[list[str]]:
    """Return the classes of each row, and check that each is there once."""
    atoms = found.atoms
    assert (atoms.counts == 1).all()
    bags = [
        [atoms.names[code] for code in atoms.concepts[atoms.starts[bag] : atoms.starts[bag + 1]].tolist()]
        for bag in range(atoms.n_bags)
    ]
    return [bags[bag] for bag in atoms.bag_of_row.tolist()]


def table_of(questions: list[str], **columns: list[str | None]) -> tuple[QATable, Rows]:
    n = len(questions)
    absent = Column.absent(n)
    table = QATable(
        format="table", ids=texts(f"q{i}" for i in range(n)), images=absent, questions=Column.of(questions),
        answers=Column.of(["yes"] * n), question_types=absent, answer_types=absent, origins=absent, sources=absent,
        n_answers=np.ones(n, dtype=np.int64), columns={name: Column.of(values) for name, values in columns.items()},
    )  # fmt: skip
    return table, prepared(table, plugin("reducer", "lexical").make())


# --- programs


def test_programs_of_real_gqa_questions_name_classes(shared):
    table = read("gqa", shared / "data" / "gqa" / "gazevlm" / "SAMPLE-val_balanced_questions.json")
    found = mentioned_classes.extract(table, prepared(table))
    assert found.of == "mentioned class pairs"
    assert found.rules == {"classes": "of programs"}
    assert dict(zip(table.questions.values(), mentioned(found), strict=True)) == {
        "Are there carts near the pond?": ["cart", "pond"],
        "What is the device on the traffic signal that is on the left side?": ["device", "traffic light"],
        "Do you see any trash cans to the left of the car at the traffic signal?":
            ["car", "traffic light", "trash can"],
        "Who is wearing a shirt?": ["person", "shirt"],
        "Are the vase and the pitcher made of the same material?": ["pitcher", "vase"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "classes"),
    [
        ([["select", ["car"], []], ["filter color", ["red"], [0]], ["exist", [], [1]]], ["car"]),
        ([["select", ["bag"], [], False], ["exist", [], [0]]], ["bag"]),
        ([["select", ["scene"], []], ["query", ["place"], [0]]], []),
        ([["select", ["chalkboard"], []], ["relate", ["_", "above", "s"], [0]], ["query", ["name"], [1]]],
         ["chalkboard"]),
        ([["select", ["shirt"], []], ["relate", ["girl", "wearing", "s"], [0]],
          ["choose rel", ["chair", "right of|left of", "s"], [1]]], ["chair", "girl", "shirt"]),
        ([["select", ["bin"], []], ["verify rel", ["bag", "right of", "o"], [0], False]], ["bag", "bin"]),
        ([["select", ["furniture"], []], ["choose name", ["table|Arm  chair"], [0]]],
         ["arm chair", "furniture", "table"]),
        ([["select", ["fan"], []], ["relate", ["appliance", "same color", "_"], [0]],
          ["choose color", ["red|blue"], [1]]], ["appliance", "fan"]),
        ([["select", ["chair"], []], ["relate", ["chair", "near", "s"], [0]], ["exist", [], [1]]], ["chair"]),
        # CLEVR: a relation is no class, a shape is one.
        ([["scene", [], []], ["filter_shape", ["cube"], [0]], ["relate", ["left"], [1]],
          ["filter_color", ["red"], [2]], ["filter_shape", ["sphere"], [3]], ["count", [], [4]]], ["cube", "sphere"]),
    ],
)  # fmt: skip
def test_steps_that_name_classes(steps, classes):
    written = json.dumps(steps, separators=(",", ":"))
    table, rows = table_of(["what"], program=[written])
    assert mentioned(mentioned_classes.extract(table, rows)) == [classes]


def test_clevr_questions_mention_shapes(shared):
    table = read("clevr", shared / "data" / "clevr" / "closure" / "closure_train_questions.json")
    found = mentioned_classes.extract(table, prepared(table))
    assert found.atoms.names == ("cube", "cylinder", "sphere")
    for question, classes in zip(table.questions.values(), mentioned(found), strict=True):
        words = question.replace("block", "cube").replace("ball", "sphere")
        assert all(name in words for name in classes)


# --- a column, a vocabulary


def test_a_column_lists_the_classes_of_each_question():
    cells = ['["Cup", "traffic  light"]', "hat; cup;hat;", None, "", "[]", " dog "]
    table, rows = table_of([f"question {i}" for i in range(6)], seen=cells)
    found = mentioned_classes.extract(table, rows, mentions="seen")
    assert mentioned(found) == [["cup", "traffic light"], ["cup", "hat"], [], [], [], ["dog"]]
    assert found.rules == {"classes": "of column seen"}


@pytest.mark.parametrize(
    ("cell", "message"),
    [('["cup"', r"Row q1, seen: begins like a JSON list and is none"), ("[1]", r"Row q1, seen: holds something else")],
)
def test_a_cell_that_is_no_list_is_named(cell, message):
    table, rows = table_of(["a", "b"], seen=["cup", cell])
    with pytest.raises(UsageError, match=message) as refused:
        mentioned_classes.extract(table, rows, mentions="seen")
    assert (refused.value.record, refused.value.field) == ("q1", "seen")


@pytest.mark.parametrize("as_json", [False, True])
def test_names_of_a_vocabulary_are_found_in_the_words_of_reduced_questions(tmp_path, as_json):
    names = ["Light", "traffic light", "cone", "dog", "stop sign", ""]
    path = tmp_path / "classes.txt"
    path.write_text(json.dumps(names[:5]) if as_json else "\n".join(names))
    questions = [
        "What color are the cones near the traffic light?",
        "Is the light on?",
        "Are the dogs and the dog by the stop sign asleep?",
        "What time is it?",
        "Is there a sign to stop the hotdog?",
    ]
    table, rows = table_of(questions)
    found = mentioned_classes.extract(table, rows, vocabulary=str(path))
    assert mentioned(found) == [["cone", "traffic light"], ["light"], ["dog", "stop sign"], [], []]
    assert found.rules["vocabulary"]["file"] == "classes.txt"
    assert len(found.rules["vocabulary"]["sha256"]) == 64


@pytest.mark.parametrize("text", ["\n \n", "[1, 2]", '["a"'])
def test_a_vocabulary_without_names_is_refused(tmp_path, text):
    path = tmp_path / "classes.txt"
    path.write_text(text)
    table, rows = table_of(["what"])
    with pytest.raises(BrokenFileError, match=r"classes\.txt: (holds no class names|begins like a JSON list)"):
        mentioned_classes.extract(table, rows, vocabulary=str(path))


WORDS = st.lists(st.sampled_from("abc"), max_size=7)
NAMES = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=5)


@given(WORDS, NAMES)
def test_the_longest_name_at_each_place_is_found(words, names):
    found = mentioned_classes._finder(names)(words)
    expected = []
    rest = words
    while rest:
        fits = [name.split() for name in names if rest[: len(name.split())] == name.split()]
        longest = max(fits, key=len, default=None)
        if longest is not None:
            expected.append(" ".join(longest))
        rest = rest[len(longest) if longest is not None else 1 :]
    assert found == expected


# --- what cannot be had


def test_something_must_say_which_classes_are_mentioned(tmp_path):
    table, rows = table_of(["what"], seen=["cup"])
    with pytest.raises(UsageError, match=r"No row has a program.*extract\.mentions=COLUMN.*extract\.vocabulary=FILE"):
        mentioned_classes.extract(table, rows)
    with pytest.raises(UsageError, match=r"A column or a vocabulary says"):
        mentioned_classes.extract(table, rows, mentions="seen", vocabulary=str(tmp_path / "x"))
    with pytest.raises(UnknownNameError, match='There is no column "sen"'):
        mentioned_classes.extract(table, rows, mentions="sen")
    with pytest.raises(UnknownNameError, match='no column with values "image"'):
        mentioned_classes.extract(table, rows, mentions="image")


def test_scenes_mention_nothing(shared):
    table = read("clevr-scenes", shared / "data" / "clevr" / "too_clevr" / "CLEVR_val_scenes_500.json")
    with pytest.raises(UsageError, match="these rows are scenes: extract object-pairs"):
        mentioned_classes.extract(table, prepared(table))


# --- the commonest classes


def held_by(scenes: list[list[str]]) -> Incidence:
    owners = np.repeat(np.arange(len(scenes), dtype=np.int32), [len(each) for each in scenes])
    return occurring("object classes", len(scenes), owners, Column.of([name for each in scenes for name in each]))


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=12), st.integers(0, 7))
def test_the_commonest_classes_are_kept_with_their_counts(scenes, n):
    flat = [name for scene in scenes for name in scene]
    by_count = sorted(set(flat), key=lambda name: (-flat.count(name), name))
    kept = by_count[:n] if n else by_count
    found = commonest_classes(held_by(scenes), n)
    assert list(found.names) == sorted(kept)
    for bag, scene in zip(found.bag_of_row.tolist(), scenes, strict=True):
        entries = slice(found.starts[bag], found.starts[bag + 1])
        counts = zip(found.concepts[entries].tolist(), found.counts[entries].tolist(), strict=True)
        assert {found.names[code]: count for code, count in counts} == {
            name: scene.count(name) for name in kept if name in scene
        }


def test_a_negative_number_of_classes_is_refused():
    with pytest.raises(OptionValueError, match=r"Option extract\.commonest is -1; expected a whole number"):
        commonest_classes(held_by([["a"]]), -1)


def test_pairs_of_the_commonest_classes_say_so(shared):
    table = read("vrd", shared / "data" / "vrd" / "annotations_test.json")
    rows = prepared(table)
    found = object_pairs.extract(table, rows, commonest=3)
    assert found.atoms.names == ("person", "shirt", "sky")
    assert found.rules["commonest classes"] == 3
    assert "commonest classes" not in object_pairs.extract(table, rows).rules
    questions, prepared_questions = table_of(["a", "b", "c"], seen=["cup;hat", "cup;hat", "cup;dog"])
    few = mentioned_classes.extract(questions, prepared_questions, mentions="seen", commonest=2)
    assert mentioned(few) == [["cup", "hat"], ["cup", "hat"], ["cup"]]
    assert few.rules["commonest classes"] == 2

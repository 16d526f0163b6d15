"""What every registered audit promises, on scenes and on questions with their compounds.

test_every_plugin.py has the same promises on plain questions; here the rows have object pairs, triples,
attribute-object pairs, n-grams, programs and a second image id, so that every audit has something to measure.
"""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from compsplit.extractors import prepared
from compsplit.model import Audited, Column, QATable, Rows, SceneTable, Split, Undefined, texts
from compsplit.model.scenes import starts_of
from compsplit.recipe.extraction import fitting
from compsplit.registry import plugin, plugins

Scene = tuple[str, str, list[tuple[str, list[str]]], list[tuple[int, str, int]]]
"""Id, coco id, objects with attributes, relations by place."""

SCENES: list[Scene] = [
    ("s0", "7", [("man", ["tall"]), ("dog", ["red", "big"]), ("dog", [])], [(0, "near", 1), (1, "near", 2)]),
    ("s1", "8", [("man", ["red"]), ("ball", ["red"])], [(0, "holds", 1)]),
    ("s2", "-1", [("dog", ["big"]), ("ball", [])], [(1, "near", 0)]),
    ("s3", "9", [], []),
    ("s4", "", [("tree", ["tall"])], []),
    ("s5", "7", [("man", ["big"]), ("dog", ["red"])], [(1, "near", 0)]),
    ("s6", "3", [("cat", ["red"]), ("man", ["tall"]), ("ball", ["big"])], [(0, "near", 1), (1, "near", 2)]),
    ("s7", "4", [("dog", ["tall"]), ("man", ["red"]), ("dog", ["big"])], [(1, "holds", 2), (0, "near", 2)]),
]
PARTS = [0, 0, 0, 0, 0, 1, 1, 1]
Question = tuple[str, str, str, str, str]
"""Id, image, question, answer, program."""

QUESTIONS: list[Question] = [
    ("q0", "i0", "is the red dog big", "yes", '[["select",["dog"],[]],["exist",[],[0]]]'),
    ("q1", "i0", "what is the dog", "red", '[["select",["dog"],[]],["query",["color"],[0]]]'),
    ("q2", "i1", "is the cat red", "no", '[["select",["cat"],[]],["verify",["red"],[0]]]'),
    ("q3", "i2", "what is the cat", "big", '[["select",["cat"],[]],["query",["name"],[0]]]'),
    ("q4", "i3", "is the red cat big", "yes", '[["select",["cat"],[]],["exist",[],[0]]]'),
    ("q5", "i0", "is the red dog big", "no", '[["select",["dog"],[]],["exist",[],[0]]]'),
    ("q6", "i4", "what is the bird", "red", '[["filter",["red"],[]],["query",["name"],[0]]]'),
    ("q7", "i5", "is the dog red", "yes", '[["select",["dog"],[]],["filter",["red"],[0]],["exist",[],[1]]]'),
]


class Words:
    """Reduces a question to its words; an answer stays as it is."""

    def reduce(self, questions: list[str]) -> list[tuple[str, ...]]:
        return [tuple(question.split()) for question in questions]

    def answer(self, answers: list[str]) -> list[str]:
        return list(answers)


def with_compounds(table: SceneTable | QATable, reducer: Any, more: tuple[str, ...] = ()) -> Rows:
    rows = prepared(table, reducer)
    found = [plugin("extractor", name).make(table, rows) for name in (*fitting(table, rows), *more)]
    return dataclasses.replace(rows, compounds={each.of: each for each in found})


def scene_rows(scenes: list[Scene]) -> Rows:
    objects = [each for scene in scenes for each in scene[2]]
    n_objects = np.array([len(scene[2]) for scene in scenes], dtype=np.int64)
    first = starts_of(n_objects)
    relations = [(int(first[k]) + a, p, int(first[k]) + b) for k, s in enumerate(scenes) for a, p, b in s[3]]
    names = [scene[0] for scene in scenes]
    table = SceneTable(
        format="scenes", ids=texts(names), images=Column.of(names), sources=Column.absent(len(names)),
        object_starts=first, classes=Column.of(name for name, _ in objects),
        attribute_starts=starts_of(np.array([len(each) for _, each in objects], dtype=np.int64)),
        attributes=Column.of(each for _, some in objects for each in some),
        relation_starts=starts_of(np.array([len(scene[3]) for scene in scenes], dtype=np.int64)),
        subjects=np.array([a for a, _, _ in relations], dtype=np.int32),
        objects=np.array([b for _, _, b in relations], dtype=np.int32),
        predicates=Column.of(p for _, p, _ in relations),
        columns={"coco_id": Column.of(scene[1] or None for scene in scenes)},
    )  # fmt: skip
    return with_compounds(table, None, ("attribute-pairs", "object-classes"))


def question_rows(questions: list[Question]) -> Rows:
    ids, images, asked, answers, written = (list(each) for each in zip(*questions, strict=True))
    absent = Column.absent(len(ids))
    table = QATable(
        format="table", ids=texts(ids), images=Column.of(images), questions=Column.of(asked),
        answers=Column.of(answers), question_types=absent, answer_types=absent, origins=absent, sources=absent,
        n_answers=np.ones(len(ids), dtype=np.int64), columns={"program": Column.of(written)},
    )  # fmt: skip
    return with_compounds(table, Words(), ("answer-given-type", "program-operations", "program-trees"))


KINDS = {"scenes": (scene_rows, SCENES), "questions": (question_rows, QUESTIONS)}
OPTIONS: dict[str, dict[str, Any]] = {"adversarial": {"most_rows": 100}}
NEEDS_FILES = {"declared-pairs"}
"""Audits that measure files beside the rows; they have tests of their own."""

every_audit = pytest.mark.parametrize("name", [name for name in plugins("audit") if name not in NEEDS_FILES])
both_kinds = pytest.mark.parametrize("kind", KINDS)


def audited(name: str, rows: Rows, parts: list[int]) -> Audited:
    split = Split(("train", "test"), np.array(parts, dtype=np.int16))
    found: Audited = plugin("audit", name).make(rows, split, **OPTIONS.get(name, {}))
    return found


def said(found: Audited) -> Any:
    return json.loads(
        json.dumps(
            {
                "measures": [m.to_json() for m in found.measures],
                "tables": {name: table.to_json() for name, table in found.tables.items()},
                "findings": [finding.to_json() for finding in found.findings],
            },
            allow_nan=False,
        )
    )


@every_audit
def test_an_audit_measures_something_of_scenes_or_of_questions(name):
    if name == "group-overlap":
        return  # groups are made by groupers: test_every_plugin.py has them
    measured = [audited(name, make(rows), PARTS).measures for make, rows in KINDS.values()]
    assert any(measured)


@every_audit
@both_kinds
def test_an_audit_stays_in_its_bounds_and_names_its_rules(name, kind):
    make, given = KINDS[kind]
    declared = plugin("audit", name).facts
    low, high = declared["bounds"]
    for measure in audited(name, make(given), PARTS).measures:
        assert measure.unit == declared["unit"]
        if isinstance(measure.value, Undefined):
            assert measure.value.reason
            continue
        assert low is None or measure.value >= low
        assert high is None or measure.value <= high


@every_audit
@both_kinds
def test_an_audit_of_an_empty_part_says_that_nothing_is_known(name, kind):
    make, given = KINDS[kind]
    rows = make(given)
    for parts in ([0] * 8, [1] * 8):
        for measure in audited(name, rows, parts).measures:
            if measure.unit == "count" or measure.reference in (None, "whole"):
                continue
            if parts[0] and name in ("avg-co-pair", "avg-co-rel"):
                assert measure.value == 0  # no train scene: 0 by the definition, the counts undefined
                continue
            assert isinstance(measure.value, Undefined), (measure.written, measure.value)
            assert measure.value.reason


@every_audit
@both_kinds
def test_the_order_of_rows_changes_nothing(name, kind):
    make, given = KINDS[kind]
    order = [6, 2, 7, 0, 4, 5, 1, 3]
    shuffled = audited(name, make([given[i] for i in order]), [PARTS[i] for i in order])
    assert said(shuffled) == said(audited(name, make(given), PARTS))


@every_audit
def test_other_names_change_no_measure_of_scenes(name):
    def renamed(text: str) -> str:
        # Backwards in the alphabet, so that ties cannot be broken as before.
        return "".join(chr(219 - ord(c)) for c in text)

    new: list[Scene] = [
        (
            known_by,
            coco,
            [(renamed(label), [renamed(each) for each in attributes]) for label, attributes in objects],
            [(a, renamed(predicate), b) for a, predicate, b in relations],
        )
        for known_by, coco, objects, relations in SCENES
    ]
    one, other = (said(audited(name, scene_rows(scenes), PARTS))["measures"] for scenes in (SCENES, new))
    if name == "adversarial":
        return  # a solver sees columns in another order; with so few rows it is undefined anyway
    assert one == other


NEVER_FALLS = (
    "avg-co-pair", "avg-co-rel", "common-compounds", "coverage", "weighted-coverage", "vocabulary-coverage",
    "question-overlap", "qa-overlap", "image-overlap", "image-qa-overlap", "template-overlap", "linked-images",
)  # fmt: skip
NEVER_RISES = ("rows-with-unseen-atoms", "compounds-with-unseen-atoms")


@every_audit
@both_kinds
def test_a_row_added_to_train_changes_what_it_must(name, kind):
    make, given = KINDS[kind]
    twin = (f"{given[6][0]} again", *given[6][1:])  # what test row 6 has, train has now
    rows = make([*given, twin])
    without, with_it = (
        plugin("audit", name).make(rows, Split(("train", "test", "aside"), np.array([*PARTS, p], dtype=np.int16)))
        for p in (2, 0)
    )
    before, after = (
        {
            (m.name, m.of, str(dict(m.options))): m.value
            for m in each.measures
            if m.part == "test" and m.reference == "train" and not isinstance(m.value, Undefined)
        }
        for each in (without, with_it)
    )
    changed = [key for key in before if key in after and before[key] != after[key]]
    for key in changed:
        if key[0] in NEVER_FALLS:
            assert after[key] > before[key], key
        if key[0] in NEVER_RISES:
            assert after[key] < before[key], key
    # The twin of a scene is another image, and its second image id is in train before.
    same = kind == "scenes" and name in ("image-overlap", "linked-images")
    if any(key[0] in (*NEVER_FALLS, *NEVER_RISES) for key in before) and not same:
        assert changed, name
    if name in ("sizes", "richness"):
        assert said(without) != said(with_it)


def test_the_twin_of_a_test_scene_makes_all_its_pairs_common():
    rows = scene_rows([*SCENES, ("s6 again", *SCENES[6][1:])])
    values = [audited("avg-co-pair", rows, [*PARTS, 0]).measures[0].value]
    # s5: man-dog; s6: all three pairs; s7: dog-man twice, dog-dog: all in train.
    assert values == [Fraction(1 + 3 + 3, 3)]

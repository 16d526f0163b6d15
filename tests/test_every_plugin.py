"""What every plug-in promises, whichever are registered."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import OptionValueError, UnknownOptionError
from compsplit.extractors import prepared
from compsplit.model import Audited, Column, Grouping, QATable, Rows, Split, Targets, Undefined, crossed, texts
from compsplit.readers.scene_building import SceneBuilder
from compsplit.registry import KINDS, Plugin, plugins
from compsplit.splitters import Problem

EVERY = [each for kind in KINDS for each in plugins(kind).values()]
OPTIONS = [(each, name) for each in EVERY for name in each.options]


def called(each: Plugin) -> str:
    return f"{each.kind} {each.name}"


def of_kind(kind: str) -> Any:
    return pytest.mark.parametrize("name", plugins(kind))


# --- what they say of themselves


@pytest.mark.parametrize("each", EVERY, ids=called)
def test_it_says_in_a_sentence_what_it_does_and_where_that_comes_from(each):
    assert re.match(r"[A-Z].*\.$", each.summary, re.DOTALL), each.summary
    assert each.source.strip()
    module = inspect.getmodule(each.make)
    assert module is not None
    assert module.__doc__


@pytest.mark.parametrize("each", EVERY, ids=called)
def test_every_keyword_is_an_option_with_a_type_a_default_and_a_description(each):
    parameters = inspect.signature(each.make, eval_str=True).parameters.values()
    keywords = {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    assert keywords == set(each.options)
    described = (inspect.getdoc(each.make) or "") + (inspect.getdoc(getattr(each.make, "__init__", None)) or "")
    for name, option in each.options.items():
        assert option.annotation is not inspect.Parameter.empty
        assert f"{name}:" in described, name


@pytest.mark.parametrize("each", EVERY, ids=called)
def test_its_defaults_are_values_that_it_takes(each):
    defaults = {name: option.default for name, option in each.options.items()}
    assert each.check(defaults) == defaults


@pytest.mark.parametrize("each", EVERY, ids=called)
def test_an_unknown_option_is_answered_with_the_nearest(each):
    asked = next(iter(each.options), "option") + "x"
    with pytest.raises(UnknownOptionError) as refused:
        each.check({asked: 1})
    nearest = difflib.get_close_matches(asked, sorted(each.options), n=1)
    said = f'Did you mean "{nearest[0]}"?' if nearest else "Known: none."
    assert refused.value.message == f'The {each.kind} {each.name} has no option "{asked}". {said}'


@pytest.mark.parametrize(
    ("each", "option"), OPTIONS, ids=lambda value: called(value) if isinstance(value, Plugin) else value
)
def test_a_value_of_another_type_is_refused(each, option):
    with pytest.raises(OptionValueError, match=f"Option {each.kind}\\.{option} is "):
        each.check({option: object()})


@of_kind("audit")
def test_an_audit_declares_unit_bounds_and_which_way_is_better(name):
    facts = plugins("audit")[name].facts
    low, high = facts["bounds"]
    assert facts["unit"]
    assert low is None or high is None or low < high
    assert facts["better"] in ("higher", "lower", "")


# --- small inputs


def made_once(make: Callable[..., Rows]) -> Callable[..., Rows]:
    """Keep what is made of small inputs: Hypothesis shows every audit the same, and rows cannot be changed."""
    kept = functools.lru_cache(maxsize=1000)(make)

    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value

    @functools.wraps(make)
    def found(*given: Any) -> Rows:
        return kept(*map(frozen, given))

    return found


class Words:
    """Reduces a question to its words but "the"; an answer stays as it is."""

    def reduce(self, questions: list[str]) -> list[tuple[str, ...]]:
        return [tuple(word for word in question.split() if word != "the") for question in questions]

    def answer(self, answers: list[str]) -> list[str]:
        return list(answers)


@functools.cache
def drawn(shape: st.SearchStrategy[Any], most: int) -> list[Any]:
    """Return inputs that Hypothesis makes, once for all plug-ins: making them takes longer than most audits of them."""
    kept: list[Any] = []

    @settings(max_examples=n_shown(most))
    @given(shape)
    def keep(value: Any) -> None:
        kept.append(value)

    keep()
    return kept


@st.composite
def divided(draw: Any, shape: Any, n_parts: int = 3) -> Any:
    """Make rows, the part of each, and an order of them."""
    rows = draw(shape)
    parts = draw(st.lists(st.integers(0, n_parts - 1), min_size=len(rows), max_size=len(rows)))
    return rows, parts, draw(st.permutations(range(len(rows))))


Row = tuple[str, str, str, str, str]
"""Id, image, question, answer, question type."""

WORDS = ["red", "dog", "cat", "is", "the"]
ROWS = st.lists(
    st.tuples(
        st.sampled_from("ijk"),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        st.sampled_from(["red", "blue", "yes", "no"]),
        st.sampled_from(["a", "b"]),
    ),
    min_size=1,
    max_size=12,
).map(lambda rows: [(f"r{i:02}", *row) for i, row in enumerate(rows)])


@made_once
def rows_of(given_rows: list[Row], grouped_by: str | None = "question-answer") -> Rows:
    ids, images, questions, answers, kinds = zip(*given_rows, strict=True)
    absent = Column.absent(len(ids))
    table = QATable(
        format="table", ids=texts(ids), images=Column.of(images), questions=Column.of(questions),
        answers=Column.of(answers), question_types=Column.of(kinds), answer_types=Column.of(["other"] * len(ids)),
        origins=absent, sources=absent, n_answers=np.ones(len(ids), dtype=np.int64),
    )  # fmt: skip
    rows: Rows = prepared(table, Words())
    if grouped_by is None:
        return rows
    grouping = plugins("grouper")[grouped_by].make(rows)
    return dataclasses.replace(rows, columns={**rows.columns, "group": Column(grouping.group_of_row, grouping.names)})


IN_THREE, IN_TWO = divided(ROWS), divided(ROWS, 2)
"""Questions with their parts and another order."""

TWENTY: list[Row] = [
    (f"r{i:02}", "ijklm"[i % 5], f"{WORDS[i % 4]} {WORDS[i % 3]}", "red" if i % 2 else "blue", "ab"[i % 2])
    for i in range(20)
]
HALVES = Targets({"train": "1/2", "test": "1/2"})


def problem_of(given_rows: list[Row], seed: int = 0, grouper: str = "question-answer") -> Problem:
    rows = rows_of(given_rows, None)
    strata = crossed(rows.column("question_type"), rows.column("answer_type"))
    return Problem(plugins("grouper")[grouper].make(rows), HALVES, seed, rows.concepts, strata)


def assert_valid(split: Split, grouping: Grouping, n: int) -> None:
    assert len(split.part_of_row) == n
    assert sum(split.sizes.values()) == n
    pairs = set(zip(grouping.group_of_row.tolist(), split.part_of_row.tolist(), strict=True))
    assert len(pairs) == grouping.n_groups
    json.dumps(dict(split.facts), allow_nan=False)


CONCEPTS = pytest.mark.parametrize("name", ["random", "cover", "greedy-coverage"])
"""Splitters that need nothing but concepts; tests of every splitter are in test_every_splitter.py."""


@CONCEPTS
@pytest.mark.parametrize("grouper", plugins("grouper"))
def test_a_splitter_places_every_row_and_tears_no_group(name, grouper):
    problem = problem_of(TWENTY, grouper=grouper)
    split = plugins("splitter")[name].make(problem)
    assert_valid(split, problem.grouping, 20)
    assert split.parts == ("train", "test")
    assert split.asked == {"train": 10, "test": 10}


@CONCEPTS
def test_a_splitter_gives_the_same_split_whatever_the_order_of_rows_and_the_names_of_concepts(name):
    make = plugins("splitter")[name].make

    @settings(deadline=None)
    @given(ROWS.filter(lambda rows: len({row[2:4] for row in rows}) > 1), st.integers(0, 9), st.randoms())
    def promise(rows: list[Row], seed: int, random: Any) -> None:
        if plugins("grouper")["question-answer"].make(rows_of(rows)).stays.sum() > 0:
            rows = [(i, image, f"is {question}", answer, kind) for i, image, question, answer, kind in rows]
        shuffled = rows.copy()
        random.shuffle(shuffled)
        problem, other = problem_of(rows, seed), problem_of(shuffled, seed)
        if problem.grouping.n_groups < 2:
            return
        split, again = make(problem), make(other)
        assert_valid(split, problem.grouping, len(rows))
        ids = [row[0] for row in rows]
        parts = dict(zip(ids, split.part_of_row.tolist(), strict=True))
        assert parts == dict(zip((row[0] for row in shuffled), again.part_of_row.tolist(), strict=True))
        assert json.dumps(dict(split.facts)) == json.dumps(dict(again.facts))

        assert problem.concepts is not None
        renamed = dataclasses.replace(problem.concepts, names=tuple(f"new {name}" for name in problem.concepts.names))
        third = make(dataclasses.replace(problem, concepts=renamed))
        assert third.part_of_row.tolist() == split.part_of_row.tolist()

    promise()


@CONCEPTS
def test_a_splitter_changes_nothing_that_it_is_given(name):
    problem = problem_of(TWENTY)
    before = [problem.grouping.group_of_row.copy(), problem.concepts.concepts.copy(), problem.strata.codes.copy()]
    plugins("splitter")[name].make(problem)
    after = [problem.grouping.group_of_row, problem.concepts.concepts, problem.strata.codes]
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def said(audited: Audited) -> dict[str, Any]:
    written = {
        "measures": [measure.to_json() for measure in audited.measures],
        "tables": {name: table.to_json() for name, table in audited.tables.items()},
        "findings": [finding.to_json() for finding in audited.findings],
    }
    return json.loads(json.dumps(written, allow_nan=False))  # type: ignore[no-any-return]  # JSON is of any type


def assert_sound(audited: Audited, declared: Plugin) -> None:
    low, high = declared.facts["bounds"]
    for measure in audited.measures:
        assert measure.unit == declared.facts["unit"]
        assert measure.n >= 0
        if isinstance(measure.value, Undefined):
            assert measure.value.reason
            continue
        assert low is None or measure.value >= low
        assert high is None or measure.value <= high
    names = [(m.name, m.of, str(dict(m.options)), m.reference, m.part) for m in audited.measures]
    assert len(set(names)) == len(names)
    assert all(finding.count > 0 and finding.message.endswith(".") for finding in audited.findings)
    said(audited)


SPLITS: dict[str, Callable[[int], list[int]]] = {
    "two parts": lambda n: [i % 3 == 0 for i in range(n)],
    "three parts": lambda n: [i % 3 for i in range(n)],
    "an empty test part": lambda n: [0] * n,
    "an empty train part": lambda n: [1] * n,
}


@of_kind("audit")
@pytest.mark.parametrize("which", SPLITS)
def test_an_audit_measures_within_its_bounds_or_says_why_not(name, which):
    part_of_row = np.array(SPLITS[which](20), dtype=np.int16)
    parts = ("train", "val", "test")[: max(int(part_of_row.max()) + 1, 2)]
    audited = plugins("audit")[name].make(rows_of(TWENTY), Split(parts, part_of_row))
    assert_sound(audited, plugins("audit")[name])
    if "empty" in which and plugins("audit")[name].facts["unit"] == "fraction":
        measured = [m for m in audited.measures if m.reference != "whole" or which == "an empty test part"]
        assert all(isinstance(m.value, Undefined) for m in measured)


@of_kind("audit")
def test_an_audit_of_rows_without_questions_or_images_says_nothing_false(name):
    bare = Rows(texts(["1", "2"]), {"id": Column.of(["1", "2"])}, None, np.zeros(2, dtype=bool))
    audited = plugins("audit")[name].make(bare, Split(("train", "test"), np.array([0, 1], dtype=np.int16)))
    assert_sound(audited, plugins("audit")[name])


@of_kind("audit")
def test_an_audit_says_the_same_whatever_the_order_of_rows(name):
    make = plugins("audit")[name].make

    def audited(rows: list[Row], parts: list[int], which: list[int]) -> dict[str, Any]:
        return said(make(rows_of([rows[i] for i in which]), split_of([parts[i] for i in which])))

    for rows, parts, order in drawn(IN_THREE, 100):
        assert audited(rows, parts, order) == audited(rows, parts, list(range(len(rows)))), (rows, parts, order)


@of_kind("audit")
def test_an_audit_measures_the_same_whatever_concepts_are_called(name):
    make = plugins("audit")[name].make

    def renamed(text: str) -> str:
        # Backwards in the alphabet, so that ties cannot be broken as before.
        return " ".join(word if word == "the" else "".join(chr(219 - ord(c)) for c in word) for word in text.split())

    for rows, parts, _ in drawn(IN_TWO, 100):
        new = [(i, image, renamed(question), renamed(answer), kind) for i, image, question, answer, kind in rows]
        split = Split(("train", "test"), np.array(parts, dtype=np.int16))
        one, other = (said(make(rows_of(each), split))["measures"] for each in (rows, new))
        assert one == other, (rows, parts)


# --- audits of scenes, and of everything that is extracted

Scene = tuple[str, list[tuple[str, list[str]]], list[tuple[int, str, int]]]
"""Image, objects with their attributes, relations between places of objects."""


@made_once
def scene_rows(scenes: list[Scene], ids: list[int]) -> Rows:
    """Return scenes with object pairs, relations and both kinds of attribute pairs; a relation to no object is not."""
    builder = SceneBuilder()
    for _, objects, relations in scenes:
        there = [(a, name, b) for a, name, b in relations if a != b and max(a, b) < len(objects)]
        builder.extend(
            [len(objects)], [name for name, _ in objects],
            n_attributes=[len(attributes) for _, attributes in objects],
            attributes=[each for _, attributes in objects for each in attributes],
            n_relations=[len(there)], subjects=[a for a, *_ in there], predicates=[name for _, name, _ in there],
            objects=[b for *_, b in there],
        )  # fmt: skip
    table = builder.table(
        format="scenes", ids=[f"s{i:02}" for i in ids], images=Column.of(image for image, *_ in scenes),
        sources=Column.absent(len(scenes)), columns={"coco_id": Column.of(f"c{image}" for image, *_ in scenes)},
    )  # fmt: skip
    rows: Rows = prepared(table)
    names = ("object-classes", "object-pairs", "relations", "attribute-objects", "attribute-pairs")
    found = [plugins("extractor")[name].make(table, rows) for name in names]
    return dataclasses.replace(rows, compounds={each.of: each for each in found})


@made_once
def question_rows(given_rows: list[Row]) -> Rows:
    """Return questions with a template and everything that is extracted from them."""
    ids, images, questions, answers, kinds = zip(*given_rows, strict=True)
    absent = Column.absent(len(ids))
    table = QATable(
        format="table", ids=texts(ids), images=Column.of(images), questions=Column.of(questions),
        answers=Column.of(answers), question_types=Column.of(kinds), answer_types=Column.of(["other"] * len(ids)),
        origins=absent, sources=Column.of(["one"] * len(ids)), n_answers=np.ones(len(ids), dtype=np.int64),
        columns={"template": Column.of(kinds)},
    )  # fmt: skip
    rows: Rows = prepared(table, Words())
    wanted: dict[str, dict[str, Any]] = {
        "qa": {}, "question-words": {}, "word-ngrams": {}, "answer-given-type": {},
        "columns": {"columns": ("image", "answer")},
    }  # fmt: skip
    found = [plugins("extractor")[name].make(table, rows, **options) for name, options in wanted.items()]
    return dataclasses.replace(rows, compounds={each.of: each for each in found})


OBJECT = st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(["x", "y"]), max_size=2, unique=True))
# Every other scene has objects enough for a pair, so that scenes share pairs now and then.
OBJECTS = st.lists(OBJECT, max_size=4) | st.lists(OBJECT, min_size=2, max_size=4)
SCENES = st.lists(
    st.tuples(
        st.sampled_from("ijk"),
        OBJECTS,
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["on", "by"]), st.integers(0, 3)), max_size=3),
    ),
    min_size=1,
    max_size=8,
)
DIVIDED_SCENES = divided(SCENES)
"""Scenes with their parts and another order."""

READINGS: dict[str, list[dict[str, Any]]] = {
    "atom-divergence": [{"alpha": 0.3}, {"counted": "presence"}],
    "compound-divergence": [{"alpha": 0.5}, {"counted": "presence"}],
    "linked-images": [{"column": "image"}],
    "avg-co-pair": [{"unit": "classes"}, {"same_class": "out"}, {"order": "ordered"}, {"scenes": "with-common"}],
    "avg-co-pair-occ": [{"count": "scenes"}, {"average": "scene-means"}, {"average": "distinct", "same_class": "out"}],
    "avg-co-rel": [{"unit": "distinct"}, {"scenes": "with-common"}],
    "avg-co-rel-occ": [{"unit": "distinct", "count": "scenes"}],
    "question-openings": [{"most_questions": 2}],
}
"""Further readings of audits: whatever holds for the first holds for them."""


def readings(name: str) -> list[dict[str, Any]]:
    return [{}, *READINGS.get(name, ())]


def split_of(parts: list[int]) -> Split:
    return Split(("train", "val", "test"), np.array(parts, dtype=np.int16))


@of_kind("audit")
def test_an_audit_of_scenes_is_sound_and_the_same_whatever_the_order_of_rows(name):
    declared = plugins("audit")[name]

    for scenes, parts, order in drawn(DIVIDED_SCENES, 50):
        one, other = scene_rows(scenes, list(range(len(scenes)))), scene_rows([scenes[i] for i in order], order)
        for options in readings(name):
            audited = declared.make(one, split_of(parts), **options)
            assert_sound(audited, declared)
            again = declared.make(other, split_of([parts[i] for i in order]), **options)
            assert said(again) == said(audited), (scenes, parts, order)


@of_kind("audit")
def test_an_audit_of_scenes_measures_the_same_whatever_classes_are_called(name):
    make = plugins("audit")[name].make
    # Backwards in the alphabet, so that ties cannot be broken as before.
    new = {"a": "r", "b": "q", "c": "p", "x": "z", "y": "w", "on": "far", "by": "near"}

    for scenes, parts, _ in drawn(DIVIDED_SCENES, 50):
        renamed: list[Scene] = [
            (
                image,
                [(new[name], [new[each] for each in attributes]) for name, attributes in objects],
                [(a, new[predicate], b) for a, predicate, b in relations],
            )
            for image, objects, relations in scenes
        ]
        every = list(range(len(scenes)))
        for options in readings(name):
            one, other = (said(make(scene_rows(each, every), split_of(parts), **options)) for each in (scenes, renamed))
            assert one["measures"] == other["measures"], (scenes, parts)
            assert [f["count"] for f in one["findings"]] == [f["count"] for f in other["findings"]], (scenes, parts)


@of_kind("audit")
def test_an_audit_of_questions_with_their_compounds_is_sound_and_the_same_whatever_the_order_of_rows(name):
    declared = plugins("audit")[name]

    for rows, parts, order in drawn(IN_THREE, 50):
        one, other = question_rows(rows), question_rows([rows[i] for i in order])
        for options in [*readings(name), *([{"group": "image"}] if name == "answer-priors" else [])]:
            audited = declared.make(one, split_of(parts), **options)
            assert_sound(audited, declared)
            again = declared.make(other, split_of([parts[i] for i in order]), **options)
            assert said(again) == said(audited), (rows, parts, order)


FIXED: list[Scene] = [
    ("ijklmnop"[i % 8], [("abcd"[i % 4], ["x"]), ("abc"[i % 3], ["y"] * (i % 2)), ("d", [])], [(0, "on", i % 2 + 1)])
    for i in range(24)
]


@of_kind("audit")
@pytest.mark.parametrize("empty", ["train", "test"])
@pytest.mark.parametrize("of", ["scenes", "questions"])
def test_a_share_or_mean_against_or_of_an_empty_part_is_undefined(name, empty, of):
    rows = scene_rows(FIXED, list(range(24))) if of == "scenes" else question_rows(TWENTY)
    which = int(empty == "train")
    split = Split(("train", "test"), np.full(len(rows), which, dtype=np.int16))
    for options in readings(name):
        audited = plugins("audit")[name].make(rows, split, **options)
        assert_sound(audited, plugins("audit")[name])
        for measure in audited.measures:
            # Counts of nothing are 0; by decision AvgCoPair and AvgCoRel are 0 where there is no scene to share with.
            plain = measure.unit == "count" or measure.reference == "whole" or measure.part not in ("train", "test")
            if plain or (
                empty == "train" and name in ("avg-co-pair", "avg-co-rel") and options != {"scenes": "with-common"}
            ):
                continue
            if measure.reference is None and measure.part != empty:
                continue
            assert isinstance(measure.value, Undefined), measure


FALLING = (
    "common-compounds", "coverage", "weighted-coverage", "vocabulary-coverage", "question-overlap", "qa-overlap",
    "image-overlap", "id-overlap", "template-overlap", "linked-images", "group-overlap", "avg-co-pair", "avg-co-rel",
)  # fmt: skip
"""Audits whose every measure asks what of a part the reference part shows."""


@pytest.mark.parametrize("name", FALLING)
@pytest.mark.parametrize("of", ["scenes", "questions"])
def test_rows_added_to_train_never_take_from_test_what_train_shows(name, of):
    make = plugins("audit")[name].make

    for given_rows, parts, _ in drawn(DIVIDED_SCENES if of == "scenes" else IN_THREE, 100):
        rows = scene_rows(given_rows, list(range(len(given_rows)))) if of == "scenes" else question_rows(given_rows)
        # What is in val moves to train; test holds the same rows before and after.
        before, after = (
            {
                (m.name, m.of, str(dict(m.options))): m.value
                for m in make(rows, split_of([0 if p == 1 and moved else p for p in parts])).measures
                if (m.reference, m.part) == ("train", "test")
            }
            for moved in (False, True)
        )
        assert before.keys() == after.keys()
        for key, value in before.items():
            if not isinstance(value, Undefined):
                assert value <= after[key], (key, given_rows, parts)


@pytest.mark.parametrize(
    ("name", "of", "before", "after"),
    [
        ("common-compounds", "object pairs", 0, 1),
        ("novel-compounds", "object pairs", 0, 0),
        ("avg-co-pair", "object pairs", 0, 3),
        ("avg-co-rel", "relations", 0, 1),
        ("coverage", "object classes", "1/3", 1),
        ("atom-divergence", "object classes", None, None),
        ("compound-divergence", "object pairs", 1, None),
    ],
)
def test_a_copy_of_a_test_scene_in_train_changes_what_it_must(name, of, before, after):
    one: Scene = ("i", [("a", []), ("b", []), ("c", [])], [(0, "on", 1)])
    other: Scene = ("j", [("a", []), ("d", [])], [(0, "on", 1)])
    rows = scene_rows([one, other, one], [0, 1, 2])

    def measure(parts: list[int]) -> Any:
        made = plugins("audit")[name].make(rows, Split(("train", "test", "out"), np.array(parts, dtype=np.int16)))
        return next(m.value for m in made.measures if (m.name, m.of, m.part) == (name, of, "test"))

    first, second = measure([2, 0, 1]), measure([0, 0, 1])
    assert first != second or name == "novel-compounds"
    assert before is None or first == Fraction(before)
    assert after is None or second == Fraction(after)

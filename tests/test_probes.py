"""Blind probes and the difficulty of rows: answers worked by hand, and naive twins written from the definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import OptionValueError, UnknownNameError, UsageError
from compsplit.extractors import prepared
from compsplit.kernels.alike import most_alike_pairs
from compsplit.kernels.overlap import most_alike
from compsplit.model import Column, QATable, Undefined, texts
from compsplit.model.words import words
from compsplit.probes import Guesses, Lessons, Questions
from compsplit.probing.difficulty import auc, correlation, difficulty, neighbouring_pairs, ranks
from compsplit.registry import plugin, plugins

Row = tuple[str | None, ...]


def shown(columns: tuple[str, ...], train: list[Row], test: list[Row]) -> tuple[Lessons, Questions]:
    """Rows to learn from, each with its answer last, and rows to answer."""
    whole = [row[: len(columns)] for row in (*train, *test)]
    made = {name: Column.of(row[k] for row in whole) for k, name in enumerate(columns)}
    names = sorted({str(row[-1]) for row in train})
    answers = Column(np.array([names.index(str(row[-1])) for row in train], dtype=np.int32), tuple(names))
    first, rest = np.arange(len(train)), np.arange(len(train), len(whole))
    return (
        Lessons(Questions({name: column.take(first) for name, column in made.items()}), answers),
        Questions({name: column.take(rest) for name, column in made.items()}),
    )


def answered(name: str, lessons: Lessons, asked: Questions, **options: object) -> tuple[list[str], Guesses]:
    made: Guesses = plugin("probe", name).make(lessons, asked, **options)
    return [lessons.answers.names[code] for code in made.answers.tolist()], made


# --- priors


def test_the_global_prior_is_the_commonest_answer_and_the_earlier_text_of_equals():
    lessons, asked = shown(("question_type",), [("q", "red"), ("q", "blue"), ("r", "red"), ("r", "blue")], [("s",)])
    found, made = answered("global-prior", lessons, asked)
    assert found == ["blue"]
    assert dict(made.found_by) == {"commonest answer of all": 1}


GQA = ("group_global", "group_local", "structural", "question_type")


def gqa() -> tuple[Lessons, Questions]:
    train: list[Row] = [
        ("colour", "04-car", "query", "what is", "red"),
        ("colour", "04-car", "query", "what is", "red"),
        ("colour", "05-cat", "query", "what is", "black"),
        ("animal", "06-dog", "query", "what is", "dog"),
        (None, None, "verify", "is it", "yes"),
        (None, None, "verify", "is it", "yes"),
        (None, None, "verify", "is it", "yes"),
        (None, None, "verify", "is it", "yes"),
    ]
    test: list[Row] = [
        ("colour", "04-car", "query", "what is"),
        ("colour", "05-cat", "query", "what is"),
        ("colour", "unseen", "query", "what is"),  # no train row has that local group
        (None, None, "verify", "is it"),  # no group at all
        (None, None, "choose", "is it"),  # nor a structural type that train has
    ]
    return shown(GQA, train, test)


def test_priors_of_gqa_go_by_its_groups_then_by_the_structural_type_then_by_all():
    found, made = answered("global-prior", *gqa())
    assert found == ["red", "red", "red", "yes", "yes"]
    assert dict(made.found_by) == {"group_global": 3, "structural": 1, "commonest answer of all": 1}
    found, made = answered("local-prior", *gqa())
    assert found == ["red", "black", "red", "yes", "yes"]
    assert dict(made.found_by) == {"group_local": 2, "structural": 2, "commonest answer of all": 1}


def test_the_local_prior_goes_by_question_type_where_there_are_no_groups_and_by_any_column_that_is_named():
    train: list[Row] = [("is it", "a", "no"), ("is it", "b", "yes"), ("is it", "b", "yes"), ("what is", "a", "no")]
    lessons, asked = shown(("question_type", "place"), train, [("is it", "a"), ("what is", "b"), ("why", "c")])
    found, made = answered("local-prior", lessons, asked)
    assert found == ["yes", "no", "no"]
    assert (made.label, dict(made.found_by)) == ("question_type", {"question_type": 2, "commonest answer of all": 1})
    found, made = answered("local-prior", lessons, asked, column="place")
    assert found == ["no", "yes", "no"]
    assert dict(made.found_by) == {"place": 2, "question_type": 0, "commonest answer of all": 1}
    assert answered("global-prior", *gqa(), column="none")[0] == ["yes"] * 5
    with pytest.raises(UnknownNameError, match='no column of questions "plase"'):
        answered("local-prior", lessons, asked, column="plase")


def test_the_inverted_prior_answers_no_where_yes_is_commoner():
    train: list[Row] = [("is it", "yes")] * 5 + [("is it", "no")] * 3 + [("is it", "maybe")] + [("who", "ann")]
    lessons, asked = shown(("question_type",), train, [("is it",), ("is it",), ("who",), ("why",)])
    found, made = answered("inverted-prior", lessons, asked)
    assert found == ["no", "no", "ann", "yes"]
    assert dict(made.found_by) == {"question_type": 3, "commonest answer of all": 1}
    assert dict(made.facts) == {"questions of a type with one answer in train": 1}
    assert answered("inverted-prior", lessons, asked, among=0)[0][0] == "maybe"
    assert answered("inverted-prior", lessons, asked, among=1)[0][0] == "yes"
    with pytest.raises(OptionValueError, match=r"probe\.among"):
        answered("inverted-prior", lessons, asked, among=-1)


pairs_of_letters = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("wxyz")), min_size=1, max_size=30)


@given(pairs_of_letters, st.lists(st.sampled_from("abcd"), min_size=1, max_size=6))
def test_priors_agree_with_counters(train, test):
    lessons, asked = shown(("question_type",), list(train), [(kind,) for kind in test])
    whole = Counter(answer for _, answer in train)

    def first(counts: Counter[str], place: int) -> str:
        order = sorted(counts, key=lambda answer: (-counts[answer], answer))
        return order[min(place, len(order) - 1)]

    for name, place in (("local-prior", 0), ("inverted-prior", 1)):
        expected = []
        for kind in test:
            own = Counter(answer for each, answer in train if each == kind)
            expected.append(first(own, place) if own else first(whole, 0))
        assert answered(name, lessons, asked)[0] == expected


# --- nearest question


def reduced(train: list[tuple[str, str]], test: list[str]) -> tuple[Lessons, Questions]:
    kind = "what is"
    columns = ("question (reduced)", "question_type")
    return shown(columns, [(q, kind, a) for q, a in train], [(q, kind) for q in test])


def test_the_nearest_question_is_the_same_one_else_that_with_most_in_common():
    train = [
        ("what color cone", "orange"),
        ("what color cone", "orange"),
        ("what color cone", "red"),
        ("what color car parked street", "blue"),
        ("what color car", "white"),
        ("color sky what", "grey"),
    ]
    found, made = answered("nearest-question", *reduced(train, ["what color cone", "what color car street", "cat"]))
    # "what color car parked street" shares four concepts, "what color car" three; "cat" shares none.
    assert found == ["orange", "blue", "orange"]
    assert dict(made.found_by) == {
        "same reduced question": 1, "nearest reduced question": 1, "question_type": 1, "commonest answer of all": 0,
    }  # fmt: skip
    assert dict(made.facts) == {"different reduced questions unseen in train": 2}


def test_equally_near_questions_go_by_fewest_concepts_then_by_text():
    train = [("a b c d", "long"), ("a b z", "late"), ("a b y", "early")]
    assert answered("nearest-question", *reduced(train, ["a b x"]))[0] == ["early"]
    assert answered("nearest-question", *reduced(train[:2], ["a b x"]))[0] == ["late"]


sets = st.lists(st.frozensets(st.integers(0, 7), max_size=5), min_size=1, max_size=12)


@given(sets, sets)
def test_the_most_alike_set_is_that_of_a_search_through_all(known, wanted):
    def flat(each: list[frozenset[int]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.cumsum([0, *map(len, each)]).astype(np.int64)
        return starts, np.array([member for one in each for member in sorted(one)], dtype=np.int32)

    expected = []
    for one in wanted:
        order = sorted(range(len(known)), key=lambda s: (-len(known[s] & one), len(known[s]), s))
        expected.append(order[0] if known[order[0]] & one else -1)
    assert most_alike(*flat(known), *flat(wanted), 8).tolist() == expected


# --- linear


def linear(train: list[tuple[str, str]], test: list[str], **options: object) -> tuple[list[str], Guesses]:
    def kind(question: str) -> str:
        return " ".join(question.split()[:1])

    rows: list[Row] = [(q, kind(q), a) for q, a in train]
    return answered("linear", *shown(("question", "question_type"), rows, [(q, kind(q)) for q in test]), **options)


def naive_bayes(train: list[tuple[str, str]], question: str, n: int = 2) -> str:
    """The formula of the module, by counters."""

    def grams(text: str) -> set[tuple[str, ...]]:
        found = words(text)
        return {tuple(found[i : i + k]) for k in range(1, n + 1) for i in range(len(found) - k + 1)}

    known = {gram for text, _ in train for gram in grams(text)}
    held: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for text, answer in train:
        held[answer].update(grams(text))
    prior = Counter(answer for _, answer in train)

    def score(answer: str) -> float:
        total = held[answer].total() + 0.1 * len(known)
        chances = (math.log((held[answer][gram] + 0.1) / total) for gram in grams(question) & known)
        return math.log(prior[answer] / len(train)) + math.fsum(chances)

    return min(prior, key=lambda answer: (-round(score(answer), 9), answer))


questions = st.lists(st.sampled_from(("what", "color", "car", "cat", "is")), min_size=1, max_size=4).map(" ".join)
lessons_of_words = st.lists(st.tuples(questions, st.sampled_from(("red", "blue", "yes"))), min_size=1, max_size=12)


@given(lessons_of_words, questions)
def test_the_linear_probe_is_naive_bayes_on_ngrams(train, question):
    known = {word for text, _ in train for word in text.split()}
    if not known & set(question.split()):
        return
    assert linear(train, [question])[0] == [naive_bayes(train, question)]


def test_the_linear_probe_does_not_depend_on_the_order_of_what_it_learns_from():
    train = [("what color car", "red"), ("what color cat", "black"), ("is it a car", "yes"), ("is it a cat", "no")] * 3
    test = ["what color dog", "is it red", "what cat", "car"]
    assert linear(train, test)[0] == linear(sorted(train), test)[0] == linear(train[::-1], test)[0]


def test_answers_and_ngrams_that_the_linear_probe_leaves_out_are_counted():
    train = [("what color car", "red"), ("what color car", "red"), ("what shape", "round"), ("who", "ann")]
    found, made = linear(train, ["what shape", "why", "who indeed"], most_answers=1, most_ngrams=2)
    # Only "red" is told apart. "what" is in three rows; of the n-grams in two, "car" is the first.
    assert found == ["red", "red", "ann"]
    assert dict(made.found_by) == {"n-grams": 1, "question_type": 1, "commonest answer of all": 1}
    assert dict(made.facts) == {
        "answers told apart": 1, "answers in train": 3, "train rows of other answers, not learned from": 2,
        "n-grams looked at": 2, "n-grams in train": 8,
    }  # fmt: skip
    assert made.learned


@pytest.mark.parametrize("option", ["n", "most_answers", "most_ngrams"])
def test_the_linear_probe_takes_no_options_below_one(option):
    with pytest.raises(OptionValueError, match=rf"probe\.{option} is 0; expected at least 1"):
        linear([("what", "red")], ["what"], **{option: 0})


# --- every probe


@pytest.mark.parametrize("name", plugins("probe"))
def test_every_probe_answers_every_question_from_one_lesson(name):
    columns = ("question", "question (reduced)", "question_type")
    train: list[Row] = [("What is it?", "what", "what is", "cat")]
    lessons, asked = shown(
        columns, train, [("Who?", "who", "who"), ("???", "", "?"), ("What is it?", "what", "what is")]
    )
    found, made = answered(name, lessons, asked)
    assert found == ["cat"] * 3
    assert sum(made.found_by.values()) == 3


def test_lessons_without_an_answer_are_refused():
    asked = Questions({"question": Column.of(["q"])})
    with pytest.raises(ValueError, match="needs an answer"):
        Lessons(asked, Column.absent(1))
    with pytest.raises(ValueError, match="1 questions have 2 answers"):
        Lessons(asked, Column.of(["a", "b"]))
    with pytest.raises(ValueError, match="all of one length"):
        Questions({"question": Column.of(["q"]), "image": Column.of(["i", "j"])})
    with pytest.raises(ValueError, match="2 ways for 1 answers"):
        Guesses(np.zeros(1, dtype=np.int32), {"by": 2})
    with pytest.raises(ValueError, match="every question needs an answer"):
        Guesses(np.full(1, -1, dtype=np.int32), {"by": 1})


# --- difficulty


def jaccard(one: set[int], other: set[int]) -> float | None:
    return len(one & other) / len(one | other) if one | other else None


def alike(known: set[tuple[int, int]], x: int, y: int) -> float:
    """Mean over the neighbours after and those before of shared / either, of the sides that have any."""
    sides = [
        jaccard({b for a, b in known if a == x}, {b for a, b in known if a == y}),
        jaccard({a for a, b in known if b == x}, {a for a, b in known if b == y}),
    ]
    there = [side for side in sides if side is not None]
    return sum(there) / len(there) if there else 0.0


symbol_pairs = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=14)


@given(symbol_pairs, symbol_pairs)
def test_the_most_alike_pair_is_that_of_the_definition(known, asked):
    new = sorted(asked - known)
    columns = [
        np.array([pair[side] for pair in some], dtype=np.int64) for some in (sorted(known), new) for side in (0, 1)
    ]
    values, left, right = most_alike_pairs(*columns, 6)
    for k, (a, b) in enumerate(new):
        with_left = [(alike(known, a, c), 0, c, (c, b)) for c, d in known if d == b]
        with_right = [(alike(known, b, d), 1, d, (a, d)) for c, d in known if c == a]
        best = min(((-s, side, other, pair) for s, side, other, pair in with_left + with_right if s), default=None)
        assert values[k] == pytest.approx(0 if best is None else -best[0])
        assert (left[k], right[k]) == ((-1, -1) if best is None else best[3])


def table_of(questions: list[str], **columns: list[str]) -> QATable:
    n = len(questions)
    none = Column.absent(n)
    return QATable(
        format="table", ids=texts(f"r{k}" for k in range(n)), images=none, questions=Column.of(questions),
        answers=Column.of(["x"] * n), question_types=none, answer_types=none, origins=none,
        sources=Column.of(["t"] * n), n_answers=np.ones(n, dtype=np.int64),
        columns={name: Column.of(values) for name, values in columns.items()},
    )  # fmt: skip


class Blanks:
    """A reducer that takes words as they are."""

    def reduce(self, questions):
        return [tuple(question.split()) for question in questions]

    def answer(self, answers):
        return list(answers)


def test_a_row_is_as_hard_as_its_least_alike_unseen_pair():
    questions = ["red car", "blue car", "red bus", "blue bus red", "green car", "green sky red", "sky"]
    train = np.array([True, True, True, False, True, False, False])
    table = table_of(questions)
    pairs = neighbouring_pairs(table, prepared(table, Blanks()))
    assert pairs is not None
    found = difficulty(pairs, train, ~train)
    # "blue bus": after red come car and bus, after blue comes car: 1/2, nothing comes before either. And before car
    # come red, blue and green, before bus comes red: 1/3. So 1/2. "bus red": nothing in train begins with bus or ends
    # with red: 0.
    assert found.similarity.tolist() == [1, 1, 1, 0, 1, 0, 1]
    assert found.n_unseen.tolist() == [0, 0, 0, 2, 0, 2, 0]
    assert found.n_pairs.tolist() == [1, 1, 1, 2, 1, 2, 0]
    assert [found.names[code] for code in found.hardest[[3, 5]]] == ["bus red", "green sky"]
    assert found.difficulty.tolist() == [0, 0, 0, 1, 0, 1, 0]
    assert found.unseen.rows == (
        ("blue bus", 1, 0.5, "red + bus"), ("bus red", 1, 0.0, None), ("green sky", 1, 0.0, None),
        ("sky red", 1, 0.0, None),
    )  # fmt: skip
    assert found.n_different == 4


def test_programs_are_taken_pair_by_pair_with_their_arguments():
    programs = [
        '[["select",["car"],[]],["query",["color"],[0]]]',
        '[["select",["bus"],[]],["query",["color"],[0]]]',
        '[["select",["bus"],[]],["query",["name"],[0]]]',
        '[["select",["car"],[]],["query",["name"],[0]]]',
    ]
    table = table_of(["a", "b", "c", "d"], program=programs)
    pairs = neighbouring_pairs(table, prepared(table, Blanks()))
    assert pairs is not None
    assert pairs.of == "program pairs"
    test = np.array([False, False, False, True])
    found = difficulty(pairs, ~test, test)
    # After car comes color, after bus color and name: 1/2. Before name comes bus, before color car and bus: 1/2.
    assert found.similarity.tolist() == [1, 1, 1, 0.5]
    assert found.unseen.rows[0][3] == "select : bus + query : name"


def test_compounds_that_are_no_pairs_are_refused():
    table = table_of(["a b c", "b c d"])
    rows = prepared(table, Blanks())
    triples = plugin("extractor", "word-ngrams").make(table, rows, n=3)
    with pytest.raises(UsageError, match="told by pairs"):
        difficulty(triples, np.array([True, False]), np.array([False, True]))
    assert neighbouring_pairs(table, prepared(table)) is None


numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=20)


@given(numbers)
def test_correlations_and_auc_agree_with_loops(values):
    hard, success = (np.array([value[k] for value in values], dtype=float) for k in (0, 1))
    fails = [h for h, s in values if not s]
    rights = [h for h, s in values if s]
    found = auc(hard, success == 0)
    if not fails or not rights:
        assert isinstance(found, Undefined)
    else:
        wins = sum((f > r) + (f == r) / 2 for f in fails for r in rights)
        assert found == pytest.approx(wins / len(fails) / len(rights))
    for one, other in ((hard, success), (ranks(hard), ranks(success))):
        found = correlation(one, other)
        if len(values) < 2 or not np.ptp(one) or not np.ptp(other):
            assert isinstance(found, Undefined)
        else:
            assert found == pytest.approx(np.corrcoef(one, other)[0, 1], abs=1e-8)
    middle = [sum(o < h for o in hard) + (sum(o == h for o in hard) + 1) / 2 for h in hard]
    assert ranks(hard).tolist() == middle


def test_neighbours_are_those_of_each_pair_of_words():
    table = table_of(["a b a b", "c"])
    pairs = neighbouring_pairs(table, prepared(table, Blanks()))
    assert pairs is not None
    assert sorted(pairs.rows.names) == sorted({" ".join(pair) for pair in pairwise("abab")})

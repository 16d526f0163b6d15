"""Accuracy by novelty on a set that was worked by hand, and what may not change it."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import UsageError
from compsplit.evaluation.novelty import KINDS, NO_CONCEPT, NO_PAIR, NOVEL, SEEN, UNSEEN, novelty
from compsplit.recipe.parsing import from_mapping
from compsplit.recipe.running import extracted

TRAIN = [
    ("dog bus?", "yes"),
    ("dog cone?", "yes"),
    ("bus cone?", "yes"),
    ("what color bus?", "red"),
    ("what color bus?", "red"),
    ("cat sofa?", "no"),
]
# Pairs and the train rows that have them: dog-bus 1, dog-cone 1, bus-cone 1, dog-yes 2, bus-yes 2, cone-yes 2, each two
# of what, color, bus and red 2, each two of cat, sofa and no 1.
TEST = [
    # question, answer, predicted, kind, novel pairs, train rows with the rarest pair (None: no pair)
    ("dog bus?", "yes", "yes", SEEN, 0, 1),
    ("Dog bus", "yes", "yes", SEEN, 0, 1),
    ("what color bus?", "red", "red", SEEN, 0, 2),
    ("what color bus?", "red", "blue", SEEN, 0, 2),
    ("dog bus cone?", "yes", "yes", NOVEL, 0, 1),
    ("dog bus?", "no", "no", NOVEL, 2, 0),
    ("what color bus?", "yes", "red", NOVEL, 2, 0),
    ("what color cone?", "red", "yes", NOVEL, 3, 0),
    ("what color dog?", "red", "blue", NOVEL, 3, 0),
    ("cat sofa?", "yes", "no", NOVEL, 2, 0),
    ("cat?", "no", "no", NOVEL, 0, 1),
    ("cat dog?", "no", "yes", NOVEL, 2, 0),
    ("zebra?", "no", "no", UNSEEN, 0, 0),
    ("zebra bus?", "red", "yes", UNSEEN, 0, 0),
    ("dog bus?", "green", "yes", UNSEEN, 0, 0),
    ("dog cat?", "green", "yes", UNSEEN, 1, 0),
    ("bus bus?", "yes", "yes", NOVEL, 0, 2),
    ("bus?", "yes", "no", NOVEL, 0, 2),
    ("red?", "red", "green", NOVEL, 0, None),
    ("dog cone sofa?", "yes", "no", NOVEL, 3, 0),
]


def written(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer"), *rows])
    return path


@pytest.fixture
def evaluated(tmp_path: Path) -> api.Evaluated:
    train = written(tmp_path / "train.csv", [(f"t{k}", *row) for k, row in enumerate(TRAIN)])
    test = written(tmp_path / "test.csv", [(f"e{k:02}", row[0], row[1]) for k, row in enumerate(TEST)])
    return api.evaluate(test, {f"e{k:02}": row[2] for k, row in enumerate(TEST)}, train=train)


def lines(found: api.Evaluated, by: str) -> dict[str, tuple[int, float]]:
    table = found.report.tables[f"accuracy by {by} (exact)"]
    return {line[0]: (line[1], line[2]) for line in table.rows}


def test_twenty_rows_are_as_worked_by_hand(evaluated: api.Evaluated) -> None:
    assert lines(evaluated, "novelty") == {
        SEEN: (4, 75.0),
        NOVEL: (12, pytest.approx(100 * 4 / 12)),
        UNSEEN: (4, 25.0),
    }
    assert lines(evaluated, "novel pairs") == {
        "0": (11, pytest.approx(100 * 7 / 11)),
        "1": (1, 0.0),
        "2": (4, 25.0),
        "3": (3, 0.0),
        NO_PAIR: (1, 0.0),
    }
    assert lines(evaluated, "rows with the rarest pair") == {
        "0": (11, pytest.approx(100 * 2 / 11)),
        "1": (4, 100.0),
        "2 to 3": (4, 50.0),
        NO_PAIR: (1, 0.0),
    }


def test_a_question_without_a_concept_is_in_a_class_of_its_own_and_every_row_is_in_one(tmp_path: Path) -> None:
    train = written(tmp_path / "train.csv", [("t1", "?", "yes"), ("t2", "dog?", "yes"), ("t3", "dog?", "no")])
    test = [
        ("e1", "?", "yes"),  # train has the same question with the same answer
        ("e2", "?", "no"),
        ("e3", "?", "green"),  # nothing of the question is told by an answer that train lacks
        ("e4", "?", "?"),
        ("e5", "dog?", "no"),
        ("e6", "yes?", "yes"),  # one concept, so no pair
        ("e7", "", "no"),
    ]
    found = api.evaluate(written(tmp_path / "test.csv", test), {row[0]: "yes" for row in test}, train=train)
    assert lines(found, "novelty") == {SEEN: (1, 0.0), NOVEL: (1, 100.0), NO_CONCEPT: (5, 20.0)}
    assert lines(found, "novel pairs") == {"0": (1, 0.0), NO_PAIR: (6, pytest.approx(100 * 2 / 6))}
    assert lines(found, "rows with the rarest pair") == {"1": (1, 0.0), NO_PAIR: (6, pytest.approx(100 * 2 / 6))}


def test_each_row_says_how_new_it_is(evaluated: api.Evaluated) -> None:
    frame = evaluated.to_frame()
    assert frame["id"].tolist() == [f"e{k:02}" for k in range(len(TEST))]
    assert frame["novelty"].tolist() == [row[3] for row in TEST]
    assert frame["accuracy (exact)"].tolist() == [str(int(row[1] == row[2])) for row in TEST]


def test_rows_of_the_reference_itself_are_in_no_line(tmp_path: Path) -> None:
    rows = [(f"t{k}", *row, "train") for k, row in enumerate(TRAIN)] + [("e", "dog bus?", "no", "test")]
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "part"), *rows])
    found = api.evaluate(path, {row[0]: row[2] for row in rows}, part_column="part")
    assert sum(n for n, _ in lines(found, "novelty").values()) == 1
    told = next(finding for finding in found.report.findings if finding.kind == "reference-scored")
    assert told.count == len(TRAIN)


def test_scenes_have_no_novelty_of_questions(tmp_path: Path) -> None:
    path = written(tmp_path / "test.csv", [("1", "dog?", "yes"), ("2", "cat?", "no")])
    table = api.read(path)
    rows, _ = extracted(from_mapping("x", {"title": "x"}), table)
    with pytest.raises(UsageError, match="holds no row"):
        novelty(rows, np.zeros(2, dtype=bool))


WORDS = st.lists(st.sampled_from(["dog", "bus", "cone", "cat", "sofa"]), min_size=1, max_size=4)
ROWS = st.lists(st.tuples(WORDS, st.sampled_from(["yes", "no", "red"]), st.booleans()), min_size=2, max_size=14)


@settings(max_examples=n_shown(60), deadline=None)
@given(ROWS)
def test_novelty_is_what_the_definition_says(tmp_path_factory: pytest.TempPathFactory, drawn: list) -> None:
    if not any(in_train for _, _, in_train in drawn):
        return
    path = tmp_path_factory.mktemp("novelty") / "rows.csv"
    written(path, [(str(k), " ".join(words), answer) for k, (words, answer, _) in enumerate(drawn)])
    rows, _ = extracted(from_mapping("x", {"title": "x"}), api.read(path))
    in_train = np.array([train for _, _, train in drawn])
    found = novelty(rows, in_train)
    bags = [{*words, answer} for words, answer, _ in drawn]
    train = [k for k, flag in enumerate(in_train) if flag]
    seen = set().union(*(bags[k] for k in train))
    groups = {(tuple(drawn[k][0]), drawn[k][1]) for k in train}
    pairs = Counter(pair for k in train for pair in itertools.combinations(sorted(bags[k]), 2))
    for k, (words, answer, _) in enumerate(drawn):
        kind = SEEN if (tuple(words), answer) in groups else NOVEL if bags[k] <= seen else UNSEEN
        own = list(itertools.combinations(sorted(bags[k]), 2))
        assert KINDS[found.kind[k]] == kind
        assert found.novel_pairs[k] == sum(pairs[pair] == 0 and set(pair) <= seen for pair in own)
        assert found.rarest[k] == min((pairs[pair] for pair in own), default=-1)

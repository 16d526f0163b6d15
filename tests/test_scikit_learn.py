"""CompositionalSplit in scikit-learn: its own checks, its model selection, and what compsplit promises."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pandas
import pyarrow
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, check_cv, cross_val_score, cross_validate
from sklearn.model_selection._split import _yields_constant_splits
from sklearn.model_selection.tests.test_split import check_cv_coverage, check_valid_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tests.metadata_routing_common import assert_request_is_empty

import compsplit
from compsplit.errors import (
    CompsplitError,
    MissingValueError,
    OptionValueError,
    UnknownNameError,
    UnknownOptionError,
    UsageError,
)
from compsplit.scikit_learn import CompositionalSplit

COLORS, SHAPES = ("red", "blue", "green", "gray"), ("cube", "ball", "cone", "ring")


@pytest.fixture
def things() -> pandas.DataFrame:
    """Each of 16 combinations three times, with a number and the scene that a row is from."""
    rows = [(color, shape, n / 8, f"s{n % 6}") for n, (color, shape, _) in enumerate(product(COLORS, SHAPES, range(3)))]
    return pandas.DataFrame(rows, columns=["color", "shape", "size", "scene"])


@pytest.fixture
def answers(things: pandas.DataFrame) -> np.ndarray:
    return np.array(["yes" if color in ("red", "blue") else "no" for color in things["color"]])


def combinations(things: pandas.DataFrame, rows: np.ndarray) -> set[tuple[str, str]]:
    return set(zip(things["color"].iloc[rows], things["shape"].iloc[rows], strict=True))


def listed(splits) -> list[tuple[list[int], list[int]]]:
    return [(train.tolist(), test.tolist()) for train, test in splits]


# ---- what is held out


def test_combinations_held_out_are_never_in_train_and_their_values_are(things):
    cv = CompositionalSplit("compound-holdout", of="color+shape", test_size=0.25, n_splits=3)
    splits = list(cv.split(things))
    assert len(splits) == 3
    for train, test in splits:
        check_valid_split(train, test, n_samples=len(things))
        tested = combinations(things, test)
        assert len(tested) == 4  # each combination has three of 48 rows
        assert not tested & combinations(things, train)
        assert set(things["color"].iloc[train]) == set(COLORS)
        assert set(things["shape"].iloc[train]) == set(SHAPES)
    assert len({tuple(test.tolist()) for _, test in splits}) == 3


def test_questions_and_answers_are_split_by_the_method_of_c_vqa():
    questions = [f"What color is the {thing}?" for thing in ("dog", "cup", "car", "hat") for _ in range(3)]
    y = ["red", "blue", "green"] * 4
    cv = CompositionalSplit("greedy-coverage", by="question-answer", n_splits=2)
    for train, test in cv.split(questions, y):
        check_valid_split(train, test, n_samples=12)
        assert len(test) == 4
    frame = pandas.DataFrame({"question_id": range(12), "question": questions, "answer": y})
    made = compsplit.run("agrawal2017_cvqa", frame, seed=1)
    # Ids are row numbers on both sides here, so the second split is what the recipe makes with seed 1.
    assert sorted(map(int, made.parts["test"])) == listed(cv.split(questions, y))[1][1]


@pytest.mark.parametrize("form", [np.array, pandas.Series, list, tuple, lambda q: np.array(q, dtype=object)])
def test_questions_may_be_of_any_type_that_holds_texts(form):
    questions = [f"Is the {thing} {how}?" for thing in ("dog", "cup", "car") for how in ("red", "big")]
    cv = CompositionalSplit("random", by="first four words", test_size=0.5, n_splits=1)
    assert listed(cv.split(form(questions))) == listed(cv.split(questions))


def test_groups_are_never_torn(things, answers):
    cv = CompositionalSplit("random", test_size=1 / 3, n_splits=4)
    for train, test in cv.split(things, answers, groups=things["scene"]):
        check_valid_split(train, test, n_samples=len(things))
        assert not set(things["scene"].iloc[train]) & set(things["scene"].iloc[test])
        assert things["scene"].iloc[test].nunique() == 2


def test_by_a_column_is_the_same_as_groups(things):
    by = CompositionalSplit("random", by="scene", n_splits=3)
    groups = CompositionalSplit("random", n_splits=3)
    assert listed(by.split(things)) == listed(groups.split(things, groups=things["scene"].to_numpy()))


def test_numbers_are_read_where_an_argument_names_their_column():
    X = np.array([[0.5, 1], [0.5, 2], [1.5, 3], [1.5, 4], [2.5, 5], [2.5, 6]])
    for train, test in CompositionalSplit("random", by="x0", n_splits=3).split(X):
        assert sorted(train.tolist() + test.tolist()) == list(range(6))
        assert len(test) == 2
        assert X[test[0], 0] == X[test[1], 0]


def test_data_that_hold_no_columns_are_split_by_groups_and_rows():
    X = [{"any": "thing"} for _ in range(9)]
    groups = [n // 3 for n in range(9)]
    ((train, test),) = CompositionalSplit("random", n_splits=1).split(X, groups=groups)
    assert [groups[n] for n in test.tolist()] in ([0] * 3, [1] * 3, [2] * 3)
    check_valid_split(train, test, n_samples=9)


def test_rows_that_are_left_out_are_in_neither_side(things):
    missing = things.assign(scene=things["scene"].where(things["scene"] != "s0"))
    cv = CompositionalSplit("random", by="scene", n_splits=1, settings=["group.missing=leave-out"])
    ((train, test),) = cv.split(missing)
    gone = set(range(48)) - set(train.tolist()) - set(test.tolist())
    assert gone == {n for n in range(48) if n % 6 == 0}
    with pytest.raises(MissingValueError, match="8 rows have no value in scene"):
        list(CompositionalSplit("random", by="scene").split(missing))


def test_a_test_part_of_a_number_of_rows_has_that_many(things):
    ((train, test),) = CompositionalSplit("random", test_size=11, n_splits=1).split(things)
    assert (len(train), len(test)) == (37, 11)


def test_y_can_be_spread_evenly(things, answers):
    cv = CompositionalSplit("random", test_size="1/4", settings=["split.strata=['y']"])
    for _, test in cv.split(things, answers):
        assert sorted(answers[test]) == ["no"] * 6 + ["yes"] * 6


def test_columns_called_like_parts_of_scenes_are_columns():
    X = pandas.DataFrame(list(product(("wet", "old", "red"), ("dog", "cup"))), columns=["attribute", "object"])
    ((train, test),) = CompositionalSplit("random", of="attribute+object", by="attribute", n_splits=1).split(X)
    assert X["attribute"].iloc[test].nunique() == 1
    check_valid_split(train, test, n_samples=6)


def test_scenes_are_read_where_their_column_is_named():
    X = pandas.DataFrame({"things": [["dog", "cup"], ["cup"], ["dog"]] * 4, "place": list("abcdef") * 2})
    cv = CompositionalSplit("random", by="place", columns={"objects": "things"}, of="object-pairs", n_splits=1)
    ((train, test),) = cv.split(X)
    check_valid_split(train, test, n_samples=12)
    assert len(test) == 4


# ---- the same splits


def test_a_second_call_gives_the_same_splits_and_changes_nothing(things, answers):
    cv = CompositionalSplit("random", by="scene")
    before = copy.deepcopy(vars(cv))
    assert listed(cv.split(things, answers)) == listed(cv.split(things, answers))
    assert vars(cv) == before
    assert cv.get_n_splits() == cv.get_n_splits(things, answers) == len(list(cv.split(things))) == 5
    assert _yields_constant_splits(cv)


def test_copies_and_pickles_give_the_same_splits(things):
    cv = CompositionalSplit("random", by="scene", test_size=0.3)
    for other in (pickle.loads(pickle.dumps(cv)), copy.deepcopy(cv), clone(cv, safe=False)):
        assert repr(other) == repr(cv)
        assert listed(other.split(things)) == listed(cv.split(things))


def test_its_repr_makes_it_again():
    cv = CompositionalSplit("random", by="scene", test_size=0.3, n_splits=2, random_state=7)
    assert repr(cv) == "CompositionalSplit('random', by='scene', test_size=0.3, n_splits=2, random_state=7)"
    assert vars(eval(repr(cv))) == vars(cv)


def test_rows_are_known_by_their_index_and_not_by_their_order(things):
    cv = CompositionalSplit("random", test_size=0.25, n_splits=2)
    shuffled = things.sample(frac=1, random_state=3)
    for (_, test), (_, other) in zip(cv.split(things), cv.split(shuffled), strict=True):
        assert sorted(shuffled.index[other]) == test.tolist()
    # An index that repeats names no row.
    assert listed(cv.split(things.set_index("scene"))) == listed(cv.split(things))


def test_an_arrow_table_is_split_like_a_pandas_one(things):
    cv = CompositionalSplit("random", by="color", test_size=0.25, n_splits=2)
    assert listed(cv.split(pyarrow.Table.from_pandas(things))) == listed(cv.split(things))


def test_columns_that_no_argument_names_change_nothing(things):
    cv = CompositionalSplit("random", by="scene", n_splits=2)
    wide = things.assign(picture=[np.zeros(3)] * 48, mixed=["a", 1.5] * 24)
    assert listed(cv.split(wide)) == listed(cv.split(things))


def test_a_column_of_x_called_y_or_groups_is_not_taken_for_the_argument():
    X = pandas.DataFrame({"x": range(8), "y": [0, 1] * 4, "groups": [0, 0, 1, 1, 2, 2, 3, 3]})
    cv = CompositionalSplit("random", test_size=0.5, n_splits=1)
    ((_, test),) = cv.split(X, ["a"] * 8, groups=[0, 1] * 4)
    assert test.tolist() in ([0, 2, 4, 6], [1, 3, 5, 7])
    ((_, test),) = CompositionalSplit("random", by="y", test_size=0.5, n_splits=1).split(X, ["a"] * 8)
    assert test.tolist() in ([0, 2, 4, 6], [1, 3, 5, 7])


def test_a_rule_that_no_seed_changes_is_asked_for_one_split(things):
    parted = things.assign(part=["train", "train", "test"] * 16)
    one = CompositionalSplit("declared", column="part", n_splits=1)
    ((train, test),) = one.split(parted)
    assert test.tolist() == list(range(2, 48, 3))
    check_valid_split(train, test, n_samples=48)
    with pytest.raises(UsageError, match="declared gives the same split whatever the seed; ask for one: n_splits=1"):
        list(CompositionalSplit("declared", column="part").split(parted))
    lengths = CompositionalSplit("length", test_size=0.5)
    with pytest.raises(UsageError, match="length gives the same split whatever the seed"):
        list(lengths.split(["a", "b", "a b c d", "a b c d e"] * 5))
    with pytest.raises(UsageError, match="declared decides by its rule how large test is"):
        CompositionalSplit("declared", column="part", test_size=0.3)


def test_few_groups_that_fall_alike_twice_are_no_error():
    alike = [seed for seed in range(12) if len({str(test) for _, test in _seeded(seed).split([1, 2])}) == 1]
    assert alike
    assert len(alike) < 12
    assert all(len(list(_seeded(seed).split([1, 2]))) == 2 for seed in alike)


def _seeded(seed: int) -> CompositionalSplit:
    return CompositionalSplit("random", test_size=0.5, n_splits=2, random_state=seed)


# ---- scikit-learn's own checks


@pytest.mark.parametrize(("name", "how"), [("random", {"by": "scene"}), ("by-group", {"column": "image"})])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_folds_test_each_row_once(things, answers, name, how, k):
    cv = CompositionalSplit(name, n_splits=k, columns={"image": "shape"}, **how)
    check_cv_coverage(cv, things, answers, None, expected_n_splits=k)
    tested = np.concatenate([test for _, test in cv.split(things, answers)])
    assert sorted(tested.tolist()) == list(range(48))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_folds_of_combinations_hold_none_out_twice(things, k):
    cv = CompositionalSplit("compound-holdout", of="color+shape", n_splits=k)
    held = [combinations(things, test) for _, test in cv.split(things)]
    assert len(held) == k
    assert sum(map(len, held)) == len(set().union(*held))
    assert [len(each) for each in held] == {2: [8, 8], 3: [6, 5, 5], 5: [4, 3, 3, 3, 3]}[k]


def test_a_share_of_test_makes_seeds_and_not_folds(things):
    cv = CompositionalSplit("random", test_size=0.5, n_splits=3)
    assert [len(test) for _, test in cv.split(things)] == [24] * 3


def test_metadata_routing_takes_groups():
    cv = CompositionalSplit("random")
    metadata = cv.get_metadata_routing()
    assert metadata.split.requests["groups"] is True
    assert_request_is_empty(metadata, exclude=["split"])
    with sklearn.config_context(enable_metadata_routing=True):
        assert cv.set_split_request(groups=False).get_metadata_routing().split.requests["groups"] is False
    assert CompositionalSplit("random").get_metadata_routing().split.requests["groups"] is True


def test_groups_are_routed_through_cross_validate(things, answers):
    cv = CompositionalSplit("random", n_splits=3)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    how = {"cv": cv, "return_indices": True}
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(model, things, answers, params={"groups": things["scene"]}, **how)
    given = cross_validate(model, things, answers, groups=things["scene"], **how)
    for found in (routed, given):
        for train, test in zip(found["indices"]["train"], found["indices"]["test"], strict=True):
            assert not set(things["scene"].iloc[train]) & set(things["scene"].iloc[test])


def test_check_cv_takes_it_as_it_is():
    cv = CompositionalSplit("random")
    assert check_cv(cv) is cv


def test_grid_search_over_a_frame_scores_each_split(things, answers):
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["color", "shape"]))
    model = make_pipeline(columns, LogisticRegression())
    cv = CompositionalSplit("compound-holdout", of="color+shape", test_size=0.25, n_splits=2)
    search = GridSearchCV(model, {"logisticregression__C": [1e-6, 100]}, cv=cv).fit(things, answers)
    assert search.n_splits_ == 2
    assert {"split0_test_score", "split1_test_score"} <= set(search.cv_results_)
    # The answer follows from the colour, and every colour is in train.
    assert search.best_params_ == {"logisticregression__C": 100}
    assert search.best_score_ == 1


def test_inner_and_outer_cross_validation_go_together(things, answers):
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["color"]))
    inner = CompositionalSplit("random", by="scene", n_splits=2)
    search = GridSearchCV(make_pipeline(columns, LogisticRegression()), {"logisticregression__C": [1, 10]}, cv=inner)
    outer = GroupKFold(3)
    scores = cross_val_score(search, things, answers, cv=list(outer.split(things, answers, things["scene"])))
    assert len(scores) == 3
    assert scores.min() == 1


# ---- what is wrong


def test_wrong_arguments_are_found_before_there_are_data():
    with pytest.raises(UnknownNameError, match=r'no splitter "randum"\. Did you mean "random"'):
        CompositionalSplit("randum")
    with pytest.raises(UnknownOptionError, match='has no option "size"'):
        CompositionalSplit("random", size=3)
    for wrong in ({"n_splits": 0}, {"n_splits": 2.0}, {"random_state": None}, {"test_size": 1.0}, {"test_size": True}):
        with pytest.raises(OptionValueError, match=f"Option {next(iter(wrong))} is"):
            CompositionalSplit("random", **wrong)
    with pytest.raises(CompsplitError, match="no extractor"):
        CompositionalSplit("random", of="qua")


def test_wrong_data_are_value_errors_that_say_what_is_wrong(things, answers):
    cv = CompositionalSplit("random", n_splits=1)
    with pytest.raises(UsageError, match="X has 48 rows and y has 47"):
        next(cv.split(things, answers[:-1]))
    with pytest.raises(UsageError, match="X has no length"):
        next(cv.split(7))
    with pytest.raises(OptionValueError, match="test_size is 48; expected from 1 to 47 rows"):
        next(CompositionalSplit("random", test_size=48).split(things))
    with pytest.raises(UsageError, match='by="scene" says otherwise'):
        next(CompositionalSplit("random", by="scene").split(things, groups=things["scene"]))
    with pytest.raises(UsageError, match='X has the column "color" twice'):
        next(CompositionalSplit("random", by="color").split(things.rename(columns={"shape": "color"})))
    with pytest.raises(UsageError, match='"source" means the file'):
        next(CompositionalSplit("random", by="source").split(things.rename(columns={"scene": "source"})))
    scenes = CompositionalSplit("random", columns={"object": "shape", "scene": "scene"})
    with pytest.raises(UsageError, match="make 6 scenes of 48 rows"):
        next(scenes.split(things, answers))


def test_a_column_that_is_not_there_is_told_with_the_nearest(things):
    with pytest.raises(UnknownNameError, match=r'no column "sise"\. Did you mean "size"'):
        next(CompositionalSplit("random", by="sise").split(things))
    with pytest.raises(CompsplitError, match="its columns are color, id, id of the row, scene, shape, size"):
        next(CompositionalSplit("random", of="color+form").split(things))


def test_importing_compsplit_imports_no_scikit_learn():
    code = "import sys, compsplit; before = 'sklearn' in sys.modules; compsplit.CompositionalSplit; "
    ran = subprocess.run(
        [sys.executable, "-c", f"{code} print(before, 'sklearn' in sys.modules)"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout == "False True\n"

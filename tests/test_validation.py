"""Parts for choosing a model: val-iid out of train, val-ood out of test."""

from __future__ import annotations

import json
import socket
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import ImpossibleError, RecipeError, UsageError
from compsplit.model import Column, Grouping, Incidence, Split, Targets, bagged
from compsplit.recipe.parsing import from_mapping, load
from compsplit.recipe.validation import Validation
from compsplit.splitters import Problem


def problem_of(bags: list[list[int]], images: list[str] | None = None, seed: int = 0) -> Problem:
    """Rows by themselves, each with its concepts."""
    from compsplit.model import Rows, texts

    names = [f"r{i:03}" for i in range(len(bags))]
    n = max((c for bag in bags for c in bag), default=0) + 1
    concepts = bagged("concepts", np.arange(len(bags), dtype=np.int32), bags, tuple(f"c{c:03}" for c in range(n)))
    columns = {"id": Column.of(names), "image": Column.of(images or names)}
    rows = Rows(texts(names), columns, concepts, np.zeros(len(bags), dtype=bool))
    return Problem(
        Grouping.of("row", columns["id"]), Targets({"train": "1/2", "test": "1/2"}), seed, concepts, rows=rows
    )


def split_of(parts: list[int], held: Incidence | None = None) -> Split:
    return Split(("train", "test"), np.array(parts, dtype=np.int16), {"train": 1, "test": 1}, held=held)


def validation(iid: str = "0", ood: str = "0", by: str = "group", k: int = 1) -> Validation:
    return Validation(Fraction(iid), Fraction(ood), by, k)


# --- val-iid


def test_val_iid_takes_its_share_of_train_and_leaves_test_as_it_is():
    bags = [[0]] * 20
    split = validation(iid="3/10").taken_out(problem_of(bags), split_of([0] * 10 + [1] * 10))
    assert split.parts == ("train", "test", "val-iid")
    assert split.sizes == {"train": 7, "test": 10, "val-iid": 3}
    assert split.part_of_row[10:].tolist() == [1] * 10
    assert dict(split.asked) == {"train": -2, "test": 1, "val-iid": 3}


def test_a_row_that_alone_shows_train_what_test_asks_stays_there():
    # Row 0 alone shows concept 1, which test has; rows 1 to 3 show concept 0; concept 2 is no matter to test.
    bags = [[1], [0], [0], [0, 2], [0, 1]]
    for seed in range(10):
        split = validation(iid="3/4").taken_out(problem_of(bags, seed=seed), split_of([0, 0, 0, 0, 1]))
        assert split.part_of_row[0] == 0
        # Two of the three rows with concept 0 may go, the last one stays.
        assert split.sizes == {"train": 2, "test": 1, "val-iid": 2}


def test_each_concept_of_test_keeps_k_rows_of_train():
    bags = [[0]] * 8 + [[0]]
    split = validation(iid="9/10", k=5).taken_out(problem_of(bags), split_of([0] * 8 + [1]))
    assert split.sizes["train"] == 5


def test_val_iid_by_image_takes_whole_images():
    images = [f"i{i // 4}" for i in range(40)]
    problem = problem_of([[0]] * 40, images)
    split = validation(iid="1/5", by="image").taken_out(problem, split_of([0] * 40))
    assert split.sizes["val-iid"] == 8
    assert len({(images[i], int(p)) for i, p in enumerate(split.part_of_row)}) == 10


def test_no_validation_part_is_said_to_be_impossible_with_what_stands_in_the_way():
    bags = [[0], [1], [0, 1]]
    with pytest.raises(ImpossibleError, match=r"2 rows of train are asked for.*2 must stay, as they alone show"):
        validation(iid="99/100").taken_out(problem_of(bags), split_of([0, 0, 1]))


def test_a_part_of_that_name_is_not_made_twice():
    split = Split(("train", "val-iid"), np.array([0, 1], dtype=np.int16))
    with pytest.raises(UsageError, match="has a part val-iid already"):
        validation(iid="1/2").taken_out(problem_of([[0], [0]]), split)


# --- val-ood


def held_of(things: list[list[int]]) -> Incidence:
    n = max(c for bag in things for c in bag) + 1
    return bagged("held", np.arange(len(things), dtype=np.int32), things, tuple(f"h{c}" for c in range(n)))


def test_val_ood_takes_rows_of_test_and_nothing_that_test_is_held_out_for():
    # Test rows are held out for one thing each, five rows a thing.
    things = [[]] * 5 + [[i // 5] for i in range(20)]
    split = validation(ood="1/2").taken_out(problem_of([[0]] * 25), split_of([0] * 5 + [1] * 20, held_of(things)))
    assert split.sizes == {"train": 5, "test": 10, "val-ood": 10}
    of_test, of_val = ({things[i][0] for i in np.flatnonzero(split.part_of_row == p)} for p in (1, 2))
    assert not of_test & of_val


def test_where_all_of_test_hangs_together_rows_between_are_left_out_and_counted():
    # A ring of things: row i is held out for things i and i + 1.
    things = [[]] * 2 + [[i, (i + 1) % 12] for i in range(12)]
    split = validation(ood="1/2").taken_out(problem_of([[0]] * 14), split_of([0, 0] + [1] * 12, held_of(things)))
    of_test, of_val = ({t for i in np.flatnonzero(split.part_of_row == p) for t in things[i]} for p in (1, 2))
    assert of_val
    assert not of_test & of_val
    assert split.left_out is not None
    out = np.flatnonzero(split.part_of_row < 0).tolist()
    assert [split.left_out[i] for i in out] == ["held out for test and for val-ood alike"] * len(out)
    assert len(out) + sum(split.sizes.values()) == 14


@settings(max_examples=n_shown(100))
@given(st.data())
def test_no_group_and_nothing_held_out_is_in_both_test_and_val_ood(data):
    n = data.draw(st.integers(4, 30))
    things = [data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=2, unique=True)) for _ in range(n)]
    parts = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda p: sum(p) > 1))
    held = held_of([[] if p == 0 else bag for bag, p in zip(things, parts, strict=True)] + [[9]])
    held = held.taken(np.arange(n))
    try:
        split = validation(ood="1/2").taken_out(problem_of([[0]] * n, seed=n), split_of(parts, held))
    except ImpossibleError:
        return
    of_test, of_val = ({t for i in np.flatnonzero(split.part_of_row == p) for t in things[i]} for p in (1, 2))
    assert not of_test & of_val
    assert [p for p, before in zip(split.part_of_row.tolist(), parts, strict=True) if before == 0] == [0] * parts.count(
        0
    )
    assert split.sizes["val-ood"] <= sum(parts)


def test_what_cannot_be_told_apart_is_said_with_its_pieces():
    things = [[]] + [[0]] * 6
    with pytest.raises(
        ImpossibleError, match=r"3 of the 6 rows of test are asked for, and they hang together in 1 piece"
    ):
        validation(ood="1/2").taken_out(problem_of([[0]] * 7), split_of([0] + [1] * 6, held_of(things)))


# --- in a recipe


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"val-iid": "much"}, "val-iid is 'much'; expected a share such as 0.1"),
        ({"val-ood": 1}, "val-ood is 1; expected a share below 1"),
        ({"by": "image"}, "validate asks for nothing: give val-iid or val-ood a share"),
        ({"val-id": 0.1}, 'validate has no key "val-id". Did you mean "val-iid"?'),
        ({"val-iid": 0.1, "by": 3}, "by is 3; expected group or a column, such as image"),
    ],
)
def test_a_wrong_validation_section_is_refused(values, told):
    with pytest.raises(RecipeError) as refused:
        from_mapping("mine", {"validate": values})
    assert told in refused.value.message


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.csv"
    lines = [
        f"{i},{i // 3},is the {['red', 'blue', 'big', 'old'][i % 4]} {['cat', 'dog', 'bird'][i % 3]} {i % 7}?,yes"
        for i in range(240)
    ]
    path.write_text("id,image,question,answer\n" + "\n".join(lines) + "\n")
    return path


def test_a_run_with_both_parts_is_written_and_verified(command, questions):
    ran = command(
        "run", "agrawal2017_cvqa", questions.name, "--out", "d", "--val-iid", "0.1", "--val-ood", "1/4", "--json"
    )
    assert ran.code == 0
    parts = ran.json["subject"]["parts"]
    assert list(parts) == ["train", "test", "val-iid", "val-ood"] or set(parts) == {
        "train",
        "test",
        "val-iid",
        "val-ood",
    }
    for size in parts.values():
        assert size["asked share"] == pytest.approx(size["asked"] / 240), "a share that was not asked for"
    rows = [line.split(",") for line in Path("d/assignment.csv").read_text().splitlines()[1:]]
    assert Counter(row[3] for row in rows) == Counter({part: size["got"] for part, size in parts.items()})
    made = [row for row in rows if row[3] != "val-iid"]
    assert len({(row[3], row[4]) for row in made}) == len({row[4] for row in made}), "a group is torn"
    images = {part: {row[1] for row in rows if row[3] == part} for part in ("train", "val-iid")}
    assert not images["train"] & images["val-iid"], "an image of val-iid is one of train"
    shared = {row[4] for row in rows if row[3] == "val-iid"} & {row[4] for row in rows if row[3] == "train"}
    assert shared, "val-iid is not like train"
    manifest = json.loads(Path("d/manifest.json").read_text())
    assert manifest["recipe"]["validate"] == {"val-iid": "0.1", "val-ood": "1/4"}
    assert command("verify", "d").code == 0


def test_groups_stay_whole_in_val_iid_where_that_is_asked(command, questions):
    by_group = ("--val-iid", "0.1", "--set", "validate.by=group")
    assert command("run", "agrawal2017_cvqa", questions.name, "--out", "d", *by_group).code == 0
    rows = [line.split(",") for line in Path("d/assignment.csv").read_text().splitlines()[1:]]
    assert len({(row[3], row[4]) for row in rows}) == len({row[4] for row in rows})
    assert command("verify", "d").code == 0


def test_what_a_user_groups_by_stays_together_in_val_iid(command, questions):
    text = questions.read_text().splitlines()
    questions.write_text(
        "\n".join([text[0] + ",who", *(f"{line},w{i % 20}" for i, line in enumerate(text[1:]))]) + "\n"
    )
    assert command("run", "random", questions.name, "--by", "who", "--out", "d", "--val-iid", "0.2").code == 0
    rows = [line.split(",") for line in Path("d/assignment.csv").read_text().splitlines()[1:]]
    assert len({(row[3], row[4]) for row in rows}) == 20


def test_rows_of_val_iid_by_themselves(command, questions):
    by_row = ("--val-iid", "0.2", "--set", "validate.by=row")
    assert command("run", "agrawal2017_cvqa", questions.name, "--out", "d", *by_row).code == 0
    assert command("verify", "d").code == 0


def test_a_check_without_parts_is_not_about_val_iid(command, questions):
    """By image, question-answer pairs are shared with train on purpose; the split's own promises hold."""
    by_image = ("--val-iid", "0.2", "--set", "validate.by=image")
    ran = command("run", "agrawal2017_cvqa", questions.name, "--out", "d", *by_image, "--json")
    assert ran.code == 0
    shared = [m for m in ran.json["measures"] if m["name"] == "qa-overlap" and m["part"] == "val-iid"]
    assert any(m["value"] for m in shared), "the example does not show it"
    named = ("--set", 'check=[{require="qa-overlap[qa (reduced)][train->val-iid] == 0"}]')
    assert command("run", "agrawal2017_cvqa", questions.name, "--out", "e", *by_image, *named, "--json").code == 1


def _no_network(*_: Any, **__: Any) -> None:
    raise AssertionError("the network is asked")


def test_case_23_a_validation_part_of_a_split_that_has_none(shared, command, monkeypatch):
    monkeypatch.setattr(socket, "socket", _no_network)
    case = shared / "cases/23-cvqa-only-train-and-test"
    expected = json.loads((case / "expected.json").read_text())["splits"]
    files = [f"{part}={case / part}.json" for part in ("train", "test")]
    ran = command(
        "run", "declared", *files, "--val-iid", "0.5", "--set", "validate.by=image", "--out", "d", "--seed", 3
    )
    assert ran.code == 0, ran.err
    told = {row.split(",")[0]: row.split(",") for row in Path("d/assignment.csv").read_text().splitlines()[1:]}
    of_files = {
        part: {
            str(record["question_id"]): str(record["image_id"])
            for record in json.loads((case / f"{part}.json").read_text())
        }
        for part in ("train", "test")
    }
    assert {part: len(ids) for part, ids in of_files.items()} == expected
    parts = {name: row[3] for name, row in told.items()}
    assert {name for name, part in parts.items() if part == "test"} == of_files["test"].keys(), "test is touched"
    val = {name for name, part in parts.items() if part == "val-iid"}
    assert val
    assert val < of_files["train"].keys()
    images = {of_files["train"][name] for name in val}
    assert all(parts[name] == "val-iid" for name, image in of_files["train"].items() if image in images)
    manifest = json.loads(Path("d/manifest.json").read_text())
    assert manifest["seed"] == 3
    assert {entry["part"] for entry in manifest["outputs"]} >= {"train", "val-iid", "test"}
    assert command("verify", "d", "--input", case).code == 0


@pytest.mark.parametrize(
    ("recipe", "settings", "k"),
    [("uouc_groups_questions", [], 1), ("holdout", ["split.k=3"], 3), ("keysers2020_mcd", ["split.cover=2"], 2)],
)
def test_how_many_units_must_show_a_concept_is_what_the_splitter_promises(recipe, settings, k):
    found = load(recipe, ["validate.val-iid=0.2", *settings]).validation
    assert found is not None
    assert found.k == k

"""Several seeds and folds of one recipe, each a split of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compsplit.errors import RecipeError, UsageError
from compsplit.recipe.several import seeds_of, variants


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    lines = [f"{i},{i // 2},what is {i % 5}?,{'ab'[i % 2]}" for i in range(30)]
    path.write_text("id,image,question,answer\n" + "\n".join(lines) + "\n")
    return path


def assigned(folder: str) -> dict[str, str]:
    lines = Path(folder, "assignment.csv").read_text().splitlines()[1:]
    return {line.split(",")[0]: line.split(",")[3] for line in lines}


@pytest.mark.parametrize(("written", "seeds"), [("2", (0, 1)), ("5,3", (5, 3)), ("-1,0", (-1, 0))])
def test_seeds_are_a_number_of_them_or_a_list(written, seeds):
    assert seeds_of(written) == seeds


@pytest.mark.parametrize("written", ["0", "", "a", "1,1", "1,", "-3"])
def test_other_seeds_are_refused(written):
    with pytest.raises(UsageError, match="neither a number of seeds, such as 5, nor a list"):
        seeds_of(written)


def test_each_seed_is_a_split_that_one_run_would_make(command, rows):
    assert command("run", "random", rows.name, "--seeds", "3,0", "--out", "d").code == 0
    assert {path.name for path in Path("d").iterdir()} == {"seed-3", "seed-0"}
    assert command("run", "random", rows.name, "--seed", "3", "--out", "e").code == 0
    for path in Path("e").iterdir():
        assert path.read_bytes() == Path("d/seed-3", path.name).read_bytes(), path.name
    assert assigned("d/seed-3") != assigned("d/seed-0")
    assert command("verify", "d/seed-0").code == 0


def test_several_splits_appear_together_or_not_at_all(command, rows):
    Path("d").mkdir()
    Path("d/mine.txt").write_text("keep me")
    assert (
        "not a folder that compsplit wrote" in command("run", "random", rows.name, "--seeds", "2", "--out", "d").message
    )
    Path("d/mine.txt").unlink()
    Path("d").rmdir()
    assert command("run", "random", rows.name, "--seeds", "2", "--out", "d").code == 0
    assert "Pass --force" in command("run", "random", rows.name, "--seeds", "2", "--out", "d").message
    assert command("run", "random", rows.name, "--seeds", "1,2,3", "--out", "d", "--force").code == 0
    assert {path.name for path in Path("d").iterdir()} == {"seed-1", "seed-2", "seed-3"}


def test_reports_of_several_splits_are_one_json_and_a_plan_writes_nothing(command, rows):
    ran = command("run", "random", rows.name, "--seeds", "2", "--plan", "--json")
    assert [each["subject"]["seed"] for each in ran.json["runs"].values()] == [0, 1]
    assert {path.name for path in Path().iterdir()} == {"rows.csv"}
    shown = command("run", "random", rows.name, "--seeds", "2", "--plan").out
    assert "seed-1" in shown
    assert "Nothing was written" in shown


def test_seeds_and_folds_do_not_mix(command, rows):
    assert "not for both" in command("run", "random", rows.name, "--seeds", "2", "--folds", "3").message
    assert "Ask for 2 folds or more, got 1" in command("run", "random", rows.name, "--folds", "1").message
    assert "Ask for 2 folds or more, got -3" in command("run", "random", rows.name, "--folds", "-3").message
    assert "Give one seed" in command("run", "random", rows.name, "--seeds", "2", "--seed", "3").message


def test_every_row_is_in_test_in_one_fold(command, rows):
    assert command("run", "random", rows.name, "--folds", "4", "--out", "d", "--by", "image").code == 0
    folds = [assigned(f"d/fold-{i}") for i in range(1, 5)]
    tested = [name for fold in folds for name, part in fold.items() if part == "test"]
    assert sorted(tested) == sorted(str(i) for i in range(30))
    assert json.loads(Path("d/fold-2/manifest.json").read_text())["recipe"]["split"]["fold"] == "2/4"
    assert command("verify", "d/fold-2").code == 0


def test_a_method_that_makes_no_folds_says_which_do():
    with pytest.raises(RecipeError, match=r"greedy-coverage makes no folds; these do: .*random"):
        variants("agrawal2017_cvqa", [], folds=3)


@pytest.mark.parametrize("fold", ["0/3", "4/3", "1/1", "a", "1"])
def test_a_fold_is_one_of_k(fold):
    from compsplit.recipe.parsing import from_mapping

    with pytest.raises(RecipeError, match="expected one of k"):
        from_mapping("mine", {"split": {"method": "random", "fold": fold}})

"""Guarantees of splitters as checks."""

from __future__ import annotations

import pytest

from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import from_mapping
from compsplit.registry import plugins


def checks_of(split: dict[str, object], parts: tuple[str, ...]) -> list[str]:
    import numpy as np

    from compsplit.model import Column, Rows, bagged, texts
    from compsplit.model.compounds import Compounds

    rows = bagged("pairs", np.array([0], dtype=np.int32), [[0]], ("a | b",))
    atoms = bagged("halves", np.array([0], dtype=np.int32), [[0, 1]], ("a", "b"))
    made = Compounds("pair", rows, atoms, 2, np.array([0, 1], dtype=np.int32))
    whole = Rows(texts(["1"]), {"id": Column.of(["1"])}, atoms, np.zeros(1, dtype=bool), compounds={"pairs": made})
    return [check.written for check in guaranteed(from_mapping("mine", {"split": split}).split, whole, parts)]


def test_no_group_is_torn_between_any_two_parts_that_a_method_makes():
    assert checks_of({"method": "random"}, ("train", "val", "test", "val-iid")) == [
        "group-overlap[group][train->val] == 0",
        "group-overlap[group][train->test] == 0",
        "group-overlap[group][val->test] == 0",
    ]


def test_what_stands_in_braces_is_what_was_extracted_what_was_asked_and_each_part_but_val_iid():
    made = checks_of({"method": "compound-holdout", "k": 3}, ("train", "test", "val-iid", "val-ood"))
    assert "groups-with-unseen-compounds[pairs][train->test] == 1" in made
    assert "least-shown[halves][train->test] >= 3" in made
    assert "least-shown[halves][train->val-ood] >= 3" in made
    assert not any("val-iid" in check for check in made)


@pytest.mark.parametrize("name", plugins("splitter"))
def test_a_guarantee_is_written_in_names_that_there_are(name):
    """Measures that checks name belong to an audit, by its own name or by those that it says it makes."""
    splitter = plugins("splitter")[name]
    options = {option: parameter.default for option, parameter in splitter.options.items()}
    keeps = splitter.facts.get("keeps", ())
    templates = keeps(options) if callable(keeps) else keeps
    known = {each for audit in plugins("audit").values() for each in audit.facts.get("measures", (audit.name,))}
    for template in templates:
        assert template.split("[")[0] in known | {"rows-with-novel-compounds"}


def test_names_with_signs_of_checks_in_them_are_no_matter(command, tmp_path):
    lines = [f"{i},{['red', 'blue', 'green'][i % 3]},{['cube', 'ball', 'cone', 'ring'][i % 4]}" for i in range(120)]
    (tmp_path / "odd.csv").write_text("id,co[lo]r,sha->pe\n" + "\n".join(lines) + "\n")
    assert command("run", "holdout", "odd.csv", "--of", "co[lo]r+sha->pe", "--out", "d").code == 0
    assert command("verify", "d").code == 0


def test_a_plan_says_that_a_split_could_not_be_written(command, shared):
    file = shared / "data/text2sql/geography.json"
    refused = command("run", "random", file, "--plan")
    assert refused.code == 2
    assert "write.as=jsonl" in refused.message
    assert command("run", "random", file, "--plan", "--set", "write.as=jsonl").code == 0

"""The folder for Hugging Face datasets loads back with the right parts and counts, offline, and nothing else."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.errors import UsageError
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.registry import plugin


@pytest.fixture(autouse=True)
def _offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, and no way out of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    with warnings.catch_warnings():
        # What another program warns of its own parts is not about ours.
        warnings.simplefilter("ignore")
        import datasets

        datasets.disable_progress_bars()
        yield


def load(folder: str) -> Any:
    import datasets

    return datasets.load_dataset(folder, cache_dir="cache")


def divide(table: RowTable, *parts: str, **more: Any) -> dict[str, list[int]]:
    """Write rows to parts in turn, and return the rows of each."""
    part_of_row = (np.arange(len(table)) % len(parts)).astype(np.int16)
    Path("d").mkdir()
    plugin("writer", "huggingface").make(table, Split(parts, part_of_row), Path("d"), **more)
    return {part: np.flatnonzero(part_of_row == p).tolist() for p, part in enumerate(parts)}


def csv(n: int = 10) -> RowTable:
    rows = "".join(f"{k},{k}.jpg,what is {k}?,yes,{'n' if k % 2 else ''}\n" for k in range(n))
    Path("in.csv").write_text("id,image,question,answer,note\n" + rows)
    return api.read("in.csv")


def test_every_part_loads_with_its_rows_and_columns():
    table = csv()
    rows = divide(table, "train", "test", "val-iid", "val-ood")
    loaded = load("d")
    assert list(loaded) == ["train", "test", "val_iid", "val_ood"]
    for part, name in (("train", "train"), ("test", "test"), ("val-iid", "val_iid"), ("val-ood", "val_ood")):
        assert loaded[name]["id"] == [str(row) for row in rows[part]]
    assert loaded["train"][0] == {
        "id": "0", "image": "0.jpg", "question": "what is 0?", "answer": "yes", "question_type": None,
        "answer_type": None, "origin": None, "note": None,
    }  # fmt: skip
    assert loaded["test"][0]["note"] == "n"


def test_files_are_named_as_the_hub_names_them():
    divide(csv(), "train", "val-iid")
    assert sorted(path.name for path in Path("d").iterdir()) == [
        "README.md", "train-00000-of-00001.parquet", "val_iid-00000-of-00001.parquet",
    ]  # fmt: skip


def test_counts_in_the_card_are_those_of_the_files():
    from datasets.exceptions import DatasetsError
    from datasets.utils.info_utils import NonMatchingSplitsSizesError

    divide(csv(), "train", "test")
    card = Path("d/README.md")
    text = card.read_text()
    assert text.count("num_examples: 5") == 2
    sizes = [path.stat().st_size for path in Path("d").glob("*.parquet")]
    assert f"download_size: {sum(sizes)}\n" in text
    n_bytes = [int(n) for n in re.findall("num_bytes: (\\d+)", text)]
    assert f"dataset_size: {sum(n_bytes)}\n" in text
    # A wrong count is found by the loader, so that a right one means something.
    card.write_text(text.replace("num_examples: 5", "num_examples: 6", 1))
    with pytest.raises((NonMatchingSplitsSizesError, DatasetsError)):
        load("d")


def test_names_that_look_like_numbers_and_truth_values_are_names():
    divide(csv(), "0123", "true", "null", "1e5")
    assert list(load("d")) == ["0123", "true", "null", "1e5"]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (("val-iid", "val_iid"), 'val-iid, val_iid would all be called "val_iid"'),
        (("Train", "train"), 'Train, train would all be called "train"'),
        (("train", "all"), 'called "all"'),
    ],
)
def test_parts_that_the_loader_could_not_tell_apart_stop_the_run(parts, told):
    with pytest.raises(UsageError, match=told):
        divide(csv(), *parts)


def test_scenes_load_with_lists_of_objects_and_relations(shared):
    table = api.read(shared / "data/vrd/annotations_test.json")
    divide(table, "train", "test")
    loaded = load("d")
    assert {part: len(rows) for part, rows in loaded.items()} == {"train": 500, "test": 500}
    n_objects = sum(len(each) for rows in loaded.values() for each in rows["objects"])
    n_relations = sum(len(each) for rows in loaded.values() for each in rows["relations"])
    # VRD's test set has 7,638 relationships, 26 of them of an object to itself.
    assert (n_objects, n_relations) == (table.n_objects, 7638 - 26)


def test_the_folder_of_a_run_loads_as_a_whole(command):
    csv(20)
    ran = command("run", "random", "in.csv", "--out", "d", "--set", "write.as=huggingface", "--share", "test=0.3",
                  "--share", "val-iid=0.2")  # fmt: skip
    assert ran.code == 0, ran.err
    # Beside the parts lie CSV and JSON files, which are no data.
    assert {"assignment.csv", "left_out.csv", "manifest.json", "report.json"} <= {p.name for p in Path("d").iterdir()}
    assert {part: len(rows) for part, rows in load("d").items()} == {"train": 10, "test": 6, "val_iid": 4}
    assert command("verify", "d").code == 0


def test_without_the_card_parts_are_lost(command):
    """What the card's YAML is for; should the loader learn to do without it, this test says so."""
    divide(csv(), "train", "head", "tail")
    Path("d/README.md").unlink()
    assert set(load("d")) != {"train", "head", "tail"}


def test_pandas_reads_a_part():
    import pandas

    divide(csv(), "train", "test")
    assert pandas.read_parquet("d/train-00000-of-00001.parquet")["id"].tolist() == ["0", "2", "4", "6", "8"]


def test_the_card_says_how_the_split_was_made():
    table = csv().keep(np.arange(10) != 3, "no <answer>", "rows left out")
    about = {
        "title": "Novel pairs", "source": "Someone 2020", "recipe": "holdout", "splitter": "compound-holdout",
        "guarantee": "no pair is shared", "seed": 7, "options": {"k": 2, "by": ["a"]}, "inputs": ["in.csv"],
        "checks": ["coverage[words][train->test] >= 1"],
    }  # fmt: skip
    divide(table, "train", "test", about=about)
    text = Path("d/README.md").read_text()
    for said in (
        "# Novel pairs\n", "9 rows of the format table", "- source: Someone 2020\n", "- recipe: holdout\n",
        "- splitter: compound-holdout\n", "- guarantee: no pair is shared\n", "- seed: 7\n", "- option k: 2\n",
        '- option by: \\["a"\\]\n', "- made from: in.csv\n", "- left out: 1 (no &lt;answer&gt;)\n",
        "| train | train-00000-of-00001.parquet | 5 |\n", "compsplit verify .\n",
        "- checked: coverage\\[words\\]\\[train-&gt;test\\] &gt;= 1\n",
    ):  # fmt: skip
        assert said in text


def test_nothing_of_the_users_acts_in_the_card():
    title = "---\nconfigs: []\n---\n<script>x</script> [a](http://b) *c* `d` \x1b[31m | # e"
    divide(csv(), "train", "test", about={"title": title, "inputs": [title]})
    text = Path("d/README.md").read_text()
    assert "<script>" not in text
    assert "[a](" not in text
    assert "\x1b" not in text
    assert text.count("\n---\n") == 1
    assert len(load("d")["train"]) == 5


@pytest.mark.large
def test_a_users_own_table_is_split_by_one_command_and_loads_whichever_way_it_is_written(command):
    lines = [
        f"r{i},{['red', 'blue', 'green', 'grey'][i % 4]},{['cube', 'ball', 'cone'][i // 4 % 3]}" for i in range(80_000)
    ]
    Path("data.csv").write_text("id,color,shape\n" + "\n".join(lines) + "\n")
    of = ("run", "holdout", "data.csv", "--set", "extract.of=color+shape")
    assert command(*of, "--out", "x").code == 0
    assert command(*of, "--out", "y", "--set", "write.as=huggingface").code == 0
    import datasets

    files = {part: f"x/{part}.csv" for part in ("train", "test")}
    as_csv = datasets.load_dataset("csv", data_files=files, cache_dir="cache")
    as_parquet = load("y")
    assigned = [line.split(",") for line in Path("x/assignment.csv").read_text().splitlines()[1:]]
    for part in ("train", "test"):
        ids = sorted(row[0] for row in assigned if row[3] == part)
        assert sorted(as_csv[part]["id"]) == ids
        assert sorted(as_parquet[part]["id"]) == ids
    pairs = {part: set(zip(found["color"], found["shape"], strict=True)) for part, found in as_parquet.items()}
    assert pairs["test"]
    assert not pairs["train"] & pairs["test"]

"""GQA's split of images: shares are of images, whatever number of questions each has, and figures are the paper's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit import api
from compsplit.errors import ImpossibleError, UsageError
from compsplit.model import Column, Grouping, Split, Targets
from compsplit.recipe.parsing import load
from compsplit.registry import plugin
from compsplit.splitters import Problem
from compsplit.splitters.problem import Fold

RECIPE = "hudson2019_split_gqa"
SHARES = {"train": "7/10", "val": "1/10", "test": "1/10", "challenge": "1/10"}


def written(folder: Path, n_questions: Sequence[int]) -> Path:
    """Write GQA questions; image k has as many of them as is said."""
    records = {
        f"q{image}-{k}": {
            "question": f"Is there a thing {k}?", "imageId": f"i{image}", "answer": "yes", "isBalanced": True,
            "types": {"structural": "verify", "semantic": "obj", "detailed": "exist"},
        }
        for image, n in enumerate(n_questions)
        for k in range(n)
    }  # fmt: skip
    path = folder / "questions.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def by_groups(keys: Sequence[str], targets: Targets, seed: int = 0, **more: object) -> Split:
    problem = Problem(Grouping.of("image", Column.of(keys)), targets, seed, **more)  # type: ignore[arg-type]  # by name
    split: Split = plugin("splitter", "random").make(problem, shares_of="groups")
    return split


def n_groups(split: Split, keys: Sequence[str]) -> dict[str, int]:
    return {part: len({k for k, there in zip(keys, split.rows_in(part), strict=True) if there}) for part in split.parts}


def test_shares_are_of_images_however_many_questions_they_have(tmp_path):
    # 113 images: a tenth is 11.3, and image 0 has more questions than all others together.
    n_questions = [5000, *(1 + k % 40 for k in range(112))]
    made = api.run(RECIPE, written(tmp_path, n_questions))
    images = {part: size["images"] for part, size in made.report.subject["parts"].items()}
    assert images == {"train": 80, "val": 11, "test": 11, "challenge": 11}
    asked = made.report.tables["shares of groups"]
    assert asked.columns == ("part", "images asked", "images got", "share of images", "share of rows")
    assert [row[:3] for row in asked.rows] == [(part, n, n) for part, n in images.items()]
    # Shares of questions are told, and are far from those of the images: whichever part image 0 is in has most.
    shares = {row[0]: row[4] for row in asked.rows}
    sizes = made.split.sizes
    assert shares == {part: n / sum(n_questions) for part, n in sizes.items()}
    with_most = next(part for part in sizes if "i0" in images_of(made, part))
    assert shares[with_most] > 0.6


def images_of(made: api.Run, part: str) -> set[str | None]:
    return {made.table.images[row] for row in np.flatnonzero(made.split.rows_in(part)).tolist()}


def test_all_questions_of_an_image_are_in_one_part(tmp_path, command):
    file = written(tmp_path, [1 + k % 7 for k in range(30)])
    assert command("run", RECIPE, file, "--out", "parts").code == 0
    found: dict[str, set[str]] = {}
    for part in SHARES:
        records = json.loads((tmp_path / "parts" / f"{part}.json").read_text("utf-8"))
        found[part] = {record["imageId"] for record in records.values()}
    assert {part: len(images) for part, images in found.items()} == {"train": 21, "val": 3, "test": 3, "challenge": 3}
    assert len(set.union(*found.values())) == 30
    assert command("verify", "parts", "--input", file).code == 0


def test_parts_are_stretches_of_the_hash_order(tmp_path):
    n_images = 40
    keys = [f"i{k}" for k in range(n_images) for _ in range(1 + k % 3)]
    grouping = Grouping.of("image", Column.of(keys))
    order = [grouping.names[g] for g in grouping.order(7).tolist()]
    split = by_groups(keys, Targets(SHARES), 7)
    for part, stretch in (("val", order[:4]), ("test", order[4:8]), ("challenge", order[8:12]), ("train", order[12:])):
        assert {key for key, there in zip(keys, split.rows_in(part), strict=True) if there} == set(stretch)


@given(st.lists(st.integers(1, 30), min_size=4, max_size=60), st.integers(0, 5))
def test_each_part_has_the_floor_of_its_share_and_one_group_at_least(sizes, seed):
    keys = [f"g{k}" for k, size in enumerate(sizes) for _ in range(size)]
    split = by_groups(keys, Targets(SHARES), seed)
    got = n_groups(split, keys)
    for part in ("val", "test", "challenge"):
        assert got[part] == max(len(sizes) // 10, 1)
    assert sum(got.values()) == len(sizes)
    assert not split.asked  # no number of rows was asked for


def test_folds_of_groups_differ_by_one_group_at_most():
    keys = [f"g{k}" for k in range(23) for _ in range(1 + 100 * (k == 3))]
    sizes = []
    for number in range(1, 6):
        split = by_groups(keys, Targets({"train": "4/5", "test": "1/5"}), fold=Fold(number, 5))
        sizes.append(n_groups(split, keys)["test"])
        assert not split.asked
    assert sum(sizes) == 23
    assert max(sizes) - min(sizes) <= 1


def test_strata_of_rows_are_refused_where_shares_are_of_groups():
    with pytest.raises(UsageError, match=r"Strata are spread over shares of rows"):
        by_groups("abcdefgh", Targets(SHARES), strata=Column.of("xxxxyyyy"))


def test_groups_that_must_stay_in_train_leave_too_few_for_an_exact_share():
    grouping = Grouping.of("image", Column.of("abcdefgh"), np.array([True] * 6 + [False] * 2))
    problem = Problem(grouping, Targets({"train": "1/2", "test": "1/2"}))
    with pytest.raises(ImpossibleError, match="test need at least 4 images that may leave train, there are 2"):
        plugin("splitter", "random").make(problem, shares_of="groups")


def test_the_sample_of_real_questions_is_divided_by_image(shared):
    made = api.run(RECIPE, shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json")
    assert made.split.sizes == {"train": 35, "val": 5, "test": 5, "challenge": 5}
    assert not made.report.failed
    types = {row[0] for row in made.report.tables["question types"].rows}
    assert types == {"verify", "query", "choose", "logical", "compare"}
    # The sample is not GQA, so no published figure stands beside what was obtained.
    assert "published beside obtained" not in made.report.tables


def test_published_figures_stand_beside_where_the_counts_are_those_of_the_paper(shared):
    known = ("published.known_by.questions=50", "published.known_by.images=50")
    made = api.run(RECIPE, shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json", settings=known)
    rows = made.report.tables["published beside obtained"].rows
    assert [row[:3] for row in rows] == [
        ("richness[image][whole]", 113018, 50),
        ("richness[question words][whole]", 3097, 136),
        ("richness[answer (exact)][whole]", 1878, 33),
    ]


# --- the figures are those of the paper's text


def published(name: str) -> list[list[object]]:
    rows: list[list[object]] = load(RECIPE).published[name]["rows"]
    return rows


def paper(shared: Path) -> str:
    return next((shared / "papers").glob("000_*.txt")).read_text("utf-8")


def test_table_1_is_that_of_the_paper(shared):
    text = paper(shared)
    table = text[text.index("Metric Global Prior") : text.index("Blind language-only models")]
    lines = {}
    for line in table.splitlines()[1:]:
        values = re.findall(r"(?<!\w)(?:\d+\.\d+|–)(?!\w)", line)
        if values:
            lines[line.split()[0].lower()] = [float(v) if v != "–" else "-" for v in values]
    assert len(lines) == 18
    assert {str(row[0]): row[1:] for row in published("accuracy")} == lines


def test_the_profile_is_that_of_the_paper(shared):
    text = paper(shared)
    table = text[text.index("Aspect VQA 2.0 GQA") : text.index("GQA questions exhibit double")]
    names = {"question": "words", "verbs": "verbs", "nouns": "nouns", "adjectives": "adjectives"}
    for line in filter(None, (line.strip() for line in table.splitlines()[1:])):
        name = line.split()[0].lower()
        name = names.get(name, name)
        found = next(row for row in published("profile") if str(row[0]).split(",")[0] == name)
        pairs = re.findall(r"(\d\.\d)±(\d\.\d)", line) or [(n, "-") for n in re.findall(r"(\d+\.\d)%", line)]
        assert [str(value) for value in found[1:]] == [*pairs[0], *pairs[1]]


@pytest.mark.parametrize("kind", ["structural", "semantic", "steps"])
def test_published_shares_add_up_to_all_questions(kind):
    assert sum(int(str(row[2])) for row in published("shares") if row[0] == kind) == 100

"""What every splitter promises, whichever are registered: held by audits on random data, the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import COMPILED
from splitter_examples import EXAMPLES, Example, rows_of

from compsplit import api
from compsplit.errors import ImpossibleError, UsageError
from compsplit.recipe.checks import IID
from compsplit.recipe.parsing import from_mapping
from compsplit.registry import plugin, plugins

EVERY = [(name, k) for name, examples in EXAMPLES.items() for k in range(len(examples))]


def test_every_splitter_has_an_example():
    assert EXAMPLES.keys() == plugins("splitter").keys()


@pytest.mark.parametrize("name", plugins("splitter"))
def test_a_splitter_says_what_it_guarantees_and_what_it_costs(name):
    facts = plugin("splitter", name).facts
    assert facts["guarantee"].endswith(".")
    assert facts["cost"]


def run(example: Example, files: list[Path], out: Path | None = None, seed: int = 0) -> Any:
    recipe = from_mapping("example", {"title": "Example", **example.placed(files[0].parent)}, [f"seed={seed}"])
    return api.run(recipe, *files, out=out, force=True)


def named(example: Example, file: Path) -> list[Path]:
    """What verify is told: the data, and the files that the recipe names."""
    return [file, *(file.parent / name for name in example.files)]


@pytest.mark.parametrize(("name", "k"), EVERY)
@pytest.mark.large
def test_its_guarantee_holds_as_audits_measure_it_and_verify_agrees(name, k, tmp_path):
    example = EXAMPLES[name][k]
    made = 0

    # 200 inputs for every splitter; its further examples are shown fewer.
    n_inputs = 200 if k == 0 else 60

    @settings(max_examples=n_inputs)
    @given(st.integers(0, 10**6), st.integers(6, 40))
    def promise(seed: int, n: int) -> None:
        nonlocal made
        file = example.written(tmp_path, seed, n)
        try:
            split = run(example, [file], tmp_path / "d", seed)
        except (ImpossibleError, UsageError):
            return
        made += 1
        # What breaks is named by the audits, which know nothing of how the split was made.
        assert not [finding.message for finding in split.report.findings if finding.level == "fail"]
        assert len(split.table) + len({name for name, _ in split.table.left_out}) == n
        broken = [promise for promise in api.verify(tmp_path / "d", *named(example, file)) if not promise.kept]
        assert not broken

    promise()
    assert made >= n_inputs / 2, f"only {made} of {n_inputs} inputs could be split"


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_its_checks_fail_where_test_is_train(name, k, tmp_path):
    """With parts exchanged or shuffled the guarantee is broken somewhere: its checks can fail."""
    example = EXAMPLES[name][k]
    for seed in range(20):
        try:
            split = run(example, [example.written(tmp_path, seed, 40)], seed=seed)
        except ImpossibleError:
            continue
        if all(check.name == "group-overlap" for check in split.checks):
            return  # rows by themselves cannot be torn
        order = random.Random(seed).sample(range(len(split.table)), len(split.table))
        shuffled = split.split.taken(order)
        report = type(split)(
            split.recipe, split.table, split.rows, split.grouping, shuffled, split.reducer, split.read_options
        ).report
        if report.failed:
            return
    pytest.fail("no shuffled split breaks the guarantee")


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_assignment_and_report_do_not_depend_on_the_order_of_rows_or_their_files(name, k, tmp_path):
    example = EXAMPLES[name][k]
    results = []
    for place, cut, seed in (("a", 1, None), ("b", 1, 1), ("c", 3, 2)):
        order = list(range(36))
        if seed is not None:
            random.Random(seed).shuffle(order)
        folder = tmp_path / place
        folder.mkdir()
        files = []
        for part in range(cut):
            file = folder / f"{part}{Path(example.data).suffix}"
            file.write_text(rows_of(example.data, 5, 36, order[part::cut]), encoding="utf-8", newline="")
            files.append(file)
        random.Random(seed).shuffle(files)
        run(example, files, folder / "d", 3)
        results.append({n: (folder / "d" / n).read_bytes() for n in ("assignment.csv", "report.json", "left_out.csv")})
    assert results[1] == results[0]
    assert results[2] == results[0]


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What other processes make of all examples, with other hash seeds and other numbers of threads."""
    made = []
    for hash_seed, threads in (("1", "1"), ("4242", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "NUMBA_NUM_THREADS": threads}
        folder = tmp_path_factory.mktemp(f"hash{hash_seed}")
        done = subprocess.run(
            [sys.executable, __file__, str(folder)], env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        made.append(json.loads(done.stdout))
    return made


def _digests(folder: Path) -> dict[str, str]:
    """Run every example and return a digest of its files, by name."""
    found = {}
    for name, k in EVERY:
        example = EXAMPLES[name][k]
        run(example, [example.written(folder, 5, 36)], folder / "d", 3)
        digest = hashlib.sha256()
        for path in sorted((folder / "d").iterdir()):
            digest.update(path.name.encode() + path.read_bytes())
        found[f"{name} {k}"] = digest.hexdigest()
    return found


@pytest.mark.large
@pytest.mark.parametrize(("name", "k"), EVERY)
def test_hash_seeds_and_threads_change_no_byte(name, k, digests):
    one, other = digests
    assert one[f"{name} {k}"] == other[f"{name} {k}"]


@pytest.mark.parametrize("name", [name for name in EXAMPLES if plugin("splitter", name).facts.get("folds")])
def test_each_row_is_tested_in_one_fold_at_most_and_each_fold_keeps_the_guarantee(name, tmp_path):
    example = EXAMPLES[name][0]
    file = example.written(tmp_path, 3, 40)
    tested: list[str] = []
    for fold in ("1/3", "2/3", "3/3"):
        recipe = {**example.recipe, "split": {**example.recipe["split"], "fold": fold}}
        split = run(Example(example.data, recipe, example.files), [file])
        assert not split.report.failed
        tested += split.parts["test"]
    assert len(tested) == len(set(tested))


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_both_validation_parts_leave_the_promises_as_they_are(name, k, tmp_path):
    example = EXAMPLES[name][k]
    recipe = {**example.recipe, "validate": {"val-iid": "1/5", "val-ood": "1/3"}}
    made = 0
    for seed in range(12 if COMPILED else 4):
        file = example.written(tmp_path, seed, 40)
        try:
            split = run(Example(example.data, recipe, example.files), [file], seed=seed)
        except ImpossibleError:
            continue
        made += 1
        assert split.split.sizes[IID]
        assert split.split.sizes["val-ood"]
        failed = [finding.message for finding in split.report.findings if finding.level == "fail"]
        # A bound on divergences is one of the parts as they are: rows taken out of them may pass it, and that is said.
        assert not [message for message in failed if not message.startswith("atom-divergence")], split.report.verdict
    assert made, "no input could be split"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_digests(Path(sys.argv[1]))))

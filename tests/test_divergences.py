"""Divergences against the figures of two public programs (oracles/dbca), all to 1e-9."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from compsplit.audits.divergences import divergence, split_score, sub_compound_weight
from compsplit.model import Column, Compounds, Rows, Split, Undefined, texts
from compsplit.model.compounds import occurring
from compsplit.registry import plugin


def by_counts(train: dict[str, float], test: dict[str, float], alpha: float) -> float:
    keys = sorted({*train, *test})
    return divergence([train.get(k, 0) for k in keys], [test.get(k, 0) for k in keys], alpha)


def test_every_divergence_of_counts(shared):
    cases = json.loads((shared / "oracles" / "dbca" / "count_cases.json").read_text())
    assert len(cases) == 22
    n = 0
    for case in cases:
        for result in case["results"]:
            got = by_counts(case["train_counts"], case["test_counts"], result["alpha"])
            assert got == pytest.approx(result["divergence_google_tmcd"], abs=1e-9), case["name"]
            n += 1
            other = result["divergence_aalto_dbca_float64"]
            if 0 < result["alpha"] < 1 and isinstance(other, float):
                assert got == pytest.approx(other, abs=1e-9), case["name"]
    assert n > 80


def rows_of(examples: list[dict[str, Any]]) -> Rows:
    """The examples' own lists of atoms and compounds as an incidence."""
    n = len(examples)
    kinds = {}
    for kind in ("atoms", "compounds"):
        where = np.array([i for i, example in enumerate(examples) for _ in example[kind]])
        names = Column.of(name for example in examples for name in example[kind])
        kinds[kind] = occurring(kind, n, where, names)
    # The oracle lists compounds by name alone, so each is given no atom.
    compounds = Compounds(
        "compound", kinds["compounds"], kinds["atoms"],
        np.zeros(len(kinds["compounds"].names) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32),
    )  # fmt: skip
    ids = texts(example["id"] for example in examples)
    columns = {"id": Column.of(ids.tolist())}
    return Rows(ids, columns, None, np.zeros(n, dtype=bool), compounds={"compounds": compounds})


def test_every_divergence_of_splits_of_programs(shared):
    folder = shared / "oracles" / "dbca"
    examples = json.loads((folder / "program_examples.json").read_text())
    rows = rows_of(examples)
    splits = json.loads((folder / "program_splits_expected.json").read_text())
    assert len(splits) == 5
    for each in splits:
        test = set(each["test_ids"])
        in_test = np.array([name in test for name in rows.ids.tolist()])
        split = Split(("train", "test"), in_test.astype(np.int16))
        swapped = Split(("train", "test"), (~in_test).astype(np.int16))
        assert split.sizes == {"train": each["train_size"], "test": each["test_size"]}
        figures = each["expected"]

        def value(kind: str, split: Split = split, **reading: Any) -> float:
            (measure,) = plugin("audit", f"{kind}-divergence").make(rows, split, **reading).measures
            return measure.value  # type: ignore[no-any-return]  # plug-ins are of any type

        compared = {"atom_divergence": value("atom"), "compound_divergence": value("compound")}
        for kind in ("atom", "compound"):
            for alpha in (0.5, 0.1):
                compared[f"{kind}s_alpha_{alpha}"] = value(kind, alpha=alpha)
                compared[f"{kind}s_alpha_{alpha}_train_and_test_swapped"] = value(kind, swapped, alpha=alpha)
        compared["atoms_presence_alpha_0.5"] = value("atom", counted="presence")
        compared["compounds_presence_alpha_0.1"] = value("compound", counted="presence")
        if not all(split.sizes.values()):
            # The programs say 1, and so does the function; an audit of no rows says nothing (product rule 4).
            assert {figures[name] for name in compared} == {1.0}
            assert all(isinstance(got, Undefined) for got in compared.values())
            for kind in ("atoms", "compounds"):
                counts = Counter(name for example in examples for name in example[kind])
                assert by_counts(counts, {}, 0.5) == by_counts({}, counts, 0.1) == 1.0
            continue
        for name, got in compared.items():
            assert got == pytest.approx(figures[name], abs=1e-9), (each["split"], name)


def test_weights_and_scores(shared):
    said = json.loads((shared / "oracles" / "dbca" / "weights_and_scores.json").read_text())
    weights = said["subcompound_weights"]
    for name, supers in weights["input"].items():
        assert sub_compound_weight(Counter(supers)) == pytest.approx(weights["weights"][name], abs=1e-9)
    for each in said["split_scores"]:
        got = split_score(
            each["atom_divergence"], each["compound_divergence"],
            atom_target=each["target_atom"], compound_target=each["target_compound"],
        )  # fmt: skip
        assert got == pytest.approx(each["score"], abs=1e-9)


def test_no_order_of_rows_changes_a_bit_of_a_divergence():
    counts = [(k * 7919) % 1000 + 1 for k in range(2000)]
    others = [(k * 104729) % 997 + 1 for k in range(2000)]
    order = sorted(range(2000), key=lambda k: (k * 31) % 2003)
    one = divergence(counts, others, 0.1)
    assert divergence([counts[k] for k in order], [others[k] for k in order], 0.1) == one


def test_a_part_with_rows_and_nothing_to_count_is_wholly_apart_and_one_without_rows_is_undefined():
    rows = rows_of([{"id": "a", "atoms": ["x"], "compounds": ["y"]}, {"id": "b", "atoms": [], "compounds": []}])
    (measure,) = (
        plugin("audit", "compound-divergence")
        .make(rows, Split(("train", "test"), np.array([0, 1], dtype=np.int16)))
        .measures
    )
    assert (measure.value, measure.n) == (1.0, 0)
    (measure,) = (
        plugin("audit", "compound-divergence")
        .make(rows, Split(("train", "test"), np.array([0, 0], dtype=np.int16)))
        .measures
    )
    assert isinstance(measure.value, Undefined)

"""AvgCoPair and its kin: every figure of the oracles, in every reading, and the edges."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit.extractors import prepared
from compsplit.model import Column, Rows, SceneTable, Split, Undefined, texts
from compsplit.model.scenes import starts_of
from compsplit.registry import plugin

# Name in the oracle -> audit and the reading that it is.
PAIRS = {
    "AvgCoPair same class out": ("avg-co-pair", {"same_class": "out"}),
    "AvgCoPair ordered": ("avg-co-pair", {"order": "ordered"}),
    "AvgCoPair distinct class pairs": ("avg-co-pair", {"unit": "classes"}),
    "AvgCoPair distinct class pairs, same class out": ("avg-co-pair", {"unit": "classes", "same_class": "out"}),
    "AvgCoPair over scenes with at least one common pair": ("avg-co-pair", {"scenes": "with-common"}),
    "Occ unordered count, mean over test occurrences": ("avg-co-pair-occ", {"count": "unordered-instances"}),
    "Occ unordered count, same class out, mean over test occurrences": (
        "avg-co-pair-occ", {"count": "unordered-instances", "same_class": "out"},
    ),
    "Occ unordered count, mean over distinct common pairs": (
        "avg-co-pair-occ", {"count": "unordered-instances", "average": "distinct"},
    ),
    "Occ unordered count, same class out, mean over distinct common pairs": (
        "avg-co-pair-occ", {"count": "unordered-instances", "same_class": "out", "average": "distinct"},
    ),
    "Occ both ways, mean over distinct common pairs": ("avg-co-pair-occ", {"average": "distinct"}),
    "Occ number of train scenes, mean over test occurrences": ("avg-co-pair-occ", {"count": "scenes"}),
    "Occ both ways, mean over scenes of the scene mean": ("avg-co-pair-occ", {"average": "scene-means"}),
    "Occ both ways, mean over (scene, distinct class pair)": ("avg-co-pair-occ", {"average": "scene-distinct"}),
}  # fmt: skip
RELATIONS = {
    "AvgCoRel distinct triples": ("avg-co-rel", {"unit": "distinct"}),
    "AvgCoRel over scenes with at least one common relation": ("avg-co-rel", {"scenes": "with-common"}),
    "AvgCoRelOcc mean over distinct common triples": ("avg-co-rel-occ", {"unit": "distinct"}),
    "AvgCoRelOcc number of train scenes, mean over test occurrences": ("avg-co-rel-occ", {"count": "scenes"}),
}
HEADLINES = {
    "AvgCoPair": "avg-co-pair",
    "AvgCoPairOcc": "avg-co-pair-occ",
    "AvgCoRel": "avg-co-rel",
    "AvgCoRelOcc": "avg-co-rel-occ",
}
"""Name in the oracle -> audit, in its first reading."""
COMMON = {
    "all pairs per test scene, common or not",
    "share of test pairs that are common",
    "all relations per test scene",
}
"""Figures of the oracle that are no average of common compounds: the audit common-compounds has them."""


def scene_table(scenes: list[dict[str, Any]]) -> SceneTable:
    objects = [each["class"] for scene in scenes for each in scene["objects"]]
    n_objects = np.array([len(scene["objects"]) for scene in scenes], dtype=np.int64)
    first = starts_of(n_objects)
    place = [{o["id"]: int(first[k]) + i for i, o in enumerate(s["objects"])} for k, s in enumerate(scenes)]
    relations = [(place[k][a], p, place[k][b]) for k, s in enumerate(scenes) for a, p, b in s.get("relations", [])]
    absent = Column.absent(len(scenes))
    return SceneTable(
        format="scenes",
        ids=texts(scene["id"] for scene in scenes),
        images=absent,
        sources=absent,
        object_starts=first,
        classes=Column.of(objects),
        attribute_starts=np.zeros(len(objects) + 1, dtype=np.int64),
        attributes=Column.absent(0),
        relation_starts=starts_of(np.array([len(scene.get("relations", [])) for scene in scenes], dtype=np.int64)),
        subjects=np.array([a for a, _, _ in relations], dtype=np.int32),
        objects=np.array([b for _, _, b in relations], dtype=np.int32),
        predicates=Column.of(p for _, p, _ in relations),
    )


def audited_parts(train: list[dict[str, Any]], test: list[dict[str, Any]]) -> tuple[Rows, Split]:
    table = scene_table([*train, *test])
    rows = prepared(table)
    compounds = [plugin("extractor", name).make(table, rows) for name in ("object-pairs", "relations")]
    part_of_row = np.repeat([0, 1], [len(train), len(test)]).astype(np.int16)
    rows = Rows(rows.ids, rows.columns, rows.concepts, rows.blank, compounds={found.of: found for found in compounds})
    return rows, Split(("train", "test"), part_of_row)


def value(rows: Rows, split: Split, name: str, **reading: Any) -> Fraction | Undefined:
    found = plugin("audit", name).make(rows, split, **reading)
    (measure,) = found.measures
    assert measure.options.items() >= reading.items()
    return measure.value  # type: ignore[no-any-return]  # plug-ins are of any type


def expected(figure: dict[str, Any] | None) -> Fraction | None:
    return None if figure is None else Fraction(figure["fraction"])


def assert_is(got: Fraction | Undefined, figure: dict[str, Any] | None) -> None:
    if figure is None:
        assert isinstance(got, Undefined)
        assert got.reason
    else:
        assert got == expected(figure)


@pytest.mark.parametrize("noun", ["scene", "row"])
def test_units_are_called_what_is_counted(noun):
    scene = {"objects": [{"id": "1", "class": "a"}, {"id": "2", "class": "b"}], "relations": [("1", "on", "2")]}
    rows, split = audited_parts([{"id": "t", **scene}], [{"id": "s", **scene}, {"id": "e", "objects": []}])
    rows = dataclasses.replace(rows, noun=noun)
    asked = {
        "avg-co-pair": ({}, "2 {}s of test", "pairs a {}"),
        "avg-co-rel": ({"scenes": "with-common"}, "1 {}s of test with a common triple", "relations a {}"),
        "avg-co-pair-occ": ({"average": "scene-means"}, "1 {}s of test with a common pair", "reference pairs"),
    }
    for name, (reading, n, unit) in asked.items():
        (measure,) = plugin("audit", name).make(rows, split, **reading).measures
        assert (f"{measure.n} {measure.n_unit}", measure.unit) == (n.format(noun), unit.format(noun))


@pytest.mark.parametrize("which", ["hand", "random"])
def test_every_figure_of_the_brute_force_oracle_in_every_reading(which, shared):
    folder = shared / "oracles" / "copair_bruteforce"
    scenes = json.loads((folder / f"{which}_scenes.json").read_text())
    figures = json.loads((folder / f"{which}_expected.json").read_text())
    rows, split = audited_parts(scenes["train"], scenes["test"])
    for name, audit in HEADLINES.items():
        assert_is(value(rows, split, audit), figures[name])
    alternatives = {**figures["pair_alternatives"], **figures["relation_alternatives"]}
    assert set(alternatives) - set(PAIRS) - set(RELATIONS) == COMMON
    for name, (audit, reading) in {**PAIRS, **RELATIONS}.items():
        assert_is(value(rows, split, audit, **reading), alternatives[name])


def test_every_edge_case_of_the_brute_force_oracle(shared):
    cases = json.loads((shared / "oracles" / "copair_bruteforce" / "edge_cases.json").read_text())
    assert len(cases) == 12
    for case in cases:
        rows, split = audited_parts(case["train"], case["test"])
        for name, audit in HEADLINES.items():
            assert_is(value(rows, split, audit), case["expected"][name])


def _clevr(path: Path, part: str, members: list[str]) -> list[dict[str, Any]]:
    scenes = json.loads(path.read_text())["scenes"]
    classes = [[" ".join(o[member] for member in members) for o in scene["objects"]] for scene in scenes]
    return [
        {"id": f"{part}{i}", "objects": [{"id": k, "class": name} for k, name in enumerate(names)]}
        for i, names in enumerate(classes)
    ]


@pytest.mark.parametrize("classes", ["shape", "shape+color", "all"])
def test_the_made_up_cogent_scenes_with_three_definitions_of_class(classes, shared):
    folder: Path = shared / "oracles" / "cogent_pairs"
    figures = json.loads((folder / "sample_expected.json").read_text())
    key = next(name for name in figures if name == classes or (classes == "all" and name.count("+") == 3))
    members = key.split("+")
    train, test = (_clevr(folder / f"sample_{part}_scenes.json", part, members) for part in ("trainA", "valB"))
    rows, split = audited_parts(train, test)
    assert_is(value(rows, split, "avg-co-pair"), figures[key]["AvgCoPair"])
    assert_is(value(rows, split, "avg-co-pair-occ"), figures[key]["AvgCoPairOcc"])
    for name, (audit, reading) in PAIRS.items():
        assert_is(value(rows, split, audit, **reading), figures[key]["pair_alternatives"][name])


def test_a_pair_of_classes_from_both_sides_counts_twice_and_one_of_a_single_class_once():
    train = [{"id": "t", "objects": [{"id": i, "class": c} for i, c in enumerate(["a", "a", "b"])]}]
    rows, split = audited_parts(train, [{**train[0], "id": "s"}])
    assert value(rows, split, "avg-co-pair", unit="classes", order="ordered") == 3  # aa, ab, ba
    assert value(rows, split, "avg-co-pair", unit="classes", order="ordered", same_class="out") == 2

"""compsplit audit on scenes and tables: the command as users type it, its options, and what it says of bad input."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from compsplit import api
from compsplit.audits.comparing import compared
from compsplit.model import Column, ObjectPairs, Split
from compsplit.model.compounds import occurring
from compsplit.order import uniforms
from compsplit.recipe.thresholds import MinCount

HAND = ("copair_bruteforce", "hand_scenes.json")


@pytest.fixture
def hand(shared: Path) -> Path:
    return shared.joinpath("oracles", *HAND)


def values(report: dict, name: str, of: str | None = None, part: str = "test") -> list:
    return [
        m["fraction"] or m["value"]
        for m in report["measures"]
        if m["name"] == name and of in (None, m["of"]) and m["part"] == part and m["run"] is None
    ]


def test_the_oracles_scenes_are_audited_as_they_stand(command, hand):
    ran = command("audit", hand, "--part-column", "part")
    assert ran.code == 0
    assert " ".join(ran.out.split()).startswith(
        "18 scenes in train 12, test 6. train → test: AvgCoPair 1.5, AvgCoPairOcc 2.11111, AvgCoRel 1, AvgCoRelOcc 1.33"
    )
    assert ran.out.index("what leaks") < ran.out.index("what is new") < ran.out.index("how far apart")


def test_another_reading_is_named_in_the_report(command, hand):
    ran = command("audit", hand, "--part-column", "part", "--reading", "same_class=out", "--json")
    (pair,) = (m for m in ran.json["measures"] if m["name"] == "avg-co-pair")
    assert (pair["fraction"], pair["options"]["same_class"]) == ("7/6", "out")
    ran = command("audit", hand, "--part-column", "part", "--reading", "avg-co-pair.unit=classes", "--json")
    assert values(ran.json, "avg-co-pair") == ["7/6"]
    assert values(ran.json, "avg-co-rel") == ["1/1"]


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ("same_class=perhaps", "one of in, out"),
        ("same_klass=out", "same_class"),
        ("avg-co-pear.unit=classes", "avg-co-pair"),
        ("unit", "KEY=VALUE"),
    ],
)
def test_a_reading_that_no_audit_takes_is_an_error(reading, said, command, hand):
    ran = command("audit", hand, "--part-column", "part", "--reading", reading)
    assert ran.code == 2
    assert said in ran.err


def test_a_check_decides_the_exit_code_and_shows_the_number(command, hand):
    parts = ("audit", hand, "--part-column", "part")
    assert command(*parts, "--check", "avg-co-pair<=1.5").code == 0
    ran = command(*parts, "--check", "avg-co-pair[object pairs][train->test]<=1.4", "--check", "avg-co-rel<=0.5")
    assert ran.code == 1
    assert ran.out.startswith("BROKEN (2 checks): avg-co-pair[object pairs][train->test]<=1.4 does not hold:")
    assert "is 1.5 (" in ran.out.replace("\n", " ")


def test_random_splits_have_mean_and_population_spread(command, hand):
    ran = command("audit", hand, "--random-splits", "5", "--test", "0.3", "--json")
    runs = [
        Fraction(m["fraction"]) for m in ran.json["measures"] if m["name"] == "avg-co-pair" and m["run"] is not None
    ]
    assert len(runs) == 5
    assert ran.json["subject"]["parts"]["train"]["got"] == 12  # floor(0.7 x 18)
    (mean,) = values(ran.json, "avg-co-pair")
    assert Fraction(mean) == sum(runs) / 5
    row = next(r for r in ran.json["tables"]["over random splits"]["rows"] if r[0].startswith("avg-co-pair["))
    spread = (sum((x - sum(runs) / 5) ** 2 for x in runs) / 5) ** 0.5
    assert row[2:4] == [pytest.approx(float(sum(runs) / 5)), pytest.approx(float(spread))]
    again = command("audit", hand, "--random-splits", "5", "--share", "test=3/10", "--json")
    assert again.out == ran.out


def test_what_random_splits_share_is_told_as_a_mean_of_counts(command, tmp_path):
    # All ten rows are of one image, so each of the three splits shares that one; every question is asked once.
    path = tmp_path / "rows.csv"
    path.write_text("id,image,question,answer\n" + "".join(f"{k},i,is it {k}?,yes\n" for k in range(10)))
    ran = command("audit", str(path), "--random-splits", "3", "--json")
    verdict = json.loads(ran.out)["subject"]["verdict"]
    assert verdict.endswith("train and test share 1 image on average.")


def test_test_and_share_belong_to_random_splits(command, hand):
    ran = command("audit", hand, "--part-column", "part", "--test", "0.3")
    assert (ran.code, "--random-splits" in ran.err) == (2, True)


def test_a_subsample_says_that_it_is_one(command, hand):
    ran = command("audit", hand, "--part-column", "part", "--subsample", "4", "--json")
    assert ran.json["subject"]["rows"] == 8
    assert "A first look: 8 of 18 rows" in ran.json["subject"]["verdict"]


def test_another_report_stands_beside_this_one(command, hand, tmp_path):
    first = command("audit", hand, "--part-column", "part", "--json")
    Path("first.json").write_text(first.out)
    ran = command("audit", hand, "--part-column", "part", "--subsample", "5", "--compare", "first.json", "--json")
    rows = {tuple(row[:1]): row for row in ran.json["tables"]["this audit beside the other"]["rows"]}
    mine, other, apart = rows[("avg-co-pair[object pairs][train->test]",)][1:4]
    assert other == 1.5
    assert apart == pytest.approx(mine - other)
    Path("no.json").write_text("{}")
    ran = command("audit", hand, "--part-column", "part", "--compare", "no.json")
    assert (ran.code, "no report of compsplit" in ran.err) == (2, True)


def test_every_pair_is_written_to_parquet(command, hand, shared):
    import pandas

    assert command("audit", hand, "--part-column", "part", "--top-pairs", "p.parquet").code == 0
    table = pandas.read_parquet("p.parquet")
    expected = json.loads((shared / "oracles" / "copair_bruteforce" / "hand_expected.json").read_text())[
        "train_class_pairs"
    ]
    got = {
        (a, b): (n, scenes)
        for a, b, n, scenes in table[["class", "other class", "pairs in train", "scenes in train"]].itertuples(
            index=False
        )
        if n
    }
    assert got == {tuple(each["pair"]): (each["unordered_count"], each["scenes"]) for each in expected}
    assert command("audit", hand, "--part-column", "part", "--top-pairs", "p.parquet").code == 2
    assert command("audit", hand, "--part-column", "part", "--top-pairs", "p.parquet", "--force").code == 0


def test_a_folder_holds_the_report_and_what_it_was_made_from(command, hand):
    import hashlib

    assert command("audit", hand, "--part-column", "part", "--out", "kept").code == 0
    printed = command("audit", hand, "--part-column", "part", "--json")
    assert Path("kept/report.json").read_text() == printed.out
    manifest = json.loads(Path("kept/manifest.json").read_text())
    digest = hashlib.sha256(hand.read_bytes()).hexdigest()
    assert manifest["inputs"] == [{"used_as": "all", "file": hand.name, "member": None, "sha256": digest}]
    assert str(hand.parent) not in Path("kept/manifest.json").read_text()


def test_a_folder_nobody_prepared_is_audited_with_one_option(command):
    Path("mine").mkdir()
    Path("mine/train.csv").write_text("picture,things\na,man;dog\nb,man;ball\n")
    Path("mine/held out.csv").write_text('picture,things\nc,"[""man"", ""dog""]"\nd,dog;ball\n')
    ran = command("audit", "mine")
    assert ran.code == 2
    assert "--column objects=NAME" in ran.err
    ran = command("audit", "mine", "--column", "objects=things", "--json")
    assert ran.code == 0
    assert values(ran.json, "avg-co-pair", part="held out") == ["1/2"]
    assert values(ran.json, "novel-compounds", part="held out") == ["1/2"]


def test_a_folder_that_does_not_stand_for_parts_says_what_to_do(command):
    Path("mine").mkdir()
    Path("mine/a.csv").write_text("id,objects\n1,x\n")
    ran = command("audit", "mine")
    assert (ran.code, "PART=FILE" in ran.err) == (2, True)


def test_parts_without_a_common_class_are_likely_a_mistake(command):
    Path("a.jsonl").write_text('{"id": 1, "objects": ["man.n.01", "dog.n.01"]}\n')
    Path("b.jsonl").write_text('{"id": 2, "objects": ["man", "dog"]}\n')
    ran = command("audit", "train=a.jsonl", "test=b.jsonl", "--json")
    (found,) = (f for f in ran.json["findings"] if f["kind"] == "no-common-vocabulary")
    assert "likely not what they should be" in found["message"]


def test_an_empty_part_is_an_error_and_leaves_nothing(command):
    Path("a.jsonl").write_text('{"id": 1, "objects": ["man"]}\n')
    Path("b.jsonl").write_text("")
    ran = command("audit", "train=a.jsonl", "test=b.jsonl", "--out", "kept")
    assert ran.code == 2
    assert "b.jsonl" in ran.err
    assert not Path("kept").exists()


def test_scenes_and_questions_are_not_held_against_each_other(command):
    Path("a.jsonl").write_text('{"id": 1, "objects": ["man"]}\n')
    Path("b.csv").write_text("question_id,question,answer\n1,who,me\n")
    ran = command("audit", "train=a.jsonl", "test=b.csv")
    assert ran.code == 2
    assert "--scenes FILE" in ran.err


def test_questions_take_the_pairs_of_their_images(command):
    Path("s.jsonl").write_text('{"id": "i1", "objects": ["man", "dog"]}\n{"id": "i2", "objects": ["man", "cat"]}\n')
    Path("a.csv").write_text("question_id,image_id,question,answer\n1,i1,who,me\n2,i2,who,me\n")
    Path("b.csv").write_text("question_id,image_id,question,answer\n3,i1,what,it\n4,i1,how,so\n")
    ran = command("audit", "train=a.csv", "test=b.csv", "--scenes", "s.jsonl", "--json")
    assert values(ran.json, "avg-co-pair") == ["1/1"]
    assert values(ran.json, "avg-co-pair-occ") == ["1/1"]
    Path("b.csv").write_text("question_id,image_id,question,answer\n3,i1,what,it\n4,i9,how,so\n")
    ran = command("audit", "train=a.csv", "test=b.csv", "--scenes", "s.jsonl")
    assert (ran.code, "--allow-unjoined" in ran.err) == (2, True)
    ran = command("audit", "train=a.csv", "test=b.csv", "--scenes", "s.jsonl", "--of", "object-pairs", "--json")
    assert ran.code == 2


def test_case_35_at_least_three_times_has_eight_readings(shared):
    folder = shared / "cases" / "35-split-vocabulary-threshold"
    table = api.read(folder / "objects.csv")
    train = np.array([part == "train" for part in table.columns["split"].values()])
    for written, expected in json.loads((folder / "expected.json").read_text()).items():
        counted, unit, sign = written.split("|")
        rule = MinCount(3, unit, counted, "at-least" if sign == ">=" else "more-than")
        kept = rule.keeps(table, train)
        assert sorted(name for name, there in zip(table.classes.names, kept, strict=True) if there) == expected
    report = api.audit(table, part_column="split", min_count=3)
    rule = report.subject["extraction"]["rules"]["min count"]
    assert rule == {
        "number": 3, "unit": "instances", "counted": "train", "comparison": "at-least", "classes before": 3,
        "classes after": 2,
    }  # fmt: skip


def test_case_34_a_triple_read_from_the_other_side_is_not_new(shared):
    folder = shared / "cases" / "34-split-symmetric-relations"
    said = json.loads((folder / "expected.json").read_text())
    plain = api.audit(folder / "triples.csv", part_column="split")
    rows = plain.tables["novel relations of test"].rows
    assert len(rows) == said["plain"]
    assert any(finding.kind == "reversed-relations" for finding in plain.findings)
    listed = api.audit(
        folder / "triples.csv", part_column="split", settings=[f"extract.symmetric='{folder / 'symmetric.txt'}'"]
    )
    assert [row[0].split(" | ") for row in listed.tables["novel relations of test"].rows] == said["with_symmetric_list"]
    reversals = listed.tables["triples of test that train has from the other side"].rows
    assert [list(row[:3]) for row in reversals] == said["reversals"]
    # "lamp next to bed" is row 3 of train, "cup near plate" row 1.
    assert [row[3:] for row in reversals] == [("3", "6"), ("1", "4")]


def test_case_33_entries_that_are_row_numbers_are_not_taken_for_ids(shared, command):
    folder = shared / "cases" / "33-split-rows-not-ids"
    ran = command("audit", folder / "data.json", "--split", folder / "split.json", "--json")
    assert ran.code == 2
    facts = ran.json["error"]["facts"]
    assert (facts["entries"], facts["known"], facts["look like row numbers"]) == (5, 0, True)
    ran = command("audit", folder / "data-small-ids.json", "--split", folder / "split.json", "--json")
    assert ran.code == 0
    (found,) = (f for f in ran.json["findings"] if f["kind"] == "ids-or-row-numbers")
    assert "could also be row numbers" in found["message"]
    table = api.read(folder / "data-small-ids.json")
    train = sorted(
        f"{table.attributes[k]} {table.classes[k]}" for k, name in enumerate(table.ids.tolist()) if name in "012"
    )
    assert train == json.loads((folder / "expected.json").read_text())["small_ids"]["train_as_ids"]


@pytest.mark.large
def test_case_49_a_large_vocabulary_is_never_a_dense_table(shared, tmp_path):
    import runpy

    folder = shared / "cases" / "49-scale-pair-table"
    made = tmp_path / "samples.csv"
    argv, sys.argv = sys.argv, ["make_input.py", "200000", str(made)]
    try:
        runpy.run_path(str(folder / "make_input.py"), run_name="__main__")
    finally:
        sys.argv = argv
    said = json.loads((folder / "expected.json").read_text())
    found = api.measure(made, part_column="split")
    report = found.report
    assert {part: size["got"] for part, size in report.subject["parts"].items()} == said["rows"]

    def count(name: str) -> int:
        measure = report.get(name, "attribute-objects", part="test")
        return round(measure.value * measure.n)

    assert report.get("novel-compounds", "attribute-objects").n == said["distinct_pairs"]["test"]
    assert count("novel-compounds") == said["novel_with_both_concepts_seen"]
    assert count("novel-compounds") + count("compounds-with-unseen-atoms") == said["novel_test_pairs"]
    unseen = api.read(made)
    train = np.array([part == "train" for part in unseen.columns["split"].values()])
    only_test = set(unseen.attributes.codes[~train].tolist()) - set(unseen.attributes.codes[train].tolist())
    assert len(only_test) == said["attributes_only_in_test"]
    coverage = report.get("coverage", "attributes and object classes")
    assert coverage.n - coverage.value * coverage.n == said["attributes_only_in_test"] + said["objects_only_in_test"]


@pytest.mark.large
def test_cogents_sampling_gives_the_published_size_of_the_figures(shared):
    """Own simulation at 70,000 / 15,000 scenes: 3 to 10 objects, shapes uniform, as the oracle's README says."""
    conditions = json.loads((shared / "oracles" / "cogent_pairs" / "conditions.json").read_text())
    shapes = sorted(conditions["condition_A"])
    n_train, n_test = 70_000, 15_000
    sizes = 3 + (uniforms(0, "sizes", n_train + n_test) * 8).astype(np.int64)
    classes = (uniforms(0, "shapes", int(sizes.sum())) * len(shapes)).astype(np.int32)
    scenes = np.repeat(np.arange(len(sizes)), sizes)
    atoms = occurring("object classes", len(sizes), scenes, Column(classes, tuple(shapes)))
    split = Split(("train", "test"), np.repeat([0, 1], [n_train, n_test]).astype(np.int16))
    found = compared(ObjectPairs(atoms), split, "train", "test")
    assert found.total(found.common) / n_test == pytest.approx(20.5, abs=0.5)
    mean = found.total(found.occurrences) / found.total(found.common)
    assert mean == pytest.approx(318_889, rel=0.015)

"""`compsplit compare`: numbers by hand, naive twins, what does not fit, and what it writes."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown
from sklearn.metrics import adjusted_rand_score

import compsplit
from compsplit.errors import OutputExistsError, UsageError
from compsplit.model import Report, Undefined
from compsplit.model.report import Measure
from compsplit.model.report_reading import report_of
from compsplit.recipe import split_comparison
from compsplit.recipe.assignments import read_assignment
from compsplit.recipe.id_lists import read_id_lists
from compsplit.recipe.split_comparison import adjusted_rand_index
from compsplit.report import measures_of_both, most_apart

# Worked out by hand: four of eight rows move; of A's test (f g h), B's test has g and h.
A = {"a": "train", "b": "train", "c": "train", "d": "train", "e": "train", "f": "test", "g": "test", "h": "test"}
B = {"a": "train", "b": "train", "c": "test", "d": "test", "e": "test", "f": "train", "g": "test", "h": "test"}
GROUPS = {"a": "g1", "c": "g1", "b": "", "d": "g3", "e": "g3", "f": "g4", "g": "g4", "h": "g4"}


def write(path, parts, groups=None, *, shuffled=None):
    names = list(parts)
    if shuffled is not None:
        random.Random(shuffled).shuffle(names)
    head = "id,part" + (",group" if groups else "")
    lines = [f"{name},{parts[name]}" + (f",{groups[name]}" if groups else "") for name in names]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def hand(tmp_path):
    return write(tmp_path / "a.csv", A, GROUPS), write(tmp_path / "b.csv", B)


def value(report, name, **which):
    return report.get(name, **which).value


def test_the_hand_made_splits_give_the_numbers_worked_out_by_hand(hand):
    report = compsplit.compare(*hand).report
    assert value(report, "rows-in-both") == 8
    assert value(report, "rows-moved") == 4
    assert (value(report, "moved-share"), report.get("moved-share").n) == (Fraction(1, 2), 8)
    assert value(report, "part-overlap", part="test") == Fraction(2, 3)
    assert value(report, "part-overlap", part="train") == Fraction(2, 5)
    assert value(report, "part-jaccard", part="test") == Fraction(1, 3)
    assert report.get("part-jaccard", part="test").n == 6
    assert value(report, "adjusted-rand-index") == Fraction(-29, 195)
    assert [row[:3] for row in report.tables["rows by part"].rows] == [
        ("train", "train", 2), ("train", "test", 3), ("test", "train", 1), ("test", "test", 2),
    ]  # fmt: skip
    assert report.tables["parts of both"].rows[1] == ("test", 3, 5, 2, 2 / 3, 2 / 5, 1 / 3)
    assert value(report, "rows-by-part", reference="train", part="test") == 3
    assert report.verdict == (
        "A (a.csv) and B (b.csv), 8 rows in both: 4 (50.0%) moved; 2 of 3 rows of A's test are in B's test (5)."
    )


def test_rows_that_moved_stand_in_order_of_their_ids_with_their_groups(hand):
    table = compsplit.compare(*hand).report.tables["rows that moved"]
    assert table.columns == ("id", "part in A", "part in B", "group")
    assert table.rows == (
        ("c", "train", "test", "g1"), ("d", "train", "test", "g3"), ("e", "train", "test", "g3"),
        ("f", "test", "train", "g4"),
    )  # fmt: skip
    assert (table.total, table.culprits) == (4, True)


def test_a_row_without_a_group_has_none_in_the_table(tmp_path):
    moved_all = {name: {"train": "test", "test": "train"}[part] for name, part in A.items()}
    paths = write(tmp_path / "a.csv", A, GROUPS), write(tmp_path / "b.csv", moved_all)
    assert compsplit.compare(*paths).report.tables["rows that moved"].rows[1] == ("b", "train", "test", None)


def test_groups_that_the_other_split_divides_are_named_largest_first(hand):
    report = compsplit.compare(*hand).report
    measure = report.get("groups-of-A-divided")
    assert (measure.value, measure.n) == (Fraction(2, 3), 3)
    table = report.tables["groups of A that B divides"]
    assert table.columns == ("group", "rows", "in train", "in test", "example")
    assert table.rows == (("g4", 3, 1, 2, "f"), ("g1", 2, 1, 1, "a"))
    (found,) = [each for each in report.findings if each.kind == "groups-divided"]
    assert found.message == "2 of 3 groups of A are in several parts of B."
    # B names no groups, so nothing is said of them.
    assert not [each for each in report.measures if each.name == "groups-of-B-divided"]
    back = compsplit.compare(*reversed(hand)).report
    assert back.tables["groups of B that A divides"].rows == table.rows


def test_a_table_of_culprits_holds_its_first_rows_and_says_how_many_there_are(hand, monkeypatch):
    monkeypatch.setattr(split_comparison, "_MOST", 1)
    tables = compsplit.compare(*hand).report.tables
    assert (tables["rows that moved"].rows, tables["rows that moved"].total) == ((("c", "train", "test", "g1"),), 4)
    divided = tables["groups of A that B divides"]
    assert (divided.rows, divided.total) == ((("g4", 3, 1, 2, "f"),), 2)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_lines_plays_no_role(hand, tmp_path, seed):
    expected = compsplit.compare(*hand).report.to_json()
    (tmp_path / "other").mkdir()
    paths = [
        write(tmp_path / "other/a.csv", A, GROUPS, shuffled=seed),
        write(tmp_path / "other/b.csv", B, shuffled=seed + 10),
    ]
    assert compsplit.compare(*paths).report.to_json() == expected


def test_every_way_to_say_a_split_gives_the_same(hand, tmp_path):
    a, b = hand
    expected = compsplit.compare(a, b).report
    as_json = tmp_path / "b.json"
    by_part = {part: [name for name in B if B[name] == part] for part in ("test", "train")}
    as_json.write_text(json.dumps(by_part), encoding="utf-8")
    lists = {part: tmp_path / f"{part}.txt" for part in by_part}
    for part, file in lists.items():
        file.write_text("\n".join(by_part[part]) + "\n", encoding="utf-8")
    tabs = tmp_path / "b.tsv"
    tabs.write_text(b.read_text(encoding="utf-8").replace(",", "\t"), encoding="utf-8")
    for other in (as_json, lists, tabs):
        found = compsplit.compare(a, other).report
        assert (found.measures, found.tables) == (expected.measures, expected.tables)


def test_parts_of_other_names_are_told_as_they_are(tmp_path):
    named = {name: {"train": "x", "test": "y"}[part] for name, part in B.items()}
    report = compsplit.compare(write(tmp_path / "a.csv", A), write(tmp_path / "b.csv", named)).report
    assert [row[:3] for row in report.tables["rows by part"].rows] == [
        ("train", "x", 2), ("train", "y", 3), ("test", "x", 1), ("test", "y", 2),
    ]  # fmt: skip
    assert value(report, "rows-moved") == Undefined("A and B have no name of a part in common")
    assert isinstance(value(report, "moved-share"), Undefined)
    # Names do not matter to it.
    assert value(report, "adjusted-rand-index") == Fraction(-29, 195)
    assert "rows that moved" not in report.tables
    assert "parts of both" not in report.tables
    assert "no name of a part in common" in report.verdict


_parts = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyw")), min_size=1, max_size=14)


@settings(max_examples=n_shown(25))
@given(rows=_parts, order=st.randoms(use_true_random=False))
def test_counts_overlaps_and_groups_are_those_of_the_definition(rows, order, tmp_path_factory):
    ids = [f"r{k}" for k in range(len(rows))]
    a, b = ({name: row[k] for name, row in zip(ids, rows, strict=True)} for k in (0, 1))
    groups = {name: f"g{k // 2}" for k, name in enumerate(ids)}
    folder = tmp_path_factory.mktemp("given")
    paths = write(folder / "a.csv", a, groups), write(folder / "b.csv", b, shuffled=order.randrange(99))
    report = compsplit.compare(*paths).report
    cells = Counter((a[name], b[name]) for name in ids)
    assert {row[:2]: row[2] for row in report.tables["rows by part"].rows if row[2]} == cells
    for part in sorted(set(a.values()) & set(b.values())):
        mine, theirs = ({name for name in ids if each[name] == part} for each in (a, b))
        assert value(report, "part-overlap", part=part) == Fraction(len(mine & theirs), len(mine))
        assert value(report, "part-jaccard", part=part) == Fraction(len(mine & theirs), len(mine | theirs))
    parts_of = {group: {b[name] for name in ids if groups[name] == group} for group in groups.values()}
    divided = sorted(group for group, parts in parts_of.items() if len(parts) > 1)
    assert value(report, "groups-of-A-divided") == Fraction(len(divided), len(parts_of))
    shown = report.tables.get("groups of A that B divides")
    assert sorted(row[0] for row in shown.rows) == divided if divided else shown is None
    if "rows that moved" in report.tables:
        assert [row[0] for row in report.tables["rows that moved"].rows] == sorted(n for n in ids if a[n] != b[n])


@settings(max_examples=n_shown(40))
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_the_adjusted_rand_index_is_that_of_scikit_learn(rows):
    cells = Counter(rows)
    found = adjusted_rand_index([[cells[k, j] for j in range(4)] for k in range(4)])
    if isinstance(found, Undefined):
        # Where both are trivial, scikit-learn says 1 by convention.
        assert len({tuple(row) for row in rows}) in (1, len(rows))
    else:
        assert float(found) == pytest.approx(adjusted_rand_score(*zip(*rows, strict=True)))


# --- rows that one split lacks


def test_other_rows_stop_with_counts_and_first_ids(command, tmp_path):
    a = write(tmp_path / "a.csv", {**A, "only1": "train", "only2": "test"})
    b = write(tmp_path / "b.csv", {**B, **{f"z{k}": "test" for k in range(7)}})
    ran = command("compare", a, b)
    assert ran.code == 2
    assert ran.message == (
        "A and B are not splits of the same rows: 8 rows are in both, 2 in A (a.csv) only (only1, only2), 7 in B "
        "(b.csv) only (z0, z1, z2, z3, z4 and 2 more). Give two splits of the same data, or pass --allow-unjoined to "
        "compare the rows that both have and count the others."
    )
    failed = command("compare", a, b, "--json").json["error"]
    assert failed["facts"]["in B only"] == {"count": 7, "first": ["z0", "z1", "z2", "z3", "z4"]}


def test_allow_unjoined_compares_what_both_have_and_counts_the_others(tmp_path):
    a = write(tmp_path / "a.csv", {"0": "train", **A, "only": "train"}, {"0": "g1", **GROUPS, "only": "g1"})
    b = write(tmp_path / "b.csv", {**B, "z": "test"})
    report = compsplit.compare(a, b, allow_unjoined=True).report
    assert (value(report, "rows-in-A-only"), value(report, "rows-in-B-only")) == (2, 1)
    assert value(report, "moved-share") == Fraction(1, 2)
    told = {each.kind: (each.count, each.first) for each in report.findings}
    assert told["rows-in-A-only"] == (2, ("0", "only"))
    assert told["rows-in-B-only"] == (1, ("z",))
    assert report.tables["groups of A that B divides"].rows[1] == ("g1", 2, 1, 1, "a")
    assert report.verdict.endswith("2 in A only, 1 in B only.")


def test_splits_without_a_row_in_common_are_an_error_even_so(tmp_path):
    a, b = write(tmp_path / "a.csv", A), write(tmp_path / "b.csv", {"z": "train"})
    with pytest.raises(UsageError, match=r"0 rows are in both, 8 in A .*Give two splits of the same data\.$"):
        compsplit.compare(a, b, allow_unjoined=True)


# --- reading


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,part\na,train\na,test\n", 's.csv: id "a" stands in train and again in test.'),
        ("id,part\na,train\nb,\n", "s.csv, record 2, part: is missing"),
        ("id,part\na,train\n,test\n", "s.csv, record 2, id: is missing"),
        ("name,part\na,train\n", "s.csv: needs columns id and part, has name, part."),
        ('id,part\n"a,train\n', "s.csv: record 1 is not delimited text"),
        ("", "s.csv: file is empty."),
    ],
)
def test_a_broken_list_is_told_in_one_sentence(command, hand, tmp_path, text, said):
    file = tmp_path / "s.csv"
    file.write_text(text, encoding="utf-8")
    ran = command("compare", file, hand[1])
    assert ran.code == 2
    assert said in ran.message


def test_a_file_that_is_not_there_is_named(command, hand):
    ran = command("compare", "nowhere", hand[1])
    assert (ran.code, ran.message) == (2, "nowhere: there is no such file.")


_ids = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=6)


@settings(max_examples=n_shown(40))
@given(parts=st.dictionaries(_ids, st.sampled_from(["train", "te,st", 'a"b']), min_size=1, max_size=6))
def test_columns_hold_what_lists_hold(parts, tmp_path_factory):
    from compsplit.recipe.folder import csv_text

    path = tmp_path_factory.mktemp("read") / "assignment.csv"
    names = sorted(parts)
    path.write_text(
        csv_text({"id": names, "part": [parts[name] for name in names], "group": names}), encoding="utf-8", newline=""
    )
    found = read_assignment(path)
    read = dict(zip(found.ids.to_pylist(), (found.parts[part] for part in found.part_of_row), strict=True))
    assert read == read_id_lists(path) == parts
    assert found.groups.take(pyarrow.array(found.group_of_row)).to_pylist() == names


def test_groups_are_read_from_tab_separated_text_too(tmp_path):
    (tmp_path / "s.tsv").write_text("id\tpart\tgroup\na\ttrain\tg1\n", encoding="utf-8")
    assert read_assignment(tmp_path / "s.tsv").groups.to_pylist() == ["g1"]


def test_a_line_end_in_an_id_may_stand_anywhere_in_a_large_file(tmp_path):
    n = 40_000
    lines = [f'"{"x" * 30}\nr{k}",{"train" if k % 3 else "test"},g' for k in range(n)]
    (tmp_path / "s.csv").write_text("\n".join(["id,part,group", *lines]) + "\n", encoding="utf-8")
    found = read_assignment(tmp_path / "s.csv")
    assert (len(found), found.parts, found.groups.to_pylist()) == (n, ("train", "test"), ["g"])


# --- folders that `run` wrote


@pytest.fixture
def folders(command, tmp_path):
    """Two splits of the same data by two recipes."""
    lines = [f"{k},img{k % 5},what is {k % 7},a{k % 3}" for k in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["id,image,question,answer", *lines]) + "\n", encoding="utf-8")
    for out, how in (("one", ["--set", "seed=1"]), ("other", ["--set", "seed=2", "--set", "group.by=image"])):
        assert command("run", "random", "data.csv", "--out", out, *how).code == 0
    return tmp_path / "one", tmp_path / "other"


def test_settings_and_measures_of_two_runs_stand_beside_each_other(folders):
    report = compsplit.compare(*folders).report
    settings = {row[0]: row[1:] for row in report.tables["settings that differ"].rows}
    assert settings == {"group.by": ("row", "image"), "seed": (1, 2)}
    table = report.tables["measures of both"]
    one, other = (report_of(json.loads((each / "report.json").read_bytes()), "report.json") for each in folders)
    row = next(row for row in table.rows if row[0] == "image-overlap[image][train->test]" and row[7] == "unit rows")
    a, b = (each.get("image-overlap", part="test").number for each in (one, other))
    assert row[1:5] == (a, b, pytest.approx(b - a), "fraction")
    assert b == 0 < a
    assert row[0] in [each[0] for each in report.tables["shares that differ most"].rows]
    assert not [each for each in report.findings if each.kind in ("other-inputs", "no-measures")]
    assert [size["parts"] for size in report.subject["splits"].values()] == [
        {"train": 40, "test": 20},
        {"train": 48, "test": 12},  # five images of twelve rows each
    ]


def test_parts_stand_in_the_order_of_the_manifest_empty_ones_included(folders):
    path = folders[0] / "manifest.json"
    said = json.loads(path.read_bytes())
    path.write_text(json.dumps({**said, "parts": ["test", "val", "train"]}), encoding="utf-8")
    report = compsplit.compare(*folders).report
    assert list(dict.fromkeys(row[0] for row in report.tables["rows by part"].rows)) == ["test", "val", "train"]
    assert [row[2:] for row in report.tables["rows by part"].rows if row[0] == "val"] == [(0, None, 0.0)] * 2


def test_splits_made_from_other_files_are_told(command, folders, tmp_path):
    text = (tmp_path / "data.csv").read_text(encoding="utf-8")
    (tmp_path / "data.csv").write_text(text.replace("what is 3", "what was 3"), encoding="utf-8")
    assert command("run", "random", "data.csv", "--out", "third").code == 0
    (found,) = [e for e in compsplit.compare(folders[0], "third").report.findings if e.kind == "other-inputs"]
    assert (found.count, found.first) == (1, ("data.csv",))


def test_where_one_has_no_report_it_is_told(hand, folders, tmp_path):
    listed = tmp_path / "listed.csv"
    listed.write_bytes((folders[0] / "assignment.csv").read_bytes())
    report = compsplit.compare(folders[1], listed).report
    (found,) = [each for each in report.findings if each.kind == "no-measures"]
    assert found.message == "B has no report.json, so measures of the two splits are not held against each other."
    assert "measures of both" not in report.tables
    assert "settings that differ" not in report.tables


def test_what_is_written_is_the_same_each_time_and_says_what_it_was_made_from(command, folders, tmp_path):
    ran = command("compare", *folders, "--out", "first")
    assert (ran.code, "rows in both" in ran.out) == (0, True)
    compsplit.compare(*folders).write(tmp_path / "second")
    for name in ("report.json", "report.md", "manifest.json"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    manifest = json.loads((tmp_path / "first/manifest.json").read_bytes())
    assert manifest["format"] == "compsplit-audit"
    assert [entry["used_as"] for entry in manifest["inputs"]] == ["A", "B", "measures of A", "measures of B"]
    assert command("compare", *folders, "--out", "first").code == 2
    with pytest.raises(OutputExistsError):
        compsplit.compare(*folders).write(tmp_path / "second")
    assert command("compare", *folders, "--out", "first", "--force").code == 0


def test_parts_may_be_files_of_ids_on_the_command_line(command, hand, tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"{part}.txt").write_text("".join(f"{n}\n" for n in B if B[n] == part), encoding="utf-8")
    report = command("compare", hand[0], "train=train.txt,test=test.txt", "--json").json
    assert report["subject"]["splits"]["B"]["name"] == "train.txt, test.txt"
    assert next(m for m in report["measures"] if m["name"] == "moved-share")["fraction"] == "1/2"


# --- measures beside each other


def measured(name, value, *, unit="fraction", options=None, part="test"):
    return Measure(name=name, of="x", value=value, n=4, n_unit="rows", unit=unit, part=part, options=options or {})


def test_measures_are_held_against_each_other_where_both_have_a_value():
    one = Report({}, (measured("u", Undefined("no rows")), measured("v", Fraction(1, 4)), measured("w", 3)))
    other = Report({}, (measured("v", Fraction(3, 4)), measured("u", 1), measured("y", 5, options={"unit": "rows"})))
    assert measures_of_both(one, other).rows == (
        ("u[x][test]", "undefined: no rows", 1, None, "fraction", 4, 4, ""),
        ("v[x][test]", 0.25, 0.75, 0.5, "fraction", 4, 4, ""),
        ("w[x][test]", 3, None, None, "fraction", 4, None, ""),
        ("y[x][test]", None, 5, None, "fraction", None, 4, "unit rows"),
    )


def test_only_shares_are_told_to_differ_most():
    one = Report({}, (measured("a", 0.5), measured("b", 0.9), measured("c", 10, unit="count"), measured("d", 0.1)))
    other = Report({}, (measured("a", 0.6), measured("b", 0.1), measured("c", 90, unit="count"), measured("d", 0.1)))
    table = most_apart(measures_of_both(one, other), 1)
    assert [row[0] for row in table.rows] == ["b[x][test]"]
    assert table.total == 2

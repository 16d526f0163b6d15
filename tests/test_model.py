"""What the values that everything passes around promise."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import (
    FractionError,
    MissingValueError,
    OptionValueError,
    UnknownNameError,
    UsageError,
)
from compsplit.model import (
    Audited,
    Column,
    Finding,
    Grouping,
    Incidence,
    Measure,
    QATable,
    Report,
    Rows,
    Split,
    Table,
    Targets,
    Undefined,
    bagged,
    crossed,
    texts,
)
from compsplit.model.column import ColumnBuilder, as_texts, concatenated, positions
from compsplit.model.report import failures_first, ratio

VALUES = st.lists(st.none() | st.text(alphabet="ab|\\ 1", max_size=4), max_size=12)


def column(*values: str | None) -> Column:
    return Column.of(values)


def rows(ids: list[str], **columns: Column) -> Rows:
    return Rows(
        texts(ids), columns, None, np.zeros(len(ids), dtype=bool), {"answers": np.ones(len(ids), dtype=np.int64)}
    )


# --- frozen values


def every_value() -> list[object]:
    c = column("a", "b")
    grouping = Grouping.of("group", c)
    incidence = bagged("concepts", np.array([0, 1], dtype=np.int32), [[0], [1, 1]], ("a", "b"))
    absent = Column.absent(2)
    table = QATable(
        format="table", ids=texts(["1", "2"]), images=c, questions=c, answers=c, question_types=absent,
        answer_types=absent, origins=absent, sources=c, n_answers=np.ones(2, dtype=np.int64), columns={"x": c},
    )  # fmt: skip
    split = Split(("train", "test"), np.array([0, 1], dtype=np.int16), {"train": 1}, {"k": 1})
    return [c, grouping, incidence, table, rows(["1", "2"], x=c), split, Targets({"a": "1/2", "b": "1/2"})]


@pytest.mark.parametrize("value", every_value(), ids=lambda value: type(value).__name__)
def test_values_their_arrays_and_their_mappings_cannot_be_written(value):
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
            setattr(value, field.name, held)
        if isinstance(held, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                held[0] = held[0]
        if hasattr(held, "keys"):
            assert not hasattr(held, "update"), field.name


def test_arrays_inside_the_mappings_of_rows_cannot_be_written():
    value = rows(["1"], x=column("a"))
    with pytest.raises(ValueError, match="read-only"):
        value.counts["answers"][0] = 2
    with pytest.raises(ValueError, match="read-only"):
        value.columns["x"].codes[0] = 0


# --- targets


def test_fractions_are_never_rescaled():
    with pytest.raises(FractionError, match=r"got train=0\.7 \+ test=0\.4 = 1\.1\. .*never rescales"):
        Targets({"train": 0.7, "test": 0.4})


@pytest.mark.parametrize("fractions", [{"a": 1.5, "b": -0.5}, {"a": 1, "b": 0}, {"a": "1/3", "b": 0.6666}])
def test_fractions_that_are_not_positive_or_do_not_sum_to_one_are_refused(fractions):
    with pytest.raises(FractionError):
        Targets(fractions)


@pytest.mark.parametrize("value", ["one third", "1/0", float("nan"), float("inf"), True, None, [1]])
def test_a_share_that_is_no_number_is_refused_by_name(value):
    with pytest.raises(OptionValueError, match=r"expected a fraction such as 0\.3 or 1/3"):
        Targets({"train": value, "test": "1/3"})


@pytest.mark.parametrize("fractions", [{}, {"train": 1}])
def test_one_part_is_no_split(fractions):
    with pytest.raises(UsageError, match="two parts or more"):
        Targets(fractions)


def test_a_third_of_vqa_v1_is_exactly_the_size_of_c_vqas_test():
    assert Targets({"train": "2/3", "test": "1/3"}).sizes(369_861) == {"train": 246_574, "test": 123_287}


def test_a_fraction_is_taken_as_it_is_written():
    # 0.29 * 100 is 28.999999999999996 in floating point.
    assert Targets({"train": 0.71, "test": 0.29}).sizes(100) == {"train": 71, "test": 29}


@given(st.integers(0, 10**12), st.lists(st.integers(1, 50), min_size=2, max_size=5))
def test_sizes_are_rounded_down_and_the_first_part_takes_the_rest(n, weights):
    fractions = {f"p{i}": Fraction(w, sum(weights)) for i, w in enumerate(weights)}
    sizes = Targets(fractions).sizes(n)
    assert sum(sizes.values()) == n
    assert [sizes[p] for p in list(fractions)[1:]] == [n * w // sum(weights) for w in weights[1:]]


# --- columns


@given(VALUES)
def test_a_column_gives_back_what_it_was_made_of(values):
    made = Column.of(values)
    assert made.values() == values
    assert [made[i] for i in range(len(values))] == values
    assert sorted(made.names) == sorted({v for v in values if v is not None})


@given(VALUES, VALUES)
def test_blocks_and_columns_one_after_the_other_are_the_whole(one, other):
    builder = ColumnBuilder()
    builder.extend(one)
    builder.extend(other)
    assert builder.column().values() == one + other
    assert concatenated([Column.of(one), Column.of(other)]).values() == one + other


def test_seven_and_the_text_7_are_one_value():
    builder = ColumnBuilder()
    builder.extend([7, "7", None, 8])
    assert builder.column().values() == ["7", "7", None, "8"]
    assert list(builder.column().names) == ["7", "8"]


@given(VALUES, st.data())
def test_renaming_renames_each_value(values, data):
    made = Column.of(values)
    names = [data.draw(st.none() | st.sampled_from("xyz")) for _ in made.names]
    new = dict(zip(made.names, names, strict=True))
    renamed = made.renamed(names)
    assert renamed.values() == [None if v is None else new[v] for v in values]
    assert len(set(renamed.names)) == len(renamed.names)


@given(VALUES)
def test_mapping_applies_a_function_to_each_value(values):
    mapped = Column.of(values).mapped(lambda name: name[:1])
    assert mapped.values() == [None if v is None else v[:1] for v in values]
    assert len(set(mapped.names)) == len(mapped.names)
    assert list(mapped.names[1:]) == list(mapped.names)[1:]


def test_renaming_needs_a_name_for_each_value():
    with pytest.raises(ValueError, match="2 values need as many names, got 0"):
        column("a", "b").renamed([])


@given(st.lists(st.tuples(*[st.none() | st.sampled_from("abc")] * 2), max_size=10), st.data())
def test_or_else_takes_the_others_value_only_where_there_is_none(both, data):
    mine, theirs = Column.of([m for m, _ in both]), Column.of([t for _, t in both])
    assert mine.or_else(theirs).values() == [m if m is not None else t for m, t in both]
    which = np.array(data.draw(st.lists(st.integers(0, len(both) - 1), max_size=5)) if both else [], dtype=np.int64)
    assert mine.take(which).values() == [both[i][0] for i in which]


@given(st.lists(st.tuples(*[st.none() | st.text(alphabet="a |\\", max_size=4)] * 3), max_size=10))
def test_crossed_rows_meet_exactly_where_all_their_values_do(triples):
    cross = crossed(*(Column.of(values) for values in zip(*triples, strict=True))) if triples else Column.absent(0)
    for i, one in enumerate(triples):
        assert (cross[i] is None) == (None in one)
        for j, other in enumerate(triples):
            if None not in one + other:
                assert (cross.codes[i] == cross.codes[j]) == (one == other)
                assert (cross[i] == cross[j]) == (one == other)
    assert list(cross.names) == [cross.names[i] for i in range(len(cross.names))]
    assert list(cross.names[1:]) == list(cross.names)[1:]


def test_crossed_names_are_the_values_with_a_bar_between():
    assert crossed(column("what color", "q"), column("red", None)).values() == ["what color | red", None]
    assert crossed(column("a | b"), column("c | d")).values() == ["a \\| b | c | d"]


def test_a_product_of_vocabularies_beyond_64_bits_is_crossed_all_the_same():
    names = tuple(map(str, range(1 << 16)))
    last = len(names) - 1
    same = Column(np.array([last] * 3, dtype=np.int32), names)
    # The first of five columns stands above bit 64.
    cross = crossed(Column(np.array([last, 0, last], dtype=np.int32), names), same, same, same, same)
    assert cross.codes[0] == cross.codes[2] != cross.codes[1]
    assert cross[1] == " | ".join(["0"] + [names[last]] * 4)


@given(st.lists(st.integers(-9, 9), unique=True), st.lists(st.integers(-9, 9)))
def test_positions_are_places_among_the_keys_as_numbers_and_as_text(keys, wanted):
    expected = [keys.index(w) if w in keys else -1 for w in wanted]
    numbers = np.array(keys, dtype=np.int64), np.array(wanted, dtype=np.int64)
    assert positions(*numbers).tolist() == expected
    assert positions(as_texts(numbers[0]), as_texts(numbers[1])).tolist() == expected
    assert positions(numbers[0], as_texts(numbers[1])).tolist() == expected


def test_ids_are_never_padded_or_cast():
    assert positions(texts(["01", "1"]), texts(["1", "01", "001"])).tolist() == [1, 0, -1]


@pytest.mark.parametrize("codes", [np.array([0, 2], dtype=np.int32), np.array([-2], dtype=np.int32), np.array([0])])
def test_codes_that_name_nothing_are_refused(codes):
    with pytest.raises(ValueError, match="codes must"):
        Column(codes, ("a", "b"))


# --- incidence


BAGS = st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=1, max_size=5)


@given(BAGS, st.data())
def test_occurrences_count_every_repetition_in_every_marked_row(bags, data):
    bag_of_row = data.draw(st.lists(st.integers(0, len(bags) - 1), max_size=8))
    marked = data.draw(st.lists(st.booleans(), min_size=len(bag_of_row), max_size=len(bag_of_row)))
    made = bagged("concepts", np.array(bag_of_row, dtype=np.int32), bags, tuple("abcde"))
    counted = Counter(c for bag, mark in zip(bag_of_row, marked, strict=True) if mark for c in bags[bag])
    mask = np.array(marked, dtype=bool)
    assert made.occurrences(mask).tolist() == [counted[c] for c in range(5)]
    assert made.rows_of_bags(mask).sum() == mask.sum()
    assert (made.n_rows, made.n_bags) == (len(bag_of_row), len(bags))
    for b, bag in enumerate(bags):
        assert made.concepts[made.starts[b] : made.starts[b + 1]].tolist() == sorted(set(bag))


def test_occurrences_of_many_rows_do_not_overflow():
    n = 3_000_000
    made = bagged("concepts", np.zeros(n, dtype=np.int32), [[0] * 1000], ("a",))
    assert made.occurrences(np.ones(n, dtype=bool)).tolist() == [3_000_000_000]


def test_an_incidence_whose_rows_have_no_bag_is_refused():
    empty = np.zeros(0, dtype=np.int32)
    with pytest.raises(ValueError, match="every row needs a bag"):
        Incidence("c", np.array([1], dtype=np.int32), np.array([0, 0]), empty, empty, ())
    with pytest.raises(ValueError, match="starts must run"):
        Incidence("c", np.array([0], dtype=np.int32), np.array([0, 1]), empty, empty, ())


# --- grouping, split, rows


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.data())
def test_rows_are_in_one_group_exactly_where_their_keys_are_equal(keys, data):
    made = Column.of(["unused", *keys]).take(np.arange(1, len(keys) + 1))
    stays = np.array([data.draw(st.booleans()) for _ in made.names])
    grouping = Grouping.of("letter", made, stays)
    assert [grouping.names[g] for g in grouping.group_of_row] == keys
    assert dict(zip(grouping.names, grouping.sizes.tolist(), strict=True)) == Counter(keys)
    assert {n: bool(s) for n, s in zip(grouping.names, grouping.stays, strict=True)} == {
        n: bool(s) for n, s in zip(made.names, stays, strict=True) if n in keys
    }


def test_the_order_of_groups_does_not_depend_on_the_order_of_rows():
    keys = [f"k{i}" for i in range(20)]
    one, other = Grouping.of("k", Column.of(keys)), Grouping.of("k", Column.of(keys[::-1]))
    assert [one.names[g] for g in one.order(3)] == [other.names[g] for g in other.order(3)]


def test_a_grouping_whose_arrays_do_not_fit_is_refused():
    grouping = Grouping.of("k", column("a", "b"))
    with pytest.raises(ValueError, match="one entry for each group"):
        dataclasses.replace(grouping, names=("a",))
    with pytest.raises(ValueError, match="every row needs a group"):
        dataclasses.replace(grouping, group_of_row=np.array([0, 2], dtype=np.int32))


def test_a_row_without_a_key_is_in_no_group():
    with pytest.raises(ValueError, match="a row without image is in no group"):
        Grouping.of("image", column("a", None))


def test_rows_name_those_that_lack_a_key():
    with pytest.raises(MissingValueError, match=r"2 rows have no value in image, .* \(10, 9\)"):
        rows(["9", "8", "10"], image=column(None, "a", None)).key("image")


def test_an_unknown_column_or_part_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match='Did you mean "image"'):
        rows(["1"], image=column("a")).column("imag")
    with pytest.raises(UnknownNameError, match='Did you mean "test"'):
        Split(("train", "test"), np.zeros(1, dtype=np.int16)).rows_in("tset")


def test_columns_of_another_length_are_refused():
    with pytest.raises(ValueError, match="image has 2 entries for 1 rows"):
        rows(["1"], image=column("a", "b"))


def test_a_split_places_every_row_and_counts_it():
    split = Split(("train", "val", "test"), np.array([2, 0, 2], dtype=np.int16))
    assert split.sizes == {"train": 1, "val": 0, "test": 2}
    assert split.rows_in("test").tolist() == [True, False, True]
    for wrong in ([-2], [3]):
        with pytest.raises(ValueError, match="every row needs a part"):
            Split(("train", "val", "test"), np.array(wrong, dtype=np.int16))
    with pytest.raises(ValueError, match="different names"):
        Split(("a", "a"), np.zeros(1, dtype=np.int16))


def test_a_row_is_left_out_of_a_split_with_a_reason_and_in_no_other_way():
    part_of_row = np.array([-1, 0, 1], dtype=np.int16)
    split = Split(("train", "test"), part_of_row, left_out=Column.of(["too long", None, None]))
    assert split.sizes == {"train": 1, "test": 1}
    assert split.placed.tolist() == [False, True, True]
    assert split.taken(np.array([2, 0])).left_out.values() == [None, "too long"]
    for reasons in (None, Column.of([None, None, None]), Column.of(["too long", "too long", None])):
        with pytest.raises(ValueError, match="needs a reason"):
            Split(("train", "test"), part_of_row, left_out=reasons)


# --- tables


def test_keeping_rows_names_counts_and_renumbers_the_others():
    table = next(value for value in every_value() if isinstance(value, QATable))
    kept = table.keep(np.array([False, True]), "no image", "rows without image left out")
    assert kept.ids.tolist() == ["2"]
    assert kept.images.values() == ["b"]
    assert kept.columns["x"].values() == ["b"]
    assert kept.left_out == (("1", "no image"),)
    assert kept.decisions == {"rows without image left out": 1}
    assert table.keep(np.array([True, True]), "", "") is table


def test_a_table_whose_columns_differ_in_length_is_refused():
    table = next(value for value in every_value() if isinstance(value, QATable))
    with pytest.raises(ValueError, match="column image has 1 entries for 2 rows"):
        dataclasses.replace(table, images=column("a"))


# --- reports


def measure(value: object, **more: object) -> Measure:
    return Measure(
        name="coverage", of="concepts", value=value, n=7, n_unit="distinct concepts", unit="fraction", **more
    )


def test_a_report_has_exactly_the_fields_of_its_published_format():
    report = Report(
        {"verdict": "3 rows."},
        (measure(Fraction(2, 3), reference="train", part="test", run=4, options={"unit": "rows"}),),
        {"t": Table(("a", "b"), ((1, "x"),))},
        (Finding(kind="shared-ids", count=2, first=(("a", "b"), "c"), message="Two."),),
    )
    assert json.loads(json.dumps(report.to_json(), allow_nan=False)) == {
        "format": "compsplit-report",
        "format_version": 1,
        "subject": {"verdict": "3 rows."},
        "measures": [
            {
                "name": "coverage",
                "of": "concepts",
                "options": {"unit": "rows"},
                "reference": "train",
                "part": "test",
                "run": 4,
                "value": 2 / 3,
                "fraction": "2/3",
                "n": 7,
                "n_unit": "distinct concepts",
                "unit": "fraction",
                "reason": None,
            }
        ],
        "tables": {"t": {"columns": ["a", "b"], "rows": [[1, "x"]]}},
        "findings": [
            {"kind": "shared-ids", "level": "report", "count": 2, "first": [["a", "b"], "c"], "message": "Two."}
        ],
    }
    assert report.verdict == "3 rows."


def test_a_value_that_does_not_exist_is_null_with_its_reason():
    said = measure(Undefined("test holds no concept")).to_json()
    assert (said["value"], said["fraction"], said["reason"]) == (None, None, "test holds no concept")


def test_whole_numbers_and_floats_have_no_fraction():
    for value in (3, 0.25):
        said = measure(value).to_json()
        assert (said["value"], said["fraction"], said["reason"]) == (value, None, None)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_measure_is_never_nan_or_infinite(value):
    with pytest.raises(ValueError, match="Undefined, with a reason"):
        measure(value)


def test_measures_learned_by_a_model_say_where_they_can_be_had_again():
    assert measure(0.5, note={"reproducible": "same platform"}).to_json()["reproducible"] == "same platform"


def test_a_ratio_is_exact_and_undefined_without_a_whole():
    assert ratio(2, 6, "none") == Fraction(1, 3)
    assert ratio(0, 0, "none") == Undefined("none")


def test_checks_write_a_measure_with_its_parts():
    assert measure(1, reference="train", part="test").written == "coverage[concepts][train->test]"
    assert measure(1, part="test").written == "coverage[concepts][test]"
    assert measure(1).written == "coverage[concepts]"


def test_a_report_finds_its_measures_and_fails_by_its_findings():
    test, val = measure(1, part="test"), measure(2, part="val")
    fail = Finding(kind="b", level="fail", count=1, message="")
    note = Finding(kind="a", count=1, message="")
    report = Report({}, (test, val), {}, (note, fail))
    assert report.get("coverage", part="val") is val
    assert report.get("coverage", of="concepts") is test
    with pytest.raises(UnknownNameError, match='no measure "overlap"'):
        report.get("overlap")
    assert report.failed
    assert not Report({}, (), {}, (note,)).failed
    assert failures_first([note, fail, note]) == (fail, note, note)


def test_measures_as_a_pandas_table_have_a_row_each():
    frame = Report({}, (measure(Fraction(1, 2)), measure(Undefined("empty")))).to_frame()
    assert frame["fraction"].tolist()[0] == "1/2"
    assert frame["reason"].tolist()[1] == "empty"
    assert len(frame) == 2


def test_an_audit_that_finds_nothing_is_empty():
    assert Audited() == Audited((), {}, ())

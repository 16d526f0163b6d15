"""The table reader: values as they are written, missing only where a field is empty; spans that give the bytes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api, files
from compsplit.errors import (
    BrokenFileError,
    EmptyFileError,
    EncodingError,
    FormatError,
    MissingFieldError,
    RecordsError,
    RepeatedIdError,
    TruncatedError,
    UnknownNameError,
    UsageError,
)
from compsplit.model.table import QATable
from compsplit.readers import inputs, table
from compsplit.registry import plugin


def read(*given: Any, **options: Any) -> QATable:
    made: QATable = plugin("reader", "table").make(
        inputs(given) if isinstance(given[0], str | Path) else given, **options
    )
    return made


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def spans(made: QATable) -> list[bytes]:
    """Return the bytes of each record of the first file."""
    records = made.records[0]
    assert records.input is not None
    raw = records.input.path.read_bytes()
    return [raw[a:b] for a, b in zip(records.starts.tolist(), records.stops.tolist(), strict=True)]


def test_na_words_are_answers_and_only_an_empty_field_is_none(shared: Path) -> None:
    place = shared / "cases" / "44-io-na-words"
    expected = json.loads((place / "expected.json").read_text())
    made = read(place / "answers.csv")
    assert len(made) == expected["rows"]
    found = zip(made.ids.tolist(), made.answers.values(), strict=True)
    assert [name for name, answer in found if answer is None] == expected["missing"]
    assert [answer for answer in made.answers.values() if answer is not None] == expected["answers"]


def test_ids_filled_with_image_ids_stop_and_new_ids_are_stable(shared: Path) -> None:
    place = shared / "cases" / "18-vqa-question-id-is-image-id"
    expected = json.loads((place / "expected.json").read_text())
    path = place / "questions.tsv"
    with pytest.raises(RepeatedIdError, match="2 ids cover 5 questions; question_id equals image_id in every row") as e:
        read(path)
    assert e.value.facts["first"] == list(map(str, expected["repeated_ids"]))
    assert e.value.facts["equal_to_image_id"] == expected["equal_to_image_id"]
    for _ in range(2):
        assert read(path, new_ids=True).ids.tolist() == [f"questions:{i}" for i in range(1, expected["rows"] + 1)]


def test_a_cut_json_list_is_an_error_with_its_counts(shared: Path) -> None:
    place = shared / "cases" / "45-io-truncated"
    expected = json.loads((place / "expected.json").read_text())
    with pytest.raises(Exception, match=r"^samples\.json: ends inside a record at byte 175, looks truncated") as caught:
        read(place / "samples.json")
    assert caught.value.facts == {  # type: ignore[attr-defined]  # our errors have facts
        name: expected[name] for name in ("bytes", "complete_records_before")
    }
    with pytest.raises(EmptyFileError, match=r"^empty\.json: file is empty"):
        read(place / "empty.json")


def test_the_case_of_nan_is_read_where_the_field_is_no_role(shared: Path) -> None:
    made = read(shared / "cases" / "39-io-nan" / "predictions.json", columns={"id": "questionId"})
    assert [finding.kind for finding in made.findings] == ["columns", "not-a-number"]
    assert made.columns["prediction"].values().count(None) == 1


# Python's csv writer leaves a lone carriage return unquoted in some versions, which no reader can tell from a line end.
FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6) | st.sampled_from(
    ["NA", "", '"', "a\r\nb", "a,b", " x ", "007", "1e5", "\n", "'"]
)


@settings(deadline=None, max_examples=n_shown(60))
@given(
    st.lists(st.tuples(FIELD, FIELD), max_size=5),
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(3, 40),
)
def test_delimited_text_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    fields: list[tuple[str, str]],
    delimiter: str,
    end: str,
    mark: bool,
    block: int,
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(["id", "question", "answer"])
    writer.writerows([(i, *pair) for i, pair in enumerate(fields)])
    path = put(tmp_path_factory.mktemp("t") / "x.csv", "\ufeff" * mark + text.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files.Bytes.read, "__defaults__", (block,))
        made = read(path)
    assert made.ids.tolist() == [str(i) for i in range(len(fields))]
    assert made.questions.values() == [one or None for one, _ in fields]
    assert made.answers.values() == [other if other.strip() else None for _, other in fields]
    head = "\ufeff" * mark + text.getvalue()[: text.getvalue().index(end)] + end
    assert made.records[0].head == head.removeprefix("\ufeff").encode()
    assert head.encode() + b"".join(spans(made)) == path.read_bytes()


def test_numbers_and_leading_zeros_stay_as_they_are_written(tmp_path: Path) -> None:
    text = "id,image_id,question,answer,score\n007,01,a?,2.50,1e5\n7,1,b?,+3,\n"
    made = read(put(tmp_path / "x.csv", text))
    assert made.ids.tolist() == ["007", "7"]
    assert made.images.values() == ["01", "1"]
    assert made.answers.values() == ["2.50", "+3"]
    assert made.columns["score"].values() == ["1e5", None]
    assert made.columns["score"].names == ("1e5",)
    lines = '{"id": "007", "question": "a", "answer": 2.50}\n{"id": 7, "question": "b", "answer": 12e1}'
    made = read(put(tmp_path / "x.json", lines))
    assert made.ids.tolist() == ["007", "7"]
    assert made.answers.values() == ["2.50", "12e1"]


def test_empty_lines_are_passed_over_and_the_last_line_needs_no_end(tmp_path: Path) -> None:
    made = read(put(tmp_path / "x.csv", "id,question\n\n1,a\n\n\n2,b"))
    assert made.ids.tolist() == ["1", "2"]
    assert [each.strip() for each in spans(made)] == [b"1,a", b"2,b"]


def test_more_records_than_a_batch_are_read_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_BATCH", 3)
    made = read(put(tmp_path / "x.csv", "id\n" + "".join(f"{i}\n" for i in range(10))))
    assert made.ids.tolist() == [str(i) for i in range(10)]


def test_a_record_of_another_width_is_named_and_all_are_collected(tmp_path: Path) -> None:
    with pytest.raises(
        RecordsError, match=r"3 bad records\. x\.csv, record 1: has 1 fields, the header has 2"
    ) as caught:
        read(put(tmp_path / "x.csv", "id,question\n  \n1,a\n2\n,b\n3,c\n"))
    assert caught.value.facts["first"] == [
        "x.csv, record 1: has 1 fields, the header has 2",
        "x.csv, record 3: has 1 fields, the header has 2",
        "x.csv, record 4, id: is missing",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,question,id\n", 'the column "id" stands twice in the header'),
        ("id;question\n1;a\n", "separated by semicolons"),
        ('id,"question\n1,a\n', "the header line is not delimited text"),
        ("\nid,question\n", "the first line is empty"),
        ('id,question\n1,"a\n', "record 1 is not delimited text"),
        ('id,question\n1,b\n2,"a"b\n', "record 2 is not delimited text .* at byte 16"),
        ("id,question\r1,a\r", r"the header line .*a carriage return alone ends no line; end lines with \\n or \\r\\n"),
        ("id,question\n1,a\rb\n", "record 1 .*a carriage return alone ends no line"),
    ],
)
def test_text_that_is_not_delimited_is_an_error_that_names_the_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BrokenFileError, match=rf"^x\.csv: .*{said}"):
        read(put(tmp_path / "x.csv", text))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_LONGEST_LINE", 100)
    monkeypatch.setattr(files.Bytes.read, "__defaults__", (64,))
    with pytest.raises(BrokenFileError, match="a line is longer than"):
        read(put(tmp_path / "x.csv", "id,question\n1," + "a" * 1000))


def test_long_fields_are_read_up_to_the_longest_line_and_the_limit_of_csv_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = csv.field_size_limit()
    long = "a" * (before + 1)
    assert read(put(tmp_path / "x.csv", f"id,question,{long}\n1,{long},b\n")).questions.values() == [long]
    monkeypatch.setattr(table, "_LONGEST_LINE", 1 << 20)
    with pytest.raises(BrokenFileError, match=r"^x\.csv: record 2 .*a field is longer than 1 MiB"):
        read(put(tmp_path / "x.csv", 'id,question\n0,b\n1,"' + "a\n" * (1 << 20) + '"\n'))
    assert csv.field_size_limit() == before


def test_text_that_is_not_utf8_is_named_by_byte(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"id,question\n1,caf\xe9\n")
    with pytest.raises(EncodingError, match="offset 17"):
        read(tmp_path / "x.csv")


def test_files_without_content_are_errors_and_a_header_alone_is_no_row(tmp_path: Path) -> None:
    for text in ("\ufeff", "\n", " \n"):
        with pytest.raises((EmptyFileError, BrokenFileError), match=r"^x\.csv: "):
            read(put(tmp_path / "x.csv", text))
    for text in ("id,question\n", "id,question", "[]"):
        assert len(read(put(tmp_path / "x.csv", text))) == 0


def test_rows_without_ids_are_numbered_and_counted(tmp_path: Path) -> None:
    one, two = put(tmp_path / "one.csv", "question\na\nb\n"), put(tmp_path / "two.csv", "question\nc\n")
    made = read(one, two)
    assert made.ids.tolist() == ["one:1", "one:2", "two:1"]
    assert made.decisions == {"rows numbered, the table has no id column": 3}
    put(two, "id,question\n1,c\n")
    with pytest.raises(MissingFieldError, match="one has no id column"):
        read(one, two)


def test_columns_play_the_roles_that_they_are_given(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "key,id,q,question,a,type\nk,1,asked,other,told,t\n")
    made = read(path, columns={"id": "key", "question": "q", "answer": "a", "question_type": "type"})
    assert made.ids.tolist() == ["k"]
    assert (made.questions[0], made.answers[0], made.question_types[0]) == ("asked", "told", "t")
    assert made.columns["id"].values() == ["1"]
    assert made.columns["question"].values() == ["other"]
    with pytest.raises(UnknownNameError, match=r'no column role "qestion". Did you mean "question"'):
        read(path, columns={"qestion": "q"})
    with pytest.raises(MissingFieldError, match=r'x\.csv has no column "nope": its columns are key, id'):
        read(path, columns={"question": "nope"})


def test_a_table_without_any_known_column_is_not_read_in_silence(shared: Path, tmp_path: Path) -> None:
    with pytest.raises(
        MissingFieldError, match=r"^test\.tsv has no question, answer, objects or id column: its columns are Mila"
    ):
        read(shared / "data" / "cogs" / "test.tsv")
    for text in ("image,split\ni,train\n", '[{"image": "i", "split": "train"}]'):
        path = put(tmp_path / "x", text)
        with pytest.raises(MissingFieldError, match=r"its columns are image, split\. .*--column ROLE=NAME"):
            read(path)
        assert read(path, columns={"answer": "split"}).answers.values() == ["train"]
    for only in ("id", "question", "answer"):
        assert len(read(put(tmp_path / "x", f"{only},more\n1,a\n"))) == 1
    with pytest.raises(MissingFieldError, match=r"^x has no question.*its columns are none"):
        read(put(tmp_path / "x", "[{}]"))
    with pytest.raises(MissingFieldError, match=r"^table has no question"):
        read(pd.DataFrame({"image": ["i"]}))


def test_many_columns_are_named_by_the_first_of_them(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", ",".join(f"c{i}{'x' * 100}" for i in range(1000)) + "\n")
    for options in ({}, {"columns": {"id": "nope"}}):
        with pytest.raises(MissingFieldError, match=r"c0x+\.\.\., .*and 980 more\. ") as caught:
            read(path, **options)
        assert len(str(caught.value)) < 2000


def test_the_columns_taken_are_named_once_for_all_files(tmp_path: Path) -> None:
    text = "qid,image_name,answer,more\n{},i,a,b\n"
    one, two = put(tmp_path / "one.csv", text.format(1)), put(tmp_path / "two.csv", text.format(2))
    (found,) = read(one, two).findings
    assert found.message == "Columns taken: id = qid, image = image_name, answer = answer."
    assert (found.kind, found.count, found.first) == (
        "columns",
        3,
        ("id = qid", "image = image_name", "answer = answer"),
    )
    assert read(one).findings == (found,)
    assert read(put(tmp_path / "none.json", "[]")).findings == ()


def test_further_columns_are_kept_even_if_one_file_lacks_them(tmp_path: Path) -> None:
    one, two = put(tmp_path / "one.csv", "id,a\n1,x\n"), put(tmp_path / "two.csv", "id,b\n2,y\n")
    made = read(one, two)
    assert made.columns["a"].values() == ["x", None]
    assert made.columns["b"].values() == [None, "y"]


def test_ids_of_several_files_are_qualified_on_request(tmp_path: Path) -> None:
    one, two = put(tmp_path / "one.csv", "id\n1\n"), put(tmp_path / "two.csv", "id\n1\n")
    with pytest.raises(RepeatedIdError, match=r"across files .*--id-scope file"):
        read(one, two)
    made = read(one, two, id_scope="file")
    assert made.ids.tolist() == ["one:1", "two:1"]
    assert made.scoped


RECORDS = [
    {"id": 1, "image": "i", "question": "a?", "answer": "x", "extra": True, "boxes": [1]},
    {"id": "2", "image": "j", "question": "b?", "answer": "", "extra": None, "late": 5, "boxes": []},
]


@pytest.mark.parametrize("layout", ["list", "lines"])
def test_json_lists_and_lines_are_tables(tmp_path: Path, layout: str) -> None:
    text = json.dumps(RECORDS, indent=1) if layout == "list" else "\n".join(map(json.dumps, RECORDS))
    made = read(put(tmp_path / "x.txt", text))
    assert made.ids.tolist() == ["1", "2"]
    assert made.answers.values() == ["x", None]
    assert made.columns["extra"].values() == ["true", None]
    assert made.columns["late"].values() == [None, "5"]
    assert "boxes" not in made.columns
    assert made.records[0].layout == layout
    assert [json.loads(each) for each in spans(made)] == RECORDS


def test_a_field_that_first_comes_late_still_plays_its_role(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compsplit.readers.json_spans._ROOM", 1)
    text = '{"id": 1, "question": "a"}\n{"id": 2, "question": "b", "answer": "x"}\n'
    assert read(put(tmp_path / "x.json", text)).answers.values() == [None, "x"]


def test_a_single_object_on_one_line_is_one_row(tmp_path: Path) -> None:
    assert read(put(tmp_path / "x.json", '{"id": 5, "question": "a"}')).ids.tolist() == ["5"]
    assert read(put(tmp_path / "x.json", '{"id": 5}')).ids.tolist() == ["5"]


def test_a_single_object_without_a_role_is_no_table_and_a_cut_one_is_truncated(tmp_path: Path) -> None:
    for text in ('{"train": [1], "test": [2]}', "{}", '{"20240871": {"question": "a"}}'):
        with pytest.raises(FormatError, match=r"^x\.json: one JSON object, .*no reader knows this layout"):
            read(put(tmp_path / "x.json", text))
        with pytest.raises(TruncatedError):
            read(put(tmp_path / "x.json", text[:-1]))
    with pytest.raises(MissingFieldError, match="its columns are train, test"):
        read(put(tmp_path / "x.json", '{"train": 1, "test": 2}\n{"train": 3}'))


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"id": 2, "question": ["a"]}, "record 2, question: is a list, expected a string or a number"),
        ({"id": 2, "question": "a", "answer": {"x": 1}}, "record 2, answer: is an object, expected"),
        ({"id": [2], "question": "a"}, "record 2, id: is a list, expected"),
        ({"id": None, "question": "a"}, "record 2, id: is missing"),
        ({"id": "", "question": "a"}, "record 2, id: is missing"),
        ({"question": "a"}, "record 2, id: is missing"),
        ({"id": 2, "question": float("nan")}, "record 2, question: is NaN, which is no value"),
    ],
)
def test_nested_or_missing_values_in_a_role_are_named(tmp_path: Path, record: dict[str, Any], said: str) -> None:
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path / "x.json", json.dumps([{"id": 1, "question": "a"}, record])))
    assert said in str(caught.value)
    assert caught.value.facts["n_problems"] == 1


def test_parquet_arrow_and_pandas_tables_are_alike(tmp_path: Path) -> None:
    columns = {"id": ["007", "8"], "question": ["a?", "b?"], "answer": ["NA", None], "n": [1, 2], "b": [True, False]}
    columns["boxes"] = [[1], [2]]
    arrow = pa.table(columns)
    pyarrow.parquet.write_table(arrow, tmp_path / "x.csv")
    coded = pa.table({**columns, "answer": pa.array(columns["answer"]).dictionary_encode()})
    for given_table in (tmp_path / "x.csv", arrow, coded, pd.DataFrame(columns)):
        made = read(given_table)
        assert made.ids.tolist() == ["007", "8"]
        assert made.answers.values() == ["NA", None]
        assert made.columns["n"].values() == ["1", "2"]
        assert made.columns["b"].values() == ["true", "false"]
        assert "boxes" not in made.columns
        assert made.records[0].layout == "arrow"
        assert made.records[0].arrow.num_rows == 2
        assert np.array_equal(made.records[0].rows, [0, 1])


def test_arrow_tables_without_ids_or_with_odd_columns_are_errors(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match=r"table, record 2, id: is missing"):
        read(pd.DataFrame({"id": ["a", None], "question": ["x", "y"]}))
    with pytest.raises(RecordsError, match=r"question: is not a column of plain values"):
        read(pa.table({"id": [1], "question": [["x"]]}))
    with pytest.raises(BrokenFileError, match='the column "id" stands twice'):
        read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"]))
    with pytest.raises(UsageError, match="The pandas table cannot be read"):
        read(pd.DataFrame({"id": [7, "8"], "question": ["x", "y"]}))
    with pytest.raises(UsageError, match="not from dict"):
        read({"id": [1]})
    (tmp_path / "x.parquet").write_bytes(b"PAR1" + b"\0" * 40)
    with pytest.raises(BrokenFileError, match=r"^x\.parquet: is not a whole Parquet file"):
        read(tmp_path / "x.parquet")


@pytest.mark.large
def test_med_vqa_restarts_its_ids_in_each_file(shared: Path) -> None:
    place = shared / "data" / "vqa_med_2019"
    paths = place / "trainset.json", place / "testset.json"
    with pytest.raises(RepeatedIdError, match="2,000 ids are repeated across files"):
        read(*paths)
    made = read(*paths, id_scope="file")
    assert len(made) == 12792 + 2000
    assert sum("\t" in (question or "") for question in made.questions.values()) == 76
    assert len(set(made.images.values())) == 3700


def test_the_csv_of_daquar_keeps_answers_that_hold_commas(shared: Path) -> None:
    place = shared / "data" / "daquar"
    made = read(place / "data_train.csv", place / "data_eval.csv")
    assert len(made) == 9974 + 2494
    assert sum(", " in (answer or "") for answer in made.answers.values()) == 1243
    raw = (place / "data_train.csv").read_bytes()
    assert made.records[0].head + b"".join(spans(made)) == raw


def test_a_table_of_other_columns_is_read_where_its_rows_get_new_ids(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("color,shape\nred,cube\nblue,ball\n")
    with pytest.raises(MissingFieldError, match=r"has no question, answer, objects or id column.*--new-ids"):
        api.read(path)
    table = api.read(path, new_ids=True)
    assert table.ids.tolist() == ["own:1", "own:2"]
    assert table.columns["shape"].values() == ["cube", "ball"]

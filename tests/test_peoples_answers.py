"""The answers of people that the VQA reader keeps, one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import JoinError, RecordsError, UsageError
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.registry import plugin


def read(*files: Path, **options: Any) -> QATable:
    table: QATable = plugin("reader", "vqa").make(inputs(files), keep_answers=True, **options)
    return table


def put(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def alone(folder: Path, *lists: Any) -> QATable:
    """Return rows that annotations alone make, of these answer lists."""
    return read(
        put(folder / "a.json", [{"question_id": k, "answers": each} for k, each in enumerate(lists, start=1)]),
        without_questions=True,
    )


def told(table: QATable) -> list[tuple[list[str | None], list[str | None]]]:
    lists = table.lists
    return [(lists["answers"].of_row(row), lists["answer_records"].of_row(row)) for row in range(len(table))]


def question(name: int) -> dict[str, Any]:
    return {"question_id": name, "image_id": 1, "question": "Is it?"}


def record(answer: Any, number: Any = None, **others: Any) -> dict[str, Any]:
    return {"answer": answer, **({} if number is None else {"answer_id": number}), **others}


def test_answers_stay_as_written_and_in_their_order(tmp_path: Path) -> None:
    table = alone(
        tmp_path, [record(" Two\n", 1), record("a  cat", 2), record("", 3), record("é", 4), record(" Two\n", 5)]
    )
    assert told(table) == [([" Two\n", "a  cat", "", "é", " Two\n"], ["1", "2", "3", "4", "5"])]


def test_an_escaped_text_is_the_text_that_it_stands_for(tmp_path: Path) -> None:
    file = put(
        tmp_path / "a.json",
        '[{"question_id":1,"answers":[{"answer":"caf\\u00e9","answer_id":1},{"answer":"café","answer_id":2}]}]',
    )
    answers = read(file, without_questions=True).lists["answers"]
    assert answers.of_row(0) == ["café", "café"]
    assert answers.values.codes[0] == answers.values.codes[1]


def test_answers_follow_their_question_whatever_the_order_of_annotations(tmp_path: Path) -> None:
    asked = [put(tmp_path / f"q{k}.json", list(map(question, names))) for k, names in enumerate(([3, 1], [2, 4]))]
    annotations = {
        name: {"question_id": name, "image_id": 1, "answers": [record(f"{name}{c}", c) for c in "ab"[: 1 + name % 2]]}
        for name in (1, 2, 3, 4)
    }
    files = [put(tmp_path / f"a{k}.json", [annotations[n] for n in names]) for k, names in enumerate(([4, 3], [2, 1]))]
    table = read(*asked, *files)
    found = dict(zip(table.ids.tolist(), told(table), strict=True))
    assert found == {
        "1": (["1a", "1b"], ["1", "2"]), "2": (["2a"], ["1"]), "3": (["3a", "3b"], ["1", "2"]), "4": (["4a"], ["1"]),
    }  # fmt: skip


def test_answers_of_annotations_that_are_left_out_are_gone(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(1), question(2), question(3)])
    annotations = [{"question_id": name, "image_id": 1, "answers": [record(str(name), 1)]} for name in (1, 3, 7)]
    files = asked, put(tmp_path / "a.json", annotations)
    with pytest.raises(JoinError):
        read(*files)
    table = read(*files, allow_unjoined=True)
    assert table.ids.tolist() == ["1", "3"]
    assert told(table) == [(["1"], ["1"]), (["3"], ["1"])]


def test_annotations_of_further_questions_at_the_end_do_not_shift_answers(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(1), question(2)])
    annotations = [{"question_id": n, "image_id": 1, "answers": [record(str(n), 1)]} for n in (1, 2, 3)]
    table = read(asked, put(tmp_path / "a.json", annotations), allow_unjoined=True)
    assert told(table) == [(["1"], ["1"]), (["2"], ["1"])]


def test_one_record_that_holds_question_and_answers_keeps_them(tmp_path: Path) -> None:
    table = read(put(tmp_path / "r.json", [{**question(1), "answers": [record("x", 1), record("y", 2)]}]))
    assert told(table) == [(["x", "y"], ["1", "2"])]


def test_plain_texts_are_answers_whose_records_say_nothing_else(tmp_path: Path) -> None:
    table = alone(tmp_path, ["a", "b\n", "a"], [record("x", 1)], ["c", record("d"), "e"], [])
    assert told(table) == [
        (["a", "b\n", "a"], ["1", "1", "1"]), (["x"], ["1"]), (["c", "d", "e"], ["1", "2", "1"]), ([], []),
    ]  # fmt: skip


def test_records_are_equal_by_what_they_say_not_by_how_it_is_written(tmp_path: Path) -> None:
    written = (
        '[{"question_id":1,"answers":[{"answer":"a","answer_confidence":"yes","more":[1,{"x":2,"y":null}]},'
        '{"more" : [1, {"y":null,"x":2.0}], "answer_confidence":"y\\u0065s","answer":"b"},'
        '{"answer":"c","answer_confidence":"yes"},{"answer":"d","answer_confidence":null},{"answer":"e"},'
        '{"answer_confidence":"yes","answer":"f"}]}]'
    )
    table = read(put(tmp_path / "a.json", written), without_questions=True)
    assert told(table) == [(list("abcdef"), ["1", "1", "3", "4", "5", "3"])]


def test_an_id_that_two_records_have_does_not_tell_them_apart(tmp_path: Path) -> None:
    table = alone(tmp_path, [record("a", 7), record("b", 7), record("c", 8), record("d", 7, answer_confidence="no")])
    assert told(table) == [(list("abcd"), ["1", "1", "3", "4"])]


def test_an_id_that_is_a_text_is_not_the_number_that_looks_like_it(tmp_path: Path) -> None:
    written = '[{"question_id":1,"answers":[{"answer":"a","answer_id":1},{"answer":"a","answer_id":"1"}]}]'
    table = read(put(tmp_path / "a.json", written), without_questions=True)
    assert told(table) == [(["a", "a"], ["1", "2"])]
    escaped = '[{"question_id":1,"answers":[{"answer":"a","answer_id":"\\u0031"},{"answer":"a","answer_id":"1"}]}]'
    assert told(read(put(tmp_path / "a.json", escaped), without_questions=True)) == [(["a", "a"], ["1", "1"])]


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ([record("a", 1), record(2, 2)], "answer 2 is a whole number, expected a text"),
        ([record("a", 1), {"answer_id": 2}], "answer 2 has no text"),
        ([record("a", 1), None], "answer 2 has no text"),
        (["a", 0.5], "answer 2 is a number, expected a text"),
        ({"a": 1}, "is an object, expected a list"),
        ("yes", "is a string, expected a list"),
    ],
)
def test_an_answer_that_is_no_text_is_an_error_that_names_its_record(tmp_path: Path, answers: Any, what: str) -> None:
    records = [{"question_id": k, "answer": "a", "answers": each} for k, each in enumerate(([record("b", 1)], answers))]
    with pytest.raises(RecordsError, match=rf"^1 bad record\. a\.json, record 2, answers: {what}\.$"):
        read(put(tmp_path / "a.json", records), without_questions=True)


def test_a_list_that_gives_no_ground_truth_either_is_one_bad_record(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match=r"^1 bad record\. a\.json, record 2, answers: "):
        alone(tmp_path, [record("fine", 1)], [record(2)])


@pytest.mark.parametrize("number", ["", ',"answer_id":7', ',"answer_id":1'])
def test_half_of_a_surrogate_pair_is_no_answer(tmp_path: Path, number: str) -> None:
    lists = [f'[{{"answer":"a","answer_id":1}},{{"answer":"{text}"{number}}}]' for text in ("b", "\\ud800")]
    records = [f'{{"question_id":{k},"answer":"a","answers":{each}}}' for k, each in enumerate(lists)]
    with pytest.raises(RecordsError, match=r"^1 bad record\. a\.json, record 2, answers: holds half of a surrogate"):
        read(put(tmp_path / "a.json", f"[{','.join(records)}]"), without_questions=True)


def test_answers_of_a_record_with_a_field_that_is_no_number_are_kept(tmp_path: Path) -> None:
    written = '[{"question_id":1,"score":NaN,"answers":[{"answer":"a","answer_id":1},{"answer":"b","answer_id":2}]}]'
    table = read(put(tmp_path / "a.json", written), without_questions=True)
    assert told(table) == [(["a", "b"], ["1", "2"])]


def test_a_question_without_a_list_has_an_empty_one_and_no_list_at_all_is_none(tmp_path: Path) -> None:
    assert told(alone(tmp_path, [record("a", 1)], None)) == [(["a"], ["1"]), ([], [])]
    assert told(alone(tmp_path, [])) == [([], [])]
    bare = put(tmp_path / "b.json", [{"question_id": 1, "multiple_choice_answer": "a"}])
    assert not read(bare, without_questions=True).lists


def test_files_with_and_without_lists_stand_together(tmp_path: Path) -> None:
    bare = put(tmp_path / "b.json", [{"question_id": 1, "answer": "a"}])
    full = put(tmp_path / "c.json", [{"question_id": 2, "answers": [record("x", 1)]}])
    assert told(read(bare, full, without_questions=True)) == [([], []), (["x"], ["1"])]


def test_nothing_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    file = put(tmp_path / "a.json", [{**question(1), "answers": [record("x", 1)]}])
    assert not plugin("reader", "vqa").make(inputs([file])).lists


def test_annotations_alone_are_rows_only_where_that_is_asked(tmp_path: Path) -> None:
    file = put(tmp_path / "a.json", [{"question_id": 1, "image_id": 9, "answers": [record("x", 1)]}])
    with pytest.raises(UsageError, match="Only annotations are given"):
        read(file)
    table = read(file, without_questions=True)
    assert (table.ids.tolist(), table.images.values(), table.questions.values()) == (["1"], ["9"], [None])
    with_questions = read(put(tmp_path / "q.json", [{**question(1), "image_id": 9}]), file, without_questions=True)
    assert with_questions.questions.values() == ["Is it?"]


_values = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from(["", "1", 'q"', "é", "\\"]))
_records = st.one_of(
    st.sampled_from(["yes", "", 'a"b', "ü"]),
    st.fixed_dictionaries(
        {"answer": st.sampled_from(["yes", "", 'a"b', "ü"])},
        optional={"answer_id": _values, "answer_confidence": _values, "other": st.lists(_values, max_size=2)},
    ),
)


@given(st.lists(st.lists(_records, max_size=5), min_size=1, max_size=6), st.booleans())
def test_lists_are_what_json_says(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[Any]], ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("data")
    written = [{"question_id": k, "answers": each} for k, each in enumerate(lists)]
    file = put(folder / "a.json", json.dumps(written, ensure_ascii=ascii_only))
    expected = []
    for each in lists:
        rests = [{k: v for k, v in one.items() if k != "answer"} if isinstance(one, dict) else None for one in each]
        answers = [one["answer"] if isinstance(one, dict) else one for one in each]
        expected.append((answers, [str(rests.index(rest) + 1) for rest in rests]))
    assert told(read(file, without_questions=True)) == expected


def test_lists_are_the_same_however_the_file_is_cut_into_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = [[record(f"a{k % 7}", i) for i in range(k % 5)] if k % 3 else [f"b{k % 4}"] * (k % 4) for k in range(300)]
    whole = told(alone(tmp_path, *lists))
    monkeypatch.setattr("compsplit.readers.json_spans.BLOCK", 1 << 10)
    assert told(alone(tmp_path, *lists)) == whole
    assert [answers for answers, _ in whole] == [
        [each if isinstance(each, str) else each["answer"] for each in one] for one in lists
    ]

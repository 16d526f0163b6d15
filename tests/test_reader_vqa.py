"""The VQA reader: joins by id alone, keeps everything or says what it left out."""

from __future__ import annotations

import itertools
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit.errors import (
    EncodingError,
    JoinError,
    OptionValueError,
    RecordsError,
    RepeatedIdError,
    TruncatedError,
    UsageError,
)
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.registry import plugin


def read(*files: str | Path, **options: Any) -> QATable:
    table: QATable = plugin("reader", "vqa").make(inputs(files), **options)
    return table


def rows(table: QATable) -> list[tuple[Any, ...]]:
    """Return what a row is, apart from its place."""
    return list(
        zip(
            table.ids.tolist(),
            table.images.values(),
            table.questions.values(),
            table.answers.values(),
            table.question_types.values(),
            table.answer_types.values(),
            table.origins.values(),
            table.sources.values(),
            table.n_answers.tolist(),
            strict=True,
        )
    )


def put(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def question(name: Any, image: Any = 1, text: str = "Is it?") -> dict[str, Any]:
    return {"question_id": name, "image_id": image, "question": text}


def annotation(name: Any, image: Any = 1, answer: str = "yes") -> dict[str, Any]:
    return {"question_id": name, "image_id": image, "multiple_choice_answer": answer}


def pair(place: Path, names: Sequence[Any], subset: str = "train2014", stem: str = "") -> tuple[Path, Path]:
    asked = {"data_subtype": subset, "questions": [question(name, text=f"{subset} {name}?") for name in names]}
    told = {"annotations": [annotation(name, answer=f"{subset} {name}") for name in names], "data_subtype": subset}
    return put(place / f"{stem}q-{subset}.json", asked), put(place / f"{stem}a-{subset}.json", told)


def check_records(table: QATable) -> None:
    """Assert that the bytes of each record are the row's."""
    names = table.ids.tolist()
    for records in table.records:
        assert records.input is not None
        raw = records.input.path.read_bytes()
        spans = zip(records.starts.tolist(), records.stops.tolist(), records.rows.tolist(), strict=True)
        for start, stop, row in spans:
            record = json.loads(raw[start:stop])
            if row >= 0:
                assert names[row] in (str(record["question_id"]), f"{table.sources[row]}:{record['question_id']}")


def test_the_official_fixture_needs_neither_image_nor_ground_truth_in_its_annotations(shared: Path) -> None:
    place = shared / "data" / "vqa" / "official_v2_fixture"
    table = read(place / "annotations.json", place / "questions.json")
    asked = json.loads((place / "questions.json").read_text())["questions"]
    assert table.ids.tolist() == [str(each["question_id"]) for each in asked]
    assert table.images.values() == [str(each["image_id"]) for each in asked]
    assert None not in table.answers.values()
    assert table.n_answers.tolist() == [10, 10, 10]
    assert table.origins.values() == ["train2014"] * 3
    assert table.decisions == {"ground truth by majority of answers": 3}
    assert [name for name, _ in table.records[0].header] == [
        "info", "task_type", "data_type", "license", "data_subtype"
    ]  # fmt: skip
    check_records(table)


def test_the_majority_is_the_answer_where_none_is_named(shared: Path) -> None:
    place = shared / "data" / "vqa" / "smallval"
    table = read(*place.glob("*.json"))
    assert len(table) == 589
    assert len(set(table.images.values())) == 100
    assert table.decisions == {"ground truth by majority of answers": 589}
    assert table.answer_types.values().count("yes/no") == 208
    told = json.loads((place / "smallval_annotations.json").read_text())["annotations"]
    by_id = {str(each["question_id"]): [given["answer"] for given in each["answers"]] for each in told}
    for name, answer in zip(table.ids.tolist(), table.answers.values(), strict=True):
        counts = [(by_id[name].count(each), each) for each in by_id[name]]
        assert answer == next(each for n, each in counts if n == max(counts)[0])
    check_records(table)


def test_ids_that_are_text_and_repeated_questions_are_kept(shared: Path) -> None:
    place = shared / "data" / "vqa" / "ambiguous_vqa_test"
    table = read(place / "questions.json", place / "annotations.json")
    assert len(table) == 1266
    assert all("_" in name for name in table.ids.tolist())
    assert set(table.n_answers.tolist()) == {1}
    assert table.decisions == {}
    check_records(table)


def test_questions_alone_are_rows_without_answers(shared: Path) -> None:
    table = read(shared / "data" / "okvqa" / "OpenEnded_mscoco_val2014_questions.json")
    assert len(table) == 5046
    assert set(table.answers.codes.tolist()) == {-1}
    assert set(table.n_answers.tolist()) == {0}


def test_rows_are_the_same_in_whatever_order_files_come_and_are_read(tmp_path: Path) -> None:
    files = [*pair(tmp_path, [1, 2, 3]), *pair(tmp_path, [11, "12", 13], "val2014")]
    whole = read(*files, threads=1)
    for order in itertools.permutations(files):
        table = read(*order, threads=3)
        assert sorted(rows(table)) == sorted(rows(whole))
        check_records(table)
    again = read(*files, threads=4)
    assert rows(again) == rows(whole)
    for one, other in zip(again.records, whole.records, strict=True):
        assert np.array_equal(one.starts, other.starts)
    with pytest.raises(OptionValueError, match="threads"):
        read(*files, threads=0)


def test_a_cut_into_more_files_changes_no_row_but_its_source(tmp_path: Path) -> None:
    whole = read(*pair(tmp_path, range(8)))
    (tmp_path / "cut").mkdir()
    halves = [pair(tmp_path / "cut", part, stem=stem) for part, stem in ((range(3), "x"), (range(3, 8), "y"))]
    cut = read(*itertools.chain(*halves))
    assert [row[:7] for row in rows(cut)] == [row[:7] for row in rows(whole)]


@pytest.mark.parametrize("layout", ["object", "list", "lines"])
def test_bare_lists_and_lines_and_compressed_files_are_the_same_as_objects(tmp_path: Path, layout: str) -> None:
    files = pair(tmp_path, [1, 2])
    whole = [row[:6] for row in rows(read(*files))]
    for path in files:
        value = json.loads(path.read_text())
        records = value.get("questions") or value.get("annotations")
        if layout != "object":
            lines = "\n".join(map(json.dumps, records))
            path.write_text(lines if layout == "lines" else json.dumps(records))
    table = read(*reversed(files))
    assert [row[:6] for row in rows(table)] == whole
    assert {each.layout for each in table.records} == {layout}
    check_records(table)
    for path in files:
        path.write_bytes(lzma.compress(b"\xef\xbb\xbf" + path.read_bytes()))
    assert [row[:6] for row in rows(read(*files))] == whole


def test_records_that_hold_question_and_answer_need_no_other_file(shared: Path) -> None:
    place = shared / "cases" / "23-cvqa-only-train-and-test"
    expected = json.loads((place / "expected.json").read_text())
    for name, n in expected["splits"].items():
        if (place / f"{name}.json").exists():
            table = read(place / f"{name}.json")
            assert len(table) == n
            assert len(set(table.images.values())) == expected["images"][name]
            check_records(table)


def test_seven_as_number_and_as_text_are_one_id(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(7, "1"), question("8", 1)])
    told = put(tmp_path / "a.json", [annotation("8", "1", "no"), annotation("7", 1)])
    table = read(asked, told)
    assert table.ids.tolist() == ["7", "8"]
    assert table.answers.values() == ["yes", "no"]
    assert table.images.names == ("1",)
    put(asked, [question("07"), question(8)])
    with pytest.raises(JoinError):
        read(asked, told)


def test_an_id_larger_than_a_machine_word_is_an_id(tmp_path: Path) -> None:
    huge = 2**63
    asked = put(tmp_path / "q.json", [question(huge), question(huge + 1), question(-(2**63))])
    told = put(tmp_path / "a.json", [annotation(huge + 1, answer="no"), annotation(-(2**63)), annotation(huge)])
    table = read(asked, told)
    assert table.ids.tolist() == [str(huge), str(huge + 1), str(-(2**63))]
    assert table.answers.values() == ["yes", "no", "yes"]


def test_a_repeated_id_stops_and_says_how_to_go_on(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(5, 5), question(6, 6), question("5", 5)])
    with pytest.raises(RepeatedIdError, match=r"1 id is repeated \(5\): 2 ids cover 3 questions") as caught:
        read(asked)
    assert "question_id equals image_id in every row" in str(caught.value)
    assert "--new-ids" in str(caught.value)
    assert read(asked, new_ids=True).ids.tolist() == ["q:1", "q:2", "q:3"]


def test_ids_that_repeat_across_files_need_a_scope(tmp_path: Path) -> None:
    files = [*pair(tmp_path, [1, 2]), *pair(tmp_path, [2, 1], "val2014")]
    with pytest.raises(RepeatedIdError, match=r"2 ids are repeated across files \(1, 2\).*--id-scope file"):
        read(*files)
    for order in (files, files[::-1]):
        table = read(*order, id_scope="file")
        assert table.scoped
        assert sorted((row[0], row[2], row[3]) for row in rows(table)) == [
            (f"q-{subset}:{name}", f"{subset} {name}?", f"{subset} {name}")
            for subset in ("train2014", "val2014")
            for name in (1, 2)
        ]
        check_records(table)


def test_annotations_that_fit_two_files_alike_are_not_guessed_at(tmp_path: Path) -> None:
    one = put(tmp_path / "one.json", [question(1)])
    two = put(tmp_path / "two.json", [question(1)])
    told = put(tmp_path / "told.json", [annotation(1)])
    with pytest.raises(UsageError, match=r"told\.json could belong to more than one questions file"):
        read(one, two, told, id_scope="file")
    put(two, [question(2)])
    with pytest.raises(JoinError, match=r"1 joined; 1 questions without annotation \(2\)"):
        read(one, two, told, id_scope="file")


def test_another_release_is_recognised_by_its_ids(shared: Path) -> None:
    place = shared / "cases" / "17-vqa-other-release"
    expected = json.loads((place / "expected.json").read_text())
    with pytest.raises(JoinError) as caught:
        read(place / "questions.json", place / "annotations-v2-ids.json")
    facts = caught.value.facts
    assert facts["joined"] == expected["v2"]["joined"]
    for side, pattern in expected["v2"]["id_pattern"].items():
        assert f"{pattern} in the {side}" in str(caught.value)


def test_a_join_that_fits_in_part_stops_and_counts_each_fault(shared: Path) -> None:
    place = shared / "cases" / "17-vqa-other-release"
    expected = json.loads((place / "expected.json").read_text())["partly"]
    files = place / "questions.json", place / "annotations-partly.json"
    with pytest.raises(JoinError, match="--allow-unjoined") as caught:
        read(*files)
    facts = caught.value.facts
    assert facts["joined"] == expected["joined"]
    for fault, name in (
        ("questions without annotation", "questions_without_annotation"),
        ("annotations without question", "annotations_without_question"),
        ("questions whose annotation names another image", "image_mismatch"),
    ):
        assert facts[fault] == {"count": len(expected[name]), "first": list(map(str, expected[name]))}
    table = read(*files, allow_unjoined=True)
    assert len(table) == expected["joined"]
    assert {name: n for name, n in table.decisions.items() if "left out" in name} == {
        "annotations without question left out": 1,
        "questions without annotation left out": 1,
        "questions with another image left out": 1,
    }
    assert sorted(table.left_out) == [
        ("7001231", "annotation names another image"),
        ("7002460", "no annotation"),
        ("7009990", "annotation without question"),
    ]
    check_records(table)


def test_what_is_left_out_and_what_is_kept_add_up(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(i, i) for i in range(6)])
    told = put(tmp_path / "a.json", [*(annotation(i, i) for i in (5, 0, 7)), annotation(1, 9), annotation(0, 0, "b")])
    with pytest.raises(JoinError, match=r"2 joined; 3 questions without annotation \(2, 3, 4\)"):
        read(asked, told)
    table = read(asked, told, allow_unjoined=True)
    assert [(row[0], row[3]) for row in rows(table)] == [("0", "yes"), ("5", "yes")]
    assert sorted(table.left_out) == [
        ("0", "annotation repeated"),
        ("1", "annotation names another image"),
        ("2", "no annotation"),
        ("3", "no annotation"),
        ("4", "no annotation"),
        ("7", "annotation without question"),
    ]
    questions, annotations = table.records
    assert questions.rows.tolist() == [0, -1, -1, -1, -1, 1]
    assert annotations.rows.tolist() == [1, 0, -1, -1, -1]


def test_an_annotation_that_another_file_repeats_is_a_fault(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(1)])
    one, two = put(tmp_path / "one.json", [annotation(1)]), put(tmp_path / "two.json", [annotation(1, answer="no")])
    with pytest.raises(JoinError, match=r"1 joined; 1 annotations that repeat an id \(1\)"):
        read(asked, one, two)
    table = read(asked, one, two, allow_unjoined=True)
    assert table.answers.values() == ["yes"]
    assert table.left_out == (("1", "annotation repeated"),)


def test_images_are_those_of_the_questions_alone(tmp_path: Path) -> None:
    asked = put(tmp_path / "q.json", [question(1, "a")])
    told = put(tmp_path / "a.json", [annotation(2, "b"), annotation(1, "a")])
    assert read(asked, told, allow_unjoined=True).images.names == ("a",)


def test_annotations_alone_are_refused(tmp_path: Path) -> None:
    _, told = pair(tmp_path, [1])
    with pytest.raises(UsageError, match=r"Only annotations are given \(a-train2014\.json\); add the questions file"):
        read(told)


def test_multiple_choice_questions_beside_the_same_open_ended_ones_are_passed_over(tmp_path: Path) -> None:
    def asked(task: str, subset: str, name: int) -> Path:
        header = {"task_type": task, "data_subtype": subset}
        return put(tmp_path / f"{task}-{subset}.json", {**header, "questions": [question(name)]})

    open_ended = asked("Open-Ended", "train2014", 1)
    table = read(open_ended, asked("Multiple-Choice", "train2014", 1))
    assert table.ids.tolist() == ["1"]
    assert table.decisions == {"multiple-choice question files passed over": 1}
    assert len(read(asked("Multiple-Choice", "train2014", 1))) == 1
    assert len(read(open_ended, asked("Multiple-Choice", "val2014", 2))) == 2


def test_ties_go_to_the_answer_met_first_and_plain_lists_of_answers_are_read(tmp_path: Path) -> None:
    answers = [{"answer": name, "answer_id": i} for i, name in enumerate(["b", "a", "a", "b", "c"])]
    told = [
        {"question_id": 1, "answers": answers},
        {"question_id": 2, "answers": ["x", "y", "y"]},
        {"question_id": 3, "answers": []},
        {"question_id": 4, "answer": "named", "answers": ["other"]},
        {"question_id": 5, "multiple_choice_answer": "choice", "answer": "named"},
        {"question_id": 6, "answers": ['\u00e9"', "e"]},
    ]
    table = read(put(tmp_path / "q.json", [question(i) for i in range(1, 7)]), put(tmp_path / "a.json", told))
    assert table.answers.values() == ["b", "y", None, "named", "choice", 'é"']
    assert table.n_answers.tolist() == [5, 3, 0, 1, 1, 2]
    assert table.decisions == {"ground truth by majority of answers": 3}


def test_blank_answers_are_none_and_twins_are_reported_unfolded(shared: Path) -> None:
    place = shared / "cases" / "22-vqa-empty-and-odd-answers"
    expected = json.loads((place / "expected.json").read_text())
    table = read(place / "questions.json", place / "annotations.json")
    blank = [name for name, answer in zip(table.ids.tolist(), table.answers.values(), strict=True) if answer is None]
    assert blank == list(map(str, expected["blank_answers"]))
    assert len(table.answers.names) == expected["distinct_answers"]
    (finding,) = table.findings
    assert finding.kind == "answer-twins"
    assert finding.count == len(expected["twins"])
    assert {tuple(sorted(each)) for each in finding.first} == {tuple(sorted(each)) for each in expected["twins"]}


def test_the_case_without_language_data_is_read_without_any(shared: Path) -> None:
    place = shared / "cases" / "46-nlp-resources-absent"
    expected = json.loads((place / "expected.json").read_text())
    table = read(place / "questions.json", place / "annotations.json")
    answers = dict(zip(table.ids.tolist(), table.answers.values(), strict=True))
    assert [answers[str(name)] for name in expected["same_group"]] == ["red", "red"]


def test_the_cases_of_encodings_give_the_same_rows_or_the_bad_byte(shared: Path) -> None:
    place = shared / "cases" / "38-io-encoding"
    expected = json.loads((place / "expected.json").read_text("utf-8"))
    plain, marked = (read(place / f"questions-{name}.json") for name in ("utf8", "bom"))
    assert [row[:4] for row in rows(plain)] == [row[:4] for row in rows(marked)]
    assert len(plain) == expected["questions"]
    assert plain.questions[0] == expected["first"]
    assert marked.records[0].starts.tolist() == [start + 3 for start in plain.records[0].starts.tolist()]
    with pytest.raises(EncodingError, match=r"^questions-latin1\.json: not UTF-8, first bad byte at offset 77"):
        read(place / "questions-latin1.json")


def test_what_is_not_a_number_stops_where_it_is_used_only(tmp_path: Path) -> None:
    raw = (
        '[{"question_id": 1, "image_id": 1, "question": "a", "x": NaN}, '
        '{"question_id": 2, "image_id": 1, "question": "b"}]'
    )
    path = tmp_path / "q.json"
    path.write_text(raw)
    (finding,) = read(path).findings
    assert (finding.kind, finding.count, finding.first) == ("not-a-number", 1, ("1",))
    path.write_text(raw.replace('"image_id": 1, "question": "b"', '"image_id": NaN, "question": "b"'))
    with pytest.raises(RecordsError, match=r"1 bad record\. q\.json, record 2, image_id: is NaN, which is no value"):
        read(path)


def test_annotations_with_odd_records_keep_their_answers(tmp_path: Path) -> None:
    told = tmp_path / "a.json"
    told.write_text('[{"question_id": 1, "answers": [{"answer": "a", "conf": NaN}, {"answer": "b"}, {"answer": "b"}]}]')
    table = read(put(tmp_path / "q.json", [question(1)]), told)
    assert table.answers.values() == ["b"]
    assert table.n_answers.tolist() == [3]
    assert [finding.kind for finding in table.findings] == ["not-a-number"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"image_id": 1, "question": "a"}, "record 2, question_id: is missing"),
        ({"question_id": 2, "question": "a"}, "record 2, image_id: is missing"),
        ({"question_id": 2, "image_id": 1}, "record 2, question: is missing"),
        ({"question_id": 2, "image_id": 1, "question": 3}, "record 2, question: is a whole number, expected a string"),
        ({"question_id": 2.5, "image_id": 1, "question": "a"}, "record 2, question_id: is a number, expected"),
    ],
)
def test_a_question_without_what_a_row_needs_is_named(tmp_path: Path, record: dict[str, Any], said: str) -> None:
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path / "q.json", [question(1), record, question(3)]))
    assert said in str(caught.value)
    assert caught.value.facts["n_problems"] == 1


def test_answers_that_are_no_list_of_answers_are_named(tmp_path: Path) -> None:
    told = put(tmp_path / "a.json", [{"question_id": 1, "answers": ["a"]}, {"question_id": 2, "answers": [{"b": 1}]}])
    with pytest.raises(RecordsError, match=r"1 bad record\. a\.json, record 2, answers: "):
        read(put(tmp_path / "q.json", [question(1), question(2)]), told)


def test_a_cut_download_gives_no_rows(shared: Path, tmp_path: Path) -> None:
    raw = (shared / "data" / "vqa" / "official_v2_fixture" / "questions.json").read_bytes().rstrip()
    path = tmp_path / "questions.json"
    for n in range(1, len(raw), 23):
        path.write_bytes(raw[:n])
        with pytest.raises(TruncatedError):
            read(path)


def test_origins_are_the_record_s_before_the_header_s(tmp_path: Path) -> None:
    asked = [question(1), {**question(2), "coco_split": "val2014"}]
    table = read(put(tmp_path / "q.json", {"data_subtype": "train2014", "questions": asked}))
    assert table.origins.values() == ["train2014", "val2014"]


def test_the_case_of_repeated_keys_is_an_error_by_name(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text('[{"question_id": 1, "image_id": 1, "question": "a", "question": "b"}]')
    with pytest.raises(RecordsError, match="record 1, question: this key stands twice in one object"):
        read(path)

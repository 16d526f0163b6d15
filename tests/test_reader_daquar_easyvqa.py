"""Readers of two small published formats, on the published files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compsplit.errors import BrokenFileError, EmptyFileError, RecordsError, TruncatedError
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.registry import plugin


def read(name: str, *files: Path) -> QATable:
    table: QATable = plugin("reader", name).make(inputs(files))
    return table


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def spans(table: QATable) -> list[bytes]:
    records = table.records[0]
    assert records.input is not None
    raw = records.input.path.read_bytes()
    return [raw[a:b] for a, b in zip(records.starts.tolist(), records.stops.tolist(), strict=True)]


def test_the_whole_of_daquar_is_read(shared: Path) -> None:
    path = shared / "data" / "daquar" / "all_qa_pairs.txt"
    table = read("daquar", path)
    assert len(table) == 12468
    assert len(set(table.images.values())) == 1447
    assert sum(", " in (answer or "") for answer in table.answers.values()) == 1243
    assert table.ids[0] == "all_qa_pairs:1"
    assert table.ids[-1] == "all_qa_pairs:12468"
    # The image is cut off at the end, also where it stands there twice; 12 questions name it in their midst, too.
    raw = path.read_text()
    asked = raw.split("\n")[::2]
    assert sum(line.count("image") > 1 for line in asked) == 21
    assert sum("image" in (question or "") for question in table.questions.values()) == 12
    assert not any(
        str(question).endswith(f"{image} ?")
        for question, image in zip(table.questions.values(), table.images.values(), strict=True)
    )
    assert all(
        str(question)[:-2].strip() in line for question, line in zip(table.questions.values(), asked, strict=True)
    )
    assert not raw.endswith("\n")
    assert b"".join(spans(table)) == path.read_bytes()


def test_the_image_is_told_in_every_wording(tmp_path: Path) -> None:
    text = (
        "what is on the table in the image3 ?\r\nbook, scissor\r\n"
        "what is red on the image12 ?\r\n3\r\n"
        "what is it the image4 ?\r\nx\r\n"
        "what is behind the bed in the image5 in the image5 ?\r\nno_lamp\r\n"
        "WHAT IS IT IN THE IMAGE6?\r\n\r\nis it in the image7?\r\nyes\r\n\r\n\r\n"
    )
    table = read("daquar", put(tmp_path / "x.txt", "\ufeff" + text))
    assert table.questions.values() == [
        "what is on the table ?", "what is red ?", "what is it ?", "what is behind the bed ?", "WHAT IS IT ?", "is it ?"
    ]  # fmt: skip
    assert table.images.values() == ["image3", "image12", "image4", "image5", "IMAGE6", "image7"]
    assert table.answers.values() == ["book, scissor", "3", "x", "no_lamp", None, "yes"]
    assert spans(table)[0] == b"what is on the table in the image3 ?\r\nbook, scissor\r\n"


def test_daquar_with_a_line_too_few_or_no_image_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TruncatedError, match=r"^x\.txt: .*; 1 complete record stands before it"):
        read("daquar", put(tmp_path / "x.txt", "a in the image3 ?\nb\nc in the image4 ?\n"))
    with pytest.raises(RecordsError, match=r"x\.txt, record 2, question: names no image"):
        read("daquar", put(tmp_path / "x.txt", "a in the image3 ?\nb\nc ?\nd\n"))
    for text in ("", "\n", "\ufeff \n"):
        with pytest.raises(EmptyFileError):
            read("daquar", put(tmp_path / "x.txt", text))


@pytest.mark.large
def test_the_whole_of_easy_vqa_is_read_and_images_are_scoped_by_file(shared: Path) -> None:
    place = shared / "data" / "easy_vqa"
    table = read("easy-vqa", place / "train" / "questions.json", place / "test" / "questions.json")
    assert len(table) == 38575 + 9673 == 48248
    assert len(set(table.images.values())) == 4000 + 1000
    assert set(table.answers.names) == set((place / "answers.txt").read_text().split())
    assert (table.ids[0], table.ids[-1]) == ("train/questions:1", "test/questions:9673")
    assert table.scoped
    raw = (place / "train" / "questions.json").read_bytes()
    records = [json.loads(each) for each in spans(table)]
    assert records == json.loads(raw)
    assert table.images[0] == f"train/questions:{records[0][2]}"


def test_a_list_that_is_no_question_answer_and_image_is_named(tmp_path: Path) -> None:
    for bad in ('["q", "a"]', '["q", 1, 2]', '["q", "a", null]', '["q", "a", 1.5]', "{}"):
        with pytest.raises(RecordsError, match=r"x\.json, record 2"):
            read("easy-vqa", put(tmp_path / "x.json", f'[["q", "a", 1], {bad}]'))
    assert len(read("easy-vqa", put(tmp_path / "x.json", '[["q", "a", "i"]]'))) == 1


def test_json_read_as_daquar_is_called_json_and_not_truncated(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ('{"questions": []}\n', "\ufeff \n[\n1]\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BrokenFileError, match=r"^x\.json: is JSON, not alternating lines of question and answer"):
            plugin("reader", "daquar").make(inputs([path]))

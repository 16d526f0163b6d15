"""A format is told by content; where content does not decide, the error says what it could be."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from compsplit.errors import EmptyFileError, FormatError, TruncatedError, UsageError
from compsplit.readers import detected, inputs


@pytest.mark.large
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vqa/official_v2_fixture/questions.json", "vqa"),
        ("vqa/official_v2_fixture/annotations.json", "vqa"),
        ("vqa/smallval/smallval_annotations.json", "vqa"),
        ("vqa/ambiguous_vqa_dev/questions.json", "vqa"),
        ("okvqa/OpenEnded_mscoco_val2014_questions.json", "vqa"),
        ("vqa/codevqa/vqav2_examples50.json", "table"),
        ("vqa_med_2019/trainset.json", "table"),
        ("daquar/all_qa_pairs.txt", "daquar"),
        ("daquar/data_eval.csv", "table"),
        ("easy_vqa/test/questions.json", "easy-vqa"),
        ("vrd/annotations_test.json", "vrd"),
        ("nlvr/nlvr1/test.json", "nlvr"),
        ("nlvr/nlvr2/test1.json", "table"),
    ],
)
def test_published_files_are_recognised_plain_and_packed(
    shared: Path, tmp_path: Path, name: str, expected: str
) -> None:
    raw = (shared / "data" / name).read_bytes()
    for content in (raw, b"\xef\xbb\xbf" + raw, gzip.compress(raw, 1)):
        path = tmp_path / "x.parquet"
        path.write_bytes(content)
        assert detected(inputs([path])) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"questions": []}', "vqa"),
        ('{"annotations" : [ {"question_id": 1}]}', "vqa"),
        ('[{"question_id": 1, "image_id": 2, "question": "a"}]', "vqa"),
        ('[{"answers": [{"answer": "a"}], "question_id": 1}]', "vqa"),
        ('{"question_id": 1, "image_id": 2, "question": "a"}\n{"question_id": 2}', "vqa"),
        ('{"id": 1, "question": "a"}\n{"id": 2}', "table"),
        ('[{"id": 1, "question": "a"}]', "table"),
        ("[]", "table"),
        ('[["is it?", "yes", 1]]', "easy-vqa"),
        ("id,question\n1,a", "table"),
        ("id\tquestion\n1\ta", "table"),
        ("id;question\n1;a", "table"),  # The table reader says what is wrong with it.
        ('{"id": 1, "question": "a"}', "table"),
        ('{"answer": "a", "boxes": {"x": [1]}}\n', "table"),
        ('{"id": 1}\n{"id": 2}', "table"),
        ('{"id": nope}', "table"),
        ("what is it in the image3 ?\nlamp\n", "daquar"),
        ('{"images": [], "annotations": [{"image_id": 1, "category_id": 2, "id": 3}]}', "coco"),
        ('{"info": {}, "annotations": [{"id": 3, "image_id": 1, "category_id": 2}], "images": []}', "coco"),
        ('{"categories": [{"id": 1, "name": "x"}], "images": []}', "coco"),
        ('{"id": 1, "objects": ["cup"]}', "scenes"),
        ('[{"relations": [], "objects": [{"class": "cup", "names": ["mug"], "id": 1}], "id": 1}]', "scenes"),
        ('{"train": [{"id": 1, "objects": [{"class": "cup"}]}]}', "scenes"),
        ('{"id": 1, "image_id": 3, "coco_id": 2, "objects": ["cup"]}', "scenes"),
        ('{"identifier": "1", "structured_rep": [[]]}', "nlvr"),
        ('{"a.jpg": [{"predicate": 0, "object": {"category": 1}, "subject": {"category": 2}}]}', "vrd"),
        ("image,object\n1,cup", "table"),
        ('{"info": {}, "questions": [{"question": "a", "image_index": 1, "program": []}]}', "clevr"),
        ('{"00490001": {"imageId": "5", "question": "a", "answer": "b"}}', "gqa"),
        ('[{"question_id": 1, "semantic": [], "question": "a", "imageId": "5"}]', "gqa"),
        ("IN: jump OUT: I_JUMP\nIN: run OUT: I_RUN", "scan"),
        ('[{"comments": [], "sentences": [], "sql": ["SELECT 1"]}]', "text2sql"),
        ("Faux.Fur Boots.Mid-Calf\nSuede Boots.Ankle", "czsl"),
        ("red car\nold dog\n" * (1 << 13), "czsl"),
    ],
)
def test_small_files_are_recognised(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    assert detected(inputs([path])) == expected


def test_a_header_that_fills_the_first_bytes_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "x"
    header = {"info": "x" * (1 << 16), "license": "", "data_subtype": "train2014", "questions": [{"question_id": 1}]}
    path.write_text(json.dumps({"license": "", "data_subtype": "train2014", **header}))
    assert detected(inputs([path])) == "vqa"


def test_parquet_is_recognised(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"id": [1]}), tmp_path / "x.json")
    assert detected(inputs([tmp_path / "x.json"])) == "table"


@pytest.mark.parametrize(
    "text",
    [
        '{"info": {}, "questions": [{"question": "a", "program": []}]}',
        '{"id": 1, "image_id": 2}',
        '{"train": [1, 2], "test": [3]}\n',
        '{"00490001": {"question": "a", "answer": "b"}}',
        "{}",
        "some words\nand a few more",
        "\ufffd\ufffd",
    ],
)
def test_what_nobody_knows_is_an_error_that_lists_the_formats(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"^x\.json: .*no reader knows this layout; name one with --format \(.*vqa"):
        detected(inputs([path]))


@pytest.mark.parametrize(
    "name",
    [
        "clevr/dataset_gen/CoGenT_A.json",
        "visual_genome/sg2im/vg_splits.json",
    ],
)
def test_one_published_object_that_asks_nothing_is_no_table(shared: Path, name: str) -> None:
    path = shared / "data" / name
    with pytest.raises(FormatError, match=rf"^{path.name}: .*no reader knows this layout"):
        detected(inputs([path]))


def test_one_object_is_told_by_all_of_its_members_and_a_cut_one_is_truncated(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    text = json.dumps({"boxes": [0] * (1 << 17), "question": "a"})
    path.write_text("\ufeff" + text)
    assert detected(inputs([path])) == "table"
    path.write_text("\ufeff" + text[:-5])
    with pytest.raises(TruncatedError, match=r"^x\.json: ends inside a record"):
        detected(inputs([path]))


def test_files_of_two_formats_are_an_error_that_lists_both(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("id,question\n")
    (tmp_path / "b").write_text('{"questions": []}')
    with pytest.raises(FormatError, match=r"a looks like table, b looks like vqa; could be table or vqa") as caught:
        detected(inputs([tmp_path / "a", tmp_path / "b"]))
    assert caught.value.facts["candidates"] == ["table", "vqa"]


def test_an_empty_file_has_no_format(tmp_path: Path) -> None:
    for raw in (b"", b" \n", b"\xef\xbb\xbf"):
        (tmp_path / "x").write_bytes(raw)
        with pytest.raises(EmptyFileError, match=r"^x: file is empty"):
            detected(inputs([tmp_path / "x"]))


def test_the_file_that_is_given_twice_is_named(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("id\n")
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    with pytest.raises(UsageError, match=rf"^A file is given twice: {re.escape(str(two))}\.") as caught:
        inputs([one, two, f"again={two}"])
    assert caught.value.file == str(two)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.csv", "id\n")
    with pytest.raises(UsageError, match=r"twice: .*x\.zip//a\.csv\."):
        inputs([tmp_path / "x.zip", f"{tmp_path}/x.zip//a.csv"])

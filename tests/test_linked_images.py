"""Images of two parts that a second id column says are one."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from compsplit.errors import UnknownNameError
from compsplit.model import Audited, Column, Rows, Split, Undefined, texts
from compsplit.registry import plugin


def audit(images: list[str], links: list[str | None], part_of_row: list[int], **options: Any) -> Audited:
    n = len(images)
    columns = {"id": Column.of(images), "image": Column.of(images), "coco_id": Column.of(links)}
    rows = Rows(texts(images), columns, None, np.zeros(n, dtype=bool), noun="scene")
    split = Split(("train", "test"), np.array(part_of_row, dtype=np.int16))
    found: Audited = plugin("audit", "linked-images").make(rows, split, **options)
    return found


def kinds(audited: Audited) -> dict[str, tuple[int, tuple[Any, ...]]]:
    return {finding.kind: (finding.count, finding.first) for finding in audited.findings}


def test_case_07_unknown_ids_are_never_equal(shared, command):
    folder = shared / "cases" / "07-vg-coco-id-missing"
    expected = json.loads((folder / "expected.json").read_text())
    files = (f"train={folder / 'train_images.json'}", f"test={folder / 'test_images.json'}")
    report = command("audit", *files, "--json").json
    found = {finding["kind"]: finding for finding in report["findings"]}
    leaks = [list(map(int, leak)) for leak in found["linked-images"]["first"]]
    assert leaks == expected["leaks_by_coco_id"]
    assert found["linked-images"]["count"] == len(leaks)
    assert found["links-unknown"]["count"] == expected["coco_id_unknown"]
    total = expected["coco_id_known"] + expected["coco_id_unknown"]
    assert f"For {expected['coco_id_unknown']} of {total} scenes" in found["links-unknown"]["message"]
    assert "shared-images" not in found
    assert expected["leaks_by_image_id"] == []
    (measure,) = (m for m in report["measures"] if m["name"] == "linked-images")
    assert (measure["fraction"], measure["n"]) == ("1/1", 1)  # of the one test image whose id is known


@pytest.mark.parametrize("unknown", [None, "", " ", "-1", "null", "None"])
def test_what_stands_for_no_id_links_nothing(unknown):
    audited = audit(["a", "b", "c", "d"], [unknown, "7", unknown, "8"], [0, 0, 1, 1])
    assert [m.value for m in audited.measures] == [0]
    assert kinds(audited) == {"links-unknown": (2, ())}


def test_an_image_linked_to_two_is_named_with_each():
    audited = audit(["b", "a", "c"], ["7", "7", "7"], [0, 0, 1])
    assert [m.value for m in audited.measures] == [Fraction(1)]
    assert kinds(audited) == {"linked-images": (2, (("a", "c", "7"), ("b", "c", "7")))}
    assert audited.tables["images of test that are in train (coco_id)"].rows == (("a", "c", "7"), ("b", "c", "7"))


def test_where_no_id_of_a_part_is_known_nothing_is_said_of_it():
    for links in ([None, "7"], ["7", None]):
        (measure,) = audit(["a", "b"], links, [0, 1]).measures
        assert isinstance(measure.value, Undefined)


def test_another_column_is_named_and_one_that_is_not_there_is_an_error():
    (measure,) = audit(["a", "b"], [None, None], [0, 1], column="image").measures
    assert (measure.of, measure.options["column"], measure.value) == ("image", "image", 0)
    with pytest.raises(UnknownNameError, match='There is no column "flickr_id"'):
        audit(["a", "b"], [None, None], [0, 1], column="flickr_id")


def test_without_the_usual_column_nothing_is_said():
    rows = Rows(texts("ab"), {"id": Column.of("ab")}, None, np.zeros(2, dtype=bool))
    audited = plugin("audit", "linked-images").make(rows, Split(("train", "test"), np.array([0, 1], dtype=np.int16)))
    assert audited == Audited()

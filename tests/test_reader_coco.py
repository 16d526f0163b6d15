"""COCO instances: annotations are objects of images, whatever order the lists stand in."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import BrokenFileError, JoinError, RecordsError, RepeatedIdError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin

INFO = {"info": {"year": 2017}, "licenses": [{"id": 1}]}
IMAGES = [{"id": 7, "file_name": "a.jpg", "width": 3}, {"id": 5, "file_name": "b.jpg"}, {"id": 6}]
CATEGORIES = [
    {"id": 18, "name": "dog", "supercategory": "animal"},
    {"id": 1, "name": "Person", "supercategory": "person"},
]
ANNOTATIONS: list[dict[str, Any]] = [
    {"id": 1, "image_id": 6, "category_id": 1, "iscrowd": 0, "segmentation": [[1.5, 2.0]], "bbox": [1, 2, 3, 4]},
    {"id": 2, "image_id": 7, "category_id": 18, "iscrowd": 0, "segmentation": {"counts": [1], "size": [1, 1]}},
    {"id": 3, "image_id": 6, "category_id": 18, "iscrowd": 1},
    {"id": 4, "image_id": 6, "category_id": 1},
]
LISTS = {"images": IMAGES, "annotations": ANNOTATIONS, "categories": CATEGORIES}


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "coco").make(inputs(paths), **options)
    return made


def put(path: Path, content: Any = None, **changed: Any) -> Path:
    path.write_text(json.dumps({**INFO, **LISTS, **changed} if content is None else content))
    return path


@pytest.mark.parametrize("order", list(itertools.permutations(LISTS)))
@pytest.mark.parametrize("first", [True, False])
def test_annotations_are_the_objects_of_their_image_whatever_the_order(
    tmp_path: Path, order: tuple[str, ...], first: bool
) -> None:
    lists = {name: LISTS[name] for name in order}
    path = put(tmp_path / "x.json", {**INFO, **lists} if first else {**lists, **INFO})
    table = read(path, keep_object_ids=True)
    assert table.ids.tolist() == ["7", "5", "6"]
    assert table.images.values() == ["a.jpg", "b.jpg", "6"]
    assert table.object_starts.tolist() == [0, 1, 1, 4]
    assert table.classes.values() == ["dog", "person", "dog", "person"]
    assert table.object_ids is not None
    assert table.object_ids.tolist() == ["2", "1", "3", "4"]
    assert not table.decisions
    assert detected(inputs([path])) == "coco"


def test_classes_may_be_those_above_and_crowds_are_left_out_with_their_count(tmp_path: Path) -> None:
    table = read(put(tmp_path / "x"), classes="supercategory", crowd="leave-out")
    assert table.classes.values() == ["animal", "person", "person"]
    assert dict(table.decisions) == {"annotations of crowds left out": 1}
    assert (table.rules["class"], table.rules["crowds"]) == ("supercategory", "leave-out")


def test_annotations_of_unknown_images_and_categories_stop_by_default(tmp_path: Path) -> None:
    more = [*ANNOTATIONS, {"id": 8, "image_id": 70, "category_id": 1}, {"id": 9, "image_id": 7, "category_id": 2}]
    path = put(tmp_path / "x", annotations=more)
    with pytest.raises(
        JoinError,
        match=r"do not fit: 4 joined; 1 annotations of unknown images \(8\); 1 annotations of unknown categories "
        r"\(9\)\..* --allow-unjoined",
    ):
        read(path)
    table = read(path, allow_unjoined=True)
    assert table.n_objects == 4
    assert dict(table.decisions) == {"annotations of unknown images or categories left out": 2}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"images": [*IMAGES, {"id": "7"}]}, RepeatedIdError, r"1 id is repeated \(7\): 3 ids cover 4 scenes"),
        ({"categories": [*CATEGORIES, {"id": 1, "name": "x"}]}, RecordsError,
         r"x, record 3, categories\.id: category 1 stands twice"),
        ({"categories": [{"id": 1}]}, RecordsError, r"x, record 1, categories\.name: object missing"),
        ({"annotations": [{"id": 1, "image_id": 6}]}, RecordsError, r"x, record 1, annotations\.category_id: "),
        ({"annotations": [ANNOTATIONS[0], {**ANNOTATIONS[1], "image_id": 1.5}]}, RecordsError,
         r"x, record 2, annotations\.image_id: expected `int \| str`, got `float`"),
        ({"categories": {}}, BrokenFileError, r'x: holds no list "categories", only images, annotations, '),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_list_record_and_field(
    tmp_path: Path, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read(put(tmp_path / "x", **changed))


def test_other_layouts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenFileError, match=r"^x: is a list, expected an object that holds lists \(images, "):
        read(put(tmp_path / "x", IMAGES))
    (tmp_path / "x").write_text('{"images": [], "categories": [], "annotations": [], "images": []}')
    with pytest.raises(BrokenFileError, match=r'^x: the key "images" stands twice'):
        read(tmp_path / "x")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=30), st.integers(1, 7))
def test_blocks_of_any_size_give_the_same_scenes(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[int, int]], block: int
) -> None:
    path = tmp_path_factory.mktemp("coco") / "x"
    put(
        path,
        {
            "annotations": [{"id": i, "image_id": a, "category_id": b} for i, (a, b) in enumerate(pairs)],
            "images": [{"id": i} for i in range(6)],
            "categories": [{"id": i, "name": f"c{i}"} for i in range(4)],
        },
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compsplit.readers.json_spans.BLOCK", block * 16)
        table = read(path)
    expected = [f"c{b}" for image in range(6) for a, b in pairs if a == image]
    assert table.classes.values() == expected

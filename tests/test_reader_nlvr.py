"""NLVR: records of three boxes, or boxes, are scenes; NLVR2 is a table."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError, RepeatedIdError, UnknownNameError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "nlvr").make(inputs(paths), **options)
    return made


def thing(kind: str, color: str, size: int = 10) -> dict[str, Any]:
    return {"type": kind, "color": color, "size": size, "x_loc": 1, "y_loc": 2}


def put(path: Path, *boxes: Any, name: str = "1-0") -> Path:
    # As published: no line end behind the last record.
    path.write_text(json.dumps({"identifier": name, "sentence": "s", "label": "true", "structured_rep": boxes}))
    return path


@pytest.mark.large
def test_the_published_file_is_what_a_plain_count_says(shared: Path) -> None:
    path = shared / "data" / "nlvr" / "nlvr1" / "dev.json"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    things = [each for record in records for box in record["structured_rep"] for each in box]
    table = read(path)
    assert len(table) == len(records) == 989
    assert Counter(table.classes.values()) == Counter(each["type"] for each in things)
    told = Counter(word for each in things for word in (each["color"].lower(), str(each["size"])))
    assert Counter(table.attributes.values()) == told
    assert {"#0099ff", "yellow", "black"} < set(told)
    assert (table.columns["sentence"].n_used, table.columns["label"].n_used) == (249, 2)
    assert detected(inputs([path])) == "nlvr"
    assert detected(inputs([shared / "data" / "nlvr" / "nlvr2" / "dev.json"])) == "table"


def test_a_box_may_be_a_scene_and_members_together_a_class(tmp_path: Path) -> None:
    path = put(
        tmp_path / "x", [thing("circle", "Yellow"), thing("square", "#0099ff", 20)], [], [thing("circle", "Black")]
    )
    table = read(path)
    assert (table.ids.tolist(), table.object_starts.tolist()) == (["1-0"], [0, 3])
    table = read(path, unit="box", classes="color+type")
    assert table.ids.tolist() == ["1-0:1", "1-0:2", "1-0:3"]
    assert table.images.values() == ["1-0"] * 3
    assert table.object_starts.tolist() == [0, 2, 2, 3]
    assert table.classes.values() == ["yellow circle", "#0099ff square", "black circle"]
    assert table.attributes.values() == ["10", "20", "10"]
    assert (table.rules["class"], table.rules["unit"]) == ("color+type", "box")
    assert read(path, classes=("type", "size")).classes.values() == ["circle 10", "square 20", "circle 10"]


def test_bad_records_are_named(tmp_path: Path) -> None:
    path = put(tmp_path / "x", [thing("circle", "Yellow")])
    with pytest.raises(UnknownNameError, match='no member of an object "shape"'):
        read(path, classes="shape")
    with pytest.raises(RecordsError, match=r"^1 bad record\. x, record 1, structured_rep: .*got `object`"):
        read(put(tmp_path / "x", thing("circle", "Yellow")))
    path.write_text('{"identifier": "1", "sentence": "no boxes"}\n')
    with pytest.raises(RecordsError, match=r"x, record 1, structured_rep: object missing required field"):
        read(path)
    one, two = put(tmp_path / "one", []), put(tmp_path / "two", [])
    with pytest.raises(RepeatedIdError, match="1 id covers 2 scenes"):
        read(one, two)

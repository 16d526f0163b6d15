"""GQA questions read straight to columns: the values that decoding gives, and nothing read so that is in doubt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import RecordsError
from compsplit.kernels.words import PAD
from compsplit.model.table import QATable
from compsplit.programs.steps import official_steps_counting
from compsplit.readers import inputs, json_spans
from compsplit.readers.gqa_columns import GqaColumns
from compsplit.readers.json_inside import members_of
from compsplit.readers.json_spans import Spans
from compsplit.registry import plugin

BRIEF = {"brief": True, "keep_lists": ["entailed", "equivalent"]}
STEPS = (
    '[{"operation": "select", "dependencies": [], "argument": "car (1)"}, {"operation": "query", "argument": "name"}]'
)
START = '"question": "What?", "imageId": "n5"'


def read(path: Path, **options: Any) -> QATable:
    table: QATable = plugin("reader", "gqa").make(inputs([path]), **options)
    return table


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[Spans]:
    """Return a list that fills with the blocks that were decoded."""
    met: list[Spans] = []
    whole = GqaColumns.decoded

    def noting(self: GqaColumns, spans: Spans) -> Any:
        met.append(spans)
        return whole(self, spans)

    monkeypatch.setattr(GqaColumns, "decoded", noting)
    return met


def put(path: Path, *records: str) -> Path:
    path.write_text("{" + ",\n".join(f'"{n:03d}": {{{record}}}' for n, record in enumerate(records)) + "}", "utf-8")
    return path


def only(table: QATable) -> dict[str, str | None]:
    """Return the one row's values."""
    return {name: column.values()[0] for name, column in table.named_columns().items()}


@pytest.mark.parametrize("block", [300, 1 << 23])
def test_columns_hold_what_json_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decoded: list[Spans], block: int
) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", block)
    path = put(
        tmp_path / "q.json",
        f'{START}, "answer": "red", "isBalanced": true, "groups": {{"global": "color", "local": "10q-car_color"}}, '
        f'"types": {{"detailed": "queryAttr", "x": [{{"local": 1}}], "semantic": "attr", "structural": "query"}}, '
        f'"semantic": {STEPS}, "entailed": ["007", "7", "007"], "equivalent": ["000"], "annotations": {{"local": 7}}',
        r'"question": "Un caf\u00e9 \"noir\"?", "image": "n\u0036", "answer": "café", "isBalanced": false, '
        r'"groups": {"global": "", "local": null}, "semantic": [], "entailed": [], "equivalent": ["\u0030", "\u0030"]',
        '"question": "", "imageId": null, "image": "n6", "answer": "", "isBalanced": null, "groups": null, '
        '"types": {}, "semantic": null, "entailed": null',
        r'"question": "Un café \"noir\"?", "imageId": "n5", "image": "n7", "question_id": "x", "answer": "caf\u00e9"',
    )
    table = read(path, **BRIEF)
    assert not decoded
    assert table.ids.tolist() == ["000", "001", "002", "003"]
    assert {
        name: column.values() for name, column in table.named_columns().items() if column.n_used and name != "source"
    } == {
        "image": ["n5", "n6", "n6", "n5"],
        "question": ["What?", 'Un café "noir"?', "", 'Un café "noir"?'],
        "answer": ["red", "café", None, "café"],
        "balanced": ["true", "false", None, None],
        "group_global": ["color", None, None, None],
        "group_local": ["10q-car_color", None, None, None],
        "structural": ["query", None, None, None],
        "semantic": ["attr", None, None, None],
        "detailed": ["queryAttr", None, None, None],
        "steps": ["1", "0", None, None],
    }
    assert len(table.questions.names) == 3
    entailed, equivalent = table.lists["entailed"], table.lists["equivalent"]
    assert (entailed.values.values(), entailed.lengths.tolist()) == (["007", "7", "007"], [3, 0, 0, 0])
    assert (equivalent.values.values(), equivalent.lengths.tolist()) == (["000", "0", "0"], [1, 2, 0, 0])
    text = path.read_bytes()
    (records,) = table.records
    stood = [text[start:stop] for start, stop in zip(records.starts.tolist(), records.stops.tolist(), strict=True)]
    assert [json.loads(b"{%b}" % each) for each in stood] == [{k: v} for k, v in json.loads(text).items()]


@pytest.mark.parametrize(
    ("field", "value", "row"),
    [
        ("imageId", "5", {"image": "5"}),
        ("answer", '"\\ud83d\\ude00"', {"answer": "\N{GRINNING FACE}"}),
        ("question_id", "7", {"question": "What?"}),
        ("semantic", '[{"operation": "exist"}, {"operation": "and"}]', {"steps": "1"}),
        ("types", '{"structural": "query", "\\u0073emantic": "rel"}', {"structural": "query", "semantic": "rel"}),
    ],
)
def test_what_is_not_usual_is_decoded(tmp_path: Path, decoded: list[Spans], field: str, value: str, row: Any) -> None:
    given = {"question": '"What?"', "imageId": '"n5"', field: value}
    table = read(put(tmp_path / "q.json", ", ".join(f'"{k}": {v}' for k, v in given.items())), **BRIEF)
    assert len(decoded) == 1
    assert row.items() <= only(table).items()


def test_entailed_ids_that_are_whole_numbers_are_decoded_and_are_texts(tmp_path: Path, decoded: list[Spans]) -> None:
    table = read(put(tmp_path / "q.json", f'{START}, "entailed": ["07", 7]', START), **BRIEF)
    assert len(decoded) == 1
    assert table.lists["entailed"].values.values() == ["07", "7"]


def test_blocks_of_both_kinds_number_their_values_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decoded: list[Spans]
) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", 64)
    images = ['"b"', "5", '"5"', '"b"', "5", '"a"']
    path = put(tmp_path / "q.json", *(f'"question": "What?", "imageId": {image}' for image in images))
    table = read(path, **BRIEF)
    assert 0 < len(decoded) < len(images)
    assert table.images.values() == ["b", "5", "5", "b", "5", "a"]
    assert table.images.names == ("b", "5", "a")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": "7"}, "question"),
        ({"question": None}, "question"),
        ({"question": "null"}, "question"),
        ({"imageId": None}, "imageId"),
        ({"imageId": "true"}, "imageId"),
        ({"answer": "[]"}, "answer"),
        ({"isBalanced": '"true"'}, "isBalanced"),
        ({"isBalanced": "1"}, "isBalanced"),
        ({"groups": "[]"}, "groups"),
        ({"groups": '{"local": 7}'}, "groups"),
        ({"types": '"query"'}, "types"),
        ({"types": '{"semantic": ["rel"]}'}, "types"),
        ({"semantic": '"select"'}, "semantic"),
        ({"semantic": '["select"]'}, "semantic"),
        ({"semantic": '[{"argument": "x"}]'}, "semantic"),
        ({"semantic": '[{"operation": "select", "argument": null}]'}, "semantic"),
        ({"semantic": '[{"operation": 7, "argument": ""}]'}, "semantic"),
        ({"entailed": '"07"'}, "entailed"),
        ({"entailed": '["07", null]'}, "entailed"),
        ({"answer": '"\\ud83d"'}, None),
    ],
)
def test_a_bad_record_is_named_with_its_field(
    tmp_path: Path, changes: dict[str, str | None], field: str | None
) -> None:
    given = {"question": '"What?"', "imageId": '"n5"'} | changes
    bad = ", ".join(f'"{k}": {v}' for k, v in given.items() if v is not None)
    with pytest.raises(RecordsError) as caught:
        read(put(tmp_path / "q.json", START, bad, START), **BRIEF)
    assert caught.value.facts["n_problems"] == 1
    (said,) = caught.value.facts["first"]
    assert said.startswith("q.json, record 2")
    assert field is None or f", {field}: " in said


def bytes_of(*texts: str) -> tuple[bytes, list[list[int]]]:
    """Return the texts as JSON strings, one after the other, and where each stands without its quotes."""
    whole, spans = b"", []
    for text in texts:
        raw = json.dumps(text).encode()
        spans.append([len(whole) + 1, len(whole) + len(raw) - 1])
        whole += raw
    return whole + b"\0" * PAD, spans


PIECES = st.lists(
    st.sampled_from(["exist", "ex", "ist", "query", ": ", ":", " ", "name", "choose", "c", "é", '"', "x" * 130]),
    max_size=4,
).map("".join)


@given(st.lists(st.tuples(PIECES, PIECES), min_size=1, max_size=5))
def test_counted_steps_are_those_whose_text_holds_none_of_three(steps: list[tuple[str, str]]) -> None:
    texts = [f"{operation}: {argument}" for operation, argument in steps]
    data, spans = bytes_of(*(text for step in steps for text in step))
    counting = official_steps_counting(data, np.array(spans, dtype=np.int32).reshape(-1, 2, 2))
    assert counting.tolist() == [
        not any(part in text for part in ("exist", "query: name", "choose name")) for text in texts
    ]


def test_escaped_and_very_long_steps_are_counted_by_their_text() -> None:
    steps = [
        (r"\u0065xist", "?"), ("query", r"n\u0061me"), ("select", r"caf\u00e9 (1)"), ("select", "x" * 300),
        ("select", "x" * 300 + "exist"),
    ]  # fmt: skip
    data, spans = b"", []
    for raw in (text.encode() for step in steps for text in step):
        spans.append([len(data), len(data) + len(raw)])
        data += raw
    counting = official_steps_counting(data + b"\0" * PAD, np.array(spans, dtype=np.int32).reshape(-1, 2, 2))
    assert counting.tolist() == [False, False, True, True, False]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", '"}', "local"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["local", "global", "x"]), inner),
    max_leaves=6,
)


@given(st.lists(st.none() | VALUES, min_size=1, max_size=4))
def test_members_of_objects_are_those_that_json_finds(values: list[Any]) -> None:
    raw, starts = b"[", []
    for value in values:
        starts.append(-1 if value is None else len(raw))
        raw += json.dumps(value).encode() + b", "
    data = np.frombuffer(raw + b"\0" * PAD, dtype=np.uint8)
    doubtful, cells = members_of(data, np.array(starts), {"local": 0, "global": 0})
    for value, doubt, spans in zip(values, doubtful.tolist(), cells.tolist(), strict=True):
        wanted = [value.get("local"), value.get("global")] if isinstance(value, dict) else [None, None]
        usual = value is None or (isinstance(value, dict) and all(each is None or type(each) is str for each in wanted))
        assert doubt == (not usual)
        if usual:
            found = [None if start < 0 else json.loads(b'"%b"' % raw[start:stop]) for start, stop in spans]
            assert found == wanted

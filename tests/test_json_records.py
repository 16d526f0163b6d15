"""The promise of the JSON door: the fast way and the slow way agree, and neither is more lenient than JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.errors import (
    BrokenFileError,
    CompsplitError,
    EmptyFileError,
    EncodingError,
    RecordsError,
    RepeatedKeysError,
    TruncatedError,
)
from compsplit.kernels.json_scan import MAX_DEPTH, packed_keys
from compsplit.model.table import Input
from compsplit.readers import json_spans
from compsplit.readers.json_columns import ANYTHING, TEXT, TEXT_OR_WHOLE, Ids, JsonColumns, Names
from compsplit.readers.json_records import JsonRecords, ahead
from compsplit.readers.json_spans import Spans

FIELDS = {"id": TEXT_OR_WHOLE, "text": TEXT, "list": ANYTHING}
KEYS = ("items", "rows")


class Record(msgspec.Struct):
    id: int | str
    text: str | None = None


class SlowRecords(JsonRecords[Record]):
    def _fast(self, spans: Spans) -> None:
        return None


class SlowColumns(JsonColumns):
    def spans(self) -> Iterator[Spans]:
        for spans in super().spans():
            yield dataclasses.replace(spans, doubtful=np.ones(len(spans.starts), dtype=bool))


def structs(path: Path, kind: type[JsonRecords[Record]] = JsonRecords) -> tuple[list[Any], JsonRecords[Record]]:
    """Return (record, start, stop, length) of all records."""
    stream = kind(Input(path, "x"), Record, KEYS, counted="list")
    found: list[Any] = []
    for block in stream:
        found += zip(block.records, block.starts.tolist(), block.stops.tolist(), block.lengths.tolist(), strict=True)
    stream.finish()
    return found, stream


def columns(path: Path, kind: type[JsonColumns] = JsonColumns) -> tuple[list[Any], JsonColumns]:
    """Return (id, text, start, stop, length) of all records, the id as text."""
    stream = kind(Input(path, "x"), FIELDS, KEYS, counted="list")
    ids, texts = Ids(stream, "id"), Names("text")
    found: list[Any] = []
    for cells in stream:
        stream.require(cells, "id")
        ids.add(cells)
        texts.add(cells)
        found += zip(cells.starts.tolist(), cells.stops.tolist(), cells.lengths.tolist(), strict=True)
    texts.check(stream)
    stream.finish()
    named = zip(map(str, ids.ids().tolist()), Names.merged([texts]).values(), found, strict=True)
    return [(name, text, *rest) for name, text, rest in named], stream


def outcome(how: Any, *given: Any) -> Any:
    """Return what was found, or None if the file is refused."""
    try:
        found, stream = how(*given)
    except CompsplitError:
        return None
    return found, stream.header, stream.not_numbers


class _RepeatedError(ValueError):
    pass


def strict(text: str) -> Any:
    """Python's decoder with the one check that it lacks."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) != len(found):
            raise _RepeatedError
        return dict(found)

    return json.loads(text, object_pairs_hook=pairs)


SPACE = st.text(" \t\r\n", max_size=2)
KEY = st.sampled_from(["id", "text", "list", "", "k", "multiple_choice_answer", "multiple_chance_answer", "é", 'q"'])
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=12)
)
NESTED = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3), max_leaves=5
)
RECORD = st.fixed_dictionaries(
    {"id": st.integers() | st.text(max_size=9)},
    optional={
        "text": st.none() | st.text(max_size=20),
        "list": st.lists(NESTED, max_size=3) | NESTED,
        "other": NESTED,
        "multiple_choice_answer": PLAIN,
    },
)


@st.composite
def written(draw: st.DrawFn, value: Any, space: st.SearchStrategy[str] = SPACE) -> str:
    """Write a value as JSON, with odd white space and escapes."""
    s = draw(space)
    if isinstance(value, dict):
        pairs = [f"{draw(written(k, space))}{s}:{draw(written(v, space))}" for k, v in value.items()]
        return f"{s}{{{draw(space)}{','.join(pairs)}{s}}}{draw(space)}"
    if isinstance(value, list):
        return f"{s}[{draw(space)}{','.join(draw(written(v, space)) for v in value)}]{s}"
    return s + json.dumps(value, ensure_ascii=draw(st.booleans())) + draw(space)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]], str]:
    """Draw a file's text, its records and its layout."""
    records = draw(st.lists(RECORD, max_size=4))
    layout = draw(st.sampled_from(["list", "object", "lines"]))
    if layout == "lines":
        records = records or [{"id": 1}]
        blank = st.just("") | st.just(" ")
        return "\n".join(draw(written(record, blank)) for record in records) + "\n", records, layout
    text = draw(written(records))
    if layout == "list":
        return text, records, layout
    header = st.dictionaries(st.sampled_from(["info", "licence", "n"]), NESTED, max_size=2)
    before, after = draw(header), draw(header)
    after = {name + "2": value for name, value in after.items()}
    members = [*before.items(), ("items", records), *after.items()]
    return draw(written(dict(members))), records, layout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("json") / "x.json"


MANY = settings(deadline=None, max_examples=n_shown(50), suppress_health_check=[HealthCheck.too_slow])
BLOCKS = st.sampled_from([3, 7, 64, 1 << 16])


@MANY
@given(documents(), BLOCKS, st.booleans())
def test_every_way_finds_each_record_and_its_bytes(
    place: Path, document: tuple[str, list[dict[str, Any]], str], block: int, mark: bool
) -> None:
    text, records, layout = document
    raw = b"\xef\xbb\xbf" * mark + text.encode()
    place.write_bytes(raw)
    lengths = [len(r["list"]) if isinstance(r.get("list"), list) else 0 for r in records]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_spans, "BLOCK", block)
        fast, stream = structs(place)
        assert outcome(structs, place, SlowRecords)[0] == fast
        by_column = columns(place)[0]
        assert columns(place, SlowColumns)[0] == by_column
    assert [(r.id, r.text) for r, *_ in fast] == [(r["id"], r.get("text")) for r in records]
    assert [strict(raw[start:stop].decode()) for _, start, stop, _ in fast] == records
    assert [n for *_, n in fast] == lengths
    assert by_column == [(str(r.id), r.text, *rest) for r, *rest in fast]
    assert stream.header.layout == layout
    if layout == "object":
        around = {name: strict(member.decode()) for name, member in stream.header.members}
        assert around == {name: value for name, value in strict(text).items() if name != "items"}


JUNK = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\",
    b"0",
    b"-",
    b".",
    b"e",
    b" ",
    b"a",
    b"\x01",
    b"\0",
    b"u",
    b"\xff",
]


@settings(MANY, max_examples=n_shown(120))
@given(documents(), st.data())
def test_a_damaged_file_is_read_alike_or_refused_by_every_way(
    place: Path, document: tuple[str, list[dict[str, Any]], str], data: st.DataObject
) -> None:
    text, _, layout = document
    raw = text.encode()
    at = data.draw(st.integers(0, len(raw)))
    until = at + data.draw(st.integers(0, 2))
    raw = raw[:at] + data.draw(st.sampled_from([*JUNK, b"", raw[at : at + 9], b"NaN", b"nul", b"\\u12"])) + raw[until:]
    place.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_spans, "BLOCK", data.draw(BLOCKS))
        fast, by_column = outcome(structs, place), outcome(columns, place)
        assert outcome(structs, place, SlowRecords) == fast
        assert outcome(columns, place, SlowColumns) == by_column
    assert (fast is None) == (by_column is None)
    if fast is not None and layout != "lines" and fast[1].layout != "lines":
        whole = strict(raw.decode())
        listed = whole if isinstance(whole, list) else whole[fast[1].key]
        assert [(r.id, r.text) for r, *_ in fast[0]] == [(each["id"], each.get("text")) for each in listed]
        assert [(name, shown) for name, shown, *_ in by_column[0]] == [(str(r.id), r.text) for r, *_ in fast[0]]
    elif fast is None:
        assert not _is_fine(raw)


def _is_fine(raw: bytes) -> bool:
    """Tell whether a list or object of records is JSON and each record as it should be."""
    try:
        whole = strict(raw.decode())
        listed = whole if isinstance(whole, list) else whole.get("items", [whole])
        msgspec.convert([{k: v for k, v in each.items() if k in ("id", "text")} for each in listed], list[Record])
        json.dumps([[each["id"], each.get("text")] for each in listed], ensure_ascii=False).encode()
    except (ValueError, AttributeError, TypeError, KeyError, msgspec.ValidationError):
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        '{"info": {"a": [1, "x"]}, "items": [{"id": 1, "text": "é"}, {"id": "2"}], "after": null}\n',
        '[{"id": 1}, {"id": 2, "list": [{"a": "b"}, 2]}]',
        '{"id": 1, "text": "a"}\n{"id": 2, "other": {"x": [true]}}\n',
    ],
)
@pytest.mark.parametrize("block", [5, 1 << 16])
def test_a_file_cut_at_any_byte_is_an_error(
    place: Path, monkeypatch: pytest.MonkeyPatch, text: str, block: int
) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", block)
    raw = text.encode()
    # JSON lines may end after any whole record, with its line end or without.
    whole = {n for n in range(1, len(raw) + 1) if raw[:n].endswith((b"}", b"}\n")) and _all_lines(raw[:n])}
    for n in range(len(raw.rstrip())):
        place.write_bytes(raw[:n])
        for how in (structs, columns):
            if n in whole:
                assert len(how(place)[0]) == raw[:n].count(b'"id"')
            else:
                with pytest.raises((TruncatedError, EmptyFileError, RecordsError, CompsplitError)):
                    how(place)


def _all_lines(raw: bytes) -> bool:
    try:
        return all("id" in json.loads(line) for line in raw.decode().splitlines())
    except ValueError:
        return False


def test_the_error_of_a_cut_file_counts_what_stands_before_the_cut(place: Path) -> None:
    place.write_text('[{"id": 1}, {"id": 2}, {"id"')
    with pytest.raises(TruncatedError, match=r"ends inside a record at byte 28.*; 2 complete records") as caught:
        structs(place)
    assert caught.value.facts == {"bytes": 28, "complete_records_before": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"id": 1} {"id": 2}]', "expected a comma and a record, found '{\"id\": 2}]' at byte 11"),
        ('[{"id": 1},, {"id": 2}]', "expected a record, found ', {\"id\": 2}]' at byte 11"),
        ('[{"id": 1},]', "expected a record, found ']' at byte 11"),
        ('[{"id": 1}] x', "expected the end of the file, found 'x' at byte 12"),
        ('[{"id": 1}}', "expected a comma and a record, found '}' at byte 10"),
        ("no", "expected a JSON list or object, found 'no' at byte 0"),
        ('{"items": [{"id": 1}] "a": 2}', "expected a comma or a closing brace"),
        ('{"info": {], "items": []}', "expected a JSON value, found '], \"items\": ' at byte 10"),
        ('{"info": tru, "items": []}', 'the value of "info" is not JSON'),
        ('{"a": 1, "a": 2, "items": []}', 'the key "a" stands twice'),
        ('{"items": [], "items": []}', 'the key "items" stands twice'),
        ('{"\\x": 1, "items": []}', "a key is not JSON"),
        ("{1: 1}", "expected a key"),
    ],
)
def test_what_stands_in_the_wrong_place_is_shown_with_its_byte(place: Path, text: str, said: str) -> None:
    place.write_text(text)
    for how in (structs, columns):
        with pytest.raises(BrokenFileError) as caught:
            how(place)
        assert said in str(caught.value)
        assert str(caught.value).startswith("x.json: ")


@pytest.mark.parametrize(
    ("record", "field", "said"),
    [
        ('{"id": 1, "id": 2}', "id", "this key stands twice in one object"),
        ('{"id": 1, "x": {"a": 1, "\\u0061": 2}}', "a", "this key stands twice in one object"),
        ('{"id": 7.0}', "id", "expected"),
        ('{"id": true}', "id", "expected"),
        ('{"id": NaN}', "id", "NaN"),
        ('{"id": 1, "text": 5}', "text", "expected"),
        ('{"id": 1, "text": Infinity}', "text", "Infinity"),
        ('{"text": "a"}', "id", "missing"),
        ('{"id": null}', "id", ""),
        ('{"id": 1, "text": "\\ud800"}', None, "half of a surrogate pair"),
        ('{"id": "\\udc00"}', None, "half of a surrogate pair"),
        ('{"id": 01}', None, "is not JSON at byte 12"),
        ('{"id": 1, "x": "\t"}', None, "is not JSON at byte 12"),
        ('{"id": 1 "x": 2}', None, "is not JSON at byte 12"),
        ('{"id": 1, "x": 1.}', None, "is not JSON at byte 12"),
        ('{"id": 1, "x": tru}', None, "is not JSON at byte 12"),
        ('{"id": 1, "x": "\\u12g4"}', None, "is not JSON at byte 12"),
        ("5", None, ""),
        ('"a"', None, ""),
        ("[1]", None, ""),
        ("NaN", None, ""),
        ('{"id": 1, "text": "\\udfff", "x": NaN}', None, "half of a surrogate pair"),
    ],
)
def test_a_bad_record_is_named_with_number_and_field(place: Path, record: str, field: str | None, said: str) -> None:
    place.write_text(f'[{{"id": 0}}, {record}, {{"id": 9, "text": []}}]')
    for how in (structs, columns):
        with pytest.raises(RecordsError) as caught:
            how(place)
        assert caught.value.facts["n_problems"] == 2, "all bad records are collected, then raised once"
        assert caught.value.record == 2
        assert said in caught.value.facts["first"][0]
        assert field in (None, caught.value.field)
        assert "x.json, record 3, text" in caught.value.facts["first"][1]


def test_what_is_not_a_number_is_noted_where_nobody_uses_it(place: Path) -> None:
    place.write_text('[{"id": 1, "x": NaN}, {"id": 2}, {"id": 3, "x": [-Infinity, {"y": Infinity}], "list": [NaN]}]')
    for how in (structs, columns):
        found, stream = how(place)
        assert len(found) == 3
        assert stream.not_numbers == [1, 3]


def test_records_that_are_looked_at_one_by_one_keep_all_their_values(place: Path) -> None:
    keys = ", ".join(f'"k{i}": {i}' for i in range(200))
    place.write_text(f'[{{"id": 12, "text": "a\\"é", "list": [1, 2], {keys}}}, {{"\\u0069d": "z", "x": "x"}}]')
    assert [row[:2] for row in columns(place)[0]] == [("12", 'a"é'), ("z", None)]
    assert [(r.id, r.text) for r, *_ in structs(place)[0]] == [(12, 'a"é'), ("z", None)]


def test_a_text_is_the_same_however_it_is_escaped(place: Path) -> None:
    place.write_text('[{"id": 1, "text": "caf\\u00e9"}, {"id": 2, "text": "café"}, {"id": 3, "text": "\\/"}]')
    stream = JsonColumns(Input(place, "x"), FIELDS)
    texts = Names("text")
    for cells in stream:
        texts.add(cells)
    column = Names.merged([texts])
    assert column.codes.tolist() == [0, 0, 1]
    assert column.names == ("café", "/")


def test_nesting_beyond_reason_is_refused(place: Path) -> None:
    deep = MAX_DEPTH - 2
    place.write_text('[{"id": 1, "x": ' + "[" * deep + "]" * deep + "}]")
    assert len(columns(place)[0]) == 1
    for text in ('[{"id": 1, "x": ' + "[" * 10_000, '{"info": ' + '{"a":' * 10_000):
        place.write_text(text)
        for how in (structs, columns):
            with pytest.raises(BrokenFileError):
                how(place)


def test_a_record_larger_than_reason_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_spans, "_LARGEST_RECORD", 2000)
    monkeypatch.setattr(json_spans, "BLOCK", 100)
    place.write_text('[{"id": 1, "text": "' + "a" * 1500 + '"}]')
    assert len(columns(place)[0]) == 1
    place.write_text('[{"id": 1, "text": "' + "a" * 9000 + '"}]')
    with pytest.raises(BrokenFileError, match="a record is larger than"):
        columns(place)


def test_more_records_than_there_is_room_for_are_read_in_turns(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_spans, "_ROOM", 3)
    place.write_text(json.dumps([{"id": i} for i in range(10)]))
    assert [r.id for r, *_ in structs(place)[0]] == list(range(10))


@pytest.mark.parametrize("block", range(3, 12))
def test_a_value_of_the_header_may_span_blocks(place: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", block)
    monkeypatch.setattr(json_spans, "_LARGEST_FIRST_LINE", 1)
    place.write_text('{"n": 1234567890, "t": true, "items": [{"id": 1}], "m": -1.25e10}')
    _, stream = structs(place)
    assert stream.header.members == [("n", b"1234567890"), ("t", b"true"), ("m", b"-1.25e10")]


def test_an_empty_list_is_no_record_and_an_empty_file_an_error(place: Path) -> None:
    for text in ("[]", " [ ] ", '{"items": []}'):
        place.write_text(text)
        assert structs(place)[0] == []
    for text in ("", " \n", "\ufeff"):
        place.write_text(text)
        with pytest.raises(EmptyFileError, match=r"x\.json: file is empty"):
            structs(place)


def test_an_object_without_a_list_of_records_is_one_record_or_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_text('{"id": 5, "x": {"y": 1}}')
    assert [row[:2] for row in columns(place)[0]] == [("5", None)]
    place.write_text('{"idea": 5, "items": {}}')
    with pytest.raises(RecordsError, match="record 1, id"):
        columns(place)
    monkeypatch.setattr(json_spans, "_LARGEST_FIRST_LINE", 8)
    with pytest.raises(BrokenFileError, match="holds no list of items or rows"):
        columns(place)


def test_numbers_keep_their_writing_where_they_are_asked_for_as_text(place: Path) -> None:
    for odd in ("", ', "y": NaN'):
        place.write_text('[{"x": 2.50, "n": 7, "e": 1E5' + odd + "}]")
        stream: JsonRecords[dict[str, Any]] = JsonRecords(Input(place, "x"), dict[str, Any], as_written=True)
        record = next(iter(stream)).records[0]
        assert (record["x"], record["n"], record["e"]) == ("2.50", 7, "1E5")


def test_ids_are_whole_numbers_until_one_is_not(place: Path) -> None:
    def ids(text: str) -> Any:
        place.write_text(text)
        stream = JsonColumns(Input(place, "x"), FIELDS)
        found = Ids(stream, "id")
        for cells in stream:
            found.add(cells)
        return found.ids()

    assert ids('[{"id": 12}, {"id": -7}]').dtype == np.int64
    assert ids('[{"id": 12}, {"id": -7}]').tolist() == [12, -7]
    assert ids('[{"id": 12}, {"id": "007"}]').tolist() == ["12", "007"]
    assert ids('[{"id": 123456789012345678901234567890}]').tolist() == ["123456789012345678901234567890"]
    assert ids("[]").tolist() == []


def test_names_numbers_texts_as_a_dictionary_would(place: Path) -> None:
    # Many of one length, so that places in the table are contested.
    words = [f"{i * 7919 % 1201:05d}" for i in range(2000)] + [f"word {i % 70} {'x' * (i % 19)}" for i in range(1000)]
    place.write_text(json.dumps([{"id": i, "text": word} for i, word in enumerate(words)]))
    stream = JsonColumns(Input(place, "x"), FIELDS)
    texts = Names("text")
    for cells in stream:
        texts.add(cells)
    column = Names.merged([texts])
    assert column.values() == words
    assert column.names == tuple(dict.fromkeys(words))


def test_a_key_that_only_begins_and_ends_alike_is_another_field(place: Path) -> None:
    place.write_text('[{"multiple_chance_answer": "no"}, {"multiple_choice_answer": "yes"}]')
    stream = JsonColumns(Input(place, "x"), {"multiple_choice_answer": TEXT})
    texts = Names("multiple_choice_answer")
    for cells in stream:
        texts.add(cells)
    assert Names.merged([texts]).values() == [None, "yes"]
    with pytest.raises(ValueError, match="at most 24 bytes"):
        packed_keys(["a" * 25])


def test_what_fails_ahead_fails_in_the_reading_thread() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise EmptyFileError("x")

    values = ahead(failing())
    assert next(values) == 1
    with pytest.raises(EmptyFileError):
        next(values)


def members(path: Path, kind: type[JsonRecords[Record]] = JsonRecords) -> tuple[list[Any], JsonRecords[Record]]:
    """Return (key, record, start, stop, number) of all members of an object."""
    stream = kind(Input(path, "x"), Record, keyed=True)
    found: list[Any] = []
    for block in stream:
        spans = (block.starts.tolist(), block.stops.tolist(), block.numbers.tolist())
        found += zip(block.keys, block.records, *spans, strict=True)
    stream.finish()
    return found, stream


MEMBERS = st.dictionaries(KEY | st.text(max_size=4), RECORD, max_size=5)


@MANY
@given(MEMBERS.flatmap(lambda value: st.tuples(st.just(value), written(value))), BLOCKS, st.booleans())
def test_members_of_an_object_are_found_with_their_keys_and_bytes(
    place: Path, document: tuple[dict[str, Any], str], block: int, mark: bool
) -> None:
    expected, text = document
    raw = b"\xef\xbb\xbf" * mark + text.encode()
    place.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_spans, "BLOCK", block)
        fast, stream = members(place)
        assert outcome(members, place, SlowRecords)[0] == fast
    assert [(key, record.id, record.text) for key, record, *_ in fast] == [
        (key, value["id"], value.get("text")) for key, value in expected.items()
    ]
    # The bytes are those of key and value together.
    assert [strict("{" + raw[start:stop].decode() + "}") for *_, start, stop, _ in fast] == [
        {key: value} for key, value in expected.items()
    ]
    assert [number for *_, number in fast] == list(range(1, len(expected) + 1))
    assert stream.header.layout == "keyed"


@settings(MANY, max_examples=n_shown(120))
@given(MEMBERS.flatmap(written), st.data())
def test_a_damaged_object_of_records_is_refused_or_read_as_json_says(
    place: Path, text: str, data: st.DataObject
) -> None:
    raw = text.encode()
    at = data.draw(st.integers(0, len(raw)))
    until = at + data.draw(st.integers(0, 2))
    raw = raw[:at] + data.draw(st.sampled_from([*JUNK, b"", raw[at : at + 9], b"NaN", b"nul", b"\\u12"])) + raw[until:]
    place.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_spans, "BLOCK", data.draw(BLOCKS))
        fast = outcome(members, place)
        assert outcome(members, place, SlowRecords) == fast
    try:
        whole = strict(raw.decode())
        records = msgspec.convert([{k: v for k, v in each.items() if k in ("id", "text")} for each in whole.values()],
                                  list[Record])  # fmt: skip
        json.dumps([[*whole], [[each.id, each.text] for each in records]], ensure_ascii=False).encode()
    except (ValueError, AttributeError, TypeError, msgspec.ValidationError):
        # What JSON refuses, or lists in place of members, is no such object.
        assert fast is None or fast[1].layout != "keyed"
        return
    assert fast is not None
    assert [(key, record) for key, record, *_ in fast[0]] == list(zip(whole, records, strict=True))


@pytest.mark.parametrize("block", [5, 1 << 16])
def test_an_object_of_records_cut_at_any_byte_is_an_error(
    place: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", block)
    raw = b'{"a" : {"id": 1, "text": "e"},\n"\\u0062":{"id": "2"}}'
    place.write_bytes(raw)
    assert [key for key, *_ in members(place)[0]] == ["a", "b"]
    for n in range(len(raw)):
        place.write_bytes(raw[:n])
        with pytest.raises((TruncatedError, EmptyFileError)) as caught:
            members(place)
        # A record is whole with its last brace.
        if n:
            assert caught.value.facts["complete_records_before"] == (n > raw.index(b"}")) + (
                n > raw.rindex(b"}", 0, -1)
            )


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ('{"a": {"id": 1} "b": {"id": 2}}', BrokenFileError, "expected a comma and a record"),
        ('{"a": {"id": 1},}', BrokenFileError, "found '}' at byte 16"),
        ('{"a" {"id": 1}}', BrokenFileError, "found '{\"id\": 1}}' at byte 5"),
        ('{"a", {"id": 1}}', BrokenFileError, "found ', {\"id\": 1}}' at byte 4"),
        ('{"a": {"id": 1}: {"id": 1}}', BrokenFileError, "found ': {\"id\": 1}}' at byte 15"),
        ('{"a"}', BrokenFileError, "found '}' at byte 4"),
        ('{a: {"id": 1}}', BrokenFileError, "at byte 1"),
        ('{{"id": 1}: {"id": 1}}', BrokenFileError, "at byte 1"),
        ('{"a": {"id": 1}} {"b": {"id": 1}}', BrokenFileError, "expected the end of the file"),
        ('{"a": {"id": 1}]', BrokenFileError, "found ']' at byte 15"),
        ('{"a": 3}', RecordsError, "record 1: expected `object`, got `int`"),
        ('{"a": {"id": 1}, "b": {"id": 1, "id": 1}}', RecordsError, "record 2, id: this key stands twice"),
        ('{"a": {"id": NaN}}', RecordsError, "NaN or Infinity, which is no value"),
        ('{"a\\ud800": {"id": 1}}', RecordsError, "record 1: has a key that is no text"),
        ('{"a": {"id": 1}, "\\{u": {"id": 2}}', RecordsError, "record 2: has a key that is no text"),
        (
            '{"a": {"id": 1}, "b": {"id": ' + "[" * 300 + "]" * 300 + "}}",
            BrokenFileError,
            "record 2 is nested more than",
        ),
    ],
)
def test_what_is_wrong_with_an_object_of_records_is_shown(
    place: Path, text: str, error: type[Exception], said: str
) -> None:
    place.write_text(text)
    with pytest.raises(error) as caught:
        members(place)
    assert said in str(caught.value)


def test_bytes_that_are_not_utf8_are_named_in_keys_and_values(place: Path) -> None:
    for raw in (b'{"a\xe9": {"id": 1}}', b'{"a": {"id": "\xe9"}}'):
        place.write_bytes(raw)
        with pytest.raises(EncodingError) as caught:
            members(place)
        assert caught.value.facts["byte_offset"] == raw.index(b"\xe9")


@pytest.mark.parametrize("block", [5, 1 << 16])
def test_keys_that_stand_twice_are_named_over_all_blocks(
    place: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(json_spans, "BLOCK", block)
    names = ["c", "a", "b", "\\u0061", "d", "c", "c"]
    place.write_text("{" + ", ".join(f'"{name}": {{"id": {n}}}' for n, name in enumerate(names)) + "}")
    with pytest.raises(RepeatedKeysError, match=r"^x\.json: 2 keys stand twice .* 7 records \(a, c\)") as caught:
        members(place)
    assert caught.value.facts == {"repeated keys": ["a", "c"], "records": 7}


def test_lists_and_lines_have_no_keys_though_members_were_possible(place: Path) -> None:
    place.write_text('[{"id": 1}, {"id": 2}]')
    stream = JsonRecords(Input(place, "x"), Record, keyed=True)
    (block,) = stream
    assert (block.keys, [record.id for record in block.records], stream.header.layout) == ([], [1, 2], "list")


def test_more_members_than_there_is_room_for_are_read_in_turns(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {str(n): {"id": n} for n in range(20)}
    place.write_text(json.dumps(expected))
    for room in (2, 3, 7):
        monkeypatch.setattr(json_spans, "_ROOM", room)
        assert [(key, record.id) for key, record, *_ in members(place)[0]] == [(str(n), n) for n in range(20)]

"""The file door: compression by content, damage, encodings, archives, sources."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit import files
from compsplit.errors import (
    BrokenFileError,
    EmptyFileError,
    EncodingError,
    FileError,
    OutputExistsError,
    UsageError,
)
from compsplit.files import Bytes, canonical_json, compression, new_folder, replaced, sha256, text_of, zip_members
from compsplit.model.table import Input
from compsplit.readers import inputs

SHOWN_AS_ESCAPES = "".join(
    map(chr, [*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)])
)
"""What steers a terminal or turns text around."""

TEXT = "".join(f"line {i} {i * i}\n" for i in range(3000)).encode()


def zst(raw: bytes) -> bytes:
    packed: bytes = pyarrow.compress(raw, codec="zstd", asbytes=True)
    return packed


PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress, "zst": zst}


def unpacked(path: Path, size: int = 999, *, text: bool = True, member: str | None = None) -> bytes:
    with Bytes(Input(path, "x", member), text=text) as stream:
        return b"".join(iter(lambda: stream.read(size), b""))


@pytest.mark.parametrize("kind", PACKED)
def test_compression_is_told_by_content_whatever_the_name(tmp_path: Path, kind: str) -> None:
    for name in ("x.json", "x.xz", "x.gz"):
        path = tmp_path / name
        path.write_bytes(PACKED[kind](TEXT))
        assert compression(path) == kind
        assert unpacked(path) == TEXT


def test_plain_text_with_the_name_of_an_archive_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(TEXT)
    assert compression(path) is None
    assert unpacked(path) == TEXT


def test_all_members_of_a_gzip_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:]))
    assert unpacked(path) == TEXT


@pytest.mark.parametrize("kind", PACKED)
def test_a_stream_cut_anywhere_is_an_error_that_names_the_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "cut.json"
    whole = PACKED[kind](TEXT)
    for n in (8, 20, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:n])
        with pytest.raises(BrokenFileError, match=rf"^cut\.json: the {kind} stream is damaged or cut"):
            unpacked(path)


@pytest.mark.parametrize("kind", PACKED)
def test_a_damaged_stream_is_an_error_that_names_the_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bad.json"
    whole = PACKED[kind](os.urandom(3000))
    path.write_bytes(whole[:1000] + bytes(byte ^ 255 for byte in whole[1000:1010]) + whole[1010:])
    # zstd checks no sum here, so that its damage may come to light as text that is none
    with pytest.raises((BrokenFileError, EncodingError), match=r"^bad\.json: "):
        unpacked(path)


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, raw in members.items():
            made.writestr(name, raw)
    return path


def test_each_member_of_an_archive_is_an_input(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "both.zip",
        {"q/val.json": b"[1]", "a/val.json": b"[2]", "__MACOSX/q/val.json": b"", "q/.DS_Store": b"x"},
    )
    found = inputs([path])
    assert [(each.member, each.name) for each in found] == [
        ("q/val.json", "both.zip//q/val.json"),
        ("a/val.json", "both.zip//a/val.json"),
    ]
    assert [each.source for each in found] == ["q/val", "a/val"]
    assert unpacked(path, member="a/val.json") == b"[2]"
    assert [each.member for each in inputs([f"{path}//q/val.json"])] == ["q/val.json"]
    two = archive(tmp_path / "two.zip", {"q.json": b"[1]", "a.json": b"[2]"})
    assert [each.source for each in inputs([f"v={path}//q/val.json", f"w={two}"])] == ["v", "w/q", "w/a"]


def test_a_broken_archive_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", {"a.json": TEXT})
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    for how in (zip_members, lambda p: unpacked(p, member="a.json")):
        with pytest.raises(BrokenFileError, match=r"^x\.zip"):
            how(path)
    path.write_bytes(whole[:60] + b"\0\1\2\3" + whole[64:])
    with pytest.raises(BrokenFileError, match=r"^x\.zip//a\.json: the zip stream is damaged or cut"):
        unpacked(path, member="a.json")


@pytest.mark.parametrize("name", ["../a.json", "/etc/passwd", "a/../../b.json"])
def test_a_member_that_leads_out_of_its_archive_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BrokenFileError, match="leads out of the archive; refused"):
        inputs([archive(tmp_path / "x.zip", {name: b"[]"})])


def test_an_archive_needs_a_member_and_has_to_hold_it(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", {"a.json": b"[]"})
    with pytest.raises(UsageError, match=r"name a member, x\.zip//MEMBER"):
        unpacked(path)
    with pytest.raises(FileError, match=r"x\.zip//b\.json: there is no such member"):
        unpacked(path, member="b.json")
    with pytest.raises(BrokenFileError, match=r"^empty\.zip: is an archive without a file"):
        inputs([archive(tmp_path / "empty.zip", {"__MACOSX/a": b""})])


def test_a_locked_member_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", {"a.json": b"[]"})
    raw = bytearray(path.read_bytes())
    raw[6] |= 1  # the flag of encryption, in the local header and in the directory
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(BrokenFileError, match=r"^x\.zip//a\.json: cannot be unpacked"):
        unpacked(path, member="a.json")


@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_a_stream_that_grows_beyond_reason_is_refused(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_GROWTH_FREE", 1 << 12)
    path = tmp_path / "bomb"
    raw = b"\0" * (2 << 20)
    if kind == "gz":
        path.write_bytes(gzip.compress(raw))
    else:
        archive(path, {"a": raw})
    with pytest.raises(BrokenFileError, match="grows more than 250 times when unpacked; refused"):
        unpacked(path, member="a" if kind == "zip" else None)


def test_a_byte_order_mark_is_passed_over_but_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfab\xef\xbb\xbf")
    for size in (1, 3, 4, 100):
        with Bytes(Input(path, "x")) as stream:
            assert b"".join(iter(lambda size=size: stream.read(size), b"")) == b"ab\xef\xbb\xbf"
            assert stream.offset == 8
    path.write_bytes("\ufeffa\r\nb\n".encode())
    assert text_of(Input(path, "x")) == "a\nb\n"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(EmptyFileError):
        text_of(Input(path, "x"))


@given(st.text(min_size=1, max_size=40), st.integers(3, 9))
def test_text_is_text_wherever_a_block_ends(tmp_path_factory: pytest.TempPathFactory, text: str, size: int) -> None:
    path = tmp_path_factory.mktemp("t") / "x"
    path.write_bytes(b"-" + text.encode())
    assert unpacked(path, size) == b"-" + text.encode()


@given(st.text(max_size=30), st.binary(min_size=1, max_size=4), st.text(max_size=30), st.integers(3, 9))
def test_the_first_bad_byte_is_named(
    tmp_path_factory: pytest.TempPathFactory, before: str, bad: bytes, after: str, size: int
) -> None:
    raw = b"-" + before.encode() + bad + after.encode()
    path = tmp_path_factory.mktemp("t") / "x"
    path.write_bytes(raw)
    place = _first_bad(raw)
    if place is None:
        assert unpacked(path, size) == raw
        return
    with pytest.raises(EncodingError, match=r"^x: not UTF-8") as caught:
        unpacked(path, size)
    assert caught.value.facts == {"byte_offset": place}


def _first_bad(raw: bytes) -> int | None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def test_a_file_that_ends_inside_a_character_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for tail in (b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98"):
        path.write_bytes(b"abc" + tail)
        with pytest.raises(EncodingError, match="first bad byte at offset 3"):
            unpacked(path, 4)


def test_bytes_that_are_no_text_are_read_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"PAR1\xff\xfe")
    assert unpacked(path, text=False) == b"PAR1\xff\xfe"


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gone\.json: there is no such file"):
        compression(tmp_path / "gone.json")
    with pytest.raises(FileError, match="is a folder, a file was expected"):
        compression(tmp_path)
    (tmp_path / "empty").touch()
    for how in (unpacked, lambda path: text_of(Input(path, "x"))):
        with pytest.raises(EmptyFileError, match=r"^empty: file is empty"):
            how(tmp_path / "empty")


def made(place: Path, *names: str) -> list[Path]:
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("[]")
    return [place / name for name in names]


def sources(*given: str | Path) -> list[str]:
    return [each.source for each in inputs(given)]


def test_a_source_is_the_stem_with_folders_in_front_only_where_stems_repeat(tmp_path: Path) -> None:
    one, two, three, four = made(tmp_path, "train/q.json", "val/q.json", "val/v1.0.json.gz", "val/.json")
    assert sources(one, three, four) == ["q", "v1.0", ".json"]
    assert sources(one, two) == ["train/q", "val/q"]


def test_a_source_may_be_given_a_name(tmp_path: Path) -> None:
    one, two, odd = made(tmp_path, "train/q.json", "val/q.json", "a=b.json")
    assert sources(f"first={one}", two) == ["first", "q"]
    assert sources(str(odd), str(one)) == ["a=b", "q"]
    assert sources(f"x={odd}") == ["x"]
    with pytest.raises(UsageError, match='Two files are called "q"'):
        inputs([f"q={one}", two])


def test_a_file_given_twice_and_one_that_is_not_there_are_errors(tmp_path: Path) -> None:
    (one,) = made(tmp_path, "q.json")
    with pytest.raises(UsageError, match="given twice"):
        inputs([one, f"again={tmp_path}/./q.json"])
    for gone in (tmp_path / "gone.json", f"{tmp_path}/gone.json", f"x={tmp_path}/gone.json", f"{tmp_path}//gone"):
        with pytest.raises(FileError, match=r"there is no such|is a folder"):
            inputs([gone])
    with pytest.raises(FileError, match=r"q\.json is no zip archive"):
        inputs([f"{one}//a.json"])


def test_the_checksum_is_that_of_the_bytes_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(TEXT))
    assert sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_canonical_json_is_sorted_strict_and_rounded() -> None:
    assert canonical_json({"b": [0.1 + 0.2, "é"], 1: None}, indent=None) == '{"1": null, "b": [0.3, "é"]}\n'
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            canonical_json({"x": number})


VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_characters=SHOWN_AS_ESCAPES)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="ascii")), inner),
)


@given(VALUES)
def test_canonical_json_is_indented_as_pythons_own(value: object) -> None:
    expected = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)
    assert canonical_json(value) == expected.replace("\x7f", "\\u007f") + "\n"


def test_a_file_is_replaced_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")
    with pytest.raises(TypeError), replaced(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]  # a wrong type on purpose
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.json"]
    with replaced(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"


def test_a_folder_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with pytest.raises(FileNotFoundError), new_folder(path, force=False) as place:
        (place / "none" / "a").touch()
    assert os.listdir(tmp_path) == []
    with new_folder(path, force=False) as place:
        (place / "a").touch()
    with pytest.raises(OutputExistsError, match="Pass --force"), new_folder(path, force=False):
        pass
    with pytest.raises(KeyError), new_folder(path, force=True):
        raise KeyError
    assert os.listdir(path) == ["a"]
    with new_folder(path, force=True) as place:
        (place / "b").touch()
    assert os.listdir(path) == ["b"]
    assert os.listdir(tmp_path) == ["run"]


def test_a_folder_that_is_not_ours_is_not_replaced_unless_it_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    with new_folder(path, force=True, ours=lambda _: False) as place:
        (place / "a").touch()
    told = "is already there and is not a folder that compsplit wrote"
    with pytest.raises(OutputExistsError, match=told), new_folder(path, force=True, ours=lambda _: False):
        pass
    assert os.listdir(path) == ["a"]
    with new_folder(path, force=True, ours=lambda folder: (folder / "a").is_file()):
        pass
    assert os.listdir(path) == []


def test_a_full_disk_names_the_folder_where_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="run: no space left on device"), new_folder(tmp_path / "run", force=False):
        raise OSError(28, "No space left on device")


def test_a_folder_needs_a_parent_and_a_free_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="is a file, a folder was expected"), new_folder(tmp_path / "file", force=True):
        pass
    with pytest.raises(FileError, match="there is no such folder"), new_folder(tmp_path / "a" / "b", force=False):
        pass


def test_the_cases_of_encodings_are_read_as_they_say(shared: Path) -> None:
    place = shared / "cases" / "38-io-encoding"
    expected = json.loads((place / "expected.json").read_text("utf-8"))
    plain, marked = (text_of(Input(place / f"questions-{name}.json", name)) for name in ("utf8", "bom"))
    assert json.loads(plain)["questions"] == json.loads(marked)["questions"]
    assert json.loads(plain)["questions"][0]["question"] == expected["first"]
    with pytest.raises(EncodingError, match=r"^questions-latin1\.json: ") as caught:
        text_of(Input(place / "questions-latin1.json", "latin1"))
    assert caught.value.facts["byte_offset"] == expected["latin1"]["byte_offset"]

"""What ``compsplit fetch`` promises, against a server on this machine that can misbehave."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from compsplit.cli.fetch import _watching
from compsplit.cli.fetch import fetch as command
from compsplit.errors import (
    BrokenFileError,
    DownloadError,
    EncodingError,
    FileError,
    OptionValueError,
    OutputExistsError,
    UnknownNameError,
)
from compsplit.fetching import DATA_SETS, Count, DataSet, Fetched, RemoteFile, Watch, count, data_set, fetch


@dataclass
class Server:
    """Files by name, the ways to misbehave, and the requests that came."""

    files: dict[str, bytes] = field(default_factory=dict)
    drops: list[int] = field(default_factory=list)  # end the next answers after so many bytes
    busy: int = 0  # answer 503 so many times
    ranges: bool = True
    heeds_if_range: bool = True
    tagged: bool = True
    fixed_tag: str = ""
    dated: bool = False  # a weak tag and a date in place of a strong tag
    packs: bool = False
    early: int = 0  # begin a range so many bytes before the one asked for
    admits_early: bool = True
    address: str = ""
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def tag(self, name: str) -> str:
        if self.dated:
            return "Tue, 01 Aug 2017 10:00:00 GMT"
        return self.fixed_tag or f'"{hashlib.sha256(self.files[name]).hexdigest()[:16]}"'


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name, wanted = self.path.rsplit("/", 1)[-1], self.headers.get("Range")
            state.asked.append((name, wanted))
            if state.busy:
                state.busy -= 1
                self.send_error(503)
                return
            if name not in state.files:
                self.send_error(404)
                return
            content, tag = state.files[name], state.tag(name)
            if state.packs:
                content = gzip.compress(content)
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and state.ranges else 0
            if state.heeds_if_range and self.headers.get("If-Range") != tag:
                start = 0
            self.send_response(206 if start else 200)
            if start:
                claimed = start - state.early * state.admits_early
                self.send_header("Content-Range", f"bytes {claimed}-{len(content) - 1}/{len(content)}")
                start -= state.early
            self.send_header("Content-Length", str(len(content) - start))
            if state.packs:
                self.send_header("Content-Encoding", "gzip")
            if state.dated:
                self.send_header("ETag", 'W/"1"')
                self.send_header("Last-Modified", tag)
            elif state.tagged:
                self.send_header("ETag", tag)
            self.end_headers()
            end = start + state.drops.pop(0) if state.drops else len(content)
            self.wfile.write(content[start:end])
            self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.address = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def zipped(members: dict[str, object]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes | str) else json.dumps(value))
    return out.getvalue()


QUESTIONS = {
    "info": {"version": "1.0"},
    "questions": [{"question_id": n, "image_id": n // 3, "question": f"What [is] {n}?"} for n in range(3000)],
}
TOY = DataSet(
    "toy",
    "three questions an image",
    "http://publisher.invalid/",
    "CC BY 4.0",
    "http://publisher.invalid/home",
    (
        RemoteFile(
            "q.zip",
            "questions",
            (
                Count("questions", "q.json", "questions", published=3000, source="here"),
                Count("images", "q.json", "questions", "distinct", "image_id"),
            ),
        ),
        RemoteFile("names.txt", "names"),
    ),
)


@pytest.fixture
def toy(server: Server, tmp_path: Path) -> Callable[..., Fetched]:
    server.files = {"q.zip": zipped({"q.json": QUESTIONS}), "names.txt": b"a,b\n"}

    def run(**options: object) -> Fetched:
        return fetch(TOY, tmp_path / "toy", **{"mirror": server.address, "pause": 0.0, **options})

    return run


def states(fetched: Fetched) -> dict[str, str]:
    return {file.name: file.state for file in fetched.files}


def test_what_was_served_is_on_disk_and_its_checksum_is_told(toy, server, tmp_path):
    fetched = toy()
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]
    assert fetched.files[0].sha256 == hashlib.sha256(server.files["q.zip"]).hexdigest()
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["names.txt", "q.zip", "toy.fetched.json"]


def test_counts_without_a_published_figure_are_shown_as_unchecked(toy):
    fetched = toy()
    assert [(one.what, one.counted, one.verdict) for one in fetched.files[0].counts] == [
        ("questions", 3000, "agrees"),
        ("images", 1000, "unchecked"),
    ]
    assert fetched.verdict == (
        "toy: 2 of 2 files are complete, 2 fetched now; 1 of 2 record counts agree with published figures, 1 have none."
    )


def test_a_second_run_asks_the_server_for_nothing_and_says_so(toy, server, tmp_path):
    toy()
    manifest = (tmp_path / "toy/toy.fetched.json").read_bytes()
    server.asked.clear()
    moved: list[object] = []
    again = toy(watch=Watch(moved=lambda *it: moved.append(it)))
    assert server.asked == []
    assert moved == []  # nothing is counted again either
    assert states(again) == {"q.zip": "complete", "names.txt": "complete"}
    assert again.verdict.startswith("toy: nothing to fetch, 2 of 2 files are complete; 1 of 2 record counts agree")
    assert (tmp_path / "toy/toy.fetched.json").read_bytes() == manifest


def test_the_manifest_holds_no_place_of_this_machine_and_is_sorted(toy, tmp_path):
    toy()
    text = (tmp_path / "toy/toy.fetched.json").read_text()
    assert str(tmp_path) not in text
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def test_a_dropped_connection_is_gone_on_with_where_it_stopped(toy, server):
    server.drops = [1000, 2000]
    said: list[str] = []
    fetched = toy(only=["q.zip"], watch=Watch(say=said.append))
    assert server.asked == [("q.zip", None), ("q.zip", "bytes=1000-"), ("q.zip", "bytes=3000-")]
    assert states(fetched) == {"q.zip": "resumed"}
    assert "1,000 bytes are kept" in said[0]


def test_what_an_earlier_run_left_is_gone_on_with(toy, server, tmp_path):
    server.drops = [1000]
    with pytest.raises(DownloadError, match="1,000 bytes are kept, run the command again"):
        toy(only=["q.zip"], tries=0)
    assert states(toy(dry_run=True)) == {"q.zip": "partial", "names.txt": "missing"}
    toy()
    assert server.asked[1] == ("q.zip", "bytes=1000-")
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]


@pytest.mark.parametrize(("heeds_if_range", "tagged"), [(True, True), (False, True), (False, False)])
def test_two_states_of_a_changed_file_are_never_glued(toy, server, tmp_path, heeds_if_range, tagged):
    server.drops, server.heeds_if_range, server.tagged = [1000], heeds_if_range, tagged
    with pytest.raises(DownloadError):
        toy(only=["q.zip"], tries=0)
    n_bytes = len(server.files["q.zip"])
    server.files["q.zip"] = zipped({"q.json": json.dumps(QUESTIONS).replace("What", "Whom")})
    assert len(server.files["q.zip"]) == n_bytes
    toy(only=["q.zip"])
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]


def test_a_changed_file_under_its_old_tag_is_told_by_its_length(toy, server, tmp_path):
    server.drops, server.fixed_tag = [1000], '"same"'
    with pytest.raises(DownloadError):
        toy(only=["q.zip"], tries=0)
    server.files["q.zip"] = zipped({"q.json": json.dumps(QUESTIONS).replace("What", "Who")})
    toy(only=["q.zip"])
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]


@pytest.mark.parametrize(("early", "admits_early"), [(10, True), (10, False), (-10, True)])
def test_a_range_that_begins_elsewhere_is_not_joined(toy, server, tmp_path, early, admits_early):
    server.drops, server.early, server.admits_early = [1000], early, admits_early
    toy(only=["q.zip"])
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]
    assert [wanted for _, wanted in server.asked] == [None, "bytes=1000-", None]


def test_a_download_that_only_lacks_its_name_is_not_asked_for_again(toy, server, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", full)
        with pytest.raises(FileError, match="No space left"):
            toy(only=["q.zip"])
    assert states(toy(only=["q.zip"])) == {"q.zip": "resumed"}
    assert len(server.asked) == 1


def test_a_date_of_change_serves_where_the_tag_is_weak(toy, server):
    server.drops, server.dated = [1000], True
    assert states(toy(only=["q.zip"])) == {"q.zip": "resumed"}
    assert [wanted for _, wanted in server.asked] == [None, "bytes=1000-"]


def test_bytes_packed_on_the_way_come_unpacked_and_are_not_joined(toy, server, tmp_path):
    server.packs, server.drops = True, [1000]
    toy(only=["q.zip"])
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]
    assert [wanted for _, wanted in server.asked] == [None, None]


def test_bytes_of_unknown_origin_are_not_gone_on_with(toy, server, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/q.zip.part").write_bytes(b"who knows")
    toy(only=["q.zip"])
    assert server.asked == [("q.zip", None)]
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]


@pytest.mark.parametrize("lacks", ["ranges", "tagged"])
def test_a_server_that_cannot_resume_is_asked_for_the_whole_file(toy, server, tmp_path, lacks):
    server.drops = [1000]
    setattr(server, lacks, False)
    said: list[str] = []
    fetched = toy(only=["q.zip"], watch=Watch(say=said.append))
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]
    assert states(fetched) == {"q.zip": "fetched"}
    assert "starting from the beginning" in said[1]


def test_what_was_left_by_another_address_is_not_gone_on_with(toy, server):
    server.drops = [1000]
    with pytest.raises(DownloadError):
        toy(only=["q.zip"], tries=0)
    toy(only=["q.zip"], mirror=server.address + "/other")
    assert server.asked[1] == ("q.zip", None)


def test_a_busy_server_is_asked_again(toy, server):
    server.busy = 2
    toy(only=["names.txt"])
    assert len(server.asked) == 3


def test_tries_end_when_no_new_byte_comes(toy, server):
    server.busy = 100
    with pytest.raises(DownloadError, match=r"answered 503.*3 times in a row"):
        toy(only=["names.txt"], tries=2)
    assert len(server.asked) == 3


def test_tries_are_counted_anew_after_each_new_byte(toy, server):
    server.drops = [100] * 10
    toy(only=["q.zip"], tries=1)
    assert len(server.asked) == 11


def test_a_missing_file_is_an_error_at_once_and_leaves_nothing(toy, server, tmp_path):
    del server.files["q.zip"]
    with pytest.raises(DownloadError, match=r"q\.zip: the server answered 404 Not Found.*--from"):
        toy(only=["q.zip"])
    assert len(server.asked) == 1
    assert list((tmp_path / "toy").iterdir()) == []


def test_an_address_that_is_none_is_a_download_error_at_once(toy):
    with pytest.raises(DownloadError, match="cannot be asked for"):
        toy(mirror="http://")


def test_a_server_that_is_not_there_is_a_download_error(tmp_path):
    with pytest.raises(DownloadError, match="connection dropped or not to be had"):
        fetch(TOY, tmp_path, mirror="http://127.0.0.1:1", tries=0)


def test_a_host_that_no_name_server_knows_ends_at_once_with_one_sentence(tmp_path, monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr("compsplit.fetching.download.time.sleep", lambda _: pytest.fail("tried again"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DownloadError) as caught:
        fetch(TOY, tmp_path)
    assert str(caught.value) == (
        "http://publisher.invalid/q.zip: the name publisher.invalid cannot be resolved: is this machine online? "
        "Otherwise name a mirror with --from."
    )


def test_a_name_that_is_lost_on_the_way_is_tried_again(toy, server, monkeypatch):
    server.drops = [1000]
    known, lost = socket.getaddrinfo, [False, True]

    def once_lost(*given, **named):
        if lost and lost.pop(0):
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return known(*given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", once_lost)
    assert toy(only=["q.zip"]).files[0].state == "resumed"
    assert lost == []


def test_a_count_that_differs_names_file_and_both_figures_and_is_not_complete(toy, server, tmp_path):
    short = {**QUESTIONS, "questions": QUESTIONS["questions"][:-1]}
    server.files["q.zip"] = zipped({"q.json": short})
    with pytest.raises(BrokenFileError, match=r"q\.zip: q\.json holds 2,999 questions, published are 3,000") as caught:
        toy()
    assert caught.value.exit_code == 2
    assert caught.value.facts["counts"] == [{"members": "q.json", "what": "questions", "expected": 3000, "got": 2999}]
    assert (tmp_path / "toy/q.zip").read_bytes() == server.files["q.zip"]
    server.asked.clear()
    with pytest.raises(BrokenFileError, match="2,999"):  # not fetched again, not taken either
        toy()
    assert server.asked == []
    server.files["q.zip"] = zipped({"q.json": QUESTIONS})
    assert states(toy(force=True)) == {"q.zip": "fetched", "names.txt": "fetched"}


def test_a_page_served_in_place_of_the_archive_is_no_success(toy, server):
    server.files["q.zip"] = b"<html>log in</html>"
    with pytest.raises(BrokenFileError, match=r"not a whole zip archive.*--force"):
        toy()


def test_a_file_that_rotted_is_found_and_named(toy, server, tmp_path):
    toy()
    path = tmp_path / "toy/q.zip"
    path.write_bytes(path.read_bytes().replace(b"What [is] 7?", b"What [is] 8?"))
    with pytest.raises(BrokenFileError, match=r"q\.zip: no longer what was fetched.*--force"):
        toy()
    toy(force=True)
    assert path.read_bytes() == server.files["q.zip"]


def test_a_file_brought_by_hand_is_checked_and_taken(toy, server, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/q.zip").write_bytes(server.files["q.zip"])
    assert states(toy()) == {"q.zip": "found", "names.txt": "fetched"}
    assert [name for name, _ in server.asked] == ["names.txt"]
    assert states(toy()) == {"q.zip": "complete", "names.txt": "complete"}


def test_what_was_complete_by_other_figures_is_counted_again(toy, server, tmp_path):
    toy()
    first = TOY.files[0]
    other = DataSet(
        "toy", "", TOY.base, "", "", (RemoteFile("q.zip", "", (Count("all", "q.json", "questions", published=9),)),)
    )
    assert first.counts != other.files[0].counts
    with pytest.raises(BrokenFileError, match="3,000 all, published are 9"):
        fetch(other, tmp_path / "toy")


def test_a_pinned_checksum_must_hold(toy, server, tmp_path):
    wrong, right = "0" * 64, hashlib.sha256(server.files["q.zip"]).hexdigest()
    with pytest.raises(DownloadError, match="not the pinned content"):
        toy(pins={"q.zip": wrong})
    assert not (tmp_path / "toy/q.zip").exists()
    toy(pins={"q.zip": right.upper()})
    with pytest.raises(BrokenFileError, match="pinned is 000"):
        toy(pins={"q.zip": wrong})


def test_a_dry_run_fetches_nothing_and_makes_no_folder(toy, server, tmp_path):
    fetched = toy(dry_run=True)
    assert fetched.verdict == "toy: dry run, 2 files: 2 missing; nothing was fetched."
    assert fetched.files[0].address == f"{server.address}/q.zip"
    assert server.asked == []
    assert not (tmp_path / "toy").exists()


def test_an_unknown_file_names_the_nearest(toy):
    with pytest.raises(UnknownNameError, match=r'no file of toy "name\.txt". Did you mean "names\.txt"'):
        toy(only=["name.txt"])
    with pytest.raises(UnknownNameError):
        toy(pins={"*.txt": "0" * 64})


def test_a_mirror_that_is_no_web_address_is_refused(toy):
    with pytest.raises(OptionValueError, match="--from"):
        toy(mirror="file:///etc")


def test_a_broken_record_of_fetched_files_is_named(toy, tmp_path):
    toy()
    (tmp_path / "toy/toy.fetched.json").write_text('{"dataset": 3}')
    with pytest.raises(BrokenFileError, match=r"toy\.fetched\.json: not a record of fetched files"):
        toy()


def test_unpacking_gives_the_members_and_is_done_once(toy, tmp_path):
    assert toy(unpacked=True).files[0].unpacked == "q"
    path = tmp_path / "toy/q/q.json"
    assert json.loads(path.read_text()) == QUESTIONS
    before = path.stat().st_mtime_ns
    toy(unpacked=True)
    assert path.stat().st_mtime_ns == before


def test_unpacking_looks_for_room_first(toy, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=9))
    with pytest.raises(FileError, match="the disk has 9 free"):
        toy(unpacked=True)
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["q.zip", "toy.fetched.json"]


def test_a_folder_that_holds_something_else_is_not_unpacked_over(toy, tmp_path):
    toy(unpacked=True)
    (tmp_path / "toy/q/mine.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match="--force"):
        toy(unpacked=True)
    assert (tmp_path / "toy/q/mine.txt").read_text() == "mine"
    toy(unpacked=True, force=True)
    assert [path.name for path in (tmp_path / "toy/q").iterdir()] == ["q.json"]


@pytest.mark.parametrize("name", ["../evil.json", "/evil.json", "a/../../evil.json", "..\\evil.json", "C:/evil.json"])
def test_an_archive_that_leads_outside_is_refused(toy, server, tmp_path, name):
    server.files["q.zip"] = zipped({"q.json": QUESTIONS, name: "{}"})
    with pytest.raises(BrokenFileError, match="leads outside"):
        toy(unpacked=True)
    assert not list(tmp_path.rglob("evil.json"))


def test_an_archive_with_a_link_is_refused(toy, server):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("q.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/hostname")
    server.files["q.zip"] = out.getvalue()
    with pytest.raises(BrokenFileError, match=r'"q\.json" is a link'):
        toy()


def test_a_member_that_is_there_twice_is_refused(toy, server):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("q.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("q.json", json.dumps(QUESTIONS))
    server.files["q.zip"] = out.getvalue()
    with pytest.raises(BrokenFileError, match=r'"q\.json" is there twice'):
        toy()


def test_a_zip_bomb_is_not_opened(tmp_path):
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("q.json", b" " * (65 << 20))
    with pytest.raises(BrokenFileError, match="zip bomb"):
        count(tmp_path / "b.zip", [])


def counted(tmp_path: Path, content: object, *counts: Count) -> list[int]:
    (tmp_path / "c.zip").write_bytes(zipped({"deep/m.json": content}))
    return [one.counted for one in count(tmp_path / "c.zip", counts)]


@pytest.mark.parametrize("block", range(1, 12))
def test_counting_agrees_with_the_whole_file_in_memory_wherever_it_is_cut(tmp_path, monkeypatch, block):
    monkeypatch.setattr("compsplit.fetching.counts._BLOCK", block)
    rows = [{"id": n * 10**n, "image": f'é\\"]{n % 3}', "answers": [{"a": [1, 2]}] * n, "x": -1.5e-3} for n in range(9)]
    whole = {"a": {"b": [1]}, "rows": rows, "n": 12.25, "numbers": [12.5e3, -0.25, 1234567], "z": []}
    asked = [
        Count("rows", "m.json", "rows"),
        Count("images", "m.json", "rows", "distinct", "image"),
        Count("answers", "m.json", "rows", "items", "answers"),
        Count("numbers", "m.json", "numbers"),
    ]
    for indent in (None, 2):
        text = json.dumps(whole, indent=indent, ensure_ascii=indent is None)
        assert counted(tmp_path, text, *asked) == [9, 3, sum(range(9)), 3]


@pytest.mark.parametrize(
    ("content", "n"), [("[]", 0), ("{}", 0), (" [1, 2.5, null] ", 3), ('{"07": {}, "08": {}}', 2), ("\ufeff[{}]", 1)]
)
def test_entries_at_the_top_are_records(tmp_path, content, n):
    assert counted(tmp_path, content, Count("rows", "m.json")) == [n]


@pytest.mark.parametrize(
    "content",
    ['[{"a": 1}, {"a"', "[1, 2", "[1 2]", "{1: 2}", '{"a" 1}', "[1] 2", "", "hello", "[" * 100_000, '["\\x"]'],
)
def test_what_is_no_json_is_an_error_and_not_a_count(tmp_path, content):
    with pytest.raises(BrokenFileError, match=r"c\.zip/deep/m\.json"):
        counted(tmp_path, content, Count("rows", "m.json"))


def test_bytes_that_are_not_utf_8_are_named(tmp_path):
    with pytest.raises(EncodingError, match="offset 3"):
        counted(tmp_path, b'["a\xff"]', Count("rows", "m.json"))


def test_a_record_without_the_counted_field_is_named(tmp_path):
    with pytest.raises(BrokenFileError, match="record 2 has no answers that is a list"):
        counted(tmp_path, [{"answers": []}, {}], Count("answers", "m.json", "", "items", "answers"))


def test_counts_of_members_that_match_one_pattern_add_up(tmp_path):
    (tmp_path / "c.zip").write_bytes(
        zipped({"t/t_0.json": {"a": 1, "b": 2}, "t/t_1.json": {"c": 3}, "v.json": {"d": 4}})
    )
    assert count(tmp_path / "c.zip", [Count("questions", "t_*.json")])[0].counted == 3


def test_damage_in_a_member_that_nothing_counts_is_found(tmp_path):
    whole = zipped({"m.json": [1], "other.json": "abcdef"})
    (tmp_path / "c.zip").write_bytes(whole.replace(b"abcdef", b"abcxef", 1))
    with pytest.raises(BrokenFileError, match="CRC"):
        count(tmp_path / "c.zip", [Count("rows", "m.json")])


def test_an_overlong_record_is_refused_and_not_gathered(tmp_path, monkeypatch):
    monkeypatch.setattr("compsplit.fetching.counts._BLOCK", 10)
    monkeypatch.setattr("compsplit.fetching.counts._LARGEST_RECORD", 100)
    with pytest.raises(BrokenFileError, match="a record of more than 100 characters"):
        counted(tmp_path, json.dumps(["x" * 1000]), Count("rows", "m.json"))


def test_the_shipped_catalogue_is_well_formed():
    for name, one in DATA_SETS.items():
        assert name == one.name
        assert one.base.startswith("https://")
        assert one.base.endswith("/")
        assert one.home.startswith("https://")
        assert one.licence
        names = [file.name for file in one.files]
        assert len(set(names)) == len(names)
        for file in one.files:
            assert Path(file.name).name == file.name
            assert file.name.endswith(".zip") or not file.counts
            for asked in file.counts:
                assert (asked.published is None) or (asked.published > 0 and asked.source)
                assert bool(asked.field) == (asked.how != "records")


def test_the_figures_of_vqa_are_those_of_its_paper():
    published = [asked.published for file in data_set("vqa-v1").files for asked in file.counts]
    # Table 1 of C-VQA: questions (in both layouts), images, answers.
    assert published[:3] == [248_349, 248_349, 82_783]
    assert published[3:6] == [121_512, 121_512, 40_504]
    assert published[6:] == [248_349, 2_483_490, 121_512, 1_215_120]


def run(*arguments: str) -> object:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, list(arguments))


def test_the_list_names_every_data_set_with_licence_and_home():
    listed = json.loads(run("--json").stdout)["datasets"]
    assert [one["name"] for one in listed] == list(DATA_SETS)
    assert all(one["licence"] and one["home"] and one["files"] for one in listed)
    table = run().stdout
    assert all(name in table for name in DATA_SETS)


def test_the_list_keeps_addresses_and_file_names_whole_on_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run().stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    words = {word for line in lines for word in line.split()}
    for one in DATA_SETS.values():
        assert {one.name, one.home, *(file.name for file in one.files)} <= words
    assert not set("".join(lines)) & set("│┃┏└├")


@pytest.fixture
def gqa(server: Server) -> Server:
    graphs = {"train_sceneGraphs.json": {"1": {}, "2": {}}, "val_sceneGraphs.json": {"3": {}}}
    server.files = {"sceneGraphs.zip": zipped(graphs)}
    return server


def test_the_command_shows_the_licence_on_stderr_and_the_verdict_first_on_stdout(gqa, tmp_path):
    result = run("gqa", "--to", str(tmp_path), "--only", "sceneGraphs.zip", "--from", gqa.address)
    assert result.exit_code == 0, result.exception
    assert result.stderr.startswith("gqa: licence: ")
    assert result.stdout.splitlines()[0].startswith("gqa: 1 of 1 files are complete, 1 fetched now")
    digest = hashlib.sha256(gqa.files["sceneGraphs.zip"]).hexdigest()
    assert f"--sha256 sceneGraphs.zip={digest}" in result.stdout


def test_the_command_prints_one_sorted_object_with_json(gqa, tmp_path):
    result = run("gqa", "--to", str(tmp_path), "--only", "scene*", "--from", gqa.address, "--json", "--unpack")
    printed = json.loads(result.stdout)
    assert list(printed) == sorted(printed)
    (file,) = printed["files"]
    assert (file["state"], file["unpacked"]) == ("fetched", "sceneGraphs")
    assert [(one["counted"], one["verdict"]) for one in file["counts"]] == [(2, "unchecked"), (1, "unchecked")]


def test_the_command_says_what_a_dry_run_would_fetch_and_where_it_unpacked(gqa, tmp_path):
    asked = ("gqa", "--to", str(tmp_path), "--only", "scene*", "--from", gqa.address)
    assert f"would be fetched from {gqa.address}/sceneGraphs.zip" in run(*asked, "--dry-run").stdout
    assert f"unpacked into {tmp_path.as_posix()}/sceneGraphs" in run(*asked, "--unpack").stdout
    pin = f"sceneGraphs.zip={hashlib.sha256(gqa.files['sceneGraphs.zip']).hexdigest()}"
    assert run(*asked, "--sha256", pin).exit_code == 0


def test_the_command_checks_against_the_published_figures(server, tmp_path):
    server.files = {"Annotations_Val_mscoco.zip": zipped({"mscoco_val2014_annotations.json": {"annotations": []}})}
    result = run("vqa-v1", "--to", str(tmp_path), "--only", "Annotations_Val*", "--from", server.address)
    assert isinstance(result.exception, BrokenFileError)
    assert "holds 0 answers, published are 1,215,120" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["vqa1"], "Did you mean"),
        (["--dry-run"], "Say which data set"),
        (["gqa", "--sha256", "sceneGraphs.zip=12"], "64 hexadecimal digits"),
    ],
)
def test_wrong_usage_says_what_is_right(arguments, message):
    result = run(*arguments)
    assert message in str(result.exception)
    assert result.exception.exit_code == 2


def test_on_a_terminal_a_bar_shows_the_bytes():
    out = io.StringIO()
    with _watching(Console(file=out, force_terminal=True, width=120)) as watch:
        watch.moved("fetch q.zip", 500_000, 1_000_000)
        watch.say("again")
    assert "fetch q.zip" in out.getvalue()
    assert "0.5/1.0 MB" in out.getvalue()
    assert "again" in out.getvalue()


@pytest.mark.large
def test_importing_the_command_loads_nothing_heavy():
    heavy = ("pooch", "requests", "rich.progress", "msgspec", "numpy")
    code = f"import sys, compsplit.cli.fetch; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

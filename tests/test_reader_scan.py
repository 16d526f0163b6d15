"""SCAN's lines, on the published files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import EmptyFileError, RecordsError
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*files: Path) -> QATable:
    table: QATable = plugin("reader", "scan").make(inputs(files))
    return table


@pytest.mark.parametrize(
    ("file", "n"),
    [
        ("simple_split/tasks_train_simple.txt", 16728),
        ("simple_split/tasks_test_simple.txt", 4182),
        ("length_split/tasks_train_length.txt", 16990),
        ("length_split/tasks_test_length.txt", 3920),
        ("add_prim_split/tasks_train_addprim_jump.txt", 14670),
        ("add_prim_split/tasks_test_addprim_jump.txt", 7706),
        ("template_split/tasks_train_template_around_right.txt", 15225),
        ("template_split/tasks_test_template_around_right.txt", 4476),
    ],
)
def test_published_files(shared: Path, file: str, n: int) -> None:
    path = shared / "data" / "scan" / file
    table = read(path)
    assert detected(inputs([path])) == "scan"
    assert len(table) == n
    lines = path.read_text().splitlines()
    made = [f"IN: {q} OUT: {a}" for q, a in zip(table.questions.values(), table.answers.values(), strict=True)]
    assert made == [line.strip() for line in lines]
    assert table.ids[-1] == f"{path.stem}:{n}"


def test_repeated_lines_are_rows_of_their_own(shared: Path) -> None:
    table = read(shared / "data" / "scan" / "add_prim_split" / "tasks_train_addprim_jump.txt")
    pairs = set(zip(table.questions.values(), table.answers.values(), strict=True))
    assert (len(table), len(pairs), len(set(table.ids.tolist()))) == (14670, 13204, 14670)
    bare = [action for command, action in zip(table.questions.values(), table.answers.values(), strict=True)
            if command == "jump"]  # fmt: skip
    assert len(bare) == 14670 - 13204 + 1


def test_mark_crlf_and_empty_lines_are_read_without_remark(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(b"\xef\xbb\xbfIN: jump OUT: I_JUMP\r\n\r\nIN: run twice OUT: I_RUN I_RUN\r\n\n")
    table = read(path)
    assert table.questions.values() == ["jump", "run twice"]
    assert table.answers.values() == ["I_JUMP", "I_RUN I_RUN"]
    assert table.ids.tolist() == ["s:1", "s:2"]
    (records,) = table.records
    raw = path.read_bytes()
    spans = [raw[a:b].strip() for a, b in zip(records.starts.tolist(), records.stops.tolist(), strict=True)]
    assert spans == [b"IN: jump OUT: I_JUMP", b"IN: run twice OUT: I_RUN I_RUN"]


def test_every_line_that_is_none_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    one.write_text("IN: jump OUT: I_JUMP\n\nIN: jump\nOUT: I_JUMP\n")
    other.write_text("IN: jump OUT:\nIN: run OUT: I_RUN\n")
    with pytest.raises(RecordsError) as caught:
        read(one, other)
    what = "is not IN: command OUT: actions"
    assert caught.value.facts["first"] == [
        f"{name}, record {line}: {what}" for name, line in (("a.txt", 3), ("a.txt", 4), ("b.txt", 1))
    ]


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_a_line_stops(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(EmptyFileError):
        read(path)


def test_lines_come_back_as_they_were(command: Any) -> None:
    lines = [f"IN: jump {n} OUT: I_JUMP_{n}" for n in range(9)]
    Path("s.txt").write_bytes("\r\n".join(lines).encode())
    assert command("run", "random", "s.txt", "--out", "d").code == 0
    assert command("verify", "d", "--input", "s.txt").code == 0
    parts = {part: Path(f"d/{part}.txt").read_bytes().decode() for part in ("train", "test")}
    assert sorted("".join(parts.values()).splitlines()) == lines
    assert all(text.endswith("\n") and "\r" not in text for text in parts.values())
    (given,) = json.loads(Path("d/manifest.json").read_text())["inputs"]
    assert given["records"] == 9

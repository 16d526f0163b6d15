"""Tell a file's format from its content, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from compsplit.errors import EmptyFileError, FormatError
from compsplit.files import Bytes
from compsplit.model.table import Input
from compsplit.readers.daquar import TAIL
from compsplit.readers.json_spans import JsonSpans
from compsplit.readers.table import LONE_OBJECT, ROLES
from compsplit.registry import plugins

_HEAD = 1 << 16


def detected(files: Sequence[Input]) -> str:
    """Return the one format that all files have.

    Raises:
        FormatError: The content does not decide, or the files differ.
        TruncatedError: A file of one JSON object is cut.
    """
    known = list(plugins("reader"))
    formats = {file.name: _format(file) for file in files}
    for name, found in formats.items():
        if found is None:
            raise FormatError(name, [], known)
    for file in files:
        if formats[file.name] == "table" and _is_lone_object(file):
            raise FormatError(file.name, [], known, LONE_OBJECT)
    if len(set(formats.values())) > 1:
        shown = ", ".join(f"{name} looks like {found}" for name, found in formats.items())
        raise FormatError(files[0].name, sorted(set(map(str, formats.values()))), known, f"the files differ: {shown}")
    return str(next(iter(formats.values())))


def _format(file: Input) -> str | None:
    with Bytes(file, text=False) as stream:
        raw = stream.read(_HEAD)
    if raw.startswith(b"PAR1"):
        return "table"
    head = raw.decode("utf-8", "replace").lstrip()
    if not head:
        raise EmptyFileError(file.name)
    if head[0] in "{[":
        return _json_format(head)
    lines = head.splitlines()
    if TAIL.search(lines[0]):
        return "daquar"
    # Semicolons are not read, but the table reader says so.
    return "table" if any(delimiter in lines[0] for delimiter in ",\t;") else None


def _json_format(head: str) -> str | None:
    if re.match(r"\[\s*\[", head):
        return "easy-vqa"
    listed = re.search(r'^\{.*?"(?:questions|annotations)"\s*:\s*\[\s*(.*)', head, re.DOTALL)
    if listed:
        # Other data sets have lists of these names, too.
        return "vqa" if listed[1].startswith("]") or "question_id" in _keys(listed[1]) else None
    keys = _keys(head.removeprefix("[").lstrip())
    if "question_id" in keys and keys & {"image_id", "answers", "multiple_choice_answer"}:
        return "vqa"
    # An object that begins with the members that VQA files carry in front of their records.
    if {"info", "license"} <= keys and keys & {"data_subtype", "task_type"}:
        return "vqa"
    return "table"


def _is_lone_object(file: Input) -> bool:
    """Tell whether a file is one JSON object, on any number of lines, without a question and an answer."""
    with Bytes(file, text=False) as stream:
        if not stream.read(_HEAD).lstrip().startswith(b"{"):
            return False
    n = 0
    for spans in JsonSpans(file, {}).spans():
        n += len(spans.starts)
        if n > 1:
            return False
        raw = spans.data[int(spans.starts[0]) : int(spans.stops[0])]
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False  # The reader says what is wrong with it.
    return not any(name in members for role in ("question", "answer") for name in ROLES[role])


def _keys(text: str) -> set[str]:
    """Return the keys in the first 8192 characters of an object, on any level."""
    return set(re.findall(r'"(\w+)"\s*:', text[:8192])) if text.startswith("{") else set()

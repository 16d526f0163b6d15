"""Tell a file's format from its content, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compsplit.errors import EmptyFileError, FormatError
from compsplit.files import Bytes
from compsplit.model.table import Input
from compsplit.readers.daquar import TAIL
from compsplit.registry import plugins

_HEAD = 1 << 16


def detected(files: Sequence[Input]) -> str:
    """Return the one format that all files have.

    Raises:
        FormatError: The content does not decide, or the files differ.
    """
    known = list(plugins("reader"))
    formats = {file.name: _format(file) for file in files}
    for name, found in formats.items():
        if found is None:
            raise FormatError(name, [], known)
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
    if head[0] == "{":
        if re.search(r'"(questions|annotations)"\s*:\s*\[', head) or _has_vqa_header(head):
            return "vqa"
        return "table"
    if head[0] == "[":
        if re.match(r"\[\s*\[", head):
            return "easy-vqa"
        record = re.match(r"\[\s*\{(.{0,8192})", head, re.DOTALL)
        keys = set(re.findall(r'"(\w+)"\s*:', record[1])) if record else set()
        if {"question_id", "image_id"} <= keys or {"question_id", "answers"} <= keys:
            return "vqa"
        return "table"
    lines = head.splitlines()
    if TAIL.search(lines[0]):
        return "daquar"
    return "table" if "," in lines[0] or "\t" in lines[0] else None


def _has_vqa_header(head: str) -> bool:
    """Tell whether an object begins with the members that VQA files carry in front of their records."""
    keys = set(re.findall(r'"(\w+)"\s*:', head))
    return {"info", "license"} <= keys and bool({"data_subtype", "task_type"} & keys)

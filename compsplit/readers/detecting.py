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
from compsplit.readers.scan import LINE as SCAN_LINE
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
    head = raw.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not head:
        raise EmptyFileError(file.name)
    if head[0] in "{[":
        return _json_format(head)
    lines = head.splitlines()
    if TAIL.search(lines[0]):
        return "daquar"
    if SCAN_LINE.fullmatch(lines[0].rstrip()):
        return "scan"
    # Semicolons are not read, but the table reader says so.
    if any(delimiter in lines[0] for delimiter in ",\t;"):
        return "table"
    # The last line may be cut where the file goes on.
    whole = lines[:-1] if len(raw) >= _HEAD and len(lines) > 1 else lines
    return "czsl" if all(len(line.split()) == 2 for line in whole if line) else None


def _json_format(head: str) -> str | None:
    if re.match(r"\[\s*\[", head):
        return "easy-vqa"
    listed = re.search(r'^\{.*?"(questions|annotations|scenes|images|categories)"\s*:\s*\[\s*(.*)', head, re.DOTALL)
    keys = _keys(head.removeprefix("[").lstrip())
    first = re.match(r'\[?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*([\[{])', head)
    if listed and "image_id" not in _keys(head[: listed.start(1)] + "}"):
        return _listed(listed[1], listed[2], keys)
    if "structured_rep" in keys:
        return "nlvr"
    if {"sql", "sentences"} <= keys:
        return "text2sql"
    if ("imageId" in keys and keys & {"question", "semantic"}) or {"semantic", "operation", "dependencies"} <= keys:
        return "gqa"
    if first is not None and not head.startswith("["):
        # An object whose first member is an object or a list: its members are records, but for one of our scenes.
        if first[1] == "{" and re.search(r'"objects"\s*:\s*\{', head):
            return "gqa-scenes"
        if {"predicate", "subject", "object"} <= keys and "category" in keys:
            return "vrd"
    if _is_scenes(head, keys):
        return "scenes"
    if _is_visual_genome(keys):
        return "visual-genome"
    if "objects" in keys and not keys & {"question", "answer"}:
        return "scenes"
    if "question_id" in keys and keys & {"image_id", "answers", "multiple_choice_answer"}:
        return "vqa"
    # An object that begins with the members that VQA files carry in front of their records.
    if {"info", "license"} <= keys and keys & {"data_subtype", "task_type"}:
        return "vqa"
    return "table"


def _listed(name: str, rest: str, keys: set[str]) -> str | None:
    """Return the format of an object that holds a list of that name; other data sets have lists of these names, too."""
    first = _keys(rest)
    if name == "scenes":
        return "clevr-scenes" if rest.startswith("]") or "objects" in first else None
    if name in ("images", "categories") or "category_id" in first:
        return "coco" if rest.startswith("]") or first & {"id", "category_id", "supercategory"} else None
    if name == "questions" and keys & {"image_index", "question_index", "image_filenames", "image_filename"}:
        return "clevr"
    return "vqa" if rest.startswith("]") or "question_id" in first else None


def _is_scenes(head: str, keys: set[str]) -> bool:
    """Tell whether keys are those of our scenes: objects are class names, or say their class."""
    named = "class" in keys or re.search(r'"objects"\s*:\s*\[\s*"', head) is not None
    return named and "objects" in keys and not keys & {"object_id", "question", "answer"}


def _is_visual_genome(keys: set[str]) -> bool:
    """Tell whether keys are those of images with objects, relationships or attributes, or of image data alone."""
    image = "image_id" in keys or "id" in keys
    if "relationships" in keys or ("attributes" in keys and "object_id" in keys):
        return image and "question" not in keys
    if "objects" in keys and keys & {"synsets", "names"}:
        return image
    return "coco_id" in keys and "image_id" in keys and "question" not in keys


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
